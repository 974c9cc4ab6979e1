package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is a string that came from a server. String is safe to display; Raw is for sending back. The zero value is the
// empty text.
type Text struct{ raw string }

// NewText returns a string as a Text, to be treated as if a server had sent it.
func NewText(raw string) Text { return Text{raw} }

// Raw returns the text as it came, byte for byte.
func (t Text) Raw() string { return t.raw }

// IsZero reports whether the text is empty.
func (t Text) IsZero() bool { return t.raw == "" }

// String returns the text with every character made visible that could move, hide or restyle the text around it.
// Nothing is lost, and two different texts never look alike: escapes are written ‹U+202E› or ‹x9B›, and a literal ‹ is
// written ‹‹›.
func (t Text) String() string { return Clean(t.raw) }

// Clean makes a string safe to display, as Text.String does.
func Clean(raw string) string {
	if printableASCII(raw) {
		return raw
	}
	var b strings.Builder
	b.Grow(len(raw) + 16)
	marks := 0
	var before rune
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, "‹x%02X›", raw[i])
			i++
			marks, before = 0, 0
			continue
		}
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == '‹':
			b.WriteString("‹‹›")
		case r < 0x20:
			b.WriteString("‹")
			b.WriteRune(0x2400 + r)
			b.WriteString("›")
		case r == '\u200d' && joinsEmoji(before, raw[i+size:]), r == '\ufe0f' && marks <= 3 && pictographic(before):
			b.WriteRune(r)
		case hidden(r), marks > 3, before == 0 && (marks > 0 || combinesWithPrevious(r)):
			fmt.Fprintf(&b, "‹U+%04X›", r)
			before = 0
			i += size
			continue
		default:
			b.WriteRune(r)
		}
		before = r
		i += size
	}
	return b.String()
}

// printableASCII reports whether a string is printable ASCII, which needs no cleaning.
func printableASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// hidden reports whether a rune must not reach a terminal as it is: controls, format and bidi characters, line and
// paragraph separators, tags, private use, surrogates, unassigned code points, and spaces other than the plain one.
func hidden(r rune) bool {
	switch {
	case r == 0x7f, r >= 0x80 && r <= 0x9f, r == utf8.RuneError:
		return true
	case unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs, unicode.Variation_Selector):
		return true
	case unicode.Is(unicode.Zs, r) && r != ' ':
		return true
	case blank(r), 0x2400 <= r && r <= 0x243f:
		return true
	}
	return !unicode.IsGraphic(r)
}

// combinesWithPrevious reports whether a rune that is not a nonspacing mark joins the character before it. At the
// beginning of a text there is no such character.
func combinesWithPrevious(r rune) bool {
	return unicode.Is(unicode.Mc, r) || r == 0x0e33 || r == 0x0eb3 || r >= 0x1f3fb && r <= 0x1f3ff
}

// blankRunes are letters that draw nothing.
var blankRunes = [...]rune{0x115f, 0x1160, 0x3164, 0xffa0, 0x2800, 0x034f, 0x17b4, 0x17b5}

func blank(r rune) bool {
	for _, b := range blankRunes {
		if r == b {
			return true
		}
	}
	return false
}

// pictographic reports whether a rune can be part of an emoji sequence.
func pictographic(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x2600 && r <= 0x27bf || r == 0xfe0f
}

// joinsEmoji reports whether a zero-width joiner stands between two emoji.
func joinsEmoji(before rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	return pictographic(before) && pictographic(next)
}

// UnmarshalJSON keeps a string byte for byte, invalid UTF-8 included. null is the empty text; any other value is an
// error.
func (t *Text) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if string(data) == "null" {
		*t = Text{}
		return nil
	}
	if len(data) < 2 || data[0] != '"' {
		return fmt.Errorf("a text was expected, not %s", jsonKind(data))
	}
	body := data[1 : len(data)-1]
	if !strings.Contains(string(body), `\`) {
		*t = Text{string(body)}
		return nil
	}
	if utf8.Valid(body) {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		*t = Text{s}
		return nil
	}
	raw, err := unescapeJSON(body)
	*t = Text{raw}
	return err
}

// unescapeJSON undoes JSON's escapes one by one, so that invalid UTF-8 between them survives.
func unescapeJSON(body []byte) (string, error) {
	var b strings.Builder
	for len(body) > 0 {
		if body[0] != '\\' {
			b.WriteByte(body[0])
			body = body[1:]
			continue
		}
		n := 2
		if len(body) > 1 && body[1] == 'u' {
			n = min(6, len(body))
			if len(body) >= 12 && body[6] == '\\' && body[7] == 'u' {
				n = 12
			}
		}
		var s string
		if err := json.Unmarshal([]byte(`"`+string(body[:min(n, len(body))])+`"`), &s); err != nil {
			return "", err
		}
		b.WriteString(s)
		body = body[min(n, len(body)):]
	}
	return b.String(), nil
}

// MarshalJSON encodes the text as it came.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(t.raw) }

// An OptionalText is a Text that may be null. The API treats null and the empty text alike; here both are empty, and
// encoded as null.
type OptionalText struct{ Text }

// MarshalJSON encodes the text as it came, or null if it is empty.
func (o OptionalText) MarshalJSON() ([]byte, error) {
	if o.IsZero() {
		return []byte("null"), nil
	}
	return o.Text.MarshalJSON()
}

// jsonKind returns a name for the type of a JSON value.
func jsonKind(data []byte) string {
	if len(data) == 0 {
		return "nothing"
	}
	switch data[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return "a switch"
	case 'n':
		return "null"
	}
	return "a number"
}
