package shell

import (
	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"lookout/theme"
	"lookout/ui"
)

// paletteDialog goes anywhere by name: panes, actions of the pane in front, rows of all panes.
type paletteDialog struct {
	searchList
	shell        *Shell
	entries      []paletteEntry
	searchedText string
	searched     bool
	previewing   bool // the screen shows the preview of an entry
}

// A paletteEntry is a line of the palette.
type paletteEntry struct {
	label   string
	kind    string
	do      func() tea.Cmd
	preview func() // shows the effect while the cursor is on the entry; nil shows nothing
}

// maxRowsFound bounds the rows that the palette offers of one pane.
const maxRowsFound = 20

// openPalette shows the palette.
func openPalette(s *Shell) {
	p := &paletteDialog{searchList: newSearchList(), shell: s}
	p.updateEntries()
	s.dialogs.push(p)
}

func (p *paletteDialog) title() string { return "Go to" }

func (p *paletteDialog) size() (int, int) { return 70, 22 }

func (p *paletteDialog) hints() []hint {
	return []hint{{"", "type a pane, an action or a row"}, {"enter", "open"}, {"esc", "close"}}
}

// updateEntries finds the entries for the text: panes and actions by fuzzy search, followed by rows that contain it.
func (p *paletteDialog) updateEntries() {
	query := p.query()
	if p.searched && p.searchedText == query {
		return
	}
	p.searchedText, p.searched = query, true
	all := paletteEntries(p.shell)
	p.entries = all
	if query != "" {
		p.entries = nil
		labels := make([]string, len(all))
		for i, e := range all {
			labels[i] = e.label
		}
		for _, m := range fuzzy.Find(query, labels) {
			p.entries = append(p.entries, all[m.Index])
		}
		p.entries = append(p.entries, rowEntries(p.shell, query)...)
	}
	p.setEntryCount(len(p.entries))
}

// paletteEntries returns every entry but rows: panes, actions, accounts, commands and themes.
func paletteEntries(s *Shell) []paletteEntry {
	var all []paletteEntry
	add := func(label, kind string, do func() tea.Cmd) {
		all = append(all, paletteEntry{label: label, kind: kind, do: do})
	}
	for i, t := range s.tabs.list {
		add(t.name(), "pane", tabAction(s, i).Do)
	}
	for _, a := range s.actions() {
		if a.Group != "move" && a.Group != "panes" {
			add(a.Name(), "action", func() tea.Cmd { return s.startAction(a) })
		}
	}
	for _, name := range s.o.Accounts {
		if name != s.o.Account {
			add("account "+name, "account", func() tea.Cmd { return ui.Send(switchAccount{name}) })
		}
	}
	if s.o.Notify.Notices != nil {
		add("notify test", "notify", func() tea.Cmd { return s.o.Notify.test(s.o.Account) })
	}
	for _, c := range s.o.Commands {
		add(c.Name, c.Kind, c.Do)
	}
	return append(all, s.themes.entries()...)
}

// rowEntries returns the rows of all tabs that contain a text.
func rowEntries(s *Shell, text string) (entries []paletteEntry) {
	for _, t := range s.tabs.list {
		f, ok := t.root().(ui.Finder)
		if !ok {
			continue
		}
		for _, row := range f.Find(text, maxRowsFound) {
			open := func() tea.Cmd { return ui.Send(ui.GoToMsg{Pane: t.name(), ID: row.ID}) }
			entries = append(entries, paletteEntry{label: row.Label, kind: t.name(), do: open})
		}
	}
	return entries
}

// layout finds the entries for a text that was pasted.
func (p *paletteDialog) layout(b ui.Box) {
	p.updateEntries()
	p.searchList.layout(b)
}

func (p *paletteDialog) view(b ui.Box) string {
	return p.renderList(": ", b, func(i int, cursor bool) string {
		e := p.entries[i]
		label := fitWidth(e.label, b.Width-16, b)
		if cursor {
			return b.Theme.Paint(theme.Cursor, b.Theme.Glyphs.Cursor+" "+label+ui.Pad(e.kind, 14))
		}
		return "  " + label + b.Theme.Paint(theme.Muted, e.kind)
	})
}

func (p *paletteDialog) read(ui.Box) dialogReading {
	r := dialogReading{Announcement: ui.Announcement{Input: "go to: " + p.query(), Item: "nothing matches"}}
	if p.cursor < len(p.entries) {
		e := p.entries[p.cursor]
		r.Position, r.Count, r.Item = p.cursor+1, len(p.entries), e.label+"; "+e.kind
	}
	return r
}

func (p *paletteDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	chosen, closed := p.handleSearchKey(k)
	p.updateEntries()
	if closed {
		p.entries = nil
	}
	p.showPreview(s)
	if chosen && p.cursor < len(p.entries) {
		s.dialogs.dismiss(p)
		return p.entries[p.cursor].do(), true
	}
	return nil, closed
}

// showPreview shows the effect of the entry at the cursor, or ends the preview of another one.
func (p *paletteDialog) showPreview(s *Shell) {
	has := p.cursor < len(p.entries) && p.entries[p.cursor].preview != nil
	switch {
	case has:
		p.entries[p.cursor].preview()
	case p.previewing:
		s.themes.endPreview()
	}
	p.previewing = has
}
