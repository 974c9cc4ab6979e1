package output

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"

	"lookout/ui"
	"lookout/ui/terminal"
	"lookout/views/resource"
)

// listed returns the columns that lists have.
func listed(columns []resource.ColumnDefinition[any]) []resource.ColumnDefinition[any] {
	detailOnly := func(c resource.ColumnDefinition[any]) bool { return c.DetailOnly }
	return slices.DeleteFunc(slices.Clone(columns), detailOnly)
}

// TableSample is how many rows decide how wide the columns of a table are. These are held in memory; the rows after
// them are written as they are read, and a longer cell moves the rest of its row to the right.
const TableSample = 5000

// tableRows writes a table.
type tableRows struct {
	out       *rowBuffer
	columns   []resource.ColumnDefinition[any]
	width     int // of the terminal; 0 is any
	noHeaders bool
	sample    []any      // the first rows, until there are enough of them
	table     *textTable // laid out for the sample; nil before
}

func (w *tableRows) row(row any) error {
	if w.table != nil {
		cell := cellOf(w.table.fitted)
		_, err := w.out.WriteString(w.table.line(func(c *textColumn) string { return orDash(cell(c.definition, row)) }))
		return err
	}
	if w.sample = append(w.sample, row); len(w.sample) < TableSample {
		return nil
	}
	return w.writeSample()
}

// end writes the table if it has few rows. If none could be read, there is no table: an empty one would be a lie.
func (w *tableRows) end(complete bool) error {
	if w.table != nil || !complete && len(w.sample) == 0 {
		return nil
	}
	return w.writeSample()
}

// writeSample lays out the table and writes its first rows.
func (w *tableRows) writeSample() error {
	w.table = newTextTable(w.columns, w.sample, w.width)
	err := WriteText(w.out, w.table.text(!w.noHeaders))
	w.sample, w.table = nil, w.table.withoutCells()
	return err
}

// unknownWidth is the width assumed for a terminal that does not report one, such as a serial line.
const unknownWidth = 80

// TerminalWidth returns the columns of the terminal behind out; 0 if it is none.
func TerminalWidth(out io.Writer) int {
	file, is := AsTerminal(out)
	if !is {
		return 0
	}
	width, _, _ := term.GetSize(file.Fd())
	return cmp.Or(width, unknownWidth)
}

// A textTable is a table laid out as text.
type textTable struct {
	columns        []textColumn
	columnsOmitted bool   // columns were dropped
	fitted         bool   // longer cells are truncated
	ellipsis       string // marks dropped columns and truncated cells
}

// A textColumn holds a header and its cells, safe to draw.
type textColumn struct {
	definition resource.ColumnDefinition[any]
	cells      []string
	width      int
}

// newTextTable lays out the rows with all columns; with a width, with those that fit.
func newTextTable(columns []resource.ColumnDefinition[any], rows []any, width int) *textTable {
	g := &textTable{ellipsis: "…", fitted: width > 0}
	if !terminal.SupportsUnicode() {
		g.ellipsis = "~"
	}
	cell := cellOf(g.fitted)
	for _, c := range columns {
		one := textColumn{definition: c, cells: make([]string, 1, len(rows)+1), width: ui.Width(c.Name)}
		one.cells[0] = strings.ToUpper(c.Name)
		for _, row := range rows {
			cell := orDash(cell(c, row))
			one.cells, one.width = append(one.cells, cell), max(one.width, ui.Width(cell))
		}
		g.columns = append(g.columns, one)
	}
	if g.fitted {
		g.fit(width)
	}
	return g
}

// withoutCells returns the layout alone.
func (g *textTable) withoutCells() *textTable {
	for i := range g.columns {
		g.columns[i].cells = nil
	}
	return g
}

// columnGap separates columns.
const columnGap = "  "

func (g *textTable) width() int {
	width := len(columnGap) * (len(g.columns) - 1)
	for _, c := range g.columns {
		width += c.width
	}
	if g.columnsOmitted {
		width += ui.Width(columnGap + g.ellipsis)
	}
	return width
}

// minColumnWidth is the width below which no column is truncated.
const minColumnWidth = 12

// fit makes the table at most width columns wide: it drops columns by priority, then truncates the widest, then drops
// from the end. The first column stays.
func (g *textTable) fit(width int) {
	for g.width() > width {
		first := slices.IndexFunc(g.columns, func(c textColumn) bool {
			priority := c.definition.DropPriority
			return priority > 0 &&
				!slices.ContainsFunc(g.columns, func(o textColumn) bool { return o.definition.DropPriority > priority })
		})
		if first < 0 {
			break
		}
		g.omitColumn(first)
	}
	for g.width() > width {
		widest := &g.columns[0]
		for i := range g.columns {
			if g.columns[i].width > widest.width {
				widest = &g.columns[i]
			}
		}
		switch {
		case widest.width > minColumnWidth:
			widest.width--
		case len(g.columns) > 1:
			g.omitColumn(len(g.columns) - 1)
		default:
			widest.width, g.columnsOmitted = width, false
		}
	}
}

func (g *textTable) omitColumn(i int) {
	g.columns, g.columnsOmitted = slices.Delete(g.columns, i, i+1), true
}

// text returns the lines of the table.
func (g *textTable) text(headers bool) string {
	var b strings.Builder
	for row := range g.columns[0].cells {
		if row == 0 && !headers {
			continue
		}
		line := g.line(func(c *textColumn) string { return c.cells[row] })
		if row == 0 && g.columnsOmitted {
			line = strings.TrimSuffix(line, "\n") + columnGap + g.ellipsis + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// line returns the line of a row.
func (g *textTable) line(cell func(*textColumn) string) string {
	var b strings.Builder
	for i := range g.columns {
		c := &g.columns[i]
		text := cell(c)
		if g.fitted {
			text = ui.Truncate(text, c.width, g.ellipsis)
		}
		b.WriteString(ui.Pad(text, c.width) + columnGap)
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}
