package dashboard

import (
	"os"
	"testing"
)

// TestMain sets the locale and the terminal once for all tests, because a test that sets variables cannot run in
// parallel.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"LANG": "C.UTF-8", "TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "",
	} {
		_ = os.Setenv(name, value)
	}
	os.Exit(m.Run())
}
