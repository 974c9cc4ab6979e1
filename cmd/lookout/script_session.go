package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/adrg/xdg"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/transfer"
)

// A scriptSession is one script command at work on an account.
type scriptSession struct {
	settings settings
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
func startSession(c *cobra.Command, f *flags, online bool) (s *scriptSession, end func(), err error) {
	settings, err := loadSettings(f, c.ErrOrStderr())
	if err != nil {
		return nil, nil, usageError(err)
	}
	j := &lazyJournal{path: settings.journalPath(), account: settings.Account}
	var api *client.Client
	if online {
		token, err := settings.readToken(c.Context())
		if err != nil {
			return nil, nil, deniedError(err)
		}
		if api, err = settings.newClient(token, j); err != nil {
			return nil, nil, usageError(err)
		}
	}
	ctx, stop := cancelOnSignal(c.Context())
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

// signalError is the signal that asked a command to end.
type signalError struct{ signal syscall.Signal }

// Error is what happened.
func (signalError) Error() string { return "interrupted" }

// Is makes it a context that was cancelled, for whoever asks why a request ended.
func (signalError) Is(target error) bool { return target == context.Canceled }

// cancelOnSignal is a context that ends with the first signal that asks for an end; another one then ends the program
// as the system does.
func cancelOnSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			n, _ := s.(syscall.Signal)
			cancel(signalError{n})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// exitCodeForSignal is the exit code of a command that was interrupted: 128 and the signal's number.
func exitCodeForSignal(ctx context.Context) int {
	if s, ok := context.Cause(ctx).(signalError); ok && s.signal > 0 {
		return 128 + int(s.signal)
	}
	return exitInterrupted
}

// newClient is the API of the account.
func (s settings) newClient(token client.Secret, r client.Recorder) (*client.Client, error) {
	options := []client.Option{client.WithRecorder(r), client.WithUserAgent("lookout/" + version())}
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

// asTerminal is the terminal behind a stream, if there is one.
func asTerminal(stream any) (*os.File, bool) {
	file, ok := stream.(*os.File)
	return file, ok && term.IsTerminal(file.Fd())
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
	_, asked := asTerminal(s.in)
	switch {
	case s.settings.ReadOnly: // refused where requests are made
		return nil
	case s.yes != "" && string(s.yes) == account, s.yes == consentYes && !protected:
		return nil
	case s.yes == consentYes:
		return usageError(fmt.Errorf("account %s is protected: --yes=%[1]s, with its name, is needed", account))
	case s.yes != "":
		return usageError(
			fmt.Errorf("--yes=%s: this is the account %s; nothing was sent", client.Clean(string(s.yes)), account),
		)
	case !asked && protected:
		return usageError(
			fmt.Errorf(
				"%s, account %s is protected, and standard input is no terminal to ask on: add --yes=%[2]s",
				what,
				account,
			),
		)
	case !asked:
		return usageError(fmt.Errorf("%s, and standard input is no terminal to ask on: add --yes", what))
	}
	mark := ""
	if protected {
		mark = ", PROD"
	}
	fmt.Fprintf(s.errOut, "%s. Account %s%s. Type %s to go on: ", what, account, mark, word)
	answer, err := runUnlessInterrupted(ctx, func() (string, error) { return bufio.NewReader(s.in).ReadString('\n') })
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(s.errOut)
		return err
	case strings.TrimSpace(answer) != strings.TrimSpace(word):
		return &exitCodeError{exitFailure, errors.New("nothing was changed")}
	}
	return nil
}

// runWithContext does what may never return, as reading a terminal or a pipe, and waits for it until ctx ends.
func runWithContext[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := do()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
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

// runUnlessInterrupted is beside for what somebody is asked for before anything is changed.
func runUnlessInterrupted[T any](ctx context.Context, read func() (T, error)) (T, error) {
	v, err := runWithContext(ctx, read)
	if ctx.Err() != nil {
		err = &exitCodeError{exitCodeForSignal(ctx), errors.New("interrupted; nothing was changed")}
	}
	return v, err
}

// maxSecretBytes bounds what is read as a password.
const maxSecretBytes = 64 << 10

// readSecret is a password: from a file, from standard input, or typed without being shown. It never comes from the
// command line.
func (s *scriptSession) readSecret(ctx context.Context, path, what string) (client.Secret, error) {
	data, err := s.readSecretBytes(ctx, path, what)
	if err != nil {
		return client.Secret{}, fmt.Errorf("%s: %w", what, err)
	}
	text := strings.TrimRight(string(data), "\r\n")
	switch {
	case len(data) > maxSecretBytes:
		return client.Secret{}, usageError(fmt.Errorf("%s: it is longer than %d bytes", what, maxSecretBytes))
	case text == "":
		return client.Secret{}, usageError(fmt.Errorf("%s: it is empty", what))
	}
	return client.NewSecret(text), nil
}

func (s *scriptSession) readSecretBytes(ctx context.Context, path, what string) ([]byte, error) {
	if file, typed := asTerminal(s.in); typed && (path == "" || path == "-") {
		return readHiddenLine(ctx, file, s.errOut, what)
	}
	return runUnlessInterrupted(ctx, func() ([]byte, error) {
		in := s.in
		if path != "" && path != "-" {
			file, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			defer file.Close()
			in = file
		}
		return io.ReadAll(io.LimitReader(in, maxSecretBytes+1))
	})
}

// readHiddenLine reads a line of a terminal that does not show it: the echo is off before the question is asked.
func readHiddenLine(ctx context.Context, file *os.File, out io.Writer, what string) ([]byte, error) {
	ctx, end := cancelOnSignal(ctx)
	defer end()
	before, err := term.MakeRaw(file.Fd())
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = term.Restore(file.Fd(), before)
		fmt.Fprintln(out)
	}()
	fmt.Fprintf(out, "%s (not shown): ", what)
	return runUnlessInterrupted(ctx, func() ([]byte, error) { return readRawLine(file) })
}

// readRawLine reads a line of a raw terminal.
func readRawLine(in io.Reader) ([]byte, error) {
	var line []byte
	one := make([]byte, 1)
	for len(line) <= maxSecretBytes {
		if _, err := in.Read(one); err != nil {
			return nil, err
		}
		switch one[0] {
		case '\r', '\n':
			return line, nil
		case 0x03:
			return nil, &exitCodeError{exitInterrupted, errors.New("interrupted; nothing was done")}
		case 0x04:
			return nil, io.EOF
		case 0x7f, '\b':
			line = line[:max(0, len(line)-1)]
		default:
			line = append(line, one[0])
		}
	}
	return line, nil
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
