package exit

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// SignalError means that a signal interrupted the command.
type SignalError struct{ Signal syscall.Signal }

// Error returns "interrupted".
func (SignalError) Error() string { return "interrupted" }

// Is reports true for context.Canceled, so that requests see an ordinary cancelled context.
func (SignalError) Is(target error) bool { return target == context.Canceled }

// CancelOnSignal returns a context that the first interrupt or termination signal cancels. A second signal then kills
// the program as usual.
func CancelOnSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			n, _ := s.(syscall.Signal)
			cancel(SignalError{n})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// CodeForSignal returns the exit code of an interrupted command: 128 plus the signal's number.
func CodeForSignal(ctx context.Context) int {
	if s, ok := errors.AsType[SignalError](context.Cause(ctx)); ok && s.Signal > 0 {
		return 128 + int(s.Signal)
	}
	return CodeInterrupted
}
