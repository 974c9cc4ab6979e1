package shell

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// news is the line of what just happened, and the list of what happened before.
type news struct {
	line ui.Say
	n    int
	undo *ui.Action
	past []message
}

type message struct {
	at   time.Time
	text string
}

// hush is the timer of a piece of news; an older one does not wipe what is newer.
type hush struct{ n int }

// How long good news stands, and how many messages are kept.
const (
	stands = 8 * time.Second
	kept   = 200
)

func (n *news) say(s *Shell, say ui.Say) tea.Cmd {
	n.line = say
	n.n++
	if say.Undo != nil {
		n.undo = say.Undo
	}
	n.past = append(n.past, message{s.o.Now(), say.Text})
	if len(n.past) > kept {
		n.past = n.past[len(n.past)-kept:]
	}
	if say.Tone == theme.Bad || s.clock.paused() {
		return nil
	}
	wait, number := stands, n.n
	if say.Undo != nil {
		wait = time.Minute
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return hush{number} })
}

func (n *news) hush(h hush) {
	if h.n == n.n {
		n.line, n.undo = ui.Say{}, nil
	}
}

// all is the list of messages, newest first.
func (n *news) all(s *Shell) string {
	var b strings.Builder
	for i := len(n.past) - 1; i >= 0; i-- {
		b.WriteString(n.past[i].at.In(s.o.Location).Format("15:04:05") + "  " + n.past[i].text + "\n")
	}
	if len(n.past) == 0 {
		return "nothing has happened yet"
	}
	return b.String()
}

// view is the line: a shape, the text, and the key that takes it back.
func (n *news) view(b ui.Box) string {
	if n.line.Text == "" {
		return ""
	}
	g := b.Theme.Glyphs
	shape := map[theme.Tone]string{theme.Good: g.Done, theme.Bad: g.Refused, theme.Warn: g.Problem}[n.line.Tone]
	if shape == "" {
		shape = g.Bullet
	}
	undo := ""
	if n.undo != nil && n.line.Undo == n.undo {
		undo = " " + g.Bullet + " u: " + n.undo.Name()
	}
	text := ui.Cut(n.line.Text, max(0, b.Width-3-ui.Width(undo)), g.Ellipsis)
	return b.Theme.Paint(n.line.Tone, " "+shape+" "+text) + b.Theme.Paint(theme.Accent, undo)
}
