package terminal

import (
	"errors"
	"os"
	"sync"

	"github.com/muesli/cancelreader"
)

// A pausableReader reads the terminal until it is paused, because another program reads it: if both did, each would get
// a part of the keys. It is paused at first.
type pausableReader struct {
	terminal *os.File
	reading  sync.Mutex                // held during a read, and while it is paused
	current  cancelreader.CancelReader // nil if reads cannot be cancelled
	paused   bool
}

func newPausableReader(terminal *os.File) *pausableReader {
	r := &pausableReader{terminal: terminal, paused: readsCanBeCancelled}
	if r.paused {
		r.reading.Lock()
	}
	return r
}

// Read reads from the terminal. It waits while the reader is paused.
func (r *pausableReader) Read(p []byte) (n int, err error) {
	for {
		r.reading.Lock()
		if r.current == nil {
			n, err = r.terminal.Read(p)
		} else {
			n, err = r.current.Read(p)
		}
		r.reading.Unlock()
		if !errors.Is(err, cancelreader.ErrCanceled) {
			return n, err
		}
	}
}

// pause ends the read under way, and returns once nothing more is read.
func (r *pausableReader) pause() {
	if r.current == nil || r.paused || !r.current.Cancel() {
		return
	}
	r.reading.Lock()
	r.paused = true
	_ = r.current.Close()
}

// resume lets Read go on.
func (r *pausableReader) resume() {
	if !r.paused {
		return
	}
	if r.current = openPolled(r.terminal); r.current == nil {
		r.current, _ = cancelreader.NewReader(r.terminal) // without one, reads cannot be cancelled
	}
	r.paused = false
	r.reading.Unlock()
}
