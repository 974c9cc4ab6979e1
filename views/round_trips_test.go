package views_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// slowTransport delays every request by a fixed latency and records when each was sent.
type slowTransport struct {
	next    http.RoundTripper
	latency time.Duration

	mu    sync.Mutex
	start time.Time
	sent  []sentRequest
}

// sentRequest is a request and how long after the first it was sent.
type sentRequest struct {
	line  string
	after time.Duration
}

func (s *slowTransport) transport(next http.RoundTripper) http.RoundTripper {
	s.next = next
	return s
}

// RoundTrip waits, then answers.
func (s *slowTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	if s.sent == nil {
		s.start = time.Now()
	}
	line := req.Method + " " + strings.TrimPrefix(req.URL.Path, "/v4") + " " + req.URL.RawQuery
	s.sent = append(s.sent, sentRequest{line, time.Since(s.start)})
	s.mu.Unlock()
	select {
	case <-time.After(s.latency):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	return s.next.RoundTrip(req)
}

// waves returns the requests that were sent at the same time, by the number of answers that they waited for.
func (s *slowTransport) waves() (waves [][]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.sent {
		n := int(r.after / s.latency)
		for len(waves) <= n {
			waves = append(waves, nil)
		}
		waves[n] = append(waves[n], r.line)
	}
	return waves
}

// requireOnce fails if a request was sent twice.
func (s *slowTransport) requireOnce(t *testing.T) {
	t.Helper()
	times := map[string]int{}
	for _, r := range s.sent {
		if times[r.line]++; times[r.line] == 2 {
			t.Errorf("sent again: %s", r.line)
		}
	}
}

// The overview is complete after two answers, one after the other: all lists are read at once, and then what the issues
// lead to. Nothing is asked twice.
func TestRoundTrips_overview(t *testing.T) {
	t.Parallel()
	slow := &slowTransport{latency: 200 * time.Millisecond}
	runProgram(t, programOptions{size: screenSize{200, 50}, transport: slow.transport}, func(r *harness) {
		r.wait(5 * time.Second)
		r.requireNoText("reading", "loading", "not read")
		slow.requireOnce(t)
		waves := slow.waves()
		if len(waves) != byService(1, 2) || len(waves[0]) != 7 {
			t.Fatalf("requests, by the answers that they waited for:\n%q", waves)
		}
		for _, w := range waves[1:] {
			for _, line := range w {
				if !strings.Contains(line, "/support/tickets/") {
					t.Errorf("sent after the first answers: %s", line)
				}
			}
		}
	})
}

// The panes of Object Storage ask for clusters and buckets once each.
func TestRoundTrips_storage(t *testing.T) {
	t.Parallel()
	slow := &slowTransport{latency: 200 * time.Millisecond}
	runProgram(t, programOptions{size: screenSize{200, 50}, transport: slow.transport}, func(r *harness) {
		r.press("8")
		r.wait(time.Second)
		r.press("9")
		r.wait(time.Second)
		r.press("0")
		r.wait(time.Second)
		slow.requireOnce(t)
		if waves := slow.waves(); len(waves[0]) != 8 {
			t.Errorf("requests, by the answers that they waited for:\n%q", waves)
		}
	})
}

// The 5,000 services of a large account are read in two round trips: the other pages at once, after the first.
func TestRoundTrips_largeAccount(t *testing.T) {
	t.Parallel()
	slow := &slowTransport{latency: 200 * time.Millisecond}
	o := programOptions{size: screenSize{200, 50}, transport: slow.transport}
	o.emulator.Seed = "large"
	runProgram(t, o, func(r *harness) {
		r.press("3")
		r.wait(300 * time.Millisecond)
		r.requireText("services: 500 of 5,000 read", "service-0001")
		r.wait(200 * time.Millisecond)
		r.requireText("1 of 5,000", "500 problem")
		for n, w := range slow.waves() {
			for _, line := range w {
				first := strings.Contains(line, "page=1&")
				if strings.Contains(line, "/managed/services") && (n > 1 || first != (n == 0)) {
					t.Errorf("sent in wave %d: %s", n, line)
				}
			}
		}
	})
}

// openFlatListing opens the objects of a large bucket without folders.
func (r *harness) openFlatListing() {
	r.Helper()
	r.pressAll("8 ~ / logs-eu <enter> <enter> ~ f ~")
}

// G in a flat listing reads the folders side by side. It can be stopped and continued: every object is there once, in
// order.
func TestRoundTrips_endOfListing(t *testing.T) {
	t.Parallel()
	slow := &slowTransport{latency: 200 * time.Millisecond}
	runProgram(t, programOptions{size: screenSize{120, 36}, transport: slow.transport}, func(r *harness) {
		r.openFlatListing()
		begun := time.Now()
		r.press("G")
		r.wait(4 * time.Second)
		r.requireText("still reading")
		r.press("<esc>")
		r.wait(time.Second)
		requests := r.emu.RequestCount("list objects")
		r.wait(time.Minute)
		if n := r.emu.RequestCount("list objects"); n != requests {
			t.Errorf("%d requests after esc", n-requests)
		}
		begun = begun.Add(time.Since(begun) - 4*time.Second)
		r.press("G")
		for !strings.Contains(r.screen(), "99,000 loaded ·") && time.Since(begun) < time.Minute {
			r.wait(100 * time.Millisecond)
		}
		if took := time.Since(begun); took > 14*time.Second {
			t.Errorf("took %v", took)
		}
		r.requireText("99,000 loaded ·", "-098999.log.gz")
		r.requireNoText("duplicate", "more exist", "incomplete")
	})
}

// G in a flat listing finds every object once, even if it was stopped and the listing is refreshed before G is
// pressed again, or afterwards, or the user scrolls on.
func TestRoundTrips_endOfListing_interrupted(t *testing.T) {
	t.Parallel()
	scroll := slices.Repeat([]string{"<pgdown>"}, 80)
	for name, keys := range map[string][]string{
		"r after G":     {"G", "r"},
		"G after r":     {"G", "<esc>", "r", "G"},
		"scrolls first": append(scroll, "G"),
	} {
		t.Run(name, func(t *testing.T) {
			slow := &slowTransport{latency: 200 * time.Millisecond}
			runProgram(t, programOptions{size: screenSize{120, 36}, transport: slow.transport}, func(r *harness) {
				r.openFlatListing()
				r.press("G")
				r.wait(2 * time.Second)
				r.press("<esc>")
				for _, key := range keys {
					r.press(key)
					r.wait(500 * time.Millisecond)
				}
				r.wait(time.Minute)
				r.requireText("99,000 loaded ·", "-098999.log.gz")
				r.requireNoText("duplicate", "more exist", "incomplete")
			})
		})
	}
}

// A listing whose reading side by side was stopped early goes on as the user scrolls. The rows that lookout has read
// again are no duplicates to report.
func TestRoundTrips_endOfListing_stoppedEarlyThenScrolled(t *testing.T) {
	t.Parallel()
	for after := range 8 {
		slow := &slowTransport{latency: 200 * time.Millisecond}
		runProgram(t, programOptions{size: screenSize{120, 36}, transport: slow.transport}, func(r *harness) {
			r.openFlatListing()
			r.press("G")
			r.wait(850 * time.Millisecond)
			r.requireText("2,500 so far")
			r.wait(time.Duration(after) * 200 * time.Millisecond)
			r.press("<esc>")
			for range 200 {
				r.press("<pgdown>")
				r.wait(250 * time.Millisecond)
			}
			r.requireText(" of ")
			r.requireNoText("duplicate", "incomplete")
		})
	}
}

// deleteAfterFirstPage deletes the first service once the first page of services was answered.
type deleteAfterFirstPage struct {
	next http.RoundTripper
	once sync.Once
}

// RoundTrip answers, then deletes.
func (d *deleteAfterFirstPage) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := d.next.RoundTrip(req)
	if strings.HasSuffix(req.URL.Path, "/managed/services") && req.URL.Query().Get("page") == "1" {
		d.once.Do(func() {
			remove := req.Clone(req.Context())
			remove.Method, remove.URL.RawQuery = http.MethodDelete, ""
			remove.URL.Path += "/1"
			if deleted, err := d.next.RoundTrip(remove); err == nil {
				deleted.Body.Close()
			}
		})
	}
	return res, err
}

// A list of several pages that changes while it is read does not pass for a complete one.
func TestRoundTrips_listChangesMeanwhile(t *testing.T) {
	t.Parallel()
	o := programOptions{
		size:      screenSize{200, 50},
		transport: func(next http.RoundTripper) http.RoundTripper { return &deleteAfterFirstPage{next: next} },
	}
	o.emulator.Seed = "large"
	runProgram(t, o, func(r *harness) {
		r.press("3")
		r.wait(5 * time.Second)
		r.requireText("the list changed while it was read (5000 rows, then 4999)")
		r.press("r")
		r.wait(5 * time.Second)
		r.requireNoText("changed while")
	})
}
