package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// plain is an action of the list that only changes what is shown.
func plain(group, name string, off string, do func(), keys ...string) Action {
	return Action{Key: Bind(name, keys...), Group: group, Off: off, Do: func() tea.Cmd { do(); return nil }}
}

// moves are the cursor's, the same all the time: they are made once. The columns are moved by the arrows unless an action of the pane has
// one of them.
func (l *List[T]) moves(others []Action) []Action {
	if l.still != nil {
		return l.still
	}
	page := func() int { return max(1, l.height-1) }
	l.still = []Action{
		plain("move", "down", "", func() { l.step(1) }, "j", "down"),
		plain("move", "up", "", func() { l.step(-1) }, "k", "up"),
		plain("move", "page down", "", func() { l.step(page()) }, "pgdown", "ctrl+f"),
		plain("move", "page up", "", func() { l.step(-page()) }, "pgup", "ctrl+b"),
		plain("move", "first", "", func() { l.to(0) }, "g", "home"),
		{Key: Bind("last", "G", "end"), Group: "move", Do: l.last},
	}
	if !bound(others, "left") && !bound(others, "right") {
		l.still = append(l.still, plain("move", "columns left", "", func() { l.left = max(0, l.left-1) }, "left"),
			plain("move", "columns right", "", func() { l.left = min(len(l.Columns)-1, l.left+1) }, "right"))
	}
	return l.still
}

// bound reports whether one of the actions has a key.
func bound(actions []Action, key string) bool {
	return slices.ContainsFunc(actions, func(a Action) bool { return slices.Contains(a.Key.Keys(), key) })
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

// step moves the cursor, or the detail while it stands over the list.
func (l *List[T]) step(by int) {
	if l.open {
		l.down = max(0, l.down+by)
		return
	}
	l.move(by)
}

func (l *List[T]) listActions(row T, there bool) []Action {
	none := ""
	if !there {
		none = "no row is at the cursor"
	}
	actions := []Action{
		{Key: Bind("filter", "/"), Group: "this list", About: "words that rows must hold; state:ok for one column, !word for what must not be there", Show: true,
			Do: func() tea.Cmd { l.filter.begin(); return nil }},
		{Key: Bind("sort", "s"), Group: "this list", Show: true, Do: func() tea.Cmd { return Send(l.sortMenu()) }},
		plain("this list", "mark", none, func() { l.mark(l.Set.ID(row)); l.move(1) }, "space"),
		plain("this list", "mark range", none, l.markRange, "v"),
		plain("this list", "mark all", none, l.markAll, "A"),
		{Key: Bind("copy menu", "Y"), Group: "this list", Off: none, Do: func() tea.Cmd { return Send(l.copyMenu(row)) }},
		{Key: Bind("view as JSON", "V"), Group: "this list", Off: none, Do: func() tea.Cmd { return Send(Show{Title: l.called(row), Text: asJSON(row)}) }},
	}
	if !l.has("y") {
		actions = append(actions, Action{Key: Bind("copy name", "y"), Group: "this list", Off: none, Do: func() tea.Cmd { return Send(Copy{Text: l.called(row), What: "name"}) }})
	}
	if key := l.detailKey(); key != "" {
		actions = append(actions, Action{Key: Bind("details", key), Group: "this list", Off: none, Show: key == "enter", Do: func() tea.Cmd { l.open, l.down = true, 0; return l.look(row) }})
	}
	if what := l.clearable(); what != "" {
		actions = append(actions, plain("this list", what, "", l.clear, "esc"))
	}
	return actions
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
	case len(l.marks) > 0:
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
	case len(l.marks) > 0:
		l.marks, l.anchor = nil, ""
	default:
		l.filter = filter{}
	}
}

func (l *List[T]) mark(id string) {
	if l.marks == nil {
		l.marks = map[string]bool{}
	}
	if l.marks[id] {
		delete(l.marks, id)
	} else {
		l.marks[id] = true
	}
	l.anchor = id
}

// markRange marks from the last mark to the cursor.
func (l *List[T]) markRange() {
	from := l.order.place(l.Set, l.anchor)
	if from < 0 {
		from = l.at
	}
	for i := min(from, l.at); i <= max(from, l.at); i++ {
		l.marks = with(l.marks, l.Set.ID(l.Set.At(l.order.index(i))))
	}
}

func with(marks map[string]bool, id string) map[string]bool {
	if marks == nil {
		marks = map[string]bool{}
	}
	marks[id] = true
	return marks
}

// markAll marks every row that is shown.
func (l *List[T]) markAll() {
	n := l.order.count(l.Set)
	marks := make(map[string]bool, n+len(l.marks))
	maps.Copy(marks, l.marks)
	for i := range n {
		marks[l.Set.ID(l.Set.At(l.order.index(i)))] = true
	}
	l.marks = marks
}

// sortMenu offers the columns; the one in use turns round.
func (l *List[T]) sortMenu() Menu {
	m := Menu{Title: "Sort by"}
	for i, c := range l.Columns {
		name := c.Title
		if i == l.order.column {
			name += " (turn round)"
		}
		m.Actions = append(m.Actions, plain("", name, "", func() {
			l.order.reverse = l.order.column == i && !l.order.reverse
			l.order.column = i
			l.settle()
		}, fmt.Sprint((i+1)%10)))
	}
	return m
}

func (l *List[T]) copyMenu(row T) Menu {
	add := func(name, key, what string, text func() string) Action {
		return Action{Key: Bind(name, key), Do: func() tea.Cmd { return Send(Copy{Text: text(), What: what}) }}
	}
	m := Menu{Title: "Copy " + l.called(row), Actions: []Action{
		add("name", "n", "name", func() string { return l.called(row) }),
		add("id", "i", "id", func() string { return l.Set.ID(row) }),
		add("row as JSON", "j", "row as JSON", func() string { return asJSON(row) }),
		add("list as CSV", "c", "list as CSV", l.csv),
	}}
	return m
}

func asJSON(row any) string {
	data, err := json.MarshalIndent(row, "", "  ")
	if err != nil {
		return "cannot be written as JSON: " + err.Error()
	}
	return string(data)
}

// csv is the list as it is shown. A cell that a spreadsheet would take for a formula is kept from it.
func (l *List[T]) csv() string {
	var b strings.Builder
	field := func(i int, text string) {
		if i > 0 {
			b.WriteByte(',')
		}
		if text != "" && strings.ContainsAny(text[:1], "=+-@") {
			text = "'" + text
		}
		if strings.ContainsAny(text, "\",\n") {
			text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
		b.WriteString(text)
	}
	for i, c := range l.Columns {
		field(i, c.Title)
	}
	b.WriteByte('\n')
	for n := range l.order.count(l.Set) {
		row := l.Set.At(l.order.index(n))
		for i, c := range l.Columns {
			text, _ := c.Cell(row, l.light())
			field(i, text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// bind turns an act into an action about the row at the cursor, captured: whatever moves beneath the question, the answer is about this row.
func (l *List[T]) bind(act Act[T], row T, there bool) Action {
	a := Action{Key: Bind(act.Name, act.Keys...), About: act.About, Show: act.Show, Change: act.Change, Opens: act.Opens || act.Form != nil}
	if !there {
		a.Off = "no row is at the cursor"
		return a
	}
	if len(l.marks) > 0 && act.Rows != nil {
		a.Do = func() tea.Cmd {
			rows, _ := l.marked()
			return l.do(act, rows)
		}
		return a
	}
	rows := []T{row}
	if len(l.marks) > 0 && !act.Many && act.Change {
		a.Off = "for one row only: esc clears the marks"
		return a
	}
	if len(l.marks) > 1 && act.Many {
		return l.bindMarked(act, a)
	}
	if len(l.marks) == 1 && act.Many {
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
	looks := 1000
	for id := range l.marks {
		if row, held := l.Set.Get(id); held && l.off(act, row) == "" {
			return true
		}
		if looks--; looks == 0 {
			return true
		}
	}
	return false
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
	text := fmt.Sprintf("%s: %s.", strings.ToUpper(act.Name[:1])+act.Name[1:], plural(len(able), "row", "rows"))
	if hidden > 0 {
		text += fmt.Sprintf(" Not visible under the filter: %d of them.", hidden)
	}
	if left := len(rows) - len(able); left > 0 {
		text += fmt.Sprintf(" Left out: %s with which it cannot be done.", plural(left, "marked row", "marked rows"))
	}
	return able, &Question{Title: act.Name, Text: text, List: l.describe(able), Word: fmt.Sprint(len(able)), Yes: act.Name}
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
		l.marks = nil
		return act.Rows(rows)
	}
	return l.Run(act, rows)
}

// Run makes one change for each row, and says how they ended once the last has been answered.
func (l *List[T]) Run(act Act[T], rows []T) tea.Cmd {
	l.marks = nil
	tally := NewTally(len(rows), l.called)
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
