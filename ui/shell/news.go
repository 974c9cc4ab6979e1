package shell

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// news holds the message in the news line, and the messages before it. Only the change that the line names can be
// undone: a key must not undo an older one.
type news struct {
	current ui.NewsMsg
	number  int // counts messages
	history []message
}

type message struct {
	at   time.Time
	text string
}

// newsExpired says that a message has been visible for long enough.
type newsExpired struct{ number int }

const (
	newsDuration = 8 * time.Second // how long a message stays visible; errors stay
	undoDuration = time.Minute     // how long a message that offers undo stays visible
	maxMessages  = 200             // messages in the history
)

func (n *news) show(s *Shell, msg ui.NewsMsg) tea.Cmd {
	if msg.Work != nil && msg.Work.Ended {
		return nil
	}
	if w := msg.Work; w != nil && w.Shown {
		if n.current.Work == w {
			n.current.Text = msg.Text
		}
		return nil
	} else if w != nil {
		w.Shown = true
	}
	n.current = msg
	n.number++
	n.history = append(n.history, message{s.o.Now(), msg.Text})
	if len(n.history) > maxMessages {
		n.history = n.history[len(n.history)-maxMessages:]
	}
	if msg.Tone == theme.Bad || msg.Work != nil || s.clock.paused() {
		return nil
	}
	wait, number := newsDuration, n.number
	if msg.Undo != nil {
		wait = undoDuration
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return newsExpired{number} })
}

// showPaneNews shows a line that is true only for the pane in front.
func showPaneNews(tone theme.Tone, text string) tea.Cmd {
	return ui.Send(ui.NewsMsg{Text: text, Tone: tone, OnlyForPane: true})
}

// endWork removes the message about work that has ended, unless a newer one has replaced it.
func (n *news) endWork(w *ui.BackgroundWork) {
	w.Ended = true
	if n.current.Work == w {
		n.current = ui.NewsMsg{}
	}
}

// expire removes a message unless a newer one has replaced it.
func (n *news) expire(msg newsExpired) {
	if msg.number == n.number {
		n.current = ui.NewsMsg{}
	}
}

// historyText lists the messages, the newest first.
func (n *news) historyText(zone *time.Location) string {
	if len(n.history) == 0 {
		return "no messages yet"
	}
	var b strings.Builder
	for i := len(n.history) - 1; i >= 0; i-- {
		b.WriteString(n.history[i].at.In(zone).Format("15:04:05") + "  " + n.history[i].text + "\n")
	}
	return b.String()
}

// view renders the news line: a glyph, the text, and the key that undoes the change.
func (n *news) view(b ui.Box) string {
	if n.current.Text == "" {
		return ""
	}
	g := b.Theme.Glyphs
	glyph := g.Bullet
	switch n.current.Tone {
	case theme.Good:
		glyph = g.Success
	case theme.Bad:
		glyph = g.Failure
	case theme.Warn:
		glyph = g.Problem
	}
	undo := ""
	if n.current.Undo != nil {
		undo = " " + g.Bullet + " u: " + n.current.Undo.Name()
	}
	text := ui.Truncate(n.current.Text, max(0, b.Width-3-ui.Width(undo)), g.Ellipsis)
	return " " + b.Theme.PaintState(n.current.Tone, glyph+" "+text) + b.Theme.Paint(theme.Accent, undo)
}
