package views

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/managed"
	"lookout/views/operation"
	"lookout/views/storage"
)

// overview shows the account at a glance: each box is a small version of a pane.
type overview struct {
	a       *account.Account
	focused int // the box that has the keyboard
	boxes   [boxCount]overviewBox
	areas   []boxArea // of the last frame; the keyboard goes to no other box

	withoutBoxes bool // the last frame had no room for them
}

// The boxes, in the order in which the keyboard visits them.
const (
	servicesBox = iota
	incidentsBox
	maintenanceBox
	changesBox
	firstMetricBox
	storageBox = firstMetricBox + 4
	boxCount   = storageBox + 1
)

// boxArea is the area of a box in the frame.
type boxArea struct{ box, x, y, width, height int }

// overviewBox is one box of the overview.
type overviewBox struct {
	pane  string                      // that enter opens
	title func() []theme.TitleSegment // nil if the box is drawn as a whole
	body  func(ui.Box) string
	panel ui.Panel
}

func overviewPane(a *account.Account) ui.Pane {
	o := &overview{a: a}
	box := func(pane string, title func(*account.Account) []theme.TitleSegment,
		body func(*account.Account, ui.Box) string,
	) overviewBox {
		return overviewBox{
			pane:  pane,
			title: func() []theme.TitleSegment { return title(a) },
			body:  func(b ui.Box) string { return body(a, b) },
		}
	}
	o.boxes[servicesBox] = box("services", managed.ServicesTitle, managed.RenderServices)
	o.boxes[incidentsBox] = box("issues", managed.IncidentsTitle, managed.RenderIncidents)
	o.boxes[maintenanceBox] = box("services", managed.MaintenanceTitle, managed.RenderMaintenance)
	o.boxes[changesBox] = box("journal", changesTitle, renderChanges)
	for n, m := range managed.Metrics() {
		o.boxes[firstMetricBox+n] = overviewBox{
			pane: "stats",
			body: func(b ui.Box) string { return managed.MetricPanel(a, m, b) },
		}
	}
	o.boxes[storageBox] = box("buckets", func(*account.Account) []theme.TitleSegment {
		return theme.Title("Object Storage")
	}, storage.StorageLines)
	return o
}

// Announce returns the focused box as lines.
func (o *overview) Announce(b ui.Box) ui.ScreenReaderText {
	g := &o.boxes[o.focused]
	b.Height = 12
	text := g.body(b)
	if g.title != nil {
		var parts []string
		for _, s := range g.title() {
			parts = append(parts, s.Text)
		}
		text = strings.Join(parts, " ") + "\n" + text
	}
	return ui.ScreenReaderText{Position: o.focused + 1, Count: len(o.boxes), Item: text}
}

// Name returns the name of the tab.
func (o *overview) Name() string { return "overview" }

// Info returns the freshness of services and issues together: they are what wakes people. Missing are all others.
func (o *overview) Info() ui.Info {
	a, services, issues := o.a, o.a.Services(), o.a.Issues()
	return ui.Info{
		Freshness:     services.Freshness().Worst(issues.Freshness()),
		HighlightLeft: max(services.Highlights.Left(), issues.Highlights.Left()),
		Status:        managed.LoadNotes,
		Missing: func() []string {
			return table.JoinedStores{a.Stats(), a.Contacts(), a.Buckets(), a.Keys(), a.TransferUsage()}.Missing()
		},
	}
}

// Refresh reads services and issues, and what changes slowly only if it is missing or old.
func (o *overview) Refresh() {
	account.RefreshAll(o.a.Services(), o.a.Issues())
	o.refreshSlowStores()
}

// Poll does the same, but does not cancel a read under way.
func (o *overview) Poll() {
	account.PollAll(o.a.Services(), o.a.Issues())
	o.refreshSlowStores()
}

func (o *overview) refreshSlowStores() {
	a := o.a
	a.Contacts().EnsureLoaded()
	if o.withoutBoxes {
		return
	}
	a.RefreshIfOlder(a.Stats(), account.StatsMaxAge)
	a.RefreshIfOlder(a.Buckets(), account.StorageMaxAge)
	a.RefreshIfOlder(a.Keys(), account.StorageMaxAge)
	a.RefreshIfOlder(a.TransferUsage(), account.StorageMaxAge)
}

// LoadMissing reads the changes in the journal once their box is on the screen, and again when there are others.
func (o *overview) LoadMissing() {
	if o.isVisible(changesBox) {
		o.a.LoadChanges()
	}
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

// isVisible reports whether a box was drawn in the last frame.
func (o *overview) isVisible(box int) bool {
	for _, a := range o.areas {
		if a.box == box {
			return true
		}
	}
	return false
}

// Actions returns the actions that move between the boxes and open one, and those on the newest incident.
func (o *overview) Actions() []ui.Action {
	step := func(by int) func() tea.Cmd {
		return func() tea.Cmd {
			for range boxCount {
				if o.focused = (o.focused + by + boxCount) % boxCount; o.isVisible(o.focused) {
					break
				}
			}
			return nil
		}
	}
	issues := join.StateOf(o.a.Issues())
	reason, waitsFor := operation.Unless(o.a.Issues().Len() > 0 && issues.WaitsFor() == "", "there is no issue", issues)
	actions := []ui.Action{
		{
			Key:            ui.Bind("newest issue", "i"),
			Description:    "show what the newest open issue affects and whom to call",
			ShowInHints:    true,
			DisabledReason: reason,
			WaitsFor:       waitsFor,
			OpensView:      true,
			Do: func() tea.Cmd {
				newest := o.a.IncidentsByUrgency()[0].Issue
				return ui.Send(ui.GoToMsg{Pane: "issues", ThenOpen: managed.IncidentPane(o.a, newest)})
			},
		},
		{
			Key:         ui.Bind("open", "enter"),
			Description: "open the pane of the focused box",
			ShowInHints: true,
			Do:          o.open,
		},
		{Key: ui.Bind("next box", "tab", "j", "down", "l", "right"), Group: "move", ShowInHints: true, Do: step(1)},
		{Key: ui.Bind("previous box", "shift+tab", "k", "up", "h", "left"), Group: "move", Do: step(-1)},
	}
	return append(actions[:1:1], append(managed.NewestIncidentActions(o.a), actions[1:]...)...)
}

func (o *overview) open() tea.Cmd { return ui.Send(ui.GoToMsg{Pane: o.boxes[o.focused].pane}) }

// View lays the boxes out in rows.
func (o *overview) View(b ui.Box) string {
	o.areas = o.areas[:0]
	var lines []string
	y := 0
	for _, row := range layoutOverview(b.Width, b.Height, o.contentLines()) {
		lines = append(lines, o.row(row, y, b))
		y += row.height
	}
	return b.Fit(strings.Join(lines, "\n"))
}

// contentLines returns how many lines the boxes could fill whose content differs much.
func (o *overview) contentLines() boxLines {
	return boxLines{
		servicesBox:    managed.WatchedServices(o.a) + 1,     // for the counts
		incidentsBox:   managed.UnresolvedIncidents(o.a) + 1, // for the counts
		maintenanceBox: managed.MaintenanceWindows(o.a),
		storageBox:     storage.LinesNeeded(o.a),
		changesBox:     len(join.Found(o.a.RecentChanges())),
	}
}

// row draws the columns of a row side by side.
func (o *overview) row(row boxRow, y int, b ui.Box) string {
	text, x := "", 0
	for n, c := range row.columns {
		width := (b.Width - x) / (len(row.columns) - n)
		area := boxArea{c.box, x, y, width, row.height}
		if c.height > 0 {
			area.height = c.height
		}
		drawn := o.drawBox(area, b)
		if c.height > 0 {
			drawn += "\n" + o.drawBox(boxArea{c.below, x, y + c.height, width, row.height - c.height}, b)
		}
		if x == 0 {
			text = drawn
		} else {
			text = ui.JoinHorizontal(text, drawn, x, b.Width)
		}
		x += width
	}
	return text
}

// drawBox draws a box in its area.
func (o *overview) drawBox(area boxArea, b ui.Box) string {
	o.areas = append(o.areas, area)
	b.Width, b.Height = area.width, area.height
	return o.renderBox(area.box, b)
}

// renderBox draws one box. Its border and a glyph in its title show whether it is focused.
func (o *overview) renderBox(n int, b ui.Box) string {
	g := &o.boxes[n]
	b.Focused = n == o.focused
	if g.title == nil && b.Height == 1 { // a line without a box, aligned with what stands in the boxes
		inner := b.InPanel()
		inner.Height = 1
		return b.Fit("  " + g.body(inner))
	}
	if g.title == nil {
		return b.Fit(g.body(b))
	}
	title := g.title()
	if b.Focused {
		title[0].Text = b.Theme.Glyphs.Cursor + " " + title[0].Text
	}
	return g.panel.View(b, title, nil, g.body(b.InPanel()))
}

// changesTitle returns the title of the last changes.
func changesTitle(*account.Account) []theme.TitleSegment { return theme.Title("Last changes") }

// renderChanges shows the last changes of the journal and those made elsewhere, newest first.
func renderChanges(a *account.Account, b ui.Box) string {
	changes := a.RecentChanges()
	found := join.Found(changes)
	if len(found) > 0 {
		return strings.Join(operation.ChangeLines(a, found[:min(len(found), max(0, b.Height))], b), "\n")
	}
	text := "no changes made from this machine yet"
	if state := changes.State(); state.Kind != join.Known {
		text = state.String()
	}
	return b.Theme.Paint(theme.Muted, strings.Join(ui.Wrap(text, b.Width), "\n"))
}
