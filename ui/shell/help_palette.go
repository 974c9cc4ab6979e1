package shell

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"lookout/theme"
	"lookout/ui"
)

// searchList is a list of entries under a line of text that narrows it: the help and the palette.
type searchList struct {
	query      string
	cursor     int
	scrollTop  int
	entryCount int // entries of the last frame
}

// searchHeaderLines is the lines above the entries.
const searchHeaderLines = 2

// handleSearchKey takes a key for the text. It reports whether enter was pressed.
func (q *searchList) handleSearchKey(k tea.KeyPressMsg, n int) (chosen, leave bool) {
	switch k.String() {
	case "esc":
		return false, true
	case "enter":
		return true, false
	case "down", "tab", "ctrl+n":
		q.cursor = min(q.cursor+1, n-1)
	case "up", "shift+tab", "ctrl+p":
		q.cursor = max(q.cursor-1, 0)
	case "backspace":
		if r := []rune(q.query); len(r) > 0 {
			q.query, q.cursor = string(r[:len(r)-1]), 0
		}
	default:
		if k.Text != "" {
			q.query, q.cursor = q.query+k.Text, 0
		}
	}
	return false, false
}

// renderList draws the text and the entries around the cursor.
func (q *searchList) renderList(lead string, n int, b ui.Box, line func(i int, cursor bool) string) string {
	q.cursor = max(0, min(q.cursor, n-1))
	q.entryCount = n
	room := b.Height - searchHeaderLines
	q.scrollTop = max(min(q.scrollTop, q.cursor), q.cursor-room+1, 0)
	lines := []string{
		b.Theme.Paint(theme.Accent, lead) + b.Theme.Paint(theme.Input, q.query) + b.Theme.Paint(theme.Cursor, " "),
		"",
	}
	for i := q.scrollTop; i < min(n, q.scrollTop+room); i++ {
		lines = append(lines, line(i, i == q.cursor))
	}
	if n == 0 {
		lines = append(lines, b.Theme.Paint(theme.Muted, "nothing matches"))
	}
	return strings.Join(lines, "\n")
}

func (q *searchList) handlePaste(msg tea.PasteMsg) tea.Cmd {
	q.query += strings.Join(strings.Fields(msg.Content), " ")
	return nil
}

// helpDialog is every action of the pane and of the program by group, made from the actions themselves.
type helpDialog struct {
	searchList
	actions []ui.Action
	matches []ui.Action
}

func newHelpDialog(actions []ui.Action) *helpDialog {
	sorted := slices.Clone(actions)
	slices.SortStableFunc(sorted, func(a, b ui.Action) int { return groupRank(a.Group) - groupRank(b.Group) })
	return &helpDialog{actions: sorted}
}

func groupRank(group string) int {
	return slices.Index([]string{"", "this list", "move", "panes", "program"}, group)
}

func (h *helpDialog) title() string { return "Help · type to search" }

func (h *helpDialog) size() (int, int) { return 84, 60 }

func (h *helpDialog) hint() string { return "type to search · enter does it · esc closes" }

func (h *helpDialog) view(b ui.Box) string {
	h.matches = h.matches[:0]
	want := strings.ToLower(h.query)
	for _, a := range h.actions {
		if strings.Contains(strings.ToLower(a.Name()+" "+a.Description+" "+a.Group), want) {
			h.matches = append(h.matches, a)
		}
	}
	keys, names := 0, 0
	for _, a := range h.matches {
		keys, names = max(keys, ui.Width(allKeys(a))), max(names, ui.Width(a.Name()))
	}
	keys, names = min(keys, b.Width/3), min(names, b.Width/3)
	return h.renderList("search ", len(h.matches), b, func(i int, cursor bool) string {
		a := h.matches[i]
		text := fitWidth(
			allKeys(a),
			keys,
			b,
		) + "  " + fitWidth(
			a.Name(),
			names,
			b,
		) + "  " + a.Description + prefixed(
			" · not now: ",
			a.DisabledReason,
		)
		text = ui.Truncate(text, b.Width-2, b.Theme.Glyphs.Ellipsis)
		if cursor {
			return b.Theme.Paint(theme.Cursor, ui.Pad(b.Theme.Glyphs.Cursor+" "+text, b.Width))
		}
		return "  " + text
	})
}

func allKeys(a ui.Action) string { return strings.Join(a.Key.Keys(), " ") }

// fitWidth is text in exactly so many cells.
func fitWidth(text string, width int, b ui.Box) string {
	return ui.Pad(ui.Truncate(text, width, b.Theme.Glyphs.Ellipsis), width)
}

func (h *helpDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	chosen, leave := h.searchList.handleSearchKey(k, len(h.matches))
	if chosen && h.cursor < len(h.matches) {
		s.dismiss(h)
		return s.startAction(h.matches[h.cursor]), true
	}
	return nil, leave
}

// paletteDialog goes anywhere: panes, actions of the pane in front, rows of all panes.
type paletteDialog struct {
	searchList
	entries      []paletteEntry
	searchedText string
	searched     bool
	previewing   bool // the screen shows what a line would do
}

// paletteEntry is one line of the palette.
type paletteEntry struct {
	label   string
	kind    string
	do      func() tea.Cmd
	preview func() // shows what it would do while the cursor is on it; nil shows nothing
}

func newPaletteDialog() *paletteDialog { return &paletteDialog{} }

func (p *paletteDialog) title() string { return "Go to" }

func (p *paletteDialog) size() (int, int) { return 70, 22 }

func (p *paletteDialog) hint() string {
	return "type a pane, an action or the name of a row · enter goes · esc closes"
}

// updateEntries makes the list for the text: fuzzy over panes and actions, then rows that hold it.
func (p *paletteDialog) updateEntries(s *Shell) {
	if p.searched && p.searchedText == p.query {
		return
	}
	p.searchedText, p.searched = p.query, true
	var all []paletteEntry
	for i, t := range s.tabs {
		all = append(
			all,
			paletteEntry{label: t.stack[0].Name(), kind: "pane", do: func() tea.Cmd { return s.switchTab(i) }},
		)
	}
	for _, a := range s.actions() {
		if a.Group != "move" && a.Group != "panes" {
			all = append(
				all,
				paletteEntry{label: a.Name(), kind: "action", do: func() tea.Cmd { return s.startAction(a) }},
			)
		}
	}
	all = append(all, s.paletteCommands()...)
	p.entries = all
	if p.query == "" {
		return
	}
	p.entries = nil
	labels := make([]string, len(all))
	for i, t := range all {
		labels[i] = t.label
	}
	for _, m := range fuzzy.Find(p.query, labels) {
		p.entries = append(p.entries, all[m.Index])
	}
	for _, t := range s.tabs {
		f, ok := t.stack[0].(ui.Finder)
		if !ok {
			continue
		}
		name := t.stack[0].Name()
		for _, row := range f.Find(p.query, 20) {
			p.entries = append(
				p.entries,
				paletteEntry{
					label: row.Label,
					kind:  name,
					do:    func() tea.Cmd { return ui.Send(ui.GoToMsg{Pane: name, ID: row.ID}) },
				},
			)
		}
	}
}

func (p *paletteDialog) view(b ui.Box) string {
	return p.renderList(": ", len(p.entries), b, func(i int, cursor bool) string {
		t := p.entries[i]
		label := ui.Pad(ui.Truncate(t.label, b.Width-16, b.Theme.Glyphs.Ellipsis), b.Width-16)
		if cursor {
			return b.Theme.Paint(theme.Cursor, b.Theme.Glyphs.Cursor+" "+label+ui.Pad(t.kind, 14))
		}
		return "  " + label + b.Theme.Paint(theme.Muted, t.kind)
	})
}

func (p *paletteDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	p.updateEntries(s)
	chosen, leave := p.searchList.handleSearchKey(k, len(p.entries))
	p.updateEntries(s)
	p.cursor = max(0, min(p.cursor, len(p.entries)-1))
	if leave {
		p.entries = nil
	}
	p.preview(s)
	if chosen && p.cursor < len(p.entries) {
		s.dismiss(p)
		return p.entries[p.cursor].do(), true
	}
	return nil, leave
}
