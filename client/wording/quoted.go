package wording

import "strings"

// Quoted returns a name, shown already, for a sentence of the program: in quotation marks, unless it is one word of
// letters, digits and the marks that names are made of. So no name passes for a part of the sentence.
func Quoted(name string) string {
	isWord := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./@+", r)
	}
	if name != "" && strings.TrimFunc(name, isWord) == "" {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `\"`) + `"`
}

// Capitalize returns a text with a capital first letter.
func Capitalize(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
