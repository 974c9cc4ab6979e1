package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Somebody who presses the keys of the page about the first ten minutes, row after row, sees the texts that it names.
func TestFirstTenMinutes_keysShowTheTexts(t *testing.T) {
	r, err := newRecorder(t.Context(), "dark", 120, 36)
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("`([^`]+)`")
	named := strings.Fields("tab enter esc down up left right")
	rows := regexp.MustCompile("(?m)^\\| (`.+`) \\| (`.+`) \\| .+ \\|$").
		FindAllStringSubmatch(readPage(t, "docs/first-ten-minutes.md"), -1)
	if len(rows) < 10 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, row := range rows {
		for _, key := range code.FindAllStringSubmatch(row[1], -1) {
			switch {
			case key[1] == "lookout demo": // which newRecorder did
			case slices.Contains(named, key[1]), strings.HasPrefix(key[1], "ctrl+"):
				r.press("<" + key[1] + ">")
			default:
				r.press(strings.ReplaceAll(key[1], " ", " <space> "))
			}
		}
		screen := ansi.Strip(strings.Join(r.frame(), "\n"))
		for _, text := range code.FindAllStringSubmatch(row[2], -1) {
			if !strings.Contains(screen, text[1]) {
				t.Errorf("after %s, %q is not on the screen:\n%s", row[1], text[1], screen)
			}
		}
	}
}
