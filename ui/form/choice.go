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
	c := &choice{value: func() string { return string(*v) }, pick: func(o string) { *v = S(o) }}
	for _, o := range options {
		c.options = append(c.options, string(o))
	}
	return Field{Name: name, Label: label, options: c.options, input: c}
}

// Switch returns a field for yes or no.
func Switch(name, label string, v *bool) Field {
	yesOrNo := map[bool]string{true: "yes", false: "no"}
	c := &choice{
		options: []string{"yes", "no"},
		value:   func() string { return yesOrNo[*v] },
		pick:    func(o string) { *v = o == "yes" },
	}
	parse := func(text string) string {
		on, err := strconv.ParseBool(text)
		if err != nil {
			return "use true or false"
		}
		*v = on
		return ""
	}
	return Field{Name: name, Label: label, kind: KindBool, parse: parse, input: c}
}

// unknownOption is the option of a switch whose value is not known.
const unknownOption = "unknown"

// OptionalSwitch returns a field for yes or no, or for unknown if there is no value yet.
func OptionalSwitch(name, label string, v **bool) Field {
	if *v != nil {
		return Switch(name, label, *v)
	}
	word := unknownOption
	f := Choice(name, label, &word, unknownOption, "yes", "no")
	c := f.input.(*choice)
	pick := c.pick
	c.pick = func(o string) {
		pick(o)
		on := o == "yes"
		if *v = &on; o == unknownOption {
			*v = nil
		}
	}
	return f
}

// choice is one of a few values, changed with left and right, or found by typing how it begins.
type choice struct {
	optionSearch
	value   func() string
	pick    func(option string)
	options []string
	before  string // the value when the search began
}

func (c *choice) text() string { return c.value() }

func (c *choice) paste(string) {}

func (c *choice) set(text string) string {
	if !slices.Contains(c.options, text) {
		return "not an option"
	}
	c.pick(text)
	return ""
}

// joinWithOr returns words as an enumeration: "url or tcp".
func joinWithOr(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (c *choice) press(k tea.KeyPressMsg) (taken, edited bool) {
	i := slices.Index(c.options, c.value())
	switch k.String() {
	case "right":
		i++
	case "left":
		i--
	default:
		taken = c.choose(k)
		return taken, taken
	}
	c.leave()
	c.pick(c.options[(i+len(c.options))%len(c.options)])
	return true, true
}

// choose takes the option that begins with what is typed. If none does, the value is what it was before.
func (c *choice) choose(k tea.KeyPressMsg) bool {
	if c.query() == "" {
		c.before = c.value()
	}
	if !c.take(k) {
		return false
	}
	c.pick(c.before)
	if i := slices.IndexFunc(c.options, c.begins); i >= 0 && !c.begins(c.before) {
		c.pick(c.options[i])
	}
	return true
}

// begins reports whether an option begins with what is typed.
func (c *choice) begins(option string) bool {
	return strings.HasPrefix(strings.ToLower(option), strings.ToLower(c.query()))
}

func (c *choice) view(b ui.Box, focused bool, _ string) []string {
	lines := drawChoice(b, focused, c.value(), c.options)
	if !focused || c.query() == "" {
		return lines
	}
	found := 0
	for _, o := range c.options {
		if c.begins(o) {
			found++
		}
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

func (c *choice) state() inputState {
	return inputState{query: c.query(), passesTyping: true, hints: []KeyHint{{"left/right", "choose"}}}
}

// MultiChoiceOption is one option of a MultiChoice field.
type MultiChoiceOption struct {
	ID    int
	Label string
}

// MultiChoice returns a field for any number of options.
func MultiChoice(name, label string, v *[]int, options func() []MultiChoiceOption) Field {
	m := &multiChoice{v: v, options: options}
	m.names = func() []string {
		var names []string
		for _, o := range options() {
			names = append(names, o.Label)
		}
		return names
	}
	return Field{Name: name, Label: label, kind: KindList, input: m}
}

// multiChoice is any number of options, picked with space and found by typing.
type multiChoice struct {
	listSearch
	v       *[]int
	options func() []MultiChoiceOption
}

func (m *multiChoice) text() string { return fmt.Sprint(*m.v) }

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

// press takes a key. Space picks, so it is never part of a search.
func (m *multiChoice) press(k tea.KeyPressMsg) (taken, edited bool) {
	if k.String() != "space" && m.search(k) {
		return true, false
	}
	shown := m.shown()
	if len(shown) == 0 {
		return false, false
	}
	switch k.String() {
	case "right":
		m.cursor = (m.cursor + 1) % len(shown)
	case "left":
		m.cursor = (m.cursor + len(shown) - 1) % len(shown)
	case "space":
		id := m.options()[shown[min(m.cursor, len(shown)-1)]].ID
		if i := slices.Index(*m.v, id); i >= 0 {
			*m.v = slices.Delete(slices.Clone(*m.v), i, i+1)
		} else {
			*m.v = append(slices.Clone(*m.v), id)
		}
	default:
		return false, false
	}
	return true, true
}

func (m *multiChoice) view(b ui.Box, focused bool, empty string) []string {
	all, shown := m.options(), m.shown()
	if len(all) == 0 {
		return []string{b.Theme.Paint(theme.Muted, empty)}
	}
	var line string
	var lines []string
	if m.query() != "" {
		lines = append(lines, m.searchLine(b, focused, len(shown), len(all)))
	}
	for i, at := range shown {
		o := all[at]
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

func (m *multiChoice) state() inputState {
	return m.listState(KeyHint{"space", "pick"}, KeyHint{"left/right", "move"})
}

// Grid returns a field with a choice for each of several rows.
func Grid[S ~string](name, label string, rows []string, values []S, options ...S) Field {
	g := &grid{
		rows:  rows,
		value: func(row int) string { return string(values[row]) },
		change: func(row, by int) {
			n := len(options)
			values[row] = options[(slices.Index(options, values[row])+by+n)%n]
		},
		usual: string(options[0]),
	}
	g.names = func() []string { return rows }
	for _, row := range rows {
		g.nameWidth = max(g.nameWidth, ui.Width(row))
	}
	for _, o := range options {
		g.valueWidth = max(g.valueWidth, ui.Width(string(o)))
	}
	return Field{Name: name, Label: label, input: g}
}

// grid is a choice for each of several rows, which are found by typing. gridRows of them are in sight.
type grid struct {
	listSearch
	rows                  []string
	value                 func(row int) string
	change                func(row, by int) // to the next option, or for -1 to the one before
	usual                 string            // the value that is not emphasized
	nameWidth, valueWidth int               // of the widest
}

const gridRows = 8

func (g *grid) text() string {
	values := make([]string, len(g.rows))
	for i := range values {
		values[i] = g.value(i)
	}
	return fmt.Sprint(values)
}

func (g *grid) set(string) string { return "cannot be set by a script" }

func (g *grid) press(k tea.KeyPressMsg) (taken, edited bool) {
	if g.search(k) {
		return true, false
	}
	shown := g.shown()
	if len(shown) == 0 {
		return false, false
	}
	switch key := k.String(); {
	case key == "down" && g.cursor < len(shown)-1:
		g.moveTo(g.cursor + 1)
	case key == "up" && g.cursor > 0:
		g.moveTo(g.cursor - 1)
	case key == "right":
		g.change(shown[g.cursor], 1)
	case key == "left":
		g.change(shown[g.cursor], -1)
	default:
		return false, false
	}
	return true, true
}

// moveTo moves the cursor to a row and scrolls it into sight.
func (g *grid) moveTo(row int) {
	g.cursor = row
	g.top = max(min(g.top, row), row-gridRows+1)
}

// leave ends the search. The rows scroll so that the cursor is in sight.
func (g *grid) leave() {
	g.listSearch.leave()
	g.moveTo(g.cursor)
}

func (g *grid) state() inputState {
	s := g.listState(KeyHint{"left/right", "change"}, KeyHint{"up/down", "move"})
	s.width = g.nameWidth + g.valueWidth + 6
	return s
}

func (g *grid) view(b ui.Box, focused bool, empty string) []string {
	if len(g.rows) == 0 {
		return []string{b.Theme.Paint(theme.Muted, empty)}
	}
	name, shown := max(4, b.Width-g.valueWidth-6), g.shown()
	lines := []string{g.searchLine(b, focused, len(shown), len(g.rows))}
	last := min(len(shown), g.top+gridRows)
	for i := g.top; i < last; i++ {
		tone, lead, row := theme.Plain, "  ", shown[i]
		value := g.value(row)
		if value != g.usual {
			tone = theme.Strong
		}
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
