package shell

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// NotifyOptions say which changes are shown as status messages, and which of them the user is notified of outside the
// screen. The zero value shows none.
type NotifyOptions struct {
	// changes since the last call, and what is to be done about them; while refreshing is paused, that reads nothing
	Notices func(paused bool) []ui.Notification
	Refresh func()                           // reads outdated data that notices depend on
	Methods []string                         // "bell", "osc9", "osc777"; none turns notifications off
	Rules   []string                         // rules of the notices that are sent
	Send    func(title, text string) tea.Cmd // nil sends by the methods
}

// announce shows every change as a message, and sends notifications by the rules. It never changes the pane in front.
func (o NotifyOptions) announce(account string, paused bool) tea.Cmd {
	if o.Notices == nil {
		return nil
	}
	notices := o.Notices(paused)
	var cmds []tea.Cmd
	var texts []string
	var lines ui.StatusListMsg
	for _, n := range notices {
		lines = slices.Insert(lines, 0, ui.StatusMsg{Tone: n.Tone, Text: n.Text}) // the most urgent one stays in sight
		if slices.Contains(o.Rules, n.Rule) {
			texts = append(texts, n.Text)
		}
	}
	if len(lines) > 0 {
		cmds = append(cmds, ui.Send(lines))
	}
	if len(texts) > 0 {
		cmds = append(cmds, o.send(account, strings.Join(texts, " · ")))
	}
	return tea.Batch(cmds...)
}

// send sends a notification outside the screen.
func (o NotifyOptions) send(account, text string) tea.Cmd {
	if len(o.Methods) == 0 {
		return nil
	}
	title := "lookout " + account
	if o.Send != nil {
		return o.Send(title, text)
	}
	return terminal.Notify(o.Methods, title, text)
}

// refresh reads the data that notices depend on. Messages and badges need it in every pane, also where no notification
// is sent.
func (o NotifyOptions) refresh() {
	if o.Refresh != nil {
		o.Refresh()
	}
}

// test sends a notification, so that the user can try the configuration.
func (o NotifyOptions) test(account string) tea.Cmd {
	if len(o.Methods) == 0 {
		message := `notifications are off · notify = ["bell", "osc9"] in the configuration turns them on`
		return ui.ShowStatus(theme.Warn, message)
	}
	message := "sent a test by " + strings.Join(o.Methods, ", ") + " · rules: " + strings.Join(o.Rules, ", ")
	return tea.Batch(o.send(account, "this is a test"), ui.ShowStatus(theme.Info, message))
}
