package shell

import (
	tea "charm.land/bubbletea/v2"

	"lookout/ui"
)

// A Command is something that the palette offers by its name alone, as "theme light".
type Command struct {
	Name string
	Kind string // what stands beside it in the palette
	Do   func() tea.Cmd
}

// commands are the palette's own lines beside panes, actions and rows.
func (s *Shell) commands() []target {
	var all []target
	for _, name := range s.o.Accounts {
		if name != s.o.Account {
			all = append(all, target{label: "account " + name, kind: "account", do: func() tea.Cmd { return ui.Send(change{name}) }})
		}
	}
	if s.o.Notices != nil {
		all = append(all, target{label: "notify test", kind: "notify", do: s.tryNotify})
	}
	for _, c := range s.o.Commands {
		all = append(all, target{label: c.Name, kind: c.Kind, do: c.Do})
	}
	return append(all, s.themes()...)
}
