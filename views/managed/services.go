// Package managed holds the panes and operations of Managed monitoring: services, contacts, credentials, SSH settings,
// stats and issues. An issue has a screen with everything that somebody on call needs, and a call sheet of it.
// Maintenance windows disable services and enable them again. The boxes of the overview about all this are here too.
package managed

import (
	"cmp"
	"fmt"
	"strconv"
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
	"lookout/views/resource"
)

// ServicesPane returns the pane of what is monitored.
func ServicesPane(a *account.Account) ui.Pane {
	changes := serviceRunner(a)
	list := changes.List()
	list.JoinedStores = table.JoinedStores{a.Issues(), a.Contacts(), a.Credentials(), a.Instances()}
	toggle := changes.Toggle("t", "toggle monitoring", "disable", "enable")
	list.RowActions = append(append(list.RowActions, toggle), ServiceShortcuts(a)...)
	list.Detail = func(s *client.Service, b ui.Box) string { return serviceDetail(a, s, b) }
	list.Footer = func(_ *lists.RowStore[*client.Service], b ui.Box) string { return StateCounts(a, b) }
	list.CopyItems = func(s *client.Service) []ui.CopyItem { return operation.ServiceCopyItems(a, s) }
	list.EmptyText, list.SortBy = "no services yet · n adds one", "label"
	list.Search.By = func(s *client.Service) []string { return []string{s.Address.String()} }
	list.BadgeFunc = func() (string, theme.Tone) { return servicesBadge(a) }
	return operation.WithDetailSidebar(a, list, func(s *client.Service, inside ui.Box) []ui.StackedPanel {
		return append(loadPanels(a, time.Time{}), operation.ChangesPanel(a, "service", account.FormatID(s.ID), inside))
	}, a.Stats())
}

// serviceColumns returns the columns of services. Those of a status, an incident or a window sort what needs attention
// first.
func serviceColumns(a *account.Account) []resource.ColumnDefinition[*client.Service] {
	type row = *client.Service
	timeout := resource.NewColumn(
		"timeout", func(s row) string { return resource.OptionalValue(s.Timeout) },
		table.TextCell(theme.Muted, formatTimeout),
	).Width(7).AlignRight().Drop(6, 4).
		SortedBy(func(s, t row) bool { return s.Request().Timeout < t.Request().Timeout })
	timeout.OnTerminal = formatTimeout
	credentials := resource.DetailColumn("credentials", func(s row) string { return resource.IDsValue(s.Credentials) })
	credentials.OnTerminal = func(s row) string {
		return join.Names(a.CredentialLabels(s.Credentials), strings.Clone, "")
	}
	return []resource.ColumnDefinition[row]{
		resource.IDColumn(serviceID),
		resource.NewColumn("status", func(s row) string {
			return string(s.Status)
		}, func(s row, b ui.Box) (string, theme.Tone) {
			return operation.FormatStatus(s.Status, b.Theme)
		}).Titled("state").Width(10).OneOf(client.ServiceStatuses()...).SortedBy(func(s, t row) bool {
			first, second := account.StatusRank(s.Status), account.StatusRank(t.Status)
			return first < second || first == second && s.Label.String() < t.Label.String()
		}),
		resource.TextColumn("label", theme.Plain, func(s row) client.ServerText { return s.Label }).
			MinWidth(14).Label(),
		resource.NewColumn(
			"service_type", func(s row) string { return string(s.Type) },
			table.TextCell(theme.Muted, func(s row) string { return s.Type.String() }),
		).Titled("type").Width(4).OneOf(string(client.TypeURL), string(client.TypeTCP)).Drop(5, 2),
		resource.TextColumn("address", theme.Plain, func(s row) client.ServerText { return s.Address }).
			MinWidth(9).Drop(1, 0),
		timeout,
		resource.TextColumn("consultation_group", theme.Plain, func(s row) client.ServerText { return s.Group }).
			Titled("group").Width(10).Drop(4, 1),
		operation.AgeColumn("updated", theme.Muted, func(s row) client.Timestamp { return s.Updated }).
			Width(8).Drop(7, 3),
		resource.PaneColumn("open issue", func(s row, b ui.Box) (string, theme.Tone) { return OpenIssueCell(a, s, b) }).
			Titled("issue").Width(12).MinWidth(11).Drop(2, 0). // "#823 19 min"
			Shortened(func(s row, _ ui.Box) string { return incidentOf(a, s, "", incidentNumber) }).
			FilteredBy(func(s row) string {
				detected := func(i incident.Incident) string { return resource.TimeValue(i.Issue.Created) }
				return incidentOf(a, s, "", detected)
			}),
		resource.PaneColumn("off", func(s row, b ui.Box) (string, theme.Tone) { return disabledCell(a, s, b) }).
			Width(10).MinWidth(7).Drop(2, 0).
			Shortened(func(s row, b ui.Box) string { return shortDisabledCell(a, s, b) }).
			SortedBy(func(s, t row) bool { return earlier(disabledSince(a, s), disabledSince(a, t)) }).
			FilteredBy(func(s row) string { return disabledValue(a, s) }),
		resource.PaneColumn("back", func(s row, b ui.Box) (string, theme.Tone) { return backCell(a, s, b) }).
			Width(9).Drop(3, 0).
			SortedBy(func(s, t row) bool { return earlier(windowEndOf(a, s), windowEndOf(a, t)) }).
			FilteredBy(func(s row) string { return backValue(a, s) }),
		resource.DetailColumn("body", func(s row) string { return s.Body.Raw() }),
		credentials,
		resource.DetailColumn("notes", func(s row) string { return s.Notes.Raw() }),
		resource.DetailColumn("region", func(s row) string { return s.Region.Raw() }),
		resource.DetailColumn("created", func(s row) string { return resource.TimeValue(s.Created) }),
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

// disabledSince returns since when a service has been disabled.
func disabledSince(a *account.Account, s *client.Service) time.Time {
	d, _ := a.DisabledInfo(s)
	return d.Since
}

// disabledValue returns since when a service has been disabled, or when it is to be, as filters compare it.
func disabledValue(a *account.Account, s *client.Service) string {
	if d, disabled := a.DisabledInfo(s); disabled {
		return formatKnownTime(d.Since)
	}
	if w, planned := nextWindow(a, s.ID); planned {
		return formatKnownTime(w.Start)
	}
	return ""
}

// backValue returns when a service is enabled again, as filters compare it.
func backValue(a *account.Account, s *client.Service) string {
	_, disabled := a.DisabledInfo(s)
	if end := windowEndOf(a, s); disabled || !end.IsZero() {
		return formatKnownTime(end)
	}
	return ""
}

// formatKnownTime returns a time as filters compare it. The zero time is not known.
func formatKnownTime(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.Format(time.RFC3339)
}

// earlier reports whether a time is before another. The zero time is after all others.
func earlier(t, than time.Time) bool { return !t.IsZero() && (than.IsZero() || t.Before(than)) }

// ServiceShortcuts returns the actions on a service that change nothing.
func ServiceShortcuts(a *account.Account) []table.RowAction[*client.Service] {
	return []table.RowAction[*client.Service]{
		{
			Keys:        []string{"i"},
			Name:        "open issue",
			Description: "show the issue that is open for this service, or else its newest one",
			DisabledReason: func(s *client.Service) string {
				return operation.WhyNone(a.IssuesOfService(s.ID), "no issue mentions this service")
			},
			Message: func(s *client.Service) tea.Msg {
				if i, found := a.Incidents().Unresolved(s.ID); found {
					return ui.GoToMsg{Pane: "issues", ID: account.FormatID(i.Issue.ID)}
				}
				issues := join.Found(a.IssuesOfService(s.ID))
				if len(issues) == 0 {
					return ui.StatusMsg{Tone: theme.Warn, Text: "no issue mentions this service any more"}
				}
				return ui.GoToMsg{Pane: "issues", ID: account.FormatID(issues[0].ID)}
			},
		},
		operation.FollowReference(func(s *client.Service) join.Joined[operation.LinkedRow] {
			return operation.ServiceReferences(a, s)
		}),
	}
}

// servicesBadge counts the services that have a problem: "≥ 1" if there may be others, "?" if nothing is known.
func servicesBadge(a *account.Account) (string, theme.Tone) {
	return join.Fold(a.StatusCounts(), formatProblems, func(found []account.StatusCount, s join.JoinState) string {
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
	return incidentOf(a, s, b.Theme.Glyphs.Ellipsis, func(i incident.Incident) string {
		return incidentNumber(i) + " " + account.FormatAge(i.Issue.Created, b.Now)
	}), theme.Warn
}

// incidentOf returns a text about the incident that stands for a service now: "" if there is none, or the mark while
// that is being read.
func incidentOf(a *account.Account, s *client.Service, mark string, text func(incident.Incident) string) string {
	return join.Cell(a.UnresolvedIncident(s.ID), mark, func(found []incident.Incident) string {
		if len(found) == 0 {
			return ""
		}
		return text(found[0])
	})
}

// incidentNumber returns the number of an incident, with a question mark if nothing says whether it is over.
func incidentNumber(i incident.Incident) string {
	return fmt.Sprintf("#%d", i.Issue.ID) + wording.If(i.Phase == incident.Uncertain, "?")
}

// disabledCell says for how long a service has been disabled: "≥ 2 d 4 h"; of one that is to be disabled, when its
// planned maintenance begins: "at 02:00".
func disabledCell(a *account.Account, s *client.Service, b ui.Box) (string, theme.Tone) {
	d, disabled := a.DisabledInfo(s)
	if disabled {
		if d.Forgotten(b.Now) {
			return d.Age(b.Now), theme.Warn
		}
		return cmp.Or(d.Age(b.Now), "unknown"), theme.Off
	}
	w, planned := nextWindow(a, s.ID)
	if !planned {
		return "", theme.Off
	}
	start := FormatEnd(w.Start.In(a.Location), b.Now.In(a.Location))
	return wording.If(len(start) <= len("25 Nov"), "at ") + start, theme.Info
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
	d, disabled := a.DisabledInfo(s)
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
	if d, disabled := a.DisabledInfo(s); disabled {
		return d.Until
	}
	w, _ := nextWindow(a, s.ID)
	return w.End
}

// StateCounts counts the services by state, problems first: "▲ 1 problem  ● 11 ok". If services are missing, it says
// why.
func StateCounts(a *account.Account, b ui.Box) string {
	format := func(counts []account.StatusCount, more ...string) string {
		parts := func(words bool) []string {
			all := make([]string, len(counts), len(counts)+len(more))
			for i, c := range counts {
				state, tone := operation.FormatStatus(c.Status, b.Theme)
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
	return join.Fold(a.StatusCounts(), all, func(found []account.StatusCount, s join.JoinState) string {
		if !isUnreadable(s) || len(found) == 0 {
			return format(found)
		}
		return format(found, b.Theme.Paint(theme.Warn, s.String()))
	})
}
