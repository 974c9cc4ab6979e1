package activity

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/account/handover"
	"lookout/client/account/incident"
	"lookout/client/journal"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/views/operation"
)

// HandoverText says in sentences what a handover holds: in the pane, in what is copied from it, and in the output of
// lookout handover.
type HandoverText struct {
	handover.Report
	Account, Host string
	Note          string                 // by the person who hands over
	FormatTime    func(time.Time) string // nil is UTC to the minute
}

// words are part of a line. What is strong or a warning is bold in Markdown.
type words struct {
	text string
	tone theme.Tone
}

// A handoverSection is a heading with its lines.
type handoverSection struct {
	title  string
	lines  [][]words
	none   string  // instead of lines, if everything could be read
	gap    []words // what is missing; empty if everything could be read
	remark string  // below the lines, if there are any
}

func plain(text string) words  { return words{text, theme.Plain} }
func strong(text string) words { return words{text, theme.Strong} }
func alert(text string) words  { return words{text, theme.Warn} }

// sections returns everything that a handover says, without its note.
func (h HandoverText) sections() []handoverSection {
	down := handoverSection{title: "Services in trouble", none: "none", gap: h.gap(handover.Services)}
	for _, v := range h.Down {
		line := []words{strong(v.Label.String()), plain(fmt.Sprintf(" (%d) %s", v.ID, v.Address))}
		if v.Group.Raw() == "" {
			line = append(line, plain("; nobody to call: it has no group"))
		} else {
			line = append(line, plain("; call the group "+v.Group.String()+h.numbers(v.Group.Raw())))
		}
		down.lines = append(down.lines, line)
	}
	issues := h.gap(handover.Issues)
	if len(issues) == 0 {
		issues = h.gap(handover.Tickets)
	}
	open := handoverSection{title: "Open issues", none: "none", gap: issues}
	uncertain := handoverSection{title: "Issues that may be open"}
	for _, i := range h.Issues {
		if i.Phase == incident.Open {
			open.lines = append(open.lines, h.issueLine(i))
		} else {
			uncertain.lines = append(uncertain.lines, h.issueLine(i))
		}
	}
	if len(uncertain.lines) > 0 {
		open.none = "none known"
	}
	silenced := handoverSection{title: "Silenced now", none: "nothing", gap: h.gap(handover.Services)}
	if len(silenced.gap) > 0 && len(h.Silenced) > 0 && !slices.ContainsFunc(h.Gaps, wasRead) {
		silenced.gap = append(silenced.gap, plain("; this list is from this machine's journal"))
	}
	for _, d := range h.Silenced {
		silenced.lines = append(silenced.lines, h.silencedLine(d))
	}
	planned := handoverSection{
		title: "Planned",
		none:  "nothing from this machine",
		gap:   h.gap(handover.Journal),
		remark: "Planned on this machine: lookout or lookout keep disables and enables from there, or when one is " +
			"next started.",
	}
	for _, w := range h.Planned {
		planned.lines = append(planned.lines, h.plannedLine(w))
	}
	unknown := handoverSection{
		title: "Outcome unknown: check before you repeat it",
		none:  "none",
		gap:   h.gap(handover.Journal),
	}
	for _, e := range h.Unknown {
		unknown.lines = append(unknown.lines, h.changeLine(e, client.Clean(cmp.Or(e.Change.Label, e.Change.ID))))
	}
	changed := handoverSection{
		title: "Changed",
		lines: h.changeLines(),
		none:  "nothing from this machine",
		gap:   h.gap(handover.Journal),
	}
	elsewhere := handoverSection{title: "Changed elsewhere, as seen from this machine"}
	for _, c := range h.Elsewhere {
		what := fmt.Sprintf(" (%d) %s between ", c.ID, operation.ElsewhereText(c))
		line := []words{strong(client.Clean(c.Label)), plain(what + h.time(c.From) + " and " + h.time(c.To))}
		elsewhere.lines = append(elsewhere.lines, line)
	}
	notRead := handoverSection{title: "Not read"}
	for _, text := range NotReadTexts(h.Report) {
		notRead.lines = append(notRead.lines, []words{plain(text)})
	}
	return []handoverSection{down, open, uncertain, silenced, planned, unknown, changed, elsewhere, notRead}
}

// numbers returns whom of a group to call: ": Ada Wong +1 555 0100, Ben Idris +1 555 0144", or why that is not known:
// " (contacts: 503)".
func (h HandoverText) numbers(group string) string {
	var people []string
	call := h.Call[group]
	for _, c := range call.Contacts {
		if number := cmp.Or(c.Phone.Primary.String(), c.Phone.Secondary.String()); number != "" {
			people = append(people, c.Name.String()+" "+number)
		}
	}
	text := wording.WithPrefix(": ", strings.Join(people, ", "))
	switch {
	case call.Unread != "":
		return text + " (" + call.Unread + ")"
	case text == "":
		return ": nobody in it has a number"
	}
	return text
}

// time returns a time as the reader wants it.
func (h HandoverText) time(t time.Time) string {
	switch {
	case t.IsZero():
		return "the beginning"
	case h.FormatTime == nil:
		return t.UTC().Format("2006-01-02 15:04 UTC")
	}
	return h.FormatTime(t)
}

// gap says that a source is incomplete; it returns nothing if it is not.
func (h HandoverText) gap(source handover.Source) []words {
	for _, g := range h.Gaps {
		switch {
		case g.Source != source:
		case g.Reason == handover.NotYet:
			return []words{alert("not read yet")}
		case source == handover.Journal || g.Reason == handover.Omitted:
			return []words{alert("incomplete"), plain(": " + GapText(g))}
		case !g.Read.IsZero():
			return []words{alert("could not be read since " + h.time(g.Read))}
		default:
			return []words{alert("could not be read")}
		}
	}
	return nil
}

// wasRead reports whether services were read before they could not be.
func wasRead(g handover.Gap) bool { return g.Source == handover.Services && !g.Read.IsZero() }

// GapText says what is missing, and why.
func GapText(g handover.Gap) string {
	switch g.Reason {
	case handover.BadLines:
		return wording.Plural(g.Count, "line", "lines") + " of the journal could not be read"
	case handover.Omitted:
		return wording.Plural(g.Count, "older issue is", "older issues are") +
			" omitted, because the state of the tickets is unknown"
	case handover.Failed:
		return g.Err.Error()
	}
	return string(g.Reason)
}

// NotReadTexts returns a line for each source that could not be read completely: "services: " and why.
func NotReadTexts(r handover.Report) []string {
	var lines []string
	for _, g := range r.Gaps {
		lines = append(lines, string(g.Source)+": "+GapText(g))
	}
	return lines
}

// ServiceNames returns the labels of the services that an issue names; with silenced, only of those that are disabled.
func ServiceNames(i handover.Issue, silenced bool) []client.ServerText {
	names := []client.ServerText{}
	for _, s := range i.Services {
		if silenced && s.Silence == nil {
			continue
		}
		name := client.NewText("service " + strconv.Itoa(s.ID))
		if s.Row != nil && s.Row.Label.Raw() != "" {
			name = s.Row.Label
		}
		names = append(names, name)
	}
	return names
}

// TicketStatus returns the state of the ticket of an issue, or why it is not known.
func TicketStatus(r handover.Report, i handover.Issue) string {
	status, err := i.Ticket.Status.String(), i.Ticket.Err
	switch {
	case r.NoTicket:
		return string(incident.TicketUnknown) + " (not in this API)"
	case status != "" && err != nil:
		return wording.Quoted(status) + " (not read again: " + wording.Reason(err) + ")"
	case status != "":
		return wording.Quoted(status)
	case err != nil:
		return "not read: " + wording.Reason(err)
	case i.Ticket.Unread:
		return "not read yet"
	}
	return string(incident.TicketUnknown)
}

// issueLine says which services an issue is about, and what is known of it.
func (h HandoverText) issueLine(i handover.Issue) []words {
	line := []words{plain(fmt.Sprintf("%s issue %d: ", h.time(i.Issue.Created.Time()), i.Issue.ID))}
	names := func(silenced bool) {
		for n, name := range ServiceNames(i, silenced) {
			if n > 0 {
				line = append(line, plain(", "))
			}
			line = append(line, words{name.String(), theme.Accent})
		}
	}
	if names(false); len(i.Services) == 0 {
		line = append(line, plain("it names no service"))
	}
	if id := i.Issue.Ticket.ID; id == 0 {
		line = append(line, plain("; it names no ticket"))
	} else {
		line = append(line, plain(fmt.Sprintf("; ticket %d, %s", id, TicketStatus(h.Report, i))))
	}
	if i.Silenced() || len(ServiceNames(i, true)) > 0 {
		line = append(line, plain("; "), alert("silenced"), plain(": monitoring of "))
		names(true)
		line = append(line, plain(" is disabled"))
	}
	if i.Well() {
		line = append(line, plain("; ok again"))
	}
	return line
}

// silencedLine says since when, until when, by whom and why a service is disabled.
func (h HandoverText) silencedLine(d handover.Silenced) []words {
	line := []words{strong(d.Label.String())}
	text := fmt.Sprintf(" (%d)", d.ID)
	if !d.Since.IsZero() {
		since, age := " since ", ""
		if d.Bound {
			since, age = " since at the latest ", "≥ "
		}
		text += since + h.time(d.Since) + ", for " + age + wording.FormatAge(h.To.Sub(d.Since))
	}
	switch {
	case d.Until.IsZero() && !d.Ours:
		line = append(line, plain(text+", with an unknown end"))
	case d.Until.IsZero():
		line = append(line, plain(text+", with no end time"))
	case d.Until.Before(h.To):
		line = append(line, plain(text+", "), alert("overdue"), plain(" since "+h.time(d.Until)))
	default:
		line = append(line, plain(text+", until "+h.time(d.Until)))
	}
	switch {
	case d.Perhaps:
		line = append(line, plain("; perhaps by a change from this machine whose response was lost"))
	case !d.Ours:
		line = append(line, plain("; not disabled from this machine"))
	}
	return append(line, reason(d.Reason)...)
}

// plannedLine says when a service is to be disabled, until when and why.
func (h HandoverText) plannedLine(w handover.Planned) []words {
	line := []words{strong(w.Label.String()), plain(fmt.Sprintf(" (%d) from %s", w.ID, h.time(w.Start)))}
	if w.Until.IsZero() {
		line = append(line, plain(", with no end time"))
	} else {
		line = append(line, plain(" until "+h.time(w.Until)))
	}
	if w.Due {
		line = append(line, plain(", "), alert("overdue"), plain(": it has not begun"))
	}
	return append(line, reason(w.Reason.Raw())...)
}

// reason returns what was given as the reason.
func reason(raw string) []words {
	if raw == "" {
		return nil
	}
	return []words{plain(": "), {client.Clean(raw), theme.Accent}}
}

// maxObjectLines is how many objects of a bucket a handover lists with one kind of change before it counts them.
const maxObjectLines = 3

// changeLines returns the changes as lines. Many uploads to a bucket, or deletions in it, are one line: a folder may
// have thousands. Each change that is not applied has its own.
func (h HandoverText) changeLines() (lines [][]words) {
	groups := map[string][]journal.Entry{}
	group := func(e journal.Entry) string {
		c := e.Change
		parts := strings.SplitN(c.ID, "/", 3)
		isObject := c.Op == client.OpUploadObject || c.Op == client.OpDeleteObject
		if !isObject || len(parts) < 3 || e.Shown() != client.Applied {
			return ""
		}
		return strings.Join([]string{c.Op, parts[0] + "/" + parts[1], c.Reason}, "\x00")
	}
	for _, e := range h.Changes {
		groups[group(e)] = append(groups[group(e)], e)
	}
	for _, e := range h.Changes {
		key := group(e)
		same := groups[key]
		switch {
		case key == "" || len(same) <= maxObjectLines:
			lines = append(lines, h.changeLine(e, client.Clean(cmp.Or(e.Change.Label, e.Change.ID))))
		case e.ID == same[0].ID:
			lines = append(lines, h.changeLine(e, fmt.Sprintf(
				"%s in %s, the last one at %s; lookout journal lists each",
				wording.Plural(len(same), "object", "objects"),
				client.Clean(strings.Split(key, "\x00")[1]), h.time(same[len(same)-1].Time),
			)))
		}
	}
	return lines
}

// changeLine says what was changed, when and why. of names the thing.
func (h HandoverText) changeLine(e journal.Entry, of string) []words {
	c := e.Change
	line := []words{plain(h.time(e.Time) + " " + client.Clean(c.Op) + " "), {of, theme.Accent}}
	if !c.StartAt.IsZero() {
		line = append(line, plain(", from "+h.time(c.StartAt)))
	}
	if !c.RevertAt.IsZero() {
		line = append(line, plain(", until "+h.time(c.RevertAt)))
	}
	if e.Shown() != client.Applied {
		line = append(line, plain(", "), alert(string(e.Shown())))
	}
	return append(line, reason(c.Reason)...)
}

// title names the account.
func (h HandoverText) title() string {
	return "Handover of " + client.Clean(h.Account) + " at " + client.Clean(h.Host)
}

// Markdown returns the handover as Markdown.
func (h HandoverText) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s to %s\n", escapeMarks(h.title()), h.time(h.From), h.time(h.To))
	if h.Note != "" {
		b.WriteString("\n## Note\n\n")
		for line := range strings.SplitSeq(h.Note, "\n") {
			b.WriteString(client.Clean(line) + "\n")
		}
	}
	for _, s := range h.sections() {
		if len(s.lines) == 0 && s.none == "" {
			continue
		}
		b.WriteString("\n## " + s.title + "\n\n")
		for _, line := range s.lines {
			b.WriteString("- " + markdownLine(line) + "\n")
		}
		switch {
		case len(s.gap) > 0 && len(s.lines) > 0:
			b.WriteString("- " + markdownLine(s.gap) + "\n")
		case len(s.gap) > 0:
			b.WriteString(markdownLine(s.gap) + "\n")
		case len(s.lines) == 0:
			b.WriteString(s.none + "\n")
		}
		if s.remark != "" && len(s.lines) > 0 {
			b.WriteString("\n" + s.remark + "\n")
		}
	}
	return b.String()
}

// markdownLine returns a line as Markdown.
func markdownLine(line []words) string {
	text := ""
	for _, w := range line {
		part := escapeMarks(w.text)
		if w.tone == theme.Strong || w.tone == theme.Warn {
			part = "**" + part + "**"
		}
		text += part
	}
	return text
}

// escapeMarks escapes a clean text, so that Markdown shows it as it is.
func escapeMarks(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_[]<>#|", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
