package views

import (
	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
)

// linksAction opens the links of this run.
func linksAction(a *Account) ui.Action {
	return ui.Action{
		Key:         ui.Bind("links of this run"),
		Group:       "this list",
		Description: "pre-signed URLs that were given out since the start",
		Do: func() tea.Cmd {
			return ui.Send(ui.OpenPaneMsg{Pane: linksPane(a)})
		},
	}
}

func linksPane(a *Account) ui.Pane {
	return &table.List[*link]{
		Title:         "links",
		Store:         a.linkStore(),
		NoAutoRefresh: true,
		Breadcrumb:    func() string { return "links of this run" },
		Columns: []table.Column[*link]{
			{
				Title: "method",
				Width: 7,
				Cell:  func(l *link, _ ui.Box) (string, theme.Tone) { return l.Method, theme.Plain },
			},
			{
				Title: "name",
				Min:   20,
				Cell:  func(l *link, _ ui.Box) (string, theme.Tone) { return l.Name.String(), theme.Strong },
			},
			{
				Title: "bucket",
				Min:   16,
				Cell:  func(l *link, _ ui.Box) (string, theme.Tone) { return l.Bucket, theme.Muted },
			},
			{
				Title:      "left",
				Width:      8,
				AlignRight: true,
				Cell:       linkRemainingCell,
				Less:       func(l, m *link) bool { return l.Expires.Before(m.Expires) },
			},
		},
		Operations: linkOperations(a),
		PaneActions: func() []ui.Action {
			return []ui.Action{
				{
					Key:   ui.Bind("up", "h", "left", "backspace"),
					Group: "move",
					Do:    func() tea.Cmd { return ui.Send(ui.ClosePaneMsg{}) },
				},
			}
		},
		Detail:    func(l *link, b ui.Box) string { return linkDetail(a, l, b) },
		Footer:    linksFoot,
		EmptyText: "no links were given out in this run · L on an object makes one",
		Label:     func(l *link) string { return l.Name.String() },
	}
}

// linkRemainingCell is how long a link is still valid.
func linkRemainingCell(l *link, b ui.Box) (string, theme.Tone) {
	if rest := l.Expires.Sub(b.Now); rest > 0 {
		return ui.FormatAge(rest), theme.Plain
	}
	return "ended", theme.Muted
}

func linkOperations(a *Account) []table.Operation[*link] {
	over := func(l *link) string { return reasonIf(!l.Expires.After(a.now()), "the link has ended") }
	return []table.Operation[*link]{
		{
			Keys:        []string{"enter", "l", "right"},
			Name:        "open",
			Description: "the link in full, as a QR code, in the browser",
			ShowInHints: true,
			OpenPane:    func(l *link) ui.Pane { return &linkView{a: a, link: l} },
		},
		{
			Keys:           []string{"y"},
			Name:           "copy the link",
			ShowInHints:    true,
			DisabledReason: over,
			Message:        (*link).copyURL,
		},
		{
			Keys:           []string{"c"},
			Name:           "copy as curl",
			ShowInHints:    true,
			DisabledReason: over,
			Message:        (*link).copyCurl,
		},
	}
}

func linkDetail(a *Account, l *link, b ui.Box) string {
	t := newDetailWriter(b)
	writeLink(a, t, l)
	t.paragraph("enter shows the link", theme.Muted)
	return t.String()
}

func linksFoot(set *ui.Store[*link], b ui.Box) string {
	return b.Theme.Paint(
		theme.Muted,
		pluralize(set.Len(), "link", "links")+" · whoever has one needs no key until it ends",
	)
}
