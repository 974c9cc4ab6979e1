package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"lookout/client"
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
	Account    string            `json:"account"`
	Host       string            `json:"host"`
	From       time.Time         `json:"from"`
	To         time.Time         `json:"to"`
	Changes    []journalRow      `json:"changes"`
	Unknown    []journalRow      `json:"unknown"` // sent without an outcome
	Disabled   []disabledService `json:"disabled"`
	Planned    []plannedWindow   `json:"planned"`
	Problems   []downService     `json:"problems"` // null if the services could not be read
	Issues     []openIssue       `json:"issues"`   // null if the issues could not be read
	Unreadable []string          `json:"unreadable,omitempty"`
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
		Long: `Lists services in trouble, open issues, the services that are disabled now and until when,
the maintenance windows planned on this machine, changes whose outcome is unknown, and the changes
made from this machine with their reasons. If something cannot be read, the handover says so and
contains the rest. The dashboard has the same in a pane, in which you can add a note.
Times are in UTC, to the minute (2026-11-20 13:05 UTC). With -o json, they are RFC 3339 times in UTC.`,
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
			j, err := s.journal.getIfExists()
			if err != nil {
				return err
			}
			snapshot := s.readSnapshot(c.Context(), j)
			snapshot.From = from.UTC()
			s.addChanges(&snapshot, j)
			return s.writeHandover(c.OutOrStdout(), format, handover.New(snapshot))
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

// addChanges adds the changes of the shift to a snapshot.
func (s *scriptSession) addChanges(snapshot *handover.Snapshot, j *journal.Journal) {
	snapshot.Changes = j.Entries(snapshot.From)
	snapshot.Gaps = append(handover.JournalGaps(j, s.journal.noPlace), snapshot.Gaps...)
}

// readSnapshot reads what is going on in the account: which services are down or disabled, and which incidents are not
// over.
func (s *scriptSession) readSnapshot(ctx context.Context, j *journal.Journal) handover.Snapshot {
	snapshot := handover.Snapshot{
		To:        s.now().UTC(),
		NoTickets: !s.api.HasTickets(),
		Windows:   j.ActiveWindows(),
		Planned:   j.PlannedWindows(),
	}
	failed := func(source handover.Source, err error) {
		if err != nil {
			snapshot.Gaps = append(snapshot.Gaps, handover.Gap{Source: source, Reason: handover.Failed, Err: err})
		}
	}
	services, err := readAll(s.api.Services.All(ctx))
	all := err == nil
	failed(handover.Services, err)
	issues, err := readAll(s.api.Issues.All(ctx))
	failed(handover.Issues, err)
	seen, err := s.readMemory()
	failed(handover.Memory, err)
	seen.Observe(incident.ServiceSnapshot{
		Services: services,
		Complete: all,
		Read:     s.now().UTC(),
		Now:      s.now().UTC(),
	})
	account := incident.AccountSnapshot{
		Services:    services,
		AllServices: all,
		Issues:      issues,
		Healthy:     seen.HealthySince,
		WasOpen:     seen.TicketWasOpen,
		Now:         s.now(),
	}
	statuses := s.readTickets(ctx, incident.New(account))
	if s.api.HasTickets() {
		account.Ticket = func(id int) incident.TicketState {
			switch statuses[id] {
			case "":
				return incident.TicketUnknown
			case closedTicket:
				return incident.TicketClosed
			}
			return incident.TicketOpen
		}
	}
	snapshot.Services, snapshot.Incidents = services, incident.New(account)
	snapshot.Ticket = func(id int) string { return statuses[id] }
	snapshot.Disabled = func(v *client.Service) incident.DisabledInfo {
		w, held := snapshot.Windows[strconv.Itoa(v.ID)]
		if !held {
			d := seen.DisabledInfo(v.ID, v.Updated.Time(), nil)
			d.Perhaps = incident.MayHaveDisabled(v.ID, j.UnresolvedEntries(time.Time{}))
			return d
		}
		return seen.DisabledInfo(v.ID, v.Updated.Time(), &w)
	}
	return snapshot
}

// readAll returns the rows that could be read, and why the others could not.
func readAll[T any](rows iter.Seq2[T, error]) (all []T, err error) {
	for row, err := range rows {
		if err != nil {
			return all, err
		}
		all = append(all, row)
	}
	return all, nil
}

// readMemory returns what the dashboard has seen of the account.
func (s *scriptSession) readMemory() (*incident.Observations, error) {
	data, err := journal.StateFileAt(s.journal.path).Read()
	if err != nil {
		return incident.NewMemory(), err
	}
	return incident.Load(data)
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
		From:       r.From,
		To:         r.To,
		Changes:    journalRows(r.Changes),
		Unknown:    journalRows(r.Unknown),
		Disabled:   []disabledService{},
		Planned:    []plannedWindow{},
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
		Status:    cmp.Or(i.TicketStatus, string(incident.TicketUnknown)),
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
