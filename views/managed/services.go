package managed

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/account/incident"
	"lookout/views/resource"
)

// ServicesPane returns the pane of what is monitored.
func ServicesPane(a *account.Account) ui.Pane {
	changes := serviceRunner(a)
	list := &table.List[*client.Service]{
		Title:        "services",
		Store:        a.Services(),
		JoinedStores: []table.JoinedStore{a.Issues(), a.Contacts(), a.Credentials(), a.Instances()},
		Columns:      changes.Resource.PaneColumns(),
		RowActions:   serviceActions(a, changes),
		PaneActions:  changes.NewActions,
		LongTexts:    account.LongTexts[*client.Service],
		Detail:       func(s *client.Service, b ui.Box) string { return serviceDetail(a, s, b) },
		FetchOne:     changes.FetchOne,
		Footer:       func(_ *ui.RowStore[*client.Service], b ui.Box) string { return StateCounts(a, b) },
		CopyItems:    func(s *client.Service) []ui.CopyItem { return account.ServiceCopyItems(a, s) },
		EmptyText:    "no services yet · n adds one",
		SortBy:       "label",
		Search: table.RowSearch[*client.Service]{
			By: func(s *client.Service) []string { return []string{s.Address.String()} },
		},
		BadgeFunc: func() (string, theme.Tone) { return servicesBadge(a) },
	}
	return account.WithDetailSidebar(a, list, func(s *client.Service, inside ui.Box) []ui.StackedPanel {
		return relatedToService(a, s, inside)
	}, a.Stats())
}

// serviceColumns returns the columns of services.
func serviceColumns(a *account.Account) []resource.ColumnDefinition[*client.Service] {
	type row = *client.Service
	type column = resource.ColumnDefinition[row]
	return append([]column{
		resource.IDColumn(serviceID),
		serviceStatusColumn(),
		resource.TextColumn(
			column{Name: "label", Pane: table.Column[row]{Min: 14}},
			theme.Strong, func(s row) client.ServerText { return s.Label },
		),
		{
			Name:         "service_type",
			Value:        func(s row) string { return string(s.Type) },
			DropPriority: 2,
			Pane: table.Column[row]{
				Title:        "type",
				Width:        4,
				Choices:      []string{string(client.TypeURL), string(client.TypeTCP)},
				DropPriority: 5,
				Cell:         table.TextCell(theme.Muted, func(s row) string { return s.Type.String() }),
			},
		},
		resource.TextColumn(
			column{Name: "address", Pane: table.Column[row]{Min: 9, DropPriority: 1}},
			theme.Plain, func(s row) client.ServerText { return s.Address },
		),
		serviceTimeoutColumn(),
		resource.TextColumn(
			column{
				Name:         "consultation_group",
				DropPriority: 1,
				Pane:         table.Column[row]{Title: "group", Width: 10, DropPriority: 4},
			},
			theme.Plain, func(s row) client.ServerText { return s.Group },
		),
		account.AgeColumn(
			column{Name: "updated", DropPriority: 3, Pane: table.Column[row]{Width: 8, DropPriority: 7}},
			theme.Muted, func(s row) client.Timestamp { return s.Updated },
		),
		{Name: "open issue", Pane: openIssueColumn(a)},
		{Name: "off", Pane: disabledColumn(a)},
		{Name: "back", Pane: backColumn(a)},
	}, serviceDetailColumns()...)
}

// serviceStatusColumn returns the column of the status, which sorts what needs attention first, then by label.
func serviceStatusColumn() resource.ColumnDefinition[*client.Service] {
	type row = *client.Service
	return resource.ColumnDefinition[row]{
		Name:  "status",
		Value: func(s row) string { return string(s.Status) },
		Pane: table.Column[row]{
			Title:   "state",
			Width:   10,
			Choices: client.ServiceStatuses(),
			Cell: func(s row, b ui.Box) (string, theme.Tone) {
				return account.FormatStatus(s.Status, b.Theme)
			},
			Less: func(s, t row) bool {
				first, second := account.StatusRank(s.Status), account.StatusRank(t.Status)
				return first < second || first == second && s.Label.String() < t.Label.String()
			},
		},
	}
}

// serviceTimeoutColumn returns the column of the timeout.
func serviceTimeoutColumn() resource.ColumnDefinition[*client.Service] {
	type row = *client.Service
	return resource.ColumnDefinition[row]{
		Name: "timeout",
		Value: func(s row) string {
			if seconds, known := s.Timeout.Value(); known {
				return strconv.Itoa(seconds)
			}
			return ""
		},
		DropPriority: 4,
		Pane: table.Column[row]{
			Width:        7,
			AlignRight:   true,
			DropPriority: 6,
			Cell:         table.TextCell(theme.Muted, formatTimeout),
			Less:         func(s, t row) bool { return s.Request().Timeout < t.Request().Timeout },
		},
	}
}

// formatTimeout returns the time after which a service counts as down: "10 s".
func formatTimeout(s *client.Service) string {
	if seconds, known := s.Timeout.Value(); known {
		return fmt.Sprintf("%d s", seconds)
	}
	return account.UnknownText
}

// timeoutPart says that a timeout is a setting, not what went wrong.
func timeoutPart(s *client.Service) string {
	if _, known := s.Timeout.Value(); known {
		return "timeout set to " + formatTimeout(s)
	}
	return "timeout " + account.UnknownText
}

// serviceDetailColumns returns the columns that scripts show only for a single service.
func serviceDetailColumns() []resource.ColumnDefinition[*client.Service] {
	type row = *client.Service
	return []resource.ColumnDefinition[row]{
		{Name: "body", DetailOnly: true, Value: func(s row) string { return s.Body.Raw() }},
		{Name: "credentials", DetailOnly: true, Value: func(s row) string { return resource.IDsValue(s.Credentials) }},
		{Name: "notes", DetailOnly: true, Value: func(s row) string { return s.Notes.Raw() }},
		{Name: "region", DetailOnly: true, Value: func(s row) string { return s.Region.Raw() }},
		{Name: "created", DetailOnly: true, Value: func(s row) string { return resource.TimeValue(s.Created) }},
	}
}

// openIssueColumn returns the column of the incident that stands for a service now.
func openIssueColumn(a *account.Account) table.Column[*client.Service] {
	return table.Column[*client.Service]{
		Title:        "issue",
		Width:        12,
		Min:          11, // "#823 19 min"
		DropPriority: 2,
		Cell:         func(s *client.Service, b ui.Box) (string, theme.Tone) { return OpenIssueCell(a, s, b) },
		Shorten:      func(s *client.Service, _ ui.Box) string { return issueNumber(a, s) },
		Value: func(s *client.Service) string {
			return resource.Cell(account.UnresolvedIncident(a, s.ID), "", func(found []incident.Incident) string {
				if len(found) == 0 {
					return ""
				}
				return resource.TimeValue(found[0].Issue.Created)
			})
		},
	}
}

// disabledColumn returns the column of how long a service has been disabled; sorted by it, the oldest is first.
func disabledColumn(a *account.Account) table.Column[*client.Service] {
	return table.Column[*client.Service]{
		Title:        "off",
		Width:        10,
		Min:          7,
		DropPriority: 2,
		Cell:         func(s *client.Service, b ui.Box) (string, theme.Tone) { return disabledCell(a, s, b) },
		Shorten:      func(s *client.Service, b ui.Box) string { return shortDisabledCell(a, s, b) },
		Less: func(s, t *client.Service) bool {
			d, _ := account.DisabledInfo(a, s)
			e, _ := account.DisabledInfo(a, t)
			return earlier(d.Since, e.Since)
		},
		Value: func(s *client.Service) string {
			if d, disabled := account.DisabledInfo(a, s); disabled {
				return formatKnownTime(d.Since)
			}
			if w, planned := nextWindow(a, s.ID); planned {
				return formatKnownTime(w.Start)
			}
			return ""
		},
	}
}

// formatKnownTime returns a time as filters compare it. The zero time is not known.
func formatKnownTime(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.Format(time.RFC3339)
}

// backColumn returns the column of when a service is enabled again; sorted by it, the soonest is first.
func backColumn(a *account.Account) table.Column[*client.Service] {
	return table.Column[*client.Service]{
		Title:        "back",
		Width:        9,
		DropPriority: 3,
		Cell:         func(s *client.Service, b ui.Box) (string, theme.Tone) { return backCell(a, s, b) },
		Less: func(s, t *client.Service) bool {
			return earlier(windowEndOf(a, s), windowEndOf(a, t))
		},
		Value: func(s *client.Service) string {
			_, disabled := account.DisabledInfo(a, s)
			if end := windowEndOf(a, s); disabled || !end.IsZero() {
				return formatKnownTime(end)
			}
			return ""
		},
	}
}

// earlier reports whether a time is before another. The zero time is after all others.
func earlier(t, than time.Time) bool { return !t.IsZero() && (than.IsZero() || t.Before(than)) }

// serviceActions returns all actions on a service.
func serviceActions(
	a *account.Account,
	changes account.OperationRunner[*client.Service],
) []table.RowAction[*client.Service] {
	actions := append(changes.RowActions(), changes.Toggle("t", "toggle monitoring", "disable", "enable"))
	return append(actions, ServiceShortcuts(a)...)
}

// ServiceShortcuts returns the actions on a service that change nothing.
func ServiceShortcuts(a *account.Account) []table.RowAction[*client.Service] {
	return []table.RowAction[*client.Service]{
		{
			Keys:        []string{"i"},
			Name:        "open issue",
			Description: "show the issue that is open for this service, or else its newest one",
			DisabledReason: func(s *client.Service) string {
				return account.WhyNone(a.IssuesOfService(s.ID), "no issue mentions this service")
			},
			Message: func(s *client.Service) tea.Msg {
				if i, found := a.Incidents().Unresolved(s.ID); found {
					return ui.GoToMsg{Pane: "issues", ID: account.FormatID(i.Issue.ID)}
				}
				issues := resource.Found(a.IssuesOfService(s.ID))
				if len(issues) == 0 {
					return ui.StatusMsg{Tone: theme.Warn, Text: "no issue mentions this service any more"}
				}
				return ui.GoToMsg{Pane: "issues", ID: account.FormatID(issues[0].ID)}
			},
		},
		account.FollowReference(func(s *client.Service) resource.Joined[account.LinkedRow] {
			return account.ServiceReferences(a, s)
		}),
	}
}

// servicesBadge counts the services that have a problem: "≥ 1" if there may be others, "?" if nothing is known.
func servicesBadge(a *account.Account) (string, theme.Tone) {
	return resource.Fold(a.StatusCounts(), formatProblems, func(
		found []account.StatusCount, s resource.JoinState,
	) string {
		text := formatProblems(found)
		switch {
		case !isUnreadable(s):
			return text
		case text == "":
			return "?"
		}
		return "≥ " + text
	}), theme.Bad
}

// formatProblems returns the number of services that have a problem, or "".
func formatProblems(counts []account.StatusCount) string {
	for _, c := range counts {
		if c.Status == client.StatusProblem {
			return strconv.Itoa(c.Count)
		}
	}
	return ""
}

// OpenIssueCell names the incident that stands for a service now: "#823 6 min", with a question mark if nothing says
// whether it is over.
func OpenIssueCell(a *account.Account, s *client.Service, b ui.Box) (string, theme.Tone) {
	tone := theme.Warn
	text := resource.Cell(
		account.UnresolvedIncident(a, s.ID), b.Theme.Glyphs.Ellipsis, func(found []incident.Incident) string {
			if len(found) == 0 {
				return ""
			}
			i := found[0]
			if _, tone = IncidentMark(i, b.Theme.Glyphs); tone == theme.Bad {
				tone = theme.Warn
			}
			return incidentNumber(i) + " " + account.FormatAge(i.Issue.Created, b.Now)
		},
	)
	return text, tone
}

// issueNumber returns the number of the incident that stands for a service now: "#823"; "" without one.
func issueNumber(a *account.Account, s *client.Service) string {
	return resource.Cell(account.UnresolvedIncident(a, s.ID), "", func(found []incident.Incident) string {
		if len(found) == 0 {
			return ""
		}
		return incidentNumber(found[0])
	})
}

// incidentNumber returns the number of an incident, with a question mark if nothing says whether it is over.
func incidentNumber(i incident.Incident) string {
	return fmt.Sprintf("#%d", i.Issue.ID) + account.ReasonIf(i.Phase == incident.Uncertain, "?")
}

// disabledCell says for how long a service has been disabled: "≥ 2 d 4 h"; of one that is to be disabled, when its
// planned maintenance begins: "at 02:00".
func disabledCell(a *account.Account, s *client.Service, b ui.Box) (string, theme.Tone) {
	d, disabled := account.DisabledInfo(a, s)
	if disabled {
		if d.Forgotten(b.Now) {
			return d.Age(b.Now), theme.Warn
		}
		return account.OrDefault(d.Age(b.Now), "unknown"), theme.Off
	}
	w, planned := nextWindow(a, s.ID)
	if !planned {
		return "", theme.Off
	}
	start := FormatEnd(w.Start.In(a.Location), b.Now.In(a.Location))
	return account.ReasonIf(len(start) <= len("25 Nov"), "at ") + start, theme.Info
}

// shortDisabledCell is disabledCell without the smaller unit of an age, and without the time of another day: "≥ 2 d".
func shortDisabledCell(a *account.Account, s *client.Service, b ui.Box) string {
	text, _ := disabledCell(a, s, b)
	if days, _, found := strings.Cut(text, " d "); found {
		return days + " d"
	}
	text = strings.TrimPrefix(text, "at ")
	if at := strings.LastIndexByte(text, ' '); at > 0 && strings.Contains(text[at:], ":") {
		return text[:at]
	}
	return text
}

// backCell says when a service is enabled again: "23:01", or that this is overdue. The end of a window that another
// machine began is not known. The tone warns of services that may have been forgotten.
func backCell(a *account.Account, s *client.Service, b ui.Box) (string, theme.Tone) {
	d, disabled := account.DisabledInfo(a, s)
	switch end := windowEndOf(a, s); {
	case disabled && !end.IsZero() && b.Now.After(end):
		return "overdue", theme.Bad
	case !end.IsZero():
		text, tone := FormatEnd(end.In(a.Location), b.Now.In(a.Location)), theme.Info
		if disabled {
			tone = theme.Off
		}
		return text, tone
	case !disabled:
		return "", theme.Off
	}
	text, tone := "unknown", theme.Off
	if d.Ours {
		text = "no end"
	}
	if d.Forgotten(b.Now) {
		tone = theme.Warn
	}
	return text, tone
}

// windowEndOf returns when a service is enabled again, now or after its planned maintenance; the zero time if no time
// is known.
func windowEndOf(a *account.Account, s *client.Service) time.Time {
	if d, disabled := account.DisabledInfo(a, s); disabled {
		return d.Until
	}
	w, _ := nextWindow(a, s.ID)
	return w.Until
}

// StateCounts counts the services by state, problems first: "▲ 1 problem  ● 11 ok". If services are missing, it says
// why.
func StateCounts(a *account.Account, b ui.Box) string {
	format := func(counts []account.StatusCount, more ...string) string {
		parts := func(words bool) []string {
			all := make([]string, len(counts), len(counts)+len(more))
			for i, c := range counts {
				state, tone := account.FormatStatus(c.Status, b.Theme)
				shape, word, _ := strings.Cut(state, " ")
				text := shape + " " + strconv.Itoa(c.Count)
				if words {
					text += " " + word
				}
				all[i] = b.Theme.PaintState(tone, text)
			}
			return append(all, more...)
		}
		if whole := strings.Join(parts(true), "   "); ui.Width(whole) <= b.Width {
			return whole
		}
		return ui.JoinFitting(parts(false), "  ", b.Width, b.Theme.Glyphs.Ellipsis)
	}
	all := func(counts []account.StatusCount) string { return format(counts) }
	return resource.Fold(a.StatusCounts(), all, func(found []account.StatusCount, s resource.JoinState) string {
		if !isUnreadable(s) || len(found) == 0 {
			return format(found)
		}
		return format(found, b.Theme.Paint(theme.Warn, s.String()))
	})
}
