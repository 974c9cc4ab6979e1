package shell

import (
	"slices"

	"lookout/ui"
)

// A Key is an action with its keys, as the documentation and the check of a configuration want it.
type Key struct {
	Pane, Action, About string
	Keys                []string
	Change              bool
}

// Name is what the action is called in the configuration: "services.disable".
func (k Key) Name() string { return k.Pane + "." + k.Action }

// Keys are the actions of every tab as it stands, then the program's.
func (s *Shell) Keys() []Key {
	var keys []Key
	add := func(pane string, actions []ui.Action) {
		for _, a := range s.rebound(pane, actions) {
			known := slices.ContainsFunc(keys, func(k Key) bool { return k.Pane == pane && k.Action == a.Name() })
			if !known && len(a.Key.Keys()) > 0 {
				keys = append(keys, Key{Pane: pane, Action: a.Name(), About: a.About, Keys: a.Key.Keys(), Change: a.Change})
			}
		}
	}
	for _, t := range s.tabs {
		add(t.stack[0].Name(), t.stack[0].Actions())
	}
	add("program", s.program())
	return keys
}
