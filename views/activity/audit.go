package activity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client/account"
	"lookout/client/account/audit"
	"lookout/client/account/join"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/operation"
	"lookout/views/resource"
)

// AuditPane returns the pane of what nobody notices until it is needed, as lookout audit prints it. It reads every list
// and every bucket, so only opening it and r do.
func AuditPane(a *account.Account) ui.Pane {
	return &table.List[*audit.CheckResult]{
		Title:       "audit",
		Store:       auditStore(a),
		AutoRefresh: table.AutoRefreshOptions{Disabled: true},
		Columns:     auditColumns(),
		SortBy:      "state",
		Search:      table.RowSearch[*audit.CheckResult]{OnlyLoaded: true},
		EmptyText:   "nothing was checked · r checks",
		Label:       auditSubject,
		Detail:      auditDetail,
		Footer:      auditFoot,
		BadgeFunc: func() (string, theme.Tone) { // once it was looked for
			found, _ := countResults(auditStore(a))
			return wording.If(found > 0, fmt.Sprint(found)), theme.Warn
		},
		RowActions: []table.RowAction[*audit.CheckResult]{{
			Keys:        []string{"enter"},
			Name:        "go to it",
			Description: "show what was found, in its pane; ctrl+o returns",
			ShowInHints: true,
			OpensView:   true,
			Message:     func(r *audit.CheckResult) tea.Msg { return goToFinding(a, r) },
		}},
	}
}

// auditStore returns the results of the checks. It reads the account with the client, like the command.
func auditStore(a *account.Account) *lists.RowStore[*audit.CheckResult] {
	id := func(r *audit.CheckResult) string { return r.Check + "/" + r.ID }
	return account.LocalStore(a, "audit", id, func(
		ctx context.Context,
	) (read lists.RowPage[*audit.CheckResult], err error) {
		results, failure := audit.Run(ctx, a.API, audit.Options{
			Windows: a.Journal.ActiveWindows(),
			Journal: a.Journal,
			Now:     a.Now(),
		})
		if ctx.Err() != nil {
			return read, ctx.Err()
		}
		known := func(r audit.CheckResult) bool { return r.State != audit.NotKnown }
		if failure != nil && !slices.ContainsFunc(results, known) {
			return read, failure // what was found before stays
		}
		if failure != nil {
			read.Notes = []string{"reading failed: " + failure.Error()}
			read.Missing = read.Notes
		}
		for i := range results {
			read.Rows = append(read.Rows, &results[i])
		}
		return read, nil
	})
}

// auditStates are the states of results in the order in which they are shown.
var auditStates = []string{string(audit.Found), string(audit.NotKnown), string(audit.OK)}

// auditColumns returns the columns of the pane.
func auditColumns() []table.Column[*audit.CheckResult] {
	type row = *audit.CheckResult
	text := func(title string, tone theme.Tone, text func(row) string) resource.ColumnDefinition[row] {
		return resource.PaneColumn(title, table.TextCell(tone, text))
	}
	rank := func(r row) int { return slices.Index(auditStates, string(r.State)) }
	return resource.PaneColumns(
		resource.PaneColumn("state", auditStateCell).Width(11).OneOf(auditStates...).
			SortedBy(func(r, s row) bool { return rank(r) < rank(s) }),
		text("check", theme.Muted, func(r row) string { return r.Check }).
			Width(17).OneOf(audit.Checks()...).Drop(2, 0),
		text("kind", theme.Muted, func(r row) string { return r.Kind }).Width(10).Drop(1, 0),
		text("what", theme.Strong, auditSubject).MinWidth(14).Label(),
		text("about", theme.Plain, func(r row) string { return r.Text }).MinWidth(46),
	)
}

// auditStateCell shows how a check of one thing ended.
func auditStateCell(r *audit.CheckResult, b ui.Box) (string, theme.Tone) {
	g := b.Theme.Glyphs
	switch r.State {
	case audit.OK:
		return g.OK + " ok", theme.Good
	case audit.Found:
		return g.Problem + " found", theme.Warn
	}
	return g.Unknown + " " + string(r.State), theme.Muted
}

// auditSubject names what a result is about: the label of one thing, or "services" for all of them.
func auditSubject(r *audit.CheckResult) string {
	switch label := r.Label.String(); {
	case label != "":
		return label
	case r.ID != "":
		return r.Kind + " " + r.ID
	}
	return r.Kind + "s"
}

// auditDetail shows a result in full, with the next step.
func auditDetail(r *audit.CheckResult, b ui.Box) string {
	d := operation.NewDetailWriter(b)
	state, tone := auditStateCell(r, b)
	d.Field("state", state, tone)
	d.Field("check", r.Check, theme.Plain)
	subject := auditSubject(r) + wording.If(r.ID != "", " ("+r.ID+")")
	d.Field(r.Kind, subject, theme.Plain)
	d.Blank()
	d.Paragraph(r.Text, theme.Plain)
	if r.Next != "" {
		d.Blank()
		d.Paragraph(r.Next, theme.Accent)
	}
	return d.String()
}

// countResults returns how many things were found, and how many are not known.
func countResults(set *lists.RowStore[*audit.CheckResult]) (found, notKnown int) {
	for _, r := range set.Rows() {
		switch r.State {
		case audit.Found:
			found++
		case audit.NotKnown:
			notKnown++
		}
	}
	return found, notKnown
}

// auditFoot counts what was found, and what is not known.
func auditFoot(set *lists.RowStore[*audit.CheckResult], b ui.Box) string {
	found, notKnown := countResults(set)
	text := fmt.Sprintf("%d found", found)
	if notKnown > 0 {
		text += fmt.Sprintf(" · %d not known", notKnown)
	}
	return b.Theme.Paint(theme.Muted, text+" · lookout audit prints the same, for a cron job")
}

// goToFinding goes to the object that a result is about, or to the list of its kind. A group is not an object: the
// first of its contacts stands for it.
func goToFinding(a *account.Account, r *audit.CheckResult) tea.Msg {
	if r.Kind == "object" { // its bucket: CLUSTER/BUCKET/NAME
		parts := strings.SplitN(r.ID, "/", 3)
		return ui.GoToMsg{Pane: "buckets", ID: strings.Join(parts[:min(2, len(parts))], "/")}
	}
	if r.Kind != "group" {
		return ui.GoToMsg{Pane: r.Kind + "s", ID: r.ID}
	}
	id := ""
	for _, c := range slices.Backward(join.Found(a.ContactsInGroup(r.ID))) {
		id = account.FormatID(c.ID)
	}
	return ui.GoToMsg{Pane: "contacts", ID: id}
}
