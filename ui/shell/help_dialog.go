package shell

import (
	"iter"
	"slices"
	"sort"
	"strings"

	"lookout/client/wording"
	"lookout/ui"
)

// newHelpDialog lists every action of the pane and of the program by group. It is made of the actions themselves.
func newHelpDialog(pane string, actions iter.Seq[ui.Action]) *searchDialog {
	all := byGroup(actions)
	return searchDialog{
		name:        "Help",
		prompt:      "search",
		placeholder: "type to search",
		maxWidth:    110,
		keys:        []hint{{"enter", "run"}, {"pgup/pgdn", "page"}, {"esc", "close"}},
		find:        func(text string) []listEntry { return helpEntries(pane, all, strings.ToLower(text)) },
	}.open()
}

// helpEntries returns the entries of the actions in which a text in lower case stands.
func helpEntries(pane string, actions []ui.Action, text string) (entries []listEntry) {
	for _, a := range actions {
		about := strings.Join([]string{a.Name(), a.Description, a.Group, allKeys(a)}, " ")
		if !strings.Contains(strings.ToLower(about), text) {
			continue
		}
		e := entryOf(a, allKeys(a))
		e.name, e.about = a.Name(), a.Description+wording.WithPrefix(" · not available: ", a.DisabledReason)
		e.about = strings.TrimPrefix(e.about, " · ")
		if text == "" {
			e.heading = groupHeading(a.Group, pane)
		}
		entries = append(entries, e)
	}
	return entries
}

// byGroup returns actions in the order of their groups, without the tabs whose key an earlier action has.
func byGroup(actions iter.Seq[ui.Action]) []ui.Action {
	groups := []string{"", "the account", "this list", "move", tabGroup, "program"}
	var sorted []ui.Action
	taken := map[string]bool{}
	for a := range actions {
		keys := a.Key.Keys()
		if a.Group == tabGroup && slices.ContainsFunc(keys, func(k string) bool { return taken[k] }) {
			continue
		}
		for _, k := range keys {
			taken[k] = true
		}
		sorted = append(sorted, a)
	}
	sort.SliceStable(sorted, func(i, j int) bool {
		return slices.Index(groups, sorted[i].Group) < slices.Index(groups, sorted[j].Group)
	})
	return sorted
}

// groupHeading returns the heading of a group of actions. Those without a group belong to the pane.
func groupHeading(group, pane string) string {
	switch group {
	case "":
		group = pane
	case "program":
		group = "everywhere"
	}
	if len(group) <= 3 {
		return strings.ToUpper(group)
	}
	return strings.ToUpper(group[:1]) + group[1:]
}

// allKeys returns the keys of an action as they are shown.
func allKeys(a ui.Action) string {
	keys := slices.Clone(a.Key.Keys())
	for i := range keys {
		keys[i] = ui.KeyLabel(keys[i])
	}
	return strings.Join(keys, " ")
}
