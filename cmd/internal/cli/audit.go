package cli

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/audit"
	"lookout/client/account/handover"
	"lookout/client/account/incident"
	"lookout/client/wording"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/ui/terminal"
	"lookout/views/activity"
	"lookout/views/managed"
	"lookout/views/resource"
)

// auditCommand looks for what nobody notices until it is needed.
func auditCommand(f *config.Flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "audit",
		Short: "Find problems that go unnoticed until they matter, such as services with no one to call",
		Args:  NoArgs,
		Long: `Reads the account, and changes nothing. The checks find:

    nobody-called      services with no one to call
    no-phone           contact groups without a phone number
    unused-contact     contacts whose group no service uses
    unused-credential  credentials that no service uses
    off-without-end    services disabled indefinitely or past their end time
    unlimited-key      access keys with access to everything
    public-bucket      public buckets
    public-object      public objects that were opened from this machine
    certificate        certificates that have expired or will expire within 30 days

The API does not report when a certificate expires; lookout knows the date only for those uploaded from this machine.
` + "Anything that could not be read is reported as \"not known\", never as \"ok\". The exit code is 8 if " +
			"anything was found, otherwise that of a failed read, or 0 if none failed. An unknown expiry date is no " +
			"failure.",
		Example: indentExamples("lookout audit\nlookout audit --ignore unlimited-key -o json"),
	}
	f.AddAccountFlags(c.Flags())
	f.AddDebugFlag(c.Flags())
	ignored := c.Flags().StringSlice("ignore", nil, "skip these checks: "+strings.Join(audit.Checks(), ", "))
	config.CompleteValues(c.Flags(), "ignore", audit.Checks()...)
	code := exit.CodeOK
	printsRows(c, auditColumns(), func(c *cobra.Command, _ []string) (iter.Seq[*audit.CheckResult], error) {
		for _, name := range *ignored {
			if !slices.Contains(audit.Checks(), name) {
				return nil, exit.Usage(fmt.Errorf(
					"--ignore %s: unknown check; use %s", client.Clean(name), strings.Join(audit.Checks(), ", "),
				))
			}
		}
		s, end, err := startSessionWithJournal(c, f)
		if err != nil {
			return nil, err
		}
		defer end()
		said, failure := audit.Run(c.Context(), s.api, audit.Options{
			Windows: s.account.Journal.ActiveWindows(),
			Journal: s.account.Journal,
			Now:     s.now(),
			Ignore:  *ignored,
		})
		switch {
		case slices.ContainsFunc(said, func(o audit.CheckResult) bool { return o.State == audit.Found }):
			code = exit.CodeProblem
		case failure != nil:
			code = exit.CodeFor(failure)
		}
		rows := make([]*audit.CheckResult, len(said))
		for i := range said {
			rows[i] = &said[i]
		}
		return slices.Values(rows), nil
	})
	return withExitCode(c, &code)
}

// auditColumns returns the columns of an audit.
func auditColumns() []resource.ColumnDefinition[*audit.CheckResult] {
	return []resource.ColumnDefinition[*audit.CheckResult]{
		{
			Name:  "state",
			Value: func(o *audit.CheckResult) string { return string(o.State) },
			Pane: table.Column[*audit.CheckResult]{
				Choices: []string{string(audit.OK), string(audit.Found), string(audit.NotKnown)},
			},
		},
		{
			Name:  "check",
			Value: func(o *audit.CheckResult) string { return o.Check },
			Pane:  table.Column[*audit.CheckResult]{Choices: audit.Checks()},
		},
		{Name: "kind", Value: func(o *audit.CheckResult) string { return o.Kind }, DropPriority: 2},
		{Name: "id", Value: func(o *audit.CheckResult) string { return o.ID }, DropPriority: 1},
		{Name: "label", Value: func(o *audit.CheckResult) string { return o.Label.Raw() }},
		{Name: "text", Value: func(o *audit.CheckResult) string { return o.Text }, IsClean: true},
		{Name: "next", Value: func(o *audit.CheckResult) string { return o.Next }, IsClean: true, DropPriority: 3},
	}
}

// A statusRow is something that is broken, or a list that was not read.
type statusRow struct {
	State string `json:"state"`
	Kind  string `json:"kind"` // service or issue; of a list that was not read, its name
	ID    string `json:"id"`
	Label string `json:"label"`
	Text  string `json:"text"`
}

// The states of a statusRow.
const (
	stateProblem  = "problem"
	stateNotKnown = string(audit.NotKnown)
)

// statusCommand says whether something is broken, for programs that look at the exit code.
func statusCommand(f *config.Flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "Show what is broken, with an exit code for cron, CI and monitoring",
		Args:  NoArgs,
		Long: "Prints a line for each service that is down and each issue that is open, and nothing if all is well.\n" +
			"A disabled service does not count as a problem, but an open issue on it does. Anything that could not " +
			"be read is listed as \"not known\". On a terminal, a service and its issue are one line, which says " +
			"whom to call; with -o, --columns, --filter, --sort or --limit, it prints the rows that a pipe gets.\n" +
			fmt.Sprintf(
				"The exit code is 0 if all is well, and %d if something is broken. If nothing is known to be "+
					"broken but a list could not be read, it is the code of that failure.",
				exit.CodeProblem,
			),
		Example: indentExamples("lookout status\nlookout status -o json"),
	}
	f.AddAccountFlags(c.Flags())
	f.AddDebugFlag(c.Flags())
	code := exit.CodeOK
	columns := []resource.ColumnDefinition[*statusRow]{
		{
			Name:  "state",
			Value: func(r *statusRow) string { return r.State },
			Pane:  table.Column[*statusRow]{Choices: []string{stateProblem, stateNotKnown}},
		},
		{Name: "kind", Value: func(r *statusRow) string { return r.Kind }, DropPriority: 2},
		{Name: "id", Value: func(r *statusRow) string { return r.ID }, DropPriority: 1},
		{Name: "label", Value: func(r *statusRow) string { return r.Label }},
		{Name: "text", Value: func(r *statusRow) string { return r.Text }},
	}
	printsRows(c, columns, func(c *cobra.Command, _ []string) (iter.Seq[*statusRow], error) {
		status, err := readStatus(c, f, false)
		code = status.exitCode()
		if len(status.rows) == 0 && err == nil { // cron sends a mail for any output, even the names of columns
			err = c.Flags().Set("no-headers", "true")
		}
		return slices.Values(status.rows), err
	})
	table := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		width := output.TerminalWidth(c.OutOrStdout())
		asked := func(name string) bool { return c.Flags().Changed(name) }
		asksForRows := []string{"output", "jq", "columns", "no-headers", "filter", "sort", "limit"}
		if width == 0 || slices.ContainsFunc(asksForRows, asked) {
			return table(c, args)
		}
		status, err := readStatus(c, f, true)
		if code = status.exitCode(); err != nil {
			return err
		}
		return output.WriteText(c.OutOrStdout(), status.text(width))
	}
	return withExitCode(c, &code)
}

// accountStatus is what is broken in an account.
type accountStatus struct {
	rows     []*statusRow
	problems []problemLine // the same for people, without the lists that were not read; see readStatus
	failure  error         // why a list could not be read
}

// exitCode returns the exit code of the command.
func (s accountStatus) exitCode() int {
	isProblem := func(r *statusRow) bool { return r.State == stateProblem }
	switch {
	case slices.ContainsFunc(s.rows, isProblem):
		return exit.CodeProblem
	case len(s.rows) > 0:
		return max(exit.CodeFailure, exit.CodeFor(s.failure))
	}
	return exit.CodeOK
}

// A problemLine says what is broken, since when, and whom to call.
type problemLine struct{ label, state, issue, call string }

// newProblemLine returns an alert as a line.
func newProblemLine(a *account.Account, c incident.Alert) problemLine {
	l := problemLine{label: "service " + strconv.Itoa(c.ID), state: "down"}
	group := ""
	if c.Service != nil {
		l.label, group = c.Service.Label.String(), c.Service.Group.Raw()
	}
	if i := c.Incident; i != nil {
		l.issue = fmt.Sprintf("#%d", i.Issue.ID)
		switch {
		case c.ID == 0:
			l.label = cmp.Or(i.Issue.Ticket.Label.String(), "no service")
			fallthrough
		case c.Service == nil:
			l.state = "issue " + string(i.Phase)
		case !c.Down():
			l.state = c.Service.Status.String() + ", issue " + string(i.Phase)
		}
		if age := account.FormatAge(i.Issue.Created, a.Now()); age != account.UnknownAge {
			l.state += " " + age
		}
	}
	name, number := managed.ContactToCall(a.ContactsInGroup(group))
	if l.call = name; number != "" {
		l.call = "call " + name + " " + number
	}
	return l
}

// text returns the status for people, in lines that fit a width, if that is wide enough for the number to call.
func (s accountStatus) text(width int) string {
	var labels, states, issues, calls int
	for _, l := range s.problems {
		labels, states = max(labels, ui.Width(l.label)), max(states, ui.Width(l.state))
		issues, calls = max(issues, ui.Width(l.issue)), max(calls, ui.Width(l.call))
	}
	const gap, minLabel = "  ", 12
	labels = min(labels, max(minLabel, width-states-issues-calls-3*len(gap)))
	ellipsis := "…"
	if !terminal.SupportsUnicode() {
		ellipsis = "~"
	}
	var b strings.Builder
	for _, l := range s.problems {
		b.WriteString(ui.Pad(ui.Truncate(l.label, labels, ellipsis), labels) + gap)
		b.WriteString(ui.Pad(l.state, states) + gap + ui.Pad(l.issue, issues) + gap + l.call + "\n")
	}
	for _, r := range s.rows {
		if r.State == stateNotKnown && r.ID == "" {
			fmt.Fprintf(&b, "%s: not known: %s\n", client.Clean(r.Kind), client.Clean(r.Text))
		}
	}
	return b.String()
}

// readStatus returns what is broken; for people, with whom to call.
func readStatus(c *cobra.Command, f *config.Flags, forPeople bool) (status accountStatus, err error) {
	s, end, err := startSessionWithJournal(c, f, client.WithPriority())
	if err != nil {
		return status, err
	}
	defer end()
	report, err := s.readReport(c.Context(), handover.Shift{})
	if err != nil {
		return status, err
	}
	status.rows, status.failure = statusRows(report), report.Err()
	if alerts := s.account.Incidents().Alerts(); forPeople && len(alerts) > 0 {
		s.account.Contacts().Refresh()
		s.account.Wait(c.Context(), nil) // what cannot be read stays unknown
		for _, alert := range alerts {
			status.problems = append(status.problems, newProblemLine(s.account, alert))
		}
	}
	return status, nil
}

// statusRows returns what is broken, and which lists could not be read.
func statusRows(r handover.Report) (rows []*statusRow) {
	for _, p := range r.Down {
		row := &statusRow{stateProblem, "service", strconv.Itoa(p.ID), p.Label.Raw(), "down"}
		if p.Group.Raw() != "" {
			row.Text = "down; call the group " + wording.Quoted(p.Group.Raw())
		}
		rows = append(rows, row)
	}
	for _, i := range r.Issues {
		if !i.Unresolved() {
			continue
		}
		text := "it names no ticket"
		if id := i.Issue.Ticket.ID; id != 0 {
			text = fmt.Sprintf("ticket %d: %s", id, activity.TicketStatus(r, i))
		}
		row := &statusRow{stateProblem, "issue", strconv.Itoa(i.Issue.ID), i.Issue.Ticket.Label.Raw(), text}
		if i.Phase == incident.Uncertain {
			row.State = stateNotKnown
		}
		for n, name := range activity.ServiceNames(i, false) {
			row.Text += wording.If(n == 0, "; affects ") + wording.If(n > 0, ", ")
			row.Text += wording.Quoted(name.Raw())
		}
		if i.Well() {
			row.Text += "; ok again"
		}
		rows = append(rows, row)
	}
	for _, g := range r.Gaps {
		rows = append(rows, &statusRow{stateNotKnown, string(g.Source), "", "", activity.GapText(g)})
	}
	return rows
}
