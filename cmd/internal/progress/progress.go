// Package progress shows on one line of a terminal how far a long command is.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"lookout/cmd/internal/output"
)

// interval is the shortest time between two texts.
const interval = 200 * time.Millisecond

// A Meter shows the progress of a command in the last line of standard error, if that is a terminal.
type Meter struct {
	out io.Writer

	mu    sync.Mutex
	shown time.Time // zero while the line is empty
}

// NewMeter returns an empty one.
func NewMeter(errOut io.Writer) *Meter {
	if _, terminal := output.AsTerminal(errOut); !terminal {
		errOut = nil
	}
	return &Meter{out: errOut}
}

// Show replaces the text. Texts that follow each other too quickly are left out. They must be safe to display.
func (l *Meter) Show(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil || time.Since(l.shown) < interval {
		return
	}
	l.shown = time.Now()
	fmt.Fprintf(l.out, "\r"+format+"\x1b[K", args...)
}

// Clear empties the line, so that something else can be printed.
func (l *Meter) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out != nil && !l.shown.IsZero() {
		fmt.Fprint(l.out, "\r\x1b[K")
		l.shown = time.Time{}
	}
}
