// Package form asks for values: Form declares the fields and how to send them, FormView is a form that is being filled
// in.
package form

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"lookout/client/lists"
	"lookout/client/wording"
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
	BusyText     string        // "adding": shown while it is being sent
	SubmitLabel  string        // of the button: "add"
	RequiredText string        // must be typed in addition: a count
	// EnterSubmits reports whether enter in a field may send while the fields after it are unchanged. nil never does:
	// for what deletes, costs money, or is rarely right as proposed. With a RequiredText enter never sends.
	EnterSubmits    func() bool
	Harmless        bool   // sending it changes nothing, so that it may be typed before it is on the screen
	WhyResendIsSafe string // why sending again after an unknown outcome does no harm; empty if it might
	// Send runs off the loop; onSuccess runs on the loop after it succeeded. An error with Fields() shows its reasons
	// below the fields.
	Send func(context.Context) (onSuccess func() tea.Cmd, err error)
	// Progress returns how far Send has come, for the footer; it runs on the loop. If it is set, esc stops Send, which
	// must change nothing unless it succeeds.
	Progress func() string
	// OnUnknown runs on the loop if the answer was lost: it looks the outcome up. nil means that nothing looks it up.
	OnUnknown func() tea.Cmd
	// BeforeSend runs on the loop once the values have been checked: it asks what must be asked, and calls send if the
	// answer is yes. nil sends at once.
	BeforeSend func(send func() tea.Cmd) tea.Cmd

	Typed bool // it begins with values that were typed before: leaving it asks
	// IfGone is offered after a refusal because the row no longer exists. nil offers nothing.
	IfGone *AlternativeForm

	submit func(view *FormView) tea.Cmd // sends through a store instead
}

// AlternativeForm opens another form with the values that were typed.
type AlternativeForm struct {
	Text string // what its key does: "ctrl+n puts what you typed into a new contact"
	Open func() tea.Cmd
}

// AlwaysSubmit reports true: as EnterSubmits it lets enter send the form whatever its fields say.
func AlwaysSubmit() bool { return true }

// OpenFormMsg opens a form in front of the pane.
type OpenFormMsg struct{ Form Form }

// StoreForm is a change of a store that a form sends. Success or Then says what happens after it; the others are
// required.
type StoreForm[T any] struct {
	Store   *lists.RowStore[T]
	Post    func(tea.Cmd) // sends the screen a message
	Title   string
	Fields  []Field
	Change  func() *lists.Change[T] // returns the change with the present values, without its OnOutcome
	Success func(T) string          // returns the message about the row
	// Then runs on the loop after the change. answered is false if the answer was lost and reading again proved that
	// the change was applied: the row is the one that proves it.
	Then func(row T, answered bool) tea.Cmd
	// Undo returns what undoes the change of a row, or nil; the message offers it. nil offers nothing.
	Undo func(row T) *ui.Action
	// OnCandidates runs on the loop if the answer was lost and rows appear that may be what was made, while nothing
	// proves it. nil only says so.
	OnCandidates func(lists.LookupResult[T]) tea.Cmd
	// AfterFailure runs on the loop after a change that was not, or perhaps not, applied. nil does nothing.
	AfterFailure func() tea.Cmd
}

// NewForm returns a form that sends a change of a store.
func NewForm[T any](r StoreForm[T]) Form {
	f := Form{
		Title:       r.Title,
		Fields:      r.Fields,
		BusyText:    "sending",
		SubmitLabel: "send",
	}
	f.submit = func(v *FormView) tea.Cmd {
		change := r.Change()
		if busy := r.Store.Busy(change.RowID); busy != "" {
			v.sending, v.banner = false, "still "+busy+": wait for the response"
			return nil
		}
		report := &outcomeReport[T]{
			request:  r,
			view:     v,
			what:     change.What,
			makes:    change.RowID == "",
			returned: change.Search.Judge != nil,
		}
		v.latest = report
		change.OnOutcome = func(c *lists.Change[T]) { r.Post(report.show(c)) }
		if late := change.OnLate; late != nil {
			change.OnLate = func(c *lists.Change[T]) {
				late(c)
				r.Post(report.showLate(c.Found))
			}
		}
		_ = r.Store.Run(change) // it is not busy
		return nil
	}
	return f
}

// showStatus shows the message about a change of a store.
func (r StoreForm[T]) showStatus(c lists.ChangeResult[T], answered bool) tea.Cmd {
	message := ui.StatusMsg{
		Tone:          theme.Good,
		Text:          r.Success(c.Row),
		Row:           ui.RowRef{Store: r.Store, ID: r.Store.ID(c.Row)},
		ReportsChange: true,
	}
	if r.Undo != nil {
		message.Undo = r.Undo(c.Row)
	}
	if c.Warn {
		message.Tone = theme.Warn
	}
	if !answered {
		message.Text += " · " + lists.SeenByReading
	}
	return ui.Send(message)
}

// outcomeReport says how a change of a store ended that a form has sent: in the form while it is open, else as a
// message.
type outcomeReport[T any] struct {
	request  StoreForm[T]
	view     *FormView
	what     string // "new contact Zed"
	makes    bool   // the change makes a row
	returned bool   // the rows show what was sent
	waited   bool   // the answer was lost, and the form says so
	shown    int    // candidates that were shown
}

// show shows an outcome.
func (r *outcomeReport[T]) show(c *lists.Change[T]) tea.Cmd {
	v, outcome, err := r.view, c.Outcome, c.Err
	inFront := !v.done && v.latest == r
	if outcome == lists.Applied {
		if inFront {
			v.sending, v.done = false, true
		}
		if inFront && r.makes && c.Result.HasRow() {
			r.request.Store.CreatedRow.Set(r.request.Store.ID(c.Result.Row))
		}
		if r.request.Then != nil {
			return r.request.Then(c.Result.Row, err == nil)
		}
		return r.request.showStatus(c.Result, err == nil)
	}
	switch {
	case !inFront: // closed, or sent again meanwhile
	case outcome == lists.Rejected:
		v.showRejection(err)
	case c.Waiting() && len(c.Found.Candidates) == 0:
		v.showWaiting(err)
	default:
		v.showUnknown(err, r.readings(c))
	}
	var cmds []tea.Cmd
	if !inFront || r.waited { // else the form says it
		cmds = append(cmds, r.status(c))
	}
	r.waited = c.Waiting()
	if len(c.Found.Candidates) > r.shown && outcome == lists.Unknown && r.request.OnCandidates != nil {
		r.shown = len(c.Found.Candidates)
		cmds = append(cmds, r.request.OnCandidates(c.Found))
	}
	if r.request.AfterFailure != nil {
		cmds = append(cmds, r.request.AfterFailure())
	}
	return tea.Batch(cmds...)
}

// readings returns what readings tell, if that does not decide.
func (r *outcomeReport[T]) readings(c *lists.Change[T]) string {
	switch {
	case len(c.Found.Candidates) > 0:
		return showsMaybeIt
	case r.returned:
		return readNoAnswers
	}
	return notReturned
}

// showLate shows that the change was seen although the form may say that it was not done.
func (r *outcomeReport[T]) showLate(found lists.LookupResult[T]) tea.Cmd {
	if v := r.view; !v.done && v.latest == r && !v.sending {
		v.banner = "seen now: " + lists.ArrivedLate + ". ctrl+s asks before it sends again."
	}
	if len(found.Candidates) == 0 || r.request.OnCandidates == nil {
		return nil
	}
	return r.request.OnCandidates(found)
}

// status says how a change ended whose form is closed, or has said before that the answer was lost.
func (r *outcomeReport[T]) status(c *lists.Change[T]) tea.Cmd {
	switch {
	case c.Outcome == lists.Rejected:
		return ui.ShowStatus(theme.Bad, r.what+": "+wording.Reason(c.Err)+wording.RejectionSuffix(c.Err))
	case c.Waiting() && len(c.Found.Candidates) == 0:
		return ui.ShowStatus(
			theme.Warn, r.what+": "+lists.NotSeenYet+wording.WithPrefix(": ", wording.UnknownReason(c.Err)),
		)
	}
	return ui.ShowStatus(theme.Warn, r.what+": "+lists.CannotTellText)
}
