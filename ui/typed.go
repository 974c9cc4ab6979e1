package ui

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// typed is text at a cursor.
type typed struct {
	runes  []rune
	at     int
	set    func(string)
	secret bool
	many   bool
	offers func() []string
	note   string
}

// longest is how many characters a field takes; more is cut and said.
const longest = 100_000

func newTyped(start string, set func(string)) *typed {
	r := []rune(start)
	return &typed{runes: r, at: len(r), set: set}
}

func (t *typed) text() string { return string(t.runes) }

func (t *typed) wrong() string { return t.note }

func (t *typed) insert(s string) {
	keep := func(r rune) rune {
		if r == '\n' && t.many {
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
	t.note = ""
	if room := longest - len(t.runes); len(add) > room {
		add, t.note = add[:max(0, room)], fmt.Sprintf("cut at %d characters", longest)
	}
	t.runes = slices.Insert(t.runes, t.at, add...)
	t.at += len(add)
	t.set(t.text())
}

func (t *typed) paste(s string) { t.insert(s) }

func (t *typed) cut(from, to int) {
	t.runes = slices.Delete(t.runes, from, to)
	t.at, t.note = from, ""
	t.set(t.text())
}

func (t *typed) press(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left":
		t.at = max(0, t.at-1)
	case "right":
		t.at = min(len(t.runes), t.at+1)
	case "home":
		t.at = 0
	case "end":
		t.at = len(t.runes)
	case "backspace":
		if t.at > 0 {
			t.cut(t.at-1, t.at)
		}
	case "delete":
		if t.at < len(t.runes) {
			t.cut(t.at, t.at+1)
		}
	case "ctrl+u":
		t.cut(0, t.at)
	case "ctrl+w":
		t.cut(t.word(), t.at)
	case "enter":
		if !t.many {
			return false
		}
		t.insert("\n")
	case "up", "down":
		return t.vertical(k.String())
	default:
		if k.Text == "" {
			return false
		}
		t.insert(k.Text)
	}
	return true
}

// word is where the word before the cursor begins.
func (t *typed) word() int {
	i := t.at
	for i > 0 && t.runes[i-1] == ' ' {
		i--
	}
	for i > 0 && t.runes[i-1] != ' ' {
		i--
	}
	return i
}

// vertical goes through lines or offers.
func (t *typed) vertical(key string) bool {
	if t.offers != nil {
		t.offer(key)
		return true
	}
	if !t.many {
		return false
	}
	start := t.at
	for start > 0 && t.runes[start-1] != '\n' {
		start--
	}
	column := t.at - start
	if key == "up" {
		if start == 0 {
			return false
		}
		above := start - 1
		for above > 0 && t.runes[above-1] != '\n' {
			above--
		}
		t.at = min(above+column, start-1)
		return true
	}
	end := slices.Index(t.runes[t.at:], '\n')
	if end < 0 {
		return false
	}
	below := t.at + end + 1
	stop := slices.Index(t.runes[below:], '\n')
	if stop < 0 {
		stop = len(t.runes) - below
	}
	t.at = below + min(column, stop)
	return true
}

// offer replaces the text with the next value on offer.
func (t *typed) offer(key string) {
	values := t.offers()
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
	t.at = len(t.runes)
	t.set(t.text())
}

func (t *typed) view(b Box, focused bool) []string {
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
	if !t.many {
		return []string{t.line(b, focused)}
	}
	return t.block(b, focused)
}

// drawn is text as it can be edited.
func drawn(runes []rune) string { return Visible(string(runes)) }

// Visible is text of any kind as it can be drawn: what would move, hide or restyle what stands around it is one visible mark each. Line
// breaks stay.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r < ' ':
			return 0x2400 + r
		case r == 0x7f, r > 0x7f && (!unicode.IsGraphic(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Mn, unicode.Me)):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func caret(b Box) string { return b.Theme.Paint(theme.Cursor, " ") }

// line is one line of text, moved so that the cursor is in sight.
func (t *typed) line(b Box, focused bool) string {
	if !focused {
		return b.Theme.Paint(theme.Plain, Cut(drawn(t.runes), b.Width, b.Theme.Glyphs.Ellipsis))
	}
	from := max(0, t.at-b.Width)
	for Width(drawn(t.runes[from:t.at])) > b.Width-2 {
		from++
	}
	before, under, rest := drawn(t.runes[from:t.at]), " ", ""
	if t.at < len(t.runes) {
		under, rest = drawn(t.runes[t.at:t.at+1]), drawn(t.runes[t.at+1:])
	}
	out := b.Theme.Paint(theme.Input, before) + b.Theme.Paint(theme.Cursor, under) +
		b.Theme.Paint(theme.Input, Cut(rest, max(0, b.Width-Width(before)-1), b.Theme.Glyphs.Ellipsis))
	if t.offers != nil && len(t.offers()) > 0 {
		out += b.Theme.Paint(theme.Muted, "  "+b.Theme.Glyphs.Up+b.Theme.Glyphs.Down)
	}
	return out
}

// block is several lines, a window of five around the cursor.
func (t *typed) block(b Box, focused bool) []string {
	text := drawn(t.runes)
	if focused {
		text = drawn(t.runes[:t.at]) + "\x00" + drawn(t.runes[t.at:])
	}
	lines := strings.Split(text, "\n")
	at := 0
	for i, line := range lines {
		if before, after, here := strings.Cut(line, "\x00"); here {
			at = i
			lines[i] = Cut(before, b.Width-1, "") + caret(b) + Cut(after, max(0, b.Width-Width(before)-1), "")
		} else {
			lines[i] = Cut(line, b.Width, b.Theme.Glyphs.Ellipsis)
		}
	}
	from := max(0, min(at-2, len(lines)-5))
	return lines[from:min(len(lines), from+5)]
}
