package shell

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/ui"
	"lookout/ui/uitest"
)

// askForWord opens a question that asks for a word, in a window of a size, and returns how often it was confirmed.
func (b *shellTest) askForWord(word string, noPaste bool, width, height int) *int {
	confirmed := new(int)
	b.run(b.shell.Update(tea.WindowSizeMsg{Width: width, Height: height}))
	b.run(ui.Send(ui.RunActionMsg{Action: ui.Action{
		Key: ui.Bind("delete"),
		Confirm: &ui.Confirmation{
			Title:        "Delete",
			Text:         strings.Repeat("Everything in it goes. ", 8),
			RequiredText: word,
			NoPaste:      noPaste,
		},
		Do: func() tea.Cmd {
			*confirmed++
			return nil
		},
	}}))
	b.armQuestions()
	b.screen()
	return confirmed
}

// paste pastes a text, and presses enter once it was visible.
func (b *shellTest) paste(text string) {
	b.run(b.shell.Update(tea.PasteMsg{Content: text}))
	b.screen()
	b.press("<enter>")
}

// Only the word itself confirms, letter by letter and in its own case.
func TestQuestionDialog_wordIsComparedExactly(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		confirmed := b.askForWord("Photos-2024", false, 80, 24)
		for _, answer := range []string{"", "photos-2024", "PHOTOS-2024", "Photos-202", "Photos-20244", "Photos-2025"} {
			b.paste(answer)
			if *confirmed != 0 {
				t.Fatalf("%q confirms", answer)
			}
			for range answer {
				b.press("<backspace>")
			}
		}
		if b.paste("Photos-2024"); *confirmed != 1 {
			t.Errorf("the word confirms %d times:\n%s", *confirmed, b.screen())
		}
	})
}

// A word that must be typed cannot be pasted.
func TestQuestionDialog_wordCannotBePasted(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		confirmed := b.askForWord("acme", true, 80, 24)
		if b.paste("acme"); *confirmed != 0 {
			t.Error("a paste confirms")
		}
		if b.press("acme<enter>"); *confirmed != 1 {
			t.Errorf("typing confirms %d times:\n%s", *confirmed, b.screen())
		}
	})
}

// A question with a word that does not fit in the window cannot be answered until the window is larger.
func TestQuestionDialog_wordIsRefusedWhileTheQuestionDoesNotFit(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		confirmed := b.askForWord("acme", true, 40, 10)
		if !strings.Contains(b.screen(), "does not fit") {
			t.Fatalf("the question fits:\n%s", b.screen())
		}
		if b.press("acme<enter>"); *confirmed != 0 {
			t.Errorf("confirmed, although the screen says:\n%s", b.screen())
		}
		b.run(b.shell.Update(tea.WindowSizeMsg{Width: 80, Height: 24}))
		b.armQuestions()
		b.screen()
		if b.press("<enter>"); *confirmed != 1 {
			t.Errorf("confirmed %d times:\n%s", *confirmed, b.screen())
		}
	})
}

// A key that is held down answers no question, and a paste that comes before the question could be read is no answer.
func TestQuestionDialog_heldKeysAndEarlyPastes(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b, answered := newShellTest(t, nil), 0
		b.run(b.shell.startAction(ui.Action{
			Key:     ui.Bind("delete"),
			Confirm: &ui.Confirmation{Title: "Delete", Text: "Deletes web."},
			Do:      func() tea.Cmd { answered++; return nil },
		}))
		b.armQuestions()
		b.screen()
		if b.run(b.shell.Update(tea.KeyPressMsg{Code: 'y', Text: "y", IsRepeat: true})); answered != 0 {
			t.Error("a key that was held down answers")
		}
		if b.press("y"); answered != 1 {
			t.Errorf("answered %d times", answered)
		}
		b.run(b.shell.startAction(ui.Action{
			Key:     ui.Bind("delete"),
			Confirm: &ui.Confirmation{Title: "Delete", Text: "Deletes web.", RequiredText: "web"},
			Do:      func() tea.Cmd { answered++; return nil },
		}))
		b.screen()
		b.run(b.shell.Update(tea.PasteMsg{Content: "web"}))
		b.armQuestions()
		b.screen()
		if b.press("<enter>"); answered != 1 {
			t.Error("a paste that came too early answers")
		}
	})
}

// A word that no keyboard has, or that looks like another one, is replaced by a code of six characters.
func TestQuestionDialog_codeInPlaceOfTheWord(t *testing.T) {
	for _, word := range []string{
		"a\x1b[31mb", "p\u0430ypal", " web", "web ", "web-server ", strings.Repeat("w", 101), "日本",
	} {
		runInBubble(t, func(t *testing.T) {
			b := newShellTest(t, nil)
			confirmed := b.askForWord(word, false, 80, 24)
			_, rest, _ := strings.Cut(b.screen(), "Type ")
			code, _, _ := strings.Cut(rest, " ")
			if len(code) != 6 || strings.Contains(b.screen(), word) {
				t.Fatalf("%q: the word to type is %q:\n%s", word, code, b.screen())
			}
			for _, letter := range code {
				b.press(string(letter))
			}
			if b.press("<enter>"); *confirmed != 1 {
				t.Errorf("%q: %q confirms %d times", word, code, *confirmed)
			}
		})
	}
}

// A question can be answered after its own delay, and never before a key that opened it may have been released.
func TestQuestionDialog_delay(t *testing.T) {
	for delay, want := range map[time.Duration]time.Duration{0: answerDelay, 3 * time.Second: 3 * time.Second} {
		runInBubble(t, func(t *testing.T) {
			q := newQuestionDialog(ui.Action{Confirm: &ui.Confirmation{Title: "Cancel", Delay: delay}})
			start := time.Now()
			for cmd := q.disarm(); cmd != nil; {
				cmd = cmd().(questionArmed).Deliver()
			}
			if took := time.Since(start); took != want {
				t.Errorf("a delay of %v takes %v, not %v", delay, took, want)
			}
		})
	}
}

// A word to type stands beside what it does if there is room for both, otherwise whole on a line of its own.
func TestQuestionDialog_wordAsWideAsTheLine(t *testing.T) {
	q := newQuestionDialog(ui.Action{
		Key:     ui.Bind("delete"),
		Confirm: &ui.Confirmation{Title: "Delete", RequiredText: "Photos-2024"},
	})
	const line = "Type Photos-2024 to delete:"
	for width, want := range map[int][]string{
		len(line):     {line},
		len(line) - 1: {"Type this to delete:", "Photos-2024"},
	} {
		lines := q.answerLines(uitest.NewBox(t, width, 10))
		if got := strings.Split(ansi.Strip(strings.Join(lines[:len(lines)-1], "\n")), "\n"); !slices.Equal(got, want) {
			t.Errorf("%d cells: %q, want %q", width, got, want)
		}
	}
}

// The letters of a word count from the first one, however soon they are typed, but enter only once the question was
// visible. A question with a delay of its own takes no letter before it is over.
func TestQuestionDialog_wordIsTypedAtOnce(t *testing.T) {
	for delay, want := range map[time.Duration]int{0: 1, 3 * time.Second: 0} {
		runInBubble(t, func(t *testing.T) {
			b, confirmed := newShellTest(t, nil), 0
			b.run(ui.Send(ui.RunActionMsg{Action: ui.Action{
				Key:     ui.Bind("delete"),
				Confirm: &ui.Confirmation{Title: "Delete", RequiredText: "acme", Delay: delay},
				Do: func() tea.Cmd {
					confirmed++
					return nil
				},
			}}))
			if b.press("acme<enter>"); confirmed != 0 {
				t.Error("it is confirmed before anybody can have read it")
			}
			b.armQuestions()
			b.screen()
			if b.press("<enter>"); confirmed != want {
				t.Errorf("with a delay of %v, it confirms %d times, not %d:\n%s", delay, confirmed, want, b.screen())
			}
		})
	}
}

// The last line of the screen names the keys that work in a question, and a screen reader says the same. What escape
// does has another word than what the question asks about.
func TestQuestionDialog_namesKeys(t *testing.T) {
	for _, c := range []struct {
		name, word, escape   string // of the action; to be typed; what escape does
		delay                time.Duration
		before, hints, reads string // what is read at first; then the hints, and what is read
	}{
		{
			"delete", "", "cancel", 0,
			"it can be answered in a moment; escape cancels", "any other key cancel",
			"n: no, leave it; y: yes, delete",
		},
		{
			"delete", "acme", "cancel", 3 * time.Second,
			"it can be answered after 3 s; escape cancels", "enter delete  esc cancel",
			"type acme and press enter; escape cancels",
		},
		{
			"cancel it", "acme", "back", 0,
			"it can be answered in a moment; escape goes back", "enter cancel it  esc back",
			"type acme and press enter; escape goes back",
		},
	} {
		runInBubble(t, func(t *testing.T) {
			b := newShellTest(t, nil)
			b.run(ui.Send(ui.RunActionMsg{Action: ui.Action{Key: ui.Bind(c.name), Confirm: &ui.Confirmation{
				Title:        "A question",
				Warning:      "Careful.",
				Text:         "Everything goes.",
				RequiredText: c.word,
				Delay:        c.delay,
			}}}))
			q := b.shell.dialogs.top().(*questionDialog)
			check := func(when, hints, reads string) {
				t.Helper()
				lines := strings.Split(b.screen(), "\n")
				if got := strings.TrimSpace(lines[len(lines)-1]); got != hints {
					t.Errorf("%s, %s: the hints are %q, want %q", c.name, when, got, hints)
				}
				if r := q.read(ui.Box{}); r.Item != reads || r.intro[0] != "Careful. Everything goes." {
					t.Errorf("%s, %s: read: %q, want %q", c.name, when, r.intro[0]+" "+r.Item, reads)
				}
			}
			check("at first", "esc "+c.escape, c.before)
			q.armed = true
			check("armed", c.hints, c.reads)
			if c.word != "" {
				b.press("x<enter>")
				check("mistyped", c.hints, notTheWord+" "+c.reads)
			}
			b.shell.Update(tea.WindowSizeMsg{Width: 40, Height: 8})
			if got := q.read(ui.Box{}).Item; !strings.HasPrefix(got, "this question does not fit here") {
				t.Errorf("%s, in a small window: %q", c.name, got)
			}
		})
	}
}
