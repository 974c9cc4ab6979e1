package table

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// listController are what a list's own actions move: a list without the type of its rows. What is written with it
// stands in the program once, not once for each kind of row.
type listController interface {
	scrollBy(by int)
	moveCursorTo(place int)
	pageSize() int
	goToEnd() tea.Cmd
	scrollColumns(by int)
	startFilter()
	sortMenu() ui.Menu
	markRange()
	markAll()
	escape()
	escapeLabel() string
	detailKey() string
	hasKey(key string) bool
}

// rowCommands are what can be done with the row at the cursor.
type rowCommands struct {
	mark            func()
	label, id, json func() string
	csv             func() string // of the whole list
	copyItems       func() []ui.CopyItem
	openDetail      func() tea.Cmd
}

// cursorActions are the cursor's. The columns are moved by the arrows unless an action of the pane has one of them.
func cursorActions(l listController, others []ui.Action) []ui.Action {
	still := []ui.Action{
		ui.LocalAction("move", "down", "", func() { l.scrollBy(1) }, "j", "down"),
		ui.LocalAction("move", "up", "", func() { l.scrollBy(-1) }, "k", "up"),
		ui.LocalAction("move", "page down", "", func() { l.scrollBy(l.pageSize()) }, "pgdown", "ctrl+f"),
		ui.LocalAction("move", "page up", "", func() { l.scrollBy(-l.pageSize()) }, "pgup", "ctrl+b"),
		ui.LocalAction("move", "first", "", func() { l.moveCursorTo(0) }, "g", "home"),
		{Key: ui.Bind("last", "G", "end"), Group: "move", Do: l.goToEnd},
	}
	if !hasBinding(others, "left") && !hasBinding(others, "right") {
		still = append(still, ui.LocalAction("move", "columns left", "", func() { l.scrollColumns(-1) }, "left"),
			ui.LocalAction("move", "columns right", "", func() { l.scrollColumns(1) }, "right"))
	}
	return still
}

// hasBinding reports whether one of the actions has a key.
func hasBinding(actions []ui.Action, key string) bool {
	return slices.ContainsFunc(actions, func(a ui.Action) bool { return slices.Contains(a.Key.Keys(), key) })
}

// commonActions are what every list can do.
func commonActions(l listController, there bool, row rowCommands) []ui.Action {
	none := ""
	if !there {
		none = "no row is at the cursor"
	}
	actions := []ui.Action{
		{
			Key:         ui.Bind("filter", "/"),
			Group:       "this list",
			Description: "words that rows must hold; state:ok for one column, !word for what must not be there",
			ShowInHints: true,
			Do:          func() tea.Cmd { l.startFilter(); return nil },
		},
		{
			Key:         ui.Bind("sort", "s"),
			Group:       "this list",
			ShowInHints: true,
			Do:          func() tea.Cmd { return ui.Send(l.sortMenu()) },
		},
		ui.LocalAction("this list", "mark", none, row.mark, "space"),
		ui.LocalAction("this list", "mark range", none, l.markRange, "v"),
		ui.LocalAction("this list", "mark all", none, l.markAll, "A"),
		{
			Key:            ui.Bind("copy menu", "Y"),
			Group:          "this list",
			DisabledReason: none,
			Do:             func() tea.Cmd { return ui.Send(row.copyMenu()) },
		},
		{
			Key:            ui.Bind("view as JSON", "V"),
			Group:          "this list",
			DisabledReason: none,
			Do:             func() tea.Cmd { return ui.Send(ui.ShowTextMsg{Title: row.label(), Text: row.json()}) },
		},
	}
	if !l.hasKey("y") {
		actions = append(actions, ui.Action{
			Key:            ui.Bind("copy name", "y"),
			Group:          "this list",
			DisabledReason: none,
			Do:             func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: row.label(), Label: "name"}) },
		})
	}
	if key := l.detailKey(); key != "" {
		actions = append(actions, ui.Action{
			Key:            ui.Bind("details", key),
			Group:          "this list",
			DisabledReason: none,
			ShowInHints:    key == "enter",
			Do:             row.openDetail,
		})
	}
	if what := l.escapeLabel(); what != "" {
		actions = append(actions, ui.LocalAction("this list", what, "", l.escape, "esc"))
	}
	return actions
}

func (r rowCommands) copyMenu() ui.Menu {
	add := func(name, key, what string, text func() string) ui.Action {
		return ui.Action{Key: ui.Bind(name, key), Do: func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: text(), Label: what}) }}
	}
	m := ui.Menu{Title: "Copy " + r.label(), Actions: []ui.Action{
		add("name", "n", "name", r.label),
		add("id", "i", "id", r.id),
		add("row as JSON", "j", "row as JSON", r.json),
		add("list as CSV", "c", "list as CSV", r.csv),
	}}
	for _, c := range r.copyItems() {
		m.Actions = append(m.Actions, add(c.Name, c.Key, c.Name, func() string { return c.Text }))
	}
	return m
}

// sortMenu offers columns by their titles; by is the one in use.
func sortMenu(titles []string, by int, choose func(column int)) ui.Menu {
	m := ui.Menu{Title: "Sort by"}
	for i, name := range titles {
		if i == by {
			name += " (turn round)"
		}
		m.Actions = append(m.Actions, ui.LocalAction("", name, "", func() { choose(i) }, fmt.Sprint((i+1)%10)))
	}
	return m
}

// batchConfirmation asks about exactly the rows that are listed, each of a kind ("service"). left of the marked ones
// are not among them; hidden are those that the filter hides.
func batchConfirmation(name, kind string, list []string, left, hidden int) *ui.Confirmation {
	title := fmt.Sprintf("%s: %s", strings.ToUpper(name[:1])+name[1:], ui.Plural(len(list), kind, kind+"s"))
	text := "This is done with these and with no others."
	if hidden > 0 {
		text += fmt.Sprintf(" Not visible under the filter: %d of them.", hidden)
	}
	if left > 0 {
		text += fmt.Sprintf(
			" Left out: %s with which it cannot be done.",
			ui.Plural(left, "marked "+kind, "marked "+kind+"s"),
		)
	}
	return &ui.Confirmation{
		Title:        title,
		Text:         text,
		Items:        list,
		RequiredText: fmt.Sprint(len(list)),
		ConfirmLabel: name,
	}
}

// formatCSV is a table of some of the columns. A cell that a spreadsheet would take for a formula is kept from it.
func formatCSV(titles []string, columns []int, rows int, cell func(row, column int) string) string {
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

// A listStatus is what a list says about itself around its rows.
type listStatus struct {
	freshness ui.Freshness
	name      string // of the rows
	notes     []string
	filter    filter
	matching  int // rows that the filter lets through
	loaded    int
	complete  bool
	sortTitle string // title of the column that a list which is read bit by bit is sorted by; "" is none
	marked    int
	emptyText string // what to say where there is no row at all
}

// explainEmpty says why there is no row: being read, none, none that match, not allowed, failed. Each says what to do.
func (s listStatus) explainEmpty(b ui.Box) []string {
	var text, next string
	tone := theme.Muted
	switch {
	case s.freshness.Err != nil && ui.Denied(s.freshness.Err):
		text, next, tone = s.name+": not allowed for this user or token", s.freshness.Err.Error()+ui.WithPrefix(
			" · ",
			ui.Advice(s.freshness.Err),
		), theme.Bad
	case s.freshness.Err != nil && !s.freshness.Loaded:
		text, next, tone = s.name+" could not be read", s.freshness.Err.Error()+ui.WithPrefix(
			" · ",
			ui.Advice(s.freshness.Err),
		)+" · r tries again", theme.Warn
	case !s.freshness.Loaded:
		text, next = "reading "+s.name+b.Theme.Glyphs.Ellipsis, "keys work meanwhile · ? helps"
	case s.loaded > 0:
		text, next = fmt.Sprintf(
			"none of %s matches %q",
			ui.Plural(s.loaded, "row", "rows"),
			s.filter.text,
		), "esc clears the filter"
	default:
		text = s.emptyText
	}
	lines := []string{""}
	for _, line := range ui.Wrap(text, max(10, b.Width-4)) {
		lines = append(lines, b.Theme.Paint(tone, "  "+line))
	}
	for _, line := range ui.Wrap(next, max(10, b.Width-4)) {
		lines = append(lines, b.Theme.Paint(theme.Muted, "  "+line))
	}
	return lines
}

// footer are the lines beneath the rows: what is wrong, the filter, the marks.
func (s listStatus) footer(b ui.Box) []string {
	var lines []string
	say := func(tone theme.Tone, text string) {
		lines = append(lines, b.Theme.Paint(tone, ui.Truncate(text, b.Width, b.Theme.Glyphs.Ellipsis)))
	}
	if s.freshness.Err != nil && s.freshness.Loaded {
		say(
			ui.ErrorTone(s.freshness.Err),
			fmt.Sprintf("%s · as of %s ago", s.freshness.Err.Error(), ui.FormatAge(b.Now.Sub(s.freshness.LoadedAt))),
		)
	}
	if len(s.notes) > 0 {
		say(theme.Warn, s.notes[0])
	}
	if s.filter.typing || s.filter.text != "" {
		cursor := ""
		if s.filter.typing {
			cursor = "_"
		}
		text := fmt.Sprintf(
			"/%s%s   %s of %s match",
			s.filter.text,
			cursor,
			ui.FormatCount(int64(s.matching)),
			ui.FormatCount(int64(s.loaded)),
		)
		if !s.complete {
			text += fmt.Sprintf(" in the %s loaded", ui.FormatCount(int64(s.loaded)))
		}
		say(theme.Accent, text)
	}
	if s.sortTitle != "" && !s.complete {
		say(theme.Warn, fmt.Sprintf("sorted by %s in the %s loaded", s.sortTitle, ui.FormatCount(int64(s.loaded))))
	}
	if s.marked > 0 {
		say(theme.Marked, ui.Plural(s.marked, "row", "rows")+" marked · esc clears the marks")
	}
	return lines
}
