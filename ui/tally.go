package ui

import (
	"fmt"
	"strings"

	"lookout/theme"
)

// A Tally is how the changes of one decision ended, row by row.
type Tally[T any] struct {
	Kind    string // what a row is: "service"; empty is "row"
	Done    []T
	left    int
	name    func(T) string
	refused []string
	unknown []string
}

// NewTally waits for n ends. name is what a row is called in the news.
func NewTally[T any](n int, name func(T) string) *Tally[T] { return &Tally[T]{left: n, name: name} }

// Add counts an end and reports whether it was the last.
func (t *Tally[T]) Add(row T, v Verdict, err error) (last bool) {
	t.left--
	switch v {
	case Done:
		t.Done = append(t.Done, row)
	case Refused:
		t.refused = append(t.refused, t.name(row)+": "+Reason(err))
	case Unknown:
		t.unknown = append(t.unknown, t.name(row))
	}
	return t.left == 0
}

// News sums the ends up in one line: what was done ("is deleted"), what is not known, what was refused and why.
// Undo is offered where something was done.
func (t *Tally[T]) News(past string, undo *Action) Say {
	first := ""
	if len(t.Done) > 0 {
		first = t.name(t.Done[0])
	}
	return sumUp(first, t.Kind, len(t.Done), t.unknown, t.refused, past, undo)
}

// sumUp is the news of a tally without the type of its rows.
func sumUp(first, kind string, done int, unknown, refused []string, past string, undo *Action) Say {
	say := Say{Tone: theme.Good}
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
