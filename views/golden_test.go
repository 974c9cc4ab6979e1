package views_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"lookout/client/emulator"
)

// Every pane at three sizes, from the demo account.
func TestGoldenPanes(t *testing.T) {
	panes := []struct {
		name string
		keys []string
	}{
		{"overview", nil},
		{"issues", []string{"2"}},
		{"incident", []string{"2", "<enter>"}},
		{"services", []string{"3"}},
		{"buckets", []string{"8"}},
		{"object", []string{"8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>", "<enter>", "<enter>"}},
		{"link", []string{"8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>", "L", "<ctrl+s>", "Q"}},
		{"certificate", []string{"8", "/", "cdn.acme", "<enter>", "c"}},
		{"new_key", []string{"9", "n", "a key", "<tab>", "<right>", "<tab>"}},
		{"key_once", []string{"9", "n", "a key", "<ctrl+s>"}},
		{"cancel", []string{"8", ":", "cancel", "<enter>"}},
	}
	for _, pane := range panes {
		for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 50}} {
			t.Run(fmt.Sprintf("%s_%dx%d", pane.name, size[0], size[1]), func(t *testing.T) {
				startProgram(t, emulator.Options{}, size[0], size[1], func(r *harness) {
					r.press(pane.keys...)
					r.requireExactFrame()
					golden.RequireEqual(r.T, r.screen())
				})
			})
		}
	}
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
