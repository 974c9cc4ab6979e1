package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/itchyny/gojq"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/client/optest"
	"lookout/cmd/internal/exit"
)

// A sentRequest is a change that a command has sent to the API.
type sentRequest struct{ method, path, body string }

// recordChanges returns the changes that are sent to the API from now on.
func (r *testEnv) recordChanges() (sent func() []sentRequest) {
	var lock sync.Mutex
	var all []sentRequest
	r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodGet && strings.HasPrefix(req.URL.Path, "/v4/") {
			body, _ := io.ReadAll(req.Body)
			req.Body = io.NopCloser(strings.NewReader(string(body)))
			lock.Lock()
			defer lock.Unlock()
			all = append(all, sentRequest{req.Method, req.URL.EscapedPath(), string(body)})
		}
		return false
	})
	return func() []sentRequest { return all }
}

// ledgerEntries returns the changes that the account has applied, without their times.
func (r *testEnv) ledgerEntries() (all []string) {
	for _, c := range r.API.Ledger() {
		body, _ := json.Marshal(c.Body)
		var members any // in no order of their own
		_ = json.Unmarshal(body, &members)
		body, _ = json.Marshal(members)
		all = append(all, fmt.Sprintf("%s %s %s %s", c.Op, c.Method, c.Path, body))
	}
	return all
}

// lookout api makes every change that the commands make: the same request, with the same effect, recorded under the
// same operation and id, and no secret of it in the journal.
func TestAPI_changesAsTheCommandsDo(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for i, c := range changeCases(newTestEnv(t, emulator.Options{})) {
		t.Run(c.line, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			sent := r.recordChanges()
			yes := "--yes"
			if c.named {
				yes = "--yes=account"
			}
			r.MustRun(append(strings.Fields(changeCases(r)[i].line), yes)...)
			switch strings.Join(strings.Fields(c.line)[:2], " ") {
			case "objects put", "objects rm", "objects cp", "objects mv", "objects sync", "buckets empty":
				return // the change itself is sent to a pre-signed URL
			}
			again := newTestEnv(t, emulator.Options{})
			for _, s := range sent() {
				args := []string{"api", strings.ToLower(s.method), s.path, yes}
				if s.body != "" {
					args = append(args, "--input", "-")
				}
				if result := again.RunWithInput(s.body, args...); result.Code != exit.CodeOK {
					t.Fatalf("%v: %d, %s", args, result.Code, result.Err)
				} else if decodeJSON(t, result.Out) == nil {
					t.Errorf("%v prints %s", args, result.Out)
				}
			}
			if want, got := r.ledgerEntries(), again.ledgerEntries(); !slices.Equal(want, got) {
				t.Errorf("the command did\n%s\napi did\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
			}
			key := func(e *testEnv) (all []string) {
				for row := range strings.Lines(e.MustRun("journal", "list", "-o", "ndjson").Out) {
					var entry journalRow
					if err := json.Unmarshal([]byte(row), &entry); err != nil {
						t.Fatal(err)
					}
					covered[entry.Op] = true
					all = append(all, fmt.Sprint(entry.Op, entry.Kind, entry.TargetID, entry.Outcome, entry.Path))
				}
				return all
			}
			if want, got := key(r), key(again); !slices.Equal(want, got) {
				t.Errorf("the command recorded %v, api recorded %v", want, got)
			}
			state := again.ReadTree(again.Home + "/state")
			for _, secret := range []string{"BEGIN", "emulated-secret"} {
				if strings.Contains(state, secret) {
					t.Errorf("the journal holds %s", secret)
				}
			}
		})
	}
	covered[client.OpCreateObjectURL] = covered[client.OpCreateDownloadURL] // the same request
	api := emulator.New(emulator.Options{})
	for _, o := range client.Operations() {
		if o.Method != http.MethodGet && !covered[o.Op] && api.Serves(o.Op) {
			t.Errorf("%s %s is not compared; add a case to changeCases", o.Method, o.Path)
		}
	}
}

// selections select what the API and the command both have, where the command shows it in another form.
func selections() map[string]struct{ ofAPI, ofCommand string } {
	return map[string]struct{ ofAPI, ofCommand string }{
		"view stats": {
			"[.data | .cpu, .disk, .net_in, .net_out, .swap | [.[] | {at: (.x / 1000 | todate), value: .y}]]",
			"[.[].points]",
		},
		"view access": {
			`[.acl, if .cors_enabled then "on" else "off" end]`,
			`[.[] | select(.kind == "bucket_acl" or .kind == "cors").access]`,
		},
		"view object ACL":  {"", "{acl, acl_xml}"},
		"view certificate": {"", "{ssl}"},
		"view profile":     {".username", ".[0].user"},
		"view ticket":      {".status", ".issues[] | select(.ticket == 48213).status"},
	}
}

// lookout api reads what the commands read: the same rows with the same contents, on all pages.
func TestAPI_readsAsTheCommandsDo(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for _, o := range optest.All() {
		if o.Method != http.MethodGet {
			continue
		}
		r, line, selected := r, o.Line(nil), selections()[o.Name]
		if o.Name == "view ticket" {
			r = newTestEnv(t, emulator.Options{})
			r.useProviderDialect()
		}
		want := selectJSON(t, r.MustRun(append(strings.Fields(line), "-o", "json")...).Out, selected.ofCommand)
		args := []string{"api", "GET", o.Example()}
		if _, list := want.([]any); list && selected.ofAPI == "" {
			args = append(args, "--paginate", "--field", "page_size=25")
		}
		if o.Name == "view object ACL" {
			args = append(args, "--field", "name=README.txt")
		}
		got := selectJSON(t, r.MustRun(args...).Out, selected.ofAPI)
		if !reflect.DeepEqual(want, got) || got == nil || reflect.ValueOf(got).Len() == 0 {
			t.Errorf("%v: %v, but %s: %v", args, got, line, want)
		}
	}
	r.MustRun("api", "GET", "/managed/linode-settings/70003") // the real service's name
	if got := r.MustRun("api", "GET", "/managed/services?page=1&page_size=25").Out; !strings.Contains(
		got,
		`"pages": 1`,
	) {
		t.Errorf("without --paginate: %s", got)
	}
}

// selectJSON returns a JSON text, or what an expression selects of it, in the form that it has in all answers: without
// members that are null, without secrets, and with the zone of its times.
func selectJSON(t *testing.T, text, expression string) any {
	t.Helper()
	value := decodeJSON(t, text)
	if expression != "" {
		query, err := gojq.Parse(expression)
		if err != nil {
			t.Fatal(err)
		}
		value, _ = query.Run(value).Next() // the first result
	}
	return normalizeJSON(value)
}

// normalizeJSON returns a value of JSON in that form.
func normalizeJSON(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = normalizeJSON(v[i])
		}
	case map[string]any:
		for name, member := range v {
			if v[name] = normalizeJSON(member); v[name] == nil || name == "secret_key" {
				delete(v, name)
			}
		}
	case string:
		if _, err := time.Parse("2006-01-02T15:04:05", v); err == nil {
			return v + "Z"
		}
	}
	return value
}

// A list that changes while its pages are read is not called whole: rows may be missing.
func TestAPI_paginate_listChanges(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	results := 0
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		page := cmp.Or(req.URL.Query().Get("page"), "1")
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"data":[{"id":%s}],"page":%[1]s,"pages":2,"results":%d}`, page, results)
		results--
		return true
	})
	list := []string{"api", "GET", "/managed/services", "--paginate"}
	results = 27
	r.CheckResult(r.Run(list...), exit.CodeFailure, `"id": 2`, "changed while it was read (27 rows, then 26)")
}

// A key that was made with lookout api is shown once, and is not remembered as one whose secret nobody has seen.
func TestAPI_secretOfKey(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	s := r.RunWithInput(`{"label":"ci","bucket_access":[]}`, "api", "POST", "/object-storage/keys", "--input", "-")
	r.CheckResult(s, exit.CodeOK, "emulated-secret")
	if state := r.ReadTree(r.Home + "/state"); strings.Contains(state, "emulated-secret") {
		t.Errorf("the journal holds the secret")
	}
	found, err := filepath.Glob(filepath.Join(r.Home, "state", "*", "*.journal"))
	if err != nil || len(found) != 1 {
		t.Fatal(err, found)
	}
	j, err := journal.Open(found[0], "", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if unseen := j.KeysWithUnseenSecret(); len(unseen) != 0 {
		t.Errorf("its secret counts as unseen: %+v", unseen)
	}
	for _, args := range []string{
		"keys create nightly --nothing --columns id,label", "keys create nightly --nothing --jq .id",
		"api POST /object-storage/keys --input - --jq .id",
	} {
		input := `{"label":"nightly","bucket_access":[]}`
		s := r.RunWithInput(input, strings.Fields(args)...)
		r.CheckResult(s, exit.CodeUnknown, "its secret was not printed", "keys revoke")
		if _, err := j.CatchUp(); err != nil {
			t.Fatal(err)
		}
		if unseen := j.KeysWithUnseenSecret(); len(unseen) != 1 {
			t.Fatalf("%s: %d secrets are unseen", args, len(unseen))
		}
		r.MustRun("keys", "revoke", j.KeysWithUnseenSecret()[0].UnseenSecretOf, "--yes")
	}
	s = r.MustRun("keys", "create", "nightly", "--nothing", "--jq", ".secret_key")
	r.CheckResult(s, exit.CodeOK, "emulated-secret")
}

// A request without a method is refused: nothing is chosen in its place.
func TestAPI_neverGuessesTheOperation(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for _, args := range [][]string{{"", ""}, {"", "/"}, {" ", "/managed/services"}, {"GET", ""}} {
		for range 5 { // the operations are in no order
			r.CheckResult(r.Run("api", args[0], args[1], "--yes=account"), exit.CodeUsage, "the API has no operation")
		}
	}
	if n := len(r.API.Ledger()); n != 0 {
		t.Errorf("%d changes were sent", n)
	}
}
