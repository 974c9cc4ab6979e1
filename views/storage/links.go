package storage

import (
	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/account"
)

// linksAction returns the action that opens the links of this run.
func linksAction(a *account.Account) ui.Action {
	return ui.Action{
		Key:         ui.Bind("links of this run"),
		Group:       "this list",
		Description: "pre-signed URLs that were created since lookout started",
		Do: func() tea.Cmd {
			return ui.Send(ui.OpenPaneMsg{Pane: LinksPane(a)})
		},
	}
}

// LinksPane returns the pane of the links of this run.
func LinksPane(a *account.Account) ui.Pane {
	return &table.List[*account.Link]{
		Title:         "links",
		Store:         a.LinkStore(),
		NoAutoRefresh: true,
		Breadcrumb:    func() string { return "links of this run" },
		Columns: []table.Column[*account.Link]{
			{
				Title: "method",
				Width: 7,
				Cell:  func(l *account.Link, _ ui.Box) (string, theme.Tone) { return l.Method, theme.Plain },
			},
			{
				Title:   "name",
				Min:     20,
				IsLabel: true,
				Cell:    func(l *account.Link, _ ui.Box) (string, theme.Tone) { return l.Name.String(), theme.Strong },
			},
			{
				Title: "bucket",
				Min:   16,
				Cell:  func(l *account.Link, _ ui.Box) (string, theme.Tone) { return l.Bucket, theme.Muted },
			},
			{
				Title:      "left",
				Width:      8,
				AlignRight: true,
				Cell:       linkRemainingCell,
				Less:       func(l, m *account.Link) bool { return l.Expires.Before(m.Expires) },
			},
		},
		RowActions: linkOperations(a),
		PaneActions: func() []ui.Action {
			return []ui.Action{
				{
					Key:   ui.Bind("up", "h", "left", "backspace"),
					Group: "move",
					Do:    func() tea.Cmd { return ui.Send(ui.ClosePaneMsg{}) },
				},
			}
		},
		Detail:    func(l *account.Link, b ui.Box) string { return linkDetail(a, l, b) },
		Footer:    linksFoot,
		EmptyText: "no links in this run · L on an object creates one",
		Label:     func(l *account.Link) string { return l.Name.String() },
	}
}

// linkRemainingCell shows how long a link is still valid.
func linkRemainingCell(l *account.Link, b ui.Box) (string, theme.Tone) {
	switch {
	case l.Expires.IsZero():
		return "unknown", theme.Warn
	case l.Expired(b.Now):
		return "expired", theme.Muted
	}
	return ui.FormatAge(l.Expires.Sub(b.Now)), theme.Plain
}

// linkOperations are the actions on a link.
func linkOperations(a *account.Account) []table.RowAction[*account.Link] {
	over := func(l *account.Link) string {
		return account.ReasonIf(l.Expired(a.Now()), "the link has expired")
	}
	return []table.RowAction[*account.Link]{
		{
			Keys:        []string{"enter", "l", "right"},
			Name:        "open",
			Description: "the link in full, as a QR code, in the browser",
			ShowInHints: true,
			OpenPane:    func(l *account.Link) ui.Pane { return &linkView{a: a, link: l} },
		},
		{
			Keys:           []string{"y"},
			Name:           "copy the link",
			ShowInHints:    true,
			DisabledReason: over,
			Message:        (*account.Link).CopyURL,
		},
		{
			Keys:           []string{"c"},
			Name:           "copy as curl",
			ShowInHints:    true,
			DisabledReason: over,
			Message:        (*account.Link).CopyCurl,
		},
	}
}

// linkDetail shows what a link allows.
func linkDetail(a *account.Account, l *account.Link, b ui.Box) string {
	t := account.NewDetailWriter(b)
	writeLink(a, t, l)
	t.Paragraph("enter shows the link", theme.Muted)
	return t.String()
}

// linksFoot counts the links.
func linksFoot(set *ui.Store[*account.Link], b ui.Box) string {
	return b.Theme.Paint(
		theme.Muted,
		ui.Plural(set.Len(), "link", "links")+" · anyone who has one needs no key until it expires",
	)
}
