package terminal

import (
	"testing"

	"golang.org/x/sys/unix"
)

// The rate that is set on a serial line counts; that of windows, ssh and the machine's own screen says nothing.
func TestSerialRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		major, minor uint32
		want         bool
	}{
		{"ttyS0", 4, 64, true},
		{"ttyUSB0", 188, 0, true},
		{"pts/3", 136, 3, false},
		{"tty1", 4, 1, false},
		{"/dev/tty", 5, 0, false},
	} {
		if got := isSerial(c.major, c.minor); got != c.want {
			t.Errorf("%s is a serial line: %v", c.name, got)
		}
	}
	for modes, want := range map[uint32]LineSpeedMsg{
		unix.B9600 | unix.CS8 | unix.CREAD: {9600},
		unix.B57600 | unix.CS8:             {57_600},
		unix.B115200 | unix.CS8:            {},
		unix.B0 | unix.CS8:                 {},
	} {
		got := LineSpeedMsg{rateOfModes(modes)}
		if got != want || got.IsSlow() != (want.BitsPerSecond > 0) {
			t.Errorf("%o: %v, slow %v", modes, got, got.IsSlow())
		}
	}
}
