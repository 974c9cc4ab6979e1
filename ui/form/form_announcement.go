package form

import (
	"fmt"
	"lookout/ui"
	"strings"
)

// Announce is the field that has the keyboard, with what is wrong with it or to be known about it.
func (v *FormView) Announce(b ui.Box) ui.Announcement {
	shown := 0
	r := ui.Announcement{}
	for i, f := range v.form.Fields {
		if f.shown() {
			if shown++; i == v.focus {
				r.Position = shown
			}
		}
	}
	r.Count = shown
	var parts []string
	switch {
	case v.sending:
		parts = append(parts, v.form.ProgressText+", waiting for the answer")
	case v.confirmingExit:
		parts = append(parts, "escape again throws away what was typed, any other key keeps it")
	case v.focus < len(v.form.Fields):
		parts, r.Input = v.describeField(v.form.Fields[v.focus], b)
	case v.focus == len(v.form.Fields):
		parts, r.Input = []string{"type " + v.form.RequiredText + " to go on"}, "word: "+v.confirmInput.text()
	default:
		r.Position, r.Count = 0, 0
		parts = append(parts, "button "+v.form.SubmitLabel+": enter sends")
		if v.form.Review != nil {
			parts = append(parts, v.form.Review())
		}
	}
	if v.banner != "" {
		parts = append([]string{"refused: " + v.banner}, parts...)
	}
	r.Item = strings.Join(parts, "; ")
	return r
}

// Intro is what a form is about.
func (v *FormView) Intro() []string { return append([]string{v.form.Text}, v.form.Items...) }

// describeField is a field in words, and the line that is typed into it.
func (v *FormView) describeField(f Field, b ui.Box) (parts []string, input string) {
	parts = append(parts, f.Label)
	if t, ok := f.input.(interface{ describe(ui.Box) (string, string) }); ok {
		value, line := t.describe(b)
		if value != "" {
			parts = append(parts, value)
		}
		if line != "" || value == "" {
			input = f.Label + ": " + line
		}
	} else {
		parts = append(parts, strings.Join(f.input.view(b, true), " "))
	}
	reason := v.fieldErrors[f.Name]
	if reason == "" && v.showProblems {
		reason = f.problem()
	}
	if reason != "" {
		parts = append(parts, "wrong: "+reason)
	}
	if note := f.noteText(); note != "" {
		parts = append(parts, note)
	}
	return parts, input
}

// describe is the value and how to change it.
func (c *choice[S]) describe(ui.Box) (value, line string) {
	for i, o := range c.options {
		if o == *c.v {
			return fmt.Sprintf("%s, %d of %d, left and right change it", o, i+1, len(c.options)), ""
		}
	}
	return c.text(), ""
}

// describe is the option at hand, whether it is picked, and how many are.
func (m *multiChoice) describe(ui.Box) (value, line string) {
	options := m.options()
	if len(options) == 0 {
		return "nothing to choose from", ""
	}
	o, state := options[min(m.cursor, len(options)-1)], "not picked"
	for _, id := range *m.v {
		if id == o.ID {
			state = "picked"
		}
	}
	return fmt.Sprintf(
		"%s, %s, %d of %d, %d picked in all; space picks, left and right go on",
		o.Label,
		state,
		m.cursor+1,
		len(options),
		len(*m.v),
	), ""
}

// describe is the row at hand with its value.
func (g *grid[S]) describe(ui.Box) (value, line string) {
	if len(g.rows) == 0 {
		return "nothing to choose from", ""
	}
	return fmt.Sprintf(
		"%s: %s, %d of %d; left and right change it, up and down go on",
		g.rows[g.cursor],
		g.values[g.cursor],
		g.cursor+1,
		len(g.rows),
	), ""
}
