package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/transfer"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/prompt"
)

// A scriptSession is one script command at work on an account.
type scriptSession struct {
	settings config.Settings
	api      *client.Client
	journal  *lazyJournal
	in       io.Reader
	out      io.Writer
	errOut   io.Writer
	yes      consent
	now      func() time.Time
}

// startSession opens the account of a script command, with the API where it is needed. It asks nothing yet; end
// releases what it holds.
func startSession(c *cobra.Command, f *config.Flags, online bool) (s *scriptSession, end func(), err error) {
	settings, err := config.Load(f, c.ErrOrStderr())
	if err != nil {
		return nil, nil, exit.Usage(err)
	}
	j := &lazyJournal{path: settings.JournalPath(), account: settings.Account}
	var api *client.Client
	if online {
		token, err := settings.ReadToken(c.Context())
		if err != nil {
			return nil, nil, exit.Denied(err)
		}
		if api, err = settings.NewClient(token, j); err != nil {
			return nil, nil, exit.Usage(err)
		}
	}
	ctx, stop := exit.CancelOnSignal(c.Context())
	c.SetContext(ctx)
	end = func() {
		stop()
		j.close()
	}
	return &scriptSession{
		settings: settings,
		api:      api,
		journal:  j,
		in:       c.InOrStdin(),
		out:      c.OutOrStdout(),
		errOut:   c.ErrOrStderr(),
		now:      time.Now,
	}, end, nil
}

// lazyJournal opens the journal with the first change, so that reading needs no place to write.
type lazyJournal struct {
	path, account string

	mu      sync.Mutex
	journal *journal.Journal
}

// get is the journal.
func (l *lazyJournal) get() (*journal.Journal, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.journal != nil {
		return l.journal, nil
	}
	j, err := journal.Open(l.path, l.account, time.Now)
	l.journal = j
	return j, err
}

// getIfExists is the journal as it is, without making one.
func (l *lazyJournal) getIfExists() (*journal.Journal, error) {
	if _, err := os.Stat(l.path); errors.Is(err, os.ErrNotExist) {
		return journal.NewInMemory(time.Now), nil
	}
	return l.get()
}

// RecordIntent is journal.Journal's.
func (l *lazyJournal) RecordIntent(c client.Change) (string, error) {
	j, err := l.get()
	if err != nil {
		return "", err
	}
	return j.RecordIntent(c)
}

// RecordOutcome is journal.Journal's.
func (l *lazyJournal) RecordOutcome(id string, done bool, err error) {
	l.journal.RecordOutcome(id, done, err)
}

// ScheduledRevert is journal.Journal's.
func (l *lazyJournal) ScheduledRevert(intentID string) (op, id string, ok bool) {
	j, err := l.get()
	if err != nil {
		return "", "", false
	}
	return j.ScheduledRevert(intentID)
}

func (l *lazyJournal) close() {
	if l.journal != nil {
		_ = l.journal.Close()
	}
}

// A consent is what --yes says: nothing, yes, or yes on the account of a name.
type consent string

// consentYes is --yes without a name.
const consentYes consent = "true"

// String is the flag's value.
func (c *consent) String() string { return string(*c) }

// Set takes the flag's value.
func (c *consent) Set(text string) error {
	if *c = consent(text); text == "false" {
		*c = ""
	}
	return nil
}

// Type makes --yes stand alone: no value follows it but behind "=".
func (c *consent) Type() string { return "bool" }

// addYesFlag adds --yes to the flags of what loses something, or is asked about on a protected account alone.
func addYesFlag(set *pflag.FlagSet, c *consent, loses bool) {
	about := "on a protected account --yes=NAME, with its name, does it without asking"
	if loses {
		about = "do it without asking; needed where standard input is no terminal; on a protected account " +
			"--yes=NAME, with its name"
	}
	set.Var(c, "yes", about)
	set.Lookup("yes").NoOptDefVal = string(consentYes)
}

// confirm asks before something is lost, or changed on a protected account: on a terminal for a word, or for the
// account's name where there is none; elsewhere it takes --yes.
func (s *scriptSession) confirm(ctx context.Context, what, word string) error {
	account, protected := s.settings.Account, s.settings.Protected
	word = cmp.Or(word, account)
	_, asked := output.AsTerminal(s.in)
	switch {
	case s.settings.ReadOnly: // refused where requests are made
		return nil
	case s.yes != "" && string(s.yes) == account, s.yes == consentYes && !protected:
		return nil
	case s.yes == consentYes:
		return exit.Usage(fmt.Errorf("account %s is protected: --yes=%[1]s, with its name, is needed", account))
	case s.yes != "":
		return exit.Usage(
			fmt.Errorf("--yes=%s: this is the account %s; nothing was sent", client.Clean(string(s.yes)), account),
		)
	case !asked && protected:
		return exit.Usage(
			fmt.Errorf(
				"%s, account %s is protected, and standard input is no terminal to ask on: add --yes=%[2]s",
				what,
				account,
			),
		)
	case !asked:
		return exit.Usage(fmt.Errorf("%s, and standard input is no terminal to ask on: add --yes", what))
	}
	mark := ""
	if protected {
		mark = ", PROD"
	}
	fmt.Fprintf(s.errOut, "%s. Account %s%s. Type %s to go on: ", what, account, mark, word)
	answer, err := prompt.UnlessInterrupted(
		ctx,
		func() (string, error) { return bufio.NewReader(s.in).ReadString('\n') },
	)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(s.errOut)
		return err
	case strings.TrimSpace(answer) != strings.TrimSpace(word):
		return exit.WithCode(exit.CodeFailure, errors.New("nothing was changed"))
	}
	return nil
}

// transfersDone is closed when nothing of a manager runs any more.
func transfersDone(m *transfer.Manager) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		m.Wait()
		close(over)
	}()
	return over
}

// readSecret is a password: from a file, from standard input, or typed without being shown. It never comes from the
// command line.
func (s *scriptSession) readSecret(ctx context.Context, path, what string) (client.Secret, error) {
	data, err := s.readSecretBytes(ctx, path, what)
	if err != nil {
		return client.Secret{}, fmt.Errorf("%s: %w", what, err)
	}
	text := strings.TrimRight(string(data), "\r\n")
	switch {
	case len(data) > prompt.MaxSecretBytes:
		return client.Secret{}, exit.Usage(fmt.Errorf("%s: it is longer than %d bytes", what, prompt.MaxSecretBytes))
	case text == "":
		return client.Secret{}, exit.Usage(fmt.Errorf("%s: it is empty", what))
	}
	return client.NewSecret(text), nil
}

func (s *scriptSession) readSecretBytes(ctx context.Context, path, what string) ([]byte, error) {
	if file, typed := output.AsTerminal(s.in); typed && (path == "" || path == "-") {
		return prompt.HiddenLine(ctx, file, s.errOut, what)
	}
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
		return io.ReadAll(io.LimitReader(in, prompt.MaxSecretBytes+1))
	})
}

// reportf tells on standard error what was done.
func (s *scriptSession) reportf(format string, args ...any) {
	fmt.Fprintf(s.errOut, format+"\n", args...)
}

// withTarget names the thing that the changes under ctx are about, in the journal.
func withTarget(ctx context.Context, kind, id, label, reason string) context.Context {
	ctx = client.ContextWithResource(ctx, kind, id, label)
	if reason != "" {
		ctx = client.ContextWithReason(ctx, reason)
	}
	return ctx
}
