package table

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
)

// RowAction is an action on the row at the cursor, or on all marked rows.
type RowAction[T any] struct {
	Keys           []string // "d"
	Name           string   // "disable"
	Description    string   // a sentence for the help
	ProgressText   string   // "disabling": what the row shows meanwhile
	SuccessText    string   // "monitoring is disabled": what the news says afterwards
	ShowInHints    bool
	Writes         bool   // changes something at the server
	Many           bool   // also on all marked rows: one question that lists them, one outcome each
	OpensView      bool   // only opens something that asks by itself; operations with a Form do
	Undo           string // name of the operation that undoes it; the news offers it with u
	DisabledReason func(T) string
	Confirm        func(T) *ui.Confirmation // for one row; for many rows their number must always be typed

	// One of these does it.
	Run      func(context.Context, T) (ui.Result[T], error)
	Form     func(rows []T) form.Form
	OpenPane func(T) ui.Pane
	Message  func(T) tea.Msg
	Cmd      func(T) tea.Cmd
	BatchCmd func([]T) tea.Cmd // for all marked rows at once, or the one at the cursor; asks by itself
	// Start starts a change of the row at the cursor, or of the marked rows, some of which a filter hides. It asks by
	// itself.
	Start func(rows []T, hidden int) tea.Cmd

	// OnRejected offers something after a refusal; may be nil.
	OnRejected func(T, error) tea.Cmd
	// Recheck tells from the row read again, which is the zero T unless it was found, how a change with an unknown
	// outcome ended. nil knows only that a row to be deleted is gone.
	Recheck func(now T, found bool) ui.AttemptOutcome
}

// Reasons why an operation cannot be done now.
const (
	noRow          = "there is no row"
	noneApplicable = "not possible for any marked row"
	oneRowOnly     = "for one row only: esc clears the marks"
)

// runner binds the operations of a list to rows and runs them.
type runner[T any] struct{ list *List[T] }

// bind returns an operation as an action on the row at the cursor. The row is captured: whatever moves while the
// question is open, the answer is about this row.
func (r runner[T]) bind(op RowAction[T], row T, there bool) ui.Action {
	marked := r.list.marks.count()
	a := ui.Action{
		Key:         ui.Bind(op.Name, op.Keys...),
		Description: op.Description,
		ShowInHints: op.ShowInHints,
		Writes:      op.Writes,
		OpensView:   op.OpensView || op.Form != nil || op.OpenPane != nil,
	}
	rows := []T{row}
	switch {
	case !there:
		a.DisabledReason = noRow
		return a
	case op.Start != nil:
		return r.bindStart(op, a, row)
	case marked > 0 && op.BatchCmd != nil:
		a.Do = func() tea.Cmd {
			rows, _ := r.list.markedRows()
			return r.start(op, rows)
		}
		return a
	case marked > 0 && !op.Many && op.Writes:
		a.DisabledReason = oneRowOnly
		return a
	case marked > 1 && op.Many:
		return r.bindMarked(op, a)
	case marked == 1 && op.Many:
		rows, _ = r.list.markedRows()
	}
	a.DisabledReason = r.disabledReason(op, rows[0])
	if op.Confirm != nil && op.Form == nil {
		a.Confirm = op.Confirm(rows[0])
	}
	a.Do = func() tea.Cmd { return r.start(op, rows) }
	return a
}

// bindStart returns an operation that asks by itself as an action on the row at the cursor or the marked rows.
func (r runner[T]) bindStart(op RowAction[T], a ui.Action, row T) ui.Action {
	l := r.list
	a.OpensView = true
	marked := l.marks.count() > 0 && op.Many
	switch {
	case l.marks.count() > 0 && !op.Many:
		a.DisabledReason = oneRowOnly
	case marked && !r.appliesToAnyMarked(op):
		a.DisabledReason = noneApplicable
	case !marked:
		a.DisabledReason = r.disabledReason(op, row)
	}
	a.Do = func() tea.Cmd {
		if !marked {
			return op.Start([]T{row}, 0)
		}
		rows, hidden := l.markedRows()
		l.marks.clear()
		return op.Start(rows, hidden)
	}
	return a
}

// bindMarked makes an action on the marked rows. They are collected when it is chosen, and captured in its question:
// actions are asked for with every key, and a million rows may be marked.
func (r runner[T]) bindMarked(op RowAction[T], a ui.Action) ui.Action {
	a.OpensView = true
	if !r.appliesToAnyMarked(op) {
		a.DisabledReason = noneApplicable
	}
	a.Do = func() tea.Cmd {
		rows, hidden := r.list.markedRows()
		rows, ask := r.confirmApplicable(op, rows, hidden)
		switch {
		case len(rows) == 0:
			return ui.ShowNews(theme.Warn, op.Name+": "+noneApplicable)
		case op.Form != nil:
			return r.start(op, rows)
		}
		return ui.Send(ui.RunActionMsg{Action: ui.Action{
			Key:     a.Key,
			Writes:  a.Writes,
			Confirm: ask,
			Do:      func() tea.Cmd { return r.start(op, rows) },
		}})
	}
	return a
}

// maxMarkedLooks is the number of marked rows that are looked at to see whether an operation applies to any.
const maxMarkedLooks = 1000

// appliesToAnyMarked reports whether an operation can be done with a marked row, as far as some of them tell.
func (r runner[T]) appliesToAnyMarked(op RowAction[T]) bool {
	applies, looks := false, maxMarkedLooks
	r.list.marks.each(func(position int) bool {
		looks--
		applies = looks == 0 || r.disabledReason(op, r.list.Store.At(position)) == ""
		return !applies
	})
	return applies
}

// disabledReason returns why an operation cannot be done with a row now, or "".
func (r runner[T]) disabledReason(op RowAction[T], row T) string {
	if busy := r.list.Store.Busy(r.list.Store.ID(row)); busy != "" && op.Writes {
		return "still " + busy + ": wait for the answer"
	}
	if op.DisabledReason != nil {
		return op.DisabledReason(row)
	}
	return ""
}

// confirmApplicable returns the rows that an operation can be done with, and a question about exactly these.
func (r runner[T]) confirmApplicable(op RowAction[T], rows []T, hidden int) ([]T, *ui.Confirmation) {
	var applicable []T
	var items []string
	for _, row := range rows {
		if r.disabledReason(op, row) == "" {
			applicable = append(applicable, row)
			items = append(items, fmt.Sprintf("%s (id %s)", r.list.label(row), r.list.Store.ID(row)))
		}
	}
	return applicable, batchConfirmation(op.Name, r.list.singular(), items, len(rows)-len(applicable), hidden)
}

// start starts an operation on rows.
func (r runner[T]) start(op RowAction[T], rows []T) tea.Cmd {
	switch {
	case len(rows) == 0:
		return ui.ShowNews(theme.Warn, op.Name+": the rows are gone")
	case op.Form != nil:
		return ui.Send(form.OpenFormMsg{Form: op.Form(rows)})
	case op.OpenPane != nil:
		return ui.Send(ui.OpenPaneMsg{Pane: op.OpenPane(rows[0])})
	case op.Message != nil:
		return ui.Send(op.Message(rows[0]))
	case op.Cmd != nil:
		return op.Cmd(rows[0])
	case op.BatchCmd != nil:
		r.list.marks.clear()
		return op.BatchCmd(rows)
	}
	return r.run(op, rows)
}

// run makes one change for each row.
func (r runner[T]) run(op RowAction[T], rows []T) tea.Cmd {
	l := r.list
	l.marks.clear()
	summary := ui.NewBatchSummary(len(rows), l.label)
	summary.Singular = l.singular()
	cmds := make([]tea.Cmd, len(rows))
	for i, row := range rows {
		id := l.Store.ID(row)
		cmds[i] = l.Store.Run(ui.RowChange[T]{
			RowID:        id,
			ProgressText: op.ProgressText,
			Recheck:      RecheckRow(l.Store, id, op.Recheck),
			Send: func(ctx context.Context) (ui.Result[T], error) {
				if len(rows) == 1 {
					if err := r.checkSameLabel(ctx, op, row); err != nil {
						var none ui.Result[T]
						return none, err
					}
				}
				return op.Run(ctx, row)
			},
			OnOutcome: func(outcome ui.AttemptOutcome, _ ui.Result[T], err error) tea.Cmd {
				last := summary.Add(row, outcome, err)
				var offer tea.Cmd
				if outcome == ui.Rejected && err != nil && op.OnRejected != nil {
					offer = op.OnRejected(row, err)
				}
				if !last {
					return offer
				}
				return tea.Batch(ui.Send(summary.News(op.SuccessText, r.undoAction(op, summary.Applied))), offer)
			},
		})
	}
	return tea.Batch(cmds...)
}

// checkSameLabel reads a row that was asked about once more: if it has another name by now, it is another thing to
// whoever answered.
func (r runner[T]) checkSameLabel(ctx context.Context, op RowAction[T], row T) error {
	if op.Confirm == nil || r.list.FetchOne == nil {
		return nil
	}
	now, err := r.list.FetchOne(ctx, row)
	if err != nil {
		return err
	}
	if was, is := r.list.label(row), r.list.label(now); was != is {
		return fmt.Errorf("it is now called %s; nothing was changed", is)
	}
	return nil
}

// undoAction returns the action that undoes an operation on rows, or nil.
func (r runner[T]) undoAction(op RowAction[T], rows []T) *ui.Action {
	for _, other := range r.list.RowActions {
		if other.Name == op.Undo && op.Undo != "" {
			return &ui.Action{
				Key:    ui.Bind(other.Name, "u"),
				Writes: true,
				Do:     func() tea.Cmd { return r.start(other, r.currentRows(rows)) },
			}
		}
	}
	return nil
}

// currentRows returns rows as the store holds them now, without those that are gone.
func (r runner[T]) currentRows(rows []T) []T {
	var now []T
	for _, row := range rows {
		if found, held := r.list.Store.Get(r.list.Store.ID(row)); held {
			now = append(now, found)
		}
	}
	return now
}

// RecheckRow returns an Attempt's Recheck that looks for one row among all rows that were read again. A nil check
// returns nil.
func RecheckRow[T any](
	store *ui.Store[T],
	id string,
	check func(now T, found bool) ui.AttemptOutcome,
) func([]T) ui.AttemptOutcome {
	if check == nil {
		return nil
	}
	return func(now []T) ui.AttemptOutcome {
		for _, row := range now {
			if store.ID(row) == id {
				return check(row, true)
			}
		}
		var none T
		return check(none, false)
	}
}

// hasKey reports whether an operation of the list has a key.
func (r runner[T]) hasKey(key string) bool {
	for _, op := range r.list.RowActions {
		for _, k := range op.Keys {
			if k == key {
				return true
			}
		}
	}
	return false
}
