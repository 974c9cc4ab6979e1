package shell

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/terminal"
)

// A waitingKey is the action of a key that was pressed before the rows that it is about were read. It runs once they
// are there, unless the user presses esc or does something else meanwhile.
type waitingKey struct {
	pane   ui.Pane
	action string // its ID
	last   string // ID of the action of the last key
	work   *ui.BackgroundWork
	later  []tea.KeyPressMsg // keys after it, which are for what it opens
}

// maxLaterKeys is how many keys are kept behind one that waits.
const maxLaterKeys = 32

// waitForRows keeps an action until its rows are read, and says so.
func (t *typeahead) waitForRows(s *Shell, a ui.Action) tea.Cmd {
	t.stopWaiting(s)
	t.key = &waitingKey{pane: s.pane(), action: a.ID(), last: a.ID(), work: &ui.BackgroundWork{}}
	text := a.Name() + ": waiting for the " + a.WaitsFor + " · esc cancels"
	return s.status.show(s, ui.StatusMsg{Text: text, Tone: theme.Info, Work: t.key.work})
}

// stopWaiting drops the key that waits.
func (t *typeahead) stopWaiting(s *Shell) {
	if t.key != nil {
		s.status.endWork(t.key.work)
		t.key = nil
	}
}

// keepBehind keeps a key that was pressed while another waits, if it is for what that one opens or waits too. esc drops
// the waiting key. Any other key is handled as always, in its place.
func (t *typeahead) keepBehind(s *Shell, k tea.KeyPressMsg) bool {
	w := t.key
	if w == nil {
		return false
	}
	pressed := keyName(k.String())
	if pressed == "esc" {
		t.stopWaiting(s)
		return true
	}
	for a := range s.actions() {
		if !key.Matches(pressed, a.Key) {
			continue
		}
		if a.WaitsFor == "" || a.Writes {
			t.stopWaiting(s)
			return false
		}
		if a.Group != "move" && a.ID() == w.last {
			return true // the key is held down
		}
		w.last = a.ID()
		break
	}
	if len(w.later) < maxLaterKeys {
		w.later = append(w.later, k)
	}
	return true
}

// resumeWaiting runs the key that waits, and those behind it, if its rows are there by now. It drops them if the user
// is somewhere else. Nobody has seen yet what the keys behind it are for.
func (t *typeahead) resumeWaiting(s *Shell) tea.Cmd {
	w := t.key
	if w == nil {
		return nil
	}
	if s.pane() != w.pane || s.dialogs.top() != nil {
		t.stopWaiting(s)
		return nil
	}
	for a := range s.actions() {
		if a.ID() != w.action {
			continue
		}
		p, ok := w.pane.(ui.ListPane)
		if a.WaitsFor != "" || a.DisabledReason == "" && ok && !p.Settled() {
			return nil
		}
		t.stopWaiting(s)
		cmds := []tea.Cmd{s.startAction(a)}
		for _, k := range w.later {
			cmds = append(cmds, s.dispatch(terminal.UnseenInputMsg{Input: k}))
		}
		return tea.Batch(cmds...)
	}
	t.stopWaiting(s)
	return nil
}

// typeahead holds keys back while an action opens a form or a pane. They are meant for that form: the first letters of
// a name must not become commands of the list below. An action that takes long does not hold them back.
type typeahead struct {
	actionNumber int // number of the action that keys wait for
	waiting      bool
	queued       []tea.Msg // keys and pastes
	key          *waitingKey
}

// typeaheadTimeout is how long keys wait at most for an action that has begun.
const typeaheadTimeout = 200 * time.Millisecond

// actionOpened carries the message of an action that opens something; nil if the action takes longer than keys wait.
type actionOpened struct {
	n       int
	msg     tea.Msg
	changes bool // it changes something if it asks nothing
	behind  bool // its key was behind other input
}

// awaitAction runs an action, and holds keys back until its command returns, at most for typeaheadTimeout.
func (s *Shell) awaitAction(a ui.Action) tea.Cmd {
	opened := actionOpened{changes: a.Writes, behind: s.reads.behind}
	cmd := a.Do()
	if cmd == nil {
		return nil
	}
	s.typeahead.actionNumber++
	s.typeahead.waiting = true
	n, started := s.typeahead.actionNumber, make(chan struct{})
	return tea.Batch(
		func() tea.Msg {
			close(started)
			opened.n, opened.msg = n, cmd()
			return opened
		},
		func() tea.Msg {
			<-started // on a busy machine, that may be long after the key
			return tea.Tick(typeaheadTimeout, func(time.Time) tea.Msg { return actionOpened{n: n} })()
		},
	)
}

// handleInput handles a key or a paste, or queues it behind those that wait. ctrl+c never waits.
func (s *Shell) handleInput(msg tea.Msg) tea.Cmd {
	k, key := msg.(tea.KeyPressMsg)
	if s.typeahead.waiting && !(key && k.String() == "ctrl+c") {
		if s.unseen {
			msg = terminal.UnseenInputMsg{Input: msg}
		}
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
	switch run := opened.msg.(type) {
	case nil:
	case ui.RunActionMsg:
		s.reads.behind = opened.behind
		cmds = append(cmds, s.startOpened(run.Action, opened.changes))
		s.reads.behind = false
	case form.OpenFormMsg, ui.OpenPaneMsg, ui.OpenMenuMsg, ui.GoToMsg, ui.ClosePaneMsg, ui.ShowTextMsg,
		ui.ShowSecretMsg:
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
		if read, ok := next.(terminal.InputReadMsg); ok {
			s.startRead(read)
			continue
		}
		if s.dialogs.question() != nil { // which has just opened
			next = terminal.UnseenInputMsg{Input: next}
		}
		cmds = append(cmds, s.dispatch(next))
	}
	return tea.Batch(cmds...)
}

// startOpened starts an action that another one has led to. changes says that the other one changes something.
func (s *Shell) startOpened(a ui.Action, changes bool) tea.Cmd {
	if a.Confirm == nil && !a.OpensView {
		a.Writes = a.Writes || changes
	}
	return s.startAction(a)
}

// inputReads knows which keys were read from the terminal at once. A terminal that does not mark pastes sends them so:
// what was to be text may then be keys. They may do what they like with the screen, but behind text or another change
// they change nothing without a question.
type inputReads struct {
	current int  // number of the read of the present key; 0 if that is not known
	input   int  // number of the last read that held text or a change so far
	behind  bool // the present key is behind text or a change of the same read
}

// startRead notes that the keys that follow were read later than those before.
func (s *Shell) startRead(read terminal.InputReadMsg) {
	if s.typeahead.waiting {
		s.typeahead.queued = append(s.typeahead.queued, read)
		return
	}
	s.reads.current = read.Number
}

func (r *inputReads) startKey() { r.behind = r.current > 0 && r.current == r.input }

func (r *inputReads) endKey() { r.behind = false }

// noteInput notes that the present key was text, or has changed something.
func (r *inputReads) noteInput() { r.input = r.current }

// change runs an action that changes something without a question.
func (r *inputReads) change(a ui.Action) tea.Cmd {
	if r.behind {
		return ui.ShowStatus(
			theme.Warn, a.Name()+": ignored, the key arrived together with other input (a paste?) · press it again",
		)
	}
	r.noteInput()
	return a.Do()
}
