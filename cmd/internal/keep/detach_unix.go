//go:build unix

package keep

import "syscall"

// detached are the attributes of a process that outlives the terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
