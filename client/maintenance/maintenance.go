// Package maintenance disables services when their maintenance windows begin and enables them when they end. The
// windows are in the journal, so every program that reads it can do that: a dashboard, or lookout keep.
package maintenance

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/window"
)

// A WindowResult is what became of a window whose time had come.
type WindowResult int

// The results.
const (
	Failed     WindowResult = iota // try again later; the error says why
	Changed                        // the service was enabled or disabled
	Already                        // nothing had to change, and nothing was sent
	Superseded                     // somebody has ended, moved or cancelled the window
	Gone                           // the service has been deleted
	Missed                         // the planned window was over before it could begin
	Kept                           // the service is disabled already, by somebody else or for longer
	Left                           // it was enabled and disabled again during the window, and stays disabled
)

// trustReadsAfter is how long after a change a read may still show the time before it.
const trustReadsAfter = 90 * time.Second

// trustCrashAfter is the same for a change whose program was killed: it was sent within a moment of its record.
const trustCrashAfter = 20 * time.Second

// errInProgress means that the same change was sent a moment ago, by this program or another, and may still arrive.
var errInProgress = errors.New("the same change was sent a moment ago, and its outcome is not known yet")

// An Executor begins and ends the windows of one account.
type Executor struct {
	API     *client.Client
	Journal *journal.Journal
	Now     func() time.Time
	// SeenEnabled reports whether a service was seen enabled after a time. nil has seen nothing.
	SeenEnabled func(service int, after time.Time) bool
}

// End enables the service of a window whose end has come. It reads the service first: what somebody else has enabled
// meanwhile is not enabled again, nor what was seen enabled and is disabled again. The service is what was read or
// answered last; nil if nothing was.
func (x Executor) End(ctx context.Context, w journal.DisabledService) (*client.Service, WindowResult, error) {
	consent, err := x.API.Scheduled(w.IntentID)
	if err != nil {
		return nil, Superseded, nil
	}
	last, tried := x.lastChange(client.OpEnableService, w.ID, w.IntentID, w.At)
	s, gone, err := x.read(ctx, w.ID)
	switch {
	case gone:
		return nil, Gone, x.Journal.EndWindow(w.IntentID, window.Gone)
	case err != nil:
		return nil, Failed, err
	case s.Status != client.StatusDisabled && tried:
		x.settle(last)
		return s, Changed, nil
	case s.Status != client.StatusDisabled && x.Now().Sub(w.At) > trustReadsAfter:
		return s, Already, x.Journal.EndWindow(w.IntentID, window.EnabledElsewhere)
	case !tried && x.SeenEnabled != nil && x.SeenEnabled(s.ID, w.At.Add(trustReadsAfter)):
		return s, Left, x.Journal.EndWindow(w.IntentID, window.TakenOver)
	case tried && !x.mayRepeat(last):
		return s, Failed, errInProgress
	}
	return x.send(ctx, s, consent, client.Change{
		Op:        client.OpEnableService,
		ID:        w.ID,
		Label:     s.Label.Raw(),
		Reason:    "time is up",
		Scheduled: w.IntentID,
		Repeats:   last.ID,
	})
}

// Begin disables the service of a planned window whose start has come.
func (x Executor) Begin(ctx context.Context, w journal.PlannedMaintenance) (*client.Service, WindowResult, error) {
	if !x.Now().Before(w.Until) {
		return nil, Missed, x.Journal.EndWindow(w.IntentID, window.Missed)
	}
	consent, err := x.API.Scheduled(w.IntentID)
	if err != nil {
		return nil, Superseded, nil
	}
	last, tried := x.lastChange(client.OpDisableService, w.ID, w.IntentID, time.Time{})
	s, gone, err := x.read(ctx, w.ID)
	disabled := s != nil && s.Status == client.StatusDisabled
	held, ours := x.Journal.DisabledService(w.ID)
	switch {
	case gone:
		return nil, Gone, x.Journal.EndWindow(w.IntentID, window.Gone)
	case err != nil:
		return nil, Failed, err
	case disabled && tried:
		x.settle(last)
		return s, Changed, nil
	case disabled && (!ours || held.Until.IsZero() || !held.Until.Before(w.Until)):
		return s, Kept, x.Journal.EndWindow(w.IntentID, window.StaysDisabled)
	case tried && !x.mayRepeat(last):
		return s, Failed, errInProgress
	}
	return x.send(ctx, s, consent, client.Change{
		Op:        client.OpDisableService,
		ID:        w.ID,
		Label:     s.Label.Raw(),
		Reason:    w.Reason,
		RevertAt:  w.Until,
		Scheduled: w.IntentID,
		Repeats:   last.ID,
	})
}

// Observe ends the windows of services that a list, which was read at a time, shows as enabled: somebody else has ended
// them. It returns the windows.
func (x Executor) Observe(read time.Time, services []*client.Service) []journal.DisabledService {
	var ended []journal.DisabledService
	held := x.Journal.DisabledServices()
	for _, s := range services {
		w, disabled := held[strconv.Itoa(s.ID)]
		if !disabled || s.Status == client.StatusDisabled || read.Sub(w.At) <= trustReadsAfter {
			continue
		}
		if last, tried := x.lastChange(client.OpEnableService, w.ID, w.IntentID, w.At); tried {
			x.settle(last) // it was enabled here, and the answer was lost
		} else if x.Journal.EndWindow(w.IntentID, window.EnabledElsewhere) == nil {
			ended = append(ended, w)
		}
	}
	return ended
}

// lastChange returns the last change that was made for a window and whose outcome nobody knows, or is still awaited.
func (x Executor) lastChange(op, service, intent string, since time.Time) (journal.Entry, bool) {
	e, found := x.Journal.LastChange(op, service, since)
	open := e.Outcome == client.Unknown || e.Outcome == client.Pending
	return e, found && open && e.Change.Scheduled == intent
}

// mayRepeat reports whether a change that reads do not show may be sent again: it cannot arrive any more. Enabling and
// disabling twice does no harm.
func (x Executor) mayRepeat(e journal.Entry) bool {
	wait := trustReadsAfter
	if e.Outcome == client.Pending && x.Journal.Unresolved(e) {
		wait = trustCrashAfter
	}
	return x.Now().Sub(e.Time) > wait
}

// foundByReading says how the outcome of a change became known.
const foundByReading = client.FoundByReading("found by reading the service again; who made the change is not known")

// settle records that the service is as a change wanted it.
func (x Executor) settle(e journal.Entry) {
	x.Journal.RecordOutcome(e.ID, client.Applied, foundByReading)
}

// read reads a service again, and reports whether it is gone. A token that may be another user's cannot tell.
func (x Executor) read(ctx context.Context, id string) (s *client.Service, gone bool, err error) {
	n, err := strconv.Atoi(id)
	if err != nil {
		return nil, false, fmt.Errorf("the journal names a service %q, which is not a number", client.Clean(id))
	}
	s, err = x.API.Services.Get(ctx, n)
	var failed *client.Error
	return s, errors.As(err, &failed) && failed.NotFound() && !x.API.DoubtsToken(), err
}

// send sends a change of a service.
func (x Executor) send(
	ctx context.Context, s *client.Service, consent *client.Consent, change client.Change,
) (*client.Service, WindowResult, error) {
	change.Resource, change.Before = "service", map[string]any{"status": s.Status}
	w, err := x.API.Begin(change, consent)
	if err != nil {
		return s, Failed, err
	}
	send := w.EnableService
	if change.Op == client.OpDisableService {
		send = w.DisableService
	}
	after, err := send(ctx, s.ID)
	switch {
	case errors.Is(err, journal.ErrSuperseded):
		return s, Superseded, nil
	case errors.Is(err, journal.ErrTaken):
		return s, Failed, errInProgress
	case err != nil:
		return s, Failed, err
	}
	return after, Changed, nil
}
