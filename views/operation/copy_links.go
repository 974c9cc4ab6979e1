package operation

import (
	tea "charm.land/bubbletea/v2"

	"lookout/client/account"
	"lookout/ui"
)

// CopyURL copies the link.
func CopyURL(l *account.PresignedLink) tea.Msg {
	return ui.CopyMsg{Text: l.URL.Reveal(), Label: "link", Secret: true}
}

// CopyCurl copies the link as a curl command.
func CopyCurl(l *account.PresignedLink) tea.Msg {
	return ui.CopyMsg{Text: l.CurlCommand(), Label: "curl line", Secret: true}
}
