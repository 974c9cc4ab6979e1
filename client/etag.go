package client

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// An ETag is an object's checksum as the service tells it: the MD5 of the object, or, for uploads in parts, an MD5 with
// a hyphen and the number of parts, or anything else. Equal texts are equal values.
type ETag struct {
	sum   [16]byte
	md5   bool   // the text is sum in hexadecimal, and parts where there are any
	parts uint16 // of an upload in parts, 0 for any other
	raw   string // the text where it is not made from sum
}

// NewETag reads the text of a checksum.
func NewETag(raw string) ETag {
	if e, ok := parseMD5ETag(raw); ok {
		return e
	}
	return ETag{raw: raw}
}

// parseMD5ETag reads 32 lower-case hexadecimal digits, and a number of parts behind a hyphen.
func parseMD5ETag(s string) (e ETag, ok bool) {
	if len(s) < 32 {
		return ETag{}, false
	}
	for i := range e.sum {
		high, low := hexDigits[s[2*i]], hexDigits[s[2*i+1]]
		if high|low > 15 {
			return ETag{}, false
		}
		e.sum[i] = high<<4 | low
	}
	e.md5 = true
	if len(s) == 32 {
		return e, true
	}
	n, err := strconv.ParseUint(s[33:], 10, 16)
	if err != nil || n == 0 || s[32] != '-' || s[33] < '1' || s[33] > '9' {
		return ETag{}, false
	}
	e.parts = uint16(n)
	return e, true
}

// hexDigits are the values of lower-case hexadecimal digits, 255 for all else.
var hexDigits = func() (table [256]byte) {
	for i := range table {
		table[i] = 255
		if at := strings.IndexByte("0123456789abcdef", byte(i)); at >= 0 {
			table[i] = byte(at)
		}
	}
	return table
}()

// MD5 is the checksum of the object's bytes, where the tag is one: that of an upload in parts is not.
func (e ETag) MD5() (sum [16]byte, ok bool) { return e.sum, e.md5 && e.parts == 0 }

// IsZero reports whether there is no tag.
func (e ETag) IsZero() bool { return !e.md5 && e.raw == "" }

// Raw is the tag as it came.
func (e ETag) Raw() string {
	if !e.md5 {
		return e.raw
	}
	text := make([]byte, 32, 38)
	hex.Encode(text, e.sum[:])
	if e.parts > 0 {
		text = strconv.AppendUint(append(text, '-'), uint64(e.parts), 10)
	}
	return string(text)
}

// String is safe to draw.
func (e ETag) String() string { return Clean(e.Raw()) }

// UnmarshalJSON takes a text; null is no tag.
func (e *ETag) UnmarshalJSON(data []byte) error {
	var t Text
	err := t.UnmarshalJSON(data)
	*e = NewETag(t.raw)
	return err
}

// MarshalJSON is the tag as it came.
func (e ETag) MarshalJSON() ([]byte, error) { return json.Marshal(e.Raw()) }
