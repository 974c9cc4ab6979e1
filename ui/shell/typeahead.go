package shell

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/ui"
	"lookout/ui/form"
)

// What is typed at the heels of a key that opens something is meant for what it opens: the first letters of a name must
// not be commands of the list beneath. Keys wait until the action has said what it puts in front, but hardly longer
// than that takes.
type typeahead struct {
	actionNumber int // of the action that is waited for
	waiting      bool
	queued       []tea.Msg // keys and pastes
}

// typeaheadTimeout is how long keys wait at most: an action that asks the API is hardly waited for.
const typeaheadTimeout = 200 * time.Millisecond

// actionOpened is what an action said; nothing where it takes longer.
type actionOpened struct {
	n   int
	msg tea.Msg
}

// awaitAction lets keys wait for what an action says.
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

// handleInput takes a key or a paste, now or after those that wait. ctrl+c is never kept waiting.
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

// handleActionOpened does what an action said, and then what was typed behind it, up to the next action that is to be
// waited for.
func (s *Shell) handleActionOpened(c actionOpened) tea.Cmd {
	var cmds []tea.Cmd
	switch c.msg.(type) {
	case nil:
	case form.OpenFormMsg, ui.RunActionMsg, ui.OpenPaneMsg, ui.Menu, ui.GoToMsg, ui.ClosePaneMsg, ui.ShowTextMsg, ui.OneTimeSecret:
		cmds = append(cmds, s.handleRequest(c.msg))
	default:
		cmds = append(cmds, ui.Send(c.msg))
	}
	if c.n != s.typeahead.actionNumber || !s.typeahead.waiting {
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
