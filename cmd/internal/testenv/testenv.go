// Package testenv gives tests of commands a home folder of their own and an emulated account on this machine.
package testenv

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io"
	"io/fs"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/adrg/xdg"
	"github.com/zalando/go-keyring"

	"lookout/client/emulator"
)

// Canary is the token of tests: wherever a part of it is seen, a secret was told. It is as long as real ones, so that
// what cuts texts cuts it too.
const Canary = "canary-token-3f9a7c15e0b8d2464f6a91c3d7e5b0829a4f1c6e3d8b7052e9a"

// Bucket is a bucket of the emulated account that tests move objects in.
const Bucket = "us-east-1/acme-backups"

// LeaksToken reports whether a text holds any twelve bytes in a row of the token, or nearly any.
func LeaksToken(text string) bool {
	for from := 0; from+12 <= len(Canary); from += 4 {
		if strings.Contains(text, Canary[from:from+12]) {
			return true
		}
	}
	return false
}

// CommandFunc runs a command line on streams, with variables in place of the process's, and returns its exit code.
type CommandFunc func(env map[string]string, args []string, in io.Reader, out, errOut io.Writer) int

// Env is what a test runs commands in: a home directory of its own, and an emulated account.
type Env struct {
	*testing.T
	API         *emulator.Emulator
	Base        string
	Home        string
	Variables   map[string]string // nil if they are the process's
	execute     CommandFunc
	mu          sync.Mutex
	interceptor ServerHook // nil answers nothing
}

// ServerHook answers requests in place of the account, where it reports that it did.
type ServerHook func(w http.ResponseWriter, req *http.Request) bool

// Intercept lets a tap see every request first, from now on.
func (r *Env) Intercept(t ServerHook) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.interceptor = t
}

// intercepted gives a request to the tap, if there is one.
func (r *Env) intercepted(w http.ResponseWriter, req *http.Request) bool {
	r.mu.Lock()
	t := r.interceptor
	r.mu.Unlock()
	return t != nil && t(w, req)
}

// New starts an emulated account and points the process's environment at it, for tests that are not parallel. Command
// lines are run by execute.
func New(t *testing.T, o emulator.Options, execute CommandFunc) *Env {
	t.Helper()
	r := NewParallel(t, o, execute)
	t.Cleanup(xdg.Reload)
	for name, value := range r.Variables {
		t.Setenv(name, value)
	}
	r.Variables = nil
	xdg.Reload()
	keyring.MockInit()
	return r
}

// NewParallel starts an emulated account that only the variables of the returned environment point at, for parallel
// tests.
func NewParallel(t *testing.T, o emulator.Options, execute CommandFunc) *Env {
	t.Helper()
	o.Token = Canary
	if o.Service == "" {
		o.Service = os.Getenv("LOOKOUT_TEST_SERVICE")
	}
	server := httptest.NewUnstartedServer(nil)
	o.BaseURL = "http://" + server.Listener.Addr().String()
	api := emulator.New(o)
	r := &Env{
		T:       t,
		API:     api,
		Home:    t.TempDir(),
		execute: execute,
	}
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !r.intercepted(w, req) {
			api.ServeHTTP(w, req)
		}
	})
	server.Start()
	t.Cleanup(server.Close)
	r.Base = server.URL + "/v4"
	r.Variables = BaseVariables(r.Home)
	r.Variables["LOOKOUT_BASE_URL"], r.Variables["LOOKOUT_TOKEN"] = r.Base, Canary
	return r
}

// BaseVariables returns variables with which a program finds nothing outside a home folder.
func BaseVariables(home string) map[string]string {
	variables := map[string]string{
		"LINODE_CLI_CONFIG": filepath.Join(home, "linode-cli"),
		"HOME":              home,
		"LANG":              "C.UTF-8",
		"XDG_CONFIG_HOME":   filepath.Join(home, "config"),
		"XDG_STATE_HOME":    filepath.Join(home, "state"),
		"XDG_CACHE_HOME":    filepath.Join(home, "cache"),
	}
	for _, name := range []string{
		"LOOKOUT_ACCOUNT", "LOOKOUT_READ_ONLY", "LOOKOUT_CONFIG", "LINODE_TOKEN", "NO_COLOR", "HTTP_PROXY",
		"http_proxy", "TMUX", "SSH_CONNECTION",
	} {
		variables[name] = ""
	}
	return variables
}

// Setenv sets a variable for the commands that run from now on.
func (r *Env) Setenv(name, value string) {
	if r.Variables == nil {
		r.T.Setenv(name, value)
		return
	}
	r.Variables[name] = value
}

// With returns the environment for a subtest.
func (r *Env) With(t *testing.T) *Env {
	return &Env{
		T:         t,
		API:       r.API,
		Base:      r.Base,
		Home:      r.Home,
		Variables: maps.Clone(r.Variables),
		execute:   r.execute,
	}
}

// CommandResult is the exit code and the output of a command line.
type CommandResult struct {
	Code     int
	Out, Err string
}

// Run runs a command line without a terminal.
func (r *Env) Run(args ...string) CommandResult { return r.RunWithInput("", args...) }

// RunWithInput runs a command line with text on its standard input.
func (r *Env) RunWithInput(input string, args ...string) CommandResult {
	r.Helper()
	r.ForgetRequests()
	var out, complaints bytes.Buffer
	code := r.execute(r.Variables, args, strings.NewReader(input), &out, &complaints)
	if LeaksToken(out.String() + complaints.String()) {
		r.Errorf("%v tells the token:\n%s%s", args, out.String(), complaints.String())
	}
	return CommandResult{code, out.String(), complaints.String()}
}

// ForgetRequests lets the next command send at once, however many requests were sent before.
func (r *Env) ForgetRequests() {
	counted, _ := filepath.Glob(filepath.Join(r.Home, "state", "lookout", "*.requests"))
	for _, path := range counted {
		_ = os.Remove(path)
	}
}

// MustRun runs a command line that must do well.
func (r *Env) MustRun(args ...string) CommandResult {
	r.Helper()
	s := r.Run(args...)
	if s.Code != 0 {
		r.Fatalf("%v: exit code %d: %s", args, s.Code, s.Err)
	}
	return s
}

// WriteConfig writes a configuration.
func (r *Env) WriteConfig(text string) string {
	r.Helper()
	path := filepath.Join(r.Home, "config", "lookout", "config.toml")
	r.Write(path, text)
	return path
}

// Write writes a file for its owner alone, with the folders above it.
func (r *Env) Write(path, text string) {
	r.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

// CheckResult reports a command line that did not end as it must. Where a line was folded does not matter.
func (r *Env) CheckResult(s CommandResult, code int, parts ...string) {
	r.Helper()
	if s.Code != code {
		r.Errorf("exit code %d, not %d: %s%s", s.Code, code, s.Out, s.Err)
	}
	text := s.Out + s.Err
	text += strings.Join(strings.Fields(text), " ")
	for _, part := range parts {
		if !strings.Contains(text, part) {
			r.Errorf("%q is not said in:\n%s%s", part, s.Out, s.Err)
		}
	}
}

// ReadTree returns the text of all files in a folder and its subfolders; a count of requests is no text.
func (r *Env) ReadTree(folder string) string {
	r.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".requests" {
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

// WriteCertificate writes a certificate for a name and its key into a folder.
func WriteCertificate(t *testing.T, name string) string {
	t.Helper()
	return WriteCertificateAt(t, name, time.Now())
}

// WriteCertificateAt is WriteCertificate with a certificate of an earlier or later time.
func WriteCertificateAt(t *testing.T, name string, at time.Time) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		DNSNames:     []string{name},
		NotBefore:    at.Add(-time.Hour),
		NotAfter:     at.Add(90 * 24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for file, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: der},
		"key.pem":  {Type: "PRIVATE KEY", Bytes: raw},
	} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// startFolder is the folder of the package whose tests run.
var startFolder, _ = os.Getwd()

// RepoRoot returns the top folder of the repository.
func RepoRoot(t testing.TB) string {
	t.Helper()
	for folder := startFolder; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
	}
	t.Fatal("no go.mod above " + startFolder)
	return ""
}

// StoreObject puts bytes into the bucket as an object, and gives them.
func (r *Env) StoreObject(name string, size int) []byte {
	r.Helper()
	data := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
	file := filepath.Join(r.Home, "stored")
	r.Write(file, string(data))
	r.MustRun("objects", "put", Bucket, name, file)
	return data
}

// InterceptDownloads answers what is fetched from the storage.
func (r *Env) InterceptDownloads(answer func(w http.ResponseWriter, req *http.Request)) {
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodGet || strings.HasPrefix(req.URL.Path, "/v4/") {
			return false
		}
		answer(w, req)
		return true
	})
}

// FindID is the ID of the first row whose text holds a word.
func (r *Env) FindID(list, word string) string {
	r.Helper()
	for line := range strings.Lines(r.MustRun(list, "list").Out) {
		if strings.Contains(line, word) {
			return strings.Fields(line)[0]
		}
	}
	r.Fatalf("%s has no %s", list, word)
	return ""
}

// ModulePath returns the path of the Go module, as go.mod has it.
func ModulePath(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(RepoRoot(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "module "))
}

// WriteProgram writes a script that can be run. No process starts meanwhile: it would have the file open for writing,
// and for that moment the script could not be run.
func WriteProgram(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}
