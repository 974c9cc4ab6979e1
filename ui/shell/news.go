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
	current ui.NewsMsg
	number  int
	undo    *ui.Action
	history []message
}

type message struct {
	at   time.Time
	text string
}

// newsExpired is the timer of a piece of news; an older one does not wipe what is newer.
type newsExpired struct{ number int }

// How long good news stands, and how many messages are kept.
const (
	newsDuration = 8 * time.Second
	maxMessages  = 200
)

func (n *news) show(s *Shell, say ui.NewsMsg) tea.Cmd {
	n.current = say
	n.number++
	if say.Undo != nil {
		n.undo = say.Undo
	}
	n.history = append(n.history, message{s.o.Now(), say.Text})
	if len(n.history) > maxMessages {
		n.history = n.history[len(n.history)-maxMessages:]
	}
	if say.Tone == theme.Bad || s.clock.paused() {
		return nil
	}
	wait, number := newsDuration, n.number
	if say.Undo != nil {
		wait = time.Minute
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return newsExpired{number} })
}

func (n *news) expire(h newsExpired) {
	if h.number == n.number {
		n.current, n.undo = ui.NewsMsg{}, nil
	}
}

// historyText is the list of messages, newest first.
func (n *news) historyText(s *Shell) string {
	var b strings.Builder
	for i := len(n.history) - 1; i >= 0; i-- {
		b.WriteString(n.history[i].at.In(s.o.Location).Format("15:04:05") + "  " + n.history[i].text + "\n")
	}
	if len(n.history) == 0 {
		return "nothing has happened yet"
	}
	return b.String()
}

// view is the line: a shape, the text, and the key that takes it back.
func (n *news) view(b ui.Box) string {
	if n.current.Text == "" {
		return ""
	}
	g := b.Theme.Glyphs
	shape := map[theme.Tone]string{theme.Good: g.Success, theme.Bad: g.Failure, theme.Warn: g.Problem}[n.current.Tone]
	if shape == "" {
		shape = g.Bullet
	}
	undo := ""
	if n.undo != nil && n.current.Undo == n.undo {
		undo = " " + g.Bullet + " u: " + n.undo.Name()
	}
	text := ui.Truncate(n.current.Text, max(0, b.Width-3-ui.Width(undo)), g.Ellipsis)
	return b.Theme.Paint(n.current.Tone, " "+shape+" "+text) + b.Theme.Paint(theme.Accent, undo)
}
