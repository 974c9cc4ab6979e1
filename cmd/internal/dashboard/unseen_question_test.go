package dashboard

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// step is the time between two keys. No timer of the program ends at the same time as one.
const step = 50*time.Millisecond + time.Microsecond

// Nothing is deleted by keys that were typed before the question was on the screen, on slow lines too. Where the
// terminal answers, its answer says when that is.
func TestUnseenQuestion_deletesNothing(t *testing.T) {
	t.Parallel()
	for _, bits := range []int{0, 38_400, 9600} {
		for _, silent := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d bits/s, silent %v", bits, silent), func(t *testing.T) {
				t.Parallel()
				line := &simulatedLine{rate: bits / 10, silent: silent, width: 80, height: 24}
				runOnLine(t, line, func(t *testing.T, l *simulatedLine) {
					l.waitFor("billing-api")
					l.press("3")
					l.waitFor("▸ ▲ problem   billing-api")
					time.Sleep(20 * time.Second)
					l.press("D")
					l.press("billing-api")
					begun := time.Now()
					for !strings.Contains(l.screen(), "Type billing-api to delete:") {
						l.press("\r")
						if time.Sleep(step); l.changes.Load() > 0 {
							t.Fatalf("deleted after %v, before the question:\n%s", time.Since(begun), l.screen())
						}
					}
					if time.Sleep(time.Second); silent {
						time.Sleep(3 * time.Second)
					}
					l.press("\r")
					if l.waitFor("billing-api: deleted"); l.changes.Load() != 1 {
						t.Errorf(
							"%d changes after a question on the screen was answered\n%s",
							l.changes.Load(), l.screen(),
						)
					}
				})
			})
		}
	}
}

// A terminal that does not mark pastes sends them as keys. Those of one read change nothing behind a filter's text or
// another change, and send no form that nobody has seen. Nothing is lost: the key works when it is pressed again.
func TestPasteAsKeys_changesNothing(t *testing.T) {
	t.Parallel()
	const again = "ignored, the key arrived together with other input (a paste?) · press it again"
	for paste, want := range map[string]struct {
		changes int64
		text    string
	}{
		"/web\rd\rq\r":                    {0, "not sent: you pressed the key before the screen showed the form"},
		"/web\rd\x13":                     {0, "not sent: you pressed the key before the screen showed the form"},
		"/status:disabled\rE":             {0, again},
		":enable billing-cron\r":          {0, again},
		"/status:disabled\raenable\r":     {0, ""},
		"jjjkkkd\x13":                     {0, "not sent: you pressed the key before the screen showed the form"},
		"jjjkkkDbilling-api\r":            {0, "Type billing-api to delete:"},
		"/status:disabled\r" + "\n" + "E": {1, "billing-cron: monitoring is enabled"}, // two reads
	} {
		t.Run(fmt.Sprintf("%q", paste), func(t *testing.T) {
			t.Parallel()
			runOnLine(t, &simulatedLine{width: 120, height: 36}, func(t *testing.T, l *simulatedLine) {
				l.waitFor("billing-api")
				l.press("3")
				l.waitFor("▸ ▲ problem   billing-api")
				for keys := range strings.SplitSeq(paste, "\n") {
					l.press(keys)
				}
				time.Sleep(5 * time.Second)
				if n := l.changes.Load(); n != want.changes || !strings.Contains(l.screen(), want.text) {
					t.Errorf("%d changes, want %d and %q:\n%s", n, want.changes, want.text, l.screen())
				}
				if want.text == again {
					l.press("E")
					if l.waitFor("billing-cron: monitoring is enabled"); l.changes.Load() != 1 {
						t.Errorf("%d changes after the key was pressed again:\n%s", l.changes.Load(), l.screen())
					}
				}
			})
		})
	}
}
