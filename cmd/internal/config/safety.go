package config

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"lookout/client"
	"lookout/cmd/internal/exit"
)

// A safetyReader reads what the configuration says of an account's safety and its token file again, while the program
// runs. Another address, another place of the token and another token_command apply only after a restart.
type safetyReader struct {
	settings Settings
	mu       sync.Mutex
	file     watchedFile // the configuration
	tokens   watchedFile // the token file
	demanded client.Safety
	token    client.Secret // the newest token that was found, whether it is used or not
	refused  error         // why that token is not used; changes are refused
}

// safetyOption returns the option that makes a client ask before each change what the configuration says now. token is
// the one that it begins with.
func (s Settings) safetyOption(token client.Secret) client.Option {
	r := &safetyReader{settings: s, token: token}
	return client.WithSafetyCheck(r.read)
}

// read returns what is demanded now. An error says why it cannot be known.
func (r *safetyReader) read(ctx context.Context) (client.Safety, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.readConfiguration(); err != nil {
		return r.demanded, err
	}
	found := r.demanded
	var err error
	if r.settings.TokenOverride.Get == nil && r.settings.TokenFile != "" {
		found.Token, err = r.readToken(ctx)
	}
	return found, err
}

// readConfiguration reads the account's block, if the account is in the configuration and the file has changed.
func (r *safetyReader) readConfiguration() error {
	s := r.settings
	if s.Source.BaseURL == "" {
		return nil
	}
	changed, err := r.file.check(s.Source.Path)
	if !changed || err != nil {
		return configurationError(err)
	}
	data, err := readFile(s.Source.Path)
	if err == nil {
		err = checkConfigPermissions(s.Source.Path)
	}
	if err != nil {
		r.file = watchedFile{}
		return configurationError(err)
	}
	cfg, wrong := Parse(data)
	block, known := cfg.Accounts[s.Account]
	if err := wrong.Fatal().AsError(s.Source.Path); err != nil || !known {
		r.file = watchedFile{}
		return configurationError(cmp.Or(err, fmt.Errorf("%s no longer has the account", s.Source.Path)))
	}
	r.demanded.ReadOnly = block.ReadOnly
	r.demanded.Protected = ""
	if block.Protected {
		r.demanded.Protected = s.Account
	}
	return nil
}

// configurationError says that what the configuration allows now cannot be read.
func configurationError(err error) error {
	if err == nil {
		return nil
	}
	return exit.Advise(
		fmt.Errorf("could not check whether the configuration allows it: %w", err),
		"correct it, then repeat the change",
	)
}

// readToken returns the token of the token file if it may take the place of the one in use: it belongs to the user
// whose journal is open. It returns none if that is not known.
func (r *safetyReader) readToken(ctx context.Context) (client.Secret, error) {
	path := expandHome(r.settings.TokenFile)
	changed, err := r.tokens.check(path)
	if err != nil {
		return client.Secret{}, fmt.Errorf("token file: %w", err)
	}
	if !changed {
		return client.Secret{}, r.refused
	}
	token, err := readTokenFile(path)
	if err != nil {
		r.tokens = watchedFile{}
		return client.Secret{}, err
	}
	if token.Equal(r.token) {
		return client.Secret{}, r.refused
	}
	known, err := r.settings.checkNewToken(ctx, token)
	if !known {
		r.tokens = watchedFile{} // it is asked again
		return client.Secret{}, nil
	}
	if r.token, r.refused = token, err; err != nil {
		return client.Secret{}, err
	}
	return token, nil
}

// checkNewToken asks the API whose a token is. It returns an error if that is another user than the one whose files are
// open; known is false if either is not known.
func (s Settings) checkNewToken(ctx context.Context, token client.Secret) (known bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, tokenUserTimeout)
	defer cancel()
	// it changes nothing, so it needs no check
	api, err := s.NewClient(token, nil, client.WithoutRetries(), client.WithSafetyCheck(nil))
	if err != nil {
		return true, err
	}
	if known, err = s.CheckReplacement(ctx, api); known && err == nil {
		err = s.recordTokenUser(token, s.tokenRecord().User)
	}
	return known, err
}

// ReplaceToken gives a client that is in use another token, if that is known to be the same user's.
func (s Settings) ReplaceToken(ctx context.Context, api *client.Client, token client.Secret) error {
	if api.Uses(token) {
		api.Resume() // it may be accepted again
		return nil
	}
	known, err := s.checkNewToken(ctx, token)
	if err == nil && !known {
		err = fmt.Errorf("the new token of account %s is not used: it is not known whose it is", s.Account)
	}
	if err == nil {
		err = api.SetToken(token, true)
	}
	return err
}

// A watchedFile is a file as it was when it was last read.
type watchedFile struct {
	info   os.FileInfo
	readAt time.Time
}

// check reports whether the file has to be read: it has changed since the last time, or was being changed then.
func (w *watchedFile) check(path string) (changed bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		*w = watchedFile{}
		return true, err
	}
	same := w.info != nil && os.SameFile(w.info, info) && w.info.Size() == info.Size() &&
		w.info.Mode() == info.Mode() && w.info.ModTime().Equal(info.ModTime()) &&
		w.readAt.Sub(info.ModTime()).Abs() > 2*time.Second
	*w = watchedFile{info, time.Now()}
	return !same, nil
}
