package views_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lookout/client/emulator"
)

// walkedWidths are the widths of the terminals on which every pane is looked at.
var walkedWidths = []int{60, 80, 100, 120, 160, 200, 250}

// On terminals of any width, nothing stands in the first column, and no word among the tabs and the hints is cut.
func TestFrame_walkPanesAndDialogs(t *testing.T) {
	for _, width := range walkedWidths {
		startProgram(t, emulator.Options{}, screenSize{width, 36}, func(r *harness) {
			for _, keys := range [][]string{
				{"1"}, {"2"}, {"2", "<enter>"}, {"3"}, {"3", "<enter>"}, {"4"}, {"5"}, {"6"}, {"7"}, {"8"}, {"9"},
				{"0"}, {"F"}, {"J"}, {"3", "d"}, {"4", "D"}, {"3", "a"}, {"?"}, {":"}, {"4", "n"},
				{"3", "/", "nothing at all"},
			} {
				r.press(keys...)
				r.requireWholeScreen(width, keys)
				r.press("<esc>", "<esc>", "<esc>")
			}
		})
	}
}

// requireWholeScreen fails if a text stands in the first column or a word of the frame is cut.
func (r *harness) requireWholeScreen(width int, keys []string) {
	r.Helper()
	screen := r.screen()
	lines := strings.Split(screen, "\n")
	for n, line := range lines {
		if first := ansi.Cut(line, 0, 1); strings.TrimSpace(first) != "" {
			r.Errorf("%d columns, %q: line %d starts in the first column: %q", width, keys, n+1, line)
		}
	}
	words := strings.Fields("Overview Managed Issues Services Contacts Credentials SSH Stats Storage Buckets Keys " +
		"Clusters Activity Transfers Journal")
	for _, word := range strings.Fields(lines[1]) {
		isName := strings.ContainsAny(word[:1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && len(word) > 1
		if isName && !slices.Contains(words, word) {
			r.Errorf("%d columns, %q: the tab %q is cut: %q", width, keys, word, lines[1])
		}
	}
	if strings.Contains(lines[len(lines)-1], "…") {
		r.Errorf("%d columns, %q: a hint is cut: %q", width, keys, lines[len(lines)-1])
	}
}
