package config

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/ratelimit"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/version"
)

// NewClient returns the client of the account.
func (s Settings) NewClient(
	token client.Secret, r client.ChangeRecorder, options ...client.Option,
) (*client.Client, error) {
	own := []client.Option{client.WithRecorder(r), client.WithUserAgent("lookout/" + version.Line())}
	if s.Account != "" { // the first run has none yet, and writes nothing
		shared := besideJournal(s.firstJournalPath(), ".requests")
		own = append(own, client.WithRequestLimiter(ratelimit.New(shared, time.Now)))
	}
	if s.ReadOnly || s.NotRecorded != nil {
		own = append(own, client.WithReadOnly())
	}
	if s.Protected {
		own = append(own, client.WithProtected(cmp.Or(s.Account, s.BaseURL)))
	}
	if s.Source.BaseURL != "" {
		own = append(own, s.safetyOption(token))
	}
	if s.Dialect != "" {
		own = append(own, client.WithDialect(client.PathDialect(s.Dialect)))
	}
	if observe := s.Observer(token); observe != nil {
		own = append(own, client.WithObserver(observe))
	}
	return client.New(s.BaseURL, token, append(own, options...)...)
}

// Observer returns what writes requests and answers for --debug; nil without it.
func (s Settings) Observer(token client.Secret) func(http.RoundTripper) http.RoundTripper {
	if s.debugLog == nil {
		return nil
	}
	return s.debugLog.Observer(s.BaseURL, token)
}

// ReadJournal returns what can be read of the journal of the account. It writes nothing.
func (s Settings) ReadJournal() *journal.Journal {
	why := errors.New("this command only reads the journal")
	return journal.OpenForReading(s.JournalPath(), s.Account, time.Now, why)
}

// Connect returns the client of an account and its journal, for the dashboard. It sends no request. If changes cannot
// be recorded, it sets NotRecorded, and the client refuses them. It sets CheckUser, which changes wait for, and
// StopUserCheck.
func (s *Settings) Connect(ctx context.Context) (*client.Client, *journal.Journal, error) {
	token, err := s.ReadToken(ctx)
	if err != nil {
		return nil, nil, exit.Denied(err)
	}
	path := s.JournalPath()
	var j *journal.Journal
	if err = s.NoPlace; err == nil {
		j, err = journal.Open(path, s.Account, time.Now)
	}
	if err == nil {
		err = s.ClaimJournal()
	}
	if s.NotRecorded = err; err != nil {
		if j != nil {
			_ = j.Close()
		}
		j = journal.OpenForReading(path, s.Account, time.Now, err)
	}
	api, err := s.NewClient(token, j)
	if err != nil {
		return nil, nil, exit.Usage(errors.Join(err, j.Close()))
	}
	if s.NotRecorded == nil {
		own := *s
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
		check := sync.OnceValue(func() error { return own.CheckTokenUser(ctx, api, token, path) })
		s.CheckUser, j.BeforeIntent = check, check
		s.StopUserCheck = func() {
			stop()
			_ = check()
		}
	}
	return api, j, nil
}
