package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/journal"
	"lookout/client/transfer"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/prompt"
)

// A scriptSession is the run of one script command on an account.
type scriptSession struct {
	settings config.Settings
	api      *client.Client
	account  *account.Account // nil offline; see connect
	journal  *lazyJournal
	dryRun   bool // changes are printed instead of sent
	printer  *output.Printer
	rows     []iter.Seq[*transferRow] // of the output, with -o json, ndjson and csv
	in       io.Reader
	out      io.Writer
	errOut   io.Writer
	now      func() time.Time
}

// startSession opens the account of a script command; online, with a client of the API. It sends no request. The caller
// must call end.
func startSession(
	c *cobra.Command, f *config.Flags, online bool, options ...client.Option,
) (s *scriptSession, end func(), err error) {
	closeDebug, err := f.OpenDebug(c.ErrOrStderr())
	if err != nil {
		return nil, nil, err
	}
	settings, err := config.Load(f, c.ErrOrStderr())
	if err != nil {
		return nil, nil, exit.Usage(err)
	}
	j := &lazyJournal{
		path:      settings.JournalPath(),
		account:   settings.Account,
		noPlace:   settings.NoPlace,
		claim:     settings.ClaimJournal,
		checkUser: func(string) error { return nil },
		locked: func(path string) {
			fmt.Fprintf(
				c.ErrOrStderr(),
				"lookout: waiting for the journal %s, which another program has locked; ctrl+c cancels\n",
				client.Clean(path),
			)
		},
	}
	s = &scriptSession{
		settings: settings,
		journal:  j,
		dryRun:   f.DryRun,
		in:       c.InOrStdin(),
		out:      c.OutOrStdout(),
		errOut:   c.ErrOrStderr(),
		now:      time.Now,
	}
	var api *client.Client
	if online {
		token, err := settings.ReadToken(withProgress(c))
		if err != nil {
			return nil, nil, exit.Denied(err)
		}
		options = append(options, client.WithWaitNotice(func() {
			s.reportf("lookout: waiting for other requests from this machine; ctrl+c cancels")
		}))
		if s.dryRun {
			options = append(options, client.WithDryRun(s.showChange))
		}
		if api, err = settings.NewClient(token, j, options...); err != nil {
			return nil, nil, exit.Usage(err)
		}
		j.checkUser = func(path string) error {
			err := settings.CheckTokenUser(c.Context(), api, token, path)
			if j.path = settings.JournalPath(); err != nil && j.path != path {
				s.reportf("%s", client.Clean(err.Error()))
				return nil
			}
			return err
		}
	}
	ctx, stop := exit.CancelOnSignal(c.Context())
	c.SetContext(ctx)
	if online {
		s.connect(ctx, api)
	}
	end = func() {
		stop()
		j.close()
		closeDebug()
	}
	return s, end, nil
}

// connect gives the session its client, and an account of which nothing has been read yet. Only the commands that need
// the journal give it to the account.
func (s *scriptSession) connect(ctx context.Context, api *client.Client) {
	s.api = api
	s.account = account.New(ctx, account.Options{API: api, Name: s.settings.Account, Now: s.now})
}

// startSessionWithJournal is startSession, online, for a command that also reads the journal, if there is one.
func startSessionWithJournal(
	c *cobra.Command, f *config.Flags, options ...client.Option,
) (s *scriptSession, end func(), err error) {
	if s, end, err = startSession(c, f, true, options...); err != nil {
		return nil, nil, err
	}
	if s.account.Journal, err = s.journal.getIfExists(); err != nil {
		end()
		return nil, nil, err
	}
	return s, end, nil
}

// lazyJournal opens the journal at the first change, so that commands that only read need no writable folder.
type lazyJournal struct {
	*journal.Journal // nil until then

	path, account string
	noPlace       error // why there is no place for a journal
	claim         func() error
	checkUser     func(path string) error // makes path that of the token's user
	locked        func(path string)       // see journal.Journal

	mu sync.Mutex
}

// get returns the journal, and opens it if necessary.
func (l *lazyJournal) get() (*journal.Journal, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Journal != nil {
		return l.Journal, nil
	}
	if l.noPlace != nil {
		return nil, exit.Usage(l.noPlace)
	}
	if err := l.checkUser(l.path); err != nil {
		return nil, err
	}
	j, err := journal.Open(l.path, l.account, time.Now)
	if err != nil {
		return nil, err
	}
	j.Locked = l.locked
	if err := l.claim(); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	l.Journal = j
	return j, nil
}

// getIfExists returns the journal, or an empty one in memory if there is none. It creates no file.
func (l *lazyJournal) getIfExists() (*journal.Journal, error) {
	if l.noPlace != nil {
		return journal.NewInMemory(time.Now), nil
	}
	if _, err := os.Lstat(l.path); errors.Is(err, os.ErrNotExist) {
		return journal.NewInMemory(time.Now), nil
	}
	return l.get()
}

// read is getIfExists for a command that shows the journal: without a place for one, nothing is known about it.
func (l *lazyJournal) read() (*journal.Journal, error) {
	if l.noPlace != nil {
		return nil, exit.Usage(l.noPlace)
	}
	return l.getIfExists()
}

// RecordIntent implements client.Recorder.
func (l *lazyJournal) RecordIntent(ctx context.Context, c client.Change) (string, error) {
	j, err := l.get()
	if err != nil {
		return "", err
	}
	return j.RecordIntent(ctx, c)
}

// ScheduledChange implements client.ScheduleRecorder.
func (l *lazyJournal) ScheduledChange(intentID string) (op, id string, ok bool) {
	j, err := l.get()
	if err != nil {
		return "", "", false
	}
	return j.ScheduledChange(intentID)
}

// outcomeError returns the error of a command, with code 5 if the outcome of a change could not be recorded.
func (l *lazyJournal) outcomeError(err error) error {
	if l.Journal == nil || l.Journal.OutcomeError() == nil {
		return err
	}
	missing := l.Journal.OutcomeError()
	if err == nil {
		return exit.WithCode(exit.CodeUnknown, fmt.Errorf("the change was applied, but %w", missing))
	}
	return exit.WithCode(exit.CodeUnknown, fmt.Errorf("%w; %w", err, missing))
}

func (l *lazyJournal) close() {
	if l.Journal != nil {
		_ = l.Journal.Close()
	}
}

// transfersDone returns a channel that is closed when a manager runs no transfer any more.
func transfersDone(m *transfer.Manager) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		m.Wait()
		close(over)
	}()
	return over
}

// readSecret reads a password from a file, from standard input, or from the terminal without showing it. A password is
// never an argument.
func (s *scriptSession) readSecret(ctx context.Context, path, what string) (client.Secret, error) {
	data, err := s.readSecretBytes(ctx, path, what)
	if err != nil {
		return client.Secret{}, fmt.Errorf("%s: %w", what, err)
	}
	text := strings.TrimRight(string(data), "\r\n")
	switch {
	case len(data) > prompt.MaxSecretBytes:
		return client.Secret{}, exit.Usage(fmt.Errorf("the %s is longer than %d bytes", what, prompt.MaxSecretBytes))
	case text == "":
		return client.Secret{}, exit.Usage(fmt.Errorf("the %s is empty", what))
	}
	return client.NewSecret(text), nil
}

func (s *scriptSession) readSecretBytes(ctx context.Context, path, what string) ([]byte, error) {
	if file, typed := output.AsTerminal(s.in); typed && (path == "" || path == "-") {
		return prompt.HiddenLine(ctx, file, s.errOut, what)
	}
	return s.readInput(ctx, path, prompt.MaxSecretBytes)
}

// readInput returns the text of a file, or of standard input for "-" and "", up to one byte more than a limit.
func (s *scriptSession) readInput(ctx context.Context, path string, limit int64) ([]byte, error) {
	return prompt.UnlessInterrupted(ctx, func() ([]byte, error) {
		in := s.in
		if path != "" && path != "-" {
			file, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			defer file.Close()
			in = file
		}
		return io.ReadAll(io.LimitReader(in, limit+1))
	})
}

// reportf prints a line on standard error.
func (s *scriptSession) reportf(format string, args ...any) {
	fmt.Fprintf(s.errOut, format+"\n", args...)
}
