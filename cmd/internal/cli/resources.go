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

// A memberFlag is a flag that sets one member of a request.
type memberFlag[R any] struct {
	name string
	set  func(*R)
}

// memberFlags are the flags that set the members of a request.
type memberFlags[R any] struct {
	set   *pflag.FlagSet
	flags []memberFlag[R]
}

// apply sets the members whose flags were given, and reports whether there were any.
func (m memberFlags[R]) apply(request *R) (given bool) {
	for _, f := range m.flags {
		if m.set.Changed(f.name) {
			f.set(request)
			given = true
		}
	}
	return given
}

// applyTo returns a request with the members that flags set. It fails if no flag was given.
func (m memberFlags[R]) applyTo(before R) (R, error) {
	after := before
	if !m.apply(&after) {
		return after, exit.Usage(errors.New("nothing to change: give a flag with a new value"))
	}
	return after, nil
}

func formatPositive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}
