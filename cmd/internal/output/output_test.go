package output_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/visible"
	"lookout/cmd/internal/output"
	"lookout/views/resource"
)

// hostileRow is a row whose texts and members a writer may get wrong.
type hostileRow struct {
	Text  client.ServerText `json:"text"`
	None  *int              `json:"none"`
	Empty []int             `json:"empty"`
	Named map[string]any    `json:"named"`
	Value any               `json:"value"`
}

// texts are what servers may send, and what indentation may take for its own signs.
var texts = []string{
	"", "plain", `a "quoted" \ text`, "{[,:]}", "<b>&amp;</b>", "日本 é \u202e\u200b\u2028", "\x1b[2J\x00\x7f\xff",
	"two\n\tlines", `\"`, `\\`, "\U000e0041\U0001f642", "\u3164",
}

// goldenRows are rows of every shape.
func goldenRows(t *testing.T) []any {
	var rows []any
	for i, text := range texts {
		rows = append(rows, &hostileRow{
			Text:  client.NewText(text),
			Empty: []int{},
			Named: map[string]any{
				text: []any{map[string]any{}, []any{}, 1.5, nil, true},
				"b":  map[string]any{"c": text},
			},
			Value: i,
		})
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range []string{
			`{"name":%s}`,
			`{"name":"a","etag":%s,"last_modified":"2026-11-20T02:11:00.125Z","owner":"me","size":0}`,
			`{"name":%s,"etag":"0123456789abcdef0123456789abcdef-12","last_modified":%[1]s,"owner":%[1]s,"size":null}`,
			`{"name":%s,"etag":"x","last_modified":"2026-11-20T02:11:00","owner":"","size":123456789012}`,
		} {
			var page client.ObjectPage
			if err := json.Unmarshal(fmt.Appendf(nil, `{"data":[`+entry+`]}`, quoted), &page); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, page.Data[0])
		}
	}
	return rows
}

// golden is JSON as encoding/json writes it, with hidden characters escaped.
func golden(t *testing.T, v any, indent string) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(visible.EscapeJSON(b.Bytes()))
}

// sequence iterates over rows, and ends with an error unless it is nil.
func sequence(rows []any, err error) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// write returns what is written of rows in a format, and the error.
func write(format string, columns []resource.ColumnDefinition[any], rows iter.Seq2[any, error]) (string, error) {
	var b strings.Builder
	err := output.WriteRows(context.Background(), output.Printer{Format: format, Out: &b}, columns, rows)
	return b.String(), err
}

// JSON and ndjson have the bytes that encoding/json gives all rows at once.
func TestWriteRows_jsonAsEncodedAtOnce(t *testing.T) {
	all := goldenRows(t)
	for _, n := range []int{0, 1, 2, len(all)} {
		rows := append([]any{}, all[:n]...)
		got, err := write("json", nil, sequence(rows, nil))
		if want := golden(t, rows, "  "); got != want || err != nil {
			t.Errorf("%d rows: %v, got\n%s\nwant\n%s", n, err, got, want)
		}
		got, err = write("ndjson", nil, sequence(rows, nil))
		want := ""
		for _, row := range rows {
			want += golden(t, row, "")
		}
		if got != want || err != nil {
			t.Errorf("%d rows: %v, got\n%s\nwant\n%s", n, err, got, want)
		}
	}
	for _, row := range all {
		var b strings.Builder
		err := output.WriteRow(context.Background(), output.Printer{Format: "json", Out: &b}, nil, row)
		if want := golden(t, row, "  "); b.String() != want || err != nil {
			t.Errorf("%v, got\n%s\nwant\n%s", err, b.String(), want)
		}
	}
}

// A JSON array whose rows could not all be read is not closed, so that no program takes it for complete. If no row was
// read, nothing is written.
func TestWriteRows_failureLeavesJSONOpen(t *testing.T) {
	failure := errors.New("cut off")
	for _, format := range output.Formats {
		got, err := write(format, nameColumns, sequence(nil, failure))
		if format != "csv" && got != "" || !errors.Is(err, failure) {
			t.Errorf("%s without rows: %v, %q", format, err, got)
		}
	}
	for n := 1; n < 4; n++ {
		got, err := write("json", nil, sequence(goldenRows(t)[:n], failure))
		if !errors.Is(err, failure) || json.Valid([]byte(got)) || !strings.HasSuffix(got, "}\n") {
			t.Errorf("%d rows: %v, %q", n, err, got)
		}
		if closed := got + "]"; !json.Valid([]byte(closed)) {
			t.Errorf("%d rows: not an open array: %q", n, got)
		}
	}
}

// nameColumns are columns of rows that are texts.
var nameColumns = []resource.ColumnDefinition[any]{
	{Name: "name", Value: func(row any) string { return row.(string) }},
	{Name: "length", Value: func(row any) string { return fmt.Sprint(len(row.(string))) }},
}

// A table takes its widths from its first rows, and never cuts a cell in a pipe: later ones may be wider.
func TestWriteRows_tableOfManyRows(t *testing.T) {
	const n = 25_000
	read := 0
	rows := func(yield func(any, error) bool) {
		for i := range n {
			name := strings.Repeat("x", 3+i%5)
			if i == n-1 {
				name = strings.Repeat("y", 40)
			}
			read = i + 1
			if !yield(name, nil) {
				return
			}
		}
	}
	var b countingWriter
	err := output.WriteRows(context.Background(), output.Printer{Format: "table", Out: &b}, nameColumns, rows)
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if err != nil || len(lines) != n+1 || read != n {
		t.Fatalf("%v, %d lines", err, len(lines))
	}
	for i, want := range map[int]string{
		0:     "NAME     LENGTH",
		1:     "xxx      3",
		5:     "xxxxxxx  7",
		n - 1: "xxxxxx   6",
		n:     strings.Repeat("y", 40) + "  40",
	} {
		if lines[i] != want {
			t.Errorf("line %d is %q, not %q", i, lines[i], want)
		}
	}
	if b.largest > 1<<20 {
		t.Errorf("%d bytes were written at once", b.largest)
	}
}

// A countingWriter keeps what is written, and how long the longest piece was.
type countingWriter struct {
	strings.Builder
	largest int
}

// Write implements io.Writer.
func (w *countingWriter) Write(p []byte) (int, error) {
	w.largest = max(w.largest, len(p))
	return w.Builder.Write(p)
}

// Rows are written while they are read: a pipe holds what was read a moment ago.
func TestWriteRows_streams(t *testing.T) {
	for _, format := range []string{"json", "ndjson", "csv", "table"} {
		var b countingWriter
		rows := func(yield func(any, error) bool) {
			for range 20_000 {
				if !yield(strings.Repeat("x", 100), nil) {
					return
				}
			}
			if b.Len() < 1_000_000 {
				t.Errorf("%s: %d bytes are written before the end", format, b.Len())
			}
		}
		p := output.Printer{Format: format, Out: &b}
		if err := output.WriteRows(context.Background(), p, nameColumns, rows); err != nil {
			t.Error(err)
		}
	}
}

// failingWriter accepts some bytes.
type failingWriter struct{ left int }

var errFull = errors.New("no space left on device")

// Write implements io.Writer.
func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// What cannot be written is an error, wherever it ends, and reading stops.
func TestWriteRows_writeFails(t *testing.T) {
	for _, format := range output.Formats {
		for _, room := range []int{0, 100_000} {
			read := 0
			rows := func(yield func(any, error) bool) {
				for range 100_000 {
					if read++; !yield("name", nil) {
						return
					}
				}
			}
			err := output.WriteRows(
				context.Background(),
				output.Printer{Format: format, Out: &failingWriter{room}},
				nameColumns,
				rows,
			)
			if !errors.Is(err, errFull) || read > 50_000 {
				t.Errorf("%s with room for %d bytes: %v after %d rows", format, room, err, read)
			}
		}
	}
}

// FuzzIndent indents any JSON as encoding/json does.
func FuzzIndent(f *testing.F) {
	for _, text := range texts {
		f.Add(text, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		row := randomValue(rand.New(rand.NewPCG(seed, 0)), text, 4)
		got, err := write("json", nil, sequence([]any{row}, nil))
		if want := golden(t, []any{row}, "  "); got != want || err != nil {
			t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
		}
	})
}

// randomValue returns a value of any shape.
func randomValue(r *rand.Rand, text string, depth int) any {
	switch kind := r.IntN(6); {
	case kind == 0 && depth > 0:
		list := make([]any, r.IntN(3))
		for i := range list {
			list[i] = randomValue(r, text, depth-1)
		}
		return list
	case kind < 3 && depth > 0:
		members := map[string]any{}
		for i := range r.IntN(3) {
			members[fmt.Sprint(text, i)] = randomValue(r, text, depth-1)
		}
		return members
	case kind == 3:
		return r.Float64()
	case kind == 4:
		return nil
	}
	return text
}

// BenchmarkWriteRows writes objects in each format.
func BenchmarkWriteRows(b *testing.B) {
	var page client.ObjectPage
	entry := `{"name":"data/000/000/object-%06d.bin","etag":"0123456789abcdef0123456789abcdef",` +
		`"last_modified":"2026-11-20T02:11:00.125Z","owner":"9d6e1c5a-0b7f-4d0e-8c55-1f2e3d4c5b6a","size":1041}`
	var entries []string
	for i := range 1000 {
		entries = append(entries, fmt.Sprintf(entry, i))
	}
	if err := json.Unmarshal([]byte(`{"data":[`+strings.Join(entries, ",")+`]}`), &page); err != nil {
		b.Fatal(err)
	}
	columns := resource.EraseColumns([]resource.ColumnDefinition[client.Object]{
		{Name: "last_modified", Value: func(o client.Object) string { return resource.TimeValue(o.Modified) }},
		{Name: "size", Value: func(o client.Object) string { return fmt.Sprint(o.Size) }},
		{Name: "name", Value: func(o client.Object) string { return o.Name.Raw() }},
		{Name: "etag", Value: func(o client.Object) string { return o.ETag.Raw() }},
	})
	rows := func(yield func(any, error) bool) {
		for _, o := range page.Data {
			if !yield(o, nil) {
				return
			}
		}
	}
	for _, format := range output.Formats {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				p := output.Printer{Format: format, Out: io.Discard}
				if err := output.WriteRows(context.Background(), p, columns, rows); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/object")
		})
	}
}

// Rows are sorted by a column in both directions, equal ones as they came. Those whose value is not known come last in
// both.
func TestRowQuery_Rows_sorted(t *testing.T) {
	columns := []resource.ColumnDefinition[any]{{Name: "size", Value: func(row any) string {
		size, _, _ := strings.Cut(row.(string), " ")
		return size
	}}}
	rows := []any{"10 a", " b", "9 c", "10 d", " e", "100 f"}
	for order, want := range map[string]string{
		"size":  "[9 c 10 a 10 d 100 f  b  e]",
		"-size": "[100 f 10 a 10 d 9 c  b  e]",
	} {
		var got []any
		for row, err := range (output.RowQuery{Sort: order}).Rows(columns, sequence(rows, nil), time.Time{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, row)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", order, got, want)
		}
	}
}
