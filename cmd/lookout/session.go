package main

import (
	"bufio"
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

// A session is one script command at work on an account.
type session struct {
	settings settings
	api      *client.Client
	journal  *lateJournal
	in       io.Reader
	out      io.Writer
	err      io.Writer
	yes      consent
	now      func() time.Time
}

// begin opens the account of a script command, with the API where it is needed. It asks nothing yet; end releases what it holds.
func begin(c *cobra.Command, f *flags, online bool) (s *session, end func(), err error) {
	settings, err := load(f, c.ErrOrStderr())
	if err != nil {
		return nil, nil, usage(err)
	}
	j := &lateJournal{path: settings.journalPath(), account: settings.Account}
	var api *client.Client
	if online {
		token, err := settings.token(c.Context())
		if err != nil {
			return nil, nil, denied(err)
		}
		if api, err = settings.client(token, j); err != nil {
			return nil, nil, usage(err)
		}
	}
	ctx, stop := untilSignal(c.Context())
	c.SetContext(ctx)
	end = func() {
		stop()
		j.close()
	}
	return &session{settings: settings, api: api, journal: j, in: c.InOrStdin(), out: c.OutOrStdout(), err: c.ErrOrStderr(), now: time.Now}, end, nil
}

// stopped is the signal that asked a command to end.
type stopped struct{ signal syscall.Signal }

// Error is what happened.
func (stopped) Error() string { return "interrupted" }

// Is makes it a context that was cancelled, for whoever asks why a request ended.
func (stopped) Is(target error) bool { return target == context.Canceled }

// untilSignal is a context that ends with the first signal that asks for an end; another one then ends the program as the system does.
func untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			n, _ := s.(syscall.Signal)
			cancel(stopped{n})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// codeOfEnd is the exit code of a command that was interrupted: 128 and the signal's number.
func codeOfEnd(ctx context.Context) int {
	if s, ok := context.Cause(ctx).(stopped); ok && s.signal > 0 {
		return 128 + int(s.signal)
	}
	return exitBroken
}

// client is the API of the account.
func (s settings) client(token client.Secret, r client.Recorder) (*client.Client, error) {
	options := []client.Option{client.WithRecorder(r), client.WithUserAgent("lookout/" + version())}
	if s.ReadOnly {
		options = append(options, client.WithReadOnly())
	}
	if s.Dialect != "" {
		options = append(options, client.WithDialect(client.Dialect(s.Dialect)))
	}
	return client.New(s.BaseURL, token, options...)
}

func (s settings) journalPath() string { return filepath.Join(stateFolder(), s.Account+".journal") }

func stateFolder() string { return filepath.Join(xdg.StateHome, "lookout") }

// lateJournal opens the journal with the first change, so that reading needs no place to write.
type lateJournal struct {
	path, account string

	mu   sync.Mutex
	open *journal.Journal
}

// get is the journal.
func (l *lateJournal) get() (*journal.Journal, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open != nil {
		return l.open, nil
	}
	j, err := journal.Open(l.path, l.account, time.Now)
	l.open = j
	return j, err
}

// read is the journal as it is, without making one.
func (l *lateJournal) read() (*journal.Journal, error) {
	if _, err := os.Stat(l.path); errors.Is(err, os.ErrNotExist) {
		return journal.Memory(time.Now), nil
	}
	return l.get()
}

// RecordIntent is journal.Journal's.
func (l *lateJournal) RecordIntent(c client.Change) (string, error) {
	j, err := l.get()
	if err != nil {
		return "", err
	}
	return j.RecordIntent(c)
}

// RecordOutcome is journal.Journal's.
func (l *lateJournal) RecordOutcome(id string, done bool, err error) { l.open.RecordOutcome(id, done, err) }

func (l *lateJournal) close() {
	if l.open != nil {
		_ = l.open.Close()
	}
}

// terminalOf is the terminal behind a stream, if there is one.
func terminalOf(stream any) (*os.File, bool) {
	file, ok := stream.(*os.File)
	return file, ok && term.IsTerminal(file.Fd())
}

// A consent is what --yes says: nothing, yes, or yes on the account of a name.
type consent string

// plainYes is --yes without a name.
const plainYes consent = "true"

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

// consentVar adds --yes to the flags of what loses something, or is asked about on a protected account alone.
func consentVar(set *pflag.FlagSet, c *consent, loses bool) {
	about := "on a protected account --yes=NAME, with its name, does it without asking"
	if loses {
		about = "do it without asking; needed where standard input is no terminal; on a protected account --yes=NAME, with its name"
	}
	set.Var(c, "yes", about)
	set.Lookup("yes").NoOptDefVal = string(plainYes)
}

// allowed asks before something is lost, or changed on a protected account: on a terminal for a word, or for the account's name where there
// is none; elsewhere it takes --yes.
func (s *session) allowed(ctx context.Context, what, word string) error {
	account, protected := s.settings.Account, s.settings.Protected
	word = orElse(word, account)
	_, asked := terminalOf(s.in)
	switch {
	case s.settings.ReadOnly: // refused where requests are made
		return nil
	case s.yes != "" && string(s.yes) == account, s.yes == plainYes && !protected:
		return nil
	case s.yes == plainYes:
		return usage(fmt.Errorf("account %s is protected: --yes=%[1]s, with its name, is needed", account))
	case s.yes != "":
		return usage(fmt.Errorf("--yes=%s: this is the account %s; nothing was sent", client.Clean(string(s.yes)), account))
	case !asked && protected:
		return usage(fmt.Errorf("%s, account %s is protected, and standard input is no terminal to ask on: add --yes=%[2]s", what, account))
	case !asked:
		return usage(fmt.Errorf("%s, and standard input is no terminal to ask on: add --yes", what))
	}
	mark := ""
	if protected {
		mark = ", PROD"
	}
	fmt.Fprintf(s.err, "%s. Account %s%s. Type %s to go on: ", what, account, mark, word)
	answer, err := unlessBroken(ctx, func() (string, error) { return bufio.NewReader(s.in).ReadString('\n') })
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(s.err)
		return err
	case strings.TrimSpace(answer) != strings.TrimSpace(word):
		return &exit{exitError, errors.New("nothing was changed")}
	}
	return nil
}

// beside does what may never return, as reading a terminal or a pipe, and waits for it until ctx ends.
func beside[T any](ctx context.Context, do func() (T, error)) (T, error) {
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

// ended is closed when nothing of a manager runs any more.
func ended(m *transfer.Manager) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		m.Wait()
		close(over)
	}()
	return over
}

// unlessBroken is beside for what somebody is asked for before anything is changed.
func unlessBroken[T any](ctx context.Context, read func() (T, error)) (T, error) {
	v, err := beside(ctx, read)
	if ctx.Err() != nil {
		err = &exit{codeOfEnd(ctx), errors.New("interrupted; nothing was changed")}
	}
	return v, err
}

// maxSecret bounds what is read as a password.
const maxSecret = 64 << 10

// secret is a password: from a file, from standard input, or typed without being shown. It never comes from the command line.
func (s *session) secret(ctx context.Context, path, what string) (client.Secret, error) {
	data, err := s.secretBytes(ctx, path, what)
	if err != nil {
		return client.Secret{}, fmt.Errorf("%s: %w", what, err)
	}
	text := strings.TrimRight(string(data), "\r\n")
	switch {
	case len(data) > maxSecret:
		return client.Secret{}, usage(fmt.Errorf("%s: it is longer than %d bytes", what, maxSecret))
	case text == "":
		return client.Secret{}, usage(fmt.Errorf("%s: it is empty", what))
	}
	return client.NewSecret(text), nil
}

func (s *session) secretBytes(ctx context.Context, path, what string) ([]byte, error) {
	if file, typed := terminalOf(s.in); typed && (path == "" || path == "-") {
		return hidden(ctx, file, s.err, what)
	}
	return unlessBroken(ctx, func() ([]byte, error) {
		in := s.in
		if path != "" && path != "-" {
			file, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			defer file.Close()
			in = file
		}
		return io.ReadAll(io.LimitReader(in, maxSecret+1))
	})
}

// hidden reads a line of a terminal that does not show it: the echo is off before the question is asked.
func hidden(ctx context.Context, file *os.File, out io.Writer, what string) ([]byte, error) {
	ctx, end := untilSignal(ctx)
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
	return unlessBroken(ctx, func() ([]byte, error) { return unseen(file) })
}

// unseen reads a line of a raw terminal.
func unseen(in io.Reader) ([]byte, error) {
	var line []byte
	one := make([]byte, 1)
	for len(line) <= maxSecret {
		if _, err := in.Read(one); err != nil {
			return nil, err
		}
		switch one[0] {
		case '\r', '\n':
			return line, nil
		case 0x03:
			return nil, &exit{exitBroken, errors.New("interrupted; nothing was done")}
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

// say tells on standard error what was done.
func (s *session) say(format string, args ...any) { fmt.Fprintf(s.err, format+"\n", args...) }

// about names the thing that the changes under ctx are about, in the journal.
func about(ctx context.Context, kind, id, label, reason string) context.Context {
	ctx = client.ContextWithResource(ctx, kind, id, label)
	if reason != "" {
		ctx = client.ContextWithReason(ctx, reason)
	}
	return ctx
}
