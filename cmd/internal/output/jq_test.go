package output_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"lookout/client"
	"lookout/client/visible"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
)

// jqPrinter returns a printer whose flags were checked.
func jqPrinter(t *testing.T, format, expression string) output.Printer {
	t.Helper()
	p := output.Printer{Format: format, JQ: expression}
	if err := p.Check(nil); err != nil {
		t.Fatal(err)
	}
	return p
}

// runJQ returns what an expression makes of rows.
func runJQ(t *testing.T, format, expression string, rows iter.Seq2[any, error]) (string, error) {
	t.Helper()
	var b strings.Builder
	p := jqPrinter(t, format, expression)
	p.Out = &b
	err := output.WriteRows(t.Context(), p, nil, rows)
	return b.String(), err
}

// jqRows are rows for expressions.
var jqRows = []any{
	map[string]any{"id": 1, "label": "web"}, map[string]any{"id": 2, "label": nil},
	map[string]any{"id": int64(9007199254740993), "label": "two\nlines"},
}

// With -o json an expression is given the array, with -o ndjson each row. Strings are printed without quotes, anything
// else as JSON, and numbers keep their digits.
func TestJQ_arrayAndRows(t *testing.T) {
	for _, c := range []struct{ format, expression, want string }{
		{"json", "length", "3\n"},
		{"json", ".[].id", "1\n2\n9007199254740993\n"},
		{"json", ".[0]", `{"id":1,"label":"web"}` + "\n"},
		{"json", "map(.label)", `["web",null,"two\nlines"]` + "\n"},
		{"json", ".[] | .label", "web\nnull\ntwo\nlines\n"},
		{"json", "empty", ""},
		{"ndjson", ".id", "1\n2\n9007199254740993\n"},
		{"ndjson", "select(.id == 2)", `{"id":2,"label":null}` + "\n"},
		{"ndjson", "[.id, .label] | @tsv", "1\tweb\n2\t\n9007199254740993\ttwo\\nlines\n"},
		{"ndjson", ".id, halt", "1\n"},
		{"json", "1, halt, 2", "1\n"},
	} {
		got, err := runJQ(t, c.format, c.expression, sequence(jqRows, nil))
		if got != c.want || err != nil {
			t.Errorf("-o %s --jq '%s': %v, %q", c.format, c.expression, err, got)
		}
	}
	for expression, want := range map[string]string{".": "[]\n", ".[]": ""} {
		if got, err := runJQ(t, "json", expression, sequence(nil, nil)); got != want || err != nil {
			t.Errorf("%s of no rows: %v, %q", expression, err, got)
		}
	}
	var b strings.Builder
	p := jqPrinter(t, "json", ".label")
	p.Out = &b
	if err := output.WriteRow(t.Context(), p, nil, jqRows[0]); err != nil || b.String() != "web\n" {
		t.Errorf("one row: %v, %q", err, b.String())
	}
}

// An expression sees every value as the JSON holds it, and none of it reaches a terminal as it is.
func TestJQ_hostileTexts(t *testing.T) {
	for _, text := range texts {
		row := &hostileRow{Text: client.NewText(text), Named: map[string]any{text: text}}
		for _, expression := range []string{".", ".text", "[.text]", ".named | keys[]", "{(.text): 1}", "@json"} {
			got, err := runJQ(t, "ndjson", expression, sequence([]any{row}, nil))
			if err != nil || strings.ContainsFunc(got, func(r rune) bool {
				return r != '\n' && r != '\t' && visible.Hidden(r) && !unicode.Is(unicode.Zs, r)
			}) {
				t.Errorf("%s of %q: %v, %q", expression, text, err, got)
			}
		}
		got, err := runJQ(t, "ndjson", ".", sequence([]any{row}, nil))
		var want, same any
		if json.Unmarshal([]byte(golden(t, row, "")), &want) != nil || err != nil ||
			json.Unmarshal([]byte(got), &same) != nil || !reflect.DeepEqual(same, want) {
			t.Errorf("%v, %q is not %v", err, got, want)
		}
		_, err = runJQ(t, "ndjson", ".text | error", sequence([]any{row}, nil))
		if err == nil || strings.ContainsFunc(err.Error(), visible.Hidden) {
			t.Errorf("the error of %q is %q", text, err)
		}
	}
}

// A wrong expression is a mistake of the command line. Expressions reach neither the environment, which may hold a
// token, nor files or other input.
func TestJQ_wrongOrForbidden(t *testing.T) {
	t.Setenv("LOOKOUT_TOKEN", "secret")
	for expression, want := range map[string]string{
		".[":                 "--jq: unexpected EOF after '.['",
		".[0}":               `--jq: unexpected token "}" after '.[0'`,
		".é\x1b":             "--jq: ",
		"nothing(1)":         "--jq: the function nothing/1 is not defined",
		"input":              "--jq: input(s)/0 is not allowed",
		"inputs":             "--jq: input(s)/0 is not allowed",
		"input_filename":     "--jq: the function input_filename/0 is not defined",
		`import "a" as a; .`: "--jq: cannot load module",
		`include "a"; .`:     "--jq: cannot load module",
		"debug":              "--jq: the function debug/0 is not defined",
	} {
		p := output.Printer{Format: "json", JQ: expression}
		err := p.Check(nil)
		if exit.CodeFor(err) != exit.CodeUsage || !strings.HasPrefix(err.Error(), want) ||
			strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("%q: %v", expression, err)
		}
	}
	got, err := runJQ(t, "json", "env, $ENV, env.LOOKOUT_TOKEN, $ENV.PATH", sequence(jqRows, nil))
	if got != "{}\n{}\nnull\nnull\n" || err != nil {
		t.Errorf("%v, %q", err, got)
	}
	for _, format := range []string{"table", "csv"} {
		p := output.Printer{Format: format, JQ: "."}
		if err := p.Check(nil); exit.CodeFor(err) != exit.CodeUsage ||
			err.Error() != "--jq is for JSON; use -o json or -o ndjson instead of -o "+format {
			t.Errorf("-o %s: %v", format, err)
		}
	}
}

// An error of an expression names its row, comes after the results before it, and ends the reading.
func TestJQ_errorsNameTheRow(t *testing.T) {
	for _, c := range []struct{ format, expression, printed, problem string }{
		{"ndjson", `.label | ascii_upcase`, "WEB\n", "--jq, row 2: ascii_upcase cannot be applied to null"},
		{"ndjson", `.id, (.label | ascii_upcase)`, "1\nWEB\n2\n", "--jq, row 2: ascii_upcase"},
		{"json", `.[] | .label | ascii_upcase`, "WEB\n", "--jq: ascii_upcase cannot be applied to null"},
		{"json", `"no" | halt_error`, "", `--jq: the expression ended with the error "no"`},
	} {
		got, err := runJQ(t, c.format, c.expression, sequence(jqRows, nil))
		if got != c.printed || err == nil || !strings.HasPrefix(err.Error(), c.problem) ||
			exit.CodeFor(err) != exit.CodeFailure {
			t.Errorf("-o %s --jq '%s': %v, %q", c.format, c.expression, err, got)
		}
	}
}

// If rows are missing, an expression is given those that were read one by one, but never an incomplete array.
func TestJQ_incompleteList(t *testing.T) {
	failure := errors.New("cut off")
	for format, want := range map[string]string{"json": "", "ndjson": "1\n2\n9007199254740993\n"} {
		got, err := runJQ(t, format, ".. | .id? // empty", sequence(jqRows, failure))
		if got != want || !errors.Is(err, failure) {
			t.Errorf("-o %s: %v, %q", format, err, got)
		}
	}
}

// A cancellingWriter cancels a context at the first write.
type cancellingWriter struct{ cancel context.CancelCauseFunc }

// errCtrlC is why a context was cancelled.
var errCtrlC = errors.New("interrupted")

// Write implements io.Writer.
func (w cancellingWriter) Write(p []byte) (int, error) {
	w.cancel(errCtrlC)
	return len(p), nil
}

// An expression without an end ends when it is interrupted.
func TestJQ_endlessExpressionIsInterrupted(t *testing.T) {
	for _, format := range []string{"json", "ndjson"} {
		for _, expression := range []string{"1, (def f: f; f)", "1, last(range(infinite))", "repeat(1)"} {
			ctx, cancel := context.WithCancelCause(t.Context())
			p := jqPrinter(t, format, expression)
			p.Out = cancellingWriter{cancel}
			if err := output.WriteRows(ctx, p, nil, sequence(jqRows, nil)); !errors.Is(err, errCtrlC) {
				t.Errorf("-o %s --jq '%s': %v", format, expression, err)
			}
		}
	}
}

// With -o ndjson the results are written while rows are read.
func TestJQ_streams(t *testing.T) {
	var b countingWriter
	p := jqPrinter(t, "ndjson", ".")
	p.Out = &b
	rows := func(yield func(any, error) bool) {
		for range 20_000 {
			if !yield(strings.Repeat("x", 100), nil) {
				return
			}
		}
		if b.Len() < 1_000_000 {
			t.Errorf("%d bytes are written before the end", b.Len())
		}
	}
	if err := output.WriteRows(t.Context(), p, nil, rows); err != nil {
		t.Error(err)
	}
}
