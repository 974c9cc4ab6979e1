package resource

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
)

// ColumnDefinition declares one column of a resource, for its pane and for scripts.
type ColumnDefinition[T any] struct {
	// Name is the column's name in scripts, in the configuration and in filters. It is a promise and never changes.
	Name string
	// Value returns the text as the API sent it, for scripts; nil leaves the column out of scripts.
	Value        func(T) string
	IsClean      bool           // Value returns text that may be drawn: a sentence of ours, such as an error
	Bytes        bool           // Value returns a number of bytes, which terminals show with a unit
	OnTerminal   func(T) string // what scripts print on a terminal instead of Value, safe to draw; nil is Value
	DetailOnly   bool           // scripts show it only for a single row
	DropPriority int            // in scripts: a narrow terminal drops the highest first; 0 stays
	// Pane is the column in the pane; without a Cell it has none. Its title is Name where it has no other.
	Pane table.Column[T]
}

// A serverText is text that came from a server: client.ServerText, client.OptionalServerText.
type serverText interface {
	Raw() string    // as it was sent
	String() string // safe to draw
}

// NewColumn returns a column of the pane and of scripts. A nil value leaves it out of scripts.
func NewColumn[T any](
	name string, value func(T) string, cell func(T, ui.Box) (string, theme.Tone),
) ColumnDefinition[T] {
	return ColumnDefinition[T]{Name: name, Value: value, Pane: table.Column[T]{Cell: cell}}
}

// DetailColumn returns a column that scripts show for a single row, and panes not at all.
func DetailColumn[T any](name string, value func(T) string) ColumnDefinition[T] {
	return ColumnDefinition[T]{Name: name, DetailOnly: true, Value: value}
}

// TextColumn returns a column that shows a text of the row in one tone.
func TextColumn[T any, S serverText](name string, tone theme.Tone, text func(T) S) ColumnDefinition[T] {
	c := NewColumn(name, func(row T) string { return text(row).Raw() },
		table.TextCell(tone, func(row T) string { return text(row).String() }))
	c.Pane.Raw = func(row T) string { return text(row).Raw() }
	return c
}

// Titled sets what the pane calls the column, if not its name.
func (c ColumnDefinition[T]) Titled(title string) ColumnDefinition[T] { c.Pane.Title = title; return c }

// Width sets the width in the pane.
func (c ColumnDefinition[T]) Width(cells int) ColumnDefinition[T] { c.Pane.Width = cells; return c }

// MinWidth sets the least width in the pane.
func (c ColumnDefinition[T]) MinWidth(cells int) ColumnDefinition[T] { c.Pane.Min = cells; return c }

// Label says that the column names the row.
func (c ColumnDefinition[T]) Label() ColumnDefinition[T] { c.Pane.IsLabel = true; return c }

// FilterByName lets a filter look into the column only if it names it.
func (c ColumnDefinition[T]) FilterByName() ColumnDefinition[T] {
	c.Pane.FilterByNameOnly = true
	return c
}

// LargestFirst lets a sort by the column begin with the greatest.
func (c ColumnDefinition[T]) LargestFirst() ColumnDefinition[T] { c.Pane.LargestFirst = true; return c }

// AlignRight aligns the column to the right.
func (c ColumnDefinition[T]) AlignRight() ColumnDefinition[T] { c.Pane.AlignRight = true; return c }

// Drop sets the priorities with which the pane and scripts leave the column out; 0 keeps it.
func (c ColumnDefinition[T]) Drop(pane, scripts int) ColumnDefinition[T] {
	c.Pane.DropPriority, c.DropPriority = pane, scripts
	return c
}

// Detail leaves the column out of the lists of scripts.
func (c ColumnDefinition[T]) Detail() ColumnDefinition[T] { c.DetailOnly = true; return c }

// OneOf sets the values that the column is known to have.
func (c ColumnDefinition[T]) OneOf(values ...string) ColumnDefinition[T] {
	c.Pane.Choices = values
	return c
}

// SortedBy sets the order of the rows in the pane.
func (c ColumnDefinition[T]) SortedBy(less func(a, b T) bool) ColumnDefinition[T] {
	c.Pane.Less = less
	return c
}

// RankedBy sets the ranks that order the rows in the pane.
func (c ColumnDefinition[T]) RankedBy(rank func(T) table.SortRank) ColumnDefinition[T] {
	c.Pane.Rank = rank
	return c
}

// Spans sets the text of the cell in several tones.
func (c ColumnDefinition[T]) Spans(spans func(T, ui.Box) []table.TonedText) ColumnDefinition[T] {
	c.Pane.Spans = spans
	return c
}

// FilteredBy sets the value that filters compare.
func (c ColumnDefinition[T]) FilteredBy(value func(T) string) ColumnDefinition[T] {
	c.Pane.Value = value
	return c
}

// Shortened sets the text for a width that is less than the cell's.
func (c ColumnDefinition[T]) Shortened(text func(T, ui.Box) string) ColumnDefinition[T] {
	c.Pane.Shorten = text
	return c
}

// OrElse shows a word where the text is empty; such rows are sorted as empty.
func (c ColumnDefinition[T]) OrElse(word string, tone theme.Tone) ColumnDefinition[T] {
	cell := c.Pane.Cell
	text := func(row T) string { text, _ := cell(row, ui.Box{}); return text }
	c.Pane.Less = func(a, b T) bool { return text(a) < text(b) }
	c.Pane.Cell = func(row T, b ui.Box) (string, theme.Tone) {
		if text, own := cell(row, b); text != "" {
			return text, own
		}
		return word, tone
	}
	return c
}

// PaneColumns returns the columns of the resource's pane.
func (r Resource[T]) PaneColumns() []table.Column[T] {
	if r.PaneOrder == nil {
		return PaneColumns(r.Columns...)
	}
	var ordered []ColumnDefinition[T]
	for _, name := range r.PaneOrder {
		for _, c := range r.Columns {
			if c.Name == name {
				ordered = append(ordered, c)
			}
		}
	}
	return PaneColumns(ordered...)
}

// PaneColumns returns the columns of a pane.
func PaneColumns[T any](definitions ...ColumnDefinition[T]) []table.Column[T] {
	var columns []table.Column[T]
	for _, c := range definitions {
		if c.Pane.Cell == nil {
			continue
		}
		c.Pane.Name, c.Pane.Title = c.Name, cmp.Or(c.Pane.Title, c.Name)
		if c.Pane.Value == nil {
			c.Pane.Value = c.Value
		}
		columns = append(columns, c.Pane)
	}
	return columns
}

// PaneColumn returns a column that only panes have.
func PaneColumn[T any](title string, cell func(T, ui.Box) (string, theme.Tone)) ColumnDefinition[T] {
	return NewColumn(title, nil, cell)
}

// IDColumn is the column of the number that identifies a row. Panes show it only in details.
func IDColumn[T any](id func(T) int) ColumnDefinition[T] {
	return ColumnDefinition[T]{Name: "id", Value: func(row T) string { return strconv.Itoa(id(row)) }}
}

// TimeValue returns a time for scripts: in RFC 3339, or as the API sent it if it is no time.
func TimeValue(t client.Timestamp) string {
	if t.Valid() {
		return t.Time().Format(time.RFC3339)
	}
	return t.Raw().Raw()
}

// OptionalValue returns a value for scripts; an unknown one is empty.
func OptionalValue[T any](v client.Optional[T]) string {
	if v, known := v.Value(); known {
		return fmt.Sprint(v)
	}
	return ""
}

// IDsValue returns numbers for scripts: "7,11".
func IDsValue(ids []int) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.Itoa(id)
	}
	return strings.Join(words, ",")
}

// ByID adapts a function that reads a row by its number to Get.
func ByID[T any](get func(context.Context, int) (T, error)) func(context.Context, string) (T, error) {
	return func(ctx context.Context, text string) (T, error) {
		id, err := strconv.Atoi(text)
		if err != nil || id < 0 {
			var none T
			return none, NewArgumentError("%q is not an ID: expected a number", client.Clean(text))
		}
		return get(ctx, id)
	}
}

// ArgumentError says why an argument of a command line names no row.
type ArgumentError struct {
	NotFound bool // it could name one, but there is none
	text     string
}

// NewArgumentError returns an ArgumentError with a text, which it formats as fmt.Errorf does.
func NewArgumentError(format string, values ...any) *ArgumentError {
	return &ArgumentError{text: fmt.Sprintf(format, values...)}
}

// Error returns the reason.
func (e *ArgumentError) Error() string { return e.text }
