package ui

import (
	"fmt"
	"strings"

	"lookout/theme"
)

// A BatchSummary is how the changes of one decision ended, row by row.
type BatchSummary[T any] struct {
	Singular string // what a row is: "service"; empty is "row"
	Applied  []T
	pending  int
	label    func(T) string
	rejected []string
	unknown  []string
}

// NewBatchSummary waits for n ends. name is what a row is called in the news.
func NewBatchSummary[T any](n int, name func(T) string) *BatchSummary[T] {
	return &BatchSummary[T]{pending: n, label: name}
}

// Add counts an end and reports whether it was the last.
func (t *BatchSummary[T]) Add(row T, v AttemptOutcome, err error) (last bool) {
	t.pending--
	switch v {
	case Applied:
		t.Applied = append(t.Applied, row)
	case Rejected:
		t.rejected = append(t.rejected, t.label(row)+": "+Reason(err))
	case Unknown:
		t.unknown = append(t.unknown, t.label(row))
	}
	return t.pending == 0
}

// News sums the ends up in one line: what was done ("is deleted"), what is not known, what was refused and why.
// Undo is offered where something was done.
func (t *BatchSummary[T]) News(past string, undo *Action) NewsMsg {
	first := ""
	if len(t.Applied) > 0 {
		first = t.label(t.Applied[0])
	}
	return batchNews(first, t.Singular, len(t.Applied), t.unknown, t.rejected, past, undo)
}

// batchNews is the news of a tally without the type of its rows.
func batchNews(first, kind string, done int, unknown, refused []string, past string, undo *Action) NewsMsg {
	say := NewsMsg{Tone: theme.Good}
	if kind == "" {
		kind = "row"
	}
	var parts []string
	switch done {
	case 0:
	case 1:
		parts = append(parts, first+": "+past)
	default:
		parts = append(parts, fmt.Sprintf("%d %ss: %s", done, kind, past))
	}
	if done > 0 {
		say.Undo = undo
	}
	if len(unknown) > 0 {
		say.Tone = theme.Warn
		parts = append(parts, strings.Join(unknown, ", ")+": outcome unknown; reading again did not tell")
	}
	if len(refused) > 0 {
		say.Tone = theme.Bad
		parts = append(parts, strings.Join(refused, "; "))
	}
	say.Text = strings.Join(parts, " · ")
	return say
}
