package ui

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// A filter is text that rows must match: words that all must be in the row, "column:word" for one column, "!word" for what must not be there.
type filter struct {
	text   string
	typing bool
	before string // what esc goes back to
}

// begin gives the filter the keyboard, empty; esc goes back to what it was.
func (f *filter) begin() { f.typing, f.before, f.text = true, f.text, "" }

// longestFilter is how many bytes of a filter pasted text may make: more is no filter.
const longestFilter = 1000

// paste adds pasted text, as much as makes a filter.
func (f *filter) paste(text string) {
	f.text += oneLine(text[:min(len(text), 4*longestFilter)])
	f.text = strings.ToValidUTF8(f.text[:min(len(f.text), longestFilter)], "")
}

// oneLine is pasted text without what would break a line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

// press takes a key while typing.
func (f *filter) press(k tea.KeyPressMsg) {
	switch k.String() {
	case "enter":
		f.typing = false
	case "esc":
		f.typing, f.text = false, f.before
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(f.text)
		f.text = f.text[:len(f.text)-n]
	case "ctrl+u":
		f.text = ""
	default:
		f.text += oneLine(k.Text)
	}
}

// A word is one of a filter: what a cell must hold, or no cell may.
type word struct {
	text   string
	column int // -1 is any
	not    bool
}

// mostWords is how many words of a filter count.
const mostWords = 64

// wordsOf takes a filter's text apart.
func wordsOf(columns []ordering, text string) (words []word) {
	for part := range strings.FieldsSeq(strings.ToLower(text)) {
		w := word{column: -1}
		part, w.not = strings.CutPrefix(part, "!")
		if name, rest, ok := strings.Cut(part, ":"); ok && name != "" {
			w.column = slices.IndexFunc(columns, func(c ordering) bool { return strings.HasPrefix(strings.ToLower(c.title), name) })
			if w.column >= 0 {
				part = rest
			}
		}
		if w.text = part; part != "" && len(words) < mostWords {
			words = append(words, w)
		}
	}
	return words
}

// compile makes words a test on rows. It looks at a cell once at most, and at none that no word asks for.
func compile(columns []ordering, words []word) func(row int32) bool {
	var want, never uint64 // words by their numbers
	asked := make([]uint64, len(columns))
	for n, w := range words {
		if w.not {
			never |= 1 << n
		} else {
			want |= 1 << n
		}
		for i := range columns {
			if w.column == i || w.column < 0 && !columns[i].named {
				asked[i] |= 1 << n
			}
		}
	}
	return func(row int32) bool {
		var found uint64
		for i, ask := range asked {
			ask &^= found
			if ask == 0 {
				continue
			}
			cell := columns[i].text(row)
			for ; ask != 0; ask &= ask - 1 {
				if n := bits.TrailingZeros64(ask); holds(cell, words[n].text) {
					found |= 1 << n
				}
			}
			if found&never != 0 {
				return false
			}
			if never == 0 && found == want {
				return true
			}
		}
		return found == want
	}
}

// holds reports whether a text holds a word of small letters, whatever the size of its own.
func holds(text, word string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text), word)
		}
	}
	first := word[0]
	for i := 0; i+len(word) <= len(text); i++ {
		if small(text[i]) == first && begins(text[i:], word) {
			return true
		}
	}
	return false
}

func begins(text, word string) bool {
	for i := range len(word) {
		if small(text[i]) != word[i] {
			return false
		}
	}
	return true
}

func small(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
