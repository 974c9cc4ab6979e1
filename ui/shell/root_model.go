package shell

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/client/lists"
	"lookout/client/wording"
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

// A RootModel is the model of the whole program: the shell of one open account at a time. Switching to another account
// ends everything of the one before: it cancels the requests, removes the panes, and drops answers still under way. The
// user's choices in an account are restored when it comes back.
type RootModel struct {
	*Shell
	open         func(ctx context.Context, account string) (OpenAccount, error)
	ctx          context.Context
	closeAccount func() // closes the account in front
	generation   int    // how many accounts were in front before; messages of those are dropped
	savedStates  map[string]accountState
	problems     map[string]string // the last problem of each account that has one
	windowSize   tea.WindowSizeMsg

	mu      sync.Mutex
	closing sync.WaitGroup
}

// accountState holds the user's choices in an account that is not in front.
type accountState struct {
	tab   string
	panes map[string]ui.PaneState
}

// NewRootModel returns a program that starts with an open account. open opens others by their names; it runs outside
// the loop.
func NewRootModel(
	ctx context.Context, first OpenAccount, open func(ctx context.Context, account string) (OpenAccount, error),
) (*RootModel, error) {
	s, err := New(first.Options)
	if err != nil {
		return nil, err
	}
	s.o.problems = map[string]string{}
	return &RootModel{
		problems:     s.o.problems,
		Shell:        s,
		open:         open,
		ctx:          ctx,
		closeAccount: sync.OnceFunc(first.Close),
		savedStates:  map[string]accountState{},
	}, nil
}

// Close closes the account in front and waits until all accounts are closed.
func (d *RootModel) Close() {
	d.mu.Lock()
	ending := d.closeAccount
	d.mu.Unlock()
	ending()
	d.closing.Wait()
}

// accountMessage is a message that belongs to an open account.
type accountMessage struct {
	generation int
	msg        tea.Msg
}

// accountOpened carries an opened account, or the error that prevented it.
type accountOpened struct {
	opening *openingDialog
	opened  OpenAccount
	err     error
}

// Init starts the account in front.
func (d *RootModel) Init() tea.Cmd { return d.tagCommand(d.Shell.Init()) }

// Update passes messages to the account in front, and drops those of other accounts.
func (d *RootModel) Update(msg tea.Msg) tea.Cmd {
	if o, tagged := msg.(accountMessage); tagged {
		if o.generation != d.generation {
			return nil
		}
		msg = o.msg
	}
	switch msg := msg.(type) {
	case ui.SwitchAccountMsg:
		if msg.Reopen {
			defer d.locked()()
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

// locked takes the lock of the account in front, and returns the function that lets go of it.
func (d *RootModel) locked() (unlock func()) {
	loop := d.o.Loop
	loop.Lock()
	return loop.Unlock
}

// tagCommand marks the messages of a command as those of the account in front.
func (d *RootModel) tagCommand(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	n := d.generation
	return func() tea.Msg { return tagMessage(n, cmd()) }
}

// tagMessage returns a message with the generation of its account. Messages for the terminal or the loop stay as they
// are.
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
	return accountMessage{n, msg}
}

// switchAction opens an account. It asks first if work in the account in front would end.
func (d *RootModel) switchAction(account string) ui.Action {
	defer d.locked()()
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
func (d *RootModel) openAccount(account string) tea.Cmd {
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
		opened, err := open(ctx, account)
		if err == nil && ctx.Err() != nil {
			opened.Close()
			err = ctx.Err()
		}
		return accountOpened{opening, opened, err}
	}
}

// handleAccountOpened brings an opened account to the front, unless the user has cancelled it or an unsaved dialog has
// opened meanwhile.
func (d *RootModel) handleAccountOpened(msg accountOpened) tea.Cmd {
	defer d.locked()()
	if !d.dialogs.dismiss(msg.opening) {
		return d.discardAccount(msg.opened, nil)
	}
	refuse := func(tone theme.Tone, message string) tea.Cmd {
		return d.discardAccount(msg.opened, d.tagCommand(ui.ShowStatus(tone, message)))
	}
	switch {
	case msg.err != nil:
		d.problems[msg.opening.account] = describeProblem(msg.err, d.o.Now(), d.o.Location)
		return refuse(theme.Bad, "account "+msg.opening.account+" cannot be opened: "+msg.err.Error())
	case d.dialogs.hasUnsaved():
		return refuse(theme.Warn, "still in "+d.o.Account+" · close the open dialog first")
	}
	o := msg.opened.Options
	o.ConfigPath = "" // the first account has said what is wrong there
	next, err := New(o)
	if err != nil {
		return refuse(theme.Bad, "account "+msg.opening.account+": "+err.Error())
	}
	next.inheritScreen(d.Shell)
	d.noteProblems()
	delete(d.problems, msg.opening.account)
	next.o.problems = d.problems
	left := d.o.Account
	d.savedStates[left] = d.tabs.saveState()
	d.replaceAccount(next, msg.opened)
	next.tabs.restoreState(d.savedStates[o.Account])
	if o.SelectAccount != nil {
		o.SelectAccount(left)
	}
	commands := []tea.Cmd{next.Update(d.windowSize)}
	if o.Account != AllAccounts { // before Init, whose messages say more than this one
		opened := ui.StatusMsg{Text: "account " + o.Account + " opened", Tone: theme.Info}
		commands = append(commands, next.Update(opened))
	}
	return d.tagCommand(tea.Batch(append(commands, next.Init())...))
}

// noteProblems notes the last problem of the account in front, or of all that the overview has read.
func (d *RootModel) noteProblems() {
	note := func(name string, f lists.Freshness) {
		delete(d.problems, name)
		if f.Err != nil {
			d.problems[name] = describeProblem(f.Err, f.FailedAt, d.o.Location)
		}
	}
	if d.o.AccountFreshness == nil {
		note(d.o.Account, d.freshness())
		return
	}
	for name, f := range d.o.AccountFreshness() {
		note(name, f)
	}
}

// inheritScreen takes over from the shell before what belongs to the screen and its user, and not to an account.
func (s *Shell) inheritScreen(before *Shell) {
	s.themes, s.mouse = before.themes, before.mouse
	s.clock.blurred = before.clock.blurred
}

// replaceAccount replaces the account in front, which is closed outside the loop.
func (d *RootModel) replaceAccount(next *Shell, opened OpenAccount) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closing.Go(d.closeAccount)
	d.Shell, d.closeAccount = next, sync.OnceFunc(opened.Close)
	d.generation++
}

// discardAccount closes an account that is not shown.
func (d *RootModel) discardAccount(opened OpenAccount, message tea.Cmd) tea.Cmd {
	if opened.Close != nil {
		d.closing.Go(opened.Close)
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
func (info *AccountInfo) accountMenu() *menuDialog {
	accounts, problems := info.Accounts, info.problems
	actions := make([]ui.Action, len(accounts))
	for i, choice := range accounts {
		a := &actions[i]
		a.Key, a.Do = ui.Bind(choice.Name), func() tea.Cmd { return ui.Send(ui.SwitchAccountMsg{Account: choice.Name}) }
		if i < 9 {
			a.Key = ui.Bind(choice.Name, digitKeys[i:i+1])
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
		actions = append(actions, info.allAccountsAction())
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
func (info *AccountInfo) allAccountsAction() ui.Action {
	open := func() tea.Cmd { return ui.Send(ui.SwitchAccountMsg{Account: AllAccounts}) }
	a := programAction(AllAccounts, "list them, with one line for each", open, "O")
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
	if short := wording.ShortReason(err); short != "failed" {
		text = short
	}
	return text + " at " + at.In(zone).Format("15:04")
}
