package views_test

import (
	"fmt"
	"strings"
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
	after      string // what it shows once the list has caught up
}

// staleListCases returns a change of each kind: a switch, an edit, a deletion and a creation.
func staleListCases() map[string]staleListCase {
	return map[string]staleListCase{
		"disable": {
			"3 / edge-router <enter> d", "<ctrl+s>", "ago; the list still says ok", "disabled  edge-router",
			"disabled  edge-router",
		},
		"edit": {
			"4 / Ada <enter> e 2", "<ctrl+s>", "ago; the list still has the old values", "Ada Wong2", "Ada Wong2",
		},
		"edit without a time": {
			"5 / db2-root <enter> e 2", "<ctrl+s>", "ago; the list still has the old values", "db2-root2", "db2-root2",
		},
		"delete": {"4 / Ada <enter> D ~", "y", "ago; the list still shows it", "Ada Wong", "none of"},
		"revoke": {
			"9 / finance <enter> D ~ finance", "<enter>", "ago; the list still shows it", "finance", "none of",
		},
		"create": {
			"4 / Zed <enter> n Zed <tab> zed@acme.net", "<ctrl+s>", "ago; the list does not show it yet", "Zed", "Zed",
		},
	}
}

// After our own 200, a list that is behind does not flip the row back: the row shows both until the list has caught up.
func TestStaleList_rowShowsBoth(t *testing.T) {
	t.Parallel()
	for name, c := range staleListCases() {
		faulttest.RunCase(t, "B2", "confirmed, list behind: "+name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{240, 40}, func(r *harness) {
				r.emu.InjectFault("GET *", emulator.Fault{Stale: 5 * time.Minute})
				r.pressAll(c.keys)
				r.press(c.send)
				r.wait(time.Second)
				r.requireNoText(c.note)
				r.press("r")
				for range 4 {
					r.wait(time.Minute)
					r.requireText(c.note, c.kept)
				}
				r.wait(2 * time.Minute)
				r.requireText(c.after)
				r.requireNoText(c.note)
			})
		})
	}
}

// If every other read comes from a replica that is behind, a deleted row is marked whenever a list shows it.
func TestStaleList_alternatingReplica(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 40}, func(r *harness) {
		r.emu.InjectFault("list contacts", emulator.Fault{Stale: 5 * time.Minute, Alternate: true})
		r.pressAll("4 / Ada <enter> D ~ y")
		marked := 0
		for range 20 {
			r.press("r")
			r.wait(10 * time.Second)
			if r.rowAtCursor() == "" {
				continue
			}
			if marked++; !strings.Contains(r.screen(), "ago; the list still shows it") {
				t.Fatalf("the row is not marked\n%s", r.screen())
			}
		}
		if marked == 0 {
			t.Error("no list has shown the row")
		}
	})
}

// A row that was deleted stays marked after a restart, and deleting it again asks with that.
func TestStaleList_deletedRowAfterRestart(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.emu.InjectFault("GET /managed/contacts*", emulator.Fault{Stale: 5 * time.Minute})
		p.pressAll("4 / Ada <enter> D ~ y")
		p.wait(30 * time.Second)
		p.restart()
		p.pressAll("4 / Ada <enter>")
		p.wait(time.Minute)
		p.requireText("ago; the list still shows it")
		p.press("D")
		p.requireText("deleted 1 min ago; the list still shows it")
		p.press("<esc>")
		p.wait(6 * time.Minute)
		p.requireText("none of")
		p.requireApplied("delete contact")
	})
}

// A bucket that a colleague makes again under the same name is not the one that was deleted.
func TestStaleList_bucketMadeAgain(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 40}, func(r *harness) {
		r.pressAll("8 / scratch <enter> D ~ scratch <enter>")
		r.wait(5 * time.Second)
		bucket := r.journal.Entries(time.Time{})[0].Change
		cluster, _, _ := strings.Cut(bucket.ID, "/")
		r.elsewhere("POST", "/object-storage/buckets/", fmt.Sprintf(`{"label":"scratch","cluster":%q}`, cluster))
		r.press("r")
		r.wait(10 * time.Second)
		r.requireText("▸ scratch")
		r.requireNoText("the list still shows it")
	})
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
