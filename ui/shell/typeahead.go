package shell

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/ui"
	"lookout/ui/form"
)

// typeahead holds keys back while an action opens a form or a pane. They are meant for that form: the first letters of
// a name must not become commands of the list below. An action that takes long does not hold them back.
type typeahead struct {
	actionNumber int // number of the action that keys wait for
	waiting      bool
	queued       []tea.Msg // keys and pastes
}

// typeaheadTimeout is how long keys wait at most.
const typeaheadTimeout = 200 * time.Millisecond

// actionOpened carries the message of an action that opens something; nil if the action takes longer than keys wait.
type actionOpened struct {
	n   int
	msg tea.Msg
}

// awaitAction holds keys back until the command of an action returns.
func (s *Shell) awaitAction(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	s.typeahead.actionNumber++
	s.typeahead.waiting = true
	n := s.typeahead.actionNumber
	return tea.Batch(
		func() tea.Msg { return actionOpened{n, cmd()} },
		tea.Tick(typeaheadTimeout, func(time.Time) tea.Msg { return actionOpened{n: n} }),
	)
}

// handleInput handles a key or a paste, or queues it behind those that wait. ctrl+c never waits.
func (s *Shell) handleInput(msg tea.Msg) tea.Cmd {
	k, key := msg.(tea.KeyPressMsg)
	if s.typeahead.waiting && !(key && k.String() == "ctrl+c") {
		s.typeahead.queued = append(s.typeahead.queued, msg)
		return nil
	}
	if key {
		return s.handleKey(k)
	}
	return s.handlePaste(msg.(tea.PasteMsg))
}

// handleActionOpened handles the action's message and then the queued input, up to the next action that opens
// something.
func (s *Shell) handleActionOpened(opened actionOpened) tea.Cmd {
	var cmds []tea.Cmd
	switch opened.msg.(type) {
	case nil:
	case form.OpenFormMsg, ui.RunActionMsg, ui.OpenPaneMsg, ui.Menu, ui.GoToMsg, ui.ClosePaneMsg, ui.ShowTextMsg,
		ui.OneTimeSecret:
		cmds = append(cmds, s.handleRequest(opened.msg))
	default:
		cmds = append(cmds, ui.Send(opened.msg))
	}
	if opened.n != s.typeahead.actionNumber || !s.typeahead.waiting {
		return tea.Batch(cmds...)
	}
	s.typeahead.waiting = false
	for len(s.typeahead.queued) > 0 && !s.typeahead.waiting {
		next := s.typeahead.queued[0]
		s.typeahead.queued = s.typeahead.queued[1:]
		cmds = append(cmds, s.handleInput(next))
	}
	return tea.Batch(cmds...)
}
