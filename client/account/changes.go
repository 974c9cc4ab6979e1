package account

import (
	"sort"
	"time"

	"lookout/client/account/incident"
	"lookout/client/account/join"
	"lookout/client/journal"
)

// A RecentChange is a change of the account: one of this machine's journal, or one that was made elsewhere and seen
// here.
type RecentChange struct {
	At        time.Time
	Entry     *journal.Entry // nil if the change was made elsewhere
	Elsewhere incident.ExternalChange
}

// Service returns the ID of the service that was changed; "" if it is something else.
func (c RecentChange) Service() string {
	switch {
	case c.Entry == nil:
		return FormatID(c.Elsewhere.ID)
	case c.Entry.Change.Resource == "service":
		return c.Entry.Change.ID
	}
	return ""
}

// RecentChanges returns the changes read so far, newest first: those of the journal, and those made elsewhere.
func (a *Account) RecentChanges() join.Joined[RecentChange] {
	set := a.JournalStore()
	changes := Memo(a, "recent changes", func() []RecentChange {
		var all []RecentChange
		for _, e := range set.Rows() {
			all = append(all, RecentChange{At: e.Time, Entry: e})
		}
		if f := set.Freshness(); f.Loaded || f.Err != nil { // the memory has been read then; see JournalStore
			for _, c := range a.memory.observations().Elsewhere {
				all = append(all, RecentChange{At: c.To, Elsewhere: c})
			}
		}
		sort.SliceStable(all, func(i, j int) bool { return all[i].At.After(all[j].At) })
		return all
	}, set, &a.memory)
	return join.Join(changes, join.StateOf(set))
}

// LoadChanges reads the changes in the journal, and again once the journal has grown.
func (a *Account) LoadChanges() {
	set, now := a.JournalStore(), a.Journal.Version()
	f := set.Freshness()
	if unread := !f.Loaded && !f.Loading && f.Err == nil; unread || f.Loaded && now != a.ChangesRead {
		set.Refresh()
		a.ChangesRead = now
	}
}
