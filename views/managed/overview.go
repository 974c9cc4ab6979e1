package managed

import (
	"cmp"
	"fmt"
	"sort"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/incident"
	"lookout/client/account/join"
	"lookout/client/window"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/chart"
	"lookout/views/operation"
)

// ServicesTitle returns the title of the services on the overview, with their number.
func ServicesTitle(a *account.Account) []theme.TitleSegment {
	count := ""
	if a.Services().Loaded() {
		count = join.Fold(account.AllRows(a, a.Services()), func(all []*client.Service) string {
			return wording.FormatCount(int64(len(all)))
		}, func(found []*client.Service, s join.JoinState) string {
			count := wording.FormatCount(int64(len(found)))
			if s.Kind == join.Partial {
				return "≥ " + count
			}
			return count + s.Staleness()
		})
	}
	return theme.Title("Services", count)
}

// RenderServices counts the services by state and names those that need somebody: down, in an incident, disabled,
// pending. Without room for all, it says how many more there are.
func RenderServices(a *account.Account, b ui.Box) string {
	set := a.Services()
	if !set.Loaded() {
		return operation.RenderLoadingOrError(b, set.Freshness(), "reading services")
	}
	if set.Len() == 0 {
		text := "no services yet · press 3, then n to add one"
		if state := join.StateOf(set); state.Kind != join.Known {
			text = state.String()
		}
		return strings.Join(operation.WrapPainted(text, theme.Muted, b), "\n")
	}
	lines := StateCountLines(a, b)
	rows := servicesToWatch(a)
	if len(rows) > b.Height-len(lines) && len(lines) > 1 {
		lines = []string{StateCounts(a, b)}
	}
	var labels int
	for _, c := range rows[:min(len(rows), max(1, b.Height))] {
		labels = max(labels, ui.Width(c.Service.Label.String()))
	}
	for n, c := range rows {
		if room := b.Height - len(lines); n > 0 && room == 1 && n < len(rows)-1 {
			more := fmt.Sprintf("and %d more", len(rows)-n)
			lines = append(lines, b.Theme.Paint(theme.Muted, more))
			break
		}
		lines = append(lines, b.DrawRow(set.Highlights.Has(c.Service), func(b ui.Box) []string {
			return []string{serviceLine(a, c, labels, b)}
		})...)
	}
	return strings.Join(lines, "\n")
}

// StateCountLines returns the counts with whole words: in one line if they fit, otherwise in two.
func StateCountLines(a *account.Account, b ui.Box) []string {
	wide := b
	wide.Width = 1000
	whole := StateCounts(a, wide)
	if ui.Width(whole) <= b.Width {
		return []string{whole}
	}
	parts := strings.Split(whole, "   ")
	half := (len(parts) + 1) / 2
	two := []string{strings.Join(parts[:half], "   "), strings.Join(parts[half:], "   ")}
	if len(parts) < 2 || ui.Width(two[0]) > b.Width || ui.Width(two[1]) > b.Width {
		return []string{StateCounts(a, b)}
	}
	return two
}

// WatchedServices returns how many services the overview names.
func WatchedServices(a *account.Account) int { return len(servicesToWatch(a)) }

// MaintenanceWindows returns how many services are disabled or planned to be.
func MaintenanceWindows(a *account.Account) int {
	return len(a.ServicesOff()) + len(plannedWindows(a))
}

// servicesToWatch returns the services that are down or have an incident that is not over, then those that are
// disabled, then those that are pending.
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
		for _, status := range []client.ServiceStatus{client.StatusDisabled, client.StatusPending} {
			for _, s := range a.Services().Rows() {
				if s.Status == status && !named[s.ID] {
					rows = append(rows, incident.Alert{Service: s, ID: s.ID})
				}
			}
		}
		return rows
	}, a.IncidentSources()...)
}

// backPhrase says in a sentence when a disabled service is enabled again: "back 23:01", "overdue since 23:01", "no end
// set" or "end unknown".
func backPhrase(a *account.Account, s *client.Service, b ui.Box) (string, theme.Tone) {
	back, tone := backCell(a, s, b)
	switch end := windowEndOf(a, s); {
	case tone == theme.Bad:
		return back + " since " + FormatEnd(end.In(a.Location), b.Now.In(a.Location)), tone
	case !end.IsZero():
		return "back " + back, tone
	case back == "unknown":
		return "end " + back, tone
	}
	return back + " set", tone
}

// serviceLine names a service with its state, as much about it as fits whole, and since when.
func serviceLine(a *account.Account, c incident.Alert, labels int, b ui.Box) string {
	s := c.Service
	state, tone := operation.FormatStatus(s.Status, b.Theme)
	shape, word, _ := strings.Cut(state, " ")
	age, ageTone, about := "", theme.Muted, []string{word}
	address := s.Address.String()
	if s.Type == client.TypeTCP {
		address = "tcp " + address
	}
	if c.Incident != nil {
		age = account.FormatAge(c.Incident.Issue.Created, b.Now)
	} else if !c.DownSince.IsZero() {
		age = account.FormatAge(client.NewTime(c.DownSince), b.Now)
	}
	switch d, disabled := a.DisabledInfo(s); {
	case disabled:
		age = d.Age(b.Now)
		end, endTone := backPhrase(a, s, b)
		about = []string{word + " · " + end, end, word}
		if ageTone = endTone; endTone == theme.Off {
			ageTone = theme.Muted
		}
	case c.Down():
		about = []string{address + " · " + word, address, word}
		if c.Incident == nil && a.IncidentState().Kind == join.Known {
			for n := range about {
				about[n] += " · no issue"
			}
		}
		if c.Incident == nil { // no issue names whom to call
			name, number := ContactToCall(a.ContactsInGroup(s.Group.Raw()))
			call, short := strings.TrimSpace(" · call "+name+" "+number), about[len(about)-1]
			shortest := strings.TrimPrefix(short, word+" · ") + " · " + cmp.Or(number, name)
			about = append([]string{about[0] + " " + call, short + " " + call, shortest}, about...)
		}
	case c.Incident != nil:
		tone = theme.Warn
		issue := fmt.Sprintf("issue #%d %s, %s", c.Incident.Issue.ID, c.Incident.Phase, age)
		about = []string{word + " · " + issue, issue, word}
		age = "" // of the issue, and not of the state
	}
	name := ui.Truncate(s.Label.String(), max(0, min(labels, b.Width-ui.Width(age)-4)), b.Theme.Glyphs.Ellipsis)
	nameTone := theme.Plain
	if tone == theme.Bad {
		nameTone = tone
	}
	left := b.Theme.Paint(tone, shape) + " " + b.Theme.Paint(nameTone, ui.Pad(name, min(labels, b.Width)))
	room := b.Width - min(labels, b.Width) - ui.Width(age) - 6
	middle := firstFitting(about, room)
	return left + "  " + b.Theme.Paint(theme.Muted, ui.Pad(middle, max(0, room))) + "  " + b.Theme.Paint(ageTone, age)
}

// firstFitting returns the first text that fits in a width, "" if none does.
func firstFitting(texts []string, width int) string {
	for _, text := range texts {
		if ui.Width(text) <= width {
			return text
		}
	}
	return ""
}

// IncidentsTitle returns the title of the issues on the overview, with the number of those that are open.
func IncidentsTitle(a *account.Account) []theme.TitleSegment {
	if !a.Issues().Loaded() {
		return theme.Title("Issues")
	}
	open, uncertain := a.Incidents().Count()
	count := fmt.Sprintf("%d open", open)
	if uncertain > 0 {
		count += fmt.Sprintf(", %d unknown", uncertain)
	}
	title := theme.Title("Issues", count)
	if open+uncertain > 0 {
		title[1].Tone = theme.Warn
	}
	return title
}

// RenderIncidents shows the incidents that are not over, with whom to call about them, then how many issues there were
// lately. Where there is room it shows the newest of the others.
func RenderIncidents(a *account.Account, b ui.Box) string {
	if set := a.Issues(); !set.Loaded() {
		return operation.RenderLoadingOrError(b, set.Freshness(), "reading issues")
	}
	rows := a.IncidentsByUrgency()
	firstOver := sort.Search(len(rows), func(n int) bool { return !rows[n].Unresolved() })
	open, over := rows[:firstOver], rows[firstOver:]
	inner := b
	inner.Height-- // for the counts
	ages := max(ageWidth(open, b), ageWidth(over[:max(0, min(len(over), inner.Height-3*len(open)))], b))
	lines := unresolvedLines(a, open, ages, inner)
	if len(open) == 0 {
		lines = append(lines, noOpenIncident(a, b))
	}
	for n, i := range over {
		if len(lines) >= inner.Height {
			break
		}
		if n == 0 && len(lines)+2 <= inner.Height {
			lines = append(lines, "")
		}
		lines = append(lines, incidentLine(a, i, ages, b))
	}
	for len(lines) < inner.Height {
		lines = append(lines, "")
	}
	return strings.Join(append(lines, issueCountLine(a, b)), "\n")
}

// ageWidth returns how wide the ages of incidents are, as many as fit in a box.
func ageWidth(all []incident.Incident, b ui.Box) (width int) {
	for _, i := range all[:min(len(all), max(0, b.Height))] {
		width = max(width, ui.Width(account.FormatAge(i.Issue.Created, b.Now)))
	}
	return width
}

// stateLine says in one line what is missing, and what to do about it where there is room.
func stateLine(prefix string, state join.JoinState, b ui.Box) string {
	text := prefix + state.String()
	if ui.Width(text) > b.Width {
		text = prefix + state.Reason()
	}
	return b.Theme.Paint(theme.Warn, ui.Truncate(text, b.Width, b.Theme.Glyphs.Ellipsis))
}

// noOpenIncident says that no incident is open, as far as that is known.
func noOpenIncident(a *account.Account, b ui.Box) string {
	state := a.IncidentState()
	if state.Kind != join.Known {
		return stateLine("none seen · ", state, b)
	}
	text := "no issue is open"
	if a.Issues().Len() == 0 {
		text = "nothing has been detected"
	}
	return b.Theme.Paint(theme.Good, b.Theme.Glyphs.OK) + " " + text
}

// unresolvedLines returns the incidents that are not over, those of which nothing says whether they are under a heading
// of their own. Each has its line with the number to call, and more lines if there is room for them. ages is the width
// of the column of ages.
func unresolvedLines(a *account.Account, rows []incident.Incident, ages int, b ui.Box) []string {
	draw := func(rows []incident.Incident, heading bool, form func(incident.Incident, ui.Box) []string) []string {
		var lines []string
		for n, i := range rows {
			if heading && i.Phase == incident.Uncertain && (n == 0 || rows[n-1].Phase == incident.Open) {
				lines = append(lines, b.Theme.Paint(theme.Muted, "unknown whether over"))
			}
			lines = append(lines, b.DrawRow(a.Issues().Highlights.Has(i.Issue), func(b ui.Box) []string {
				return form(i, b)
			})...)
		}
		return lines
	}
	oneLine := func(i incident.Incident, b ui.Box) []string { return []string{shortIncidentLine(a, i, b)} }
	if len(rows) <= b.Height { // a frame draws only what is seen
		withCall := func(i incident.Incident, b ui.Box) []string {
			return append([]string{incidentLine(a, i, ages, b)}, callLines(a, i.Issue, b)...)
		}
		withTicket := func(i incident.Incident, b ui.Box) []string {
			lines, ticket := withCall(i, b), ticketText(a, i.Issue, b)
			if ticket != "" && !strings.Contains(lines[0], ticket) {
				lines = append(lines, b.Theme.Paint(theme.Muted, "  "+ticket))
			}
			return lines
		}
		for _, form := range []func(incident.Incident, ui.Box) []string{withTicket, withCall, oneLine} {
			if lines := draw(rows, true, form); len(lines) <= b.Height {
				return lines
			}
		}
		return draw(rows, false, oneLine)
	}
	shown := max(0, b.Height-1)
	more := fmt.Sprintf("and %d more %s press 2", len(rows)-shown, b.Theme.Glyphs.Bullet)
	return append(draw(rows[:shown], false, oneLine), b.Theme.Paint(theme.Warn, more))
}

// UnresolvedIncidents returns how many incidents the overview names, and the headings between them.
func UnresolvedIncidents(a *account.Account) int {
	open, uncertain := a.Incidents().Count()
	return open + uncertain + min(1, uncertain)
}

// shortIncidentLine returns an incident and whom to call in one line: mark, number, services, and of the contact the
// number at least.
func shortIncidentLine(a *account.Account, found incident.Incident, b ui.Box) string {
	const gap, minNames = "  ", 10
	shape, tone := IncidentMark(found, b.Theme.Glyphs)
	lead := b.Theme.Paint(tone, fmt.Sprintf("%s #%d", shape, found.Issue.ID)) + gap
	name, number, more := "nobody to call", "", ""
	if groups := whomToCall(a, found.Issue).groups; len(groups) > 0 {
		name, number = ContactToCall(groups[0].people)
		more = wording.If(len(groups) > 1, fmt.Sprintf(" +%d more", len(groups)-1))
	} else if state := a.AffectedServices(found.Issue).State(); state.Kind != join.Known {
		name = state.Reason()
	}
	painted := b.Theme.Paint(theme.Accent, number)
	calls := []string{name + gap + painted + more, painted + more, painted}
	if number == "" {
		calls = []string{b.Theme.Paint(theme.Warn, name) + more, b.Theme.Paint(theme.Warn, name)}
	}
	names := []string{}
	for _, s := range affectedNames(a, found, b.Theme.Glyphs) {
		names = append(names, strings.TrimPrefix(s.Text, shape+" ")) // the mark stands in front of the line
	}
	call := firstFitting(calls, b.Width-ui.Width(lead)-min(minNames, ui.Width(names[0]))-len(gap))
	room := max(0, b.Width-ui.Width(lead)-ui.Width(call)-len(gap))
	affected := ui.Truncate(operation.FitNames(names, room), room, b.Theme.Glyphs.Ellipsis)
	return lead + ui.Pad(affected, room) + gap + call
}

// ticketText names the ticket of an issue with its state: "ticket 48213 open"; "" without one.
func ticketText(a *account.Account, i *client.Issue, b ui.Box) string {
	cell, _ := TicketCell(a, i, b)
	return wording.WithPrefix("ticket ", cell)
}

// incidentLine returns an incident in one line: mark, number, age in a column of a width, services, and the ticket if
// it fits.
func incidentLine(a *account.Account, found incident.Incident, ages int, b ui.Box) string {
	i := found.Issue
	shape, tone := IncidentMark(found, b.Theme.Glyphs)
	affected := ""
	for _, s := range joinNames(affectedNames(a, found, b.Theme.Glyphs)) {
		affected += b.Theme.Paint(s.Tone, strings.TrimPrefix(s.Text, shape+" ")) // the mark stands in front of the line
	}
	age, number := account.FormatAge(i.Created, b.Now), b.Theme.Paint(tone, fmt.Sprintf("%s #%d", shape, i.ID))
	since, ticket := a.FormatTimestamp(i.Created)+" · "+age, ticketText(a, i, b)
	if !found.Unresolved() || ui.Width(number+since+affected+ticket)+6 > b.Width {
		since = ui.Pad(age, ages)
	}
	lead := number + "  " + b.Theme.Paint(theme.Muted, since) + "  "
	room := max(0, b.Width-ui.Width(lead))
	right := firstFitting([]string{
		ticket, wording.If(found.Ticket == incident.TicketClosed, string(found.Ticket)),
		wording.If(!found.Unresolved(), phaseWord(found.Phase)),
	}, room-ui.Width(affected)-2)
	if right == "" {
		return lead + ui.Truncate(affected, room, b.Theme.Glyphs.Ellipsis)
	}
	return lead + ui.Pad(affected, room-ui.Width(right)) + b.Theme.Paint(theme.Muted, right)
}

// callLines returns whom to call about an issue, and the numbers: of one group as many contacts as fit whole in a line,
// of several groups one contact each.
func callLines(a *account.Account, i *client.Issue, b ui.Box) []string {
	lead := b.Theme.Paint(theme.Muted, "  call  ")
	call := whomToCall(a, i)
	if len(call.groups) < 2 {
		b.Width -= ui.Width(lead)
		return []string{lead + callLine(call, b)}
	}
	lines := make([]string, len(call.groups))
	for n, g := range call.groups {
		name, number := ContactToCall(g.people)
		if number == "" {
			number, name = b.Theme.Paint(theme.Warn, name), ""
		}
		line := lead + b.Theme.Paint(theme.Accent, number) + wording.WithPrefix("  ", name)
		group := b.Theme.Paint(theme.Muted, "  "+g.name)
		line = ui.Truncate(line, b.Width-min(ui.Width(group), b.Width/4), b.Theme.Glyphs.Ellipsis) + group
		lines[n] = ui.Truncate(line, b.Width, b.Theme.Glyphs.Ellipsis)
		lead = strings.Repeat(" ", ui.Width(lead))
	}
	return lines
}

// callLine returns the contacts of the only group to call about an issue, or why there are none.
func callLine(call callFacts, b ui.Box) string {
	var parts []string
	without := 0
	for _, c := range join.Found(call.people) {
		if numbers := phoneNumbers(c); len(numbers) > 0 {
			parts = append(parts, c.Name.String()+"  "+b.Theme.Paint(theme.Accent, numbers[0]))
		} else {
			without++
		}
	}
	if len(parts) == 0 && without > 0 && call.people.State().Kind == join.Known {
		parts = append(parts, b.Theme.Paint(theme.Warn, "no contact in the group has a phone number"))
	}
	if call.remark != "" {
		parts = append(parts, b.Theme.Paint(theme.Warn, call.remark))
	}
	if len(parts) > 0 && ui.Width(parts[0]) > b.Width {
		return ui.Truncate(parts[0], b.Width, b.Theme.Glyphs.Ellipsis)
	}
	return ui.JoinFitting(parts, "   ", b.Width, "")
}

// issueCountLine says how many issues there were in the last day and month, with their course.
func issueCountLine(a *account.Account, b ui.Box) string {
	const days = 31
	state := join.StateOf(a.Issues())
	if state.Kind != join.Known {
		return stateLine("", state, b)
	}
	perDay := make([]float64, days)
	month := 0
	for d := range days {
		age := time.Duration(d+1) * 24 * time.Hour
		if d < days-1 {
			age-- // what is exactly a day old is of the day before
		}
		n := join.Len(a.IssuesSince(b.Now.Add(-age)))
		perDay[days-1-d], month = float64(n-month), n
	}
	day := int(perDay[days-1])
	text := fmt.Sprintf("%d in the last 24 h · %d in the last %d d, per day", day, month, days)
	if ui.Width(text)+days+2 > b.Width {
		text = fmt.Sprintf("%d in 24 h · %d in %d d", day, month, days)
	}
	cells := min(days, b.Width-ui.Width(text)-2)
	if cells < 8 {
		return b.Theme.Paint(theme.Muted, text)
	}
	return b.Theme.Paint(theme.Muted, text) + "  " +
		b.Theme.Paint(theme.ChartFirst, chart.Sparkline(b.Theme, perDay[days-cells:]))
}

// MaintenanceTitle returns the title of the maintenance windows on the overview, with their number.
func MaintenanceTitle(a *account.Account) []theme.TitleSegment {
	if !a.Services().Loaded() {
		return theme.Title("Maintenance")
	}
	return theme.Title("Maintenance", fmt.Sprint(MaintenanceWindows(a)))
}

// RenderMaintenance names the services that are disabled, for how long, until when and why, then the planned windows.
func RenderMaintenance(a *account.Account, b ui.Box) string {
	set := a.Services()
	off, planned := a.ServicesOff(), plannedWindows(a)
	if !set.Loaded() && len(off) == 0 {
		return operation.RenderLoadingOrError(b, set.Freshness(), "reading services")
	}
	more := 0
	if all := len(off) + len(planned); all > b.Height && b.Height > 0 {
		more = all - b.Height + 1
		off = off[:min(len(off), b.Height-1)] // a frame draws only what is seen
		planned = planned[:min(len(planned), b.Height-1-len(off))]
	}
	var rows []windowLine
	for _, s := range off {
		d, _ := a.DisabledInfo(s)
		since, _ := disabledCell(a, s, b)
		back, tone := backPhrase(a, s, b)
		rows = append(rows, windowLine{[4]string{
			b.Theme.Glyphs.Disabled + " " + s.Label.String(), "off " + since, back, client.NewText(d.Reason).String(),
		}, tone})
	}
	for _, w := range planned {
		now := b.Now.In(a.Location)
		rows = append(rows, windowLine{[4]string{
			b.Theme.Glyphs.Pending + " " + client.NewText(w.Label).String(),
			"off at " + FormatEnd(w.Start.In(a.Location), now), "back " + FormatEnd(w.End.In(a.Location), now),
			client.NewText(w.Reason).String(),
		}, theme.Plain})
	}
	if len(rows) == 0 {
		text := "no service is disabled · no maintenance was scheduled from this machine"
		if state := join.StateOf(set); state.Kind != join.Known {
			text = "no disabled service seen · " + state.String()
		}
		return b.Theme.Paint(theme.Muted, strings.Join(ui.Wrap(text, b.Width), "\n"))
	}
	lines := maintenanceLines(rows, b)
	if more > 0 {
		lines = append(lines, b.Theme.Paint(theme.Muted, fmt.Sprintf("and %d more", more)))
	}
	return strings.Join(lines, "\n")
}

// MaintenanceSummary returns how many services are disabled and when the first comes back, or else how many windows
// are planned and when the first begins: "2 off, back 23:01".
func MaintenanceSummary(a *account.Account, b ui.Box) (string, theme.Tone) {
	off, planned, now := a.ServicesOff(), plannedWindows(a), b.Now.In(a.Location)
	switch {
	case len(off) > 0:
		text, tone, first := fmt.Sprintf("%s %d off", b.Theme.Glyphs.Disabled, len(off)), theme.Plain, time.Time{}
		for _, s := range off {
			d, _ := a.DisabledInfo(s)
			if end := d.Until; !end.IsZero() && (first.IsZero() || end.Before(first)) {
				first = end
			}
			if d.Until.IsZero() && d.Forgotten(now) {
				tone = theme.Warn
			}
		}
		switch {
		case first.IsZero():
			return text, tone
		case now.After(first):
			return text + ", overdue", theme.Bad
		}
		return text + ", back " + FormatEnd(first.In(a.Location), now), tone
	case len(planned) > 0:
		at := FormatEnd(planned[0].Start.In(a.Location), now)
		return fmt.Sprintf("%s %d planned, %s", b.Theme.Glyphs.Pending, len(planned), at), theme.Info
	case join.StateOf(a.Services()).Kind != join.Known:
		return "none seen", theme.Muted
	}
	return "none", theme.Muted
}

// A windowLine is a maintenance window on the overview: service, beginning, end and reason, with the tone of the end.
type windowLine struct {
	cells [4]string
	tone  theme.Tone
}

// maintenanceLines aligns the columns of maintenance windows. In a narrow box with room, each window has two lines.
func maintenanceLines(rows []windowLine, b ui.Box) []string {
	var widths [4]int
	for _, row := range rows {
		for n, text := range row.cells {
			widths[n] = max(widths[n], ui.Width(text))
		}
	}
	split := widths[0]+widths[1]+widths[2]+4 > b.Width && b.Height >= 2*len(rows)
	if !split {
		widths[0] = min(widths[0], max(10, b.Width/3))
	}
	var lines []string
	for _, row := range rows {
		if row.tone == theme.Off {
			row.tone = theme.Plain
		}
		if split {
			when := "  " + b.Theme.Paint(theme.Muted, row.cells[1]+" "+b.Theme.Glyphs.Bullet+" ") +
				b.Theme.Paint(row.tone, row.cells[2])
			for _, line := range []string{row.cells[0] + wording.WithPrefix("  ", row.cells[3]), when} {
				lines = append(lines, ui.Truncate(line, b.Width, b.Theme.Glyphs.Ellipsis))
			}
			continue
		}
		name := ui.Truncate(row.cells[0], widths[0], b.Theme.Glyphs.Ellipsis)
		line := ui.Pad(name, widths[0]) + "  " + b.Theme.Paint(theme.Muted, ui.Pad(row.cells[1], widths[1])) + "  " +
			b.Theme.Paint(row.tone, ui.Pad(row.cells[2], widths[2]))
		line += wording.WithPrefix("  ", row.cells[3])
		lines = append(lines, ui.Truncate(line, b.Width, b.Theme.Glyphs.Ellipsis))
	}
	return lines
}

// plannedWindows returns the windows that are to begin, in their order.
func plannedWindows(a *account.Account) []window.Window {
	return account.Memo(a, "planned windows", func() []window.Window {
		var all []window.Window
		for _, w := range a.Journal.PlannedWindows() {
			all = append(all, w)
		}
		sort.Slice(all, func(i, j int) bool {
			v, w := &all[i], &all[j]
			return cmp.Or(v.Start.Compare(w.Start), cmp.Compare(v.Label, w.Label)) < 0
		})
		return all
	}, a.Journal)
}
