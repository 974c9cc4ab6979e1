// Package activity holds the panes of what has happened and what is under way: the journal of changes, the transfers,
// the handover to the next shift, and the audit. Their rows come from the journal and from the account as a whole, not
// from one list of the API.
package activity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/client/visible"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/operation"
	"lookout/views/resource"
)

// journalView lists the changes. It reads the journal again whenever the journal has grown.
type journalView struct {
	*table.List[*journal.Entry]
	a                *account.Account
	requestedVersion int    // version of the journal that was asked for last
	firstRow         string // newest change known when the pane was opened, until newer ones are read
}

// LoadMissing reads the changes that were added since. When the pane is first opened, the cursor goes to the newest of
// them, unless it has been moved.
func (p *journalView) LoadMissing() {
	row := p.SaveState().Row
	if now := p.a.Journal.Version(); now != p.requestedVersion && p.Store.Loaded() {
		if p.requestedVersion == 0 && row == "" && p.Store.Len() > 0 {
			p.firstRow = p.Store.ID(p.Store.At(0))
		}
		p.requestedVersion = now
		p.Store.Refresh()
	} else if p.firstRow != "" && !p.Store.Freshness().Loading {
		if row == p.firstRow {
			p.SelectFirst()
		}
		p.firstRow = ""
	}
	p.List.LoadMissing()
}

// JournalPane returns the pane of all changes that were sent from this machine.
func JournalPane(a *account.Account) ui.Pane {
	list := &table.List[*journal.Entry]{
		Title:       "journal",
		Store:       a.JournalStore(),
		AutoRefresh: table.AutoRefreshOptions{Disabled: true},
		Columns:     journalColumns(a),
		RowActions:  journalOperations(a),
		Detail:      func(e *journal.Entry, b ui.Box) string { return entryDetail(a, e, b) },
		Footer:      func(_ *lists.RowStore[*journal.Entry], b ui.Box) string { return journalFoot(a, b) },
		EmptyText:   "no changes made from this machine yet",
		BadgeFunc: func() (string, theme.Tone) {
			n := len(a.UnresolvedChanges())
			return wording.If(n > 0, fmt.Sprintf("%d?", n)), theme.Warn
		},
		Label: account.EntryName,
	}
	return &journalView{List: list, a: a}
}

func journalColumns(a *account.Account) []table.Column[*journal.Entry] {
	type row = *journal.Entry
	return resource.PaneColumns(
		resource.PaneColumn("outcome", func(e row, b ui.Box) (string, theme.Tone) {
			return operation.FormatOutcome(a, e, b.Theme)
		}).Width(12).SortedBy(func(e, f row) bool { return outcomeRank(a, e) < outcomeRank(a, f) }),
		resource.PaneColumn("time", table.TextCell(theme.Muted, func(e row) string { return a.FormatTime(e.Time) })).
			Width(12).FilteredBy(func(e row) string { return e.Time.Format(time.RFC3339) }).
			SortedBy(func(e, f row) bool { return e.Time.After(f.Time) }),
		resource.PaneColumn("change", table.TextCell(theme.Plain, func(e row) string {
			return client.NewText(e.Change.Op).String()
		})).Width(18),
		resource.PaneColumn("of", table.TextCell(theme.Plain, account.EntryName)).MinWidth(14).Label(),
		resource.PaneColumn("reason", table.TextCell(theme.Plain, func(e row) string {
			window, reason := operation.FormatWindow(a, e.Change), client.NewText(e.Change.Reason).String()
			if window == "" {
				return reason
			}
			return window + wording.WithPrefix(" · ", reason)
		})).MinWidth(12).Drop(2, 0),
		resource.PaneColumn("why", func(e row, _ ui.Box) (string, theme.Tone) {
			if text := a.LookupText(e); text != "" {
				return text, theme.Warn
			}
			return visible.Show(e.OutcomeDetail), theme.Muted
		}).MinWidth(14).Drop(3, 0),
	)
}

// outcomeRank returns the rank of an outcome: the lower, the sooner somebody must look.
func outcomeRank(a *account.Account, e *journal.Entry) int {
	switch {
	case a.Journal.Unresolved(*e):
		return 0
	case e.Outcome == client.Pending:
		return 1
	case e.Outcome == client.Rejected:
		return 2
	}
	return 3
}

func journalFoot(a *account.Account, b ui.Box) string {
	text := wording.Plural(a.Journal.Len(), "change", "changes") + " recorded on this machine"
	if n := len(a.UnresolvedChanges()); n > 0 {
		text += b.Theme.Paint(theme.Warn, fmt.Sprintf(" · %d with an unknown outcome · c checks them", n))
	}
	return ui.Truncate(b.Theme.Paint(theme.Muted, text), b.Width, b.Theme.Glyphs.Ellipsis)
}

func journalOperations(a *account.Account) []table.RowAction[*journal.Entry] {
	settled := func(e *journal.Entry) string {
		return wording.If(!a.Journal.Unresolved(*e), "its outcome is known")
	}
	return []table.RowAction[*journal.Entry]{
		{
			Keys:           []string{"c"},
			Name:           "check",
			Description:    "read the changed item again, and report whether the change was applied",
			ShowInHints:    true,
			DisabledReason: settled,
			BatchCmd:       func(rows []*journal.Entry) tea.Cmd { a.CheckNow(rows); return nil },
		},
		{
			Keys:           []string{"x"},
			Name:           "settle",
			Description:    "record an outcome that you have looked up yourself",
			DisabledReason: settled,
			Message:        func(e *journal.Entry) tea.Msg { return settleMenu(a, e) },
		},
		{
			Keys:        []string{"o"},
			Name:        "go to it",
			Description: "show what was changed, in its pane; ctrl+o returns",
			ShowInHints: true,
			DisabledReason: func(e *journal.Entry) string {
				return wording.If(referenceToChanged(e).Pane == "", "no pane shows it")
			},
			Message: func(e *journal.Entry) tea.Msg {
				at := referenceToChanged(e)
				return ui.GoToMsg{Pane: at.Pane, ID: at.ID}
			},
		},
		{
			Keys:        []string{"y"},
			Name:        "copy as curl",
			Description: "the request, with the token as a variable",
			ShowInHints: true,
			DisabledReason: func(e *journal.Entry) string {
				return wording.If(!isAPIRequest(e), "it went through a pre-signed URL")
			},
			Message: func(e *journal.Entry) tea.Msg {
				return ui.CopyMsg{Text: operation.ChangeCurlCommand(a.API, e.Change), Label: "request as curl"}
			},
		},
	}
}

// isAPIRequest reports whether a change was one request to the API. Objects go through pre-signed URLs, and emptying a
// bucket takes many requests.
func isAPIRequest(e *journal.Entry) bool {
	return !client.DeletesMany(e.Change.Op) && strings.Contains(e.Change.Path, "/v4")
}

// referenceToChanged returns the pane and the row of the object that was changed.
func referenceToChanged(e *journal.Entry) operation.LinkedRow {
	c := e.Change
	panes := map[string]string{
		"service":     "services",
		"contact":     "contacts",
		"credential":  "credentials",
		"instance":    "ssh",
		"key":         "keys",
		"bucket":      "buckets",
		"certificate": "buckets",
		"object":      "buckets",
	}
	id := c.ID
	if panes[c.Resource] == "buckets" {
		if parts := strings.SplitN(id, "/", 3); len(parts) == 3 {
			id = parts[0] + "/" + parts[1]
		}
	}
	return operation.LinkedRow{Kind: c.Resource, Label: account.EntryName(e), Pane: panes[c.Resource], ID: id}
}

// entryDetail returns everything about a change: object, reason, outcome, and the values before and after.
func entryDetail(a *account.Account, e *journal.Entry, b ui.Box) string {
	t := operation.NewDetailWriter(b)
	c := e.Change
	t.Title(client.NewText(c.Op).String() + wording.WithPrefix(" ", account.EntryName(e)))
	state, tone := operation.FormatOutcome(a, e, b.Theme)
	t.Field("outcome", state, tone)
	switch text := a.LookupText(e); {
	case text != "":
		t.Paragraph(text+": lookout keeps checking. c checks it now, x records what you found out.", theme.Warn)
	case a.Journal.Unresolved(*e):
		t.Paragraph("Unknown whether this was applied: c checks it, x records what you found out.", theme.Warn)
	}
	if e.OutcomeDetail != "" {
		t.Field("why", visible.Show(e.OutcomeDetail), theme.Plain)
	}
	if e.UnseenSecretOf != "" {
		t.Field("secret", "of key "+client.Clean(e.UnseenSecretOf)+" · it may never have been seen", theme.Warn)
	}
	if later := e.RevokeLater; later != nil {
		t.Field("to revoke", "key "+client.Clean(later.Key)+" · "+client.Clean(later.Reason), theme.Warn)
	}
	t.Field("time", e.Time.In(a.Location).Format("2006-01-02 15:04:05 MST"), theme.Plain)
	if c.Resource != "" {
		target := client.Clean(cmp.Or(c.ID, "new"))
		if label := client.NewText(c.Label).String(); target != label && !strings.HasSuffix(target, "/"+label) {
			target += wording.WithPrefix("  ", label)
		}
		t.Field(client.NewText(c.Resource).String(), target, theme.Plain)
	}
	t.Field("reason", cmp.Or(client.NewText(c.Reason).String(), "not given"), theme.Plain)
	if window := operation.FormatWindow(a, c); window != "" {
		t.Field("window", window, theme.Plain)
	}
	t.Field("request", client.Clean(c.Method+" "+c.Path), theme.Muted)
	t.Field("entry", client.Clean(e.ID), theme.Muted)
	writeBeforeAndAfter(a, t, client.FlattenJSON(c.Before), client.FlattenJSON(c.Body))
	return t.String()
}

// writeBeforeAndAfter writes the values that were sent beside those before.
func writeBeforeAndAfter(a *account.Account, t *operation.DetailWriter, before, after map[string]string) {
	t.LabelWidth = 20
	if len(after) > 0 {
		t.Heading("sent")
	}
	for _, member := range slices.Sorted(maps.Keys(after)) {
		t.ServerField(client.Clean(member), after[member])
		if was, known := before[member]; known && was != after[member] {
			t.ServerField("  before", was)
		}
	}
	if len(after) == 0 && len(before) > 0 {
		t.Heading("before")
		for _, member := range slices.Sorted(maps.Keys(before)) {
			t.ServerField(client.Clean(member), before[member])
		}
	}
}
