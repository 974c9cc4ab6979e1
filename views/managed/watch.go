package managed

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/incident"
	"lookout/client/account/join"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/operation"
)

// WatchView shows what needs attention, since when, and whom to call, in a few lines. It has no actions.
type WatchView struct {
	Account     *account.Account
	accountName string // the account, as it is called

	attention, services ui.Panel
	newest              incidentLayout // the newest issue, where there is room
	showsMore           bool           // the last frame has more than what needs attention and the services
	issue               *client.Issue  // that the last frame shows as a whole; may be nil
}

// WatchPane returns the pane for a small corner of the screen.
func WatchPane(a *account.Account, lead string) ui.Pane {
	return &WatchView{Account: a, accountName: lead}
}

// Name returns the pane's name.
func (w *WatchView) Name() string { return "watch" }

// Actions returns nothing: there is nothing to choose.
func (w *WatchView) Actions() []ui.Action { return nil }

// Update ignores input.
func (w *WatchView) Update(tea.Msg) tea.Cmd { return nil }

// Freshness returns the freshness of services and issues together.
func (w *WatchView) Freshness() lists.Freshness {
	return w.Account.Services().Freshness().Worst(w.Account.Issues().Freshness())
}

// Refresh reads services and issues, and contacts if they are old.
func (w *WatchView) Refresh() {
	account.RefreshAll(w.Account.Services(), w.Account.Issues())
	w.refreshSlowStores()
}

// Poll does the same, but does not cancel a read under way.
func (w *WatchView) Poll() {
	account.PollAll(w.Account.Services(), w.Account.Issues())
	w.refreshSlowStores()
}

// refreshSlowStores reads what changes slowly if it is old: of load, logins and credentials, what is shown.
func (w *WatchView) refreshSlowStores() {
	a := w.Account
	if account.RefreshIfOlder(a, a.Contacts(), account.StorageMaxAge); w.showsMore {
		account.RefreshIfOlder(a, a.Stats(), account.StatsMaxAge)
		account.RefreshIfOlder(a, a.Instances(), account.StorageMaxAge)
		account.RefreshIfOlder(a, a.Credentials(), account.StorageMaxAge)
	}
}

// HighlightLeft returns how long services are still tinted because they have just changed.
func (w *WatchView) HighlightLeft() time.Duration { return w.Account.Services().Highlights.Left() }

// LoadMissing reads what the last frame lacked.
func (w *WatchView) LoadMissing() {
	if !w.showsMore || !w.Freshness().Loaded {
		return
	}
	w.slowStores().EnsureLoaded()
	if w.issue != nil {
		w.Account.FetchTickets(issuesWithTickets(w.Account, w.issue))
		account.LoadChanges(w.Account)
	}
}

// slowStores returns the lists that are shown beside what needs attention.
func (w *WatchView) slowStores() table.JoinedStores {
	a := w.Account
	if !w.showsMore {
		return table.JoinedStores{a.Contacts()}
	}
	return table.JoinedStores{a.Contacts(), a.Stats(), a.Instances(), a.Credentials()}
}

// MissingLists names the lists that the watch lacks, apart from those that its freshness is about.
func (w *WatchView) MissingLists() []string { return w.slowStores().Missing() }

// View draws a head line and what needs attention. If there is room, it is in boxes, with the services, and below them
// the newest issue that is not over, or the load.
func (w *WatchView) View(b ui.Box) string {
	const least = 10
	w.showsMore, w.issue = false, nil
	if b.Height < least || b.Width < wideWatch {
		lines := w.attentionLines(w.Account.Incidents().Alerts(), b.Height-1, b, w.alertLines)
		return b.Fit(strings.Join(append([]string{w.headLine(b)}, lines...), "\n"))
	}
	inner := b
	inner.Width -= 2
	parts := []string{w.headLine(inner)}
	inner.Height--
	text, height := w.topBoxes(inner)
	parts = append(parts, text)
	if inner.Height -= height; inner.Height > 0 {
		parts = append(parts, w.more(inner))
	}
	lines := strings.Split(strings.Join(parts, "\n"), "\n")
	return b.Fit(" " + strings.Join(lines[:min(len(lines), b.Height)], "\n "))
}

// wideWatch is the width from which an alert and its number are in one line, or in a box.
const wideWatch = 60

// topBoxes draws what needs attention and the services, beside each other if that fits, and returns their height: what
// they need if the rest is enough for charts, otherwise the whole box.
func (w *WatchView) topBoxes(b ui.Box) (text string, height int) {
	left, right := b, b
	alerts := max(1, 2*len(w.Account.Incidents().Alerts())) + 2
	if b.Width >= twoColumns {
		left.Width = b.Width / 2
		right.Width = b.Width - left.Width
	}
	services := strings.Count(RenderServices(w.Account, right.InPanel()), "\n") + 3
	if b.Width < twoColumns {
		left.Height = min(alerts, b.Height-4)
		right.Height = b.Height - left.Height
		if right.Height-services >= chartMinHeight {
			right.Height = services
		}
		return w.attentionBox(left) + "\n" + w.servicesBox(right), left.Height + right.Height
	}
	if wanted := max(alerts, services); b.Height-wanted >= chartMinHeight {
		left.Height, right.Height = wanted, wanted
	}
	return ui.JoinHorizontal(w.attentionBox(left), w.servicesBox(right), left.Width, b.Width), left.Height
}

// chartMinHeight is the height from which a box has a chart.
const chartMinHeight = 7

// more draws the newest issue that is not over with everything about it, if there is room, otherwise the load.
func (w *WatchView) more(b ui.Box) string {
	const wholeIssue = 24
	w.showsMore = true
	b.Focused = false
	if all := account.IncidentsByUrgency(w.Account); b.Width >= twoColumns && b.Height >= wholeIssue &&
		len(all) > 0 && all[0].Unresolved() {
		w.issue = all[0].Issue
		return w.newest.view(w.Account, w.issue, b)
	}
	left, right := b, b
	left.Width = b.Width / 2
	right.Width = b.Width - left.Width
	metrics := Metrics()
	var rows []string
	for n := 0; n < len(metrics) && b.Height >= chartMinHeight; n += 2 {
		left.Height = b.Height
		if n == 0 && b.Height >= 2*chartMinHeight {
			left.Height = b.Height / 2
		}
		right.Height = left.Height
		b.Height -= left.Height
		pair := []string{MetricPanel(w.Account, metrics[n], left), MetricPanel(w.Account, metrics[n+1], right)}
		rows = append(rows, ui.JoinHorizontal(pair[0], pair[1], left.Width, b.Width))
	}
	return strings.Join(rows, "\n")
}

// attentionBox draws what needs attention and whom to call.
func (w *WatchView) attentionBox(b ui.Box) string {
	alerts := w.Account.Incidents().Alerts()
	title := theme.Title("Needs attention", fmt.Sprint(len(alerts)))
	inner, body := b.InPanel(), ""
	switch f := w.Freshness(); {
	case !f.Loaded:
		title, body = title[:1], operation.RenderLoadingOrError(inner, f, "reading services and issues")
	case len(alerts) == 0:
		body = b.Theme.Paint(theme.Good, b.Theme.Glyphs.OK) + " nothing needs attention"
	default:
		draw := w.boxedAlert
		if 2*len(alerts) > inner.Height && inner.Width >= wideWatch {
			draw = w.alertLines
		}
		body = strings.Join(w.attentionLines(alerts, inner.Height, inner, draw), "\n")
	}
	b.Focused = false
	return w.attention.View(b, title, nil, body)
}

// servicesBox draws the services as the overview does.
func (w *WatchView) servicesBox(b ui.Box) string {
	b.Focused = false
	return w.services.View(b, ServicesTitle(w.Account), nil, RenderServices(w.Account, b.InPanel()))
}

// attentionLines draws as many alerts as fit into a height, then how many more there are.
func (w *WatchView) attentionLines(
	alerts []incident.Alert, height int, b ui.Box, draw func(incident.Alert, ui.Box) []string,
) []string {
	var lines []string
	for n, c := range alerts {
		next := draw(c, b)
		room := height - len(lines)
		if n < len(alerts)-1 {
			room-- // for how many more there are
		}
		if len(next) > room {
			_, tone := AlertMark(c, b.Theme.Glyphs)
			return append(lines, b.Theme.Paint(tone, fmt.Sprintf("and %d more", len(alerts)-n)))
		}
		lines = append(lines, next...)
	}
	return lines
}

// boxedAlert returns an alert with its age, then whom to call.
func (w *WatchView) boxedAlert(c incident.Alert, b ui.Box) []string {
	label, group := w.describeAlert(c)
	name, number := ContactToCall(w.Account, group)
	mark, tone := AlertMark(c, b.Theme.Glyphs)
	since := ""
	if c.Incident != nil {
		created := c.Incident.Issue.Created
		since = w.Account.FormatTimestamp(created) + " · " + account.FormatAge(created, b.Now)
	}
	room := max(0, b.Width-ui.Width(mark)-ui.Width(since)-2)
	label = ui.Pad(ui.Truncate(label, room, b.Theme.Glyphs.Ellipsis), room)
	number = wording.WithPrefix("  ", b.Theme.Paint(theme.Accent, number))
	call := b.Theme.Paint(theme.Muted, "  call  ") + name + number
	return []string{
		b.Theme.Paint(tone, mark+" "+label) + " " + b.Theme.Paint(theme.Muted, since),
		ui.Truncate(call, b.Width, b.Theme.Glyphs.Ellipsis),
	}
}

// describeAlert returns the name of what needs attention, with what hides it, and its group.
func (w *WatchView) describeAlert(c incident.Alert) (label, group string) {
	switch {
	case c.Service != nil:
		return account.ServiceName(w.Account, c.ID) + w.stateRemark(c), c.Service.Group.Raw()
	case c.ID == 0:
		return fmt.Sprintf("issue %d", c.Incident.Issue.ID), ""
	}
	return account.ServiceName(w.Account, c.ID), ""
}

// AlertMark returns the glyph and the tone of an alert: red for what is down, yellow for what is not over.
func AlertMark(c incident.Alert, g theme.Glyphs) (string, theme.Tone) {
	switch {
	case c.Down():
		return g.Problem, theme.Bad
	case c.Incident.Phase == incident.Open:
		return g.Problem, theme.Warn
	}
	return g.Unknown, theme.Warn
}

// CountAlerts returns how many services are down, and of the other alerts how many are open and how many uncertain.
func CountAlerts(alerts []incident.Alert) (down, open, uncertain int) {
	for _, c := range alerts {
		switch {
		case c.Down():
			down++
		case c.Incident.Phase == incident.Open:
			open++
		default:
			uncertain++
		}
	}
	return down, open, uncertain
}

// headLine returns the account with how many services are down and how many other incidents are not over, or why that
// is not known.
func (w *WatchView) headLine(b ui.Box) string {
	g, f := b.Theme.Glyphs, w.Freshness()
	down, open, uncertain := CountAlerts(w.Account.Incidents().Alerts())
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
		parts = append(parts, b.Theme.PaintState(theme.Good, fmt.Sprintf("%s %d", g.OK, w.Account.Services().Len())))
	}
	line := strings.Join(parts, " ")
	if f.Err != nil {
		why := operation.FailureWord(f.Err)
		if f.Loaded {
			here := w.Account.Location
			why += ", as of " + account.FormatClock(f.LoadedAt.In(here), w.Account.Now().In(here))
		}
		line = b.Theme.Paint(theme.Warn, g.Pending+" "+why) + wording.WithPrefix(" ", line)
	}
	return ui.Truncate(line+" "+b.Theme.Paint(theme.Strong, w.accountName), b.Width, g.Ellipsis)
}

// alertLines returns an alert and the number to call, in one line if it fits, otherwise in two.
func (w *WatchView) alertLines(c incident.Alert, b ui.Box) []string {
	since := ""
	if c.Incident != nil {
		since = w.Account.FormatTimestamp(c.Incident.Issue.Created)
	}
	label, group := w.describeAlert(c)
	name, number := ContactToCall(w.Account, group)
	mark, tone := AlertMark(c, b.Theme.Glyphs)
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

// stateRemark says what hides an incident: its service is disabled, or well again. The time after it is that of the
// issue.
func (w *WatchView) stateRemark(c incident.Alert) string {
	if c.Down() {
		return ""
	}
	issue := fmt.Sprintf(" · issue #%d", c.Incident.Issue.ID)
	if d, disabled := account.DisabledInfo(w.Account, c.Service); disabled {
		return " " + strings.TrimSpace("off "+d.Age(w.Account.Now())) + issue
	}
	return " " + c.Service.Status.String() + issue
}

// ContactToCall returns whom of a group to call, and the number. Without a number, the name says why there is none.
func ContactToCall(a *account.Account, group string) (name, number string) {
	contacts := a.ContactsInGroup(group)
	for _, c := range join.Found(contacts) {
		if number := account.OrDefault(c.Phone.Primary.String(), c.Phone.Secondary.String()); number != "" {
			return c.Name.String(), number
		}
	}
	return join.Fold(contacts, func(all []*client.Contact) string {
		if len(all) > 0 {
			return "no phone number"
		}
		return "nobody to call"
	}, func(_ []*client.Contact, state join.JoinState) string { return state.Reason() }), ""
}
