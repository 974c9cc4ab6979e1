package config

import "os"

// ownedByOther is never known here: access lists say who may read.
func ownedByOther(os.FileInfo) bool { return false }
