package ui

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"lookout/client/faulttest"
)

// oddWords are words that a shell or a terminal could act on.
var oddWords = []string{
	"", "plain", "-rf", "it's", "''", `a"b`, "$(touch x)", "`id`", "$HOME", "a b", "a\nb\n", "\n", "\x1b]52;c;eA==\a",
	"\x03rm -rf\r", "~", "*", "!!", "a\\", "\\'", "é日本", "\u202eevil", "\xff\xfe", "\u009b2J", "a;b|c&d>e<f#g",
	"\ufeff", "%s%n", "\x7f\x7f", "'\x1b'", "\u2028",
}

// A shell makes the word of a quoted word, whatever it contains, and nothing in the line but newlines between quotes
// acts on a terminal.
func TestShellQuote(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs a POSIX shell")
	}
	texts := slices.Clone(oddWords)
	for _, s := range faulttest.HostileStrings(t, "E11") {
		if len(s) < 2000 {
			texts = append(texts, s)
		}
	}
	var want strings.Builder
	script := "printf '%s\\0'"
	for _, text := range texts {
		word := ShellQuote(text)
		script += " " + word
		want.WriteString(strings.ReplaceAll(text, "\x00", "") + "\x00")
		for _, r := range word {
			if r != '\n' && !isPrintable(r) {
				t.Errorf("%q is quoted as %q, with %q in it", text, word, r)
			}
		}
	}
	cmd := exec.Command(sh)
	cmd.Stdin = strings.NewReader(script)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got, expected := strings.Split(string(out), "\x00"), strings.Split(want.String(), "\x00")
	if len(got) != len(expected) {
		t.Fatalf("%d words came of %d", len(got)-1, len(expected)-1)
	}
	for i := range got {
		if got[i] != expected[i] {
			t.Errorf("%q came as %q from %s", expected[i], got[i], ShellQuote(expected[i]))
		}
	}
}

func TestShellQuote_leavesPlainWords(t *testing.T) {
	got := ShellJoin("lookout", "services", "disable", "7", "--for", "1h", "--", "two words")
	if want := "lookout services disable 7 --for 1h -- 'two words'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
