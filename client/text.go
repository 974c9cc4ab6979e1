package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"lookout/client/visible"
)

// ServerText is a string that came from a server. String is safe to display; Raw is for sending back. The zero value is
// the empty text.
type ServerText struct{ raw, shown string }

// MaxShown is the number of bytes that Text.String returns at most, apart from the note about the rest. It bounds the
// work of everything that draws, sorts or filters texts, whatever a server sends.
const MaxShown = 8 << 10

// NewText returns a string as a Text, to be treated as if a server had sent it.
func NewText(raw string) ServerText { return ServerText{raw, cleanShort(raw, MaxShown)} }

// maxWord is the number of bytes that are shown of a value that should be one of a few words, such as a status.
const maxWord = 256

// cleanShort returns a string as Text.String does, with another bound.
func cleanShort(raw string, limit int) string {
	return cleanEdges(raw, func(inner string) string {
		shown, rest := CleanStart(inner, limit)
		if rest > 0 {
			shown += fmt.Sprintf("… %d more bytes", rest)
		}
		return shown
	})
}

// cleanEdges cleans a text, and names the spaces at its beginning and its end: nobody sees them there.
func cleanEdges(raw string, clean func(inner string) string) string {
	inner := strings.TrimLeft(raw, " ")
	before := spaces(len(raw) - len(inner))
	length := len(inner)
	inner = strings.TrimRight(inner, " ")
	return before + clean(inner) + spaces(length-len(inner))
}

// spaces names a number of spaces.
func spaces(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "‹space›"
	}
	return fmt.Sprintf("‹%d spaces›", n)
}

// Raw returns the text as it came, byte for byte.
func (t ServerText) Raw() string { return t.raw }

// IsZero reports whether the text is empty.
func (t ServerText) IsZero() bool { return t.raw == "" }

// String returns the text as Clean does. A text that is longer than MaxShown ends with the number of bytes that are
// left out.
func (t ServerText) String() string { return t.shown }

// Clean makes a string safe to display: every character is made visible that could move, hide or restyle the text
// around it, or pass for one of the program's own marks. Apart from private keys, which are masked, nothing is lost,
// and two different texts never look alike: escapes are written ‹U+202E› or ‹x9B›, a literal ‹ is written ‹‹›, and ✓ is
// written ‹✓›. A Cyrillic а in a Latin word is written ‹U+0430›, a word whose accents are characters of their own is
// followed by ‹NFD›, and a space at an end is written ‹space›.
func Clean(raw string) string {
	return cleanEdges(raw, func(inner string) string {
		shown, _ := CleanStart(inner, math.MaxInt)
		return shown
	})
}

// CleanStart is Clean for the beginning of a string: it stops once the result has limit bytes, and returns how many
// bytes of raw are left.
func CleanStart(raw string, limit int) (shown string, rest int) {
	if head := raw[:min(len(raw), limit)]; printableASCII(head) && !visible.MayHoldKey(head) {
		return head, len(raw) - len(head)
	}
	c := cleaner{whole: raw[:min(len(raw), limit, MaxShown)]}
	c.Grow(min(len(raw), limit) + 16)
	i := 0
	for i < len(raw) && c.Len() < limit {
		i += c.add(raw[i:])
	}
	return c.String(), len(raw) - i
}

// maxName is the number of bytes up to which a name is sent in a path and shown in an error. The longest are those of
// objects: S3 allows 1,024 bytes.
const maxName = 2048

// cleanName returns a name for an error: cleaned, and only the beginning of one that is longer than maxName.
func cleanName(raw string) string {
	return cleanEdges(raw, func(inner string) string {
		shown, rest := CleanStart(inner, maxName)
		if rest > 0 {
			shown += "…"
		}
		return shown
	})
}

// CleanContent is Clean for the content of an object, which has its own box: it keeps marks and lines.
func CleanContent(raw string) string {
	if printableASCII(raw) && !visible.MayHoldKey(raw) {
		return raw
	}
	c := cleaner{content: true}
	for i := 0; i < len(raw); {
		i += c.add(raw[i:])
	}
	return c.String()
}

// isMark reports whether lookout draws states, lines or messages with a character.
func isMark(r rune) bool { return r >= 0x2500 && r <= 0x25ff || r == '✓' || r == '✗' }

// isControlPicture reports whether a cleaned text shows a control with a character.
func isControlPicture(r rune) bool { return 0x2400 <= r && r <= 0x243f }

// cleaner writes cleaned characters one after another.
type cleaner struct {
	strings.Builder
	content bool   // keeps marks
	marks   int    // combining marks in a row
	before  rune   // the last character that was written as it is, or 0
	whole   string // the text, or so much of it that it shows its script
	word    visible.LookalikeWord
	at      int // in the word
}

// add writes the first character of a text, the mask of a private key, or a word that is composed for display. It
// returns the length.
func (c *cleaner) add(text string) int {
	if n := visible.KeyLength(text); n > 0 {
		c.WriteString(visible.MaskKeys(text[:n]))
		c.before, c.marks, c.word = 'x', 0, visible.LookalikeWord{}
		return n
	}
	if c.content {
		return c.addRune(text)
	}
	if c.at >= len(c.word.Text) {
		c.word, c.at = visible.FirstWord(text, c.whole), 0
	}
	if !c.word.Decomposed {
		return c.addOfWord(text)
	}
	for rest := c.word.Text; rest != ""; {
		rest = rest[c.addOfWord(rest):]
	}
	c.WriteString("‹NFD›")
	return c.word.Length
}

// addOfWord writes the first character of a text, which is the next one of the word if there is one.
func (c *cleaner) addOfWord(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	if c.at < len(c.word.Text) {
		at := c.at
		if c.at += size; !c.word.Spelled(at) {
			return c.addRune(text)
		}
	} else if !visible.Lookalike(r) {
		return c.addRune(text)
	}
	c.before, c.marks = r, 0
	return visible.Spell(&c.Builder, text)
}

// addRune writes the first character of a text and returns its length.
func (c *cleaner) addRune(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
		c.marks++
	} else {
		c.marks = 0
	}
	switch {
	case r == '‹', !c.content && isMark(r):
		c.WriteString("‹")
		c.WriteRune(r)
		c.WriteString("›")
	case r == '\u200d' && joinsEmoji(c.before, text[size:]), r == '\ufe0f' && c.marks <= 3 && pictographic(c.before):
		c.WriteRune(r)
	case visible.Hidden(r), isControlPicture(r), c.marks > 3,
		c.before == 0 && (c.marks > 0 || combinesWithPrevious(r)):
		c.before = 0
		return visible.Spell(&c.Builder, text)
	default:
		c.WriteRune(r)
	}
	c.before = r
	return size
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

// combinesWithPrevious reports whether a rune that is not a nonspacing mark joins the character before it. At the
// beginning of a text there is no such character.
func combinesWithPrevious(r rune) bool {
	return unicode.Is(unicode.Mc, r) || r == 0x0e33 || r == 0x0eb3 || r >= 0x1f3fb && r <= 0x1f3ff
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
func (t *ServerText) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if string(data) == "null" {
		*t = ServerText{}
		return nil
	}
	if len(data) < 2 || data[0] != '"' {
		return fmt.Errorf("text was expected, not %s", jsonKind(data))
	}
	body := data[1 : len(data)-1]
	if !strings.Contains(string(body), `\`) {
		*t = NewText(string(body))
		return nil
	}
	if utf8.Valid(body) {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		*t = NewText(s)
		return nil
	}
	raw, err := unescapeJSON(body)
	*t = NewText(raw)
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
func (t ServerText) MarshalJSON() ([]byte, error) { return json.Marshal(t.raw) }

// An OptionalServerText is a ServerText that may be null. The API treats null and the empty text alike; here both are
// empty, and encoded as null.
type OptionalServerText struct{ ServerText }

// MarshalJSON encodes the text as it came, or null if it is empty.
func (o OptionalServerText) MarshalJSON() ([]byte, error) {
	if o.IsZero() {
		return []byte("null"), nil
	}
	return o.ServerText.MarshalJSON()
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
