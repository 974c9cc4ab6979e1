package cli

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
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/ui/table"
	"lookout/views/activity"
	"lookout/views/resource"
)

// A journalRow is a change of the journal as scripts see it.
type journalRow struct {
	ID            string         `json:"id"`
	Time          time.Time      `json:"time"`
	Op            string         `json:"op"`
	Kind          string         `json:"kind"`
	TargetID      string         `json:"of"` // ID of the thing
	Label         string         `json:"label"`
	Reason        string         `json:"reason"`
	Start         time.Time      `json:"start,omitzero"` // of a planned window
	Until         time.Time      `json:"until,omitzero"`
	Outcome       client.Outcome `json:"outcome"`
	OutcomeDetail string         `json:"why,omitempty"`
	Method        string         `json:"method"`
	Path          string         `json:"path"`
	Before        any            `json:"before,omitempty"`
	Body          any            `json:"body,omitempty"`
}

func newJournalRow(e journal.Entry) journalRow {
	c := e.Change
	return journalRow{
		ID:            e.ID,
		Time:          e.Time.UTC(),
		Op:            c.Op,
		Kind:          c.Resource,
		TargetID:      c.ID,
		Label:         c.Label,
		Reason:        c.Reason,
		Start:         c.StartAt.UTC(),
		Until:         c.RevertAt.UTC(),
		Outcome:       e.Shown(),
		OutcomeDetail: e.OutcomeDetail,
		Method:        c.Method,
		Path:          c.Path,
		Before:        c.Before,
		Body:          c.Body,
	}
}

// outcomeNames returns the names of the outcomes, as flags take them.
func outcomeNames() []string {
	return []string{
		string(client.Pending), string(client.Applied), string(client.AsWanted), string(client.Rejected),
		string(client.Unknown),
	}
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// periods are what the shell offers for --since.
var periods = []string{"1h", "8h", "24h", "72h", "all"}

func journalResource() scriptResource {
	return scriptResource{
		name:        "journal",
		singular:    "entry",
		idArg:       "ID",
		description: "Changes made from this machine, and their outcomes",
		examples: "lookout journal --since 8h\nlookout journal list --since all --outcome unknown,sent -o ndjson\n" +
			"lookout journal get 20261120T021100Z-1",
		columns: resource.EraseColumns([]resource.ColumnDefinition[*journalRow]{
			{Name: "time", Value: func(e *journalRow) string { return formatTime(e.Time) }},
			{Name: "op", Value: func(e *journalRow) string { return e.Op }},
			{Name: "of", Value: func(e *journalRow) string { return e.TargetID }},
			{Name: "label", Value: func(e *journalRow) string { return e.Label }},
			{
				Name:  "outcome",
				Value: func(e *journalRow) string { return string(e.Outcome) },
				Pane:  table.Column[*journalRow]{Choices: outcomeNames()},
			},
			{Name: "until", DropPriority: 3, Value: func(e *journalRow) string { return formatTime(e.Until) }},
			{Name: "reason", DropPriority: 1, Value: func(e *journalRow) string { return e.Reason }},
			{
				Name:         "why",
				DropPriority: 2,
				IsClean:      true,
				Value:        func(e *journalRow) string { return e.OutcomeDetail },
			},
			{Name: "id", DetailOnly: true, Value: func(e *journalRow) string { return e.ID }},
			{Name: "method", DetailOnly: true, Value: func(e *journalRow) string { return e.Method }},
			{Name: "path", DetailOnly: true, Value: func(e *journalRow) string { return e.Path }},
			// of a planned window; new columns come last, because scripts count them
			{Name: "start", DropPriority: 3, Value: func(e *journalRow) string { return formatTime(e.Start) }},
		}),
		offline: true,
		get:     getEntry,
		idNames: completeEntry,
		listFlags: func(set *pflag.FlagSet, q *listOptions) {
			set.StringVar(
				&q.since,
				"since",
				"24h",
				"how far back: a duration such as 8h, a date such as 2026-11-20, or all",
			)
			config.CompleteValues(set, "since", periods...)
			set.StringSliceVar(
				&q.outcomes, "outcome", nil, "only changes with these outcomes: "+strings.Join(outcomeNames(), ", "),
			)
			config.CompleteValues(set, "outcome", outcomeNames()...)
		},
		list: listEntries,
	}
}

func listEntries(_ context.Context, s *scriptSession, q listOptions) iter.Seq2[any, error] {
	return rowsOf(func() (rows []*journalRow, err error) {
		since, err := parseSince(q.since, s.now())
		if err != nil {
			return nil, err
		}
		for _, o := range q.outcomes {
			if !slices.Contains(outcomeNames(), o) {
				return nil, exit.Usage(fmt.Errorf(
					"--outcome %q: choose one of %s", client.Clean(o), strings.Join(outcomeNames(), ", "),
				))
			}
		}
		j, err := s.journal.read()
		if err != nil {
			return nil, err
		}
		if n := j.UnreadableLines(); n > 0 {
			s.reportf("%d lines of the journal %s could not be read", n, s.journal.path)
		}
		entries := j.Entries(since)
		if err := j.Problem(); err != nil {
			s.reportf("%v", err)
		}
		for _, e := range entries {
			if len(q.outcomes) == 0 || slices.Contains(q.outcomes, string(e.Shown())) {
				row := newJournalRow(e)
				rows = append(rows, &row)
			}
		}
		return rows, nil
	})
}

// getEntry returns the change with an ID.
func getEntry(_ context.Context, s *scriptSession, id string) (any, error) {
	j, err := s.journal.read()
	if err != nil {
		return nil, err
	}
	found, ok := j.Entry(id)
	if !ok {
		return nil, exit.WithCode(
			exit.CodeNotFound,
			fmt.Errorf(
				"no change in the journal has the ID %q; lookout journal --since all -o csv lists them",
				client.Clean(id),
			),
		)
	}
	e := newJournalRow(found)
	return &e, nil
}

// parseSince parses the start of a period, as activity.ParseSince does.
func parseSince(text string, now time.Time) (time.Time, error) {
	since, err := activity.ParseSince(text, now)
	if err != nil {
		return since, exit.Usage(fmt.Errorf("--since %q: %w", client.Clean(text), err))
	}
	return since, nil
}
