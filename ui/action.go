package ui

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Action is one thing the user can do. Keys, hints, help, palette and the question before it are made from it.
type Action struct {
	Key            key.Binding // its help text is the action's ID, "disable"; "services.disable" rebinds it
	ShownName      string      // what it is called in the present state, if that is not its ID: "resume"
	Object         string      // what it acts on, for the hint of a pane that does not show it: "billing-api"
	Scope          string      // how much it does unless the user chooses otherwise, for the hint: "1 h"
	Group          string      // heading in the help: "move", "rows", "this list", "" for the row's own
	Description    string      // a sentence for the help, if the name is not enough
	DisabledReason string      // why it cannot be done now, or ""
	WaitsFor       string      // the list that is being read and decides whether it can be done: "issues"; "" if none
	Writes         bool        // changes something at the server: not possible when read-only
	OpensView      bool        // only opens a pane or dialog: keys typed after it are meant for that
	ShowInHints    bool
	Confirm        *Confirmation // nil asks nothing
	Do             func() tea.Cmd
}

// Name returns what the action is called everywhere.
func (a Action) Name() string {
	if a.ShownName != "" {
		return a.ShownName
	}
	return a.ID()
}

// ID returns the action's name in the configuration, which is the same in every state: "pause or resume".
func (a Action) ID() string { return a.Key.Help().Desc }

// Bind returns a key binding with an action's name and its keys, of which the first is shown.
func Bind(name string, keys ...string) key.Binding {
	shown := ""
	if len(keys) > 0 {
		shown = KeyLabel(keys[0])
	}
	var b key.Binding
	b.SetKeys(keys...)
	b.SetHelp(shown, name)
	return b
}

// KeyLabel returns how a key is shown: as the configuration spells it.
func KeyLabel(key string) string {
	if key == " " {
		return "space"
	}
	return key
}

// GoUpAction returns the action that goes from an opened pane to what is above it: ClosePane, or the folder around it.
func GoUpAction(do func() tea.Cmd) Action {
	return Action{Key: Bind("go up", "h", "left", "backspace"), Group: "move", Do: do}
}

// Confirmation is the question before an action.
type Confirmation struct {
	Title   string   // "Delete service"
	Warning string   // what makes the answer matter more than usual, above the text
	Text    string   // kind, label, identity and effect, in sentences; the first clause is what decides the answer
	Items   []string // what is affected, if it is more than one thing

	RequiredText string        // a name or count that must be typed for what cannot be undone; "" asks for y
	ConfirmLabel string        // of the answer: "delete"
	Delay        time.Duration // before it can be answered; 0 is a moment
	NoPaste      bool          // RequiredText must be typed, not pasted
}

// LocalAction returns an action that only changes what is shown. A disabledReason other than "" disables it.
func LocalAction(group, name, disabledReason string, do func(), keys ...string) Action {
	return Action{
		Key:            Bind(name, keys...),
		Group:          group,
		DisabledReason: disabledReason,
		Do:             func() tea.Cmd { do(); return nil },
	}
}
