package shell

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
)

// statusMessages holds the message in the status line, and the messages before it. Only the last change can be undone,
// and the line names it as long as it can: news and other messages do not take that away.
type statusMessages struct {
	current        ui.StatusMsg
	number         int          // counts messages
	undoable       ui.StatusMsg // the last change, while it can be undone
	undoableNumber int
	noUndo         string // why there is no such change; "" if there was none
	history        []message
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
	if msg.Work != nil && msg.Work.Ended || msg.Outdated != nil && msg.Outdated() {
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
	m.number++
	if msg.Undo != nil {
		m.undoable, m.undoableNumber = msg, m.number
	} else if msg.ReportsChange {
		m.undoable, m.noUndo = ui.StatusMsg{}, cmp.Or(msg.NoUndo, "the last change cannot be undone")
	} else if undo := m.undoable.Undo; undo != nil {
		named := *undo
		named.ShownName = undo.Name() + " (" + undo.Object + ")"
		msg.Undo = &named
	}
	m.current = msg
	m.history = append(m.history, message{s.o.Now(), msg.Text})
	if len(m.history) > maxMessages {
		m.history = m.history[len(m.history)-maxMessages:]
	}
	if msg.Tone == theme.Bad || msg.Work != nil || s.clock.paused() {
		return nil
	}
	wait, number := statusDuration, m.number
	if number == m.undoableNumber {
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
		m.clear()
	}
}

// clear removes the message in sight. The last change comes back if it can still be undone.
func (m *statusMessages) clear() { m.current = m.undoable }

// expire removes a message unless a newer one has replaced it, and ends the time in which a change can be undone.
func (m *statusMessages) expire(msg statusExpired) {
	if msg.number == m.undoableNumber && m.undoable.Undo != nil {
		m.endUndo()
		m.noUndo = "the last change was more than a minute ago"
	}
	if msg.number == m.number {
		m.clear()
	}
}

// endUndo says that the last change can no longer be undone.
func (m *statusMessages) endUndo() {
	if undo := m.undoable.Undo; undo != nil && m.current.Undo == undo {
		m.current = ui.StatusMsg{}
	}
	m.undoable, m.current.Undo, m.noUndo = ui.StatusMsg{}, nil, ""
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

// A workHint is the progress of the work under way, and the key of the pane that shows more of it: "F: transfers".
type workHint struct {
	parts []string
	key   string
}

// view renders the progress where there is room for it: in a line of its own, or after the start of the work.
func (w workHint) view(b ui.Box, message ui.StatusMsg, glyph string) string {
	next := wording.WithPrefix(" "+b.Theme.Glyphs.Bullet+" ", w.key)
	var parts []string
	if message.Text != "" {
		parts = []string{message.Text}
	}
	room := b.Width - 3 - ui.Width(next)
	text := ui.JoinFitting(append(parts, w.parts...), " · ", max(0, room), b.Theme.Glyphs.Ellipsis)
	if message.Text != "" && ui.Width(message.Text) >= room {
		text = ui.Truncate(message.Text, max(0, room), b.Theme.Glyphs.Ellipsis)
	}
	return " " + b.Theme.PaintState(message.Tone, glyph+" "+text) + b.Theme.Paint(theme.Accent, next)
}

// view renders the status line: a glyph, the text, and the key that undoes the change. A text that does not fit ends
// with a whole word and the key that shows all of it; readKey is "" if no key does now. Without a message it shows the
// progress of the work under way.
func (m *statusMessages) view(b ui.Box, undoKey, readKey string, work workHint) string {
	switch {
	case m.current.Text == "" && work.parts == nil:
		return ""
	case m.current.Text == "":
		return work.view(b, ui.StatusMsg{Tone: theme.Muted}, b.Theme.Glyphs.Pending)
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
	if m.current.ShowsProgress && m.current.Undo == nil && work.parts != nil {
		return work.view(b, m.current, glyph)
	}
	undo := ""
	if m.current.Undo != nil {
		undo = " " + g.Bullet + " " + undoKey + ": " + m.current.Undo.Name()
	}
	if m.current.Undo != m.undoable.Undo && ui.Width(m.current.Text)+ui.Width(undo) > b.Width-3 {
		undo = "" // of an earlier change: this message needs the room
	}
	text, room, read := m.current.Text, max(0, b.Width-3-ui.Width(undo)), ""
	if ui.Width(text) > room {
		if readKey != "" {
			read = " " + readKey + ": more"
		}
		text = truncateWords(text, room-ui.Width(read), g.Ellipsis)
	}
	return " " + b.Theme.PaintState(m.current.Tone, glyph+" "+text) + b.Theme.Paint(theme.Accent, read+undo)
}

// truncateWords cuts a text that is too wide behind a word, and marks the cut. A word that takes most of the room is
// cut too.
func truncateWords(text string, width int, mark string) string {
	cut := ui.Truncate(text, width, mark)
	if cut == text {
		return text
	}
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)/2 {
		return strings.TrimRight(cut[:at], " ·:;,") + " " + mark
	}
	return cut
}
