// Package shell is the running program: tabs and their stacks, keys that become actions, dialogs, news, the one clock.
package shell

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/terminal"
)

// Options say what the program shows and how.
type Options struct {
	Panes        []ui.Pane
	Theme        *theme.Theme
	Themes       Themes
	Account      string
	AccountTone  theme.Tone // of the account's name; Plain is Accent
	AccountLabel string     // of the user's for the account, beside its name
	Protected    bool       // the word PROD stands beside the account
	ReadOnly     bool
	Demo         bool
	Mouse        bool
	// the first pane alone, without head, tabs, news and hints
	PaneOnly bool
	// what must not be overlooked while it lasts, beside the account; "" says nothing
	Banner        func() string
	RequestBudget func() string // "requests 788 of 800"; "" says nothing
	// when the API may be asked again, and how long it wanted to be left alone
	RateLimitWait func() (until time.Time, asked time.Duration)
	// lifts what holds requests back: somebody wants to know now
	RetryNow             func()
	OnLargeLoad          func()           // runs off the loop after a store of many rows was read to its end
	TokenForm            func() form.Form // asks for another token
	RefreshInterval      time.Duration    // of the pane in front; 0 never
	Now                  func() time.Time
	Location             *time.Location
	Keys                 map[string][]string // "services.disable": its keys
	StartPane            string              // name of the pane at the start
	OnOpen               func() tea.Cmd      // what the account wants done at the start
	Context              context.Context     // ends with the account; nil never ends
	Accounts             []string            // that can be switched to, this one among them
	LeaveWarnings        func() []string     // what ends when the account is left, in sentences; nil is nothing
	Commands             []PaletteCommand    // of the palette
	Progress             func() int          // percent of work under way; 0 is none
	Columns              map[string][]string // of lists by their names: which and in what order
	Notices              func() []ui.Notice  // changes since the last call that somebody should know of
	RefreshNoticeSources func() tea.Cmd      // reads what notices are about, where it has grown old
	Notify               NotifyOptions
}

// A Shell is the program without its terminal. It is used on one loop.
type Shell struct {
	o              Options
	ctx            context.Context
	width          int
	height         int
	tabs           []*tab
	front          int
	backHistory    []location // where ctrl+o goes back to
	forwardHistory []location // where alt+o goes forward to
	dialogs        []dialog
	lastEnter      time.Time // when enter was pressed, while no other key has been
	repeatedEnter  bool      // the key under way is an enter at the heels of another
	news           news
	clock          clock
	mouse          bool
	clickTargets   []clickTarget // of the last frame
	actionCache    actionCache
	valuesHidden   bool    // values are dots
	tokenPrompted  bool    // for another token, since it was refused
	dialogArea     area    // of the dialog of the last frame, without its border
	startupCommand tea.Cmd // what there is to say at the start
	typeahead      typeahead
}

// A tab is a pane and what was opened from it.
type tab struct{ stack []ui.Pane }

func (t *tab) top() ui.Pane { return t.stack[len(t.stack)-1] }

// A location is a tab and how deep its stack was.
type location struct{ tab, depth int }

// New is a program that has not asked anything yet. Actions of a pane on one key are an error that joins a [Clash] for
// each.
func New(o Options) (*Shell, error) {
	if o.Now == nil {
		o.Now = ui.WallTime
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.Context == nil {
		o.Context = context.Background()
	}
	s := &Shell{
		o:      o,
		ctx:    o.Context,
		mouse:  o.Mouse,
		width:  80,
		height: 24,
	}
	for i, p := range o.Panes {
		s.startupCommand = tea.Batch(s.startupCommand, s.applyColumns(p))
		s.tabs = append(s.tabs, &tab{[]ui.Pane{p}})
		if p.Name() == o.StartPane {
			s.front = i
		}
	}
	s.clock.interval = o.RefreshInterval
	var clashes []error
	for i := range s.tabs {
		clashes = append(clashes, s.keyConflicts(i)...)
	}
	if len(clashes) > 0 {
		return nil, errors.Join(clashes...)
	}
	return s, nil
}

// applyColumns gives a list the columns that were chosen for it, and says which of them it does not have.
func (s *Shell) applyColumns(p ui.Pane) tea.Cmd {
	c, ok := p.(ui.ColumnChooser)
	if !ok || len(s.o.Columns[p.Name()]) == 0 {
		return nil
	}
	unknown := c.ChooseColumns(s.o.Columns[p.Name()])
	if len(unknown) == 0 {
		return nil
	}
	return ui.ShowNews(
		theme.Warn,
		fmt.Sprintf(
			"columns.%s of the configuration: %q unknown; there are %s",
			p.Name(),
			unknown,
			strings.Join(c.ColumnNames(), ", "),
		),
	)
}

// A KeyConflictError is a key that two actions of a pane are bound to.
type KeyConflictError struct{ Pane, Key, Action, OtherAction string }

// Error names the key and both actions.
func (c *KeyConflictError) Error() string {
	return fmt.Sprintf("the key %q is bound twice in %s: to %q and to %q", c.Key, c.Pane, c.Action, c.OtherAction)
}

// keyConflicts finds actions of a tab on the same key.
func (s *Shell) keyConflicts(tab int) (found []error) {
	front := s.front
	defer func() { s.front = front }()
	s.front = tab
	pane := s.pane().Name()
	own := map[string]string{}
	for _, a := range s.applyKeyOverrides(pane, s.pane().Actions()) {
		for _, k := range a.Key.Keys() {
			if other, taken := own[k]; taken && other != a.Name() {
				found = append(found, &KeyConflictError{pane, k, other, a.Name()})
				continue
			}
			own[k] = a.Name()
		}
	}
	for _, a := range s.programActions() {
		for _, k := range a.Key.Keys() {
			other, taken := own[k]
			if taken &&
				(slices.Contains(s.o.Keys[pane+"."+other], k) || slices.Contains(s.o.Keys["program."+a.Name()], k)) {
				found = append(found, &KeyConflictError{pane, k, other, "the program's " + a.Name()})
			}
		}
	}
	return found
}

// pane is the pane in front.
func (s *Shell) pane() ui.Pane { return s.tabs[s.front].top() }

// Init asks for the first rows: those of the pane in front, with what it reads.
func (s *Shell) Init() tea.Cmd {
	cmds := []tea.Cmd{s.pane().Refresh(), s.clock.start(s), s.requestBackgroundColor(), s.startupCommand}
	if s.o.OnOpen != nil {
		cmds = append(cmds, s.o.OnOpen())
	}
	return tea.Batch(cmds...)
}

// Update takes a message, and asks for what the pane in front then lacks.
func (s *Shell) Update(msg tea.Msg) tea.Cmd {
	cmd := tea.Batch(s.dispatch(msg), s.showNotices())
	s.dialogs = slices.DeleteFunc(
		s.dialogs,
		func(d dialog) bool { f, form := d.(*formDialog); return form && f.form.Done() },
	)
	if w, ok := s.pane().(interface{ LoadMissing() tea.Cmd }); ok && !s.clock.paused() {
		cmd = tea.Batch(cmd, w.LoadMissing())
	}
	s.promptForToken()
	return cmd
}

// promptForToken asks for another token, once, when the one in use is no longer accepted: over the pane in front, or
// over the form that was refused. Whoever is typing is left alone.
func (s *Shell) promptForToken() {
	n := len(s.dialogs)
	refused := false
	if n == 0 {
		t, ok := s.pane().(ui.Typer)
		f := freshnessOf(s.pane())
		refused = !s.tokenPrompted && ui.Unauthorized(f.Err) && !f.Loading && !(ok && t.Typing())
	} else if d, ok := s.dialogs[n-1].(*formDialog); ok {
		refused = d.form.TakeUnauthorized() && !d.asksToken
	}
	if s.o.TokenForm == nil || !refused {
		return
	}
	s.tokenPrompted = true
	s.openTokenForm()
}

// openTokenForm puts the form for another token in front.
func (s *Shell) openTokenForm() {
	s.push(&formDialog{form: form.NewFormView(s.o.TokenForm(), s.ctx), asksToken: true})
}

// refreshNow asks anew whatever held requests back: somebody wants to know now.
func (s *Shell) refreshNow(refresh func() tea.Cmd) tea.Cmd {
	if s.o.RetryNow != nil {
		s.o.RetryNow()
	}
	s.tokenPrompted = false
	return tea.Batch(refresh(), s.clock.start(s))
}

func (s *Shell) dispatch(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ui.AsyncResult:
		return msg.Deliver()
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyPressMsg, tea.PasteMsg:
		return s.handleInput(msg)
	case actionOpened:
		return s.handleActionOpened(msg)
	case tea.MouseMsg:
		return s.handleMouse(msg)
	case tea.FocusMsg:
		return tea.Batch(s.clock.setFocus(s, true), s.requestBackgroundColor())
	case tea.BlurMsg:
		return s.clock.setFocus(s, false)
	case tick:
		return s.clock.handleTick(s, msg)
	case newsExpired:
		s.news.expire(msg)
	case revealExpired:
		msg.d.revealed = msg.d.revealed && msg.revealNumber != msg.d.revealNumber
	case questionArmed:
		msg.q.armed = msg.q.armed || msg.timesShown == msg.q.timesShown
	case tea.BackgroundColorMsg:
		s.backgroundChanged(msg)
	case terminal.OutputStalled:
		return s.rearmQuestions(msg.DroppedBytes)
	case terminal.SuspendUnavailable:
		return ui.ShowNews(theme.Warn, "not suspended: there is no shell to come back from")
	case terminal.Resumed:
		return s.pane().Refresh()
	default:
		return s.handleRequest(msg)
	}
	return nil
}

// handleRequest does what a pane asks of the shell.
func (s *Shell) handleRequest(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ui.NewsMsg:
		if h, ok := s.pane().(ui.Hider); ok && h.Hides(msg.Row) {
			msg.Text += " · the filter hides it, esc clears it"
		}
		return s.news.show(s, msg)
	case ui.OpenPaneMsg:
		s.pushHistory()
		t := s.tabs[s.front]
		t.stack = append(t.stack, msg.Pane)
		return tea.Batch(s.applyColumns(msg.Pane), s.clock.schedule(s))
	case ui.ClosePaneMsg:
		s.goUp()
	case form.OpenFormMsg:
		s.push(&formDialog{form: form.NewFormView(msg.Form, s.ctx)})
	case ui.RunActionMsg:
		return s.startAction(msg.Action)
	case ui.Menu:
		s.push(&menuDialog{name: msg.Title, actions: s.applyReadOnly(msg.Actions)})
	case ui.RefreshMsg:
		s.tokenPrompted = false
		return s.pane().Refresh()
	case ui.OneTimeSecret:
		s.push(&secretDialog{OneTimeSecret: msg})
	case ui.ShowTextMsg:
		s.push(&textDialog{name: msg.Title, text: msg.Text})
	case ui.GoToMsg:
		return s.goTo(msg)
	case ui.CopyMsg:
		return tea.Batch(terminal.Copy(msg.Text), ui.ShowNews(theme.Good, "copied: "+msg.Label))
	case ui.OpenURLMsg:
		return openBrowser(msg.URL)
	case ui.ExecMsg:
		return runProgram(msg)
	case ui.LargeLoadMsg:
		return s.afterLargeLoad()
	}
	return nil
}

// afterLargeLoad lets the program return memory, off the loop.
func (s *Shell) afterLargeLoad() tea.Cmd {
	if s.o.OnLargeLoad == nil {
		return nil
	}
	return func() tea.Msg {
		s.o.OnLargeLoad()
		return nil
	}
}

// push puts a dialog in front. It takes no key until it has been in sight for a moment.
func (s *Shell) push(d dialog) { s.dialogs = append(s.dialogs, d) }

// handleKey is a key on its way: to the dialog in front, to a pane that takes text, else to an action.
func (s *Shell) handleKey(k tea.KeyPressMsg) tea.Cmd {
	s.trackEnter(k)
	if k.String() == "ctrl+c" && !s.warnUnsavedSecret() {
		return terminal.Quit(0)
	}
	if s.tooSmall() {
		return nil
	}
	if n := len(s.dialogs); n > 0 {
		return s.passKeyToDialog(s.dialogs[n-1], k)
	}
	p := s.pane()
	if t, ok := p.(ui.Typer); ok && t.Typing() {
		return p.Update(k)
	}
	for _, a := range s.actions() {
		if key.Matches(k, a.Key) {
			return s.startAction(a)
		}
	}
	return p.Update(k)
}

// trackEnter notes whether a key is an enter at the heels of another: one that is held, or pressed for what stood there
// before.
func (s *Shell) trackEnter(k tea.KeyPressMsg) {
	before := s.lastEnter
	s.repeatedEnter, s.lastEnter = false, time.Time{}
	if k.String() == "enter" {
		s.lastEnter = s.o.Now()
		s.repeatedEnter = s.lastEnter.Sub(before) < answerDelay
	}
}

// passKeyToDialog gives a key to a dialog and takes the dialog away once it is done.
func (s *Shell) passKeyToDialog(d dialog, k tea.KeyPressMsg) tea.Cmd {
	cmd, done := d.handleKey(s, k)
	if done {
		s.dismiss(d)
	}
	return cmd
}

func (s *Shell) dismiss(d dialog) {
	s.dialogs = slices.DeleteFunc(s.dialogs, func(o dialog) bool { return o == d })
}

// handlePaste is one event: for what takes text, and never commands.
func (s *Shell) handlePaste(msg tea.PasteMsg) tea.Cmd {
	if s.tooSmall() {
		return nil
	}
	if n := len(s.dialogs); n > 0 {
		return s.dialogs[n-1].handlePaste(msg)
	}
	if t, ok := s.pane().(ui.Typer); ok && t.Typing() {
		return s.pane().Update(msg)
	}
	return nil
}

// startAction is the one place where an action begins: why not, else what to ask first, else its work.
func (s *Shell) startAction(a ui.Action) tea.Cmd {
	switch a = s.applyProtection(a); {
	case a.DisabledReason != "":
		return ui.ShowNews(theme.Warn, a.Name()+": "+a.DisabledReason)
	case a.Confirm != nil:
		return s.askQuestion(a)
	}
	if a.OpensView {
		return s.awaitAction(a.Do())
	}
	return a.Do()
}

// applyReadOnly is what may be done of actions here: read-only greys all that change something.
func (s *Shell) applyReadOnly(actions []ui.Action) []ui.Action {
	for i, a := range actions {
		if a.Writes && s.o.ReadOnly {
			actions[i].DisabledReason = "read-only, nothing is changed"
		}
	}
	return actions
}

// applyProtection is an action as the account lets it begin. A protected account asks about every change, and wants a
// name typed where elsewhere a key would do.
func (s *Shell) applyProtection(a ui.Action) ui.Action {
	a = s.applyReadOnly([]ui.Action{a})[0]
	if !s.o.Protected || !a.Writes || a.OpensView {
		return a
	}
	name := orElse(a.TargetName, s.o.Account)
	switch {
	case a.Confirm == nil:
		a.Confirm = &ui.Confirmation{
			Title:        "Protected account",
			Text:         fmt.Sprintf("%s: %s, in account %s.", a.Name(), name, s.o.Account),
			ConfirmLabel: a.Name(),
		}
	case a.Confirm.RequiredText == "":
		ask := *a.Confirm
		ask.RequiredText = name
		a.Confirm = &ask
	}
	return a
}

// askQuestion puts the question of an action in front. It can be answered a moment later.
func (s *Shell) askQuestion(a ui.Action) tea.Cmd {
	q := newQuestionDialog(a)
	s.push(q)
	return s.scheduleArm(q)
}

// scheduleArm lets a question be answered once it has been in sight for long enough.
func (s *Shell) scheduleArm(q *questionDialog) tea.Cmd {
	q.armed = false
	q.timesShown++
	n := q.timesShown
	return tea.Tick(max(answerDelay, q.action.Confirm.Delay), func(time.Time) tea.Msg { return questionArmed{q, n} })
}

// rearmQuestions disarms the questions that stood on a screen which nobody saw move.
func (s *Shell) rearmQuestions(dropped int) tea.Cmd {
	cmds := []tea.Cmd{
		ui.ShowNews(
			theme.Warn,
			fmt.Sprintf("the screen stood still: what was typed meanwhile was dropped (%d bytes)", dropped),
		),
	}
	for _, d := range s.dialogs {
		if q, ok := d.(*questionDialog); ok {
			cmds = append(cmds, s.scheduleArm(q))
		}
	}
	return tea.Batch(cmds...)
}

// actions are all that can be done here and now: the front pane's, then the program's. Keys, hints, help and palette
// read this list.
func (s *Shell) actions() []ui.Action {
	p := s.pane()
	if s.o.PaneOnly {
		return append(p.Actions(), s.paneOnlyActions()...)
	}
	return append(s.applyReadOnly(s.applyKeyOverrides(p.Name(), p.Actions())), s.programActions()...)
}

// applyKeyOverrides gives actions the keys that the user chose for them.
func (s *Shell) applyKeyOverrides(pane string, actions []ui.Action) []ui.Action {
	if len(s.o.Keys) == 0 {
		return actions
	}
	for i, a := range actions {
		if keys, chosen := s.o.Keys[pane+"."+a.Name()]; chosen {
			actions[i].Key = ui.Bind(a.Name(), keys...)
		}
	}
	return actions
}

// goTo switches to a tab and puts its cursor on a row.
func (s *Shell) goTo(msg ui.GoToMsg) tea.Cmd {
	for i, t := range s.tabs {
		if t.stack[0].Name() != msg.Pane {
			continue
		}
		s.pushHistory()
		s.front = i
		for len(t.stack) > 1 {
			s.popPane(t)
		}
		if sel, ok := t.top().(ui.Selector); ok && msg.ID != "" {
			sel.Select(msg.ID)
		}
		if msg.ThenOpen != nil {
			t.stack = append(t.stack, msg.ThenOpen)
		}
		return s.clock.schedule(s)
	}
	return ui.ShowNews(theme.Warn, "there is no pane "+msg.Pane+" here")
}

// pushHistory keeps where we are for the way back.
func (s *Shell) pushHistory() {
	s.backHistory, s.forwardHistory = append(s.backHistory, location{s.front, len(s.tabs[s.front].stack)}), nil
	if len(s.backHistory) > 100 {
		s.backHistory = s.backHistory[1:]
	}
}

// popPane takes the front pane off a tab's stack.
func (s *Shell) popPane(t *tab) {
	if l, ok := t.top().(ui.Closer); ok {
		l.OnClose()
	}
	t.stack = t.stack[:len(t.stack)-1]
}

// goUp goes up one level; at the top it says how to leave.
func (s *Shell) goUp() tea.Cmd {
	if t := s.tabs[s.front]; len(t.stack) > 1 {
		s.popPane(t)
		return s.clock.schedule(s)
	}
	return ui.ShowNews(theme.Info, "this is the top: q quits")
}

// goBack goes back to where the last jump came from.
func (s *Shell) goBack() tea.Cmd {
	if len(s.backHistory) == 0 {
		return ui.ShowNews(theme.Info, "there is nowhere to go back to")
	}
	to := s.backHistory[len(s.backHistory)-1]
	s.backHistory = s.backHistory[:len(s.backHistory)-1]
	s.forwardHistory = append(s.forwardHistory, location{s.front, len(s.tabs[s.front].stack)})
	return s.goToLocation(to)
}

// goForward undoes the last way back.
func (s *Shell) goForward() tea.Cmd {
	if len(s.forwardHistory) == 0 {
		return ui.ShowNews(theme.Info, "there is nowhere to go forward to")
	}
	to := s.forwardHistory[len(s.forwardHistory)-1]
	s.forwardHistory = s.forwardHistory[:len(s.forwardHistory)-1]
	s.backHistory = append(s.backHistory, location{s.front, len(s.tabs[s.front].stack)})
	return s.goToLocation(to)
}

// goToLocation brings a place to the front. What was opened deeper than it then was is closed.
func (s *Shell) goToLocation(to location) tea.Cmd {
	s.front = to.tab
	t := s.tabs[s.front]
	for len(t.stack) > max(1, to.depth) {
		s.popPane(t)
	}
	return s.clock.schedule(s)
}
