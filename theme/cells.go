package theme

import "strings"

// IsSingleCell reports whether a character takes one cell on every terminal: lines, blocks and shapes, Latin letters,
// and the signs in lookout's own texts.
func IsSingleCell(r rune) bool {
	return r >= 0x2500 && r < 0x25fd || r > 0xa0 && r < 0x180 && r != 0xad ||
		r >= 0x2000 && strings.ContainsRune("—–‘’“”•…‹›←↑→↓≤≥⋯✓✗", r)
}

// StartsWithShape reports whether a text starts with a character from U+2500 to U+25BF, which takes one cell. It does
// not decode the character: most lines of the screen have boxes around them.
func StartsWithShape(text string) bool {
	return len(text) > 2 && text[0] == 0xe2 && text[1] >= 0x94 && text[1] <= 0x96 && text[2]&0xc0 == 0x80
}
