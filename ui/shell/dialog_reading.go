package shell

import (
	"fmt"
	"strings"

	"lookout/ui"
)

// dialogReading is a dialog as it is told: what it is about, once, and what has the keyboard.
type dialogReading struct {
	intro []string
	ui.Reading
}

// readDialog tells a dialog; one that does not tell itself is read by its lines.
func readDialog(d dialog, b ui.Box) dialogReading {
	if t, ok := d.(interface{ read(ui.Box) dialogReading }); ok {
		return t.read(b)
	}
	w, _ := d.size()
	b.Width = w
	return dialogReading{Reading: ui.Reading{Text: d.view(b)}}
}

func (q *questionDialog) read(ui.Box) dialogReading {
	ask := q.action.Ask
	r := dialogReading{intro: append([]string{ask.Text}, ask.List...)}
	switch {
	case !q.fits:
		r.Item = "this question does not fit here: make the terminal larger, or press escape"
	case !q.armed:
		r.Item = "it can be answered in a moment; escape leaves"
	case ask.Word != "":
		r.Item, r.Input = "type "+ask.Word+" and press enter; escape leaves", "answer: "+q.answer
	default:
		r.Item = "n: no, leave it; y: yes, " + orElse(ask.Yes, q.action.Name())
	}
	return r
}

func (d *formDialog) read(b ui.Box) dialogReading {
	return dialogReading{intro: d.form.Intro(), Reading: d.form.Read(b)}
}

func (m *menuDialog) read(ui.Box) dialogReading {
	r := dialogReading{Reading: ui.Reading{At: m.cursor + 1, Of: len(m.actions)}}
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
	if a.About != "" {
		parts = append(parts, a.About)
	}
	if a.Off != "" {
		parts = append(parts, "not now: "+a.Off)
	}
	return strings.Join(parts, "; ")
}

func (h *helpDialog) read(b ui.Box) dialogReading {
	h.view(b) // finds what matches
	r := dialogReading{Reading: ui.Reading{Input: "search: " + h.query, Item: "nothing matches"}}
	if h.cursor < len(h.matches) {
		r.At, r.Of, r.Item = h.cursor+1, len(h.matches), describeAction(h.matches[h.cursor])
	}
	return r
}

func (p *paletteDialog) read(ui.Box) dialogReading {
	r := dialogReading{Reading: ui.Reading{Input: "go to: " + p.query, Item: "nothing matches"}}
	if at := max(0, min(p.cursor, len(p.entries)-1)); at < len(p.entries) {
		r.At, r.Of, r.Item = at+1, len(p.entries), fmt.Sprintf("%s; %s", p.entries[at].label, p.entries[at].kind)
	}
	return r
}

func (d *textDialog) read(ui.Box) dialogReading {
	return dialogReading{Reading: ui.Reading{Text: d.text}}
}

// read tells a secret's dialog without the secret: lines that are said stay where they are.
func (d *secretDialog) read(ui.Box) dialogReading {
	r := dialogReading{intro: []string{d.Text}}
	for _, line := range d.Lines {
		r.intro = append(r.intro, line[0]+": "+line[1])
	}
	r.intro = append(r.intro, d.What+": hidden, and not read aloud; y copies it")
	for i, s := range d.Saves {
		r.intro = append(r.intro, fmt.Sprintf("%d: save as %s", i+1, s.Name))
	}
	switch {
	case d.copiedOrSaved:
		r.Item = "copied or saved; enter closes"
	case d.confirmingDiscard:
		r.Item, r.Input = "neither copied nor saved; type "+discardWord+" and press enter to lose it; escape goes back", "answer: "+d.answer
	default:
		r.Item = "escape closes, and asks first: it cannot be shown again"
	}
	return r
}
