//go:build unix

package config

import (
	"os"
	"os/exec"
	"syscall"
)

// Flags for opening a file: a pipe without a reader is an error, and so is a link.
const (
	openWithoutWaiting = syscall.O_NONBLOCK
	openNoLink         = syscall.O_NOFOLLOW
)

// detachFromTerminal starts a program in a session of its own, which has no terminal. It ends with its children.
func detachFromTerminal(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// OwnedByOther reports whether a file is neither the user's own nor the system's.
func OwnedByOther(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid() && stat.Uid != 0
}
