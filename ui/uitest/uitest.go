// Package uitest helps to test what is written with package ui.
package uitest

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lookout/theme"
	"lookout/ui"
)

// RunAll runs a command and every command that follows from it.
func RunAll(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case ui.AsyncResult:
		RunAll(msg.Deliver())
	case tea.BatchMsg:
		for _, c := range msg {
			RunAll(c)
		}
	}
}

// NewBox returns a focused box of the dark theme in true colour, width cells wide and height lines high. Its clock
// shows the Unix epoch.
func NewBox(t testing.TB, width, height int) ui.Box {
	t.Helper()
	dark, err := theme.New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	return ui.Box{
		Width:   width,
		Height:  height,
		Theme:   dark,
		Now:     time.Unix(0, 0),
		Focused: true,
	}
}
