package views_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
)

// The first four lines of the overview say what is wrong, since when, and whom to call.
func TestOverview_firstLinesSayWhatIsWrong(t *testing.T) {
	for _, size := range []screenSize{{80, 24}, {120, 36}, {200, 50}} {
		startProgram(t, emulator.Options{}, size, func(r *harness) {
			first := strings.Join(strings.Split(r.paneBox(), "\n")[:4], "\n")
			for _, want := range []string{"1 problem", "#823", "6 min", "billing-api", "Ada Wong  +1 555 0100"} {
				if !strings.Contains(first, want) {
					t.Errorf("%d×%d: %q is not in the first lines:\n%s", size.width, size.height, want, first)
				}
			}
			wide := size.height >= 36
			if got := strings.Contains(r.screen(), "Maintenance ─ 1"); got != wide {
				t.Errorf("%d×%d: maintenance windows: %v", size.width, size.height, got)
			}
			if got := strings.Contains(r.screen(), "Last changes"); got != wide {
				t.Errorf("%d×%d: last changes: %v", size.width, size.height, got)
			}
		})
	}
}

// On a screen of 80×24 an incident of two services and four contacts shows what decides the call without scrolling.
func TestIncident_decidesCallWithoutScrolling(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		for _, name := range []string{"Third Person", "Fourth Person"} {
			contact := fmt.Sprintf(
				`{"name":%q,"email":"%s@acme.net","group":"web","phone":{"primary":"+1 555 0199"}}`, name, name[:5],
			)
			r.elsewhere("POST", "/managed/contacts", contact)
		}
		r.press("2", "j", "R", "<enter>")
		r.wait(2 * time.Second)
		r.requireText(
			"Incident #821", "web-1", "web-2", "https://web-1.acme.net", "https://web-2.acme.net", "Call: web",
			"Third Person", "Fourth Person", "+1 555 0199", "SSH", "LOAD",
		)
	})
}

// An incident shows what was changed around its detection: from here, and elsewhere as far as it was seen.
func TestIncident_changesAroundDetection(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{200, 50}, func(r *harness) {
		r.press("2", "<enter>")
		r.requireText("nothing was changed from here")
		r.press("d", "<tab>", "restart", "<ctrl+s>")
		r.requireText("disable service", "restart")
		r.elsewhere("PUT", "/managed/services/1", `{"timeout":25}`)
		r.wait(2 * time.Minute)
		r.requireText("elsewhere", "edited: timeout")
		r.press("1")
		r.requireText("Last changes", "edited: timeout", "disable service")
	})
}
