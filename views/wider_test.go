package views_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lookout/client/emulator"
	"lookout/ui/shell"
)

// A wider terminal never shows fewer columns of a list, nor fewer boxes beside it, from the width on at which the
// detail stands beside the list.
func TestList_widerNeverShowsLess(t *testing.T) {
	t.Parallel()
	for _, tab := range []string{"2", "3", "4", "5", "6", "8", "9", "0"} {
		startProgram(t, emulator.Options{}, screenSize{110, 36}, func(r *harness) {
			r.press(tab)
			shownColumns, shownBoxes := 0, 0
			for width := 110; width <= 240; width++ {
				r.send(tea.WindowSizeMsg{Width: width, Height: 36})
				head := strings.Split(r.screen(), "\n")[3]
				list, _, _ := strings.Cut(head, "╭")
				titles := slices.DeleteFunc(strings.Fields(list), func(s string) bool { return s == "▲" || s == "▼" })
				columns, boxes := len(titles), strings.Count(head, "╭")
				if columns < shownColumns || boxes < shownBoxes {
					t.Errorf("%s at %d: %d columns and %d boxes, before %d and %d: %s",
						tab, width, columns, boxes, shownColumns, shownBoxes, fmt.Sprint(titles))
				}
				shownColumns, shownBoxes = columns, boxes
			}
		})
	}
}

// Columns that the user has chosen, or scrolls to, are not left out for a box.
func TestList_chosenColumnsStay(t *testing.T) {
	t.Parallel()
	chosen := func(_ *harness, o *shell.Options) {
		o.Columns = map[string][]string{"services": {"label", "timeout", "updated"}}
	}
	startWithOptions(t, emulator.Options{}, screenSize{130, 36}, chosen, func(r *harness) {
		r.press("3")
		r.line("label", "timeout   updated")
	})
	startProgram(t, emulator.Options{}, screenSize{130, 36}, func(r *harness) {
		r.press("3")
		for range 6 {
			r.press("<right>")
		}
		r.line("label", "updated")
	})
}
