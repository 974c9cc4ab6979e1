package dashboard

import (
	"context"
	"io"
	"maps"
	"slices"

	"lookout/cmd/internal/config"
	"lookout/ui/shell"
)

// accountList are those that can be shown without leaving the program.
type accountList struct {
	Names []string
	Open  func(ctx context.Context, name string) (shell.Session, error)
}

// ConfiguredAccounts are the accounts of the configuration, with the one that the program began with.
func ConfiguredAccounts(f *config.Flags, began config.Settings) accountList {
	a := accountList{Names: []string{began.Account}}
	if _, data, err := config.Read(f); err == nil {
		cfg, _ := config.Parse(data)
		a.Names = slices.AppendSeq(a.Names, maps.Keys(cfg.Accounts))
	}
	slices.Sort(a.Names)
	a.Names = slices.Compact(a.Names)
	a.Open = func(ctx context.Context, name string) (shell.Session, error) {
		s := began
		if name != began.Account {
			var err error
			if s, err = loadAccount(f, name); err != nil {
				return shell.Session{}, err
			}
		}
		c, j, err := s.Connect(ctx)
		if err != nil {
			return shell.Session{}, err
		}
		session, err := NewSession(context.WithoutCancel(ctx), f, s, c, j, a.Names)
		if err != nil {
			_ = j.Close()
		}
		return session, err
	}
	return a
}

// loadAccount is an account of the configuration, which is read again. Address and token that flags or environment gave
// belong to the account that the program began with: they are never used for another.
func loadAccount(f *config.Flags, name string) (config.Settings, error) {
	here := *f
	here.Account, here.BaseURL, here.TokenFile, here.TokenEnv = name, "", "", ""
	here.AccountOnly = true
	return config.Load(&here, io.Discard)
}
