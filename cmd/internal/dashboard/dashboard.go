// Package dashboard assembles the program on the screen for a real account, the demo and watch.
package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cli/browser"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/journal"
	"lookout/client/wording"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/keep"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/shell"
	"lookout/ui/terminal"
	"lookout/views"
	"lookout/views/activity"
	"lookout/views/operation"
)

// CheckTerminal returns an error if there is no suitable terminal. Linear mode needs less of one.
func CheckTerminal(linear bool) error {
	if linear {
		return terminal.CheckLinear()
	}
	return terminal.Check()
}

// defaultRefresh is the default time between refreshes of the visible pane.
const defaultRefresh = 20 * time.Second

// refreshInterval returns the time between refreshes of the visible pane.
func refreshInterval(s config.Settings) time.Duration { return cmp.Or(s.Refresh, defaultRefresh) }

// RunScreen shows an account until the user quits.
func RunScreen(
	ctx context.Context, f *config.Flags, rest accountList, open func(context.Context) (shell.OpenAccount, error),
) error {
	if err := CheckTerminal(f.Linear); err != nil {
		return exit.Usage(err)
	}
	complaints := os.Stderr
	faults, err := redirectLog(f.LogFile)
	if err != nil {
		return exit.Usage(err)
	}
	failures := &journalFailures{}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, journalFailuresKey{}, failures))
	defer cancel()
	first, err := open(ctx)
	if err != nil {
		return err
	}
	desk, err := shell.NewRootModel(ctx, first, rest.Open)
	if err != nil {
		return exit.Usage(err)
	}
	for _, c := range desk.Shell.KeyConflicts() { // the other mistakes were reported when the file was read
		fmt.Fprintln(complaints, "lookout: "+c.At(first.Options.ConfigPath))
	}
	var screen terminal.Program = desk
	if f.Linear {
		screen = shell.NewLinearScreen(desk)
	}
	code, err := terminal.Run(ctx, screen, terminal.Options{
		Linear:      f.Linear,
		ProgressBar: terminal.HasProgressBar(),
		BeforeExit:  desk.Close,
		PanicLog:    faults,
		ASCII:       f.ASCII || !terminal.SupportsUnicode(),
	})
	if code != exit.CodeOK || err != nil {
		return exit.WithCode(code, err)
	}
	return failures.error()
}

// journalFailures collects, from all accounts that were open, why outcomes of changes could not be recorded.
type journalFailures struct {
	mu  sync.Mutex
	all []error
}

// journalFailuresKey is the key of the collection in the context of the program.
type journalFailuresKey struct{}

// add adds the failure of an account's journal, if there is one.
func (f *journalFailures) add(name string, err error) {
	if f == nil || err == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, fmt.Errorf("account %s: %w; check it before you repeat it", name, err))
}

// error returns the failures with the exit code for an unknown outcome, or nil.
func (f *journalFailures) error() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.all) == 0 {
		return nil
	}
	return exit.WithCode(exit.CodeUnknown, errors.Join(f.all...))
}

// newShellSession returns an account with its panes. Closing the session cancels its requests and closes its journal.
func newShellSession(
	ctx context.Context, f *config.Flags, s config.Settings, c *client.Client, j *journal.Journal,
) (shell.OpenAccount, *account.Account, error) {
	ctx, cancel := context.WithCancel(ctx)
	o, acc, err := shellOptions(ctx, f, s, c, j)
	if err != nil {
		cancel()
		return shell.OpenAccount{}, nil, err
	}
	failures, _ := ctx.Value(journalFailuresKey{}).(*journalFailures)
	return shell.OpenAccount{Options: o, Close: func() {
		cancel()
		o.Loop.Close()
		if s.StopUserCheck != nil {
			s.StopUserCheck()
		}
		acc.Close()
		_ = j.Close()
		failures.add(s.Account, j.OutcomeError())
	}}, acc, nil
}

// shellOptions returns the shell's options for an account, and the account.
func shellOptions(
	ctx context.Context, f *config.Flags, s config.Settings, c *client.Client, j *journal.Journal,
) (shell.Options, *account.Account, error) {
	looks, style, err := themeChoices(s)
	if err != nil {
		return shell.Options{}, nil, err
	}
	loop := &ui.EventLoop{}
	acc := account.New(ctx, account.Options{
		API:           c,
		Executor:      loop,
		OnLargeLoad:   releaseMemory,
		Name:          s.Account,
		Journal:       j,
		CommandFlags:  s.AccountArgs(),
		DownloadsPath: s.DownloadsPath(),
	})
	acc.Maintenance.KeptElsewhere = func() bool {
		return !s.Demo && keep.Watches(f.Env.StateFolder(), s.JournalPath())
	}
	panes := views.Panes(acc)
	if names := views.TabNames(); f.View != "" && !slices.Contains(names, f.View) {
		return shell.Options{}, nil, exit.Usage(
			fmt.Errorf("--view %q: unknown pane (use %s)", client.Clean(f.View), strings.Join(names, ", ")),
		)
	}
	notify := s.NotifyOptions()
	notify.Notices = func(paused bool) []ui.Notification {
		return operation.Notifications(acc.Notices(paused))
	}
	notify.Refresh = func() { acc.RefreshNoticeSources() }
	return shell.Options{
		AccountInfo:     accountInfo(s, c),
		RateLimitHooks:  rateLimitHooks(c),
		Preferences:     preferences(ctx, f, s),
		Notify:          notify,
		Panes:           panes,
		TabPlaces:       views.TabPlaces(),
		Theme:           style,
		Themes:          looks,
		TokenForm:       func() form.Form { return operation.TokenForm(acc, s.CheckReplacement) },
		RefreshInterval: refreshInterval(s),
		OnOpen:          func() tea.Cmd { return openForUser(s, acc, views.OnOpen, reopen) },
		Loop:            loop,
		Context:         ctx,
		LeaveWarnings:   func() []string { return views.LeaveWarnings(acc) },
		HandOver:        func() *ui.Action { return handOver(ctx, f, s, acc) },
		Progress:        func() ui.Progress { return activity.Progress(acc) },
	}, acc, nil
}

// openForUser takes up what earlier runs have left, once it is known that they were the token's user's. If they were
// another user's, it runs another command.
func openForUser(
	s config.Settings, acc *account.Account, onOpen func(*account.Account) tea.Cmd,
	other func(config.Settings, error) tea.Cmd,
) tea.Cmd {
	open := func() tea.Cmd {
		acc.HoldMemory(false)
		message := s.TokenUserMessage()
		if message == "" {
			return onOpen(acc)
		}
		return tea.Batch(onOpen(acc), ui.ShowStatus(theme.Warn, message))
	}
	if s.CheckUser == nil {
		return open()
	}
	acc.HoldMemory(true)
	return func() tea.Msg {
		if err := s.CheckUser(); err != nil {
			return userChecked(func() tea.Cmd { return other(s, err) })
		}
		return userChecked(open)
	}
}

// userChecked goes on after it was found out whose the token is.
type userChecked func() tea.Cmd

// Deliver goes on.
func (u userChecked) Deliver() tea.Cmd { return u() }

// reopen opens an account again, with the files of its token's user.
func reopen(s config.Settings, _ error) tea.Cmd {
	return ui.Send(ui.SwitchAccountMsg{Account: s.DisplayName(), Reopen: true})
}

// preferences returns the user's choices.
func preferences(ctx context.Context, f *config.Flags, s config.Settings) shell.Preferences {
	return shell.Preferences{
		Keys:           s.Keys,
		KeyLines:       s.Source.KeyLines,
		Columns:        s.Columns,
		CustomCommands: s.Source.Commands,
		StartPane:      f.View,
		Mouse:          !f.NoMouse,
		ConfigPath:     s.Source.Path,
		CheckConfig:    func() []string { return CheckConfig(ctx, s.Source.Data).Texts(s.Source.Path) },
		NoMotion:       s.NoMotion || f.Linear,
	}
}

// accountInfo returns what the first line shows of an account.
func accountInfo(s config.Settings, c *client.Client) shell.AccountInfo {
	info := shell.AccountInfo{
		Account:      s.DisplayName(),
		AccountTone:  s.Color,
		AccountLabel: s.Label,
		Protected:    s.Protected,
		ReadOnly:     s.ReadOnly,
		Safety:       func() (protected, readOnly bool) { return c.Protected(), c.ReadOnly() },
		Demo:         s.Demo,
		KnownHosts:   c.KnownHosts(),
	}
	if s.NotRecorded != nil {
		info.ReadOnly, info.NotRecorded = true, client.Clean(s.NotRecorded.Error())
	}
	return info
}

// rateLimitHooks tell the shell how many requests are left and how long the client waits.
func rateLimitHooks(c *client.Client) shell.RateLimitHooks {
	return shell.RateLimitHooks{
		RequestBudget: func() string { return formatBudget(c.RateLimit(), time.Now()) },
		RateLimitWait: func() (time.Time, time.Duration) {
			b := c.RateLimit()
			return b.PausedUntil, b.RetryAfter
		},
		LowBudget: func() (string, time.Time) { return c.RateLimit().Low(time.Now()) },
		RetryNow:  c.Resume,

		NextProbe:    c.NextProbe,
		WaitingSince: c.WaitingSince,
	}
}

// formatBudget returns the rate limit in words: how many requests are left at least, in steps of a fifth, because every
// refresh uses some.
func formatBudget(b client.RateLimit, now time.Time) string {
	if low, _ := b.Low(now); b.Limit == 0 || b.PausedUntil.After(now) || low != "" {
		return "" // the wait, or what is left, is shown beside the freshness
	}
	step := max(1, b.Limit/5)
	return wording.FormatCount(int64(b.Remaining/step*step)) + "+ API requests left"
}

// redirectLog sends what libraries write to standard error to a file, or discards it, so that it does not spoil the
// screen.
func redirectLog(path string) (io.Writer, error) {
	file, err := config.AppendPrivateFile(cmp.Or(path, os.DevNull))
	if err != nil {
		return nil, fmt.Errorf("log file: %w", err)
	}
	os.Stderr = file
	log.SetOutput(file)
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	if path == "" {
		return nil, nil
	}
	return file, nil
}

// releaseMemory returns memory to the operating system after a long read, which leaves as much garbage behind as it
// brings rows. From then on the collector runs whenever memory has grown by a fifth: rows in such numbers are cheap for
// it to look through.
func releaseMemory() {
	debug.SetGCPercent(20)
	debug.FreeOSMemory()
}
