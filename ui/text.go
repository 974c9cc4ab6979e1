package ui

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"lookout/client/visible"
	"lookout/client/wording"
	"lookout/theme"
)

// Width returns the number of cells that text takes, without its styles. It counts ASCII, styles and shapes that the
// program draws with; anything else is left to the library, which is slower.
func Width(text string) int {
	n := 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c >= 0x20 && c < 0x7f:
			n++
			i++
		case c == 0x1b:
			end := styleEnd(text[i:])
			if end == 0 {
				return ansi.StringWidth(text)
			}
			i += end
		case theme.StartsWithShape(text[i:]):
			n++
			i += 3
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if !theme.IsSingleCell(r) {
				return ansi.StringWidth(text)
			}
			n++
			i += size
		}
	}
	return n
}

// styleEnd returns the length of the style that a text starts with, or 0.
func styleEnd(text string) int {
	if len(text) < 3 || text[1] != '[' {
		return 0
	}
	for i := 2; i < len(text); i++ {
		switch c := text[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

// plainASCII reports whether text holds printable ASCII alone: one cell for each byte.
func plainASCII(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < 0x20 || text[i] > 0x7e {
			return false
		}
	}
	return true
}

// ShowOnLine returns a text in one line, with hidden characters made visible.
func ShowOnLine(text string) string {
	return visible.Show(strings.NewReplacer("\n", " ", "\t", " ").Replace(text))
}

// Truncate cuts text to at most width cells and marks the cut.
func Truncate(text string, width int, mark string) string {
	switch {
	case width <= 0:
		return ""
	case Width(text) <= width:
		return text
	case plainASCII(text):
		return text[:max(0, width-1)] + mark
	}
	return ansi.Truncate(text, width, mark)
}

// JoinFitting joins as many parts as fit in width cells, and a mark in place of the others. No part is cut: half a
// number is another number.
func JoinFitting(parts []string, separator string, width int, mark string) string {
	text := ""
	for i, part := range parts {
		longer := part
		if i > 0 {
			longer = text + separator + part
		}
		room := width
		if i < len(parts)-1 {
			room -= Width(separator + mark)
		}
		if Width(longer) > room {
			if i == 0 {
				return Truncate(mark, width, "")
			}
			return text + separator + mark
		}
		text = longer
	}
	return text
}

// Pad adds spaces after text up to width cells. Longer text stays as it is.
func Pad(text string, width int) string {
	if n := width - Width(text); n > 0 {
		return text + strings.Repeat(" ", n)
	}
	return text
}

// PadLeft adds spaces before text up to width cells. Longer text stays as it is.
func PadLeft(text string, width int) string {
	if n := width - Width(text); n > 0 {
		return strings.Repeat(" ", n) + text
	}
	return text
}

// Wrap breaks plain text into lines of at most width cells: between words, and within words longer than a line. It does
// not break at hyphens.
func Wrap(text string, width int) []string {
	if width <= 0 {
		return nil
	}
	first, rest, more := strings.Cut(text, "\n")
	lines := wrapLine(first, width)
	for more {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		lines = append(lines, wrapLine(line, width)...)
	}
	return lines
}

// wrapLine breaks one line.
func wrapLine(text string, width int) []string {
	if Width(text) <= width {
		return []string{text}
	}
	var lines []string
	line, cells := "", 0
	for text != "" {
		n := len(text) - len(strings.TrimLeft(text, " "))
		end := len(text)
		if blank := strings.IndexByte(text[n:], ' '); blank >= 0 {
			end = n + blank
		}
		word := text[:end] // with the blanks before it
		text = text[end:]
		if more := Width(word); cells+more <= width {
			line, cells = line+word, cells+more
			continue
		}
		if strings.TrimSpace(line) != "" {
			lines, word = append(lines, line), word[n:]
		} else {
			word = line + word
		}
		parts := breakWord(word, width)
		lines = append(lines, parts[:len(parts)-1]...)
		line = parts[len(parts)-1]
		cells = Width(line)
	}
	return append(lines, line)
}

// joiner makes one picture of the two beside it.
const joiner = "\u200d"

// breakWord breaks a word that is longer than a line, if possible at the separators of addresses and paths.
func breakWord(word string, width int) []string {
	var parts []string
	for {
		window := word[:min(len(word), 8*width+64)] // no more is looked at for a line
		for len(window) < len(word) && !utf8.RuneStart(word[len(window)]) {
			window = window[:len(window)-1]
		}
		if len(window) == len(word) && Width(word) <= width {
			return append(parts, word)
		}
		part := ansi.Truncate(window, width, "")
		if at := strings.LastIndexAny(part, "./@&?=") + 1; at > len(part)/3 {
			part = part[:at]
		}
		if part == "" { // a rune wider than the line
			return append(parts, word)
		}
		parts, word = append(parts, part), strings.TrimLeft(word[len(part):], joiner) // it joins nothing on a new line
	}
}

// Hardwrap breaks text into lines of exactly width cells: for addresses.
func Hardwrap(text string, width int) []string {
	if width <= 0 {
		return nil
	}
	return strings.Split(ansi.Hardwrap(text, width, true), "\n")
}

// clip cuts text to at most width cells without a mark.
func clip(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	return ansi.Truncate(text, width, "")
}

// SliceCells returns the part of a text from one cell up to another, with all styles of the text. A blank stands for
// each half of a wide character at its ends.
func SliceCells(text string, from, to int) string {
	var out strings.Builder
	out.Grow(len(text))
	for i, n := 0, 0; i < len(text); {
		size := 1
		switch c := text[i]; {
		case c == 0x1b:
			if size = styleEnd(text[i:]); size == 0 {
				return cutCells(text, from, to)
			}
			out.WriteString(text[i : i+size])
			i += size
			continue
		case c < 0x20 || c >= 0x7f:
			var r rune
			if r, size = utf8.DecodeRuneInString(text[i:]); !theme.IsSingleCell(r) {
				return cutCells(text, from, to)
			}
		}
		if n >= from && n < to {
			out.WriteString(text[i : i+size])
		}
		n++
		i += size
	}
	return out.String()
}

// cutCells is SliceCells for text with characters of any width.
func cutCells(text string, from, to int) string {
	if to = min(to, Width(text)); to <= from {
		return ""
	}
	lead := ""
	if from > 0 && Width(ansi.Truncate(text, from, "")) < from {
		lead, from = " ", from+1
	}
	part := ""
	if from < to {
		part = ansi.Cut(text, from, to)
	}
	return lead + Pad(part, to-from)
}

// Fit cuts and pads text to exactly the size of the box.
func (b Box) Fit(text string) string {
	if b.Width <= 0 || b.Height <= 0 {
		return ""
	}
	if b.fits(text) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text) + b.Height*8)
	for i := range b.Height {
		if i > 0 {
			out.WriteByte('\n')
		}
		var line string
		line, text, _ = strings.Cut(text, "\n")
		cells := Width(line)
		if cells > b.Width {
			line = ansi.Truncate(line, b.Width, "")
			cells = Width(line)
		}
		out.WriteString(line)
		writeSpaces(&out, b.Width-cells)
	}
	return out.String()
}

// fits reports whether a text has exactly the size of the box.
func (b Box) fits(text string) bool {
	for range b.Height - 1 {
		line, rest, more := strings.Cut(text, "\n")
		if !more || Width(line) != b.Width {
			return false
		}
		text = rest
	}
	return !strings.Contains(text, "\n") && Width(text) == b.Width
}

// JoinHorizontal places two blocks side by side: the right one starts at cell at, and no line is wider than width.
func JoinHorizontal(left, right string, at, width int) string {
	l, r := strings.Split(left, "\n"), strings.Split(right, "\n")
	var out strings.Builder
	for i := range max(len(l), len(r)) {
		if i > 0 {
			out.WriteByte('\n')
		}
		a, b := "", ""
		if i < len(l) {
			a = clip(l[i], at)
		}
		if i < len(r) {
			b = clip(r[i], max(0, width-at))
		}
		out.WriteString(Pad(a, at) + b)
	}
	return out.String()
}

// JoinPanels places blocks of the same height side by side. Every line of a block has the block's width already, so
// that nothing is measured.
func JoinPanels(left, right string) string {
	var out strings.Builder
	out.Grow(len(left) + len(right))
	for more := true; more; {
		var a, b string
		a, left, more = strings.Cut(left, "\n")
		b, right, _ = strings.Cut(right, "\n")
		out.WriteString(a)
		out.WriteString(b)
		if more {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// writeSpaces writes n spaces; none for a negative n.
func writeSpaces(out *strings.Builder, n int) {
	for ; n > len(blanks); n -= len(blanks) {
		out.WriteString(blanks)
	}
	if n > 0 {
		out.WriteString(blanks[:n])
	}
}

// AppendSpaces appends n spaces to a line; none for a negative n.
func AppendSpaces(line []byte, n int) []byte {
	for ; n > len(blanks); n -= len(blanks) {
		line = append(line, blanks...)
	}
	if n > 0 {
		line = append(line, blanks[:n]...)
	}
	return line
}

// blanks is what spaces are copied from.
const blanks = "                                                                "

// ItemRange returns the line below some of many items that says which they are: "3 to 8 of 40".
func (b Box) ItemRange(first, last, count int) string {
	text := "  " + wording.FormatCount(
		int64(first),
	) + " to " + wording.FormatCount(
		int64(last),
	) + " of " + wording.FormatCount(
		int64(count),
	)
	return b.Theme.Paint(theme.Muted, Truncate(text, b.Width, b.Theme.Glyphs.Ellipsis))
}

// maxItemsRead is how many items a screen reader reads out at once.
const maxItemsRead = 100

// ReadItems returns what a screen reader reads of items: all of them, or the first ones and how many more there are.
func ReadItems(items []string) []string {
	more := len(items) - maxItemsRead
	if more <= 0 {
		return items
	}
	return append(slices.Clone(items[:maxItemsRead]), "and "+wording.FormatCount(int64(more))+" more")
}
