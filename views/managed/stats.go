package managed

import (
	"fmt"
	"math"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/incident"
	"lookout/client/account/join"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/chart"
	"lookout/ui/table"
	"lookout/views/operation"
)

// statsView is the pane of the last 24 hours of all instances together: one metric, or all four as a grid.
type statsView struct {
	table.JoinedStores // the stats, and the issues that are marked in them

	a        *account.Account
	grid     bool
	selected int // index of the metric in front
	cursor   time.Time
	utc      bool
}

// StatsPane returns the pane of the load in the last 24 hours.
func StatsPane(a *account.Account) ui.Pane {
	return &statsView{JoinedStores: table.JoinedStores{a.Stats(), a.Issues()}, a: a, grid: true}
}

// Name returns the title of the tab.
func (p *statsView) Name() string { return "stats" }

// Info returns what the charts show, and how fresh the stats are.
func (p *statsView) Info() ui.Info {
	return ui.Info{Freshness: p.a.Stats().Freshness(), Status: LoadNotes}
}

// Update ignores messages: every key of the pane is an action.
func (p *statsView) Update(tea.Msg) tea.Cmd { return nil }

// Actions returns what chooses the metric and moves the cursor.
func (p *statsView) Actions() []ui.Action {
	zoomKeys := []string{"enter", "esc"}
	if p.grid {
		zoomKeys = zoomKeys[:1]
	}
	do := func(f func()) func() tea.Cmd {
		return func() tea.Cmd { f(); return nil }
	}
	move := func(name string, by int, inHints bool, keys ...string) ui.Action {
		return ui.Action{
			Key:            ui.Bind(name, keys...),
			ShowInHints:    inHints,
			DisabledReason: p.noPointsReason(),
			Do:             do(func() { p.moveCursor(by) }),
		}
	}
	n := len(Metrics())
	choose := func(by int) func() tea.Cmd { return do(func() { p.selected = (p.selected + by) % n }) }
	noIssueBefore, beforeWaits := p.whyNoIssueBeside(-1, "no issue before the cursor in these 24 hours")
	noIssueAfter, afterWaits := p.whyNoIssueBeside(1, "no issue after the cursor in these 24 hours")
	return []ui.Action{
		{Key: ui.Bind("one chart or all", zoomKeys...), ShowInHints: true, Do: do(func() { p.grid = !p.grid })},
		{Key: ui.Bind("next chart", "tab", "j", "down"), ShowInHints: true, Do: choose(1)},
		{Key: ui.Bind("previous chart", "shift+tab", "k", "up"), Do: choose(n - 1)},
		move("earlier", -1, true, "left", "h"),
		move("later", 1, true, "right", "l"),
		move("an hour earlier", -12, false, "pgup", "ctrl+b"),
		move("an hour later", 12, false, "pgdown", "ctrl+f"),
		{
			Key:            ui.Bind("previous issue", "[", ","),
			Description:    "move the cursor to when it was detected",
			ShowInHints:    true,
			DisabledReason: noIssueBefore,
			WaitsFor:       beforeWaits,
			Do:             do(func() { p.jumpToIssue(-1) }),
		},
		{
			Key:            ui.Bind("next issue", "]", "."),
			Description:    "move the cursor to when it was detected",
			DisabledReason: noIssueAfter,
			WaitsFor:       afterWaits,
			Do:             do(func() { p.jumpToIssue(1) }),
		},
		{Key: ui.Bind("newest", "G", "end"), Do: do(func() { p.cursor = time.Time{} })},
		{Key: ui.Bind("UTC or local time", "z"), ShowInHints: true, Do: do(func() { p.utc = !p.utc })},
		{
			Key:            ui.Bind("copy read-out", "y"),
			Description:    "the chart's values at the cursor",
			DisabledReason: p.noPointsReason(),
			Do:             func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: p.readout(), Label: "read-out"}) },
		},
	}
}

// noPointsReason returns why the cursor cannot move, or "" if it can.
func (p *statsView) noPointsReason() string {
	why, _ := operation.Unless(len(p.pointTimes()) > 0, "no data for this period", join.StateOf(p.a.Stats()))
	return why
}

// whyNoIssueBeside returns why the cursor cannot go to an issue before (-1) or after it (1): a sentence, or what is not
// known. It also returns the list that is being read.
func (p *statsView) whyNoIssueBeside(direction int, none string) (reason, waitsFor string) {
	states := []join.JoinState{join.StateOf(p.a.Stats()), join.StateOf(p.a.Issues())}
	return operation.Unless(p.issueBeside(direction) != nil, none, states...)
}

// pointTimes returns the times of the points in front, in their order.
func (p *statsView) pointTimes() []time.Time {
	m := Metrics()[p.selected]
	return account.Memo(p.a, "times of "+m.Name, func() []time.Time {
		var at []time.Time
		for _, s := range metricSeries(p.a, m) {
			if len(s.Points) > len(at) {
				at = at[:0]
				for _, point := range s.Points {
					at = append(at, point.Time)
				}
			}
		}
		return at
	}, p.a.Stats())
}

// moveCursor moves the cursor by a number of points. It starts at the last.
func (p *statsView) moveCursor(by int) {
	at := p.pointTimes()
	n := len(at) - 1
	if !p.cursor.IsZero() {
		n = nearestIndex(at, p.cursor)
	}
	p.cursor = at[min(max(n+by, 0), len(at)-1)]
}

// issueBeside returns the issue that was detected next before (-1) or after (1) the cursor, as far as the stats reach;
// nil if there is none. Without a cursor, that is the newest one.
func (p *statsView) issueBeside(direction int) *client.Issue {
	r := statsRange(p.a)
	if !r.any {
		return nil
	}
	cursor := p.cursor
	if cursor.IsZero() {
		cursor = p.a.Now().Add(time.Hour)
	}
	var beside *client.Issue
	for _, i := range join.Found(p.a.IssuesSince(r.first)) { // newest first
		at := i.Created.Time()
		switch {
		case at.After(r.last.Add(incident.LoadTolerance)):
		case direction < 0 && at.Before(cursor):
			return i
		case direction > 0 && at.After(cursor):
			beside = i
		}
	}
	return beside
}

// jumpToIssue moves the cursor to the detection of the issue beside it.
func (p *statsView) jumpToIssue(direction int) {
	if i := p.issueBeside(direction); i != nil {
		p.cursor = i.Created.Time()
	}
}

// issueAtCursor names the issue whose detection the cursor is at; "" without one.
func (p *statsView) issueAtCursor() string {
	for _, i := range join.Found(p.a.IssuesSince(p.cursor)) {
		if i.Created.Time().Equal(p.cursor) {
			names := make([]string, len(i.Services))
			for n, id := range i.Services {
				names[n] = p.a.ServiceName(id)
			}
			return fmt.Sprintf("issue %d", i.ID) + wording.WithPrefix(": ", account.JoinWithCommas(names))
		}
	}
	return ""
}

// nearestIndex returns the index of the time that is closest to t.
func nearestIndex(at []time.Time, t time.Time) int {
	best := 0
	for i := range at {
		if at[i].Sub(t).Abs() < at[best].Sub(t).Abs() {
			best = i
		}
	}
	return best
}

// location returns the time zone of the axis and the read-out.
func (p *statsView) location() *time.Location {
	if p.utc {
		return time.UTC
	}
	return p.a.Location
}

// readout returns the time and the values at the cursor: "14:05 UTC  cpu 231 %".
func (p *statsView) readout() string {
	m := Metrics()[p.selected]
	var parts []string
	for _, s := range metricSeries(p.a, m) {
		if len(s.Points) == 0 {
			continue
		}
		point := s.Points[len(s.Points)-1]
		if !p.cursor.IsZero() {
			point = chart.Nearest(s.Points, p.cursor)
		}
		if len(parts) == 0 {
			parts = append(parts, point.Time.In(p.location()).Format("15:04 MST"))
			if issue := p.issueAtCursor(); issue != "" && !p.cursor.IsZero() {
				parts[0] = p.cursor.In(p.location()).Format("15:04 MST") + "  " + issue
			}
		}
		value := "no value"
		if !math.IsNaN(point.Value) {
			value = m.unit.Format(point.Value)
		}
		parts = append(parts, s.Name+" "+value)
	}
	return strings.Join(parts, "  ")
}

// View returns the grid or the chart in front, with the read-out below.
func (p *statsView) View(b ui.Box) string {
	if b.TextOnly {
		return p.renderText(b) + "\n" + p.readout()
	}
	room, gap := b, "\n\n"
	if room.Height = b.Height - 2; b.Height < 24 {
		room.Height, gap = b.Height-1, "\n"
	}
	foot := b.Theme.Paint(theme.Accent, ui.Truncate(p.readout(), b.Width, b.Theme.Glyphs.Ellipsis))
	if p.grid && b.Width >= 60 && b.Height >= 16 {
		return chartGrid(room, 2, p.renderChart) + gap + foot
	}
	return p.renderChart(p.selected, room) + gap + foot
}

// renderText describes all charts in words, for a screen reader.
func (p *statsView) renderText(b ui.Box) string {
	var lines []string
	b.Width, b.Height = 200, 1
	for n := range Metrics() {
		lines = append(lines, p.renderChart(n, b))
	}
	return strings.Join(lines, "\n")
}

// renderChart draws the chart of one metric.
func (p *statsView) renderChart(n int, b ui.Box) string {
	b.Focused = n == p.selected
	return metricPanel(p.a, Metrics()[n], chart.Chart{Cursor: p.cursor, Location: p.location()}, b)
}
