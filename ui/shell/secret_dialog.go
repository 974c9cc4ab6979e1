package shell

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/terminal"
)

// secretDialog shows a secret that nobody can read a second time: as dots, readable while a key is held. It does not
// close by accident.
type secretDialog struct {
	ui.OneTimeSecret
	revealNumber      int // numbers the last look at it
	revealed          bool
	copiedOrSaved     bool // copied or saved
	confirmingDiscard bool
	answer            string
	warned            bool // ctrl+c was pressed once
}

// revealDuration is how long the secret stays readable after a press: a held key repeats sooner.
const revealDuration = 900 * time.Millisecond

// revealExpired ends a look at the secret.
type revealExpired struct {
	d            *secretDialog
	revealNumber int
}

// discardWord is the word that closes the dialog while the secret is neither copied nor saved.
const discardWord = "discard"

func (d *secretDialog) title() string { return d.Title }

func (d *secretDialog) size() (int, int) {
	return 74, 8 + len(d.Details) + len(d.Formats) + len(d.Text)/70
}

func (d *secretDialog) hint() string {
	switch {
	case d.copiedOrSaved:
		return "enter closes · y copies it again"
	case d.confirmingDiscard:
		return "type " + discardWord + " and press enter · esc goes back"
	}
	return "y copies · r held shows · 1-9 saves · it is not shown again"
}

func (d *secretDialog) view(b ui.Box) string {
	t := b.Theme
	about := ui.Wrap(d.Text, b.Width)
	for _, line := range d.Details {
		about = append(
			about,
			t.Paint(theme.Muted, ui.Pad(line[0], 14))+ui.Truncate(line[1], b.Width-14, t.Glyphs.Ellipsis),
		)
	}
	value := strings.Repeat(t.Glyphs.Mask, 16)
	if d.revealed {
		value = d.Reveal()
	}
	about = append(
		about,
		t.Paint(
			theme.Muted,
			ui.Pad(d.Name, 14),
		)+t.Paint(
			theme.Strong,
			ui.Truncate(value, b.Width-14, t.Glyphs.Ellipsis),
		),
		"",
	)
	ways := d.choiceLines(b)
	// what can be pressed stays in sight
	all := append(about[min(len(about), max(0, len(about)+len(ways)-b.Height)):], ways...)
	return strings.Join(all[max(0, len(all)-b.Height):], "\n")
}

// choiceLines are what can be pressed now, and last how the dialog is left.
func (d *secretDialog) choiceLines(b ui.Box) []string {
	t := b.Theme
	if d.confirmingDiscard {
		lines := ui.Wrap(
			"Neither copied nor saved. Type "+discardWord+" and press enter to lose it; esc goes back.",
			b.Width,
		)
		for i := range lines {
			lines[i] = t.Paint(theme.Bad, lines[i])
		}
		return append(
			lines,
			"> "+t.Paint(theme.Input, truncateLeft(d.answer, b.Width-3, t.Glyphs.Ellipsis))+t.Paint(theme.Cursor, " "),
		)
	}
	var lines []string
	key := func(k, text string) { lines = append(lines, "  "+t.Paint(theme.Accent, ui.Pad(k, 4))+text) }
	key("y", "copy it, without showing it")
	key("r", "hold to show it")
	for i, s := range d.Formats {
		key(fmt.Sprint(i+1), "save as "+s.Name)
	}
	if d.copiedOrSaved {
		return append(lines, "  "+t.Paint(theme.Good, "enter")+"  close: it has been copied or saved")
	}
	return append(lines, t.Paint(theme.Muted, "  esc closes, and asks first: it cannot be shown again"))
}

func (d *secretDialog) handlePaste(tea.PasteMsg) tea.Cmd { return nil }

func (d *secretDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	if d.confirmingDiscard {
		return d.handleDiscardKey(k)
	}
	switch key := k.String(); {
	case key == "y":
		d.copiedOrSaved = true
		return tea.Batch(terminal.Copy(d.Reveal()), ui.ShowNews(theme.Good, "copied: "+d.Name)), false
	case key == "r":
		d.revealed = true
		d.revealNumber++
		n := d.revealNumber
		return tea.Tick(revealDuration, func(time.Time) tea.Msg { return revealExpired{d, n} }), false
	case len(key) == 1 && key >= "1" && key <= "9" && int(key[0]-'1') < len(d.Formats):
		s.push(&formDialog{form: form.NewFormView(d.saveForm(d.Formats[key[0]-'1']), s.ctx)})
	case key == "enter" && d.copiedOrSaved, key == "esc" && d.copiedOrSaved:
		return d.forgetSecret()
	case key == "esc", key == "q", key == "ctrl+c":
		d.confirmingDiscard = true
	}
	return nil, false
}

// handleDiscardKey takes the word that closes the dialog.
func (d *secretDialog) handleDiscardKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "esc", "ctrl+c":
		d.confirmingDiscard, d.answer = false, ""
	case "enter":
		if d.answer == discardWord {
			return d.forgetSecret()
		}
	case "backspace":
		d.answer = d.answer[:max(0, len(d.answer)-1)]
	default:
		d.answer += k.Text
	}
	return nil, false
}

// forgetSecret forgets the secret.
func (d *secretDialog) forgetSecret() (tea.Cmd, bool) {
	d.OneTimeSecret = ui.OneTimeSecret{Title: d.Title, Reveal: func() string { return "" }}
	return nil, true
}

// saveForm asks where to, and writes the file there.
func (d *secretDialog) saveForm(s ui.ExportFormat) form.Form {
	path := s.Path
	return form.Form{
		Title:        "Save as " + s.Name,
		Text:         "A new file, readable by you alone. One that exists is not overwritten.",
		ProgressText: "saving",
		SubmitLabel:  "save",
		EnterSubmits: form.AlwaysSubmit,
		Fields:       []form.Field{form.File("path", "File", &path, form.Required())},
		Send: func(context.Context) (func() tea.Cmd, error) {
			if err := s.Write(path); err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				d.copiedOrSaved = true
				return ui.ShowNews(theme.Good, "saved: "+path)
			}, nil
		},
	}
}

// warnUnsavedSecret reports whether a secret in front is neither copied nor saved: ctrl+c then asks like esc, and quits
// when pressed again.
func (s *Shell) warnUnsavedSecret() bool {
	n := len(s.dialogs)
	if n == 0 {
		return false
	}
	d, ok := s.dialogs[n-1].(*secretDialog)
	if !ok || d.copiedOrSaved || d.warned {
		return false
	}
	d.warned = true
	return true
}
