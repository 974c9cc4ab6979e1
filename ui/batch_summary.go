package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lookout/theme"
)

// BatchSummary sums up how the changes of several rows ended.
type BatchSummary[T any] struct {
	Singular string // what a row is: "service"; empty is "row"
	Applied  []T
	read     int // of Applied, those that only reading again showed
	pending  int
	label    func(T) string
	rejected []string
	advice   []string // the next steps after the rejections, each once
	unknown  []string
	answers  []string // what came instead of answers to the unknown ones, each once
}

// NewBatchSummary returns a summary of n changes. label returns what a row is called in the message.
func NewBatchSummary[T any](n int, label func(T) string) *BatchSummary[T] {
	return &BatchSummary[T]{pending: n, label: label}
}

// Add counts the outcome of one change and reports whether it was the last.
func (t *BatchSummary[T]) Add(row T, outcome AttemptOutcome, err error) (last bool) {
	t.pending--
	switch outcome {
	case Applied:
		t.Applied = append(t.Applied, row)
		if err != nil {
			t.read++
		}
	case Rejected:
		t.rejected = append(t.rejected, t.label(row)+": "+Reason(err))
		if next := Advice(err); next != "" && !slices.Contains(t.advice, next) {
			t.advice = append(t.advice, next)
		}
	case Unknown:
		t.unknown = append(t.unknown, t.label(row))
		if why := UnknownReason(err); !slices.Contains(t.answers, why) && why != "" {
			t.answers = append(t.answers, why)
		}
	}
	return t.pending == 0
}

// News returns the summary in one line: what was applied ("is deleted"), what is unknown, what was rejected and why. It
// offers undo if something was applied.
func (t *BatchSummary[T]) News(success string, undo *Action) StatusMsg {
	done := ""
	switch n := len(t.Applied); {
	case n == 1:
		done = t.label(t.Applied[0]) + ": " + success
	case n > 1:
		done = fmt.Sprintf("%d %ss: %s", n, cmp.Or(t.Singular, "row"), success)
	}
	switch n := len(t.Applied); {
	case t.read > 0 && t.read == n:
		done += " · " + SeenByReading
	case t.read > 0:
		done += fmt.Sprintf(" · of %d of them %s", t.read, SeenByReading)
	}
	rejected := strings.Join(t.rejected, "; ")
	if len(t.advice) > 0 {
		rejected += " · " + strings.Join(t.advice, "; ")
	}
	unknown := ""
	if len(t.unknown) > 0 {
		unknown = strings.Join(t.unknown, ", ") + ": " + NotSeenYet + WithPrefix(": ", strings.Join(t.answers, "; "))
	}
	return batchStatus(done, unknown, rejected, undo)
}

// batchStatus returns the message of a summary: it is apart from BatchSummary because it does not depend on the rows'
// type.
func batchStatus(done, unknown, rejected string, undo *Action) StatusMsg {
	message := StatusMsg{Tone: theme.Good}
	var parts []string
	if done != "" {
		parts, message.Undo = append(parts, done), undo
	}
	if unknown != "" {
		message.Tone = theme.Warn
		parts = append(parts, unknown+" · lookout keeps checking")
	}
	if rejected != "" {
		message.Tone = theme.Bad
		parts = append(parts, rejected)
	}
	message.Text = strings.Join(parts, " · ")
	return message
}
