package views_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/ui/shell"
)

// At every size, tab visits all visible boxes and no other.
func TestOverview_tabVisitsVisibleBoxes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ width, height, boxes int }{
		{200, 50, 9},
		{120, 36, 9},
		{80, 24, 7},
		{60, 20, 3},
		{60, 24, 5},
		{50, 24, 5},
	} {
		startProgram(t, emulator.Options{}, screenSize{c.width, c.height}, func(r *harness) {
			seen := map[string]bool{}
			for range 14 {
				r.press("<tab>")
				at := -1
				for y, line := range strings.Split(r.screen(), "\n") {
					for _, part := range strings.Split(line, "▸")[1:] {
						at = y
						name, _, _ := strings.Cut(part, "  ")
						seen[name] = true
					}
				}
				if at < 0 {
					r.Fatalf("%d×%d: no box has the keyboard:\n%s", c.width, c.height, r.screen())
				}
			}
			if len(seen) != c.boxes {
				r.Errorf("%d×%d: %d boxes, not %d: %v", c.width, c.height, len(seen), c.boxes, seen)
			}
		})
	}
}

// The hint of disabling says for how long that is unless another time is chosen: in the overview, an incident and the
// services, in every width.
func TestHints_disableSaysForHowLong(t *testing.T) {
	t.Parallel()
	for _, size := range []screenSize{{80, 24}, {120, 36}, {200, 50}} {
		startProgram(t, emulator.Options{}, size, func(r *harness) {
			r.requireText("d disable billing-api (1 h)")
			r.press("2", "<enter>")
			r.requireText("d disable (1 h)")
			r.press("<esc>", "3")
			r.requireText("d disable (1 h)")
		})
	}
}

// In the table of the last changes a long label leaves room for what was changed, and what is cut ends with a mark.
func TestOverview_longTextsOfChangesAreCut(t *testing.T) {
	t.Parallel()
	earlier := func(r *harness, _ *shell.Options) {
		id, err := r.journal.RecordIntent(t.Context(), client.Change{
			Op:       client.OpUpdateContact,
			Resource: "contact",
			ID:       "11",
			Label:    strings.Repeat("n", 80),
			Reason:   strings.Repeat("r", 200),
		})
		if err != nil {
			r.Fatal(err)
		}
		r.journal.RecordOutcome(id, client.Applied, nil)
	}
	startWithOptions(t, emulator.Options{}, screenSize{160, 50}, earlier, func(r *harness) {
		r.wait(time.Second)
		line := r.line("nnnn")
		if !regexp.MustCompile(`✓ done  n+…  update contact · r+… *│`).MatchString(line) {
			r.Errorf("the change is drawn as %q", line)
		}
	})
}
