package views

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client/account"
	"lookout/client/account/incident"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/managed"
	"lookout/views/operation"
)

// watch is the overview alone, below a line that says what the dashboard says around it. Where boxes do not fit, it
// shows what needs attention, since when, and whom to call. It has no actions.
type watch struct {
	*overview
	accountName string
}

// WatchPane returns the pane for a small corner of the screen.
func WatchPane(a *account.Account, accountName string) ui.Pane {
	o := overviewPane(a).(*overview)
	o.focused = -1 // no box has the keyboard
	return &watch{o, accountName}
}

// Name returns the pane's name.
func (w *watch) Name() string { return "watch" }

// Actions returns nothing: there is nothing to choose.
func (w *watch) Actions() []ui.Action { return nil }

// Update ignores input.
func (w *watch) Update(tea.Msg) tea.Cmd { return nil }

// Refresh reads what the overview reads, and the contacts if they are old: a watch stays open for weeks.
func (w *watch) Refresh() {
	w.overview.Refresh()
	w.a.RefreshIfOlder(w.a.Contacts(), account.StorageMaxAge)
}

// Poll does the same, but does not cancel a read under way.
func (w *watch) Poll() {
	w.overview.Poll()
	w.a.RefreshIfOlder(w.a.Contacts(), account.StorageMaxAge)
}

// LoadMissing reads what the boxes show, once there is room for them.
func (w *watch) LoadMissing() {
	if a := w.a; len(w.areas) > 0 {
		table.JoinedStores{a.Stats(), a.Buckets(), a.Keys(), a.TransferUsage()}.EnsureLoaded()
	}
	w.overview.LoadMissing()
}

// Announce returns all lines: there is no cursor.
func (w *watch) Announce(b ui.Box) ui.ScreenReaderText { return ui.ScreenReaderText{Text: w.View(b)} }

// wideWatch is the width from which there are boxes, and an alert and its number are in one line.
const wideWatch = 60

// View draws the head line and below it the overview, or what needs attention if the screen is too small for it.
func (w *watch) View(b ui.Box) string {
	const leastBoxes = 10
	head := w.headLine(b)
	rest := b
	rest.Height--
	if w.withoutBoxes = b.Height < leastBoxes || b.Width < wideWatch; w.withoutBoxes {
		w.areas = w.areas[:0]
		return b.Fit(strings.Join(append([]string{head}, w.attentionLines(rest)...), "\n"))
	}
	return b.Fit(head + "\n" + w.overview.View(rest))
}

// attentionLines draws as many alerts as fit into a box, then how many more there are.
func (w *watch) attentionLines(b ui.Box) (lines []string) {
	alerts := w.a.Incidents().Alerts()
	for n, c := range alerts {
		next := w.alertLines(c, b)
		room := b.Height - len(lines)
		if n < len(alerts)-1 {
			room-- // for how many more there are
		}
		if len(next) > room {
			_, tone := managed.AlertMark(c, b.Theme.Glyphs)
			return append(lines, b.Theme.Paint(tone, fmt.Sprintf("and %d more", len(alerts)-n)))
		}
		lines = append(lines, next...)
	}
	return lines
}

// headLine returns the account with how many services are down and how many other incidents are not over, or why that
// is not known.
func (w *watch) headLine(b ui.Box) string {
	g, f := b.Theme.Glyphs, w.Info().Freshness
	down, open, uncertain := managed.CountAlerts(w.a.Incidents().Alerts())
	var parts []string
	add := func(show bool, tone theme.Tone, format string, args ...any) {
		if show {
			parts = append(parts, b.Theme.Paint(tone, fmt.Sprintf(format, args...)))
		}
	}
	add(!f.Loaded && f.Err == nil, theme.Warn, "%s reading", g.Pending)
	add(down > 0, theme.Bad, "%s %d", g.Problem, down)
	add(open > 0, theme.Warn, "%s %d open", g.Problem, open)
	add(uncertain > 0, theme.Warn, "%s %d unknown", g.Unknown, uncertain)
	if f.Loaded && len(parts) == 0 {
		parts = append(parts, b.Theme.PaintState(theme.Good, fmt.Sprintf("%s %d", g.OK, w.a.Services().Len())))
	}
	line := strings.Join(parts, " ")
	if f.Err != nil {
		why := operation.FailureWord(f.Err)
		if f.Loaded {
			here := w.a.Location
			why += ", as of " + account.FormatClock(f.LoadedAt.In(here), w.a.Now().In(here))
		}
		line = b.Theme.Paint(theme.Warn, g.Pending+" "+why) + wording.WithPrefix(" ", line)
	}
	return ui.Truncate(line+" "+b.Theme.Paint(theme.Strong, w.accountName), b.Width, g.Ellipsis)
}

// alertLines returns an alert and the number to call, in one line if it fits, otherwise in two.
func (w *watch) alertLines(c incident.Alert, b ui.Box) []string {
	since := ""
	if c.Incident != nil {
		since = w.a.FormatTimestamp(c.Incident.Issue.Created)
	} else if !c.DownSince.IsZero() {
		since = w.a.FormatTime(c.DownSince)
	}
	label, group := w.describeAlert(c)
	name, number := managed.ContactToCall(w.a.ContactsInGroup(group))
	mark, tone := managed.AlertMark(c, b.Theme.Glyphs)
	mark += " "
	if b.Width >= wideWatch {
		call := name
		if number != "" {
			call = ui.Pad(number, 16) + " " + name
		}
		label = ui.Pad(ui.Truncate(label, b.Width-48, b.Theme.Glyphs.Ellipsis), b.Width-48)
		return []string{
			b.Theme.Paint(tone, mark+label) + " " + b.Theme.Paint(theme.Muted, ui.Pad(since, 13)) + ui.Truncate(
				call, 32, b.Theme.Glyphs.Ellipsis,
			),
		}
	}
	room := max(0, b.Width-ui.Width(mark)-ui.Width(since)-1)
	return []string{
		b.Theme.Paint(
			tone, mark+ui.Pad(ui.Truncate(label, room, b.Theme.Glyphs.Ellipsis), room),
		) + " " + b.Theme.Paint(theme.Muted, since),
		ui.Truncate("  "+number+wording.WithPrefix(" ", name), b.Width, b.Theme.Glyphs.Ellipsis),
	}
}

// describeAlert returns the name of what needs attention, with what hides it, and its group.
func (w *watch) describeAlert(c incident.Alert) (label, group string) {
	switch {
	case c.Service != nil:
		return w.a.ServiceName(c.ID) + w.stateRemark(c), c.Service.Group.Raw()
	case c.ID == 0:
		return fmt.Sprintf("issue %d", c.Incident.Issue.ID), ""
	}
	return w.a.ServiceName(c.ID), ""
}

// stateRemark says what hides an incident: its service is disabled, or well again. The time after it is that of the
// issue.
func (w *watch) stateRemark(c incident.Alert) string {
	if c.Down() {
		return ""
	}
	issue := fmt.Sprintf(" · issue #%d", c.Incident.Issue.ID)
	if d, disabled := w.a.DisabledInfo(c.Service); disabled {
		return " " + strings.TrimSpace("off "+d.Age(w.a.Now())) + issue
	}
	return " " + c.Service.Status.String() + issue
}
