package managed

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/incident"
	"lookout/client/account/join"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
)

// serviceDetail returns everything about a service, with the names of what it refers to.
func serviceDetail(a *account.Account, s *client.Service, b ui.Box) string {
	t := operation.NewDetailWriter(b)
	state, tone := operation.FormatStatus(s.Status, b.Theme)
	t.Title(s.Label.String())
	t.Field("state", state, tone)
	if d, disabled := a.DisabledInfo(s); disabled {
		t.Field("disabled", describeDisabled(a, d), theme.Warn)
	}
	if w, planned := nextWindow(a, s.ID); planned {
		t.Field("planned off", describePlanned(a, w), theme.Info)
	}
	writeOpenIssue(a, t, s)
	t.Field("type", s.Type.String(), theme.Plain)
	t.Field("address", s.Address.String(), theme.Plain)
	t.Field("timeout", formatTimeout(s), theme.Plain)
	t.Field("expects", cmp.Or(s.Body.String(), "any response"), theme.Plain)
	writeGroup(a, t, s)
	t.Field("credentials", join.Names(a.CredentialLabels(s.Credentials), strings.Clone, "none"), theme.Plain)
	t.Field("region", cmp.Or(s.Region.String(), "public address"), theme.Plain)
	t.Field("created", a.FormatTimestamp(s.Created), theme.Muted)
	t.Field("updated", a.FormatTimestamp(s.Updated), theme.Muted)
	if s.Notes.String() != "" {
		t.Heading("notes")
		t.ServerText(s.Notes.Raw())
	}
	writeServiceIssues(a, t, s)
	return t.String()
}

// writeOpenIssue writes the newest unresolved issue of a service, and what is missing if the issues are not all known.
func writeOpenIssue(a *account.Account, t *operation.DetailWriter, s *client.Service) {
	tone := theme.Warn
	text := join.Names(a.UnresolvedIncident(s.ID), func(i incident.Incident) string {
		_, tone = IncidentMark(i, t.Box.Theme.Glyphs)
		return fmt.Sprintf("#%d: %s", i.Issue.ID, describeIncident(a, i))
	}, "")
	if text != "" {
		t.Field("issue", text, tone)
	}
}

// writeGroup writes the group that is called about a service, with its contacts.
func writeGroup(a *account.Account, t *operation.DetailWriter, s *client.Service) {
	if s.Group.Raw() == "" {
		t.Field("group", "no one to call", theme.Plain)
		return
	}
	t.Field("group", s.Group.String(), theme.Plain)
	contacts := a.ContactsInGroup(s.Group.Raw())
	for _, c := range join.Found(contacts) {
		t.Field("", c.Name.String(), theme.Strong)
		t.FieldParts("", phoneParts(c), theme.Accent)
		t.Field("", c.Email.String(), theme.Plain)
	}
	if remark := join.Remark(contacts, "the group has no contacts"); remark != "" {
		t.Field("", remark, theme.Warn)
	}
}

// writeServiceIssues writes the newest issues of a service, if there are any.
func writeServiceIssues(a *account.Account, t *operation.DetailWriter, s *client.Service) {
	issues := a.IssuesOfService(s.ID)
	found := join.Found(issues)
	switch {
	case len(found) > 0:
		t.Heading(fmt.Sprintf("issues · %d in the list", len(found)))
	case issues.State().Kind != join.Known:
		t.Heading("issues")
	}
	if issues.State().Kind != join.Known {
		t.Paragraph(issues.State().String(), theme.Warn)
	}
	for _, issue := range found[:min(5, len(found))] {
		text, room := a.FormatTimestamp(issue.Created), t.Box.Width-t.LabelWidth
		for _, part := range []string{
			account.FormatAge(issue.Created, a.Now()), fmt.Sprintf("ticket %d", issue.Ticket.ID),
		} {
			if longer := text + " · " + part; ui.Width(longer) <= room {
				text = longer
			}
		}
		t.TruncatedField("#"+strconv.Itoa(issue.ID), text, theme.Plain)
	}
}

// issuesOfServicesPanel returns the panel of the newest issues that name one of the services.
func issuesOfServicesPanel(
	a *account.Account, title string, services join.Joined[*client.Service], inside ui.Box,
) ui.StackedPanel {
	const most, looked = 8, 500
	named := map[int]bool{}
	for _, s := range join.Found(services) {
		named[s.ID] = true
	}
	newest, lines := a.IssuesNewestFirst(), []string(nil)
	for _, i := range newest[:min(looked, len(newest))] {
		for _, id := range i.Services {
			if named[id] && len(lines) < most {
				lines = append(lines, issueOfService(a, i, id, inside))
				break
			}
		}
	}
	state := join.StateOf(a.Issues()).Worst(services.State())
	remark := ""
	switch {
	case state.Kind != join.Known:
		remark = state.String()
	case len(named) == 0:
		remark = "no issues: no service is linked to it"
	case len(lines) == 0 && len(newest) > looked:
		remark = fmt.Sprintf("none among the newest %d issues", looked)
	case len(lines) == 0:
		remark = "no issue of these services in the list"
	}
	lines = append(lines, operation.WrapPainted(remark, remarkTone(state), inside)...)
	return ui.StackedPanel{Name: "issues", Title: theme.Title(title), Lines: lines}
}

// issueOfService returns an issue in one line: its mark, number and age, and the service.
func issueOfService(a *account.Account, i *client.Issue, service int, b ui.Box) string {
	found, _ := a.Incidents().Of(i.ID)
	shape, tone := IncidentMark(found, b.Theme.Glyphs)
	line := b.Theme.Paint(tone, fmt.Sprintf("%s #%d", shape, i.ID)) + "  " +
		b.Theme.Paint(theme.Muted, ui.Pad(account.FormatAge(i.Created, b.Now), len("3 d 2 h"))) + "  " +
		a.ServiceName(service)
	return ui.Truncate(line, b.Width, b.Theme.Glyphs.Ellipsis)
}
