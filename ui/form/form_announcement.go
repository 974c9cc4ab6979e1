package form

import (
	"fmt"
	"slices"
	"strings"

	"lookout/client/wording"
	"lookout/ui"
)

// Announce tells the field that has the keyboard, with what is wrong with it or to be known about it.
func (v *FormView) Announce(b ui.Box) ui.ScreenReaderText {
	a := ui.ScreenReaderText{}
	a.Position, a.Count = v.focusPosition()
	var parts []string
	switch {
	case v.stop != nil:
		parts = append(parts, v.form.BusyText+", press escape to stop")
	case v.sending:
		parts = append(parts, v.form.BusyText+", waiting for the response")
	case v.exitKey != "":
		key := strings.Replace(v.exitKey, "esc", "escape", 1)
		parts = append(parts, "press "+key+" again to discard what you typed, any other key keeps it")
	case v.focus < len(v.form.Fields):
		parts, a.Input = v.describeField(v.form.Fields[v.focus])
	case v.focus == len(v.form.Fields):
		parts, a.Input = []string{v.askForWord()}, "word: "+v.confirmInput.text()
	default:
		a.Position, a.Count = 0, 0
		parts = append(parts, "button "+v.form.SubmitLabel+": enter sends")
		if v.form.Review != nil {
			parts = append(parts, v.form.Review())
		}
	}
	if v.banner != "" {
		parts = append([]string{"refused: " + v.banner}, parts...)
	}
	a.Item = strings.Join(parts, "; ")
	return a
}

// focusPosition returns the position, from 1, of the field with the keyboard among those shown.
func (v *FormView) focusPosition() (position, count int) {
	for i, f := range v.form.Fields {
		if !f.shown() {
			continue
		}
		count++
		if i == v.focus {
			position = count
		}
	}
	return position, count
}

// Intro returns what the form is about.
func (v *FormView) Intro() []string {
	return append([]string{v.form.Text}, ui.ReadItems(v.form.Items)...)
}

// describeField returns a field in words, and the line that is typed into it.
func (v *FormView) describeField(f Field) (parts []string, input string) {
	parts = append(parts, f.Label)
	value, line := f.input.describe(f.emptyText())
	if value != "" {
		parts = append(parts, value)
	}
	if line != "" || value == "" {
		input = f.Label + ": " + line
	}
	if reason := v.reason(f); reason != "" {
		parts = append(parts, "wrong: "+reason)
	}
	if note := f.NoteText(); note != "" {
		parts = append(parts, note)
	}
	return parts, input
}

// describe says what the value is and how to change it.
func (c *choice) describe(string) (value, line string) {
	i := slices.Index(c.options, c.value())
	if i < 0 {
		return ui.ShowOnLine(c.value()), ""
	}
	return fmt.Sprintf("%s, %d of %d, left and right change it", c.value(), i+1, len(c.options)), ""
}

// describe says what the option at the cursor is, whether it is picked, and how many are.
func (m *multiChoice) describe(empty string) (value, line string) {
	options, shown := m.options(), m.shown()
	if len(options) == 0 {
		return empty, ""
	}
	if len(shown) == 0 {
		return "no match", "search: " + m.query()
	}
	at := min(m.cursor, len(shown)-1)
	option := options[shown[at]]
	state := "not picked"
	if slices.Contains(*m.v, option.ID) {
		state = "picked"
	}
	return fmt.Sprintf("%s, %s, %d of %d, %d picked in all; space picks, left and right move, letters search",
		option.Label, state, at+1, len(shown), len(*m.v)), wording.WithPrefix("search: ", m.query())
}

// describe says what the row under the cursor and its value are.
func (g *grid) describe(empty string) (value, line string) {
	shown := g.shown()
	if len(g.rows) == 0 {
		return empty, ""
	}
	if len(shown) == 0 {
		return "no match", "search: " + g.query()
	}
	row := shown[g.cursor]
	return fmt.Sprintf("%s: %s, %d of %d; left and right change it, up and down move, letters search",
		g.rows[row], g.value(row), g.cursor+1, len(shown)), wording.WithPrefix("search: ", g.query())
}
