package output

import (
	"encoding/csv"
	"strings"
	"unicode"

	"lookout/client"
	"lookout/client/visible"
	"lookout/views/resource"
)

// csvRows writes rows for programs, which get every text exactly, except that private keys are masked. On a terminal
// hidden characters are made visible.
type csvRows struct {
	*csv.Writer
	columns    []resource.ColumnDefinition[any]
	cells      []string
	onTerminal bool
	named      bool // the names of the columns are written, or not wanted
}

// newCSVRows returns a writer that begins with the names of the columns.
func newCSVRows(p Printer, out *rowBuffer, columns []resource.ColumnDefinition[any]) *csvRows {
	w := &csvRows{Writer: csv.NewWriter(out.Writer), columns: columns, cells: make([]string, len(columns))}
	_, w.onTerminal = AsTerminal(p.Out)
	w.named = p.NoHeaders
	return w
}

// writeNames writes the names of the columns once.
func (w *csvRows) writeNames() {
	if w.named {
		return
	}
	for i, c := range w.columns {
		w.cells[i] = c.Name
	}
	w.named = true
	_ = w.Write(w.cells) // an error shows at the first row
}

func (w *csvRows) row(row any) error {
	w.writeNames()
	for i, c := range w.columns {
		if w.onTerminal {
			w.cells[i] = drawnCell(c, row)
		} else {
			w.cells[i] = visible.MaskKeys(c.Value(row))
		}
	}
	return w.Write(w.cells)
}

// end writes the names alone if there is no row. If none could be read, it writes nothing, as tables do.
func (w *csvRows) end(complete bool) error {
	if complete {
		w.writeNames()
	}
	w.Flush()
	return w.Error()
}

// sanitizeText keeps line breaks, tabs and spaces of other widths, masks private keys, and makes everything else
// visible that a terminal would obey or not show: a pipe may end at a terminal.
func sanitizeText(text string) string {
	text = visible.MaskKeys(text)
	if !strings.ContainsFunc(text, isInvisible) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		n := strings.IndexAny(text, "\n\t")
		if n < 0 {
			n = len(text)
		}
		b.WriteString(client.Clean(text[:n]))
		b.WriteString(text[n:min(n+1, len(text))])
		text = text[min(n+1, len(text)):]
	}
	return b.String()
}

// isInvisible reports whether a character has no place in text for programs. Invalid UTF-8 has none either.
func isInvisible(r rune) bool {
	return r != '\n' && r != '\t' && visible.Hidden(r) && !unicode.Is(unicode.Zs, r)
}
