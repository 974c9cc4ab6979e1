package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/cmd/internal/testenv"
)

// A trouble is a way to get one message of docs/troubleshooting.md. Without prepare and args it is that of
// "services list" alone.
type trouble struct {
	prepare func(*testEnv)
	args    string
	options emulator.Options
	long    bool // takes a minute
}

// answers makes the account answer all requests of a method in the same way.
func answers(method string, status int, contentType, body string) func(*testEnv) {
	return func(r *testEnv) {
		r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
			if req.Method != method {
				return false
			}
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return true
		})
	}
}

// refusesChanges makes the account refuse all changes. Reads would be repeated, which takes seconds.
func refusesChanges(status int, reason string) func(*testEnv) {
	return answers(http.MethodPost, status, "application/json", fmt.Sprintf(`{"errors": [{"reason": %q}]}`, reason))
}

// servedWith uses a server whose certificate is for a name, from a time on for 90 days.
func servedWith(name string, from time.Time) func(*testEnv) {
	return func(r *testEnv) {
		dir := testenv.WriteCertificateAt(r.T, name, from)
		pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
		if err != nil {
			r.Fatal(err)
		}
		server := httptest.NewUnstartedServer(nil)
		server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		r.Cleanup(server.Close)
		r.Setenv("LOOKOUT_BASE_URL", strings.Replace(server.URL, "127.0.0.1", "localhost", 1)+"/v4")
	}
}

// configured uses the account of a configuration in place of the variables.
func configured(block string) func(*testEnv) {
	return func(r *testEnv) {
		r.Setenv("LOOKOUT_BASE_URL", "")
		r.WriteConfig("[accounts.production]\nbase_url = \"" + r.Base + "\"\n" + block)
	}
}

// variable sets an environment variable.
func variable(name, value string) func(*testEnv) { return func(r *testEnv) { r.Setenv(name, value) } }

// troubles returns how to get each message.
func troubles() map[string]trouble {
	return map[string]trouble{
		"no account is configured":                       {prepare: variable("LOOKOUT_BASE_URL", "")},
		`the configuration has no account "…"; it has …`: {prepare: configured(""), args: "services list -a prod"},
		"unknown key; did you mean …?":                   {prepare: configured("protcted = true\n")},
		"the base URL must begin with https://": {
			prepare: variable("LOOKOUT_BASE_URL", "http://api.example.com/v4"),
		},
		"not an API response (…); check the base URL, which ends in /v4, and the proxy if you use one": {
			prepare: answers(http.MethodGet, http.StatusOK, "text/html", "<title>Log in</title>"),
		},
		"there is no token": {prepare: variable("LOOKOUT_TOKEN", "")},
		"token file: others can read it (mode …)": {
			prepare: func(r *testEnv) {
				r.Write(filepath.Join(r.Home, "token"), testenv.Canary)
				if err := os.Chmod(filepath.Join(r.Home, "token"), 0o644); err != nil {
					r.Fatal(err)
				}
			},
			args: "services list --token-file HOME/token",
		},
		"token_command …: exit status …; run token_command in a shell to see what it needs": {
			prepare: func(r *testEnv) {
				r.Setenv("LOOKOUT_TOKEN", "")
				configured(fmt.Sprintf("token_command = [%q, \"-no-such-flag\"]\n", os.Args[0]))(r)
			},
		},
		"the token is not accepted (401)": {prepare: variable("LOOKOUT_TOKEN", "revoked")},
		"the token lacks the scope …":     {options: emulator.Options{Scopes: "object_storage:read_only"}},
		"(403); ask for an unrestricted user of the account, and check that Managed is enabled on it": {
			options: emulator.Options{RestrictedUser: true},
		},
		"cannot reach … (connection refused)": {
			prepare: variable("LOOKOUT_BASE_URL", "http://127.0.0.1:1/v4"),
			args:    "api POST /managed/services/4/enable",
		},
		"cannot reach … (no such host)": {
			prepare: variable("LOOKOUT_BASE_URL", "https://no..such.host/v4"),
		},
		"cannot reach … (its certificate is signed by an unknown authority)": {prepare: func(r *testEnv) {
			server := httptest.NewTLSServer(nil)
			r.Cleanup(server.Close)
			r.Setenv("LOOKOUT_BASE_URL", server.URL+"/v4")
		}},
		"its certificate has expired or is not valid yet; is this machine's clock right?": {
			prepare: servedWith("localhost", time.Now().AddDate(-1, 0, 0)),
		},
		"cannot reach … (its certificate is for another host)": {prepare: servedWith("other.example", time.Now())},
		"… did not answer in time": {
			prepare: func(r *testEnv) {
				r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
					if req.Method == http.MethodPost {
						<-req.Context().Done()
					}
					return req.Method == http.MethodPost
				})
			},
			args: "services disable web-1",
			long: true,
		},
		"cannot reach … (the server does not speak TLS)": {prepare: func(r *testEnv) {
			r.Setenv("LOOKOUT_BASE_URL", strings.Replace(r.Base, "http:", "https:", 1))
		}},
		"(429); try again …": {
			prepare: refusesChanges(http.StatusTooManyRequests, "Too many requests"),
			args:    "services disable web-1",
		},
		"(503)": {
			prepare: refusesChanges(http.StatusServiceUnavailable, "In maintenance"),
			args:    "services disable web-1",
		},
		"read-only mode; nothing was changed": {
			args: "services disable web-1 --read-only",
		},
		"the outcome is unknown; …; not seen yet; it may still take effect": {
			prepare: func(r *testEnv) {
				r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
					if req.Method == http.MethodPost {
						panic(http.ErrAbortHandler)
					}
					return false
				})
			},
			args: "services disable web-1",
		},
		"cannot record it in the journal, so it was not sent": {
			prepare: func(r *testEnv) { r.Write(filepath.Join(r.Home, "state", "lookout"), "a file\n") },
			args:    "services disable web-1",
		},
		"lookout needs a terminal, but standard input or output is not a terminal": {args: "--linear"},
	}
}

// Each message on the page of troubleshooting is one that lookout prints, and each way to get one has a place there.
func TestTroubleshooting_messagesAreReal(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(testenv.RepoRoot(t), "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	left := troubles()
	for i, heading := range regexp.MustCompile("(?m)^### `(.+)`$").FindAllStringSubmatch(string(data), -1) {
		message := heading[1]
		way, known := left[message]
		if !known {
			t.Errorf("no way to get %q", message)
			continue
		}
		delete(left, message)
		t.Run(fmt.Sprint(i), func(t *testing.T) { // paths in messages have the name of the test
			if way.long && os.Getenv("LOOKOUT_LONG") == "" {
				t.Skip("LOOKOUT_LONG=1 waits for it")
			}
			r := newTestEnv(t, way.options)
			if way.prepare != nil {
				way.prepare(r)
			}
			args := strings.Fields("services list")
			if way.args != "" {
				args = strings.Fields(strings.ReplaceAll(way.args, "HOME", r.Home))
			}
			s := r.Run(args...)
			pattern := strings.ReplaceAll(regexp.QuoteMeta(message), "…", ".+")
			if s.Code == 0 || !regexp.MustCompile(pattern).MatchString(s.Err) {
				t.Errorf("%s: lookout %s: exit code %d: %s", message, strings.Join(args, " "), s.Code, s.Err)
			}
		})
	}
	for message := range left {
		t.Errorf("the page does not explain %q", message)
	}
}
