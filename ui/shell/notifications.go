package shell

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// NotifyOptions says what is told beside the screen, and how. The zero value tells nothing there.
type NotifyOptions struct {
	Methods []string                         // "bell", "osc9", "osc777"
	Rules   []string                         // of notices that are told so
	Send    func(title, text string) tea.Cmd // nil is the terminal's, by the ways
}

// showNotices tells what has changed: in the line of news always, beside the screen by the rules. It never changes what
// is in front.
func (s *Shell) showNotices() tea.Cmd {
	if s.o.Notices == nil {
		return nil
	}
	var cmds []tea.Cmd
	var alert []string
	for _, n := range s.o.Notices() {
		cmds = append(cmds, ui.ShowNews(n.Tone, n.Text))
		if slices.Contains(s.o.Notify.Rules, n.Rule) {
			alert = append(alert, n.Text)
		}
	}
	if len(alert) > 0 {
		cmds = append(cmds, s.sendNotification(strings.Join(alert, " · ")))
	}
	return tea.Batch(cmds...)
}

// sendNotification tells a text beside the screen.
func (s *Shell) sendNotification(text string) tea.Cmd {
	if len(s.o.Notify.Methods) == 0 {
		return nil
	}
	title := "lookout " + s.o.Account
	if s.o.Notify.Send != nil {
		return s.o.Notify.Send(title, text)
	}
	return terminal.Notify(s.o.Notify.Methods, title, text)
}

// refreshNoticeSources reads what notices are about, where somebody wants to be told beside the screen.
func (s *Shell) refreshNoticeSources() tea.Cmd {
	if s.o.RefreshNoticeSources == nil || len(s.o.Notify.Methods) == 0 || len(s.o.Notify.Rules) == 0 {
		return nil
	}
	return s.o.RefreshNoticeSources()
}

// testNotification is the palette's way to hear and see how news is told.
func (s *Shell) testNotification() tea.Cmd {
	if len(s.o.Notify.Methods) == 0 {
		return ui.ShowNews(
			theme.Warn,
			`nothing is told beside the screen: notify = ["bell", "osc9"] in the configuration says how`,
		)
	}
	return tea.Batch(
		s.sendNotification("this is a test"),
		ui.ShowNews(
			theme.Info,
			"told by "+strings.Join(s.o.Notify.Methods, ", ")+": "+strings.Join(s.o.Notify.Rules, ", "),
		),
	)
}
