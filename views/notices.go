package views

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// What an account can give notice of.
const (
	LeavesOK = "service leaves ok"
	NewIssue = "new issue"
)

// attention is what was known when somebody looked last, so that a change is told once.
type attention struct {
	services, issues int // versions of the sets
	states           map[int]client.ServiceStatus
	known            map[int]bool
}

// attendEvery is how old services and issues may be while other panes are in front.
const attendEvery = time.Minute

// Attend reads what notices are about, where it is a minute old.
func (a *Account) Attend() tea.Cmd {
	return tea.Batch(a.slowly(a.services(), attendEvery), a.slowly(a.issues(), attendEvery))
}

// Notices are the changes since the last call that somebody should know of. The first rows to arrive are no change.
func (a *Account) Notices() []ui.Notice {
	var all []ui.Notice
	if set := a.services(); set.Complete() && set.Version() != a.attention.services {
		a.attention.services = set.Version()
		all = append(all, a.leaving(set.Rows())...)
	}
	if set := a.issues(); set.Complete() && set.Version() != a.attention.issues {
		a.attention.issues = set.Version()
		all = append(all, a.appearing(set.Rows())...)
	}
	return all
}

// leaving gives notice of services that were ok and are so no more.
func (a *Account) leaving(rows []*client.Service) []ui.Notice {
	before, now := a.attention.states, make(map[int]client.ServiceStatus, len(rows))
	var names []string
	for _, s := range rows {
		now[s.ID] = s.Status
		if before[s.ID] == client.StatusOK && a.alarming(s) {
			names = append(names, s.Label.String()+" "+condition(s.Status))
		}
	}
	a.attention.states = now
	if len(names) == 0 {
		return nil
	}
	return []ui.Notice{{Rule: LeavesOK, Tone: theme.Bad, Text: brief(names)}}
}

// alarming reports whether a state is none that somebody chose here, nor one on the way to ok.
func (a *Account) alarming(s *client.Service) bool {
	_, ours := a.journal.DisabledService(ordinal(s.ID))
	return s.Status != client.StatusOK && s.Status != client.StatusPending && !(s.Status == client.StatusDisabled && ours)
}

// appearing gives notice of issues that were not there before.
func (a *Account) appearing(rows []*client.Issue) []ui.Notice {
	before, now := a.attention.known, make(map[int]bool, len(rows))
	var texts []string
	for _, i := range rows {
		now[i.ID] = true
		if before != nil && !before[i.ID] {
			names := make([]string, len(i.Services))
			for n, id := range i.Services {
				names[n] = a.serviceName(id)
			}
			texts = append(texts, fmt.Sprintf("new issue %d: %s", i.ID, or(joined(names), "no service named")))
		}
	}
	a.attention.known = now
	if len(texts) == 0 {
		return nil
	}
	return []ui.Notice{{Rule: NewIssue, Tone: theme.Warn, Text: brief(texts)}}
}

// brief is a list in one line: the first few, and how many more.
func brief(texts []string) string {
	const most = 4
	if len(texts) > most {
		return strings.Join(texts[:most], " · ") + fmt.Sprintf(" · and %d more", len(texts)-most)
	}
	return strings.Join(texts, " · ")
}
