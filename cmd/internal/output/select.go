package output

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/exit"
	"lookout/ui/filter"
	"lookout/views/resource"
)

// A RowQuery says which rows of a list are printed, and in which order.
type RowQuery struct {
	Filter string
	Sort   string // name of a column, after "-" in descending order; "" keeps the API's order
	Limit  int    // 0 is all
}

// AddFlags adds the flags that all lists have.
func (s *RowQuery) AddFlags(set *pflag.FlagSet) {
	set.StringVar(&s.Filter, "filter", "", "print only matching rows; syntax as in the dashboard: "+filter.Summary)
	set.StringVar(&s.Sort, "sort", "", "sort by this column once all rows are read; -NAME is descending")
	set.IntVar(&s.Limit, "limit", 0, "print at most this many rows, after sorting (default: all)")
}

// Check returns an error if the flags do not fit the columns of a list.
func (s RowQuery) Check(columns []resource.ColumnDefinition[any]) error {
	if name := strings.TrimPrefix(s.Sort, "-"); s.Sort != "" && columnIndex(columns, name) < 0 {
		return unknownColumn("--sort", name, columns)
	}
	if s.Limit < 0 {
		return exit.Usage(fmt.Errorf("--limit %d: use 0 (all) or more", s.Limit))
	}
	return filterError(s.matcher(columns, nil, time.Now()))
}

// filterError returns an error that says what is wrong with a filter, or nil.
func filterError(m *filter.Matcher) error {
	problem := m.Problem()
	if problem == "" {
		return nil
	}
	return exit.Usage(errors.New("--filter: " + client.Clean(strings.ReplaceAll(problem, " · ", "; "))))
}

// matcher returns the matcher of the filter. It tests the row that a pointer points to.
func (s RowQuery) matcher(columns []resource.ColumnDefinition[any], row *any, now time.Time) *filter.Matcher {
	values := make([]filter.FilterableColumn, len(columns))
	for i, c := range columns {
		values[i] = filter.FilterableColumn{
			Name:       cmp.Or(c.Pane.Title, c.Name),
			Title:      c.Name, // is found first, and messages have it
			ByNameOnly: c.DetailOnly || c.Pane.FilterByNameOnly,
			Choices:    c.Pane.Choices,
			Text:       func(int32) string { return c.Value(*row) },
		}
	}
	return filter.Compile(filter.Parse(s.Filter), values, now)
}

// Rows returns the rows that are selected. Those that are sorted have all been read before the first one comes; after
// an error none comes.
func (s RowQuery) Rows(
	columns []resource.ColumnDefinition[any], rows iter.Seq2[any, error], now time.Time,
) iter.Seq2[any, error] {
	if s.Filter != "" {
		rows = s.filtered(columns, rows, now)
	}
	if s.Sort != "" {
		name, descending := strings.CutPrefix(s.Sort, "-")
		rows = sorted(columns[columnIndex(columns, name)], descending, rows)
	}
	return limitRows(s.Limit, rows)
}

// filtered returns the rows that match the filter. If none does because the filter compares what cannot be compared, it
// ends with an error.
func (s RowQuery) filtered(
	columns []resource.ColumnDefinition[any], rows iter.Seq2[any, error], now time.Time,
) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		var current any
		matcher := s.matcher(columns, &current, now)
		for row, err := range rows {
			if current = row; err != nil || matcher.Match(0) {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
		if err := filterError(matcher); err != nil {
			yield(nil, err)
		}
	}
}

// sorted returns all rows in the order of a column.
func sorted(
	c resource.ColumnDefinition[any], descending bool, rows iter.Seq2[any, error],
) iter.Seq2[any, error] {
	type keyed struct {
		row  any
		text string
	}
	return func(yield func(any, error) bool) {
		var all []*keyed // pointers, whose sorting is compiled already
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			all = append(all, &keyed{row, c.Value(row)})
		}
		slices.SortStableFunc(all, func(a, b *keyed) int {
			if order := compareEmpty(a.text, b.text); order != 0 {
				return order
			}
			if descending {
				a, b = b, a
			}
			return compareValues(a.text, b.text)
		})
		for _, k := range all {
			if !yield(k.row, nil) {
				return
			}
		}
	}
}

// compareEmpty puts values that are not known last, in both directions.
func compareEmpty(a, b string) int {
	switch {
	case a == "" && b != "":
		return 1
	case a != "" && b == "":
		return -1
	}
	return 0
}

// compareValues compares numbers by their size, and other values as text in which upper and lower case are the same.
func compareValues(a, b string) int {
	x, err := strconv.ParseFloat(a, 64)
	y, failed := strconv.ParseFloat(b, 64)
	switch {
	case err == nil && failed == nil:
		return cmp.Compare(x, y)
	case err == nil:
		return -1
	case failed == nil:
		return 1
	}
	return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
}

// limitRows returns at most n of the rows; 0 is all.
func limitRows(n int, rows iter.Seq2[any, error]) iter.Seq2[any, error] {
	if n <= 0 {
		return rows
	}
	return func(yield func(any, error) bool) {
		left := n
		for row, err := range rows {
			if left--; !yield(row, err) || left == 0 {
				return
			}
		}
	}
}
