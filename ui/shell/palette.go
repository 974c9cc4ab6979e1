package shell

import (
	"cmp"
	"sort"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/search"
)

// A paletteEntry is a line of the palette.
type paletteEntry struct {
	label   string
	foundBy string // what fits the text better than the label
	area    string // of a pane: its name finds the pane, too
	kind    string
	key     string // that does the same
	object  string // what an action acts on, if the pane does not show it
	reason  string // why it cannot be done now
	id      string // of a row in its pane
	fit     search.MatchScore
	do      func() tea.Cmd
	preview func() // shows the effect while the cursor is on the entry; nil shows nothing
}

// maxRowsFound bounds the rows that the palette offers of one pane.
const maxRowsFound = 20

// newPalette returns the dialog that goes anywhere by name: panes, actions of the pane in front, rows of all panes,
// actions on rows.
func (s *Shell) newPalette() dialog {
	return searchDialog{
		entryList:   entryList{keysRight: true},
		name:        "Go to",
		prompt:      "go to",
		placeholder: `pane, row, ticket, phone or "disable web-1"`,
		maxWidth:    70,
		shrinks:     true,
		keys:        []hint{{"enter", "open"}, {"esc", "close"}},
		version:     s.tabs.rowsVersion,
		unread:      s.tabs.unread,
		load: sync.OnceFunc(func() {
			for l := range s.tabs.lists() {
				l.EnsureLoaded()
			}
		}),
		find: func(text string) (entries []listEntry) {
			for _, e := range s.findEntries(text) {
				entries = append(entries, e.entry(text == ""))
			}
			return entries
		},
	}.open()
}

// entry returns the entry as the list shows it: with its kind as a heading, or beside it where the best entries come
// first.
func (e paletteEntry) entry(grouped bool) listEntry {
	shown := listEntry{
		name:  e.label + wording.WithPrefix(" · ", e.foundBy),
		keys:  e.key,
		about: cmp.Or(e.reason, e.object),
		off:   e.reason != "",
		id:    e.kind + "\x00" + e.id + "\x00" + e.label,
		spoken: func() string {
			return e.label + wording.WithPrefix("; ", e.foundBy) + "; " + e.kind + wording.WithPrefix("; key ", e.key) +
				wording.WithPrefix("; not available: ", e.reason)
		},
		run:     func(*Shell) tea.Cmd { return e.do() },
		preview: e.preview,
	}
	switch {
	case grouped:
		shown.heading = map[string]string{
			"pane":     "Panes",
			"action":   "Actions",
			"account":  "Accounts",
			"bookmark": "Bookmarks",
			"notify":   "Notifications",
			"theme":    "Themes",
			"demo":     "Demo",
		}[e.kind]
	case shown.about == "":
		shown.about = e.kind
	}
	return shown
}

// findEntries returns the entries that fit a text: first those that fit best, and of these panes, actions and rows in
// this order. Entries that only have its letters come last.
func (s *Shell) findEntries(text string) []paletteEntry {
	all, q := s.paletteEntries(), search.New(text)
	if q.IsEmpty() {
		return all
	}
	var found, rest []paletteEntry
	for _, e := range all {
		if e.fit = max(fitOrForgive(q, e.label), fitOrForgive(q, e.area)); e.fit > search.None {
			found = append(found, e)
		} else {
			rest = append(rest, e)
		}
	}
	found = append(found, s.otherPaneEntries(q)...)
	found = append(found, s.rowActionEntries(text)...)
	found = append(found, s.rowEntries(text)...)
	sort.SliceStable(found, func(i, j int) bool { return found[i].fit > found[j].fit })
	labels := make([]string, len(rest))
	for i, e := range rest {
		labels[i] = e.label
	}
	for _, m := range fuzzy.Find(text, labels) {
		found = append(found, rest[m.Index])
	}
	return found
}

// fitOrForgive returns how well a text fits; a typing error is forgiven.
func fitOrForgive(q search.SearchTerm, text string) search.MatchScore {
	return max(q.Fit(text), q.Forgive(text))
}

// paletteEntries returns every entry but rows: panes, actions, accounts, commands and themes.
func (s *Shell) paletteEntries() []paletteEntry {
	var all []paletteEntry
	add := func(label, kind string, do func() tea.Cmd) {
		all = append(all, paletteEntry{label: label, kind: kind, do: do})
	}
	keys := s.shownTabKeys()
	for i, t := range s.tabs.list {
		add(t.name(), "pane", s.tabAction(i).Do)
		all[i].key, all[i].area = keys[i], s.o.TabPlaces[t.name()].Area
	}
	for a := range s.actions() {
		if a.Group != "move" && a.Group != tabGroup && a.Name() != goToName {
			add(a.Name(), "action", func() tea.Cmd { return s.startAction(a) })
			e := &all[len(all)-1]
			e.key, e.object, e.reason = a.Key.Help().Key, a.Object, a.DisabledReason
		}
	}
	for _, t := range s.tabs.list {
		if p, ok := t.root().(ui.BookmarkProvider); ok {
			for _, bookmark := range p.Bookmarks() {
				add(bookmark.Name(), "bookmark", bookmark.Do)
			}
		}
	}
	for _, choice := range s.o.Accounts {
		if name := choice.Name; name != s.o.Account {
			add("account "+name, "account", func() tea.Cmd { return ui.Send(ui.SwitchAccountMsg{Account: name}) })
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

// otherPaneEntries returns the actions that need no row and that only other panes offer: "new contact".
func (s *Shell) otherPaneEntries(q search.SearchTerm) (entries []paletteEntry) {
	offered := map[string]bool{}
	for a := range s.actions() {
		offered[a.ID()] = true
	}
	for l := range s.tabs.lists() {
		for _, a := range s.policy.apply(l.Name(), l.RowlessActions()) {
			fit := fitOrForgive(q, a.Name())
			if offered[a.ID()] || fit == search.None {
				continue
			}
			offered[a.ID()] = true
			entries = append(entries, paletteEntry{
				label:  a.Name(),
				kind:   l.Name(),
				reason: a.DisabledReason,
				fit:    fit,
				do: func() tea.Cmd {
					s.tabs.goTo(ui.GoToMsg{Pane: l.Name()})
					return s.startAction(a)
				},
			})
		}
	}
	return entries
}

// rowEntries returns the rows of all tabs that fit a text.
func (s *Shell) rowEntries(text string) (entries []paletteEntry) {
	for l := range s.tabs.lists() {
		entries = append(entries, rowEntriesOf(l, text)...)
	}
	return entries
}

// rowEntriesOf returns the rows of a pane that fit a text.
func rowEntriesOf(l ui.ListPane, text string) (entries []paletteEntry) {
	pane, q := l.Name(), search.New(text)
	for _, row := range l.Find(text, maxRowsFound) {
		entries = append(entries, paletteEntry{
			label:   row.Label,
			foundBy: row.FoundBy,
			kind:    pane,
			id:      row.ID,
			fit:     max(fitOrForgive(q, row.Label), fitOrForgive(q, row.FoundBy)),
			do: func() tea.Cmd {
				msg := ui.GoToMsg{Pane: pane, ID: row.ID}
				if row.Open != nil {
					msg.ThenOpen = row.Open()
				}
				return ui.Send(msg)
			},
		})
	}
	return entries
}

// rowActionEntries returns the actions on rows whose names begin a text that goes on with a row, or end it:
// "disable web-1", "web-1 disable".
func (s *Shell) rowActionEntries(text string) (entries []paletteEntry) {
	words := strings.Fields(text)
	for n := 1; n < len(words); n++ {
		front, back := strings.Join(words[:n], " "), strings.Join(words[n:], " ")
		for l := range s.tabs.lists() {
			entries = append(entries, s.actionEntriesOf(l, front, back)...)
			entries = append(entries, s.actionEntriesOf(l, back, front)...)
		}
	}
	return entries
}

// actionEntriesOf returns the actions of a tab's rows whose name and row fit.
func (s *Shell) actionEntriesOf(l ui.ListPane, name, row string) (entries []paletteEntry) {
	var rows []paletteEntry
	for _, action := range l.ActionNames() {
		fit := fitOrForgive(search.New(name), action)
		if fit == search.None || fit == search.Inside {
			continue
		}
		if rows == nil {
			rows = rowEntriesOf(l, row)
		}
		for _, e := range rows {
			e.label, e.fit = action+" "+e.label, min(fit, e.fit)
			e.do = func() tea.Cmd { return s.startRowAction(l, e.id, action) }
			entries = append(entries, e)
		}
	}
	return entries
}

// startRowAction goes to a row and starts an action on it, as the action's key there does.
func (s *Shell) startRowAction(l ui.ListPane, id, name string) tea.Cmd {
	s.tabs.goTo(ui.GoToMsg{Pane: l.Name(), ID: id})
	action, found := l.Action(name, id)
	if !found {
		return ui.ShowStatus(theme.Warn, name+": it no longer exists")
	}
	return s.startAction(s.policy.apply(l.Name(), []ui.Action{action})[0])
}
