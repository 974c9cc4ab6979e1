package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/journal"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/ui/terminal"
	"lookout/views"
)

// dashboard runs the program on a real account; where nothing is configured it helps to begin.
func dashboard(c *cobra.Command, f *flags) error {
	s, err := load(f, c.ErrOrStderr())
	if errors.Is(err, errNoAccount) && terminal.Check() == nil && os.Getenv("LOOKOUT_TOKEN") == "" {
		if s, err = firstRun(c, f); err != nil {
			return err
		}
	}
	if err != nil {
		return usage(err)
	}
	if err := terminal.Check(); err != nil {
		return usage(fmt.Errorf("%w; scripts use its commands, as lookout services list -o json", err))
	}
	token, err := s.token(c.Context())
	if err != nil {
		return denied(err)
	}
	j, err := journal.Open(s.journalPath(), s.Account, time.Now)
	if err != nil {
		return err
	}
	api, err := s.client(token, j)
	if err != nil {
		return usage(err)
	}
	return show(c.Context(), f, s, api, j)
}

// refreshEvery is how often the pane in front is asked again unless somebody says otherwise.
const refreshEvery = 20 * time.Second

// show puts an account on the screen until the program is left.
func show(ctx context.Context, f *flags, s settings, c *client.Client, j *journal.Journal) error {
	if err := terminal.Check(); err != nil {
		return usage(err)
	}
	faults, err := logTo(f.logFile)
	if err != nil {
		return usage(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	program, err := assemble(ctx, f, s, c, j)
	if err != nil {
		return err
	}
	code, err := terminal.Run(ctx, program, terminal.Options{Handover: func() { _ = j.Close() }, Log: faults})
	if code != exitOK || err != nil {
		return &exit{code, err}
	}
	return nil
}

// assemble makes the program of an account.
func assemble(ctx context.Context, f *flags, s settings, c *client.Client, j *journal.Journal) (*shell.Shell, error) {
	style, err := look(s.Theme, s.ASCII)
	if err != nil {
		return nil, err
	}
	refresh := refreshEvery
	if s.Refresh > 0 {
		refresh = s.Refresh
	}
	account := views.New(ctx, views.Options{API: c, Name: s.Account, Journal: j})
	program, err := shell.New(shell.Options{
		Panes: account.Panes(), Theme: style, Account: s.Account, Tone: s.Color, Protected: s.Protected, ReadOnly: s.ReadOnly, Demo: s.demo, Mouse: !f.noMouse,
		Budget: func() string { return budget(c.Budget(), time.Now()) }, Refresh: refresh, Keys: s.Keys, Start: f.view, Opened: account.Opened,
	})
	if err != nil {
		return nil, usage(err)
	}
	return program, nil
}

// budget is the rate limit in words.
func budget(b client.Budget, now time.Time) string {
	switch {
	case b.Until.After(now):
		return "too many requests: waiting " + ui.Age(b.Until.Sub(now))
	case b.Limit > 0:
		return fmt.Sprintf("requests %d of %d", b.Remaining, b.Limit)
	}
	return ""
}

// logTo takes what libraries would write over the screen into a file, or away.
func logTo(path string) (io.Writer, error) {
	log.SetOutput(io.Discard)
	if path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("log file: %w", err)
	}
	log.SetOutput(file)
	return file, nil
}
