package shell

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// maskValues replaces the private values in a frame by a mask: hosts, addresses, e-mail addresses, phone numbers, keys,
// long numbers, and some other words. Everything keeps its place; the program's own words stay.
func maskValues(frame, mask string, others ...string) string {
	lines := strings.Split(frame, "\n")
	for i, line := range lines {
		lines[i] = maskLine(line, mask, others)
	}
	return strings.Join(lines, "\n")
}

// maskLine masks the words of a line. Styles within a word stay where they are.
func maskLine(line, mask string, others []string) string {
	words := strings.FieldsFunc(ansi.Strip(line), isWordSeparator)
	hidden := map[int]bool{} // by the index of the word
	for n, word := range words {
		core := strings.Trim(word, ".,:;!?…")
		hidden[n] = looksPrivate(core) || n > 0 && isNumber(core) && introducesID(words[n-1])
		for _, other := range others {
			hidden[n] = hidden[n] || core == other
		}
	}
	maskPhones(words, hidden)
	var out strings.Builder
	out.Grow(len(line))
	n, inside := -1, false
	for i := 0; i < len(line); {
		if line[i] == 0x1b {
			end := strings.IndexByte(line[i:], 'm')
			if end < 0 {
				end = len(line) - i - 1
			}
			out.WriteString(line[i : i+end+1])
			i += end + 1
			continue
		}
		r, size := rune(0), 0
		for _, r = range line[i:] {
			size = len(string(r))
			break
		}
		switch {
		case isWordSeparator(r):
			inside = false
			out.WriteString(line[i : i+size])
		default:
			if !inside {
				inside = true
				n++
			}
			if hidden[n] {
				out.WriteString(strings.Repeat(mask, ansi.StringWidth(line[i:i+size])))
			} else {
				out.WriteString(line[i : i+size])
			}
		}
		i += size
	}
	return out.String()
}

// isWordSeparator reports whether a character separates words: a blank, or punctuation that panes and sentences put
// around names.
func isWordSeparator(r rune) bool {
	return r == ' ' || strings.ContainsRune("\"'()[]{}<>|│,;=", r)
}

// looksPrivate reports whether a word looks like a private value: a host, an address, an e-mail address, a key, or a
// number that is too long to be a count.
func looksPrivate(word string) bool {
	if word == "" {
		return false
	}
	digits, letters, upper := 0, 0, 0
	for _, r := range word {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
			if unicode.IsUpper(r) {
				upper++
			}
		}
	}
	switch {
	case strings.Contains(word, "@"), strings.Contains(word, "://"):
		return true
	case strings.HasPrefix(word, "+") && digits > 0:
		return true
	case letters > 0 && looksLikeHost(word):
		return true
	case strings.Count(word, ".") >= 3 && digits > 0:
		return true
	case strings.Count(word, ":") >= 2 && digits+letters > 0 && !isClockTime(word):
		return true
	case letters == 0 && digits >= 5 && digits == len(word):
		return true
	}
	return len(word) >= 16 && digits > 0 && digits+letters == len(word)
}

// looksLikeHost reports whether a word looks like a host name: parts between dots, with a letter in the last one.
func looksLikeHost(word string) bool {
	parts := strings.FieldsFunc(strings.Trim(word, "./"), func(r rune) bool { return r == '.' })
	if len(parts) < 2 {
		return false
	}
	return strings.ContainsFunc(parts[len(parts)-1], unicode.IsLetter)
}

// isClockTime reports whether a word is a time of day.
func isClockTime(word string) bool {
	return len(word) == 8 && word[2] == ':' && word[5] == ':'
}

// isNumber reports whether a word consists of digits.
func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "0123456789#") == ""
}

// introducesID reports whether a word says that the number after it is an ID.
func introducesID(word string) bool {
	switch strings.ToLower(strings.TrimRight(word, ":.")) {
	case "id", "ticket", "issue", "entry", "#":
		return true
	}
	return false
}

// maskPhones hides the groups of digits that follow the first one of a phone number: "+1 555 0100".
func maskPhones(words []string, hidden map[int]bool) {
	for n, word := range words {
		if !strings.HasPrefix(word, "+") || !hidden[n] {
			continue
		}
		for m := n + 1; m < len(words) && m < n+6 && isNumber(strings.Trim(words[m], "-/.")); m++ {
			hidden[m] = true
		}
	}
}
