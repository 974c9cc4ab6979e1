package cli

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
)

// The version is one line, and has fields for scripts.
func TestVersion_formats(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	line := r.MustRun("version").Out
	if !strings.HasPrefix(line, "lookout development") || strings.Count(line, "\n") != 1 {
		t.Errorf("%q", line)
	}
	var info map[string]string
	if err := json.Unmarshal([]byte(r.MustRun("version", "-o", "json").Out), &info); err != nil {
		t.Fatal(err)
	}
	if info["version"] != "development" || info["go"] != runtime.Version() {
		t.Errorf("%v", info)
	}
	r.CheckResult(r.Run("version", "--columns", "platform", "--no-headers", "-o", "csv"), exit.CodeOK, runtime.GOOS)
	r.CheckResult(r.Run("version", "--licenses"), exit.CodeOK, "The Go Authors", "github.com/spf13/cobra")
	r.CheckResult(r.Run("version", "-o", "yaml"), exit.CodeUsage, "unknown output format")
}

// The settings are rows like any others.
func TestConfigShow_formats(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	path := filepath.Join(r.Home, "c.toml")
	r.Write(path, "theme = \"dark\"\n")
	s := r.MustRun("config", "show", "--config", path, "-o", "ndjson", "--filter", "key:theme")
	if want := `{"key":"theme","value":"dark","from":"line 1"}` + "\n"; s.Out != want {
		t.Errorf("%q instead of %q", s.Out, want)
	}
}
