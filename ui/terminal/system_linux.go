package terminal

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/muesli/cancelreader"
	"golang.org/x/sys/unix"
)

// serialRate returns the rate that is set on a serial line, 0 if the terminal is no such line. The rate of any other
// terminal means nothing: it is 9,600 in each window of macOS, and ssh passes that on.
func serialRate(terminal *os.File) int {
	var device unix.Stat_t
	fd := int(terminal.Fd())
	if err := unix.Fstat(fd, &device); err != nil || !isSerial(unix.Major(device.Rdev), unix.Minor(device.Rdev)) {
		return 0
	}
	modes, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return 0
	}
	return rateOfModes(modes.Cflag)
}

// isSerial reports whether a device is a serial line: ttyS, ttyACM, ttyUSB, ttyAMA and its like. The numbers below the
// first ttyS are the machine's own screen.
func isSerial(major, minor uint32) bool {
	return major == 4 && minor >= 64 || major == 166 || major == 188 || major == 204
}

// rateOfModes returns the rate in the control modes of a line, 0 for one that no slow line has.
func rateOfModes(control uint32) int {
	return map[uint32]int{
		unix.B300:   300,
		unix.B1200:  1200,
		unix.B2400:  2400,
		unix.B4800:  4800,
		unix.B9600:  9600,
		unix.B19200: 19_200,
		unix.B38400: 38_400,
		unix.B57600: 57_600,
	}[control&unix.CBAUD]
}

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
