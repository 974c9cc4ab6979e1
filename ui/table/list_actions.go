package table

import (
	"context"
	"encoding/json"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
)

// Actions are what can be done with the row at the cursor or the marked rows, then with the list.
func (l *List[T]) Actions() []ui.Action {
	l.restoreCursor()
	row, there := l.cursorRow()
	actions := make([]ui.Action, 0, len(l.Operations)+32)
	name := ""
	if there {
		name = l.label(row)
	}
	for _, act := range l.Operations {
		action := l.bindOperation(act, row, there)
		action.TargetName = name
		actions = append(actions, action)
	}
	if l.PaneActions != nil {
		actions = append(actions, l.PaneActions()...)
	}
	actions = append(actions, l.commonActions(row, there)...)
	return append(actions, l.cursorActions(actions)...)
}

// cursorActions are the cursor's, the same all the time: they are made once.
func (l *List[T]) cursorActions(others []ui.Action) []ui.Action {
	if l.cachedCursorActions == nil {
		l.cachedCursorActions = cursorActions(l, others)
	}
	return l.cachedCursorActions
}

// goToEnd goes to the end. A lazy set is read to its end first; esc stops that.
func (l *List[T]) goToEnd() tea.Cmd {
	l.moveCursorTo(l.rowIndex.count(l.Store) - 1)
	if !l.Store.Lazy() || l.Store.Complete() {
		return nil
	}
	l.scrollToEnd = true
	return l.Store.LoadAll()
}

// pageSize is how many rows a page moves by.
func (l *List[T]) pageSize() int { return max(1, l.height-1) }

// scrollColumns scrolls the columns.
func (l *List[T]) scrollColumns(by int) {
	l.firstColumn = max(0, min(len(l.Columns)-1, l.firstColumn+by))
}

// startFilter gives the filter the keyboard.
func (l *List[T]) startFilter() { l.filter.startTyping() }

// scrollBy moves the cursor, or the detail while it stands over the list.
func (l *List[T]) scrollBy(by int) {
	if l.detailOpen {
		l.detailScroll = max(0, l.detailScroll+by)
		return
	}
	l.moveCursor(by)
}

// commonActions are what every list can do, with the row at the cursor captured.
func (l *List[T]) commonActions(row T, there bool) []ui.Action {
	return commonActions(l, there, rowCommands{
		mark:       func() { l.toggleMark(l.Store.ID(row)); l.moveCursor(1) },
		label:      func() string { return l.label(row) },
		id:         func() string { return l.Store.ID(row) },
		json:       func() string { return asJSON(row) },
		csv:        l.csv,
		copyItems:  func() []ui.CopyItem { return l.copyItems(row) },
		openDetail: func() tea.Cmd { l.detailOpen, l.detailScroll = true, 0; return l.fetchRow(row) },
	})
}

// copyItems are what the pane offers to copy of a row, beside what every list does.
func (l *List[T]) copyItems(row T) []ui.CopyItem {
	if l.CopyItems == nil {
		return nil
	}
	return l.CopyItems(row)
}

// detailKey is enter where no act of the pane has it, else i; "" where there are no details.
func (l *List[T]) detailKey() string {
	switch {
	case l.Detail == nil || l.hasKey("enter") && l.hasKey("i"):
		return ""
	case l.hasKey("enter"):
		return "i"
	}
	return "enter"
}

// hasKey reports whether an act of the pane has a key.
func (l *List[T]) hasKey(key string) bool {
	for _, act := range l.Operations {
		for _, k := range act.Keys {
			if k == key {
				return true
			}
		}
	}
	return false
}

// escapeLabel is what esc takes away here, nearest first.
func (l *List[T]) escapeLabel() string {
	switch {
	case l.Store.LoadingAll():
		return "stop reading"
	case l.detailOpen:
		return "close details"
	case l.marks.count() > 0:
		return "clear marks"
	case l.filter.text != "":
		return "clear filter"
	}
	return ""
}

func (l *List[T]) escape() {
	switch {
	case l.Store.LoadingAll():
		l.scrollToEnd = false
		l.Store.Stop()
	case l.detailOpen:
		l.detailOpen = false
	case l.marks.count() > 0:
		l.marks, l.anchor = marks[T]{}, ""
	default:
		l.filter = filter{}
	}
}

func (l *List[T]) toggleMark(id string) {
	l.marks.reserve(l.Store)
	if i, held := l.Store.Index(id); held {
		l.marks.toggle(i)
	}
	l.anchor = id
}

// markRange marks from the last mark to the cursor.
func (l *List[T]) markRange() {
	from := l.rowIndex.position(l.Store, l.anchor)
	if from < 0 {
		from = l.position
	}
	l.marks.reserve(l.Store)
	for i := min(from, l.position); i <= max(from, l.position) && i < l.rowIndex.count(l.Store); i++ {
		l.marks.add(l.rowIndex.storePosition(i))
	}
}

// markAll marks every row that is shown.
func (l *List[T]) markAll() {
	l.marks.reserve(l.Store)
	if l.rowIndex.current == nil {
		l.marks.addFirst(l.Store.Len())
		return
	}
	for _, i := range l.rowIndex.current.rows {
		l.marks.add(int(i))
	}
}

// sortMenu offers the columns; the one in use turns round.
func (l *List[T]) sortMenu() ui.Menu {
	titles := make([]string, len(l.Columns))
	for i, c := range l.Columns {
		titles[i] = c.Title
	}
	return sortMenu(titles, l.rowIndex.column, func(i int) {
		l.rowIndex.reverse = l.rowIndex.column == i && !l.rowIndex.reverse
		l.rowIndex.column = i
		l.restoreCursor()
	})
}

func asJSON(row any) string {
	data, err := json.MarshalIndent(row, "", "  ")
	if err != nil {
		return "cannot be written as JSON: " + err.Error()
	}
	return string(data)
}

// csv is the list as it is shown.
func (l *List[T]) csv() string {
	var at []int
	for i, c := range l.Columns {
		if !c.hidden {
			at = append(at, i)
		}
	}
	b := l.cellBox()
	return formatCSV(l.ColumnNames(), at, l.rowIndex.count(l.Store), func(row, column int) string {
		text, _ := l.Columns[column].Cell(l.Store.At(l.rowIndex.storePosition(row)), b)
		return text
	})
}

// bindOperation turns an act into an action about the row at the cursor, captured: whatever moves beneath the question,
// the answer is about this row.
func (l *List[T]) bindOperation(act Operation[T], row T, there bool) ui.Action {
	a := ui.Action{
		Key:         ui.Bind(act.Name, act.Keys...),
		Description: act.Description,
		ShowInHints: act.ShowInHints,
		Writes:      act.Writes,
		OpensView:   act.OpensView || act.Form != nil || act.OpenPane != nil,
	}
	if !there {
		a.DisabledReason = "no row is at the cursor"
		return a
	}
	if act.Start != nil {
		return l.bindStart(act, a, row)
	}
	if l.marks.count() > 0 && act.BatchCmd != nil {
		a.Do = func() tea.Cmd {
			rows, _ := l.markedRows()
			return l.startOperation(act, rows)
		}
		return a
	}
	rows := []T{row}
	if l.marks.count() > 0 && !act.Many && act.Writes {
		a.DisabledReason = "for one row only: esc clears the marks"
		return a
	}
	if l.marks.count() > 1 && act.Many {
		return l.bindMarked(act, a)
	}
	if l.marks.count() == 1 && act.Many {
		rows, _ = l.markedRows()
	}
	if len(rows) == 0 {
		a.DisabledReason = noneApplicable
		return a
	}
	a.DisabledReason = l.disabledReason(act, rows[0])
	if act.Confirm != nil && act.Form == nil {
		a.Confirm = act.Confirm(rows[0])
	}
	a.Do = func() tea.Cmd { return l.startOperation(act, rows) }
	return a
}

// bindStart turns an act that asks by itself into an action about the row at the cursor or the marked rows.
func (l *List[T]) bindStart(act Operation[T], a ui.Action, row T) ui.Action {
	a.OpensView = true
	marked := l.marks.count() > 0 && act.Many
	switch {
	case l.marks.count() > 0 && !act.Many:
		a.DisabledReason = "for one row only: esc clears the marks"
	case marked && !l.appliesToAnyMarked(act):
		a.DisabledReason = noneApplicable
	case !marked:
		a.DisabledReason = l.disabledReason(act, row)
	}
	a.Do = func() tea.Cmd {
		if !marked {
			return act.Start([]T{row}, 0)
		}
		rows, hidden := l.markedRows()
		l.marks.clear()
		return act.Start(rows, hidden)
	}
	return a
}

const noneApplicable = "it can be done with none of the marked rows"

// bindMarked turns an act into an action about the marked rows. Which they are is gathered when it is chosen, and
// captured in its question: actions are asked for with every key, and there may be a million marks.
func (l *List[T]) bindMarked(act Operation[T], a ui.Action) ui.Action {
	a.OpensView = true
	if !l.appliesToAnyMarked(act) {
		a.DisabledReason = noneApplicable
	}
	a.Do = func() tea.Cmd {
		rows, hidden := l.markedRows()
		rows, ask := l.confirmApplicable(act, rows, hidden)
		switch {
		case len(rows) == 0:
			return ui.ShowNews(theme.Warn, act.Name+": "+noneApplicable)
		case act.Form != nil:
			return l.startOperation(act, rows)
		}
		return ui.Send(ui.RunActionMsg{Action: ui.Action{
			Key:     a.Key,
			Writes:  a.Writes,
			Confirm: ask,
			Do:      func() tea.Cmd { return l.startOperation(act, rows) },
		}})
	}
	return a
}

// appliesToAnyMarked reports whether an act can be done with any marked row, as far as a look at some of them tells.
func (l *List[T]) appliesToAnyMarked(act Operation[T]) bool {
	able, looks := false, 1000
	l.marks.each(func(place int) bool {
		looks--
		able = looks == 0 || l.disabledReason(act, l.Store.At(place)) == ""
		return !able
	})
	return able
}

// disabledReason is why an act cannot be done with a row now.
func (l *List[T]) disabledReason(act Operation[T], row T) string {
	if verb := l.Store.Busy(l.Store.ID(row)); verb != "" && act.Writes {
		return "still " + verb + ": wait for the answer"
	}
	if act.DisabledReason != nil {
		return act.DisabledReason(row)
	}
	return ""
}

// confirmApplicable keeps the rows that an act can be done with, and asks about exactly these.
func (l *List[T]) confirmApplicable(act Operation[T], rows []T, hidden int) ([]T, *ui.Confirmation) {
	var able []T
	for _, row := range rows {
		if l.disabledReason(act, row) == "" {
			able = append(able, row)
		}
	}
	return able, batchConfirmation(act.Name, l.singular(), l.describe(able), len(rows)-len(able), hidden)
}

// startOperation starts an act on rows.
func (l *List[T]) startOperation(act Operation[T], rows []T) tea.Cmd {
	switch {
	case len(rows) == 0:
		return ui.ShowNews(theme.Warn, act.Name+": the rows are gone")
	case act.Form != nil:
		return ui.Send(form.OpenFormMsg{Form: act.Form(rows)})
	case act.OpenPane != nil:
		return ui.Send(ui.OpenPaneMsg{Pane: act.OpenPane(rows[0])})
	case act.Message != nil:
		return ui.Send(act.Message(rows[0]))
	case act.Cmd != nil:
		return act.Cmd(rows[0])
	case act.BatchCmd != nil:
		l.marks.clear()
		return act.BatchCmd(rows)
	}
	return l.Run(act, rows)
}

// Run makes one change for each row, and says how they ended once the last has been answered.
func (l *List[T]) Run(act Operation[T], rows []T) tea.Cmd {
	l.marks.clear()
	tally := ui.NewBatchSummary(len(rows), l.label)
	tally.Singular = l.singular()
	cmds := make([]tea.Cmd, len(rows))
	for i, row := range rows {
		id := l.Store.ID(row)
		cmds[i] = l.Store.Run(ui.Attempt[T]{
			RowID:        id,
			ProgressText: act.ProgressText,
			Recheck:      RecheckRow(l.Store, id, act.Recheck),
			Send: func(ctx context.Context) (ui.Result[T], error) {
				if err := l.checkSameLabel(ctx, act, row, len(rows)); err != nil {
					var none ui.Result[T]
					return none, err
				}
				return act.Run(ctx, row)
			},
			OnOutcome: func(v ui.AttemptOutcome, _ ui.Result[T], err error) tea.Cmd {
				last := tally.Add(row, v, err)
				var offer tea.Cmd
				if v == ui.Rejected && err != nil && act.OnRejected != nil {
					offer = act.OnRejected(row, err)
				}
				if !last {
					return offer
				}
				return tea.Batch(ui.Send(tally.News(act.SuccessText, l.undoAction(act, tally.Applied))), offer)
			},
		})
	}
	return tea.Batch(cmds...)
}

// checkSameLabel looks once more at the one row that a question was about: what has another name by now is another
// thing to whoever answered.
func (l *List[T]) checkSameLabel(ctx context.Context, act Operation[T], row T, n int) error {
	if act.Confirm == nil || l.FetchOne == nil || n != 1 {
		return nil
	}
	now, err := l.FetchOne(ctx, row)
	if err != nil {
		return err
	}
	if was, is := l.label(row), l.label(now); was != is {
		return fmt.Errorf("it is called %s by now: nothing was done", is)
	}
	return nil
}

// RecheckRow makes a check of one row from all rows that were read again. A nil check knows only that a removed row is
// gone.
func RecheckRow[T any](
	set *ui.Store[T],
	id string,
	check func(now T, found bool) ui.AttemptOutcome,
) func([]T) ui.AttemptOutcome {
	if check == nil {
		return nil
	}
	return func(now []T) ui.AttemptOutcome {
		for _, row := range now {
			if set.ID(row) == id {
				return check(row, true)
			}
		}
		var none T
		return check(none, false)
	}
}

// undoAction is the act that takes an act on rows back; nil where there is none.
func (l *List[T]) undoAction(act Operation[T], rows []T) *ui.Action {
	for _, other := range l.Operations {
		if other.Name == act.Undo && act.Undo != "" {
			return &ui.Action{
				Key:    ui.Bind(other.Name, "u"),
				Writes: true,
				Do:     func() tea.Cmd { return l.startOperation(other, l.currentRows(rows)) },
			}
		}
	}
	return nil
}

// currentRows are rows as the set has them by now; those that are gone are left out.
func (l *List[T]) currentRows(rows []T) []T {
	var now []T
	for _, row := range rows {
		if found, held := l.Store.Get(l.Store.ID(row)); held {
			now = append(now, found)
		}
	}
	return now
}
