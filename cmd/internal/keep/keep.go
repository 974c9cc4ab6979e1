// Package keep looks after the maintenance windows of all accounts while no dashboard is open: it disables services
// when planned windows begin, and enables them when windows end. All it knows is in the journals, so it can be killed
// and started again at any time.
package keep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/client/maintenance"
)

// A WatchedAccount is an account whose maintenance windows Run begins and ends.
type WatchedAccount struct {
	Name     string
	Journal  string // path
	ReadOnly bool
	// Connect reads the token and returns the client. After the API has not accepted a token, before is the client so
	// far: it gets the new token, if that is the same user's. Otherwise it is nil.
	Connect func(ctx context.Context, r client.ChangeRecorder, before *client.Client) (*client.Client, error)
}

// Options say which accounts Run watches, and how.
type Options struct {
	Accounts func() []WatchedAccount // is asked again from time to time
	Now      func() time.Time
	Report   func(line string) // is called for everything that happens, from one goroutine
	// Watching is called with the journals that are watched, whenever they change. It may be nil.
	Watching func(journals []string)
}

const (
	observeInterval = 5 * time.Minute  // age at which the services are read again
	tokenInterval   = 30 * time.Second // between two attempts to read a token
	longestPause    = 10 * time.Second // between two looks at the clock and the journals
	farewell        = 5 * time.Second  // for changes that are under way when it ends
)

// Run looks after the windows until ctx ends.
func Run(ctx context.Context, o Options) error {
	k := &keeper{Options: o, accounts: map[string]*watched{}}
	defer k.close()
	for ctx.Err() == nil {
		k.reports = false
		due := false
		k.loop.After(k.look(ctx), func() { due = true })
		k.loop.Wait(ctx, func() bool { return due || k.reports })
	}
	return nil
}

// A keeper holds the accounts. It belongs to its loop; only requests run beside it.
type keeper struct {
	Options
	loop     lists.Loop
	watching []string
	accounts map[string]*watched // by the path of the journal
	reports  bool                // something was reported since the last look
}

// A watched is a WatchedAccount with what is known about it.
type watched struct {
	WatchedAccount
	journal  *journal.Journal
	account  *account.Account // nil until its token could be read
	rejected bool             // the API does not accept its token
	reported map[string]bool  // lines that need not be repeated
	tokenAt  time.Time        // when the token is to be read again
}

// look begins what is due and returns for how long nothing else is.
func (k *keeper) look(ctx context.Context) time.Duration {
	pause := longestPause
	var watching []string
	for _, known := range k.Accounts() {
		a, err := k.open(known)
		if err != nil {
			k.Report(fmt.Sprintf("%s: %v", known.Name, err))
			continue
		}
		if a == nil || !k.watches(ctx, a) {
			continue
		}
		watching = append(watching, a.Journal)
		pause = min(pause, max(a.account.Maintenance.Keeper.Look(ctx), time.Second/10))
		a.account.RefreshIfOlder(a.account.Services(), observeInterval)
		a.account.ListNotices() // ends the windows that somebody else has ended
	}
	if k.Watching != nil && !slices.Equal(watching, k.watching) {
		k.Watching(watching)
	}
	k.watching = watching
	return pause
}

// open returns an account with its journal as it is now; nil if it has none.
func (k *keeper) open(known WatchedAccount) (*watched, error) {
	a := k.accounts[known.Journal]
	if a == nil {
		if _, err := os.Stat(known.Journal); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		j, err := journal.Open(known.Journal, known.Name, k.Now)
		if err != nil {
			return nil, err
		}
		a = &watched{journal: j, reported: map[string]bool{}}
		k.accounts[known.Journal] = a
	}
	a.WatchedAccount = known
	_, err := a.journal.CatchUp()
	if gone := (*journal.GoneError)(nil); errors.As(err, &gone) {
		delete(k.accounts, known.Journal) // there may be another one later
		return nil, errors.Join(err, a.journal.Close())
	}
	return a, err
}

// watches reports whether the windows of an account can be looked after. It names those that cannot.
func (k *keeper) watches(ctx context.Context, a *watched) bool {
	windows := describeWindows(a.journal, k.Now())
	switch {
	case len(windows) == 0:
		return false
	case a.ReadOnly:
		k.reportOnce(a, "it is read-only, so nothing is changed: "+strings.Join(windows, ", "))
		return false
	case (a.account == nil || a.rejected) && k.Now().Before(a.tokenAt) && a.tokenAt.Sub(k.Now()) <= tokenInterval:
		return false
	case a.account == nil || a.rejected:
		var before *client.Client
		if a.account != nil {
			before = a.account.API
		}
		api, err := a.Connect(ctx, a.journal, before)
		if err != nil {
			a.tokenAt = k.Now().Add(tokenInterval)
			k.reportOnce(a, fmt.Sprintf("no token, so nothing is changed: %s (%v)", strings.Join(windows, ", "), err))
			return false
		}
		if a.rejected = false; api != before {
			a.account = k.newAccount(ctx, a, api)
		}
	}
	for _, w := range windows {
		k.reportOnce(a, w)
	}
	return true
}

// newAccount returns the account of a client, with what begins and ends its windows.
func (k *keeper) newAccount(ctx context.Context, a *watched, api *client.Client) *account.Account {
	acc := account.New(ctx, account.Options{
		API:      api,
		Executor: &k.loop,
		Name:     a.Name,
		Journal:  a.journal,
		Now:      k.Now,
	})
	acc.Maintenance.Keeper = maintenance.New(api, a.journal, k.Now, func(found []maintenance.Event) {
		k.loop.Go(func() (apply func()) {
			return func() {
				for _, e := range found {
					k.report(a, e)
				}
			}
		})
	})
	return acc
}

// describeWindows names the windows that are to begin or to end: "web-1 is to be enabled on Mon 23 Nov 06:00".
func describeWindows(j *journal.Journal, now time.Time) []string {
	var windows []string
	for _, w := range j.Windows() {
		at, op, any := w.Due()
		if !any {
			continue
		}
		state := "enabled"
		if op == client.OpDisableService {
			state = "disabled"
		}
		windows = append(windows, fmt.Sprintf(
			"%s is to be %s on %s", client.NewText(w.Label), state, at.In(now.Location()).Format("Mon 2 Jan 15:04:05"),
		))
	}
	slices.Sort(windows)
	return windows
}

// reportOnce reports a line about an account, unless it did so before.
func (k *keeper) reportOnce(a *watched, text string) {
	if !a.reported[text] {
		a.reported[text] = true
		k.Report(a.Name + ": " + text)
	}
}

// report reports what became of a window.
func (k *keeper) report(a *watched, e maintenance.Event) {
	k.reports = true
	label, state := client.NewText(e.Window.Label).String(), "enabled"
	if e.Begins {
		state = "disabled"
	}
	text := ""
	switch e.Result {
	case maintenance.Changed:
		text = "monitoring is " + state + " · time is up"
	case maintenance.Already:
		text = "it is enabled already; its window is over"
	case maintenance.Left:
		text = "somebody has enabled and disabled it; its window is over, and it stays disabled"
	case maintenance.Gone:
		text = "the service has been deleted"
	case maintenance.Missed:
		text = "the planned window was over before it could begin; nothing was changed"
	case maintenance.Kept:
		text = "it is already disabled, and stays disabled"
	case maintenance.Ask:
		text = "time is up, but it is not known who has disabled it, so it stays disabled; to enable it: " +
			"lookout services enable " + e.Window.Service
	default:
		text = fmt.Sprintf("could not be %s; trying again at %s: %v", state, e.Next.Format(time.TimeOnly), e.Err)
		if failed := (*client.Error)(nil); errors.As(e.Err, &failed) && failed.Unauthorized() {
			a.rejected = true // the token may have been replaced
		}
	}
	k.Report(fmt.Sprintf("%s: %s: %s", a.Name, label, text))
}

// close waits a moment for changes that are under way, and closes the journals.
func (k *keeper) close() {
	done := make(chan struct{})
	go func() {
		for _, a := range k.accounts {
			if a.account != nil {
				a.account.Maintenance.Keeper.Wait()
			}
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(farewell):
	}
	for _, a := range k.accounts {
		_ = a.journal.Close()
	}
}

// otherJournals returns the journals in a folder that belong to none of the accounts, as accounts without a token:
// their windows are named, but nobody can end them.
func otherJournals(folder string, accounts []WatchedAccount) []WatchedAccount {
	paths, _ := filepath.Glob(filepath.Join(folder, "*.journal"))
	var others []WatchedAccount
	for _, path := range paths {
		if slices.ContainsFunc(accounts, func(a WatchedAccount) bool { return a.Journal == path }) {
			continue
		}
		others = append(others, WatchedAccount{
			Name:    strings.TrimSuffix(filepath.Base(path), ".journal"),
			Journal: path,
			Connect: func(context.Context, client.ChangeRecorder, *client.Client) (*client.Client, error) {
				return nil, errors.New("no account in the configuration has this journal")
			},
		})
	}
	return others
}
