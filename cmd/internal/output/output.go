// Package output writes rows as tables, JSON and CSV for people and programs.
package output

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/visible"
	"lookout/client/wording"
	"lookout/cmd/internal/exit"
	"lookout/ui"
	"lookout/views/operation"
	"lookout/views/resource"
)

// Formats are the values of -o.
var Formats = []string{"table", "json", "ndjson", "csv"}

// Help says how lists are written.
const Help = "Lists are streamed, so they need only a few megabytes of memory however long they are, except with " +
	"--sort, or with --jq without -o ndjson. If reading fails, the rows read before the failure are still printed, " +
	"and the exit code is not 0; a JSON array is then left open, so that no program mistakes it for a complete " +
	"one. The first 5,000 rows set the widths of a table's columns. Times are RFC 3339 in UTC; a table on a " +
	"terminal shows ages instead, sizes with their units, and names instead of IDs.\n\n--jq prints the results of " +
	"a jq expression, which is applied to each row with -o ndjson, and otherwise to the whole array or object, " +
	"which is kept in memory. A string is printed without quotes, with control and invisible characters escaped " +
	"(in a pipe it keeps its line breaks); anything else is one line of JSON. The expression cannot read files or " +
	"environment variables. If the expression fails, the results up to then are still printed."

// A Printer writes rows as the flags of a command say.
type Printer struct {
	Format    string
	Columns   []string // names; nil is all that a list, or a single row, has
	NoHeaders bool
	JQ        string // the expression that is given the JSON
	Out       io.Writer

	formatFlag *pflag.Flag
	query      *jqQuery // of JQ
}

// AddFlags adds the flags that all commands have which print rows with some columns.
func (p *Printer) AddFlags(set *pflag.FlagSet) {
	set.StringVarP(&p.Format, "output", "o", "table", "output format: "+strings.Join(Formats, ", "))
	p.formatFlag = set.Lookup("output")
	set.StringSliceVar(&p.Columns, "columns", nil, "columns of table and csv output, in order, e.g. name,size")
	set.BoolVar(&p.NoHeaders, "no-headers", false, "omit column names in table and csv output")
	p.AddJQFlag(set)
}

// Check returns an error if the flags do not fit the columns of a command, so that no request is sent in vain. With an
// expression the format is JSON unless a flag says otherwise.
func (p *Printer) Check(columns []resource.ColumnDefinition[any]) (err error) {
	if p.JQ != "" {
		if p.formatFlag != nil && !p.formatFlag.Changed {
			p.Format = "json"
		}
		if p.query, err = compileJQ(p.JQ); err != nil {
			return err
		}
	}
	isJSON := p.Format == "json" || p.Format == "ndjson"
	switch {
	case !slices.Contains(Formats, p.Format):
		return exit.Usage(fmt.Errorf("unknown output format %q (use %s)", p.Format, strings.Join(Formats, ", ")))
	case p.JQ != "" && !isJSON:
		return exit.Usage(fmt.Errorf("--jq is for JSON; use -o json or -o ndjson instead of -o %s", p.Format))
	case len(p.Columns) > 0 && isJSON:
		return exit.Usage(errors.New("--columns is for table and csv; JSON contains what the API sent"))
	}
	_, err = chosen(columns, p.Columns)
	return err
}

// chosen returns the columns with some names, in their order; all if there are no names.
func chosen(
	all []resource.ColumnDefinition[any],
	names []string,
) (columns []resource.ColumnDefinition[any], err error) {
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		i := columnIndex(all, name)
		if i < 0 {
			return nil, unknownColumn("--columns", name, all)
		}
		column := all[i]
		column.DetailOnly = false
		columns = append(columns, column)
	}
	return columns, nil
}

// columnIndex returns the place of the column with a name, or else with the title that panes show; -1 if there is none.
func columnIndex(columns []resource.ColumnDefinition[any], name string) int {
	isNamed := func(c resource.ColumnDefinition[any]) bool { return c.Name == name }
	if i := slices.IndexFunc(columns, isNamed); i >= 0 || name == "" {
		return i
	}
	return slices.IndexFunc(columns, func(c resource.ColumnDefinition[any]) bool { return c.Pane.Title == name })
}

// unknownColumn returns the error of a flag that names a column which does not exist.
func unknownColumn(flag, name string, columns []resource.ColumnDefinition[any]) error {
	return exit.Usage(fmt.Errorf(
		"%s: unknown column %q (use %s)", flag, client.Clean(name), strings.Join(ColumnNames(columns), ", "),
	))
}

// ColumnNames returns the names of columns.
func ColumnNames(columns []resource.ColumnDefinition[any]) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// WriteRows writes rows as they are read, in a few bytes of memory for each format. It returns an error after the rows
// that were read before it: a JSON array is then left open, so that it is no valid document.
func WriteRows(
	ctx context.Context, p Printer, columns []resource.ColumnDefinition[any], rows iter.Seq2[any, error],
) error {
	columns, err := chosen(columns, p.Columns)
	if err != nil {
		return err
	}
	out := newRowBuffer(p.Out)
	w := p.rowWriter(ctx, out, columns)
	failure := forEachRow(rows, func(row any) error {
		if err := w.row(row); err != nil {
			return err
		}
		return out.flushIfOld()
	})
	return out.finish(cmp.Or(failure, w.end(failure == nil)))
}

// rowWriter returns what writes rows in the printer's format.
func (p Printer) rowWriter(
	ctx context.Context, out *rowBuffer, columns []resource.ColumnDefinition[any],
) rowWriter {
	switch {
	case p.query != nil:
		return p.newJQ(ctx, out)
	case p.Format == "json":
		return &jsonArray{out: out}
	case p.Format == "ndjson":
		return &jsonLines{out: out}
	case p.Format == "csv":
		return newCSVRows(p, out, columns)
	}
	return &tableRows{
		out:       out,
		columns:   listed(columns),
		width:     TerminalWidth(p.Out),
		noHeaders: p.NoHeaders,
	}
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
	if b.Buffered() == 0 || now.Sub(b.flushedAt) < flushInterval {
		return nil
	}
	b.flushedAt = now
	return b.Flush()
}

// finish writes what is left, and returns the first error. That an expression called halt is none.
func (b *rowBuffer) finish(err error) error {
	if errors.Is(err, errHalted) {
		err = nil
	}
	return cmp.Or(err, b.Flush())
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
func WriteRow(ctx context.Context, p Printer, columns []resource.ColumnDefinition[any], row any) error {
	switch {
	case p.Format == "json", p.query != nil:
		return WriteValue(ctx, p, row)
	case p.Format == "table":
		columns, err := chosen(columns, p.Columns)
		if err != nil {
			return err
		}
		return p.writeDetail(columns, row)
	}
	return WriteRows(ctx, p, columns, func(yield func(any, error) bool) { yield(row, nil) })
}

// WriteValue writes a value as indented JSON, or what the expression makes of it.
func WriteValue(ctx context.Context, p Printer, v any) error {
	if p.query == nil {
		return WriteJSON(p.Out, v, jsonIndent)
	}
	value, err := jqValue(v)
	if err != nil {
		return err
	}
	w := p.newJQ(ctx, newRowBuffer(p.Out))
	return w.out.finish(w.write(value))
}

// writeDetail writes a row as lines of a name and a value.
func (p Printer) writeDetail(columns []resource.ColumnDefinition[any], row any) error {
	width := 0
	for _, c := range columns {
		width = max(width, ui.Width(c.Name))
	}
	cell := drawnCell
	if TerminalWidth(p.Out) > 0 {
		cell = detailCell
	}
	var b strings.Builder
	for _, c := range columns {
		if !p.NoHeaders {
			b.WriteString(ui.Pad(c.Name, width) + columnGap)
		}
		b.WriteString(orDash(cell(c, row)) + "\n")
	}
	return WriteText(p.Out, b.String())
}

// cellOf returns the function that returns a cell of a table: on a terminal, with its unit.
func cellOf(onTerminal bool) func(resource.ColumnDefinition[any], any) string {
	if onTerminal {
		return humanCell
	}
	return drawnCell
}

// humanCell returns a cell for people: sizes have a unit, and times are ages.
func humanCell(c resource.ColumnDefinition[any], row any) string {
	if c.OnTerminal != nil {
		return c.OnTerminal(row)
	}
	text := drawnCell(c, row)
	if n, err := strconv.ParseInt(text, 10, 64); c.Bytes && err == nil {
		return operation.FormatSize(n)
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return formatAge(at, time.Now())
	}
	return text
}

// oldAge is the age from which on the date says more.
const oldAge = 60 * 24 * time.Hour

// formatAge returns a time as people say it: "3 min ago", "in 2 h"; one that is long ago, or far off, as its date.
func formatAge(at, now time.Time) string {
	switch age := now.Sub(at); {
	case age.Abs() > oldAge:
		return at.UTC().Format(time.DateOnly)
	case age < 0:
		return "in " + wording.FormatAge(-age)
	default:
		return wording.FormatAge(age) + " ago"
	}
}

// detailCell returns a cell for people where there is room: a time is whole, and its age follows.
func detailCell(c resource.ColumnDefinition[any], row any) string {
	text := drawnCell(c, row)
	if at, err := time.Parse(time.RFC3339, text); err == nil && c.OnTerminal == nil {
		return text + " (" + formatAge(at, time.Now()) + ")"
	}
	return humanCell(c, row)
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

// AsTerminal returns the terminal behind a stream, if there is one.
func AsTerminal(stream any) (*os.File, bool) {
	file, ok := stream.(*os.File)
	return file, ok && term.IsTerminal(file.Fd())
}
