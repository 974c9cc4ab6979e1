package shell

import (
	"iter"
	"slices"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/input"
)

// searchList is a list of entries below a line of text that narrows it. Help and palette are made of it.
type searchList struct {
	entryList
	line        *input.TextField
	placeholder string // what can be typed
	nothing     string // said where no entry matches
}

// maxSearchRunes bounds the text that is searched for: every action and row is compared with each part of it.
const maxSearchRunes = 200

func newSearchList(placeholder string) searchList {
	list := searchList{line: input.NewLine(""), placeholder: placeholder, nothing: "nothing matches"}
	list.line.SetLimit(maxSearchRunes)
	return list
}

// query returns the text that narrows the list.
func (q *searchList) query() string { return q.line.Text() }

// searchHeaderLines is the number of lines above the entries.
const searchHeaderLines = 2

// handleSearchKey edits the text or moves the cursor. It reports whether enter chose the entry at the cursor, and
// whether esc closes the list.
func (q *searchList) handleSearchKey(k tea.KeyPressMsg) (chosen, closed bool) {
	switch k.String() {
	case "esc":
		return false, true
	case "enter":
		return true, false
	case "down", "tab", "ctrl+n":
		q.moveBy(1)
	case "up", "shift+tab", "ctrl+p":
		q.moveBy(-1)
	case "pgdown":
		q.page(1)
	case "pgup":
		q.page(-1)
	default:
		if before := q.query(); q.line.Press(k) && q.query() != before {
			q.cursor, q.top = 0, 0
		}
	}
	return false, false
}

// layout scrolls the list so that the cursor is visible.
func (q *searchList) layout(b ui.Box) {
	b.Height -= searchHeaderLines
	q.entryList.layout(b)
}

// view draws the text and the visible entries.
func (q *searchList) view(b ui.Box) string {
	lines := append(input.ViewField(q.line, b, true, q.placeholder), "")
	if len(q.entries) == 0 {
		for _, line := range ui.Wrap(q.nothing, b.Width) {
			lines = append(lines, b.Theme.Paint(theme.Muted, line))
		}
	}
	return strings.Join(append(lines, q.entryList.view(b)...), "\n")
}

func (q *searchList) handlePaste(msg tea.PasteMsg) tea.Cmd {
	q.line.Paste(strings.Join(strings.Fields(msg.Content), " "))
	return nil
}

// clickLine handles a click on an entry below the text.
func (q *searchList) clickLine(line int) bool {
	return line >= searchHeaderLines && q.click(line-searchHeaderLines)
}

// helpDialog lists every action of the pane and of the program by group. It is made of the actions themselves.
type helpDialog struct {
	searchList
	pane    string
	actions []ui.Action
	matches []ui.Action
	height  int     // of all actions
	found   *string // the text that the matches are for
}

func newHelpDialog(pane string, actions iter.Seq[ui.Action]) *helpDialog {
	h := &helpDialog{searchList: newSearchList("type to search"), pane: pane, actions: byGroup(actions)}
	h.findMatches()
	return h
}

// byGroup returns actions in the order of their groups, without the tabs whose key an earlier action has.
func byGroup(actions iter.Seq[ui.Action]) []ui.Action {
	groups := []string{"", "the account", "this list", "move", tabGroup, "program"}
	var sorted []ui.Action
	taken := map[string]bool{}
	for a := range actions {
		keys := a.Key.Keys()
		if a.Group == tabGroup && slices.ContainsFunc(keys, func(k string) bool { return taken[k] }) {
			continue
		}
		for _, k := range keys {
			taken[k] = true
		}
		sorted = append(sorted, a)
	}
	sort.SliceStable(sorted, func(i, j int) bool {
		return slices.Index(groups, sorted[i].Group) < slices.Index(groups, sorted[j].Group)
	})
	return sorted
}

// groupHeading returns the heading of a group of actions. Those without a group belong to the pane.
func groupHeading(group, pane string) string {
	switch group {
	case "":
		group = pane
	case "program":
		group = "everywhere"
	}
	if len(group) <= 3 {
		return strings.ToUpper(group)
	}
	return strings.ToUpper(group[:1]) + group[1:]
}

func (h *helpDialog) title() string { return "Help" }

func (h *helpDialog) size(most ui.Box) (int, int) {
	width := min(helpWidth, most.Width)
	if h.query() == "" {
		h.makeLines(width)
		h.height = len(h.lines)
	}
	return width, h.height + searchHeaderLines
}

// helpWidth is the width of the help.
const helpWidth = 110

func (h *helpDialog) hints() []hint {
	return []hint{{"enter", "run"}, {"pgup/pgdn", "page"}, {"esc", "close"}}
}

// findMatches finds the actions that match the text.
func (h *helpDialog) findMatches() {
	text := h.query()
	if h.found != nil && *h.found == text {
		return
	}
	h.found, h.matches = &text, h.matches[:0]
	query := strings.ToLower(text)
	var entries []listEntry
	for _, a := range h.actions {
		about := strings.Join([]string{a.Name(), a.Description, a.Group, allKeys(a)}, " ")
		if !strings.Contains(strings.ToLower(about), query) {
			continue
		}
		h.matches = append(h.matches, a)
		e := entryOf(a, allKeys(a))
		e.name, e.about = a.Name(), a.Description+wording.WithPrefix(" · not available: ", a.DisabledReason)
		e.about = strings.TrimPrefix(e.about, " · ")
		if query == "" {
			e.heading = groupHeading(a.Group, h.pane)
		}
		entries = append(entries, e)
	}
	h.setEntries(entries)
}

// layout finds the actions for a text that was pasted.
func (h *helpDialog) layout(b ui.Box) {
	h.findMatches()
	h.searchList.layout(b)
}

// allKeys returns the keys of an action as they are shown.
func allKeys(a ui.Action) string {
	keys := slices.Clone(a.Key.Keys())
	for i := range keys {
		keys[i] = ui.KeyLabel(keys[i])
	}
	return strings.Join(keys, " ")
}

func (h *helpDialog) read(ui.Box) dialogReading {
	r := dialogReading{ScreenReaderText: ui.ScreenReaderText{Input: "search: " + h.query(), Item: h.nothing}}
	if h.cursor < len(h.matches) {
		r.Position, r.Count, r.Item = h.cursor+1, len(h.matches), describeAction(h.matches[h.cursor])
	}
	return r
}

func (h *helpDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	chosen, closed := h.handleSearchKey(k)
	if chosen && h.cursor < len(h.matches) {
		s.dialogs.dismiss(h)
		return s.startAction(h.matches[h.cursor]), true
	}
	return nil, closed
}
