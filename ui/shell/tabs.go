package shell

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/ui"
)

// A tab is a pane and the panes that were opened from it.
type tab struct{ stack []ui.Pane }

func (t *tab) root() ui.Pane { return t.stack[0] }

func (t *tab) top() ui.Pane { return t.stack[len(t.stack)-1] }

func (t *tab) name() string { return t.root().Name() }

// title returns the name as the tab bar shows it.
func (t *tab) title() string {
	name := t.name()
	if len(name) <= 3 {
		return strings.ToUpper(name)
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

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
	if s, ok := to.top().(ui.Selector); ok && msg.ID != "" {
		s.Select(msg.ID)
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
// deeper than that location are closed.
func (t *tabs) travel(from, to *[]location) bool {
	n := len(*from)
	if n == 0 {
		return false
	}
	target := (*from)[n-1]
	*from = (*from)[:n-1]
	*to = append(*to, t.location())
	t.front = target.tab
	t.current().popTo(target.depth)
	return true
}

// refreshAll refreshes the top pane of every tab.
func (t *tabs) refreshAll() tea.Cmd {
	var cmds []tea.Cmd
	for _, one := range t.list {
		cmds = append(cmds, one.top().Refresh())
	}
	return tea.Batch(cmds...)
}

// saveState returns the user's choices in the tabs.
func (t *tabs) saveState() accountState {
	state := accountState{tab: t.current().name(), panes: map[string]ui.PaneState{}}
	for _, one := range t.list {
		if s, ok := one.root().(ui.StateSaver); ok {
			state.panes[one.name()] = s.SaveState()
		}
	}
	return state
}

// restoreState applies choices that saveState returned.
func (t *tabs) restoreState(state accountState) {
	if i := t.find(state.tab); i >= 0 {
		t.front = i
	}
	for _, one := range t.list {
		saved, known := state.panes[one.name()]
		if s, ok := one.root().(ui.StateSaver); ok && known {
			s.RestoreState(saved)
		}
	}
}
