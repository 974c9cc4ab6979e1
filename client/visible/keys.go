package visible

import (
	"regexp"
	"strings"
	"sync"
)

// KeyMask stands for what is between the first and the last line of a private key.
const KeyMask = "•••"

// How private keys look in text: in PEM, OpenPGP and SSH2, and in PuTTY's files. Line breaks may be written out, as in
// JSON and shell commands. What is between the lines is a key if it holds a long word of Base64.
var (
	keyBegin  = pattern(`-{4,5} ?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: \d+`)
	keyEnd    = pattern(`-{4,5} ?END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}`)
	keyWord   = pattern(`[A-Za-z0-9+/=]{16}`)
	keyCutOff = pattern(`^(?:(?:\s|\\+[nrt])*[A-Za-z-]+: [^\n\r\\"]*)*` +
		`(?:[A-Za-z0-9+/=]|\s|\\+[nrt/]|\\+u[0-9A-Fa-f]{4})*`)
)

// keyMarks are parts of all first lines, which are faster to search for.
var keyMarks = [...]string{"PRIVATE KEY", "Private-Lines: "}

// MayHoldKey reports whether a text can hold a private key. It is fast.
func MayHoldKey(text string) bool {
	for _, mark := range keyMarks {
		if len(text) > len(mark) && strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// MaskKeys returns a text with KeyMask for the contents of private keys. Their first and last lines stay. A key that is
// cut off is masked too.
func MaskKeys(text string) string {
	return ReplaceKeys(text, func(begin, _, end string) string { return begin + KeyMask + end })
}

// ReplaceKeys returns a text with something else for each private key. replace is given its first line, its content and
// its last line, which is empty if the key is cut off.
func ReplaceKeys(text string, replace func(begin, content, end string) string) string {
	if !MayHoldKey(text) {
		return text
	}
	var out strings.Builder
	for {
		at := keyBegin().FindStringIndex(text)
		if at == nil {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:at[0]])
		begin := text[at[0]:at[1]]
		text = text[at[1]:]
		content, end := cutKey(text)
		if content == "" {
			out.WriteString(begin)
			continue
		}
		out.WriteString(replace(begin, content, end))
		text = text[len(content)+len(end):]
	}
}

// cutKey returns the content and the last line of the private key whose first line is before a text; an empty content
// if there is only the line.
func cutKey(text string) (content, end string) {
	if next := keyBegin().FindStringIndex(text); next != nil {
		text = text[:next[0]]
	}
	if at := keyEnd().FindStringIndex(text); at != nil {
		content, end = text[:at[0]], text[at[0]:at[1]]
	} else {
		content = strings.TrimRight(keyCutOff().FindString(text), " \t\r\n")
	}
	if !keyWord().MatchString(content) {
		return "", ""
	}
	return content, end
}

// KeyLength returns the length of the private key that a text begins with; 0 if it begins with something else.
func KeyLength(text string) int {
	if !strings.HasPrefix(text, "----") && !strings.HasPrefix(text, keyMarks[1]) {
		return 0
	}
	at := keyBegin().FindStringIndex(text[:min(len(text), maxKeyLine)])
	if at == nil || at[0] > 0 {
		return 0
	}
	content, end := cutKey(text[at[1]:])
	if content == "" {
		return 0
	}
	return at[1] + len(content) + len(end)
}

// maxKeyLine is the length of the longest first line of a private key that is looked for, in bytes.
const maxKeyLine = 128

// maskKeysInJSON masks the private keys in the texts of a JSON text, each on its own.
func maskKeysInJSON(text []byte) []byte {
	if !MayHoldKey(string(text)) {
		return text
	}
	return stringLiteral().ReplaceAllFunc(text, func(literal []byte) []byte {
		return []byte(MaskKeys(string(literal)))
	})
}

var stringLiteral = pattern(`"(?:[^"\\]|\\.)*"`)

// pattern returns a regular expression that is compiled when it is needed first.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
