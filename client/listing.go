package client

import (
	"bytes"
	"math"
	"strings"
)

// A quick answer can read itself from a whole answer of the usual shape, and declines any other: what it declines is read the long way, so
// it must take nothing that the long way would read otherwise.
type quick interface {
	readQuick(data []byte) bool // data must not be changed afterwards
}

// readQuick reads a listing in one pass: members in any order, unknown ones passed over where they are no objects or lists. It declines
// members of the wrong type and whatever is not JSON.
func (p *ObjectPage) readQuick(data []byte) bool {
	r := objectReader{scanner: scan(data)}
	page, ok := r.page()
	if ok {
		*p = page
	}
	return ok
}

// objectReader goes through the text of a listing. What it gives are parts of that text.
type objectReader struct {
	scanner
	owner string // of the object before: most have the same
}

func (r *objectReader) page() (p ObjectPage, ok bool) {
	found, next := false, ""
	seen := map[string]bool{}
	ok = r.object(func(name string) bool {
		if seen[name] {
			return false // the long way says so
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
			before := r.i
			ok := r.skip()
			p.Truncated = r.s[before:r.i] == "true"
			return ok
		case "next_marker":
			next, ok = r.text()
			return ok
		}
		return r.skip()
	})
	r.space()
	if p.Truncated {
		p.Next = next
	}
	return p, ok && found && r.i == len(r.s)
}

// rows reads the list of objects.
func (r *objectReader) rows() ([]Object, bool) {
	if !r.take('[') {
		return nil, false
	}
	rows := make([]Object, 0, min(pageSize, (len(r.s)-r.i)/16))
	if r.take(']') {
		return rows, true
	}
	for {
		rows = append(rows, Object{Size: UnknownSize})
		last := &rows[len(rows)-1]
		if !r.row(last) {
			return nil, false
		}
		if last.Size < 0 {
			*last = last.sized()
		}
		if r.take(']') {
			return rows, true
		}
		if !r.take(',') {
			return nil, false
		}
	}
}

// row reads one object. Of members that come twice the last counts.
func (r *objectReader) row(o *Object) bool {
	return r.object(func(name string) (ok bool) {
		var text string
		switch name {
		case "name":
			text, ok = r.text()
			o.Name = Text{text}
		case "etag":
			text, ok = r.text()
			o.ETag = NewETag(text)
		case "last_modified":
			text, ok = r.text()
			o.Modified = readTime(text)
		case "owner":
			if text, ok = r.text(); text == r.owner {
				text = r.owner
			}
			r.owner, o.Owner = text, Text{text}
		case "size":
			o.Size, ok = r.size()
		default:
			return r.skip()
		}
		return ok
	})
}

// object reads an object; member reads the value of each.
func (r *objectReader) object(member func(name string) bool) bool {
	if !r.take('{') {
		return false
	}
	if r.take('}') {
		return true
	}
	for {
		r.space()
		name, escaped, ok := r.quoted()
		if !ok || escaped || !r.take(':') {
			return false
		}
		r.space()
		if !member(name) {
			return false
		}
		if r.take('}') {
			return true
		}
		if !r.take(',') {
			return false
		}
	}
}

// word passes over a literal.
func (r *objectReader) word(w string) bool {
	if !strings.HasPrefix(r.s[r.i:], w) {
		return false
	}
	r.i += len(w)
	return true
}

// text reads a text, or null, which is the empty one.
func (r *objectReader) text() (string, bool) {
	if r.word("null") {
		return "", true
	}
	from := r.i
	s, escaped, ok := r.quoted()
	if !ok || !escaped {
		return s, ok
	}
	var t Text
	err := t.UnmarshalJSON([]byte(r.s[from:r.i]))
	return t.raw, err == nil
}

// quoted reads a text as it is written between its quotes.
func (r *objectReader) quoted() (s string, escaped, ok bool) {
	if r.i == len(r.s) || r.s[r.i] != '"' {
		return "", false, false
	}
	from := r.i + 1
	n := strings.IndexByte(r.s[from:], '"')
	if n < 0 {
		return "", false, false
	}
	if s = r.s[from : from+n]; literal(s) {
		r.i = from + n + 1
		return s, false, true
	}
	for i := from; i < len(r.s); i++ {
		switch stops[r.s[i]] {
		case 0:
			continue
		case '"':
			r.i = i + 1
			return r.s[from:i], escaped, true
		case '\\':
			escaped = true
			i++
		default:
			return "", false, false
		}
	}
	return "", false, false
}

// literal reports whether a text has no backslash and no control, eight bytes at a time: borrowing from a byte's high bit finds those that
// are too small. It may take a text for less than it is, never for more.
func literal(s string) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		y := x ^ ones*'\\'
		if ((x-ones*' ')&^x|(y-ones)&^y)&highs != 0 {
			return false
		}
	}
	for i := range len(s) {
		if stops[s[i]] != 0 {
			return false
		}
	}
	return true
}

// stops are the bytes that do not stand for themselves in a text: quote, backslash and controls, which are 1.
var stops = func() (table [256]byte) {
	for c := range ' ' {
		table[c] = 1
	}
	table['"'], table['\\'] = '"', '\\'
	return table
}()

// size reads a whole number that is not below zero, or null, which is none that is known.
func (r *objectReader) size() (int64, bool) {
	if r.word("null") {
		return UnknownSize, true
	}
	from, n := r.i, int64(0)
	for ; r.i < len(r.s); r.i++ {
		d := r.s[r.i] - '0'
		if d > 9 {
			break
		}
		if n > (math.MaxInt64-9)/10 {
			return 0, false
		}
		n = n*10 + int64(d)
	}
	if r.i == from || r.s[from] == '0' && r.i > from+1 {
		return 0, false
	}
	return n, r.i == len(r.s) || !strings.ContainsRune(".eE", rune(r.s[r.i]))
}

// skip passes over a value that is no object and no list.
func (r *objectReader) skip() bool {
	if r.word("null") || r.word("true") || r.word("false") {
		return true
	}
	if r.i < len(r.s) && r.s[r.i] == '"' {
		_, ok := r.text()
		return ok
	}
	_, ok := r.size()
	return ok
}

// textOf is a whole answer without white space and byte order mark around it.
func textOf(data []byte) []byte { return bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\ufeff")) }
