package visible_test

import (
	"encoding/json"
	"testing"
	"unicode"

	"lookout/client/visible"
)

// Every character but letters, marks, numbers, punctuation, symbols and the plain space is hidden.
func TestHidden(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		plain := r == ' ' || unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
		if !plain && !visible.Hidden(r) {
			t.Errorf("%U passes", r)
		}
	}
	for _, r := range "aé日本\u0301✓‹␛🙂" {
		if visible.Hidden(r) {
			t.Errorf("%q is hidden", r)
		}
	}
	for _, r := range "\u3164\u2800\ufe0f\ufffd" {
		if !visible.Hidden(r) {
			t.Errorf("%U passes", r)
		}
	}
}

// Show leaves line breaks and tabs, and what it has shown already.
func TestShow(t *testing.T) {
	for text, want := range map[string]string{
		"plain ✓ ‹x›":             "plain ✓ ‹x›",
		"two\n\tlines":            "two\n\tlines",
		"\x1b[2J\u202e\xff\u200b": "‹␛›[2J‹U+202E›‹xFF›‹U+200B›",
	} {
		if got := visible.Show(text); got != want || visible.Show(got) != got {
			t.Errorf("Show(%q) = %q, then %q", text, got, visible.Show(got))
		}
	}
}

// EscapeJSON changes no value.
func TestEscapeJSON(t *testing.T) {
	const text = "a\u009b\u202e\u200b\u2028\U000e0041\u3164 ✓\n"
	data, err := json.MarshalIndent(map[string]string{"a": text}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	escaped := visible.EscapeJSON(data)
	for _, r := range string(escaped) {
		if r != '\n' && visible.Hidden(r) {
			t.Errorf("%U is in %q", r, escaped)
		}
	}
	var back map[string]string
	if err := json.Unmarshal(escaped, &back); err != nil || back["a"] != text {
		t.Errorf("%v, %q", err, back)
	}
}
