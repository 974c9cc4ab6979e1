// Package output writes rows as tables, JSON and CSV for people and programs.
package output

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/term"

	"lookout/client"
	"lookout/client/visible"
	"lookout/cmd/internal/exit"
	"lookout/ui"
	"lookout/ui/terminal"
	"lookout/views/resource"
)

// Formats are the values of -o.
var Formats = []string{"table", "json", "ndjson", "csv"}

// A Printer writes rows in a format.
type Printer struct {
	Format string
	Out    io.Writer
}

// CheckFormat returns an error for an unknown format, so that no request is sent in vain.
func (p Printer) CheckFormat() error {
	if !slices.Contains(Formats, p.Format) {
		return exit.Usage(fmt.Errorf("unknown output format %q (use %s)", p.Format, strings.Join(Formats, ", ")))
	}
	return nil
}

// WriteRows writes rows: a table and JSON once all are read, ndjson and CSV as they arrive. It returns an error after
// the rows that were read before it.
func WriteRows(p Printer, columns []resource.ColumnDefinition[any], rows iter.Seq2[any, error]) error {
	switch p.Format {
	case "ndjson":
		return forEachRow(rows, func(row any) error { return WriteJSON(p.Out, row, "") })
	case "csv":
		return writeCSV(p.Out, columns, rows)
	}
	kept := []any{}
	failure := forEachRow(rows, func(row any) error { kept = append(kept, row); return nil })
	if failure != nil && (p.Format == "json" || len(kept) == 0) {
		return failure // an empty list would be a lie
	}
	if p.Format == "json" {
		return WriteJSON(p.Out, kept, "  ")
	}
	if err := WriteTable(p.Out, columns, kept, terminalWidth(p.Out)); err != nil {
		return err
	}
	return failure
}

func forEachRow(rows iter.Seq2[any, error], do func(any) error) error {
	for row, err := range rows {
		if err != nil {
			return err
		}
		if err := do(row); err != nil {
			return err
		}
	}
	return nil
}

// WriteRow writes one row: a line per cell, one JSON object, or CSV with one row.
func WriteRow(p Printer, columns []resource.ColumnDefinition[any], row any) error {
	switch p.Format {
	case "json":
		return WriteJSON(p.Out, row, "  ")
	case "table":
		return writeDetail(p.Out, columns, row)
	}
	return WriteRows(p, columns, func(yield func(any, error) bool) { yield(row, nil) })
}

// WriteTable aligns rows under the names of their columns. With a width every row takes one line: columns that do not
// fit are dropped, which the end of the header shows, and long cells are truncated.
func WriteTable(out io.Writer, columns []resource.ColumnDefinition[any], rows []any, width int) error {
	detailOnly := func(c resource.ColumnDefinition[any]) bool { return c.DetailOnly }
	g := newTextTable(slices.DeleteFunc(slices.Clone(columns), detailOnly), rows)
	if width > 0 {
		g.fit(width)
	}
	return WriteText(out, g.String())
}

// terminalWidth returns the columns of the terminal behind out; 0 if it is none.
func terminalWidth(out io.Writer) int {
	file, is := AsTerminal(out)
	if !is {
		return 0
	}
	width, _, err := term.GetSize(file.Fd())
	if err != nil {
		return 0
	}
	return width
}

// A textTable is a table laid out as text.
type textTable struct {
	columns        []textColumn
	columnsOmitted bool   // columns were dropped
	ellipsis       string // marks dropped columns and truncated cells
}

// A textColumn holds a header and its cells, safe to draw.
type textColumn struct {
	cells        []string
	width        int
	dropPriority int
}

// newTextTable lays out the rows with all columns.
func newTextTable(columns []resource.ColumnDefinition[any], rows []any) *textTable {
	g := &textTable{ellipsis: "…"}
	if !terminal.SupportsUnicode() {
		g.ellipsis = "~"
	}
	for _, c := range columns {
		one := textColumn{
			cells:        []string{strings.ToUpper(c.Name)},
			width:        ui.Width(c.Name),
			dropPriority: c.DropPriority,
		}
		for _, row := range rows {
			cell := orDash(drawnCell(c, row))
			one.cells, one.width = append(one.cells, cell), max(one.width, ui.Width(cell))
		}
		g.columns = append(g.columns, one)
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
			return c.dropPriority > 0 &&
				!slices.ContainsFunc(g.columns, func(o textColumn) bool { return o.dropPriority > c.dropPriority })
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

// String returns the lines of the table.
func (g *textTable) String() string {
	var b strings.Builder
	for row := range g.columns[0].cells {
		var l strings.Builder
		for _, c := range g.columns {
			l.WriteString(ui.Pad(ui.Truncate(c.cells[row], c.width, g.ellipsis), c.width) + columnGap)
		}
		line := strings.TrimRight(l.String(), " ")
		if row == 0 && g.columnsOmitted {
			line += columnGap + g.ellipsis
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// writeDetail writes a row as lines of a name and a value.
func writeDetail(out io.Writer, columns []resource.ColumnDefinition[any], row any) error {
	width := 0
	for _, c := range columns {
		width = max(width, ui.Width(c.Name))
	}
	var b strings.Builder
	for _, c := range columns {
		b.WriteString(ui.Pad(c.Name, width) + columnGap + orDash(drawnCell(c, row)) + "\n")
	}
	return WriteText(out, b.String())
}

// drawnCell returns a cell as it is drawn on a terminal.
func drawnCell(c resource.ColumnDefinition[any], row any) string {
	if c.IsClean {
		return visible.Show(c.Value(row))
	}
	return client.Clean(c.Value(row))
}

// orDash returns a dash for an empty cell, so that scripts can count fields.
func orDash(text string) string { return cmp.Or(text, "-") }

// WrapWords breaks text between words into lines of at most width columns. A longer word, such as a path, stays whole.
func WrapWords(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Split(text, " ") {
		if line != "" && ui.Width(line)+1+ui.Width(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// WriteText writes text.
func WriteText(out io.Writer, text string) error {
	_, err := io.WriteString(out, text)
	return err
}

// writeCSV writes rows for programs: text keeps its line breaks and tabs. On a terminal these are made visible too.
func writeCSV(out io.Writer, columns []resource.ColumnDefinition[any], rows iter.Seq2[any, error]) error {
	w := csv.NewWriter(out)
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	if err := w.Write(names); err != nil {
		return err
	}
	_, drawn := AsTerminal(out)
	err := forEachRow(rows, func(row any) error {
		cells := make([]string, len(columns))
		for i, c := range columns {
			if drawn {
				cells[i] = drawnCell(c, row)
			} else {
				cells[i] = sanitizeCSVCell(c.Value(row))
			}
		}
		return w.Write(cells)
	})
	w.Flush()
	if err != nil {
		return err
	}
	return w.Error()
}

// sanitizeCSVCell keeps line breaks, tabs and spaces of other widths, and makes everything else visible that a terminal
// would obey or not show: a pipe may end at a terminal.
func sanitizeCSVCell(text string) string {
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

// isInvisible reports whether a character has no place in a cell of CSV. Invalid UTF-8 has none either.
func isInvisible(r rune) bool {
	return r != '\n' && r != '\t' && visible.Hidden(r) && !unicode.Is(unicode.Zs, r)
}

// WriteJSON writes a value and a line break. It escapes hidden characters, which does not change the value.
func WriteJSON(out io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	return WriteText(out, string(visible.EscapeJSON(b.Bytes())))
}

// AsTerminal returns the terminal behind a stream, if there is one.
func AsTerminal(stream any) (*os.File, bool) {
	file, ok := stream.(*os.File)
	return file, ok && term.IsTerminal(file.Fd())
}
