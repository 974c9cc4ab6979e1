package views_test

import (
	"maps"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/emulator"
)

// With the overview in front, a day at rest sends the planned requests only: services and issues with each refresh,
// stats every five minutes, storage totals every ten. It sends a third of that without the focus, and nothing while
// refreshing is paused. The account is small to keep the test short; the plan is the same for all accounts.
func TestRequestRate_dayAtRest(t *testing.T) {
	sums := map[string]int{
		"view stats":              12,
		"list buckets":            6,
		"list clusters":           6,
		"list buckets in cluster": 6 * byService(3, 7),
		"list keys":               6,
		"view transfer":           6,
	}
	startProgram(t, emulator.Options{Seed: "empty"}, screenSize{50, 12}, func(r *harness) {
		r.requireRequestRate(22*time.Hour, sums, map[string]int{"list services": 180, "list issues": 180})
		r.send(tea.BlurMsg{})
		r.wait(time.Minute) // what was due before
		r.requireRequestRate(time.Hour, sums, map[string]int{"list services": 60, "list issues": 60})
		r.send(tea.FocusMsg{})
		r.press("p")
		r.requireRequestRate(time.Hour)
	})
}

// requireRequestRate fails unless the program sends exactly these operations, each at most as often an hour as given
// and at least nine tenths of that.
func (r *harness) requireRequestRate(d time.Duration, plans ...map[string]int) {
	r.Helper()
	hourly, before, counted, total := map[string]int{}, map[string]int{}, 0, r.emu.RequestCount("")
	for _, plan := range plans {
		maps.Copy(hourly, plan)
	}
	for op := range hourly {
		before[op] = r.emu.RequestCount(op)
	}
	r.wait(d)
	for op, most := range hourly {
		n := r.emu.RequestCount(op) - before[op]
		counted += n
		if most *= int(d / time.Hour); n > most+1 || n < most*9/10 {
			r.Errorf("%q was asked %d times in %v, not %d", op, n, d, most)
		}
	}
	total = r.emu.RequestCount("") - total
	if total != counted {
		r.Errorf("%d requests in %v are for something else", total-counted, d)
	}
	if perMinute := float64(total) / d.Minutes(); perMinute > byService(7.0, 7.5) {
		r.Errorf("%.1f requests a minute", perMinute)
	}
}
