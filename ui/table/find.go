package table

import (
	"lookout/ui"
	"lookout/ui/search"
)

// RowSearch says which texts of a row the palette searches beside its label, and what it opens.
type RowSearch[T any] struct {
	By         func(T) []string // telephone numbers, tickets, addresses; may be nil
	Open       func(T) ui.Pane  // nil goes to the row
	OnlyLoaded bool             // of rows that take many requests: the palette does not read them
}

// maxFindRows is the number of rows that Find looks at.
const maxFindRows = 20_000

// Find returns the rows that fit a text best. It forgives typing errors only if no row fits.
func (l *List[T]) Find(text string, limit int) []ui.PaletteRow {
	n := search.New(text)
	found := l.findBy(n.Fit, limit)
	if len(found) == 0 {
		found = l.findBy(n.Forgive, limit)
	}
	return found
}

// findBy returns the rows that fit best.
func (l *List[T]) findBy(fit func(string) search.MatchScore, limit int) (found []ui.PaletteRow) {
	box := l.cellBox()
	var byFit [search.Exact + 1][]ui.PaletteRow
	for i := 0; i < l.Store.Len() && i < maxFindRows; i++ {
		row := l.Store.At(i)
		result := ui.PaletteRow{Label: l.label(row, box)}
		best := fit(result.Label)
		if l.Search.By != nil {
			for _, text := range l.Search.By(row) {
				if f := fit(text); f > best {
					best, result.FoundBy = f, text
				}
			}
		}
		if best == search.None || len(byFit[best]) >= limit {
			continue
		}
		result.ID = l.Store.ID(row)
		if l.Search.Open != nil {
			result.Open = func() ui.Pane { return l.Search.Open(row) }
		}
		byFit[best] = append(byFit[best], result)
	}
	for i := len(byFit) - 1; i > int(search.None); i-- {
		found = append(found, byFit[i]...)
	}
	return found[:min(len(found), limit)]
}

// Version changes with the rows.
func (l *List[T]) Version() int { return l.Store.Version() }

// Loaded reports whether the rows have been read, or need not be.
func (l *List[T]) Loaded() bool { return l.Search.OnlyLoaded || l.Store.Loaded() }

// EnsureLoaded reads the rows, unless they have been asked for or only opening the pane reads them.
func (l *List[T]) EnsureLoaded() {
	if !l.Search.OnlyLoaded {
		l.Store.EnsureLoaded()
	}
}

// ActionNames returns the names of the actions on a row.
func (l *List[T]) ActionNames() []string {
	names := make([]string, len(l.RowActions))
	for i, a := range l.RowActions {
		names[i] = a.Name
	}
	return names
}

// Action returns the action with a name on a row, whatever other rows are marked. It reports false if there is no such
// action or row.
func (l *List[T]) Action(name, id string) (ui.Action, bool) {
	row, held := l.Store.Get(id)
	for _, a := range l.RowActions {
		if a.Name == name && held {
			return rowBinder[T]{list: l, alone: true}.bind(a, row, true), true
		}
	}
	return ui.Action{}, false
}
