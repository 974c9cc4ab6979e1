package table

import (
	"lookout/ui"
)

// DetailSidebar is what belongs to a row and is shown beside its detail on a wide screen: charts, history, changes.
type DetailSidebar[T any] struct {
	View   func(T, ui.Box) string // fills the box
	Stores JoinedStores           // that it needs beyond those of the list; read once it is shown
	Load   func()                 // reads what else it needs from this machine; may be nil

	visible bool // in the last frame
}

// WithDetailSidebar shows what belongs to the row under the cursor in a third column, if the screen is wide enough.
func (l *List[T]) WithDetailSidebar(r DetailSidebar[T]) *List[T] {
	l.sidebar = r
	return l
}

// load reads what is shown and was not read. Before the first frame, nobody knows what will be shown: what is on this
// machine is read, and nothing is requested.
func (r *DetailSidebar[T]) load(isDrawn bool) {
	if r.visible {
		r.Stores.EnsureLoaded()
	}
	if r.Load != nil && (r.visible || !isDrawn) {
		r.Load()
	}
}
