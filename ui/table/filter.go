package table

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/filter"
	"lookout/ui/input"
)

// filterInput is the text that rows must match, in the language of the package ui/filter.
type filterInput struct {
	text     string
	typing   bool
	refused  bool             // enter did not end the typing, because something is wrong with the text
	previous string           // what esc restores
	line     *input.TextField // edits the text while typing
}

// filterNote is what is to be said about a filter.
type filterNote struct {
	problem string // what is wrong with it
	hint    string // how its end can go on, while it is being typed
}

// maxFilterRunes is the number of characters that a filter has at most.
const maxFilterRunes = 1000

// startTyping gives the filter the keyboard, empty; esc restores what it was.
func (f *filterInput) startTyping() {
	*f = filterInput{typing: true, previous: f.text, line: input.NewLine("")}
	f.line.SetLimit(maxFilterRunes)
}

// edit takes input while typing, and returns the key that ends it: "enter", "esc", or "" if it goes on.
func (f *filterInput) edit(msg tea.Msg) (end string) {
	f.refused = false
	switch end = editLine(f.line, msg); end {
	case "enter":
		*f = filterInput{text: f.text}
	case "esc":
		*f = filterInput{text: f.previous}
	default:
		f.text = f.line.Text()
	}
	return end
}

// view draws the filter, with its cursor while typing, and how many rows match or what is to be said about it. What
// does not fit beside it stands below it.
func (f *filterInput) view(b ui.Box, matches string, note filterNote) []string {
	t, mark := b.Theme, b.Theme.Glyphs.Ellipsis
	text, width := t.Paint(theme.Accent, "/"+f.text), ui.Width(f.text)+1
	if f.typing {
		room := b
		room.Width = max(8, b.Width-1)
		text, width = t.Paint(theme.Accent, "/")+f.line.View(room, true)[0], width+1
	}
	said, tone := cmp.Or(note.problem, note.hint, matches), theme.Accent
	switch {
	case note.problem != "" || f.refused:
		tone = theme.Warn
	case f.text == "" && f.typing:
		said, tone = filter.Summary, theme.Muted
	case note.hint != "":
		tone = theme.Muted
	}
	if room := b.Width - width - 3; ui.Width(said) <= room || note == (filterNote{}) {
		return []string{ui.Truncate(text+t.Paint(tone, "   "+said), b.Width, mark)}
	}
	lines := []string{ui.Truncate(text, b.Width, mark)}
	for _, line := range ui.Wrap(said, b.Width) {
		lines = append(lines, t.Paint(tone, line))
	}
	return lines
}
