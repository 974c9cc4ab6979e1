package output

import (
	"bytes"
	"encoding/json"
	"io"

	"lookout/client/visible"
)

// WriteJSON writes a value and a line break. It escapes hidden characters, which does not change the value.
func WriteJSON(out io.Writer, v any, indent string) error {
	text, err := compactJSON(nil, v)
	if err != nil {
		return err
	}
	if indent != "" {
		text = appendIndented(nil, text, "\n", indent)
	}
	_, err = out.Write(append(text, '\n'))
	return err
}

// jsonIndent is one step of indentation.
const jsonIndent = "  "

// jsonLines writes rows as JSON, one per line.
type jsonLines struct {
	out  *rowBuffer
	text []byte // of the row before, to be overwritten
}

func (w *jsonLines) row(row any) (err error) {
	if w.text, err = compactJSON(w.text[:0], row); err != nil {
		return err
	}
	w.text = append(w.text, '\n')
	_, err = w.out.Write(w.text)
	return err
}

func (w *jsonLines) end(bool) error { return nil }

// jsonArray writes rows as the elements of one JSON array.
type jsonArray struct {
	out            *rowBuffer
	text, indented []byte // of the row before, to be overwritten
	begun          bool
}

func (w *jsonArray) row(row any) (err error) {
	if w.text, err = compactJSON(w.text[:0], row); err != nil {
		return err
	}
	w.indented = append(w.indented[:0], ",\n"+jsonIndent...)
	if !w.begun {
		w.indented[0], w.begun = '[', true
	}
	w.indented = appendIndented(w.indented, w.text, "\n"+jsonIndent, jsonIndent)
	_, err = w.out.Write(w.indented)
	return err
}

// end closes the array. Without some of its rows it stays open, and if none could be read it is not begun.
func (w *jsonArray) end(complete bool) error {
	text := "\n]\n"
	switch {
	case !complete && !w.begun:
		return nil
	case !complete:
		text = "\n"
	case !w.begun:
		text = "[]\n"
	}
	return WriteText(w.out, text)
}

// A jsonAppender writes itself as JSON: the rows of lists that can be long.
type jsonAppender interface {
	// AppendJSON appends what MarshalJSON returns.
	AppendJSON(to []byte) []byte
}

// compactJSON appends a value in one line, with hidden characters escaped.
func compactJSON(to []byte, v any) ([]byte, error) {
	if row, ok := v.(jsonAppender); ok {
		return visible.EscapeJSON(row.AppendJSON(to)), nil
	}
	b := bytes.NewBuffer(to)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return visible.EscapeJSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// appendIndented appends valid compact JSON as json.Indent would, which takes four times as long because it checks what
// it reads. newline is what begins a line on the outermost level.
func appendIndented(to, text []byte, newline, indent string) []byte {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			from := i
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			to = append(to, text[from:i+1]...)
		case '{', '[':
			to = append(to, c)
			if next := text[i+1]; next == '}' || next == ']' {
				to = append(to, next)
				i++
				continue
			}
			newline += indent
			to = append(to, newline...)
		case '}', ']':
			newline = newline[:len(newline)-len(indent)]
			to = append(append(to, newline...), c)
		case ',':
			to = append(append(to, c), newline...)
		case ':':
			to = append(to, c, ' ')
		default:
			to = append(to, c)
		}
	}
	return to
}
