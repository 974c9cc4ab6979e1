package cli

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/setup"
	"lookout/cmd/internal/testenv"
)

// doctorCase is something that is wrong, and what doctor must say about it: the check, its state, and parts of the text
// and of the next step.
type doctorCase struct {
	name              string
	arrange           func(*testEnv) []string // returns further arguments
	check, state      string
	text, next        string
	emulator          emulator.Options
	withoutHomeFolder bool
}

// checkDoctor runs doctor and looks for a finding. Whatever it found, each line that is not ok has one next step, and
// nothing in the report is a secret or names the home folder.
func checkDoctor(t *testing.T, c doctorCase) {
	r := newSerialEnv(t, c.emulator)
	var args []string
	if c.arrange != nil {
		args = c.arrange(r)
	}
	s := r.Run(append([]string{"doctor", "--json"}, args...)...)
	var report struct{ Findings []setup.Diagnosis }
	if err := json.Unmarshal([]byte(s.Out), &report); err != nil {
		t.Fatalf("%v\n%s%s", err, s.Out, s.Err)
	}
	found := false
	for _, f := range report.Findings {
		same := f.Check == c.check && string(f.State) == c.state
		found = found || same && strings.Contains(f.Text, c.text) && strings.Contains(f.Next, c.next)
		trouble := f.State != "ok" && f.State != "skipped"
		if trouble && f.Next == "" || strings.Contains(f.Next, "\n") {
			t.Errorf("%s %s: %q has not one next step: %q", f.Check, f.State, f.Text, f.Next)
		}
	}
	text := r.Run(append([]string{"doctor"}, args...)...)
	if !found {
		t.Errorf("want %s %s: %q, next %q; got:\n%s", c.state, c.check, c.text, c.next, text.Out)
	}
	for _, said := range []string{s.Out + s.Err, text.Out + text.Err} {
		if testenv.LeaksToken(said) || strings.Contains(said, pastedToken) || strings.Contains(said, "hunter2") {
			t.Errorf("a secret is in the report:\n%s", said)
		}
		if !c.withoutHomeFolder && strings.Contains(said, r.Home+"/") {
			t.Errorf("the home folder is in the report:\n%s", said)
		}
	}
}

// pastedToken is a token as the provider's are, where none belongs.
const pastedToken = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// Twenty and more broken configurations: doctor reports each with its line, and with the next step. Those that it only
// warns of are cosmetic, and keep nothing from starting.
func TestDoctor_brokenConfigurations(t *testing.T) {
	const account = "[accounts.prod]\nbase_url = \"https://api.linode.com/v4\"\n"
	const command = "[[commands]]\npane = \"services\"\nkey = \"x\"\n"
	for text, c := range map[string]doctorCase{
		"theme = \n":            {state: "failed", text: "config.toml:1:"},
		"\ufefftheme = \"x\"\n": {text: `config.toml:1:1: theme: unknown theme "x"`}, // the mark is no mistake
		"\xff\xfet\x00":         {state: "failed", text: "config.toml:1:1: the file is UTF-16 text; save it as UTF-8"},
		"# caf\xe9\n":           {state: "failed", text: "config.toml:1:6: invalid UTF-8 character in comment"},
		"=\n":                   {state: "failed", text: "config.toml:1:1: invalid character at start of key"},
		account + "base_url = \"https://x/v4\"\n": {state: "failed", text: "config.toml:3:1: "},
		"[accounts.a]\nbase_url = \"api.linode.com\"\n": {
			state: "failed", text: "config.toml:2:1: accounts.a.base_url: the base URL is not a valid URL",
		},
		"[accounts.a]\nbase_url = \"https://ada:hunter2@x/v4\"\n": {
			state: "failed", text: "config.toml:2:1: accounts.a.base_url: the base URL must not contain a user name",
		},
		account + "token_command = \"pass show linode\"\n": {
			state: "failed", text: "config.toml:3:1: accounts.prod.token_command: expected a list of strings, such as",
		},
		"[accounts.a\n":       {state: "failed", text: "config.toml:1:"},
		account + account:     {state: "failed", text: "config.toml:3:"},
		"theme = \"pink\"\n":  {text: `config.toml:1:1: theme: unknown theme "pink" (use auto`},
		"refesh = \"20s\"\n":  {text: `config.toml:1:1: refesh: unknown key; did you mean "refresh"?`},
		"theme = \"lihgt\"\n": {text: `, mono); did you mean "light"?`},
		"[themes.mine]\nbase = \"drak\"\n": {
			text: `config.toml:2:1: themes.mine.base: "drak" is not one of dark, light, contrast, contrast-light, ` +
				`colorblind, colorblind-light, mono; did you mean "dark"?`,
		},
		"[accounts.a]\nbase_url = \"https://api.linode.com\"\n": {
			text: "config.toml:2:1: accounts.a.base_url: the API address does not end in a version; append /v4",
		},
		"nonsense = 1\n":     {text: "config.toml:1:1: nonsense: unknown key; remove it"},
		"refresh = \"1s\"\n": {text: "config.toml:1:1: refresh: \"1s\" is not a duration of at least 5s"},
		"ascii = 5\n":        {text: "config.toml:1:1: ascii: expected true or false"},
		"account = \"b\"\n" + account: {
			state: "failed", text: `config.toml:1:1: account: there is no account "b"; the accounts are prod`,
		},
		"read_only = true\n" + account: {
			state: "failed", text: "config.toml:1:1: read_only: unknown key; it belongs in",
		},
		account + "protectd = true\n": {
			state: "failed", text: `config.toml:3:1: accounts.prod.protectd: unknown key; did`,
		},
		account + "protected = \"yes\"\n": {
			state: "failed", text: "config.toml:3:1: accounts.prod.protected: expected true or false",
		},
		"[accounts.a]\ncolor = \"red\"\n": {
			state: "failed", text: "config.toml:1:11: accounts.a: base_url is missing; add",
		},
		"[accounts.a]\nbase_url = \"http://x/v4\"\n": {
			state: "failed", text: "config.toml:2:1: accounts.a.base_url: ",
		},
		account + "dialect = \"other\"\n":    {state: "failed", text: "config.toml:3:1: accounts.prod.dialect: "},
		account + "token_file = \"token\"\n": {state: "failed", text: "is a relative path; begin it with / or ~/"},
		account + "token_env = \"A\"\nkeyring = true\n": {
			state: "failed", text: "config.toml:4:1: accounts.prod.keyring: token_env is set too; keep one",
		},
		account + "token_env = \"" + pastedToken + "\"\n": {
			state: "failed", text: "config.toml:3:1: accounts.prod.token_env: this looks like a token",
		},
		account + "token_file = \"" + pastedToken + "\"\n": {state: "failed", text: "this looks like a token"},
		account + "token = \"hunter2-hunter2\"\n": {
			text: "a token is never in this file; lookout accounts token",
		},
		account + "token_timeout = \"1h\"\n": {text: "config.toml:3:1: accounts.prod.token_timeout: "},
		account + "color = \"pinkish\"\n":    {text: "config.toml:3:1: accounts.prod.color: "},
		account + "word = \"prod\"\n":        {text: "config.toml:3:1: accounts.prod.word: "},
		"notify = [\"bell\", \"horn\"]\n":    {text: "config.toml:1:19: notify: "},
		"[accounts.\"a/b\"]\nbase_url = \"https://x/v4\"\n": {
			state: "failed", text: "config.toml:1:11: accounts.a/b: an account's name has only letters",
		},
		"[themes.mine]\nbad = \"pinkish\"\n": {text: "config.toml:2:1: themes.mine.bad: "},
		"[themes.dark]\nbad = \"red\"\n": {
			text: "config.toml:1:9: themes.dark: a custom theme cannot have",
		},
		"[columns]\nservices = [\"label\", \"nothing\"]\n": {
			text: `config.toml:2:22: columns.services: unknown column`,
		},
		"[columns]\nservers = [\"state\"]\n": {
			text: "config.toml:2:1: columns.servers: unknown list (use",
		},
		"[keys]\n\"services.disabel\" = [\"x\"]\n": {
			text: `config.toml:2:1: keys."services.disabel": unknown action`,
		},
		"[keys]\n\"services.disable\" = [\"d\", \"ctlr+x\"]\n": {
			text: `config.toml:2:28: keys.services.disable: "ctlr+x" is not a key; use a character`,
		},
		"[keys]\n\"services.disable\" = [\"ctrl+c\"]\n": {
			text: "config.toml:2:23: keys.services.disable: ctrl+c always ends lookout; choose another key",
		},
		command + "name = \"enable\"\ncommand = [\"x\"]\n": {
			text: `config.toml:4:1: commands.name: services already has an action "enable"; choose another name`,
		},
		command + "name = \"run\"\ncommand = [\"x\", \"{nothing}\"]\n": {
			text: "config.toml:5:1: commands.command: unknown placeholder {nothing}; use {id}, {label}, {status}",
		},
		command + "name = \"run\"\ncommand = \"x {label}\"\n": {
			text: "config.toml:5:1: commands.command: expected a list of strings",
		},
		command + "name = \"run\"\n": {text: "config.toml:1:3: commands.command: it is missing; add command = "},
		command + "name = \"run\"\ncommand = [\"x\"]\nharmles = true\n": {
			text: "config.toml:6:1: commands.harmles: unknown key; use pane, key, name, command, output, harmless; " +
				`did you mean "harmless"?`,
		},
		command + "name = \"run\"\ncommand = [\"x\"]\n[[commands]]\npane = \"servers\"\nkey = \"x\"\nname = \"a\"\n" +
			"command = [\"x\"]\n": {text: `config.toml:7:1: commands.pane: unknown list "servers"; use`},
		strings.Replace(command, `"x"`, `"d"`, 1) + "name = \"run\"\ncommand = [\"x\"]\n": {
			text: `config.toml:1:1: keys: the key "d" is bound twice in services: to "disable" and to "run"`,
		},
		"[keys]\ndisable = [\"d\"]\n": {text: "config.toml:2:1: keys.disable: expected PANE.ACTION"},
		"[keys]\n\n\"services.disable\" = [\"e\"]\n": {
			text: `config.toml:3:1: keys: the key "e" is bound twice in services: to "disable" and to "edit"`,
		},
	} {
		t.Run(fmt.Sprintf("%.60q", text), func(t *testing.T) {
			c.check, c.next = "configuration", fmt.Sprintf("lookout config edit, line %s", lineOf(c.text))
			c.state = cmp.Or(c.state, "warning")
			c.arrange = func(r *testEnv) []string { r.WriteConfig(text); return nil }
			checkDoctor(t, c)
			r, code := newSerialEnv(t, emulator.Options{}), exit.CodeOK
			r.WriteConfig(text)
			if c.state == "failed" {
				code = exit.CodeUsage
			}
			r.CheckResult(r.Run("services", "list"), code)
		})
	}
}

// lineOf returns the line in "config.toml:3:1: …"; "" if there is none.
func lineOf(text string) string {
	if parts := strings.Split(text, ":"); strings.HasSuffix(parts[0], "config.toml") {
		return parts[1]
	}
	return ""
}

// Twenty and more kinds of trouble: doctor reports each with the next step.
func TestDoctor_everyKindOfTrouble(t *testing.T) {
	for _, c := range slices.Concat(accountTroubles(), connectionTroubles(), tokenTroubles(), machineTroubles()) {
		t.Run(c.name, func(t *testing.T) { checkDoctor(t, c) })
	}
}

// setenv returns an arrangement that sets a variable.
func setenv(name, value string) func(*testEnv) []string {
	return func(r *testEnv) []string {
		r.Setenv(name, value)
		return nil
	}
}

// withAccount returns an arrangement with one account that has further lines in its block, and no token elsewhere.
func withAccount(lines string) func(*testEnv) []string {
	return func(r *testEnv) []string {
		r.Setenv("LOOKOUT_TOKEN", "")
		r.WriteConfig("[accounts.prod]\nbase_url = \"" + r.Base + "\"\n" + strings.ReplaceAll(lines, "HOME", r.Home))
		return nil
	}
}

func accountTroubles() []doctorCase {
	several := "[accounts.a]\nbase_url = \"https://x/v4\"\n[accounts.b]\nbase_url = \"https://x/v4\"\n"
	return []doctorCase{
		{name: "no account", arrange: setenv("LOOKOUT_BASE_URL", ""), check: "account", state: "failed",
			text: "no account is configured", next: "lookout accounts add"},
		{name: "several accounts", arrange: func(r *testEnv) []string {
			r.Setenv("LOOKOUT_BASE_URL", "")
			r.WriteConfig(several)
			return nil
		}, check: "token", state: "failed", text: "there is no token", next: "lookout accounts token stores one"},
		{name: "unknown account", arrange: func(r *testEnv) []string {
			r.WriteConfig(several)
			return []string{"-a", "c"}
		}, check: "account", state: "failed", text: `no account "c"`, next: "it has a, b"},
		{name: "read-only variable", arrange: setenv("LOOKOUT_READ_ONLY", "maybe"), check: "account", state: "failed",
			text: "neither true nor false", next: "set it to one of them"},
		{name: "configuration that is not there", arrange: setenv("LOOKOUT_CONFIG", "/nonexistent/config.toml"),
			check: "configuration", state: "failed", text: "no such file", next: "lookout config init"},
		{name: "configuration that others change", arrange: func(r *testEnv) []string {
			r.chmod(r.WriteConfig(""), 0o666)
			return nil
		}, check: "configuration", state: "failed", text: "anybody can change it", next: "chmod o-w ~/config"},
		{name: "folder instead of a configuration", arrange: configurationAs(func(_ *testEnv, path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		}), check: "configuration", state: "failed", text: "config.toml (is a directory)",
			next: "move that folder away"},
		{name: "configuration that cannot be read", arrange: configurationAs(func(r *testEnv, path string) error {
			if os.Geteuid() == 0 {
				r.Skip("root reads everything")
			}
			return os.Chmod(path, 0)
		}), check: "configuration", state: "failed", text: "config.toml (permission denied)",
			next: "make ~/config/lookout/config.toml readable by you"},
		{name: "empty configuration", arrange: func(r *testEnv) []string {
			r.Setenv("LOOKOUT_BASE_URL", "")
			r.WriteConfig("")
			return nil
		}, check: "account", state: "failed", text: "no account is configured", next: "lookout accounts add"},
		{name: "mistake that hides the account", arrange: func(r *testEnv) []string {
			r.Setenv("LOOKOUT_BASE_URL", "")
			r.WriteConfig("[accounts.prod]\nbase_url = \"api.linode.com\"\n")
			return nil
		}, check: "account", state: "skipped", text: "the configuration has mistakes"},
		{name: "mistake that hides the token", arrange: withAccount("token_command = \"pass show linode\"\n"),
			check: "token", state: "skipped", text: "the configuration has mistakes"},
		{name: "nothing listens", arrange: setenv("LOOKOUT_BASE_URL", "http://127.0.0.1:1/v4"), check: "address",
			state: "failed", text: "connection refused", next: "check the address"},
		{name: "no TLS", arrange: func(r *testEnv) []string {
			r.Setenv("LOOKOUT_BASE_URL", strings.Replace(r.Base, "http:", "https:", 1))
			return nil
		}, check: "address", state: "failed", text: "does not speak TLS", next: "check the address"},
		{name: "address without TLS", arrange: setenv("LOOKOUT_BASE_URL", "http://example.com/v4"), check: "address",
			state: "failed", text: "https://", next: "correct base_url"},
		{name: "not the API", arrange: func(r *testEnv) []string {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, "<html>it works</html>")
			}))
			r.Cleanup(server.Close)
			r.Setenv("LOOKOUT_BASE_URL", server.URL+"/v4")
			return nil
		}, check: "scopes", state: "failed", text: "not an API response", next: "check the base URL"},
		{name: "redirect", arrange: func(r *testEnv) []string {
			r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
				http.Redirect(w, req, "https://elsewhere.example/", http.StatusFound)
				return true
			})
			return nil
		}, check: "scopes", state: "failed", text: "redirects", next: "check the base URL"},
		{name: "clock", arrange: func(r *testEnv) []string {
			r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
				return false
			})
			return nil
		}, check: "clock", state: "warning", text: "off by 1h0m", next: "set the clock"},
	}
}

// configurationAs returns an arrangement that changes the file of the configuration.
func configurationAs(change func(r *testEnv, path string) error) func(*testEnv) []string {
	return func(r *testEnv) []string {
		path := r.WriteConfig("theme = \"dark\"\n")
		if err := change(r, path); err != nil {
			r.Fatal(err)
		}
		return nil
	}
}

func connectionTroubles() []doctorCase {
	return []doctorCase{
		{name: "unknown host", arrange: setenv("LOOKOUT_BASE_URL", "https://no..such.host/v4"), check: "address",
			state: "failed", text: "cannot reach no..such.host (no such host)",
			next: "correct the name in the address"},
		{name: "certificate of an unknown authority", arrange: func(r *testEnv) []string {
			return servedWith(r, "localhost", time.Now())
		}, check: "address", state: "failed", text: "(its certificate is signed by an unknown authority)",
			next: "trusted certificates, or to the file in SSL_CERT_FILE"},
		{name: "certificate of another host", arrange: func(r *testEnv) []string {
			return servedWith(r, "other.example", time.Now())
		}, check: "address", state: "failed", text: "(its certificate is for another host)",
			next: "use an address that the certificate covers"},
		{name: "expired certificate", arrange: func(r *testEnv) []string {
			return servedWith(r, "localhost", time.Now().AddDate(-1, 0, 0))
		}, check: "address", state: "failed", text: "(its certificate has expired or is not valid yet",
			next: "set the clock"},
		{name: "proxy that is no address", arrange: setenv("HTTP_PROXY", "http://%zz"), check: "proxy",
			state: "warning", text: "HTTP_PROXY is not a valid address, and is ignored", next: "correct the variable"},
		{name: "too many requests", arrange: func(r *testEnv) []string {
			r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Retry-After", "60")
				w.WriteHeader(http.StatusTooManyRequests)
				return true
			})
			return nil
		}, check: "scopes", state: "failed", text: "429 Too Many", next: "run lookout doctor again in 1m0s"},
		{name: "server that fails", arrange: func(r *testEnv) []string {
			r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusNotImplemented) // is not read again, as 503 is after seconds
				return true
			})
			return nil
		}, check: "scopes", state: "failed", text: "501 Not Implemented", next: "run lookout doctor again later"},
	}
}

// servedWith points the environment at a server whose certificate is for a name, from a time on for 90 days.
func servedWith(r *testEnv, name string, from time.Time) []string {
	dir := testenv.WriteCertificateAt(r.T, name, from)
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	if err != nil {
		r.Fatal(err)
	}
	server := httptest.NewUnstartedServer(r.API)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	r.Cleanup(server.Close)
	r.Setenv("LOOKOUT_BASE_URL", strings.Replace(server.URL, "127.0.0.1", "localhost", 1)+"/v4")
	return nil
}

func tokenTroubles() []doctorCase {
	file := func(mode os.FileMode, text string) func(*testEnv) []string {
		return func(r *testEnv) []string {
			withAccount("token_file = \"HOME/token\"\n")(r)
			r.Write(filepath.Join(r.Home, "token"), text)
			r.chmod(filepath.Join(r.Home, "token"), mode)
			return nil
		}
	}
	return []doctorCase{
		{name: "no token", arrange: setenv("LOOKOUT_TOKEN", ""), check: "token", state: "failed",
			text: "there is no token", next: "lookout accounts token"},
		{name: "wrong token", arrange: setenv("LOOKOUT_TOKEN", "hunter2-hunter2"), check: "scopes", state: "failed",
			text: "not accepted (401)", next: "put a valid token into $LOOKOUT_TOKEN"},
		{name: "token in two lines", arrange: setenv("LOOKOUT_TOKEN", "hunter2-\nhunter2"), check: "token",
			state: "failed", text: "line breaks", next: "put a valid token into $LOOKOUT_TOKEN"},
		{name: "token command without output", arrange: withAccount("token_command = [\"true\"]\n"), check: "token",
			state: "failed", text: "token_command true: it printed nothing", next: "in a shell"},
		{name: "token command with two lines", arrange: withAccount(
			"token_command = [\"printf\", \"hunter2\\\\nuser: ada\\\\n\"]\n",
		), check: "token", state: "failed", text: "it printed several lines", next: "head -n 1"},
		{name: "token file that is a folder", arrange: withAccount("token_file = \"HOME\"\n"), check: "token",
			state: "failed", text: "is not a regular file", next: "name the file itself"},
		{name: "wrong token in a file", arrange: file(0o600, "hunter2"), check: "scopes", state: "failed",
			text: "not accepted (401)", next: "lookout accounts token prod stores another one"},
		{name: "keyring that is locked", arrange: func(r *testEnv) []string {
			keyring.MockInitWithError(errors.New("the collection is locked"))
			return withAccount("keyring = true\n")(r)
		}, check: "token", state: "failed", text: "it cannot be used (the collection is locked)",
			next: "start or unlock it; lookout accounts token prod --store file needs none"},
		{name: "no token file", arrange: withAccount("token_file = \"HOME/nowhere\"\n"), check: "token",
			state: "failed", text: "no such file", next: "correct its path"},
		{name: "token file that others read", arrange: file(0o644, testenv.Canary), check: "token", state: "failed",
			text: "others can read it (mode 0644)", next: "chmod 600 ~/token"},
		{name: "empty token file", arrange: file(0o600, "\n"), check: "token", state: "failed", text: "is empty",
			next: "write the token to it"},
		{name: "token command that is not there", arrange: withAccount("token_command = [\"nosuchprogram\"]\n"),
			check: "token", state: "failed", text: "nosuchprogram: there is no such", next: "install it"},
		{name: "token command that is no program", arrange: withAccount("token_command = [\"HOME\"]\n"),
			check: "token", state: "failed", text: "it cannot be executed", next: "chmod +x"},
		{name: "token command that fails", arrange: withAccount(
			`token_command = ["sh", "-c", "echo 'gpg: \u001b[31mfailed\n at ` + pastedToken + `' >&2; exit 3"]` + "\n",
		), check: "token", state: "failed", text: `exit status 3; it wrote "gpg:`,
			next: "run token_command in a shell"},
		{name: "token command that waits", arrange: withAccount(
			"token_command = [\"sleep\", \"600\"]\ntoken_timeout = \"1s\"\n",
		), check: "token", state: "failed", text: "did not end within 1s", next: "token_timeout"},
		{name: "empty variable", arrange: withAccount("token_env = \"NO_SUCH_TOKEN\"\n"), check: "token",
			state: "failed", text: "NO_SUCH_TOKEN is empty", next: "set it to the token"},
		{name: "empty keyring", arrange: withAccount("keyring = true\n"), check: "token", state: "failed",
			text: "no token for prod", next: "lookout accounts token prod"},
		{name: "no linode-cli", arrange: withAccount("linode_cli = \"ops\"\n"), check: "token", state: "failed",
			text: "linode-cli: there is no ~/linode-cli", next: "run linode-cli configure"},
		{name: "restricted user", emulator: emulator.Options{RestrictedUser: true}, check: "panes", state: "warning",
			text: "cannot be read: services, issues, contacts, credentials, ssh, stats", next: "unrestricted user"},
		{name: "half a token", emulator: emulator.Options{Scopes: "account:read_only"}, check: "panes",
			state: "warning", text: "cannot be read: buckets, objects, keys",
			next: "use a token with object_storage:read_only"},
		{name: "pane that fails", arrange: func(r *testEnv) []string {
			r.API.InjectFault("list keys", emulator.Fault{Status: 501, Body: "{}", Times: 1000})
			return nil
		}, check: "panes", state: "unknown", text: "not known: keys", next: "again later"},
	}
}

func machineTroubles() []doctorCase {
	return []doctorCase{
		{name: "no home", arrange: func(r *testEnv) []string {
			r.Setenv("HOME", "")
			r.Setenv("XDG_CONFIG_HOME", "")
			r.Setenv("XDG_STATE_HOME", "")
			return nil
		}, check: "configuration", state: "failed", text: "HOME is empty", next: "set HOME", withoutHomeFolder: true},
		{name: "open state folder", arrange: func(r *testEnv) []string {
			r.Write(r.journalPath(), "")
			r.chmod(filepath.Dir(r.journalPath()), 0o755)
			return nil
		}, check: "state folder", state: "warning", text: "mode 0755", next: "chmod 700 ~/state/lookout"},
		{name: "state folder that is a file", arrange: func(r *testEnv) []string {
			r.Write(filepath.Join(r.Home, "state", "lookout"), "")
			return nil
		}, check: "state folder", state: "failed", text: "~/state/lookout is not a folder: no change can be recorded",
			next: "move that file away"},
		{name: "state folder in a file", arrange: func(r *testEnv) []string {
			r.Write(filepath.Join(r.Home, "state"), "")
			return nil
		}, check: "state folder", state: "failed", text: "(not a directory): no change can be recorded",
			next: "folders"},
		{name: "state folder that is a link", arrange: func(r *testEnv) []string {
			r.Write(filepath.Join(r.Home, "elsewhere", "x"), "")
			r.Write(filepath.Join(r.Home, "state", "x"), "")
			if err := os.Symlink(filepath.Join(r.Home, "elsewhere"), filepath.Dir(r.journalPath())); err != nil {
				r.Skip(err)
			}
			return nil
		}, check: "state folder", state: "failed", text: "is a symbolic link", next: "put the folder itself there"},
		{name: "folders that cannot be written", arrange: func(r *testEnv) []string {
			if os.Geteuid() == 0 {
				r.Skip("root writes everywhere")
			}
			r.Write(r.journalPath(), "")
			r.chmod(filepath.Dir(r.journalPath()), 0o500)
			return nil
		}, check: "state folder", state: "failed", text: "~/state/lookout (permission denied): no change can be",
			next: "make ~/state/lookout writable by you"},
		{name: "folders that cannot be made", arrange: func(r *testEnv) []string {
			if os.Geteuid() == 0 {
				r.Skip("root writes everywhere")
			}
			r.chmod(r.Home, 0o500)
			return nil
		}, check: "config folder", state: "warning", text: "(permission denied): lookout cannot change",
			next: "writable by you"},
		{name: "state that is not understood", arrange: func(r *testEnv) []string {
			r.Write(r.journalPath(), "")
			r.Write(strings.TrimSuffix(r.journalPath(), ".journal")+".state", `{"version": 99}`)
			return nil
		}, check: "state file", state: "warning", text: "version 99 is not known", next: "the dashboard sets it aside"},
		{name: "torn state", arrange: func(r *testEnv) []string {
			r.Write(r.journalPath(), "")
			r.Write(strings.TrimSuffix(r.journalPath(), ".journal")+".state", `{"vers`)
			return nil
		}, check: "state file", state: "warning", text: "is not understood (", next: "the dashboard sets it aside"},
		{name: "torn journal", arrange: func(r *testEnv) []string {
			r.Write(r.journalPath(), "torn\n")
			return nil
		}, check: "journal", state: "warning", text: "1 unreadable lines", next: "look at ~/state"},
		{name: "journal that is a folder", arrange: func(r *testEnv) []string {
			if err := os.MkdirAll(r.journalPath(), 0o700); err != nil {
				r.Fatal(err)
			}
			return nil
		}, check: "journal", state: "failed", text: "", next: "readable and writable"},
		{name: "no clipboard", arrange: setenv("PATH", "/nonexistent"), check: "clipboard", state: "warning",
			text: "no command for the system's clipboard", next: "install"},
		{name: "clipboard over ssh", arrange: setenv("SSH_CONNECTION", "1 2 3 4"), check: "clipboard",
			state: "unknown", text: "over ssh", next: "allow OSC 52"},
		{name: "clipboard of a strange tmux", arrange: func(r *testEnv) []string {
			r.Setenv("TMUX", "/nonexistent/socket,1,0")
			r.Setenv("PATH", "/nonexistent")
			return nil
		}, check: "clipboard", state: "unknown", text: "tmux", next: "set -g set-clipboard on"},
		{name: "clipboard through tmux", arrange: fakeTmux("tmux 3.2"), check: "clipboard", state: "unknown",
			text: "through tmux 3.2", next: "paste it"},
		{name: "clipboard through a development version of tmux", arrange: fakeTmux("tmux next-3.5"),
			check: "clipboard", state: "unknown", text: "through tmux next-3.5", next: "paste it"},
		{name: "clipboard through an older tmux", arrange: fakeTmux("tmux 3.1c"), check: "clipboard",
			state: "warning", text: "tmux keeps", next: "use tmux 3.2 or later"},
		{name: "clipboard that tmux keeps", arrange: fakeTmux("external"), check: "clipboard", state: "warning",
			text: "set-clipboard external", next: "set -g set-clipboard on"},
		{name: "mouse that tmux keeps", arrange: fakeTmux("off"), check: "mouse", state: "warning",
			text: "mouse off", next: "set -g mouse on"},
		{name: "dumb terminal", arrange: setenv("TERM", "dumb"), check: "terminal", state: "warning", text: "TERM=dumb",
			next: "lookout --linear, or set TERM"},
		{name: "locale that is not UTF-8", arrange: setenv("LANG", "C"), check: "terminal", state: "warning",
			text: "the locale is not UTF-8", next: "set LANG to a UTF-8 locale, such as C.UTF-8"},
		{
			name:  "no terminal",
			check: "terminal",
			state: "warning",
			text:  "needs a terminal",
			next:  "lookout services list",
		},
	}
}

// fakeTmux returns an arrangement with a tmux whose options all have one value.
func fakeTmux(value string) func(*testEnv) []string {
	return func(r *testEnv) []string {
		if runtime.GOOS == "windows" {
			r.Skip("no shell scripts")
		}
		path := filepath.Join(r.Home, "bin", "tmux")
		r.Write(path, "#!/bin/sh\necho "+value+"\n")
		r.chmod(path, 0o755)
		r.Setenv("TMUX", "/tmp/tmux,1,0")
		r.Setenv("PATH", filepath.Dir(path)+":"+os.Getenv("PATH"))
		return nil
	}
}

// chmod changes the mode of a file, where files have one, until the test ends.
func (r *testEnv) chmod(path string, mode os.FileMode) {
	r.Helper()
	if runtime.GOOS == "windows" {
		r.Skip("files have no mode")
	}
	r.Cleanup(func() { _ = os.Chmod(path, 0o700) }) // what cannot be written cannot be emptied
	if err := os.Chmod(path, mode); err != nil {
		r.Fatal(err)
	}
}

// What a server says about a pane is shown as everything else is: nothing that looks like a token remains.
func TestDoctor_hidesTokensInThePanes(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	other := strings.Repeat("0123456789abcdef", 4)
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if req.URL.Path != "/v4/managed/contacts" {
			return false
		}
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"errors":[{"reason":"session %s is over"}]}`, other)
		return true
	})
	for _, args := range [][]string{{"doctor"}, {"doctor", "--json"}} {
		s := r.Run(args...)
		if r.CheckResult(s, 0, "••• is over"); strings.Contains(s.Out, other[:20]) {
			t.Errorf("%v:\n%s", args, s.Out)
		}
	}
}

// What hides in a reason of the API is made visible once.
func TestReasons_areMadeVisibleOnce(t *testing.T) {
	for _, c := range []struct{ list, line string }{
		{"list services", "doctor"}, {"list contacts", "doctor"}, {"list services", "accounts check"},
		{"list services", "audit"}, {"list services", "services list"}, {"list services", "handover"},
	} {
		r := newSerialEnv(t, emulator.Options{})
		r.API.InjectFault(c.list, emulator.Fault{
			Status: http.StatusTeapot,
			Body:   `{"errors": [{"reason": "\u001b[31mred"}]}`,
		})
		s := r.Run(strings.Fields(c.line)...)
		if out := s.Out + s.Err; !strings.Contains(out, "‹␛›[31mred") || strings.Contains(out, "‹‹›") {
			t.Errorf("%s, %s: %s", c.list, c.line, out)
		}
	}
}

// An address without the version of the API is reported before the first request, wherever it comes from.
func TestBaseURL_withoutVersion(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	base := strings.TrimSuffix(r.Base, "/v4")
	const problem = "the API address does not end in a version"
	for _, line := range []string{"doctor", "services list", "status"} {
		s := r.Run(append(strings.Fields(line), "--base-url", base)...)
		if out := s.Out + s.Err; s.Code == exit.CodeOK || strings.Count(out, problem) != 1 ||
			!strings.Contains(out, "append /v4") {
			t.Errorf("%s: %d, %s", line, s.Code, out)
		}
	}
	for _, hidden := range []string{"\u00a0", "\u200b", "\ufeff"} {
		r.CheckResult(
			r.Run("services", "list", "--base-url", r.Base+hidden), exit.CodeUsage, "the invisible character U+",
		)
	}
	for _, version := range []string{"/v4", "/v4/", "/v4beta", "/proxy/v5"} {
		if s := r.Run("services", "list", "--base-url", base+version); strings.Contains(s.Err, problem) {
			t.Errorf("%s: %s", version, s.Err)
		}
	}
}

// doctor checks all accounts of the configuration, unless one is chosen, and says which account each finding is about.
func TestDoctor_checksAllAccounts(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	base := r.Base
	r.Setenv("LOOKOUT_BASE_URL", "")
	r.Setenv("LOOKOUT_TOKEN", "")
	r.Setenv("GOOD", testenv.Canary)
	block := func(name, variable string) string {
		return "[accounts." + name + "]\nbase_url = \"" + base + "\"\ntoken_env = \"" + variable + "\"\n"
	}
	r.WriteConfig(block("one", "GOOD") + block("two", "GOOD"))
	r.CheckResult(r.Run("doctor"), exit.CodeOK, "one at "+base, "two at "+base, "failed: 0,")
	r.WriteConfig(block("one", "GOOD") + block("two", "BAD"))
	s := r.Run("doctor", "-o", "json")
	r.CheckResult(s, exit.CodeDenied)
	var report struct {
		Findings []setup.Diagnosis
		Panes    []setup.PanePermissions
	}
	if err := json.Unmarshal([]byte(s.Out), &report); err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, f := range report.Findings {
		states[f.Account+" "+f.Check] = string(f.State)
	}
	for check, want := range map[string]string{
		" configuration": "ok", "one token": "ok", "one scopes": "ok", "one panes": "ok", "two account": "ok",
		"two token": "failed", "two address": "ok", "two scopes": "skipped", " terminal": states[" terminal"],
	} {
		if states[check] != want {
			t.Errorf("%s: %q, want %q", check, states[check], want)
		}
	}
	if len(report.Panes) == 0 || report.Panes[0].Account != "one" {
		t.Errorf("%v", report.Panes)
	}
	if old := r.Run("doctor", "--json"); len(old.Out) < 100 || old.Code != s.Code {
		t.Errorf("--json: %d, %s", old.Code, old.Out)
	}
	r.CheckResult(r.Run("doctor", "-a", "one"), exit.CodeOK, "one at "+base)
	r.WriteConfig("account = \"one\"\n" + block("one", "GOOD") + block("two", "BAD"))
	r.CheckResult(r.Run("doctor"), exit.CodeDenied, "one at "+base, "two at "+base)
	r.CheckResult(r.Run("doctor", "-o", "yaml"), exit.CodeUsage, "text or json")
}
