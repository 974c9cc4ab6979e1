package shell

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// An actionPolicy changes actions to what the user and the account allow: their keys, and read-only mode. The panes
// themselves ask before a change, on a protected account too.
type actionPolicy struct {
	keys     map[string][]string // keys of actions: "services.disable"
	readOnly bool
	why      string         // of read-only mode
	lines    map[string]int // where the configuration binds the keys
	commands []string       // the user's own commands: "services.runbook"
}

// apply gives the actions of a pane the keys that the user chose, and disables those that write in read-only mode.
func (p actionPolicy) apply(pane string, actions []ui.Action) []ui.Action {
	return p.disableWrites(p.hintCommands(pane, p.bindKeys(pane, actions)))
}

// hintCommands adds the user's own commands to the hint line, after lookout's own actions.
func (p actionPolicy) hintCommands(pane string, actions []ui.Action) []ui.Action {
	if len(p.commands) == 0 {
		return actions
	}
	own := func(i int) bool { return slices.Contains(p.commands, pane+"."+actions[i].ID()) }
	sort.SliceStable(actions, func(i, j int) bool { return own(j) && !own(i) })
	for i := range actions {
		actions[i].ShowInHints = actions[i].ShowInHints || own(i)
	}
	return actions
}

// bindKeys gives actions the keys that the user chose for them.
func (p actionPolicy) bindKeys(pane string, actions []ui.Action) []ui.Action {
	if len(p.keys) == 0 {
		return actions
	}
	for i, a := range actions {
		if keys, chosen := p.keys[pane+"."+a.ID()]; chosen {
			actions[i].Key = ui.Bind(a.ID(), keys...)
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

// A KeyConflict is a key that two actions of a pane or of the program share. The first of them has it.
type KeyConflict struct {
	Key           string
	Pane          string
	Action, Other string // names in the configuration: "services.disable"
	Chosen        string // the one of them that the user bound to the key; "" if it is neither
	Line          int    // where
}

// String names the key and both actions.
func (c KeyConflict) String() string {
	names := [2]string{}
	for i, name := range []string{c.Action, c.Other} {
		pane, action, _ := strings.Cut(name, ".")
		if names[i] = action; pane != c.Pane {
			names[i] = "the program's " + action
		}
	}
	return fmt.Sprintf(
		"the key %q is bound twice in %s: to %q and to %q; only the first works", c.Key, c.Pane, names[0], names[1],
	)
}

// At returns the conflict with its place in the configuration.
func (c KeyConflict) At(path string) string { return fmt.Sprintf("%s:%d: keys: %s", path, c.Line, c) }

// conflicts returns the keys that two actions of a pane share. A key of the program may hide behind one of the pane's,
// unless the user chose either of them or it opens a tab.
func (p actionPolicy) conflicts(pane string, own, program []ui.Action) (found []KeyConflict) {
	bound := map[string]string{}
	chose := func(action, key string) bool { return slices.Contains(p.keys[action], key) }
	add := func(key, first, second string) {
		c := KeyConflict{Key: key, Pane: pane, Action: first, Other: second}
		for _, name := range []string{first, second} {
			if chose(name, key) && (c.Chosen == "" || !strings.HasPrefix(name, "program.")) {
				c.Chosen, c.Line = name, p.lines[name]
			}
		}
		found = append(found, c)
	}
	for _, a := range p.bindKeys(pane, own) {
		name := pane + "." + a.ID()
		for _, k := range a.Key.Keys() {
			if first, taken := bound[k]; taken && first != name {
				add(k, first, name)
				continue
			}
			bound[k] = name
		}
	}
	for _, a := range program {
		name := "program." + a.ID()
		for _, k := range a.Key.Keys() {
			first, taken := bound[k]
			switch {
			case !taken:
				bound[k] = name
			case first == name:
			case a.Group == tabGroup, strings.HasPrefix(first, "program."), chose(first, k), chose(name, k):
				add(k, first, name)
			}
		}
	}
	return found
}

// KeyConflicts returns the keys that two actions of a tab share, or of one of the panes that open from tabs. Keys that
// open tabs may hide behind those of such a pane.
func (s *Shell) KeyConflicts(opened ...ui.Pane) (found []KeyConflict) {
	program := s.program.actions(s)
	for _, t := range s.tabs.list {
		found = append(found, s.policy.conflicts(t.name(), t.top().Actions(), program)...)
	}
	program = slices.DeleteFunc(slices.Clone(program), func(a ui.Action) bool { return a.Group == tabGroup })
	for _, p := range opened {
		for _, c := range s.policy.conflicts(p.Name(), p.Actions(), program) {
			if strings.HasPrefix(c.Chosen, p.Name()+".") { // the others are those of each tab too
				found = append(found, c)
			}
		}
	}
	return found
}

// configStatus tells what is wrong in the configuration, if anything is. It looks off the loop.
func (s *Shell) configStatus() tea.Cmd {
	if s.o.CheckConfig == nil {
		return nil
	}
	folder := filepath.Dir(s.o.ConfigPath) + string(filepath.Separator)
	return func() tea.Msg {
		problems := s.o.CheckConfig()
		if len(problems) == 0 {
			return nil
		}
		text := strings.TrimPrefix(problems[0], folder)
		if more := len(problems) - 1; more > 0 {
			text = fmt.Sprintf("%d mistakes: %s · lookout config validate lists them", len(problems), text)
		}
		return ui.ShowStatus(theme.Warn, text)()
	}
}

// A KeyBinding is an action with its keys, for the documentation and for checking a configuration.
type KeyBinding struct {
	Pane, Action, About string
	Keys                []string
	Change              bool
}

// Name returns the action's name in the configuration, such as "services.disable".
func (k KeyBinding) Name() string { return k.Pane + "." + k.Action }

// KeyBindings returns the actions of every tab and of panes that open from them, in their current state, followed by
// those of the program.
func (s *Shell) KeyBindings(opened ...ui.Pane) []KeyBinding {
	var bindings []KeyBinding
	add := func(pane string, actions []ui.Action) {
		for _, a := range s.policy.bindKeys(pane, actions) {
			known := slices.ContainsFunc(bindings, func(k KeyBinding) bool {
				return k.Pane == pane && k.Action == a.ID()
			})
			if known || len(a.Key.Keys()) == 0 {
				continue
			}
			bindings = append(bindings, KeyBinding{
				Pane:   pane,
				Action: a.ID(),
				About:  a.Description,
				Keys:   a.Key.Keys(),
				Change: a.Writes,
			})
		}
	}
	for _, t := range s.tabs.list {
		add(t.name(), t.root().Actions())
	}
	for _, p := range opened {
		add(p.Name(), p.Actions())
	}
	add("program", s.program.actions(s))
	return bindings
}

// addCustomCommands gives lists the actions that the user has made, with their keys.
func (s *Shell) addCustomCommands() {
	if len(s.o.CustomCommands) == 0 {
		return
	}
	keys, lines := map[string][]string{}, map[string]int{}
	for _, c := range s.o.CustomCommands {
		if _, problem := CustomCommandProblem(s.o.Panes, c); problem != "" {
			continue
		}
		name := c.Pane + "." + c.Name
		keys[name], lines[name] = []string{c.Key}, c.Line
		s.policy.commands = append(s.policy.commands, name)
		for _, p := range s.o.Panes {
			if list := customCommandHost(p); list != nil && p.Name() == c.Pane {
				list.AddCustomCommand(c)
			}
		}
	}
	maps.Copy(keys, s.o.Keys) // [keys] has the last word
	maps.Copy(lines, s.o.KeyLines)
	s.policy.keys, s.o.KeyLines = keys, lines
}

// customCommandHost returns what takes the commands of a list; nil for other panes.
func customCommandHost(p ui.Pane) ui.CustomCommandHost {
	if list, ok := p.(interface{ CustomCommandHost() ui.CustomCommandHost }); ok {
		return list.CustomCommandHost()
	}
	return nil
}

// CustomCommandProblem returns why a command cannot be an action of a list, and which key of the configuration is
// wrong; "" if it can.
func CustomCommandProblem(panes []ui.Pane, c ui.CustomCommand) (key, problem string) {
	var lists []string
	for _, p := range panes {
		list := customCommandHost(p)
		if list == nil {
			continue
		}
		lists = append(lists, p.Name())
		if p.Name() != c.Pane {
			continue
		}
		for _, a := range p.Actions() {
			if a.ID() == c.Name {
				return "name", fmt.Sprintf("%s already has an action %q; choose another name", c.Pane, c.Name)
			}
		}
		for _, name := range c.Placeholders() {
			if fields := list.RowFields(); !slices.Contains(fields, name) {
				return "command", fmt.Sprintf("unknown placeholder {%s}; use {%s}", name, strings.Join(fields, "}, {"))
			}
		}
		if found := c.ScriptPlaceholder(); found != "" {
			return "command", fmt.Sprintf(
				`%s in the script of %s would run the row's text as a command; write "$1" there, and "-", %q after it`,
				found, c.Argv[0], found,
			)
		}
		return "", ""
	}
	return "pane", fmt.Sprintf("unknown list %q; use %s", c.Pane, strings.Join(lists, ", "))
}
