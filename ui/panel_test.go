package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/uitest"
)

// A panel that was drawn before shows what is new in it, however little that is.
func TestPanel_View_drawsAgain(t *testing.T) {
	b := uitest.NewBox(t, 30, 4)
	type view struct {
		box          ui.Box
		title, right []theme.TitleSegment
		body         string
	}
	name := theme.Title("billing", "db2")
	start := view{b, name, nil, "ok"}
	wide, focused := b, b
	wide.Width++
	focused.Focused = !b.Focused
	for about, next := range map[string]view{
		"the case of a letter": {b, name, nil, "OK"},
		"the title":            {b, theme.Title("billing", "DB2"), nil, "ok"},
		"what is at the right": {b, name, theme.Title("3"), "ok"},
		"the width":            {wide, name, nil, "ok"},
		"the focus":            {focused, name, nil, "ok"},
	} {
		var again, fresh ui.Panel
		first := again.View(start.box, start.title, start.right, start.body)
		got := again.View(next.box, next.title, next.right, next.body)
		if want := fresh.View(next.box, next.title, next.right, next.body); got != want || got == first {
			t.Errorf("%s: the panel is\n%s\nnot\n%s", about, got, want)
		}
	}
}

// Drawings share the height that the lines leave, from 8 to 16 each. Those for which there is no room are left out, and
// what is left over goes to the last panel of lines, or to the last drawing if there are no lines.
func TestPanelStack_View(t *testing.T) {
	for _, c := range []struct {
		height int
		panels string // a digit is a panel with that many lines, d is a drawing
		want   string // the height of each panel
	}{
		{50, "dd3", "16 16 18"},
		{37, "dd3", "16 16 5"},
		{36, "dd3", "15 16 5"},
		{21, "dd3", "8 8 5"},
		{20, "dd3", "15 5"},
		{12, "dd3", "12"},
		{12, "3d4", "5 7"},
		{40, "3d4", "5 16 19"},
		{30, "dd", "15 15"},
		{50, "dd", "16 34"},
		{23, "ddd", "11 12"},
	} {
		var panels []ui.StackedPanel
		for n, kind := range c.panels {
			p := ui.StackedPanel{Name: fmt.Sprint(n), Title: theme.Title("new panel")}
			if kind == 'd' {
				p.Draw = func(b ui.Box) string { return "new panel" + strings.Repeat("\n", b.Height-1) }
			} else {
				p.Lines = make([]string, kind-'0')
			}
			panels = append(panels, p)
		}
		var stack ui.PanelStack
		var heights []string
		_, text, _ := strings.Cut(ansi.Strip(stack.View(panels, uitest.NewBox(t, 40, c.height))), "new panel")
		for panel := range strings.SplitSeq(text+"\n", "new panel") {
			heights = append(heights, fmt.Sprint(strings.Count(panel, "\n")))
		}
		if got := strings.Join(heights, " "); got != c.want {
			t.Errorf("%s in %d lines: %s, want %s", c.panels, c.height, got, c.want)
		}
	}
}
