package views_test

import (
	"maps"
	"net/http"
	"strconv"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/emulator"
)

// With the overview in front, a day at rest sends the planned requests only: services and issues with each refresh,
// stats every five minutes, storage totals every ten. It sends a third of that without the focus, and nothing while
// refreshing is paused. The account is small to keep the test short; the plan is the same for all accounts.
func TestRequestRate_dayAtRest(t *testing.T) {
	t.Parallel()
	sums := map[string]int{
		"view stats":    12,
		"list buckets":  6,
		"list keys":     6,
		"view transfer": 6,
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

// While refreshing is paused, opening a pane that was never read reads it once; nothing else is requested.
func TestPause_readsNewPaneOnce(t *testing.T) {
	t.Parallel()
	for name, service := range map[string]string{"document": "", "with tickets": emulator.ServiceNow} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{Service: service}, screenSize{160, 45}, readEachPanePaused)
		})
	}
}

// readEachPanePaused opens every pane twice while refreshing is paused: only the first time reads it.
func readEachPanePaused(r *harness) {
	r.press("p")
	for _, keys := range []string{"2", "3", "4", "5", "6", "7", "8", "9", "0", "F", "J", "U"} {
		r.press(keys)
		r.wait(2 * time.Second)
		r.requireNoText("reading ")
		r.requireText("paused 00:00:00")
	}
	r.press("8", "/", "acme-backups", "<enter>", "<enter>")
	r.wait(2 * time.Second)
	r.requireNoText("reading ")
	r.requireText("README.txt", "paused 00:00:00")
	r.requireRequestRate(time.Hour)
	before := r.emu.RequestCount("")
	for _, keys := range []string{"2", "3", "4", "5", "6", "7", "8", "9", "0", "F", "J", "U"} {
		r.press(keys)
	}
	if n := r.emu.RequestCount("") - before; n > 0 {
		r.Errorf("%d requests for panes that were read before", n)
	}
}

// Opening a pane reads its rows at once if they are older than the refresh interval, however the pane is opened. They
// are not called late before their answer could come.
func TestOpening_readsOldRows(t *testing.T) {
	t.Parallel()
	slow := &slowTransport{}
	runProgram(t, programOptions{size: screenSize{120, 36}, transport: slow.transport}, func(r *harness) {
		requests := func(keys ...string) int {
			before := r.emu.RequestCount("list credentials")
			r.press(keys...)
			r.requireNoText("late ·")
			r.wait(time.Second)
			r.requireText("live · 0 s")
			return r.emu.RequestCount("list credentials") - before
		}
		r.press("5", "7")
		slow.latency = 500 * time.Millisecond
		for _, keys := range []string{"5", "<ctrl+o>", ":"} {
			r.wait(2*time.Minute + time.Second) // the next tick is far off
			press := []string{keys}
			if keys == ":" {
				press = append(press, "credentials", "<enter>")
			}
			if n := requests(press...); n != 1 {
				t.Errorf("%q: %d requests for rows that are two minutes old", press, n)
			}
			r.press("7")
		}
		r.wait(30 * time.Second)
		before := r.emu.RequestCount("")
		for range 5 {
			r.press("3", "4", "5", "6", "7", "9")
			r.wait(time.Second)
		}
		if n := r.emu.RequestCount("") - before; n > 25 {
			t.Errorf("%d requests for a walk through six panes, five times", n)
		}
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
	if perMinute := float64(total) / d.Minutes(); perMinute > 6.5 {
		r.Errorf("%.1f requests a minute", perMinute)
	}
}

// When other programs have used most of the request budget, polls slow down before the API refuses, and the head line
// says so. They stop until the reset when nearly nothing is left. What the user asks for is sent all the same.
func TestPolls_slowDownBeforeTheAPIRefuses(t *testing.T) {
	t.Parallel()
	left := &otherProgram{left: 700}
	startWithTransport(t, screenSize{120, 36}, left.transport, nil, func(r *harness) {
		r.press("3")
		requests := func(d time.Duration) int {
			before := r.emu.RequestCount("list services")
			r.wait(d)
			return r.emu.RequestCount("list services") - before
		}
		r.wait(time.Minute)
		if n := requests(10 * time.Minute); n < 29 || n > 31 {
			t.Errorf("%d polls in 10 minutes with a full budget", n)
		}
		r.requireNoText("requests left")
		left.left = 100
		r.wait(time.Minute)
		r.requireText("refreshing slowly: 100 of 800 requests left")
		if n := requests(10 * time.Minute); n < 9 || n > 11 {
			t.Errorf("%d polls in 10 minutes with an eighth of the budget", n)
		}
		left.left = 20
		r.wait(2 * time.Minute)
		r.requireText("20 of 800 requests left")
		if n := requests(10 * time.Minute); n > 6 {
			t.Errorf("%d polls in 10 minutes with nearly nothing left", n)
		}
		all := r.emu.RequestCount("")
		if r.press("4", "3"); r.emu.RequestCount("") != all {
			t.Error("opening panes sends requests with nearly nothing left")
		}
		before := r.emu.RequestCount("list services")
		if r.press("r"); r.emu.RequestCount("list services") != before+1 {
			t.Error("r is not sent")
		}
		left.left = 700
		r.wait(3 * time.Minute)
		r.requireNoText("requests left")
		if n := requests(10 * time.Minute); n < 29 {
			t.Errorf("%d polls in 10 minutes with a full budget again", n)
		}
	})
}

// An otherProgram uses the same request budget of 800 requests in two minutes.
type otherProgram struct {
	next http.RoundTripper
	left int
}

func (o *otherProgram) transport(next http.RoundTripper) http.RoundTripper {
	o.next = next
	return o
}

func (o *otherProgram) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := o.next.RoundTrip(req)
	if err == nil {
		window := time.Now().Add(100 * time.Second)
		res.Header.Set("X-RateLimit-Limit", "800")
		res.Header.Set("X-RateLimit-Remaining", strconv.Itoa(o.left))
		res.Header.Set("X-RateLimit-Reset", strconv.FormatInt(window.Unix(), 10))
	}
	return res, err
}
