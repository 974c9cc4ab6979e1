package views_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"lookout/client/emulator"
)

// click clicks on a text of the screen.
func (r *rig) click(text string) {
	r.T.Helper()
	for y, line := range strings.Split(r.screen(), "\n") {
		if at := strings.Index(line, text); at >= 0 {
			r.send(tea.MouseClickMsg{X: ansi.StringWidth(line[:at]), Y: y, Button: tea.MouseLeft})
			return
		}
	}
	r.T.Fatalf("nothing to click on: %q\n%s", text, r.screen())
}

// under is the row at the cursor.
func (r *rig) under() string {
	for line := range strings.SplitSeq(r.screen(), "\n") {
		if strings.HasPrefix(line, "▸") {
			return line
		}
	}
	return ""
}

// Tabs, rows, hints, boxes and the entries of dialogs are clicked; the wheel moves; other buttons do nothing.
func TestMouse(t *testing.T) {
	start(t, emulator.Options{}, 120, 36, func(r *rig) {
		r.click("Services 14")
		r.see("edge-router") // the box had the keyboard already
		r.click("web-2")
		if !strings.Contains(r.under(), "web-2") {
			r.Fatalf("at the cursor: %q", r.under())
		}
		r.send(tea.MouseClickMsg{X: 20, Y: 6, Button: tea.MouseRight})
		if !strings.Contains(r.under(), "web-2") {
			r.Errorf("another button moved to %q", r.under())
		}
		r.send(tea.MouseWheelMsg{X: 20, Y: 6, Button: tea.MouseWheelUp})
		if strings.Contains(r.under(), "web-2") {
			r.Error("the wheel did nothing")
		}
		r.click("4 Cont")
		r.see("Ada Wong")
		r.click("all actions") // a hint
		r.see("╭─ Actions")
		r.send(tea.MouseWheelMsg{X: 60, Y: 16, Button: tea.MouseWheelDown})
		r.click("new contact")
		r.see("╭─ Actions") // the cursor first
		r.click("new contact")
		r.see("E-mail")
	})
}

// A question is not answered by the mouse, wherever it is clicked.
func TestMouseAnswersNoQuestion(t *testing.T) {
	start(t, emulator.Options{}, 120, 36, func(r *rig) {
		r.press("4", "D")
		r.wait(1e9)
		r.see("yes, delete")
		r.click("yes, delete")
		r.click("yes, delete")
		r.send(tea.MouseWheelMsg{X: 60, Y: 16, Button: tea.MouseWheelDown})
		r.see("yes, delete")
		if len(r.applied()) != 0 {
			r.Errorf("done: %v", r.applied())
		}
	})
}

// One key leaves the mouse to the terminal.
func TestMouseOff(t *testing.T) {
	start(t, emulator.Options{}, 120, 36, func(r *rig) {
		before := r.shell.Frame().Mouse
		r.press("M")
		if r.shell.Frame().Mouse == before {
			r.Error("M changes nothing")
		}
	})
}
