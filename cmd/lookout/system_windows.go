package main

// protectMemory does nothing: the system writes no core files unless its owner asks.
func protectMemory() {}
