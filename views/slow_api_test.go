package views_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/ui/shell"
)

// stallingTransport never answers requests for one path.
type stallingTransport struct {
	next http.RoundTripper
	path string
}

func (d stallingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, d.path) {
		return faulttest.Hang(nil, req)
	}
	return d.next.RoundTrip(req)
}

// A request that takes longer than the poll interval is not cancelled by the next poll, and its failure is reported in
// every pane.
func TestPoll_waitsForRequestUnderWay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pane, path string }{
		{"1", "/managed/services"},
		{"3", "/managed/services"},
		{"7", "/managed/stats"},
		{"9", "/object-storage/keys"},
	} {
		faulttest.RunCase(t, "A4", "polled, "+c.pane, func(t *testing.T) {
			startWithTransport(
				t,
				screenSize{120, 36},
				func(next http.RoundTripper) http.RoundTripper { return stallingTransport{next, c.path} },
				func(*harness, *shell.Options) {},
				func(r *harness) {
					r.press(c.pane)
					r.send(tea.WindowSizeMsg{Width: 120, Height: 36})
					r.wait(2 * time.Minute)
					r.requireText("did not answer", "no answer · since 00:00")
					r.requireNoText("loading", "offline") // other lists are answered
				},
			)
		})
	}
}

// A cluster that does not answer does not delay the buckets of other clusters. Late buckets are added, and the pane
// names the cluster that never answers. A refresh changes the rows in one step.
func TestBucketFetcher_lateClusterDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	faulttest.RunCase(t, "A4", "one cluster", func(t *testing.T) {
		startWithTransport(t, screenSize{120, 36}, func(next http.RoundTripper) http.RoundTripper {
			for _, path := range []string{"/buckets", "/buckets/", "/buckets/eu-central-1"} {
				next = stallingTransport{next, "/object-storage" + path}
			}
			return next
		}, func(*harness, *shell.Options) {}, func(r *harness) {
			r.press("8")
			r.wait(3 * time.Second)
			r.requireText("acme-www", "buckets so far")
			r.requireNoText("did not respond")
			r.wait(2 * time.Minute)
			r.requireText("acme-www", "eu-central-1 is not responding")
			r.requireNoText("so far")
		})
	})
	faulttest.RunCase(t, "A4", "late", func(t *testing.T) {
		startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
			r.press("8")
			r.wait(3 * time.Second)
			r.requireText("acme-www", "buckets so far")
			early := strings.Count(r.screen(), "eu-central-1")
			r.wait(3 * time.Second)
			r.requireNoText("so far", "duplicate")
			if now := strings.Count(r.screen(), "eu-central-1"); now <= early {
				t.Errorf("%d buckets of the late cluster, then %d", early, now)
			}
		}, &rewritingTransport{fail: func(req *http.Request) error {
			path := strings.TrimSuffix(req.URL.Path, "/")
			if strings.HasSuffix(path, "/object-storage/buckets/eu-central-1") ||
				strings.HasSuffix(path, "/object-storage/buckets") {
				time.Sleep(5 * time.Second)
			}
			return nil
		}})
	})
}
