//go:build unix

package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// disableCoreDumps keeps the program's memory, which holds the token, out of core files. Other programs that it starts
// may ask for theirs.
func disableCoreDumps() {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &limit) == nil {
		limit.Cur = 0
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &limit)
	}
}

// ownedByOther reports whether a file is neither the user's own nor the system's.
func ownedByOther(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid() && stat.Uid != 0
}
