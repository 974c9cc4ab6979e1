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
	"slices"
	"strings"
	"testing"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
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

// changeLines returns a command line for each operation that changes something. files is a folder with the secrets
// that commands read.
func changeLines(files string) map[string]string {
	const bucket, object = testenv.Bucket, testenv.Bucket + " README.txt"
	login := " --username " + canaryUser + " --password-file " + files + "/password"
	pair := files + "/cert.pem " + files + "/key.pem"
	return map[string]string{
		"create contact":        "contacts create --name Eve --email e@acme.net",
		"update contact":        "contacts update 11 --group night",
		"delete contact":        "contacts delete 12 --yes",
		"create credential":     "credentials create db9" + login,
		"update credential":     "credentials rename 31 new",
		"change login":          "credentials login 31" + login,
		"delete credential":     "credentials delete 32 --yes",
		"update SSH settings":   "ssh deny db1",
		"create service":        "services create --label new --address https://example.com",
		"update service":        "services update web-1 --timeout 77",
		"disable service":       "services disable web-1",
		"enable service":        "services enable billing-cron",
		"delete service":        "services delete edge-router --yes",
		"create bucket":         "buckets create us-east-1/fresh",
		"modify access":         "buckets access " + bucket + " --acl private",
		"update access":         "buckets access " + bucket + " --acl private --cors=false",
		"delete bucket":         "buckets delete ap-south-1/scratch --yes",
		"update object ACL":     "objects acl " + object + " public-read --yes",
		"create object URL":     "objects link " + object,
		"upload certificate":    "certificates upload us-east-1/cdn.acme.net " + pair,
		"delete certificate":    "certificates delete us-east-1/cdn.acme.net --yes",
		"create key":            "keys create night --unlimited --yes --secret-file " + files + "/secret",
		"update key":            "keys rename finance new",
		"revoke key":            "keys revoke ada --yes",
		"cancel Object Storage": "storage cancel --yes=own",
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
	changes := changeLines(files)
	n := 0
	run := func(o client.DocumentedOperation, line string) {
		if n++; !faulttest.InSample(3, n) {
			return
		}
		faulttest.RunCase(t, "F5", "in a terminal, "+o.Op, func(t *testing.T) {
			before := r.API.RequestCount(o.Op)
			debug := filepath.Join(r.Home, "debug.log")
			p := r.startPty(t, line+" --debug="+debug)
			p.startReading()
			code := p.waitExit()
			if code != 0 || r.API.RequestCount(o.Op) == before {
				t.Errorf("%s: exit code %d: %s", line, code, p.output())
			}
			written, signature := p.output(), regexp.MustCompile(`Signature=([^&\s]+)`).FindStringSubmatch(p.output())
			if o.Op == "create object URL" {
				if signature == nil {
					t.Fatalf("no link: %s", p.output())
				}
				secrets.add(signature[1])
				written = ""
			}
			if o.Op == "create key" {
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
	paths := strings.NewReplacer("CLUSTER", "us-east-1", "BUCKET", "cdn.acme.net", "contacts/ID", "contacts/11",
		"credentials/ID", "credentials/31", "settings/ID", "settings/70001", "issues/ID", "issues/823",
		"services/ID", "services/1", "keys/ID", "keys/"+r.FindID("keys", "finance"), "tickets/ID", "tickets/48213")
	served := slices.DeleteFunc(client.Operations(), func(o client.DocumentedOperation) bool {
		return !r.API.Serves(o.Op)
	})
	for _, o := range served {
		if o.Method == http.MethodGet {
			path := paths.Replace(o.Path)
			if o.Op == "view object ACL" {
				path += " --field name=index.html"
			}
			run(o, "api GET "+path)
		}
	}
	for _, o := range served {
		if line := changes[o.Op]; o.Method != http.MethodGet && o.Op != "cancel Object Storage" {
			if line == "" {
				t.Errorf("there is no command line for %s", o.Op)
			}
			run(o, line)
		}
	}
	cancellation := client.DocumentedOperation{Op: "cancel Object Storage", Method: http.MethodPost}
	run(cancellation, changes["cancel Object Storage"])
}
