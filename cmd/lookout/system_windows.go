package main

import "os"

// seal does nothing: the system writes no core files unless its owner asks.
func seal() {}

// foreign is never known here: access lists say who may read.
func foreign(os.FileInfo) bool { return false }
