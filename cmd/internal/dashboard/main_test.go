package dashboard

import (
	"flag"
	"os"
	"testing"
)

// TestMain sets the locale once for all tests, because a test that sets variables cannot run in parallel. Most tests
// wait for timers, so more of them run at once than there are processors.
func TestMain(m *testing.M) {
	_ = os.Setenv("LANG", "C.UTF-8")
	flag.Parse()
	_ = flag.Set("test.parallel", "8")
	os.Exit(m.Run())
}
