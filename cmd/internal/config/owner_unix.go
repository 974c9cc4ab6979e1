//go:build unix

package config

import (
	"os"
	"syscall"
)

// ownedByOther reports whether a file is neither the user's own nor the system's.
func ownedByOther(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid() && stat.Uid != 0
}
