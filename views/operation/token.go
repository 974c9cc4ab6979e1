package operation

import (
	"context"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
)

// TokenForm asks for another token of the same account. It is tried before it is used, and only this run keeps it.
// check returns an error if a client's token is another user's, and whether it knows that; nil checks nothing.
func TokenForm(a *account.Account, check func(context.Context, *client.Client) (known bool, err error)) form.Form {
	var text string
	about := "Enter another token for the same account: only this run uses it, and the old one is kept where it is."
	if slices.ContainsFunc(slices.Collect(maps.Values(a.Stores)), wasUnauthorized) {
		about = "The API does not accept the token in use. " + about
	}
	return form.Form{
		Title:        "Token for " + a.Name,
		BusyText:     "trying it",
		SubmitLabel:  "use it",
		EnterSubmits: form.AlwaysSubmit,
		Text:         about,
		Fields:       []form.Field{form.Secret("token", "Token", &text, form.Required())},
		Send: func(ctx context.Context) (func() tea.Cmd, error) {
			token, known := client.NewSecret(text), true
			trial, err := a.API.WithToken(token)
			if err != nil {
				return nil, err
			}
			if _, err = trial.Services.List(ctx, 1); !wording.Unauthorized(err) {
				err = nil // the panes say what else fails
			}
			if err == nil && check != nil {
				known, err = check(ctx, trial)
			}
			if err == nil {
				err = a.API.SetToken(token, known)
			}
			if err != nil {
				return nil, err
			}
			text = ""
			return func() tea.Cmd {
				retryFailed(a)
				return tea.Batch(ui.ShowStatus(theme.Good, "the token is accepted"), ui.Send(ui.RefreshMsg{}))
			}, nil
		},
	}
}

// wasUnauthorized reports whether the API did not accept the token when a store was last read.
func wasUnauthorized(set any) bool {
	s, ok := set.(table.JoinedStore)
	return ok && wording.Unauthorized(s.Freshness().Err)
}

// retryFailed reads every store again whose last read failed.
func retryFailed(a *account.Account) {
	for _, set := range a.Stores {
		if s, ok := set.(table.JoinedStore); ok && s.Freshness().Err != nil {
			s.Refresh()
		}
	}
}
