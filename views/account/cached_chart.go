package account

import (
	"slices"
	"time"

	"lookout/theme"
)

// CachedChart is a chart as last drawn, with everything that it depends on. Frames come more often than stats.
type CachedChart struct {
	Version, Width, Height int // of the stats, and of the box
	Theme                  *theme.Theme
	Focused                bool
	Zone                   *time.Location
	Cursor                 time.Time
	Marks                  []time.Time
	Text                   string
}

// SameInputs reports whether the chart can be shown again where q would be drawn.
func (p CachedChart) SameInputs(q CachedChart) bool {
	return p.Text != "" && p.Version == q.Version && p.Width == q.Width && p.Height == q.Height && p.Theme == q.Theme &&
		p.Focused == q.Focused &&
		p.Zone == q.Zone &&
		p.Cursor.Equal(q.Cursor) &&
		slices.EqualFunc(p.Marks, q.Marks, time.Time.Equal)
}
