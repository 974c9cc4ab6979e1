package shell

import tea "charm.land/bubbletea/v2"

// bodyTop is the line at which the pane begins.
const bodyTop = 3

// area is a part of the frame.
type area struct{ x, y, width, height int }

// holds reports whether a point is in the area, and at which of its lines.
func (a area) holds(at tea.Mouse) (line int, in bool) {
	return at.Y - a.y, at.X >= a.x && at.X < a.x+a.width && at.Y >= a.y && at.Y < a.y+a.height
}

// A pointable is a dialog whose entries can be clicked: the first click puts the cursor on an entry, another one chooses it.
type pointable interface {
	point(line int) (chosen bool)
}

// pointed is the mouse: the wheel and clicks on tabs, hints and rows. A dialog in front owns it, and a question cannot be answered by it.
func (s *Shell) pointed(msg tea.MouseMsg) tea.Cmd {
	if s.cramped() {
		return nil
	}
	if n := len(s.dialogs); n > 0 {
		return s.pointedAt(s.dialogs[n-1], msg)
	}
	at := msg.Mouse()
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		return s.pane().Update(msg)
	case tea.MouseClickMsg:
		if at.Button != tea.MouseLeft {
			return nil
		}
		for _, h := range s.hits {
			if at.Y == h.y && at.X >= h.from && at.X < h.to {
				return s.start(h.action)
			}
		}
		msg.Y -= bodyTop
		return s.pane().Update(msg)
	}
	return nil
}

// pointedAt is the mouse on a dialog: where there is a list to choose from or a text to read, it moves and chooses.
func (s *Shell) pointedAt(d dialog, msg tea.MouseMsg) tea.Cmd {
	p, ok := d.(pointable)
	if !ok {
		return nil
	}
	at := msg.Mouse()
	switch {
	case at.Button == tea.MouseWheelUp:
		return s.answer(d, tea.KeyPressMsg{Code: tea.KeyUp})
	case at.Button == tea.MouseWheelDown:
		return s.answer(d, tea.KeyPressMsg{Code: tea.KeyDown})
	}
	if _, click := msg.(tea.MouseClickMsg); !click || at.Button != tea.MouseLeft {
		return nil
	}
	if line, in := s.inside.holds(at); in && p.point(line) {
		return s.answer(d, tea.KeyPressMsg{Code: tea.KeyEnter})
	}
	return nil
}

func (m *menu) point(line int) bool { return onto(&m.at, m.top+line, len(m.actions)) }

// point is on an entry beneath the text that is searched for.
func (q *search) point(line int) bool {
	return line >= searchHead && onto(&q.at, q.top+line-searchHead, q.last)
}

func (d *sheet) point(int) bool { return false }

// onto puts a cursor on a place, and reports whether it stood there.
func onto(at *int, place, n int) bool {
	if place >= n || *at == place {
		return place < n
	}
	*at = place
	return false
}
