package views_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/client/emulator"
)

// click clicks on a text on the screen.
func (r *harness) click(text string) {
	r.T.Helper()
	for y, line := range strings.Split(r.screen(), "\n") {
		if at := strings.Index(line, text); at >= 0 {
			r.send(tea.MouseClickMsg{X: ansi.StringWidth(line[:at]), Y: y, Button: tea.MouseLeft})
			return
		}
	}
	r.T.Fatalf("nothing to click on: %q\n%s", text, r.screen())
}

// rowAtCursor returns the row at the cursor.
func (r *harness) rowAtCursor() string {
	for line := range strings.SplitSeq(r.screen(), "\n") {
		if strings.HasPrefix(line, " ▸") {
			return line
		}
	}
	return ""
}

// The left button works on tabs, rows, hints, boxes and the entries of dialogs. The wheel moves the cursor. Other
// buttons do nothing.
func TestMouse_clicksAndWheel(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.click("Services ─ 14")
		r.requireText("edge-router") // the box had the keyboard already
		r.click("web-2")
		if !strings.Contains(r.rowAtCursor(), "web-2") {
			r.Fatalf("at the cursor: %q", r.rowAtCursor())
		}
		r.send(tea.MouseClickMsg{X: 20, Y: 6, Button: tea.MouseRight})
		if !strings.Contains(r.rowAtCursor(), "web-2") {
			r.Errorf("another button moved to %q", r.rowAtCursor())
		}
		r.send(tea.MouseWheelMsg{X: 20, Y: 6, Button: tea.MouseWheelUp})
		if strings.Contains(r.rowAtCursor(), "web-2") {
			r.Error("the wheel did nothing")
		}
		r.click("4 Cont")
		r.requireText("Ada Wong")
		r.click("all actions") // a hint
		r.requireText("╭─ Actions")
		r.send(tea.MouseWheelMsg{X: 60, Y: 16, Button: tea.MouseWheelDown})
		r.click("new contact")
		r.requireText("╭─ Actions") // the cursor first
		r.click("new contact")
		r.requireText("E-mail")
	})
}

// A click never answers a question.
func TestMouse_answersNoQuestion(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("4", "D")
		r.wait(1e9)
		r.requireText("yes, delete")
		r.click("yes, delete")
		r.click("yes, delete")
		r.send(tea.MouseWheelMsg{X: 60, Y: 16, Button: tea.MouseWheelDown})
		r.requireText("yes, delete")
		if len(r.appliedOperations()) != 0 {
			r.Errorf("done: %v", r.appliedOperations())
		}
	})
}

// M leaves the mouse to the terminal.
func TestMouse_off(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		before := r.shell.Frame().Mouse
		r.press("M")
		if r.shell.Frame().Mouse == before {
			r.Error("M changes nothing")
		}
	})
}
