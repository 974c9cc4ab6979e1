//go:build unix

package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/optest"
	"lookout/cmd/internal/testenv"
)

// Secrets that commands send, beside the token.
const (
	canaryUser     = "canary-user-7d1e93"
	canaryPassword = `canary"pass<word>&9b2c`
)

// A secretSearch looks for secrets in texts, in every form in which a program may write them.
type secretSearch []string

func (c *secretSearch) add(secrets ...string) {
	for _, s := range secrets {
		quoted, _ := json.Marshal(s)
		*c = append(
			*c, s, strings.Trim(string(quoted), `"`), url.QueryEscape(s), url.PathEscape(s),
			hex.EncodeToString([]byte(s)), base64.StdEncoding.EncodeToString([]byte(s)),
			base64.URLEncoding.EncodeToString([]byte(s)),
		)
	}
}

// requireAbsent fails if a text holds a secret.
func (c secretSearch) requireAbsent(t *testing.T, where, text string) {
	t.Helper()
	for _, form := range c {
		if i := strings.Index(text, form); i >= 0 {
			t.Errorf("a secret in %s: …%.200q", where, text[max(0, i-100):])
			return
		}
	}
	if testenv.LeaksToken(text) {
		t.Errorf("the token in %s: %.2000q", where, text)
	}
}

// Every operation of the API is run once by the real program in a terminal, with the log of all requests. The token, a
// user name, passwords, a private key, a new key's secret and signatures of links reach only the API, and what the
// command is for: not the terminal, the log, the journal, another file, or the programs that lookout starts.
func TestSecrets_everyOperationInATerminal(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	files, programs := testenv.WriteCertificate(t, "cdn.acme.net"), t.TempDir()
	r.Write(filepath.Join(files, "password"), canaryPassword)
	command, started := filepath.Join(programs, "tokens"), filepath.Join(programs, "started")
	testenv.WriteProgram(t, command, "#!/bin/sh\n{ echo \"$@\"; env | grep -v ^LOOKOUT_TEST_ARGS=; } >>"+started+"\n"+
		"echo "+testenv.Canary+"\n")
	r.Setenv("LOOKOUT_TOKEN", "")
	r.Setenv("LOOKOUT_BASE_URL", "")
	r.WriteConfig("account = \"own\"\n[accounts.own]\nbase_url = \"" + r.Base + "\"\n" +
		"token_command = [\"" + command + "\"]\n")
	privateKey, err := os.ReadFile(filepath.Join(files, "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	secrets := secretSearch{}
	secrets.add(canaryUser, canaryPassword)
	secrets.add(strings.Split(strings.TrimSpace(string(privateKey)), "\n")[1:3]...)
	n := 0
	run := func(o optest.Operation, line string) {
		if n++; !faulttest.InSample(3, n) {
			return
		}
		faulttest.RunCase(t, "F5", "in a terminal, "+o.Name, func(t *testing.T) {
			before := r.API.RequestCount(o.Name)
			debug := filepath.Join(r.Home, "debug.log")
			p := r.startPty(t, line+" --debug="+debug)
			p.startReading()
			code := p.waitExit()
			if code != 0 || r.API.RequestCount(o.Name) == before {
				t.Errorf("%s: exit code %d: %s", line, code, p.output())
			}
			written, signature := p.output(), regexp.MustCompile(`Signature=([^&\s]+)`).FindStringSubmatch(p.output())
			if o.Name == "create object URL" {
				if signature == nil {
					t.Fatalf("no link: %s", p.output())
				}
				secrets.add(signature[1])
				written = ""
			}
			if o.Name == "create key" {
				secret, err := os.ReadFile(filepath.Join(files, "secret"))
				if err != nil {
					t.Fatal(err)
				}
				secrets.add(strings.TrimSpace(string(secret)))
			}
			secrets.requireAbsent(t, "the terminal", written)
			requests, err := os.ReadFile(debug)
			if err != nil || !strings.Contains(string(requests), o.Method) {
				t.Errorf("%s is not in the log: %.300s, %v", o.Method, requests, err)
			}
			secrets.requireAbsent(t, "a file", r.ReadTree(r.Home))
			noted, err := os.ReadFile(started)
			if err != nil || !strings.Contains(string(noted), "HOME="+r.Home) {
				t.Errorf("no token was asked for: %.300s, %v", noted, err)
			}
			secrets.requireAbsent(t, "a program that lookout starts", string(noted))
		})
	}
	values := map[string]string{
		"username": canaryUser, "password-file": files + "/password", "certificate": files + "/cert.pem",
		"key": files + "/key.pem",
	}
	for _, o := range optest.Documented() {
		line := o.Line(values) + " --yes=own"
		switch {
		case o.Name == "view object ACL":
			line = "api GET " + o.Example() + " --field name=README.txt"
		case o.Method == http.MethodGet:
			line = "api GET " + o.Example()
		case o.Name == "create key":
			line += " --secret-file " + files + "/secret"
		}
		run(o, line)
	}
}
