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
	Choices  []shell.AccountChoice
	Overview bool // there is an overview of all
	// Open opens an account by its name, or the overview by shell.AllAccounts.
	Open func(ctx context.Context, name string) (shell.OpenAccount, error)
}

// NewSession returns an account for the screen, from which the user can switch to those of the list.
func (a accountList) NewSession(
	ctx context.Context, f *config.Flags, s config.Settings, c *client.Client, j *journal.Journal,
) (shell.OpenAccount, error) {
	session, _, err := newShellSession(ctx, f, s, c, j)
	session.Options.Accounts, session.Options.Overview = a.Choices, a.Overview
	return session, err
}

// ConfiguredAccounts returns the accounts of the configuration and the one that the program started with.
func ConfiguredAccounts(f *config.Flags, began config.Settings) accountList {
	return (&configuredAccounts{flags: f, general: began, began: began.DisplayName()}).list()
}

// AllAccounts returns the accounts of the configuration. general has the settings that belong to none.
func AllAccounts(f *config.Flags, general config.Settings) accountList {
	return (&configuredAccounts{flags: f, general: general}).list()
}

// list returns the accounts, of which those of the configuration are read when they are opened.
func (r *configuredAccounts) list() accountList {
	names := config.AccountNames(r.flags)
	if r.began != "" {
		names = append(names, r.began)
	}
	slices.Sort(names)
	a := accountList{}
	for _, name := range slices.Compact(names) {
		s, _ := r.settings(name) // opening it says what is wrong with it
		a.Choices = append(a.Choices, shell.AccountChoice{
			Name:      name,
			Tone:      s.Color,
			Label:     s.Label,
			Protected: s.Protected,
			ReadOnly:  s.ReadOnly,
			Waits:     s.TokenWait(),
		})
	}
	a.Overview = len(a.Choices) > 1 || r.began == ""
	a.Open = func(ctx context.Context, name string) (shell.OpenAccount, error) {
		if name == shell.AllAccounts {
			return newOverview(context.WithoutCancel(ctx), r.flags, r.general, a, r.source)
		}
		s, err := r.settings(name)
		if err != nil {
			return shell.OpenAccount{}, err
		}
		s = r.withKnownToken(s)
		c, j, err := s.Connect(ctx)
		if err != nil {
			return shell.OpenAccount{}, err
		}
		session, err := a.NewSession(context.WithoutCancel(ctx), r.flags, s, c, j)
		if err != nil {
			_ = j.Close()
		}
		return session, err
	}
	return a
}
