package shell

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"lookout/theme"
	"lookout/ui"
)

// search is a list of entries under a line of text that narrows it: the help and the palette.
type search struct {
	text string
	at   int
	top  int
	last int // entries of the last frame
}

// searchHead is the lines above the entries.
const searchHead = 2

// press takes a key for the text. It reports whether enter was pressed.
func (q *search) press(k tea.KeyPressMsg, n int) (chosen, leave bool) {
	switch k.String() {
	case "esc":
		return false, true
	case "enter":
		return true, false
	case "down", "tab", "ctrl+n":
		q.at = min(q.at+1, n-1)
	case "up", "shift+tab", "ctrl+p":
		q.at = max(q.at-1, 0)
	case "backspace":
		if r := []rune(q.text); len(r) > 0 {
			q.text, q.at = string(r[:len(r)-1]), 0
		}
	default:
		if k.Text != "" {
			q.text, q.at = q.text+k.Text, 0
		}
	}
	return false, false
}

// window draws the text and the entries around the cursor.
func (q *search) window(lead string, n int, b ui.Box, line func(i int, cursor bool) string) string {
	q.at = max(0, min(q.at, n-1))
	q.last = n
	room := b.Height - searchHead
	q.top = max(min(q.top, q.at), q.at-room+1, 0)
	lines := []string{b.Theme.Paint(theme.Accent, lead) + b.Theme.Paint(theme.Input, q.text) + b.Theme.Paint(theme.Cursor, " "), ""}
	for i := q.top; i < min(n, q.top+room); i++ {
		lines = append(lines, line(i, i == q.at))
	}
	if n == 0 {
		lines = append(lines, b.Theme.Paint(theme.Muted, "nothing matches"))
	}
	return strings.Join(lines, "\n")
}

func (q *search) paste(msg tea.PasteMsg) tea.Cmd {
	q.text += strings.Join(strings.Fields(msg.Content), " ")
	return nil
}

// help is every action of the pane and of the program by group, made from the actions themselves.
type help struct {
	search
	actions []ui.Action
	shown   []ui.Action
}

func newHelp(actions []ui.Action) *help {
	sorted := slices.Clone(actions)
	slices.SortStableFunc(sorted, func(a, b ui.Action) int { return groupRank(a.Group) - groupRank(b.Group) })
	return &help{actions: sorted}
}

func groupRank(group string) int {
	return slices.Index([]string{"", "this list", "move", "panes", "program"}, group)
}

func (h *help) title() string { return "Help · type to search" }

func (h *help) size() (int, int) { return 84, 60 }

func (h *help) hint() string { return "type to search · enter does it · esc closes" }

func (h *help) view(b ui.Box) string {
	h.shown = h.shown[:0]
	want := strings.ToLower(h.text)
	for _, a := range h.actions {
		if strings.Contains(strings.ToLower(a.Name()+" "+a.About+" "+a.Group), want) {
			h.shown = append(h.shown, a)
		}
	}
	keys, names := 0, 0
	for _, a := range h.shown {
		keys, names = max(keys, ui.Width(allKeys(a))), max(names, ui.Width(a.Name()))
	}
	keys, names = min(keys, b.Width/3), min(names, b.Width/3)
	return h.window("search ", len(h.shown), b, func(i int, cursor bool) string {
		a := h.shown[i]
		text := column(allKeys(a), keys, b) + "  " + column(a.Name(), names, b) + "  " + a.About + prefixed(" · not now: ", a.Off)
		text = ui.Cut(text, b.Width-2, b.Theme.Glyphs.Ellipsis)
		if cursor {
			return b.Theme.Paint(theme.Cursor, ui.Pad(b.Theme.Glyphs.Cursor+" "+text, b.Width))
		}
		return "  " + text
	})
}

func allKeys(a ui.Action) string { return strings.Join(a.Key.Keys(), " ") }

// column is text in exactly so many cells.
func column(text string, width int, b ui.Box) string {
	return ui.Pad(ui.Cut(text, width, b.Theme.Glyphs.Ellipsis), width)
}

func (h *help) press(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	chosen, leave := h.search.press(k, len(h.shown))
	if chosen && h.at < len(h.shown) {
		s.dismiss(h)
		return s.start(h.shown[h.at]), true
	}
	return nil, leave
}

// palette goes anywhere: panes, actions of the pane in front, rows of all panes.
type palette struct {
	search
	targets []target
	made    string
	fresh   bool
	tried   bool // the screen shows what a line would do
}

// target is one line of the palette.
type target struct {
	label string
	kind  string
	do    func() tea.Cmd
	try   func() // shows what it would do while the cursor is on it; nil shows nothing
}

func newPalette() *palette { return &palette{} }

func (p *palette) title() string { return "Go to" }

func (p *palette) size() (int, int) { return 70, 22 }

func (p *palette) hint() string {
	return "type a pane, an action or the name of a row · enter goes · esc closes"
}

// find makes the list for the text: fuzzy over panes and actions, then rows that hold it.
func (p *palette) find(s *Shell) {
	if p.fresh && p.made == p.text {
		return
	}
	p.made, p.fresh = p.text, true
	var all []target
	for i, t := range s.tabs {
		all = append(all, target{label: t.stack[0].Name(), kind: "pane", do: func() tea.Cmd { return s.toTab(i) }})
	}
	for _, a := range s.actions() {
		if a.Group != "move" && a.Group != "panes" {
			all = append(all, target{label: a.Name(), kind: "action", do: func() tea.Cmd { return s.start(a) }})
		}
	}
	all = append(all, s.commands()...)
	p.targets = all
	if p.text == "" {
		return
	}
	p.targets = nil
	labels := make([]string, len(all))
	for i, t := range all {
		labels[i] = t.label
	}
	for _, m := range fuzzy.Find(p.text, labels) {
		p.targets = append(p.targets, all[m.Index])
	}
	for _, t := range s.tabs {
		f, ok := t.stack[0].(ui.Finder)
		if !ok {
			continue
		}
		name := t.stack[0].Name()
		for _, row := range f.Find(p.text, 20) {
			p.targets = append(p.targets, target{label: row.Label, kind: name, do: func() tea.Cmd { return ui.Send(ui.Goto{Pane: name, ID: row.ID}) }})
		}
	}
}

func (p *palette) view(b ui.Box) string {
	return p.window(": ", len(p.targets), b, func(i int, cursor bool) string {
		t := p.targets[i]
		label := ui.Pad(ui.Cut(t.label, b.Width-16, b.Theme.Glyphs.Ellipsis), b.Width-16)
		if cursor {
			return b.Theme.Paint(theme.Cursor, b.Theme.Glyphs.Cursor+" "+label+ui.Pad(t.kind, 14))
		}
		return "  " + label + b.Theme.Paint(theme.Muted, t.kind)
	})
}

func (p *palette) press(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	p.find(s)
	chosen, leave := p.search.press(k, len(p.targets))
	p.find(s)
	p.at = max(0, min(p.at, len(p.targets)-1))
	if leave {
		p.targets = nil
	}
	p.preview(s)
	if chosen && p.at < len(p.targets) {
		s.dismiss(p)
		return p.targets[p.at].do(), true
	}
	return nil, leave
}
