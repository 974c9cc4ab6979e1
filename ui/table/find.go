package table

import (
	tea "charm.land/bubbletea/v2"

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

// RowFinder returns the rows as the palette finds them.
func (l *List[T]) RowFinder() ui.PaletteRowFinder { return (*rowFinder[T])(l) }

// rowFinder is a list as the palette sees it.
type rowFinder[T any] List[T]

func (f *rowFinder[T]) list() *List[T] { return (*List[T])(f) }

// Find returns the rows that fit a text best. It forgives typing errors only if no row fits.
func (f *rowFinder[T]) Find(text string, limit int) []ui.PaletteRow {
	n := search.New(text)
	found := f.findBy(n.Fit, limit)
	if len(found) == 0 {
		found = f.findBy(n.Forgive, limit)
	}
	return found
}

// findBy returns the rows that fit best.
func (f *rowFinder[T]) findBy(fit func(string) search.MatchScore, limit int) (found []ui.PaletteRow) {
	l := f.list()
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
func (f *rowFinder[T]) Version() int { return f.Store.Version() }

// Loaded reports whether the rows have been read, or need not be.
func (f *rowFinder[T]) Loaded() bool { return f.Search.OnlyLoaded || f.Store.Loaded() }

// EnsureLoaded reads the rows, unless they have been asked for or only opening the pane reads them.
func (f *rowFinder[T]) EnsureLoaded() tea.Cmd {
	if f.Search.OnlyLoaded {
		return nil
	}
	return f.Store.EnsureLoaded()
}

// ActionNames returns the names of the actions on a row.
func (f *rowFinder[T]) ActionNames() []string {
	names := make([]string, len(f.RowActions))
	for i, a := range f.RowActions {
		names[i] = a.Name
	}
	return names
}

// Action returns the action with a name on a row, whatever other rows are marked. It reports false if there is no such
// action or row.
func (f *rowFinder[T]) Action(name, id string) (ui.Action, bool) {
	row, held := f.Store.Get(id)
	for _, a := range f.RowActions {
		if a.Name == name && held {
			return rowBinder[T]{list: f.list(), alone: true}.bind(a, row, true), true
		}
	}
	return ui.Action{}, false
}
