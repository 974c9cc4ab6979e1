package transfer

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"lookout/client"
)

// lacksHandles reports whether something failed because there are too few file handles, before it changed anything.
func lacksHandles(err error) bool {
	var e *client.Error
	unknown := errors.As(err, &e) && e.Unknown()
	return !unknown && (errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE))
}

// A deletePace limits and spaces the requests of all deletions, and pauses them together when the API asks for that.
type deletePace struct {
	slots chan struct{} // holds one value for each object that is being deleted

	mu   sync.Mutex
	next time.Time // when the next request may be sent
	busy time.Time // when the first request after the last success was refused; zero if none was
}

// wait waits until a request may be sent.
func (r *deletePace) wait(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.mu.Lock()
		now := time.Now()
		d := r.next.Sub(now)
		if d < minDeleteSleep {
			if r.next.Before(now.Add(-minDeleteSleep)) {
				r.next = now.Add(-minDeleteSleep)
			}
			r.next = r.next.Add(deleteInterval)
			r.mu.Unlock()
			return nil
		}
		r.mu.Unlock()
		if err := sleep(ctx, d); err != nil {
			return err
		}
	}
}

// minDeleteSleep is the shortest wait: timers are not exact enough for less, so several requests may go at once.
const minDeleteSleep = 10 * time.Millisecond

// maxBusy is for how long refusals without a success are waited out.
const maxBusy = 5 * time.Minute

// succeeded notes that the API does not refuse requests any more.
func (r *deletePace) succeeded() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy = time.Time{}
}

// pause sends nothing for a while, because a request was refused. It returns false if all have been for too long.
func (r *deletePace) pause(d time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy.IsZero() {
		r.busy = time.Now()
	}
	if time.Since(r.busy) > maxBusy {
		return false
	}
	if until := time.Now().Add(d); until.After(r.next) {
		r.next = until
	}
	return true
}
