package table

import (
	"cmp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lookout/client/wording"
	"lookout/ui"
)

// Announce tells the row under the cursor: its name first, then its other columns by their titles.
func (l *List[T]) Announce(b ui.Box) ui.ScreenReaderText {
	l.restoreCursor()
	a := ui.ScreenReaderText{Count: l.shown()}
	if l.filter.typing {
		note := l.rowIndex.note(l.wantedKey())
		a.Input = "filter: " + l.filter.text + wording.WithPrefix("; ", cmp.Or(note.problem, note.hint))
	}
	if l.jump.line != nil {
		a.Input = l.jump.announcement()
	}
	row, there := l.cursorRow()
	if l.parent.selected {
		a.Item = parentName + "; goes up"
		return a
	}
	if !there {
		reason := l.emptyReason(b)
		a.Item = reason.text + wording.WithPrefix(" · ", reason.cause) + wording.WithPrefix(" · ", reason.next)
		return a
	}
	a.Position = l.cursor.position + 1
	if l.detail.open {
		a.Text = l.detailText(row, b, l.detailTitle(row, b))
		return a
	}
	parts := []string{l.label(row, b)}
	for _, c := range l.Columns {
		if c.hidden {
			continue
		}
		cell, _ := c.Cell(row, b)
		if text := strings.TrimSpace(ansi.Strip(cell)); text != "" && text != parts[0] {
			parts = append(parts, c.Title+" "+text)
		}
	}
	if busy := l.Store.Busy(l.Store.ID(row)); busy != "" {
		parts = append(parts, busy)
	}
	if note := l.Store.RowNote(row); note != "" {
		parts = append(parts, note)
	}
	if l.marks.has(l.rowIndex.storePosition(l.cursor.position)) {
		parts = append(parts, "marked")
	}
	a.Item = strings.Join(parts, "; ")
	return a
}
