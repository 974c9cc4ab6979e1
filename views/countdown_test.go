package views_test

import (
	"net/http"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/ui/shell"
)

// The countdown of the first line ends when a request is sent, and not before: it does not begin again while nothing is
// sent. Nor does it stand still.
func TestCountdown_endsWithARequest(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"no connection": {Reset: true},
		"503":           {Status: http.StatusServiceUnavailable},
		"429":           {Status: http.StatusTooManyRequests, RetryAfter: "20"},
	} {
		for _, interval := range []time.Duration{5 * time.Second, 20 * time.Second} {
			t.Run(name+" every "+interval.String(), func(t *testing.T) {
				t.Parallel()
				configure := func(_ *harness, o *shell.Options) { o.RefreshInterval = interval }
				var requests atomic.Int64
				counting := func(next http.RoundTripper) http.RoundTripper {
					return &rewritingTransport{next: next, fail: func(*http.Request) error {
						requests.Add(1)
						return nil
					}}
				}
				startWithTransport(t, screenSize{100, 30}, counting, configure, func(r *harness) {
					r.press("3")
					r.wait(time.Second)
					r.emu.InjectFault("*", fault)
					sent := requests.Load
					countdown := regexp.MustCompile(`retry in (\d+) (s|min)`)
					before, counted, changed := time.Duration(0), sent(), time.Now()
					for range 180 {
						r.wait(time.Second)
						left := time.Duration(0)
						if found := countdown.FindStringSubmatch(r.screen()); found != nil {
							n, _ := strconv.Atoi(found[1])
							left = time.Duration(n) * time.Second
							if found[2] == "min" {
								left = time.Duration(n) * time.Minute
							}
						}
						if left > before && before > 0 && sent() == counted {
							r.Errorf("%v after %v, and nothing was sent", left, before)
						}
						if left != before {
							changed = time.Now()
						}
						if left > 0 && time.Since(changed) > 6*time.Second {
							r.Errorf("%v has stood still for %v", left, time.Since(changed))
							changed = time.Now()
						}
						if left > before {
							counted = sent()
						}
						before = left
					}
				})
			})
		}
	}
}
