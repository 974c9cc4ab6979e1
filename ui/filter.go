package ui

import (
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

// compile makes a filter's text a test on rows.
func compile[T any](l *List[T], text string) func(T) bool {
	box := l.light()
	var tests []func(T) bool
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		word, not := strings.CutPrefix(word, "!")
		columns := l.Columns
		if name, rest, ok := strings.Cut(word, ":"); ok {
			for i, c := range l.Columns {
				if strings.HasPrefix(strings.ToLower(c.Title), name) && name != "" {
					columns, word = l.Columns[i:i+1], rest
					break
				}
			}
		}
		if word == "" {
			continue
		}
		tests = append(tests, func(row T) bool {
			for _, c := range columns {
				if cell, _ := c.Cell(row, box); strings.Contains(strings.ToLower(cell), word) {
					return !not
				}
			}
			return not
		})
	}
	return func(row T) bool {
		for _, test := range tests {
			if !test(row) {
				return false
			}
		}
		return true
	}
}
