package shell

import tea "charm.land/bubbletea/v2"

// paneTop is the line at which the pane begins.
const paneTop = 3

// area is a part of the frame.
type area struct{ x, y, width, height int }

// lineAt reports whether a point is in the area, and at which of its lines.
func (a area) lineAt(at tea.Mouse) (line int, in bool) {
	return at.Y - a.y, at.X >= a.x && at.X < a.x+a.width && at.Y >= a.y && at.Y < a.y+a.height
}

// A clickable is a dialog whose entries can be clicked: the first click puts the cursor on an entry, another one
// chooses it.
type clickable interface {
	clickLine(line int) (chosen bool)
}

// handleMouse is the mouse: the wheel and clicks on tabs, hints and rows. A dialog in front owns it, and a question
// cannot be answered by it.
func (s *Shell) handleMouse(msg tea.MouseMsg) tea.Cmd {
	if s.tooSmall() {
		return nil
	}
	if n := len(s.dialogs); n > 0 {
		return s.handleDialogMouse(s.dialogs[n-1], msg)
	}
	at := msg.Mouse()
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		return s.pane().Update(msg)
	case tea.MouseClickMsg:
		if at.Button != tea.MouseLeft {
			return nil
		}
		for _, h := range s.clickTargets {
			if at.Y == h.y && at.X >= h.from && at.X < h.to {
				return s.startAction(h.action)
			}
		}
		msg.Y -= paneTop
		return s.pane().Update(msg)
	}
	return nil
}

// handleDialogMouse is the mouse on a dialog: where there is a list to choose from or a text to read, it moves and
// chooses.
func (s *Shell) handleDialogMouse(d dialog, msg tea.MouseMsg) tea.Cmd {
	p, ok := d.(clickable)
	if !ok {
		return nil
	}
	at := msg.Mouse()
	switch {
	case at.Button == tea.MouseWheelUp:
		return s.passKeyToDialog(d, tea.KeyPressMsg{Code: tea.KeyUp})
	case at.Button == tea.MouseWheelDown:
		return s.passKeyToDialog(d, tea.KeyPressMsg{Code: tea.KeyDown})
	}
	if _, click := msg.(tea.MouseClickMsg); !click || at.Button != tea.MouseLeft {
		return nil
	}
	if line, in := s.dialogArea.lineAt(at); in && p.clickLine(line) {
		return s.passKeyToDialog(d, tea.KeyPressMsg{Code: tea.KeyEnter})
	}
	return nil
}

func (m *menuDialog) clickLine(line int) bool {
	return moveCursorTo(&m.cursor, m.scrollTop+line, len(m.actions))
}

// clickLine is on an entry beneath the text that is searched for.
func (q *searchList) clickLine(line int) bool {
	return line >= searchHeaderLines && moveCursorTo(&q.cursor, q.scrollTop+line-searchHeaderLines, q.entryCount)
}

func (d *textDialog) clickLine(int) bool { return false }

// moveCursorTo puts a cursor on a place, and reports whether it stood there.
func moveCursorTo(at *int, place, n int) bool {
	if place >= n || *at == place {
		return place < n
	}
	*at = place
	return false
}
