package views

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/account/incident"
	"lookout/views/managed"
	"lookout/views/resource"
	"lookout/views/storage"
)

// overview shows the account at a glance: each box is a small version of a pane.
type overview struct {
	a       *account.Account
	focused int // the box that has the keyboard
	boxes   []overviewBox
	visible map[int]bool // boxes that there was room for; the keyboard goes to no other
	areas   []boxArea    // of the last frame
}

// boxArea is the area of a box in the frame.
type boxArea struct{ box, x, y, width, height int }

// overviewBox is one box of the overview.
type overviewBox struct {
	title func() string
	pane  string // what enter opens
	view  func(ui.Box) string
}

func overviewPane(a *account.Account) ui.Pane {
	o := &overview{a: a}
	o.boxes = []overviewBox{
		{
			func() string { return fmt.Sprintf("Services %s", loadedCount(a.Services())) },
			"services",
			func(b ui.Box) string { return renderServicesBox(a, b) },
		},
		{
			func() string { return fmt.Sprintf("Issues %s", issuesTitle(a)) },
			"issues",
			func(b ui.Box) string { return renderIssuesBox(a, b) },
		},
	}
	for _, m := range managed.Metrics() {
		o.boxes = append(o.boxes, overviewBox{func() string { return m.Name }, "stats", func(b ui.Box) string {
			return managed.MetricPanel(a, m, b)
		}})
	}
	o.boxes = append(o.boxes, overviewBox{
		title: func() string { return "" },
		pane:  "buckets",
		view:  func(b ui.Box) string { return storage.StorageLines(a, b) },
	})
	return o
}

// loadedCount returns how many rows a store has, or "" before they have arrived.
func loadedCount[T any](set *ui.Store[T]) string {
	if !set.Loaded() {
		return ""
	}
	return fmt.Sprint(set.Len())
}

// Announce returns the focused box as lines.
func (o *overview) Announce(b ui.Box) ui.Announcement {
	g := o.boxes[o.focused]
	b.Height = 12
	return ui.Announcement{Position: o.focused + 1, Count: len(o.boxes), Item: g.title() + "\n" + g.view(b)}
}

// Name returns the name of the tab.
func (o *overview) Name() string { return "overview" }

// Freshness returns the freshness of services and issues together: they are what wakes people.
func (o *overview) Freshness() ui.Freshness {
	return o.a.Services().Freshness().Worst(o.a.Issues().Freshness())
}

// Refresh reads services and issues, and what changes slowly only if it is missing or old.
func (o *overview) Refresh() tea.Cmd {
	return tea.Batch(account.RefreshAll(o.a.Services(), o.a.Issues()), o.refreshSlowStores())
}

// Poll does the same, but does not cancel a read under way.
func (o *overview) Poll() tea.Cmd {
	return tea.Batch(account.PollAll(o.a.Services(), o.a.Issues()), o.refreshSlowStores())
}

func (o *overview) refreshSlowStores() tea.Cmd {
	a := o.a
	return tea.Batch(
		account.RefreshIfOlder(a, a.Stats(), account.StatsMaxAge),
		account.RefreshIfOlder(a, a.Buckets(), account.StorageMaxAge),
		account.RefreshIfOlder(a, a.Keys(), account.StorageMaxAge),
		account.RefreshIfOlder(a, a.TransferUsage(), account.StorageMaxAge), a.Contacts().EnsureLoaded(),
	)
}

// MissingLists names the lists that the overview lacks, apart from those that its freshness is about.
func (o *overview) MissingLists() []string {
	a := o.a
	return table.JoinedStores{a.Stats(), a.Buckets(), a.Keys(), a.TransferUsage()}.Missing()
}

// Update handles clicks: the first focuses a box, the second opens it.
func (o *overview) Update(msg tea.Msg) tea.Cmd {
	click, ok := msg.(tea.MouseClickMsg)
	if !ok {
		return nil
	}
	for _, a := range o.areas {
		if click.X < a.x || click.X >= a.x+a.width || click.Y < a.y || click.Y >= a.y+a.height {
			continue
		}
		if o.focused == a.box {
			return o.open()
		}
		o.focused = a.box
	}
	return nil
}

// Actions returns the actions that move between the boxes and open one.
func (o *overview) Actions() []ui.Action {
	step := func(by int) func() tea.Cmd {
		return func() tea.Cmd {
			n := len(o.boxes)
			for range n {
				if o.focused = (o.focused + by + n) % n; o.visible[o.focused] {
					break
				}
			}
			return nil
		}
	}
	return []ui.Action{
		{
			Key:         ui.Bind("open", "enter"),
			Description: "the pane of the focused box",
			ShowInHints: true,
			Do:          o.open,
		},
		{
			Key:         ui.Bind("next box", "tab", "j", "down", "l", "right"),
			Group:       "move",
			ShowInHints: true,
			Do:          step(1),
		},
		{Key: ui.Bind("previous box", "shift+tab", "k", "up", "h", "left"), Group: "move", Do: step(-1)},
		{
			Key:            ui.Bind("newest incident", "i"),
			Description:    "whom to call about the newest issue that is not over",
			ShowInHints:    true,
			DisabledReason: account.WhyNone(account.AllRows(o.a, o.a.Issues()), "there is no issue"),
			Do: func() tea.Cmd {
				newest := account.IncidentsByUrgency(o.a)[0].Issue
				return ui.Send(ui.GoToMsg{Pane: "issues", ThenOpen: managed.IncidentPane(o.a, newest)})
			},
		},
	}
}

func (o *overview) open() tea.Cmd { return ui.Send(ui.GoToMsg{Pane: o.boxes[o.focused].pane}) }

// View lays the boxes out: services and issues on top, the charts below, Object Storage at the bottom.
func (o *overview) View(b ui.Box) string {
	o.areas = o.areas[:0]
	foot := 2
	o.visible = map[int]bool{}
	if b.Width < narrowWidth {
		half := (b.Height - foot + 1) / 2
		return b.Fit(strings.Join([]string{
			o.placeBox(boxArea{0, 0, 0, b.Width, half}, b),
			o.placeBox(boxArea{1, 0, half, b.Width, b.Height - foot - half}, b),
			o.placeBox(boxArea{6, 0, b.Height - foot, b.Width, foot}, b),
		}, "\n"))
	}
	top := min(max(b.Height/3, 5), 9)
	charts := max(0, b.Height-top-foot-2)
	rows := []string{o.placePair(0, 1, 0, top, b), ""}
	y := top + 1
	switch {
	case charts >= 16:
		rows = append(rows, o.placePair(2, 3, y, charts/2, b), o.placePair(4, 5, y+charts/2, charts-charts/2, b))
		y += charts
	case charts >= 7: // the second two are their figures alone
		rows = append(rows, o.placePair(2, 3, y, charts-1, b), o.placePair(4, 5, y+charts-1, 1, b))
		y += charts
	case charts >= 5:
		rows = append(rows, o.placePair(2, 3, y, charts, b))
		y += charts
	}
	rows = append(rows, "", o.placeBox(boxArea{6, 0, y + 1, b.Width, foot}, b))
	return b.Fit(strings.Join(rows, "\n"))
}

// narrowWidth is the width below which the boxes are stacked, without charts.
const narrowWidth = 58

// placePair draws two boxes side by side.
func (o *overview) placePair(left, right, y, height int, b ui.Box) string {
	width := b.Width/2 - 1
	return ui.JoinHorizontal(
		o.placeBox(boxArea{left, 0, y, width, height}, b),
		o.placeBox(boxArea{right, width + 2, y, b.Width - width - 2, height}, b), width+2, b.Width,
	)
}

// placeBox draws a box and records its area.
func (o *overview) placeBox(area boxArea, b ui.Box) string {
	o.areas = append(o.areas, area)
	return o.renderBox(area.box, ui.Box{
		Width:  area.width,
		Height: area.height,
		Theme:  b.Theme,
		Now:    b.Now,
	})
}

// renderBox draws one box. The title shows whether it is focused.
func (o *overview) renderBox(n int, b ui.Box) string {
	g := o.boxes[n]
	o.visible[n] = true
	b.Focused = n == o.focused
	title := g.title()
	inner := b
	inner.Width--
	if title == "" || n >= 2 {
		return b.Fit(o.withCursor(n, b, g.view(inner)))
	}
	inner.Height--
	tone := theme.Strong
	if b.Focused {
		tone = theme.Accent
	}
	return b.Fit(o.withCursor(n, b, b.Theme.Paint(tone, title)+"\n"+g.view(inner)))
}

// withCursor puts the cursor glyph before the focused box.
func (o *overview) withCursor(n int, b ui.Box, text string) string {
	lead := " "
	if n == o.focused {
		lead = b.Theme.Paint(theme.Accent, b.Theme.Glyphs.Cursor)
	}
	return lead + strings.ReplaceAll(text, "\n", "\n ")
}

// renderServicesBox counts the states and names the broken services, then those that have been disabled for long.
func renderServicesBox(a *account.Account, b ui.Box) string {
	set := a.Services()
	if !set.Loaded() {
		return account.RenderLoadingOrError(b, set.Freshness(), "reading services")
	}
	if set.Len() == 0 {
		return b.Theme.Paint(theme.Muted, "no services yet")
	}
	inner := b
	inner.Width--
	lines := []string{managed.StateCounts(a, inner)}
	rows := servicesToWatch(a)
	room := b.Height - len(lines)
	for n, c := range rows {
		if n == room-1 && len(rows) > room {
			lines = append(lines, b.Theme.Paint(theme.Muted, fmt.Sprintf("and %d more", len(rows)-n)))
			break
		}
		lines = append(lines, serviceStatusLine(a, c, b))
	}
	return strings.Join(lines, "\n")
}

// servicesToWatch returns the services that are down or have an incident that is not over, then those that are
// disabled.
func servicesToWatch(a *account.Account) []incident.Alert {
	return account.Memo(a, "services to watch", func() []incident.Alert {
		var rows []incident.Alert
		named := map[int]bool{}
		for _, c := range a.Incidents().Alerts() {
			if c.Service != nil {
				rows = append(rows, c)
				named[c.ID] = true
			}
		}
		for _, s := range a.Services().Rows() {
			if s.Status == client.StatusDisabled && !named[s.ID] {
				rows = append(rows, incident.Alert{Service: s, ID: s.ID})
			}
		}
		return rows
	}, account.IncidentSources(a)...)
}

func serviceStatusLine(a *account.Account, c incident.Alert, b ui.Box) string {
	s := c.Service
	state, tone := account.FormatStatus(s.Status, b.Theme)
	shape, _, _ := strings.Cut(state, " ")
	name, right := s.Label.String(), ""
	if c.Incident != nil {
		right = account.FormatAge(c.Incident.Issue.Created, b.Now)
	}
	if d, disabled := account.Disablement(a, s); disabled {
		right = d.Age(b.Now) + account.ReasonIf(d.Forgotten(b.Now), " !")
	}
	switch {
	case c.Down():
		name += "  " + s.Type.String() + " " + s.Address.String()
	case c.Incident != nil:
		tone = theme.Warn
		name += fmt.Sprintf("  issue %d %s", c.Incident.Issue.ID, c.Incident.Phase)
	}
	room := max(0, b.Width-ui.Width(right)-3)
	left := shape + " " + ui.Truncate(name, max(0, room-2), b.Theme.Glyphs.Ellipsis)
	return b.Theme.Paint(tone, ui.Pad(left, room)) + " " + b.Theme.Paint(theme.Muted, right)
}

func issuesTitle(a *account.Account) string {
	if !a.Issues().Loaded() {
		return ""
	}
	return resource.Fold(account.IssuesSince(a, a.Now().Add(-24*time.Hour)), func(day []*client.Issue) string {
		return fmt.Sprintf("%d in the last 24 h", len(day))
	}, func(_ []*client.Issue, s resource.JoinState) string { return "· " + s.Reason() })
}

func renderIssuesBox(a *account.Account, b ui.Box) string {
	set := a.Issues()
	if !set.Loaded() {
		return account.RenderLoadingOrError(b, set.Freshness(), "reading issues")
	}
	rows := account.IncidentsByUrgency(a)
	if len(rows) == 0 {
		return b.Theme.Paint(theme.Muted, "nothing has been detected")
	}
	var lines []string
	for n, i := range rows {
		if n == b.Height {
			break
		}
		lines = append(lines, issueLine(a, i, b))
	}
	return strings.Join(lines, "\n")
}

func issueLine(a *account.Account, found incident.Incident, b ui.Box) string {
	i := found.Issue
	shape, tone := managed.IncidentMark(found, b.Theme.Glyphs)
	ticket, _ := managed.TicketCell(a, i, b)
	ticket = strings.NewReplacer(string(incident.TicketUnknown), "?", "not read", "?").Replace(ticket)
	right := account.WithPrefix("ticket ", ticket)
	age := ui.Pad(account.FormatAge(i.Created, b.Now), 8)
	lead := fmt.Sprintf("%s %s  ", ui.Pad(a.FormatTimestamp(i.Created), 12), age)
	if b.Width < 56 {
		lead, right = age+" ", ticket
	}
	room := max(0, b.Width-ui.Width(lead)-ui.Width(right)-5)
	affected := ""
	for n, s := range managed.AffectedSpans(a, i, b) {
		if n > 0 || s.Text != shape+" " { // the mark stands in front of the line
			affected += b.Theme.Paint(s.Tone, strings.TrimPrefix(s.Text, shape+" "))
		}
	}
	affected = ui.Pad(ui.Truncate(affected, room, b.Theme.Glyphs.Ellipsis), room)
	return b.Theme.Paint(tone, shape+" ") + b.Theme.Paint(theme.Muted, lead) + affected + " " +
		b.Theme.Paint(theme.Muted, right)
}
