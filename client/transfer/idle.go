package transfer

import (
	"context"
	"errors"
	"time"
)

// Bounds of silence.
const (
	idleTimeout     = 60 * time.Second // without a byte, before a transfer is cut; a slow one that moves is never cut
	responseTimeout = 3 * time.Minute  // that the storage may think about an upload after its last byte
)

var errIdleTimeout = errors.New("nothing came or went for too long")

// idleTimer ends a context when nothing has moved for a while.
type idleTimer struct {
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// withIdleTimeout is a context that ends after a time of silence: twice that before the first byte, for the API is
// asked for a URL first. The caller closes the watch.
func withIdleTimeout(ctx context.Context) (context.Context, *idleTimer) {
	ctx, stop := context.WithCancelCause(ctx)
	return ctx, &idleTimer{time.AfterFunc(2*idleTimeout, func() { stop(errIdleTimeout) }), stop}
}

// reset says that something came or went.
func (w *idleTimer) reset() { w.timer.Reset(idleTimeout) }

// resetTo says how long the silence may last that begins now.
func (w *idleTimer) resetTo(after time.Duration) { w.timer.Reset(after) }

// close ends the watch and its context.
func (w *idleTimer) close() {
	w.timer.Stop()
	w.cancel(nil)
}
