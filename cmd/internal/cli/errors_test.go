package cli

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
)

// nestedColon returns the part of an error after its second colon that separates two parts of it; "" if there is none.
// Colons in quotation marks do not count, and neither do those of positions in files, of addresses and of times.
func nestedColon(text string) string {
	text = strings.TrimPrefix(text, "lookout: ")
	text = regexp.MustCompile(`"(\\"|[^"])*"`).ReplaceAllString(text, "QUOTED")
	text = regexp.MustCompile(`^\S+:\d+:\d+: `).ReplaceAllString(text, "")
	_, rest, _ := strings.Cut(text, ": ")
	_, rest, _ = strings.Cut(rest, ": ")
	return rest
}

// checkErrors reports errors of a command line that have nested colons, and one that fails in silence.
func (r *testEnv) checkErrors(input string, args ...string) {
	r.Helper()
	s := r.RunWithInput(input, args...)
	switch {
	case s.Code == exit.CodeOK:
		r.Errorf("%q does not fail", args)
	case s.Err == "":
		r.Errorf("%q fails in silence", args)
	}
	for line := range strings.Lines(s.Err) {
		if rest := nestedColon(line); rest != "" {
			r.Errorf("%q: %s", args, line)
		}
	}
}

// An error has at most one colon between its parts: what failed, and why. The next step follows a semicolon.
func TestErrors_withoutNestedColons(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	missing := filepath.Join(r.Home, "missing", "file")
	var waits sync.WaitGroup
	waits.Go(func() {
		r.checkErrors("", strings.Fields("services wait 4 --for disabled --timeout 1s --interval 1s")...)
	})
	defer waits.Wait()
	for _, line := range []string{
		"nosuch", "services nosuch", "services list --nosuch", "services list -o yaml", "services list extra",
		"services list --columns nope", "services list --sort nope", "services list --limit x",
		"services list --limit 99999999999999999999", "services get", "services get 999", "services get web",
		"services get 99999999999999999999", "services create", "services create --label x --address y",
		"services create --label xyz --type foo --address bar", "services update 4 --timeout 0",
		"services create --label xyz --type url --address http://x.y --timeout abc",
		"services update 4", "services update 4 --address=", "services delete 4", "services disable 4 --for x",
		"services disable 4 --for 25:61", "services disable 999", "services disable 4 --read-only",
		"services wait 4 --for x", "services wait 4 --timeout x", "services wait 4 --interval 1ms",
		"services list -a nope",
		"services list --token-env NOPE", "services list --token-file " + missing, "services list --token-file .",
		"services list --config " + missing, "services list --config .", "services list --debug=" + missing,
		"services list --base-url ftp://x", "services list --base-url https://u:p@x/v4",
		"services list --base-url http://example.com/v4", "services list --base-url :::",
		"contacts create --name Eve", "contacts delete nobody",
		"contacts create --name Eve --email y", "contacts update 11 --email y", "credentials get 999",
		"credentials create db --password-file " + missing, "ssh get 1", "ssh update 70003 --port 0",
		"ssh update 70003 --ip x", "buckets get nope", "buckets get us-east-1/nope", "buckets create x",
		"buckets create us-east-1/X_Y", "buckets create nope/xyz", "buckets delete us-east-1/acme-backups --yes",
		"buckets access us-east-1/acme-backups --acl nope", "buckets delete us-east-1/acme-backups",
		"objects list nope",
		"objects list us-east-1/nope", "objects get us-east-1/acme-backups nope " + missing,
		"objects get us-east-1/acme-backups README.txt " + missing, "objects put us-east-1/acme-backups x " + missing,
		"objects rm us-east-1/acme-backups README.txt", "objects link us-east-1/acme-backups README.txt --for x",
		"objects link us-east-1/acme-backups README.txt --method FOO", "objects acl us-east-1/acme-backups nope",
		"keys create", "keys create xyz", "keys create xyz --bucket a:b:c", "keys create xyz --bucket us-east-1/x:all",
		"keys revoke 9999 --yes", "keys create xyz --nothing --secret-file " + missing,
		"certificates get us-east-1/nope",
		"certificates upload us-east-1/acme-www --cert " + missing + " --key " + missing, "journal list --since x",
		"journal get 99", "handover --since x", "audit --ignore x", "api GET", "api GET /nope",
		"api GET /managed/services?%zz", "api GET /managed/services --input x", "api POST /managed/services --paginate",
		"api POST /managed/services --input " + missing, "api POST /managed/services --input .",
		"api POST /managed/services --field x", "api POST /managed/credentials --field password=x",
		"api POST /managed/services --field label=x", "api GET /managed/services/4 --paginate",
		"api DELETE /managed/services/4", "api GET /managed/services/%2e%2e", "accounts add", "accounts check nope",
		"accounts token nope", "accounts rename x y", "accounts remove x", "config nope", "config validate " + missing,
		"config show x", "doctor x", "watch x", "keep --unit=x", "emulate --fault x",
		"emulate --fault status=9999", "emulate --listen 8.8.8.8:80", "emulate --listen x", "emulate --seed x",
		"emulate --service x", "demo --refresh 1s", "demo --refresh x", "demo --service x", "demo", "", "help nope",
		"completion nope", "completion bash x", "version x", "services list --read-only=x",
	} {
		r.checkErrors("", strings.Fields(line)...)
	}
	for _, expression := range []string{
		".[", ".a", "foo", "$x", "input", "@foo", "label $f | break $g", `"abc`, `import "a" as a; .`, ".[]|tonumber",
		`.[]|error("a: b: c")`, "error", "error({a:1})", ".[0]|halt_error", ".[0]|keys|.a", `.[0].label|test("[")`,
		".[] | .label + 1", ". / 2", ".[0].label|fromjson", `.[0].label|strptime("%Y")`, `"x: y"|fromjson`, `"a: b"|.x`,
		`.[:"a"]`, "implode", "{} | has(0)", `getpath(["a",0,"b"])`, `[[1,"x: y, z w, 1 2 3 4 5 6 7 8 9"]]|@csv`,
		`"a: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"|.x`, `{"a: b":1}|tonumber`, "splits(1)",
	} {
		r.checkErrors("", "services", "list", "-o", "json", "--jq", expression)
	}
	for _, input := range []string{"", "[1]", "{", "null"} {
		r.checkErrors(input, "api", "POST", "/managed/services", "--input", "-")
	}
}

// What the service or the way to it does wrong is reported with one colon, too.
func TestErrors_ofTheService(t *testing.T) {
	t.Parallel()
	answers := map[string]http.HandlerFunc{
		"reasons": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write(
				[]byte(`{"errors":[{"field":"a.b","reason":"x: y: z"},{"reason":"c"},{"field":"d","reason":"e"}]}`),
			)
		},
		"no token": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"no scope": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-OAuth-Scopes", "account:read_only")
			w.Header().Set("X-Accepted-OAuth-Scopes", "account:read_write")
			w.WriteHeader(http.StatusUnauthorized)
		},
		"forbidden": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"a page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte("<html><title>Login: here: now</title></html>"))
		},
		"a page that fails": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
		},
		"another kind": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`[1,2]`)) },
		"other types": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"data":[{"id":"x: y"}],"page":1,"pages":1,"results":1}`))
		},
		"no rows":  func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"data":null}`)) },
		"not JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"a`)) },
		"a redirect": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://x/")
			w.WriteHeader(302)
		},
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
				if req.Method == http.MethodGet && req.URL.Path == "/v4/managed/services/4" {
					return false
				}
				answer(w, req)
				return true
			})
			for _, line := range []string{
				"services list", "contacts get 11", "services disable 4", "buckets create us-east-1/xyz", "audit",
				"status", "objects link us-east-1/acme-backups x", "objects list us-east-1/acme-backups",
				"api GET /managed/contacts",
				"keys create xyz --nothing", "handover",
			} {
				s := r.Run(strings.Fields(line)...)
				for said := range strings.Lines(s.Err) {
					if nestedColon(said) != "" {
						t.Errorf("%s: %s", line, said)
					}
				}
			}
		})
	}
}

// So are changes that do not reach the service, and those whose answer is lost. Reads would be repeated, which takes
// seconds.
func TestErrors_ofTheConnection(t *testing.T) {
	t.Parallel()
	lost := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"id": 1`))
		panic(http.ErrAbortHandler)
	}
	fails := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	for name, answer := range map[string]http.HandlerFunc{"lost": lost, "cut": cut, "fails": fails} {
		t.Run(name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
				if req.Method == http.MethodGet {
					return false
				}
				answer(w, req)
				return true
			})
			for _, line := range []string{
				"services disable 4", "services create --label xyz --type url --address https://x.example",
				"services update 4 --timeout 9", "services delete 4 --yes", "contacts delete 11 --yes",
				"buckets create us-east-1/xyz", "buckets access us-east-1/acme-backups --acl private --yes",
				"keys create xyz --nothing", "keys revoke 301 --yes", "objects link us-east-1/acme-backups README.txt",
				"api POST /managed/services/4/disable", "api DELETE /managed/contacts/11",
			} {
				s := r.Run(strings.Fields(line)...)
				for said := range strings.Lines(s.Err) {
					if nestedColon(said) != "" {
						t.Errorf("%s: %s", line, said)
					}
				}
				if s.Code == exit.CodeOK || s.Err == "" {
					t.Errorf("%s: exit code %d", line, s.Code)
				}
			}
		})
	}
	r := newTestEnv(t, emulator.Options{})
	for _, address := range []string{
		"http://127.0.0.1:1/v4", "https://no..such.host/v4", strings.Replace(r.Base, "http:", "https:", 1),
	} {
		r.checkErrors("", "api", "POST", "/managed/services/4/disable", "--base-url", address)
	}
	for _, from := range []time.Time{time.Now(), time.Now().AddDate(-1, 0, 0)} {
		for _, name := range []string{"localhost", "other.example"} {
			servedWith(r, name, from)
			r.checkErrors("", "api", "POST", "/managed/services/4/disable")
		}
	}
}

// So are mistakes in the configuration, and places of a token that do not work.
func TestErrors_ofTheConfiguration(t *testing.T) {
	for name, block := range map[string]string{
		"program that fails":  `token_command = ["sh", "-c", "echo 'oh: no: it' >&2; exit 3"]`,
		"program that is not": `token_command = ["no-such-program"]`,
		"no output":           `token_command = ["true"]`,
		"no file":             `token_file = "/dev/null/x"`,
		"a folder":            `token_file = "/"`,
		"keyring":             `keyring = true`,
		"linode-cli":          `linode_cli = "me"`,
		"variable":            `token_env = "NOPE"`,
		"relative file":       `token_file = "x"`,
		"two places":          "token_env = \"X\"\nkeyring = true",
		"token":               `token = "x"`,
		"misspelt":            `protcted = true`,
		"wrong type":          `protected = "yes"`,
		"wrong choice":        `color = "purple"`,
		"wrong syntax":        `protected = yes`,
		"no value":            `protected =`,
		"twice":               "protected = true\nprotected = false",
		"open text":           `color = "red`,
		"time limit":          `token_timeout = "1h"`,
		"word":                `word = "PROD"`,
		"tables": "[keys]\nx = 1\n\"services.x\" = [\"ctrl+c\", \"nokey\"]\n[themes.x]\nbase = 1\nfoo = \"bar\"\n" +
			"[columns]\nservices = [\"nope\"]\nfoo = 1\n[[commands]]\nkey = \"x\"\nfoo = 1\noutput = \"z\"\n" +
			"name = \"a.b\"\n" +
			"[[commands]]\npane = \"nope\"\nkey = \"x\"\nname = \"n\"\ncommand = [\"a\"]",
		"commands": "commands = 1",
		"top":      "[x]\ny = 1",
	} {
		t.Run(name, func(t *testing.T) {
			r := newSerialEnv(t, emulator.Options{})
			keyring.MockInit()
			r.Setenv("LOOKOUT_BASE_URL", "")
			r.Setenv("LOOKOUT_TOKEN", "")
			r.WriteConfig("refresh = \"x\"\n[accounts.main]\nbase_url = \"" + r.Base + "\"\n" + block + "\n")
			for _, line := range []string{"services list", "config validate", "accounts list", "accounts check"} {
				s := r.Run(strings.Fields(line)...)
				for said := range strings.Lines(s.Err) {
					if nestedColon(said) != "" {
						t.Errorf("%s: %s", line, said)
					}
				}
			}
		})
	}
}

// A value that is impossible whatever the account holds is refused before anything is read or printed.
func TestImpossibleValuesAreRefusedFirst(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	var reads atomic.Int32
	r.Intercept(func(http.ResponseWriter, *http.Request) bool {
		reads.Add(1)
		return false
	})
	for line, want := range map[string]string{
		"services list --filter colour:red":                         "unknown column",
		"services list --filter timeout:>abc":                       "compare with a number",
		"audit --filter state:bad":                                  "this column has ok, found",
		"audit --filter state:>5":                                   "this column has ok, found",
		"status --limit -1":                                         "use 0 (all) or more",
		"services list --columns colour":                            "unknown column",
		"services list --sort -colour":                              "unknown column",
		"services update web-1 --timeout abc":                       "enter a number from 1 to 255",
		"services update web-1 --timeout 999":                       "enter a number from 1 to 255",
		"services update web-1 --type ftp":                          "use url or tcp",
		"services create --label abc --address a.b:1 --timeout abc": "enter a number from 1 to 255",
		"services disable web-1 --for sometime":                     "unknown time",
		"services wait web-1 --for broken":                          "use ok or disabled",
		"services wait web-1 --interval 0s":                         "use at least 1s",
		"issues wait --timeout -1s":                                 "use 0s or more",
		"ssh set db1 --port 99999":                                  "enter a number from 1 to 65535",
		"buckets access us-east-1/acme-www --acl secret":            "use private",
		"objects link us-east-1/acme-www x --for 1m":                "from 6m to 24h",
		"objects du us-east-1/acme-www --depth -1":                  "use 0 or more",
	} {
		s := r.Run(strings.Fields(line)...)
		if s.Code != exit.CodeUsage || !strings.Contains(s.Err, want) || s.Out != "" || reads.Swap(0) != 0 {
			t.Errorf("%s: code %d, %q, %q", line, s.Code, s.Out, s.Err)
		}
	}
	// the service may have a status that the document lacks, and numbers for labels: that is known once the rows are
	// read, and nothing is printed then either
	for _, filter := range []string{"label:>5", "status:purple", "status:>5"} {
		for _, format := range output.Formats {
			s := r.Run("services", "list", "--filter", filter, "-o", format)
			if s.Code != exit.CodeUsage || s.Out != "" {
				t.Errorf("%s, %s: code %d, %q", filter, format, s.Code, s.Out)
			}
		}
	}
}
