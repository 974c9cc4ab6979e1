package shell

import (
	"slices"

	"lookout/ui"
)

// A KeyBinding is an action with its keys, as the documentation and the check of a configuration want it.
type KeyBinding struct {
	Pane, Action, About string
	Keys                []string
	Change              bool
}

// Name is what the action is called in the configuration: "services.disable".
func (k KeyBinding) Name() string { return k.Pane + "." + k.Action }

// KeyBindings are the actions of every tab as it stands, then the program's.
func (s *Shell) KeyBindings() []KeyBinding {
	var keys []KeyBinding
	add := func(pane string, actions []ui.Action) {
		for _, a := range s.applyKeyOverrides(pane, actions) {
			known := slices.ContainsFunc(
				keys,
				func(k KeyBinding) bool { return k.Pane == pane && k.Action == a.Name() },
			)
			if !known && len(a.Key.Keys()) > 0 {
				keys = append(keys, KeyBinding{
					Pane:   pane,
					Action: a.Name(),
					About:  a.Description,
					Keys:   a.Key.Keys(),
					Change: a.Writes,
				})
			}
		}
	}
	for _, t := range s.tabs {
		add(t.stack[0].Name(), t.stack[0].Actions())
	}
	add("program", s.programActions())
	return keys
}
