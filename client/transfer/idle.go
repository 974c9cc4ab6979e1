package transfer

import (
	"context"
	"errors"
	"time"
)

// Time limits without progress.
const (
	idleTimeout     = 60 * time.Second // without a byte before a transfer is stopped, however slow it is
	responseTimeout = 3 * time.Minute  // for the response of the storage after the last byte of an upload
)

var errIdleTimeout = errors.New("no data moved for too long")

// idleTimer cancels a context when no data has moved for a while.
type idleTimer struct {
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// withIdleTimeout returns a context that is cancelled after idleTimeout without progress. The first limit is twice as
// long, because the API is asked for a URL first. The caller closes the timer.
func withIdleTimeout(ctx context.Context) (context.Context, *idleTimer) {
	ctx, stop := context.WithCancelCause(ctx)
	return ctx, &idleTimer{time.AfterFunc(2*idleTimeout, func() { stop(errIdleTimeout) }), stop}
}

// reset records progress.
func (w *idleTimer) reset() { w.timer.Reset(idleTimeout) }

// resetTo sets how long the next period without progress may last.
func (w *idleTimer) resetTo(after time.Duration) { w.timer.Reset(after) }

// close stops the timer and cancels the context.
func (w *idleTimer) close() {
	w.timer.Stop()
	w.cancel(nil)
}
