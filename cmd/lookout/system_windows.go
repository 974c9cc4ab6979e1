package main

import "os"

// protectMemory does nothing: the system writes no core files unless its owner asks.
func protectMemory() {}

// ownedByOther is never known here: access lists say who may read.
func ownedByOther(os.FileInfo) bool { return false }
