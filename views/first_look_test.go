package views_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
)

// The first four lines of the overview say what is wrong, since when, and whom to call.
func TestOverview_firstLinesSayWhatIsWrong(t *testing.T) {
	t.Parallel()
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

// The overview says how old its issues are even where there is no room for the key that reads them again.
func TestOverview_ageOfIssuesIsWhole(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.emu.InjectFault("list issues", emulator.Fault{Status: 503})
		r.wait(40 * time.Second)
		if line := r.line("issues: 503 · as of"); !regexp.MustCompile(`as of \d+ s ago +│`).MatchString(line) {
			r.Errorf("%s", line)
		}
	})
}

// On a screen of 80×24 an incident of two services and four contacts shows what decides the call without scrolling.
func TestIncident_decidesCallWithoutScrolling(t *testing.T) {
	t.Parallel()
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
			"Issue #821", "web-1", "web-2", "https://web-1.acme.net", "https://web-2.acme.net", "Call: web",
			"Third Person", "Fourth Person", "+1 555 0199", "SSH", "LOAD",
		)
	})
}

// An incident shows what was changed around its detection: from this machine, and elsewhere as far as it was seen.
func TestIncident_changesAroundDetection(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{200, 50}, func(r *harness) {
		r.press("2", "<enter>")
		r.requireText("no known changes, from this machine")
		r.press("d", "<tab>", "restart", "<ctrl+s>")
		r.requireText("disable service", "restart")
		r.elsewhere("PUT", "/managed/services/1", `{"timeout":25}`)
		r.wait(2 * time.Minute)
		r.requireText("elsewhere", "edited: timeout")
		r.press("1")
		r.requireText("Last changes", "edited: timeout", "disable service")
	})
}

// The last changes say whole names of a usual length, and what was done.
func TestOverview_lastChangesNames(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{200, 50}, func(r *harness) {
		r.press("3", "/", "edge-router", "<enter>", "d", "<ctrl+s>")
		r.wait(time.Second)
		r.press("1")
		_, changes, _ := strings.Cut(r.screen(), "Last changes")
		if !strings.Contains(changes, "done  edge-router  disable service") {
			r.Errorf("%s", r.screen())
		}
	})
}

// The screens about issues call them issues and nothing else, say of each whether it is over, say what notes are, and
// write the number of a mark always behind it.
func TestIssues_readRightAtFirstSight(t *testing.T) {
	t.Parallel()
	for _, size := range []screenSize{{80, 24}, {120, 36}, {200, 50}} {
		startProvider(t, size, func(r *harness) {
			r.press("1")
			r.line("#823", "billing-api")
			r.requireText("─ Issues ─ 1 open ─", "3 in ")
			r.line("#821", "web-1, web-2", "closed")
			for _, keys := range [][]string{{"1"}, {"2"}, {"2", "<enter>"}, {"3"}, {"7"}} {
				r.press(keys...)
				if screen := r.screen(); strings.Contains(strings.ToLower(screen), "incident") {
					t.Errorf("%d columns, %q: another word for an issue:\n%s", size.width, keys, screen)
				}
				if wrong := regexp.MustCompile(`\d▲`).FindString(r.screen()); wrong != "" {
					t.Errorf("%d columns, %q: the number is in front of its mark:\n%s", size.width, keys, r.screen())
				}
			}
			r.press("2")
			r.requireText("notes: restart postgres")
		})
	}
}

// From 160 columns on, lists have a third column with what belongs to the row: load, history, changes, sizes. What only
// it needs is read when it is shown.
func TestLists_thirdColumn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key  string
		want []string
	}{
		{"2", []string{"─ All instances: CPU % ─", "at #823", "─ Earlier issues ─ 3 ─", "#810", "─ Changes ─"}},
		{"3", []string{"─ All instances: CPU % ─", "▲823", "─ Changes ─", "no changes made from this"}},
		{"4", []string{"─ Issues to call about ─", "─ Changes ─"}},
		{"5", []string{"─ Issues of services that use it ─", "#818", "cdn-origin", "─ Changes ─"}},
		{"6", []string{"─ Issues at this address ─", "─ Changes ─"}},
		{"8", []string{"─ Sizes of all buckets ─", "acme-backups us-eas", "██", "─ Changes ─"}},
		{"9", []string{"─ Sizes of the buckets it can access ─", "██", "─ Changes ─"}},
		{"0", []string{"─ Sizes of all buckets ─", "██"}},
	} {
		for _, width := range []int{120, 200} {
			startProgram(t, emulator.Options{}, screenSize{width, 45}, func(r *harness) {
				r.press(c.key)
				r.wait(time.Second)
				if width == 200 {
					r.requireText(c.want...)
				} else {
					r.requireNoText(c.want[0])
				}
				r.requireWholeScreen(width, []string{c.key})
			})
		}
	}
}

// The third column follows the cursor and shows what was changed.
func TestLists_thirdColumnShowsChanges(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{200, 45}, func(r *harness) {
		r.press("3", "d", "<tab>", "restart", "<ctrl+s>")
		r.requireText("disable service · until", "✓ done")
		r.press("G")
		r.requireText("no changes made from this machine", "seen elsewhere")
		r.elsewhere("PUT", "/managed/services/1", `{"timeout":25}`)
		r.wait(2 * time.Minute)
		r.press("/", "billing-api", "<enter>")
		r.requireText("elsewhere", "edited: timeout")
	})
}
