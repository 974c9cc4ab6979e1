package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// Asked is something with an age that can be asked again: a set that a pane joins with.
type Asked interface {
	Refresher
	Fresh() Freshness
	Need() tea.Cmd
}

// A Column is one property of the rows.
type Column[T any] struct {
	Title string
	Width int                               // cells; 0 shares what the others leave
	Min   int                               // for Width 0: at least so many
	Drop  int                               // priority: the highest leaves first where room is short; 0 stays always
	Right bool                              // numbers
	Cell  func(T, Box) (string, theme.Tone) // clean text; reads nothing but the row where the set is lazy
	Less  func(a, b T) bool                 // nil sorts by the cell's text
	Rank  func(T) Rank                      // where it is not nil, sorts in its place
	Named bool                              // a filter looks here only where it names the column
	Once  bool                              // sorted by it, rows that agree show it once: a grouped view

	hidden bool // left out by the user
}

// An Act is an action on the row at the cursor, or on all marked rows.
type Act[T any] struct {
	Keys   []string // "d"
	Name   string   // "disable"
	About  string   // a sentence for the help
	Verb   string   // "disabling": what the row shows meanwhile
	Past   string   // "monitoring is disabled": what the news says after
	Show   bool     // in the hints
	Change bool     // changes something at the server
	Many   bool     // also on all marked rows: one question that lists them, one outcome each
	Opens  bool     // it only opens what asks by itself; acts with a Form do
	Undo   string   // name of the act that takes it back; the news offers it with u
	Off    func(T) string
	Ask    func(T) *Question // for one row; many rows are always asked with their count typed

	// One of these says what is done.
	Run   func(context.Context, T) (Change[T], error)
	Form  func(rows []T) Form
	Into  func(T) Pane
	Send  func(T) tea.Msg
	Start func(T) tea.Cmd
	Rows  func([]T) tea.Cmd // all marked rows at once, or the one at the cursor; it asks by itself

	// Refused is what to offer after a refusal; nil offers nothing.
	Refused func(T, error) tea.Cmd
	// Check tells from the row read again, which is the zero T unless it was found, whether an unknown outcome was done; nil knows only that a
	// removed row is gone.
	Check func(now T, found bool) Verdict
}

// A List is the generic pane: rows of a set in columns, with a cursor that stays on its row whatever moves.
type List[T any] struct {
	Title   string
	Kind    string // what one row is: "instance"; empty is the title without its s
	Set     *Set[T]
	Reads   []Asked // other sets it joins with: refreshed with it
	Columns []Column[T]
	Acts    []Act[T]
	Always  func() []Action                     // actions that need no row: add
	Detail  func(T, Box) string                 // beside the list where there is room, over it on enter elsewhere
	One     func(context.Context, T) (T, error) // reads one row again: done when its details are opened; nil leaves the list's
	Foot    func(*Set[T], Box) string
	Empty   string // "no services yet · n adds one"
	Sort    string // title of the column sorted by at start
	Count   func() (string, theme.Tone)
	Seen    func(rows []T) tea.Cmd // asks for what the rows in sight lack
	Where   func() string          // where a list on a stack stands: "acme-backups › db"
	Still   bool                   // not refreshed by the clock: a listing that was read far
	Lines   func(T) []Copied       // what the copy menu offers beside name, id, JSON and CSV
	Label   func(T) string         // what a row is called in questions and news; nil is the first strong cell

	cursor string // identity of the row, not its number
	at     int    // its place in the order
	stood  stand  // where the cursor was settled last
	top    int
	left   int // columns scrolled past
	marks  marks[T]
	anchor string // start of a range of marks
	order  order
	filter filter
	open   bool             // the detail stands over the list
	blind  map[string]error // why rows could not be read by themselves
	chase  bool             // the cursor goes to the end once it has been read
	down   int              // lines scrolled in the detail
	height int              // rows of the last frame
	box    Box              // of the last frame
	shown  []T

	still []Action // those that never change

	sheet sheet // of the frame under way
}

// Name is the tab's.
func (l *List[T]) Name() string { return l.Title }

// Crumb is where the list stands on its tab's stack.
func (l *List[T]) Crumb() string {
	if l.Where == nil {
		return l.Title
	}
	return l.Where()
}

// Steady reports whether the clock leaves the rows alone.
func (l *List[T]) Steady() bool { return l.Still }

// Leave ends what is being asked: the list was taken off its stack.
func (l *List[T]) Leave() {
	if l.Set.Lazy() {
		l.Set.Cancel()
	}
}

// Typing reports whether the filter has the keyboard.
func (l *List[T]) Typing() bool { return l.filter.typing }

// Badge is what the tab says beside its name.
func (l *List[T]) Badge() (string, theme.Tone) {
	if l.Count == nil {
		return "", theme.Plain
	}
	return l.Count()
}

// Fresh is as fresh as the rows.
func (l *List[T]) Fresh() Freshness { return l.Set.Fresh() }

// Refresh asks for the rows and for what they are joined with.
func (l *List[T]) Refresh() tea.Cmd {
	cmds := []tea.Cmd{l.Set.Refresh()}
	for _, set := range l.Reads {
		cmds = append(cmds, set.Refresh())
	}
	return tea.Batch(cmds...)
}

// joinedKept is how old joined sets may be when the clock asks: labels and groups change rarely.
const joinedKept = time.Minute

// Poll asks for the rows, and for what they are joined with where that is old or failed.
func (l *List[T]) Poll() tea.Cmd {
	cmds := []tea.Cmd{l.Set.Poll()}
	for _, set := range l.Reads {
		if f := set.Fresh(); !f.Asked && (f.Err != nil || l.Set.src.Now().Sub(f.At) >= joinedKept) {
			cmds = append(cmds, set.Refresh())
		}
	}
	return tea.Batch(cmds...)
}

// Want asks for what the last frame lacked: joined sets, the next page, details of rows in sight.
func (l *List[T]) Want() tea.Cmd {
	cmds := []tea.Cmd{l.Set.Need()}
	for _, set := range l.Reads {
		cmds = append(cmds, set.Need())
	}
	l.pursue()
	if l.Set.Lazy() && l.top+2*l.height >= l.Set.Len() {
		cmds = append(cmds, l.Set.More())
	}
	if l.Seen != nil && len(l.shown) > 0 {
		cmds = append(cmds, l.Seen(l.shown))
	}
	cmds = append(cmds, l.order.want(l))
	return tea.Batch(cmds...)
}

// pursue brings the cursor to the end once that has been read and stands in its place.
func (l *List[T]) pursue() {
	if !l.chase || l.Set.Rushing() {
		return
	}
	if l.order.build(l); l.order.key == l.wanted() {
		l.chase = false
		l.to(l.order.count(l.Set) - 1)
	}
}

// Select puts the cursor on a row and says whether it is there. A filter that hides it is cleared.
func (l *List[T]) Select(id string) bool {
	if _, found := l.Set.Index(id); !found {
		l.cursor = id
		return false
	}
	l.cursor = id
	l.order.build(l)
	if l.order.place(l.Set, id) < 0 {
		l.filter = filter{}
		l.order.build(l)
	}
	l.at = max(0, l.order.place(l.Set, id))
	return true
}

// Hides reports whether the list has a row and its filter hides it.
func (l *List[T]) Hides(r Row) bool {
	if _, held := l.Set.Index(r.ID); !held || r.Set != any(l.Set) || l.filter.text == "" {
		return false
	}
	l.order.build(l)
	return l.order.key == l.wanted() && l.order.place(l.Set, r.ID) < 0
}

// Find offers rows to the palette.
func (l *List[T]) Find(text string, limit int) []Target {
	var found []Target
	want := strings.ToLower(text)
	for i := 0; i < l.Set.Len() && i < 20_000 && len(found) < limit; i++ {
		row := l.Set.At(i)
		if label := l.called(row); strings.Contains(strings.ToLower(label), want) {
			found = append(found, Target{Label: label, ID: l.Set.ID(row)})
		}
	}
	return found
}

// kind is what one row is.
func (l *List[T]) kind() string {
	if l.Kind != "" {
		return l.Kind
	}
	return strings.TrimSuffix(l.Title, "s")
}

// label is what a row is called.
func (l *List[T]) called(row T) string {
	if l.Label != nil {
		return l.Label(row)
	}
	for _, c := range l.Columns {
		if text, tone := c.Cell(row, l.light()); tone == theme.Strong {
			return text
		}
	}
	return l.Set.ID(row)
}

// light is a box to ask cells in outside a frame.
func (l *List[T]) light() Box {
	if l.box.Theme == nil {
		return Box{Width: 80, Height: 24, Theme: &theme.Theme{}, Now: l.Set.src.Now()}
	}
	return l.box
}

// look reads the row at the cursor by itself. Where that is refused the list's row serves, and the details say so.
func (l *List[T]) look(row T) tea.Cmd {
	if l.One == nil {
		return nil
	}
	id := l.Set.ID(row)
	return l.Set.Look(id, func(ctx context.Context) (T, error) { return l.One(ctx, row) }, func(err error) tea.Cmd {
		if l.blind == nil {
			l.blind = map[string]error{}
		}
		l.blind[id] = err
		return nil
	})
}

// Keep is what the user has chosen: filter, sort, row.
func (l *List[T]) Keep() Kept {
	k := Kept{Filter: l.filter.text, Reverse: l.order.reverse, Row: l.cursor}
	l.order.start(l)
	if at := l.order.column; at >= 0 {
		k.Sort = l.Columns[at].Title
	}
	return k
}

// Restore chooses again what was kept. The cursor goes to its row once that is there.
func (l *List[T]) Restore(k Kept) {
	l.filter = filter{text: k.Filter}
	l.order.set, l.order.reverse, l.cursor = true, k.Reverse, k.Row
	l.order.column = slices.IndexFunc(l.Columns, func(c Column[T]) bool { return c.Title == k.Sort })
}

// row is the row at the cursor.
func (l *List[T]) row() (T, bool) {
	if l.order.count(l.Set) == 0 {
		var none T
		return none, false
	}
	return l.Set.At(l.order.index(l.at)), true
}

// settle finds the cursor's row again after the rows or their order changed. A row that is gone, or has another rank by now, leaves the cursor
// where it stood.
func (l *List[T]) settle() {
	l.order.build(l)
	n := l.order.count(l.Set)
	place := l.order.place(l.Set, l.cursor)
	if place >= 0 && !l.open && l.stood.left(stand{l.cursor, l.order.rank(place)}) {
		place = -1
	}
	if place >= 0 {
		l.at = place
	}
	l.at = max(0, min(l.at, n-1))
	if place < 0 && n > 0 && l.Set.Loaded() {
		l.cursor = l.Set.ID(l.Set.At(l.order.index(l.at)))
	}
	l.stood = stand{l.cursor, l.order.rank(l.at)}
	l.marks.follow(l.Set)
}

func (l *List[T]) held() placed { return l.Set }

// sortedAtFirst is the column of the title that the list is to be sorted by.
func (l *List[T]) sortedAtFirst() int {
	return slices.IndexFunc(l.Columns, func(c Column[T]) bool { return l.Sort != "" && c.Title == l.Sort })
}

// wanted is what the order of the rows depends on now.
func (l *List[T]) wanted() orderKey {
	return orderKey{l.Set.Version(), l.Set.moved, l.filter.text, l.order.column, l.order.reverse, true}
}

// making is the order that is wanted, with all that it takes to make it off the loop.
func (l *List[T]) making(ctx context.Context) *making {
	n, at := l.Set.Snapshot()
	m := &making{ctx: ctx, key: l.wanted(), n: n, columns: make([]ordering, len(l.Columns)), quick: l.Set.searcher()}
	box := l.light()
	for i, c := range l.Columns {
		m.columns[i] = ordering{title: c.Title, named: c.Named, text: func(row int32) string {
			text, _ := c.Cell(at(int(row)), box)
			return text
		}}
		if c.Rank != nil {
			m.columns[i].rank = func(row int32) Rank { return c.Rank(at(int(row))) }
		}
		if c.Less != nil {
			m.columns[i].less = func(a, b int32) bool { return c.Less(at(int(a)), at(int(b))) }
		}
	}
	m.base = l.order.base(m.key)
	return m
}

// move puts the cursor by rows.
func (l *List[T]) move(by int) {
	l.to(l.at + by)
}

// to puts the cursor on a place.
func (l *List[T]) to(place int) {
	n := l.order.count(l.Set)
	if n == 0 {
		return
	}
	l.at = max(0, min(place, n-1))
	l.cursor = l.Set.ID(l.Set.At(l.order.index(l.at)))
	l.down = 0
}

// Update takes the filter's text, the wheel and clicks.
func (l *List[T]) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if l.filter.typing {
			l.filter.press(msg)
			l.settle()
		}
	case tea.PasteMsg:
		if l.filter.typing {
			l.filter.paste(msg.Content)
			l.settle()
		}
	case tea.MouseWheelMsg:
		step := 3
		if msg.Button == tea.MouseWheelUp {
			step = -3
		}
		if l.open {
			l.down = max(0, l.down+step)
		} else {
			l.move(step)
		}
	case tea.MouseClickMsg:
		if row := l.top + msg.Y - 1; msg.Y >= 1 && msg.Y <= l.height && row < l.order.count(l.Set) {
			l.to(row)
		}
	}
	return nil
}

// marked are the rows with a mark in the order of the set, and how many of them the filter hides.
func (l *List[T]) marked() (rows []T, hidden int) {
	rows = make([]T, 0, l.marks.count())
	l.marks.each(func(place int) bool {
		rows = append(rows, l.Set.At(place))
		if !l.order.shows(place) {
			hidden++
		}
		return true
	})
	return rows, hidden
}

// tally of a decision about many rows.
func (l *List[T]) describe(rows []T) []string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = fmt.Sprintf("%s (id %s)", l.called(row), l.Set.ID(row))
	}
	return lines
}
