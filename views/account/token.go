package account

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
)

// TokenForm asks for another token of the same account. It is tried before it stays in use, and kept by this run alone.
func TokenForm(a *Account) form.Form {
	var text string
	return form.Form{
		Title:        "Token for " + a.Name,
		ProgressText: "trying it",
		SubmitLabel:  "use it",
		EnterSubmits: form.AlwaysSubmit,
		Text: "The token in use is shown to the API no more. Give another one of the same account: it is " +
			"used by this run alone; where the old one is kept stays as it is.",
		Fields: []form.Field{form.Secret("token", "Token", &text, form.Required())},
		Send: func(ctx context.Context) (func() tea.Cmd, error) {
			before, err := a.API.SetToken(client.NewSecret(text))
			if err != nil {
				return nil, err
			}
			if _, err := a.API.Services.List(ctx, 1); ui.Unauthorized(err) {
				_, _ = a.API.SetToken(before)
				return nil, err
			}
			text = ""
			return func() tea.Cmd {
				return tea.Batch(ui.ShowNews(theme.Good, "the token is accepted"), retryFailed(a))
			}, nil
		},
	}
}

// retryFailed asks again for all that has been asked for and failed, and for the pane in front.
func retryFailed(a *Account) tea.Cmd {
	cmds := []tea.Cmd{ui.Send(ui.RefreshMsg{})}
	for _, set := range a.Stores {
		if s, ok := set.(table.JoinedStore); ok && s.Freshness().Err != nil {
			cmds = append(cmds, s.Refresh())
		}
	}
	return tea.Batch(cmds...)
}
