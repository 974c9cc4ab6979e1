package form

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// textInput is text at a cursor.
type textInput struct {
	runes       []rune
	cursor      int
	onChange    func(string)
	secret      bool
	multiline   bool
	suggestions func() []string
	warning     string
}

// longest is how many characters a field takes; more is cut and said.
const longest = 100_000

func newTextInput(start string, set func(string)) *textInput {
	r := []rune(start)
	return &textInput{runes: r, cursor: len(r), onChange: set}
}

func (t *textInput) text() string { return string(t.runes) }

func (t *textInput) problem() string { return t.warning }

func (t *textInput) insert(s string) {
	keep := func(r rune) rune {
		if r == '\n' && t.multiline {
			return r
		}
		if r == '\t' {
			return ' '
		}
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}
	add := []rune(strings.Map(keep, strings.ReplaceAll(s, "\r\n", "\n")))
	t.warning = ""
	if room := longest - len(t.runes); len(add) > room {
		add, t.warning = add[:max(0, room)], fmt.Sprintf("cut at %d characters", longest)
	}
	t.runes = slices.Insert(t.runes, t.cursor, add...)
	t.cursor += len(add)
	t.onChange(t.text())
}

func (t *textInput) paste(s string) { t.insert(s) }

func (t *textInput) deleteRange(from, to int) {
	t.runes = slices.Delete(t.runes, from, to)
	t.cursor, t.warning = from, ""
	t.onChange(t.text())
}

func (t *textInput) press(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left":
		t.cursor = max(0, t.cursor-1)
	case "right":
		t.cursor = min(len(t.runes), t.cursor+1)
	case "home":
		t.cursor = 0
	case "end":
		t.cursor = len(t.runes)
	case "backspace":
		if t.cursor > 0 {
			t.deleteRange(t.cursor-1, t.cursor)
		}
	case "delete":
		if t.cursor < len(t.runes) {
			t.deleteRange(t.cursor, t.cursor+1)
		}
	case "ctrl+u":
		t.deleteRange(0, t.cursor)
	case "ctrl+w":
		t.deleteRange(t.wordStart(), t.cursor)
	case "enter":
		if !t.multiline {
			return false
		}
		t.insert("\n")
	case "up", "down":
		return t.moveVertically(k.String())
	default:
		if k.Text == "" {
			return false
		}
		t.insert(k.Text)
	}
	return true
}

// wordStart is where the word before the cursor begins.
func (t *textInput) wordStart() int {
	i := t.cursor
	for i > 0 && t.runes[i-1] == ' ' {
		i--
	}
	for i > 0 && t.runes[i-1] != ' ' {
		i--
	}
	return i
}

// moveVertically goes through lines or offers.
func (t *textInput) moveVertically(key string) bool {
	if t.suggestions != nil {
		t.nextSuggestion(key)
		return true
	}
	if !t.multiline {
		return false
	}
	start := t.cursor
	for start > 0 && t.runes[start-1] != '\n' {
		start--
	}
	column := t.cursor - start
	if key == "up" {
		if start == 0 {
			return false
		}
		above := start - 1
		for above > 0 && t.runes[above-1] != '\n' {
			above--
		}
		t.cursor = min(above+column, start-1)
		return true
	}
	end := slices.Index(t.runes[t.cursor:], '\n')
	if end < 0 {
		return false
	}
	below := t.cursor + end + 1
	stop := slices.Index(t.runes[below:], '\n')
	if stop < 0 {
		stop = len(t.runes) - below
	}
	t.cursor = below + min(column, stop)
	return true
}

// nextSuggestion replaces the text with the next value on offer.
func (t *textInput) nextSuggestion(key string) {
	values := t.suggestions()
	if len(values) == 0 {
		return
	}
	i := slices.Index(values, t.text())
	if key == "down" {
		i++
	} else if i--; i < 0 {
		i = len(values) - 1
	}
	t.runes = []rune(values[i%len(values)])
	t.cursor = len(t.runes)
	t.onChange(t.text())
}

func (t *textInput) view(b ui.Box, focused bool) []string {
	if t.secret {
		text := ""
		if len(t.runes) > 0 {
			text = strings.Repeat(b.Theme.Glyphs.Mask, 8)
		}
		if focused {
			text += caret(b)
		}
		return []string{text}
	}
	if !t.multiline {
		return []string{t.renderLine(b, focused)}
	}
	return t.renderBlock(b, focused)
}

// visibleRunes is text as it can be edited.
func visibleRunes(runes []rune) string { return ShowInvisible(string(runes)) }

// ShowInvisible is text of any kind as it can be drawn: what would move, hide or restyle what stands around it is one
// visible mark each. Line breaks stay.
func ShowInvisible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r < ' ':
			return 0x2400 + r
		case r == 0x7f,
			r > 0x7f && (!unicode.IsGraphic(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Mn, unicode.Me)):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func caret(b ui.Box) string { return b.Theme.Paint(theme.Cursor, " ") }

// renderLine is one line of text, moved so that the cursor is in sight.
func (t *textInput) renderLine(b ui.Box, focused bool) string {
	if !focused {
		return b.Theme.Paint(theme.Plain, ui.Truncate(visibleRunes(t.runes), b.Width, b.Theme.Glyphs.Ellipsis))
	}
	from := max(0, t.cursor-b.Width)
	for ui.Width(visibleRunes(t.runes[from:t.cursor])) > b.Width-2 {
		from++
	}
	before, under, rest := visibleRunes(t.runes[from:t.cursor]), " ", ""
	if t.cursor < len(t.runes) {
		under, rest = visibleRunes(t.runes[t.cursor:t.cursor+1]), visibleRunes(t.runes[t.cursor+1:])
	}
	out := b.Theme.Paint(theme.Input, before) + b.Theme.Paint(theme.Cursor, under) +
		b.Theme.Paint(theme.Input, ui.Truncate(rest, max(0, b.Width-ui.Width(before)-1), b.Theme.Glyphs.Ellipsis))
	if t.suggestions != nil && len(t.suggestions()) > 0 {
		out += b.Theme.Paint(theme.Muted, "  "+b.Theme.Glyphs.Up+b.Theme.Glyphs.Down)
	}
	return out
}

// renderBlock is several lines, a window of five around the cursor.
func (t *textInput) renderBlock(b ui.Box, focused bool) []string {
	text := visibleRunes(t.runes)
	if focused {
		text = visibleRunes(t.runes[:t.cursor]) + "\x00" + visibleRunes(t.runes[t.cursor:])
	}
	lines := strings.Split(text, "\n")
	at := 0
	for i, line := range lines {
		if before, after, here := strings.Cut(line, "\x00"); here {
			at = i
			lines[i] = ui.Truncate(before, b.Width-1, "") + caret(b) + ui.Truncate(after, max(0, b.Width-ui.Width(before)-1), "")
		} else {
			lines[i] = ui.Truncate(line, b.Width, b.Theme.Glyphs.Ellipsis)
		}
	}
	from := max(0, min(at-2, len(lines)-5))
	return lines[from:min(len(lines), from+5)]
}
