package wording_test

import (
	"testing"

	"lookout/client/wording"
)

// Only a single word stands in a sentence as it is.
func TestQuoted(t *testing.T) {
	for name, want := range map[string]string{
		"web-1":                             "web-1",
		"db2.acme.net":                      "db2.acme.net",
		"":                                  `""`,
		"Night desk":                        `"Night desk"`,
		"a, b":                              `"a, b"`,
		"web-1:":                            `"web-1:"`,
		"Done (confirmed by re-reading).":   `"Done (confirmed by re-reading)."`,
		`x" is ok again. Press y to "close`: `"x\" is ok again. Press y to \"close"`,
	} {
		if got := wording.Quoted(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
