package managed

import (
	"fmt"
	"slices"
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

// IssuesPane returns the pane of what monitoring has detected.
func IssuesPane(a *account.Account) ui.Pane {
	list := &table.List[*client.Issue]{
		Title:        "issues",
		Store:        a.Issues(),
		JoinedStores: []table.JoinedStore{a.Services(), a.Contacts(), a.Instances(), a.Credentials()},
		Columns:      Issues(a).PaneColumns(),
		RowActions: []table.RowAction[*client.Issue]{{
			Keys:        []string{"enter"},
			Name:        "open issue",
			Description: "show what it affects and whom to call",
			ShowInHints: true,
			OpenPane:    func(i *client.Issue) ui.Pane { return IncidentPane(a, i) },
		}, callSheetAction(a), ticketAction(a)},
		LongTexts: operation.LongTexts[*client.Issue],
		Detail:    func(i *client.Issue, b ui.Box) string { return renderIncident(a, i, b, false) },
		Footer:    func(set *lists.RowStore[*client.Issue], b ui.Box) string { return issuesFoot(a, set, b) },
		CopyItems: operation.CopyItemsByID(a, "issues", "view issue", func(i *client.Issue) int { return i.ID }),
		EmptyText: "no issues: nothing has been detected · r checks again",
		SortBy:    "age",
		BadgeFunc: func() (string, theme.Tone) { return issuesBadge(a) },
		OnVisible: a.FetchTickets,
		Label:     func(i *client.Issue) string { return "#" + account.FormatID(i.ID) },
		Search: table.RowSearch[*client.Issue]{
			By:   ticketNames,
			Open: func(i *client.Issue) ui.Pane { return IncidentPane(a, i) },
		},
	}
	return operation.WithDetailSidebar(a, list, func(i *client.Issue, inside ui.Box) []ui.StackedPanel {
		w, load := incidentSections{a: a, i: i, b: inside}, loadPanels(a, i.Created.Time())
		if why := whyNoLoad(a, i); why != "" && a.Stats().Loaded() {
			load = []ui.StackedPanel{{Name: "load", Title: theme.Title("Load"), Lines: w.wrap(why, theme.Muted)}}
		}
		return append(load, w.history(historyLength), w.changes(historyLength))
	}, a.Stats())
}

// ticketNames returns what the ticket of an issue is called; none if the issue has no ticket.
func ticketNames(i *client.Issue) []string {
	if i.Ticket.ID == 0 {
		return nil
	}
	return []string{"ticket " + account.FormatID(i.Ticket.ID)}
}

// callSheetAction copies an issue, in the list and in the issue's own pane.
func callSheetAction(a *account.Account) table.RowAction[*client.Issue] {
	return table.RowAction[*client.Issue]{
		Keys:        []string{"y"},
		Name:        "copy call sheet",
		Description: "the issue as plain text for a chat or a ticket",
		ShowInHints: true,
		Message: func(i *client.Issue) tea.Msg {
			return ui.CopyMsg{Text: callSheet(a, i), Label: "call sheet"}
		},
	}
}

// ticketAction opens the ticket of an issue, in the list and in the issue's own pane.
func ticketAction(a *account.Account) table.RowAction[*client.Issue] {
	return table.RowAction[*client.Issue]{
		Keys:        []string{"o"},
		Name:        "open ticket",
		Description: "show it in the browser",
		DisabledReason: func(i *client.Issue) string {
			return wording.If(ticketURL(a, i) == "", "the issue has no ticket")
		},
		Message: func(i *client.Issue) tea.Msg { return ui.OpenURLMsg{URL: ticketURL(a, i)} },
	}
}

// Issues declares issues: the document's "Managed Issue".
func Issues(a *account.Account) resource.Resource[*client.Issue] {
	return resource.Resource[*client.Issue]{
		Name:          "issues",
		Singular:      "issue",
		Description:   "Issues detected on monitored services",
		TerminalReads: []ui.Refresher{a.Services()},
		Examples: []string{
			"issues list --sort -created --limit 3",
			"issues get 823 -o json",
			"issues wait --timeout 8h",
		},
		Argument:  "ID",
		ID:        func(i *client.Issue) string { return account.FormatID(i.ID) },
		Calls:     resource.APICalls{List: "list issues", Get: "view issue", Managed: true},
		Columns:   issueColumns(a),
		PaneOrder: []string{"id", "age", "created", "services", "ticket", "ticket_label"},
		List:      resource.ListAll(a.API.Issues.All),
		Get:       resource.ByID(a.API.Issues.Get),
	}
}

// issueColumns returns the columns of issues.
func issueColumns(a *account.Account) []resource.ColumnDefinition[*client.Issue] {
	type row = *client.Issue
	created := func(i row) client.Timestamp { return i.Created }
	age := operation.AgeColumn("age", theme.Plain, created).Width(8)
	age.Pane.Value, age.Value = age.Value, nil
	affected := resource.NewColumn(
		"services", func(i row) string { return resource.IDsValue(i.Services) },
		func(i row, b ui.Box) (text string, tone theme.Tone) {
			for _, s := range AffectedSpans(a, i, b) {
				text += s.Text
			}
			return text, theme.Muted
		},
	).Titled("affected").MinWidth(18).Label().Shortened(func(i row, b ui.Box) string {
		found, _ := a.Incidents().Of(i.ID)
		mark, _ := affectedMark(found, b.Theme.Glyphs)
		var names []string
		for _, s := range affectedNames(a, found, b.Theme.Glyphs) {
			names = append(names, mark+s.Text)
			mark = ""
		}
		return operation.FitNames(names, b.Width)
	}).Spans(func(i row, b ui.Box) []table.TonedText { return AffectedSpans(a, i, b) })
	affected.OnTerminal = func(i row) string {
		names := make([]string, len(i.Services))
		for n, id := range i.Services {
			names[n] = a.ServiceName(id)
		}
		return strings.Join(names, ", ")
	}
	return []resource.ColumnDefinition[row]{
		resource.NewColumn(
			"id", func(i row) string { return strconv.Itoa(i.ID) },
			table.TextCell(theme.Plain, func(i row) string { return "#" + account.FormatID(i.ID) }),
		).Titled("issue").Width(7).Drop(2, 0).SortedBy(func(i, j row) bool { return i.ID < j.ID }),
		age,
		resource.NewColumn(
			"created", func(i row) string { return resource.TimeValue(i.Created) },
			table.TextCell(theme.Muted, func(i row) string { return a.FormatTimestamp(i.Created) }),
		).Titled("detected").Width(12).Drop(4, 0).SortedBy(age.Pane.Less),
		affected,
		resource.NewColumn(
			"ticket", func(i row) string { return wording.If(i.Ticket.ID != 0, strconv.Itoa(i.Ticket.ID)) },
			func(i row, b ui.Box) (string, theme.Tone) { return TicketCell(a, i, b) },
		).Width(16).Drop(1, 2),
		resource.TextColumn("ticket_label", theme.Muted, func(i row) client.ServerText { return i.Ticket.Label }).
			Titled("about").MinWidth(16).Drop(5, 0),
		resource.DetailColumn("ticket_url", func(i row) string { return i.Ticket.URL.Raw() }),
	}
}

// affectedNames returns the labels of the services of an incident, in red those that are down because of it. It calls a
// service that has not been read by its id.
func affectedNames(a *account.Account, found incident.Incident, g theme.Glyphs) []table.TonedText {
	if len(found.Services) == 0 {
		return []table.TonedText{{Text: "no service named", Tone: theme.Muted}}
	}
	names := make([]table.TonedText, len(found.Services))
	for n, s := range found.Services {
		name, tone := a.ServiceName(s.ID), theme.Muted
		switch {
		case s.Down:
			name, tone = g.Problem+" "+name, theme.Bad
		case found.Unresolved() && s.Silence != nil:
			name, tone = g.Disabled+" "+name, theme.Warn
		case found.Unresolved():
			tone = theme.Plain
		}
		names[n] = table.TonedText{Text: name, Tone: tone}
	}
	return names
}

// joinNames returns names with commas between them.
func joinNames(names []table.TonedText) []table.TonedText {
	var spans []table.TonedText
	for n, name := range names {
		if n > 0 {
			spans = append(spans, table.TonedText{Text: ", ", Tone: theme.Muted})
		}
		spans = append(spans, name)
	}
	return spans
}

// affectedMark returns the mark in front of the services of an incident: none if one of them is down, and has its own.
func affectedMark(found incident.Incident, g theme.Glyphs) (string, theme.Tone) {
	mark, tone := IncidentMark(found, g)
	return wording.If(found.Unresolved() && !found.Down(), mark+" "), tone
}

// AffectedSpans returns the mark of an incident and its services.
func AffectedSpans(a *account.Account, i *client.Issue, b ui.Box) []table.TonedText {
	found, _ := a.Incidents().Of(i.ID)
	spans := joinNames(affectedNames(a, found, b.Theme.Glyphs))
	if mark, tone := affectedMark(found, b.Theme.Glyphs); mark != "" {
		spans = slices.Insert(spans, 0, table.TonedText{Text: mark, Tone: tone})
	}
	return spans
}

// IncidentMark returns the glyph and the tone of an incident: red for what is down now, yellow for what is not over.
func IncidentMark(i incident.Incident, g theme.Glyphs) (string, theme.Tone) {
	switch {
	case i.Phase == incident.Open && i.Down():
		return g.Problem, theme.Bad
	case i.Phase == incident.Open:
		return g.Problem, theme.Warn
	case i.Phase == incident.Uncertain:
		return g.Unknown, theme.Warn
	}
	return " ", theme.Muted
}

// TicketCell returns the number of the ticket of an issue and its state: open, closed, unknown, being read, or not read
// yet.
func TicketCell(a *account.Account, i *client.Issue, b ui.Box) (string, theme.Tone) {
	id := i.Ticket.ID
	state, tone := a.Tickets.State(id), theme.Muted
	switch {
	case id == 0:
		return "", theme.Plain
	case a.Tickets.Reading(id):
		return fmt.Sprintf("%d %s", id, b.Theme.Glyphs.Ellipsis), theme.Muted
	case a.TicketUnread(id):
		return fmt.Sprintf("%d not read", id), theme.Muted
	case state == incident.TicketOpen:
		tone = theme.Warn
	}
	if found, known := a.Incidents().Of(i.ID); known && found.Phase == incident.Uncertain {
		tone = theme.Warn
	}
	return fmt.Sprintf("%d %s", id, state), tone
}

// issuesBadge counts the incidents that are open: "1", or "≥ 1" if there may be others. If none is known to be open, it
// counts those that may be: "2?", or "?" if issues or services could not be read.
func issuesBadge(a *account.Account) (string, theme.Tone) {
	open, uncertain := a.Incidents().Count()
	more := uncertain > 0 || isUnreadable(a.IncidentState())
	switch {
	case open > 0 && more:
		return fmt.Sprintf("≥ %d", open), theme.Warn
	case open > 0:
		return fmt.Sprint(open), theme.Warn
	case uncertain > 0:
		return fmt.Sprintf("%d?", uncertain), theme.Warn
	}
	return wording.If(more, "?"), theme.Warn
}

// isUnreadable reports whether rows are missing that no read under way will bring.
func isUnreadable(s join.JoinState) bool {
	return !s.Stale && (s.Kind == join.Failed || s.Kind == join.Denied || s.Kind == join.Partial)
}

// issuesFoot counts the issues and those of the last day.
func issuesFoot(a *account.Account, set *lists.RowStore[*client.Issue], b ui.Box) string {
	text := join.Fold(a.IssuesSince(b.Now.Add(-24*time.Hour)), func(day []*client.Issue) string {
		return fmt.Sprintf("%s · %d in the last 24 h", wording.Plural(set.Len(), "issue", "issues"), len(day))
	}, func(_ []*client.Issue, s join.JoinState) string { return s.String() })
	return b.Theme.Paint(theme.Muted, text)
}

// ticketURL returns the address of the ticket of an issue, or "" if there is none. The provider's API returns a path in
// its web console; other servers are taken to have one at their own host.
func ticketURL(a *account.Account, i *client.Issue) string {
	raw := i.Ticket.URL.Raw()
	switch {
	case raw == "":
		return ""
	case strings.HasPrefix(raw, "https://"):
		return raw
	}
	return a.API.ConsoleURL() + "/" + strings.TrimPrefix(raw, "/")
}
