//go:build unix

package terminal

import (
	"context"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// notifySignals returns channels for changes of the window's size, for the exit codes of signals that end the program,
// and for signals that stop the program (true) or continue it (false).
func notifySignals(ctx context.Context) (resized <-chan os.Signal, ends <-chan int, pauses <-chan bool) {
	size, end, pause := make(chan os.Signal, 1), make(chan os.Signal, 4), make(chan os.Signal, 4)
	signal.Notify(size, unix.SIGWINCH)
	signal.Notify(end, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
	signal.Notify(pause, unix.SIGTSTP, unix.SIGCONT)
	codes, stops := make(chan int, 4), make(chan bool, 4)
	go func() {
		for {
			select {
			case <-ctx.Done():
				signal.Stop(size)
				signal.Stop(pause)
				return
			case s := <-pause:
				stops <- s == unix.SIGTSTP
			case s := <-end:
				codes <- 128 + int(s.(unix.Signal))
			}
		}
	}()
	return size, codes, stops
}

// readsCanBeCancelled says whether a read of the terminal can be ended from outside.
const readsCanBeCancelled = true

// discardInput discards what was typed and has not been read.
func discardInput(terminal *os.File) {
	fd, buffer := int(terminal.Fd()), make([]byte, 4096)
	for {
		var ready unix.FdSet
		ready.Set(fd)
		n, err := unix.Select(fd+1, &ready, nil, nil, &unix.Timeval{})
		if n > 0 && err == nil {
			n, err = unix.Read(fd, buffer)
		}
		if err != unix.EINTR && (n <= 0 || err != nil) {
			return
		}
	}
}

// queuedOutput returns how many bytes wait in the output queue of the terminal; 0 if the system does not tell.
func queuedOutput(terminal *os.File) int {
	n, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCOUTQ)
	if err != nil {
		return 0
	}
	return n
}

// canSuspend reports whether a shell could continue the program: its parent is in the same session but in another
// process group.
func canSuspend() bool {
	parent := os.Getppid()
	mine, err := unix.Getsid(0)
	if err != nil || parent <= 1 {
		return false
	}
	theirs, err := unix.Getsid(parent)
	group, err2 := unix.Getpgid(parent)
	return err == nil && err2 == nil && mine == theirs && group != unix.Getpgrp()
}

// stopSelf stops the process group until it is continued. If the signal has no effect, it returns after a second.
func stopSelf() {
	on := make(chan os.Signal, 1)
	signal.Notify(on, unix.SIGCONT)
	defer signal.Stop(on)
	_ = unix.Kill(0, unix.SIGSTOP)
	select {
	case <-on:
	case <-time.After(time.Second):
	}
}
