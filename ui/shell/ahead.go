package shell

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/ui"
)

// What is typed at the heels of a key that opens something is meant for what it opens: the first letters of a name must not be commands of
// the list beneath. Keys wait until the action has said what it puts in front, but hardly longer than that takes.
type ahead struct {
	n     int // of the action that is waited for
	waits bool
	typed []tea.Msg // keys and pastes
}

// headStart is how long keys wait at most: an action that asks the API is hardly waited for.
const headStart = 200 * time.Millisecond

// came is what an action said; nothing where it takes longer.
type came struct {
	n   int
	msg tea.Msg
}

// await lets keys wait for what an action says.
func (s *Shell) await(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	s.ahead.n++
	s.ahead.waits = true
	n := s.ahead.n
	return tea.Batch(func() tea.Msg { return came{n, cmd()} }, tea.Tick(headStart, func(time.Time) tea.Msg { return came{n: n} }))
}

// typed takes a key or a paste, now or after those that wait. ctrl+c is never kept waiting.
func (s *Shell) typed(msg tea.Msg) tea.Cmd {
	k, key := msg.(tea.KeyPressMsg)
	if s.ahead.waits && !(key && k.String() == "ctrl+c") {
		s.ahead.typed = append(s.ahead.typed, msg)
		return nil
	}
	if key {
		return s.press(k)
	}
	return s.paste(msg.(tea.PasteMsg))
}

// take does what an action said, and then what was typed behind it, up to the next action that is to be waited for.
func (s *Shell) take(c came) tea.Cmd {
	var cmds []tea.Cmd
	switch c.msg.(type) {
	case nil:
	case ui.Enter, ui.Ask, ui.Open, ui.Menu, ui.Goto, ui.Close, ui.Show, ui.Once:
		cmds = append(cmds, s.asked(c.msg))
	default:
		cmds = append(cmds, ui.Send(c.msg))
	}
	if c.n != s.ahead.n || !s.ahead.waits {
		return tea.Batch(cmds...)
	}
	s.ahead.waits = false
	for len(s.ahead.typed) > 0 && !s.ahead.waits {
		next := s.ahead.typed[0]
		s.ahead.typed = s.ahead.typed[1:]
		cmds = append(cmds, s.typed(next))
	}
	return tea.Batch(cmds...)
}
