package main

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/journal"
)

// An entry is a change of the journal as a script gets it.
type entry struct {
	ID      string          `json:"id"`
	Time    time.Time       `json:"time"`
	Op      string          `json:"op"`
	Kind    string          `json:"kind"`
	Of      string          `json:"of"` // ID of the thing
	Label   string          `json:"label"`
	Reason  string          `json:"reason"`
	Until   time.Time       `json:"until,omitzero"`
	Outcome journal.Outcome `json:"outcome"`
	Why     string          `json:"why,omitempty"`
	Method  string          `json:"method"`
	Path    string          `json:"path"`
	Body    any             `json:"body,omitempty"`
}

func entryOf(e journal.Entry) entry {
	c := e.Change
	return entry{ID: e.ID, Time: e.Time, Op: c.Op, Kind: c.Resource, Of: c.ID, Label: c.Label, Reason: c.Reason, Until: c.RevertAt,
		Outcome: e.Outcome, Why: e.Why, Method: c.Method, Path: c.Path, Body: c.Body}
}

// outcomes are how a change can have ended, as flags name it.
func outcomes() []string {
	return []string{string(journal.Sent), string(journal.Done), string(journal.NotDone), string(journal.Unknown)}
}

func stampOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func journalNoun() noun {
	return resource[*entry]{
		name: "journal", one: "entry", named: "ID", bare: true, about: "What this program changed from this machine, and how it ended",
		examples: "lookout journal --since 8h\nlookout journal --since all --outcome unknown,sent -o ndjson",
		columns: []column[*entry]{
			{name: "time", cell: func(e *entry) string { return stampOf(e.Time) }},
			{name: "op", cell: func(e *entry) string { return e.Op }},
			{name: "of", cell: func(e *entry) string { return e.Of }},
			{name: "label", cell: func(e *entry) string { return e.Label }},
			{name: "outcome", cell: func(e *entry) string { return string(e.Outcome) }},
			{name: "until", drop: 3, cell: func(e *entry) string { return stampOf(e.Until) }},
			{name: "reason", drop: 1, cell: func(e *entry) string { return e.Reason }},
			{name: "why", drop: 2, cell: func(e *entry) string { return e.Why }},
			{name: "id", detail: true, cell: func(e *entry) string { return e.ID }},
			{name: "method", detail: true, cell: func(e *entry) string { return e.Method }},
			{name: "path", detail: true, cell: func(e *entry) string { return e.Path }},
		},
		offline: true,
		get:     entryBy,
		listFlags: func(set *pflag.FlagSet, q *listing) {
			set.StringVar(&q.since, "since", "24h", "how far back: a time as 8h, or a day as 2026-11-20, or all")
			set.StringSliceVar(&q.outcomes, "outcome", nil, "only changes that ended so, as unknown,sent: those to look at")
			oneOf(set, "outcome", outcomes()...)
		},
		list: listEntries,
	}
}

func listEntries(_ context.Context, s *session, q listing) iter.Seq2[*entry, error] {
	return func(yield func(*entry, error) bool) {
		since, err := sinceOf(q.since, s.now())
		if err != nil {
			yield(nil, err)
			return
		}
		for _, o := range q.outcomes {
			if !slices.Contains(outcomes(), o) {
				yield(nil, usage(fmt.Errorf("--outcome %q: choose of %s", client.Clean(o), strings.Join(outcomes(), ", "))))
				return
			}
		}
		j, err := s.journal.read()
		if err != nil {
			yield(nil, err)
			return
		}
		if n := j.Torn(); n > 0 {
			s.say("%d lines of the journal %s could not be read", n, s.journal.path)
		}
		for _, e := range j.Entries(since) {
			if len(q.outcomes) > 0 && !slices.Contains(q.outcomes, string(e.Outcome)) {
				continue
			}
			row := entryOf(e)
			if !yield(&row, nil) {
				return
			}
		}
	}
}

// entryBy is the change with an ID.
func entryBy(_ context.Context, s *session, id string) (*entry, error) {
	j, err := s.journal.read()
	if err != nil {
		return nil, err
	}
	all := j.Entries(time.Time{})
	i := slices.IndexFunc(all, func(e journal.Entry) bool { return e.ID == id })
	if i < 0 {
		return nil, &exit{exitMissing, fmt.Errorf("no change in the journal has the ID %q; lookout journal --since all -o csv names them", client.Clean(id))}
	}
	e := entryOf(all[i])
	return &e, nil
}

// sinceOf reads how far back: "8h", "2026-11-20", "2026-11-20T08:00:00Z", "all".
func sinceOf(text string, now time.Time) (time.Time, error) {
	if text == "all" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return t, nil
	}
	return time.Time{}, usage(fmt.Errorf("--since %q: a time as 8h, a day as 2026-11-20, or all is needed", client.Clean(text)))
}
