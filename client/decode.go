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

var errInvalidJSON = errors.New("the JSON text is cut or no JSON")

// A jsonScanner goes through the text of one JSON value.
type jsonScanner struct {
	input string
	pos   int
}

// newJSONScanner begins at the first byte of a text, which must not be changed meanwhile.
func newJSONScanner(text []byte) jsonScanner {
	return jsonScanner{input: unsafe.String(unsafe.SliceData(text), len(text))}
}

// eachMember gives each member of an object in its order, those that come twice included. Somebody has found the object
// to be valid: what is not ends with an error, but not each fault is seen.
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

// readMembers adds the members of an object to a map; of those that come twice the last counts.
func readMembers(object []byte, into map[string][]byte) error {
	return eachMember(object, func(name, value []byte) error {
		into[string(name)] = value
		return nil
	})
}

// eachElement gives each element of a list, on the same terms.
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

// eachItem goes from bracket to bracket; item takes what stands between commas.
func (r *jsonScanner) eachItem(bracket byte, what string, item func() error) error {
	end := bracket + 2 // in ASCII, of both
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

// unquoteName is a member's name without quotes and escapes.
func unquoteName(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var t Text
	_ = t.UnmarshalJSON(quoted)
	return []byte(t.raw)
}

// consume passes over white space and one byte, if that is what comes.
func (r *jsonScanner) consume(c byte) bool {
	r.skipSpace()
	if r.pos == len(r.input) || r.input[r.pos] != c {
		return false
	}
	r.pos++
	return true
}

// skipSpace passes over white space.
func (r *jsonScanner) skipSpace() {
	for r.pos < len(r.input) && (r.input[r.pos] == ' ' || r.input[r.pos] == '\n' || r.input[r.pos] == '\t' || r.input[r.pos] == '\r') {
		r.pos++
	}
}

// value is the next value as it is written in the text that is scanned; nothing where there is none.
func (r *jsonScanner) value(text []byte) []byte {
	r.skipSpace()
	from := r.pos
	r.skipValue()
	return text[from:r.pos]
}

// skipValue passes over a value.
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

// skipString passes over a text between quotes.
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

// extractMembers takes members by their exact names: encoding/json would take DATA for data. A member that comes twice
// is an error: which of the two is meant nobody knows.
func extractMembers(body []byte, wanted map[string]*json.RawMessage) error {
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

// A structDecoder is what the fields of a struct are called in JSON, and what one object holds of them.
type structDecoder struct {
	names  []string // "" where a field has none
	values [][]byte
	nested []*structDecoder // of fields that are structs without a reader of their own
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

// match takes from an object what there are fields for; of members that come twice the last. It gives how many there
// are.
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

// decode decodes an object field by field into a struct. Members of the wrong type leave their field empty and are
// named.
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

// decodeValue decodes one value. What rows are mostly made of takes a shorter way than encoding/json's, to the same
// end.
func decodeValue(value []byte, field reflect.Value) bool {
	switch into := field.Addr().Interface().(type) {
	case json.Unmarshaler:
		return into.UnmarshalJSON(value) == nil
	case *int:
		n, err := strconv.Atoi(string(value))
		*into = n
		return err == nil
	default:
		if field.Kind() == reflect.String && len(value) > 1 && value[0] == '"' && unescapedASCII(value[1:len(value)-1]) {
			field.SetString(string(value[1 : len(value)-1]))
			return true
		}
		return json.Unmarshal(value, into) == nil
	}
}

// unescapedASCII reports whether a text stands for itself.
func unescapedASCII(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}

// decodeLenient decodes one object into a struct: see fields.read.
func decodeLenient(raw []byte, into any) (odd []string, found int, err error) {
	v := reflect.ValueOf(into).Elem()
	if v.Kind() != reflect.Struct {
		return nil, 1, json.Unmarshal(raw, into)
	}
	return newStructDecoder(v.Type()).decode(raw, v)
}
