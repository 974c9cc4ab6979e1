package ui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
)

// behindFor is how long a list may be behind a change that the API has confirmed. After that the list is believed.
const behindFor = time.Minute

// changes is what a store knows of changes that its rows may not show.
type changes[T any] struct {
	lookups   []*OutcomeLookup           // changes whose answer was lost
	confirmed map[string]confirmation[T] // by row ID: changes of the last minute
	own       map[string]bool            // by row ID: rows that this program has made
}

// A confirmation is a change that the API has confirmed, as long as lists may be behind it.
type confirmation[T any] struct {
	at     time.Time
	row    T
	kind   resultKind
	made   bool           // the change made the row
	text   string         // "disabled"
	agrees func(T) bool   // whether a row of a list shows the change
	shows  func(T) string // the value that the change is about
	behind string         // what the last list said instead; "" if it agreed
}

// supersede ends the lookups of earlier changes of a row.
func (c *changes[T]) supersede(id string) {
	for _, l := range c.lookups {
		if l.RowID == id && id != "" && (l.Unsettled() || l.NotSeen) {
			l.supersede()
		}
	}
}

// confirm notes a change that the API, or a reading, has confirmed.
func (c *changes[T]) confirm(id string, o *rowChangeResult[T]) {
	if delete(c.confirmed, id); o.result.kind == reloadNeeded {
		return
	}
	if c.confirmed == nil {
		c.confirmed, c.own = map[string]confirmation[T]{}, map[string]bool{}
	}
	if o.attempt.RowID == "" {
		c.own[id] = true
	}
	find := o.attempt.Find
	c.confirmed[id] = confirmation[T]{
		at:    o.store.Now(),
		row:   o.result.Row,
		kind:  o.result.kind,
		made:  o.attempt.RowID == "",
		text:  o.attempt.DoneText,
		shows: o.attempt.Shows,
		agrees: func(row T) bool {
			return find == nil || find([]T{row}).Verdict == SeenAsWanted
		},
	}
}

// keep corrects rows that a list has brought: a list that is behind a confirmed change does not undo it.
func (c *changes[T]) keep(s *RowStore[T], list RowStorage[T], complete bool) {
	for id, k := range c.confirmed {
		if s.Now().Sub(k.at) >= behindFor {
			delete(c.confirmed, id)
			continue
		}
		i, listed := list.Index(id)
		k.behind = ""
		switch {
		case k.kind == rowDeleted && listed:
			k.behind = "the list still shows it"
		case k.kind == rowReturned && listed:
			list.Put(id, c.newer(s, id, list.At(i)))
			k = c.confirmed[id]
		case k.kind == rowReturned && k.made && complete:
			list.Append([]T{k.row})
			k.behind = "the list does not show it yet"
		}
		c.confirmed[id] = k
	}
}

// newer returns a row that was read, or the row as the API confirmed it if what was read is behind.
func (c *changes[T]) newer(s *RowStore[T], id string, read T) T {
	k, held := c.confirmed[id]
	if !held || k.kind != rowReturned || s.Now().Sub(k.at) >= behindFor {
		return read
	}
	k.behind = ""
	later := s.source.Updated != nil && s.source.Updated(read).After(s.source.Updated(k.row))
	if later || k.made || k.agrees(read) {
		c.confirmed[id] = k
		return read
	}
	k.behind = "the list still has the old values"
	if k.shows != nil {
		k.behind = "the list still says " + k.shows(read)
	}
	c.confirmed[id] = k
	return k.row
}

// justMade reports whether a row was made a moment ago, so that a list without it may be behind.
func (c *changes[T]) justMade(id string, now time.Time) bool {
	k, held := c.confirmed[id]
	return held && k.made && now.Sub(k.at) < behindFor
}

// withoutOwn returns rows without those that are known to come from other changes of this program.
func (c *changes[T]) withoutOwn(s *RowStore[T], o *rowChangeResult[T], rows []T) []T {
	if o.attempt.RowID != "" || len(c.own) == 0 {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row T) bool { return c.own[s.source.ID(row)] })
}

// note returns what must be known of a row.
func (c *changes[T]) note(id string, now time.Time) string {
	for _, l := range c.lookups {
		if l.RowID == id && id != "" && l.Unsettled() {
			return l.note(now)
		}
	}
	if k := c.confirmed[id]; k.behind != "" && now.Sub(k.at) < behindFor {
		return fmt.Sprintf("%s %s ago; %s", k.text, FormatAge(now.Sub(k.at)), k.behind)
	}
	return ""
}

// DeletedNote says that a row was deleted although a list still shows it: "deleted 12 s ago; the list still shows it".
// It is "" for any other row.
func DeletedNote[T any](s *RowStore[T], id string) string {
	if s.changes.confirmed[id].kind != rowDeleted {
		return ""
	}
	return s.changes.note(id, s.Now())
}

// confirmGone notes that the API no longer has a row.
func (c *changes[T]) confirmGone(id string, now time.Time) {
	if c.confirmed == nil {
		c.confirmed = map[string]confirmation[T]{}
	}
	c.confirmed[id] = confirmation[T]{at: now, kind: rowDeleted, text: "not found"}
}

// sight decides the changes whose answer was lost if the rows of the store show what they wanted.
func (c *changes[T]) sight() tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range slices.Clone(c.lookups) {
		cmds = append(cmds, l.sight())
	}
	return tea.Batch(cmds...)
}
