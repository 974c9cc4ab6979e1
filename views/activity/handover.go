package activity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/handover"
	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/operation"
)

// handoverView is the pane of what the next shift must know, in the words of lookout handover.
type handoverView struct {
	table.JoinedStores // that it is read again with: services, issues, changes

	a       *account.Account
	changes *lists.RowStore[*handover.Shift]
	version int // of the journal when its changes were asked for last
	scroll  ui.Viewport
	lines   ui.Memo[handoverState, []string]
}

// handoverState is what the text of the handover depends on.
type handoverState struct {
	box     ui.Box
	version int
	draft   account.HandoverDraft
	failed  [4]time.Time // when the last read of each list failed; zero if it did not
}

// HandoverPane returns the pane of what the next shift must know.
func HandoverPane(a *account.Account) ui.Pane {
	p := &handoverView{a: a}
	p.openShift()
	return p
}

// openShift makes the store of the changes since the start of the shift.
func (p *handoverView) openShift() {
	a, since := p.a, p.a.Handover.ShiftStart()
	p.version = 0
	p.changes = lists.NewRowStore(a.Context, a, lists.RowSource[*handover.Shift]{
		Name: "journal",
		ID:   func(*handover.Shift) string { return since },
		Now:  a.Now,
		Fetch: account.SingleFetcher(func(context.Context) (*handover.Shift, error) {
			from, err := ParseSince(since, a.Now().In(a.Location))
			if err != nil {
				return nil, err
			}
			s := handover.ReadShift(a.Journal, from)
			return &s, nil
		}),
	})
	p.JoinedStores = table.JoinedStores{a.Services(), a.Issues(), p.changes}
}

// ParseSince returns the start of a period: "8h", "2026-11-20", "2026-11-20T08:00:00Z"; the zero time for "all".
func ParseSince(text string, now time.Time) (time.Time, error) {
	if text == "all" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return t, nil
	}
	return time.Time{}, errors.New("use a duration such as 8h, a day such as 2026-11-20, or all")
}

// Name returns the name of the tab.
func (p *handoverView) Name() string { return "handover" }

// Info returns how fresh services and issues are, whichever are older.
func (p *handoverView) Info() ui.Info {
	return ui.Info{Freshness: p.a.Issues().Freshness().Worst(p.a.Services().Freshness())}
}

// LoadMissing reads what the frame lacks, and the changes again once the journal has grown.
func (p *handoverView) LoadMissing() {
	p.JoinedStores.EnsureLoaded()
	p.a.Contacts().EnsureLoaded()
	p.a.FetchTickets(p.recentIssues())
	if now := p.a.Journal.Version(); now != p.version && p.changes.Loaded() {
		p.version = now
		p.changes.Refresh()
	}
}

// recentIssues returns the issues of the shift that are not known to be over. The tickets of older ones are read by the
// account.
func (p *handoverView) recentIssues() []*client.Issue {
	var rows []*client.Issue
	s, known := account.OnlyRow(p.changes)
	for _, i := range p.a.Incidents().All() { // newest first
		if !known || i.Issue.Created.Time().Before(s.From) {
			break
		}
		rows = append(rows, i.Issue)
	}
	return rows
}

// OnClose cancels the reading.
func (p *handoverView) OnClose() { p.changes.Cancel() }

// Update scrolls.
func (p *handoverView) Update(msg tea.Msg) tea.Cmd { return p.scroll.Update(msg) }

// Actions copy the handover, and set its note and its start.
func (p *handoverView) Actions() []ui.Action {
	acts := []ui.Action{
		{
			Key:         ui.Bind("copy", "y"),
			Description: "the handover with its note as Markdown, for a chat or a ticket",
			ShowInHints: true,
			Do:          p.copy,
		},
		{
			Key:         ui.Bind("note and start", "e", "n"),
			Description: "add a note, and set when the shift began",
			ShowInHints: true,
			OpensView:   true,
			Do:          func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: p.form()}) },
		},
	}
	return append(acts, p.scroll.Actions()...)
}

// copy copies the handover. Its times are in UTC, because it leaves this machine.
func (p *handoverView) copy() tea.Cmd {
	p.a.Handover.Copied = true
	h := HandoverText{Report: p.report(), Account: p.a.Name, Host: p.a.API.Host(), Note: p.a.Handover.Note}
	return ui.Send(ui.CopyMsg{Text: h.Markdown(), Label: "handover"})
}

// form asks for the note and the start of the shift.
func (p *handoverView) form() form.Form {
	note, since := p.a.Handover.Note, p.a.Handover.ShiftStart()
	check := func(text string) string {
		if _, err := ParseSince(text, p.a.Now()); err != nil {
			return err.Error()
		}
		return ""
	}
	return form.Form{
		Title:       "Handover",
		Text:        "The note stands at the top of the handover, here and in what y copies. Nothing is sent.",
		SubmitLabel: "keep",
		BusyText:    "keeping",
		Harmless:    true,
		Fields: []form.Field{
			form.Lines("note", "Note", &note),
			form.Text("since", "Shift began", &since, check).
				Note("how long ago, such as 8h, a day such as 2026-11-20, or all"),
		},
		Send: func(context.Context) (func() tea.Cmd, error) {
			return func() tea.Cmd {
				moved := since != p.a.Handover.ShiftStart()
				p.a.Handover = account.HandoverDraft{Note: strings.TrimSpace(note), Since: since}
				if moved {
					p.changes.Cancel()
					p.openShift()
				}
				return nil
			}, nil
		},
	}
}

// report computes the handover as of now.
func (p *handoverView) report() handover.Report {
	if s, read := account.OnlyRow(p.changes); read {
		return p.a.HandoverReport(*s)
	}
	from, _ := ParseSince(p.a.Handover.ShiftStart(), p.a.Now().In(p.a.Location))
	notYet := handover.Gap{Source: handover.Journal, Reason: handover.NotYet}
	return p.a.HandoverReport(handover.Shift{From: from, Gaps: []handover.Gap{notYet}})
}

// View shows the handover. It is written again once something has changed, and every minute, because it has ages.
func (p *handoverView) View(b ui.Box) string {
	now := handoverState{box: b, draft: p.a.Handover, version: p.changes.Version() + p.a.Contacts().Version()}
	now.box.Now = b.Now.Truncate(time.Minute)
	for _, s := range p.a.IncidentSources() {
		now.version += s.Version()
	}
	for i, f := range []lists.Freshness{
		p.a.Services().Freshness(), p.a.Issues().Freshness(), p.a.Contacts().Freshness(), p.changes.Freshness(),
	} {
		if f.Err != nil {
			now.failed[i] = f.FailedAt
		}
	}
	return p.scroll.ViewLines(b, p.lines.Get(now, func() []string { return strings.Split(p.draw(b), "\n") }))
}

// draw writes the handover in lines that are as wide as a box.
func (p *handoverView) draw(b ui.Box) string {
	h := HandoverText{
		Report:     p.report(),
		Account:    p.a.Name,
		Host:       p.a.API.Host(),
		Note:       p.a.Handover.Note,
		FormatTime: p.a.FormatTime,
	}
	t := operation.NewDetailWriter(b)
	t.Title(h.title())
	t.Paragraph(fmt.Sprintf("%s to %s", h.time(h.From), h.time(h.To)), theme.Muted)
	t.Blank()
	t.Heading("Note")
	if h.Note == "" {
		t.Paragraph("none: e adds one", theme.Muted)
	} else {
		t.ServerText(h.Note)
	}
	for _, s := range h.sections() {
		if len(s.lines) == 0 && s.none == "" {
			continue
		}
		t.Blank()
		t.Heading(s.title)
		for _, line := range s.lines {
			t.Lines = append(t.Lines, paintWords(b, line)...)
		}
		switch {
		case len(s.gap) > 0:
			t.Lines = append(t.Lines, paintWords(b, s.gap)...)
		case len(s.lines) == 0:
			t.Paragraph(s.none, theme.Muted)
		}
		if s.remark != "" && len(s.lines) > 0 {
			t.Paragraph(s.remark, theme.Muted)
		}
	}
	return t.String()
}

// paintWords wraps a line and paints each of its parts in its tone. The lines after the first are indented.
func paintWords(b ui.Box, line []words) []string {
	text := ""
	for _, w := range line {
		text += w.text
	}
	const indent = 2
	var painted []string
	for n, row := range ui.Wrap(text, max(1, b.Width-indent)) {
		skipped := strings.Index(text, row)
		text = text[skipped+len(row):]
		out := strings.Repeat(" ", min(n, 1)*indent)
		for row != "" {
			for skipped >= len(line[0].text) { // the blanks between two rows are not drawn
				skipped -= len(line[0].text)
				line = line[1:]
			}
			part := line[0].text[skipped:]
			part = part[:min(len(part), len(row))]
			out += b.Theme.Paint(line[0].tone, part)
			skipped, row = skipped+len(part), row[len(part):]
		}
		line = slices.Clone(line)
		line[0].text = line[0].text[skipped:]
		painted = append(painted, out)
	}
	return painted
}
