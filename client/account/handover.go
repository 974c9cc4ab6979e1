package account

import (
	"errors"
	"slices"

	"lookout/client"
	"lookout/client/account/handover"
	"lookout/client/account/incident"
	"lookout/client/account/join"
	"lookout/client/lists"
)

// HandoverReport computes what the next shift must know, as far as services, issues and tickets have been read.
func (a *Account) HandoverReport(shift handover.Shift) handover.Report {
	s := handover.Snapshot{
		Shift:     shift,
		To:        a.Now(),
		Services:  a.Services().Rows(),
		Incidents: a.Incidents(),
		Ticket:    a.Tickets.forHandover,
		NoTickets: !a.API.HasTickets(),
		Disabled: func(v *client.Service) incident.DisabledInfo {
			d, _ := a.DisabledInfo(v)
			return d
		},
		Windows: a.unreadWindows(),
		Planned: a.Journal.PlannedWindows(),

		Elsewhere: a.memory.observations().Elsewhere,
		Call: func(group string) handover.Call {
			contacts := a.ContactsInGroup(group)
			return handover.Call{Contacts: join.Found(contacts), Unread: contacts.State().Reason()}
		},
	}
	s.Gaps = appendGap(slices.Clip(s.Gaps), handover.Services, a.Services())
	s.Gaps = appendGap(s.Gaps, handover.Issues, a.Issues())
	if err := a.memory.err; err != nil {
		s.Gaps = append(s.Gaps, handover.Gap{Source: handover.Memory, Reason: handover.Failed, Err: err})
	}
	return handover.New(s)
}

// sourceList is a store, as far as it says what is missing in it.
type sourceList interface {
	Freshness() lists.Freshness
	Complete() bool
	Missing() []string
}

// appendGap appends what is missing in a list.
func appendGap(gaps []handover.Gap, source handover.Source, list sourceList) []handover.Gap {
	f := list.Freshness()
	gap := handover.Gap{Source: source, Reason: handover.Failed, Err: f.Err}
	switch {
	case f.Err != nil && list.Complete():
		gap.Read = f.LoadedAt
	case f.Err != nil:
	case !list.Complete():
		gap.Reason = handover.NotYet
	case len(list.Missing()) > 0:
		gap.Err = errors.New(JoinWithCommas(list.Missing()))
	default:
		return gaps
	}
	return append(gaps, gap)
}
