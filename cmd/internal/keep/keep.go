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
	"sync"
	"time"

	"lookout/client"
	"lookout/client/account/incident"
	"lookout/client/journal"
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
	requestTimeout  = 40 * time.Second // for all requests of one window
	observeInterval = 5 * time.Minute  // between two looks at services that are disabled
	tokenInterval   = 30 * time.Second // between two attempts to read a token
	longestPause    = 10 * time.Second // between two looks at the clock and the journals
	farewell        = 5 * time.Second  // for requests that are under way when it ends
)

// Run looks after the windows until ctx ends.
func Run(ctx context.Context, o Options) error {
	k := &keeper{Options: o, accounts: map[string]*account{}, results: make(chan func())}
	defer k.close()
	for {
		pause := time.NewTimer(k.look(ctx))
		select {
		case <-ctx.Done():
			pause.Stop()
			return nil
		case result := <-k.results:
			pause.Stop()
			result()
		case <-pause.C:
		}
	}
}

// A keeper holds the accounts. It belongs to one goroutine; only requests run beside it.
type keeper struct {
	Options
	watching []string
	accounts map[string]*account // by the path of the journal
	results  chan func()
	requests sync.WaitGroup
}

// An account is a WatchedAccount with what is known about it.
type account struct {
	WatchedAccount
	journal  *journal.Journal
	api      *client.Client // nil until its token could be read
	rejected bool           // the API does not accept its token
	schedule maintenance.Schedule
	reported map[string]bool // lines that need not be repeated
	tokenAt  time.Time       // when the token is to be read again
	observed time.Time
	watching bool // a list of its services is being read
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
		k.begin(ctx, a)
		if wait, any := a.schedule.NextLook(a.journal, k.Now()); any {
			pause = min(pause, max(wait, time.Second/10))
		}
	}
	if k.Watching != nil && !slices.Equal(watching, k.watching) {
		k.Watching(watching)
	}
	k.watching = watching
	return pause
}

// open returns an account with its journal as it is now; nil if it has none.
func (k *keeper) open(known WatchedAccount) (*account, error) {
	a := k.accounts[known.Journal]
	if a == nil {
		if _, err := os.Stat(known.Journal); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		j, err := journal.Open(known.Journal, known.Name, k.Now)
		if err != nil {
			return nil, err
		}
		a = &account{journal: j, reported: map[string]bool{}}
		k.accounts[known.Journal] = a
	}
	a.WatchedAccount = known
	_, err := a.journal.CatchUp()
	return a, err
}

// seenEnabled returns a function that reports whether a dashboard has seen a service enabled after a time. What cannot
// be read was not seen.
func seenEnabled(journalPath string) func(service int, after time.Time) bool {
	return func(service int, after time.Time) bool {
		data, err := journal.StateFileAt(journalPath).Read()
		if err != nil {
			return false
		}
		seen, err := incident.Load(data)
		return err == nil && seen.EnabledSince(service, after)
	}
}

// watches reports whether the windows of an account can be looked after. It names those that cannot.
func (k *keeper) watches(ctx context.Context, a *account) bool {
	windows := describeWindows(a.journal, k.Now())
	switch {
	case len(windows) == 0:
		return false
	case a.ReadOnly:
		k.reportOnce(a, "it is read-only, so nothing is changed: "+strings.Join(windows, ", "))
		return false
	case (a.api == nil || a.rejected) && k.Now().Before(a.tokenAt) && a.tokenAt.Sub(k.Now()) <= tokenInterval:
		return false
	case a.api == nil || a.rejected:
		api, err := a.Connect(ctx, a.journal, a.api)
		if err != nil {
			a.tokenAt = k.Now().Add(tokenInterval)
			k.reportOnce(a, fmt.Sprintf("no token, so nothing is changed: %s (%v)", strings.Join(windows, ", "), err))
			return false
		}
		a.api, a.rejected = api, false
	}
	for _, w := range windows {
		k.reportOnce(a, w)
	}
	return true
}

// describeWindows names the windows that are to begin or to end: "web-1 is enabled on Mon 23 Nov 06:00".
func describeWindows(j *journal.Journal, now time.Time) []string {
	const layout = "Mon 2 Jan 15:04:05"
	var windows []string
	for _, w := range j.DisabledServices() {
		if !w.Until.IsZero() {
			end := w.Until.In(now.Location()).Format(layout)
			windows = append(windows, fmt.Sprintf("%s is to be enabled on %s", client.NewText(w.Label), end))
		}
	}
	for _, w := range j.PlannedWindows() {
		start := w.Start.In(now.Location()).Format(layout)
		windows = append(windows, fmt.Sprintf("%s is to be disabled on %s", client.NewText(w.Label), start))
	}
	slices.Sort(windows)
	return windows
}

// reportOnce reports a line about an account, unless it did so before.
func (k *keeper) reportOnce(a *account, text string) {
	if !a.reported[text] {
		a.reported[text] = true
		k.Report(a.Name + ": " + text)
	}
}

// begin begins and ends the windows of an account that are due, beside this goroutine.
func (k *keeper) begin(ctx context.Context, a *account) {
	executor := maintenance.Executor{
		API:         a.api,
		Journal:     a.journal,
		Now:         k.Now,
		SeenEnabled: seenEnabled(a.Journal),
	}
	for _, w := range a.schedule.Ends(a.journal, k.Now()) {
		k.request(ctx, func(ctx context.Context) func() {
			_, result, err := executor.End(ctx, w)
			return func() { k.ended(a, dueWindow{w.IntentID, w.Label, "enabled"}, result, err) }
		})
	}
	for _, w := range a.schedule.Starts(a.journal, k.Now()) {
		k.request(ctx, func(ctx context.Context) func() {
			_, result, err := executor.Begin(ctx, w)
			return func() { k.ended(a, dueWindow{w.IntentID, w.Label, "disabled"}, result, err) }
		})
	}
	if !a.watching && k.Now().Sub(a.observed).Abs() > observeInterval {
		a.observed, a.watching = k.Now(), true
		k.request(ctx, func(ctx context.Context) func() { return k.observe(ctx, a, executor) })
	}
}

// request runs requests off the loop; what they return runs on it. A request that is under way is not cut off when ctx
// ends: its outcome would be unknown.
func (k *keeper) request(ctx context.Context, do func(context.Context) func()) {
	k.requests.Go(func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
		defer cancel()
		result := do(limited)
		select {
		case k.results <- result:
		case <-ctx.Done():
		}
	})
}

// A dueWindow is a window whose time has come, and what was to become of its service.
type dueWindow struct{ intent, label, state string }

// ended reports what became of a window.
func (k *keeper) ended(a *account, w dueWindow, result maintenance.WindowResult, err error) {
	label := client.NewText(w.label).String()
	text := ""
	switch result {
	case maintenance.Changed:
		text = "monitoring is " + w.state + " · time is up"
	case maintenance.Already:
		text = "somebody has enabled it already"
	case maintenance.Superseded:
		text = "its window was changed"
	case maintenance.Left:
		text = "it was enabled and disabled again in between, and stays disabled"
	case maintenance.Gone:
		text = "the service has been deleted"
	case maintenance.Missed:
		text = "the planned window was over before it could begin; nothing was changed"
	case maintenance.Kept:
		text = "it is already disabled, and stays disabled"
	default:
		next := a.schedule.Failed(w.intent, k.Now())
		k.Report(fmt.Sprintf(
			"%s: %s: could not be %s; trying again at %s: %v",
			a.Name, label, w.state, next.Format(time.TimeOnly), err,
		))
		if failed := (*client.Error)(nil); errors.As(err, &failed) && failed.Unauthorized() {
			a.rejected = true // the token may have been replaced
		}
		return
	}
	a.schedule.Done(w.intent)
	k.Report(fmt.Sprintf("%s: %s: %s", a.Name, label, text))
}

// observe reads the services and ends the windows of those that somebody else has enabled.
func (k *keeper) observe(ctx context.Context, a *account, executor maintenance.Executor) func() {
	read := k.Now()
	var services []*client.Service
	for s, err := range executor.API.Services.All(ctx) {
		if err != nil {
			break // the next look will tell
		}
		services = append(services, s)
	}
	return func() {
		a.watching = false
		for _, w := range executor.Observe(read, services) {
			k.Report(fmt.Sprintf(
				"%s: %s: somebody has enabled it; its window is over", a.Name, client.NewText(w.Label),
			))
		}
	}
}

// close waits a moment for requests that are under way, and closes the journals.
func (k *keeper) close() {
	done := make(chan struct{})
	go func() {
		k.requests.Wait()
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
