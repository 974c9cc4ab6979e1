// Package form asks for values: Form declares the fields and how to send them, FormView is a form that is being filled
// in.
package form

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// Form asks for values and sends them. It stays open, with everything that was typed, until they are accepted.
type Form struct {
	Title        string
	Text         string   // what it does, above the fields
	Items        []string // the rows it is about, if there are several
	Fields       []Field
	Review       func() string // says what will be sent
	ProgressText string        // "adding": shown while it is being sent
	SubmitLabel  string        // of the button: "add"
	RequiredText string        // must be typed in addition: a count
	// EnterSubmits reports whether enter in a field may send while the fields after it are unchanged. nil never does:
	// for what deletes, costs money, or is rarely right as proposed. With a RequiredText enter never sends.
	EnterSubmits    func() bool
	WhyResendIsSafe string // why sending again after an unknown outcome does no harm; empty if it might
	// Send runs off the loop; onSuccess runs on the loop after it succeeded. An error with Fields() shows its reasons
	// below the fields.
	Send func(context.Context) (onSuccess func() tea.Cmd, err error)
	// BeforeSend runs on the loop once the values have been checked: it asks what must be asked, and calls send if the
	// answer is yes. nil sends at once.
	BeforeSend func(send func() tea.Cmd) tea.Cmd

	Typed bool // it begins with values that were typed before: leaving it asks
	// IfGone is offered after a refusal because the row no longer exists. nil offers nothing.
	IfGone *Alternative

	submit func(view *FormView) tea.Cmd // sends through a store instead
}

// Alternative opens another form with the values that were typed.
type Alternative struct {
	Text string // what its key does: "ctrl+n puts what you typed into a new contact"
	Open func() tea.Cmd
}

// AlwaysSubmit reports true: as EnterSubmits it lets enter send the form whatever its fields say.
func AlwaysSubmit() bool { return true }

// OpenFormMsg opens a form in front of the pane.
type OpenFormMsg struct{ Form Form }

// StoreRequest is a change of a store that a form sends. Success or Then says what happens after it; the others are
// required.
type StoreRequest[T any] struct {
	Store   *ui.Store[T]
	Title   string
	Fields  []Field
	Send    func(context.Context) (ui.Result[T], error)
	Find    func(now []T) ui.Finding[T] // see ui.RowChange
	Success func(T) string              // returns the news about the row
	// Then runs on the loop after the change. answered is false if the answer was lost and reading again showed that
	// the change was applied: there is no row then.
	Then func(row T, answered bool) tea.Cmd
}

// NewForm returns a form that sends a change of a store.
func NewForm[T any](r StoreRequest[T]) Form {
	f := Form{
		Title:        r.Title,
		Fields:       r.Fields,
		ProgressText: "sending",
		SubmitLabel:  "send",
	}
	then, find := func(c ui.Result[T], answered bool) tea.Cmd { return r.Then(c.Row, answered) }, r.Find
	if r.Then == nil {
		news := &storeNews[T]{request: r, row: ui.RowRef{Store: r.Store}}
		then, find = news.show, news.find
	}
	f.submit = func(v *FormView) tea.Cmd {
		return r.Store.Run(ui.RowChange[T]{
			Send: r.Send,
			Find: find,
			OnOutcome: func(outcome ui.AttemptOutcome, c ui.Result[T], err error) tea.Cmd {
				if outcome != ui.Applied {
					v.showRejection(outcome, err)
					return nil
				}
				v.done = true
				return then(c, err == nil)
			},
		})
	}
	return f
}

// storeNews is the news about a change of a store.
type storeNews[T any] struct {
	request StoreRequest[T]
	row     ui.RowRef
	text    string // found by find
}

// show shows the news.
func (n *storeNews[T]) show(c ui.Result[T], answered bool) tea.Cmd {
	if answered {
		n.text = n.request.Success(c.Row)
	}
	if answered && c.HasRow() {
		n.row.ID = n.request.Store.ID(c.Row)
	}
	tone := theme.Good
	if c.Warn {
		tone = theme.Warn
	}
	return ui.Send(ui.NewsMsg{Tone: tone, Text: n.text, Row: n.row})
}

// find tells what became of the change, and keeps its row.
func (n *storeNews[T]) find(now []T) ui.Finding[T] {
	found := n.request.Find(now)
	if found.Verdict == ui.SeenWithProof {
		n.row.ID = n.request.Store.ID(found.Row)
		n.text = n.request.Success(found.Row) + " · reading again confirmed it"
	}
	return found
}
