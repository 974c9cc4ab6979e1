package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/account/incident"
	"lookout/client/journal"
	"lookout/client/wording"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
)

// A handover holds what the next shift must know.
type handover struct {
	Account    string            `json:"account"`
	Host       string            `json:"host"`
	From       time.Time         `json:"from"`
	To         time.Time         `json:"to"`
	Changes    []journalRow      `json:"changes"`
	Unknown    []journalRow      `json:"unknown"` // sent without an outcome
	Disabled   []disabledService `json:"disabled"`
	Problems   []downService     `json:"problems"`
	Issues     []openIssue       `json:"issues"`
	Unreadable []string          `json:"unreadable,omitempty"` // what could not be read
	failure    error             // the first error that makes the handover incomplete
	notes      sectionNotes
	incidents  *incident.Incidents
}

// sectionNotes say what is missing in the sections of a handover; empty if everything could be read.
type sectionNotes struct{ problems, issues, disabled, journal string }

// disabledService is a service that is not monitored.
type disabledService struct {
	ID       int       `json:"id"`
	Label    string    `json:"label"`
	Since    time.Time `json:"since,omitzero"`
	AtLatest bool      `json:"since_at_latest,omitempty"` // it may have been disabled for longer
	Until    time.Time `json:"until,omitzero"`
	Reason   string    `json:"reason,omitempty"`
	Ours     bool      `json:"ours"` // disabled by this program on this machine
	Perhaps  bool      `json:"perhaps_ours,omitempty"`
}

// downService is a service that is down.
type downService struct {
	ID      int    `json:"id"`
	Label   string `json:"label"`
	Address string `json:"address"`
	Group   string `json:"group"` // whom to consult
}

// openIssue is an incident that is not over, as far as is known.
type openIssue struct {
	ID        int       `json:"id"`
	Created   time.Time `json:"created"`
	Services  []string  `json:"services"`
	Ticket    int       `json:"ticket"`
	Label     string    `json:"label"`
	Status    string    `json:"status"`
	Silenced  []string  `json:"silenced,omitempty"` // its services that are disabled
	Recovered bool      `json:"recovered"`          // its services are ok again
	noTickets bool      // of the API
	phase     incident.Phase
}

func handoverCommand(f *config.Flags) *cobra.Command {
	var since, format string
	c := &cobra.Command{
		Use:   "handover",
		Short: "Write the shift handover as Markdown",
		Args:  NoArgs,
		Example: indentExamples(
			"lookout handover --since 8h > handover.md\nlookout handover --since 2026-11-20 -o json",
		),
		Long: "Lists the changes made from this machine with their reasons, the services that are still disabled and " +
			"until when,\n" +
			"changes whose outcome is unknown, services in trouble and open issues. If something cannot be read, the " +
			"handover\n" +
			"says so and contains the rest.\n" +
			"Times are in UTC, to the minute (2026-11-20 13:05 UTC). With -o json, they are RFC 3339 times in UTC.",
		RunE: func(c *cobra.Command, _ []string) error {
			if format != "markdown" && format != "json" {
				return exit.Usage(fmt.Errorf("unknown output format %q (use markdown or json)", format))
			}
			s, end, err := startSession(c, f, true)
			if err != nil {
				return err
			}
			defer end()
			from, err := parseSince(since, s.now())
			if err != nil {
				return err
			}
			h, err := s.buildHandover(c.Context(), from)
			if err != nil {
				return err
			}
			return h.write(c.OutOrStdout(), format)
		},
	}
	f.AddAccountFlags(c.Flags())
	f.AddDebugFlag(c.Flags())
	c.Flags().StringVar(
		&since, "since", "8h", "start of the shift: how long ago, such as 8h, or a date such as 2026-11-20",
	)
	c.Flags().StringVarP(&format, "output", "o", "markdown", "output format: markdown, json")
	setFlagChoices(c.Flags(), "output", "markdown", "json")
	return c
}

// buildHandover builds the handover of a shift from the journal and the API.
func (s *scriptSession) buildHandover(ctx context.Context, from time.Time) (handover, error) {
	h := handover{
		Account:  s.settings.Account,
		Host:     s.settings.Host(),
		From:     from.UTC(),
		To:       s.now().UTC(),
		Changes:  []journalRow{},
		Unknown:  []journalRow{},
		Disabled: []disabledService{},
		Problems: []downService{},
		Issues:   []openIssue{},
	}
	j, err := s.journal.getIfExists()
	if err != nil {
		return h, err
	}
	for _, e := range j.Entries(from) {
		h.Changes = append(h.Changes, newJournalRow(e))
		if e.Outcome == client.Unknown || e.Outcome == client.Pending {
			h.Unknown = append(h.Unknown, newJournalRow(e))
		}
	}
	if err := cmp.Or(s.journal.noPlace, j.Problem()); err != nil {
		h.addUnreadable("journal", err)
		h.notes.journal = "**" + escapeMarks(err.Error()) + "**"
	}
	if n := j.UnreadableLines(); n > 0 {
		lines := wording.Plural(n, "line", "lines")
		h.Unreadable = append(h.Unreadable, fmt.Sprintf("journal: %s of %s", lines, s.journal.path))
		h.notes.journal = "**" + wording.Plural(n, "line", "lines") + " of the journal could not be read**"
	}
	h.readAccount(ctx, s, j)
	sort.Slice(h.Disabled, func(i, j int) bool {
		a, b := h.Disabled[i], h.Disabled[j]
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) < 0
	})
	return h, nil
}

// addUnreadable records that something could not be read.
func (h *handover) addUnreadable(what string, err error) {
	h.Unreadable = append(h.Unreadable, what+": "+err.Error())
	h.failure = cmp.Or(h.failure, err)
}

// notRead is shown in place of what could not be read.
const notRead = "**could not be read**"

// readAccount reads what is going on: which services are down or disabled, and which incidents are not over.
func (h *handover) readAccount(ctx context.Context, s *scriptSession, j *journal.Journal) {
	services, all := h.readServices(ctx, s)
	issues := h.readIssues(ctx, s)
	seen, err := s.readMemory()
	if err != nil {
		h.addUnreadable("state", err)
	}
	seen.Observe(incident.ServiceSnapshot{
		Services: services,
		Complete: all,
		Read:     s.now().UTC(),
		Now:      s.now().UTC(),
	})
	windows := j.DisabledServices()
	facts := incident.AccountSnapshot{
		Services:    services,
		AllServices: all,
		Issues:      issues,
		Healthy:     seen.HealthySince,
		WasOpen:     seen.TicketWasOpen,
		Now:         s.now(),
	}
	statuses := s.readTickets(ctx, incident.New(facts))
	facts.Ticket = func(id int) incident.TicketState {
		switch statuses[id] {
		case "":
			return incident.TicketUnknown
		case closedTicket:
			return incident.TicketClosed
		}
		return incident.TicketOpen
	}
	h.addServices(services, func(v *client.Service) incident.DisabledInfo {
		w, held := windows[strconv.Itoa(v.ID)]
		if !held {
			d := seen.DisabledInfo(v.ID, v.Updated.Time(), nil)
			d.Perhaps = incident.MayHaveDisabled(v.ID, j.UnresolvedEntries(time.Time{}))
			return d
		}
		return seen.DisabledInfo(v.ID, v.Updated.Time(), &w)
	})
	if !all {
		h.addWindows(services, windows)
	}
	h.incidents = incident.New(facts)
	left := h.addIssues(h.incidents, services, statuses)
	for i := range h.Issues {
		h.Issues[i].noTickets = !s.api.HasTickets()
	}
	if s.api.HasTickets() {
		h.noteOmittedIssues(left) // else they are over: nothing is down
	}
}

// ticketText names the ticket with its status.
func (i openIssue) ticketText() string {
	if i.Ticket == 0 {
		return "it names no ticket"
	}
	return fmt.Sprintf("ticket %d, %s", i.Ticket, i.ticketStatus())
}

// ticketStatus returns the state of the ticket.
func (i openIssue) ticketStatus() string {
	if i.noTickets {
		return i.Status + " (this API has no tickets)"
	}
	return i.Status
}

// readMemory returns what the dashboard has seen of the account.
func (s *scriptSession) readMemory() (*incident.Observations, error) {
	data, err := journal.StateFileAt(s.journal.path).Read()
	if err != nil {
		return incident.NewMemory(), err
	}
	return incident.Load(data)
}

// readServices reads the services, and reports whether these are all.
func (h *handover) readServices(ctx context.Context, s *scriptSession) (rows []*client.Service, all bool) {
	for v, err := range s.api.Services.All(ctx) {
		if err != nil {
			h.addUnreadable("services", err)
			h.notes.problems, h.notes.disabled = notRead, notRead+"; this list is from this machine's journal"
			h.Problems, h.Disabled = nil, nil
			return rows, false
		}
		rows = append(rows, v)
	}
	return rows, true
}

// readIssues reads the issues.
func (h *handover) readIssues(ctx context.Context, s *scriptSession) (rows []*client.Issue) {
	for i, err := range s.api.Issues.All(ctx) {
		if err != nil {
			h.addUnreadable("issues", err)
			h.notes.issues, h.Issues = notRead, nil
			return rows
		}
		rows = append(rows, i)
	}
	return rows
}

// maxTicketRequests bounds the requests for tickets in a handover.
const maxTicketRequests = 20

// closedTicket is the status of a ticket that is closed.
const closedTicket = "closed"

// readTickets reads the status of the tickets of incidents: first of those that are not over as far as is known without
// their ticket, then of the newest. A ticket that cannot be read has none.
func (s *scriptSession) readTickets(ctx context.Context, m *incident.Incidents) map[int]string {
	statuses := map[int]string{}
	if !s.api.HasTickets() {
		return statuses
	}
	rows := slices.Clone(m.All())
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].Unresolved() && !rows[j].Unresolved() })
	for _, i := range rows[:min(len(rows), maxTicketRequests)] {
		if i.Issue.Ticket.ID == 0 {
			continue
		}
		t, err := s.api.Tickets.Get(ctx, i.Issue.Ticket.ID)
		switch {
		case err != nil || incident.StateOfTicket(t) == incident.TicketUnknown:
		case !t.IsOpen():
			statuses[i.Issue.Ticket.ID] = closedTicket
		default:
			statuses[i.Issue.Ticket.ID] = cmp.Or(t.Status.Raw(), "open")
		}
	}
	return statuses
}

// addServices adds the services that are disabled or down.
func (h *handover) addServices(services []*client.Service, of func(*client.Service) incident.DisabledInfo) {
	for _, v := range services {
		switch v.Status {
		case client.StatusDisabled:
			h.Disabled = append(h.Disabled, newDisabledService(v.ID, v.Label.Raw(), of(v)))
		case client.StatusProblem:
			h.Problems = append(h.Problems, downService{v.ID, v.Label.Raw(), v.Address.Raw(), v.Group.Raw()})
		}
	}
}

// addWindows adds the services that this machine disabled and that could not be read.
func (h *handover) addWindows(read []*client.Service, windows map[string]journal.DisabledService) {
	for id, w := range windows {
		n, _ := strconv.Atoi(id)
		if !slices.ContainsFunc(read, func(v *client.Service) bool { return v.ID == n }) {
			h.Disabled = append(h.Disabled, newDisabledService(n, w.Label, incident.DisabledInfo{
				Since:  w.Since,
				Until:  w.Until,
				Reason: w.Reason,
				Ours:   true,
			}))
		}
	}
}

func newDisabledService(id int, label string, d incident.DisabledInfo) disabledService {
	return disabledService{
		ID:       id,
		Label:    label,
		Since:    d.Since.UTC(),
		AtLatest: d.Bound && !d.Since.IsZero(),
		Until:    d.Until.UTC(),
		Reason:   d.Reason,
		Ours:     d.Ours,
		Perhaps:  d.Perhaps,
	}
}

// addIssues adds the incidents that are not known to be over. Of those whose services are well again and whose ticket
// could not be read, it adds those of the shift and returns the number of the others.
func (h *handover) addIssues(m *incident.Incidents, services []*client.Service, statuses map[int]string) (left int) {
	labels := map[int]string{}
	for _, v := range services {
		labels[v.ID] = v.Label.Raw()
	}
	for _, i := range m.All() {
		issue := i.Issue
		switch {
		case i.Phase == incident.Over:
			continue
		case !i.Unresolved() && issue.Created.Time().Before(h.From):
			left++
			continue
		}
		one := openIssue{
			ID:        issue.ID,
			Created:   issue.Created.Time(),
			Services:  []string{},
			Ticket:    issue.Ticket.ID,
			Label:     issue.Ticket.Label.Raw(),
			Status:    cmp.Or(statuses[issue.Ticket.ID], string(incident.TicketUnknown)),
			Recovered: i.Well(),
			phase:     i.Phase,
		}
		for _, a := range i.Services {
			label := cmp.Or(labels[a.ID], "service "+strconv.Itoa(a.ID))
			one.Services = append(one.Services, label)
			if a.Silence != nil {
				one.Silenced = append(one.Silenced, label)
			}
		}
		h.Issues = append(h.Issues, one)
	}
	return left
}

// noteOmittedIssues records that n older issues are left out because their tickets were not read.
func (h *handover) noteOmittedIssues(n int) {
	if n == 0 {
		return
	}
	text := fmt.Sprintf("tickets: %d older issues are omitted, because their tickets' state is unknown", n)
	h.Unreadable = append(h.Unreadable, text)
	h.notes.issues = cmp.Or(h.notes.issues, notRead+": "+text)
}

// write writes the handover. It returns an error if the handover is incomplete.
func (h handover) write(out io.Writer, format string) error {
	text := func() error { return output.WriteText(out, h.markdown()) }
	if format == "json" {
		text = func() error { return output.WriteJSON(out, h, "  ") }
	}
	if err := text(); err != nil || h.failure == nil {
		return err
	}
	return fmt.Errorf("the handover is incomplete; %w", h.failure)
}

// markdown returns the handover as Markdown.
func (h handover) markdown() string {
	var b strings.Builder
	fmt.Fprintf(
		&b, "# Handover of %s at %s\n\n%s to %s\n", escapeMarkdown(h.Account), escapeMarkdown(h.Host),
		formatMinute(h.From), formatMinute(h.To),
	)
	problems := section{"Services in trouble", "none", h.notes.problems}
	writeSection(&b, problems, h.Problems, func(p downService) string {
		text := fmt.Sprintf("**%s** (%d) %s", escapeMarkdown(p.Label), p.ID, escapeMarkdown(p.Address))
		if p.Group != "" {
			text += "; call the group " + escapeMarkdown(p.Group)
		}
		return text
	})
	var open, unknownIssues []openIssue
	for _, i := range h.Issues {
		if i.phase == incident.Open {
			open = append(open, i)
		} else {
			unknownIssues = append(unknownIssues, i)
		}
	}
	writeSection(&b, section{"Open issues", "none", h.notes.issues}, open, openIssue.markdownLine)
	if len(unknownIssues) > 0 {
		writeSection(&b, section{title: "Issues that may be open"}, unknownIssues, openIssue.markdownLine)
	}
	disabled := section{"Still disabled", "nothing", h.notes.disabled}
	writeSection(&b, disabled, h.Disabled, func(d disabledService) string { return d.markdownLine(h.To) })
	unknown := section{"Outcome unknown: check before you repeat it", "none", h.notes.journal}
	writeSection(&b, unknown, h.Unknown, changeLine)
	section{"Changed", "nothing from this machine", h.notes.journal}.write(&b, changeLines(h.Changes))
	if len(h.Unreadable) > 0 {
		writeSection(&b, section{title: "Could not be read"}, h.Unreadable, escapeMarks)
	}
	return b.String()
}

// markdownLine says which services the issue is about, and what is known of it.
func (i openIssue) markdownLine() string {
	names := make([]string, len(i.Services))
	for n, label := range i.Services {
		names[n] = escapeMarkdown(label)
	}
	text := fmt.Sprintf(
		"%s issue %d: %s; %s", formatMinute(i.Created), i.ID,
		cmp.Or(strings.Join(names, ", "), "it names no service"), escapeMarkdown(i.ticketText()),
	)
	if len(i.Silenced) > 0 {
		text += "; **silenced**: monitoring of " + escapeMarkdown(strings.Join(i.Silenced, ", ")) + " is disabled"
	}
	if i.Recovered {
		text += "; ok again"
	}
	return text
}

// A section is a heading of the handover. Its text for no rows is used only if all rows could be read; otherwise note
// says what is missing.
type section struct{ title, none, note string }

// writeSection writes the rows of a section, one per line.
func writeSection[T any](b *strings.Builder, s section, rows []T, line func(T) string) {
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = line(row)
	}
	s.write(b, lines)
}

// write writes the section with lines for its rows.
func (s section) write(b *strings.Builder, rows []string) {
	b.WriteString("\n## " + s.title + "\n\n")
	for _, row := range rows {
		b.WriteString("- " + row + "\n")
	}
	switch {
	case s.note != "" && len(rows) > 0:
		b.WriteString("- " + s.note + "\n")
	case s.note != "":
		b.WriteString(s.note + "\n")
	case len(rows) == 0:
		b.WriteString(s.none + "\n")
	}
}

// maxObjectLines is how many objects of a bucket a handover lists with one kind of change before it counts them.
const maxObjectLines = 3

// changeLines returns changes as lines. Many uploads to a bucket, or deletions in it, are one line: a folder may have
// thousands. Each change that is not applied has its own.
func changeLines(changes []journalRow) (lines []string) {
	groups := map[string][]journalRow{}
	group := func(e journalRow) string {
		parts := strings.SplitN(e.TargetID, "/", 3)
		isObject := e.Op == client.OpUploadObject || e.Op == client.OpDeleteObject
		if !isObject || len(parts) < 3 || e.Outcome != client.Applied {
			return ""
		}
		return strings.Join([]string{e.Op, parts[0] + "/" + parts[1], e.Reason}, "\x00")
	}
	for _, e := range changes {
		groups[group(e)] = append(groups[group(e)], e)
	}
	for _, e := range changes {
		key := group(e)
		same := groups[key]
		switch {
		case key == "" || len(same) <= maxObjectLines:
			lines = append(lines, changeLine(e))
		case e.ID == same[0].ID:
			all, last := e, same[len(same)-1]
			all.Label = fmt.Sprintf("%s in %s, the last one at %s; lookout journal lists each",
				wording.Plural(len(same), "object", "objects"), strings.Split(key, "\x00")[1], formatMinute(last.Time))
			lines = append(lines, changeLine(all))
		}
	}
	return lines
}

// changeLine returns a change as one line.
func changeLine(e journalRow) string {
	text := fmt.Sprintf("%s %s %s", formatMinute(e.Time), e.Op, escapeMarkdown(cmp.Or(e.Label, e.TargetID)))
	if !e.Until.IsZero() {
		text += ", until " + formatMinute(e.Until)
	}
	if e.Outcome != client.Applied {
		text += ", **" + string(e.Outcome) + "**"
	}
	if e.Reason != "" {
		text += ": " + escapeMarkdown(e.Reason)
	}
	return text
}

// markdownLine returns a disabled service as one line.
func (d disabledService) markdownLine(now time.Time) string {
	text := fmt.Sprintf("**%s** (%d)", escapeMarkdown(d.Label), d.ID)
	if !d.Since.IsZero() {
		since, age := " since ", ""
		if d.AtLatest {
			since, age = " since at the latest ", "≥ "
		}
		text += since + formatMinute(d.Since) + ", for " + age + wording.FormatAge(now.Sub(d.Since))
	}
	switch {
	case d.Until.IsZero() && !d.Ours:
		text += ", with an unknown end"
	case d.Until.IsZero():
		text += ", with no end time"
	case d.Until.Before(now):
		text += ", **overdue** since " + formatMinute(d.Until)
	default:
		text += ", until " + formatMinute(d.Until)
	}
	switch {
	case d.Perhaps:
		text += "; perhaps by a change from this machine whose response was lost"
	case !d.Ours:
		text += "; not disabled from this machine"
	}
	if d.Reason != "" {
		text += ": " + escapeMarkdown(d.Reason)
	}
	return text
}

func formatMinute(t time.Time) string {
	if t.IsZero() {
		return "the beginning"
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// escapeMarkdown escapes a text, so that Markdown shows it as it is, on one line.
func escapeMarkdown(text string) string { return escapeMarks(client.Clean(text)) }

// escapeMarks is escapeMarkdown for text that is clean: our own, and the texts of errors.
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
