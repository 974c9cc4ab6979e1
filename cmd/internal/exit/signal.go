package exit

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// SignalError is the signal that asked a command to end.
type SignalError struct{ Signal syscall.Signal }

// Error is what happened.
func (SignalError) Error() string { return "interrupted" }

// Is makes it a context that was cancelled, for whoever asks why a request ended.
func (SignalError) Is(target error) bool { return target == context.Canceled }

// CancelOnSignal is a context that ends with the first signal that asks for an end; another one then ends the program
// as the system does.
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

// CodeForSignal is the exit code of a command that was interrupted: 128 and the signal's number.
func CodeForSignal(ctx context.Context) int {
	if s, ok := context.Cause(ctx).(SignalError); ok && s.Signal > 0 {
		return 128 + int(s.Signal)
	}
	return CodeInterrupted
}
