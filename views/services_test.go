package views_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/ui/shell"
)

// A service that is disabled for an hour is enabled when the hour is over, and the journal holds the reason.
func TestServices_disable_untilWithReason(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d")
		r.requireText("Disable monitoring of cdn-origin", "15 min", "Reason")
		r.press("<tab>", "database maintenance", "<ctrl+s>")
		r.requireText("cdn-origin: monitoring is disabled", "○ disabled")
		r.requireApplied("disable service")
		hold, held := r.journal.ActiveWindow("8")
		if !held || hold.Reason != "database maintenance" || hold.End.Sub(hold.Since) != time.Hour {
			r.T.Errorf("the journal holds %+v", r.journal.ActiveWindows())
		}
		r.press("q")
		r.requireText("Monitoring stays off until the next start", "cdn-origin at")
		r.press("<esc>")
		r.requireNoText("Monitoring stays off until the next start")
		r.wait(time.Hour + 2*time.Second)
		r.requireText("cdn-origin: monitoring is enabled")
		if got := r.appliedOperations(); len(got) != 2 || got[1] != "enable service" {
			r.T.Errorf("applied: %v", got)
		}
	})
}

// u enables a service that was disabled.
func TestServices_disable_undo(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<ctrl+s>")
		r.requireText("monitoring is disabled", "u")
		r.press("u")
		r.requireText("cdn-origin: monitoring is enabled")
		r.requireApplied("disable service", "enable service")
	})
}

// u undoes what the status line says, and nothing older: a change that cannot be undone takes the offer away.
func TestServices_undoOnlyWhatIsShown(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<ctrl+s>")
		r.requireText("u: enable again")
		r.press("4", "e", "x", "<ctrl+s>")
		r.requireText(": saved")
		r.press("u")
		r.requireApplied("disable service", "update contact")
		r.press(":", "undo")
		r.requireNoText("undo: enable again")
	})
}

// Each change of a service, also an undo, records the status before it, and the message shows the same status.
func TestServices_toggleAndUndoRecordStatusBefore(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "billing-cron", "<enter>", "t")
		r.requireText("billing-cron: monitoring is enabled (was disabled)")
		r.press("u")
		r.requireText("billing-cron: monitoring is disabled (was pending)")
		r.press("t")
		r.requireText("billing-cron: monitoring is enabled (was disabled)")
		var before []string
		for _, e := range r.journal.Entries(time.Time{}) {
			status, _ := e.Change.Before.(client.Patch)["status"].(client.ServiceStatus)
			before = append(before, status.String())
		}
		if want := []string{"disabled", "pending", "disabled"}; !slices.Equal(before, want) {
			r.Errorf("the journal holds %v before the changes, not %v", before, want)
		}
	})
}

// The form makes a private address with a region public: the region is sent as null.
func TestServices_privateAddressBecomesPublic(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		r.press(goTo("3", "queue-internal")...)
		r.press("e", "<tab>", "<tab>", "<ctrl+u>", "queue.acme.net:5672", "<ctrl+s>")
		r.requireText("queue-internal: saved")
		r.requireApplied(client.OpUpdateService)
		entries := r.journal.Entries(time.Time{})
		if body := string(toJSON(entries[0].Change.Body)); !strings.Contains(body, `"region":null`) {
			t.Errorf("sent: %s", body)
		}
	})
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		r.press("3", "n", "queue-2", "<tab>", "<right>", "<tab>", "10.0.3.14:5672", "<tab>", "us-east")
		r.press("<shift+tab>", "<ctrl+u>", "queue.acme.net:5672", "<ctrl+s>")
		r.requireText("queue-2: added")
		r.requireApplied(client.OpCreateService)
	})
}

// A service with a private address needs a region.
func TestServices_privateAddressNeedsRegion(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "n", "queue-1", "<tab>", "<right>", "<tab>", "10.0.0.9:5672", "<ctrl+s>")
		r.requireText("New service", "queue-1", "10.0.0.9:5672", "Region")
		if got := r.appliedOperations(); len(got) != 0 {
			r.T.Fatalf("applied without a region: %v", got)
		}
		r.requireText("required because the address is private")
		r.press("<shift+tab>")
		r.requireText("queue-1", "10.0.0.9:5672")
	})
}

// A service is deleted only after its name was typed.
func TestServices_delete_needsName(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "D")
		r.wait(time.Second)
		r.requireText("Delete service", "cdn-origin")
		r.press("D", "y", "<enter>")
		if got := r.appliedOperations(); len(got) != 0 {
			r.T.Fatalf("deleted without its name: %v", got)
		}
		r.press("<backspace>", "<backspace>", "cdn-origin", "<enter>")
		r.requireApplied("delete service")
		r.press("<esc>")
		r.requireNoText("cdn-origin  ")
	})
}

// A change of many services wants their number typed.
func TestServices_enableGroup_asksForCount(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "C6", "services of a group")
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		for _, id := range []int{4, 5} {
			w := r.writer(client.OpDisableService, strconv.Itoa(id))
			if _, err := w.DisableService(r.T.Context(), id); err != nil {
				r.T.Fatal(err)
			}
		}
		r.press("3", "R", "/", "group:web", "<enter>", "A", "E")
		r.requireText("Enable: 2 services", "web-1 (id 4)", "web-2 (id 5)", "2 marked services are skipped")
		r.wait(time.Second)
		r.press("2", "<enter>")
		want := []string{"disable service", "disable service", "enable service", "enable service"}
		if got := r.appliedOperations(); !slices.Equal(got, want) {
			r.T.Fatalf("applied: %v, want %v\n%s", got, want, r.screen())
		}
	})
}

// An answer that arrives while a dialog is open is not lost, and the rows stay when the API fails.
func TestServices_surviveAPIOutage(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3")
		r.requireText("cdn-origin", "live")
		r.emu.InjectFault("GET *", emulator.Fault{Reset: true, Delay: 3 * time.Second})
		r.press("d")
		r.wait(2 * time.Minute)
		r.press("<esc>", "<esc>")
		r.requireText("cdn-origin")
		// The wait until the next request is counted down, and not while a request is under way.
		// The request that tries again once a minute may be another list's: only one of them is sent.
		seen := map[string]bool{}
		for range 15 * 60 {
			r.wait(time.Second)
			words := regexp.MustCompile(`retry in \d+ (?:s|min)|retrying`).FindAllString(r.screen(), -1)
			if len(words) != 1 {
				t.Fatalf("the head says %q:\n%s", words, r.screen())
			}
			seen[words[0]] = true
		}
		for _, words := range []string{"retry in 10 s", "retry in 3 s", "retry in 2 s", "retrying"} {
			if !seen[words] {
				t.Errorf("%q was never shown, only %v", words, seen)
			}
		}
		r.emu.ClearFaults()
		r.wait(2 * time.Minute)
		r.requireText("live")
		r.requireNoText("retry in", "retrying")
	})
}

// The list shows for how long a service has been disabled and when it is enabled again: also without an end, and from
// when on if that is still to come. The end of a window that another machine began is not known.
func TestServices_offAndBackColumns(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 120, 200} {
		startProgram(t, emulator.Options{}, screenSize{width, 36}, func(r *harness) {
			r.press("3", "/", "cdn-origin", "<enter>", "d", "<ctrl+s>", "<esc>")
			r.press("/", "docs", "<enter>", "d", "<right>", "<right>", "<ctrl+s>", "<esc>")
			r.press("/", "search", "<enter>", "d", "<left>", "<left>", "<tab>", "02:00-04:00", "<ctrl+s>", "<esc>")
			r.wait(12 * time.Minute)
			for service, want := range map[string][2]string{
				"cdn-origin":   {"12 min", "01:00"},
				"docs":         {"12 min", "no end"},
				"search":       {"02:00", "04:00"},
				"billing-cron": {"≥ 2 d", "unknown"},
			} {
				r.line(service, want[0], want[1])
			}
			if width > 80 || os.Getenv("LOOKOUT_LONG") == "" {
				return // a day has many frames
			}
			r.wait(25 * time.Hour)
			r.line("docs", "1 d 1 h", "no end")
		})
	}
}

// After a new row was added in a form, the cursor is on it. A row that the filter hides does not take the cursor.
func TestLists_cursorGoesToNewRow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ keys, row string }{
		"service":    {"3 n night_check <tab> <right> <tab> 203.0.113.7:22 <ctrl+s>", "night_check"},
		"contact":    {"4 n Zed <tab> zed@acme.net <ctrl+s>", "Zed"},
		"credential": {"5 n night_login <tab> ops <tab> secret <ctrl+s>", "night_login"},
		"bucket":     {"8 n night-logs <ctrl+s>", "night-logs"},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
				r.press(strings.Fields(c.keys)...)
				if row := r.rowAtCursor(); !strings.Contains(row, c.row) {
					t.Errorf("at the cursor: %q\n%s", row, r.screen())
				}
				r.press("g")
				r.wait(time.Minute)
				if row := r.rowAtCursor(); strings.Contains(row, c.row) {
					t.Errorf("the cursor was taken back to %q", row)
				}
			})
		})
	}
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.press("3", "/", "docs", "<enter>")
		r.press(strings.Fields("n night_check <tab> <right> <tab> 203.0.113.7:22 <ctrl+s>")...)
		r.requireText("hidden by the filter")
		if row := r.rowAtCursor(); !strings.Contains(row, "docs") {
			t.Errorf("at the cursor: %q", row)
		}
	})
}

// requireWrapped requires a text that a dialog as wide as the screen may break anywhere.
func (r *harness) requireWrapped(text string) {
	r.T.Helper()
	words := strings.FieldsFunc(r.screen(), func(c rune) bool { return unicode.IsSpace(c) || c >= '─' && c <= '╿' })
	if !strings.Contains(strings.Join(words, " "), text) {
		r.T.Errorf("not on the screen: %q\n%s", text, r.screen())
	}
}

// Marked rows that the filter hides are changed too. The question counts them, without those that are skipped.
func TestServices_batchCountsHiddenRows(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.press("3", "A", "/", "label:web-", "<enter>", "d")
		r.requireText("Disable: 13 services")
		r.requireWrapped("This includes 11 hidden by the filter. 1 marked service is skipped, because")
	})
}

// The form for many rows lists all of them, and names the marked rows that it leaves out.
func TestServices_batchFormListsAllRows(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.press("3", "A", "d")
		r.requireText("Disable: 13 services")
		r.requireWrapped("1 marked service is skipped, because this does not apply to it: billing-cron.")
		for _, s := range r.services() {
			r.requireText(s.Label.String())
		}
	})
}

// The changes beside a service are its own, not those of a service whose ID begins alike.
func TestServices_changesAreOfThisService(t *testing.T) {
	t.Parallel()
	earlier := func(r *harness, _ *shell.Options) {
		r.leaveUnresolved(unresolvedCase{op: client.OpDisableService, kind: "service", id: "12", label: "status-page"})
	}
	startWithOptions(t, emulator.Options{}, screenSize{200, 50}, earlier, func(r *harness) {
		for _, row := range r.services() {
			r.press("3", "/", "<ctrl+u>", row.Label.String(), "<enter>")
			if row.ID == 12 {
				r.requireText("disable service")
				continue
			}
			r.requireText("no changes made from this machine")
		}
	})
}

// While the details cover the list, the last line offers the key that closes them and not the one that opened them.
func TestServices_openDetailsOfferToClose(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3")
		r.requireText("enter details")
		r.press("<enter>")
		r.requireText("esc close details")
		r.requireNoText("enter details")
		r.press("<esc>")
		r.requireText("enter details")
	})
}
