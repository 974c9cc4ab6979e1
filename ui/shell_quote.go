package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"lookout/client/visible"
)

// ShellJoin returns a command line for a POSIX shell that passes on each word as it is, whatever it contains. Nothing
// in the line acts on a terminal that it is pasted into.
func ShellJoin(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = ShellQuote(w)
	}
	return strings.Join(quoted, " ")
}

// ShellQuote quotes one word for a POSIX shell. Bytes that a terminal would act on or not show are spelt with printf.
// NUL is left out: no argument can hold it.
func ShellQuote(text string) string {
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !isShellSafe(r) }) {
		return text
	}
	var out strings.Builder
	open, spelt := false, false
	state := func(quote, spelling bool) {
		switch {
		case open && !quote:
			out.WriteByte('\'')
		case spelt && !spelling:
			out.WriteString(`')"`)
		}
		switch {
		case quote && !open:
			out.WriteByte('\'')
		case spelling && !spelt:
			out.WriteString(`"$(printf '`)
		}
		open, spelt = quote, spelling
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		part := text[i : i+size]
		i += size
		switch {
		case r == 0:
		case r == '\'':
			state(false, false)
			out.WriteString(`\'`)
		case r == '\n' || isPrintable(r) && (r != utf8.RuneError || size > 1):
			state(true, false)
			out.WriteString(part)
		default:
			state(false, true)
			for _, b := range []byte(part) {
				fmt.Fprintf(&out, `\%03o`, b)
			}
		}
	}
	state(false, false)
	if out.Len() == 0 {
		return "''"
	}
	return out.String()
}

// isShellSafe reports whether a character has no meaning to any shell.
func isShellSafe(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:,@%+", r)
}

// isPrintable reports whether a character is visible and does not affect what stands around it.
func isPrintable(r rune) bool { return !visible.Hidden(r) }
