package shell

import (
	"fmt"
	"strings"

	"lookout/ui"
)

// dialogReading is a dialog as it is told: what it is about, once, and what has the keyboard.
type dialogReading struct {
	intro []string
	ui.Announcement
}

// readDialog tells a dialog; one that does not tell itself is read by its lines.
func readDialog(d dialog, b ui.Box) dialogReading {
	if t, ok := d.(interface{ read(ui.Box) dialogReading }); ok {
		return t.read(b)
	}
	w, _ := d.size()
	b.Width = w
	return dialogReading{Announcement: ui.Announcement{Text: d.view(b)}}
}

func (q *questionDialog) read(ui.Box) dialogReading {
	ask := q.action.Confirm
	r := dialogReading{intro: append([]string{ask.Text}, ask.Items...)}
	switch {
	case !q.fits:
		r.Item = "this question does not fit here: make the terminal larger, or press escape"
	case !q.armed:
		r.Item = "it can be answered in a moment; escape leaves"
	case ask.RequiredText != "":
		r.Item, r.Input = "type "+ask.RequiredText+" and press enter; escape leaves", "answer: "+q.answer
	default:
		r.Item = "n: no, leave it; y: yes, " + orElse(ask.ConfirmLabel, q.action.Name())
	}
	return r
}

func (d *formDialog) read(b ui.Box) dialogReading {
	return dialogReading{intro: d.form.Intro(), Announcement: d.form.Announce(b)}
}

func (m *menuDialog) read(ui.Box) dialogReading {
	r := dialogReading{Announcement: ui.Announcement{Position: m.cursor + 1, Count: len(m.actions)}}
	if m.cursor < len(m.actions) {
		r.Item = describeAction(m.actions[m.cursor])
	}
	return r
}

// describeAction is an action in words.
func describeAction(a ui.Action) string {
	parts := []string{a.Name()}
	if key := a.Key.Help().Key; key != "" {
		parts = append(parts, "key "+key)
	}
	if a.Description != "" {
		parts = append(parts, a.Description)
	}
	if a.DisabledReason != "" {
		parts = append(parts, "not now: "+a.DisabledReason)
	}
	return strings.Join(parts, "; ")
}

func (h *helpDialog) read(b ui.Box) dialogReading {
	h.view(b) // finds what matches
	r := dialogReading{Announcement: ui.Announcement{Input: "search: " + h.query, Item: "nothing matches"}}
	if h.cursor < len(h.matches) {
		r.Position, r.Count, r.Item = h.cursor+1, len(h.matches), describeAction(h.matches[h.cursor])
	}
	return r
}

func (p *paletteDialog) read(ui.Box) dialogReading {
	r := dialogReading{Announcement: ui.Announcement{Input: "go to: " + p.query, Item: "nothing matches"}}
	if at := max(0, min(p.cursor, len(p.entries)-1)); at < len(p.entries) {
		r.Position, r.Count, r.Item = at+1, len(
			p.entries,
		), fmt.Sprintf(
			"%s; %s",
			p.entries[at].label,
			p.entries[at].kind,
		)
	}
	return r
}

func (d *textDialog) read(ui.Box) dialogReading {
	return dialogReading{Announcement: ui.Announcement{Text: d.text}}
}

// read tells a secret's dialog without the secret: lines that are said stay where they are.
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
	case d.confirmingDiscard:
		r.Item, r.Input = "neither copied nor saved; type "+discardWord+" and press enter to lose it; escape goes "+
			"back", "answer: "+d.answer
	default:
		r.Item = "escape closes, and asks first: it cannot be shown again"
	}
	return r
}
