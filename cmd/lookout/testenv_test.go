package main

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/adrg/xdg"
	"github.com/zalando/go-keyring"

	"lookout/client/emulator"
)

// canary is the token of tests: wherever a part of it is seen, a secret was told. It is as long as real ones, so that
// what cuts texts cuts it too.
const canary = "canary-token-3f9a7c15e0b8d2464f6a91c3d7e5b0829a4f1c6e3d8b7052e9a"

// leaksToken reports whether a text holds any twelve bytes in a row of the token, or nearly any.
func leaksToken(text string) bool {
	for from := 0; from+12 <= len(canary); from += 4 {
		if strings.Contains(text, canary[from:from+12]) {
			return true
		}
	}
	return false
}

// testEnv is a home of its own and an emulated account on this machine.
type testEnv struct {
	*testing.T
	api         *emulator.Emulator
	base        string
	home        string
	mu          sync.Mutex
	interceptor interceptor // nil answers nothing
}

// interceptor answers requests in place of the account, where it reports that it did.
type interceptor func(w http.ResponseWriter, req *http.Request) bool

// intercept lets a tap see every request first, from now on.
func (r *testEnv) intercept(t interceptor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.interceptor = t
}

// intercepted gives a request to the tap, if there is one.
func (r *testEnv) intercepted(w http.ResponseWriter, req *http.Request) bool {
	r.mu.Lock()
	t := r.interceptor
	r.mu.Unlock()
	return t != nil && t(w, req)
}

func newTestEnv(t *testing.T, o emulator.Options) *testEnv {
	t.Helper()
	o.Token = canary
	server := httptest.NewUnstartedServer(nil)
	o.BaseURL = "http://" + server.Listener.Addr().String()
	api := emulator.New(o)
	r := &testEnv{T: t, api: api, home: t.TempDir()}
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !r.intercepted(w, req) {
			api.ServeHTTP(w, req)
		}
	})
	server.Start()
	t.Cleanup(server.Close)
	r.base = server.URL + "/v4"
	t.Cleanup(xdg.Reload)
	for _, name := range []string{"LOOKOUT_ACCOUNT", "LOOKOUT_READ_ONLY", "LOOKOUT_CONFIG", "LINODE_TOKEN", "NO_COLOR", "HTTP_PROXY", "http_proxy", "TMUX", "SSH_CONNECTION"} {
		t.Setenv(name, "")
	}
	t.Setenv("LINODE_CLI_CONFIG", filepath.Join(r.home, "linode-cli"))
	t.Setenv("HOME", r.home)
	t.Setenv("LANG", "C.UTF-8")
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(r.home, "config"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(r.home, "state"))
	t.Setenv("LOOKOUT_BASE_URL", r.base)
	t.Setenv("LOOKOUT_TOKEN", canary)
	xdg.Reload()
	keyring.MockInit()
	return r
}

// runResult is what a command line led to.
type runResult struct {
	code     int
	out, err string
}

// run runs a command line without a terminal.
func (r *testEnv) run(args ...string) runResult { return r.runWithInput("", args...) }

// runWithInput runs a command line with text on its standard input.
func (r *testEnv) runWithInput(input string, args ...string) runResult {
	r.Helper()
	var out, complaints bytes.Buffer
	code := execute(args, strings.NewReader(input), &out, &complaints)
	if leaksToken(out.String() + complaints.String()) {
		r.Errorf("%v tells the token:\n%s%s", args, out.String(), complaints.String())
	}
	return runResult{code, out.String(), complaints.String()}
}

// mustRun runs a command line that must do well.
func (r *testEnv) mustRun(args ...string) runResult {
	r.Helper()
	s := r.run(args...)
	if s.code != exitOK {
		r.Fatalf("%v: exit code %d: %s", args, s.code, s.err)
	}
	return s
}

// writeConfig writes a configuration.
func (r *testEnv) writeConfig(text string) string {
	r.Helper()
	path := filepath.Join(r.home, "config", "lookout", "config.toml")
	r.write(path, text)
	return path
}

func (r *testEnv) write(path, text string) {
	r.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

// checkResult reports a command line that did not end as it must. Where a line was folded does not matter.
func (r *testEnv) checkResult(s runResult, code int, parts ...string) {
	r.Helper()
	if s.code != code {
		r.Errorf("exit code %d, not %d: %s%s", s.code, code, s.out, s.err)
	}
	text := s.out + s.err
	text += strings.Join(strings.Fields(text), " ")
	for _, part := range parts {
		if !strings.Contains(text, part) {
			r.Errorf("%q is not said in:\n%s%s", part, s.out, s.err)
		}
	}
}

// readTree is the text of all files beneath a folder.
func (r *testEnv) readTree(folder string) string {
	r.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return all.String()
}
