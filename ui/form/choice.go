package form

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
)

// Choice returns a field for one of a few values.
func Choice[S ~string](name, label string, v *S, options ...S) Field {
	return Field{Name: name, Label: label, input: newChoice(v, options...)}
}

func newChoice[S ~string](v *S, options ...S) *choice[S] { return &choice[S]{v: v, options: options} }

// choice is one of a few values, changed with left and right, or found by typing how it begins.
type choice[S ~string] struct {
	optionSearch
	v       *S
	options []S
	before  S // the value when the search began
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
	case "right":
		i++
	case "left":
		i--
	default:
		return c.choose(k)
	}
	c.clear()
	*c.v = c.options[(i+len(c.options))%len(c.options)]
	return true
}

// choose takes the option that begins with what is typed. If none does, the value is what it was before.
func (c *choice[S]) choose(k tea.KeyPressMsg) bool {
	if c.query() == "" {
		c.before = *c.v
	}
	if !c.take(k) {
		return false
	}
	*c.v = c.before
	if i := slices.IndexFunc(c.options, c.begins); i >= 0 && !c.begins(c.before) {
		*c.v = c.options[i]
	}
	return true
}

// begins reports whether an option begins with what is typed.
func (c *choice[S]) begins(option S) bool {
	return strings.HasPrefix(strings.ToLower(string(option)), strings.ToLower(c.query()))
}

// leave ends the search.
func (c *choice[S]) leave() { c.clear() }

// passesTyping marks an input from which typing goes on to the field below, if that takes it.
func (c *choice[S]) passesTyping() {}

func (c *choice[S]) view(b ui.Box, focused bool) []string {
	lines := drawChoice(b, focused, string(*c.v), c.optionNames())
	if !focused {
		return lines
	}
	found := 0
	for _, o := range c.options {
		if c.begins(o) {
			found++
		}
	}
	if c.query() == "" {
		return lines
	}
	return append(lines, c.searchLine(b, focused, found, len(c.options)))
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
	c := newChoice(&word, "yes", "no")
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
	c := newChoice(&word, unknownOption, "yes", "no")
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

// multiChoice is any number of options, picked with space and found by typing.
type multiChoice struct {
	optionless
	listSearch
	v       *[]int
	options func() []MultiChoiceOption
}

func (m *multiChoice) text() string { return fmt.Sprint(*m.v) }

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

// shown returns the options that the search finds.
func (m *multiChoice) shown() []MultiChoiceOption {
	options := m.options()
	var shown []MultiChoiceOption
	for _, i := range m.found(len(options), func(i int) string { return options[i].Label }) {
		shown = append(shown, options[i])
	}
	return shown
}

// search leaves space, which picks, to press.
func (m *multiChoice) search(k tea.KeyPressMsg) bool {
	return k.String() != "space" && m.listSearch.search(k)
}

func (m *multiChoice) press(k tea.KeyPressMsg) bool {
	options := m.shown()
	if len(options) == 0 {
		return false
	}
	switch k.String() {
	case "right":
		m.cursor = (m.cursor + 1) % len(options)
	case "left":
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

// leave ends the search.
func (m *multiChoice) leave() {
	options := m.shown()
	m.clear()
	if m.cursor < len(options) {
		m.cursor = slices.IndexFunc(m.options(), func(o MultiChoiceOption) bool { return o.ID == options[m.cursor].ID })
	}
}

func (m *multiChoice) view(b ui.Box, focused bool) []string {
	all, options := m.options(), m.shown()
	if len(all) == 0 {
		return []string{b.Theme.Paint(theme.Muted, m.whyEmpty())}
	}
	var line string
	var lines []string
	if m.query() != "" {
		lines = append(lines, m.searchLine(b, focused, len(options), len(all)))
	}
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
	return []KeyHint{{"space", "pick"}, {"left/right", "move"}, {"letters", "search"}}
}

// Grid returns a field with a choice for each of several rows.
func Grid[S ~string](name, label string, rows []string, values []S, options ...S) Field {
	return Field{Name: name, Label: label, input: &grid[S]{rows: rows, values: values, options: options}}
}

// grid is a choice for each of several rows, which are found by typing. gridRows of them are in sight.
type grid[S ~string] struct {
	optionless
	listSearch
	rows    []string
	values  []S
	options []S
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

// shown returns the indexes of the rows that the search finds.
func (g *grid[S]) shown() []int { return g.found(len(g.rows), func(i int) string { return g.rows[i] }) }

func (g *grid[S]) press(k tea.KeyPressMsg) bool {
	shown := g.shown()
	if len(shown) == 0 {
		return false
	}
	by := 0
	switch k.String() {
	case "down":
		if g.cursor == len(shown)-1 {
			return false
		}
		g.moveTo(g.cursor + 1)
	case "up":
		if g.cursor == 0 {
			return false
		}
		g.moveTo(g.cursor - 1)
	case "right":
		by = 1
	case "left":
		by = -1
	default:
		return false
	}
	n, row := len(g.options), shown[g.cursor]
	g.values[row] = g.options[(slices.Index(g.options, g.values[row])+by+n)%n]
	return true
}

// leave ends the search. The cursor stays on its row.
func (g *grid[S]) leave() {
	shown := g.shown()
	g.clear()
	if g.cursor < len(shown) {
		g.moveTo(shown[g.cursor])
	}
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
	return []KeyHint{{"left/right", "change"}, {"up/down", "move"}, {"letters", "search"}}
}

func (g *grid[S]) view(b ui.Box, focused bool) []string {
	if len(g.rows) == 0 {
		return []string{b.Theme.Paint(theme.Muted, g.whyEmpty())}
	}
	name, shown := max(4, b.Width-g.valueWidth()-6), g.shown()
	lines := []string{g.searchLine(b, focused, len(shown), len(g.rows))}
	last := min(len(shown), g.top+gridRows)
	for i := g.top; i < last; i++ {
		tone, lead, row := theme.Plain, "  ", shown[i]
		if g.values[row] != g.options[0] {
			tone = theme.Strong
		}
		value := string(g.values[row])
		if focused && i == g.cursor {
			tone, lead = theme.Accent, b.Theme.Glyphs.Cursor+" "
			value = b.Theme.Glyphs.Left + value + b.Theme.Glyphs.Right
		}
		lines = append(
			lines,
			b.Theme.Paint(tone, lead+ui.Pad(ui.Truncate(g.rows[row], name, b.Theme.Glyphs.Ellipsis), name)+" "+value),
		)
	}
	if rest := len(shown) - last; rest > 0 {
		lines = append(lines, b.Theme.Paint(theme.Muted, "  "+wording.Plural(rest, "more", "more")+" below"))
	}
	for len(lines) < min(len(g.rows), gridRows+1)+1 { // the form keeps its size during a search
		lines = append(lines, "")
	}
	return lines
}
