package shell

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lookout/ui"
)

// A value that is wider than the dialog ends with a mark: nobody takes its beginning for all of it.
func TestSecretDialog_marksCutValues(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		b.run(ui.Send(ui.ShowSecretMsg{
			Title:   "New key",
			Details: [][2]string{{"buckets", strings.Repeat("photos ", 20)}},
			Name:    "secret key",
			Reveal:  func() string { return strings.Repeat("canary", 20) },
		}))
		b.press("r")
		for _, line := range boxLines(b.screen()) {
			if (strings.Contains(line, "photos") || strings.Contains(line, "canary")) && !strings.Contains(line, "…") {
				t.Errorf("the value goes on, and the line does not say so: %q", line)
			}
		}
	})
}

// On 80 columns and more, a value of 60 characters is shown whole, and the values stand below each other.
func TestSecretDialog_roomForValues(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		address := strings.Repeat("a", 60)
		b.run(ui.Send(ui.ShowSecretMsg{
			Title:   "New key",
			Details: [][2]string{{"address", address}, {"endpoint", address + "a"}, {"buckets", "photos"}},
			Name:    "secret key",
			Reveal:  func() string { return "" },
		}))
		lines := strings.Join(boxLines(b.screen()), "\n")
		for _, want := range []string{
			"address       " + address + "\n",
			"endpoint      " + address[1:] + "…\n",
			"buckets       photos",
			"secret key    ••••",
		} {
			if !strings.Contains(lines, want) {
				t.Errorf("no %q:\n%s", want, lines)
			}
		}
	})
}

// showSecret opens the dialog of a secret, and returns how often it was closed.
func (b *shellTest) showSecret() *int {
	closed := new(int)
	b.run(ui.Send(ui.ShowSecretMsg{
		Title:  "New key",
		Name:   "secret key",
		Reveal: func() string { return "canary" },
		Closed: func(bool) tea.Cmd {
			*closed++
			return nil
		},
	}))
	return closed
}

// A secret is readable only while its key is held, and the dialog does not close before the secret was copied or the
// user has typed that it may be lost. Then it is forgotten.
func TestSecretDialog_closesOnPurpose(t *testing.T) {
	for _, copied := range []bool{false, true} {
		runInBubble(t, func(t *testing.T) {
			b := newShellTest(t, nil)
			closed := b.showSecret()
			d := b.shell.dialogs.top().(*secretDialog)
			hidden := func(after string) {
				t.Helper()
				if strings.Contains(b.screen(), "canary") {
					t.Errorf("the secret is shown after %s:\n%s", after, b.screen())
				}
			}
			hidden("the start")
			b.press("r", "r")
			b.run(b.shell.Update(revealExpired{d, d.revealNumber - 1}))
			if !strings.Contains(b.screen(), "canary") {
				t.Errorf("the secret is not shown while the key is held:\n%s", b.screen())
			}
			b.run(b.shell.Update(revealExpired{d, d.revealNumber}))
			hidden("the key was released")
			if copied {
				b.press("y")
			} else {
				for _, keys := range [][]string{
					{"enter"}, {"esc", "enter"}, {"n", "o", "enter"}, {"esc"}, {"esc", "d", "enter"},
				} {
					if b.press(keys...); *closed > 0 {
						t.Fatalf("%q closes the dialog", keys)
					}
					hidden(strings.Join(keys, " "))
				}
				b.press("i", "s", "c", "a", "r", "d")
			}
			if b.press("enter"); *closed != 1 {
				t.Errorf("closed %d times:\n%s", *closed, b.screen())
			}
			if d.Reveal() != "" {
				t.Error("the secret is kept after the dialog was closed")
			}
		})
	}
}

// Below the secret stand the keys that work now; while it may be lost, the word that closes the dialog and what was
// typed of it. They stay in sight where the text above has no room.
func TestSecretDialog_showsWhatCanBeDone(t *testing.T) {
	start := []string{"y copy it, without showing it", "r hold to show it", "It cannot be shown again."}
	asked := []string{"You have neither copied nor saved it", "Type discard to close anyway:"}
	copied := append(start[:2:2], "✓ copied or saved")
	for _, height := range []int{10, 24} {
		runInBubble(t, func(t *testing.T) {
			b := newShellTest(t, nil)
			b.shell.Update(tea.WindowSizeMsg{Width: 80, Height: height})
			b.showSecret()
			b.shell.dialogs.top().(*secretDialog).Text = strings.Repeat("The secret is shown only now. ", 20)
			for _, c := range []struct {
				press string
				want  []string
			}{
				{"", start},
				{"esc", asked},
				{"d", append(asked, "anyway: d")},
				{"i", append(asked, "anyway: di")},
				{"esc", start},
				{"y", copied},
			} {
				if c.press != "" {
					b.press(c.press)
				}
				shown := strings.Join(strings.Fields(strings.Join(boxLines(b.screen()), " ")), " ")
				for _, want := range c.want {
					if !strings.Contains(shown, want) {
						t.Errorf("%d lines, after %q: no %q:\n%s", height, c.press, want, shown)
					}
				}
			}
		})
	}
}

// The dialog of a secret takes the width of a terminal of 80 columns, and no more on a larger one.
func TestSecretDialog_width(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for columns, margin := range map[int]string{80: " ", 200: strings.Repeat(" ", 60)} {
			b := newShellTest(t, nil)
			b.shell.Update(tea.WindowSizeMsg{Width: columns, Height: 24})
			b.showSecret()
			for line := range strings.SplitSeq(b.screen(), "\n") {
				if strings.Contains(line, "New key") &&
					!(strings.HasPrefix(line, margin+"╭") && strings.HasSuffix(line, "╮"+margin)) {
					t.Errorf("%d columns: %q", columns, line)
				}
			}
		}
	})
}
