package terminal

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// The limits of a program that runs without the terminal.
const (
	commandTimeout = time.Minute
	maxOutput      = 64 << 10 // bytes that are kept
)

// RunCommand runs a program without a shell and without the terminal, and returns the beginning of what it writes. It
// gets no variable that may hold a token.
func RunCommand(ctx context.Context, argv []string, input string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	c := exec.CommandContext(limited, argv[0], argv[1:]...)
	out := &boundedOutput{}
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(input), out, out
	c.Env, c.WaitDelay = childEnviron(), time.Second
	err := c.Run()
	switch {
	case ctx.Err() != nil:
		err = errors.New("stopped, because you left the account")
	case limited.Err() != nil:
		err = fmt.Errorf("it did not end within %s", commandTimeout)
	}
	return string(out.text), err
}

// boundedOutput keeps the beginning of what is written.
type boundedOutput struct{ text []byte }

// Write keeps what still fits.
func (o *boundedOutput) Write(p []byte) (int, error) {
	o.text = append(o.text, p[:min(len(p), maxOutput-len(o.text))]...)
	return len(p), nil
}
