// Package handover computes what the next shift must know of an account: what is down, which incidents are not over,
// which services are silenced now and which will be, what was changed, and what could not be read. It holds values and
// reasons, and no sentences: the dashboard's pane and the command write those.
package handover

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"lookout/client"
	"lookout/client/account/incident"
	"lookout/client/journal"
	"lookout/client/window"
)

// A Shift is what was changed from this machine during a shift.
type Shift struct {
	From    time.Time
	Changes []journal.Entry // oldest first
	Gaps    []Gap           // what could not be read of them
}

// ReadShift reads the changes since a time, with what other programs have added to the journal.
func ReadShift(j *journal.Journal, from time.Time) Shift {
	_, err := j.CatchUp()
	s := Shift{From: from, Changes: j.Entries(from)}
	if err := cmp.Or(err, j.Problem()); err != nil {
		s.Gaps = append(s.Gaps, Gap{Source: Journal, Reason: Failed, Err: err})
	}
	if n := j.UnreadableLines(); n > 0 {
		s.Gaps = append(s.Gaps, Gap{Source: Journal, Reason: BadLines, Count: n})
	}
	return s
}

// A Snapshot is what was read of an account.
type Snapshot struct {
	Shift
	To        time.Time // of the shift
	Services  []*client.Service
	Incidents *incident.Incidents
	Ticket    func(id int) Ticket // nil knows none
	// NoTickets is set if the API has none: without them, an incident is over once nothing is down.
	NoTickets bool
	// Disabled says since when and until when a service is disabled.
	Disabled func(*client.Service) incident.DisabledInfo
	// Windows are the active windows, by service, of services that are not read, or were read before the window began.
	Windows map[string]window.Window
	Planned map[string]window.Window // by identity
	// Elsewhere are the changes of services that were made elsewhere and seen here, oldest first.
	Elsewhere []incident.ExternalChange
	Call      func(group string) Call // nil knows nobody
}

// A Report is what the next shift must know.
type Report struct {
	From, To time.Time
	Down     []*client.Service // with a problem
	Issues   []Issue           // not known to be over, newest first
	Silenced []Silenced        // disabled now, the longest first
	Planned  []Planned         // to be disabled later, the next first
	Unknown  []journal.Entry   // the changes whose outcome is not known
	Changes  []journal.Entry   // oldest first
	// Elsewhere are the changes of services that were made elsewhere during the shift and seen here, oldest first.
	Elsewhere []incident.ExternalChange
	Call      map[string]Call // by the groups of the services in Down
	Gaps      []Gap
	NoTicket  bool // the API has no tickets
}

// A Call is whom of a group to call.
type Call struct {
	Contacts []*client.Contact
	Unread   string // why there may be more: "contacts: 503"; "" if all are known
}

// An Issue is an incident that is not known to be over.
type Issue struct {
	incident.Incident
	Ticket Ticket
}

// A Ticket is what is known of the ticket of an issue.
type Ticket struct {
	Status client.ServerText // as the last answer said; empty if nothing is known
	Unread bool              // nothing was answered yet
	Err    error             // why it could not be read since
}

// Silenced is a service of which no alert comes, because it is disabled.
type Silenced struct {
	ID    int
	Label client.ServerText
	incident.DisabledInfo
}

// Planned is a maintenance window that has not begun. This machine has planned it.
type Planned struct {
	ID     int // of the service
	Label  client.ServerText
	Start  time.Time
	Until  time.Time // zero if the service is to stay disabled
	Reason client.ServerText
	Due    bool // it should have begun
}

// A Source is something that a handover is made from.
type Source string

// The sources.
const (
	Services Source = "services"
	Issues   Source = "issues"
	Tickets  Source = "tickets"
	Journal  Source = "journal"
	Memory   Source = "state" // what earlier runs have seen
)

// A Gap is something that is missing in a handover.
type Gap struct {
	Source Source
	Reason Reason
	Err    error     // why reading failed
	Read   time.Time // when it was read last: that is what is shown; zero if it never was
	Count  int       // of lines or issues
}

// A Reason says why something is missing.
type Reason string

// The reasons.
const (
	Failed   Reason = "failed"           // reading failed
	NotYet   Reason = "not read yet"     // it is being read
	BadLines Reason = "unreadable lines" // Count lines make no sense
	Omitted  Reason = "omitted"          // Count older issues are left out, because nothing is known of their tickets
)

// New computes a handover.
func New(s Snapshot) Report {
	r := Report{
		From:     s.From,
		To:       s.To,
		Changes:  s.Changes,
		Call:     map[string]Call{},
		Gaps:     slices.Clone(s.Gaps),
		NoTicket: s.NoTickets,
	}
	for _, v := range s.Services {
		switch v.Status {
		case client.StatusProblem:
			r.Down = append(r.Down, v)
			if group := v.Group.Raw(); s.Call != nil && group != "" {
				r.Call[group] = s.Call(group)
			}
		case client.StatusDisabled:
			r.Silenced = append(r.Silenced, Silenced{v.ID, v.Label, s.Disabled(v)})
		}
	}
	r.addUnreadWindows(s)
	slices.SortStableFunc(r.Silenced, func(a, b Silenced) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	r.addPlanned(s)
	r.addIssues(s)
	for _, e := range s.Changes {
		if e.Outcome == client.Unknown || e.Outcome == client.Pending {
			r.Unknown = append(r.Unknown, e)
		}
	}
	for _, c := range s.Elsewhere {
		if c.To.After(s.From) {
			r.Elsewhere = append(r.Elsewhere, c)
		}
	}
	return r
}

// Lacks reports whether a source could not be read completely.
func (r Report) Lacks(source Source) bool {
	return slices.ContainsFunc(r.Gaps, func(g Gap) bool { return g.Source == source })
}

// Err returns the first error of what could not be read; nil if nothing failed.
func (r Report) Err() error {
	for _, g := range r.Gaps {
		if g.Err != nil {
			return g.Err
		}
	}
	return nil
}

// addUnreadWindows adds the services that this machine disabled and that were not read since.
func (r *Report) addUnreadWindows(s Snapshot) {
	for id, w := range s.Windows {
		n, _ := strconv.Atoi(id)
		if !slices.ContainsFunc(r.Silenced, func(v Silenced) bool { return v.ID == n }) {
			r.Silenced = append(r.Silenced, Silenced{n, client.NewText(w.Label), incident.DisabledInfo{
				Since:  w.Since,
				Until:  w.End,
				Reason: w.Reason,
				Ours:   true,
			}})
		}
	}
}

// addPlanned adds the windows that have not begun and are not over.
func (r *Report) addPlanned(s Snapshot) {
	for _, w := range s.Planned {
		if !w.End.IsZero() && !w.End.After(s.To) {
			continue
		}
		id, _ := strconv.Atoi(w.Service)
		r.Planned = append(r.Planned, Planned{
			ID:     id,
			Label:  client.NewText(w.Label),
			Start:  w.Start,
			Until:  w.End,
			Reason: client.NewText(w.Reason),
			Due:    !w.Start.After(s.To),
		})
	}
	slices.SortFunc(r.Planned, func(a, b Planned) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.ID, b.ID), a.Until.Compare(b.Until))
	})
}

// addIssues adds the incidents that are not known to be over. Those from before the shift whose services are well again
// are left out if nothing is known of their tickets, and counted if the API has tickets.
func (r *Report) addIssues(s Snapshot) {
	omitted := 0
	for _, i := range s.Incidents.All() {
		switch {
		case i.Phase == incident.Over:
		case !i.Unresolved() && i.Issue.Created.Time().Before(r.From):
			omitted++
		default:
			issue := Issue{Incident: i}
			if s.Ticket != nil {
				issue.Ticket = s.Ticket(i.Issue.Ticket.ID)
			}
			r.Issues = append(r.Issues, issue)
		}
	}
	if omitted > 0 && !s.NoTickets {
		r.Gaps = append(r.Gaps, Gap{Source: Tickets, Reason: Omitted, Count: omitted})
	}
}
