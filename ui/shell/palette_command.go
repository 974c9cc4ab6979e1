package shell

import (
	tea "charm.land/bubbletea/v2"

	"lookout/ui"
)

// A PaletteCommand is something that the palette offers by its name alone, as "theme light".
type PaletteCommand struct {
	Name string
	Kind string // what stands beside it in the palette
	Do   func() tea.Cmd
}

// paletteCommands are the palette's own lines beside panes, actions and rows.
func (s *Shell) paletteCommands() []paletteEntry {
	var all []paletteEntry
	for _, name := range s.o.Accounts {
		if name != s.o.Account {
			all = append(
				all,
				paletteEntry{
					label: "account " + name,
					kind:  "account",
					do:    func() tea.Cmd { return ui.Send(switchAccount{name}) },
				},
			)
		}
	}
	if s.o.Notices != nil {
		all = append(all, paletteEntry{label: "notify test", kind: "notify", do: s.testNotification})
	}
	for _, c := range s.o.Commands {
		all = append(all, paletteEntry{label: c.Name, kind: c.Kind, do: c.Do})
	}
	return append(all, s.themeEntries()...)
}
