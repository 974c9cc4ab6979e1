package dashboard

import (
	"context"
	"slices"

	"lookout/client"
	"lookout/client/journal"
	"lookout/cmd/internal/config"
	"lookout/ui/shell"
)

// accountList holds the accounts that the user can switch to.
type accountList struct {
	Choices []shell.AccountChoice
	Open    func(ctx context.Context, name string) (shell.Session, error)
}

// NewSession returns an account for the screen, from which the user can switch to those of the list.
func (a accountList) NewSession(
	ctx context.Context, f *config.Flags, s config.Settings, c *client.Client, j *journal.Journal,
) (shell.Session, error) {
	session, _, err := newShellSession(ctx, f, s, c, j)
	session.Options.Accounts = a.Choices
	return session, err
}

// ConfiguredAccounts returns the accounts of the configuration and the one that the program started with.
func ConfiguredAccounts(f *config.Flags, began config.Settings) accountList {
	names := append(config.AccountNames(f), began.Account)
	slices.Sort(names)
	a := accountList{}
	for _, name := range slices.Compact(names) {
		s := began
		if name != began.Account {
			s, _ = config.LoadAccount(f, name) // opening it says what is wrong with it
		}
		a.Choices = append(a.Choices, shell.AccountChoice{
			Name:      name,
			Tone:      s.Color,
			Label:     s.Label,
			Protected: s.Protected,
			ReadOnly:  s.ReadOnly,
			Waits:     s.TokenWait(),
		})
	}
	a.Open = func(ctx context.Context, name string) (shell.Session, error) {
		s := began
		if name != began.DisplayName() {
			var err error
			if s, err = config.LoadAccount(f, name); err != nil {
				return shell.Session{}, err
			}
		}
		c, j, err := s.Connect(ctx)
		if err != nil {
			return shell.Session{}, err
		}
		session, err := a.NewSession(context.WithoutCancel(ctx), f, s, c, j)
		if err != nil {
			_ = j.Close()
		}
		return session, err
	}
	return a
}
