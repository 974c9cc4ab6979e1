package views_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/views"
)

// At every width, the list and the details show since when a service is disabled, also if somebody else disabled it.
func TestServices_showDisabledSince(t *testing.T) {
	t.Parallel()
	for _, size := range []screenSize{{80, 24}, {120, 36}, {200, 50}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			startProgram(t, emulator.Options{}, size, func(r *harness) {
				r.press("3", "s", "1")
				r.line("billing-cron", "≥ 2 d", "unknown")
				r.press("/", "billing-cron", "<enter>", "<enter>")
				r.requireText("for ≥ 2 d 4 h, not from this")
			})
		})
	}
}

// While the user types the word that discards a secret, the hints show only keys that work, and the way back.
func TestSecretDialog_leavingShowsWayBack(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.press("9", "n", "once key")
		r.confirmForm()
		r.requireText("copy it, without showing it", "It cannot be shown again.", "esc close")
		r.press("<esc>", "y")
		r.requireText("enter close  esc back")
		r.requireNoText("copy it", "hold to show")
		r.press("<esc>")
		r.requireText("copy it, without showing it")
	})
}

// However small the terminal, the dialog shows how to keep the secret and how to leave.
func TestSecretDialog_smallTerminal(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{60, 16}, func(r *harness) {
		r.press("9", "n", "once key")
		r.confirmForm()
		r.requireText(
			"•••", "copy it, without showing it", "hold to show it", "save as environment lines",
			"esc close",
		)
		r.press("<esc>")
		r.requireText("not saved to a file", "•••")
		r.press("disc")
		r.requireText("disc ")
		r.send(tea.WindowSizeMsg{Width: 40, Height: 10})
		r.requireText("│ disc ")
	})
}

// At every width, the row of tabs shows the active tab and the tabs with a badge. An area that collapses keeps the key
// of its first tab.
func TestTabs_showActiveTab(t *testing.T) {
	t.Parallel()
	for _, size := range []screenSize{{40, 12}, {60, 16}, {80, 24}, {120, 36}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			startProgram(t, emulator.Options{}, size, func(r *harness) {
				for _, name := range []string{"transfers", "journal", "clusters", "services"} {
					r.press(":", name, "<enter>")
					tabs := strings.Split(r.screen(), "\n")[1]
					if title := strings.ToUpper(name[:1]) + name[1:]; !strings.Contains(tabs, title) {
						r.Errorf("%s is in front and not among the tabs: %q", title, tabs)
					}
					if size.width >= 60 && !strings.Contains(tabs, "▲1") {
						r.Errorf("the count of services with a problem is not among the tabs: %q", tabs)
					}
					areas := []string{"1 Overview", "2 Managed|3 Services", "8 Storage|0 Clusters", "F Activity|[FJU] "}
					for _, area := range areas {
						if size.width >= 60 && !regexp.MustCompile(area).MatchString(tabs) {
							r.Errorf("%q is not there: %q", area, tabs)
						}
					}
				}
			})
		})
	}
}

// Tabs of an area stand together, and each tab has an area and a key that works in every state of the program.
func TestTabs_places(t *testing.T) {
	t.Parallel()
	panes, places := views.Panes(account.New(t.Context(), account.Options{API: &client.Client{}})), views.TabPlaces()
	last := map[string]int{}
	for i, p := range panes[1:] { // the overview has no area
		area := places[p.Name()].Area
		if area == "" {
			t.Errorf("%s has no area; add it to TabPlaces", p.Name())
		}
		if before, known := last[area]; known && before != i-1 {
			t.Errorf("%s stands apart from the other tabs of %s; move it next to them in Panes", p.Name(), area)
		}
		last[area] = i
	}
	digits := 0
	for _, p := range panes {
		switch places[p.Name()].Key {
		case "":
			if digits++; digits > 10 {
				t.Errorf("there is no digit left for %s; give it a key in TabPlaces", p.Name())
			}
		case "u":
			t.Errorf("the key of %s undoes the last change; choose another one in TabPlaces", p.Name())
		}
	}
}

// If tabs do not fit, a click on the mark opens a menu of all tabs.
func TestTabs_moreOpensMenu(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{40, 12}, func(r *harness) {
		r.press("3")
		tabs := strings.Split(r.screen(), "\n")[1]
		before, _, there := strings.Cut(tabs, "…")
		if !there {
			r.Fatalf("all fit: %q", tabs)
		}
		r.send(tea.MouseClickMsg{X: len([]rune(before)), Y: 1, Button: tea.MouseLeft})
		r.requireText("Go to")
	})
}

// Enter accepts the values that a form proposes if that deletes nothing and disables at most one thing.
func TestForm_enterAcceptsProposal(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>", "L", "<enter>")
		r.requireText("copy the link")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<enter>")
		r.requireText("Disable monitoring of cdn-origin")
		if got := r.appliedOperations(); len(got) != 0 {
			r.Fatalf("disabled before a reason could be typed: %v", got)
		}
		r.press("kernel update", "<enter>")
		r.requireText("cdn-origin: monitoring is disabled until")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("9", "n", "night key", "<tab>", "<tab>", "<down>", "<right>", "<enter>")
		r.wait(time.Second)
		r.requireDialog("Creates key night key.")
		r.press("y")
		r.requireText("shown only once")
	})
}

// What is typed into the form that disables, right after it opened, is the reason: it does not choose for how long.
func TestServices_disable_typingIsTheReason(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "pg upgrade, hl", "<enter>")
		r.wait(time.Second)
		r.press("<enter>")
		r.wait(time.Second)
		r.requireApplied("disable service")
		e := r.journal.Entries(time.Time{})[0]
		if d, disabled := r.journal.ActiveWindow(e.Change.ID); !disabled || e.Change.Reason != "pg upgrade, hl" ||
			d.End.Sub(e.Time).Round(time.Minute) != time.Hour {
			r.Errorf("disabled until %v (asked at %v) for %q", d.End, e.Time, e.Change.Reason)
		}
	})
}

// An enter that was meant for a field never sends a form that is incomplete, deletes something, disables several
// things, or grants access to everything.
func TestForm_strayEnterSendsNothingDangerous(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"many services": {
			"3", "/", "group:web", "<enter>", "A", "d", "<enter>", "maintenance", "<enter>", "4", "<enter>",
		},
		"many, counted first": {
			"3", "/", "group:web", "<enter>", "A", "d", "<tab>", "<tab>", "4", "<shift+tab>", "<enter>",
		},
		"a key to everything":     {"9", "n", "night key", "<enter>", "<enter>"},
		"a key to nothing":        {"9", "n", "night key", "<tab>", "<tab>", "<enter>"},
		"a new service":           {"3", "n", "night check", "<enter>", "<enter>", "203.0.113.7:22", "<enter>"},
		"a new bucket":            {"8", "n", "new-logs", "<enter>", "<enter>"},
		"an edit":                 {"4", "e", "<backspace>", "<enter>"},
		"access of a bucket":      {"8", "x", "<right>", "<enter>"},
		"a credential's password": {"5", "P", "root", "<enter>", "secret", "<enter>"},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				for _, key := range keys {
					r.wait(time.Second) // no key is at the heels of another
					r.press(key)
				}
				r.requireNoChanges()
				r.requireText("tab next field")
			})
		})
	}
}

// A link that lets its holder delete the object is made only with the button.
func TestLinks_deletingLinkNeedsButton(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>", "L", "<tab>", "<left>")
		r.requireText("‹DELETE›")
		r.press("<enter>")
		r.requireText("Link to index.html")
		r.wait(time.Second)
		r.press("<enter>")
		r.requireText("copy the link")
	})
}

// Before enter sends a form, it returns to a field that was edited and is out of sight.
func TestForm_enterReturnsToEditedField(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press(
			"8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>", "w", "<tab>", "/not/a/name",
			"<shift+tab>",
		)
		r.requireNoText("enter or ctrl+s")
		r.press("<enter>")
		r.requireText("Download index.html", "enter or ctrl+s download")
		r.requireNoText("a file name, without folders")
		r.wait(time.Second)
		r.press("<enter>")
		r.requireText("a file name, without folders")
	})
}

// If enter opened a form and is still held, it does not send the form.
func TestForm_heldEnterDoesNotSend(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", ":", "disable", "<enter>")
		r.requireText("Disable monitoring of cdn-origin")
		for range 3 {
			r.press("<enter>")
		}
		r.requireText("Disable monitoring of cdn-origin")
		r.requireNoChanges()
	})
}

// The note below a value is about that value, and the note of a limited key names everything that the key can do.
func TestKeys_limitedKeyNotes(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("9", "n", "a key", "<tab>")
		r.requireNoText("no: everything")
		r.requireText("yes: only the buckets chosen below", "It can reach NOTHING", "list all buckets")
		r.press("<left>")
		r.requireText("no: everything, including buckets", "It can reach EVERYTHING")
		r.press("<right>")
		r.requireText("yes: only the buckets chosen below", "It can reach NOTHING", "list all buckets")
		r.press("<tab>", "<right>")
		r.requireDialog("It may read acme-backups in eu-central-1, and nothing else. It can still list all buckets")
	})
}

// A wider terminal shows every column that a narrower one shows.
func TestLists_widerShowsNoLess(t *testing.T) {
	t.Parallel()
	for _, pane := range []string{"2", "3", "4", "5", "6", "8", "9", "0"} {
		startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
			r.press(pane)
			titles := func() []string {
				line, _, _ := strings.Cut(r.paneLines()[0], "│")
				return strings.FieldsFunc(line, func(c rune) bool { return c == ' ' })
			}
			narrow := titles()
			for _, width := range []int{100, 110, 115, 120, 135, 150, 200} {
				r.send(tea.WindowSizeMsg{Width: width, Height: 36})
				for _, title := range narrow {
					if !slices.Contains(titles(), title) {
						r.Errorf("pane %s: %q is there at 80 and not at %d: %q", pane, title, width, titles())
					}
				}
			}
		})
	}
}

// However narrow the details beside a list, the phone numbers in it are complete.
func TestContacts_phoneNumbersAreWhole(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>")
		r.requireText("+1 555 0150", "+1 555 0151", "+1 555 0153", "farid@acme.net")
		r.send(tea.WindowSizeMsg{Width: 110, Height: 36})
		r.requireText("+1 555 0150", "+1 555 0151", "farid@acme.")
	})
}

// If the answer to a change was lost, the message still names the change and the object. It says so if the filter hides
// the row.
func TestStatusMessages_namesChangeAndObject(t *testing.T) {
	t.Parallel()
	lost := emulator.Fault{ApplyFirst: true, Reset: true, Times: 1}
	form := []string{"n", "night check", "<tab>", "<right>", "<tab>", "203.0.113.7:22", "<ctrl+s>"}
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn", "<enter>")
		r.emu.InjectFault("POST *", lost)
		r.press(form...)
		r.wait(3 * time.Second)
		r.requireDialog("It is unknown who made this service", "night check", "exactly as it was sent")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn", "<enter>")
		r.press(form...)
		r.requireText(`"night check": added, monitoring is`, "hidden by the filter · press esc to clear it")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3")
		r.press(form...)
		r.requireText(`"night check": added, monitoring is`)
		r.requireNoText("hidden by the filter")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("4", "/", "Ada", "<enter>", "e", "<end>", "ngton")
		r.emu.InjectFault("PUT *", lost)
		r.press("<ctrl+s>")
		r.wait(3 * time.Second)
		r.requireText("\"Ada Wongngton\": saved · a later read shows it; who made the change is not known")
	})
}

// A message that is true only for the pane in front goes when another pane or a dialog is opened; other messages stay.
func TestStatusMessages_ofPaneGoesWithPane(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		for _, keys := range [][]string{{"c"}, {"3"}, {"?"}, {":", "contacts", "<enter>"}} {
			r.press("8", "<esc>")
			r.requireText("this is the top level")
			r.press(keys...)
			r.requireNoText("this is the top level")
			r.press("<esc>")
		}
		r.press("<esc>", "3", "/", "edge", "<enter>", "E")
		r.requireText("enable: ")
		r.press("4")
		r.requireNoText("enable: ")
		r.press("3", "d", "<ctrl+s>", "4")
		r.requireText("edge-router: monitoring is disabled")
	})
}

// News reads as a sentence.
func TestStatusMessages_readsAsSentence(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "/", "acme-www", "<enter>", "x", "<right>", "<tab>", "<right>", "<ctrl+s>")
		r.wait(time.Second)
		r.press("acme-www", "<enter>")
		r.requireText("acme-www: access is now public-read, CORS on")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("4", "/", "Ada", "<enter>", "D")
		r.wait(time.Second)
		r.press("y")
		r.requireText(`"Ada Wong": deleted`)
	})
}

// A question about many rows names their kind, and the hint names the word to type.
func TestConfirm_manyNamesKind(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("4", "A", "D")
		r.wait(time.Second)
		r.requireText("Delete: 9 contacts", "Type 9 to delete:", "enter delete  esc cancel")
		r.requireNoText("9 rows:", "the name is compared")
	})
}

// If the values of a choice do not fit, the field shows their number and the position of the selected one.
func TestForm_choicesThatDoNotFit(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.press("8", "x")
		r.requireText("‹private› 1 of 4", " yes  ‹no›")
		r.press("<right>")
		r.requireText("‹public-read› 2 of 4")
	})
}

// On a large screen, the overview leaves no box mostly empty: boxes that have little to say leave their room to charts.
func TestOverview_boxesAreFilled(t *testing.T) {
	t.Parallel()
	for _, size := range []screenSize{{120, 36}, {200, 50}} {
		startProgram(t, emulator.Options{}, size, func(r *harness) {
			for _, empty := range []string{"Maintenance", "Last changes", "Object Storage"} {
				if rows := blankRows(r.screen(), empty); rows > 2 {
					r.Errorf("%v: %d blank rows in %q", size, rows, empty)
				}
			}
		})
	}
}

// blankRows counts the blank rows of a box on the screen.
func blankRows(screen, title string) (blank int) {
	lines := strings.Split(screen, "\n")
	for y, line := range lines {
		before, _, found := strings.Cut(line, "─ "+title+" ─")
		if !found {
			continue
		}
		left := len([]rune(before)) + 1
		for _, line := range lines[y+1:] {
			cells := []rune(line)
			if cells[left] == '─' {
				return blank
			}
			inside, _, _ := strings.Cut(string(cells[left:]), "│")
			if strings.TrimSpace(inside) == "" {
				blank++
			}
		}
	}
	return blank
}

// The dialog with a new secret names every host that the key is for, as far as they are known.
func TestSecretDialog_endpoints(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ keys, says string }{
		"one bucket": {"<down> <right>", "endpoint      us-east-1.objects.example  "},
		"any bucket": {"", "endpoints     "},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{Service: emulator.ServiceDocument}, screenSize{80, 24}, func(r *harness) {
				r.press("9", "n", "probe", "<tab>", "<tab>")
				r.pressAll(c.keys)
				r.confirmForm()
				r.requireText("shown only once", c.says)
			})
		})
	}
}

// Each tab's pane has the name under which the tab is declared: scripts, the configuration and --view use it.
func TestTabs_haveTheNamesOfTheirPanes(t *testing.T) {
	t.Parallel()
	names := views.TabNames()
	for i, p := range views.Panes(account.New(t.Context(), account.Options{API: &client.Client{}})) {
		if p.Name() != names[i] {
			t.Errorf("tab %d is declared as %s, its pane is %s", i, names[i], p.Name())
		}
	}
}
