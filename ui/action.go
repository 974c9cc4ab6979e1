package ui

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// An Action is one thing the user can do. The keys, the hints, the help, the palette and the question before it are
// read from here.
type Action struct {
	// its help text is the action's name: "disable". Pane name + "." + name identifies it for rebinding
	Key            key.Binding
	Group          string // heading in the help: "move", "rows", "this list", "" for the row's own
	Description    string // one sentence for the help, where the name is not enough
	DisabledReason string // why it cannot be done now; empty when it can
	// what it is done with, as a reader calls it; a protected account asks for it to be typed
	TargetName string
	// it changes something at the server: greyed when read-only, asked about on a protected account
	Writes bool
	// it only opens what asks by itself, or a pane: keys typed behind it are meant for that
	OpensView   bool
	Confirm     *Confirmation // what to ask first; nil asks nothing
	Do          func() tea.Cmd
	ShowInHints bool // also in the one-line hints
}

// Name is what the action is called everywhere.
func (a Action) Name() string { return a.Key.Help().Desc }

// Bind makes a key binding from an action's name and its keys; the first key is shown.
func Bind(name string, keys ...string) key.Binding {
	shown := ""
	if len(keys) > 0 {
		shown = keys[0]
		if shown == " " {
			shown = "space"
		}
	}
	var b key.Binding
	b.SetKeys(keys...)
	b.SetHelp(shown, name)
	return b
}

// A Confirmation stands between an action and its doing. "No" is the answer at hand.
type Confirmation struct {
	Title string   // "Delete service"
	Text  string   // kind, label, identity and effect, in sentences
	Items []string // what will be touched, line by line, where it is more than one thing
	// must be typed out in full for what cannot be undone: a name or a count; empty asks for y
	RequiredText string
	ConfirmLabel string        // what the button says: "delete"
	Delay        time.Duration // before it can be answered; 0 is a moment
	NoPaste      bool          // the word must be typed: a paste is refused
}

// localAction is an action of the list that only changes what is shown.
func LocalAction(group, name string, off string, do func(), keys ...string) Action {
	return Action{
		Key:            Bind(name, keys...),
		Group:          group,
		DisabledReason: off,
		Do:             func() tea.Cmd { do(); return nil },
	}
}
