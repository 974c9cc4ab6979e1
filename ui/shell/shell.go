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
	"lookout/ui/terminal"
)

// Options say what the program shows and how.
type Options struct {
	Panes     []ui.Pane
	Theme     *theme.Theme
	Looks     Looks
	Account   string
	Tone      theme.Tone // of the account's name; Plain is Accent
	Word      string     // of the user's for the account, beside its name
	Protected bool       // the word PROD stands beside the account
	ReadOnly  bool
	Demo      bool
	Mouse     bool
	Bare      bool                                          // the first pane alone, without head, tabs, news and hints
	Banner    func() string                                 // what must not be overlooked while it lasts, beside the account; "" says nothing
	Budget    func() string                                 // "requests 788 of 800"; "" says nothing
	Waiting   func() (until time.Time, asked time.Duration) // when the API may be asked again, and how long it wanted to be left alone
	Resume    func()                                        // lifts what holds requests back: somebody wants to know now
	Token     func() ui.Form                                // asks for another token
	Refresh   time.Duration                                 // of the pane in front; 0 never
	Now       func() time.Time
	Location  *time.Location
	Keys      map[string][]string // "services.disable": its keys
	Start     string              // name of the pane at the start
	Opened    func() tea.Cmd      // what the account wants done at the start
	Context   context.Context     // ends with the account; nil never ends
	Accounts  []string            // that can be switched to, this one among them
	Leaving   func() []string     // what ends when the account is left, in sentences; nil is nothing
	Commands  []Command           // of the palette
	Progress  func() int          // percent of work under way; 0 is none
	Columns   map[string][]string // of lists by their names: which and in what order
	Notices   func() []ui.Notice  // changes since the last call that somebody should know of
	Attend    func() tea.Cmd      // reads what notices are about, where it has grown old
	Notify    Notify
}

// A Shell is the program without its terminal. It is used on one loop.
type Shell struct {
	o        Options
	ctx      context.Context
	width    int
	height   int
	tabs     []*tab
	front    int
	past     []place // where ctrl+o goes back to
	future   []place // where alt+o goes forward to
	dialogs  []dialog
	entered  time.Time // when enter was pressed, while no other key has been
	hasty    bool      // the key under way is an enter at the heels of another
	news     news
	clock    clock
	mouse    bool
	hits     []hit // of the last frame
	own      own
	hidden   bool    // values are dots
	prompted bool    // for another token, since it was refused
	inside   area    // of the dialog of the last frame, without its border
	begin    tea.Cmd // what there is to say at the start
	ahead    ahead
}

// A tab is a pane and what was opened from it.
type tab struct{ stack []ui.Pane }

func (t *tab) top() ui.Pane { return t.stack[len(t.stack)-1] }

// A place is a tab and how deep its stack was.
type place struct{ tab, depth int }

// New is a program that has not asked anything yet. Actions of a pane on one key are an error that joins a [Clash] for each.
func New(o Options) (*Shell, error) {
	if o.Now == nil {
		o.Now = ui.Wall
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.Context == nil {
		o.Context = context.Background()
	}
	s := &Shell{o: o, ctx: o.Context, mouse: o.Mouse, width: 80, height: 24}
	for i, p := range o.Panes {
		s.begin = tea.Batch(s.begin, s.arrange(p))
		s.tabs = append(s.tabs, &tab{[]ui.Pane{p}})
		if p.Name() == o.Start {
			s.front = i
		}
	}
	s.clock.interval = o.Refresh
	var clashes []error
	for i := range s.tabs {
		clashes = append(clashes, s.clashes(i)...)
	}
	if len(clashes) > 0 {
		return nil, errors.Join(clashes...)
	}
	return s, nil
}

// arrange gives a list the columns that were chosen for it, and says which of them it does not have.
func (s *Shell) arrange(p ui.Pane) tea.Cmd {
	c, ok := p.(ui.Columned)
	if !ok || len(s.o.Columns[p.Name()]) == 0 {
		return nil
	}
	unknown := c.ChooseColumns(s.o.Columns[p.Name()])
	if len(unknown) == 0 {
		return nil
	}
	return ui.News(theme.Warn, fmt.Sprintf("columns.%s of the configuration: %q unknown; there are %s", p.Name(), unknown, strings.Join(c.ColumnNames(), ", ")))
}

// A Clash is a key that two actions of a pane are bound to.
type Clash struct{ Pane, Key, One, Other string }

// Error names the key and both actions.
func (c *Clash) Error() string {
	return fmt.Sprintf("the key %q is bound twice in %s: to %q and to %q", c.Key, c.Pane, c.One, c.Other)
}

// clashes finds actions of a tab on the same key.
func (s *Shell) clashes(tab int) (found []error) {
	front := s.front
	defer func() { s.front = front }()
	s.front = tab
	pane := s.pane().Name()
	own := map[string]string{}
	for _, a := range s.rebound(pane, s.pane().Actions()) {
		for _, k := range a.Key.Keys() {
			if other, taken := own[k]; taken && other != a.Name() {
				found = append(found, &Clash{pane, k, other, a.Name()})
				continue
			}
			own[k] = a.Name()
		}
	}
	for _, a := range s.program() {
		for _, k := range a.Key.Keys() {
			other, taken := own[k]
			if taken && (slices.Contains(s.o.Keys[pane+"."+other], k) || slices.Contains(s.o.Keys["program."+a.Name()], k)) {
				found = append(found, &Clash{pane, k, other, "the program's " + a.Name()})
			}
		}
	}
	return found
}

// pane is the pane in front.
func (s *Shell) pane() ui.Pane { return s.tabs[s.front].top() }

// Init asks for the first rows: those of the pane in front, with what it reads.
func (s *Shell) Init() tea.Cmd {
	cmds := []tea.Cmd{s.pane().Refresh(), s.clock.start(s), s.askBackground(), s.begin}
	if s.o.Opened != nil {
		cmds = append(cmds, s.o.Opened())
	}
	return tea.Batch(cmds...)
}

// Update takes a message, and asks for what the pane in front then lacks.
func (s *Shell) Update(msg tea.Msg) tea.Cmd {
	cmd := tea.Batch(s.hear(msg), s.noticed())
	s.dialogs = slices.DeleteFunc(s.dialogs, func(d dialog) bool { f, form := d.(*formDialog); return form && f.form.Done() })
	if w, ok := s.pane().(interface{ Want() tea.Cmd }); ok && !s.clock.paused() {
		cmd = tea.Batch(cmd, w.Want())
	}
	s.barred()
	return cmd
}

// barred asks for another token, once, when the one in use is no longer accepted: over the pane in front, or over the form that was
// refused. Whoever is typing is left alone.
func (s *Shell) barred() {
	n := len(s.dialogs)
	refused := false
	if n == 0 {
		t, ok := s.pane().(ui.Typer)
		f := fresh(s.pane())
		refused = !s.prompted && ui.Unauthorized(f.Err) && !f.Asked && !(ok && t.Typing())
	} else if d, ok := s.dialogs[n-1].(*formDialog); ok {
		refused = d.form.Barred() && !d.token
	}
	if s.o.Token == nil || !refused {
		return
	}
	s.prompted = true
	s.askToken()
}

// askToken puts the form for another token in front.
func (s *Shell) askToken() {
	s.push(&formDialog{form: ui.NewFormView(s.o.Token(), s.ctx), token: true})
}

// resume asks anew whatever held requests back: somebody wants to know now.
func (s *Shell) resume(refresh func() tea.Cmd) tea.Cmd {
	if s.o.Resume != nil {
		s.o.Resume()
	}
	s.prompted = false
	return tea.Batch(refresh(), s.clock.start(s))
}

func (s *Shell) hear(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ui.Delivery:
		return msg.Deliver()
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyPressMsg, tea.PasteMsg:
		return s.typed(msg)
	case came:
		return s.take(msg)
	case tea.MouseMsg:
		return s.pointed(msg)
	case tea.FocusMsg:
		return tea.Batch(s.clock.focus(s, true), s.askBackground())
	case tea.BlurMsg:
		return s.clock.focus(s, false)
	case beat:
		return s.clock.beat(s, msg)
	case hush:
		s.news.hush(msg)
	case hide:
		msg.d.bare = msg.d.bare && msg.n != msg.d.shown
	case armed:
		msg.q.armed = msg.q.armed || msg.n == msg.q.tries
	case tea.BackgroundColorMsg:
		s.ground(msg)
	case terminal.Stalled:
		return s.stalled(msg.Dropped)
	case terminal.Alone:
		return ui.News(theme.Warn, "not suspended: there is no shell to come back from")
	case terminal.Resumed:
		return s.pane().Refresh()
	default:
		return s.asked(msg)
	}
	return nil
}

// asked does what a pane asks of the shell.
func (s *Shell) asked(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ui.Say:
		if h, ok := s.pane().(ui.Hider); ok && h.Hides(msg.Row) {
			msg.Text += " · the filter hides it, esc clears it"
		}
		return s.news.say(s, msg)
	case ui.Open:
		s.remember()
		t := s.tabs[s.front]
		t.stack = append(t.stack, msg.Pane)
		return tea.Batch(s.arrange(msg.Pane), s.clock.arm(s))
	case ui.Close:
		s.back()
	case ui.Enter:
		s.push(&formDialog{form: ui.NewFormView(msg.Form, s.ctx)})
	case ui.Ask:
		return s.start(msg.Action)
	case ui.Menu:
		s.push(&menu{name: msg.Title, actions: s.granted(msg.Actions)})
	case ui.Again:
		s.prompted = false
		return s.pane().Refresh()
	case ui.Once:
		s.push(&once{Once: msg})
	case ui.Show:
		s.push(&sheet{name: msg.Title, text: msg.Text})
	case ui.Goto:
		return s.goTo(msg)
	case ui.Copy:
		return tea.Batch(terminal.Copy(msg.Text), ui.News(theme.Good, "copied: "+msg.What))
	case ui.Browse:
		return browse(msg.URL)
	case ui.Exec:
		return runProgram(msg)
	}
	return nil
}

// push puts a dialog in front. It takes no key until it has been in sight for a moment.
func (s *Shell) push(d dialog) { s.dialogs = append(s.dialogs, d) }

// press is a key on its way: to the dialog in front, to a pane that takes text, else to an action.
func (s *Shell) press(k tea.KeyPressMsg) tea.Cmd {
	s.follow(k)
	if k.String() == "ctrl+c" && !s.holdsSecret() {
		return terminal.Quit(0)
	}
	if s.cramped() {
		return nil
	}
	if n := len(s.dialogs); n > 0 {
		return s.answer(s.dialogs[n-1], k)
	}
	p := s.pane()
	if t, ok := p.(ui.Typer); ok && t.Typing() {
		return p.Update(k)
	}
	for _, a := range s.actions() {
		if key.Matches(k, a.Key) {
			return s.start(a)
		}
	}
	return p.Update(k)
}

// follow notes whether a key is an enter at the heels of another: one that is held, or pressed for what stood there before.
func (s *Shell) follow(k tea.KeyPressMsg) {
	before := s.entered
	s.hasty, s.entered = false, time.Time{}
	if k.String() == "enter" {
		s.entered = s.o.Now()
		s.hasty = s.entered.Sub(before) < arms
	}
}

// answer gives a key to a dialog and takes the dialog away once it is done.
func (s *Shell) answer(d dialog, k tea.KeyPressMsg) tea.Cmd {
	cmd, done := d.press(s, k)
	if done {
		s.dismiss(d)
	}
	return cmd
}

func (s *Shell) dismiss(d dialog) {
	s.dialogs = slices.DeleteFunc(s.dialogs, func(o dialog) bool { return o == d })
}

// paste is one event: for what takes text, and never commands.
func (s *Shell) paste(msg tea.PasteMsg) tea.Cmd {
	if s.cramped() {
		return nil
	}
	if n := len(s.dialogs); n > 0 {
		return s.dialogs[n-1].paste(msg)
	}
	if t, ok := s.pane().(ui.Typer); ok && t.Typing() {
		return s.pane().Update(msg)
	}
	return nil
}

// start is the one place where an action begins: why not, else what to ask first, else its work.
func (s *Shell) start(a ui.Action) tea.Cmd {
	switch a = s.guarded(a); {
	case a.Off != "":
		return ui.News(theme.Warn, a.Name()+": "+a.Off)
	case a.Ask != nil:
		return s.ask(a)
	}
	if a.Opens {
		return s.await(a.Do())
	}
	return a.Do()
}

// granted is what may be done of actions here: read-only greys all that change something.
func (s *Shell) granted(actions []ui.Action) []ui.Action {
	for i, a := range actions {
		if a.Change && s.o.ReadOnly {
			actions[i].Off = "read-only, nothing is changed"
		}
	}
	return actions
}

// guarded is an action as the account lets it begin. A protected account asks about every change, and wants a name typed where elsewhere
// a key would do.
func (s *Shell) guarded(a ui.Action) ui.Action {
	a = s.granted([]ui.Action{a})[0]
	if !s.o.Protected || !a.Change || a.Opens {
		return a
	}
	name := orElse(a.Of, s.o.Account)
	switch {
	case a.Ask == nil:
		a.Ask = &ui.Question{Title: "Protected account", Text: fmt.Sprintf("%s: %s, in account %s.", a.Name(), name, s.o.Account), Yes: a.Name()}
	case a.Ask.Word == "":
		ask := *a.Ask
		ask.Word = name
		a.Ask = &ask
	}
	return a
}

// ask puts the question of an action in front. It can be answered a moment later.
func (s *Shell) ask(a ui.Action) tea.Cmd {
	q := newQuestion(a)
	s.push(q)
	return s.arm(q)
}

// arm lets a question be answered once it has been in sight for long enough.
func (s *Shell) arm(q *question) tea.Cmd {
	q.armed = false
	q.tries++
	n := q.tries
	return tea.Tick(max(arms, q.action.Ask.After), func(time.Time) tea.Msg { return armed{q, n} })
}

// stalled disarms the questions that stood on a screen which nobody saw move.
func (s *Shell) stalled(dropped int) tea.Cmd {
	cmds := []tea.Cmd{ui.News(theme.Warn, fmt.Sprintf("the screen stood still: what was typed meanwhile was dropped (%d bytes)", dropped))}
	for _, d := range s.dialogs {
		if q, ok := d.(*question); ok {
			cmds = append(cmds, s.arm(q))
		}
	}
	return tea.Batch(cmds...)
}

// actions are all that can be done here and now: the front pane's, then the program's. Keys, hints, help and palette read this list.
func (s *Shell) actions() []ui.Action {
	p := s.pane()
	if s.o.Bare {
		return append(p.Actions(), s.bare()...)
	}
	return append(s.granted(s.rebound(p.Name(), p.Actions())), s.program()...)
}

// rebound gives actions the keys that the user chose for them.
func (s *Shell) rebound(pane string, actions []ui.Action) []ui.Action {
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
func (s *Shell) goTo(msg ui.Goto) tea.Cmd {
	for i, t := range s.tabs {
		if t.stack[0].Name() != msg.Pane {
			continue
		}
		s.remember()
		s.front = i
		for len(t.stack) > 1 {
			s.pop(t)
		}
		if sel, ok := t.top().(ui.Selector); ok && msg.ID != "" {
			sel.Select(msg.ID)
		}
		if msg.Then != nil {
			t.stack = append(t.stack, msg.Then)
		}
		return s.clock.arm(s)
	}
	return ui.News(theme.Warn, "there is no pane "+msg.Pane+" here")
}

// remember keeps where we are for the way back.
func (s *Shell) remember() {
	s.past, s.future = append(s.past, place{s.front, len(s.tabs[s.front].stack)}), nil
	if len(s.past) > 100 {
		s.past = s.past[1:]
	}
}

// pop takes the front pane off a tab's stack.
func (s *Shell) pop(t *tab) {
	if l, ok := t.top().(ui.Leaver); ok {
		l.Leave()
	}
	t.stack = t.stack[:len(t.stack)-1]
}

// back goes up one level; at the top it says how to leave.
func (s *Shell) back() tea.Cmd {
	if t := s.tabs[s.front]; len(t.stack) > 1 {
		s.pop(t)
		return s.clock.arm(s)
	}
	return ui.News(theme.Info, "this is the top: q quits")
}

// jump goes back to where the last jump came from.
func (s *Shell) jump() tea.Cmd {
	if len(s.past) == 0 {
		return ui.News(theme.Info, "there is nowhere to go back to")
	}
	to := s.past[len(s.past)-1]
	s.past = s.past[:len(s.past)-1]
	s.future = append(s.future, place{s.front, len(s.tabs[s.front].stack)})
	return s.visit(to)
}

// forward undoes the last way back.
func (s *Shell) forward() tea.Cmd {
	if len(s.future) == 0 {
		return ui.News(theme.Info, "there is nowhere to go forward to")
	}
	to := s.future[len(s.future)-1]
	s.future = s.future[:len(s.future)-1]
	s.past = append(s.past, place{s.front, len(s.tabs[s.front].stack)})
	return s.visit(to)
}

// visit brings a place to the front. What was opened deeper than it then was is closed.
func (s *Shell) visit(to place) tea.Cmd {
	s.front = to.tab
	t := s.tabs[s.front]
	for len(t.stack) > max(1, to.depth) {
		s.pop(t)
	}
	return s.clock.arm(s)
}
