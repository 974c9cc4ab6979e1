package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// AsyncResult is a result on its way to its requester. Deliver runs on the loop.
type AsyncResult interface{ Deliver() tea.Cmd }

// An EventLoop is Bubble Tea's event loop as an executor of what holds data. What it is asked for while a message is
// handled starts after that: the shell takes it. It belongs to the event loop.
type EventLoop struct{ commands []tea.Cmd }

// Go runs work off the event loop, and what it returns on it.
func (l *EventLoop) Go(work func() (apply func())) {
	l.Do(func() tea.Msg {
		if apply := work(); apply != nil {
			return result(apply)
		}
		return nil
	})
}

// After runs a function on the event loop after a while.
func (l *EventLoop) After(wait time.Duration, do func()) {
	l.Do(tea.Tick(wait, func(time.Time) tea.Msg { return result(do) }))
}

// Do runs a command: it sends the shell a message from where nobody waits for one.
func (l *EventLoop) Do(cmd tea.Cmd) {
	if cmd != nil {
		l.commands = append(l.commands, cmd)
	}
}

// Take returns all that the loop was asked for since it was called last.
func (l *EventLoop) Take() tea.Cmd {
	cmd := tea.Batch(l.commands...)
	l.commands = nil
	return cmd
}

// result is what work has brought.
type result func()

// Deliver applies it.
func (r result) Deliver() tea.Cmd {
	r()
	return nil
}
