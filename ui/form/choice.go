package form

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// Choice returns a field for one of a few values.
func Choice[S ~string](name, label string, v *S, options ...S) Field {
	return Field{Name: name, Label: label, input: &choice[S]{v, options}}
}

// choice is one of a few values, changed with left and right.
type choice[S ~string] struct {
	v       *S
	options []S
}

func (c *choice[S]) text() string { return string(*c.v) }

func (c *choice[S]) paste(string) {}

func (c *choice[S]) set(text string) string {
	if !slices.Contains(c.options, S(text)) {
		return "not an option"
	}
	*c.v = S(text)
	return ""
}

func (c *choice[S]) optionNames() []string {
	names := make([]string, len(c.options))
	for i, o := range c.options {
		names[i] = string(o)
	}
	return names
}

// joinWithOr returns words as an enumeration: "url or tcp".
func joinWithOr(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (c *choice[S]) press(k tea.KeyPressMsg) bool {
	i := slices.Index(c.options, *c.v)
	switch k.String() {
	case "right", "space", "l":
		i++
	case "left", "h":
		i--
	default:
		return false
	}
	*c.v = c.options[(i+len(c.options))%len(c.options)]
	return true
}

func (c *choice[S]) view(b ui.Box, focused bool) []string {
	return drawChoice(b, focused, string(*c.v), c.optionNames())
}

// drawChoice draws a value among the options. It draws only the value if there is no room for all of them.
func drawChoice(b ui.Box, focused bool, value string, options []string) []string {
	tone := theme.Strong
	if focused {
		tone = theme.Accent
	}
	mark := func(tone theme.Tone, width int) string {
		text := ui.Truncate(ui.ShowOnLine(value), width-2, b.Theme.Glyphs.Ellipsis)
		return b.Theme.Paint(tone, b.Theme.Glyphs.Left+text+b.Theme.Glyphs.Right)
	}
	var parts []string
	at := slices.Index(options, value)
	if at < 0 && value != "" {
		parts = append(parts, mark(tone, math.MaxInt))
	}
	for i, o := range options {
		part := " " + o + " "
		if i == at {
			part = mark(tone, math.MaxInt)
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, " ")
	if ui.Width(text) <= b.Width {
		return []string{text}
	}
	position := ""
	if at >= 0 {
		position = fmt.Sprintf(" %d of %d", at+1, len(options))
	}
	return []string{mark(theme.Accent, b.Width-ui.Width(position)) + b.Theme.Paint(theme.Muted, position)}
}

func (c *choice[S]) hints() []KeyHint { return []KeyHint{{"left/right", "choose"}} }

// Switch returns a field for yes or no.
func Switch(name, label string, v *bool) Field {
	word := "no"
	if *v {
		word = "yes"
	}
	c := &choice[string]{&word, []string{"yes", "no"}}
	return Field{Name: name, Label: label, input: &toggle{c, v}}
}

// unknownOption is the option of a switch whose value is not known.
const unknownOption = "unknown"

// OptionalSwitch returns a field for yes or no, or for unknown if there is no value yet.
func OptionalSwitch(name, label string, v **bool) Field {
	if *v != nil {
		return Switch(name, label, *v)
	}
	word := unknownOption
	c := &choice[string]{&word, []string{unknownOption, "yes", "no"}}
	return Field{Name: name, Label: label, input: &optionalToggle{c, v}}
}

// optionalToggle is a choice of yes, no and unknown.
type optionalToggle struct {
	*choice[string]
	v **bool
}

func (t *optionalToggle) press(k tea.KeyPressMsg) bool {
	taken := t.choice.press(k)
	on := *t.choice.v == "yes"
	if *t.v = &on; *t.choice.v == unknownOption {
		*t.v = nil
	}
	return taken
}

// toggle is a choice of yes and no.
type toggle struct {
	*choice[string]
	v *bool
}

func (t *toggle) press(k tea.KeyPressMsg) bool {
	taken := t.choice.press(k)
	*t.v = *t.choice.v == "yes"
	return taken
}

func (t *toggle) kind() string { return "bool" }

func (t *toggle) optionNames() []string { return nil }

func (t *toggle) set(text string) string {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return "use true or false"
	}
	*t.v, *t.choice.v = on, map[bool]string{true: "yes", false: "no"}[on]
	return ""
}

// MultiChoiceOption is one option of a MultiChoice field.
type MultiChoiceOption struct {
	ID    int
	Label string
}

// MultiChoice returns a field for any number of options.
func MultiChoice(name, label string, v *[]int, options func() []MultiChoiceOption) Field {
	return Field{Name: name, Label: label, input: &multiChoice{v: v, options: options}}
}

// multiChoice is any number of options, picked with space.
type multiChoice struct {
	optionless
	v       *[]int
	options func() []MultiChoiceOption
	cursor  int
}

func (m *multiChoice) text() string { return fmt.Sprint(*m.v) }

func (m *multiChoice) paste(string) {}

func (m *multiChoice) kind() string { return "intSlice" }

// set picks the options of a list of IDs, whether they have been read or not; "none" picks none.
func (m *multiChoice) set(text string) string {
	picked := []int{}
	if text == "none" {
		*m.v = picked
		return ""
	}
	for word := range strings.SplitSeq(text, ",") {
		id, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return "enter IDs, numbers with commas between them, or none"
		}
		picked = append(picked, id)
	}
	*m.v = picked
	return ""
}

func (m *multiChoice) press(k tea.KeyPressMsg) bool {
	options := m.options()
	if len(options) == 0 {
		return false
	}
	switch k.String() {
	case "right", "l":
		m.cursor = (m.cursor + 1) % len(options)
	case "left", "h":
		m.cursor = (m.cursor + len(options) - 1) % len(options)
	case "space":
		id := options[min(m.cursor, len(options)-1)].ID
		if i := slices.Index(*m.v, id); i >= 0 {
			*m.v = slices.Delete(slices.Clone(*m.v), i, i+1)
		} else {
			*m.v = append(slices.Clone(*m.v), id)
		}
	default:
		return false
	}
	return true
}

func (m *multiChoice) view(b ui.Box, focused bool) []string {
	options := m.options()
	if len(options) == 0 {
		return []string{b.Theme.Paint(theme.Muted, m.whyEmpty())}
	}
	var line string
	var lines []string
	for i, o := range options {
		box, tone := "[ ] ", theme.Plain
		if slices.Contains(*m.v, o.ID) {
			box, tone = "["+b.Theme.Glyphs.Mark+"] ", theme.Strong
		}
		if focused && i == m.cursor {
			tone = theme.Caret
		}
		part := b.Theme.Paint(tone, ui.Truncate(box+o.Label, b.Width, b.Theme.Glyphs.Ellipsis))
		if line != "" && ui.Width(line)+2+ui.Width(part) > b.Width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += "  "
		}
		line += part
	}
	return append(lines, line)
}

func (m *multiChoice) hints() []KeyHint {
	if len(m.options()) == 0 {
		return nil
	}
	return []KeyHint{{"space", "pick"}, {"left/right", "move"}}
}

// Grid returns a field with a choice for each of several rows.
func Grid[S ~string](name, label string, rows []string, values []S, options ...S) Field {
	return Field{Name: name, Label: label, input: &grid[S]{rows: rows, values: values, options: options}}
}

// grid is a choice for each of several rows, of which gridRows are in sight.
type grid[S ~string] struct {
	optionless
	rows    []string
	values  []S
	options []S
	cursor  int
	top     int // first row in sight
}

const gridRows = 8

// optionless is an input that may have no options.
type optionless struct{ why func() string }

// setWhyEmpty sets what is shown if there are no options.
func (o *optionless) setWhyEmpty(why func() string) { o.why = why }

// whyEmpty returns what is shown if there are no options.
func (o *optionless) whyEmpty() string {
	if o.why != nil {
		if text := o.why(); text != "" {
			return text
		}
	}
	return "nothing to choose from"
}

func (g *grid[S]) text() string { return fmt.Sprint(g.values) }

func (g *grid[S]) paste(string) {}

func (g *grid[S]) press(k tea.KeyPressMsg) bool {
	if len(g.rows) == 0 {
		return false
	}
	by := 0
	switch k.String() {
	case "down", "j":
		if g.cursor == len(g.rows)-1 {
			return false
		}
		g.moveTo(g.cursor + 1)
	case "up", "k":
		if g.cursor == 0 {
			return false
		}
		g.moveTo(g.cursor - 1)
	case "right", "l", "space":
		by = 1
	case "left", "h":
		by = -1
	default:
		return false
	}
	n := len(g.options)
	g.values[g.cursor] = g.options[(slices.Index(g.options, g.values[g.cursor])+by+n)%n]
	return true
}

// valueWidth returns the width of the widest option.
func (g *grid[S]) valueWidth() int {
	widest := 0
	for _, o := range g.options {
		widest = max(widest, ui.Width(string(o)))
	}
	return widest
}

// needs returns the width in which no row is cut.
func (g *grid[S]) needs() int {
	widest := 0
	for _, row := range g.rows {
		widest = max(widest, ui.Width(row))
	}
	return widest + g.valueWidth() + 6
}

// moveTo moves the cursor to a row and scrolls it into sight.
func (g *grid[S]) moveTo(row int) {
	g.cursor = row
	g.top = max(min(g.top, row), row-gridRows+1)
}

func (g *grid[S]) hints() []KeyHint {
	if len(g.rows) == 0 {
		return nil
	}
	return []KeyHint{{"left/right", "change"}, {"up/down", "move"}}
}

func (g *grid[S]) view(b ui.Box, focused bool) []string {
	if len(g.rows) == 0 {
		return []string{b.Theme.Paint(theme.Muted, g.whyEmpty())}
	}
	name := max(4, b.Width-g.valueWidth()-6)
	var lines []string
	for i := g.top; i < min(len(g.rows), g.top+gridRows); i++ {
		tone, lead := theme.Plain, "  "
		if g.values[i] != g.options[0] {
			tone = theme.Strong
		}
		value := string(g.values[i])
		if focused && i == g.cursor {
			tone, lead = theme.Accent, b.Theme.Glyphs.Cursor+" "
			value = b.Theme.Glyphs.Left + value + b.Theme.Glyphs.Right
		}
		lines = append(
			lines,
			b.Theme.Paint(tone, lead+ui.Pad(ui.Truncate(g.rows[i], name, b.Theme.Glyphs.Ellipsis), name)+" "+value),
		)
	}
	if rest := len(g.rows) - g.top - len(lines); rest > 0 {
		lines = append(lines, b.Theme.Paint(theme.Muted, "  "+ui.Plural(rest, "more", "more")+" below"))
	}
	return lines
}
