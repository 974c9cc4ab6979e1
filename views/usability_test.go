package views_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/emulator"
)

// Since when a service is disabled stands beside its state, in every width and in its details, also where somebody else
// disabled it.
func TestDisabledSinceWhen(t *testing.T) {
	for _, size := range []screenSize{{80, 24}, {120, 36}, {200, 50}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			startProgram(t, emulator.Options{}, size, func(r *harness) {
				r.press("3", "s", "1")
				r.requireText("off 2 d 4 h !")
				r.press("/", "billing-cron", "<enter>", "<enter>")
				r.requireText("for 2 d 4 h, by its last change")
			})
		})
	}
}

// While the word is typed that loses a secret, nothing says that keys do something else, and the way back is told.
func TestSecretDialog_leavingShowsWayBack(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.press("9", "n", "once key", "<ctrl+s>")
		r.requireText("copy it, without showing it", "y copies", "esc closes, and asks first")
		r.press("<esc>", "y")
		r.requireText("esc goes back", "type discard")
		r.requireNoText("copy it", "y copies", "hold r to show")
		r.press("<esc>")
		r.requireText("copy it, without showing it", "y copies")
	})
}

// However small the terminal, how a secret is kept and how its dialog is left are in sight.
func TestSecretInASmallTerminal(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{60, 16}, func(r *harness) {
		r.press("9", "n", "once key", "<ctrl+s>")
		r.requireText(
			"•••", "copy it, without showing it", "hold to show it", "save as environment lines",
			"esc closes, and asks first",
		)
		r.press("<esc>")
		r.requireText("Neither copied nor saved", "•••")
		r.press("disc")
		r.requireText("disc ")
		r.send(tea.WindowSizeMsg{Width: 40, Height: 10})
		r.requireText("> disc")
	})
}

// The tab in front is in the row of tabs in every width, and so are those with something to say.
func TestTheFrontTabIsInSight(t *testing.T) {
	for _, size := range []screenSize{{40, 12}, {60, 16}, {80, 24}, {120, 36}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			startProgram(t, emulator.Options{}, size, func(r *harness) {
				for _, name := range []string{"transfers", "journal", "clusters", "services"} {
					r.press(":", name, "<enter>")
					tabs := strings.Split(r.screen(), "\n")[1]
					if title := strings.ToUpper(name[:1]) + name[1:]; !strings.Contains(tabs, title) {
						r.Errorf("%s is in front and not among the tabs: %q", title, tabs)
					}
					if size.width >= 60 && !strings.Contains(tabs, "1!") {
						r.Errorf("the count of services with a problem is not among the tabs: %q", tabs)
					}
					for digit := range "1234567890" {
						if d := "1234567890"[digit : digit+1]; size.width >= 80 && !strings.Contains(tabs, " "+d+" ") {
							r.Errorf("tab %s is not there: %q", d, tabs)
						}
					}
				}
			})
		})
	}
}

// Where tabs are left out, a click on the mark goes to where all are named.
func TestTabsLeftOutCanBeReached(t *testing.T) {
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

// Enter accepts what a form proposes, where that deletes nothing and switches off one thing at most.
func TestEnterAcceptsWhatIsProposed(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>", "L", "<enter>")
		r.requireText("copy the link")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<right>", "<right>", "<enter>")
		r.requireText("Disable monitoring of cdn-origin")
		if got := r.appliedOperations(); len(got) != 0 {
			r.Fatalf("disabled before a reason could be typed: %v", got)
		}
		r.press("kernel update", "<enter>")
		r.requireText("cdn-origin: monitoring is disabled until")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("9", "n", "night key", "<tab>", "<right>", "<tab>", "<down>", "<right>", "<enter>")
		r.requireText("shown only once")
	})
}

// An enter that was meant for a field sends nothing that is not complete, deletes, switches off many things, or reaches
// everything.
func TestForm_strayEnterSendsNothingDangerous(t *testing.T) {
	for name, keys := range map[string][]string{
		"many services": {
			"3", "/", "group:web", "<enter>", "A", "d", "<enter>", "maintenance", "<enter>", "4", "<enter>",
		},
		"many, counted first": {
			"3", "/", "group:web", "<enter>", "A", "d", "<tab>", "<tab>", "4", "<shift+tab>", "<enter>",
		},
		"a key to everything":     {"9", "n", "night key", "<enter>", "<enter>"},
		"a key to nothing":        {"9", "n", "night key", "<tab>", "<right>", "<tab>", "<enter>"},
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
				if got := r.appliedOperations(); len(got) != 0 {
					r.Errorf("applied: %v", got)
				}
				r.requireText("ctrl+s sends")
			})
		})
	}
}

// A link that lets its holder delete is made by the button alone.
func TestEnterMakesNoLinkThatDeletes(t *testing.T) {
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

// A field that was typed in is seen again before enter sends it.
func TestForm_enterReturnsToEditedField(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press(
			"8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>", "w", "<tab>", "/not/a/name",
			"<shift+tab>",
		)
		r.requireNoText("enter or ctrl+s")
		r.press("<enter>")
		r.requireText("Download index.html", "enter or ctrl+s sends")
		r.requireNoText("a file name, without folders")
		r.wait(time.Second)
		r.press("<enter>")
		r.requireText("a file name, without folders")
	})
}

// An enter that is still held from choosing what opened a form does not send it.
func TestForm_heldEnterDoesNotSend(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", ":", "disable", "<enter>")
		r.requireText("Disable monitoring of cdn-origin")
		for range 3 {
			r.press("<enter>")
		}
		r.requireText("Disable monitoring of cdn-origin")
		if got := r.appliedOperations(); len(got) != 0 {
			r.Errorf("applied: %v", got)
		}
	})
}

// What stands beneath a value is about that value, and a limited key does not promise less than it may do.
func TestNotesOfALimitedKey(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("9", "n", "a key", "<tab>")
		r.requireText("no: everything, including buckets", "It may reach EVERYTHING")
		r.press("<right>")
		r.requireNoText("no: it may reach everything")
		r.requireText("yes: only the buckets chosen below", "It may reach NOTHING", "list all buckets")
		r.press("<tab>", "<right>")
		r.requireText("It may read acme-backups, and nothing else. It can also list all buckets")
	})
}

// A wider terminal has every column that a smaller one has.
func TestWiderShowsNoLess(t *testing.T) {
	for _, pane := range []string{"2", "3", "4", "5", "6", "8", "9", "0"} {
		startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
			r.press(pane)
			titles := func() []string {
				line, _, _ := strings.Cut(strings.Split(r.screen(), "\n")[3], "│")
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

// However narrow the detail beside a list, the numbers to call are whole.
func TestPhoneNumbersAreWhole(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>")
		r.requireText("+1 555 0150", "+1 555 0151", "+1 555 0153", "farid@acme.net")
		r.send(tea.WindowSizeMsg{Width: 110, Height: 36})
		r.requireText("+1 555 0150", "+1 555 0151", "farid@acme.net")
	})
}

// News of a change whose answer was lost names what was done with what, and a row that the filter hides is not said to
// be there.
func TestNewsNamesWhatWasDone(t *testing.T) {
	lost := emulator.Fault{ApplyFirst: true, Reset: true, Times: 1}
	form := []string{"n", "night check", "<tab>", "<right>", "<tab>", "203.0.113.7:22", "<ctrl+s>"}
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn", "<enter>")
		r.emu.InjectFault("POST *", lost)
		r.press(form...)
		r.wait(3 * time.Second)
		r.requireText(
			"night check: added, monitoring is", "reading again confirmed it",
			"hidden by the filter · press esc to clear it",
		)
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn", "<enter>")
		r.press(form...)
		r.requireText("night check: added, monitoring is", "hidden by the filter · press esc to clear it")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3")
		r.press(form...)
		r.requireText("night check: added, monitoring is")
		r.requireNoText("hidden by the filter")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("4", "/", "Ada", "<enter>", "e", "<end>", "ngton")
		r.emu.InjectFault("PUT *", lost)
		r.press("<ctrl+s>")
		r.wait(3 * time.Second)
		r.requireText("Ada Wongngton: saved · reading again confirmed it")
	})
}

// News reads as a sentence.
func TestNewsReadsAsASentence(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "/", "acme-www", "<enter>", "x", "<right>", "<right>", "<tab>", "<right>", "<ctrl+s>")
		r.requireText("acme-www: access is now public-read, CORS on")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("4", "/", "Ada", "<enter>", "D")
		r.wait(time.Second)
		r.press("y")
		r.requireText("Ada Wong: deleted")
	})
}

// What is asked about many rows is asked about things with a name, and the hint speaks of what is typed.
func TestQuestionsOfManyNameTheirKind(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("4", "A", "D")
		r.wait(time.Second)
		r.requireText("Delete: 9 contacts", "type it exactly · esc cancels")
		r.requireNoText("9 rows:", "the name is compared")
	})
}

// Where not all values of a choice fit, their number and the place of the one shown are told.
func TestChoicesThatDoNotFitAreCounted(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.press("8", "x")
		r.requireText("‹as it is› 1 of 5", "‹as it is›  yes")
		r.press("<right>")
		r.requireText("‹private› 2 of 5")
	})
}
