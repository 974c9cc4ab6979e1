package shell

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/ui"
	"lookout/ui/input"
)

// textDialog shows text to read.
type textDialog struct {
	ignoresPaste
	name   string
	text   string
	window *ui.TextWindow
}

// newTextDialog returns a dialog at the beginning of a text.
func newTextDialog(name, text string) *textDialog {
	window := ui.NewTextWindow(strings.TrimRight(text, "\n"), input.ShowInvisible)
	return &textDialog{name: name, text: text, window: window}
}

func (d *textDialog) title() string { return d.name }

func (d *textDialog) size() (int, int) { return 96, strings.Count(d.text, "\n") + 1 }

func (d *textDialog) hints() []hint { return []hint{{"y", "copy"}, {"esc", "close"}} }

func (d *textDialog) view(b ui.Box) string { return d.window.View(b) }

func (d *textDialog) read(ui.Box) dialogReading {
	return dialogReading{Announcement: ui.Announcement{Text: d.text}}
}

func (d *textDialog) handleKey(_ *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "esc", "q", "enter":
		return nil, true
	case "y":
		return ui.Send(ui.CopyMsg{Text: d.text, Label: d.name}), false
	}
	for _, a := range d.window.Actions() {
		for _, name := range a.Key.Keys() {
			if name == k.String() {
				return a.Do(), false
			}
		}
	}
	return nil, false
}

func (d *textDialog) clickLine(int) bool { return false }
