package views_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/emulator"
	"lookout/client/faultrig"
	"lookout/ui/shell"
)

// deaf never answers one kind of question.
type deaf struct {
	next http.RoundTripper
	path string
}

func (d deaf) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, d.path) {
		return faultrig.Stall(nil, req)
	}
	return d.next.RoundTrip(req)
}

// A question that takes longer than the time between two polls is heard out: that it fails is told, whatever pane stands in front.
func TestAPollWaitsForWhatIsAsked(t *testing.T) {
	for _, c := range []struct{ pane, path string }{{"1", "/managed/services"}, {"3", "/managed/services"}, {"7", "/managed/stats"}, {"9", "/object-storage/keys"}} {
		faultrig.Row(t, "A4", "polled, "+c.pane, func(t *testing.T) {
			startedBehind(t, emulator.Options{}, 120, 36, func(next http.RoundTripper) http.RoundTripper { return deaf{next, c.path} }, func(*rig, *shell.Options) {}, func(r *rig) {
				r.press(c.pane)
				r.send(tea.WindowSizeMsg{Width: 120, Height: 36})
				r.wait(2 * time.Minute)
				r.see("no answer", "offline · since 00:00")
				r.miss("loading")
			})
		})
	}
}
