package shell

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client/visible"
	"lookout/ui"
	"lookout/ui/input"
)

// textDialog shows text to read.
type textDialog struct {
	ignoresPaste
	name    string
	text    string
	window  *ui.LongTextView
	counted ui.Memo[[2]int, int] // the lines that the text takes in a width, up to a height
}

// newTextDialog returns a dialog at the beginning of a text.
func newTextDialog(name, text string) *textDialog {
	text = visible.MaskKeys(text)
	window := ui.NewTextWindow(strings.TrimRight(text, "\n"), input.ShowInvisible)
	return &textDialog{name: name, text: text, window: window}
}

func (d *textDialog) title() string { return d.name }

func (d *textDialog) size(most ui.Box) (int, int) {
	width := min(textWidth, most.Width)
	count := func() int { return d.window.LineCount(width, most.Height) }
	return width, d.counted.Get([2]int{width, most.Height}, count)
}

// textWidth is the width of a text to read.
const textWidth = 96

func (d *textDialog) hints() []hint { return []hint{{"y", "copy"}, {"esc", "close"}} }

func (d *textDialog) view(b ui.Box) string { return d.window.View(b) }

func (d *textDialog) read(ui.Box) dialogReading {
	return dialogReading{ScreenReaderText: ui.ScreenReaderText{Text: d.text}}
}

func (d *textDialog) handleKey(_ *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "esc", "q", "enter":
		return nil, true
	case "y":
		return ui.Send(ui.CopyMsg{Text: d.text, Label: d.name}), false
	}
	if a, found := actionOf(k, slices.Values(d.window.Actions())); found {
		return a.Do(), false
	}
	return nil, false
}

func (d *textDialog) clickLine(int) bool { return false }
