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

func (d *formDialog) size() (int, int) { return 76, d.form.Height(76) + 1 }

func (d *formDialog) view(b ui.Box) string { return d.form.View(b) }

func (d *formDialog) hints() []hint {
	switch {
	case d.form.Sending():
		return []hint{{"", "waiting for the answer: keys do nothing until then"}}
	case d.form.ExitKey() != "":
		return []hint{{d.form.ExitKey(), "discard what you typed"}, {"any other key", "keep it"}}
	}
	return []hint{{"ctrl+s", "send"}, {"tab", "next field"}, {"esc", "cancel"}}
}

func (d *formDialog) read(b ui.Box) dialogReading {
	return dialogReading{intro: d.form.Intro(), Announcement: d.form.Announce(b)}
}

func (d *formDialog) handlePaste(msg tea.PasteMsg) tea.Cmd { return d.form.Update(msg) }

func (d *formDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	d.form.SetRepeatedEnter(s.enter.repeated)
	cmd := d.form.Update(k)
	return cmd, d.form.Done()
}
