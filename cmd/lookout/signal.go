package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// signalError is the signal that asked a command to end.
type signalError struct{ signal syscall.Signal }

// Error is what happened.
func (signalError) Error() string { return "interrupted" }

// Is makes it a context that was cancelled, for whoever asks why a request ended.
func (signalError) Is(target error) bool { return target == context.Canceled }

// cancelOnSignal is a context that ends with the first signal that asks for an end; another one then ends the program
// as the system does.
func cancelOnSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			n, _ := s.(syscall.Signal)
			cancel(signalError{n})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// exitCodeForSignal is the exit code of a command that was interrupted: 128 and the signal's number.
func exitCodeForSignal(ctx context.Context) int {
	if s, ok := context.Cause(ctx).(signalError); ok && s.signal > 0 {
		return 128 + int(s.signal)
	}
	return exitInterrupted
}
