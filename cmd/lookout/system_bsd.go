//go:build unix && !linux

package main

// protectMemory keeps the program's memory from core files.
func protectMemory() { disableCoreDumps() }
