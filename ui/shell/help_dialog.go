package shell

import (
	"slices"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/input"
)

// searchList is a list of entries below a line of text that narrows it. Help and palette are made of it.
type searchList struct {
	line       *input.Line
	cursor     int
	scrollTop  int
	entryCount int
	room       int    // entries that are visible
	nothing    string // said where no entry matches
}

func newSearchList() searchList {
	return searchList{line: input.NewLine(""), nothing: "nothing matches"}
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
		q.moveBy(q.room)
	case "pgup":
		q.moveBy(-q.room)
	default:
		if before := q.query(); q.line.Press(k) && q.query() != before {
			q.cursor = 0
		}
	}
	return false, false
}

// moveBy moves the cursor by a number of entries, as far as there are any.
func (q *searchList) moveBy(n int) { q.cursor = max(0, min(q.cursor+n, q.entryCount-1)) }

// setEntryCount keeps the cursor on one of n entries.
func (q *searchList) setEntryCount(n int) {
	q.entryCount = n
	q.cursor = max(0, min(q.cursor, n-1))
}

// layout scrolls the list so that the cursor is visible.
func (q *searchList) layout(b ui.Box) {
	q.room = b.Height - searchHeaderLines
	q.scrollTop = max(min(q.scrollTop, q.cursor), q.cursor-q.room+1, 0)
}

// renderList draws the text and the visible entries.
func (q *searchList) renderList(label string, b ui.Box, entry func(i int, cursor bool) string) string {
	t, line := b.Theme, b
	line.Width -= ui.Width(label)
	lines := []string{t.Paint(theme.Accent, label) + q.line.View(line, true)[0], ""}
	for i := q.scrollTop; i < min(q.entryCount, q.scrollTop+b.Height-searchHeaderLines); i++ {
		lines = append(lines, entry(i, i == q.cursor))
	}
	if q.entryCount == 0 {
		lines = append(lines, t.Paint(theme.Muted, ui.Truncate(q.nothing, b.Width, t.Glyphs.Ellipsis)))
	}
	return strings.Join(lines, "\n")
}

func (q *searchList) handlePaste(msg tea.PasteMsg) tea.Cmd {
	q.line.Paste(strings.Join(strings.Fields(msg.Content), " "))
	return nil
}

// clickLine handles a click on an entry below the text.
func (q *searchList) clickLine(line int) bool {
	return line >= searchHeaderLines && clickEntry(&q.cursor, q.scrollTop+line-searchHeaderLines, q.entryCount)
}

// helpDialog lists every action of the pane and of the program by group. It is made of the actions themselves.
type helpDialog struct {
	searchList
	actions []ui.Action
	matches []ui.Action
}

func newHelpDialog(actions []ui.Action) *helpDialog {
	sorted := slices.Clone(actions)
	sort.SliceStable(sorted, func(i, j int) bool { return groupRank(sorted[i].Group) < groupRank(sorted[j].Group) })
	return &helpDialog{searchList: newSearchList(), actions: sorted}
}

func groupRank(group string) int {
	return slices.Index([]string{"", "this list", "move", "panes", "program"}, group)
}

func (h *helpDialog) title() string { return "Help · type to search" }

func (h *helpDialog) size(ui.Box) (int, int) { return 84, len(h.actions) + searchHeaderLines }

func (h *helpDialog) hints() []hint {
	return []hint{{"", "type to search"}, {"enter", "run"}, {"esc", "close"}}
}

// layout finds the actions that match the text.
func (h *helpDialog) layout(b ui.Box) {
	h.matches = h.matches[:0]
	query := strings.ToLower(h.query())
	for _, a := range h.actions {
		if strings.Contains(strings.ToLower(a.Name()+" "+a.Description+" "+a.Group), query) {
			h.matches = append(h.matches, a)
		}
	}
	h.setEntryCount(len(h.matches))
	h.searchList.layout(b)
}

func (h *helpDialog) view(b ui.Box) string {
	keys, names := 0, 0
	for _, a := range h.matches {
		keys, names = max(keys, ui.Width(allKeys(a))), max(names, ui.Width(a.Name()))
	}
	keys, names = min(keys, b.Width/3), min(names, b.Width/3)
	return h.renderList("search ", b, func(i int, cursor bool) string {
		a := h.matches[i]
		about := a.Description + prefixed(" · not available: ", a.DisabledReason)
		name := theme.Segment{Text: fitWidth(a.Name(), names, b) + "  "}
		if a.DisabledReason != "" {
			name.Tone = theme.Off
		}
		return entryLine(
			cursor, b, theme.Segment{Text: fitWidth(allKeys(a), keys, b) + "  ", Tone: theme.Accent}, name,
			theme.Segment{Text: about, Tone: theme.Muted},
		)
	})
}

func allKeys(a ui.Action) string { return strings.Join(a.Key.Keys(), " ") }

// fitWidth pads or truncates text to a width.
func fitWidth(text string, width int, b ui.Box) string {
	return ui.Pad(ui.Truncate(text, width, b.Theme.Glyphs.Ellipsis), width)
}

func (h *helpDialog) read(ui.Box) dialogReading {
	r := dialogReading{Announcement: ui.Announcement{Input: "search: " + h.query(), Item: h.nothing}}
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
