package ui

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// A part of a text equals what the library cuts out of it, with all of its styles.
func TestSliceCells(t *testing.T) {
	for _, text := range []string{
		"", "plain text of some length", "\x1b[1mbold\x1b[m and ● shape │ line", "wide 漢字 in the middle",
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
