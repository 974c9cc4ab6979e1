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

// A Desk is the program on one account at a time. When another is chosen, everything of the one before ends: its requests are cancelled,
// its panes are gone, and answers still on their way to it are dropped. What the user had chosen in it is there again when it comes back.
type Desk struct {
	*Shell
	open  func(ctx context.Context, account string) (Session, error)
	ctx   context.Context
	close func() // of the session in front
	n     int    // number of the session in front; what belongs to an older one is dropped
	kept  map[string]memory
	size  tea.WindowSizeMsg
	way   *opening

	mu      sync.Mutex
	endings sync.WaitGroup
}

// memory is what the user had chosen in an account that is away.
type memory struct {
	tab   string
	panes map[string]ui.Kept
}

// NewDesk is a program that shows a session first and opens others by their accounts' names, off the loop.
func NewDesk(ctx context.Context, first Session, open func(ctx context.Context, account string) (Session, error)) (*Desk, error) {
	s, err := New(first.Options)
	if err != nil {
		return nil, err
	}
	return &Desk{Shell: s, open: open, ctx: ctx, close: sync.OnceFunc(first.Close), kept: map[string]memory{}}, nil
}

// Close ends the session in front and waits for those that are ending.
func (d *Desk) Close() {
	d.mu.Lock()
	ending := d.close
	d.mu.Unlock()
	ending()
	d.endings.Wait()
}

// of is a message of a session.
type of struct {
	n   int
	msg tea.Msg
}

// change asks for another account.
type change struct{ account string }

// opened is an account on its way to the screen, or why it cannot get there.
type opened struct {
	way     *opening
	session Session
	err     error
}

// Init is the shell's.
func (d *Desk) Init() tea.Cmd { return d.tag(d.Shell.Init()) }

// Update passes messages to the account in front, and drops those of another.
func (d *Desk) Update(msg tea.Msg) tea.Cmd {
	if o, tagged := msg.(of); tagged {
		if o.n != d.n {
			return nil
		}
		msg = o.msg
	}
	switch msg := msg.(type) {
	case change:
		return d.tag(d.change(msg.account))
	case opened:
		return d.arrive(msg)
	case tea.WindowSizeMsg:
		d.size = msg
	}
	return d.tag(d.Shell.Update(msg))
}

// tag makes what comes of a command the session's.
func (d *Desk) tag(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	n := d.n
	return func() tea.Msg { return tagged(n, cmd()) }
}

// tagged is a message with its session's number. What is for the terminal or the loop stays as it is.
func tagged(n int, msg tea.Msg) tea.Msg {
	if msg == nil || terminal.Order(msg) {
		return msg
	}
	if list := reflect.ValueOf(msg); list.Kind() == reflect.Slice && list.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
		for i := range list.Len() {
			if cmd := list.Index(i).Interface().(tea.Cmd); cmd != nil {
				list.Index(i).Set(reflect.ValueOf(tea.Cmd(func() tea.Msg { return tagged(n, cmd()) })))
			}
		}
		return msg
	}
	return of{n, msg}
}

// change begins to open an account, after a question where something would be lost.
func (d *Desk) change(account string) tea.Cmd {
	begin := ui.Action{Key: ui.Bind("switch account"), Do: func() tea.Cmd { return d.begin(account) }}
	if losses := d.losses(); len(losses) > 0 {
		begin.Ask = &ui.Question{Title: "Leave " + d.o.Account + " for " + account, Text: strings.Join(losses, " "), Yes: "leave it"}
	}
	return d.start(begin)
}

// losses are what ends with the account in front, in sentences.
func (s *Shell) losses() []string {
	if s.o.Leaving == nil {
		return nil
	}
	return s.o.Leaving()
}

// begin opens an account behind a dialog. The one in front stays until the other is there.
func (d *Desk) begin(account string) tea.Cmd {
	ctx, cancel := context.WithCancel(d.ctx)
	way := &opening{account: account, cancel: cancel}
	d.way = way
	d.push(way)
	open := d.open
	return func() tea.Msg {
		session, err := open(ctx, account)
		if err == nil && ctx.Err() != nil {
			session.Close()
			err = ctx.Err()
		}
		return opened{way, session, err}
	}
}

// arrive puts an opened account in front, unless nobody wants it any more or something unsaved has come up meanwhile.
func (d *Desk) arrive(msg opened) tea.Cmd {
	d.dismiss(msg.way)
	if msg.way != d.way || errors.Is(msg.err, context.Canceled) {
		return d.refuse(msg.session, nil)
	}
	d.way = nil
	switch {
	case msg.err != nil:
		return d.tag(ui.News(theme.Bad, "account "+msg.way.account+" cannot be opened: "+msg.err.Error()))
	case d.unsaved():
		return d.refuse(msg.session, d.tag(ui.News(theme.Warn, "still in "+d.o.Account+": finish what is in front first")))
	}
	o := msg.session.Options
	o.Theme, o.Looks, o.Mouse = d.o.Theme, d.o.Looks, d.mouse
	next, err := New(o)
	if err != nil {
		return d.refuse(msg.session, d.tag(ui.News(theme.Bad, "account "+msg.way.account+": "+err.Error())))
	}
	d.kept[d.o.Account] = d.remembered()
	d.swap(next, msg.session)
	next.recall(d.kept[o.Account])
	return d.tag(tea.Batch(next.Update(d.size), next.Init(), ui.News(theme.Info, "this is "+o.Account)))
}

// swap puts a shell in the place of the one in front, whose session ends off the loop.
func (d *Desk) swap(next *Shell, session Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.endings.Go(d.close)
	d.Shell, d.close = next, sync.OnceFunc(session.Close)
	d.n++
}

// refuse ends a session that was opened for nothing.
func (d *Desk) refuse(session Session, news tea.Cmd) tea.Cmd {
	if session.Close != nil {
		d.endings.Go(session.Close)
	}
	return news
}

// unsaved reports whether something in front must not be taken away: a form, a question, a secret.
func (s *Shell) unsaved() bool {
	for _, d := range s.dialogs {
		switch d.(type) {
		case *formDialog, *once, *question:
			return true
		}
	}
	return false
}

// remembered is what the user has chosen here.
func (s *Shell) remembered() memory {
	m := memory{tab: s.tabs[s.front].stack[0].Name(), panes: map[string]ui.Kept{}}
	for _, t := range s.tabs {
		if k, ok := t.stack[0].(ui.Keeper); ok {
			m.panes[t.stack[0].Name()] = k.Keep()
		}
	}
	return m
}

// recall chooses again what was chosen before.
func (s *Shell) recall(m memory) {
	for i, t := range s.tabs {
		name := t.stack[0].Name()
		if name == m.tab {
			s.front = i
		}
		if k, ok := t.stack[0].(ui.Keeper); ok {
			if kept, known := m.panes[name]; known {
				k.Restore(kept)
			}
		}
	}
}

// opening stands in front while an account is being opened, so that nothing begins in the one that is about to go.
type opening struct {
	silent
	account string
	cancel  func()
}

func (o *opening) title() string { return "Opening " + o.account }

func (o *opening) size() (int, int) { return 60, 2 }

func (o *opening) hint() string { return "esc stays here" }

func (o *opening) view(b ui.Box) string {
	return "Reading its token" + b.Theme.Glyphs.Ellipsis + "\n" + b.Theme.Paint(theme.Muted, "esc stays here")
}

func (o *opening) press(_ *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	if k.String() == "esc" {
		o.cancel()
		return nil, true
	}
	return nil, false
}

// accountMenu offers the other accounts.
func (s *Shell) accountMenu() *menu {
	m := &menu{name: "Switch account"}
	for i, name := range s.o.Accounts {
		a := ui.Action{Key: ui.Bind(name), Do: func() tea.Cmd { return ui.Send(change{name}) }}
		if i < 9 {
			a.Key = ui.Bind(name, digits[i+1:i+2])
		}
		if name == s.o.Account {
			a.Off = "you are here"
		}
		m.actions = append(m.actions, a)
	}
	return m
}
