package main

import (
	"cmp"
	"context"
	"errors"
	"lookout/client"
	"lookout/client/journal"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"
)

// newClient is the API of the account.
func (s settings) newClient(token client.Secret, r client.Recorder) (*client.Client, error) {
	options := []client.Option{client.WithRecorder(r), client.WithUserAgent("lookout/" + versionLine())}
	if s.ReadOnly {
		options = append(options, client.WithReadOnly())
	}
	if s.Protected {
		options = append(options, client.WithProtected(cmp.Or(s.Account, s.BaseURL)))
	}
	if s.Dialect != "" {
		options = append(options, client.WithDialect(client.Dialect(s.Dialect)))
	}
	return client.New(s.BaseURL, token, options...)
}

func (s settings) journalPath() string { return filepath.Join(stateFolder(), s.Account+".journal") }

func stateFolder() string { return filepath.Join(xdg.StateHome, "lookout") }

// connect makes the client of an account, with its journal. It asks nothing yet.
func (s settings) connect(ctx context.Context) (*client.Client, *journal.Journal, error) {
	token, err := s.readToken(ctx)
	if err != nil {
		return nil, nil, deniedError(err)
	}
	j, err := journal.Open(s.journalPath(), s.Account, time.Now)
	if err != nil {
		return nil, nil, err
	}
	api, err := s.newClient(token, j)
	if err != nil {
		return nil, nil, usageError(errors.Join(err, j.Close()))
	}
	return api, j, nil
}
