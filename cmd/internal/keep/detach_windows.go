package keep

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// detached are the attributes of a process that outlives the terminal.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}
