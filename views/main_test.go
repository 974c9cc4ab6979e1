package views_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain makes garbage collection rarer, because thousands of small cases allocate much and keep little.
func TestMain(m *testing.M) {
	debug.SetGCPercent(2000)
	debug.SetMemoryLimit(400 << 20)
	os.Exit(m.Run())
}
