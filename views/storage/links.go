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
	return &table.List[*account.LocalRow]{
		Title:       "links",
		Store:       a.LinkStore(),
		AutoRefresh: table.AutoRefreshOptions{Disabled: true},
		Breadcrumb:  func() string { return "links of this run" },
		Columns: []table.Column[*account.LocalRow]{
			{
				Title: "method",
				Width: 7,
				Cell:  table.TextCell(theme.Plain, func(r *account.LocalRow) string { return r.Link().Method }),
			},
			{
				Title:   "name",
				Min:     20,
				IsLabel: true,
				Cell:    table.TextCell(theme.Strong, linkName),
			},
			{
				Title: "bucket",
				Min:   16,
				Cell:  table.TextCell(theme.Muted, func(r *account.LocalRow) string { return r.Link().Bucket }),
			},
			{
				Title:      "left",
				Width:      8,
				AlignRight: true,
				Cell:       linkRemainingCell,
				Less:       func(r, s *account.LocalRow) bool { return r.Link().Expires.Before(s.Link().Expires) },
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
		Detail:    func(r *account.LocalRow, b ui.Box) string { return linkDetail(a, r.Link(), b) },
		Footer:    linksFoot,
		EmptyText: "no links in this run · L on an object creates one",
		Label:     linkName,
	}
}

// linkName returns the name of the object that a link leads to.
func linkName(r *account.LocalRow) string { return r.Link().Name.String() }

// linkRemainingCell shows how long a link is still valid.
func linkRemainingCell(r *account.LocalRow, b ui.Box) (string, theme.Tone) {
	switch l := r.Link(); {
	case l.Expires.IsZero():
		return "unknown", theme.Warn
	case l.Expired(b.Now):
		return "expired", theme.Muted
	}
	return ui.FormatAge(r.Link().Expires.Sub(b.Now)), theme.Plain
}

// linkOperations are the actions on a link.
func linkOperations(a *account.Account) []table.RowAction[*account.LocalRow] {
	over := func(r *account.LocalRow) string {
		return account.ReasonIf(r.Link().Expired(a.Now()), "the link has expired")
	}
	return []table.RowAction[*account.LocalRow]{
		{
			Keys:        []string{"enter", "l", "right"},
			Name:        "open",
			Description: "the link in full, as a QR code, in the browser",
			ShowInHints: true,
			OpenPane:    func(r *account.LocalRow) ui.Pane { return &linkView{a: a, link: r.Link()} },
		},
		{
			Keys:           []string{"y"},
			Name:           "copy the link",
			ShowInHints:    true,
			DisabledReason: over,
			Message:        func(r *account.LocalRow) tea.Msg { return r.Link().CopyURL() },
		},
		{
			Keys:           []string{"c"},
			Name:           "copy as curl",
			ShowInHints:    true,
			DisabledReason: over,
			Message:        func(r *account.LocalRow) tea.Msg { return r.Link().CopyCurl() },
		},
	}
}

// linkDetail shows what a link allows.
func linkDetail(a *account.Account, l *account.PresignedLink, b ui.Box) string {
	t := account.NewDetailWriter(b)
	writeLink(a, t, l)
	t.Paragraph("enter shows the link", theme.Muted)
	return t.String()
}

// linksFoot counts the links.
func linksFoot(set *ui.RowStore[*account.LocalRow], b ui.Box) string {
	return b.Theme.Paint(
		theme.Muted,
		ui.Plural(set.Len(), "link", "links")+" · anyone who has one needs no key until it expires",
	)
}
