// Package input edits text: Line edits one line with bubbles' textinput, Block edits several lines. Both take the same
// keys, those of readline.
package input

import (
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"lookout/client/visible"
	"lookout/theme"
	"lookout/ui"
)

// MaxRunes is the number of characters that an input holds at most. The rest is cut.
const MaxRunes = 100_000

// TextEditor is text with a cursor in it.
type TextEditor interface {
	Text() string
	Press(tea.KeyPressMsg) (taken bool)    // takes a key, unless it does not edit text
	Paste(text string) (cut bool)          // inserts text and reports whether some did not fit
	AtEnd() bool                           // reports whether the cursor is at the end
	View(b ui.Box, focused bool) []string  // at most b.Width cells wide
	DeletePrefix(prefix string)            // removes what the text begins with
	CurrentLine() (line string, n, of int) // the line at the cursor, and its number from 1
}

// keys are the keys of all inputs. ctrl+a and ctrl+b, prefixes of screen and tmux, are never the only way. Pasting is
// left to the terminal: the textinput's own binding would start another program. There are no suggestions.
var keys = textinput.KeyMap{
	CharacterForward:        bind("right", "ctrl+f"),
	CharacterBackward:       bind("left", "ctrl+b"),
	WordForward:             bind("alt+f", "alt+right", "ctrl+right"),
	WordBackward:            bind("alt+b", "alt+left", "ctrl+left"),
	DeleteWordBackward:      bind("ctrl+w", "alt+backspace", "ctrl+backspace"),
	DeleteWordForward:       bind("alt+d", "alt+delete", "ctrl+delete"),
	DeleteAfterCursor:       bind("ctrl+k"),
	DeleteBeforeCursor:      bind("ctrl+u"),
	DeleteCharacterBackward: bind("backspace", "ctrl+h"),
	DeleteCharacterForward:  bind("delete", "ctrl+d"),
	LineStart:               bind("home", "ctrl+a"),
	LineEnd:                 bind("end", "ctrl+e"),
}

func bind(names ...string) key.Binding { return key.NewBinding(key.WithKeys(names...)) }

// edits reports whether a key edits a line.
func edits(k tea.KeyPressMsg) bool {
	return key.Matches(k,
		keys.CharacterForward, keys.CharacterBackward, keys.WordForward, keys.WordBackward,
		keys.DeleteWordBackward, keys.DeleteWordForward, keys.DeleteAfterCursor, keys.DeleteBeforeCursor,
		keys.DeleteCharacterBackward, keys.DeleteCharacterForward, keys.LineStart, keys.LineEnd)
}

// EntersText reports whether a key enters text.
func EntersText(k tea.KeyPressMsg) bool {
	return k.Text != "" && !k.Mod.Contains(tea.ModCtrl) && !k.Mod.Contains(tea.ModAlt)
}

// clean returns text without control characters. A tab becomes a space. Line breaks stay if lines is set; otherwise
// each becomes a space, but those around the text are dropped. Many terminals paste them as carriage returns.
func clean(text string, lines bool) string {
	text = lineBreaks.Replace(text)
	if !lines {
		text = strings.Trim(text, "\n")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' && lines:
			return r
		case r == '\t', r == '\n':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text)
}

// lineBreaks makes each kind of line break a line feed.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// cut returns the first n characters of text and reports whether there were more.
func cut(text string, n int) (string, bool) {
	if len(text) <= n {
		return text, false
	}
	for i := range text {
		if n--; n < 0 {
			return text[:i], true
		}
	}
	return text, false
}

// ShowInvisible returns text as it can be drawn: each character that would move, hide or restyle what stands around it
// becomes one visible mark. Line breaks stay.
func ShowInvisible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r < ' ':
			return 0x2400 + r
		case r >= 0x7f && (visible.Hidden(r) || unicode.In(r, unicode.Mn, unicode.Me)): // marks are drawn alone
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// viewLine draws the part of a line around the cursor that fits.
func viewLine(b ui.Box, before, after string) string {
	before = tail(before, b.Width-2)
	under, rest := " ", ""
	for i, r := range after {
		if i > 0 {
			rest = head(after[i:], b.Width)
			break
		}
		under = ShowInvisible(string(r))
	}
	room := max(0, b.Width-ui.Width(before)-ui.Width(under))
	return onField(
		b, theme.TitleSegment{Text: before, Tone: theme.Input}, theme.TitleSegment{Text: under, Tone: theme.Caret},
		theme.TitleSegment{Text: ui.Truncate(rest, room, b.Theme.Glyphs.Ellipsis), Tone: theme.Input},
	)
}

// viewText draws a line without a cursor.
func viewText(b ui.Box, text string) string {
	return onField(b, theme.TitleSegment{Text: ui.Truncate(head(text, b.Width), b.Width, b.Theme.Glyphs.Ellipsis)})
}

// onField draws parts of a line on the background of an input.
func onField(b ui.Box, parts ...theme.TitleSegment) string {
	var out strings.Builder
	tint := b.Theme.Tint(theme.Field)
	out.WriteString(tint.Around.Open)
	for _, part := range parts {
		if part.Text != "" {
			codes := tint.Codes(part.Tone)
			out.WriteString(codes.Open + part.Text + codes.Close)
		}
	}
	return out.String() + tint.Around.Close
}

// ViewField draws an editor as a field: its background fills the width of the box in every line, so that people see
// where it begins and ends. While it is empty, it says what goes there.
func ViewField(e TextEditor, b ui.Box, focused bool, placeholder string) []string {
	lines, tint := e.View(b, focused), b.Theme.Tint(theme.Field)
	for i, line := range lines {
		var out strings.Builder
		out.Grow(len(line) + b.Width + 64)
		out.WriteString(line)
		out.WriteString(tint.Around.Open)
		room := b.Width - ui.Width(line)
		if placeholder != "" && e.Text() == "" {
			placeholder = ui.Truncate(placeholder, room, b.Theme.Glyphs.Ellipsis)
			codes := tint.Codes(theme.Muted)
			out.WriteString(codes.Open)
			out.WriteString(placeholder)
			out.WriteString(codes.Close)
			room -= ui.Width(placeholder)
		}
		for range room {
			out.WriteByte(' ')
		}
		out.WriteString(tint.Around.Close)
		lines[i] = out.String()
	}
	return lines
}

// head returns the drawable beginning of text, a little longer than width cells: no more is looked at.
func head(text string, width int) string {
	text, _ = cut(text, 2*max(0, width)+2)
	return ShowInvisible(text)
}

// tail returns as much of the drawable end of text as fits in width cells.
func tail(text string, width int) string {
	runes := make([]rune, 0, max(0, width))
	for i := len(text); i > 0; {
		r, size := lastRune(text[:i])
		i -= size
		r = []rune(ShowInvisible(string(r)))[0]
		if width -= ui.Width(string(r)); width < 0 {
			break
		}
		runes = append(runes, r)
	}
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}
