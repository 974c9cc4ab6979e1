// Package maintenance begins and ends maintenance windows when their time has come. The windows are in the journal, so
// every program that reads it can do that: a dashboard, or lookout keep. Nothing else begins or ends windows.
package maintenance

import (
	"context"
	"errors"
	"sync"
	"time"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/window"
)

// A Result is what became of a window whose time had come.
type Result int

// The results.
const (
	Failed  Result = iota // it is tried again; the error says why
	Changed               // the service was enabled or disabled
	Already               // somebody else has enabled it, and nothing was sent
	Gone                  // the service has been deleted
	Missed                // the planned window was over before it could begin
	Kept                  // the service was disabled before the window began, and stays disabled
	Left                  // somebody else has enabled and disabled it during the window, and it stays disabled
	Ask                   // it is not known who has disabled the service: it stays disabled, and the user decides
	waits                 // for another change of the service, perhaps by another program; nothing to report
)

// An Event is what became of a window.
type Event struct {
	Window  window.Window
	Begins  bool // it was to begin, else to end
	Early   bool // it is over before its end
	Result  Result
	Service *client.Service // as it was read or answered last; nil if it was not
	Err     error           // why it failed
	Next    time.Time       // when it is tried again
}

// A Keeper begins and ends the windows of one account; New returns one. Its methods are safe for concurrent use.
type Keeper struct {
	API     *client.Client
	Journal *journal.Journal
	Now     func() time.Time
	// Report is called with what became of windows, from any goroutine: once for those that were due at the same time.
	Report func([]Event)

	mu       sync.Mutex
	attempts map[due]attempt
	running  int     // attempts that have not ended
	events   []Event // that were not reported yet
	requests sync.WaitGroup
	wake     chan struct{} // has a value when Keep is to look again
}

// New returns the keeper of an account.
func New(api *client.Client, j *journal.Journal, now func() time.Time, report func([]Event)) *Keeper {
	return &Keeper{
		API:     api,
		Journal: j,
		Now:     now,
		Report:  report,
		wake:    make(chan struct{}, 1),
	}
}

// due is what is to be done for a window: another end is another thing to do.
type due struct {
	window, op string
	at         time.Time
}

// An attempt is what was tried for a window.
type attempt struct {
	count int
	next  time.Time // not before
	// behindSince is since when all readings have shown the service as it was before; zero if the last one did not.
	behindSince time.Time
	running     bool
	over        bool
}

const (
	longestLook    = 10 * time.Second // between two looks at the clock, which may jump, and at the journal
	longestWait    = 5 * time.Minute  // between two attempts
	requestTimeout = 40 * time.Second // for all requests of one window
	busyWait       = 2 * time.Second  // for another change of the service
)

// Keep begins and ends windows until ctx ends. Requests that are under way then are not cut off, because their outcome
// would be unknown.
func (k *Keeper) Keep(ctx context.Context) {
	for {
		pause := time.NewTimer(max(k.Look(ctx), time.Second/10))
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-k.wake:
			pause.Stop()
		case <-pause.C:
		}
	}
}

// Wake makes Keep look at once: this program has changed a window.
func (k *Keeper) Wake() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Wait waits until no request is under way.
func (k *Keeper) Wait() { k.requests.Wait() }

// Look begins and ends what is due, beside the caller, and returns when to look again. It compares times on the wall,
// so that it is right after the machine has slept.
func (k *Keeper) Look(ctx context.Context) time.Duration {
	_, _ = k.Journal.CatchUp() // it is read again before anything is sent
	if k.API.ReadOnly() {
		return longestLook
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	now, wait := k.Now(), longestLook
	known := map[due]attempt{}
	for _, w := range k.Journal.Windows() {
		at, op, any := w.Due()
		if !any {
			continue
		}
		what := due{w.ID, op, at}
		a := k.attempts[what]
		if a.next.Sub(now) > longestWait {
			a.next = time.Time{} // it was set before the clock was set back
		}
		next := at
		if a.next.After(at) {
			next = a.next
		}
		switch {
		case a.running || a.over:
		case now.Before(next):
			wait = min(wait, next.Sub(now))
		default:
			a.running = true
			k.running++
			k.requests.Go(func() { k.attempt(ctx, what, w, a.behindSince) })
		}
		known[what] = a
	}
	for what, a := range k.attempts {
		if _, there := known[what]; !there && a.running {
			known[what] = a
		}
	}
	k.attempts = known
	return wait
}

// attempt begins or ends a window.
func (k *Keeper) attempt(ctx context.Context, what due, w window.Window, behindSince time.Time) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
	defer cancel()
	e := Event{Window: w, Begins: what.op == client.OpDisableService}
	if e.Begins {
		e.Service, e.Result, e.Err = k.begin(limited, w)
	} else {
		e.Service, e.Result, e.Err = k.end(limited, w, behindSince)
	}
	k.mu.Lock()
	a := k.attempts[what]
	a.running = false
	switch now := k.Now(); {
	case !errors.Is(e.Err, errBehind):
		a.behindSince = time.Time{}
	case a.behindSince.IsZero() || a.behindSince.After(now): // the clock may have been set back
		a.behindSince = now
	}
	switch e.Result {
	case Failed:
		a.next = k.Now().Add(min(5*time.Second<<min(a.count, 10), longestWait))
		a.count++
		e.Next = a.next
	case waits:
		a.next = k.Now().Add(busyWait)
	default:
		a.over = true
	}
	k.attempts[what] = a
	if e.Result != waits {
		k.events = append(k.events, e)
	}
	var events []Event
	if k.running--; k.running == 0 {
		events, k.events = k.events, nil
	}
	k.mu.Unlock()
	if len(events) > 0 {
		k.Report(events)
	}
	k.Wake()
}
