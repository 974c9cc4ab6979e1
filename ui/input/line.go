package input

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"lookout/ui"
)

// TextField is one line of text. It edits with bubbles' textinput and draws the line itself: the textinput would send
// characters to the terminal that move or hide the text around them.
type TextField struct {
	model  textinput.Model
	secret bool
}

// NewLine returns a line with the cursor at the end of text.
func NewLine(text string) *TextField {
	l := &TextField{model: textinput.New()}
	l.model.KeyMap = keys
	l.model.CharLimit = MaxRunes
	l.model.SetVirtualCursor(false)
	l.model.Focus()
	l.SetText(text)
	return l
}

// NewSecret returns a line that is drawn as dots, of which there are the same number for every text. Words in it are
// not told apart.
func NewSecret(text string) *TextField {
	l := NewLine(text)
	l.secret, l.model.EchoMode = true, textinput.EchoPassword
	return l
}

// SetLimit sets the number of characters that the line holds at most, instead of MaxRunes.
func (l *TextField) SetLimit(n int) { l.model.CharLimit = n }

// New returns an editor for text: a Line, unless a line would change it. Tabs, line breaks, control characters and
// invalid bytes need a Block.
func New(text string) TextEditor {
	if l := NewLine(text); l.Text() == text {
		return l
	}
	return NewBlock(text)
}

// Text returns the line.
func (l *TextField) Text() string { return l.model.Value() }

// SetText replaces the line and moves the cursor to its end.
func (l *TextField) SetText(text string) {
	l.model.SetValue(text)
	l.model.CursorEnd()
}

// AtEnd reports whether the cursor is at the end.
func (l *TextField) AtEnd() bool { return l.model.Position() == utf8.RuneCountInString(l.Text()) }

// Press takes a key that edits the line. It reports false for any other key.
func (l *TextField) Press(k tea.KeyPressMsg) bool {
	switch {
	case EntersText(k):
		l.Paste(k.Text)
	case key.Matches(k, keys.DeleteWordForward):
		l.deleteWord()
	case edits(k):
		l.model, _ = l.model.Update(k)
	default:
		return false
	}
	return true
}

// deleteWord deletes up to the end of the word: the textinput's own function panics on the last character.
func (l *TextField) deleteWord() {
	at := l.model.Position()
	l.model, _ = l.model.Update(tea.KeyPressMsg{Code: 'f', Mod: tea.ModAlt})
	runes := []rune(l.Text())
	l.model.SetValue(string(append(runes[:at:at], runes[l.model.Position():]...)))
	l.model.SetCursor(at)
}

// Paste inserts text at the cursor and reports whether some of it did not fit.
func (l *TextField) Paste(text string) bool {
	text, tooLong := cut(text, l.model.CharLimit)
	text = clean(text, false)
	room := l.model.CharLimit - utf8.RuneCountInString(l.Text())
	l.model, _ = l.model.Update(tea.PasteMsg{Content: text})
	return tooLong || utf8.RuneCountInString(text) > room
}

// DeletePrefix removes what the line begins with. The cursor stays on its character.
func (l *TextField) DeletePrefix(prefix string) {
	rest, found := strings.CutPrefix(l.Text(), prefix)
	if !found {
		return
	}
	at := l.model.Position() - utf8.RuneCountInString(prefix)
	l.model.SetValue(rest)
	l.model.SetCursor(at)
}

// CurrentLine returns the line.
func (l *TextField) CurrentLine() (line string, n, of int) { return l.Text(), 1, 1 }

// View draws the line, with the part around the cursor in sight if it is focused.
func (l *TextField) View(b ui.Box, focused bool) []string {
	text, at := l.Text(), 0
	if l.secret {
		if text != "" {
			text = strings.Repeat(b.Theme.Glyphs.Mask, secretDots)
		}
		at = len(text)
	} else {
		for range l.model.Position() {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		}
	}
	if !focused {
		return []string{viewText(b, text)}
	}
	return []string{viewLine(b, text[:at], text[at:])}
}

// secretDots is the number of dots for a secret of any length.
const secretDots = 8
