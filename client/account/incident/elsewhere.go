package incident

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// An ExternalChange is a change of a service that was made elsewhere. Nobody knows more of its time than that it was
// made between two reads.
type ExternalChange struct {
	Kind   ServiceChangeKind `json:"kind"`
	ID     int               `json:"id"` // of the service
	Label  string            `json:"label"`
	Fields []string          `json:"fields,omitempty"` // that were edited
	From   time.Time         `json:"from"`             // when the service was last seen without the change
	To     time.Time         `json:"to"`               // when it was seen with the change
}

// maxElsewhere is the number of changes elsewhere that are remembered.
const maxElsewhere = 200

// rememberElsewhere remembers differences that somebody caused: not those that monitoring reports.
func (m *Observations) rememberElsewhere(found []ServiceChange) {
	for _, d := range found {
		if d.Kind.operation() != "" {
			m.changes++
			m.addElsewhere(ExternalChange{
				Kind:   d.Kind,
				ID:     d.ID,
				Label:  d.Label,
				Fields: d.Fields,
				From:   d.from,
				To:     d.to,
			})
		}
	}
}

// addElsewhere adds a change in the order of the times, unless it is there already. The oldest are forgotten.
func (m *Observations) addElsewhere(c ExternalChange) {
	same := func(o ExternalChange) bool { return o.ID == c.ID && o.Kind == c.Kind && o.To.Equal(c.To) }
	if slices.ContainsFunc(m.Elsewhere, same) {
		return
	}
	m.Elsewhere = append(slices.Clip(m.Elsewhere), c)
	sort.SliceStable(m.Elsewhere, func(i, j int) bool {
		a, b := &m.Elsewhere[i], &m.Elsewhere[j]
		return cmp.Or(a.To.Compare(b.To), cmp.Compare(a.ID, b.ID)) < 0
	})
	m.Elsewhere = m.Elsewhere[max(0, len(m.Elsewhere)-maxElsewhere):]
}
