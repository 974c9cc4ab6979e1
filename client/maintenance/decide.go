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

// trustReadsAfter is how long after a change a read may still show the time before it.
const trustReadsAfter = 90 * time.Second

// trustCrashAfter is the same for a change whose program was killed: it was sent within a moment of its record.
const trustCrashAfter = 20 * time.Second

// openFor is how long a change whose outcome is not known may explain what is read of its service.
const openFor = 5 * time.Minute

// errBehind means that the API answered with a service as it was before it was disabled.
var errBehind = errors.New("the API answers with the service as it was before")

// end enables the service of a window whose end has come, unless the service says that somebody else has changed its
// monitoring meanwhile. All readings since behindSince have shown it as it was before; zero if the last one did not.
func (k *Keeper) end(
	ctx context.Context, w window.Window, behindSince time.Time,
) (*client.Service, Result, error) {
	consent, err := k.API.Scheduled(w.ID)
	if err != nil {
		return nil, waits, nil
	}
	last, tried, busy := k.openChange(w, client.OpEnableService)
	if busy {
		return nil, waits, nil
	}
	read := k.Now()
	s, gone, err := k.read(ctx, w.Service)
	switch {
	case gone:
		return k.over(w, window.Gone, nil, Gone)
	case err != nil:
		return nil, Failed, err
	}
	verdict := w.Judge(s, read)
	if verdict == window.Behind && !behindSince.IsZero() && read.Sub(behindSince) >= client.MaxReplicaLag {
		verdict = window.EnabledByOthers
		if s.Status == client.StatusDisabled {
			verdict = window.NotKnown
		}
	}
	switch verdict {
	case window.EnabledByOthers:
		if tried {
			k.settle(last)
			return s, Changed, nil
		}
		return k.over(w, window.EnabledElsewhere, s, Already)
	case window.DisabledByOthers:
		return k.over(w, window.TakenOver, s, Left)
	case window.NotKnown:
		return s, Ask, nil
	case window.Behind:
		return nil, Failed, errBehind
	}
	if tried && !k.mayRepeat(last) {
		return s, waits, nil
	}
	return k.send(ctx, s, consent, client.Change{
		Op:        client.OpEnableService,
		ID:        w.Service,
		Label:     s.Label.Raw(),
		Reason:    "time is up",
		Scheduled: w.ID,
		Repeats:   last.ID,
	})
}

// begin disables the service of a planned window whose start has come.
func (k *Keeper) begin(ctx context.Context, w window.Window) (*client.Service, Result, error) {
	if !w.End.IsZero() && !k.Now().Before(w.End) {
		return k.over(w, window.Missed, nil, Missed)
	}
	consent, err := k.API.Scheduled(w.ID)
	if err != nil {
		return nil, waits, nil
	}
	last, tried, busy := k.openChange(w, client.OpDisableService)
	if active, ok := k.Journal.ActiveWindow(w.Service); ok && !busy { // only an older version has planned both
		if busy = !active.End.IsZero() && (w.End.IsZero() || active.End.Before(w.End)); !busy {
			return k.over(w, window.StaysDisabled, nil, Kept)
		}
	}
	if busy {
		return nil, waits, nil
	}
	s, gone, err := k.read(ctx, w.Service)
	disabled := s != nil && s.Status == client.StatusDisabled
	switch {
	case gone:
		return k.over(w, window.Gone, nil, Gone)
	case err != nil:
		return nil, Failed, err
	case disabled && tried:
		k.settle(last)
		return s, Changed, nil
	case disabled:
		return k.over(w, window.StaysDisabled, s, Kept)
	case tried && !k.mayRepeat(last):
		return s, waits, nil
	}
	return k.send(ctx, s, consent, client.Change{
		Op:        client.OpDisableService,
		ID:        w.Service,
		Label:     s.Label.Raw(),
		Reason:    w.Reason,
		RevertAt:  w.End,
		Scheduled: w.ID,
		Repeats:   last.ID,
	})
}

// over ends a window without a change of its service. If the window is not any more as it was when that was decided, it
// is decided again.
func (k *Keeper) over(
	w window.Window, why window.Reason, s *client.Service, result Result,
) (*client.Service, Result, error) {
	err := k.Journal.EndWindow(w, why)
	if errors.Is(err, journal.ErrSuperseded) || errors.Is(err, journal.ErrTaken) {
		return s, waits, nil
	}
	if err != nil {
		return s, Failed, err
	}
	return s, result, nil
}

// Observe judges the active windows by services that were read, in a reading that began at a time, ends those that
// somebody else has ended, and reports them.
func (k *Keeper) Observe(read time.Time, services []*client.Service) {
	_, _ = k.Journal.CatchUp() // a change of another program may explain what was read
	active := k.Journal.ActiveWindows()
	var ended []Event
	for _, s := range services {
		w, held := active[strconv.Itoa(s.ID)]
		if !held || len(k.Journal.OpenChanges(w.Service, read.Add(-openFor))) > 0 {
			continue // what is under way may explain what was read
		}
		e, why := Event{Window: w, Service: s, Early: true}, window.Reason("")
		switch w.Judge(s, read) {
		case window.EnabledByOthers:
			e.Result, why = Already, window.EnabledElsewhere
		case window.DisabledByOthers:
			e.Result, why = Left, window.TakenOver
		default:
			continue
		}
		if k.Journal.EndWindow(w, why) == nil {
			ended = append(ended, e)
		}
	}
	if len(ended) > 0 {
		k.Report(ended)
	}
}

// openChange returns the change that was made for a window and whose outcome nobody knows, or is still awaited. busy
// reports whether another change of the service is under way.
func (k *Keeper) openChange(w window.Window, op string) (last journal.Entry, tried, busy bool) {
	for _, e := range k.Journal.OpenChanges(w.Service, time.Time{}) {
		switch {
		case e.Change.Op == op && e.Change.Scheduled == w.ID:
			last, tried = e, true
		case !k.mayRepeat(e):
			busy = true
		}
	}
	return last, tried, busy
}

// mayRepeat reports whether a change that reads do not show cannot arrive any more. Enabling and disabling twice does
// no harm.
func (k *Keeper) mayRepeat(e journal.Entry) bool {
	wait := trustReadsAfter
	if e.Outcome == client.Pending && k.Journal.Unresolved(e) {
		wait = trustCrashAfter
	}
	return k.Now().Sub(e.Time).Abs() > wait
}

// foundByReading says how the outcome of a change became known.
const foundByReading = client.FoundByReading("found by reading the service again; who made the change is not known")

// settle records that the service is as a change wanted it.
func (k *Keeper) settle(e journal.Entry) {
	k.Journal.RecordOutcome(e.ID, client.Applied, foundByReading)
}

// read reads a service again, and reports whether it is gone. A token that may be another user's cannot tell.
func (k *Keeper) read(ctx context.Context, id string) (s *client.Service, gone bool, err error) {
	n, err := strconv.Atoi(id)
	if err != nil {
		return nil, false, fmt.Errorf("the journal names a service %q, which is not a number", client.Clean(id))
	}
	s, err = k.API.Services.Get(ctx, n)
	var failed *client.Error
	return s, errors.As(err, &failed) && failed.NotFound() && !k.API.DoubtsToken(), err
}

// send sends a change of a service.
func (k *Keeper) send(
	ctx context.Context, s *client.Service, consent *client.Consent, change client.Change,
) (*client.Service, Result, error) {
	change.Resource, change.Before = "service", map[string]any{"status": s.Status}
	w, err := k.API.Begin(change, consent)
	if err != nil {
		return s, Failed, err
	}
	send := w.EnableService
	if change.Op == client.OpDisableService {
		send = w.DisableService
	}
	after, err := send(ctx, s.ID)
	switch {
	case errors.Is(err, journal.ErrSuperseded), errors.Is(err, journal.ErrTaken):
		return s, waits, nil // the journal says what is to be done now
	case err != nil:
		return s, Failed, err
	}
	return after, Changed, nil
}
