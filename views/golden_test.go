package views_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"lookout/client/emulator"
)

// goldenSizes are the sizes of the golden frames.
var goldenSizes = []screenSize{{40, 16}, {80, 24}, {120, 36}, {200, 50}}

// paneGolden collects what a pane draws into its own box, in each state and at each size. A pane has one golden file,
// without tabs, head line and hints, so a new tab does not change the files of the other panes.
//
//	go test ./views -run Golden -update
//
// writes all goldens; read their diff as text.
type paneGolden struct{ strings.Builder }

// add appends the box of the pane in front.
func (g *paneGolden) add(r *harness, state string) {
	r.Helper()
	r.requireExactFrame()
	fmt.Fprintf(g, "-- %s, %dx%d --\n%s\n", state, r.width, r.height, r.paneBox())
}

// requireEqual compares what was collected with the golden file of the test.
func (g *paneGolden) requireEqual(t *testing.T) {
	t.Helper()
	golden.RequireEqual(t, g.String())
}

// paneLines returns the lines between the tab bar and the status line: the pane, and the dialogs over it.
func (r *harness) paneLines() []string {
	lines := strings.Split(r.screen(), "\n")
	lines = lines[2 : len(lines)-2]
	if strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	return lines
}

// paneBox returns the lines of the pane.
func (r *harness) paneBox() string { return strings.Join(r.paneLines(), "\n") }

// TestGoldenScreens compares a dozen whole screens with one golden file, and their boxes at three sizes with another.
func TestGoldenScreens(t *testing.T) {
	t.Parallel()
	screens := []struct {
		name string
		keys []string
	}{
		{"overview", []string{"r"}}, // once more: the journal is read after the first frame
		{"issues", []string{"2"}},
		{"incident", []string{"2", "<enter>"}},
		{"services", []string{"3"}},
		{"buckets", []string{"8"}},
		{"object", []string{"8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>", "<enter>", "<enter>"}},
		{"link", []string{"8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>", "L", "<ctrl+s>"}},
		{"certificate", []string{"8", "/", "cdn.acme", "<enter>", "c"}},
		{"new_key", []string{"9", "n", "a key", "<tab>", "<tab>"}},
		{"key_question", []string{"9", "n", "a key", "<ctrl+s>"}},
		{"cancel", []string{"8", ":", "cancel", "<enter>"}},
	}
	var whole, boxes paneGolden
	for _, screen := range screens {
		for _, size := range goldenSizes[1:] {
			startProgram(t, emulator.Options{Service: emulator.ServiceDocument}, size, func(r *harness) {
				r.press(screen.keys...)
				boxes.add(r, screen.name)
				if size.width == 120 {
					fmt.Fprintf(&whole, "-- %s --\n%s\n", screen.name, r.screenWithFirstTabs())
				}
			})
		}
	}
	t.Run("whole", whole.requireEqual)
	t.Run("boxes", boxes.requireEqual)
}

// screenWithFirstTabs returns the screen with the tab bar cut at 28 cells, so that a new tab at its end changes
// nothing.
func (r *harness) screenWithFirstTabs() string {
	lines := strings.Split(r.screen(), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, " 1 Over") {
			lines[i] = ansi.Truncate(line, 28, "")
		}
	}
	return strings.Join(lines, "\n")
}

// requireExactFrame fails unless the frame has exactly the size of the terminal.
func (r *harness) requireExactFrame() {
	r.T.Helper()
	lines := strings.Split(r.shell.Frame().Content, "\n")
	if len(lines) != r.height {
		r.T.Fatalf("%d lines for a height of %d", len(lines), r.height)
	}
	for n, line := range lines {
		if w := ansi.StringWidth(line); w != r.width {
			r.T.Errorf("line %d is %d cells wide, not %d: %q", n+1, w, r.width, ansi.Strip(line))
		}
	}
}
