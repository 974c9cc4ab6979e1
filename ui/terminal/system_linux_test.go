package terminal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/creack/pty"
	"github.com/muesli/cancelreader"
	"golang.org/x/sys/unix"
)

// A terminal that the poller waits for is read and paused like any other, and goes on blocking for the shell that has
// it open too.
func TestOpenPolled(t *testing.T) {
	keyboard, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	defer terminal.Close()
	r := newPausableReader(terminal)
	r.resume()
	if _, ok := r.current.(polledTerminal); !ok {
		t.Fatalf("the terminal is read by a %T", r.current)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for buffer := make([]byte, 64); ; {
			n, err := r.Read(buffer)
			if err != nil {
				return
			}
			lines <- string(buffer[:n])
		}
	}()
	for _, line := range []string{"one\n", "two\n"} {
		if _, err := io.WriteString(keyboard, line); err != nil {
			t.Fatal(err)
		}
		if got := <-lines; got != line {
			t.Errorf("read %q, want %q", got, line)
		}
		reader := r.current
		r.pause()
		if n, err := reader.Read(make([]byte, 1)); err == nil || errors.Is(err, cancelreader.ErrCanceled) {
			t.Errorf("a paused reader is open still: %d, %v", n, err)
		}
		if flags, err := unix.FcntlInt(terminal.Fd(), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK != 0 {
			t.Errorf("flags of the terminal: %#x, %v", flags, err)
		}
		r.resume()
	}
	keyboard.Close()
	if line, open := <-lines; open {
		t.Errorf("read %q from a terminal that is gone", line)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if r := openPolled(null); r != nil {
		t.Errorf("%T reads a device that the poller does not know, so that no read of it can be ended", r)
	}
}

// What cannot be opened once more is read as it is.
func TestOpenPolled_cannotBeOpened(t *testing.T) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range ends {
		socket := os.NewFile(uintptr(fd), "socket")
		defer socket.Close()
		if r := openPolled(socket); r != nil {
			t.Errorf("%T reads a socket, which no path leads to", r)
		}
	}
}

// What the poller cannot wait for is not left open.
func TestOpenPolled_closesOthers(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	open := func() int {
		links, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, l := range links {
			if target, _ := os.Readlink("/proc/self/fd/" + l.Name()); target == file.Name() {
				n++
			}
		}
		return n
	}
	if r := openPolled(file); r != nil || open() != 1 {
		t.Errorf("%T, open %d times", r, open())
	}
}
