package account

import (
	"lookout/theme"
	"slices"
	"time"
)

// cachedChart is a chart as it was drawn last, and all that it depends on: frames come more often than stats.
type CachedChart struct {
	Version, Width, Height int // of the stats and of the room
	Theme                  *theme.Theme
	Focused                bool
	Zone                   *time.Location
	Cursor                 time.Time
	Marks                  []time.Time
	Text                   string
}

func (p CachedChart) SameInputs(q CachedChart) bool {
	return p.Text != "" && p.Version == q.Version && p.Width == q.Width && p.Height == q.Height && p.Theme == q.Theme &&
		p.Focused == q.Focused &&
		p.Zone == q.Zone &&
		p.Cursor.Equal(q.Cursor) &&
		slices.EqualFunc(p.Marks, q.Marks, time.Time.Equal)
}
