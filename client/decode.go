package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unsafe"
)

var errNoJSON = errors.New("the JSON text is cut or no JSON")

// A scanner goes through the text of one JSON value.
type scanner struct {
	s string
	i int
}

// scan begins at the first byte of a text, which must not be changed meanwhile.
func scan(text []byte) scanner { return scanner{s: unsafe.String(unsafe.SliceData(text), len(text))} }

// eachMember gives each member of an object in its order, those that come twice included. Somebody has found the object to be valid: what is
// not ends with an error, but not each fault is seen.
func eachMember(object []byte, each func(name, value []byte) error) error {
	r := scan(object)
	return r.list('{', "an object", func() error {
		name := r.value(object)
		if len(name) < 2 || name[0] != '"' || !r.take(':') {
			return errNoJSON
		}
		value := r.value(object)
		if len(value) == 0 {
			return errNoJSON
		}
		return each(plainName(name), value)
	})
}

// partsOf adds the members of an object to a map; of those that come twice the last counts.
func partsOf(object []byte, into map[string][]byte) error {
	return eachMember(object, func(name, value []byte) error {
		into[string(name)] = value
		return nil
	})
}

// eachElement gives each element of a list, on the same terms.
func eachElement(list []byte, each func(value []byte) error) error {
	r := scan(list)
	return r.list('[', "a list", func() error {
		value := r.value(list)
		if len(value) == 0 {
			return errNoJSON
		}
		return each(value)
	})
}

// list goes from bracket to bracket; item takes what stands between commas.
func (r *scanner) list(bracket byte, what string, item func() error) error {
	end := bracket + 2 // in ASCII, of both
	if !r.take(bracket) {
		return fmt.Errorf("%s instead of %s", kind([]byte(strings.TrimSpace(r.s))), what)
	}
	if r.take(end) {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if r.take(end) {
			return nil
		}
		if !r.take(',') {
			return errNoJSON
		}
	}
}

// plainName is a member's name without quotes and escapes.
func plainName(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var t Text
	_ = t.UnmarshalJSON(quoted)
	return []byte(t.raw)
}

// take passes over white space and one byte, if that is what comes.
func (r *scanner) take(c byte) bool {
	r.space()
	if r.i == len(r.s) || r.s[r.i] != c {
		return false
	}
	r.i++
	return true
}

// space passes over white space.
func (r *scanner) space() {
	for r.i < len(r.s) && (r.s[r.i] == ' ' || r.s[r.i] == '\n' || r.s[r.i] == '\t' || r.s[r.i] == '\r') {
		r.i++
	}
}

// value is the next value as it is written in the text that is scanned; nothing where there is none.
func (r *scanner) value(text []byte) []byte {
	r.space()
	from := r.i
	r.pass()
	return text[from:r.i]
}

// pass passes over a value.
func (r *scanner) pass() {
	depth := 0
	for r.i < len(r.s) {
		switch r.s[r.i] {
		case '"':
			r.passText()
		case '{', '[':
			depth++
			r.i++
		case '}', ']':
			if depth == 0 {
				return
			}
			depth--
			r.i++
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return
			}
			fallthrough
		default:
			r.i++
			continue
		}
		if depth == 0 {
			return
		}
	}
}

// passText passes over a text between quotes.
func (r *scanner) passText() {
	for r.i++; r.i < len(r.s); r.i++ {
		switch r.s[r.i] {
		case '\\':
			r.i++
		case '"':
			r.i++
			return
		}
	}
	r.i = len(r.s)
}

// exact takes members by their exact names: encoding/json would take DATA for data. A member that comes twice is an error: which of the
// two is meant nobody knows.
func exact(body []byte, wanted map[string]*json.RawMessage) error {
	return eachMember(body, func(name, value []byte) error {
		into, there := wanted[string(name)]
		switch {
		case there && *into != nil:
			return fmt.Errorf("the member %s comes twice", name)
		case there:
			*into = value
		}
		return nil
	})
}

// A fields is what the fields of a struct are called in JSON, and what one object holds of them.
type fields struct {
	names  []string // "" where a field has none
	values [][]byte
	inner  []*fields // of fields that are structs without a reader of their own
}

// fieldsOf reads the tags of a struct.
func fieldsOf(t reflect.Type) *fields {
	f := &fields{names: make([]string, t.NumField()), values: make([][]byte, t.NumField()), inner: make([]*fields, t.NumField())}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		f.names[i] = name
		if field.Type.Kind() == reflect.Struct && !reflect.PointerTo(field.Type).Implements(reflect.TypeFor[json.Unmarshaler]()) {
			f.inner[i] = fieldsOf(field.Type)
		}
	}
	return f
}

// find takes from an object what there are fields for; of members that come twice the last. It gives how many there are.
func (f *fields) find(object []byte) (found int, err error) {
	clear(f.values)
	err = eachMember(object, func(name, value []byte) error {
		for i, n := range f.names {
			if n != "" && n == string(name) {
				if f.values[i] == nil {
					found++
				}
				f.values[i] = value
				break
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("an object was expected, not %s", kind(bytes.TrimSpace(object)))
	}
	return found, nil
}

// read decodes an object field by field into a struct. Members of the wrong type leave their field empty and are named.
func (f *fields) read(object []byte, into reflect.Value) (odd []string, found int, err error) {
	if found, err = f.find(object); err != nil {
		return nil, 0, err
	}
	for i, value := range f.values {
		switch {
		case value == nil || string(value) == "null":
		case f.inner[i] != nil:
			within, _, err := f.inner[i].read(value, into.Field(i))
			if err != nil {
				odd = append(odd, f.names[i])
			}
			for _, n := range within {
				odd = append(odd, f.names[i]+"."+n)
			}
		case !cell(value, into.Field(i)):
			into.Field(i).SetZero()
			odd = append(odd, f.names[i])
		}
	}
	return odd, found, nil
}

// cell decodes one value. What rows are mostly made of takes a shorter way than encoding/json's, to the same end.
func cell(value []byte, field reflect.Value) bool {
	switch into := field.Addr().Interface().(type) {
	case json.Unmarshaler:
		return into.UnmarshalJSON(value) == nil
	case *int:
		n, err := strconv.Atoi(string(value))
		*into = n
		return err == nil
	default:
		if field.Kind() == reflect.String && len(value) > 1 && value[0] == '"' && ascii(value[1:len(value)-1]) {
			field.SetString(string(value[1 : len(value)-1]))
			return true
		}
		return json.Unmarshal(value, into) == nil
	}
}

// ascii reports whether a text stands for itself.
func ascii(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}

// lenient decodes one object into a struct: see fields.read.
func lenient(raw []byte, into any) (odd []string, found int, err error) {
	v := reflect.ValueOf(into).Elem()
	if v.Kind() != reflect.Struct {
		return nil, 1, json.Unmarshal(raw, into)
	}
	return fieldsOf(v.Type()).read(raw, v)
}
