package main

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
)

// nouns are all kinds of things that scripts can work on.
func nouns() []noun {
	return []noun{servicesNoun(), issuesNoun(), contactsNoun(), credentialsNoun(), sshNoun(), statsNoun(),
		bucketsNoun(), objectsNoun(), certificatesNoun(), keysNoun(), clustersNoun(), transferNoun(), journalNoun()}
}

func when(t client.Time) string {
	if t.Valid() {
		return t.Time().Format(time.RFC3339)
	}
	return t.Raw().Raw()
}

func numbers(ids []int) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.Itoa(id)
	}
	return strings.Join(words, ",")
}

// members takes what flags say into a request, and reports whether any of them was given; what is not given stays.
func members[R any](set *pflag.FlagSet, take map[string]func(*R)) func(*R) bool {
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

// changed is what flags change of a thing. Nothing of it where all is so already, which is told.
func changed[R any](s *session, one string, before R, fill func(*R) bool) (map[string]any, error) {
	after := before
	if !fill(&after) {
		return nil, usage(errors.New("nothing is to be changed: give a flag with a new value"))
	}
	patch := client.Diff(before, after)
	if len(patch) == 0 {
		s.say("the %s is so already; nothing was sent", one)
	}
	return patch, nil
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}
