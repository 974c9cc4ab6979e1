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

var errInvalidJSON = errors.New("the JSON text is cut off or invalid")

// A jsonScanner scans the text of one JSON value.
type jsonScanner struct {
	input string
	pos   int
}

// newJSONScanner starts at the first byte of a text, which must not be changed meanwhile.
func newJSONScanner(text []byte) jsonScanner {
	return jsonScanner{input: unsafe.String(unsafe.SliceData(text), len(text))}
}

// eachMember calls a function for each member of an object, in order; repeated names are included. The caller has
// checked that the object is valid: an invalid one ends with an error, but not every mistake is noticed.
func eachMember(object []byte, each func(name, value []byte) error) error {
	r := newJSONScanner(object)
	return r.eachItem('{', "an object", func() error {
		name := r.value(object)
		if len(name) < 2 || name[0] != '"' || !r.consume(':') {
			return errInvalidJSON
		}
		value := r.value(object)
		if len(value) == 0 {
			return errInvalidJSON
		}
		return each(unquoteName(name), value)
	})
}

// readMembers adds the members of an object to a map; if a name is repeated, the last member counts.
func readMembers(object []byte, into map[string][]byte) error {
	return eachMember(object, func(name, value []byte) error {
		into[string(name)] = value
		return nil
	})
}

// eachElement calls a function for each element of a list; validity is as for eachMember.
func eachElement(list []byte, each func(value []byte) error) error {
	r := newJSONScanner(list)
	return r.eachItem('[', "a list", func() error {
		value := r.value(list)
		if len(value) == 0 {
			return errInvalidJSON
		}
		return each(value)
	})
}

// eachItem scans from bracket to bracket; item scans one item between commas.
func (r *jsonScanner) eachItem(bracket byte, what string, item func() error) error {
	end := bracket + 2 // true of both brackets in ASCII
	if !r.consume(bracket) {
		return fmt.Errorf("%s instead of %s", jsonKind([]byte(strings.TrimSpace(r.input))), what)
	}
	if r.consume(end) {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if r.consume(end) {
			return nil
		}
		if !r.consume(',') {
			return errInvalidJSON
		}
	}
}

// unquoteName returns a member's name without quotes and escapes.
func unquoteName(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var t ServerText
	_ = t.UnmarshalJSON(quoted)
	return []byte(t.raw)
}

// consume skips white space and then one byte, if it is the given one.
func (r *jsonScanner) consume(c byte) bool {
	r.skipSpace()
	if r.pos == len(r.input) || r.input[r.pos] != c {
		return false
	}
	r.pos++
	return true
}

// skipSpace skips white space.
func (r *jsonScanner) skipSpace() {
	for ; r.pos < len(r.input); r.pos++ {
		switch r.input[r.pos] {
		case ' ', '\n', '\t', '\r':
		default:
			return
		}
	}
}

// value returns the next value as it is written in the scanned text; empty if there is none.
func (r *jsonScanner) value(text []byte) []byte {
	r.skipSpace()
	from := r.pos
	r.skipValue()
	return text[from:r.pos]
}

// skipValue skips a value.
func (r *jsonScanner) skipValue() {
	depth := 0
	for r.pos < len(r.input) {
		switch r.input[r.pos] {
		case '"':
			r.skipString()
		case '{', '[':
			depth++
			r.pos++
		case '}', ']':
			if depth == 0 {
				return
			}
			depth--
			r.pos++
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return
			}
			fallthrough
		default:
			r.pos++
			continue
		}
		if depth == 0 {
			return
		}
	}
}

// skipString skips a quoted string.
func (r *jsonScanner) skipString() {
	for r.pos++; r.pos < len(r.input); r.pos++ {
		switch r.input[r.pos] {
		case '\\':
			r.pos++
		case '"':
			r.pos++
			return
		}
	}
	r.pos = len(r.input)
}

// extractMembers finds members by their exact names; encoding/json would accept DATA for data. A repeated member is an
// error, because it is unclear which of the two is meant.
func extractMembers(body []byte, wanted map[string]*json.RawMessage) error {
	return eachMember(body, func(name, value []byte) error {
		into, there := wanted[string(name)]
		switch {
		case there && *into != nil:
			return fmt.Errorf("the member %s appears twice", name)
		case there:
			*into = value
		}
		return nil
	})
}

// A structDecoder holds the JSON names of a struct's fields, and the values that one object has for them.
type structDecoder struct {
	names  []string // "" for a field without one
	values [][]byte
	nested []*structDecoder // for fields that are structs without an UnmarshalJSON
}

// newStructDecoder reads the tags of a struct.
func newStructDecoder(t reflect.Type) *structDecoder {
	f := &structDecoder{
		names:  make([]string, t.NumField()),
		values: make([][]byte, t.NumField()),
		nested: make([]*structDecoder, t.NumField()),
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		f.names[i] = name
		if field.Type.Kind() == reflect.Struct &&
			!reflect.PointerTo(field.Type).Implements(reflect.TypeFor[json.Unmarshaler]()) {
			f.nested[i] = newStructDecoder(field.Type)
		}
	}
	return f
}

// match collects the members of an object that have a field; if a name is repeated, the last member counts. It returns
// how many there are.
func (f *structDecoder) match(object []byte) (found int, err error) {
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
		return 0, fmt.Errorf("an object was expected, not %s", jsonKind(bytes.TrimSpace(object)))
	}
	return found, nil
}

// decode decodes an object into a struct, field by field. It returns the names of members that have the wrong type;
// their fields stay empty.
func (f *structDecoder) decode(object []byte, into reflect.Value) (odd []string, found int, err error) {
	if found, err = f.match(object); err != nil {
		return nil, 0, err
	}
	for i, value := range f.values {
		switch {
		case value == nil || string(value) == "null":
		case f.nested[i] != nil:
			within, _, err := f.nested[i].decode(value, into.Field(i))
			if err != nil {
				odd = append(odd, f.names[i])
			}
			for _, n := range within {
				odd = append(odd, f.names[i]+"."+n)
			}
		case !decodeValue(value, into.Field(i)):
			into.Field(i).SetZero()
			odd = append(odd, f.names[i])
		}
	}
	return odd, found, nil
}

// decodeValue decodes one value and reports whether it is valid. The most frequent types are decoded faster
// than by encoding/json, with the same result.
func decodeValue(value []byte, field reflect.Value) bool {
	switch into := field.Addr().Interface().(type) {
	case json.Unmarshaler:
		return into.UnmarshalJSON(value) == nil
	case *int:
		n, err := strconv.Atoi(string(value))
		*into = n
		return err == nil
	default:
		quoted := len(value) > 1 && value[0] == '"'
		if field.Kind() == reflect.String && quoted && unescapedASCII(value[1:len(value)-1]) {
			field.SetString(string(value[1 : len(value)-1]))
			return true
		}
		return json.Unmarshal(value, into) == nil
	}
}

// unescapedASCII reports whether the text of a JSON string stands for itself.
func unescapedASCII(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}

// decodeLenient decodes one object into a struct; see structDecoder.decode.
func decodeLenient(raw []byte, into any) (odd []string, found int, err error) {
	v := reflect.ValueOf(into).Elem()
	if v.Kind() != reflect.Struct {
		return nil, 1, json.Unmarshal(raw, into)
	}
	return newStructDecoder(v.Type()).decode(raw, v)
}

// An Optional is a value that an answer may leave out or give as null. The zero value is unknown.
type Optional[T any] struct {
	value T
	known bool
}

// Known returns an Optional that has a value.
func Known[T any](value T) Optional[T] { return Optional[T]{value, true} }

// Value returns the value, and whether it is known.
func (o Optional[T]) Value() (value T, known bool) { return o.value, o.known }

// UnmarshalJSON accepts a value; null is unknown.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	*o = Optional[T]{}
	if string(data) == "null" {
		return nil
	}
	err := json.Unmarshal(data, &o.value)
	o.known = err == nil
	return err
}

// MarshalJSON encodes the value, or null if it is unknown.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.known {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}
