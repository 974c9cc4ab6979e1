package client

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets garbage lie longer: thousands of small cases leave much of it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
