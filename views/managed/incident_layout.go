package managed

import (
	"fmt"
	"slices"
	"strings"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
)

// Widths from which on the sections of an incident stand in two and in three columns.
const (
	twoColumns   = 108
	threeColumns = 150
)

// incidentLayout places the sections of an incident in a box. It keeps the panels that it has drawn.
type incidentLayout struct {
	panels   ui.PanelStack
	wholeDay bool // the charts show 24 hours, not only those around the detection
	keys     bool // the layout is drawn in the pane, whose keys work
}

// minChart is the least height of a chart with its border.
const minChart = 8

// view returns the incident as text, which may be longer than the box.
func (l *incidentLayout) view(a *account.Account, i *client.Issue, b ui.Box) string {
	b.Focused = false // no box of an incident has the keyboard
	w := incidentSections{a: a, i: i, b: b, notes: 12, keys: l.keys}
	head := w.headLine()
	var text string
	switch {
	case b.Width >= threeColumns:
		text = l.columns(w, len(head), 3)
	case b.Width >= twoColumns:
		text = l.columns(w, len(head), 2)
	default:
		text = l.stacked(w, len(head))
	}
	return strings.Join(head, "\n") + "\n" + text
}

// in returns the writer of sections in boxes of a width.
func (w incidentSections) in(width int) incidentSections {
	w.b.Width = width
	w.b = w.b.InPanel()
	return w
}

// sectionsHeight returns the height of boxes below each other.
func sectionsHeight(sections []ui.StackedPanel) int {
	height := 0
	for _, s := range sections {
		height += len(s.Lines) + 2
	}
	return height
}

// draw draws boxes below each other, as high as they are.
func (l *incidentLayout) draw(sections []ui.StackedPanel, b ui.Box) string {
	b.Height = sectionsHeight(sections)
	return l.panels.View(sections, b)
}

// stacked is for narrow screens: boxes of what decides the call, then lines. What comes after that, with its charts,
// may need scrolling.
func (l *incidentLayout) stacked(w incidentSections, headLines int) string {
	inside := w.in(w.b.Width)
	foot := w.footLines(true)
	room := w.b.Height - headLines
	sections := append(inside.services(), inside.call())
	if sectionsHeight(sections)+len(foot) > room {
		foot = w.footLines(false)
	}
	for inside.notes = 4; inside.notes > 1 && sectionsHeight(sections)+len(foot) > room; inside.notes-- {
		sections = append(inside.services(), inside.call())
	}
	var below []ui.StackedPanel
	if sectionsHeight(sections) > room { // the numbers to call are on the first page
		below = inside.services()
		if sections = []ui.StackedPanel{inside.affected(), inside.call()}; sectionsHeight(sections) > room {
			slices.Reverse(sections)
		}
	}
	parts := []string{l.draw(sections, w.b), strings.Join(foot, "\n")}
	room -= sectionsHeight(sections) + len(foot)
	chart := w.b
	chart.Height = min(max(room, minChart), 12)
	if 0 < room && room < minChart { // the chart begins below the screen: half of one looks like missing values
		parts = append(parts, strings.Repeat("\n", room-1))
	}
	parts = append(parts, l.charts(w, chart, 1))
	before := append(below, inside.history(5), inside.changes(5))
	return strings.Join(append(parts, l.draw(before, w.b)), "\n")
}

// columns places the sections in columns, and the charts below them.
func (l *incidentLayout) columns(w incidentSections, headLines, count int) string {
	width := w.b.Width / count
	columns := make([][]ui.StackedPanel, count)
	inside := w.in(width)
	last := w.in(w.b.Width - (count-1)*width)
	ssh, reachable := inside.ssh()
	columns[0] = inside.services()
	if reachable {
		columns[0] = append(columns[0], ssh)
	}
	if count == 2 {
		columns[0] = append(columns[0], inside.maintenance())
		columns[1] = []ui.StackedPanel{last.call(), last.history(3), last.changes(3)}
	} else {
		columns[1] = []ui.StackedPanel{inside.call(), inside.history(historyLength)}
		columns[2] = []ui.StackedPanel{last.maintenance(), last.changes(8)}
	}
	height := 0
	for _, c := range columns {
		height = max(height, sectionsHeight(c))
	}
	text := ""
	for n, c := range columns {
		b := w.b
		b.Width, b.Height = width, height
		if n == count-1 {
			b.Width = w.b.Width - n*width
		}
		if drawn := l.panels.View(c, b); n == 0 {
			text = drawn
		} else {
			text = ui.JoinHorizontal(text, drawn, n*width, w.b.Width)
		}
	}
	const twoRows = 2 * 7 // of charts
	load, room := w.loadLines(), w.b.Height-headLines-height
	if len(load) > 1 && room-len(load) < twoRows {
		load = load[:1]
		load[0] += " " + w.b.Theme.Glyphs.Ellipsis
	}
	chart := w.b
	chart.Height = max(room-len(load), 8)
	return strings.Join(append(append([]string{text}, load...), l.charts(w, chart, 2)), "\n")
}

// charts draws the load around the detection: two metrics beside each other, all four if there is room, or in one
// column. If the stats do not hold that moment, it says so.
func (l *incidentLayout) charts(w incidentSections, b ui.Box, columns int) string {
	if why := whyNoLoad(w.a, w.i); why != "" && w.a.Stats().Loaded() {
		inside := w.in(b.Width)
		load := ui.StackedPanel{
			Name:  "load",
			Title: theme.Title("Load around the detection"),
			Lines: inside.wrap(why, theme.Muted),
		}
		b.Height = max(min(b.Height, 4), len(load.Lines)+2)
		return l.panels.View([]ui.StackedPanel{load}, b)
	}
	metrics := Metrics()
	draw := func(n int, b ui.Box) string { return LoadPanel(w.a, w.i, metrics[n], b, l.wholeDay) }
	if columns == 1 {
		return draw(0, b)
	}
	return chartGrid(b, 1+min(1, b.Height/14), draw)
}

// footLines returns how to log in, the load at the detection, what was before, and what is now. whole shows all figures
// of the load, otherwise one line of them.
func (w incidentSections) footLines(whole bool) []string {
	const labelWidth = 8
	t := w.b.Theme
	var lines []string
	put := func(label string, of ...string) {
		for _, line := range of {
			lines = append(lines, t.Paint(theme.Strong, ui.Pad(label, labelWidth))+line)
			label = ""
		}
	}
	narrow := w
	narrow.b.Width -= labelWidth
	if ssh, reachable := narrow.ssh(); reachable {
		put("SSH", ssh.Lines...)
	}
	if why := whyNoLoad(w.a, w.i); why != "" {
		if !w.a.Stats().Loaded() {
			why = join.StateOf(w.a.Stats()).String()
		}
		put("LOAD", wrapParts([]string{why}, narrow.b)...)
	} else {
		figures := narrow.loadLines()
		if !whole && len(figures) > 1 {
			figures = []string{figures[0] + " " + t.Glyphs.Ellipsis}
		}
		put("LOAD", figures...)
	}
	put("EARLIER", wrapParts([]string{w.beforeText()}, narrow.b)...)
	for _, l := range narrow.lastTimes() {
		if l.issue != nil {
			id, at := l.issue.ID, l.issue.Created
			l.parts = append([]string{fmt.Sprintf("#%d %s", id, w.a.FormatTimestamp(at))}, l.parts...)
		}
		put("LAST", append(wrapParts(l.parts, narrow.b), l.changes...)...)
	}
	put("NOW", narrow.maintenance().Lines...)
	if found, _ := w.changesAround(); len(found) > 0 {
		put("CHANGED", operation.ChangeLines(w.a, found[:min(2, len(found))], narrow.b)...)
	}
	return lines
}

// beforeText returns the numbers and the ages of the earlier issues of the affected services.
func (w incidentSections) beforeText() string {
	before := w.before()
	var ages []string
	for _, i := range join.Found(before) {
		ages = append(ages, "#"+account.FormatID(i.ID)+" "+account.FormatAge(i.Created, w.b.Now))
	}
	text := ""
	if len(ages) > 0 {
		text = wording.Plural(len(ages), "issue", "issues") + ": " +
			ui.JoinFitting(ages, " · ", 44, w.b.Theme.Glyphs.Ellipsis) + " ago"
	}
	remark := join.Remark(before, "no earlier issue of these services in the list")
	if text != "" && remark != "" {
		return text + " · " + remark
	}
	return text + remark
}
