package views_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
)

// disableGroup disables the four services of a group, in the order of their labels, with a fault for each.
func (r *harness) disableGroup(faults ...emulator.Fault) {
	r.Helper()
	for n, id := range []int{4, 5, 6, 7} { // web-1, web-2, …
		if n < len(faults) && faults[n] != (emulator.Fault{}) {
			r.emu.InjectFault(fmt.Sprintf("POST /managed/services/%d/disable", id), faults[n])
		}
	}
	r.press(goTo("3", "group:web")...)
	r.press("A", "d", "<tab>", "<tab>", "4", "<ctrl+s>")
	r.wait(time.Second)
}

// appliedTo returns how often an operation was applied to each service.
func (r *harness) appliedTo(op string) map[string]int {
	times := map[string]int{}
	for _, c := range r.emu.Ledger() {
		if strings.HasSuffix(c.Path, op) {
			times[strings.TrimSuffix(strings.TrimPrefix(c.Path, "/v4/managed/services/"), op)]++
		}
	}
	return times
}

// Of a group whose changes end in four ways, one line shows all four, what failed first. The row of what failed says
// so.
func TestGroup_messageHasEveryOutcome(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 120, 200} {
		startProgram(t, emulator.Options{}, screenSize{width, 36}, func(r *harness) {
			r.disableGroup(
				emulator.Fault{},
				emulator.Fault{Status: 409},
				emulator.Fault{ApplyFirst: true, Reset: true},
				emulator.Fault{Status: 504},
			)
			r.requireText("✗ web-2 not done; docs not seen yet; 2 services", "m: more · u: enable again")
			r.line("web-2", "not disabled 1 s ago: \"Conflict\" (409)")
			r.line("docs", "not seen yet; it may still take effect")
			if width >= 120 {
				r.requireText("2 services (1 by reading): monitoring is disabled")
			}
			r.press("m")
			r.requireWrapped("web-2: \"Conflict\" (409); nothing was changed for these")
			r.requireWrapped("docs: not seen yet; it may still take effect")
		})
	}
}

// What settles late joins the others: u undoes them all, once.
func TestGroup_undoHasWhatSettlesLate(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.disableGroup(emulator.Fault{}, emulator.Fault{}, emulator.Fault{Late: 30 * time.Second, Times: 1})
		r.requireText("u: enable again")
		r.wait(time.Minute)
		r.requireText("4 services: monitoring is disabled")
		r.press("u")
		r.wait(time.Second)
		if got := r.appliedTo("/enable"); len(got) != 4 {
			t.Errorf("enabled again: %v\n%s", got, r.screen())
		}
		r.press("u")
		r.wait(time.Second)
		r.requireText("nothing to undo; the last change was undone")
		if got := len(r.emu.Ledger()); got != 8 {
			t.Errorf("%d changes, want 4 and 4", got)
		}
	})
}

// What settles after the others were undone can be undone by itself, and u sends nothing twice.
func TestGroup_undoOfWhatSettlesAfterIt(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.disableGroup(emulator.Fault{}, emulator.Fault{}, emulator.Fault{Late: 30 * time.Second, Times: 1})
		r.press("u")
		r.wait(time.Second)
		if got := r.appliedTo("/enable"); len(got) != 3 {
			t.Errorf("enabled again: %v\n%s", got, r.screen())
		}
		r.wait(time.Minute)
		r.requireText("u: enable again")
		r.press("u")
		r.wait(time.Second)
		r.press("u")
		r.wait(time.Second)
		for id, times := range r.appliedTo("/enable") {
			if times != 1 {
				t.Errorf("service %s was enabled %d times", id, times)
			}
		}
		if n := len(r.appliedTo("/enable")); n != 4 || len(r.emu.Ledger()) != 8 {
			t.Errorf("%d enabled again, %d changes", n, len(r.emu.Ledger()))
		}
	})
}

// If a part of an undo is refused, u tries that part again, and nothing else.
func TestGroup_undoOfWhatWasNotUndone(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.disableGroup()
		r.emu.InjectFault("POST /managed/services/5/enable", emulator.Fault{Status: 409, Times: 1})
		r.press("u")
		r.wait(time.Second)
		r.requireText("web-2 not done", "u: enable again")
		r.press("u")
		r.wait(time.Second)
		if got := r.appliedTo("/enable"); len(got) != 4 || len(r.emu.Ledger()) != 8 {
			t.Errorf("enabled again: %v, %d changes\n%s", got, len(r.emu.Ledger()), r.screen())
		}
		r.press("u")
		r.wait(time.Second)
		if len(r.emu.Ledger()) != 8 {
			t.Errorf("%d changes", len(r.emu.Ledger()))
		}
	})
}

// A second u neither repeats nor reverses the undo of one service.
func TestServices_undoOnce(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<ctrl+s>", "u")
		r.requireText("cdn-origin: monitoring is enabled")
		r.press("u")
		r.requireText("nothing to undo; the last change was undone")
		r.requireApplied("disable service", "enable service")
		if e, _ := r.journal.ActiveWindow("8"); e.Service != "" {
			t.Errorf("the journal has a window: %v", e)
		}
	})
}

// An undo names the changes that it has left alone, because they may still take effect.
func TestGroup_undoNamesWhatMayStillTakeEffect(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.disableGroup(emulator.Fault{}, emulator.Fault{}, emulator.Fault{Late: 30 * time.Second, Times: 1})
		r.press("u")
		r.wait(time.Second)
		r.requireText("3 services: monitoring is enabled · shop: not seen yet; it may still take effect")
	})
}
