package shell

import tea "charm.land/bubbletea/v2"

// bodyTop is the line at which the pane begins.
const bodyTop = 3

// pointed is the mouse: the wheel and clicks on tabs, hints and rows.
func (s *Shell) pointed(msg tea.MouseMsg) tea.Cmd {
	at := msg.Mouse()
	if len(s.dialogs) > 0 || s.cramped() {
		return nil
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		return s.pane().Update(msg)
	case tea.MouseClickMsg:
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
