package table

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/input"
)

// filter is text that rows must match: words that all must be in the row, "column:word" for one column, "!word" for
// what must not be there.
type filter struct {
	text     string
	typing   bool
	previous string      // what esc restores
	line     *input.Line // edits the text while typing
}

// maxFilterRunes is the number of characters that a filter has at most.
const maxFilterRunes = 1000

// startTyping gives the filter the keyboard, empty; esc restores what it was.
func (f *filter) startTyping() {
	*f = filter{typing: true, previous: f.text, line: input.NewLine("")}
	f.line.SetLimit(maxFilterRunes)
}

// paste inserts text while typing.
func (f *filter) paste(text string) {
	f.line.Paste(text)
	f.text = f.line.Text()
}

// press takes a key while typing.
func (f *filter) press(k tea.KeyPressMsg) {
	switch k.String() {
	case "enter":
		*f = filter{text: f.text}
	case "esc":
		*f = filter{text: f.previous}
	default:
		f.line.Press(k)
		f.text = f.line.Text()
	}
}

// view draws the filter, with its cursor while typing, and how many rows match.
func (f *filter) view(b ui.Box, matches string) string {
	if !f.typing {
		return b.Theme.Paint(theme.Accent, ui.Truncate("/"+f.text+matches, b.Width, b.Theme.Glyphs.Ellipsis))
	}
	room := b
	room.Width = max(min(b.Width-1, 8), b.Width-1-ui.Width(matches))
	text := b.Theme.Paint(theme.Accent, "/") + f.line.View(room, true)[0] + b.Theme.Paint(theme.Accent, matches)
	return ui.Truncate(text, b.Width, b.Theme.Glyphs.Ellipsis)
}

// filterTerm is one word of a filter: what a cell must contain, or no cell may.
type filterTerm struct {
	text    string
	column  int // -1 is any
	negated bool
}

// maxFilterTerms is the number of words in a filter that count.
const maxFilterTerms = 64

// parseFilter splits a filter's text into its terms.
func parseFilter(columns []columnAccessor, text string) (words []filterTerm) {
	for part := range strings.FieldsSeq(strings.ToLower(text)) {
		w := filterTerm{column: -1}
		part, w.negated = strings.CutPrefix(part, "!")
		if name, rest, ok := strings.Cut(part, ":"); ok && name != "" {
			if w.column = findColumn(columns, name); w.column >= 0 {
				part = rest
			}
		}
		if w.text = part; part != "" && len(words) < maxFilterTerms {
			words = append(words, w)
		}
	}
	return words
}

// findColumn returns the first column whose title, or else whose name, begins with a lower-case text; -1 if none does.
func findColumn(columns []columnAccessor, text string) int {
	at := slices.IndexFunc(
		columns, func(c columnAccessor) bool { return strings.HasPrefix(strings.ToLower(c.title), text) },
	)
	if at < 0 {
		at = slices.IndexFunc(columns, func(c columnAccessor) bool { return strings.HasPrefix(c.name, text) })
	}
	return at
}

// compileFilter returns a test on rows. It looks at each cell once at most, and only at cells that a term asks for.
func compileFilter(columns []columnAccessor, words []filterTerm) func(row int32) bool {
	var want, never uint64 // a bit for each term
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

// containsFold reports whether text contains a lower-case word, ignoring the case of the text.
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

// hasPrefixFold reports whether ASCII text starts with a lower-case word, ignoring the case of the text.
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
