package main

import (
	"context"
	"io"
	"maps"
	"slices"

	"lookout/ui/shell"
)

// accountList are those that can be shown without leaving the program.
type accountList struct {
	names []string
	open  func(ctx context.Context, name string) (shell.Session, error)
}

// configuredAccounts are the accounts of the configuration, with the one that the program began with.
func configuredAccounts(f *flags, began settings) accountList {
	a := accountList{names: []string{began.Account}}
	if _, data, err := readConfig(f); err == nil {
		cfg, _ := parseConfig(data)
		a.names = slices.AppendSeq(a.names, maps.Keys(cfg.Accounts))
	}
	slices.Sort(a.names)
	a.names = slices.Compact(a.names)
	a.open = func(ctx context.Context, name string) (shell.Session, error) {
		s := began
		if name != began.Account {
			var err error
			if s, err = loadAccount(f, name); err != nil {
				return shell.Session{}, err
			}
		}
		c, j, err := s.connect(ctx)
		if err != nil {
			return shell.Session{}, err
		}
		session, err := newDashboardSession(context.WithoutCancel(ctx), f, s, c, j, a.names)
		if err != nil {
			_ = j.Close()
		}
		return session, err
	}
	return a
}

// loadAccount is an account of the configuration, which is read again. Address and token that flags or environment gave
// belong to the account that the program began with: they are never used for another.
func loadAccount(f *flags, name string) (settings, error) {
	here := *f
	here.account, here.baseURL, here.tokenFile, here.tokenEnv = name, "", "", ""
	here.accountOnly = true
	return loadSettings(&here, io.Discard)
}
