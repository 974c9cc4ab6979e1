package shell

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// Notify says what is told beside the screen, and how. The zero value tells nothing there.
type Notify struct {
	Ways  []string                         // "bell", "osc9", "osc777"
	Rules []string                         // of notices that are told so
	Alert func(title, text string) tea.Cmd // nil is the terminal's, by the ways
}

// noticed tells what has changed: in the line of news always, beside the screen by the rules. It never changes what is in front.
func (s *Shell) noticed() tea.Cmd {
	if s.o.Notices == nil {
		return nil
	}
	var cmds []tea.Cmd
	var alert []string
	for _, n := range s.o.Notices() {
		cmds = append(cmds, ui.News(n.Tone, n.Text))
		if slices.Contains(s.o.Notify.Rules, n.Rule) {
			alert = append(alert, n.Text)
		}
	}
	if len(alert) > 0 {
		cmds = append(cmds, s.alert(strings.Join(alert, " · ")))
	}
	return tea.Batch(cmds...)
}

// alert tells a text beside the screen.
func (s *Shell) alert(text string) tea.Cmd {
	if len(s.o.Notify.Ways) == 0 {
		return nil
	}
	title := "lookout " + s.o.Account
	if s.o.Notify.Alert != nil {
		return s.o.Notify.Alert(title, text)
	}
	return terminal.Alert(s.o.Notify.Ways, title, text)
}

// attend reads what notices are about, where somebody wants to be told beside the screen.
func (s *Shell) attend() tea.Cmd {
	if s.o.Attend == nil || len(s.o.Notify.Ways) == 0 || len(s.o.Notify.Rules) == 0 {
		return nil
	}
	return s.o.Attend()
}

// tryNotify is the palette's way to hear and see how news is told.
func (s *Shell) tryNotify() tea.Cmd {
	if len(s.o.Notify.Ways) == 0 {
		return ui.News(theme.Warn, `nothing is told beside the screen: notify = ["bell", "osc9"] in the configuration says how`)
	}
	return tea.Batch(s.alert("this is a test"), ui.News(theme.Info, "told by "+strings.Join(s.o.Notify.Ways, ", ")+": "+strings.Join(s.o.Notify.Rules, ", ")))
}
