package views

import (
	"lookout/theme"
	"slices"
	"time"
)

// cachedChart is a chart as it was drawn last, and all that it depends on: frames come more often than stats.
type cachedChart struct {
	version, width, height int // of the stats and of the room
	theme                  *theme.Theme
	focused                bool
	zone                   *time.Location
	cursor                 time.Time
	marks                  []time.Time
	text                   string
}

func (p cachedChart) sameInputs(q cachedChart) bool {
	return p.text != "" && p.version == q.version && p.width == q.width && p.height == q.height && p.theme == q.theme &&
		p.focused == q.focused &&
		p.zone == q.zone &&
		p.cursor.Equal(q.cursor) &&
		slices.EqualFunc(p.marks, q.marks, time.Time.Equal)
}
