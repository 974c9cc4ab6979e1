package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lookout/client"
	"lookout/ui"
)

// commandKeys returns the keys of [[commands]].
func commandKeys() []KeySpec {
	return keysOf(&ui.CustomCommand{}, []KeySpec{
		key("pane", `"services"`, "The list the action is added to."),
		key("key", `"x"`, "Its key.").checkedBy(checkKeyName),
		key("name", `"runbook"`, "Its name in hints, help and palette.").checkedBy(checkCommandName),
		key("command", `["runbook", "--service={label}"]`, "The program and its arguments."),
		key("output", `"dialog"`, "Where its output goes.").oneOf(ui.CustomCommandOutputs()...),
		key("harmless", "true", "It changes nothing, so read-only mode allows it."),
	})
}

// checkCommandName accepts the name of an action.
func checkCommandName(v string) error {
	if v == "" || len(v) > 30 || client.Clean(v) != v || strings.ContainsAny(v, ".\"") {
		return fmt.Errorf("%q is not a name of 1 to 30 characters without dots and quotes", client.Clean(v))
	}
	return nil
}

// requiredCommandKeys are the keys that a command needs.
var requiredCommandKeys = []string{"pane", "key", "name", "command"}

// parseCommands reads [[commands]]. It leaves out commands with a mistake.
func (r *configParser) parseCommands(cfg *File, value any) {
	list, ok := value.([]any)
	if value == nil {
		return
	}
	for i, one := range list {
		block, isTable := one.(map[string]any)
		if ok = isTable; !ok {
			break
		}
		if c, err := r.parseCommand(i, block); err == 0 {
			cfg.Commands = append(cfg.Commands, c)
		}
	}
	if !ok {
		r.addError(false, []string{"commands"}, "expected a table for each command, such as [[commands]]")
	}
}

// parseCommand reads a command and returns the number of its mistakes.
func (r *configParser) parseCommand(i int, block map[string]any) (c ui.CustomCommand, mistakes int) {
	before, at := len(r.errs), []string{"commands", elementKey(i)}
	c.Output, c.Line = ui.OutputMessage, r.positions.At(at...).Line
	report := func(name, text string) {
		where := at
		if r.positions.Has(append(at, name)...) {
			where = append(slices.Clone(at), name)
		}
		r.errs = append(
			r.errs,
			Mistake{r.positions.At(where...), "commands." + client.Clean(name) + ": " + text, false},
		)
	}
	var names []string
	for _, s := range commandKeys() {
		names = append(names, s.Name)
		value, there := block[s.Name]
		switch {
		case !there && slices.Contains(requiredCommandKeys, s.Name):
			report(s.Name, "it is missing; add "+s.Name+" = "+s.example)
		case there:
			if err := s.assign(&c, value); err != nil {
				report(s.Name, err.Error())
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(block)) {
		if !slices.Contains(names, name) {
			report(name, "unknown key; use "+strings.Join(names, ", ")+Suggestion(name, names))
		}
	}
	return c, len(r.errs) - before
}
