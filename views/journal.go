package views

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/transfer"
	"lookout/theme"
	"lookout/ui"
)

// changes is the set of what this program changed, newest first. It is read from the journal, not from the API.
func (a *Account) changes() *ui.Store[*journal.Entry] {
	return share(a, "journal", func(e *journal.Entry) string { return e.ID }, func(context.Context, string) (ui.RowPage[*journal.Entry], error) {
		rows := pointed(a.journal.Entries(time.Time{}))
		slices.Reverse(rows)
		page := ui.RowPage[*journal.Entry]{Rows: rows}
		if n := a.journal.UnreadableLines(); n > 0 {
			page.Notes = append(page.Notes, count(n, "line of the journal", "lines of the journal")+" could not be read")
		}
		return page, nil
	})
}

// A journalView is the list of changes. It is read again whenever the journal has grown.
type journalView struct {
	*ui.List[*journal.Entry]
	a    *Account
	read int // version of the journal that was asked for last
}

// LoadMissing asks for what the journal has taken up since.
func (p *journalView) LoadMissing() tea.Cmd {
	if now := p.a.journal.Version(); now != p.read && p.Store.Loaded() {
		p.read = now
		return tea.Batch(p.List.LoadMissing(), p.Store.Refresh())
	}
	return p.List.LoadMissing()
}

func (a *Account) journalPane() ui.Pane {
	list := &ui.List[*journal.Entry]{
		Title:         "journal",
		Store:         a.changes(),
		NoAutoRefresh: true,
		Columns: []ui.Column[*journal.Entry]{
			{Title: "outcome", Width: 12, Cell: func(e *journal.Entry, b ui.Box) (string, theme.Tone) { return a.outcome(e, b.Theme) },
				Less: func(e, f *journal.Entry) bool { return a.concern(e) < a.concern(f) }},
			{Title: "time", Width: 12, Cell: func(e *journal.Entry, b ui.Box) (string, theme.Tone) { return a.stamp(e.Time), theme.Muted },
				Less: func(e, f *journal.Entry) bool { return e.Time.After(f.Time) }},
			{Title: "change", Width: 18, Cell: func(e *journal.Entry, _ ui.Box) (string, theme.Tone) { return client.Clean(e.Change.Op), theme.Plain }},
			{Title: "of", Min: 14, Cell: func(e *journal.Entry, _ ui.Box) (string, theme.Tone) { return entryName(e), theme.Strong }},
			{Title: "reason", Min: 12, DropPriority: 2, Cell: func(e *journal.Entry, _ ui.Box) (string, theme.Tone) {
				return client.Clean(e.Change.Reason), theme.Plain
			}},
			{Title: "why", Min: 14, DropPriority: 3, Cell: func(e *journal.Entry, _ ui.Box) (string, theme.Tone) {
				return client.Clean(e.OutcomeDetail), theme.Muted
			}},
		},
		Operations: a.journalActs(),
		Detail:     a.entryDetail,
		Footer:     a.journalFoot,
		EmptyText:  "nothing has been changed from here yet",
		BadgeFunc:  a.journalBadge,
		Label:      entryName,
	}
	return &journalView{List: list, a: a}
}

// outcome is how a change ended, as a shape, a word and a tone.
func (a *Account) outcome(e *journal.Entry, look *theme.Theme) (string, theme.Tone) {
	g := look.Glyphs
	switch {
	case a.journal.Unresolved(*e):
		return g.Unknown + " unknown", theme.Warn
	case e.Outcome == journal.Pending:
		return g.Pending + " under way", theme.Accent
	case e.Outcome == journal.Applied:
		return g.Success + " done", theme.Good
	}
	return g.Failure + " not done", theme.Bad
}

// concern orders outcomes by how soon somebody must look.
func (a *Account) concern(e *journal.Entry) int {
	switch {
	case a.journal.Unresolved(*e):
		return 0
	case e.Outcome == journal.Pending:
		return 1
	case e.Outcome == journal.Rejected:
		return 2
	}
	return 3
}

// stamp is a time on the reader's clock.
func (a *Account) stamp(t time.Time) string { return clock(t.In(a.location), a.now().In(a.location)) }

// entryName is what a change was about.
func entryName(e *journal.Entry) string {
	return client.Clean(or(e.Change.Label, or(e.Change.ID, e.Change.Path)))
}

// openChanges are the changes whose end nobody knows, newest first. What is older than a week is history.
func (a *Account) openChanges() []*journal.Entry {
	rows := pointed(a.journal.Entries(a.now().Add(-7 * 24 * time.Hour)))
	slices.Reverse(rows)
	return slices.DeleteFunc(rows, func(e *journal.Entry) bool { return !a.journal.Unresolved(*e) })
}

func (a *Account) journalBadge() (string, theme.Tone) {
	if n := len(a.openChanges()); n > 0 {
		return fmt.Sprintf("%d?", n), theme.Warn
	}
	return "", theme.Plain
}

func (a *Account) journalFoot(set *ui.Store[*journal.Entry], b ui.Box) string {
	text := count(set.Len(), "change", "changes") + " of this program on this machine"
	if n := len(a.openChanges()); n > 0 {
		text += b.Theme.Paint(theme.Warn, fmt.Sprintf(" · %d with an unknown outcome: c looks them up", n))
	}
	return ui.Truncate(b.Theme.Paint(theme.Muted, text), b.Width, b.Theme.Glyphs.Ellipsis)
}

func (a *Account) journalActs() []ui.Operation[*journal.Entry] {
	settled := func(e *journal.Entry) string { return because(!a.journal.Unresolved(*e), "its outcome is known") }
	return []ui.Operation[*journal.Entry]{
		{Keys: []string{"c"}, Name: "check", Description: "reads the thing again and says whether the change was done", ShowInHints: true, DisabledReason: settled, BatchCmd: a.checkAll},
		{Keys: []string{"x"}, Name: "settle", Description: "you have looked yourself: say whether it was done", DisabledReason: settled, Message: func(e *journal.Entry) tea.Msg { return a.settleMenu(e) }},
		{Keys: []string{"o"}, Name: "go to it", Description: "to the pane of what was changed; ctrl+o comes back", ShowInHints: true,
			DisabledReason: func(e *journal.Entry) string { return because(placeOf(e).pane == "", "it is not kept in any pane") },
			Message: func(e *journal.Entry) tea.Msg {
				at := placeOf(e)
				return ui.GoToMsg{Pane: at.pane, ID: at.id}
			}},
		{Keys: []string{"y"}, Name: "copy as curl", Description: "the request, with the token as a variable", ShowInHints: true,
			DisabledReason: func(e *journal.Entry) string { return because(!byAPI(e), "it went through a pre-signed URL") },
			Message:        func(e *journal.Entry) tea.Msg { return ui.CopyMsg{Text: a.curlOf(e), Label: "request as curl"} }},
	}
}

// byAPI reports whether a change was one request to the API: objects go through pre-signed URLs, emptying is many requests.
func byAPI(e *journal.Entry) bool {
	return e.Change.Op != transfer.EmptyOp && strings.Contains(e.Change.Path, "/v4")
}

// placeOf is where the thing of a change is shown.
func placeOf(e *journal.Entry) name {
	c := e.Change
	panes := map[string]string{"service": "services", "contact": "contacts", "credential": "credentials", "instance": "ssh", "key": "keys",
		"bucket": "buckets", "certificate": "buckets", "object": "buckets"}
	id := c.ID
	if panes[c.Resource] == "buckets" {
		if parts := strings.SplitN(id, "/", 3); len(parts) == 3 {
			id = parts[0] + "/" + parts[1]
		}
	}
	return name{c.Resource, entryName(e), panes[c.Resource], id}
}

// curlOf is the request of a change as a command.
func (a *Account) curlOf(e *journal.Entry) string {
	line := "curl -sS --fail -X " + ui.ShellQuote(e.Change.Method) + ` -H "Authorization: Bearer $LOOKOUT_TOKEN"`
	if e.Change.Body != nil {
		data, err := json.Marshal(e.Change.Body)
		if err != nil {
			data = []byte("{}")
		}
		line += " -H 'Content-Type: application/json' --data " + ui.ShellQuote(string(data))
	}
	path := (&url.URL{Path: e.Change.Path}).EscapedPath()
	return line + " " + ui.ShellQuote(a.api.Origin()+path)
}

// entryDetail is everything about a change: what it was about, why, how it ended, what was sent and what was there before.
func (a *Account) entryDetail(e *journal.Entry, b ui.Box) string {
	t := newSheet(b)
	c := e.Change
	t.title(client.Clean(c.Op) + prefixed(" ", entryName(e)))
	state, tone := a.outcome(e, b.Theme)
	t.line("outcome", state, tone)
	if a.journal.Unresolved(*e) {
		t.say("Nobody knows whether it was done: c looks it up, x settles it.", theme.Warn)
	}
	if e.OutcomeDetail != "" {
		t.indented("why", e.OutcomeDetail)
	}
	t.line("time", e.Time.In(a.location).Format("2006-01-02 15:04:05 MST"), theme.Plain)
	if c.Resource != "" {
		t.line(client.Clean(c.Resource), client.Clean(or(c.ID, "new"))+prefixed("  ", client.Clean(c.Label)), theme.Plain)
	}
	t.line("reason", or(client.Clean(c.Reason), "none was given"), theme.Plain)
	if !c.RevertAt.IsZero() {
		t.line("until", a.stamp(c.RevertAt), theme.Plain)
	}
	t.line("request", client.Clean(c.Method+" "+c.Path), theme.Muted)
	t.line("entry", client.Clean(e.ID), theme.Muted)
	a.beforeAfter(t, flat(c.Before), flat(c.Body))
	return t.String()
}

// beforeAfter sets what was sent beside what was there.
func (a *Account) beforeAfter(t *sheet, before, after map[string]string) {
	t.label = 20
	if len(after) > 0 {
		t.heading("sent")
	}
	for _, member := range slices.Sorted(maps.Keys(after)) {
		t.indented(client.Clean(member), after[member])
		if was, known := before[member]; known && was != after[member] {
			t.indented("  before", was)
		}
	}
	if len(after) == 0 && len(before) > 0 {
		t.heading("before")
		for _, member := range slices.Sorted(maps.Keys(before)) {
			t.indented(client.Clean(member), before[member])
		}
	}
}

// flat is a body's members by their paths, "phone.primary", each as a text. A cleared member is "(empty)".
func flat(body any) map[string]string {
	data, err := json.Marshal(body)
	if err != nil {
		return nil
	}
	var members map[string]any
	if json.Unmarshal(data, &members) != nil {
		return nil
	}
	all := map[string]string{}
	flatten(all, "", members)
	return all
}

func flatten(all map[string]string, path string, members map[string]any) {
	for member, value := range members {
		if inner, isObject := value.(map[string]any); isObject {
			flatten(all, path+member+".", inner)
			continue
		}
		all[path+member] = inWords(value)
	}
}

// inWords is a JSON value as a reader wants it.
func inWords(value any) string {
	switch v := value.(type) {
	case nil:
		return "(empty)"
	case string:
		return or(v, "(empty)")
	}
	data, err := json.Marshal(value)
	if err != nil {
		return "?"
	}
	return string(data)
}
