//go:build unix

package main

import (
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
