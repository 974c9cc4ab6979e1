package shell

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// A Session is an account that has been opened: what the program shows of it, and how it ends.
type Session struct {
	Options Options
	Close   func() // cancels its requests and flushes what it wrote; it may take a while and is run once, off the loop
}

// A AccountSwitcher is the program on one account at a time. When another is chosen, everything of the one before ends:
// its requests are cancelled, its panes are gone, and answers still on their way to it are dropped. What the user had
// chosen in it is there again when it comes back.
type AccountSwitcher struct {
	*Shell
	open          func(ctx context.Context, account string) (Session, error)
	ctx           context.Context
	closeSession  func() // of the session in front
	sessionNumber int    // number of the session in front; what belongs to an older one is dropped
	savedStates   map[string]accountState
	windowSize    tea.WindowSizeMsg
	opening       *openingDialog

	mu      sync.Mutex
	closing sync.WaitGroup
}

// accountState is what the user had chosen in an account that is away.
type accountState struct {
	tab   string
	panes map[string]ui.PaneState
}

// NewAccountSwitcher is a program that shows a session first and opens others by their accounts' names, off the loop.
func NewAccountSwitcher(
	ctx context.Context,
	first Session,
	open func(ctx context.Context, account string) (Session, error),
) (*AccountSwitcher, error) {
	s, err := New(first.Options)
	if err != nil {
		return nil, err
	}
	return &AccountSwitcher{
		Shell:        s,
		open:         open,
		ctx:          ctx,
		closeSession: sync.OnceFunc(first.Close),
		savedStates:  map[string]accountState{},
	}, nil
}

// Close ends the session in front and waits for those that are ending.
func (d *AccountSwitcher) Close() {
	d.mu.Lock()
	ending := d.closeSession
	d.mu.Unlock()
	ending()
	d.closing.Wait()
}

// sessionMessage is a message of a session.
type sessionMessage struct {
	sessionNumber int
	msg           tea.Msg
}

// switchAccount asks for another account.
type switchAccount struct{ account string }

// accountOpened is an account on its way to the screen, or why it cannot get there.
type accountOpened struct {
	opening *openingDialog
	session Session
	err     error
}

// Init is the shell's.
func (d *AccountSwitcher) Init() tea.Cmd { return d.tagCommand(d.Shell.Init()) }

// Update passes messages to the account in front, and drops those of another.
func (d *AccountSwitcher) Update(msg tea.Msg) tea.Cmd {
	if o, tagged := msg.(sessionMessage); tagged {
		if o.sessionNumber != d.sessionNumber {
			return nil
		}
		msg = o.msg
	}
	switch msg := msg.(type) {
	case switchAccount:
		return d.tagCommand(d.confirmSwitch(msg.account))
	case accountOpened:
		return d.handleAccountOpened(msg)
	case tea.WindowSizeMsg:
		d.windowSize = msg
	}
	return d.tagCommand(d.Shell.Update(msg))
}

// tagCommand makes what comes of a command the session's.
func (d *AccountSwitcher) tagCommand(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	n := d.sessionNumber
	return func() tea.Msg { return tagMessage(n, cmd()) }
}

// tagMessage is a message with its session's number. What is for the terminal or the loop stays as it is.
func tagMessage(n int, msg tea.Msg) tea.Msg {
	if msg == nil || terminal.IsTerminalMessage(msg) {
		return msg
	}
	if list := reflect.ValueOf(msg); list.Kind() == reflect.Slice && list.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
		for i := range list.Len() {
			if cmd := list.Index(i).Interface().(tea.Cmd); cmd != nil {
				list.Index(i).Set(reflect.ValueOf(tea.Cmd(func() tea.Msg { return tagMessage(n, cmd()) })))
			}
		}
		return msg
	}
	return sessionMessage{n, msg}
}

// confirmSwitch begins to open an account, after a question where something would be lost.
func (d *AccountSwitcher) confirmSwitch(account string) tea.Cmd {
	begin := ui.Action{Key: ui.Bind("switch account"), Do: func() tea.Cmd { return d.openAccount(account) }}
	if losses := d.leaveWarnings(); len(losses) > 0 {
		begin.Confirm = &ui.Confirmation{
			Title:        "Leave " + d.o.Account + " for " + account,
			Text:         strings.Join(losses, " "),
			ConfirmLabel: "leave it",
		}
	}
	return d.startAction(begin)
}

// leaveWarnings are what ends with the account in front, in sentences.
func (s *Shell) leaveWarnings() []string {
	if s.o.LeaveWarnings == nil {
		return nil
	}
	return s.o.LeaveWarnings()
}

// openAccount opens an account behind a dialog. The one in front stays until the other is there.
func (d *AccountSwitcher) openAccount(account string) tea.Cmd {
	ctx, cancel := context.WithCancel(d.ctx)
	way := &openingDialog{account: account, cancel: cancel}
	d.opening = way
	d.push(way)
	open := d.open
	return func() tea.Msg {
		session, err := open(ctx, account)
		if err == nil && ctx.Err() != nil {
			session.Close()
			err = ctx.Err()
		}
		return accountOpened{way, session, err}
	}
}

// handleAccountOpened puts an opened account in front, unless nobody wants it any more or something unsaved has come up
// meanwhile.
func (d *AccountSwitcher) handleAccountOpened(msg accountOpened) tea.Cmd {
	d.dismiss(msg.opening)
	if msg.opening != d.opening || errors.Is(msg.err, context.Canceled) {
		return d.discardSession(msg.session, nil)
	}
	d.opening = nil
	switch {
	case msg.err != nil:
		return d.tagCommand(
			ui.ShowNews(theme.Bad, "account "+msg.opening.account+" cannot be opened: "+msg.err.Error()),
		)
	case d.hasUnsavedDialog():
		return d.discardSession(
			msg.session,
			d.tagCommand(ui.ShowNews(theme.Warn, "still in "+d.o.Account+": finish what is in front first")),
		)
	}
	o := msg.session.Options
	o.Theme, o.Themes, o.Mouse = d.o.Theme, d.o.Themes, d.mouse
	next, err := New(o)
	if err != nil {
		return d.discardSession(
			msg.session,
			d.tagCommand(ui.ShowNews(theme.Bad, "account "+msg.opening.account+": "+err.Error())),
		)
	}
	d.savedStates[d.o.Account] = d.saveState()
	d.replaceSession(next, msg.session)
	next.restoreState(d.savedStates[o.Account])
	return d.tagCommand(
		tea.Batch(next.Update(d.windowSize), next.Init(), ui.ShowNews(theme.Info, "this is "+o.Account)),
	)
}

// replaceSession puts a shell in the place of the one in front, whose session ends off the loop.
func (d *AccountSwitcher) replaceSession(next *Shell, session Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closing.Go(d.closeSession)
	d.Shell, d.closeSession = next, sync.OnceFunc(session.Close)
	d.sessionNumber++
}

// discardSession ends a session that was opened for nothing.
func (d *AccountSwitcher) discardSession(session Session, news tea.Cmd) tea.Cmd {
	if session.Close != nil {
		d.closing.Go(session.Close)
	}
	return news
}

// hasUnsavedDialog reports whether something in front must not be taken away: a form, a question, a secret.
func (s *Shell) hasUnsavedDialog() bool {
	for _, d := range s.dialogs {
		switch d.(type) {
		case *formDialog, *secretDialog, *questionDialog:
			return true
		}
	}
	return false
}

// saveState is what the user has chosen here.
func (s *Shell) saveState() accountState {
	m := accountState{tab: s.tabs[s.front].stack[0].Name(), panes: map[string]ui.PaneState{}}
	for _, t := range s.tabs {
		if k, ok := t.stack[0].(ui.StateSaver); ok {
			m.panes[t.stack[0].Name()] = k.SaveState()
		}
	}
	return m
}

// restoreState chooses again what was chosen before.
func (s *Shell) restoreState(m accountState) {
	for i, t := range s.tabs {
		name := t.stack[0].Name()
		if name == m.tab {
			s.front = i
		}
		if k, ok := t.stack[0].(ui.StateSaver); ok {
			if kept, known := m.panes[name]; known {
				k.RestoreState(kept)
			}
		}
	}
}

// openingDialog stands in front while an account is being opened, so that nothing begins in the one that is about to
// go.
type openingDialog struct {
	ignoresPaste
	account string
	cancel  func()
}

func (o *openingDialog) title() string { return "Opening " + o.account }

func (o *openingDialog) size() (int, int) { return 60, 2 }

func (o *openingDialog) hint() string { return "esc stays here" }

func (o *openingDialog) view(b ui.Box) string {
	return "Reading its token" + b.Theme.Glyphs.Ellipsis + "\n" + b.Theme.Paint(theme.Muted, "esc stays here")
}

func (o *openingDialog) handleKey(_ *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	if k.String() == "esc" {
		o.cancel()
		return nil, true
	}
	return nil, false
}

// accountMenu offers the other accounts.
func (s *Shell) accountMenu() *menuDialog {
	m := &menuDialog{name: "Switch account"}
	for i, name := range s.o.Accounts {
		a := ui.Action{Key: ui.Bind(name), Do: func() tea.Cmd { return ui.Send(switchAccount{name}) }}
		if i < 9 {
			a.Key = ui.Bind(name, digits[i+1:i+2])
		}
		if name == s.o.Account {
			a.DisabledReason = "you are here"
		}
		m.actions = append(m.actions, a)
	}
	return m
}
