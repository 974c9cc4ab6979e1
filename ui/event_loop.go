package ui

import (
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// AsyncResult is a result on its way to its requester. Deliver runs on the loop.
type AsyncResult interface{ Deliver() tea.Cmd }

// An EventLoop is Bubble Tea's event loop as an executor of what holds data: Bubble Tea runs the work, and what it
// returns is applied under the lock. Whoever reads or changes the data holds the lock and waits for nothing meanwhile:
// the shell in Update and Frame, and every other face that shares the data. What the loop is asked for starts with the
// next message that the shell handles: nothing wakes a shell that waits, so another face must send it one.
type EventLoop struct {
	mu       sync.Mutex
	commands []tea.Cmd
	closed   bool
}

// Lock waits until no other face uses the data.
func (l *EventLoop) Lock() { l.mu.Lock() }

// Unlock lets other faces use the data.
func (l *EventLoop) Unlock() { l.mu.Unlock() }

// Close drops the results of work that is still under way.
func (l *EventLoop) Close() {
	l.Lock()
	defer l.Unlock()
	l.closed = true
}

// Go runs work off the event loop, and what it returns under the lock. It is called with the lock.
func (l *EventLoop) Go(work func() (apply func())) { l.Do(func() tea.Msg { return l.apply(work()) }) }

// After runs a function under the lock after a while. It is called with the lock.
func (l *EventLoop) After(wait time.Duration, do func()) {
	l.Do(tea.Tick(wait, func(time.Time) tea.Msg { return l.apply(do) }))
}

// applied tells the shell that the data has changed.
type applied struct{}

// apply applies a result.
func (l *EventLoop) apply(result func()) tea.Msg {
	if result == nil {
		return nil
	}
	l.Lock()
	defer l.Unlock()
	if l.closed {
		return nil
	}
	result()
	return applied{}
}

// Do runs a command: it sends the shell a message from where nobody waits for one. It is called with the lock.
func (l *EventLoop) Do(cmd tea.Cmd) {
	if cmd != nil {
		l.commands = append(l.commands, cmd)
	}
}

// Take returns all that the loop was asked for since it was called last. It is called with the lock.
func (l *EventLoop) Take() tea.Cmd {
	cmd := tea.Batch(l.commands...)
	l.commands = nil
	return cmd
}
