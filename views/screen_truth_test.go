package views_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
)

// v marks a range of three rows: from the row where it was pressed first, and also from a mark.
func TestMarks_rangeOfThree(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"v at both ends":      {"g", "v", "j", "j", "v"},
		"from the other end":  {"g", "j", "j", "v", "k", "k", "v"},
		"space, then v":       {"g", "<space>", "j", "v"},
		"after a cleared one": {"g", "v", "<esc>", "v", "j", "j", "v"},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				r.press("4")
				r.press(keys...)
				r.requireText("3 marked")
			})
		})
	}
}

// The menu of all actions turns pages, and its hint says so.
func TestActionsMenu_pages(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.press("3", "a")
		r.requireText("pgdown more")
		first := r.screen()
		r.press("<pgdown>", "<pgdown>", "<pgdown>")
		last := r.screen()
		if last == first {
			r.Error("it shows the same actions")
		}
		r.press("<end>")
		if r.screen() != last {
			r.Error("pages do not reach the end")
		}
		r.press("<pgup>", "<pgup>", "<pgup>")
		if r.screen() != first {
			r.Error("pages do not come back")
		}
		r.press("<end>", "<home>")
		if r.screen() != first {
			r.Error("home does not come back")
		}
	})
}

// Help and the palette turn pages too.
func TestHelp_pages(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"?", ":"} {
		startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
			r.press("3", key)
			first := r.screen()
			r.press("<pgdown>", "<pgdown>")
			if r.screen() == first {
				r.Errorf("%s shows the same", key)
			}
			r.press("<pgup>", "<pgup>")
			if r.screen() != first {
				r.Errorf("%s does not come back", key)
			}
		})
	}
}

// At no width a number is cut: "1…" for 11 ok would be another number.
func TestNumbers_areNeverCut(t *testing.T) {
	t.Parallel()
	cut := regexp.MustCompile(` [0-9][0-9,.]*(…|~)`)
	for width := 60; width <= 130; width += 3 {
		startProgram(t, emulator.Options{}, screenSize{width, 30}, func(r *harness) {
			for _, pane := range []string{"1", "3", "8"} {
				r.press(pane)
				lines := strings.Split(r.screen(), "\n")
				feet := lines[len(lines)-4:]
				if pane == "1" {
					feet = append(feet, lines[2:6]...)
					feet = append(feet, lines[len(lines)-6:]...)
				}
				for _, line := range feet {
					if found := cut.FindString(line); found != "" {
						r.Errorf("%d columns, pane %s: %q in %q", width, pane, found, line)
					}
				}
			}
			if width < 100 {
				r.press("1")
				r.requireText("● 11")
			}
		})
	}
}

// A time axis always has a time.
func TestTimeAxis_alwaysHasATime(t *testing.T) {
	t.Parallel()
	clock := regexp.MustCompile(`[0-2][0-9]:[0-5][0-9]`)
	for width := 60; width <= 120; width += 4 {
		startProgram(t, emulator.Options{}, screenSize{width, 40}, func(r *harness) {
			r.press("7")
			lines := strings.Split(r.screen(), "\n")
			for _, line := range lines[2:] {
				marks := strings.Count(line, "▲")
				if axis := strings.Trim(line, " ▲") == "" && marks > 0; axis && !clock.MatchString(line) {
					r.Errorf("%d columns: %q", width, line)
				}
			}
		})
	}
}

// No text of a form promises a key that the form takes for a letter: what could not be read is read again after esc.
func TestForms_promiseNoKeyThatTheyIgnore(t *testing.T) {
	t.Parallel()
	startWithEmulator(t, emulator.Options{}, screenSize{120, 40}, func(e *emulator.Emulator) {
		for _, op := range []string{"list credentials", "list buckets", "list buckets in cluster", "list clusters"} {
			e.InjectFault(op, emulator.Fault{Status: http.StatusInternalServerError, Times: 1000})
		}
	}, func(r *harness) {
		for name, keys := range map[string][]string{
			"service": {"3", "n", "<tab>", "<tab>", "<tab>", "<tab>", "<tab>", "<tab>"},
			"key":     {"9", "n", "probe", "<tab>", "<tab>"},
		} {
			r.press(keys[0])
			r.wait(3 * time.Minute)
			r.press(keys[1:]...)
			r.requireText("esc, then r, reads it again")
			if strings.Contains(r.dialogText(), "r retries") {
				r.Errorf("the form promises a key that it takes for a letter:\n%s", r.screen())
			}
			r.press("<esc>", "<esc>")
			if name == "key" {
				continue
			}
			r.requireNoText("New service")
		}
		r.press("8", "n", "probe", "<tab>")
		r.requireNoText("up and down go through the clusters")
		r.press("<up>", "x")
		r.requireText("probex")
	})
}

// While a form waits for its answer, the hint does not name keys that do nothing.
func TestForms_hintWhileSending(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		r.press("4", "n", "Eve", "<tab>", "e@acme.net")
		release := r.emu.HoldRequests("create contact")
		r.press("<ctrl+s>")
		r.requireText("waiting for the response")
		r.requireNoText("tab next field", "esc cancel")
		release()
		r.run(nil)
		r.requireText(fmt.Sprintf("%s: added", "Eve"))
	})
}

// The age of the rows grows on the screen from the first reading on, also if that took a moment: the program wakes to
// draw it.
func TestHeadLine_ageGrowsFromTheFirstReading(t *testing.T) {
	t.Parallel()
	startWithEmulator(t, emulator.Options{}, screenSize{120, 36}, func(e *emulator.Emulator) {
		e.InjectFault("list services", emulator.Fault{Delay: 2500 * time.Millisecond, Times: 1})
	}, func(r *harness) {
		r.press("3")
		r.requireText("loading")
		r.wait(2600 * time.Millisecond)
		r.requireText("live · 0 s")
		drawn := r.messageCount
		r.wait(3100 * time.Millisecond)
		r.requireText("live · 3 s")
		if n := r.messageCount - drawn; n < 3 {
			r.Errorf("drawn %d times in 3 s", n)
		}
	})
}
