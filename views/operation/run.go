package operation

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
)

// A run is the changes of one operation that were begun together, with what they were asked for.
type run[T any] struct {
	*lists.Run[T]
	runner   OperationRunner[T]
	start    *start[T]
	attempts map[*lists.Change[T]]account.Attempt[T]
	of       *run[T] // that it undoes; nil if it is no undo
}

// newRun returns a run without changes.
func newRun[T any](r OperationRunner[T], s *start[T]) *run[T] {
	return &run[T]{
		Run:      &lists.Run[T]{},
		runner:   r,
		start:    s,
		attempts: map[*lists.Change[T]]account.Attempt[T]{},
		of:       s.undoes,
	}
}

// add adds a change.
func (n *run[T]) add(c *lists.Change[T], attempt account.Attempt[T]) {
	n.Changes = append(n.Changes, c)
	n.attempts[c] = attempt
}

// settle tells how the changes ended once all have an outcome, and what follows. One of them has just ended.
func (n *run[T]) settle(c *lists.Change[T]) tea.Cmd {
	s := n.start
	var next []tea.Cmd
	if c.Outcome == lists.Rejected && !c.Late && c.Err != nil && s.op.OnRejected != nil {
		next = append(next, s.op.OnRejected(c.Row, c.Err))
	}
	if !n.Answered() {
		return tea.Batch(next...)
	}
	next = append(next, ui.Send(n.message()))
	applied := lists.Rows(n.With(lists.Applied))
	if c.Late {
		applied = nil
		if c.Outcome == lists.Applied {
			applied = []T{c.Row}
		}
	}
	if s.draft.OnApplied != nil && len(applied) > 0 {
		next = append(next, s.draft.OnApplied(applied))
	}
	return tea.Batch(next...)
}

// message says how the changes ended: those that failed first, then those whose outcome is unknown. If they ended in
// different ways, the ways come before the reasons, because the end of a line may be cut off.
func (n *run[T]) message() ui.StatusMsg {
	applied, unknown, rejected := n.With(lists.Applied), n.With(lists.Unknown), n.With(lists.Rejected)
	m := ui.StatusMsg{
		Tone:          theme.Good,
		ReportsChange: len(applied)+len(unknown) > 0,
		Undo:          n.undo(),
		NoUndo:        n.whyNoUndo(),
	}
	var ways, reasons []string
	if len(rejected) > 0 {
		m.Tone = theme.Bad
		ways, reasons = append(ways, n.names(rejected)+" not done"), append(reasons, n.refusals(rejected))
	}
	if len(unknown) > 0 {
		if len(rejected) == 0 {
			m.Tone = theme.Warn
		}
		way := " not seen yet"
		if !slices.ContainsFunc(unknown, func(c *lists.Change[T]) bool { return !c.Late }) {
			way = " not known"
		}
		ways, reasons = append(ways, n.names(unknown)+way), append(reasons, n.doubts(unknown))
	}
	if len(applied) > 0 {
		seen := seenByReading(applied)
		if len(ways) == 0 {
			reasons = append(reasons, n.success(applied, 0))
		}
		ways = append(ways, n.success(applied, seen))
		switch {
		case seen == len(applied):
			reasons = append(reasons, lists.SeenByReading)
		case seen > 0:
			reasons = append(reasons, fmt.Sprintf("for %d of them, %s", seen, lists.SeenByReading))
		}
	}
	if len(ways) > 1 {
		reasons = append([]string{strings.Join(ways, "; ")}, reasons...)
	}
	if open := n.notUndone(); len(open) > 0 {
		if m.Tone == theme.Good {
			m.Tone = theme.Warn
		}
		reasons = append(reasons, n.names(open)+": "+lists.NotSeenYet)
	}
	m.Text = strings.Join(reasons, " · ")
	return m
}

// notUndone returns the changes that an undo has left alone, because their outcome is not known.
func (n *run[T]) notUndone() []*lists.Change[T] {
	if n.of == nil {
		return nil
	}
	return n.of.With(lists.Unknown)
}

// names names changes: "web-1, web-2 and 3 more".
func (n *run[T]) names(changes []*lists.Change[T]) string {
	const most = 2
	var names []string
	for _, c := range changes[:min(len(changes), most)] {
		names = append(names, n.runner.quoted(c.Row))
	}
	text := account.JoinWithCommas(names)
	if more := len(changes) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// success says what was done, and to how many rows only reading again has shown it; 0 is not said.
func (n *run[T]) success(applied []*lists.Change[T], seen int) string {
	r := n.runner
	text := r.summaryText(n.start, lists.Rows(applied), n.attempts[applied[0]])
	if len(applied) == 1 {
		return r.quoted(applied[0].Row) + ": " + text
	}
	count := wording.Plural(len(applied), r.Resource.Singular, r.Resource.PluralName())
	if seen > 0 {
		count += fmt.Sprintf(" (%d by reading)", seen)
	}
	return count + ": " + text
}

// seenByReading counts the changes that only reading again has shown.
func seenByReading[T any](applied []*lists.Change[T]) (n int) {
	for _, c := range applied {
		if c.Err != nil {
			n++
		}
	}
	return n
}

// refusals says why changes were not made, and what to do next.
func (n *run[T]) refusals(rejected []*lists.Change[T]) string {
	var reasons, advice []string
	kept := 0
	for _, c := range rejected {
		of := n.runner.quoted(c.Row)
		if c.Late {
			of = c.What // the message is not about what the user has just done
		}
		reasons = append(reasons, of+": "+wording.Reason(c.Err))
		if wording.NothingChanged(c.Err) {
			kept++
		}
		if next := wording.Advice(c.Err); next != "" && !slices.Contains(advice, next) {
			advice = append(advice, next)
		}
	}
	text := strings.Join(reasons, "; ")
	if kept == len(rejected) {
		text += "; " + wording.NothingWasChanged + wording.If(len(rejected) < len(n.Changes), " for these")
	}
	return text + wording.WithPrefix(" · ", strings.Join(advice, "; "))
}

// doubts says what is known of changes whose answers were lost, and what came instead of the answers.
func (n *run[T]) doubts(unknown []*lists.Change[T]) string {
	var waiting, final, answers []string
	for _, c := range unknown {
		if c.Late {
			final = append(final, c.What+": "+lists.CannotTellText)
			continue
		}
		waiting = append(waiting, n.runner.quoted(c.Row))
		if why := wording.UnknownReason(c.Err); why != "" && !slices.Contains(answers, why) {
			answers = append(answers, why)
		}
	}
	if len(waiting) > 0 {
		text := account.JoinWithCommas(waiting) + ": " + lists.NotSeenYet
		text += wording.WithPrefix(": ", strings.Join(answers, "; "))
		final = append(final, text+" · lookout keeps checking")
	}
	return strings.Join(final, " · ")
}

// undo undoes what was applied and not undone; nil if nothing can be. Of an undo, it is what is left to be undone: a
// second one never reverses it.
func (n *run[T]) undo() *ui.Action {
	if n.of != nil {
		return n.of.undo()
	}
	rows, draft := lists.Rows(n.With(lists.Applied)), n.start.draft
	if len(rows) == 0 || draft.Undo == nil {
		return nil
	}
	undo, about := draft.Undo(), n.runner.quoted(rows[0])
	if undo.Operation == "" {
		return nil
	}
	if len(rows) > 1 {
		about = wording.Plural(len(rows), n.runner.Resource.Singular, n.runner.Resource.PluralName())
	}
	return &ui.Action{
		Key:       ui.Bind(undo.Text, "u"),
		Object:    about,
		Writes:    true,
		OpensView: true,
		Do: func() tea.Cmd { // what has been applied since joins it
			return n.runner.startDraft(
				undo.Operation, lists.Rows(n.With(lists.Applied)), &start[T]{draft: undo.Draft, undoes: n},
			)
		},
	}
}

// whyNoUndo says why a run cannot be undone, if it is an undo itself.
func (n *run[T]) whyNoUndo() string {
	switch {
	case n.of == nil:
		return ""
	case len(n.With(lists.Unknown)) > 0:
		return "it is not known whether the last change was undone"
	}
	return Undone
}

// Undone says why an undo cannot be undone: a second one would reverse it.
const Undone = "the last change was undone"
