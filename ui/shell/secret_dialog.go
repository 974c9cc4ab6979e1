package shell

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/input"
)

// secretDialog shows a secret that cannot be shown a second time: as dots, readable while a key is held down. It does
// not close by accident.
type secretDialog struct {
	ui.ShowSecretMsg
	revealNumber  int // counts presses of the key that reveals it
	revealed      bool
	copiedOrSaved bool
	discard       *input.TextField // the word being typed to close the dialog; nil while nobody closes it
	warned        bool             // ctrl+c was pressed once
}

// revealDuration is how long the secret stays readable after a key press. A key that is held down repeats sooner.
const revealDuration = 900 * time.Millisecond

// revealExpired hides the secret again.
type revealExpired struct {
	d            *secretDialog
	revealNumber int
}

// discardWord must be typed to close the dialog while the secret is neither copied nor saved.
const discardWord = "discard"

func (d *secretDialog) title() string { return d.Title }

func (d *secretDialog) size(most ui.Box) (int, int) {
	most.Width, most.Theme = min(secretWidth, most.Width), &theme.Theme{}
	return most.Width, len(d.aboutLines(most)) + len(d.choiceLines(most))
}

// secretWidth is the width of a dialog with a secret.
const secretWidth = 74

func (d *secretDialog) hints() []hint {
	switch {
	case d.copiedOrSaved:
		return []hint{{"enter", "close"}}
	case d.discard != nil:
		return []hint{{"enter", "lose it"}, {"esc", "back"}}
	}
	return []hint{{"esc", "close"}}
}

func (d *secretDialog) view(b ui.Box) string {
	lines := append(d.aboutLines(b), d.choiceLines(b)...)
	return strings.Join(lines[max(0, len(lines)-b.Height):], "\n") // the keys stay visible
}

// aboutLines says what the secret is, and shows it as dots.
func (d *secretDialog) aboutLines(b ui.Box) []string {
	about := append(ui.Wrap(d.Text, b.Width), "")
	for _, line := range d.Details {
		about = append(about, detailLine(b, theme.Plain, line[0], line[1]))
	}
	value := strings.Repeat(b.Theme.Glyphs.Mask, 16)
	if d.revealed {
		value = d.Reveal()
	}
	return append(about, detailLine(b, theme.Strong, d.Name, value), "")
}

// labelWidth is the width of the labels in front of values.
const labelWidth = 14

func detailLine(b ui.Box, tone theme.Tone, label, value string) string {
	value = ui.Truncate(value, b.Width-labelWidth, b.Theme.Glyphs.Ellipsis)
	return lipgloss.JoinHorizontal(
		lipgloss.Top, b.Theme.Style(theme.Muted).Width(max(labelWidth, lipgloss.Width(label))).Render(label),
		b.Theme.Style(tone).Render(value),
	)
}

// choiceLines lists the keys that work now, and how to leave the dialog.
func (d *secretDialog) choiceLines(b ui.Box) []string {
	t := b.Theme
	if d.discard != nil {
		lines := ui.Wrap(
			"You have neither copied nor saved it, and it cannot be shown again. Type "+discardWord+" to close anyway:",
			b.Width,
		)
		for i := range lines {
			lines[i] = t.Paint(theme.Bad, lines[i])
		}
		return append(lines, input.ViewField(d.discard, b, true, "")[0])
	}
	var lines []string
	keys := t.Style(theme.Accent).PaddingLeft(2).Width(6)
	key := func(k, text string) { lines = append(lines, keys.Render(k)+text) }
	key("y", "copy it, without showing it")
	key("r", "hold to show it")
	for i, s := range d.Formats {
		key(fmt.Sprint(i+1), "save as "+s.Name)
	}
	if d.copiedOrSaved {
		return append(lines, "", t.Paint(theme.Good, t.Glyphs.Success)+" copied or saved")
	}
	return append(lines, "", t.Paint(theme.Warn, "It cannot be shown again."))
}

// read announces the dialog without the secret, because announced lines stay on the screen.
func (d *secretDialog) read(ui.Box) dialogReading {
	r := dialogReading{intro: []string{d.Text}}
	for _, line := range d.Details {
		r.intro = append(r.intro, line[0]+": "+line[1])
	}
	r.intro = append(r.intro, d.Name+": hidden, and not read aloud; y copies it")
	for i, s := range d.Formats {
		r.intro = append(r.intro, fmt.Sprintf("%d: save as %s", i+1, s.Name))
	}
	switch {
	case d.copiedOrSaved:
		r.Item = "copied or saved; enter closes"
	case d.discard != nil:
		r.Item = "neither copied nor saved; type " + discardWord + " and press enter to discard it; escape goes back"
		r.Input = "answer: " + d.discard.Text()
	default:
		r.Item = "escape asks before closing: this cannot be shown again"
	}
	return r
}

func (d *secretDialog) handlePaste(tea.PasteMsg) tea.Cmd { return nil }

func (d *secretDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	if d.discard != nil {
		return d.handleDiscardKey(k)
	}
	switch key := k.String(); {
	case key == "y":
		d.copiedOrSaved = true
		return tea.Batch(copyText(d.Reveal()), ui.ShowStatus(theme.Good, "copied: "+d.Name)), false
	case key == "r":
		d.revealed = true
		d.revealNumber++
		n := d.revealNumber
		return tea.Tick(revealDuration, func(time.Time) tea.Msg { return revealExpired{d, n} }), false
	case len(key) == 1 && key >= "1" && key <= "9" && int(key[0]-'1') < len(d.Formats):
		s.dialogs.push(&formDialog{form: form.NewFormView(d.saveForm(d.Formats[key[0]-'1']), s.ctx)})
	case key == "enter" && d.copiedOrSaved, key == "esc" && d.copiedOrSaved:
		return d.forgetSecret()
	case key == "esc", key == "q", key == "ctrl+c":
		d.discard = input.NewLine("")
	}
	return nil, false
}

// handleDiscardKey edits the word that closes the dialog.
func (d *secretDialog) handleDiscardKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "esc", "ctrl+c":
		d.discard = nil
	case "enter":
		if d.discard.Text() == discardWord {
			return d.forgetSecret()
		}
	default:
		d.discard.Press(k)
	}
	return nil, false
}

// forgetSecret drops the secret and closes the dialog.
func (d *secretDialog) forgetSecret() (tea.Cmd, bool) {
	closed := d.Closed
	d.ShowSecretMsg = ui.ShowSecretMsg{Title: d.Title, Reveal: func() string { return "" }}
	if closed == nil {
		return nil, true
	}
	return closed(d.copiedOrSaved), true
}

// saveForm asks for a path and writes the secret to a new file there.
func (d *secretDialog) saveForm(s ui.SecretFileFormat) form.Form {
	path := s.Path
	return form.Form{
		Title:        "Save as " + s.Name,
		Text:         "Creates a file that only you can read. An existing file is not overwritten.",
		BusyText:     "saving",
		SubmitLabel:  "save",
		EnterSubmits: form.AlwaysSubmit,
		Fields:       []form.Field{form.File("path", "File", &path, form.Required())},
		Send: func(context.Context) (func() tea.Cmd, error) {
			if err := s.Write(path); err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				d.copiedOrSaved = true
				return ui.ShowStatus(theme.Good, "saved: "+path)
			}, nil
		},
	}
}
