//go:build unix

package terminal

import (
	"context"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// signals are the changes of size, and the exit codes of signals that end the program.
func signals(ctx context.Context) (resized <-chan os.Signal, ends <-chan int) {
	size, end := make(chan os.Signal, 1), make(chan os.Signal, 4)
	signal.Notify(size, unix.SIGWINCH)
	signal.Notify(end, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
	codes := make(chan int, 4)
	go func() {
		for {
			select {
			case <-ctx.Done():
				signal.Stop(size)
				return
			case s := <-end:
				codes <- 128 + int(s.(unix.Signal))
			}
		}
	}()
	return size, codes
}

// resumable reports whether there is a shell that could continue the program: its parent is in the same session, in another group.
func resumable() bool {
	parent := os.Getppid()
	mine, err := unix.Getsid(0)
	if err != nil || parent <= 1 {
		return false
	}
	theirs, err := unix.Getsid(parent)
	group, err2 := unix.Getpgid(parent)
	return err == nil && err2 == nil && mine == theirs && group != unix.Getpgrp()
}

// stopSelf stops the process until it is continued.
func stopSelf() {
	signal.Reset(unix.SIGTSTP)
	_ = unix.Kill(0, unix.SIGTSTP)
}
