package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// checkNoToken fails if an output contains the token.
func (r *testEnv) checkNoToken(s testenv.CommandResult) {
	r.Helper()
	if testenv.LeaksToken(s.Out + s.Err) {
		r.Errorf("the output holds the token: %s%s", s.Out, s.Err)
	}
}

// The token is neither an argument nor part of an address.
func TestTokensAreNoArguments(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"a flag": {"--token", testenv.Canary}, "a flag with its value": {"--token=" + testenv.Canary}, "a flag of a " +
			"command": {"services", "list", "--token=" + testenv.Canary},
		"a user of the base URL": {
			"services",
			"list",
			"--base-url",
			"https://" + testenv.Canary + "@api.example.test/v4",
		}, "a password of it": {
			"services",
			"list",
			"--base-url",
			"https://u:" + testenv.Canary + "@api.example.test/v4",
		},
		"in place of the base URL": {"services", "list", "--base-url", testenv.Canary},
	} {
		faulttest.RunCase(t, "F1", name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			r.CheckResult(r.Run(args...), exit.CodeUsage)
			if n := r.API.RequestCount(""); n != 0 {
				t.Errorf("%d requests", n)
			}
		})
	}
	faulttest.RunCase(t, "F1", "a password in the configuration's base URL", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{})
		r.Setenv("LOOKOUT_BASE_URL", "")
		r.WriteConfig("[accounts.a]\nbase_url = \"https://u:" + testenv.Canary + "@api.example.test/v4\"\n")
		s := r.Run("services", "list")
		r.CheckResult(s, exit.CodeUsage, "config.toml:2:1")
		r.checkNoToken(s)
	})
}

// A file that holds the token, or says where it is sent, belongs to its owner alone; if not, the message names the
// problem and the next step.
func TestFilesOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	mode := func(m os.FileMode) func(string) error { return func(path string) error { return os.Chmod(path, m) } }
	for name, c := range map[string]struct {
		spoil func(path string) error
		want  string
	}{
		"0644": {
			mode(0o644),
			"chmod 600",
		}, "0640": {mode(0o640), "chmod 600"}, "0666": {mode(0o666), "chmod 600"}, "0604": {mode(0o604), "chmod 600"},
		"another user": {func(path string) error { return os.Chown(path, 12345, -1) }, "another user"},
		"a folder": {
			func(path string) error { return replaceFile(path, os.Mkdir(path+"2", 0o700)) },
			"not a regular file",
		},
		"a pipe": {func(path string) error { return replaceFile(path, makeFIFO(path+"2")) }, "not a regular file"},
		"a device": {
			func(path string) error { return replaceFile(path, os.Symlink("/dev/zero", path+"2")) },
			"not a regular file",
		},
		"a link to one that others may read": {func(path string) error {
			return replaceFile(
				path,
				firstError(
					os.WriteFile(path+"3", []byte(testenv.Canary), 0o644), os.Chmod(path+"3", 0o644),
					os.Symlink(path+"3", path+"2"),
				),
			)
		}, "chmod 600"},
		"a link to nothing": {
			func(path string) error { return replaceFile(path, os.Symlink("nowhere", path+"2")) },
			"no such file",
		},
		"in a folder of everybody": {
			func(path string) error { return os.Chmod(filepath.Dir(path), 0o777) },
			"chmod o-w",
		},
		"too long": {func(path string) error { return os.Truncate(path, 1<<30) }, "too long for a token"},
		"empty":    {func(path string) error { return os.Truncate(path, 0) }, "is empty"},
		"good, a link to a good one": {func(path string) error {
			return replaceFile(
				path, firstError(os.WriteFile(path+"3", []byte(testenv.Canary), 0o600), os.Symlink(path+"3", path+"2")),
			)
		}, ""},
		"good, a sticky folder": {
			func(path string) error { return os.Chmod(filepath.Dir(path), 0o777|os.ModeSticky) },
			"",
		},
	} {
		faulttest.RunCase(t, "F2", "token file, "+name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			path := filepath.Join(r.Home, "own", "token")
			r.Write(path, testenv.Canary)
			if err := c.spoil(path); err != nil {
				t.Skipf("this system cannot create it: %v", err)
			}
			r.Setenv("LOOKOUT_TOKEN", "")
			s := r.Run("services", "list", "--token-file", path)
			if c.want == "" {
				r.CheckResult(s, exit.CodeOK)
				return
			}
			r.CheckResult(s, exit.CodeDenied, c.want)
			if r.API.RequestCount("") != 0 {
				t.Error("it was used")
			}
		})
	}
	for name, spoil := range map[string]func(string) error{
		"0666":         mode(0o666),
		"another user": func(path string) error { return os.Chown(path, 12345, -1) },
	} {
		faulttest.RunCase(t, "F2", "configuration, "+name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			if err := spoil(r.WriteConfig("[accounts.a]\nbase_url = \"" + r.Base + "\"\n")); err != nil {
				t.Skipf("this system cannot create it: %v", err)
			}
			r.CheckResult(r.Run("services", "list"), exit.CodeUsage, "configuration: ")
		})
	}
}

// replaceFile moves a file over another.
func replaceFile(path string, made error) error {
	return firstError(made, os.Remove(path), os.Rename(path+"2", path))
}

// firstError returns the first error that is not nil.
func firstError(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// Debug settings that would write the token are refused, and child processes get an environment without it.
func TestNoTokenLeavesByTheEnvironment(t *testing.T) {
	for godebug, refused := range map[string]bool{
		"http2debug=2":      true,
		"http2debug=1":      true,
		"x=1, http2debug=2": true,
		"http2debug=0":      false,
		"netdns=go":         false,
	} {
		faulttest.RunCase(t, "F6", "GODEBUG "+godebug, func(t *testing.T) {
			r := newSerialEnv(t, emulator.Options{})
			t.Setenv("GODEBUG", godebug)
			s := r.Run("services", "list")
			if refused {
				r.CheckResult(s, exit.CodeUsage, "http2debug")
			} else {
				r.CheckResult(s, exit.CodeOK)
			}
		})
	}
	faulttest.RunCase(t, "F14", "the dashboard's", func(t *testing.T) {
		r := newSerialEnv(t, emulator.Options{})
		r.WriteConfig("[accounts.a]\nbase_url = \"https://x/v4\"\ntoken_env = \"OTHER_TOKEN\"\n")
		for _, name := range []string{"OTHER_TOKEN", "FLAG_TOKEN", "TEA_TRACE"} {
			t.Setenv(name, testenv.Canary)
		}
		f := &config.Flags{TokenEnv: "FLAG_TOKEN"}
		f.ScrubEnvironment(false)
		if all := strings.Join(os.Environ(), "\n"); testenv.LeaksToken(all) {
			t.Errorf("%s", all)
		}
		s, err := config.Load(f, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if kept, err := s.ReadToken(t.Context()); err != nil || kept.Reveal() != testenv.Canary {
			t.Errorf("an account that is opened later has no token: %v", err)
		}
	})
	faulttest.RunCase(t, "F14", "token_command's", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("needs a POSIX shell")
		}
		r := newSerialEnv(t, emulator.Options{})
		kept := filepath.Join(r.Home, "environment")
		t.Setenv("LOOKOUT_TOKEN", testenv.Canary)
		command := config.AccountConfig{TokenCommand: []string{"sh", "-c", "env >" + kept + "; echo x"}}
		if _, err := (config.Settings{AccountConfig: command}).ReadToken(t.Context()); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(kept); err != nil || testenv.LeaksToken(string(data)) ||
			!strings.Contains(string(data), "PATH=") {
			t.Errorf("%v\n%s", err, data)
		}
	})
}

// Without a writable folder, reading works. Changes are refused, because they cannot be recorded.
func TestUnusualHomeFolders(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		variables map[string]string
		records   bool
	}{
		"state below a file":   {map[string]string{"XDG_STATE_HOME": filepath.Join(blocked, "x")}, false},
		"state is a device":    {map[string]string{"XDG_STATE_HOME": os.DevNull}, false},
		"config below a file":  {map[string]string{"XDG_CONFIG_HOME": filepath.Join(blocked, "x")}, true},
		"relative":             {map[string]string{"XDG_CONFIG_HOME": "relative", "HOME": blocked}, true},
		"no home":              {map[string]string{"HOME": ""}, true},
		"no home, nor state's": {map[string]string{"HOME": blocked, "XDG_STATE_HOME": ""}, false},
	} {
		faulttest.RunCase(t, "G4", name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("Windows uses other variables")
			}
			r := newSerialEnv(t, emulator.Options{})
			for name, value := range c.variables {
				t.Setenv(name, value)
			}
			xdg.Reload()
			r.CheckResult(r.Run("services", "list"), exit.CodeOK, "edge-router")
			s := r.Run("services", "disable", "4")
			if c.records != (s.Code == exit.CodeOK) || c.records != (len(r.API.Ledger()) == 1) ||
				!c.records && !strings.Contains(s.Err, "cannot record") {
				t.Errorf("%d, %d changes: %s%s", s.Code, len(r.API.Ledger()), s.Out, s.Err)
			}
		})
	}
}

// Without HOME, and without the XDG variables that say where files are, what only reads the API works. What needs a
// place for files is an error that names the variables, and sends nothing. Nothing is looked for or written in "/".
func TestWithoutHome(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows uses other variables")
	}
	for _, missing := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		for _, line := range []string{
			"services disable 4", "objects rm us-east-1/acme-backups README.txt --yes", "journal", "keep",
			"config init", "config edit", "accounts list", "accounts add new --token-file /dev/null",
		} {
			faulttest.RunCase(t, "G4", missing+" and no home: lookout "+line, func(t *testing.T) {
				r := newSerialEnv(t, emulator.Options{})
				t.Setenv("HOME", "")
				t.Setenv(missing, "")
				xdg.Reload()
				r.CheckResult(r.Run(strings.Fields(line)...), exit.CodeUsage, "HOME is empty", "set HOME, or "+missing)
				if sent := r.API.Ledger(); len(sent) > 0 {
					t.Errorf("sent %v", sent)
				}
			})
		}
	}
	faulttest.RunCase(t, "G4", "no home: reading the API", func(t *testing.T) {
		r := newSerialEnv(t, emulator.Options{})
		for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
			t.Setenv(name, "")
		}
		xdg.Reload()
		t.Chdir(t.TempDir())
		for _, line := range []string{
			"services list", "services get web-1", "services disable web-1 --dry-run", "buckets list",
			"objects get us-east-1/acme-backups README.txt -", "api GET /managed/services",
		} {
			r.MustRun(strings.Fields(line)...)
		}
		r.CheckResult(r.Run("status"), exit.CodeProblem, "billing-api")
		r.CheckResult(r.Run("audit"), exit.CodeProblem, "unlimited-key")
		r.CheckResult(r.Run("handover"), exit.CodeFailure, "the handover is incomplete", "HOME is empty")
		if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
			t.Errorf("files in the working folder: %v, %v", left, err)
		}
		t.Setenv("LOOKOUT_TOKEN", "")
		t.Setenv("LOOKOUT_BASE_URL", "")
		r.CheckResult(r.Run("services", "list"), exit.CodeUsage, "HOME is empty", "set HOME, or XDG_CONFIG_HOME")
		r.CheckResult(r.Run("services", "list", "-a", "x"), exit.CodeUsage, "HOME is empty")
	})
	faulttest.RunCase(t, "G4", "no home: what needs no file", func(t *testing.T) {
		r := newSerialEnv(t, emulator.Options{})
		for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
			t.Setenv(name, "")
		}
		xdg.Reload()
		r.MustRun("version")
		r.MustRun("config", "schema")
		r.CheckResult(r.Run("doctor"), exit.CodeUsage, "HOME is empty")
	})
}

// The emulator prints its address, listens on loopback only, prints the injected faults, and ends with its context.
func TestEmulatorsListener(t *testing.T) {
	faulttest.RunCase(t, "H2", "every address is refused", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // refused at once, or served until then
		defer cancel()
		for _, address := range []string{"0.0.0.0:0", "[::]:0", ":0"} {
			if err := runEmulator(ctx, address, emulator.Options{Token: "t", Seed: "empty"}, nil); err == nil ||
				!strings.Contains(err.Error(), "loopback") {
				t.Errorf("%s: %v", address, err)
			}
		}
	})
	faulttest.RunCase(t, "H6", "emulate reports the faults that it serves", func(t *testing.T) {
		e := startEmulator(t, "GET /managed/* status=503")
		if line, err := e.stderr.ReadString('\n'); err != nil || line != "injected fault: GET /managed/* status=503\n" {
			t.Errorf("%q, %v", line, err)
		}
		if status, err := e.get("t"); status != http.StatusServiceUnavailable {
			t.Errorf("%s answers %d, %v", e.base, status, err)
		}
	})
	faulttest.RunCase(t, "H2", "its own token, until it ends", func(t *testing.T) {
		e := startEmulator(t)
		if !strings.HasPrefix(e.base, "http://127.0.0.1:") {
			t.Errorf("it listens on %s", e.base)
		}
		for token, want := range map[string]int{"t": http.StatusOK, "other": http.StatusUnauthorized} {
			if status, err := e.get(token); status != want {
				t.Errorf("with the token %q it answers %d, %v", token, status, err)
			}
		}
		e.end()
		if status, err := e.get("t"); err == nil {
			t.Errorf("after its end it answers %d", status)
		}
	})
}

// A servedEmulator is an emulator as the command runs it, with what it prints.
type servedEmulator struct {
	base   string
	stderr *bufio.Reader
	end    func() // ends it and waits until it has ended
}

// startEmulator serves an empty account until the test ends.
func startEmulator(t *testing.T, faults ...string) servedEmulator {
	t.Helper()
	read := func(stream **os.File) *bufio.Reader {
		before := *stream
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		*stream = w
		t.Cleanup(func() { *stream = before; r.Close(); w.Close() })
		return bufio.NewReader(r)
	}
	out, told := read(&os.Stdout), read(&os.Stderr)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = runEmulator(ctx, "127.0.0.1:0", emulator.Options{Token: "t", Seed: "empty"}, faults)
	}()
	end := func() { cancel(); <-ended }
	t.Cleanup(end)
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return servedEmulator{strings.TrimSpace(strings.TrimPrefix(line, "listening on ")), told, end}
}

// get reads the services with a token.
func (e servedEmulator) get(token string) (status int, err error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, e.base+"/managed/services", nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, res.Body.Close()
}

// Data of one account is not shown in another.
func TestAccountsAreApart(t *testing.T) {
	t.Parallel()
	faulttest.RunCase(t, "G3", "journals", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{})
		r.Setenv("LOOKOUT_BASE_URL", "")
		r.WriteConfig(
			strings.ReplaceAll(
				"[accounts.a]\nbase_url = \"BASE\"\n[accounts.b]\nbase_url = \"BASE\"\n", "BASE", r.Base,
			),
		)
		r.MustRun("services", "disable", "4", "-a", "a")
		if mine := r.MustRun("journal", "-a", "a"); !strings.Contains(mine.Out, "disable service") {
			t.Errorf("%s", mine.Out)
		}
		if other := r.MustRun("journal", "-a", "b"); strings.Contains(other.Out, "disable") {
			t.Errorf("%s", other.Out)
		}
	})
	for name, content := range map[string]string{
		"torn":            "{\"intent\":{\"id\":\"1\"",
		"another format":  "SQLite format 3\x00",
		"another version": "{\"v\":9,\"entries\":[]}\n",
		"empty":           "",
		"NULs":            strings.Repeat("\x00", 1<<20),
	} {
		faulttest.RunCase(t, "G3", "a journal that is "+name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			path := filepath.Join(r.Home, "state", "lookout", "account.journal")
			r.Write(path, content)
			r.MustRun("services", "disable", "4")
			if s := r.MustRun("journal"); !strings.Contains(s.Out, "disable service") {
				t.Errorf("%s%s", s.Out, s.Err)
			}
			data, err := os.ReadFile(path + ".000001") // a large file is kept under another name
			if err != nil {
				data, err = os.ReadFile(path)
			}
			if err != nil || !strings.HasPrefix(string(data), content) {
				t.Errorf("the old file is gone: %v", err)
			}
		})
	}
}

// A server that repeats the token in a long text does not get it printed, even where the text is cut.
func TestErrors_doNotPrintPartOfAToken(t *testing.T) {
	t.Parallel()
	answers := map[string]func(http.ResponseWriter, string){
		"title": func(w http.ResponseWriter, token string) {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, "<html><title>Proxy refused Bearer %s</title></html>", token)
		},
		"content type": func(w http.ResponseWriter, token string) {
			w.Header().Set("Content-Type", token)
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, "no")
		},
		"redirect": func(w http.ResponseWriter, token string) {
			w.Header().Set("Location", "https://"+strings.Repeat("long.", 14)+token+".example/")
			w.WriteHeader(http.StatusFound)
		},
	}
	for name, answer := range answers {
		faulttest.RunCase(t, "F15", name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				answer(w, strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer "))
			}))
			t.Cleanup(server.Close)
			r.Setenv("LOOKOUT_BASE_URL", server.URL+"/v4")
			s := r.Run("services", "list")
			if r.checkNoToken(s); s.Code == exit.CodeOK ||
				!strings.Contains(s.Err, "(403, ") && !strings.Contains(s.Err, "redirects") {
				t.Errorf("%d: %s", s.Code, s.Err)
			}
		})
	}
}

// unreadableFiles are what may stand in place of a file and can never be read to its end.
var unreadableFiles = map[string]func(path string) error{
	"a pipe":   makeFIFO,
	"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
	"a device": func(path string) error { return os.Symlink("/dev/zero", path) },
}

var saysNotRegular = regexp.MustCompile(`is\s+(not\s+a\s+regular\s+file|a\s+directory)`)

// Anything but a regular file in place of the configuration is refused at once by every command: reading a pipe would
// wait for a writer, and a device has no end.
func TestConfiguration_onlyRegularFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such files")
	}
	commands := []string{"doctor", "services list", "config show", "accounts list", "accounts remove x", "", "keep"}
	for name, place := range unreadableFiles {
		for _, command := range commands {
			t.Run(command+", "+name, func(t *testing.T) {
				r := newTestEnv(t, emulator.Options{})
				path := filepath.Join(t.TempDir(), "config.toml")
				if err := place(path); err != nil {
					t.Skipf("this system cannot create it: %v", err)
				}
				for _, how := range []string{"--config", "LOOKOUT_CONFIG"} {
					args := strings.Fields(command)
					if how == "--config" {
						args = append(args, how, path)
					} else {
						r.Setenv(how, path)
					}
					s := r.runWithin(args...)
					if s.Code == exit.CodeOK || !saysNotRegular.MatchString(s.Out+s.Err) {
						t.Errorf("%s: exit code %d\n%s%s", how, s.Code, s.Out, s.Err)
					}
				}
			})
		}
	}
}

// A log goes to a pipe that a program reads. A pipe without a reader is refused at once: opening it would wait for one.
func TestLogs_pipes(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	path := filepath.Join(t.TempDir(), "log")
	if err := makeFIFO(path); err != nil {
		t.Skipf("this system cannot create it: %v", err)
	}
	r.CheckResult(
		r.runWithin("services", "list", "--debug="+path), exit.CodeUsage, path+" is a pipe that no program reads",
	)
	reader, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	r.CheckResult(r.runWithin("services", "get", "4", "--debug="+path), exit.CodeOK)
	first := make([]byte, 6)
	if _, err := io.ReadFull(reader, first); err != nil || string(first) != "#1 > G" {
		t.Errorf("the pipe has %q, %v", first, err)
	}
}

// A log holds names and notes of an account: it is a file of the user's own that nobody else can read, and no link to
// one. Devices are taken as they are.
func TestLogs_private(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	folder := t.TempDir()
	log, link, dangling := filepath.Join(folder, "log"), filepath.Join(folder, "link"), filepath.Join(folder, "none")
	r.Write(log, "older line\n")
	if err := errors.Join(os.Chmod(log, 0o644), os.Symlink(log, link), os.Symlink(log+"2", dangling)); err != nil {
		t.Skip(err)
	}
	r.CheckResult(r.Run("services", "list", "--debug="+link), exit.CodeUsage, link+" is a link; name the file itself")
	r.CheckResult(r.Run("services", "list", "--debug="+dangling), exit.CodeUsage, dangling+" is a link")
	data, err := os.ReadFile(log)
	if _, made := os.Stat(log + "2"); made == nil || err != nil || string(data) != "older line\n" {
		t.Errorf("a link was followed: %q, %v", data, err)
	}
	r.CheckResult(r.Run("services", "get", "4", "--debug="+log), exit.CodeOK)
	info, err := os.Stat(log)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the log has the mode %v, %v", info.Mode(), err)
	}
	if data, err := os.ReadFile(log); err != nil || !strings.HasPrefix(string(data), "older line\n#1 > GET") {
		t.Errorf("%q, %v", data, err)
	}
	r.CheckResult(r.Run("services", "get", "4", "--debug="+os.DevNull), exit.CodeOK)
	if os.Geteuid() == 0 {
		if err := os.Chown(log, 12345, 12345); err != nil {
			t.Skip(err)
		}
		r.CheckResult(r.Run("services", "list", "--debug="+log), exit.CodeUsage, "belongs to another user")
	}
	for name, path := range map[string]string{"a link": link, "a link to nothing": dangling} {
		if file, err := config.AppendPrivateFile(path); err == nil {
			file.Close()
			t.Errorf("the dashboard's log is %s", name)
		}
	}
}

// runWithin runs a command line that must not hang.
func (r *testEnv) runWithin(args ...string) testenv.CommandResult {
	r.Helper()
	done := make(chan testenv.CommandResult, 1)
	go func() { done <- r.Run(args...) }()
	select {
	case s := <-done:
		return s
	case <-time.After(20 * time.Second):
		r.Fatalf("lookout %s hangs", strings.Join(args, " "))
		return testenv.CommandResult{}
	}
}
