package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lookout/client/faulttest"
)

func TestFlagsBeforeEnvironmentBeforeFile(t *testing.T) {
	faulttest.ReportCase(t, "G2", "order of flags, environment and file")
	cfg, wrong := parseConfig(
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
	s, err := resolveSettings(cfg, &flags{account: "b"})
	if err != nil || s.BaseURL != "https://other/v4" || !s.ReadOnly || s.Theme != "light" {
		t.Errorf("%+v, %v", s, err)
	}
	t.Setenv("LOOKOUT_BASE_URL", "https://env/v4")
	if s, _ := resolveSettings(cfg, &flags{account: "a"}); s.BaseURL != "https://env/v4" || s.ReadOnly {
		t.Errorf("%+v", s)
	}
	if s, _ := resolveSettings(cfg, &flags{account: "a", baseURL: "https://flag/v4", theme: "mono"}); s.BaseURL != "https://flag/v4" ||
		s.Theme != "mono" {
		t.Errorf("%+v", s)
	}
	if _, err := resolveSettings(cfg, &flags{account: "nobody"}); err == nil {
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

func TestNoTokenOnTheCommandLine(t *testing.T) {
	faulttest.ReportCase(t, "F1", "no flag")
	if code := run([]string{"--token", "x"}); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
}
