// Package shell is the running program: tabs, keys, dialogs, status messages and the clock.
package shell

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lookout/client/visible"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/terminal"
)

// A Shell is the program on one account, without its terminal. It is used by one goroutine.
type Shell struct {
	o           Options
	ctx         context.Context
	width       int
	height      int
	tabs        tabs
	dialogs     dialogStack
	policy      actionPolicy
	program     programActions
	enter       enterTracker
	status      statusMessages
	clock       clock
	themes      themeSwitch
	typeahead   typeahead
	unseen      bool // the key or click that is handled came before the screen showed what it acts on
	reads       inputReads
	mouse       bool
	tokenAsked  bool    // the form for another token was shown since the last refusal
	startup     tea.Cmd // messages about the configuration
	started     bool    // Init was called: nothing is read before
	paneActions ui.Memo[ui.Pane, []ui.Action]
	backdrop    backdrop
}

// New returns a program that has not requested anything yet. If the configuration binds two actions of a pane to the
// same key, the first one has it; see KeyConflicts.
func New(o Options) (*Shell, error) {
	o = o.withDefaults()
	s := &Shell{
		o:      o,
		ctx:    o.Context,
		mouse:  o.Mouse,
		width:  80,
		height: 24,
		themes: themeSwitch{choices: o.Themes, current: o.Theme},
		policy: actionPolicy{keys: o.Keys, readOnly: o.ReadOnly, why: "read-only mode"},
	}
	if o.NotRecorded != "" {
		text := "read-only, because changes cannot be recorded: " + o.NotRecorded + " · lookout doctor checks it"
		s.startup, s.policy.why = ui.ShowStatus(theme.Warn, text), "read-only, because changes cannot be recorded"
	}
	for i, p := range o.Panes {
		s.startup = tea.Batch(s.startup, s.applyColumns(p))
		s.tabs.list = append(s.tabs.list, newTab(p))
		if p.Name() == o.StartPane {
			s.tabs.front = i
		}
	}
	s.addCustomCommands()
	s.clock.interval = o.RefreshInterval
	s.policy.lines = s.o.KeyLines
	for _, c := range s.KeyConflicts() {
		if c.Chosen == "" {
			return nil, errors.New(c.String())
		}
	}
	s.startup = tea.Batch(s.configStatus(), s.startup)
	return s, nil
}

// applyColumns gives a list its configured columns. It returns a message about columns that do not exist.
func (s *Shell) applyColumns(p ui.Pane) tea.Cmd {
	c, ok := p.(ui.ListPane)
	if !ok || len(s.o.Columns[p.Name()]) == 0 {
		return nil
	}
	unknown := c.ChooseColumns(s.o.Columns[p.Name()])
	if len(unknown) == 0 {
		return nil
	}
	return ui.ShowStatus(theme.Warn, fmt.Sprintf(
		"columns.%s in the configuration: unknown column %q · choose from %s",
		p.Name(), unknown, strings.Join(c.ColumnNames(), ", "),
	))
}

// pane returns the pane in front.
func (s *Shell) pane() ui.Pane { return s.tabs.pane() }

// Init requests the rows of the pane in front and starts the clock.
func (s *Shell) Init() tea.Cmd {
	s.o.Loop.Lock()
	defer s.o.Loop.Unlock()
	s.started = true
	s.pane().Refresh()
	cmds := []tea.Cmd{s.clock.start(s), s.themes.requestBackgroundColor(), s.startup}
	if s.o.OnOpen != nil {
		cmds = append(cmds, s.o.OnOpen())
	}
	return tea.Batch(append(cmds, s.o.Loop.Take())...)
}

// Update handles a message. It then requests the rows that the pane in front lacks, and fits the dialogs to the screen.
func (s *Shell) Update(msg tea.Msg) tea.Cmd {
	s.o.Loop.Lock()
	defer s.o.Loop.Unlock()
	d, pane := s.dialogs.top(), s.pane()
	if read, ok := msg.(terminal.InputReadMsg); ok {
		s.startRead(read)
		return nil
	}
	if _, pressed := msg.(tea.KeyPressMsg); !pressed {
		s.forgetActions()
	}
	defer s.forgetActions()
	s.tighten()
	cmd := tea.Batch(s.dispatch(msg), s.typeahead.resumeWaiting(s))
	cmd = tea.Batch(cmd, s.o.Notify.announce(s.o.Account, s.clock.paused()))
	if s.pane() != pane {
		cmd = tea.Batch(cmd, s.clock.onPaneOpened(s))
	}
	s.dialogs.removeFinishedForms()
	if p, ok := s.pane().(ui.Loader); ok && s.started && (!s.clock.paused() || !s.freshness().Loaded) {
		p.LoadMissing()
	}
	if q, ok := s.dialogs.top().(*searchDialog); ok && q.load != nil && !s.clock.paused() {
		q.load()
	}
	s.askForToken()
	if s.status.current.OnlyForPane && (s.pane() != pane || s.dialogs.top() != d) {
		s.status.clear()
	}
	s.dialogs.layout(s.bodyBox())
	cmd = tea.Batch(cmd, s.o.Loop.Take())
	if _, pressed := msg.(tea.KeyPressMsg); !pressed || cmd != nil || s.dialogs.top() != d {
		s.backdrop.current++
	}
	return tea.Batch(cmd, s.clock.motion.schedule(s))
}

// tighten shows that the account has become protected or read-only.
func (s *Shell) tighten() {
	if s.o.Safety == nil {
		return
	}
	protected, readOnly := s.o.Safety()
	s.o.Protected, s.o.ReadOnly = s.o.Protected || protected, s.o.ReadOnly || readOnly
	s.policy.readOnly = s.o.ReadOnly
}

func (s *Shell) dispatch(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ui.AsyncResult:
		return msg.Deliver()
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
		return ui.Send(resizeDrawn{})
	case tea.KeyPressMsg, tea.PasteMsg:
		return s.handleInput(msg)
	case terminal.UnseenInputMsg:
		s.unseen = true
		defer func() { s.unseen = false }()
		return s.dispatch(msg.Input)
	case actionOpened:
		return s.handleActionOpened(msg)
	case tea.MouseMsg:
		return s.handleMouse(msg)
	case tea.FocusMsg:
		return tea.Batch(s.clock.setFocus(s, true), s.themes.requestBackgroundColor())
	case tea.BlurMsg:
		return s.clock.setFocus(s, false)
	case tick:
		return s.clock.handleTick(s, msg)
	case highlightEnded:
		s.clock.motion.scheduled = false
	case statusExpired:
		s.status.expire(msg)
	case revealExpired:
		msg.d.revealed = msg.d.revealed && msg.revealNumber != msg.d.revealNumber
	case tea.BackgroundColorMsg:
		s.themes.backgroundChanged(msg)
	case terminal.OutputStalledMsg:
		return s.dialogs.rearmQuestions(msg.DroppedBytes)
	case terminal.SuspendUnavailableMsg:
		return ui.ShowStatus(theme.Warn, "not suspended: no shell could resume lookout")
	case terminal.ResumedMsg:
		s.pane().Refresh()
	default:
		return s.handleRequest(msg)
	}
	return nil
}

// resizeDrawn follows the frame after a change of the window: only the frame tells which parts of a pane have room now,
// and Update then reads what they lack.
type resizeDrawn struct{}

// handleRequest does what a pane asks of the shell.
func (s *Shell) handleRequest(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ui.StatusMsg:
		if l, ok := s.pane().(ui.ListPane); ok && l.Hides(msg.Row) {
			msg.Text += " · hidden by the filter · press esc to clear it"
		}
		return s.status.show(s, msg)
	case ui.WorkEndedMsg:
		s.status.endWork(msg.Work)
		return ui.Send(msg.Result)
	case ui.StatusListMsg:
		var cmds []tea.Cmd
		for _, line := range msg {
			cmds = append(cmds, s.status.show(s, line))
		}
		return tea.Batch(cmds...)
	case ui.OpenPaneMsg:
		s.tabs.open(msg.Pane)
		return s.applyColumns(msg.Pane)
	case ui.ClosePaneMsg:
		s.goUp()
	case form.OpenFormMsg:
		s.dialogs.push(&formDialog{form: form.NewFormView(msg.Form, s.ctx)})
	case ui.RunActionMsg:
		return s.startAction(msg.Action)
	case ui.OpenMenuMsg:
		s.dialogs.push(newMenu(msg.Title, msg.Text, s.policy.disableWrites(msg.Actions)))
	case ui.RefreshMsg:
		s.tokenAsked = false
		s.pane().Refresh()
	case ui.ShowSecretMsg:
		s.dialogs.push(&secretDialog{ShowSecretMsg: msg})
	case ui.ShowTextMsg:
		s.dialogs.push(newTextDialog(msg.Title, msg.Text))
	case ui.GoToMsg:
		if !s.tabs.goTo(msg) {
			return ui.ShowStatus(theme.Warn, "there is no pane "+msg.Pane+" here")
		}
		if msg.ThenOpen != nil {
			return s.applyColumns(msg.ThenOpen)
		}
	case ui.CopyMsg:
		return copyText(msg)
	case ui.OpenURLMsg:
		return s.openURL(msg.URL)
	case ui.RunProgramMsg:
		return runProgram(msg)
	case ui.RunCustomCommandMsg:
		return s.runCustomCommand(msg)
	}
	return nil
}

// askForToken shows the form for another token, once, after the API refused the one in use: over the pane in front, or
// over the form that was refused. It does not interrupt the user's typing.
func (s *Shell) askForToken() {
	refused := false
	switch d := s.dialogs.top().(type) {
	case nil:
		info := s.pane().Info()
		f := info.Freshness
		refused = !s.tokenAsked && wording.Unauthorized(f.Err) && !f.Loading && !info.Typing
	case *formDialog:
		refused = d.form.TakeUnauthorized() && !d.asksToken
	}
	if s.o.TokenForm == nil || !refused {
		return
	}
	s.tokenAsked = true
	s.openTokenForm()
}

// openTokenForm shows the form for another token.
func (s *Shell) openTokenForm() {
	s.dialogs.push(&formDialog{form: form.NewFormView(s.o.TokenForm(), s.ctx), asksToken: true})
}

// refreshNow refreshes at once, even if the rate limit holds requests back: the user asked for it.
func (s *Shell) refreshNow(refresh func()) tea.Cmd {
	if s.o.RetryNow != nil {
		s.o.RetryNow()
	}
	s.tokenAsked = false
	refresh()
	return s.clock.start(s)
}

// handleKey gives a key to the dialog in front, to a pane that takes text, or to an action.
func (s *Shell) handleKey(k tea.KeyPressMsg) tea.Cmd {
	s.enter.track(k, s.o.Now())
	s.reads.startKey()
	defer s.reads.endKey()
	if k.String() == "ctrl+c" && !s.dialogs.warnUnsavedSecret() {
		if lost := s.dialogs.confirmQuit(); lost != "" {
			return ui.ShowStatus(theme.Warn, lost+" · press ctrl+c again to quit anyway")
		}
		return terminal.Quit(0)
	}
	if s.program.suspends(s, k) {
		return terminal.Suspend()
	}
	if s.tooSmall() {
		return nil
	}
	if d := s.dialogs.top(); d != nil {
		return s.passKeyToDialog(d, k)
	}
	p := s.pane()
	if p.Info().Typing {
		s.reads.noteInput()
		return p.Update(k)
	}
	if s.typeahead.keepBehind(s, k) {
		return nil
	}
	a, found := actionOf(k, s.actions())
	s.forgetActions()
	if found {
		return s.startAction(a)
	}
	return p.Update(k)
}

// actionOf returns the first action that has a key.
func actionOf(k tea.KeyPressMsg, actions iter.Seq[ui.Action]) (a ui.Action, found bool) {
	pressed := keyName(k.String())
	for a := range actions {
		if key.Matches(pressed, a.Key) {
			return a, true
		}
	}
	return a, false
}

// keyName is the name of a pressed key. Comparing the key itself with a binding would build its name every time.
type keyName string

// String returns the name.
func (k keyName) String() string { return string(k) }

// passKeyToDialog gives a key to a dialog and removes the dialog once it is done.
func (s *Shell) passKeyToDialog(d dialog, k tea.KeyPressMsg) tea.Cmd {
	cmd, done := d.handleKey(s, k)
	if done {
		s.dialogs.dismiss(d)
	}
	if k.Text != "" || cmd != nil {
		s.reads.noteInput()
	}
	return cmd
}

// handlePaste gives a paste to whatever takes text. A paste never runs actions.
func (s *Shell) handlePaste(msg tea.PasteMsg) tea.Cmd {
	if s.tooSmall() {
		return nil
	}
	if d := s.dialogs.top(); d != nil {
		return d.handlePaste(msg)
	}
	if s.pane().Info().Typing {
		return s.pane().Update(msg)
	}
	return nil
}

// actions yields the actions of the pane in front, followed by those of the program. Keys, hints, help and palette
// read this list.
func (s *Shell) actions() iter.Seq[ui.Action] {
	return func(yield func(ui.Action) bool) {
		for _, a := range s.actionsOfPane() {
			if !yield(a) {
				return
			}
		}
		for _, a := range s.program.here(s) {
			if !yield(a) {
				return
			}
		}
	}
}

// actionsOfPane returns the actions of the pane in front. They are kept from a frame, which shows their keys, to the
// next key. Whatever is handled may change them.
func (s *Shell) actionsOfPane() []ui.Action {
	pane := s.pane()
	return s.paneActions.Get(pane, func() []ui.Action {
		if s.o.PaneOnly {
			return pane.Actions()
		}
		return s.policy.apply(pane.Name(), pane.Actions())
	})
}

// forgetActions drops the actions of the pane in front.
func (s *Shell) forgetActions() { s.paneActions = ui.Memo[ui.Pane, []ui.Action]{} }

// startAction is the only place where an action begins: it says why the action is disabled, asks for confirmation, or
// runs it. A change of something that the user cannot have seen is always confirmed.
func (s *Shell) startAction(a ui.Action) tea.Cmd {
	if s.unseen && a.Writes && a.Confirm == nil {
		a.Confirm = &ui.Confirmation{
			Title: a.Name(),
			Text: "You pressed this key before the screen had caught up. " +
				"Is this what you want to change?",
		}
	}
	switch a = s.policy.disableWrites([]ui.Action{a})[0]; {
	case a.WaitsFor != "" && !a.Writes:
		return s.typeahead.waitForRows(s, a)
	case a.DisabledReason != "":
		return showPaneStatus(theme.Warn, a.Name()+": "+a.DisabledReason)
	case a.Confirm != nil:
		q := newQuestionDialog(a)
		s.dialogs.push(q)
		return q.disarm()
	case a.OpensView:
		return s.awaitAction(a)
	case a.Writes:
		return s.reads.change(a)
	}
	return a.Do()
}

// goUp closes the pane in front if another one opened it.
func (s *Shell) goUp() tea.Cmd {
	if t := s.tabs.current(); len(t.stack) > 1 {
		t.pop()
		return nil
	}
	next := "press q to quit"
	if s.o.Overview && s.o.Account != AllAccounts {
		next = "press O for all accounts, q to quit"
	}
	return showPaneStatus(theme.Info, "this is the top level · "+next)
}

// now returns the time that the screen shows: it stands still while refreshing is paused.
func (s *Shell) now() time.Time {
	if s.clock.paused() {
		return s.clock.pausedAt
	}
	return s.o.Now()
}

// leaveWarnings returns sentences about work that ends when the account is left.
func (s *Shell) leaveWarnings() []string {
	if s.o.LeaveWarnings == nil {
		return nil
	}
	return s.o.LeaveWarnings()
}

// handOver returns the action that leaves work to another process and then quits; nil if there is none.
func (s *Shell) handOver() *ui.Action {
	if s.o.HandOver == nil {
		return nil
	}
	return s.o.HandOver()
}

// An enterTracker recognises an enter that follows another at once: it is held down, or was meant for the dialog
// before.
type enterTracker struct {
	last     time.Time // when enter was pressed, if it was the last key
	repeated bool      // the current key is such an enter
}

func (e *enterTracker) track(k tea.KeyPressMsg, now time.Time) {
	before := e.last
	e.repeated, e.last = false, time.Time{}
	if k.String() == "enter" {
		e.last = now
		e.repeated = now.Sub(before) < answerDelay
	}
}

// copyText sends a text to the clipboard and says where it went, which proves nothing. It may be pasted into a shell,
// so that hidden characters in it are made visible, except for line breaks and tabs.
func copyText(msg ui.CopyMsg) tea.Cmd {
	return terminal.Copy(visible.Show(msg.Text), msg.Secret, func(receivers string, err error) tea.Msg {
		sent := msg.Label + ": sent to " + receivers
		if err != nil {
			const next = "copying inside tmux needs tmux 3.2 or later (lookout doctor says more)"
			return ui.StatusMsg{Tone: theme.Warn, Text: sent + ", but tmux may drop it (" + err.Error() + ") · " + next}
		}
		return ui.StatusMsg{Tone: theme.Info, Text: sent}
	})
}
