// Package prompt reads what a person types, and can be interrupted while it waits.
package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/charmbracelet/x/term"

	"lookout/client/visible"
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
	return rawLine(ctx, file, out, what+" (not shown): ", func([]byte) {})
}

// maxShownBytes is the length of a short answer, such as a number, from which on it is not shown.
const maxShownBytes = 8

// ShortLine asks a question on a terminal and reads a short answer. It shows no answer that gets long: that may be a
// secret that was pasted too early.
func ShortLine(ctx context.Context, file *os.File, out io.Writer, question string) ([]byte, error) {
	return rawLine(ctx, file, out, question, func(line []byte) {
		text := visible.Show(string(line))
		if len(line) > maxShownBytes {
			text = ""
		}
		fmt.Fprintf(out, "\r\x1b[K%s%s", question, text)
	})
}

// rawLine asks a question on a terminal and reads a line while the terminal shows nothing. It calls changed after each
// key.
func rawLine(
	ctx context.Context, file *os.File, out io.Writer, question string, changed func(line []byte),
) ([]byte, error) {
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
	fmt.Fprint(out, question)
	return UnlessInterrupted(ctx, func() ([]byte, error) { return readRawLine(file, changed) })
}

// readRawLine reads a line from a terminal in raw mode, and calls changed after each key.
func readRawLine(in io.Reader, changed func(line []byte)) ([]byte, error) {
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
		changed(line)
	}
	return line, nil
}
