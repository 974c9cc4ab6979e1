package views_test

import (
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
)

// staleListCase is a change that the API confirms while its list is behind.
type staleListCase struct {
	keys, send string
	note       string // at the row, after "… ago; "
	kept       string // what the row shows meanwhile
	after      string // what it shows once the list is believed
}

// staleListCases returns a change of each kind: a switch, an edit, a deletion and a creation.
func staleListCases() map[string]staleListCase {
	return map[string]staleListCase{
		"disable": {
			"3 / edge-router <enter> d", "<ctrl+s>", "ago; the list still says ok", "disabled  edge-router", "ok",
		},
		"edit": {
			"4 / Ada <enter> e 2", "<ctrl+s>", "ago; the list still has the old values", "Ada Wong2", "Ada Wong",
		},
		"delete": {"4 / Ada <enter> D ~", "y", "ago; the list still shows it", "Ada Wong", "Ada Wong"},
		"create": {
			"4 / Zed <enter> n Zed <tab> zed@acme.net", "<ctrl+s>", "ago; the list does not show it yet", "Zed",
			"none of",
		},
	}
}

// After our own 200, a list that is behind does not flip the row back: for 60 s the row shows both. Then the list is
// believed.
func TestStaleList_rowShowsBoth(t *testing.T) {
	t.Parallel()
	for name, c := range staleListCases() {
		faulttest.RunCase(t, "B2", "confirmed, list behind: "+name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{160, 40}, func(r *harness) {
				r.emu.InjectFault("GET /managed/*", emulator.Fault{Stale: time.Hour})
				r.pressAll(c.keys)
				r.press(c.send)
				r.wait(time.Second)
				r.requireNoText(c.note)
				r.press("r")
				r.wait(10 * time.Second)
				r.requireText(c.note, c.kept)
				r.wait(30 * time.Second)
				r.requireText(c.note, c.kept)
				r.wait(50 * time.Second)
				r.requireText(c.after)
				r.requireNoText(c.note)
			})
		})
	}
}

// A row with a later "updated" arrives: somebody else changed it since, so the list is believed at once.
func TestStaleList_laterUpdateWins(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 40}, func(r *harness) {
		r.pressAll("3 / edge-router <enter> d")
		r.press("<ctrl+s>")
		r.wait(5 * time.Second)
		r.requireText("disabled  edge-router")
		if _, err := r.writer(client.OpEnableService, "9").EnableService(r.ctx, 9); err != nil {
			t.Fatal(err)
		}
		r.press("r")
		r.wait(time.Second)
		r.requireNoText("disabled  edge-router", "ago; the list")
	})
}
