// Package prompt reads what a person types, and can be interrupted while it waits.
package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/charmbracelet/x/term"

	"lookout/cmd/internal/exit"
)

// WithContext calls do, which may block forever (a terminal, a pipe), and waits for it until ctx ends.
func WithContext[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := do()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// UnlessInterrupted is WithContext for input that is read before anything is changed.
func UnlessInterrupted[T any](ctx context.Context, read func() (T, error)) (T, error) {
	v, err := WithContext(ctx, read)
	if ctx.Err() != nil {
		err = exit.WithCode(exit.CodeForSignal(ctx), errors.New("interrupted; nothing was changed"))
	}
	return v, err
}

// MaxSecretBytes limits the length of a password or token that is read.
const MaxSecretBytes = 64 << 10

// HiddenLine asks a question on a terminal and reads the answer without showing it. It turns the echo off first.
func HiddenLine(ctx context.Context, file *os.File, out io.Writer, what string) ([]byte, error) {
	ctx, end := exit.CancelOnSignal(ctx)
	defer end()
	before, err := term.MakeRaw(file.Fd())
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = term.Restore(file.Fd(), before)
		fmt.Fprintln(out)
	}()
	fmt.Fprintf(out, "%s (not shown): ", what)
	return UnlessInterrupted(ctx, func() ([]byte, error) { return readRawLine(file) })
}

// readRawLine reads a line from a terminal in raw mode.
func readRawLine(in io.Reader) ([]byte, error) {
	var line []byte
	one := make([]byte, 1)
	for len(line) <= MaxSecretBytes {
		if _, err := in.Read(one); err != nil {
			return nil, err
		}
		switch one[0] {
		case '\r', '\n':
			return line, nil
		case 0x03:
			return nil, exit.WithCode(exit.CodeInterrupted, errors.New("interrupted; nothing was changed"))
		case 0x04:
			return nil, io.EOF
		case 0x7f, '\b':
			line = line[:max(0, len(line)-1)]
		default:
			line = append(line, one[0])
		}
	}
	return line, nil
}
