package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Wrapped text keeps every letter, breaks between words, keeps names with hyphens whole, and parts addresses where they
// have parts.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"one two", 7, []string{"one two"}},
		{"one two", 6, []string{"one", "two"}},
		{"ask billing-api now", 12, []string{"ask", "billing-api", "now"}},
		{"acme.us-east-1.objects.example", 24, []string{"acme.us-east-1.objects.", "example"}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"  in a dent", 6, []string{"  in a", "dent"}},
		{"a\n\nb", 5, []string{"a", "", "b"}},
		{"日本語", 4, []string{"日本", "語"}},
		{"x", 0, nil},
	} {
		if got := Wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q, %d) = %q, not %q", c.text, c.width, got, c.want)
		}
	}
}

// Wrapping a word of a megabyte takes time proportional to its length.
func BenchmarkWrapLongWord(b *testing.B) {
	text := strings.Repeat("x", 1<<20)
	for b.Loop() {
		Wrap(text, 80)
	}
}

// A picture of more parts than a line looks at is broken between two parts: no line begins with a joiner.
func TestWrap_longPicture(t *testing.T) {
	for width := 2; width < 40; width++ {
		for n, line := range Wrap("a "+strings.Repeat("\U0001f468\u200d", 500), width) {
			if strings.HasPrefix(line, "\u200d") {
				t.Fatalf("%d cells: line %d begins with a joiner", width, n+1)
			}
		}
	}
}

// Width knows a character's width only where the library agrees: it is never asked about these.
func TestWidth_agreesWithTheLibrary(t *testing.T) {
	for r := rune(0x20); r < 0x3000; r++ {
		text := "a" + string(r) + "│"
		if got, want := Width(text), ansi.StringWidth(text); got != want {
			t.Errorf("%q (%U) is %d cells wide, want %d", text, r, got, want)
		}
	}
	for _, broken := range []string{"\xe2\x94", "\xe2\x94x", "a\xe2\x98\x80b", "\xe2\x95\xff", "\xe2"} {
		if got, want := Width(broken), ansi.StringWidth(broken); got != want {
			t.Errorf("%q is %d cells wide, want %d", broken, got, want)
		}
	}
}

// A text fills its box exactly: lines that are too long are cut, short ones padded at their end, missing ones blank.
func TestBox_Fit(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "    \n    "},
		{"ab", "ab  \n    "},
		{"abcdef\ng", "abcd\ng   "},
		{"abcd\nefgh", "abcd\nefgh"},
		{"a\nb\nc", "a   \nb   "},
		{"日本語", "日本\n    "},
	} {
		if got := (Box{Width: 4, Height: 2}).Fit(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
