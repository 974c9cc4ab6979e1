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

// RunWithin runs a command and every command that follows from it: update takes the messages. It waits only so long for
// the answer of each command, so that it does not wait for timers. In a synctest bubble, no answer takes that long.
func RunWithin(wait time.Duration, cmd tea.Cmd, update func(tea.Msg) tea.Cmd) {
	if cmd == nil {
		return
	}
	answer := make(chan tea.Msg, 1)
	go func() { answer <- cmd() }()
	select {
	case msg := <-answer:
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, one := range batch {
				RunWithin(wait, one, update)
			}
		} else if msg != nil {
			RunWithin(wait, update(msg), update)
		}
	case <-time.After(wait):
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
