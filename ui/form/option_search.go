package form

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/input"
)

// optionSearch is text that is typed to find an option.
type optionSearch struct{ line *input.TextField } // nil until something is typed

// query returns the text.
func (s *optionSearch) query() string {
	if s.line == nil {
		return ""
	}
	return s.line.Text()
}

// take takes a key that types or edits the text; left and right stay with the options.
func (s *optionSearch) take(k tea.KeyPressMsg) bool {
	switch key := k.String(); {
	case key == "left", key == "right", s.query() == "" && (!input.EntersText(k) || key == "space"):
		return false
	}
	if s.line == nil {
		s.line = input.NewLine("")
	}
	return s.line.Press(k)
}

// leave ends the search.
func (s *optionSearch) leave() { s.line = nil }

// finds reports whether an option has every word of the text.
func (s *optionSearch) finds(option string) bool {
	option = strings.ToLower(option)
	for _, word := range strings.Fields(strings.ToLower(s.query())) {
		if !strings.Contains(option, word) {
			return false
		}
	}
	return true
}

// searchLine draws the text, and how many options it finds.
func (s *optionSearch) searchLine(b ui.Box, focused bool, found, of int) string {
	count := fmt.Sprintf("  %d of %d", found, of)
	switch {
	case s.query() == "":
		count = "  type to search"
	case found == 0:
		count = fmt.Sprintf("  none of %d", of)
	}
	field := b
	field.Width = max(4, min(b.Width-ui.Width(count), searchWidth))
	line := s.line
	if line == nil {
		line = input.NewLine("")
	}
	return input.ViewField(line, field, focused, "")[0] + b.Theme.Paint(theme.Muted, count)
}

// searchWidth is the width of the field for a search.
const searchWidth = 30

// listSearch is the search of an input that lists many options, and shows those that are found.
type listSearch struct {
	optionSearch
	names  func() []string // of all options
	cursor int             // among the options that are found
	top    int             // the first option in sight
}

// search takes a key for the search. The cursor goes to the first option that is found.
func (s *listSearch) search(k tea.KeyPressMsg) bool {
	before := s.query()
	if !s.take(k) {
		return false
	}
	if s.query() != before {
		s.cursor, s.top = 0, 0
	}
	return true
}

func (s *listSearch) paste(text string) {
	if s.line == nil {
		s.line = input.NewLine("")
	}
	s.line.Paste(strings.TrimSpace(text))
	s.cursor, s.top = 0, 0
}

// shown returns the indexes of the options that are found.
func (s *listSearch) shown() []int {
	var found []int
	for i, name := range s.names() {
		if s.finds(name) {
			found = append(found, i)
		}
	}
	return found
}

// leave ends the search. The cursor stays on its option.
func (s *listSearch) leave() {
	shown := s.shown()
	s.optionSearch.leave()
	if s.cursor < len(shown) {
		s.cursor = shown[s.cursor]
	}
}

// listState returns the state of the input, with the keys that work if there are options.
func (s *listSearch) listState(hints ...KeyHint) inputState {
	state := inputState{query: s.query(), takesTyping: true, emptyText: "nothing to choose from"}
	if len(s.names()) > 0 {
		state.hints = append(hints, KeyHint{"letters", "search"})
	}
	return state
}
