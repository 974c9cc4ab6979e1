package main

import "golang.org/x/sys/unix"

// protectMemory keeps the program's memory from core files and from other programs of the user.
func protectMemory() {
	disableCoreDumps()
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}
