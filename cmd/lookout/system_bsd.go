//go:build unix && !linux

package main

// seal keeps the program's memory from core files.
func seal() { noCore() }
