package cli

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/exit"
)

// resourceCommands are all kinds of things that scripts can work on.
func resourceCommands() []resourceCommand {
	return []resourceCommand{
		servicesResource(),
		issuesResource(),
		contactsResource(),
		credentialsResource(),
		sshResource(),
		statsResource(),
		bucketsResource(),
		objectsResource(),
		certificatesResource(),
		accessKeysResource(),
		clustersResource(),
		transferResource(),
		journalResource(),
	}
}

func formatAPITime(t client.Time) string {
	if t.Valid() {
		return t.Time().Format(time.RFC3339)
	}
	return t.Raw().Raw()
}

func joinIDs(ids []int) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.Itoa(id)
	}
	return strings.Join(words, ",")
}

// applyChangedFlags takes what flags say into a request, and reports whether any of them was given; what is not given
// stays.
func applyChangedFlags[R any](set *pflag.FlagSet, take map[string]func(*R)) func(*R) bool {
	return func(into *R) (given bool) {
		for name, one := range take {
			if set.Changed(name) {
				one(into)
				given = true
			}
		}
		return given
	}
}

// patchFromFlags is what flags change of a thing. Nothing of it where all is so already, which is told.
func patchFromFlags[R any](s *scriptSession, one string, before R, fill func(*R) bool) (map[string]any, error) {
	after := before
	if !fill(&after) {
		return nil, exit.Usage(errors.New("nothing is to be changed: give a flag with a new value"))
	}
	patch := client.Diff(before, after)
	if len(patch) == 0 {
		s.reportf("the %s is so already; nothing was sent", one)
	}
	return patch, nil
}

func formatPositive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}
