// Package table shows the rows of a store in columns: List is the pane that most resources are shown with. It filters
// and sorts up to a million rows, off the loop where there are many, and draws only those in sight.
package table

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
)

// JoinedStore is a store that a pane joins with.
type JoinedStore interface {
	ui.Refresher
	ui.AutoRefresher
	Name() string
	Freshness() lists.Freshness
	EnsureLoaded()
	Version() int
}

// JoinedStores are all stores that a pane joins with.
type JoinedStores []JoinedStore

// Refresh reads all of them again.
func (j JoinedStores) Refresh() { j.each(JoinedStore.Refresh) }

// Poll reads all of them again, and lets reads under way finish.
func (j JoinedStores) Poll() { j.each(JoinedStore.Poll) }

// EnsureLoaded reads those that nobody has asked for.
func (j JoinedStores) EnsureLoaded() { j.each(JoinedStore.EnsureLoaded) }

func (j JoinedStores) each(ask func(JoinedStore)) {
	for _, s := range j {
		ask(s)
	}
}

// Version grows with every change of the rows of any of them.
func (j JoinedStores) Version() int {
	version := 0
	for _, s := range j {
		version += s.Version()
	}
	return version
}

// Missing names those whose last read failed, and why, and those that lack rows: "contacts: 503", "buckets:
// incomplete".
func (j JoinedStores) Missing() []string {
	var missing []string
	for _, s := range j {
		switch err := s.Freshness().Err; {
		case wording.Denied(err):
			missing = append(missing, s.Name()+": not allowed")
		case err != nil:
			missing = append(missing, s.Name()+": "+wording.ShortReason(err))
		default:
			if parts, ok := s.(interface{ Missing() []string }); ok && len(parts.Missing()) > 0 {
				missing = append(missing, s.Name()+": incomplete")
			}
		}
	}
	return missing
}

// List is the generic pane: rows of a store in columns, with a cursor that stays on its row wherever the row moves.
type List[T any] struct {
	Title        string
	Store        *lists.RowStore[T]
	JoinedStores JoinedStores // other stores it joins with: refreshed together
	Columns      []Column[T]
	RowActions   []RowAction[T]
	PaneActions  func() []ui.Action                          // actions that need no row: add
	Detail       func(T, ui.Box) string                      // beside the list where it fits, else over it on enter
	LongTexts    func(T) []ui.ShowTextMsg                    // what the detail shortens; may be nil
	FetchOne     func(context.Context, T) (T, error)         // reads a row again when its detail is opened; may be nil
	Footer       func(*lists.RowStore[T], ui.Box) string     // a line below the rows
	EmptyText    string                                      // "no services yet · n adds one"
	SortBy       string                                      // title of the column that rows are first sorted by
	BadgeFunc    func() (text string, importance theme.Tone) // see ui.ListPane
	OnVisible    func(rows []T)                              // reads what the rows in sight lack
	Breadcrumb   func() string                               // of a list on a stack: "acme-backups › db"
	AutoRefresh  AutoRefreshOptions                          // how the clock refreshes it
	CopyItems    func(T) []ui.CopyItem                       // for the copy menu, beside name, ID, JSON and CSV
	Label        func(T) string                              // what a row is called; nil is its label column
	Search       RowSearch[T]                                // how the palette finds rows

	state[T]
}

// AutoRefreshOptions say how the clock refreshes a list. The zero value refreshes its store and the stores that it
// joins with.
type AutoRefreshOptions struct {
	Disabled bool
	// Joined is the freshness of rows that consist only of what they join with; they are polled with it. nil for others
	Joined func() lists.Freshness
}

// state is what a list remembers between keys and frames.
type state[T any] struct {
	filter        filterInput
	jump          jumpPrompt
	rowIndex      rowIndex
	cursor        cursor
	marks         marks[T]
	detail        detail
	frame         frame[T]
	renderer      tableRenderer
	sidebar       DetailSidebar[T]
	parent        ParentRow
	parentColumn  parentColumn
	cursorActions []ui.Action // the same all the time
}

// cursor is the row that actions are about.
type cursor struct {
	id       string  // of the row: it stays on its row when others come and go
	position int     // its position among the rows shown
	rank     rowRank // that the row had when the cursor was put there
	toEnd    bool    // goes to the end once the store has been read to its end
	made     int     // rows made by the user that the cursor has been to, or has left
}

// detail is the detail that is open over the list.
type detail struct {
	open   bool
	scroll int              // lines scrolled past
	panel  ui.Panel         // around it
	errors map[string]error // by row ID: why a row could not be fetched
}

// frame is the geometry of the last frame. Only View writes it; scrolling, clicks and reading ahead go by it.
type frame[T any] struct {
	box             ui.Box
	top             int // position of the first row in sight
	height          int // of the rows
	scrolledColumns int // columns scrolled past
	visible         []T
}

// Name returns the title: the tab's name.
func (l *List[T]) Name() string { return l.Title }

// Info returns what the list tells about itself.
func (l *List[T]) Info() ui.Info {
	info := ui.Info{
		Crumb:         l.Title,
		Typing:        l.filter.typing || l.jump.line != nil,
		Freshness:     l.Store.Freshness(),
		ReadOnRequest: l.AutoRefresh.Disabled,
		HighlightLeft: l.Store.Highlights.Left(),
		Status:        l.status,
		Missing:       func() []string { return append(JoinedStores{l.Store}, l.JoinedStores...).Missing() },
	}
	if l.Breadcrumb != nil {
		info.Crumb = l.Breadcrumb()
	}
	if l.AutoRefresh.Joined != nil {
		info.Freshness = l.AutoRefresh.Joined()
	}
	return info
}

// OnClose cancels what a lazy store is reading: the list was taken off its stack.
func (l *List[T]) OnClose() {
	if l.Store.Lazy() {
		l.Store.Cancel()
	}
}

// Badge returns what the tab shows beside its name.
func (l *List[T]) Badge() (string, theme.Tone) {
	if l.BadgeFunc == nil {
		return "", theme.Plain
	}
	return l.BadgeFunc()
}

// Refresh reads the rows and the joined stores again.
func (l *List[T]) Refresh() {
	l.Store.Refresh()
	l.JoinedStores.Refresh()
}

// joinMaxAge is the age at which Poll reads a joined store again.
const joinMaxAge = time.Minute

// Poll reads the rows again, and those joined stores that are old or failed.
func (l *List[T]) Poll() {
	if l.AutoRefresh.Joined != nil {
		l.JoinedStores.Poll()
		return
	}
	l.Store.Poll()
	joined := l.JoinedStores
	if l.sidebar.visible {
		joined = append(joined[:len(joined):len(joined)], l.sidebar.Stores...)
	}
	for _, s := range joined {
		if f := s.Freshness(); !f.Loading && (f.Err != nil || l.Store.Now().Sub(f.LoadedAt) >= joinMaxAge) {
			s.Refresh()
		}
	}
}

// LoadMissing reads what the last frame lacked: joined stores, the next page, details of the rows in sight.
func (l *List[T]) LoadMissing() {
	l.Store.EnsureLoaded()
	l.JoinedStores.EnsureLoaded()
	l.continueToEnd()
	if l.Store.Lazy() && l.frame.top+2*l.frame.height >= l.Store.Len() {
		l.Store.LoadMore()
	}
	if l.OnVisible != nil && len(l.frame.visible) > 0 {
		l.OnVisible(l.frame.visible)
	}
	l.sidebar.load(l.frame.box.Width > 0)
	l.rowIndex.startSortJob(l, l.Store)
}

// Select moves the cursor to a row and reports whether it is there. It clears a filter that hides the row.
func (l *List[T]) Select(id string) bool {
	l.cursor.id, l.parent.selected = id, false
	if _, found := l.Store.Index(id); !found {
		return false
	}
	l.rowIndex.update(l)
	if l.rowIndex.position(l.Store, id) < 0 {
		l.filter = filterInput{}
		l.rowIndex.update(l)
	}
	l.cursor.position = max(0, l.rowIndex.position(l.Store, id))
	return true
}

// SelectFirst moves the cursor of a list to the first row that is shown.
func (l *List[T]) SelectFirst() {
	l.rowIndex.update(l)
	l.moveCursorTo(0)
}

// Hides reports whether the list has a row and its filter hides it.
func (l *List[T]) Hides(r ui.RowRef) bool {
	if _, held := l.Store.Index(r.ID); !held || r.Store != any(l.Store) || l.filter.text == "" {
		return false
	}
	l.rowIndex.update(l)
	return l.rowIndex.currentKey == l.wantedKey() && l.rowIndex.position(l.Store, r.ID) < 0
}

// label returns what a row is called. b is the box that its cells are drawn in.
func (l *List[T]) label(row T, b ui.Box) string {
	if l.Label != nil {
		return l.Label(row)
	}
	for _, c := range l.Columns {
		if c.IsLabel {
			text, _ := c.Cell(row, b)
			return text
		}
	}
	return l.Store.ID(row)
}

// cellBox returns a box for cells outside a frame.
func (l *List[T]) cellBox() ui.Box {
	if l.frame.box.Theme == nil {
		return ui.Box{
			Width:  80,
			Height: 24,
			Theme:  &theme.Theme{},
			Now:    l.Store.Now(),
		}
	}
	return l.frame.box
}

// fetchRow fetches a single row. If that fails, the detail shows the list's row and says so.
func (l *List[T]) fetchRow(row T) {
	if l.FetchOne == nil {
		return
	}
	id := l.Store.ID(row)
	l.Store.ReloadRow(
		id,
		func(ctx context.Context) (T, error) { return l.FetchOne(ctx, row) },
		func(err error) {
			if l.detail.errors == nil {
				l.detail.errors = map[string]error{}
			}
			l.detail.errors[id] = err
		},
	)
}

// SaveState returns what the user has chosen: filter, sorting, row.
func (l *List[T]) SaveState() ui.PaneState {
	saved := ui.PaneState{Filter: l.filter.text, Reverse: l.rowIndex.reverse, Row: l.cursor.id}
	if l.parent.selected {
		saved.Row = ""
	}
	l.rowIndex.initialize(l)
	if at := l.rowIndex.column; at >= 0 {
		saved.SortBy = l.Columns[at].Title
	}
	return saved
}

// RestoreState chooses again what was saved. The cursor moves to its row once that is there.
func (l *List[T]) RestoreState(saved ui.PaneState) {
	l.filter = filterInput{text: saved.Filter}
	l.rowIndex.initialized, l.rowIndex.reverse, l.cursor.id = true, saved.Reverse, saved.Row
	l.rowIndex.column = l.columnTitled(saved.SortBy)
}

// Update takes the text of the filter or of a jump, the wheel and clicks.
func (l *List[T]) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		switch {
		case l.jump.line != nil:
			l.typeName(msg)
		case l.filter.typing:
			l.typeFilter(msg)
		}
	case tea.MouseWheelMsg:
		step := 3
		if msg.Button == tea.MouseWheelUp {
			step = -3
		}
		l.scrollBy(step)
	case tea.MouseClickMsg:
		line := msg.Y - 1 - l.parent.height()
		row := l.frame.top + line
		switch {
		case msg.X < l.parentColumn.drawn:
		case line == -1 && msg.Y == 1:
			l.parent.selected, l.detail.open = true, false
		case line >= 0 && line < l.frame.height && row < l.shown():
			l.moveCursorTo(row)
		}
	}
	return nil
}

// RowlessActions returns the actions that need no row. Unlike Actions it does not move the cursor of a list that was
// never shown.
func (l *List[T]) RowlessActions() []ui.Action {
	if l.PaneActions == nil {
		return nil
	}
	return l.PaneActions()
}

// Actions returns what can be done with the row under the cursor or the marked rows, then with the list.
func (l *List[T]) Actions() []ui.Action {
	l.restoreCursor()
	row, there := l.cursorRow()
	actions := make([]ui.Action, 0, len(l.RowActions)+32)
	for _, op := range l.RowActions {
		actions = append(actions, rowBinder[T]{list: l}.bind(op, row, there))
	}
	rowActions := actions
	actions = append(actions, l.RowlessActions()...)
	why, waitsFor := l.whyNoRow()
	actions = l.appendCommonActions(actions, why, row, rowActions)
	if l.cursorActions == nil {
		l.cursorActions = l.moveActions(actions)
	}
	moves := len(actions)
	actions = append(actions, l.cursorActions...)
	for i := range actions {
		if waitsFor != "" && (i >= moves || actions[i].DisabledReason == why) {
			actions[i].WaitsFor = waitsFor
		}
	}
	return actions
}
