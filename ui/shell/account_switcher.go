package shell

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// AllAccounts names the overview of all accounts, which the switcher opens like an account. No account has this name.
const AllAccounts = "all accounts"

// An OpenAccount is what the shell shows of an account that has been opened, and how it is closed.
type OpenAccount struct {
	Options Options
	Close   func() // cancels requests and flushes files; may take a while, and is called once, outside the loop
}

// An AccountSwitcher is the program on one account at a time. Switching ends everything of the account before: it
// cancels the requests, removes the panes, and drops answers still under way. The user's choices in an account are
// restored when it comes back.
type AccountSwitcher struct {
	*Shell
	open          func(ctx context.Context, account string) (OpenAccount, error)
	ctx           context.Context
	closeSession  func() // closes the session in front
	sessionNumber int    // number of the session in front; messages of an older one are dropped
	savedStates   map[string]accountState
	problems      map[string]string // the last problem of each account that has one
	windowSize    tea.WindowSizeMsg

	mu      sync.Mutex
	closing sync.WaitGroup
}

// accountState holds the user's choices in an account that is not in front.
type accountState struct {
	tab   string
	panes map[string]ui.PaneState
}

// NewAccountSwitcher returns a program that starts with a session. open opens others by their accounts' names; it runs
// outside the loop.
func NewAccountSwitcher(
	ctx context.Context, first OpenAccount, open func(ctx context.Context, account string) (OpenAccount, error),
) (*AccountSwitcher, error) {
	s, err := New(first.Options)
	if err != nil {
		return nil, err
	}
	s.o.problems = map[string]string{}
	return &AccountSwitcher{
		problems:     s.o.problems,
		Shell:        s,
		open:         open,
		ctx:          ctx,
		closeSession: sync.OnceFunc(first.Close),
		savedStates:  map[string]accountState{},
	}, nil
}

// Close closes the session in front and waits until all sessions are closed.
func (d *AccountSwitcher) Close() {
	d.mu.Lock()
	ending := d.closeSession
	d.mu.Unlock()
	ending()
	d.closing.Wait()
}

// sessionMessage is a message that belongs to a session.
type sessionMessage struct {
	sessionNumber int
	msg           tea.Msg
}

// accountOpened carries an opened account, or the error that prevented it.
type accountOpened struct {
	opening *openingDialog
	session OpenAccount
	err     error
}

// Init starts the account in front.
func (d *AccountSwitcher) Init() tea.Cmd { return d.tagCommand(d.Shell.Init()) }

// Update passes messages to the account in front, and drops those of other accounts.
func (d *AccountSwitcher) Update(msg tea.Msg) tea.Cmd {
	if o, tagged := msg.(sessionMessage); tagged {
		if o.sessionNumber != d.sessionNumber {
			return nil
		}
		msg = o.msg
	}
	switch msg := msg.(type) {
	case ui.SwitchAccountMsg:
		if msg.Reopen {
			return d.openAccount(msg.Account)
		}
		return d.tagCommand(d.Shell.Update(ui.RunActionMsg{Action: d.switchAction(msg.Account)}))
	case accountOpened:
		return d.handleAccountOpened(msg)
	case tea.WindowSizeMsg:
		d.windowSize = msg
	}
	return d.tagCommand(d.Shell.Update(msg))
}

// tagCommand marks the messages of a command as the session's.
func (d *AccountSwitcher) tagCommand(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	n := d.sessionNumber
	return func() tea.Msg { return tagMessage(n, cmd()) }
}

// tagMessage returns a message with its session's number. Messages for the terminal or the loop stay as they are.
func tagMessage(n int, msg tea.Msg) tea.Msg {
	if msg == nil || terminal.IsTerminalMessage(msg) {
		return msg
	}
	if batch, ok := msg.(tea.BatchMsg); ok {
		for i, cmd := range batch {
			if cmd != nil {
				batch[i] = func() tea.Msg { return tagMessage(n, cmd()) }
			}
		}
		return batch
	}
	return sessionMessage{n, msg}
}

// switchAction opens an account. It asks first if work in the account in front would end.
func (d *AccountSwitcher) switchAction(account string) ui.Action {
	a := ui.Action{Key: ui.Bind("switch account"), Do: func() tea.Cmd { return d.openAccount(account) }}
	if losses := d.leaveWarnings(); len(losses) > 0 {
		a.Confirm = &ui.Confirmation{
			Title:        "Leave " + d.o.Account + " for " + account,
			Text:         strings.Join(losses, " "),
			ConfirmLabel: "leave it",
		}
	}
	return a
}

// openAccount opens an account behind a dialog. The account in front stays until the other is open.
func (d *AccountSwitcher) openAccount(account string) tea.Cmd {
	ctx, cancel := context.WithCancel(d.ctx)
	opening := &openingDialog{account: account, cancel: cancel}
	for _, choice := range d.o.Accounts {
		if choice.Name == account {
			opening.waits = choice.Waits
		}
	}
	d.dialogs.push(opening)
	open := d.open
	return func() tea.Msg {
		session, err := open(ctx, account)
		if err == nil && ctx.Err() != nil {
			session.Close()
			err = ctx.Err()
		}
		return accountOpened{opening, session, err}
	}
}

// handleAccountOpened brings an opened account to the front, unless the user has cancelled it or an unsaved dialog has
// opened meanwhile.
func (d *AccountSwitcher) handleAccountOpened(msg accountOpened) tea.Cmd {
	if !d.dialogs.dismiss(msg.opening) {
		return d.discardSession(msg.session, nil)
	}
	refuse := func(tone theme.Tone, message string) tea.Cmd {
		return d.discardSession(msg.session, d.tagCommand(ui.ShowStatus(tone, message)))
	}
	switch {
	case msg.err != nil:
		d.problems[msg.opening.account] = describeProblem(msg.err, d.o.Now(), d.o.Location)
		return refuse(theme.Bad, "account "+msg.opening.account+" cannot be opened: "+msg.err.Error())
	case d.dialogs.hasUnsaved():
		return refuse(theme.Warn, "still in "+d.o.Account+" · close the open dialog first")
	}
	o := msg.session.Options
	o.ConfigPath = "" // the first account has said what is wrong there
	next, err := New(o)
	if err != nil {
		return refuse(theme.Bad, "account "+msg.opening.account+": "+err.Error())
	}
	inheritScreen(next, d.Shell)
	d.noteProblems()
	delete(d.problems, msg.opening.account)
	next.o.problems = d.problems
	left := d.o.Account
	d.savedStates[left] = d.tabs.saveState()
	d.replaceSession(next, msg.session)
	next.tabs.restoreState(d.savedStates[o.Account])
	if o.SelectAccount != nil {
		o.SelectAccount(left)
	}
	message := ui.ShowStatus(theme.Info, "account "+o.Account+" opened")
	if o.Account == AllAccounts {
		message = nil
	}
	return d.tagCommand(tea.Batch(next.Update(d.windowSize), next.Init(), message))
}

// noteProblems notes the last problem of the account in front, or of all that the overview has read.
func (d *AccountSwitcher) noteProblems() {
	note := func(name string, f ui.Freshness) {
		delete(d.problems, name)
		if f.Err != nil {
			d.problems[name] = describeProblem(f.Err, f.FailedAt, d.o.Location)
		}
	}
	if d.o.AccountFreshness == nil {
		note(d.o.Account, freshnessOf(d.pane()))
		return
	}
	for name, f := range d.o.AccountFreshness() {
		note(name, f)
	}
}

// inheritScreen gives the next shell what belongs to the screen and its user, and not to an account.
func inheritScreen(next, before *Shell) {
	next.themes, next.mouse, next.valuesHidden = before.themes, before.mouse, before.valuesHidden
	next.clock.blurred, next.clock.motion.slowLine = before.clock.blurred, before.clock.motion.slowLine
}

// replaceSession replaces the session in front, which is closed outside the loop.
func (d *AccountSwitcher) replaceSession(next *Shell, session OpenAccount) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closing.Go(d.closeSession)
	d.Shell, d.closeSession = next, sync.OnceFunc(session.Close)
	d.sessionNumber++
}

// discardSession closes a session that is not shown.
func (d *AccountSwitcher) discardSession(session OpenAccount, message tea.Cmd) tea.Cmd {
	if session.Close != nil {
		d.closing.Go(session.Close)
	}
	return message
}

// openingDialog is in front while an account is being opened, so that nothing starts in the account that is about to
// close.
type openingDialog struct {
	ignoresPaste
	account string
	waits   string // see AccountChoice
	cancel  func()
}

func (o *openingDialog) title() string { return "Opening " + o.account }

func (o *openingDialog) size(ui.Box) (int, int) { return 60, 1 }

func (o *openingDialog) hints() []hint { return []hint{{"esc", "cancel"}} }

func (o *openingDialog) view(b ui.Box) string {
	switch {
	case o.waits != "":
		return "Waiting for " + o.waits
	case o.account == AllAccounts:
		return "Reading the configuration" + b.Theme.Glyphs.Ellipsis
	}
	return "Reading its token" + b.Theme.Glyphs.Ellipsis
}

func (o *openingDialog) handleKey(_ *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	if k.String() == "esc" {
		o.cancel()
		return nil, true
	}
	return nil, false
}

// accountMenu offers all accounts, with what is special about each and its last problem, and the overview of all.
func accountMenu(info *AccountInfo) *menuDialog {
	accounts, problems := info.Accounts, info.problems
	actions := make([]ui.Action, len(accounts))
	for i, choice := range accounts {
		a := &actions[i]
		a.Key, a.Do = ui.Bind(choice.Name), func() tea.Cmd { return ui.Send(ui.SwitchAccountMsg{Account: choice.Name}) }
		if i < 9 {
			a.Key = ui.Bind(choice.Name, tabKeys[i:i+1])
		}
		if choice.Name == info.Account {
			a.DisabledReason = "you are already using this account"
		}
		var words []string
		for _, badge := range choice.Badges() {
			words = append(words, badge.Text)
		}
		a.Description = strings.TrimSpace(strings.Join(words, " ") + " " + problems[choice.Name])
	}
	if info.Overview {
		actions = append(actions, allAccountsAction(info))
	}
	m := newMenu("Switch account", nil, actions)
	for i, choice := range accounts {
		e := &m.entries[i]
		e.tone, e.badges = choice.Tone, choice.Badges()
		e.about = cmp.Or(actions[i].DisabledReason, problems[choice.Name])
	}
	return m
}

// allAccountsAction opens the overview of all accounts.
func allAccountsAction(info *AccountInfo) ui.Action {
	open := func() tea.Cmd { return ui.Send(ui.SwitchAccountMsg{Account: AllAccounts}) }
	a := programCommand(AllAccounts, "an overview, one line each", open, "O")
	switch {
	case info.Account == AllAccounts:
		a.DisabledReason = "this is the overview of all accounts"
	case !info.Overview:
		a.DisabledReason = "there is only one account · the configuration can hold more"
	default:
		a.ShowInHints = true
	}
	return a
}

// describeProblem describes in a few words why an account could not be opened or read.
func describeProblem(err error, at time.Time, zone *time.Location) string {
	text := ansi.Truncate(err.Error(), 50, "...")
	if short := ui.ShortReason(err); short != "failed" {
		text = short
	}
	return text + " at " + at.In(zone).Format("15:04")
}
