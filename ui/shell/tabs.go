package shell

import (
	"iter"
	"slices"
	"strings"

	"lookout/theme"
	"lookout/ui"
)

// A tab is a pane and the panes that were opened from it.
type tab struct {
	stack []ui.Pane
	title string // the name as the tab bar shows it
}

// newTab returns the tab of a pane.
func newTab(p ui.Pane) *tab {
	name, capitals := p.Name(), 1
	if len(name) <= 3 {
		capitals = len(name)
	}
	return &tab{[]ui.Pane{p}, strings.ToUpper(name[:capitals]) + name[capitals:]}
}

func (t *tab) root() ui.Pane { return t.stack[0] }

func (t *tab) top() ui.Pane { return t.stack[len(t.stack)-1] }

func (t *tab) name() string { return t.root().Name() }

// pop closes the pane on top of the stack.
func (t *tab) pop() {
	if c, ok := t.top().(ui.Closer); ok {
		c.OnClose()
	}
	t.stack = t.stack[:len(t.stack)-1]
}

// popTo closes panes until the stack has a depth, but never the root.
func (t *tab) popTo(depth int) {
	for len(t.stack) > max(1, depth) {
		t.pop()
	}
}

// A location is a tab and the depth of its stack.
type location struct{ tab, depth int }

// tabs holds the tabs of the program, the one in front, and the history of jumps between them.
type tabs struct {
	list    []*tab
	front   int
	back    []location // ctrl+o goes back to the last of them
	forward []location // alt+o goes forward to the last of them
	drawn   drawnTabs
}

// maxHistory bounds the number of jumps that ctrl+o can undo.
const maxHistory = 100

func (t *tabs) current() *tab { return t.list[t.front] }

// pane returns the pane in front.
func (t *tabs) pane() ui.Pane { return t.current().top() }

func (t *tabs) location() location { return location{t.front, len(t.current().stack)} }

// find returns the index of the tab with a name, or -1.
func (t *tabs) find(name string) int {
	for i, one := range t.list {
		if one.name() == name {
			return i
		}
	}
	return -1
}

// remember records the current location, so that ctrl+o can go back to it.
func (t *tabs) remember() {
	t.back, t.forward = append(t.back, t.location()), nil
	if len(t.back) > maxHistory {
		t.back = t.back[1:]
	}
}

// switchTo brings a tab to the front as it was left. The tab in front returns to its root instead.
func (t *tabs) switchTo(i int) {
	if i == t.front {
		t.current().popTo(1)
		return
	}
	t.remember()
	t.front = i
}

// open pushes a pane on the stack of the tab in front.
func (t *tabs) open(p ui.Pane) {
	t.remember()
	t.current().stack = append(t.current().stack, p)
}

// goTo switches to a tab and moves its cursor to a row. It reports whether there is such a tab.
func (t *tabs) goTo(msg ui.GoToMsg) bool {
	i := t.find(msg.Pane)
	if i < 0 {
		return false
	}
	t.remember()
	t.front = i
	to := t.current()
	to.popTo(1)
	if l, ok := to.top().(ui.ListPane); ok && msg.ID != "" {
		l.Select(msg.ID)
	}
	if msg.ThenOpen != nil {
		to.stack = append(to.stack, msg.ThenOpen)
	}
	return true
}

// goBack returns to where the last jump came from. It reports whether there was one.
func (t *tabs) goBack() bool { return t.travel(&t.back, &t.forward) }

// goForward undoes the last goBack. It reports whether there was one.
func (t *tabs) goForward() bool { return t.travel(&t.forward, &t.back) }

// travel moves to the last location of one list and records the current one in the other. Panes that were opened
// deeper than that location are closed. Locations in panes that are closed by now lead nowhere and are skipped.
func (t *tabs) travel(from, to *[]location) bool {
	for n := len(*from) - 1; n >= 0; n-- {
		here, target := t.location(), (*from)[n]
		*from = (*from)[:n]
		t.front = target.tab
		t.current().popTo(target.depth)
		if t.location() != here {
			*to = append(*to, here)
			return true
		}
	}
	return false
}

// lists yields the roots of the tabs that are lists.
func (t *tabs) lists() iter.Seq[ui.ListPane] {
	return func(yield func(ui.ListPane) bool) {
		for _, one := range t.list {
			if l, ok := one.root().(ui.ListPane); ok && !yield(l) {
				return
			}
		}
	}
}

// rowsVersion changes with the rows of any tab.
func (t *tabs) rowsVersion() (sum int) {
	for l := range t.lists() {
		sum += l.Version()
	}
	return sum
}

// unread names the tabs whose rows have not been read.
func (t *tabs) unread() string {
	var names []string
	for l := range t.lists() {
		if !l.Loaded() {
			names = append(names, l.Name())
		}
	}
	return strings.Join(names, ", ")
}

// refreshAll refreshes the top pane of every tab.
func (t *tabs) refreshAll() {
	for i, one := range t.list {
		p := one.top()
		if info := p.Info(); i == t.front || !info.ReadOnRequest || info.Freshness.Loaded {
			p.Refresh() // what only opening a pane reads is not read for it
		}
	}
}

// saveState returns the user's choices in the tabs.
func (t *tabs) saveState() accountState {
	state := accountState{tab: t.current().name(), panes: map[string]ui.PaneState{}}
	for l := range t.lists() {
		state.panes[l.Name()] = l.SaveState()
	}
	return state
}

// restoreState applies choices that saveState returned.
func (t *tabs) restoreState(state accountState) {
	if i := t.find(state.tab); i >= 0 {
		t.front = i
	}
	for l := range t.lists() {
		if saved, known := state.panes[l.Name()]; known {
			l.RestoreState(saved)
		}
	}
}

// digitKeys are the keys of the tabs that have none of their own, in order.
const digitKeys = "1234567890"

// tabKeys returns the keys of the tabs, "" for those that have none.
func (s *Shell) tabKeys() []string {
	keys, digits := make([]string, len(s.tabs.list)), digitKeys
	for i, t := range s.tabs.list {
		if keys[i] = s.o.TabPlaces[t.name()].Key; keys[i] == "" && digits != "" {
			keys[i], digits = digits[:1], digits[1:]
		}
	}
	return keys
}

// shownTabKeys returns the keys of the tabs as they work now: "" where a pane that was opened from a tab has an action
// on the key.
func (s *Shell) shownTabKeys() []string {
	keys := s.tabKeys()
	if len(s.tabs.current().stack) > 1 {
		for _, a := range s.actionsOfPane() {
			for _, taken := range a.Key.Keys() {
				if i := slices.Index(keys, taken); i >= 0 {
					keys[i] = ""
				}
			}
		}
	}
	return keys
}

// A tabCell is a part of the tab bar: a tab, a collapsed area, a mark for tabs that are left out, or a line between
// areas. Tabs and areas have a blank on each side.
type tabCell struct {
	key, name   string
	badge       string
	badgeTone   theme.Tone
	area        string
	index       int // of the tab; that of the first one of a collapsed area; -1 for a mark or a line
	front, line bool
	width       int
}

// measured returns the cell with its width.
func (t tabCell) measured() tabCell {
	t.width = 1
	for _, part := range [...]string{t.key, t.name, t.badge} {
		if part != "" {
			t.width += ui.Width(part) + 1
		}
	}
	return t
}

// A tabBar is the tab bar while it is fitted to a width.
type tabBar struct {
	tabs     []tabCell // every tab
	expanded map[string]bool
	dropped  map[int]bool // tabs of the expanded area that are left out
	ellipsis string
}

// tabCells returns every tab with its badge; the shape of a problem stands before a number of problems.
func (s *Shell) tabCells(g theme.Glyphs) []tabCell {
	cells, keys := make([]tabCell, len(s.tabs.list)), s.shownTabKeys()
	for i, t := range s.tabs.list {
		cell := tabCell{
			key:   keys[i],
			name:  t.title,
			area:  s.o.TabPlaces[t.name()].Area,
			index: i,
			front: i == s.tabs.front,
		}
		if l, ok := t.root().(ui.ListPane); ok {
			cell.badge, cell.badgeTone = l.Badge()
			count := strings.TrimPrefix(cell.badge, "≥ ")
			if cell.badgeTone == theme.Bad && count != "" && count[0] >= '0' && count[0] <= '9' {
				cell.badge = g.Problem + cell.badge
			}
		}
		cells[i] = cell.measured()
	}
	return cells
}

// tabs returns every tab; the one in front with the place of a pane that was opened from it.
func (c chrome) tabs() []tabCell {
	s, g := c.s, c.b.Theme.Glyphs
	cells := s.tabCells(g)
	if len(s.tabs.current().stack) > 1 {
		front := &cells[s.tabs.front]
		front.badge, front.badgeTone = g.Right+" "+s.pane().Info().Crumb, theme.Strong
		*front = front.measured()
	}
	return cells
}

// layoutTabs fits the tab bar to the width. No name is cut: all areas but that in front collapse to their names, then
// tabs are left out of the area in front, those with a badge last, and then areas. The tab in front always stays.
func (c chrome) layoutTabs(tabs []tabCell) []tabCell {
	bar := tabBar{
		tabs:     tabs,
		expanded: map[string]bool{},
		dropped:  map[int]bool{},
		ellipsis: c.b.Theme.Glyphs.Ellipsis,
	}
	bar.fit(c.s.tabs.front, c.b.Width)
	cells := make([]tabCell, 0, 2*len(bar.tabs))
	bar.each(func(cell tabCell) { cells = append(cells, cell) })
	if over := widthOf(cells) - c.b.Width; over > 0 { // a long place alone
		for i := range cells {
			if cells[i].front {
				room := max(1, ui.Width(cells[i].badge)-over)
				cells[i].badge = truncateLeft(cells[i].badge, room, bar.ellipsis)
				cells[i] = cells[i].measured()
			}
		}
	}
	return cells
}

// click returns what a click on a part of the bar does. A line does nothing.
func (c chrome) click(cell tabCell) ui.Action {
	switch {
	case cell.index >= 0:
		return c.s.tabAction(cell.index)
	case cell.line:
		return ui.Action{}
	}
	return ui.LocalAction("program", goToName, "", func() { c.s.dialogs.push(c.s.newPalette()) })
}

// fit decides what is expanded and what is left out.
func (t *tabBar) fit(front, width int) {
	area := t.tabs[front].area
	for i := 0; area == "" && i < len(t.tabs); i++ {
		area = t.tabs[i].area
	}
	fits := func() bool { return t.width() <= width }
	for _, cell := range t.tabs {
		t.expanded[cell.area] = true
	}
	if !fits() {
		t.expanded = map[string]bool{"": true, area: true}
	}
	for _, withBadge := range []bool{false, true} {
		for i := len(t.tabs) - 1; i >= 0 && !fits(); i-- {
			if cell := t.tabs[i]; i != front && cell.area == area && (cell.badge != "") == withBadge {
				t.dropped[i] = true
			}
		}
	}
	for i := len(t.tabs) - 1; i >= 0 && !fits(); i-- {
		t.dropped[i] = i != front
	}
}

// each passes the parts of the bar to a function, from left to right.
func (t *tabBar) each(do func(tabCell)) {
	left, line, marked := "", false, false
	add := func(cell tabCell) {
		if line {
			do(tabCell{line: true, index: -1, width: 1})
		}
		do(cell)
		line = false
	}
	for i, cell := range t.tabs {
		next := i == 0 || cell.area != left
		line = line || next && i > 0
		left = cell.area
		switch {
		case t.dropped[i] && !marked:
			add(tabCell{name: t.ellipsis, index: -1}.measured())
			marked = true
		case t.dropped[i]:
		case t.expanded[cell.area]:
			add(cell)
			marked = false
		case next:
			add(t.collapsed(cell.area))
			marked = false
		}
	}
}

// width returns the number of cells that the bar takes.
func (t *tabBar) width() int {
	n := 0
	t.each(func(cell tabCell) { n += cell.width })
	return n
}

// collapsed returns an area in one cell, with the key of its first tab and the most important badge of its tabs.
func (t *tabBar) collapsed(area string) tabCell {
	whole := tabCell{name: area, index: -1}
	for _, cell := range t.tabs {
		if cell.area != area {
			continue
		}
		if whole.index < 0 {
			whole.key, whole.index = cell.key, cell.index
		}
		if cell.badge != "" && (whole.badge == "" || cell.badgeTone == theme.Bad && whole.badgeTone != theme.Bad) {
			whole.badge, whole.badgeTone = cell.badge, cell.badgeTone
		}
	}
	return whole.measured()
}

func widthOf(cells []tabCell) int {
	n := 0
	for _, cell := range cells {
		n += cell.width
	}
	return n
}

// drawnTabs is the tab bar as it was drawn last. Few keys change it, and laying it out takes longer than looking at the
// badges.
type drawnTabs struct {
	tabs  []tabCell
	width int
	theme *theme.Theme
	text  string
}

// tabBar returns the tab bar, and draws it again only if something has changed.
func (c chrome) tabBar() string {
	last, tabs := &c.s.tabs.drawn, c.tabs()
	if last.theme != c.b.Theme || last.width != c.b.Width || !slices.Equal(last.tabs, tabs) {
		*last = drawnTabs{
			tabs:  tabs,
			width: c.b.Width,
			theme: c.b.Theme,
			text:  c.drawTabs(c.layoutTabs(tabs)),
		}
	}
	return last.text
}

// drawTabs shows the tabs with their keys and badges by area. Its background separates the head line from the pane; the
// tab in front stands on the background of the cursor.
func (c chrome) drawTabs(cells []tabCell) string {
	var out strings.Builder
	t := c.b.Theme
	bar, front := t.Tint(theme.Field), t.Tint(theme.Cursor)
	write := func(tint *theme.RowTint, tone theme.Tone, text string) {
		if text != "" {
			codes := tint.Codes(tone)
			out.WriteString(codes.Open)
			out.WriteString(text)
			out.WriteString(codes.Close)
			out.WriteByte(' ')
		}
	}
	out.Grow(1<<10 + c.b.Width)
	out.WriteString(bar.Around.Open)
	room := c.b.Width
	for _, cell := range cells {
		room -= cell.width
		tint, tone := bar, theme.Muted
		if cell.line {
			codes := bar.Codes(theme.Rule)
			out.WriteString(codes.Open + t.Glyphs.Vertical + codes.Close)
			continue
		}
		if cell.front {
			tint, tone = front, theme.Strong
			out.WriteString(bar.Around.Close + front.Around.Open)
		}
		out.WriteByte(' ')
		write(tint, theme.Accent, cell.key)
		write(tint, tone, cell.name)
		write(tint, cell.badgeTone, cell.badge)
		if cell.front {
			out.WriteString(front.Around.Close + bar.Around.Open)
		}
	}
	for range room {
		out.WriteByte(' ')
	}
	out.WriteString(bar.Around.Close)
	return out.String()
}
