package table

import (
	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
)

// RowAction is an action on the row under the cursor, or on all marked rows.
type RowAction[T any] struct {
	Keys           []string // "d"
	Name           string   // "disable"
	Description    string   // a sentence for the help
	Scope          string   // how much it does unless the user chooses otherwise, for the hint: "1 h"
	ShowInHints    bool
	Writes         bool // changes something at the server
	Many           bool // Start also takes the marked rows
	OpensView      bool // only opens something that asks the user; actions with a Form, an OpenPane or a Start do
	DisabledReason func(T) string
	ShownName      func(T) string // the name that is shown for a row, if it depends on the row: "pause"

	// One of these does it.
	Form     func(rows []T) form.Form
	OpenPane func(T) ui.Pane
	Message  func(T) tea.Msg
	Cmd      func(T) tea.Cmd
	BatchCmd func([]T) tea.Cmd // for all marked rows at once, or the one at the cursor
	// SelectionCmd is BatchCmd for as many rows as there may be: they are looked at off the event loop.
	SelectionCmd func(SelectedRows[T]) tea.Cmd
	// Start starts a change of the row under the cursor, or of the marked rows, some of which a filter hides. It asks
	// the user.
	Start func(rows, hidden []T) tea.Cmd
}

// Reasons why an action cannot be done now.
const (
	noRow          = "there is no row"
	noMatchingRow  = "no row matches the filter"
	noneApplicable = "not possible for any marked row"
	oneRowOnly     = "for one row only: esc clears the marks"
)

// rowBinder binds the row actions of a list to its rows.
type rowBinder[T any] struct {
	list  *List[T]
	alone bool // the action is about the row, whatever rows are marked
}

// marked returns the number of marked rows that actions are about.
func (r rowBinder[T]) marked() int {
	if r.alone {
		return 0
	}
	return r.list.marks.count()
}

// bind returns an action on the row under the cursor. The row is captured: whatever moves while a question is open, the
// answer is about this row.
func (r rowBinder[T]) bind(action RowAction[T], row T, there bool) ui.Action {
	marked := r.marked()
	a := ui.Action{
		Key:         ui.Bind(action.Name, action.Keys...),
		Description: action.Description,
		Scope:       action.Scope,
		ShowInHints: action.ShowInHints,
		Writes:      action.Writes,
		OpensView:   action.OpensView || action.Form != nil || action.OpenPane != nil,
	}
	switch {
	case r.list.parent.selected && !r.alone && action.OpenPane != nil:
		a.Do = r.list.parent.Open
	case !there && !(r.list.parent.selected && marked > 0 && action.SelectionCmd != nil):
		a.DisabledReason, a.WaitsFor = r.list.whyNoRow()
	case action.Start != nil:
		return r.bindStart(action, a, row)
	case marked > 0 && action.BatchCmd != nil:
		a.Do = func() tea.Cmd {
			rows, _ := r.markedRows()
			return r.run(action, rows)
		}
	case marked > 0 && action.SelectionCmd != nil:
		a.Do = func() tea.Cmd {
			selected := r.list.selectMarked()
			r.list.marks.clear()
			return action.SelectionCmd(selected)
		}
	case marked > 0 && action.Writes:
		a.DisabledReason = oneRowOnly
	default:
		if a.DisabledReason = r.disabledReason(action, row); a.DisabledReason == "" && action.ShownName != nil {
			a.ShownName = action.ShownName(row)
		}
		a.Do = func() tea.Cmd { return r.run(action, []T{row}) }
	}
	return a
}

// bindStart binds an action that asks the user to the row under the cursor or the marked rows.
func (r rowBinder[T]) bindStart(action RowAction[T], a ui.Action, row T) ui.Action {
	l := r.list
	a.OpensView = true
	marked := r.marked() > 0 && action.Many
	switch {
	case r.marked() > 0 && !action.Many:
		a.DisabledReason = oneRowOnly
	case marked && !r.appliesToAnyMarked(action):
		a.DisabledReason = noneApplicable
	case !marked:
		a.DisabledReason = r.disabledReason(action, row)
	}
	a.Do = func() tea.Cmd {
		if !marked {
			return action.Start([]T{row}, nil)
		}
		rows, hidden := r.markedRows()
		l.marks.clear()
		return action.Start(rows, hidden)
	}
	return a
}

// maxMarkedLooks is the number of marked rows that are looked at to see whether an action applies to any.
const maxMarkedLooks = 1000

// appliesToAnyMarked reports whether an action can be done with a marked row, as far as some of them tell.
func (r rowBinder[T]) appliesToAnyMarked(action RowAction[T]) bool {
	applies, looks := false, maxMarkedLooks
	r.list.marks.each(func(position int) bool {
		looks--
		applies = looks == 0 || r.disabledReason(action, r.list.Store.At(position)) == ""
		return !applies
	})
	return applies
}

// disabledReason returns why an action cannot be done with a row now, or "".
func (r rowBinder[T]) disabledReason(action RowAction[T], row T) string {
	if busy := r.list.Store.Busy(r.list.Store.ID(row)); busy != "" && action.Writes {
		return "still " + busy + ": wait for the response"
	}
	if action.DisabledReason != nil {
		return action.DisabledReason(row)
	}
	return ""
}

// run runs an action on rows.
func (r rowBinder[T]) run(action RowAction[T], rows []T) tea.Cmd {
	switch {
	case len(rows) == 0:
		return ui.ShowStatus(theme.Warn, action.Name+": the rows are gone")
	case action.Form != nil:
		return ui.Send(form.OpenFormMsg{Form: action.Form(rows)})
	case action.OpenPane != nil:
		return ui.Send(ui.OpenPaneMsg{Pane: action.OpenPane(rows[0])})
	case action.Message != nil:
		return ui.Send(action.Message(rows[0]))
	case action.Cmd != nil:
		return action.Cmd(rows[0])
	case action.SelectionCmd != nil:
		return action.SelectionCmd(SelectRows(rows...))
	case action.BatchCmd != nil:
		if !r.alone {
			r.list.marks.clear()
		}
		return action.BatchCmd(rows)
	}
	return nil
}

// markedRows returns the marked rows in the order of the store, and those of them that the filter hides.
func (r rowBinder[T]) markedRows() (rows, hidden []T) {
	l := r.list
	rows = make([]T, 0, l.marks.count())
	l.marks.each(func(position int) bool {
		rows = append(rows, l.Store.At(position))
		if !l.rowIndex.contains(position) {
			hidden = append(hidden, l.Store.At(position))
		}
		return true
	})
	return rows, hidden
}
