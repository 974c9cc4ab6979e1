package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Letters of other scripts that are drawn as a Latin letter is, and signs that are drawn as one of ASCII is.
const (
	cyrillicLookalikes = "АВЕКМНОРСТХЅІЈаеорсухѕіјһԁԛԝӏ"
	greekLookalikes    = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοντ"
	latinLookalikes    = "ABEKMHOPCTXSIJaeopcyxsijhdqw"
	signLookalikes     = "‐‑−⁄∕․∶ɑɡ"
)

// maxLookalikeWord is the number of bytes of a word that are looked at together.
const maxLookalikeWord = 256

// A LookalikeWord is a word with what of it looks like something else that a person would rather type.
type LookalikeWord struct {
	Text       string // in composed characters if Decomposed is set
	Decomposed bool   // its accents are characters of their own
	Length     int    // in the original text
	spelled    map[int]bool
}

// Spelled reports whether the character at a position of Text must be spelled.
func (w LookalikeWord) Spelled(at int) bool { return w.spelled[at] }

// FirstWord returns the word at the beginning of a text; its Length is 0 if the text does not begin with a letter.
// whole is the text that the word belongs to: a word of letters that all look Latin is taken as written in its own
// script if another word shows that the text is.
func FirstWord(text, whole string) LookalikeWord {
	word := firstLetters(text)
	w := LookalikeWord{Text: word, Length: len(word)}
	if !norm.NFC.IsNormalString(word) {
		if norm.NFD.IsNormalString(word) {
			w.Text, w.Decomposed = norm.NFC.String(word), true
		} else {
			w.spellSegments()
		}
	}
	w.spellLetters(cyrillicLookalikes, unicode.Cyrillic, whole)
	w.spellLetters(greekLookalikes, unicode.Greek, whole)
	return w
}

// firstLetters returns the letters at the beginning of a text, with their marks.
func firstLetters(text string) string {
	for i, r := range text {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsMark(r)) || i+utf8.UTFMax > maxLookalikeWord {
			return text[:i]
		}
	}
	return text
}

// spell marks characters to be spelled.
func (w *LookalikeWord) spell(at int) {
	if w.spelled == nil {
		w.spelled = map[int]bool{}
	}
	w.spelled[at] = true
}

// spellSegments marks the characters that normalization would change, where others are in their normal form.
func (w *LookalikeWord) spellSegments() {
	for at := 0; at < len(w.Text); {
		end := at + norm.NFC.NextBoundaryInString(w.Text[at:], true)
		segment := w.Text[at:end]
		for i, r := range segment {
			if r >= utf8.RuneSelf && !norm.NFC.IsNormalString(segment) {
				w.spell(at + i)
			}
		}
		at = end
	}
}

// spellLetters marks the letters of a script that look Latin, in a word that has Latin letters or in a text that has no
// other letters of the script. In a word that is clearly of the script, the Latin letters are marked instead.
func (w *LookalikeWord) spellLetters(lookalikes string, script *unicode.RangeTable, whole string) {
	if !strings.ContainsAny(w.Text, lookalikes) && (script != unicode.Cyrillic || !hasScript(w.Text, script)) {
		return
	}
	latin, clear := hasScript(w.Text, unicode.Latin), hasOther(w.Text, lookalikes, script)
	marked := lookalikes
	switch {
	case latin && clear && script == unicode.Cyrillic:
		marked = latinLookalikes
	case latin, !clear && !hasOther(whole, lookalikes, script):
	default:
		return
	}
	for i, r := range w.Text {
		if strings.ContainsRune(marked, r) {
			w.spell(i)
		}
	}
}

// hasScript reports whether a text has a letter of a script.
func hasScript(text string, script *unicode.RangeTable) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(script, r) })
}

// hasOther reports whether a text has a letter of a script that does not look Latin.
func hasOther(text, lookalikes string, script *unicode.RangeTable) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.Is(script, r) && !strings.ContainsRune(lookalikes, r)
	})
}

// Lookalike reports whether a character on its own is easily mistaken for one that people type.
func Lookalike(r rune) bool {
	return r >= 0x250 && (strings.ContainsRune(signLookalikes, r) || !norm.NFC.IsNormalString(string(r)))
}
