package table

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
)

// JoinedStore is something with an age that can be asked again: a set that a pane joins with.
type JoinedStore interface {
	ui.Refresher
	Freshness() ui.Freshness
	EnsureLoaded() tea.Cmd
}

// A Column is one property of the rows.
type Column[T any] struct {
	Title string
	Width int // cells; 0 shares what the others leave
	Min   int // for Width 0: at least so many
	// priority: the highest leaves first where room is short; 0 stays always
	DropPriority     int
	AlignRight       bool                                 // numbers
	Cell             func(T, ui.Box) (string, theme.Tone) // clean text; reads nothing but the row where the set is lazy
	Less             func(a, b T) bool                    // nil sorts by the cell's text
	Rank             func(T) Rank                         // where it is not nil, sorts in its place
	FilterByNameOnly bool                                 // a filter looks here only where it names the column
	GroupRepeats     bool                                 // sorted by it, rows that agree show it once: a grouped view

	hidden bool // left out by the user
}

// An Operation is an action on the row at the cursor, or on all marked rows.
type Operation[T any] struct {
	Keys           []string // "d"
	Name           string   // "disable"
	Description    string   // a sentence for the help
	ProgressText   string   // "disabling": what the row shows meanwhile
	SuccessText    string   // "monitoring is disabled": what the news says after
	ShowInHints    bool     // in the hints
	Writes         bool     // changes something at the server
	Many           bool     // also on all marked rows: one question that lists them, one outcome each
	OpensView      bool     // it only opens what asks by itself; acts with a Form do
	Undo           string   // name of the act that takes it back; the news offers it with u
	DisabledReason func(T) string
	Confirm        func(T) *ui.Confirmation // for one row; many rows are always asked with their count typed

	// One of these says what is done.
	Run      func(context.Context, T) (ui.Result[T], error)
	Form     func(rows []T) form.Form
	OpenPane func(T) ui.Pane
	Message  func(T) tea.Msg
	Cmd      func(T) tea.Cmd
	BatchCmd func([]T) tea.Cmd // all marked rows at once, or the one at the cursor; it asks by itself
	// Start starts a change of the row at the cursor, or of the marked rows, of which a filter hides some. It asks by
	// itself.
	Start func(rows []T, hidden int) tea.Cmd

	// Refused is what to offer after a refusal; nil offers nothing.
	OnRejected func(T, error) tea.Cmd
	// Check tells from the row read again, which is the zero T unless it was found, whether an unknown outcome was
	// done; nil knows only that a removed row is gone.
	Recheck func(now T, found bool) ui.AttemptOutcome
}

// A List is the generic pane: rows of a set in columns, with a cursor that stays on its row whatever moves.
type List[T any] struct {
	Title        string
	Singular     string // what one row is: "instance"; empty is the title without its s
	Store        *ui.Store[T]
	JoinedStores []JoinedStore // other sets it joins with: refreshed with it
	Columns      []Column[T]
	Operations   []Operation[T]
	PaneActions  func() []ui.Action     // actions that need no row: add
	Detail       func(T, ui.Box) string // beside the list where there is room, over it on enter elsewhere
	// reads one row again: done when its details are opened; nil leaves the list's
	FetchOne      func(context.Context, T) (T, error)
	Footer        func(*ui.Store[T], ui.Box) string
	EmptyText     string // "no services yet · n adds one"
	SortBy        string // title of the column sorted by at start
	BadgeFunc     func() (string, theme.Tone)
	OnVisible     func(rows []T) tea.Cmd // asks for what the rows in sight lack
	Breadcrumb    func() string          // where a list on a stack stands: "acme-backups › db"
	NoAutoRefresh bool                   // not refreshed by the clock: a listing that was read far
	CopyItems     func(T) []ui.CopyItem  // what the copy menu offers beside name, id, JSON and CSV
	Label         func(T) string         // what a row is called in questions and news; nil is the first strong cell

	cursorID     string  // identity of the row, not its number
	position     int     // its place in the order
	lastRank     rowRank // where the cursor was settled last
	top          int
	firstColumn  int // columns scrolled past
	marks        marks[T]
	anchor       string // start of a range of marks
	rowIndex     rowIndex
	filter       filter
	detailOpen   bool             // the detail stands over the list
	fetchErrors  map[string]error // why rows could not be read by themselves
	scrollToEnd  bool             // the cursor goes to the end once it has been read
	detailScroll int              // lines scrolled in the detail
	height       int              // rows of the last frame
	lastBox      ui.Box           // of the last frame
	visible      []T

	cachedCursorActions []ui.Action // those that never change

	renderer tableRenderer // of the frame under way
}

// Name is the tab's.
func (l *List[T]) Name() string { return l.Title }

// Crumb is where the list stands on its tab's stack.
func (l *List[T]) Crumb() string {
	if l.Breadcrumb == nil {
		return l.Title
	}
	return l.Breadcrumb()
}

// SkipsAutoRefresh reports whether the clock leaves the rows alone.
func (l *List[T]) SkipsAutoRefresh() bool { return l.NoAutoRefresh }

// OnClose ends what is being asked: the list was taken off its stack.
func (l *List[T]) OnClose() {
	if l.Store.Lazy() {
		l.Store.Cancel()
	}
}

// Typing reports whether the filter has the keyboard.
func (l *List[T]) Typing() bool { return l.filter.typing }

// Badge is what the tab says beside its name.
func (l *List[T]) Badge() (string, theme.Tone) {
	if l.BadgeFunc == nil {
		return "", theme.Plain
	}
	return l.BadgeFunc()
}

// Freshness is as fresh as the rows.
func (l *List[T]) Freshness() ui.Freshness { return l.Store.Freshness() }

// Refresh asks for the rows and for what they are joined with.
func (l *List[T]) Refresh() tea.Cmd {
	cmds := []tea.Cmd{l.Store.Refresh()}
	for _, set := range l.JoinedStores {
		cmds = append(cmds, set.Refresh())
	}
	return tea.Batch(cmds...)
}

// joinMaxAge is how old joined sets may be when the clock asks: labels and groups change rarely.
const joinMaxAge = time.Minute

// Poll asks for the rows, and for what they are joined with where that is old or failed.
func (l *List[T]) Poll() tea.Cmd {
	cmds := []tea.Cmd{l.Store.Poll()}
	for _, set := range l.JoinedStores {
		if f := set.Freshness(); !f.Loading && (f.Err != nil || l.Store.Now().Sub(f.LoadedAt) >= joinMaxAge) {
			cmds = append(cmds, set.Refresh())
		}
	}
	return tea.Batch(cmds...)
}

// LoadMissing asks for what the last frame lacked: joined sets, the next page, details of rows in sight.
func (l *List[T]) LoadMissing() tea.Cmd {
	cmds := []tea.Cmd{l.Store.EnsureLoaded()}
	for _, set := range l.JoinedStores {
		cmds = append(cmds, set.EnsureLoaded())
	}
	l.continueScrollToEnd()
	if l.Store.Lazy() && l.top+2*l.height >= l.Store.Len() {
		cmds = append(cmds, l.Store.LoadMore())
	}
	if l.OnVisible != nil && len(l.visible) > 0 {
		cmds = append(cmds, l.OnVisible(l.visible))
	}
	cmds = append(cmds, l.rowIndex.startSortJob(l))
	return tea.Batch(cmds...)
}

// continueScrollToEnd brings the cursor to the end once that has been read and stands in its place.
func (l *List[T]) continueScrollToEnd() {
	if !l.scrollToEnd || l.Store.LoadingAll() {
		return
	}
	if l.rowIndex.update(l); l.rowIndex.currentKey == l.wantedKey() {
		l.scrollToEnd = false
		l.moveCursorTo(l.rowIndex.count(l.Store) - 1)
	}
}

// Select puts the cursor on a row and says whether it is there. A filter that hides it is cleared.
func (l *List[T]) Select(id string) bool {
	if _, found := l.Store.Index(id); !found {
		l.cursorID = id
		return false
	}
	l.cursorID = id
	l.rowIndex.update(l)
	if l.rowIndex.position(l.Store, id) < 0 {
		l.filter = filter{}
		l.rowIndex.update(l)
	}
	l.position = max(0, l.rowIndex.position(l.Store, id))
	return true
}

// Hides reports whether the list has a row and its filter hides it.
func (l *List[T]) Hides(r ui.RowRef) bool {
	if _, held := l.Store.Index(r.ID); !held || r.Store != any(l.Store) || l.filter.text == "" {
		return false
	}
	l.rowIndex.update(l)
	return l.rowIndex.currentKey == l.wantedKey() && l.rowIndex.position(l.Store, r.ID) < 0
}

// Find offers rows to the palette.
func (l *List[T]) Find(text string, limit int) []ui.SearchResult {
	var found []ui.SearchResult
	want := strings.ToLower(text)
	for i := 0; i < l.Store.Len() && i < 20_000 && len(found) < limit; i++ {
		row := l.Store.At(i)
		if label := l.label(row); strings.Contains(strings.ToLower(label), want) {
			found = append(found, ui.SearchResult{Label: label, ID: l.Store.ID(row)})
		}
	}
	return found
}

// singular is what one row is.
func (l *List[T]) singular() string {
	if l.Singular != "" {
		return l.Singular
	}
	return strings.TrimSuffix(l.Title, "s")
}

// label is what a row is called.
func (l *List[T]) label(row T) string {
	if l.Label != nil {
		return l.Label(row)
	}
	for _, c := range l.Columns {
		if text, tone := c.Cell(row, l.cellBox()); tone == theme.Strong {
			return text
		}
	}
	return l.Store.ID(row)
}

// cellBox is a box to ask cells in outside a frame.
func (l *List[T]) cellBox() ui.Box {
	if l.lastBox.Theme == nil {
		return ui.Box{
			Width:  80,
			Height: 24,
			Theme:  &theme.Theme{},
			Now:    l.Store.Now(),
		}
	}
	return l.lastBox
}

// fetchRow reads the row at the cursor by itself. Where that is refused the list's row serves, and the details say so.
func (l *List[T]) fetchRow(row T) tea.Cmd {
	if l.FetchOne == nil {
		return nil
	}
	id := l.Store.ID(row)
	return l.Store.ReloadRow(
		id,
		func(ctx context.Context) (T, error) { return l.FetchOne(ctx, row) },
		func(err error) tea.Cmd {
			if l.fetchErrors == nil {
				l.fetchErrors = map[string]error{}
			}
			l.fetchErrors[id] = err
			return nil
		},
	)
}

// SaveState is what the user has chosen: filter, sort, row.
func (l *List[T]) SaveState() ui.PaneState {
	k := ui.PaneState{Filter: l.filter.text, Reverse: l.rowIndex.reverse, Row: l.cursorID}
	l.rowIndex.initialize(l)
	if at := l.rowIndex.column; at >= 0 {
		k.SortBy = l.Columns[at].Title
	}
	return k
}

// RestoreState chooses again what was kept. The cursor goes to its row once that is there.
func (l *List[T]) RestoreState(k ui.PaneState) {
	l.filter = filter{text: k.Filter}
	l.rowIndex.initialized, l.rowIndex.reverse, l.cursorID = true, k.Reverse, k.Row
	l.rowIndex.column = slices.IndexFunc(l.Columns, func(c Column[T]) bool { return c.Title == k.SortBy })
}

// cursorRow is the row at the cursor.
func (l *List[T]) cursorRow() (T, bool) {
	if l.rowIndex.count(l.Store) == 0 {
		var none T
		return none, false
	}
	return l.Store.At(l.rowIndex.storePosition(l.position)), true
}

// restoreCursor finds the cursor's row again after the rows or their order changed. A row that is gone, or has another
// rank by now, leaves the cursor where it stood.
func (l *List[T]) restoreCursor() {
	l.rowIndex.update(l)
	n := l.rowIndex.count(l.Store)
	place := l.rowIndex.position(l.Store, l.cursorID)
	if place >= 0 && !l.detailOpen && l.lastRank.changedRank(rowRank{l.cursorID, l.rowIndex.rank(place)}) {
		place = -1
	}
	if place >= 0 {
		l.position = place
	}
	l.position = max(0, min(l.position, n-1))
	if place < 0 && n > 0 && l.Store.Loaded() {
		l.cursorID = l.Store.ID(l.Store.At(l.rowIndex.storePosition(l.position)))
	}
	l.lastRank = rowRank{l.cursorID, l.rowIndex.rank(l.position)}
	l.marks.relocate(l.Store)
}

func (l *List[T]) lookup() rowLookup { return l.Store }

// initialSortColumn is the column of the title that the list is to be sorted by.
func (l *List[T]) initialSortColumn() int {
	return slices.IndexFunc(l.Columns, func(c Column[T]) bool { return l.SortBy != "" && c.Title == l.SortBy })
}

// wantedKey is what the order of the rows depends on now.
func (l *List[T]) wantedKey() rowIndexKey {
	return rowIndexKey{
		l.Store.Version(),
		l.Store.LayoutVersion(),
		l.filter.text,
		l.rowIndex.column,
		l.rowIndex.reverse,
		true,
	}
}

// newSortJob is the order that is wanted, with all that it takes to make it off the loop.
func (l *List[T]) newSortJob(ctx context.Context) *sortJob {
	n, at := l.Store.Snapshot()
	m := &sortJob{
		ctx:      ctx,
		key:      l.wantedKey(),
		rowCount: n,
		columns:  make([]columnAccessor, len(l.Columns)),
		quick:    l.Store.Searcher(),
	}
	box := l.cellBox()
	for i, c := range l.Columns {
		m.columns[i] = columnAccessor{
			title:            c.Title,
			filterByNameOnly: c.FilterByNameOnly,
			text: func(row int32) string {
				text, _ := c.Cell(at(int(row)), box)
				return text
			},
		}
		if c.Rank != nil {
			m.columns[i].rank = func(row int32) Rank { return c.Rank(at(int(row))) }
		}
		if c.Less != nil {
			m.columns[i].less = func(a, b int32) bool { return c.Less(at(int(a)), at(int(b))) }
		}
	}
	m.candidates = l.rowIndex.reusableRows(m.key)
	return m
}

// moveCursor puts the cursor by rows.
func (l *List[T]) moveCursor(by int) {
	l.moveCursorTo(l.position + by)
}

// moveCursorTo puts the cursor on a place.
func (l *List[T]) moveCursorTo(place int) {
	n := l.rowIndex.count(l.Store)
	if n == 0 {
		return
	}
	l.position = max(0, min(place, n-1))
	l.cursorID = l.Store.ID(l.Store.At(l.rowIndex.storePosition(l.position)))
	l.detailScroll = 0
}

// Update takes the filter's text, the wheel and clicks.
func (l *List[T]) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if l.filter.typing {
			l.filter.press(msg)
			l.restoreCursor()
		}
	case tea.PasteMsg:
		if l.filter.typing {
			l.filter.paste(msg.Content)
			l.restoreCursor()
		}
	case tea.MouseWheelMsg:
		step := 3
		if msg.Button == tea.MouseWheelUp {
			step = -3
		}
		if l.detailOpen {
			l.detailScroll = max(0, l.detailScroll+step)
		} else {
			l.moveCursor(step)
		}
	case tea.MouseClickMsg:
		if row := l.top + msg.Y - 1; msg.Y >= 1 && msg.Y <= l.height && row < l.rowIndex.count(l.Store) {
			l.moveCursorTo(row)
		}
	}
	return nil
}

// markedRows are the rows with a mark in the order of the set, and how many of them the filter hides.
func (l *List[T]) markedRows() (rows []T, hidden int) {
	rows = make([]T, 0, l.marks.count())
	l.marks.each(func(place int) bool {
		rows = append(rows, l.Store.At(place))
		if !l.rowIndex.contains(place) {
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
		lines[i] = fmt.Sprintf("%s (id %s)", l.label(row), l.Store.ID(row))
	}
	return lines
}
