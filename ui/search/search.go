// Package search says how well a text fits what somebody has typed to find it. It forgives typing errors, and compares
// telephone numbers by their digits.
package search

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MatchScore says how well a text fits a needle: the higher, the better. None is not at all.
type MatchScore int

// The scores, from the worst.
const (
	None       MatchScore = iota
	Misspelt              // with one typing error in a word
	Inside                // it contains the words
	WordStart             // words of it begin with those of the needle
	Start                 // it begins with the needle
	WholeWords            // it has the words of the needle
	WholeStart            // it has them and begins with the needle
	Exact                 // it is the needle
)

// SearchTerm is what somebody looks for, as typed.
type SearchTerm struct {
	text   string
	words  []string
	number string // the digits, if it may be a telephone number
}

// New returns the needle of a text. A # before a number does not count.
func New(text string) SearchTerm {
	n := SearchTerm{text: strings.Join(strings.Fields(strings.ToLower(text)), " ")}
	n.words = strings.Fields(n.text)
	for i, w := range n.words {
		if rest := strings.TrimPrefix(w, "#"); rest != "" {
			n.words[i] = rest
		}
	}
	if digits, ok := phoneDigits(n.text); ok && len(digits) >= minPhoneDigits {
		n.number = strings.TrimLeft(digits, "0")
	}
	return n
}

// minPhoneDigits is the number of digits from which on a needle may be a part of a telephone number.
const minPhoneDigits = 4

// IsEmpty reports whether nothing is looked for.
func (n SearchTerm) IsEmpty() bool { return len(n.words) == 0 }

// Fit returns how well a text fits, without typing errors. Every word of the needle must be in it.
func (n SearchTerm) Fit(text string) MatchScore {
	if text = strings.ToLower(text); text == n.text {
		return Exact
	}
	fit := WholeWords
	for _, w := range n.words {
		if fit = min(fit, fitWord(text, w)); fit == None {
			return n.fitPhone(text)
		}
	}
	switch begins := strings.HasPrefix(text, n.text); {
	case begins && fit == WholeWords:
		return WholeStart
	case begins:
		return Start
	}
	return fit
}

// fitPhone compares the digits of telephone numbers, written in whatever way.
func (n SearchTerm) fitPhone(text string) MatchScore {
	if n.number == "" {
		return None
	}
	digits, ok := phoneDigits(text)
	switch {
	case !ok || !strings.Contains(digits, n.number):
		return None
	case strings.HasSuffix(digits, n.number):
		return WholeWords
	}
	return Inside
}

// phoneDigits returns the digits of a text that may be a telephone number.
func phoneDigits(text string) (digits string, ok bool) {
	if strings.Trim(text, "0123456789 +-()./") != "" {
		return "", false
	}
	if _, err := netip.ParseAddr(text); err == nil {
		return "", false
	}
	keep := func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}
	return strings.Map(keep, text), true
}

// fitWord returns how well the best occurrence of a word in a text fits: a whole word, the start of one, or inside.
func fitWord(text, word string) (best MatchScore) {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return best
		}
		start := from + i
		end := start + len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		switch {
		case start > 0 && isWordRune(before):
			best = max(best, Inside)
		case end < len(text) && isWordRune(after):
			best = max(best, WordStart)
		default:
			return WholeWords
		}
		from = start + 1
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Forgive returns Misspelt if a text fits once one typing error is forgiven in each word of the needle that has at
// least four letters: a letter too many, too few, another one, or two that have changed places.
func (n SearchTerm) Forgive(text string) MatchScore {
	text = strings.ToLower(text)
	for _, w := range n.words {
		if fitWord(text, w) > None {
			continue
		}
		parts := strings.FieldsFunc(w, func(r rune) bool { return !isWordRune(r) })
		for _, part := range parts {
			if fitWord(text, part) == None && !misspelt(text, part) {
				return None
			}
		}
		if len(parts) == 0 {
			return None
		}
	}
	return Misspelt
}

// minForgiven is the number of letters from which on a typing error in a word is forgiven.
const minForgiven = 4

// misspelt reports whether a word of a text begins with a word, but for one typing error.
func misspelt(text, word string) bool {
	if utf8.RuneCountInString(word) < minForgiven || strings.ContainsFunc(word, notLetter) {
		return false
	}
	for rest := text; rest != ""; {
		rest = strings.TrimLeftFunc(rest, notLetter)
		end := strings.IndexFunc(rest, notLetter)
		if end < 0 {
			end = len(rest)
		}
		if beginsMisspelt(rest[:end], word) {
			return true
		}
		rest = rest[end:]
	}
	return false
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// beginsMisspelt reports whether a text begins with a word, but for one typing error.
func beginsMisspelt(text, word string) bool {
	t, w := []rune(text), []rune(word)
	i := 0
	for i < len(t) && i < len(w) && t[i] == w[i] {
		i++
	}
	begins := func(t, w []rune) bool { return strings.HasPrefix(string(t), string(w)) }
	switch {
	case i == len(w):
		return true
	case begins(t[i:], w[i+1:]): // a letter too many
		return true
	case i == len(t):
		return false
	case begins(t[i+1:], w[i:]), begins(t[i+1:], w[i+1:]): // too few, another one
		return true
	}
	return i+1 < len(t) && i+1 < len(w) && t[i] == w[i+1] && t[i+1] == w[i] && begins(t[i+2:], w[i+2:])
}
