package terminal

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/muesli/cancelreader"
	"golang.org/x/sys/unix"
)

// A polledTerminal is a terminal that Go's poller waits for. A read that blocks in the system instead costs more than
// drawing the frame: for 10 ms after it has begun, the runtime wakes up again and again to look whether it still lasts.
type polledTerminal struct{ file *os.File }

// openPolled opens a terminal once more, because a terminal that others have open must go on blocking. It returns nil
// if that is not possible, as when the terminal belongs to another user.
func openPolled(terminal *os.File) cancelreader.CancelReader {
	path := fmt.Sprintf("/proc/self/fd/%d", terminal.Fd())
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	file := os.NewFile(uintptr(fd), terminal.Name())
	if file.SetReadDeadline(time.Time{}) != nil {
		_ = file.Close()
		return nil
	}
	return polledTerminal{file}
}

// Read waits for input.
func (p polledTerminal) Read(b []byte) (int, error) {
	n, err := p.file.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = cancelreader.ErrCanceled
	}
	return n, err
}

// Cancel ends the read under way and every later one.
func (p polledTerminal) Cancel() bool { return p.file.SetReadDeadline(time.Unix(1, 0)) == nil }

// Close gives the terminal back.
func (p polledTerminal) Close() error { return p.file.Close() }
