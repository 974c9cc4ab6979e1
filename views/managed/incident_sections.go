package managed

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/incident"
	"lookout/client/account/join"
	"lookout/client/visible"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
)

// incidentSections writes the sections of an incident into boxes of one width.
type incidentSections struct {
	a     *account.Account
	i     *client.Issue
	b     ui.Box // inside the boxes
	notes int    // lines of notes of each service at most; 0 is the notes as they are
	keys  bool   // the keys of the pane work: it says what f shows
}

// wrap breaks a text into painted lines.
func (w incidentSections) wrap(text string, tone theme.Tone) []string {
	return operation.WrapPainted(text, tone, w.b)
}

// services returns a box for each affected service.
func (w incidentSections) services() []ui.StackedPanel {
	var all []ui.StackedPanel
	for n, id := range w.i.Services {
		name := fmt.Sprintf("service %d", n)
		s, found := w.a.Services().Get(account.FormatID(id))
		if !found {
			all = append(all, w.missingService(name, id))
			continue
		}
		state, tone := operation.FormatStatus(s.Status, w.b.Theme)
		shape, word, _ := strings.Cut(state, " ")
		all = append(all, ui.StackedPanel{
			Name: name,
			Title: []theme.TitleSegment{
				{Text: shape + " " + s.Label.String(), Tone: tone},
				{Text: word, Tone: theme.Muted},
			},
			Lines: w.b.DrawRow(w.a.Services().Highlights.Has(s), func(b ui.Box) []string {
				w.b = b
				return w.service(s)
			}),
		})
	}
	if len(all) == 0 {
		all = append(all, ui.StackedPanel{
			Name:  "services",
			Title: theme.Title("Services"),
			Lines: w.wrap("the issue names no service", theme.Muted),
		})
	}
	return all
}

// affected returns a box with a line for each affected service: state, name, and its group.
func (w incidentSections) affected() ui.StackedPanel {
	var lines []string
	for _, id := range w.i.Services {
		s, found := w.a.Services().Get(account.FormatID(id))
		if !found {
			lines = append(lines, w.wrap(w.a.ServiceName(id), theme.Muted)...)
			continue
		}
		state, tone := operation.FormatStatus(s.Status, w.b.Theme)
		shape, word, _ := strings.Cut(state, " ")
		if s.Group.Raw() != "" {
			word += " · group " + wording.Quoted(s.Group.String())
		}
		line := w.b.Theme.Paint(tone, shape) + " " + s.Label.String() + w.b.Theme.Paint(theme.Muted, "  "+word)
		lines = append(lines, ui.Truncate(line, w.b.Width, w.b.Theme.Glyphs.Ellipsis))
	}
	title := theme.Title("Affected", fmt.Sprint(len(w.i.Services)))
	return ui.StackedPanel{Name: "affected", Title: title, Lines: lines}
}

// missingService returns the box of a service that was deleted or has not been read.
func (w incidentSections) missingService(name string, id int) ui.StackedPanel {
	text, tone := "the service no longer exists", theme.Muted
	if state := join.StateOf(w.a.Services()); state.Kind != join.Known {
		text, tone = state.String(), theme.Warn
	}
	return ui.StackedPanel{Name: name, Title: theme.Title(w.a.ServiceName(id)), Lines: w.wrap(text, tone)}
}

// service returns what somebody on call needs to know of a service: what silences it, where it is, and its notes.
func (w incidentSections) service(s *client.Service) []string {
	var lines []string
	if d, disabled := w.a.DisabledInfo(s); disabled {
		lines = w.wrap("disabled "+describeDisabled(w.a, d), theme.Warn)
	}
	parts := []string{fmt.Sprintf("%s %s", s.Type, s.Address), timeoutPart(s)}
	if names := credentialUsage(w.a, s.Credentials); names != "" {
		parts = append(parts, "credential "+names)
	}
	if s.Region.Raw() != "" {
		parts = append(parts, s.Region.String()+" (private address)")
	}
	if at := s.Updated.Time(); s.Updated.Valid() && at.Sub(w.i.Created.Time()).Abs() <= changeSpan {
		parts = append(parts, "last changed "+w.a.FormatTime(at))
	}
	lines = append(lines, wrapParts(parts, w.b)...)
	return append(lines, w.noteLines(s)...)
}

// followKey returns the key that leads to what is named or not shown whole, where it works.
func (w incidentSections) followKey() string { return wording.If(w.keys, " · f opens it") }

// shortNotes is how many bytes of a service's notes an incident shows.
const shortNotes = 2000

// noteLines returns the notes of a service in as few lines as they take.
func (w incidentSections) noteLines(s *client.Service) []string {
	raw := strings.TrimSpace(visible.MaskKeys(s.Notes.Raw()))
	if raw == "" {
		return nil
	}
	if w.notes == 0 {
		t := operation.NewDetailWriter(w.b)
		t.LabelWidth = ui.Width("notes: ")
		t.ServerField("notes:", raw)
		return t.Lines
	}
	var parts []string
	left, more := shortNotes, 0
	for line := range strings.SplitSeq(raw, "\n") {
		if left <= 0 {
			more += len(line) + 1
			continue
		}
		shown, cut := client.CleanStart(strings.TrimSpace(line), left)
		if left, more = left-len(shown), more+cut; shown != "" {
			parts = append(parts, shown)
		}
	}
	if more > 0 {
		text := w.b.Theme.Glyphs.Ellipsis + " " + operation.FormatSize(int64(more)) + " more at the service"
		parts = append(parts, text+w.followKey())
	}
	const label = "notes: "
	lines := ui.Wrap(label+strings.Join(parts, " · "), w.b.Width)
	if len(lines) > w.notes {
		rest := fmt.Sprintf(" %s %d more lines%s", w.b.Theme.Glyphs.Ellipsis, len(lines)-w.notes, w.followKey())
		lines = lines[:w.notes]
		last := ui.Truncate(lines[w.notes-1], w.b.Width-ui.Width(rest), "")
		lines[w.notes-1] = last + w.b.Theme.Paint(theme.Muted, rest)
	}
	if text, found := strings.CutPrefix(lines[0], label); found {
		lines[0] = w.b.Theme.Paint(theme.Muted, label) + text
	}
	return lines
}

// wrapParts joins parts with bullets and breaks the line only between them, unless a part is longer than a line.
func wrapParts(parts []string, b ui.Box) []string {
	var lines []string
	line := ""
	for _, part := range parts {
		joined := part
		if line != "" {
			joined = line + " · " + part
		}
		if ui.Width(joined) <= b.Width {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		broken := ui.Wrap(part, b.Width)
		lines = append(lines, broken[:len(broken)-1]...)
		line = broken[len(broken)-1]
	}
	return append(lines, line)
}

// call returns the contacts to call, with names, numbers and addresses in columns; those of several groups beside the
// names of these, and each group without contacts.
func (w incidentSections) call() ui.StackedPanel {
	call, t := whomToCall(w.a, w.i), w.b.Theme
	var rows [][4]string // group, name, numbers, address
	var widths [4]int
	var names []string
	for _, g := range call.groups {
		name := g.name
		names = append(names, name)
		switch {
		case len(call.groups) == 1:
			name = "" // it is in the title
		case join.KnownEmpty(g.people):
			rows = append(rows, [4]string{name, "no contacts", "", ""})
		}
		for _, c := range join.Found(g.people) {
			numbers := strings.Join(phoneParts(c), " · ")
			rows = append(rows, [4]string{name, c.Name.String(), numbers, c.Email.String()})
			name = ""
		}
	}
	for _, row := range rows {
		for n, text := range row {
			widths[n] = max(widths[n], ui.Width(text))
		}
	}
	lead := 0
	if widths[0] > 0 {
		widths[0] = min(widths[0], w.b.Width/4)
		lead = widths[0] + 2
	}
	whole := lead+widths[1]+widths[2]+widths[3]+4 <= w.b.Width
	var lines []string
	for _, row := range rows {
		group := ""
		if lead > 0 {
			group = ui.Pad(t.Paint(theme.Muted, ui.Truncate(row[0], widths[0], t.Glyphs.Ellipsis)), lead)
		}
		name := t.Paint(theme.Strong, ui.Truncate(row[1], w.b.Width-lead, t.Glyphs.Ellipsis))
		parts := []string{name}
		if whole {
			numbers := ui.Pad(t.Paint(theme.Accent, row[2]), widths[2])
			parts[0] = ui.Pad(name, widths[1]) + "  " + numbers + "  " + row[3]
		} else { // a number is never cut off
			for number := range strings.SplitSeq(row[2], " · ") {
				parts = append(parts, t.Paint(theme.Accent, number))
			}
			parts = append(parts, row[3])
		}
		for _, line := range wrapStyled(parts, w.b.Width-lead) {
			lines = append(lines, ui.Truncate(group+line, w.b.Width, t.Glyphs.Ellipsis))
			group = strings.Repeat(" ", lead)
		}
	}
	if call.remark != "" && !(len(call.groups) > 1 && join.KnownEmpty(call.people)) { // then each group says so
		lines = append(lines, w.wrap(call.remark, theme.Warn)...)
	}
	return ui.StackedPanel{
		Name:  "call",
		Title: theme.Title("Call" + wording.WithPrefix(": ", account.JoinWithCommas(names))),
		Lines: lines,
	}
}

// wrapStyled joins painted parts with blanks and breaks the line only between them; what follows is indented.
func wrapStyled(parts []string, width int) []string {
	lines := []string{parts[0]}
	for _, part := range parts[1:] {
		last := len(lines) - 1
		if ui.Width(lines[last])+2+ui.Width(part) <= width {
			lines[last] += "  " + part
			continue
		}
		lines = append(lines, "  "+part)
	}
	return lines
}

// ssh returns how to log in to the machines behind the services. It reports false if there are none.
func (w incidentSections) ssh() (ui.StackedPanel, bool) {
	machines := affectedInstances(w.a, w.i)
	if join.KnownEmpty(machines) {
		return ui.StackedPanel{}, false
	}
	var lines []string
	labels := 0
	for _, m := range join.Found(machines) {
		labels = max(labels, min(20, ui.Width(m.Label.String())))
	}
	for _, m := range join.Found(machines) {
		line, remark := sshLine(m)
		parts, tone := []string{line}, theme.Plain
		if remark != "" {
			parts, tone = append(parts, remark), theme.Warn
		}
		name := ui.Pad(ui.Truncate(m.Label.String(), labels, w.b.Theme.Glyphs.Ellipsis), labels)
		room := max(1, w.b.Width-labels-2)
		for _, part := range wrapStyled(parts, room) {
			for _, line := range ui.Wrap(part, room) { // an address is never cut off
				lines = append(lines, w.b.Theme.Paint(theme.Muted, name)+"  "+w.b.Theme.Paint(tone, line))
				name = strings.Repeat(" ", labels)
			}
		}
	}
	if remark := join.Remark(machines, ""); remark != "" {
		lines = append(lines, w.wrap(remark, theme.Warn)...)
	}
	return ui.StackedPanel{Name: "ssh", Title: theme.Title("SSH"), Lines: lines}, true
}

// before returns the issues of the affected services that were detected before this one, newest first.
func (w incidentSections) before() join.Joined[*client.Issue] {
	own := join.Join(w.i.Services, join.JoinState{Kind: join.Known})
	all := join.FlatMap(own, func(id int) join.Joined[*client.Issue] { return w.a.IssuesOfService(id) })
	return join.Derive(all, func(issues []*client.Issue) []*client.Issue {
		issues = slices.DeleteFunc(slices.Clone(issues), func(i *client.Issue) bool {
			return i.ID == w.i.ID || i.Created.Time().After(w.i.Created.Time())
		})
		slices.SortStableFunc(issues, func(i, j *client.Issue) int {
			return j.Created.Time().Compare(i.Created.Time())
		})
		return issues
	})
}

// historyLength is how many earlier issues an incident shows at most.
const historyLength = 6

// history returns the earlier issues of the affected services, and below the last one of each what is known of it.
func (w incidentSections) history(most int) ui.StackedPanel {
	before := w.before()
	found := join.Found(before)
	narrow := w
	narrow.b.Width -= 2
	last := narrow.lastTimes()
	inset := func(l lastTimeLines) (lines []string) {
		for _, line := range append(wrapParts(l.parts, narrow.b), l.changes...) {
			lines = append(lines, "  "+line)
		}
		return lines
	}
	var lines []string
	for _, i := range found[:min(most, len(found))] {
		state, _ := TicketCell(w.a, i, w.b)
		text := fmt.Sprintf(
			"#%d  %s  %s", i.ID, ui.Pad(w.a.FormatTimestamp(i.Created), 12), account.FormatAgo(i.Created, w.b.Now),
		)
		if with := text + wording.WithPrefix("  ticket ", state); ui.Width(with) <= w.b.Width {
			text = with
		}
		lines = append(lines, w.b.Theme.Paint(theme.Plain, ui.Truncate(text, w.b.Width, w.b.Theme.Glyphs.Ellipsis)))
		for _, l := range last {
			if l.issue != nil && l.issue.ID == i.ID {
				lines = append(lines, inset(l)...)
			}
		}
	}
	for _, l := range last {
		if l.issue == nil { // the outage was seen, but its issue is not listed
			lines = append(lines, inset(l)...)
		}
	}
	if more := len(found) - most; more > 0 {
		lines = append(lines, w.b.Theme.Paint(theme.Muted, fmt.Sprintf("and %d more in the list", more)))
	}
	if remark := join.Remark(before, "no earlier issue of these services in the list"); remark != "" {
		lines = append(lines, w.wrap(remark, remarkTone(before.State()))...)
	}
	count := wording.If(len(found) > 0, fmt.Sprint(len(found)))
	return ui.StackedPanel{Name: "history", Title: theme.Title("Earlier issues", count), Lines: lines}
}

// maxLastTimes and lastTimeChanges bound the services whose last time is shown, and the changes of each.
const maxLastTimes, lastTimeChanges = 3, 2

// lastTimes returns what is known of the last time of the services, apart from the issue: when a service was seen down
// and up again, and what was changed around that time.
func (w incidentSections) lastTimes() []lastTimeLines {
	all := w.a.LastTimes(w.i)
	some := make([]lastTimeLines, min(maxLastTimes, len(all)))
	for n := range some {
		l := all[n]
		var parts []string
		if len(w.i.Services) > 1 {
			parts = append(parts, w.a.QuotedService(l.Service))
		}
		if !l.Outage.Down.IsZero() {
			parts = append(parts, "seen down "+w.a.FormatTime(l.Outage.Down))
		}
		up := "recovery not seen"
		if !l.Outage.Up.IsZero() {
			up = "ok again " + w.a.FormatTime(l.Outage.Up)
		}
		changes := w.a.ChangesOfLastTime(l)
		found := join.Found(changes)
		if parts = append(parts, up); len(found) == 0 {
			parts = append(parts, join.Remark(changes, "no known changes"))
		}
		parts[len(parts)-1] += w.followKey()
		some[n] = lastTimeLines{
			issue:   l.Issue,
			parts:   parts,
			changes: operation.ChangeLines(w.a, found[:min(lastTimeChanges, len(found))], w.b),
		}
	}
	return some
}

// lastTimeLines is what is written about the last time of a service.
type lastTimeLines struct {
	issue   *client.Issue // nil if none is listed
	parts   []string      // of a sentence
	changes []string      // lines
}

// remarkTone returns the tone of a remark: a warning if not everything is known.
func remarkTone(s join.JoinState) theme.Tone {
	if s.Kind == join.Known {
		return theme.Muted
	}
	return theme.Warn
}

// maintenance says which of the affected services are disabled, or will be.
func (w incidentSections) maintenance() ui.StackedPanel {
	var lines []string
	for _, id := range w.i.Services {
		s, found := w.a.Services().Get(account.FormatID(id))
		if !found {
			continue
		}
		if d, disabled := w.a.DisabledInfo(s); disabled {
			text := w.a.QuotedService(id) + ": disabled " + describeDisabled(w.a, d)
			lines = append(lines, w.wrap(text, theme.Warn)...)
		}
		if p, planned := nextWindow(w.a, id); planned {
			text := w.a.QuotedService(id) + ": to be disabled " + describePlanned(w.a, p)
			lines = append(lines, w.wrap(text, theme.Info)...)
		}
	}
	if len(lines) == 0 {
		text := "monitoring is on · no maintenance was scheduled from this machine"
		if state := w.a.AffectedServices(w.i).State(); state.Kind != join.Known {
			text = state.String()
		}
		lines = w.wrap(text, theme.Muted)
	}
	return ui.StackedPanel{Name: "maintenance", Title: theme.Title("Maintenance"), Lines: lines}
}

// changes returns what was changed around the detection, from this machine and elsewhere: first of the affected
// services.
func (w incidentSections) changes(most int) ui.StackedPanel {
	found, remark := w.changesAround()
	lines := operation.ChangeLines(w.a, found[:min(most, len(found))], w.b)
	if more := len(found) - most; more > 0 {
		lines = append(lines, w.b.Theme.Paint(theme.Muted, fmt.Sprintf("and %d more in the journal", more)))
	}
	if len(found) == 0 && remark == "" {
		lines = w.wrap("no known changes, from this machine or elsewhere", theme.Muted)
	}
	if remark != "" {
		lines = append(lines, w.wrap(remark, theme.Warn)...)
	}
	return ui.StackedPanel{
		Name:  "changes",
		Title: theme.Title("Changes", "within "+wording.FormatAge(changeSpan)+" of the detection"),
		Lines: lines,
	}
}

// changeSpan is the time before and after a detection whose changes are shown.
const changeSpan = 6 * time.Hour

// changesAround returns the changes around the detection, those of the affected services first, and what is missing.
func (w incidentSections) changesAround() (found []account.RecentChange, remark string) {
	if !w.i.Created.Valid() {
		return nil, "the issue has no valid time of detection"
	}
	all, at := w.a.RecentChanges(), w.i.Created.Time()
	oldest := w.b.Now
	for _, c := range join.Found(all) {
		if c.Entry != nil && c.At.Before(oldest) {
			oldest = c.At
		}
		if !c.At.Before(at.Add(-changeSpan)) && !c.At.After(at.Add(changeSpan)) {
			found = append(found, c)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return w.distance(found[i]) < w.distance(found[j]) })
	if s := all.State(); s.Kind != join.Known && oldest.After(at.Add(-changeSpan)) {
		remark = s.String()
	}
	return found, remark
}

// distance orders changes: those of the affected services come first.
func (w incidentSections) distance(c account.RecentChange) int {
	for _, id := range w.i.Services {
		if c.Service() == account.FormatID(id) {
			return 0
		}
	}
	return 1
}

// headLine returns the line that says what the incident is: number, phase, age and ticket.
func (w incidentSections) headLine() []string {
	t, i := w.b.Theme, w.i
	found, known := w.a.Incidents().Of(i.ID)
	phase, tone := "", theme.Muted
	if known {
		if _, tone = IncidentMark(found, t.Glyphs); found.Phase == incident.Open && tone != theme.Bad {
			tone = theme.Warn
		}
		phase = strings.ToUpper(phaseWord(found.Phase))
	}
	mark, _ := IncidentMark(found, t.Glyphs)
	line := strings.Join([]string{
		t.Paint(theme.Strong, fmt.Sprintf("Issue #%d", i.ID)),
		t.Paint(tone, strings.TrimSpace(mark+" "+phase)),
	}, "   ")
	line += w.sinceAndTicket(w.b.Width - ui.Width(line))
	if label := i.Ticket.Label.String(); label != "" && ui.Width(line)+ui.Width(label)+2 <= w.b.Width {
		line += "  " + t.Paint(theme.Muted, label)
	}
	lines := []string{ui.Truncate(line, w.b.Width, t.Glyphs.Ellipsis)}
	if text := describeIncident(w.a, found); known && text != string(found.Phase) {
		lines = append(lines, w.wrap(text, tone)...)
	}
	return lines
}

// sinceAndTicket returns when the issue was detected and its ticket, in as many words as a width allows: whole words
// only, and of the moment its age, of the ticket its number at least.
func (w incidentSections) sinceAndTicket(width int) string {
	age := account.FormatAgo(w.i.Created, w.b.Now)
	moment := w.a.FormatTimestamp(w.i.Created) + ", " + age
	detected := "   detected " + moment
	id := w.i.Ticket.ID
	if id == 0 {
		return firstFitting([]string{detected, "   " + moment, "   " + age}, width)
	}
	short := "   " + ticketText(w.a, w.i, w.b)
	return firstFitting([]string{
		fmt.Sprintf("%s   ticket %d %s", detected, id, w.a.DescribeTicket(id)),
		detected + short,
		"   " + moment + short,
		"   " + age + short,
		fmt.Sprintf("   %s   ticket %d", age, id),
	}, width)
}

// loadLines returns the load at the detection beside that of the other hours, in as many lines as it takes; none if the
// stats do not hold it.
func (w incidentSections) loadLines() []string {
	if whyNoLoad(w.a, w.i) != "" {
		return nil
	}
	figures := loadFigures(w.a, w.i)
	figures[0] = "at detection: " + figures[0]
	w.b.Width -= 2 // for an ellipsis
	return wrapParts(figures, w.b)
}
