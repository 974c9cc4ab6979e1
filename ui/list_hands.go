package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// hands are what a list's own actions move: a list without the type of its rows. What is written with it stands in the program once, not
// once for each kind of row.
type hands interface {
	step(by int)
	to(place int)
	jump() int
	last() tea.Cmd
	shift(by int)
	begin()
	sortMenu() Menu
	markRange()
	markAll()
	clear()
	clearable() string
	detailKey() string
	has(key string) bool
}

// rowHands are what can be done with the row at the cursor.
type rowHands struct {
	mark             func()
	called, id, json func() string
	csv              func() string // of the whole list
	lines            func() []Copied
	detail           func() tea.Cmd
}

// plain is an action of the list that only changes what is shown.
func plain(group, name string, off string, do func(), keys ...string) Action {
	return Action{Key: Bind(name, keys...), Group: group, Off: off, Do: func() tea.Cmd { do(); return nil }}
}

// moves are the cursor's. The columns are moved by the arrows unless an action of the pane has one of them.
func moves(l hands, others []Action) []Action {
	still := []Action{
		plain("move", "down", "", func() { l.step(1) }, "j", "down"),
		plain("move", "up", "", func() { l.step(-1) }, "k", "up"),
		plain("move", "page down", "", func() { l.step(l.jump()) }, "pgdown", "ctrl+f"),
		plain("move", "page up", "", func() { l.step(-l.jump()) }, "pgup", "ctrl+b"),
		plain("move", "first", "", func() { l.to(0) }, "g", "home"),
		{Key: Bind("last", "G", "end"), Group: "move", Do: l.last},
	}
	if !bound(others, "left") && !bound(others, "right") {
		still = append(still, plain("move", "columns left", "", func() { l.shift(-1) }, "left"),
			plain("move", "columns right", "", func() { l.shift(1) }, "right"))
	}
	return still
}

// bound reports whether one of the actions has a key.
func bound(actions []Action, key string) bool {
	return slices.ContainsFunc(actions, func(a Action) bool { return slices.Contains(a.Key.Keys(), key) })
}

// listActions are what every list can do.
func listActions(l hands, there bool, row rowHands) []Action {
	none := ""
	if !there {
		none = "no row is at the cursor"
	}
	actions := []Action{
		{Key: Bind("filter", "/"), Group: "this list", About: "words that rows must hold; state:ok for one column, !word for what must not be there", Show: true,
			Do: func() tea.Cmd { l.begin(); return nil }},
		{Key: Bind("sort", "s"), Group: "this list", Show: true, Do: func() tea.Cmd { return Send(l.sortMenu()) }},
		plain("this list", "mark", none, row.mark, "space"),
		plain("this list", "mark range", none, l.markRange, "v"),
		plain("this list", "mark all", none, l.markAll, "A"),
		{Key: Bind("copy menu", "Y"), Group: "this list", Off: none, Do: func() tea.Cmd { return Send(row.copyMenu()) }},
		{Key: Bind("view as JSON", "V"), Group: "this list", Off: none, Do: func() tea.Cmd { return Send(Show{Title: row.called(), Text: row.json()}) }},
	}
	if !l.has("y") {
		actions = append(actions, Action{Key: Bind("copy name", "y"), Group: "this list", Off: none, Do: func() tea.Cmd { return Send(Copy{Text: row.called(), What: "name"}) }})
	}
	if key := l.detailKey(); key != "" {
		actions = append(actions, Action{Key: Bind("details", key), Group: "this list", Off: none, Show: key == "enter", Do: row.detail})
	}
	if what := l.clearable(); what != "" {
		actions = append(actions, plain("this list", what, "", l.clear, "esc"))
	}
	return actions
}

func (r rowHands) copyMenu() Menu {
	add := func(name, key, what string, text func() string) Action {
		return Action{Key: Bind(name, key), Do: func() tea.Cmd { return Send(Copy{Text: text(), What: what}) }}
	}
	m := Menu{Title: "Copy " + r.called(), Actions: []Action{
		add("name", "n", "name", r.called),
		add("id", "i", "id", r.id),
		add("row as JSON", "j", "row as JSON", r.json),
		add("list as CSV", "c", "list as CSV", r.csv),
	}}
	for _, c := range r.lines() {
		m.Actions = append(m.Actions, add(c.Name, c.Key, c.Name, func() string { return c.Text }))
	}
	return m
}

// sortMenu offers columns by their titles; by is the one in use.
func sortMenu(titles []string, by int, choose func(column int)) Menu {
	m := Menu{Title: "Sort by"}
	for i, name := range titles {
		if i == by {
			name += " (turn round)"
		}
		m.Actions = append(m.Actions, plain("", name, "", func() { choose(i) }, fmt.Sprint((i+1)%10)))
	}
	return m
}

// manyQuestion asks about exactly the rows that are listed, each of a kind ("service"). left of the marked ones are not among them; hidden are those that the filter hides.
func manyQuestion(name, kind string, list []string, left, hidden int) *Question {
	title := fmt.Sprintf("%s: %s", strings.ToUpper(name[:1])+name[1:], plural(len(list), kind, kind+"s"))
	text := "This is done with these and with no others."
	if hidden > 0 {
		text += fmt.Sprintf(" Not visible under the filter: %d of them.", hidden)
	}
	if left > 0 {
		text += fmt.Sprintf(" Left out: %s with which it cannot be done.", plural(left, "marked "+kind, "marked "+kind+"s"))
	}
	return &Question{Title: title, Text: text, List: list, Word: fmt.Sprint(len(list)), Yes: name}
}

// csv is a table of some of the columns. A cell that a spreadsheet would take for a formula is kept from it.
func csv(titles []string, columns []int, rows int, cell func(row, column int) string) string {
	var b strings.Builder
	for i, c := range columns {
		csvField(&b, i, titles[c])
	}
	b.WriteByte('\n')
	for row := range rows {
		for i, c := range columns {
			csvField(&b, i, cell(row, c))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// csvField writes a field; n is its place in the line.
func csvField(b *strings.Builder, n int, text string) {
	if n > 0 {
		b.WriteByte(',')
	}
	if text != "" && strings.ContainsAny(text[:1], "=+-@") {
		text = "'" + text
	}
	if strings.ContainsAny(text, "\",\n") {
		text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	b.WriteString(text)
}

// A frameState is what a list says about itself around its rows.
type frameState struct {
	fresh     Freshness
	name      string // of the rows
	notes     []string
	filter    filter
	shown     int // rows that the filter lets through
	held      int
	whole     bool
	sorted    string // title of the column that a list which is read bit by bit is sorted by; "" is none
	marked    int
	ifNothing string // what to say where there is no row at all
}

// absent says why there is no row: being read, none, none that match, not allowed, failed. Each says what to do.
func (s frameState) absent(b Box) []string {
	var text, next string
	tone := theme.Muted
	switch {
	case s.fresh.Err != nil && Denied(s.fresh.Err):
		text, next, tone = s.name+": not allowed for this user or token", s.fresh.Err.Error()+prefix(" · ", Advice(s.fresh.Err)), theme.Bad
	case s.fresh.Err != nil && !s.fresh.Loaded:
		text, next, tone = s.name+" could not be read", s.fresh.Err.Error()+prefix(" · ", Advice(s.fresh.Err))+" · r tries again", theme.Warn
	case !s.fresh.Loaded:
		text, next = "reading "+s.name+b.Theme.Glyphs.Ellipsis, "keys work meanwhile · ? helps"
	case s.held > 0:
		text, next = fmt.Sprintf("none of %s matches %q", plural(s.held, "row", "rows"), s.filter.text), "esc clears the filter"
	default:
		text = s.ifNothing
	}
	lines := []string{""}
	for _, line := range Wrap(text, max(10, b.Width-4)) {
		lines = append(lines, b.Theme.Paint(tone, "  "+line))
	}
	for _, line := range Wrap(next, max(10, b.Width-4)) {
		lines = append(lines, b.Theme.Paint(theme.Muted, "  "+line))
	}
	return lines
}

// foot are the lines beneath the rows: what is wrong, the filter, the marks.
func (s frameState) foot(b Box) []string {
	var lines []string
	say := func(tone theme.Tone, text string) {
		lines = append(lines, b.Theme.Paint(tone, Cut(text, b.Width, b.Theme.Glyphs.Ellipsis)))
	}
	if s.fresh.Err != nil && s.fresh.Loaded {
		say(toneOf(s.fresh.Err), fmt.Sprintf("%s · as of %s ago", s.fresh.Err.Error(), Age(b.Now.Sub(s.fresh.At))))
	}
	if len(s.notes) > 0 {
		say(theme.Warn, s.notes[0])
	}
	if s.filter.typing || s.filter.text != "" {
		cursor := ""
		if s.filter.typing {
			cursor = "_"
		}
		text := fmt.Sprintf("/%s%s   %s of %s match", s.filter.text, cursor, Grouped(int64(s.shown)), Grouped(int64(s.held)))
		if !s.whole {
			text += fmt.Sprintf(" in the %s loaded", Grouped(int64(s.held)))
		}
		say(theme.Accent, text)
	}
	if s.sorted != "" && !s.whole {
		say(theme.Warn, fmt.Sprintf("sorted by %s in the %s loaded", s.sorted, Grouped(int64(s.held))))
	}
	if s.marked > 0 {
		say(theme.Marked, plural(s.marked, "row", "rows")+" marked · esc clears the marks")
	}
	return lines
}
