// Package operation is what the panes of an account share: how an operation asks, runs and reports, and how rows are
// formatted and copied. What is known of the account is in client/account.
package operation

import (
	tea "charm.land/bubbletea/v2"

	"lookout/client/account"
	"lookout/theme"
	"lookout/ui"
)

// Post sends the screen a message; a program without one drops it.
func Post(a *account.Account, cmd tea.Cmd) {
	if screen, ok := a.Executor.(interface{ Do(tea.Cmd) }); ok {
		screen.Do(cmd)
	}
}

// Tone returns the tone of a severity.
func Tone(s account.Severity) theme.Tone {
	return [...]theme.Tone{
		account.Good:  theme.Good,
		account.Info:  theme.Info,
		account.Warn:  theme.Warn,
		account.Bad:   theme.Bad,
		account.Off:   theme.Off,
		account.Plain: theme.Plain,
	}[s]
}

// Show lets the screen show what the account tells.
func Show(a *account.Account) {
	a.Tell = func(s account.Severity, text string) { Post(a, ui.ShowStatus(Tone(s), text)) }
}

// Notifications returns notices as the screen shows them.
func Notifications(notices []account.Notice) []ui.Notification {
	all := make([]ui.Notification, len(notices))
	for i, n := range notices {
		all[i] = ui.Notification{Rule: n.Rule, Text: n.Text, Tone: Tone(n.Tone)}
	}
	return all
}
