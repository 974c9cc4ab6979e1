package input

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lookout/ui"
)

// TextArea is text of several lines. It keeps every byte that is not edited, invalid ones too, and draws a few lines
// around the cursor. bubbles' textarea does neither: it alters tabs and line ends, cuts 20,000 lines to 10,000, and
// takes 2 s a key with a line of 2 MB.
type TextArea struct {
	text   string
	cursor int // in bytes
	column int // in characters, that up and down keep to
	lines  bool
}

// blockLines is the number of lines in sight.
const blockLines = 5

// NewBlock returns a block with the cursor at the end of text. Enter is left to the caller.
func NewBlock(text string) *TextArea {
	b := &TextArea{}
	b.SetText(text)
	return b
}

// NewLines returns a block in which enter starts a new line.
func NewLines(text string) *TextArea {
	b := NewBlock(text)
	b.lines = true
	return b
}

// Text returns the text.
func (e *TextArea) Text() string { return e.text }

// SetText replaces the text and moves the cursor to its end.
func (e *TextArea) SetText(text string) {
	e.text = text
	e.move(len(text))
}

// AtEnd reports whether the cursor is at the end.
func (e *TextArea) AtEnd() bool { return e.cursor == len(e.text) }

// Press takes a key that edits the text. It reports false for any other key, and for up and down at the first and last
// line.
func (e *TextArea) Press(k tea.KeyPressMsg) bool {
	if EntersText(k) {
		e.Paste(k.Text)
		return true
	}
	switch k.String() {
	case "enter":
		if e.lines {
			e.Paste("\n")
		}
		return e.lines
	case "up":
		return e.up()
	case "down":
		return e.down()
	case "ctrl+home":
		e.move(0)
		return true
	case "ctrl+end":
		e.move(len(e.text))
		return true
	}
	return e.pressMove(k) || e.pressDelete(k)
}

// pressMove takes a key that moves the cursor.
func (e *TextArea) pressMove(k tea.KeyPressMsg) bool {
	switch {
	case key.Matches(k, keys.CharacterBackward):
		e.move(e.before())
	case key.Matches(k, keys.CharacterForward):
		e.move(e.after())
	case key.Matches(k, keys.WordBackward):
		e.move(e.wordStart())
	case key.Matches(k, keys.WordForward):
		e.move(e.wordEnd())
	case key.Matches(k, keys.LineStart):
		e.move(e.lineStart())
	case key.Matches(k, keys.LineEnd):
		e.move(e.lineEnd())
	default:
		return false
	}
	return true
}

// pressDelete takes a key that deletes text.
func (e *TextArea) pressDelete(k tea.KeyPressMsg) bool {
	switch {
	case key.Matches(k, keys.DeleteCharacterBackward):
		e.delete(e.before(), e.cursor)
	case key.Matches(k, keys.DeleteCharacterForward):
		e.delete(e.cursor, e.after())
	case key.Matches(k, keys.DeleteWordBackward):
		e.delete(e.wordStart(), e.cursor)
	case key.Matches(k, keys.DeleteWordForward):
		e.delete(e.cursor, e.wordEnd())
	case key.Matches(k, keys.DeleteBeforeCursor):
		e.delete(e.lineStart(), e.cursor)
	case key.Matches(k, keys.DeleteAfterCursor):
		e.delete(e.cursor, e.lineEnd())
	default:
		return false
	}
	return true
}

// move puts the cursor at a byte.
func (e *TextArea) move(to int) {
	e.cursor = to
	e.column = utf8.RuneCountInString(e.text[e.lineStart():to])
}

// delete removes the bytes between two places and leaves the cursor there.
func (e *TextArea) delete(from, to int) {
	e.text = e.text[:from] + e.text[to:]
	e.move(from)
}

// Paste inserts text at the cursor and reports whether some of it did not fit.
func (e *TextArea) Paste(text string) bool {
	text, tooLong := cut(text, max(0, MaxRunes-utf8.RuneCountInString(e.text)))
	text = clean(text, true)
	e.text = e.text[:e.cursor] + text + e.text[e.cursor:]
	e.move(e.cursor + len(text))
	return tooLong
}

// DeletePrefix removes what the text begins with. The cursor stays on its character.
func (e *TextArea) DeletePrefix(prefix string) {
	if rest, found := strings.CutPrefix(e.text, prefix); found {
		e.text = rest
		e.move(max(0, e.cursor-len(prefix)))
	}
}

func lastRune(text string) (rune, int) { return utf8.DecodeLastRuneInString(text) }

// before returns the place before the character at the left of the cursor.
func (e *TextArea) before() int {
	_, size := lastRune(e.text[:e.cursor])
	return e.cursor - size
}

// after returns the place behind the character at the cursor.
func (e *TextArea) after() int {
	_, size := utf8.DecodeRuneInString(e.text[e.cursor:])
	return e.cursor + size
}

// wordStart returns where the word at the left of the cursor starts.
func (e *TextArea) wordStart() int {
	text := strings.TrimRightFunc(e.text[:e.cursor], unicode.IsSpace)
	at := strings.LastIndexFunc(text, unicode.IsSpace)
	if at < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(text[at:])
	return at + size
}

// wordEnd returns where the word at the right of the cursor ends.
func (e *TextArea) wordEnd() int {
	rest := e.text[e.cursor:]
	word := strings.TrimLeftFunc(rest, unicode.IsSpace)
	end := strings.IndexFunc(word, unicode.IsSpace)
	if end < 0 {
		return len(e.text)
	}
	return e.cursor + len(rest) - len(word) + end
}

// lineStart returns where the line at the cursor starts.
func (e *TextArea) lineStart() int { return strings.LastIndexByte(e.text[:e.cursor], '\n') + 1 }

// lineEnd returns where the line at the cursor ends.
func (e *TextArea) lineEnd() int {
	if n := strings.IndexByte(e.text[e.cursor:], '\n'); n >= 0 {
		return e.cursor + n
	}
	return len(e.text)
}

// up moves the cursor to the line above and reports whether there is one.
func (e *TextArea) up() bool {
	start := e.lineStart()
	if start == 0 {
		return false
	}
	e.toColumn(strings.LastIndexByte(e.text[:start-1], '\n')+1, start-1)
	return true
}

// down moves the cursor to the line below and reports whether there is one.
func (e *TextArea) down() bool {
	end := e.lineEnd()
	if end == len(e.text) {
		return false
	}
	start := end + 1
	if n := strings.IndexByte(e.text[start:], '\n'); n >= 0 {
		e.toColumn(start, start+n)
	} else {
		e.toColumn(start, len(e.text))
	}
	return true
}

// toColumn puts the cursor in its column of a line, or at the line's end.
func (e *TextArea) toColumn(start, end int) {
	line, _ := cut(e.text[start:end], e.column)
	e.cursor = start + len(line)
}

// CurrentLine returns the line at the cursor, its number from 1, and the number of lines.
func (e *TextArea) CurrentLine() (line string, n, of int) {
	n = strings.Count(e.text[:e.cursor], "\n") + 1
	return e.text[e.lineStart():e.lineEnd()], n, n + strings.Count(e.text[e.cursor:], "\n")
}

// View draws a few lines: those around the cursor if the block is focused, else the first.
func (e *TextArea) View(b ui.Box, focused bool) []string {
	if !focused {
		return viewLines(b, e.text, blockLines)
	}
	start, end := e.lineStart(), e.lineEnd()
	above, below := linesBefore(e.text, start), linesAfter(e.text, end)
	before := min(len(above), max(2, blockLines-1-len(below)))
	var lines []string
	for _, line := range above[len(above)-before:] {
		lines = append(lines, viewText(b, line))
	}
	lines = append(lines, viewLine(b, e.text[start:e.cursor], e.text[e.cursor:end]))
	for _, line := range below[:min(len(below), blockLines-len(lines))] {
		lines = append(lines, viewText(b, line))
	}
	return lines
}

// viewLines draws the first n lines.
func viewLines(b ui.Box, text string, n int) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if len(lines) == n {
			break
		}
		lines = append(lines, viewText(b, line))
	}
	return lines
}

// linesBefore returns up to blockLines-1 lines before the line that starts at a place, in order.
func linesBefore(text string, start int) []string {
	var lines []string
	for start > 0 && len(lines) < blockLines-1 {
		end := start - 1
		start = strings.LastIndexByte(text[:end], '\n') + 1
		lines = append([]string{text[start:end]}, lines...)
	}
	return lines
}

// linesAfter returns up to blockLines-1 lines behind the line that ends at a place.
func linesAfter(text string, end int) []string {
	var lines []string
	for end < len(text) && len(lines) < blockLines-1 {
		line, _, _ := strings.Cut(text[end+1:], "\n")
		lines = append(lines, line)
		end += 1 + len(line)
	}
	return lines
}
