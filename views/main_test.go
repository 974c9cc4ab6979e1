package views_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain makes garbage collection rarer, because thousands of small cases allocate much.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
