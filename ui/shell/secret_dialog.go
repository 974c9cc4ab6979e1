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
	revealNumber int // counts presses of the key that reveals it
	revealed     bool
	copied       bool             // it was sent to a clipboard, which does not mean that anybody has it
	saved        bool             // it was saved to a file
	closing      *input.TextField // the word being typed to close the dialog; nil while nobody closes it
	warned       bool             // ctrl+c was pressed once
}

// revealDuration is how long the secret stays readable after a key press. A key that is held down repeats sooner.
const revealDuration = 900 * time.Millisecond

// revealExpired hides the secret again.
type revealExpired struct {
	d            *secretDialog
	revealNumber int
}

// One of these words must be typed to close the dialog while the secret is not saved to a file: lookout cannot know
// whether what was copied has arrived anywhere.
const (
	keptWord    = "kept"
	discardWord = "discard"
)

func (d *secretDialog) title() string { return d.Title }

func (d *secretDialog) size(most ui.Box) (int, int) {
	most.Width, most.Theme = min(secretWidth, most.Width), &theme.Theme{}
	return most.Width, len(d.aboutLines(most)) + len(d.choiceLines(most))
}

// secretWidth is the width of a dialog with a secret.
const secretWidth = 74

func (d *secretDialog) hints() []hint {
	switch {
	case d.saved:
		return []hint{{"enter", "close"}}
	case d.closing != nil:
		return []hint{{"enter", "close"}, {"esc", "back"}}
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
	if d.closing != nil {
		lines := wrapIn(b, theme.Bad, d.whyAsk()+" "+closingWords+":")
		return append(lines, input.ViewField(d.closing, b, true, "")[0])
	}
	var lines []string
	keys := t.Style(theme.Accent).PaddingLeft(2).Width(6)
	key := func(k, text string) { lines = append(lines, keys.Render(k)+text) }
	key("y", "copy it, without showing it")
	key("r", "hold to show it")
	for i, s := range d.Formats {
		key(fmt.Sprint(i+1), "save as "+s.Name)
	}
	lines = append(lines, "")
	switch {
	case d.saved:
		return append(lines, t.Paint(theme.Good, t.Glyphs.Success)+" saved")
	case d.copied:
		return append(lines, wrapIn(b, theme.Warn, unconfirmedCopy)...)
	}
	return append(lines, t.Paint(theme.Warn, "It cannot be shown again."))
}

// What the dialog says about a secret that is not saved.
const (
	unconfirmedCopy = "Sent, but nothing shows that it arrived: paste it where you keep it."
	closingWords    = `Type "` + keptWord + `" if you have saved it elsewhere, or "` + discardWord +
		`" to close without it`
	wrongWord = `type "` + keptWord + `" or "` + discardWord + `"`
)

// whyAsk says why the dialog does not close at once.
func (d *secretDialog) whyAsk() string {
	if d.copied {
		return "lookout cannot see whether your copy arrived, and the secret cannot be shown again."
	}
	return "It is not saved to a file, and it cannot be shown again."
}

// wrapIn wraps a text in one tone.
func wrapIn(b ui.Box, tone theme.Tone, text string) []string {
	lines := ui.Wrap(text, b.Width)
	for i := range lines {
		lines[i] = b.Theme.Paint(tone, lines[i])
	}
	return lines
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
	case d.saved:
		r.Item = "saved; enter closes"
	case d.closing != nil:
		r.Item = d.whyAsk() + " " + closingWords + "; escape goes back"
		r.Input = "answer: " + d.closing.Text()
	case d.copied:
		r.Item = unconfirmedCopy + " Escape asks before closing"
	default:
		r.Item = "escape asks before closing: this cannot be shown again"
	}
	return r
}

func (d *secretDialog) handlePaste(tea.PasteMsg) tea.Cmd { return nil }

func (d *secretDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	if d.closing != nil {
		return d.handleClosingKey(s, k)
	}
	switch key := k.String(); {
	case key == "y":
		d.copied = true
		return copyText(ui.CopyMsg{Text: d.Reveal(), Label: d.Name, Secret: true}), false
	case key == "r":
		d.revealed = true
		d.revealNumber++
		n := d.revealNumber
		return tea.Tick(revealDuration, func(time.Time) tea.Msg { return revealExpired{d, n} }), false
	case len(key) == 1 && key >= "1" && key <= "9" && int(key[0]-'1') < len(d.Formats):
		s.dialogs.push(&formDialog{form: form.NewFormView(d.saveForm(d.Formats[key[0]-'1']), s.ctx)})
	case d.saved && !s.unseen && (key == "enter" || key == "esc"):
		return d.forgetSecret(true)
	case key == "enter" && d.copied, key == "esc", key == "q", key == "ctrl+c":
		d.closing = input.NewLine("")
	}
	return nil, false
}

// handleClosingKey edits the word that closes the dialog.
func (d *secretDialog) handleClosingKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch word := d.closing.Text(); k.String() {
	case "esc", "ctrl+c":
		d.closing = nil
	case "enter":
		switch {
		case s.unseen:
		case word == keptWord, word == discardWord:
			return d.forgetSecret(word == keptWord)
		default:
			return ui.ShowStatus(theme.Warn, wrongWord), false
		}
	default:
		d.closing.Press(k)
	}
	return nil, false
}

// forgetSecret drops the secret and closes the dialog. kept says whether somebody has the secret.
func (d *secretDialog) forgetSecret(kept bool) (tea.Cmd, bool) {
	closed := d.Closed
	d.ShowSecretMsg = ui.ShowSecretMsg{Title: d.Title, Reveal: func() string { return "" }}
	if closed == nil {
		return nil, true
	}
	return closed(kept), true
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
				d.saved, d.closing = true, nil
				return ui.ShowStatus(theme.Good, "saved: "+path)
			}, nil
		},
	}
}
