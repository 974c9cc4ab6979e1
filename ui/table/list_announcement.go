package table

import (
	"lookout/ui"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Announce is the row at the cursor: its name first, then its other columns by their titles.
func (l *List[T]) Announce(b ui.Box) ui.Announcement {
	l.restoreCursor()
	r := ui.Announcement{Count: l.rowIndex.count(l.Store)}
	if l.filter.typing {
		r.Input = "filter: " + l.filter.text
	}
	row, there := l.cursorRow()
	if !there {
		r.Item = strings.Join(l.status().explainEmpty(b), " ")
		return r
	}
	r.Position = l.position + 1
	if l.detailOpen && l.Detail != nil {
		r.Text = l.Detail(row, b)
		return r
	}
	cells := make([]string, len(l.Columns))
	for i, c := range l.Columns {
		if !c.hidden {
			cells[i], _ = c.Cell(row, b)
		}
	}
	r.Item = describeRow(
		l.label(row),
		l.ColumnNames(),
		cells,
		l.Store.Busy(l.Store.ID(row)),
		l.marks.has(l.rowIndex.storePosition(l.position)),
	)
	return r
}

// describeRow is a row's name, its other cells by their titles, what is being done to it, and whether it is marked.
func describeRow(name string, titles, cells []string, verb string, marked bool) string {
	parts := []string{name}
	for i, cell := range cells {
		if text := strings.TrimSpace(ansi.Strip(cell)); text != "" && text != name {
			parts = append(parts, titles[i]+" "+text)
		}
	}
	if verb != "" {
		parts = append(parts, verb)
	}
	if marked {
		parts = append(parts, "marked")
	}
	return strings.Join(parts, "; ")
}
