package dashboard

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"lookout/client/account"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/keep"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
	"lookout/views/managed"
)

// handOver returns the offer to start lookout keep when the program quits while maintenance windows are open; nil if
// there are none, or if one runs already.
func handOver(ctx context.Context, f *config.Flags, s config.Settings, a *account.Account) *ui.Action {
	if _, running := keep.Running(f.Env.StateFolder()); s.Demo || running || len(managed.OpenWindows(a)) == 0 {
		return nil
	}
	flags := *f
	if f.BaseURL+f.TokenFile+f.TokenEnv == "" {
		flags.Account = "" // the windows of all accounts
	}
	args, environ := append([]string{"keep"}, flags.AccountArgs()...), f.EnvironWithTokens()
	return &ui.Action{
		Key: ui.Bind("start `lookout keep` in the background, which ends them on time, and quit", "k"),
		Do: func() tea.Cmd {
			return func() tea.Msg {
				if _, err := keep.Detach(ctx, f.Env.StateFolder(), args, environ); err != nil {
					return ui.StatusMsg{Tone: theme.Bad, Text: "lookout keep could not be started: " + err.Error()}
				}
				return terminal.Quit(0)()
			}
		},
	}
}
