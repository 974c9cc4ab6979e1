package keep

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"lookout/client"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
)

// rereadInterval is how old the list of accounts may get: the configuration may change while this runs.
const rereadInterval = 10 * time.Second

// ConfiguredAccounts returns a function that lists the accounts of the configuration, the one that flags or environment
// describe, and other journals in the state folder. If a flag names an account, it is the only one. The error is that
// of a configuration that cannot be used.
func ConfiguredAccounts(f *config.Flags) (func() []WatchedAccount, error) {
	accounts, err := readAccounts(f)
	read := time.Now()
	return func() []WatchedAccount {
		if now := time.Now(); now.Sub(read).Abs() > rereadInterval {
			read = now
			if again, err := readAccounts(f); err == nil {
				accounts = again
			}
		}
		return accounts
	}, err
}

// readAccounts returns the accounts as they are configured now.
func readAccounts(f *config.Flags) ([]WatchedAccount, error) {
	var accounts []WatchedAccount
	s, err := config.Load(f, io.Discard)
	switch {
	case err == nil:
		accounts = append(accounts, watchedAccount(s))
	case f.Account != "" || !errors.Is(err, config.ErrNoAccount) && !errors.Is(err, config.ErrSeveralAccounts):
		return nil, exit.Usage(err)
	}
	if f.Account != "" {
		return accounts, nil
	}
	for _, name := range config.AccountNames(f) {
		s, err := config.LoadAccount(f, name)
		if err != nil {
			continue // without an address it has no journal either
		}
		a := watchedAccount(s)
		if !slices.ContainsFunc(accounts, func(b WatchedAccount) bool { return b.Journal == a.Journal }) {
			accounts = append(accounts, a)
		}
	}
	return append(accounts, otherJournals(f.Env.StateFolder(), accounts)...), nil
}

// watchedAccount returns the account of settings.
func watchedAccount(s config.Settings) WatchedAccount {
	path := s.JournalPath()
	return WatchedAccount{
		Name:     s.DisplayName(),
		Journal:  path,
		ReadOnly: s.ReadOnly,
		Connect: func(
			ctx context.Context, r client.ChangeRecorder, before *client.Client,
		) (*client.Client, error) {
			if err := s.ClaimJournal(); err != nil {
				return nil, err
			}
			token, err := s.ReadToken(ctx)
			if err != nil {
				return nil, err
			}
			if before != nil {
				return before, s.ReplaceToken(ctx, before, token)
			}
			api, err := s.NewClient(token, r, client.WithPriority())
			if err == nil {
				err = s.CheckTokenUser(ctx, api, token, path)
			}
			return api, err
		},
	}
}
