package client

import (
	"bytes"
	"math"
	"strings"
)

// A fastDecoder decodes itself from a whole answer of the usual shape, and declines any other, which is then decoded by
// the general decoder. It must not accept anything that the general decoder would decode differently.
type fastDecoder interface {
	decodeFast(data []byte) bool // data must not be changed afterwards
}

// decodeFast decodes a listing in one pass: members in any order, unknown ones skipped if they are neither objects nor
// lists. It declines members of the wrong type, and invalid JSON.
func (p *ObjectPage) decodeFast(data []byte) bool {
	r := objectPageDecoder{jsonScanner: newJSONScanner(data)}
	page, ok := r.page()
	if ok {
		*p = page
	}
	return ok
}

// An objectPageDecoder scans the text of a listing. The strings that it returns are parts of that text.
type objectPageDecoder struct {
	jsonScanner
	lastOwner string // of the previous object: most have the same
}

func (r *objectPageDecoder) page() (p ObjectPage, ok bool) {
	found, next := false, ""
	seen := map[string]bool{}
	ok = r.object(func(name string) bool {
		if seen[name] {
			return false // the general decoder reports the error
		}
		switch name {
		case "data", "is_truncated", "next_marker":
			seen[name] = true
		}
		switch name {
		case "data":
			found = true
			p.Data, ok = r.rows()
			return ok
		case "is_truncated":
			before := r.pos
			ok := r.skipScalar()
			p.Truncated = r.input[before:r.pos] == "true"
			return ok
		case "next_marker":
			next, ok = r.text()
			return ok
		}
		return r.skipScalar()
	})
	r.skipSpace()
	if p.Truncated {
		p.NextMarker = next
	}
	return p, ok && found && r.pos == len(r.input)
}

// rows decodes the list of objects.
func (r *objectPageDecoder) rows() ([]Object, bool) {
	if !r.consume('[') {
		return nil, false
	}
	rows := make([]Object, 0, min(pageSize, (len(r.input)-r.pos)/16))
	if r.consume(']') {
		return rows, true
	}
	for len(rows) < maxPageRows { // the general decoder reports the error
		rows = append(rows, Object{Size: UnknownSize})
		last := &rows[len(rows)-1]
		if !r.row(last) {
			return nil, false
		}
		if last.Size < 0 {
			*last = last.withValidSize()
		}
		if r.consume(']') {
			return rows, true
		}
		if !r.consume(',') {
			return nil, false
		}
	}
	return nil, false
}

// row decodes one object. If a member is repeated, the last one counts.
func (r *objectPageDecoder) row(o *Object) bool {
	return r.object(func(name string) (ok bool) {
		var text string
		switch name {
		case "name":
			text, ok = r.text()
			o.Name = NewText(text)
		case "etag":
			text, ok = r.text()
			o.ETag = NewETag(text)
		case "last_modified":
			text, ok = r.text()
			o.Modified = parseTime(text)
		case "owner":
			if text, ok = r.text(); text == r.lastOwner {
				text = r.lastOwner
			}
			r.lastOwner, o.Owner = text, NewText(text)
		case "size":
			o.Size, ok = r.size()
		default:
			return r.skipScalar()
		}
		return ok
	})
}

// object scans an object; member decodes the value of one member.
func (r *objectPageDecoder) object(member func(name string) bool) bool {
	if !r.consume('{') {
		return false
	}
	if r.consume('}') {
		return true
	}
	for {
		r.skipSpace()
		name, escaped, ok := r.quoted()
		if !ok || escaped || !r.consume(':') {
			return false
		}
		r.skipSpace()
		if !member(name) {
			return false
		}
		if r.consume('}') {
			return true
		}
		if !r.consume(',') {
			return false
		}
	}
}

// skipLiteral skips a literal if it comes next.
func (r *objectPageDecoder) skipLiteral(w string) bool {
	if !strings.HasPrefix(r.input[r.pos:], w) {
		return false
	}
	r.pos += len(w)
	return true
}

// text decodes a string, or null, which is the empty one.
func (r *objectPageDecoder) text() (string, bool) {
	if r.skipLiteral("null") {
		return "", true
	}
	from := r.pos
	s, escaped, ok := r.quoted()
	if !ok || !escaped {
		return s, ok
	}
	var t ServerText
	err := t.UnmarshalJSON([]byte(r.input[from:r.pos]))
	return t.raw, err == nil
}

// quoted returns a string as it is written between its quotes.
func (r *objectPageDecoder) quoted() (s string, escaped, ok bool) {
	if r.pos == len(r.input) || r.input[r.pos] != '"' {
		return "", false, false
	}
	from := r.pos + 1
	n := strings.IndexByte(r.input[from:], '"')
	if n < 0 {
		return "", false, false
	}
	if s = r.input[from : from+n]; unescaped(s) {
		r.pos = from + n + 1
		return s, false, true
	}
	for i := from; i < len(r.input); i++ {
		switch specialBytes[r.input[i]] {
		case 0:
			continue
		case '"':
			r.pos = i + 1
			return r.input[from:i], escaped, true
		case '\\':
			escaped = true
			i++
		default:
			return "", false, false
		}
	}
	return "", false, false
}

// unescaped reports whether a string has no backslash and no control character. It checks eight bytes at a time:
// subtracting borrows from the high bit of bytes that are too small. It may wrongly report false, but never true.
func unescaped(s string) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		y := x ^ ones*'\\'
		if ((x-ones*' ')&^x|(y-ones)&^y)&highs != 0 {
			return false
		}
	}
	for i := range len(s) {
		if specialBytes[s[i]] != 0 {
			return false
		}
	}
	return true
}

// specialBytes marks the bytes of a string that do not stand for themselves: the quote, the backslash, and controls,
// which are 1.
var specialBytes = func() (table [256]byte) {
	for c := range ' ' {
		table[c] = 1
	}
	table['"'], table['\\'] = '"', '\\'
	return table
}()

// size decodes a non-negative integer, or null, which is UnknownSize.
func (r *objectPageDecoder) size() (int64, bool) {
	if r.skipLiteral("null") {
		return UnknownSize, true
	}
	from, n := r.pos, int64(0)
	for ; r.pos < len(r.input); r.pos++ {
		d := r.input[r.pos] - '0'
		if d > 9 {
			break
		}
		if n > (math.MaxInt64-9)/10 {
			return 0, false
		}
		n = n*10 + int64(d)
	}
	if r.pos == from || r.input[from] == '0' && r.pos > from+1 {
		return 0, false
	}
	return n, r.pos == len(r.input) || !strings.ContainsRune(".eE", rune(r.input[r.pos]))
}

// skipScalar skips a value that is neither an object nor a list.
func (r *objectPageDecoder) skipScalar() bool {
	if r.skipLiteral("null") || r.skipLiteral("true") || r.skipLiteral("false") {
		return true
	}
	if r.pos < len(r.input) && r.input[r.pos] == '"' {
		_, ok := r.text()
		return ok
	}
	_, ok := r.size()
	return ok
}

// trimBody returns an answer without a byte order mark and without white space around it.
func trimBody(data []byte) []byte { return bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\ufeff")) }
