package views_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"lookout/client/emulator"
	"lookout/theme"
	"lookout/ui/shell"
)

// shopID is a service of the demo account that is ok.
const shopID = 6

// startInColour starts the program with a theme in true colour. set may change the options; it may be nil.
func startInColour(t *testing.T, set func(*shell.Options), test func(*harness)) {
	t.Helper()
	startWithOptions(t, emulator.Options{}, screenSize{100, 30}, func(r *harness, o *shell.Options) {
		useColour(r, o)
		if set != nil {
			set(o)
		}
	}, test)
}

// useColour gives the program a theme in true colour.
func useColour(r *harness, o *shell.Options) {
	r.Helper()
	var err error
	if r.theme, err = theme.New("dark", colorprofile.TrueColor, false); err != nil {
		r.Fatal(err)
	}
	o.Theme = r.theme
}

// tintedLines returns the lines of the screen that are on the tint of a change, without styles.
func (r *harness) tintedLines() (tinted []string) {
	_, around := r.theme.OnFlash()
	for line := range strings.SplitSeq(r.shell.Frame().Content, "\n") {
		if strings.Contains(line, around.Open) {
			tinted = append(tinted, strings.Join(strings.Fields(ansi.Strip(line)), " "))
		}
	}
	return tinted
}

// requireTinted fails unless exactly these lines are tinted; each is given by a part of it.
func (r *harness) requireTinted(parts ...string) {
	r.Helper()
	got := r.tintedLines()
	if !slices.EqualFunc(got, parts, strings.Contains) {
		r.Fatalf("tinted: %q, want %q\n%s", got, parts, r.screen())
	}
}

// requireOnlyTintEnds fails if a line differs between two frames that was not tinted, apart from ages.
func (r *harness) requireOnlyTintEnds(before, after string) {
	r.Helper()
	_, around := r.theme.OnFlash()
	now := strings.Split(after, "\n")
	for n, line := range strings.Split(before, "\n") {
		if line != now[n] && !strings.Contains(line, around.Open) && ansi.Strip(line) == ansi.Strip(now[n]) {
			r.Errorf("line %d was drawn again:\n%q\n%q", n, line, now[n])
		}
	}
}

// TestMotion changes something in each of the ways that somebody should notice. The row is tinted for a second, and no
// other line of the pane is drawn again when the tint ends.
func TestMotion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		keys   []string // to the pane
		change func(*harness)
		tinted []string
	}{
		{
			"new row", []string{"4"},
			func(r *harness) {
				if err := r.createContact("Zoe Night", "zoe@example.test"); err != nil {
					r.Fatal(err)
				}
				r.press("r")
			},
			[]string{"Zoe Night"},
		},
		{
			"change of state", []string{"3"},
			func(r *harness) { r.emu.FailService(shopID); r.press("r") },
			[]string{"▲ problem shop"},
		},
		{
			"finished action at the cursor", []string{"3", "/", "cdn-origin", "<enter>"},
			func(r *harness) { r.press("d", "<ctrl+s>") },
			[]string{"▸ ○ disabled cdn-origin"},
		},
		{
			"overview", nil,
			func(r *harness) { r.emu.FailService(shopID); r.press("r") },
			[]string{"#9901", "call", "▲ shop"},
		},
		{
			"finished action in an issue", []string{"i"},
			func(r *harness) { r.press("d", "<ctrl+s>") },
			[]string{"│ disabled", "db2.acme.net:5432", "last changed", "notes:"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			startInColour(t, nil, func(r *harness) {
				r.press(c.keys...)
				r.requireTinted()
				r.wait(3 * time.Second)
				c.change(r)
				r.requireTinted(c.tinted...)
				r.wait(999 * time.Millisecond)
				on := r.shell.Frame().Content
				r.requireTinted(c.tinted...)
				r.wait(time.Millisecond)
				r.requireTinted()
				r.requireOnlyTintEnds(on, r.shell.Frame().Content)
			})
		})
	}
}

// The watch tints a service for a second, as the overview does, with a timer for the end of the tint.
func TestMotion_watch(t *testing.T) {
	t.Parallel()
	messages := func(still bool) (n int) {
		startWithOptions(t, emulator.Options{}, screenSize{100, 30}, func(r *harness, o *shell.Options) {
			useColour(r, o)
			showWatch(r, o)
			o.NoMotion = still
		}, func(r *harness) {
			r.wait(3 * time.Second)
			r.emu.FailService(shopID)
			r.press("r")
			before := r.messageCount
			r.requireText("shop")
			if tinted := len(r.tintedLines()) > 0; tinted == still {
				t.Errorf("tinted: %v, without motion: %v\n%s", tinted, still, r.screen())
			}
			r.wait(1500 * time.Millisecond)
			r.requireTinted()
			n = r.messageCount - before
		})
		return n
	}
	if on, off := messages(false), messages(true); on != off+1 {
		t.Errorf("%d messages with the tint, %d without: it takes one timer", on, off)
	}
}

// TestMotion_off changes a state where nothing may move: the row is never tinted, and there is no timer for it.
func TestMotion_off(t *testing.T) {
	t.Parallel()
	messages := func(t *testing.T, set func(*shell.Options)) (n int) {
		startInColour(t, set, func(r *harness) {
			r.press("3")
			r.wait(30 * time.Second)
			r.emu.FailService(shopID)
			r.press("r")
			r.requireText("shop", "problem", "#9901")
			tinted := len(r.tintedLines()) > 0
			before := r.messageCount
			r.wait(4500 * time.Millisecond)
			n = r.messageCount - before
			if tinted != (set == nil) {
				t.Errorf("tinted: %v", tinted)
			}
		})
		return n
	}
	still := func(o *shell.Options) { o.NoMotion = true }
	plain := func(o *shell.Options) { o.Theme, _ = theme.New("dark", colorprofile.ANSI, false) }
	mono := func(o *shell.Options) { o.Theme, _ = theme.New("mono", colorprofile.TrueColor, true) }
	on, off := messages(t, nil), messages(t, still)
	if on != off+1 {
		t.Errorf("%d messages with the tint, %d without: it takes one timer", on, off)
	}
	for name, got := range map[string]int{
		"16 colours": messages(t, plain),
		"mono":       messages(t, mono),
	} {
		if got != off {
			t.Errorf("%s: %d messages, want %d", name, got, off)
		}
	}
}

// At rest there is nothing to end: with and without motion the program wakes up as often.
func TestMotion_costsNothingAtRest(t *testing.T) {
	t.Parallel()
	count := func(still bool) (messages int) {
		startInColour(t, func(o *shell.Options) { o.NoMotion = still }, func(r *harness) {
			r.press("3")
			before := r.messageCount
			r.wait(5 * time.Minute)
			messages = r.messageCount - before
		})
		return messages
	}
	if on, off := count(false), count(true); on != off {
		t.Errorf("%d messages with motion, %d without", on, off)
	}
}
