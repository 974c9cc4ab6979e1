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

// showSecret opens the dialog of a secret. It returns what the dialog said whenever it was closed: whether the secret
// is kept.
func (b *shellTest) showSecret() *[]bool {
	closed := new([]bool)
	b.run(ui.Send(ui.ShowSecretMsg{
		Title:   "New key",
		Name:    "secret key",
		Reveal:  func() string { return "canary" },
		Formats: []ui.SecretFileFormat{{Name: "lines", Path: "/key.env", Write: func(string) error { return nil }}},
		Closed: func(kept bool) tea.Cmd {
			*closed = append(*closed, kept)
			return nil
		},
	}))
	return closed
}

// A secret is readable only while its key is held, and the dialog does not close before the secret was saved to a file
// or the user has typed whether it may be lost; that it was sent to a clipboard proves nothing. Then it is forgotten.
func TestSecretDialog_closesOnPurpose(t *testing.T) {
	for name, c := range map[string]struct {
		before, close string
		kept          bool
	}{
		"discarded":            {"", "<esc>discard<enter>", false},
		"written down":         {"r", "<esc>kept<enter>", true},
		"copied, then kept":    {"y", "<enter>kept<enter>", true},
		"copied, then dropped": {"yy", "<esc>discard<enter>", false},
		"saved":                {"1<enter>", "<enter>", true},
		"saved, left by esc":   {"y1<enter>", "<esc>", true},
	} {
		t.Run(name, func(t *testing.T) {
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
				b.press("rr")
				b.run(b.shell.Update(revealExpired{d, d.revealNumber - 1}))
				if !strings.Contains(b.screen(), "canary") {
					t.Errorf("the secret is not shown while the key is held:\n%s", b.screen())
				}
				b.run(b.shell.Update(revealExpired{d, d.revealNumber}))
				hidden("the key was released")
				b.press(c.before)
				b.run(b.shell.Update(revealExpired{d, d.revealNumber}))
				if !d.saved {
					for keys := range strings.FieldsSeq(
						"<esc><enter> no<enter> <esc> <esc>d<enter> <esc> q<esc> <enter> <enter> <esc>",
					) {
						if b.press(keys); len(*closed) > 0 {
							t.Fatalf("%q closes the dialog", keys)
						}
						hidden(keys)
						wrong := keys != "<enter>" && strings.HasSuffix(keys, "<enter>")
						if wrong && !strings.Contains(b.screen(), wrongWord) {
							t.Errorf("nothing says what to type after %q:\n%s", keys, b.screen())
						}
					}
					d.closing = nil
				}
				if b.press(c.close); len(*closed) != 1 || (*closed)[0] != c.kept {
					t.Errorf("closed, kept: %v, want %t:\n%s", *closed, c.kept, b.screen())
				}
				if d.Reveal() != "" {
					t.Error("the secret is kept after the dialog was closed")
				}
			})
		})
	}
}

// Below the secret stand the keys that work now; while it may be lost, the words that close the dialog and what was
// typed of them. They stay in sight where the text above has no room.
func TestSecretDialog_showsWhatCanBeDone(t *testing.T) {
	start := []string{"y copy it, without showing it", "r hold to show it", "It cannot be shown again."}
	const words = `Type "kept" if you have saved it elsewhere, or "discard" to close without it:`
	asked := []string{"It is not saved to a file", words}
	copied := append(start[:2:2], "Sent, but nothing shows that it arrived")
	for _, height := range []int{11, 24} {
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
				{"<esc>", asked},
				{"d", append(asked, "without it: d")},
				{"i", append(asked, "without it: di")},
				{"<esc>", start},
				{"y", copied},
				{"<enter>", []string{"lookout cannot see whether your copy arrived", words}},
				{"<esc>", copied},
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
			b.press("1<enter>")
			if shown := b.screen(); !strings.Contains(shown, "✓ saved") || strings.Contains(shown, "arrived") {
				t.Errorf("%d lines, after saving:\n%s", height, shown)
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
