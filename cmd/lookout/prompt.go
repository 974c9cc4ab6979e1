package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// runWithContext does what may never return, as reading a terminal or a pipe, and waits for it until ctx ends.
func runWithContext[T any](ctx context.Context, do func() (T, error)) (T, error) {
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

// runUnlessInterrupted is beside for what somebody is asked for before anything is changed.
func runUnlessInterrupted[T any](ctx context.Context, read func() (T, error)) (T, error) {
	v, err := runWithContext(ctx, read)
	if ctx.Err() != nil {
		err = &exitCodeError{exitCodeForSignal(ctx), errors.New("interrupted; nothing was changed")}
	}
	return v, err
}

// maxSecretBytes bounds what is read as a password.
const maxSecretBytes = 64 << 10

// readHiddenLine reads a line of a terminal that does not show it: the echo is off before the question is asked.
func readHiddenLine(ctx context.Context, file *os.File, out io.Writer, what string) ([]byte, error) {
	ctx, end := cancelOnSignal(ctx)
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
	return runUnlessInterrupted(ctx, func() ([]byte, error) { return readRawLine(file) })
}

// readRawLine reads a line of a raw terminal.
func readRawLine(in io.Reader) ([]byte, error) {
	var line []byte
	one := make([]byte, 1)
	for len(line) <= maxSecretBytes {
		if _, err := in.Read(one); err != nil {
			return nil, err
		}
		switch one[0] {
		case '\r', '\n':
			return line, nil
		case 0x03:
			return nil, &exitCodeError{exitInterrupted, errors.New("interrupted; nothing was done")}
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
