package shell

import tea "charm.land/bubbletea/v2"

// handleMouse handles the wheel, and clicks on tabs, hints and rows. A dialog in front receives everything, and a
// question cannot be answered with the mouse.
func (s *Shell) handleMouse(msg tea.MouseMsg) tea.Cmd {
	if s.tooSmall() {
		return nil
	}
	if d := s.dialogs.top(); d != nil {
		return s.handleDialogMouse(d, msg)
	}
	at := msg.Mouse()
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		return s.pane().Update(msg)
	case tea.MouseClickMsg:
		if at.Button != tea.MouseLeft {
			return nil
		}
		for _, target := range s.clickTargets() {
			if at.Y == target.y && at.X >= target.from && at.X < target.to {
				return s.startAction(target.action)
			}
		}
		msg.X, msg.Y = msg.X-sideMargin, msg.Y-s.paneTop()
		return s.pane().Update(msg)
	}
	return nil
}

// clickTargets returns the tabs and hints on the screen; a pane that is shown alone has none.
func (s *Shell) clickTargets() []clickTarget {
	if s.o.PaneOnly {
		return nil
	}
	return chrome{s, s.box()}.clickTargets()
}

// handleDialogMouse scrolls a dialog, moves its cursor, and chooses its entries.
func (s *Shell) handleDialogMouse(d dialog, msg tea.MouseMsg) tea.Cmd {
	c, ok := d.(clickable)
	if !ok {
		return nil
	}
	at := msg.Mouse()
	switch at.Button {
	case tea.MouseWheelUp:
		return s.passKeyToDialog(d, tea.KeyPressMsg{Code: tea.KeyUp})
	case tea.MouseWheelDown:
		return s.passKeyToDialog(d, tea.KeyPressMsg{Code: tea.KeyDown})
	}
	if _, click := msg.(tea.MouseClickMsg); !click || at.Button != tea.MouseLeft {
		return nil
	}
	inside := dialogArea(d, s.bodyBox())
	inside.y += s.paneTop()
	if line, in := inside.lineAt(at); in && c.clickLine(line) {
		return s.passKeyToDialog(d, tea.KeyPressMsg{Code: tea.KeyEnter})
	}
	return nil
}
