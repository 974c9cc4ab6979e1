package transfer

import (
	"context"
	"errors"
	"time"
)

// Bounds of silence.
const (
	silence = 60 * time.Second // without a byte, before a transfer is cut; a slow one that moves is never cut
	verdict = 3 * time.Minute  // that the storage may think about an upload after its last byte
)

var errSilent = errors.New("nothing came or went for too long")

// watch ends a context when nothing has moved for a while.
type watch struct {
	timer *time.Timer
	stop  context.CancelCauseFunc
}

// watched is a context that ends after a time of silence: twice that before the first byte, for the API is asked for a URL first. The caller
// closes the watch.
func watched(ctx context.Context) (context.Context, *watch) {
	ctx, stop := context.WithCancelCause(ctx)
	return ctx, &watch{time.AfterFunc(2*silence, func() { stop(errSilent) }), stop}
}

// moved says that something came or went.
func (w *watch) moved() { w.timer.Reset(silence) }

// allow says how long the silence may last that begins now.
func (w *watch) allow(after time.Duration) { w.timer.Reset(after) }

// close ends the watch and its context.
func (w *watch) close() {
	w.timer.Stop()
	w.stop(nil)
}
