package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/handover"
	"lookout/client/account/incident"
	"lookout/client/journal"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/views/activity"
)

// handoverRow is a handover as scripts see it.
type handoverRow struct {
	Account  string            `json:"account"`
	Host     string            `json:"host"`
	From     time.Time         `json:"from"`
	To       time.Time         `json:"to"`
	Changes  []journalRow      `json:"changes"`
	Unknown  []journalRow      `json:"unknown"` // sent without an outcome
	Disabled []disabledService `json:"disabled"`
	Planned  []plannedWindow   `json:"planned"`
	// Elsewhere are changes of services that were made elsewhere and seen from this machine.
	Elsewhere  []incident.ExternalChange `json:"elsewhere"`
	Problems   []downService             `json:"problems"` // null if the services could not be read
	Issues     []openIssue               `json:"issues"`   // null if the issues could not be read
	Unreadable []string                  `json:"unreadable,omitempty"`
}

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

// plannedWindow is a maintenance window that has not begun.
type plannedWindow struct {
	ID     int       `json:"id"` // of the service
	Label  string    `json:"label"`
	Start  time.Time `json:"start"`
	Until  time.Time `json:"until,omitzero"`
	Reason string    `json:"reason,omitempty"`
	Ours   bool      `json:"ours"` // planned by this program on this machine
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
		Long: "Lists services in trouble and whom to call, open issues, the services that are disabled now and " +
			"until when, the maintenance windows planned on this machine, changes whose outcome is unknown, the " +
			"changes made from this machine with their reasons, and the changes of services made elsewhere that " +
			"this machine has seen. If something cannot be read, the handover says so and contains the rest.\nThe " +
			"dashboard has the same in a pane, in which you can add a note.\nTimes are in UTC, to the minute " +
			"(2026-11-20 13:05 UTC). With -o json, they are RFC 3339 times in UTC.",
		RunE: func(c *cobra.Command, _ []string) error {
			if format != "markdown" && format != "json" {
				return exit.Usage(fmt.Errorf("unknown output format %q (use markdown or json)", format))
			}
			from, err := parseSince(since, time.Now())
			if err != nil {
				return err
			}
			s, end, err := startSessionWithJournal(c, f)
			if err != nil {
				return err
			}
			defer end()
			shift := handover.ReadShift(s.account.Journal, from)
			if err := s.journal.noPlace; err != nil {
				gap := handover.Gap{Source: handover.Journal, Reason: handover.Failed, Err: err}
				shift.Gaps = append(shift.Gaps, gap)
			}
			s.account.Contacts().Refresh()
			r, err := s.readReport(c.Context(), shift)
			if err != nil {
				return err
			}
			return s.writeHandover(c.OutOrStdout(), format, r)
		},
	}
	f.AddAccountFlags(c.Flags())
	f.AddDebugFlag(c.Flags())
	c.Flags().StringVar(
		&since, "since", "8h", "start of the shift: how long ago, such as 8h, or a date such as 2026-11-20",
	)
	config.CompleteValues(c.Flags(), "since", periods...)
	c.Flags().StringVarP(&format, "output", "o", "markdown", "output format: markdown, json")
	config.CompleteValues(c.Flags(), "output", "markdown", "json")
	return c
}

// readReport reads what is going on in the account.
func (s *scriptSession) readReport(ctx context.Context, shift handover.Shift) (handover.Report, error) {
	a := s.account
	account.RefreshAll(a.Services(), a.Issues())
	a.Wait(ctx, nil)
	a.Observe()
	var issues []*client.Issue
	for _, i := range a.IncidentsByUrgency() {
		issues = append(issues, i.Issue)
	}
	a.FetchTickets(issues)
	a.Wait(ctx, nil)
	return a.HandoverReport(shift), context.Cause(ctx)
}

// writeHandover writes a handover. It returns an error if it is incomplete.
func (s *scriptSession) writeHandover(out io.Writer, format string, r handover.Report) error {
	text := func() error {
		h := activity.HandoverText{Report: r, Account: s.settings.Account, Host: s.settings.Host()}
		return output.WriteText(out, h.Markdown())
	}
	if format == "json" {
		text = func() error { return output.WriteJSON(out, s.handoverRow(r), "  ") }
	}
	if err := text(); err != nil || r.Err() == nil {
		return err
	}
	return fmt.Errorf("the handover is incomplete; %w", r.Err())
}

// handoverRow returns a handover for scripts.
func (s *scriptSession) handoverRow(r handover.Report) handoverRow {
	h := handoverRow{
		Account:    s.settings.Account,
		Host:       s.settings.Host(),
		From:       r.From.UTC(),
		To:         r.To.UTC(),
		Changes:    journalRows(r.Changes),
		Unknown:    journalRows(r.Unknown),
		Disabled:   []disabledService{},
		Planned:    []plannedWindow{},
		Elsewhere:  []incident.ExternalChange{},
		Unreadable: activity.NotReadTexts(r),
	}
	for _, d := range r.Silenced {
		h.Disabled = append(h.Disabled, newDisabledService(d))
	}
	for _, w := range r.Planned {
		h.Planned = append(h.Planned, plannedWindow{
			ID:     w.ID,
			Label:  w.Label.Raw(),
			Start:  w.Start.UTC(),
			Until:  w.Until.UTC(),
			Reason: w.Reason.Raw(),
			Ours:   true,
		})
	}
	for _, c := range r.Elsewhere {
		c.From, c.To = c.From.UTC(), c.To.UTC()
		h.Elsewhere = append(h.Elsewhere, c)
	}
	if !r.Lacks(handover.Services) {
		h.Problems = []downService{}
	}
	for _, v := range r.Down {
		h.Problems = append(h.Problems, downService{v.ID, v.Label.Raw(), v.Address.Raw(), v.Group.Raw()})
	}
	if !r.Lacks(handover.Issues) {
		h.Issues = []openIssue{}
	}
	for _, i := range r.Issues {
		h.Issues = append(h.Issues, newOpenIssue(i))
	}
	return h
}

// journalRows returns changes as scripts see them.
func journalRows(entries []journal.Entry) []journalRow {
	rows := make([]journalRow, len(entries))
	for n, e := range entries {
		rows[n] = newJournalRow(e)
	}
	return rows
}

func newDisabledService(d handover.Silenced) disabledService {
	return disabledService{
		ID:       d.ID,
		Label:    d.Label.Raw(),
		Since:    d.Since.UTC(),
		AtLatest: d.Bound && !d.Since.IsZero(),
		Until:    d.Until.UTC(),
		Reason:   d.Reason,
		Ours:     d.Ours,
		Perhaps:  d.Perhaps,
	}
}

func newOpenIssue(i handover.Issue) openIssue {
	row := openIssue{
		ID:        i.Issue.ID,
		Created:   i.Issue.Created.Time(),
		Services:  []string{},
		Ticket:    i.Issue.Ticket.ID,
		Label:     i.Issue.Ticket.Label.Raw(),
		Status:    cmp.Or(i.Ticket.Status.Raw(), string(incident.TicketUnknown)),
		Recovered: i.Well(),
	}
	for _, name := range activity.ServiceNames(i, false) {
		row.Services = append(row.Services, name.Raw())
	}
	for _, name := range activity.ServiceNames(i, true) {
		row.Silenced = append(row.Silenced, name.Raw())
	}
	return row
}
