package views_test

import (
	"strings"
	"testing"

	"lookout/client/emulator"
)

// However far the columns of services scroll sideways, each row says which service it is.
func TestServices_scrollColumns_keepsLabel(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.press("3")
		header := func() string { return strings.Split(r.screen(), "\n")[3] }
		if strings.Contains(header(), "updated") {
			t.Fatalf("every column is in sight at once:\n%s", r.screen())
		}
		for range 9 {
			r.press("<right>")
			r.requireText("billing-api", "billing-cron", "web-1")
		}
		if !strings.Contains(header(), "updated") {
			t.Fatalf("the last column does not come into sight:\n%s", r.screen())
		}
	})
}
