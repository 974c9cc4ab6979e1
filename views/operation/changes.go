package operation

import (
	"strings"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/incident"
	"lookout/client/account/join"
	"lookout/client/journal"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
)

// FormatOutcome returns how a change ended: a glyph with a word, and a tone.
func FormatOutcome(a *account.Account, e *journal.Entry, look *theme.Theme) (string, theme.Tone) {
	g := look.Glyphs
	switch {
	case a.Journal.Unresolved(*e):
		return g.Unknown + " unknown", theme.Warn
	case e.Outcome == client.Pending:
		return g.Pending + " under way", theme.Accent
	case e.Outcome == client.Applied:
		return g.Success + " " + string(e.Shown()), theme.Good
	}
	if e.Gone > 0 {
		return g.Failure + " partly", theme.Bad
	}
	return g.Failure + " not done", theme.Bad
}

// ChangeLines returns changes as lines of a table: time, outcome, object, what was changed and why. A change made
// elsewhere has the time at which it was seen.
func ChangeLines(a *account.Account, changes []account.RecentChange, b ui.Box) []string {
	times, outcomes, names := make([]string, len(changes)), make([]string, len(changes)), make([]string, len(changes))
	var timeWidth, outcomeWidth, nameWidth int
	for n, c := range changes {
		times[n], names[n] = a.FormatTime(c.At), c.Elsewhere.Label
		text, tone := b.Theme.Glyphs.Bullet+" elsewhere", theme.Info
		if c.Entry != nil {
			names[n] = account.EntryName(c.Entry)
			text, tone = FormatOutcome(a, c.Entry, b.Theme)
		}
		outcomes[n] = b.Theme.PaintState(tone, text)
		timeWidth, outcomeWidth = max(timeWidth, ui.Width(times[n])), max(outcomeWidth, ui.Width(text))
		nameWidth = max(nameWidth, ui.Width(names[n]))
	}
	nameWidth = min(nameWidth, max(8, b.Width/4))
	lines := make([]string, len(changes))
	for n, c := range changes {
		lead := b.Theme.Paint(theme.Muted, ui.Pad(times[n], timeWidth)) + "  " +
			ui.Pad(outcomes[n], outcomeWidth) + "  "
		name := ui.Pad(ui.Truncate(names[n], nameWidth, b.Theme.Glyphs.Ellipsis), nameWidth)
		what := ui.Truncate(describeChange(a, c), b.Width-timeWidth-outcomeWidth-nameWidth-6, b.Theme.Glyphs.Ellipsis)
		lines[n] = lead + name + "  " + b.Theme.Paint(theme.Muted, what)
	}
	return lines
}

// describeChange says what was changed, until when and why.
func describeChange(a *account.Account, c account.RecentChange) string {
	if c.Entry == nil {
		text := ElsewhereText(c.Elsewhere)
		if c.Elsewhere.To.Sub(c.Elsewhere.From) > 10*time.Minute {
			text += " after " + a.FormatTime(c.Elsewhere.From)
		}
		return text
	}
	e := c.Entry.Change
	parts := []string{client.NewText(e.Op).String()}
	if window := FormatWindow(a, e); window != "" {
		parts = append(parts, window)
	}
	if e.Reason != "" {
		parts = append(parts, client.NewText(e.Reason).String())
	}
	return strings.Join(parts, " · ")
}

// FormatWindow returns when a change begins to apply and when it is to be reverted: "from 22:00 until 23:30", "until
// 23:30"; "" if it has no such times.
func FormatWindow(a *account.Account, c client.Change) string {
	var parts []string
	if !c.StartAt.IsZero() {
		parts = append(parts, "from "+a.FormatTime(c.StartAt))
	}
	if !c.RevertAt.IsZero() {
		now := a.Now()
		if c.StartAt.After(now) {
			now = c.StartAt // the date of the start is not said again
		}
		parts = append(parts, "until "+account.FormatClock(c.RevertAt.In(a.Location), now.In(a.Location)))
	}
	return strings.Join(parts, " ")
}

// ChangesPanel returns the panel of the last changes of a row, made from this machine and, of services, elsewhere.
// kind is what the row is called in the journal.
func ChangesPanel(a *account.Account, kind, id string, b ui.Box) ui.StackedPanel {
	const most = 8
	all := a.RecentChanges()
	var found []account.RecentChange
	for _, c := range join.Found(all) {
		own := c.Entry != nil && c.Entry.Change.Resource == kind && c.Entry.Change.ID == id
		if len(found) < most && (own || kind == "service" && c.Service() == id) {
			found = append(found, c)
		}
	}
	var lines []string
	for _, c := range found {
		lines = append(lines, changeOfRow(a, c, b)...)
	}
	remark := ""
	switch s := all.State(); {
	case s.Kind != join.Known:
		remark = s.String()
	case len(found) == 0:
		remark = "no changes made from this machine" + wording.If(kind == "service", " or seen elsewhere")
	}
	lines = append(lines, WrapPainted(remark, theme.Muted, b)...)
	return ui.StackedPanel{Name: "changes", Title: theme.Title("Changes"), Lines: lines}
}

// changeOfRow returns a change of a known row: time and outcome, then what was changed.
func changeOfRow(a *account.Account, c account.RecentChange, b ui.Box) []string {
	text, tone := b.Theme.Glyphs.Bullet+" elsewhere", theme.Info
	if c.Entry != nil {
		text, tone = FormatOutcome(a, c.Entry, b.Theme)
	}
	lines := []string{b.Theme.Paint(theme.Muted, a.FormatTime(c.At)) + "  " + b.Theme.PaintState(tone, text)}
	for _, line := range ui.Wrap(describeChange(a, c), b.Width-2) {
		lines = append(lines, "  "+line)
	}
	return lines
}

// WithDetailSidebar gives a list a third column of panels on wide screens. stores are what they need besides the
// stores of the list.
func WithDetailSidebar[T comparable](
	a *account.Account,
	l *table.List[T],
	panels func(row T, inside ui.Box) []ui.StackedPanel,
	stores ...table.JoinedStore,
) ui.Pane {
	type state struct {
		row     T
		box     ui.Box
		version int
	}
	var drawn ui.Memo[state, string]
	column := &ui.PanelStack{}
	return l.WithDetailSidebar(table.DetailSidebar[T]{
		View: func(row T, b ui.Box) string {
			now := state{row, b, relatedVersion(a)}
			now.box.Now = b.Now.Truncate(2 * time.Second)
			return drawn.Get(now, func() string { return column.View(panels(row, b.InPanel()), b) })
		},
		Stores: stores,
		Load:   func() { a.LoadChanges() },
	})
}

// relatedVersion returns a number that grows when rows change that a third column shows.
func relatedVersion(a *account.Account) int {
	version := 0
	for _, s := range append(a.IncidentSources(),
		a.Contacts(), a.Stats(), a.Buckets(), a.Keys(), a.Instances(), a.Credentials(), a.JournalStore(),
	) {
		version += s.Version()
	}
	return version
}

// ElsewhereText says what was changed elsewhere: "edited: timeout".
func ElsewhereText(c incident.ExternalChange) string {
	return string(c.Kind) + wording.WithPrefix(": ", account.JoinWithCommas(c.Fields))
}
