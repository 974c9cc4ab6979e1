package views_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
)

// runSlowly runs a test on a program whose requests take 400 ms each, before any of them is answered.
func runSlowly(t *testing.T, test func(*harness)) {
	t.Helper()
	slow := &slowTransport{latency: 400 * time.Millisecond}
	runProgram(t, programOptions{size: screenSize{120, 36}, transport: slow.transport}, test)
}

// Keys that are pressed before the issues are there open the issue once they are, and a line says that they wait.
func TestKeysBeforeData_openTheIssue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys []string
		hint string
	}{
		"i":                 {[]string{"i"}, "newest issue: waiting for the issues · esc cancels"},
		"i held down":       {[]string{"i", "i", "i"}, "newest issue: waiting for the issues · esc cancels"},
		"2 enter":           {[]string{"2", "<enter>"}, "open issue: waiting for the issues · esc cancels"},
		"2 enter held down": {[]string{"2", "<enter>", "<enter>"}, "open issue: waiting for the issues · esc cancels"},
	} {
		t.Run(name, func(t *testing.T) {
			runSlowly(t, func(r *harness) {
				r.wait(100 * time.Millisecond)
				r.press(c.keys...)
				r.requireText(c.hint)
				r.requireNoText("there is no")
				r.wait(2 * time.Second)
				r.requireText("issue 823", "Issue #823", "Ada Wong")
				r.requireNoText("waiting for")
			})
		})
	}
}

// Keys behind one that waits keep their order: the cursor moves before enter, and what follows is for what opens.
func TestKeysBeforeData_keepTheirOrder(t *testing.T) {
	t.Parallel()
	runSlowly(t, func(r *harness) {
		r.press("2", "j", "j", "<enter>")
		r.requireText("down: waiting for the issues")
		r.wait(2 * time.Second)
		r.requireText("issue 818")
	})
	runSlowly(t, func(r *harness) {
		r.press("i", "y")
		r.wait(2 * time.Second)
		r.requireText("issue 823")
		if len(r.copied) != 1 {
			r.Errorf("copied: %q", r.copied)
		}
	})
	runSlowly(t, func(r *harness) {
		r.press("3", "/", "queue", "<enter>", "<enter>")
		r.wait(2 * time.Second)
		r.requireText("queue", "expects")
	})
}

// esc drops a key that waits, and so does whatever the user does instead.
func TestKeysBeforeData_cancelled(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"esc":          {"i", "<esc>"},
		"another pane": {"i", "3"},
		"a dialog":     {"i", "?"},
		"esc in a list, with keys behind": {
			"2", "<enter>", "j", "<esc>",
		},
	} {
		t.Run(name, func(t *testing.T) {
			runSlowly(t, func(r *harness) {
				r.press(keys...)
				r.requireNoText("waiting for")
				r.wait(2 * time.Second)
				r.requireNoText("Issue #823")
			})
		})
	}
}

// What changes something is never done because of a key that was pressed before its row was there.
func TestKeysBeforeData_changesDoNotWait(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"3", "d"}, {"3", "D"}, {"d"}, {"3", "j", "D"}, {"8", "D"}} {
		runSlowly(t, func(r *harness) {
			r.press(keys...)
			r.requireText("being read")
			r.wait(2 * time.Second)
			r.requireNoText("Disable", "Delete")
			r.requireApplied()
		})
	}
}

// A key behind one that waits opens the form that it is for. It sends nothing that nobody has seen.
func TestKeysBeforeData_sendNothingUnseen(t *testing.T) {
	t.Parallel()
	runSlowly(t, func(r *harness) {
		r.press("2", "<enter>", "d", "<ctrl+s>")
		r.wait(3 * time.Second)
		r.requireText("before the screen had caught up")
		r.requireApplied()
	})
}

// If the rows cannot be read, the key says so.
func TestKeysBeforeData_readFails(t *testing.T) {
	t.Parallel()
	setup := func(e *emulator.Emulator) {
		e.InjectFault("list issues", emulator.Fault{Status: http.StatusForbidden, Delay: 300 * time.Millisecond})
	}
	for _, keys := range [][]string{{"i"}, {"2", "<enter>"}} {
		startWithEmulator(t, emulator.Options{}, screenSize{120, 36}, setup, func(r *harness) {
			r.press(keys...)
			r.requireText("waiting for the issues")
			r.wait(time.Second)
			r.requireNoText("waiting for", "there is no")
			r.requireText("issues: ")
		})
	}
}

// No key says that something does not exist while that is not known: in any pane, before anything is read and after all
// reads failed.
func TestKeysBeforeData_claimNothing(t *testing.T) {
	t.Parallel()
	keys := []string{
		"i", "d", "e", "t", "y", "Y", "o", "f", "V", "D", "<enter>", "<space>", "v", "A", "[", "]", "w", "L", "c", "x",
	}
	claims := []string{"there is no", "no issue", "no row", "nothing ", "are no ", "no issue is open", "no services"}
	for name, fault := range map[string]emulator.Fault{
		"not read": {Delay: time.Hour},
		"failed":   {Status: http.StatusInternalServerError},
	} {
		t.Run(name, func(t *testing.T) {
			setup := func(e *emulator.Emulator) { e.InjectFault("*", fault) }
			startWithEmulator(t, emulator.Options{}, screenSize{120, 36}, setup, func(r *harness) {
				for _, pane := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "0"} {
					for _, k := range keys {
						r.press(pane, k)
						if name == "failed" {
							r.wait(time.Minute)
						}
						for _, claim := range claims {
							for _, n := range r.messages {
								if strings.Contains(n.Text, claim) {
									t.Errorf("pane %s, %s: %s", pane, k, n.Text)
								}
							}
						}
						r.messages = nil
						r.press("<esc>")
					}
				}
			})
		})
	}
}
