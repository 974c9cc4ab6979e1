package output

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/visible"
	"lookout/cmd/internal/exit"
)

// AddJQFlag adds the flag --jq.
func (p *Printer) AddJQFlag(set *pflag.FlagSet) {
	set.StringVar(&p.JQ, "jq", "", "print the results of this jq expression, each followed by a newline; "+
		"strings are printed without quotes")
}

// A jqQuery is a compiled jq expression. It reaches neither files nor the environment, which may hold a token.
type jqQuery struct{ code *gojq.Code }

// compileJQ returns an error that says what is wrong with an expression, and where.
func compileJQ(text string) (*jqQuery, error) {
	query, err := gojq.Parse(text)
	if wrong, ok := errors.AsType[*gojq.ParseError](err); ok {
		before := text[:min(max(0, wrong.Offset-len(wrong.Token)), len(text))]
		return nil, exit.Usage(fmt.Errorf("--jq: %s after '%s'", jqReason(err), client.Clean(before)))
	}
	var code *gojq.Code
	if err == nil {
		code, err = gojq.Compile(query)
	}
	if err != nil {
		return nil, exit.Usage(fmt.Errorf("--jq: %s", jqReason(err)))
	}
	return &jqQuery{code}, nil
}

// maxJQReason is how much of a value that an expression gives as its error is shown, in bytes.
const maxJQReason = 200

// jqReason returns the text of an error of gojq without colons, so that it can follow one.
func jqReason(err error) string {
	if own, ok := errors.AsType[gojq.ValueError](err); ok { // the expression called error or halt_error
		text, isText := own.Value().(string)
		if data, failed := gojq.Marshal(own.Value()); !isText && failed == nil && len(data) <= maxJQReason {
			return "the expression ended with the error " + client.Clean(string(data))
		}
		text = client.Clean(text[:min(len(text), maxJQReason)])
		return `the expression ended with the error "` + strings.ReplaceAll(text, `"`, "'") + `"`
	}
	text := client.Clean(err.Error())
	if what, name, found := strings.Cut(text, " not defined: "); found {
		return fmt.Sprintf("the %s %s is not defined", what, name)
	}
	for _, end := range []string{" ...]", " ...}"} { // a value that is not shown in full
		if from, to := strings.IndexAny(text, "[{"), strings.Index(text, end); from >= 0 && from < to {
			text = text[:from] + "…" + text[to+len(end):]
		}
	}
	parts := strings.Split(text, `"`)
	for i := 0; i < len(parts); i += 2 { // those between are in quotation marks
		for _, word := range []string{"got", "to", "by", "add", "over", "including", "against", "module"} {
			parts[i] = strings.ReplaceAll(parts[i], " "+word+": ", " "+word+" ")
		}
		parts[i] = strings.ReplaceAll(parts[i], ": ", ", ")
	}
	return strings.Join(parts, `"`)
}

// errHalted ends the output without an error: the expression called halt.
var errHalted = errors.New("halted")

// jqRows writes what an expression makes of each row or, if it is whole, of the array of all rows, which it then keeps.
// Of an array with missing rows it writes nothing: a part could be taken for the whole.
type jqRows struct {
	ctx        context.Context
	out        *rowBuffer
	query      *jqQuery
	onTerminal bool
	whole      bool
	rows       []any
	count      int // of the rows so far; 0 if the value is none of several rows
}

// newJQ returns what writes the results of the printer's expression.
func (p Printer) newJQ(ctx context.Context, out *rowBuffer) *jqRows {
	_, onTerminal := AsTerminal(p.Out)
	return &jqRows{
		ctx:        ctx,
		out:        out,
		query:      p.query,
		onTerminal: onTerminal,
		whole:      p.Format == "json",
		rows:       []any{},
	}
}

func (w *jqRows) row(row any) error {
	value, err := jqValue(row)
	if err != nil {
		return err
	}
	if w.whole {
		w.rows = append(w.rows, value)
		return nil
	}
	w.count++
	return w.write(value)
}

func (w *jqRows) end(complete bool) error {
	if !w.whole || !complete {
		return nil
	}
	return w.write(w.rows)
}

// write writes the results for a value, one per line.
func (w *jqRows) write(value any) error {
	results := w.query.code.RunWithContext(w.ctx, value)
	for {
		result, more := results.Next()
		if !more {
			return nil
		}
		if err, failed := result.(error); failed {
			return w.failure(err)
		}
		line, err := w.line(result)
		if err != nil {
			return err
		}
		if err := cmp.Or(WriteText(w.out, line+"\n"), w.out.flushIfOld()); err != nil {
			return err
		}
	}
}

// failure returns the error of an expression with the row that it was given; errHalted if it called halt.
func (w *jqRows) failure(err error) error {
	var halt *gojq.HaltError
	switch {
	case errors.As(err, &halt) && halt.Value() == nil:
		return errHalted
	case w.ctx.Err() != nil:
		return context.Cause(w.ctx)
	case w.count > 0:
		return fmt.Errorf("--jq, row %d: %s", w.count, jqReason(err))
	}
	return fmt.Errorf("--jq: %s", jqReason(err))
}

// line returns a result as it is printed: a string without quotes and with its hidden characters made visible, anything
// else as JSON. Tabs stay, and so do line breaks in a pipe: on a terminal a server's text must not look like a result.
func (w *jqRows) line(result any) (string, error) {
	text, ok := result.(string)
	if !ok {
		data, err := gojq.Marshal(result)
		return string(visible.EscapeJSON(data)), err
	}
	text = sanitizeText(text)
	if w.onTerminal {
		text = strings.ReplaceAll(text, "\n", client.Clean("\n"))
	}
	return text, nil
}

// jqValue returns a row as an expression sees it: as it is printed as JSON.
func jqValue(row any) (value any, err error) {
	text, err := compactJSON(nil, row)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // keeps the digits of large numbers
	err = decoder.Decode(&value)
	return value, err
}
