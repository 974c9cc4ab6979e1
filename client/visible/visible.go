// Package visible says which characters nobody can see, or a terminal would obey, and makes them visible: on the screen
// and in everything else that leaves the program. It also says what must not be seen there: private keys.
package visible

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Hidden reports whether a character must not reach a terminal as it is: controls, format and bidi characters, line and
// paragraph separators, tags, private use, surrogates, unassigned code points, letters that draw nothing, spaces other
// than the plain one, and what stands for invalid UTF-8.
func Hidden(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f:
		return false
	case unicode.In(r, unicode.Cf, unicode.Zs, unicode.Variation_Selector), blank(r), r == utf8.RuneError:
		return true
	}
	return !unicode.IsGraphic(r) // controls, separators, private use, surrogates, unassigned
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

// Spell writes the first character of a text in visible ones, ‹␛›, ‹U+202E› or ‹x9B›, and returns its length.
func Spell(out *strings.Builder, text string) (length int) {
	r, length := utf8.DecodeRuneInString(text)
	switch {
	case r == utf8.RuneError && length == 1:
		fmt.Fprintf(out, "‹x%02X›", text[0])
	case r < ' ':
		out.WriteString("‹")
		out.WriteRune(0x2400 + r)
		out.WriteString("›")
	default:
		fmt.Fprintf(out, "‹U+%04X›", r)
	}
	return length
}

// Show spells the hidden characters of a text, masks private keys, and changes nothing else. Line breaks and tabs stay.
// A text without any of these is returned as it is.
func Show(text string) string {
	text = MaskKeys(text)
	if !strings.ContainsFunc(text, hiddenInLine) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if hiddenInLine(r) {
			i += Spell(&out, text[i:])
			continue
		}
		out.WriteString(text[i : i+size])
		i += size
	}
	return out.String()
}

func hiddenInLine(r rune) bool { return r != '\n' && r != '\t' && Hidden(r) }

// names are what people call characters that come with text copied from web pages and other programs.
var names = map[rune]string{
	0x00a0: "no-break space", 0x00ad: "soft hyphen", 0x200b: "zero-width space", 0x202f: "narrow no-break space",
	0xfeff: "byte-order mark",
}

// FindBlank returns the first character of a text that draws nothing or looks like a plain space, as "U+00A0 (no-break
// space)", and where it is; "" if there is none. Line breaks and tabs are none, and neither is what joins emoji.
func FindBlank(text string) (name string, at int) {
	at = strings.IndexFunc(text, func(r rune) bool {
		return r != ' ' && r != 0x200d && unicode.In(r, unicode.Cf, unicode.Zs) || blank(r)
	})
	if at < 0 {
		return "", at
	}
	r, _ := utf8.DecodeRuneInString(text[at:])
	if name = fmt.Sprintf("%U", r); names[r] != "" {
		name += " (" + names[r] + ")"
	}
	return name, at
}

// EscapeJSON writes the hidden characters of a JSON text as escapes, which does not change its value, and masks private
// keys. Line breaks stay: they can only stand between values.
func EscapeJSON(text []byte) []byte {
	text = maskKeysInJSON(text)
	if !bytes.ContainsFunc(text, hiddenInLine) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		switch high, low := utf16.EncodeRune(r); {
		case !hiddenInLine(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
