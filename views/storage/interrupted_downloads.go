package storage

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
)

// OfferInterruptedDownloads offers to continue the downloads that an earlier run did not finish.
func OfferInterruptedDownloads(a *account.Account) tea.Cmd {
	return func() tea.Msg {
		if found := a.Transfers.Interrupted(); len(found.Downloads) > 0 {
			return interruptedMenu(a, found)
		}
		return nil
	}
}

// interruptedMenu asks what to do with interrupted downloads. What is left for later is offered at the next start.
func interruptedMenu(a *account.Account, found transfer.InterruptedDownloads) ui.OpenMenuMsg {
	downloads := found.Downloads
	var size, kept int64
	for _, d := range downloads {
		size, kept = size+d.Size, kept+d.Kept
	}
	first := downloads[0]
	what := fmt.Sprintf("%s to %s", client.Clean(first.Name), client.Clean(first.Folder))
	if more := len(downloads) - 1; more > 0 {
		what += " and " + wording.FormatCount(int64(more)) + " more"
	}
	goOn := fmt.Sprintf("continue: %s of %s are here", operation.FormatSize(kept), operation.FormatSize(size))
	return ui.OpenMenuMsg{Title: "Interrupted: " + what, Actions: []ui.Action{
		{Key: ui.Bind(goOn, "c"), Do: func() tea.Cmd { return continueDownloads(a, found) }},
		{Key: ui.Bind("later: ask again at the next start", "l"), Do: func() tea.Cmd { return nil }},
		{Key: ui.Bind("forget them; the partial files stay", "f"), Do: func() tea.Cmd {
			return func() tea.Msg { found.Forget(); return nil }
		}},
	}}
}

// continueDownloads adds the downloads again. This run keeps what is left of them.
func continueDownloads(a *account.Account, found transfer.InterruptedDownloads) tea.Cmd {
	return func() tea.Msg {
		ids, refused := a.Transfers.Continue(found.Downloads)
		found.Forget()
		return downloadsContinued{a, ids, refused}
	}
}

// downloadsContinued says that interrupted downloads go on.
type downloadsContinued struct {
	a       *account.Account
	ids     []transfer.ID
	refused []error
}

// Deliver brings the message.
func (m downloadsContinued) Deliver() tea.Cmd {
	if len(m.ids) == 0 {
		return ui.ShowStatus(theme.Bad, "nothing could be resumed: "+client.Clean(errors.Join(m.refused...).Error()))
	}
	message := "continuing " + wording.Plural(len(m.ids), "download", "downloads")
	return transfersStarted(m.a, "", message+leftOut("left out", m.refused), m.ids...)()
}
