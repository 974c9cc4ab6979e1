package table

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client/visible"
	"lookout/ui"
	"lookout/ui/filter"
)

// scrollBy moves the cursor, or the detail while it is open over the list.
func (l *List[T]) scrollBy(by int) {
	if l.detail.open {
		l.detail.scroll = max(0, l.detail.scroll+by)
		return
	}
	l.moveCursor(by)
}

// pageSize returns the number of rows that a page moves by.
func (l *List[T]) pageSize() int { return max(1, l.frame.height-1) }

// goToEnd moves the cursor to the last row. It reads a lazy store to its end first; esc stops that.
func (l *List[T]) goToEnd() tea.Cmd {
	l.moveCursorTo(l.shown() - 1)
	if l.Store.Lazy() && !l.Store.Complete() {
		l.cursor.toEnd = true
		l.Store.LoadAll()
	}
	return nil
}

// continueToEnd moves the cursor to the end once the store has been read to its end and the rows are in order.
func (l *List[T]) continueToEnd() {
	if !l.cursor.toEnd || l.Store.LoadingAll() {
		return
	}
	if l.rowIndex.update(l); l.rowIndex.currentKey == l.wantedKey() {
		l.cursor.toEnd = false
		l.moveCursorTo(l.shown() - 1)
	}
}

// scrollColumns scrolls the columns sideways, to the right only while there is a column that is left out.
func (l *List[T]) scrollColumns(by int) {
	if by < 0 || l.renderer.dropped || l.renderer.withoutSpare {
		l.frame.scrolledColumns = max(0, min(len(l.Columns)-2, l.frame.scrolledColumns+by))
	}
}

// startFilter gives the filter the keyboard. The cursor goes to a row that matches.
func (l *List[T]) startFilter() {
	l.parent.selected = false
	l.filter.startTyping()
}

// typeFilter gives input to the filter that is being typed. Enter does not end the typing while something is known to
// be wrong with the text.
func (l *List[T]) typeFilter(msg tea.Msg) {
	typed := l.filter
	if l.filter.edit(msg) == "enter" {
		l.rowIndex.update(l)
		if l.rowIndex.note(l.wantedKey()).problem != "" {
			typed.refused = true
			l.filter = typed
		}
	}
}

// sortMenu offers the columns; the one in use is reversed.
func (l *List[T]) sortMenu() ui.OpenMenuMsg {
	return sortMenu(l.titles(), l.rowIndex.column, func(i int) {
		reverse := l.Columns[i].LargestFirst
		if l.rowIndex.column == i {
			reverse = !l.rowIndex.reverse
		}
		l.rowIndex.reverse = reverse
		l.rowIndex.column = i
	})
}

// toggleMark marks a row, or removes its mark.
func (l *List[T]) toggleMark(id string) {
	l.marks.reserve(l.Store)
	if i, held := l.Store.Index(id); held {
		l.marks.toggle(i)
	}
	l.marks.anchor = id
}

// markRange marks the rows from the last mark to the cursor. Without a mark it begins a range at the cursor.
func (l *List[T]) markRange() {
	from := l.rowIndex.position(l.Store, l.marks.anchor)
	if from < 0 {
		from = l.cursor.position
	}
	l.marks.anchor = l.cursor.id
	l.marks.reserve(l.Store)
	for i := min(from, l.cursor.position); i <= max(from, l.cursor.position) && i < l.shown(); i++ {
		l.marks.add(l.rowIndex.storePosition(i))
	}
}

// markAll marks every row that is shown.
func (l *List[T]) markAll() {
	l.marks.reserve(l.Store)
	if l.rowIndex.current == nil {
		l.marks.addFirst(l.Store.Len())
		return
	}
	for _, i := range l.rowIndex.current.rows {
		l.marks.add(int(i))
	}
}

// closeDetails is what esc does while the details of a row cover the list.
const closeDetails = "close details"

// escapeLabel returns what esc does here, or "".
func (l *List[T]) escapeLabel() string {
	switch {
	case l.Store.LoadingAll():
		return "stop reading"
	case l.detail.open:
		return closeDetails
	case l.marks.count() > 0:
		return "clear marks"
	case l.filter.text != "":
		return "clear filter"
	}
	return ""
}

// escape does what escapeLabel says.
func (l *List[T]) escape() {
	switch {
	case l.Store.LoadingAll():
		l.cursor.toEnd = false
		l.Store.Stop()
	case l.detail.open:
		l.detail.open = false
	case l.marks.count() > 0:
		l.marks.clear()
	default:
		l.filter = filterInput{}
	}
}

// openDetail opens the detail of a row, or the texts that it shortens if it is open.
func (l *List[T]) openDetail(row T) tea.Cmd {
	if l.detail.open && l.LongTexts != nil {
		return showLongTexts(l.LongTexts(row))
	}
	l.detail.open, l.detail.scroll = true, 0
	l.fetchRow(row)
	return nil
}

// showLongTexts opens a text, or a menu if there are several.
func showLongTexts(texts []ui.ShowTextMsg) tea.Cmd {
	var actions []ui.Action
	for i, t := range texts {
		key := ui.Bind(t.Title, strconv.Itoa(i+1))
		actions = append(actions, ui.Action{Key: key, OpensView: true, Do: func() tea.Cmd { return ui.Send(t) }})
	}
	switch len(actions) {
	case 0:
		return nil
	case 1:
		return actions[0].Do()
	}
	return ui.Send(ui.OpenMenuMsg{Title: "Show in full", Actions: actions})
}

// csv returns the list as it is shown.
func (l *List[T]) csv() string {
	var shown []int
	for i, column := range l.Columns {
		if !column.hidden {
			shown = append(shown, i)
		}
	}
	b := l.cellBox()
	return formatCSV(l.titles(), shown, l.shown(), func(row, column int) string {
		return l.Columns[column].copyText(l.rowAt(row), b)
	})
}

// copyText returns what is copied of a cell: the whole text, of which a cell may show only the beginning.
func (c *Column[T]) copyText(row T, b ui.Box) string {
	if c.Raw != nil {
		if raw := c.Raw(row); raw != "" {
			return raw
		}
	}
	text, _ := c.Cell(row, b)
	return text
}

// copyName returns the name of a row for a copy.
func (l *List[T]) copyName(row T) string {
	for i := range l.Columns {
		if l.Label == nil && l.Columns[i].IsLabel {
			return l.Columns[i].copyText(row, l.cellBox())
		}
	}
	return l.label(row, l.cellBox())
}

func asJSON(row any) string {
	data, err := json.MarshalIndent(row, "", "  ")
	if err != nil {
		return "cannot be written as JSON: " + err.Error()
	}
	return string(visible.EscapeJSON(data))
}

// moveActions returns the actions that move the cursor. The arrows scroll the columns unless one of the others has
// them.
func (l *List[T]) moveActions(others []ui.Action) []ui.Action {
	move := func(name string, do func(), keys ...string) ui.Action {
		return ui.LocalAction("move", name, "", do, keys...)
	}
	actions := []ui.Action{
		move("down", func() { l.scrollBy(1) }, "j", "down"),
		move("up", func() { l.scrollBy(-1) }, "k", "up"),
		move("page down", func() { l.scrollBy(l.pageSize()) }, "pgdown", "ctrl+f"),
		move("page up", func() { l.scrollBy(-l.pageSize()) }, "pgup", "ctrl+b"),
		move("first", func() { l.moveCursorTo(0) }, "g", "home"),
		{Key: ui.Bind("last", "G", "end"), Group: "move", Do: l.goToEnd},
	}
	if !hasBinding(others, "left") && !hasBinding(others, "right") {
		actions = append(actions,
			move("columns left", func() { l.scrollColumns(-1) }, "left"),
			move("columns right", func() { l.scrollColumns(1) }, "right"))
	}
	return actions
}

// hasBinding reports whether one of the actions has a key.
func hasBinding(actions []ui.Action, key string) bool {
	return slices.ContainsFunc(actions, func(a ui.Action) bool { return slices.Contains(a.Key.Keys(), key) })
}

// detailKey returns the key that opens the detail: enter, or i if a row action has enter; "" if both have other uses.
func detailKey(rowActions []ui.Action) string {
	switch {
	case !hasBinding(rowActions, "enter"):
		return "enter"
	case !hasBinding(rowActions, "i"):
		return "i"
	}
	return ""
}

// appendCommonActions appends what every list can do beside the actions on its rows and moving its cursor.
// disabled says why there is no row, "" if there is one.
func (l *List[T]) appendCommonActions(actions []ui.Action, disabled string, row T, rowActions []ui.Action) []ui.Action {
	mark := func() { l.toggleMark(l.Store.ID(row)); l.moveCursor(1) }
	send := func(name, key string, msg func() tea.Msg) ui.Action {
		return ui.Action{
			Key:            ui.Bind(name, key),
			Group:          "this list",
			DisabledReason: disabled,
			Do:             func() tea.Cmd { return ui.Send(msg()) },
		}
	}
	escape := l.escapeLabel()
	detailOpen := escape == closeDetails
	if escape != "" {
		action := ui.LocalAction("this list", escape, "", l.escape, "esc")
		action.ShowInHints = detailOpen
		actions = append(actions, action)
	}
	actions = append(actions,
		ui.Action{
			Key:         ui.Bind("filter", "/"),
			Group:       "this list",
			Description: filter.Summary,
			ShowInHints: true,
			Do:          func() tea.Cmd { l.startFilter(); return nil },
		},
		ui.Action{
			Key:         ui.Bind("sort", "s"),
			Group:       "this list",
			ShowInHints: true,
			Do:          func() tea.Cmd { return ui.Send(l.sortMenu()) },
		},
		ui.LocalAction("this list", "mark", disabled, mark, "space"),
		ui.LocalAction("this list", "mark range", disabled, l.markRange, "v"),
		ui.LocalAction("this list", "mark all", disabled, l.markAll, "A"),
		send("copy menu", "Y", func() tea.Msg { return l.copyMenu(row) }),
		send("view as JSON", "V", func() tea.Msg {
			return ui.ShowTextMsg{Title: l.label(row, l.cellBox()), Text: asJSON(row)}
		}),
	)
	if !hasBinding(rowActions, "y") {
		copyName := func() tea.Msg { return ui.CopyMsg{Text: l.copyName(row), Label: "name"} }
		actions = append(actions, send("copy name", "y", copyName))
	}
	if key := detailKey(rowActions); key != "" && l.Detail != nil {
		actions = append(actions, ui.Action{
			Key:            ui.Bind("details", key),
			Group:          "this list",
			DisabledReason: disabled,
			ShowInHints:    key == "enter" && !detailOpen,
			Do:             func() tea.Cmd { return l.openDetail(row) },
		})
	}
	return actions
}

// copyMenu offers what can be copied of a row and the list.
func (l *List[T]) copyMenu(row T) ui.OpenMenuMsg {
	label := l.label(row, l.cellBox())
	add := func(name, key string, text func() string) ui.Action {
		return ui.Action{
			Key: ui.Bind(name, key),
			Do:  func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: text(), Label: name}) },
		}
	}
	m := ui.OpenMenuMsg{Title: "Copy " + label, Actions: []ui.Action{
		add("name", "n", func() string { return l.copyName(row) }),
		add("id", "i", func() string { return l.Store.ID(row) }),
		add("row as JSON", "j", func() string { return asJSON(row) }),
		add("list as CSV", "c", l.csv),
	}}
	if l.CopyItems != nil {
		for _, c := range l.CopyItems(row) {
			m.Actions = append(m.Actions, add(c.Name, c.Key, func() string { return c.Text }))
		}
	}
	return m
}

// sortMenu offers columns by their titles; current is the one in use.
func sortMenu(titles []string, current int, choose func(column int)) ui.OpenMenuMsg {
	m := ui.OpenMenuMsg{Title: "Sort by"}
	for i, name := range titles {
		if i == current {
			name += " (reverse)"
		}
		m.Actions = append(m.Actions, ui.LocalAction("", name, "", func() { choose(i) }, fmt.Sprint((i+1)%10)))
	}
	return m
}

// formatCSV writes some columns of a table. Cells that a spreadsheet would take for a formula are quoted.
func formatCSV(titles []string, columns []int, rows int, cell func(row, column int) string) string {
	var b strings.Builder
	for i, c := range columns {
		writeCSVField(&b, i, titles[c])
	}
	b.WriteByte('\n')
	for row := range rows {
		for i, c := range columns {
			writeCSVField(&b, i, cell(row, c))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// writeCSVField writes the nth field of a line.
func writeCSVField(b *strings.Builder, n int, text string) {
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
