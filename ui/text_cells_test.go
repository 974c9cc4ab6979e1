package ui

import (
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A part of a text equals what the library cuts out of it, with all of its styles.
func TestSliceCells(t *testing.T) {
	for _, text := range []string{
		"", "plain text of some length", "\x1b[1mbold\x1b[m and ● shape │ line",
		"\x1b[38;2;1;2;3mcolour\x1b[m", "e\u0301 and more",
	} {
		for from := range 12 {
			for to := from; to < 30; to += 3 {
				got, want := SliceCells(text, from, to), ansi.Cut(text, from, to)
				if ansi.Strip(got) != ansi.Strip(want) {
					t.Errorf("%q from %d to %d is %q, not %q", text, from, to, got, want)
				}
			}
		}
	}
	if got := SliceCells("\x1b[1mbold\x1b[m text", 6, 9); got != "\x1b[1m\x1b[mext" {
		t.Errorf("%q", got)
	}
}

// A part is as wide as it should be, although it begins or ends within a wide character.
func TestSliceCells_wideCharacters(t *testing.T) {
	for _, text := range []string{
		"wide 漢字 in the middle", "漢字漢字", "\x1b[1m👍🏽👍🏽\x1b[m 日日 👩‍👩‍👧", "a漢e\u0301字", "🇩🇪🇫🇷 ✔️ x",
	} {
		width := Width(text)
		for from := range width {
			for to := from; to <= width+2; to++ {
				got := SliceCells(text, from, to)
				if want := min(to, width) - from; Width(got) != want {
					t.Errorf("%q from %d to %d is %q: %d cells, not %d", text, from, to, got, Width(got), want)
				}
				if first, _ := utf8.DecodeRuneInString(ansi.Strip(got)); first == '\u200d' || first == '🏽' {
					t.Errorf("%q from %d to %d begins within a character: %q", text, from, to, got)
				}
			}
		}
	}
	if got := ansi.Strip(SliceCells("wide 漢字 in", 6, 8)); got != "  " {
		t.Errorf("halves of wide characters are %q", got)
	}
}
