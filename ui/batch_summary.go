package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lookout/client/lists"
	"lookout/client/wording"
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
	kept     int      // of rejected, those that changed nothing for certain
	advice   []string // the next steps after the rejections, each once
	unknown  []string
	answers  []string // what came instead of answers to the unknown ones, each once
}

// NewBatchSummary returns a summary of n changes. label returns what a row is called in the message.
func NewBatchSummary[T any](n int, label func(T) string) *BatchSummary[T] {
	return &BatchSummary[T]{pending: n, label: label}
}

// Add counts the outcome of one change and reports whether it was the last.
func (t *BatchSummary[T]) Add(row T, outcome lists.AttemptOutcome, err error) (last bool) {
	t.pending--
	switch outcome {
	case lists.Applied:
		t.Applied = append(t.Applied, row)
		if err != nil {
			t.read++
		}
	case lists.Rejected:
		t.rejected = append(t.rejected, t.label(row)+": "+wording.Reason(err))
		if wording.NothingChanged(err) {
			t.kept++
		}
		if next := wording.Advice(err); next != "" && !slices.Contains(t.advice, next) {
			t.advice = append(t.advice, next)
		}
	case lists.Unknown:
		t.unknown = append(t.unknown, t.label(row))
		if why := wording.UnknownReason(err); !slices.Contains(t.answers, why) && why != "" {
			t.answers = append(t.answers, why)
		}
	}
	return t.pending == 0
}

// News returns the summary in one line: what was rejected and why, what is unknown, what was applied ("is deleted").
// The end of a line may be cut off. It offers undo if something was applied.
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
		done += " · " + lists.SeenByReading
	case t.read > 0:
		done += fmt.Sprintf(" · for %d of them, %s", t.read, lists.SeenByReading)
	}
	rejected := strings.Join(t.rejected, "; ")
	if t.kept > 0 && t.kept == len(t.rejected) {
		rejected += "; " + wording.NothingWasChanged
		if len(t.Applied)+len(t.unknown) > 0 {
			rejected += " for these"
		}
	}
	if len(t.advice) > 0 {
		rejected += " · " + strings.Join(t.advice, "; ")
	}
	unknown := ""
	if len(t.unknown) > 0 {
		unknown = strings.Join(
			t.unknown, ", ",
		) + ": " + lists.NotSeenYet + wording.WithPrefix(
			": ",
			strings.Join(t.answers, "; "),
		)
	}
	return batchStatus(done, unknown, rejected, undo)
}

// batchStatus returns the message of a summary: it is apart from BatchSummary because it does not depend on the rows'
// type.
func batchStatus(done, unknown, rejected string, undo *Action) StatusMsg {
	message := StatusMsg{Tone: theme.Good, ReportsChange: done != "" || unknown != ""}
	var parts []string
	if rejected != "" {
		message.Tone = theme.Bad
		parts = append(parts, rejected)
	}
	if unknown != "" {
		if rejected == "" {
			message.Tone = theme.Warn
		}
		parts = append(parts, unknown+" · lookout keeps checking")
	}
	if done != "" {
		parts, message.Undo = append(parts, done), undo
	}
	message.Text = strings.Join(parts, " · ")
	return message
}
