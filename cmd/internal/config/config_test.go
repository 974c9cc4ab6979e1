package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"lookout/client/faulttest"
)

func TestFlagsBeforeEnvironmentBeforeFile(t *testing.T) {
	faulttest.ReportCase(t, "G2", "order of flags, environment and file")
	cfg, wrong := Parse(
		[]byte(
			"theme = \"light\"\n[accounts.a]\nbase_url = \"https://file/v4\"\n[accounts.b]\nbase_url = " +
				"\"https://other/v4\"\nread_only = true\n",
		),
	)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	for _, name := range []string{"LOOKOUT_BASE_URL", "LOOKOUT_ACCOUNT", "LOOKOUT_READ_ONLY"} {
		t.Setenv(name, "")
	}
	s, err := Resolve(cfg, &Flags{Account: "b"})
	if err != nil || s.BaseURL != "https://other/v4" || !s.ReadOnly || s.Theme != "light" {
		t.Errorf("%+v, %v", s, err)
	}
	t.Setenv("LOOKOUT_BASE_URL", "https://env/v4")
	if s, _ := Resolve(cfg, &Flags{Account: "a"}); s.BaseURL != "https://env/v4" || s.ReadOnly {
		t.Errorf("%+v", s)
	}
	if s, _ := Resolve(cfg, &Flags{
		Account: "a",
		BaseURL: "https://flag/v4",
		Theme:   "mono",
	}); s.BaseURL != "https://flag/v4" ||
		s.Theme != "mono" {
		t.Errorf("%+v", s)
	}
	if _, err := Resolve(cfg, &Flags{Account: "nobody"}); err == nil {
		t.Error("an unknown account passes")
	}
}

func TestTokenFileMustBeItsOwnersAlone(t *testing.T) {
	faulttest.ReportCase(t, "F2", "token file, read and refused")
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte("  s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if token, err := readTokenFile(path); err != nil || token.Reveal() != "s3cret" {
		t.Errorf("%v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readTokenFile(path); err == nil || !strings.Contains(err.Error(), "chmod 600") ||
		strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v", err)
	}
}

// A file that lookout creates belongs to its owner alone from the start, and gets its name once it is complete.
func TestFilesAreWrittenWhole(t *testing.T) {
	for name, c := range map[string]struct {
		before func(path string) error
		there  bool
	}{
		"new": {func(string) error { return nil }, false},
		"there already": {
			func(path string) error { return os.WriteFile(path, []byte("old"), 0o644) },
			true,
		},
		"a link to nothing": {func(path string) error { return os.Symlink("nowhere", path) }, true},
		"a killed run left a part": {
			func(path string) error { return os.WriteFile(path+".part", []byte("ha"), 0o644) },
			false,
		},
		"somebody planted a link": {
			func(path string) error { return os.Symlink(path+".victim", path+".part") },
			false,
		},
		"somebody planted a folder": {func(path string) error { return os.MkdirAll(path+".part/x", 0o700) }, true},
	} {
		faulttest.RunCase(t, "F3", name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			if err := c.before(path); err != nil {
				t.Skipf("this system cannot create it: %v", err)
			}
			err := WritePrivateFile(path, "new text")
			data, _ := os.ReadFile(path)
			if (err != nil) != c.there || c.there == (string(data) == "new text") {
				t.Errorf("%q, %v", data, err)
			}
			if _, err := os.Stat(path + ".victim"); err == nil {
				t.Error("a link was followed")
			}
			info, err := os.Lstat(path)
			if !c.there && (err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600) {
				t.Errorf("%v, %v", info, err)
			}
			if _, err := os.Lstat(path + ".part"); err == nil && !c.there {
				t.Error("the part is left")
			}
		})
	}
}

// For any configuration, there is no panic, every mistake has a position, and no message holds a control character.
func TestOddConfigurations(t *testing.T) {
	for i, text := range append([]string{
		"",
		"\x00",
		"\xff\xfe",
		"= 1",
		"[",
		"[[accounts]]",
		"a.b = 1\na = 2",
		"theme = \"\\x1b[2J\"",
		"theme = \x1b[2J",
		"'''",
		"accounts = 1",
		"\r",
		"[accounts.\"\\u0000\"]",
		"x=" + strings.Repeat("[", 10_000),
	}, faulttest.HostileStrings(t, "G1", "toml_config")...) {
		faulttest.RunCase(t, "G1", fmt.Sprintf("%d %.40q", i, text), func(t *testing.T) {
			_, wrong := Parse([]byte(text))
			for _, m := range wrong {
				if m.Line < 1 || m.Column < 1 || m.Text == "" || strings.ContainsAny(m.Text, "\x1b\r\x00\x07") ||
					len(m.Text) > 2000 {
					t.Errorf("%d:%d %.300q", m.Line, m.Column, m.Text)
				}
			}
		})
	}
}

// A keyring that does not answer delays the start only for a limited time.
func TestKeyringIsBounded(t *testing.T) {
	faulttest.ReportCase(t, "F2", "a keyring that hangs")
	never := make(chan struct{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := withKeyringTimeout(ctx, func() (string, error) { <-never; return "", nil })
	close(never)
	if err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("%v", err)
	}
}

// writerFunc is a function that takes what is written.
type writerFunc func(string)

// Write implements io.Writer.
func (f writerFunc) Write(p []byte) (int, error) {
	f(string(p))
	return len(p), nil
}

// After a second, lookout reports that it waits for a token command. The wait can be cancelled.
func TestTokenCommand_saysThatItWaits(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sleep")
	}
	ctx, cancel := context.WithCancel(t.Context())
	said := make(chan string, 1)
	ctx = WithProgress(ctx, writerFunc(func(text string) {
		said <- text
		cancel()
	}))
	s := Settings{AccountConfig: AccountConfig{TokenCommand: []string{"sleep", "600"}, TokenTimeout: "5m"}}
	if _, err := s.ReadToken(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if text := <-said; !strings.Contains(text, "waiting for token_command sleep, for at most 5m0s; ctrl+c cancels") {
		t.Errorf("%q", text)
	}
}
