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

	"lookout/client"
	"lookout/client/journal"
)

// A session is one script command at work on an account.
type session struct {
	settings settings
	api      *client.Client
	journal  *lateJournal
	in       io.Reader
	out      io.Writer
	err      io.Writer
	yes      bool
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
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	c.SetContext(ctx)
	end = func() {
		stop()
		j.close()
	}
	return &session{settings: settings, api: api, journal: j, in: c.InOrStdin(), out: c.OutOrStdout(), err: c.ErrOrStderr(), now: time.Now}, end, nil
}

// client is the API of the account.
func (s settings) client(token client.Secret, r client.Recorder) (*client.Client, error) {
	options := []client.Option{client.WithRecorder(r), client.WithUserAgent("lookout/" + version())}
	if s.ReadOnly {
		options = append(options, client.ReadOnly())
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

// Intent is journal.Journal's.
func (l *lateJournal) Intent(c client.Change) (string, error) {
	j, err := l.get()
	if err != nil {
		return "", err
	}
	return j.Intent(c)
}

// Outcome is journal.Journal's.
func (l *lateJournal) Outcome(id string, done bool, err error) { l.open.Outcome(id, done, err) }

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

// allowed asks before something is lost: on a terminal by a question, elsewhere it takes --yes.
func (s *session) allowed(loss string) error {
	if s.yes || s.settings.ReadOnly {
		return nil
	}
	if _, asked := terminalOf(s.in); !asked {
		return usage(fmt.Errorf("%s, and standard input is no terminal to ask on: add --yes", loss))
	}
	fmt.Fprintf(s.err, "%s. Account %s. Type yes to go on: ", loss, s.settings.Account)
	answer, _ := bufio.NewReader(s.in).ReadString('\n')
	if strings.TrimSpace(answer) != "yes" {
		return &exit{exitError, errors.New("nothing was changed")}
	}
	return nil
}

// maxSecret bounds what is read as a password.
const maxSecret = 64 << 10

// secret is a password: from a file, from standard input, or typed without being shown. It never comes from the command line.
func (s *session) secret(path, what string) (client.Secret, error) {
	data, err := s.secretBytes(path, what)
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

func (s *session) secretBytes(path, what string) ([]byte, error) {
	if path != "" && path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return io.ReadAll(io.LimitReader(file, maxSecret+1))
	}
	if file, typed := terminalOf(s.in); typed {
		return hidden(file, s.err, what)
	}
	return io.ReadAll(io.LimitReader(s.in, maxSecret+1))
}

// hidden reads a line of a terminal that does not show it: the echo is off before the question is asked.
func hidden(file *os.File, out io.Writer, what string) ([]byte, error) {
	before, err := term.MakeRaw(file.Fd())
	if err != nil {
		return nil, err
	}
	back := sync.OnceFunc(func() {
		_ = term.Restore(file.Fd(), before)
		fmt.Fprintln(out)
	})
	defer back()
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(ends)
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-ends:
			back()
			os.Exit(exitBroken)
		case <-over:
		}
	}()
	fmt.Fprintf(out, "%s (not shown): ", what)
	return unseen(file)
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
	ctx = client.About(ctx, kind, id, label)
	if reason != "" {
		ctx = client.Because(ctx, reason)
	}
	return ctx
}
