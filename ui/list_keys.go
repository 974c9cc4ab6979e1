package ui

import (
	"context"
	"encoding/json"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// Actions are what can be done with the row at the cursor or the marked rows, then with the list.
func (l *List[T]) Actions() []Action {
	l.settle()
	row, there := l.row()
	actions := make([]Action, 0, len(l.Acts)+32)
	name := ""
	if there {
		name = l.called(row)
	}
	for _, act := range l.Acts {
		action := l.bind(act, row, there)
		action.Of = name
		actions = append(actions, action)
	}
	if l.Always != nil {
		actions = append(actions, l.Always()...)
	}
	actions = append(actions, l.listActions(row, there)...)
	return append(actions, l.moves(actions)...)
}

// moves are the cursor's, the same all the time: they are made once.
func (l *List[T]) moves(others []Action) []Action {
	if l.still == nil {
		l.still = moves(l, others)
	}
	return l.still
}

// last goes to the end. A lazy set is read to its end first; esc stops that.
func (l *List[T]) last() tea.Cmd {
	l.to(l.order.count(l.Set) - 1)
	if !l.Set.Lazy() || l.Set.Whole() {
		return nil
	}
	l.chase = true
	return l.Set.Rush()
}

// jump is how many rows a page moves by.
func (l *List[T]) jump() int { return max(1, l.height-1) }

// shift scrolls the columns.
func (l *List[T]) shift(by int) { l.left = max(0, min(len(l.Columns)-1, l.left+by)) }

// begin gives the filter the keyboard.
func (l *List[T]) begin() { l.filter.begin() }

// step moves the cursor, or the detail while it stands over the list.
func (l *List[T]) step(by int) {
	if l.open {
		l.down = max(0, l.down+by)
		return
	}
	l.move(by)
}

// listActions are what every list can do, with the row at the cursor captured.
func (l *List[T]) listActions(row T, there bool) []Action {
	return listActions(l, there, rowHands{
		mark:   func() { l.mark(l.Set.ID(row)); l.move(1) },
		called: func() string { return l.called(row) },
		id:     func() string { return l.Set.ID(row) },
		json:   func() string { return asJSON(row) },
		csv:    l.csv,
		lines:  func() []Copied { return l.lines(row) },
		detail: func() tea.Cmd { l.open, l.down = true, 0; return l.look(row) },
	})
}

// lines are what the pane offers to copy of a row, beside what every list does.
func (l *List[T]) lines(row T) []Copied {
	if l.Lines == nil {
		return nil
	}
	return l.Lines(row)
}

// detailKey is enter where no act of the pane has it, else i; "" where there are no details.
func (l *List[T]) detailKey() string {
	switch {
	case l.Detail == nil || l.has("enter") && l.has("i"):
		return ""
	case l.has("enter"):
		return "i"
	}
	return "enter"
}

// has reports whether an act of the pane has a key.
func (l *List[T]) has(key string) bool {
	for _, act := range l.Acts {
		for _, k := range act.Keys {
			if k == key {
				return true
			}
		}
	}
	return false
}

// clearable is what esc takes away here, nearest first.
func (l *List[T]) clearable() string {
	switch {
	case l.Set.Rushing():
		return "stop reading"
	case l.open:
		return "close details"
	case l.marks.count() > 0:
		return "clear marks"
	case l.filter.text != "":
		return "clear filter"
	}
	return ""
}

func (l *List[T]) clear() {
	switch {
	case l.Set.Rushing():
		l.chase = false
		l.Set.Halt()
	case l.open:
		l.open = false
	case l.marks.count() > 0:
		l.marks, l.anchor = marks[T]{}, ""
	default:
		l.filter = filter{}
	}
}

func (l *List[T]) mark(id string) {
	l.marks.open(l.Set)
	if i, held := l.Set.Index(id); held {
		l.marks.flip(i)
	}
	l.anchor = id
}

// markRange marks from the last mark to the cursor.
func (l *List[T]) markRange() {
	from := l.order.place(l.Set, l.anchor)
	if from < 0 {
		from = l.at
	}
	l.marks.open(l.Set)
	for i := min(from, l.at); i <= max(from, l.at) && i < l.order.count(l.Set); i++ {
		l.marks.add(l.order.index(i))
	}
}

// markAll marks every row that is shown.
func (l *List[T]) markAll() {
	l.marks.open(l.Set)
	if l.order.now == nil {
		l.marks.upTo(l.Set.Len())
		return
	}
	for _, i := range l.order.now.rows {
		l.marks.add(int(i))
	}
}

// sortMenu offers the columns; the one in use turns round.
func (l *List[T]) sortMenu() Menu {
	titles := make([]string, len(l.Columns))
	for i, c := range l.Columns {
		titles[i] = c.Title
	}
	return sortMenu(titles, l.order.column, func(i int) {
		l.order.reverse = l.order.column == i && !l.order.reverse
		l.order.column = i
		l.settle()
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
	b := l.light()
	return csv(l.ColumnNames(), at, l.order.count(l.Set), func(row, column int) string {
		text, _ := l.Columns[column].Cell(l.Set.At(l.order.index(row)), b)
		return text
	})
}

// bind turns an act into an action about the row at the cursor, captured: whatever moves beneath the question, the answer is about this row.
func (l *List[T]) bind(act Act[T], row T, there bool) Action {
	a := Action{Key: Bind(act.Name, act.Keys...), About: act.About, Show: act.Show, Change: act.Change, Opens: act.Opens || act.Form != nil || act.Into != nil}
	if !there {
		a.Off = "no row is at the cursor"
		return a
	}
	if l.marks.count() > 0 && act.Rows != nil {
		a.Do = func() tea.Cmd {
			rows, _ := l.marked()
			return l.do(act, rows)
		}
		return a
	}
	rows := []T{row}
	if l.marks.count() > 0 && !act.Many && act.Change {
		a.Off = "for one row only: esc clears the marks"
		return a
	}
	if l.marks.count() > 1 && act.Many {
		return l.bindMarked(act, a)
	}
	if l.marks.count() == 1 && act.Many {
		rows, _ = l.marked()
	}
	if len(rows) == 0 {
		a.Off = noneAble
		return a
	}
	a.Off = l.off(act, rows[0])
	if act.Ask != nil && act.Form == nil {
		a.Ask = act.Ask(rows[0])
	}
	a.Do = func() tea.Cmd { return l.do(act, rows) }
	return a
}

const noneAble = "it can be done with none of the marked rows"

// bindMarked turns an act into an action about the marked rows. Which they are is gathered when it is chosen, and captured in its question:
// actions are asked for with every key, and there may be a million marks.
func (l *List[T]) bindMarked(act Act[T], a Action) Action {
	a.Opens = true
	if !l.able(act) {
		a.Off = noneAble
	}
	a.Do = func() tea.Cmd {
		rows, hidden := l.marked()
		rows, ask := l.many(act, rows, hidden)
		switch {
		case len(rows) == 0:
			return News(theme.Warn, act.Name+": "+noneAble)
		case act.Form != nil:
			return l.do(act, rows)
		}
		return Send(Ask{Action{Key: a.Key, Change: a.Change, Ask: ask, Do: func() tea.Cmd { return l.do(act, rows) }}})
	}
	return a
}

// able reports whether an act can be done with any marked row, as far as a look at some of them tells.
func (l *List[T]) able(act Act[T]) bool {
	able, looks := false, 1000
	l.marks.each(func(place int) bool {
		looks--
		able = looks == 0 || l.off(act, l.Set.At(place)) == ""
		return !able
	})
	return able
}

// off is why an act cannot be done with a row now.
func (l *List[T]) off(act Act[T], row T) string {
	if verb := l.Set.Busy(l.Set.ID(row)); verb != "" && act.Change {
		return "still " + verb + ": wait for the answer"
	}
	if act.Off != nil {
		return act.Off(row)
	}
	return ""
}

// many keeps the rows that an act can be done with, and asks about exactly these.
func (l *List[T]) many(act Act[T], rows []T, hidden int) ([]T, *Question) {
	var able []T
	for _, row := range rows {
		if l.off(act, row) == "" {
			able = append(able, row)
		}
	}
	return able, manyQuestion(act.Name, l.kind(), l.describe(able), len(rows)-len(able), hidden)
}

// do starts an act on rows.
func (l *List[T]) do(act Act[T], rows []T) tea.Cmd {
	switch {
	case len(rows) == 0:
		return News(theme.Warn, act.Name+": the rows are gone")
	case act.Form != nil:
		return Send(Enter{Form: act.Form(rows)})
	case act.Into != nil:
		return Send(Open{Pane: act.Into(rows[0])})
	case act.Send != nil:
		return Send(act.Send(rows[0]))
	case act.Start != nil:
		return act.Start(rows[0])
	case act.Rows != nil:
		l.marks.clear()
		return act.Rows(rows)
	}
	return l.Run(act, rows)
}

// Run makes one change for each row, and says how they ended once the last has been answered.
func (l *List[T]) Run(act Act[T], rows []T) tea.Cmd {
	l.marks.clear()
	tally := NewTally(len(rows), l.called)
	tally.Kind = l.kind()
	cmds := make([]tea.Cmd, len(rows))
	for i, row := range rows {
		id := l.Set.ID(row)
		cmds[i] = l.Set.Act(Deed[T]{
			ID: id, Verb: act.Verb, Check: CheckRow(l.Set, id, act.Check),
			Work: func(ctx context.Context) (Change[T], error) {
				if err := l.same(ctx, act, row, len(rows)); err != nil {
					var none Change[T]
					return none, err
				}
				return act.Run(ctx, row)
			},
			After: func(v Verdict, _ Change[T], err error) tea.Cmd {
				last := tally.Add(row, v, err)
				var offer tea.Cmd
				if v == Refused && err != nil && act.Refused != nil {
					offer = act.Refused(row, err)
				}
				if !last {
					return offer
				}
				return tea.Batch(Send(tally.News(act.Past, l.undo(act, tally.Done))), offer)
			},
		})
	}
	return tea.Batch(cmds...)
}

// same looks once more at the one row that a question was about: what has another name by now is another thing to whoever answered.
func (l *List[T]) same(ctx context.Context, act Act[T], row T, n int) error {
	if act.Ask == nil || l.One == nil || n != 1 {
		return nil
	}
	now, err := l.One(ctx, row)
	if err != nil {
		return err
	}
	if was, is := l.called(row), l.called(now); was != is {
		return fmt.Errorf("it is called %s by now: nothing was done", is)
	}
	return nil
}

// CheckRow makes a check of one row from all rows that were read again. A nil check knows only that a removed row is gone.
func CheckRow[T any](set *Set[T], id string, check func(now T, found bool) Verdict) func([]T) Verdict {
	if check == nil {
		return nil
	}
	return func(now []T) Verdict {
		for _, row := range now {
			if set.ID(row) == id {
				return check(row, true)
			}
		}
		var none T
		return check(none, false)
	}
}

// undo is the act that takes an act on rows back; nil where there is none.
func (l *List[T]) undo(act Act[T], rows []T) *Action {
	for _, other := range l.Acts {
		if other.Name == act.Undo && act.Undo != "" {
			return &Action{Key: Bind(other.Name, "u"), Change: true, Do: func() tea.Cmd { return l.do(other, l.now(rows)) }}
		}
	}
	return nil
}

// now are rows as the set has them by now; those that are gone are left out.
func (l *List[T]) now(rows []T) []T {
	var now []T
	for _, row := range rows {
		if found, held := l.Set.Get(l.Set.ID(row)); held {
			now = append(now, found)
		}
	}
	return now
}
