package dashboard

import (
	"testing"
	"time"

	"lookout/client/emulator"
)

// TestChangePath disables a service through the keys. .ci/house runs its two subtests with coverage: the functions that
// only "disable" enters are the path of a change.
func TestChangePath(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, changes int, message string, keys ...string) {
		api := emulator.New(emulator.Options{Token: "demo"})
		v := startDashboard(t, api, 120, 36)
		v.WaitFor("Services ─ 14")
		v.WaitFor("12 buckets")
		v.Type("3", "/", "cdn-origin", "<enter>")
		v.WaitFor("1 of 14 match")
		v.WaitIdle(300 * time.Millisecond)
		v.Type(keys...)
		v.WaitFor(message)
		v.WaitIdle(300 * time.Millisecond)
		if n := len(api.Ledger()); n != changes {
			t.Errorf("%d changes were sent, want %d", n, changes)
		}
	}
	t.Run("disable", func(t *testing.T) {
		t.Parallel()
		run(t, 1, "monitoring is disabled", "d", "<ctrl+s>")
	})
	t.Run("other", func(t *testing.T) {
		t.Parallel()
		run(t, 0, "1 of 14 match", "<down>", "<up>", "?", "<esc>", "d", "<esc>", "r", "9", "3")
	})
}
