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

// WithContext does what may never return, as reading a terminal or a pipe, and waits for it until ctx ends.
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

// UnlessInterrupted is beside for what somebody is asked for before anything is changed.
func UnlessInterrupted[T any](ctx context.Context, read func() (T, error)) (T, error) {
	v, err := WithContext(ctx, read)
	if ctx.Err() != nil {
		err = exit.WithCode(exit.CodeForSignal(ctx), errors.New("interrupted; nothing was changed"))
	}
	return v, err
}

// MaxSecretBytes bounds what is read as a password.
const MaxSecretBytes = 64 << 10

// HiddenLine reads a line of a terminal that does not show it: the echo is off before the question is asked.
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

// readRawLine reads a line of a raw terminal.
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
			return nil, exit.WithCode(exit.CodeInterrupted, errors.New("interrupted; nothing was done"))
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
