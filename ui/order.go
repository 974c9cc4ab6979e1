package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// An order is which rows of a set are shown and in which sequence: an index made anew when rows, filter or sort change.
// Big sets are ordered off the loop, the older order in sight meanwhile.
type order[T any] struct {
	column  int // sorted by; -1 leaves the set's own sequence
	set     bool
	reverse bool
	rows    []int32 // nil is every row in the set's own sequence
	places  map[string]int
	key     orderKey
	gen     int
	asked   orderKey
}

type orderKey struct {
	version int
	filter  string
	column  int
	reverse bool
	made    bool
}

// big is how many rows are ordered on the loop at most: more would be felt between a key and its frame.
const big = 20_000

func (o *order[T]) count(set *Set[T]) int {
	if o.rows == nil {
		return set.Len()
	}
	return len(o.rows)
}

// index is the place in the set of the row at a place in the order.
func (o *order[T]) index(place int) int {
	if o.rows == nil {
		return place
	}
	return int(o.rows[place])
}

// place is where a row stands in the order; -1 where it is not shown.
func (o *order[T]) place(set *Set[T], id string) int {
	i, held := set.Index(id)
	if !held {
		return -1
	}
	if o.rows == nil {
		return i
	}
	if place, ok := o.places[id]; ok {
		return place
	}
	return -1
}

// start sets the column that a list is sorted by at first.
func (o *order[T]) start(l *List[T]) {
	if o.set {
		return
	}
	o.set, o.column = true, -1
	for i, c := range l.Columns {
		if l.Sort != "" && c.Title == l.Sort {
			o.column = i
		}
	}
}

func (o *order[T]) now(l *List[T]) orderKey {
	return orderKey{l.Set.Version(), l.filter.text, o.column, o.reverse, true}
}

// build makes the order anew where something changed. A big set's is left to want.
func (o *order[T]) build(l *List[T]) {
	o.start(l)
	key := o.now(l)
	if key == o.key {
		return
	}
	if o.column < 0 && key.filter == "" && !o.reverse {
		o.rows, o.places, o.key = nil, nil, key
		return
	}
	if l.Set.Len() > big && o.key.made {
		return
	}
	rows := l.Set.Rows()
	o.take(l.Set, makeOrder(l, rows, key), key)
}

// take puts a finished order to use. Rows that came after it was made are not in it yet; rows that went make it useless.
func (o *order[T]) take(set *Set[T], index []int32, key orderKey) {
	o.rows, o.key = index, key
	o.places = make(map[string]int, len(index))
	for place, i := range index {
		o.places[set.ID(set.At(int(i)))] = place
	}
}

// want asks for the order of a big set off the loop.
func (o *order[T]) want(l *List[T]) tea.Cmd {
	o.start(l)
	key := o.now(l)
	if l.Set.Len() <= big || key == o.key || key == o.asked {
		return nil
	}
	o.asked = key
	o.gen++
	gen, rows, copied := o.gen, l.Set.Rows(), *l
	return func() tea.Msg {
		return ordered[T]{list: l, gen: gen, key: key, index: makeOrder(&copied, rows, key)}
	}
}

// ordered is an order made off the loop.
type ordered[T any] struct {
	list  *List[T]
	gen   int
	key   orderKey
	index []int32
}

// Deliver puts the order to use unless rows, filter or sort have changed since.
func (m ordered[T]) Deliver() tea.Cmd {
	o := &m.list.order
	if m.gen != o.gen || m.key.version != m.list.Set.Version() {
		o.asked = orderKey{}
		return nil
	}
	o.take(m.list.Set, m.index, m.key)
	m.list.settle()
	return nil
}

// makeOrder filters and sorts rows.
func makeOrder[T any](l *List[T], rows []T, key orderKey) []int32 {
	box := l.light()
	match := compile(l, key.filter)
	index := make([]int32, 0, len(rows))
	for i, row := range rows {
		if match(row) {
			index = append(index, int32(i))
		}
	}
	if key.column < 0 {
		if key.reverse {
			slices.Reverse(index)
		}
		return index
	}
	compare := comparison(l.Columns[key.column], rows, box)
	slices.SortStableFunc(index, func(a, b int32) int {
		if key.reverse {
			a, b = b, a
		}
		return compare(a, b)
	})
	return index
}

// comparison compares rows by a column: by its own rule, or by its text.
func comparison[T any](c Column[T], rows []T, box Box) func(a, b int32) int {
	if c.Less != nil {
		return func(a, b int32) int {
			switch {
			case c.Less(rows[a], rows[b]):
				return -1
			case c.Less(rows[b], rows[a]):
				return 1
			}
			return 0
		}
	}
	texts := make([]string, len(rows))
	for i, row := range rows {
		text, _ := c.Cell(row, box)
		texts[i] = strings.ToLower(text)
	}
	return func(a, b int32) int { return strings.Compare(texts[a], texts[b]) }
}
