package shell

import (
	"fmt"
	"slices"

	"lookout/ui"
)

// An actionPolicy changes actions to what the user and the account allow: their keys, and read-only mode. The panes
// themselves ask before a change, on a protected account too.
type actionPolicy struct {
	keys     map[string][]string // keys of actions: "services.disable"
	readOnly bool
	why      string // of read-only mode
}

// apply gives the actions of a pane the keys that the user chose, and disables those that write in read-only mode.
func (p actionPolicy) apply(pane string, actions []ui.Action) []ui.Action {
	return p.disableWrites(p.bindKeys(pane, actions))
}

// bindKeys gives actions the keys that the user chose for them.
func (p actionPolicy) bindKeys(pane string, actions []ui.Action) []ui.Action {
	if len(p.keys) == 0 {
		return actions
	}
	for i, a := range actions {
		if keys, chosen := p.keys[pane+"."+a.Name()]; chosen {
			actions[i].Key = ui.Bind(a.Name(), keys...)
		}
	}
	return actions
}

// disableWrites disables the actions that change something, in read-only mode.
func (p actionPolicy) disableWrites(actions []ui.Action) []ui.Action {
	for i, a := range actions {
		if a.Writes && p.readOnly {
			actions[i].DisabledReason = p.why
		}
	}
	return actions
}

// A KeyConflictError reports a key that two actions of a pane share.
type KeyConflictError struct{ Pane, Key, Action, OtherAction string }

// Error names the key and both actions.
func (c *KeyConflictError) Error() string {
	return fmt.Sprintf("the key %q is bound twice in %s: to %q and to %q", c.Key, c.Pane, c.Action, c.OtherAction)
}

// conflicts returns an error for each key that two actions of a pane share. A key of the program may hide behind one of
// the pane's, unless the user chose either of them.
func (p actionPolicy) conflicts(pane string, own, program []ui.Action) (found []error) {
	bound := map[string]string{}
	for _, a := range p.bindKeys(pane, own) {
		for _, k := range a.Key.Keys() {
			if other, taken := bound[k]; taken && other != a.Name() {
				found = append(found, &KeyConflictError{pane, k, other, a.Name()})
				continue
			}
			bound[k] = a.Name()
		}
	}
	for _, a := range program {
		for _, k := range a.Key.Keys() {
			other, taken := bound[k]
			if taken && (p.chose(pane, other, k) || p.chose("program", a.Name(), k)) {
				found = append(found, &KeyConflictError{pane, k, other, "the program's " + a.Name()})
			}
		}
	}
	return found
}

// chose reports whether the user bound an action to a key.
func (p actionPolicy) chose(pane, action, key string) bool {
	return slices.Contains(p.keys[pane+"."+action], key)
}

// A KeyBinding is an action with its keys, for the documentation and for checking a configuration.
type KeyBinding struct {
	Pane, Action, About string
	Keys                []string
	Change              bool
}

// Name returns the action's name in the configuration, such as "services.disable".
func (k KeyBinding) Name() string { return k.Pane + "." + k.Action }

// KeyBindings returns the actions of every tab in its current state, followed by those of the program.
func (s *Shell) KeyBindings() []KeyBinding {
	var bindings []KeyBinding
	add := func(pane string, actions []ui.Action) {
		for _, a := range s.policy.bindKeys(pane, actions) {
			known := slices.ContainsFunc(bindings, func(k KeyBinding) bool {
				return k.Pane == pane && k.Action == a.Name()
			})
			if known || len(a.Key.Keys()) == 0 {
				continue
			}
			bindings = append(bindings, KeyBinding{
				Pane:   pane,
				Action: a.Name(),
				About:  a.Description,
				Keys:   a.Key.Keys(),
				Change: a.Writes,
			})
		}
	}
	for _, t := range s.tabs.list {
		add(t.name(), t.root().Actions())
	}
	add("program", s.program.actions(s))
	return bindings
}
