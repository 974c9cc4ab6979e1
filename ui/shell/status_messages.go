package shell

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// statusMessages holds the message in the status line, and the messages before it. Only the change that the line names
// can be undone: a key must not undo an older one.
type statusMessages struct {
	current ui.StatusMsg
	number  int // counts messages
	history []message
}

type message struct {
	at   time.Time
	text string
}

// statusExpired says that a message has been visible for long enough.
type statusExpired struct{ number int }

const (
	statusDuration = 8 * time.Second // how long a message stays visible; errors stay
	undoDuration   = time.Minute     // how long a message that offers undo stays visible
	maxMessages    = 200             // messages in the history
)

func (m *statusMessages) show(s *Shell, msg ui.StatusMsg) tea.Cmd {
	if msg.Work != nil && msg.Work.Ended {
		return nil
	}
	if w := msg.Work; w != nil && w.Shown {
		if m.current.Work == w {
			m.current.Text = msg.Text
		}
		return nil
	} else if w != nil {
		w.Shown = true
	}
	m.current = msg
	m.number++
	m.history = append(m.history, message{s.o.Now(), msg.Text})
	if len(m.history) > maxMessages {
		m.history = m.history[len(m.history)-maxMessages:]
	}
	if msg.Tone == theme.Bad || msg.Work != nil || s.clock.paused() {
		return nil
	}
	wait, number := statusDuration, m.number
	if msg.Undo != nil {
		wait = undoDuration
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return statusExpired{number} })
}

// showPaneStatus shows a line that is true only for the pane in front.
func showPaneStatus(tone theme.Tone, text string) tea.Cmd {
	return ui.Send(ui.StatusMsg{Text: text, Tone: tone, OnlyForPane: true})
}

// endWork removes the message about work that has ended, unless a newer one has replaced it.
func (m *statusMessages) endWork(w *ui.BackgroundWork) {
	w.Ended = true
	if m.current.Work == w {
		m.current = ui.StatusMsg{}
	}
}

// expire removes a message unless a newer one has replaced it.
func (m *statusMessages) expire(msg statusExpired) {
	if msg.number == m.number {
		m.current = ui.StatusMsg{}
	}
}

// historyText lists the messages, the newest first.
func (m *statusMessages) historyText(zone *time.Location) string {
	if len(m.history) == 0 {
		return "no messages yet"
	}
	var b strings.Builder
	for i := len(m.history) - 1; i >= 0; i-- {
		b.WriteString(m.history[i].at.In(zone).Format("15:04:05") + "  " + m.history[i].text + "\n")
	}
	return b.String()
}

// view renders the status line: a glyph, the text, and the key that undoes the change.
func (m *statusMessages) view(b ui.Box) string {
	if m.current.Text == "" {
		return ""
	}
	g := b.Theme.Glyphs
	glyph := g.Bullet
	switch m.current.Tone {
	case theme.Good:
		glyph = g.Success
	case theme.Bad:
		glyph = g.Failure
	case theme.Warn:
		glyph = g.Problem
	}
	undo := ""
	if m.current.Undo != nil {
		undo = " " + g.Bullet + " u: " + m.current.Undo.Name()
	}
	text := ui.Truncate(m.current.Text, max(0, b.Width-3-ui.Width(undo)), g.Ellipsis)
	return " " + b.Theme.PaintState(m.current.Tone, glyph+" "+text) + b.Theme.Paint(theme.Accent, undo)
}
