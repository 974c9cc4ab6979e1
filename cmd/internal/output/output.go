// Package output writes rows as tables, JSON and CSV for people and programs.
package output

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/term"

	"lookout/client"
	"lookout/client/visible"
	"lookout/cmd/internal/exit"
	"lookout/ui"
	"lookout/views/resource"
)

// Formats are the values of -o.
var Formats = []string{"table", "json", "ndjson", "csv"}

// Help says how lists are written.
const Help = `Lists are written while they are read, in a few megabytes of memory however long they are. If reading
fails, the rows before the failure are there, and the exit code is not 0; a JSON array is then left open,
so that no program takes it for complete. The columns of a table are as wide as its first 5,000 rows need.
Times are in RFC 3339 and in UTC, in every format.`

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

// WriteRows writes rows as they are read, in a few bytes of memory for each format. It returns an error after the rows
// that were read before it: a JSON array is then left open, so that it is no valid document.
func WriteRows(p Printer, columns []resource.ColumnDefinition[any], rows iter.Seq2[any, error]) error {
	out := newRowBuffer(p.Out)
	var w rowWriter
	switch p.Format {
	case "json":
		w = &jsonArray{out: out}
	case "ndjson":
		w = &jsonLines{out: out}
	case "csv":
		w = newCSVRows(out, columns, p.Out)
	default:
		w = &tableRows{
			out:     out,
			columns: listed(columns),
			width:   terminalWidth(p.Out),
		}
	}
	failure := forEachRow(rows, func(row any) error {
		if err := w.row(row); err != nil {
			return err
		}
		return out.flushIfOld()
	})
	if err := w.end(failure == nil); err != nil {
		return cmp.Or(failure, err)
	}
	return cmp.Or(failure, out.Flush())
}

// A rowWriter writes rows in one format.
type rowWriter interface {
	row(any) error
	// end writes what follows the last row; complete is false if rows are missing.
	end(complete bool) error
}

// A rowBuffer collects rows into larger pieces, and writes at once what has waited for flushInterval.
type rowBuffer struct {
	*bufio.Writer
	flushedAt time.Time
}

const (
	rowBufferSize = 64 << 10
	flushInterval = 100 * time.Millisecond
)

func newRowBuffer(out io.Writer) *rowBuffer {
	return &rowBuffer{Writer: bufio.NewWriterSize(out, rowBufferSize)}
}

// flushIfOld writes what is in the buffer if nothing was written for a while.
func (b *rowBuffer) flushIfOld() error {
	now := time.Now()
	if now.Sub(b.flushedAt) < flushInterval {
		return nil
	}
	b.flushedAt = now
	return b.Flush()
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

// csvRows writes rows for programs: text keeps its line breaks and tabs. On a terminal these are made visible too.
type csvRows struct {
	*csv.Writer
	columns    []resource.ColumnDefinition[any]
	cells      []string
	onTerminal bool
}

// newCSVRows writes the names of the columns; an error shows at the first row.
func newCSVRows(out *rowBuffer, columns []resource.ColumnDefinition[any], stream io.Writer) *csvRows {
	w := &csvRows{Writer: csv.NewWriter(out.Writer), columns: columns, cells: make([]string, len(columns))}
	_, w.onTerminal = AsTerminal(stream)
	for i, c := range columns {
		w.cells[i] = c.Name
	}
	_ = w.Write(w.cells)
	return w
}

func (w *csvRows) row(row any) error {
	for i, c := range w.columns {
		if w.onTerminal {
			w.cells[i] = drawnCell(c, row)
		} else {
			w.cells[i] = sanitizeCSVCell(c.Value(row))
		}
	}
	return w.Write(w.cells)
}

func (w *csvRows) end(bool) error {
	w.Flush()
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

// AsTerminal returns the terminal behind a stream, if there is one.
func AsTerminal(stream any) (*os.File, bool) {
	file, ok := stream.(*os.File)
	return file, ok && term.IsTerminal(file.Fd())
}
