package managed

import (
	"fmt"
	"strconv"
	"strings"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/account"
	"lookout/views/resource"
)

// serviceDetail returns everything about a service, with the names of what it refers to.
func serviceDetail(a *account.Account, s *client.Service, b ui.Box) string {
	t := account.NewDetailWriter(b)
	state, tone := account.FormatStatus(s.Status, b.Theme)
	t.Title(s.Label.String())
	t.Field("state", state, tone)
	if d, disabled := account.Disablement(a, s); disabled {
		t.Field("disabled", describeDisablement(a, d), theme.Warn)
	}
	if w, planned := nextWindow(a, s.ID); planned {
		text := "from " + a.FormatTime(w.Start) + ", back " + a.FormatTime(w.Until)
		t.Field("planned off", text+account.WithPrefix(": ", client.NewText(w.Reason).String()), theme.Info)
	}
	if i, found := a.Incidents().Unresolved(s.ID); found {
		_, tone := IncidentMark(i, b.Theme.Glyphs)
		t.Field("issue", fmt.Sprintf("#%d: %s", i.Issue.ID, describeIncident(a, i)), tone)
	}
	t.Field("type", s.Type.String(), theme.Plain)
	t.Field("address", s.Address.String(), theme.Plain)
	t.Field("timeout", formatTimeout(s), theme.Plain)
	t.Field("expects", account.OrDefault(s.Body.String(), "any answer"), theme.Plain)
	writeGroup(a, t, s)
	t.Field("credentials", resource.Names(a.CredentialLabels(s.Credentials), strings.Clone, "none"), theme.Plain)
	t.Field("region", account.OrDefault(s.Region.String(), "public address"), theme.Plain)
	t.Field("created", a.FormatTimestamp(s.Created), theme.Muted)
	t.Field("updated", a.FormatTimestamp(s.Updated), theme.Muted)
	writeServiceIssues(a, t, s)
	if s.Notes.String() != "" {
		t.Heading("notes")
		t.ServerText(s.Notes.Raw())
	}
	return t.String()
}

// writeGroup writes the group that is called about a service, with its contacts.
func writeGroup(a *account.Account, t *account.DetailWriter, s *client.Service) {
	if s.Group.Raw() == "" {
		t.Field("group", "nobody is named", theme.Plain)
		return
	}
	t.Field("group", s.Group.String(), theme.Plain)
	contacts := a.ContactsInGroup(s.Group.Raw())
	for _, c := range resource.Found(contacts) {
		t.FieldParts("", contactParts(c), theme.Plain)
	}
	if remark := resource.Remark(contacts, "no contact is in the group"); remark != "" {
		t.Field("", remark, theme.Warn)
	}
}

// writeServiceIssues writes the newest issues of a service, if there are any.
func writeServiceIssues(a *account.Account, t *account.DetailWriter, s *client.Service) {
	issues := a.IssuesOfService(s.ID)
	found := resource.Found(issues)
	switch {
	case len(found) > 0:
		t.Heading(fmt.Sprintf("issues · %d in the list", len(found)))
	case issues.State().Kind != resource.Known:
		t.Heading("issues")
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
	if issues.State().Kind != resource.Known {
		t.Paragraph(issues.State().String(), theme.Warn)
	}
}
