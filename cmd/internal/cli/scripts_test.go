package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/journal"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/testenv"
)

// failingWriter is a standard output that fails.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// A key whose secret was lost is reported neither as usable nor as not created.
func TestKeysWithoutASecret(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{`"[REDACTED]"`, `""`, "null"} {
		faulttest.RunCase(t, "B6", "keys create, "+secret, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
				if req.Method != http.MethodPost {
					return false
				}
				fmt.Fprintf(
					w, `{"id":42,"label":"x","access_key":"A","secret_key":%s,"limited":false,"bucket_access":null}`,
					secret,
				)
				return true
			})
			file := filepath.Join(r.Home, "secret")
			r.CheckResult(
				r.Run(
					"keys",
					"create",
					"ci1",
					"--nothing",
					"--secret-file",
					file,
				),
				exit.CodeUnknown,
				"x (42) was created",
				"no secret",
				"keys revoke 42",
			)
			r.CheckResult(r.Run("keys", "create", "ci1", "--nothing"), exit.CodeUnknown, "keys revoke 42")
			if _, err := os.Stat(file); err == nil {
				t.Error("an empty file is left")
			}
		})
	}
	faulttest.RunCase(t, "B6", "keys create, the secret cannot be kept", func(t *testing.T) {
		keep, err := reserveSecretFile(filepath.Join(t.TempDir(), "secret"))
		if err != nil {
			t.Fatal(err)
		}
		if err := keep(client.NewSecret("x")); err != nil {
			t.Fatal(err)
		}
		if err := keep(client.NewSecret("y")); err == nil {
			t.Error("a failed write was not reported")
		}
	})
}

// A change that was applied, but whose result cannot be printed, is not reported as failed.
func TestChanges_resultNotPrinted(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for _, c := range []struct {
		args []string
		want []string
	}{
		{
			[]string{"keys", "create", "ci1", "--nothing"},
			[]string{"key ci1 (", "its secret is lost", "keys revoke "},
		},
		{[]string{"services", "disable", "4"}, []string{"service web-1 (4): the change was applied"}},
	} {
		faulttest.RunCase(t, "B4", strings.Join(c.args, " ")+" >/dev/full", func(t *testing.T) {
			var complaints bytes.Buffer
			code := r.runInto(failingWriter{}, &complaints, c.args...)
			(&testenv.Env{T: t}).CheckResult(
				testenv.CommandResult{Code: code, Err: complaints.String()},
				exit.CodeUnknown,
				append(c.want, "no space left")...)
		})
	}
	var complaints bytes.Buffer
	if code := r.runInto(failingWriter{}, &complaints, "services", "get", "4"); code != exit.CodeFailure {
		t.Errorf("exit code %d of a command that only reads", code)
	}
}

// If the answer to a certificate is lost, a script does not claim that it is set: reading tells only that some
// certificate is.
func TestCertificates_lostAnswerIsNotClaimed(t *testing.T) {
	t.Parallel()
	const bucket = "us-east-1/cdn.acme.net"
	dir := testenv.WriteCertificate(t, "cdn.acme.net")
	upload := []string{
		"certificates",
		"upload",
		bucket,
		filepath.Join(dir, "cert.pem"),
		filepath.Join(dir, "key.pem"),
		"--replace",
	}
	for name, c := range map[string]struct {
		fault   emulator.Fault
		blind   bool
		code    int
		outcome string
		says    string
	}{
		"a certificate is set, perhaps another one": {
			emulator.Fault{Status: 502, ApplyFirst: true}, false, exit.CodeUnknown, "unknown",
			"it is unknown whether the new one is set",
		},
		"it was not done yet": {
			emulator.Fault{Status: 502}, false, exit.CodeUnknown, "unknown",
			"it is unknown whether the new one is set",
		},
		"nobody can say which": {
			emulator.Fault{Status: 502, ApplyFirst: true}, true, exit.CodeUnknown, "unknown",
			"it is unknown whether the new one is set",
		},
	} {
		faulttest.RunCase(t, "B2", "certificates upload --replace, "+name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			r.MustRun(upload...)
			r.API.InjectFault("upload certificate", c.fault)
			views := 0
			r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
				if req.Method != http.MethodGet || !strings.HasSuffix(req.URL.Path, "/ssl") {
					return false
				}
				if views++; views > 1 && c.blind {
					w.WriteHeader(http.StatusForbidden)
				}
				return views > 1 && c.blind
			})
			r.CheckResult(r.Run(upload...), c.code, c.says)
			var entries []journalRow
			if err := json.Unmarshal([]byte(r.MustRun("journal", "-o", "json").Out), &entries); err != nil ||
				len(entries) != 3 ||
				string(entries[2].Outcome) != c.outcome {
				t.Errorf("%v, %+v", err, entries)
			}
		})
	}
}

// No subcommand changes a protected account without the account's name. The name of another account is refused.
func TestProtectedAccountsTakeTheirName(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.Setenv("LOOKOUT_BASE_URL", "")
	r.WriteConfig(
		strings.ReplaceAll(
			"account = \"prod\"\n[accounts.prod]\nbase_url = \"BASE\"\nprotected = true\n[accounts.lab]\nbase_url = "+
				"\"BASE\"\n",
			"BASE",
			r.Base,
		),
	)
	for _, line := range changeCases(r) {
		words := strings.Fields(line.line)
		for _, c := range []struct {
			more []string
			says string
		}{
			{nil, "is protected"},
			{[]string{"--yes"}, "is protected, and a plain --yes is not enough; add --yes=prod"},
			{[]string{"--yes=lab"}, "this is account prod"},
		} {
			faulttest.RunCase(
				t,
				"B14",
				strings.Join(append(words[:2:2], c.more...), " ")+" on a protected account",
				func(t *testing.T) {
					(&testenv.Env{T: t}).CheckResult(r.Run(slices.Concat(words, c.more)...), exit.CodeUsage, c.says)
				},
			)
		}
	}
	r.CheckResult(
		r.Run("services", "disable", "web-1", "--yes=prod", "-a", "lab"), exit.CodeUsage, "this is account lab",
	)
	r.CheckResult(r.Run("objects", "acl", testenv.Bucket, "README.txt"), exit.CodeOK) // what reads is not asked about
	if ledger := r.API.Ledger(); len(ledger) != 0 {
		t.Errorf("something was changed: %v", ledger)
	}
	r.MustRun("services", "disable", "web-1", "--yes=prod")
	r.MustRun("services", "delete", "edge-router", "--yes=prod")
	r.MustRun("services", "delete", "web-1", "--yes", "-a", "lab")
}

// A script whose input does not end is ended by a signal.
func TestSignalsEndWhatReadsStandardInput(t *testing.T) {
	faulttest.RunCase(t, "E1", "a script reads standard input", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		in, write := io.Pipe()
		defer write.Close()
		go func() {
			_, _ = write.Write([]byte("x")) // until somebody reads
			cancel(exit.SignalError{Signal: syscall.SIGTERM})
		}()
		_, err := (&scriptSession{in: in}).readSecret(ctx, "", "password")
		if code := exit.CodeFor(err); code != 143 {
			t.Errorf("exit code %d: %v", code, err)
		}
	})
}

// A script that meets a 429 page in HTML ends with code 6 and says when to try again; refusals say what to do next.
func TestScripts_refusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	page := "<html><head><title>429 Too Many Requests</title></head><body>nginx</body></html>"
	for _, c := range []struct {
		name, body string
		status     int
		code       int
		want       []string
	}{
		{"429 page", page, 429, exit.CodeUnavailable, []string{"429 Too Many Requests", "try again in 37s"}},
		{"429 without a body", "", 429, exit.CodeUnavailable, []string{"429 Too Many Requests", "try again in 37s"}},
		{
			"503 with a reason",
			`{"errors":[{"reason":"The database is moving."}]}`,
			503,
			exit.CodeUnknown,
			[]string{`"The database is moving." (503)`, "check whether it was applied"},
		},
		{
			"408",
			"<html><title>408</title></html>",
			408,
			exit.CodeUnknown,
			[]string{"the outcome is unknown", "check whether it was applied"},
		},
		{
			"balance",
			`{"errors":[{"reason":"Your account has a negative balance."}]}`,
			403,
			exit.CodeDenied,
			[]string{"negative balance", "settle the account's balance"},
		},
		{
			"404",
			`{"errors":[{"reason":"Not found"}]}`,
			404,
			exit.CodeNotFound,
			[]string{`"Not found" (404)`, "it may have been deleted"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
				if req.Method != http.MethodPost {
					return false
				}
				w.Header().Set("Retry-After", "37")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
				return true
			})
			r.CheckResult(r.Run("services", "disable", "4"), c.code, c.want...)
		})
	}
}

// A deletion that the API answers with 204 is done: exit code 0.
func TestScripts_204IsDone(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodDelete {
			return false
		}
		w.WriteHeader(http.StatusNoContent)
		return true
	})
	r.CheckResult(r.Run("contacts", "delete", "11", "--yes"), exit.CodeOK)
	r.CheckResult(r.MustRun("journal"), exit.CodeOK, "delete contact", "done")
}

// After {} in answer to an ACL change, scripts read the ACL back, of a bucket and of an object: they report what they
// find, and end with code 5 if it is another one.
func TestScripts_accessIsReadBack(t *testing.T) {
	t.Parallel()
	const differs = `{"acl":"authenticated-read","cors_enabled":false}`
	unreported := emulator.Fault{Status: 200, Body: `{"acl":null,"cors_enabled":null}`}
	for _, c := range []struct {
		name string
		read emulator.Fault
		code int
		want string
	}{
		{"read back", emulator.Fault{}, exit.CodeOK, "public-read"},
		{"another one", emulator.Fault{Status: 200, Body: differs}, exit.CodeUnknown, "shows authenticated-read"},
		{"not readable", emulator.Fault{Status: 404}, exit.CodeOK, "access was set to public-read"},
		{"not reported", unreported, exit.CodeOK, "the API does not report"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			empty := emulator.Fault{Status: 200, Body: "{}", ApplyFirst: true}
			r.API.InjectFault("update object ACL", empty)
			r.API.InjectFault("view object ACL", emulator.Fault{Status: 200, Body: `{"acl":"private"}`, Times: 1})
			if c.read != (emulator.Fault{}) {
				r.API.InjectFault("view access", c.read)
				r.API.InjectFault("view object ACL", c.read)
			}
			const bucket = "us-east-1/acme-www"
			r.CheckResult(r.Run("buckets", "access", bucket, "--acl", "public-read", "--yes"), c.code, c.want)
			r.CheckResult(r.Run("objects", "acl", bucket, "index.html", "public-read", "--yes"), c.code, c.want)
			if n := len(r.API.Ledger()); n != 2 {
				t.Errorf("%d changes", n)
			}
		})
	}
}

// A key whose secret could not be printed is remembered, without the secret, and offered to the next dashboard. One
// whose secret was printed or written to a file is not.
func TestScripts_unseenSecretIsRemembered(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	file := filepath.Join(r.Home, "secret")
	r.MustRun("keys", "create", "seen1", "--nothing")
	r.MustRun("keys", "create", "seen2", "--nothing", "--secret-file", file)
	var complaints bytes.Buffer
	code := r.runInto(failingWriter{}, &complaints, "keys", "create", "lost1", "--nothing")
	if code != exit.CodeUnknown {
		t.Fatalf("exit code %d: %s", code, complaints.String())
	}
	found, err := filepath.Glob(filepath.Join(r.Home, "state", "*", "*.journal"))
	if err != nil || len(found) != 1 {
		t.Fatalf("journals: %v, %v", found, err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil || bytes.Contains(data, []byte("emulated-secret")) {
		t.Fatalf("the journal holds a secret: %v", err)
	}
	j, err := journal.Open(found[0], "", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if unseen := j.KeysWithUnseenSecret(); len(unseen) != 1 || unseen[0].Change.Label != "lost1" {
		t.Errorf("%+v", unseen)
	}
}

// lostCreations are creates of scripts, the same by a colleague, and what is said of that.
var lostCreations = map[string]struct {
	args            []string
	body, identical string // a colleague's
	says            string // of the body
}{
	"contact": {
		[]string{"contacts", "create", "--name", "Zed", "--email", "zed@acme.net"},
		`{"name":"Zed","email":"other@acme.net"}`,
		`{"name":"Zed","email":"zed@acme.net"}`, "email is other@acme.net, not zed@acme.net",
	},
	"service": {
		[]string{"services", "create", "--label", "night", "--address", "https://acme.net"},
		`{"label":"night","service_type":"url","address":"https://acme.net","timeout":30}`,
		`{"label":"night","service_type":"url","address":"https://acme.net","timeout":10}`, "timeout is 30, not 10",
	},
	"key": {
		[]string{"keys", "create", "night", "--nothing"},
		`{"label":"night"}`,
		`{"label":"night","bucket_access":[]}`, "reaches everything, not nothing",
	},
}

// A script whose answer to a create is lost reports on stderr what may be what it made, and how that differs from what
// was sent, at once and with --wait. It never calls a colleague's object its own.
func TestScripts_lostCreateReportsCandidates(t *testing.T) {
	t.Parallel()
	for name, c := range lostCreations {
		for twin, body := range map[string]string{"another": c.body, "identical": c.identical} {
			t.Run(name+", "+twin, func(t *testing.T) {
				r := newTestEnv(t, emulator.Options{})
				r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
					if req.Method != http.MethodPost {
						return false
					}
					theirs := req.Clone(t.Context())
					theirs.Body, theirs.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
					if answer, err := r.API.RoundTrip(theirs); err != nil || answer.StatusCode != http.StatusOK {
						t.Error(err, answer)
					}
					w.WriteHeader(http.StatusGatewayTimeout)
					return true
				})
				result := r.Run(c.args...)
				says := c.says
				if twin == "identical" {
					says = "as it was sent"
				}
				r.CheckResult(
					result,
					exit.CodeUnknown,
					name+" 9",
					says,
					"there is no way to tell whether this command",
				)
				if result.Out != "" {
					t.Errorf("standard output: %q", result.Out)
				}
			})
		}
	}
}

// If the outcome of a change could not be journalled, the program exits with code 5 and says so, whether the change was
// applied or refused.
func TestScripts_outcomeThatIsNotRecorded(t *testing.T) {
	j, err := journal.Open(filepath.Join(t.TempDir(), "a.journal"), "acme", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	l := &lazyJournal{Journal: j}
	id, err := l.RecordIntent(t.Context(), client.Change{Op: client.OpDisableService, ID: "7"})
	if err != nil {
		t.Fatal(err)
	}
	if got := l.outcomeError(nil); got != nil {
		t.Errorf("with all outcomes recorded: %v", got)
	}
	l.close() // from now on nothing can be written
	l.RecordOutcome(id, client.Applied, nil)
	for text, err := range map[string]error{
		"the change was applied, but the outcome of a change could not be written": nil,
		"refused; the outcome of a change could not be written":                    errors.New("refused"),
	} {
		got := l.outcomeError(err)
		if exit.CodeFor(got) != exit.CodeUnknown || !strings.Contains(got.Error(), text) {
			t.Errorf("exit code %d, %v", exit.CodeFor(got), got)
		}
	}
}

// If a listing breaks off, scripts in every format end with the exit code of the failure, after the rows before it.
// JSON is then no valid document.
func TestScripts_listThatBreaksOff(t *testing.T) {
	t.Parallel()
	for _, format := range output.Formats {
		t.Run(format, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{Seed: "large"})
			pages := 0
			r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
				if strings.HasSuffix(req.URL.Path, "/object-list") {
					pages++
				}
				if pages > 2 {
					w.WriteHeader(http.StatusForbidden)
				}
				return pages > 2
			})
			s := r.Run("objects", "list", "us-east-1/million", "-r", "-o", format)
			r.CheckResult(s, exit.CodeDenied, "list objects")
			if !strings.Contains(s.Out, "object-000999") || json.Valid([]byte(s.Out)) {
				t.Errorf("what was read is missing, or it looks complete: %.200s", s.Out)
			}
		})
	}
}

// --dry-run prints every change as the request that the command then sends, and sends nothing itself: no question is
// asked, the journal has no entry, and no secret is printed.
func TestScripts_dryRun(t *testing.T) {
	t.Parallel()
	for i, c := range changeCases(newTestEnv(t, emulator.Options{})) {
		t.Run(c.line, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			line := strings.Fields(changeCases(r)[i].line)
			var lock sync.Mutex
			var sent []dryRunRequest
			r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
				lock.Lock()
				defer lock.Unlock()
				if req.Method != http.MethodGet {
					sent = append(sent, newDryRunRequest(t, req))
				}
				return false
			})
			before := len(r.API.Ledger())
			yes := "--yes"
			if c.named {
				yes = "--yes=account"
			}
			dry := r.MustRun(append(line, yes, "--dry-run")...)
			if len(sent) > 0 || len(r.API.Ledger()) != before {
				t.Errorf("sent %v", sent)
			}
			if got := r.MustRun("journal", "list", "-o", "ndjson").Out; got != "" {
				t.Errorf("the journal holds %s", got)
			}
			if !strings.Contains(dry.Err, "dry run: nothing is sent") || strings.Contains(dry.Out, "PRIVATE") {
				t.Errorf("says %q, %q", dry.Out, dry.Err)
			}
			if s := r.Run(append(line, yes)...); s.Code != exit.CodeOK {
				t.Fatalf("without --dry-run: %d, %s", s.Code, s.Err)
			}
			var printed []string
			for line := range strings.Lines(dry.Out) {
				if strings.Contains(line, " -X ") {
					printed = append(printed, line)
				}
			}
			if len(printed) != len(sent) {
				t.Fatalf("%d requests were sent, and %d printed:\n%s", len(sent), len(printed), dry.Out)
			}
			for i, request := range sent {
				request.check(t, printed[i])
			}
		})
	}
	r := newTestEnv(t, emulator.Options{})
	r.CheckResult(
		r.Run("services", "disable", "web-1", "--dry-run", "--read-only"), exit.CodeDenied, "read-only",
	)
	r.CheckResult(
		r.Run("services", "disable", "web-1", "--for", "tomorrow 02:00-04:00", "--dry-run"), exit.CodeOK,
		"# plan maintenance: it exists only in the journal", "/disable\n", "/enable\n",
	)
}

// A dryRunRequest is a request that a command has sent, to be compared with the one that its dry run printed.
type dryRunRequest struct {
	method, path, contentType string
	body                      []byte
}

// newDryRunRequest returns a request, whose body can still be read.
func newDryRunRequest(t *testing.T, req *http.Request) dryRunRequest {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		t.Error(err)
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	return dryRunRequest{req.Method, req.URL.EscapedPath(), req.Header.Get("Content-Type"), body}
}

// check compares the request with a line of curl. Dots stand for any secret, TYPE for any content type, and NAME for
// the rest of a name.
func (r dryRunRequest) check(t *testing.T, line string) {
	t.Helper()
	if !strings.Contains(line, "-X "+r.method+" ") {
		t.Errorf("%s %s was printed as %s", r.method, r.path, line)
	}
	if !strings.HasPrefix(r.path, "/v4/") {
		kind := strings.Contains(line, "-H 'Content-Type: "+r.contentType+"'") || strings.Contains(line, ": TYPE'")
		if !strings.Contains(line, `"$URL"`) || r.method == http.MethodPut && !kind {
			t.Errorf("%s of %q was printed as %s", r.method, r.contentType, line)
		}
		return
	}
	_, data, _ := strings.Cut(line, "--data '")
	data, _, _ = strings.Cut(data, "' http")
	var want, got map[string]any
	_, _ = json.Unmarshal(r.body, &want), json.Unmarshal([]byte(strings.ReplaceAll(data, `'\''`, "'")), &got)
	for name, value := range got {
		text, _ := value.(string)
		if _, sent := want[name]; sent && (text == "•••" || text == "TYPE") {
			got[name] = want[name]
		} else if start, found := strings.CutSuffix(text, "NAME"); found {
			got[name] = start
		}
	}
	if !strings.Contains(line, r.path) || !reflect.DeepEqual(got, want) {
		t.Errorf("%s %s was printed as %s", r.path, r.body, line)
	}
}

// The dry run of a maintenance window also prints the request that ends it, and when it is sent.
func TestScripts_dryRunOfAWindow(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	end := time.Now().Add(48 * time.Hour).Format(time.RFC3339)
	utc := time.Now().Add(48 * time.Hour).UTC().Format("2006-01-02T15:")
	out := r.MustRun("services", "disable", "web-1", "--for", end, "--dry-run").Out
	_, later, _ := strings.Cut(out, "/managed/services/4/disable\n# sent at "+utc)
	if !strings.Contains(later, "-X POST ") || !strings.HasSuffix(later, "/managed/services/4/enable\n") {
		t.Errorf("%s", out)
	}
	out = r.MustRun("services", "disable", "web-1", "--for", "none", "--dry-run").Out
	if strings.Contains(out, "enable") {
		t.Errorf("without an end: %s", out)
	}
}

// A dry run prints every request of a command that changes several objects.
func TestScripts_dryRunOfSeveralObjects(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	folder := r.writeSite()
	r.MustRun("objects", "sync", folder, testenv.Bucket+"/www")
	emulator.StoreObject(r.API, "us-east-1", "acme-backups", "www/extra", "x")
	r.Write(filepath.Join(folder, "css", "a.css"), "changed")
	r.CheckResult(
		r.Run("objects", "sync", folder, testenv.Bucket+"/www", "--force", "--delete", "--yes", "--dry-run"),
		exit.CodeOK,
		`"name":"www/css/a.css","method":"PUT","expires_in":600,"content_type":"text/css; charset=utf-8"}`,
		"-T "+filepath.Join(folder, "css", "a.css"), `"name":"www/extra","method":"DELETE"`,
	)
	out := r.MustRun("objects", "rm", testenv.Bucket, "www/logs/*.gz", "--yes", "--dry-run").Out
	if n := strings.Count(out, `curl -sS --fail -X DELETE "$URL"`); n != 2 {
		t.Errorf("%d deletions are printed:\n%s", n, out)
	}
}

// A change that is answered 200 with the old row is not called done: the error says what was sent and what came back,
// the old row is not printed as the result.
func TestScripts_oldRowIsNotDone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, says string }{
		{"services update 9 --timeout 99", `sent timeout "99", but the API answered "`},
		{"services disable 9", `sent status "disabled", but the API answered "ok"`},
		{"contacts update 11 --name Else", `sent name "Else", but the API answered "`},
		{"credentials rename db2-root else", `sent label "else", but the API answered "db2-root"`},
		{"keys rename finance else", `sent label "else", but the API answered "finance"`},
		{"ssh deny db1", `sent ssh.access "false", but the API answered "true"`},
		{`api PUT /managed/contacts/11 --input -`, `sent name "Else", but the API answered "`},
	} {
		r := newTestEnv(t, emulator.Options{Seed: "demo"})
		r.API.InjectFault("*", emulator.Fault{OldRow: true, ApplyFirst: true})
		s := r.RunWithInput(`{"name":"Else"}`, strings.Fields(c.line)...)
		r.CheckResult(s, exit.CodeUnknown, c.says)
		if s.Out != "" {
			t.Errorf("%s prints %s", c.line, s.Out)
		}
	}
}

// The printed commands do what they say in a shell, whatever the names hold: curl reads the file itself, so its size
// does not matter, and neither shell nor curl takes a part of the name for a pattern, a flag or standard input.
func TestScripts_dryRunCurlRuns(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("needs curl")
	}
	r := newSerialEnv(t, emulator.Options{})
	t.Chdir(r.Home)
	for i, file := range []string{
		"two\nlines", "[1-3]{a,b}", "it's ‹odd›", "-T", ".hidden", "\x1b]0;x\a", "%41\\101", "-",
	} {
		r.Write(filepath.Join(r.Home, file), "bytes of "+file)
		for name, args := range map[string][]string{
			fmt.Sprint("x/", i, file): {fmt.Sprint("x/", i, file), "./" + file},
			fmt.Sprint(i, "/", file):  {fmt.Sprint(i, "/"), "./" + file},
			fmt.Sprint("input", i):    {fmt.Sprint("input", i), "-"},
		} {
			r.Write(filepath.Join(r.Home, "FILE"), "bytes of "+file)
			line := append([]string{"objects", "put", testenv.Bucket}, args...)
			_, out, _ := strings.Cut("\n"+r.MustRun(append(line, "--dry-run")...).Out, "\ncurl ")
			out = "curl " + out // the plan comes before
			presign, store, found := strings.Cut(out, "\ncurl -sS --fail -X PUT -g ")
			if !found || strings.ContainsAny(out, "\x1b\a") {
				t.Fatalf("%q: %q", file, out)
			}
			script := "URL=$(" + presign + ` | sed 's/.*"url": *"\([^"]*\)".*/\1/; s/\\u0026/\&/g')` +
				"\ncurl -sS --fail -X PUT -g " + store
			run := exec.Command(shell, "-c", script)
			run.Dir = r.Home
			if text, err := run.CombinedOutput(); err != nil {
				t.Errorf("%q: %v: %s\n%s", file, err, text, script)
				continue
			}
			if got := r.MustRun("objects", "get", testenv.Bucket, name, "-").Out; got != "bytes of "+file {
				t.Errorf("%q holds %q", name, got)
			}
		}
	}
}

// A row that was deleted a moment ago is not deleted again because the API still shows it.
func TestScripts_deletedRowIsNotDeletedAgain(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"contacts delete 11 --yes", "services delete 9 --yes", "credentials delete db2-root --yes",
		"keys revoke finance --yes", "buckets delete ap-south-1/scratch --yes",
	} {
		r := newTestEnv(t, emulator.Options{Seed: "demo"})
		r.API.InjectFault("GET *", emulator.Fault{Stale: time.Hour})
		r.MustRun(strings.Fields(line)...)
		s := r.MustRun(strings.Fields(line)...)
		r.CheckResult(s, exit.CodeOK, "no change: ", "ago from this machine; the API still shows it")
		if n := len(r.API.Ledger()); n != 1 {
			t.Errorf("%s twice: %d changes were applied: %s", line, n, s.Err)
		}
		var rows []journalRow
		if err := json.Unmarshal([]byte(r.MustRun("journal", "-o", "json").Out), &rows); err != nil || len(rows) != 1 {
			t.Errorf("%v, the journal holds %+v", err, rows)
		}
	}
}
