package dashboard

import (
	"context"
	"errors"
	"sync"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/views"
)

// configuredAccounts reads the accounts of the configuration.
type configuredAccounts struct {
	flags   *config.Flags
	general config.Settings
	began   string // the account that the program started with; "" is none

	mu     sync.Mutex
	tokens map[string]client.Secret // that programs have printed, by account; they may ask the user each time
}

// settings returns the settings of an account.
func (r *configuredAccounts) settings(name string) (config.Settings, error) {
	if name == r.began {
		return r.general, nil
	}
	return config.LoadAccount(r.flags, name)
}

// withKnownToken returns the settings with the token of the account, if a program has printed it before.
func (r *configuredAccounts) withKnownToken(s config.Settings) config.Settings {
	r.mu.Lock()
	defer r.mu.Unlock()
	if token, known := r.tokens[s.DisplayName()]; known {
		return s.WithToken(token)
	}
	return s
}

// forget forgets the token of an account.
func (r *configuredAccounts) forget(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tokens, name)
}

// source returns an account for the overview. It is read with a client of its own that allows no change, and nothing is
// written.
func (r *configuredAccounts) source(name string) views.AccountSource {
	return views.AccountSource{
		Open: func(ctx context.Context) (*account.Account, error) {
			s, token, err := r.read(ctx, name, false)
			if err != nil {
				return nil, err
			}
			j := s.ReadJournal()
			context.AfterFunc(ctx, func() { _ = j.Close() })
			api, err := s.NewClient(token, j, client.WithReadOnly())
			if err != nil {
				return nil, err
			}
			return account.New(ctx, account.Options{API: api, Name: name, Journal: j}), nil
		},
		Token: func(ctx context.Context) (client.Secret, error) {
			_, token, err := r.read(ctx, name, true)
			return token, err
		},
		ForgetToken: func() { r.forget(name) },
	}
}

// read reads the settings and the token of an account. A program that prints the token cannot ask anything on the
// terminal; it is run once, unless the token is to be read again. Errors are on one line.
func (r *configuredAccounts) read(
	ctx context.Context, name string, again bool,
) (s config.Settings, token client.Secret, err error) {
	if again {
		r.forget(name)
	}
	if s, err = r.settings(name); err == nil {
		s = r.withKnownToken(s)
		token, err = s.ReadToken(config.WithoutTerminal(ctx))
	}
	switch {
	case err != nil:
		err = errors.New(exit.Text(err))
	case !s.ReadsTokenQuietly():
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.tokens == nil {
			r.tokens = map[string]client.Secret{}
		}
		r.tokens[name] = token
	}
	return s, token, err
}

// holding returns a function that calls another one with a lock held for reading, unless its context has ended.
func holding[T any](
	lock *sync.RWMutex, call func(context.Context) (T, error),
) func(context.Context) (T, error) {
	return func(ctx context.Context) (result T, err error) {
		lock.RLock()
		defer lock.RUnlock()
		if err := ctx.Err(); err != nil {
			return result, err
		}
		return call(ctx)
	}
}

// newOverview returns the overview of all accounts for the screen, from which the user can switch to each of them.
// Closing it cancels its requests, and ends what opens an account, such as a program that prints its token.
func newOverview(
	ctx context.Context, f *config.Flags, general config.Settings, a accountList,
	source func(name string) views.AccountSource,
) (shell.OpenAccount, error) {
	looks, style, err := themeChoices(general)
	if err != nil {
		return shell.OpenAccount{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var opening sync.RWMutex // held for reading while an account is opened
	sources := make([]views.AccountSource, len(a.Choices))
	for i, choice := range a.Choices {
		s := source(choice.Name)
		s.Name, s.Tone, s.Badges, s.Waits = choice.Name, choice.Tone, choice.Badges(), choice.Waits
		s.Open, s.Token = holding(&opening, s.Open), holding(&opening, s.Token)
		sources[i] = s
	}
	loop := &ui.EventLoop{}
	all := views.NewAllAccounts(ctx, loop, sources, lists.WallTime)
	chosen := preferences(ctx, f, general)
	chosen.StartPane, chosen.CustomCommands = "", nil
	notify := general.NotifyOptions()
	notify.Notices = all.Notices
	return shell.OpenAccount{
		Options: shell.Options{
			AccountInfo: shell.AccountInfo{
				Account:          shell.AllAccounts,
				Demo:             general.Demo,
				Accounts:         a.Choices,
				Overview:         true,
				AccountFreshness: all.Freshness,
				SelectAccount:    all.Select,
			},
			RateLimitHooks:  shell.RateLimitHooks{RetryNow: all.Resume},
			Preferences:     chosen,
			Notify:          notify,
			Panes:           []ui.Pane{all.Pane},
			Loop:            loop,
			Theme:           style,
			Themes:          looks,
			RefreshInterval: refreshInterval(general),
			Context:         ctx,
		},
		Close: func() {
			cancel()
			loop.Close()
			opening.Lock() // waits for what is being opened, which ends once its context has ended
			defer opening.Unlock()
		},
	}, nil
}
