package shell

import (
	tea "charm.land/bubbletea/v2"

	"lookout/ui"
	"lookout/ui/form"
)

// formDialog shows a form.
type formDialog struct {
	form      *form.FormView
	asksToken bool // it asks for another token
}

func (d *formDialog) title() string { return d.form.Title() }

func (d *formDialog) size(most ui.Box) (int, int) {
	width := min(formWidth, most.Width)
	return width, d.form.Height(width)
}

// formWidth is the width of a form.
const formWidth = 76

// position says which field has the keyboard if not all of them are in sight.
func (d *formDialog) position() string { return d.form.Position() }

func (d *formDialog) view(b ui.Box) string { return d.form.View(b) }

func (d *formDialog) hints() []hint {
	var hints []hint
	for _, h := range d.form.Hints() {
		hints = append(hints, hint{h.Key, h.Word})
	}
	return hints
}

func (d *formDialog) read(b ui.Box) dialogReading {
	return dialogReading{intro: d.form.Intro(), ScreenReaderText: d.form.Announce(b)}
}

func (d *formDialog) handlePaste(msg tea.PasteMsg) tea.Cmd { return d.form.Update(msg) }

func (d *formDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	d.form.SetRepeatedEnter(s.enter.repeated)
	d.form.SetUnseen(s.unseen)
	cmd := d.form.Update(k)
	return cmd, d.form.Done()
}
