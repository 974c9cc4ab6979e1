package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestMistakesNameTheirLine(t *testing.T) {
	for text, want := range map[string][]string{
		"theme = \"pink\"\n":   {"c.toml:1", "pink", "dark"},
		"\nrefesh = \"20s\"\n": {"c.toml:2", "refesh", "refresh"},
		"refresh = \"1s\"\n":   {"c.toml:1", "at least 5s"},
		"[accounts.a]\nbase_url = \"x\"\ndialect = \"other\"\n": {"c.toml:3", "dialect", "provider"},
		"[accounts.a]\ntoken_file = \"x\"\n":                    {"c.toml:1", "base_url is missing"},
		"theme = \n":                                            {"c.toml:1:"},
		"ascii = 5\n":                                           {"c.toml", "line 1", "ascii"},
		"[accounts.a]\nbase_url = \"x\"\nprotectd = true\n":     {"c.toml:3", "protected"},
	} {
		_, err := parse("c.toml", []byte(text))
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v does not say %q", text, err, part)
			}
		}
	}
	if _, err := parse("c.toml", []byte("[accounts.a]\nbase_url = \"x\"\ncolor = \"pinkish\"\n")); err == nil || !strings.Contains(err.Error(), "c.toml:3") || !strings.Contains(err.Error(), "green") {
		t.Errorf("a wrong colour is told as %v", err)
	}
	many := "a = 1\nb = 2\nc = 3\n"
	if _, err := parse("c.toml", []byte(many)); err == nil || strings.Count(err.Error(), "unknown") != 3 {
		t.Errorf("three mistakes are told as %v", err)
	}
}

func TestFlagsBeforeEnvironmentBeforeFile(t *testing.T) {
	cfg, err := parse("c.toml", []byte("theme = \"light\"\n[accounts.a]\nbase_url = \"https://file/v4\"\n[accounts.b]\nbase_url = \"https://other/v4\"\nread_only = true\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LOOKOUT_BASE_URL", "LOOKOUT_ACCOUNT", "LOOKOUT_READ_ONLY"} {
		t.Setenv(name, "")
	}
	s, err := choose(cfg, &flags{account: "b"})
	if err != nil || s.BaseURL != "https://other/v4" || !s.ReadOnly || s.Theme != "light" {
		t.Errorf("%+v, %v", s, err)
	}
	t.Setenv("LOOKOUT_BASE_URL", "https://env/v4")
	if s, _ := choose(cfg, &flags{account: "a"}); s.BaseURL != "https://env/v4" || s.ReadOnly {
		t.Errorf("%+v", s)
	}
	if s, _ := choose(cfg, &flags{account: "a", baseURL: "https://flag/v4", theme: "mono"}); s.BaseURL != "https://flag/v4" || s.Theme != "mono" {
		t.Errorf("%+v", s)
	}
	if _, err := choose(cfg, &flags{account: "nobody"}); err == nil {
		t.Error("an unknown account passes")
	}
}

func TestTokenFileMustBeItsOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte("  s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if token, err := tokenFrom(path); err != nil || token.Reveal() != "s3cret" {
		t.Errorf("%v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := tokenFrom(path); err == nil || !strings.Contains(err.Error(), "chmod 600") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v", err)
	}
}

func TestNoTokenOnTheCommandLine(t *testing.T) {
	if code := run([]string{"--token", "x"}); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
}
