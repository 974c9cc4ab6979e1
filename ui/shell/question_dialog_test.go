package shell

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lookout/ui"
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
	b.press("enter")
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
				b.run(b.shell.Update(tea.KeyPressMsg{Code: tea.KeyBackspace}))
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
		if b.press("a", "c", "m", "e", "enter"); *confirmed != 1 {
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
		if b.press("a", "c", "m", "e", "enter"); *confirmed != 0 {
			t.Errorf("confirmed, although the screen says:\n%s", b.screen())
		}
		b.run(b.shell.Update(tea.WindowSizeMsg{Width: 80, Height: 24}))
		b.armQuestions()
		b.screen()
		if b.press("enter"); *confirmed != 1 {
			t.Errorf("confirmed %d times:\n%s", *confirmed, b.screen())
		}
	})
}
