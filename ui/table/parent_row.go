package table

import (
	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// ParentRow is a line above the rows that goes up one level. It is not a row of the store: nothing can mark, count,
// download or delete it.
type ParentRow struct {
	Open   func() tea.Cmd      // what the row actions that open a pane do there; nil for lists without a parent
	Detail func(ui.Box) string // what stands beside the list

	selected bool // the cursor is on it
}

// The name of the parent row, and why other actions cannot be done there.
const (
	parentName   = ".."
	parentReason = "the row .. only goes up"
)

// WithParentRow shows a line above the rows of a list that goes up one level.
func (l *List[T]) WithParentRow(p ParentRow) { l.parent = p }

// height returns the number of lines that the parent row takes.
func (p *ParentRow) height() int {
	if p.Open == nil {
		return 0
	}
	return 1
}

// moveFrom returns the position from which the cursor moves. The parent row is before the first one.
func (p *ParentRow) moveFrom(position int) int {
	if p.selected {
		return -1
	}
	return position
}

// tableRow returns how the parent row is drawn. Only the column of the label has a text.
func (p *ParentRow) tableRow(heads []columnHead) tableRow {
	return tableRow{
		cursor: p.selected,
		cell: func(column int) (string, theme.Tone) {
			if heads[column].isLabel {
				return parentName, theme.Accent
			}
			return "", theme.Plain
		},
		spans:   func(int) []TonedText { return nil },
		shorten: func(_ int, text string, _ int) string { return text },
	}
}
