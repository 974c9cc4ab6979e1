package views_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/ui/uitest"
	"lookout/views/operation"
)

// hugeText is a text that a server or a colleague may write into a field.
type hugeText struct{ name, text string }

// hugeTexts returns texts of a number of bytes.
func hugeTexts(size int) []hugeText {
	repeat := func(text string) string { return strings.Repeat(text, size/len(text)) }
	return []hugeText{
		{"words", repeat("lorem ipsum ")},
		{"one word", repeat("x")},
		{"line breaks", repeat("\n")},
		{"combining marks", repeat("\u0301")},
		{"wide characters", repeat("日本 ")},
	}
}

// stopwatch measures real time for tests whose clock is not real.
type stopwatch struct {
	asked  chan struct{}
	answer chan time.Time
}

// newStopwatch returns a stopwatch that runs until the test ends. It must be made outside of a bubble of fake time.
func newStopwatch(t *testing.T) stopwatch {
	w := stopwatch{make(chan struct{}), make(chan time.Time)}
	go func() {
		for {
			select {
			case <-w.asked:
				w.answer <- time.Now()
			case <-t.Context().Done():
				return
			}
		}
	}()
	return w
}

// now returns the real time.
func (w stopwatch) now() time.Time {
	w.asked <- struct{}{}
	return <-w.answer
}

// fastestFrame returns the shortest time that a frame took. Other programs may be busy for a while, so that it draws a
// slow frame again, up to fifty times.
func fastestFrame(r *harness, watch stopwatch) time.Duration {
	fastest := time.Duration(math.MaxInt64)
	for range 50 {
		start := watch.now()
		r.shell.Frame()
		if fastest = min(fastest, watch.now().Sub(start)); fastest <= maxHugeFrame {
			break
		}
	}
	return fastest
}

// Text from the server cannot freeze the program: whatever a field holds, a key and its frame take a few milliseconds
// on a small and on a large screen.
func TestHugeText_doesNotFreezeTheLoop(t *testing.T) {
	size, every := 1<<19, 10
	if runsLongSeries() {
		size, every = 8<<20, 1
	}
	texts := hugeTexts(size)
	screens := []screenSize{{80, 24}, {500, 200}}
	for n, field := range serverTextFields() {
		if text := texts[n/every%len(texts)]; n%every == 0 || field.member == "notes" {
			t.Run(field.pane+" "+field.member+" "+text.name, func(t *testing.T) {
				checkHugeText(t, field.pane, field.member, text.text, screens[n/every%2])
			})
		}
	}
}

// checkHugeText puts a text into a member of every answer, and presses keys in the pane that shows it.
func checkHugeText(t *testing.T, pane, member, text string, size screenSize) {
	watch := newStopwatch(t)
	s := &rewritingTransport{rewrite: func(body []byte) []byte {
		at := -1 // the first row gets the whole text, the others an eighth of it
		short := text[:len(text)/8/len("日本 ")*len("日本 ")]
		return replaceMember(body, member, []string{text, short, short, short, short, short, short, short}, &at)
	}}
	startProgram(t, emulator.Options{}, size, func(r *harness) {
		if strings.HasSuffix(pane, "o") {
			s.hold = true
			r.press("8", "/", "acme-www", "<enter>")
			s.hold = false
			r.press("<enter>")
		} else {
			r.press(pane)
		}
		keys := "p j k <enter> <enter> j G g <esc> <esc> e <esc> D <esc> Y <esc> / x <esc> : <esc> V G g <esc>"
		for _, key := range strings.Fields(keys) {
			r.press(key)
			if took := fastestFrame(r, watch); took > maxHugeFrame {
				t.Errorf("the frame after %s takes %v", key, took)
			}
		}
	}, s)
}

// A copy holds the whole text, however long it is: a name, a row of the list, the notes on a call sheet.
func TestCopy_isWhole(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("lorem ipsum ", 2000) + "the end"
	for name, c := range map[string]struct{ member, keys string }{
		"name":       {"label", "3 y"},
		"name, menu": {"label", "3 Y n"},
		"list":       {"label", "3 Y c"},
		"notes":      {"notes", "2 y"},
		"ticket":     {"label", "2 y"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &rewritingTransport{rewrite: func(body []byte) []byte {
				at := -1
				return replaceMember(body, c.member, []string{long}, &at)
			}}
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				r.pressAll(c.keys)
				r.wait(time.Second)
				if len(r.copied) != 1 || !strings.Contains(r.copied[0], long) {
					r.Errorf("copied %d texts, of %d bytes", len(r.copied), len(strings.Join(r.copied, "")))
				}
			}, s)
		})
	}
}

// Below the shown beginning of a long text stands how many bytes follow, to the byte.
func TestServerField_saysHowMuchFollows(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("x", client.MaxShown)
	for raw, want := range map[string]string{
		full:                             "",
		full + "\n":                      "", // ends with its last line
		full + "yy\nz":                   "… 4 B more · enter",
		full[1:] + "\nyz":                "… 1 B more · enter",
		strings.Repeat("x\n", 202) + "x": "… 5 B more · enter",
	} {
		w := operation.DetailWriter{Box: uitest.NewBox(t, 80, 20)}
		w.ServerField("text", raw)
		got := strings.TrimSpace(ansi.Strip(w.Lines[len(w.Lines)-1]))
		if want == "" && strings.Contains(got, "more") || !strings.HasSuffix(got, want) {
			t.Errorf("%d bytes: the last line is %q, want %q", len(raw), got, want)
		}
	}
}

// A detail shows the beginning of long notes, and enter opens all of them.
func TestDetail_opensLongNotes(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		patch := client.Patch{"notes": "first of all" + strings.Repeat("\na line", 300) + "\nlast of all"}
		if _, err := r.writer(client.OpUpdateService, "9").UpdateService(r.Context(), 9, patch); err != nil {
			r.Fatal(err)
		}
		r.pressAll("3 r / edge-router <enter> <enter>")
		r.wait(time.Second)
		r.requireText("edge-router", "first of all")
		r.pressAll("<enter> G")
		r.requireText("last of all")
	})
}
