package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"unicode"

	"lookout/ui"
)

// formats are what -o takes.
var formats = []string{"table", "json", "ndjson", "csv"}

// A column is one cell of a row, safe to draw. Its name never changes.
type column[T any] struct {
	name   string
	cell   func(T) string
	detail bool // not in a table of many rows
}

// plainly are columns without the type of their rows.
func plainly[T any](columns []column[T]) []column[any] {
	out := make([]column[any], len(columns))
	for i, c := range columns {
		out[i] = column[any]{c.name, func(row any) string { return c.cell(row.(T)) }, c.detail}
	}
	return out
}

// A printer writes rows in a format.
type printer struct {
	format string
	out    io.Writer
}

// check refuses a format that does not exist, before anything is asked.
func (p printer) check() error {
	if !slices.Contains(formats, p.format) {
		return usage(fmt.Errorf("-o %q is no format; choose %s", p.format, strings.Join(formats, ", ")))
	}
	return nil
}

// all writes rows: a table and JSON at the end, ndjson and CSV as they come. A failure comes after the rows before it.
func all(p printer, columns []column[any], rows iter.Seq2[any, error]) error {
	switch p.format {
	case "ndjson":
		return each(rows, func(row any) error { return writeJSON(p.out, row, "") })
	case "csv":
		return writeCSV(p.out, columns, rows)
	}
	kept := []any{}
	failure := each(rows, func(row any) error { kept = append(kept, row); return nil })
	if failure != nil && (p.format == "json" || len(kept) == 0) {
		return failure // an empty list would be a lie
	}
	if p.format == "json" {
		return writeJSON(p.out, kept, "  ")
	}
	if err := writeTable(p.out, columns, kept); err != nil {
		return err
	}
	return failure
}

func each(rows iter.Seq2[any, error], do func(any) error) error {
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

// just writes one row: a line for each of its cells, one object, or a CSV of one row.
func just(p printer, columns []column[any], row any) error {
	switch p.format {
	case "json":
		return writeJSON(p.out, row, "  ")
	case "table":
		return writeSheet(p.out, columns, row)
	}
	return all(p, columns, func(yield func(any, error) bool) { yield(row, nil) })
}

// writeTable aligns rows under their columns' names.
func writeTable(out io.Writer, columns []column[any], rows []any) error {
	shown := slices.DeleteFunc(slices.Clone(columns), func(c column[any]) bool { return c.detail })
	widths := make([]int, len(shown))
	cells := make([][]string, len(rows))
	for i, c := range shown {
		widths[i] = ui.Width(c.name)
	}
	for r, row := range rows {
		for i, c := range shown {
			cells[r] = append(cells[r], dash(c.cell(row)))
			widths[i] = max(widths[i], ui.Width(cells[r][i]))
		}
	}
	var b strings.Builder
	head := make([]string, len(shown))
	for i, c := range shown {
		head[i] = strings.ToUpper(c.name)
	}
	line := func(cells []string) {
		var l strings.Builder
		for i, cell := range cells {
			l.WriteString(ui.Pad(cell, widths[i]) + "  ")
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	line(head)
	for _, row := range cells {
		line(row)
	}
	return emit(out, b.String())
}

// writeSheet writes a row as lines of name and value.
func writeSheet(out io.Writer, columns []column[any], row any) error {
	width := 0
	for _, c := range columns {
		width = max(width, ui.Width(c.name))
	}
	var b strings.Builder
	for _, c := range columns {
		b.WriteString(ui.Pad(c.name, width) + "  " + dash(c.cell(row)) + "\n")
	}
	return emit(out, b.String())
}

// dash stands where there is nothing, so that words can be counted.
func dash(text string) string { return orElse(text, "-") }

// folded breaks a text between words into lines of at most so many cells; a longer word, as a path, stays whole.
func folded(text string, width int) []string {
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

// emit writes text.
func emit(out io.Writer, text string) error {
	_, err := io.WriteString(out, text)
	return err
}

func writeCSV(out io.Writer, columns []column[any], rows iter.Seq2[any, error]) error {
	w := csv.NewWriter(out)
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	if err := w.Write(names); err != nil {
		return err
	}
	err := each(rows, func(row any) error {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = c.cell(row)
		}
		return w.Write(cells)
	})
	w.Flush()
	if err != nil {
		return err
	}
	return w.Error()
}

// writeJSON writes a value and a line break. What could steer a terminal is escaped; the value is the same.
func writeJSON(out io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	return emit(out, escaped(b.String()))
}

// escaped writes characters that draw nothing by themselves as \u escapes.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < 0x7f, unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// newFile makes a file for its owner alone, which must not be there yet.
func newFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}
