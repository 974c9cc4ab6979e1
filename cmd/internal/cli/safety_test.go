package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"lookout/client"
	"lookout/client/journal"
	"lookout/cmd/internal/config"
)

// A runningProgram is an account that is open while its configuration and its token file are changed.
type runningProgram struct {
	*tokenUsers
	api     *client.Client
	journal *journal.Journal
	text    string // the configuration
}

func newRunningProgram(t *testing.T) *runningProgram {
	u := newTokenUsers(t)
	s, err := config.Load(u.flags(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	api, j, err := s.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.StopUserCheck()
		_ = j.Close()
	})
	text, err := os.ReadFile(s.Source.Path)
	if err != nil {
		t.Fatal(err)
	}
	p := &runningProgram{tokenUsers: u, api: api, journal: j, text: string(text)}
	if err := p.disable(p.ask()); err != nil {
		t.Fatal(err)
	}
	return p
}

// ask asks for a change.
func (p *runningProgram) ask() *client.ConsentRequest {
	return p.api.RequestConsent(client.ConsentQuestion{Op: client.OpDisableService}, "9")
}

// disable sends the change that was asked for. The answer is yes.
func (p *runningProgram) disable(asked *client.ConsentRequest) error {
	consent, err := asked.Answer(true)
	if err != nil {
		return err
	}
	c := client.Change{Op: client.OpDisableService, Resource: "service", ID: "9"}
	for _, w := range p.journal.WindowsOf("9") {
		c.Replaces = append(c.Replaces, w.ID)
	}
	w, err := p.api.Begin(c, consent)
	if err != nil {
		return err
	}
	_, err = w.DisableService(context.Background(), 9)
	return err
}

// requireRefused fails unless a change is refused with a text and reads go on.
func (p *runningProgram) requireRefused(err error, text string) {
	p.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		p.Errorf("the error is %v, want %q", err, text)
	}
	if changes := p.API.Ledger(); len(changes) != len(p.journal.Entries(changes[0].Time.Add(-1e12))) {
		p.Errorf("%d changes were applied, the journal has others", len(changes))
	}
	if _, err := p.api.Services.List(context.Background(), 1); err != nil {
		p.Errorf("a read fails: %v", err)
	}
}

// What the configuration demands in addition applies to the next change of a running program. What it demands no longer
// does not.
func TestSafety_configurationTightens(t *testing.T) {
	t.Parallel()
	p := newRunningProgram(t)
	asked := p.ask()
	p.WriteConfig(p.text + "protected = true\n")
	err := p.disable(asked)
	p.requireRefused(err, "account shop is now protected")
	if !errors.Is(err, client.ErrNotConfirmed) || !p.api.Protected() {
		t.Errorf("%v, protected %v", err, p.api.Protected())
	}
	if q := p.ask().Question(); q == nil || q.Account != "shop" {
		t.Fatalf("the next change asks %+v", q)
	}
	if err := p.disable(p.ask()); err != nil {
		t.Error(err)
	}
	p.WriteConfig(p.text)
	if err := p.disable(p.ask()); err != nil || p.ask().Question() == nil {
		t.Errorf("%v; the account is not protected any more", err)
	}
	asked = p.ask()
	p.WriteConfig(p.text + "read_only = true\n")
	if err = p.disable(asked); !errors.Is(err, client.ErrReadOnly) || !p.api.ReadOnly() {
		t.Errorf("%v, read-only %v", err, p.api.ReadOnly())
	}
	p.requireRefused(err, "read_only has been set in the configuration")
	p.WriteConfig(p.text)
	if err := p.disable(asked); !errors.Is(err, client.ErrReadOnly) {
		t.Errorf("it is not read-only any more: %v", err)
	}
}

// While the configuration is missing or cannot be read, changes are refused and reads go on.
func TestSafety_unreadableConfiguration(t *testing.T) {
	t.Parallel()
	p := newRunningProgram(t)
	path := p.WriteConfig(p.text)
	for name, spoil := range map[string]func(){
		"missing":            func() { _ = os.Remove(path) },
		"not TOML":           func() { p.WriteConfig("[accounts") },
		"writable by others": func() { _ = os.Chmod(path, 0o666) },
		"another account":    func() { p.WriteConfig(strings.Replace(p.text, "accounts.shop", "accounts.else", 1)) },
	} {
		spoil()
		err := p.disable(p.ask())
		p.requireRefused(err, "nothing was sent: could not check whether the configuration allows it: ")
		_ = os.Chmod(path, 0o600)
		p.WriteConfig(p.text)
		if err := p.disable(p.ask()); err != nil {
			t.Errorf("%s, then as before: %v", name, err)
		}
	}
}

// A new token in the token file is used once it is known to be the same user's.
func TestSafety_newToken(t *testing.T) {
	t.Parallel()
	p := newRunningProgram(t)
	if err := p.disable(p.ask()); err != nil || p.used.Load() != "ada-token" {
		t.Fatalf("%v, with the token %v", err, p.used.Load())
	}
	p.setToken("ada-token-2")
	if err := p.disable(p.ask()); err != nil || p.used.Load() != "ada-token-2" {
		t.Errorf("%v, with the token %v", err, p.used.Load())
	}
	p.setToken("eve-token")
	err := p.disable(p.ask())
	p.requireRefused(err, "this token belongs to eve, but the open journal belongs to ada")
	if p.used.Load() != "ada-token-2" {
		t.Errorf("read with the token %v", p.used.Load())
	}
	p.silent.Store(true) // the API does not say whose it is
	p.setToken("ada-token-3")
	if err := p.disable(p.ask()); err != nil || p.used.Load() != "ada-token-2" {
		t.Errorf("%v, with the token %v", err, p.used.Load())
	}
	p.silent.Store(false)
	if err := p.disable(p.ask()); err != nil || p.used.Load() != "ada-token-3" {
		t.Errorf("%v, with the token %v", err, p.used.Load())
	}
	_ = os.Remove(p.tokenFile())
	p.requireRefused(p.disable(p.ask()), "token file: ")
}

// If the API does not accept the token any more, a read uses the new one.
func TestSafety_newTokenAfter401(t *testing.T) {
	t.Parallel()
	p := newRunningProgram(t)
	p.revoked.Store("ada-token")
	list := func() error { _, err := p.api.Services.List(t.Context(), 1); return err }
	if err := list(); err == nil {
		t.Fatal("the token is accepted")
	}
	p.setToken("eve-token")
	if err := list(); err == nil {
		t.Error("another user's token is used")
	}
	p.setToken("ada-token-2")
	if err := list(); err != nil || p.used.Load() != "ada-token-2" {
		t.Errorf("%v, with the token %v", err, p.used.Load())
	}
}
