package table

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// A filter is text that rows must match: words that all must be in the row, "column:word" for one column, "!word" for
// what must not be there.
type filter struct {
	text     string
	typing   bool
	previous string // what esc goes back to
}

// startTyping gives the filter the keyboard, empty; esc goes back to what it was.
func (f *filter) startTyping() { f.typing, f.previous, f.text = true, f.text, "" }

// maxFilterBytes is how many bytes of a filter pasted text may make: more is no filter.
const maxFilterBytes = 1000

// paste adds pasted text, as much as makes a filter.
func (f *filter) paste(text string) {
	f.text += oneLine(text[:min(len(text), 4*maxFilterBytes)])
	f.text = strings.ToValidUTF8(f.text[:min(len(f.text), maxFilterBytes)], "")
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
		f.typing, f.text = false, f.previous
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(f.text)
		f.text = f.text[:len(f.text)-n]
	case "ctrl+u":
		f.text = ""
	default:
		f.text += oneLine(k.Text)
	}
}

// A filterTerm is one of a filter: what a cell must hold, or no cell may.
type filterTerm struct {
	text    string
	column  int // -1 is any
	negated bool
}

// maxFilterTerms is how many words of a filter count.
const maxFilterTerms = 64

// parseFilter takes a filter's text apart.
func parseFilter(columns []columnAccessor, text string) (words []filterTerm) {
	for part := range strings.FieldsSeq(strings.ToLower(text)) {
		w := filterTerm{column: -1}
		part, w.negated = strings.CutPrefix(part, "!")
		if name, rest, ok := strings.Cut(part, ":"); ok && name != "" {
			w.column = slices.IndexFunc(
				columns,
				func(c columnAccessor) bool { return strings.HasPrefix(strings.ToLower(c.title), name) },
			)
			if w.column >= 0 {
				part = rest
			}
		}
		if w.text = part; part != "" && len(words) < maxFilterTerms {
			words = append(words, w)
		}
	}
	return words
}

// compileFilter makes words a test on rows. It looks at a cell once at most, and at none that no word asks for.
func compileFilter(columns []columnAccessor, words []filterTerm) func(row int32) bool {
	var want, never uint64 // words by their numbers
	asked := make([]uint64, len(columns))
	for n, w := range words {
		if w.negated {
			never |= 1 << n
		} else {
			want |= 1 << n
		}
		for i := range columns {
			if w.column == i || w.column < 0 && !columns[i].filterByNameOnly {
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
				if n := bits.TrailingZeros64(ask); containsFold(cell, words[n].text) {
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

// containsFold reports whether a text holds a word of small letters, whatever the size of its own.
func containsFold(text, word string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text), word)
		}
	}
	first := word[0]
	for i := 0; i+len(word) <= len(text); i++ {
		if lowerASCII(text[i]) == first && hasPrefixFold(text[i:], word) {
			return true
		}
	}
	return false
}

func hasPrefixFold(text, word string) bool {
	for i := range len(word) {
		if lowerASCII(text[i]) != word[i] {
			return false
		}
	}
	return true
}

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
