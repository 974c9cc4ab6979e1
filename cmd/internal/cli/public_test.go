package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
)

// newestBody returns the body of the newest change.
func newestBody(r *testEnv) string {
	r.Helper()
	ledger := r.API.Ledger()
	if len(ledger) == 0 {
		r.Fatal("nothing was changed")
	}
	body, err := json.Marshal(ledger[len(ledger)-1].Body)
	if err != nil {
		r.Fatal(err)
	}
	return string(body)
}

// What --cors says is sent when a bucket is created, --cors=false too: the service turns CORS on where nothing is sent.
func TestBucketsCreate_sendsCORSAsGiven(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{Service: emulator.ServiceNow})
	for i, c := range []struct{ flag, sent, now string }{
		{"--cors=false", `"cors_enabled":false`, "off"},
		{"--cors", `"cors_enabled":true`, "on"},
		{"--yes", "", "on"},
	} {
		bucket := fmt.Sprintf("us-east-1/new-%d", i)
		r.MustRun("buckets", "create", bucket, c.flag)
		body := newestBody(r)
		if !strings.Contains(body, c.sent) || c.sent == "" && strings.Contains(body, "cors") {
			t.Errorf("%s sends %s", c.flag, body)
		}
		if now := readersOf(r, "buckets", "readers", bucket)["cors "+bucket].Access; now != c.now {
			t.Errorf("after %s CORS is %s", c.flag, now)
		}
	}
	r.CheckResult(r.Run("buckets", "create", "us-east-1/new-9", "--cors=maybe"), exit.CodeUsage, "true or false")
}

// A script that opens something to everyone needs --yes where nobody can be asked. Without it nothing is sent. What
// opens nothing needs no --yes.
func TestPublic_scriptsNeedYes(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	const www, object = "us-east-1/acme-www", "us-east-1/acme-www index.html"
	for _, line := range []string{
		"buckets access " + www + " --acl public-read",
		"buckets access " + www + " --acl authenticated-read --cors=false",
		"buckets access " + www + " --acl public-read-write",
		"buckets create us-east-1/fresh-1 --acl public-read",
		"objects acl " + object + " authenticated-read",
		"objects acl " + object + " public-read",
		"api POST /object-storage/buckets/" + www + "/access --field acl=public-read",
		"api PUT /object-storage/buckets/" + www + "/access --field acl=public-read",
		"api PUT /object-storage/buckets/" + www + "/object-acl --field name=index.html --field acl=public-read",
		"api POST /object-storage/buckets --field cluster=us-east-1 --field label=fresh-2 --field acl=public-read",
	} {
		before := len(r.API.Ledger())
		s := r.Run(strings.Fields(line)...)
		r.CheckResult(s, exit.CodeUsage,
			"making or keeping something public needs confirmation, and "+
				"standard input is not a terminal; add --yes")
		if n := len(r.API.Ledger()); n != before {
			t.Errorf("%s: %d changes", line, n-before)
		}
		r.MustRun(strings.Fields(line + " --yes")...)
		if n := len(r.API.Ledger()); n != before+1 {
			t.Errorf("%s --yes: %d changes", line, n-before)
		}
	}
	for _, line := range []string{
		"objects acl " + object + " public-read --dry-run",
		"buckets create us-east-1/fresh-3",
		"buckets create us-east-1/fresh-4 --acl private",
		"buckets access " + www + " --acl private",
		"buckets access " + www + " --cors",
		"objects acl " + object + " private",
		"objects acl " + object,
	} {
		r.MustRun(strings.Fields(line)...)
	}
	r.MustRun("objects", "acl", "us-east-1/acme-www", "index.html", "public-read", "--yes")
	r.MustRun("objects", "acl", "us-east-1/acme-www", "index.html", "public-read") // as it is already
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		unknown := req.Method == http.MethodGet && strings.HasSuffix(req.URL.Path, "/object-acl")
		if unknown {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"acl":null,"acl_xml":null}`)
		}
		return unknown
	})
	r.CheckResult(
		r.Run("objects", "acl", "us-east-1/acme-www", "index.html", "public-read"), exit.CodeUsage, "add --yes",
	)
}

// aclOf returns the ACL of an object as the command shows it.
func aclOf(r *testEnv, bucket, name string) string {
	r.Helper()
	return strings.TrimSpace(r.MustRun("objects", "acl", bucket, name, "-o", "json", "--jq", ".acl").Out)
}

// What replaces or is moved from a public object asks, stays public, and says so: with put, sync and mv. cp makes
// private objects. What is private needs no answer.
func TestKeptAccess_scripts(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	const www = "us-east-1/acme-www"
	folder := filepath.Join(r.Home, "site")
	version := 0
	for _, c := range []struct{ line, name, source string }{
		{"objects put " + www + " index.html FOLDER/index.html --force", "index.html", ""},
		{"objects put " + www + " index.html - --force", "index.html", ""},
		{"objects put " + www + " sub/ FOLDER/index.html --force", "sub/index.html", ""},
		{"objects sync FOLDER " + www + " --force", "index.html", ""},
		{"objects mv " + www + "/a.html " + www + "/b.html", "b.html", "a.html"},
		{"objects mv " + www + "/b.html " + www + "/deep/ ", "deep/b.html", "b.html"},
		{"objects mv " + www + "/deep " + www + "/moved -r", "moved/b.html", "deep/b.html"},
	} {
		version++
		r.Write(filepath.Join(folder, "index.html"), fmt.Sprint("version ", version))
		line := strings.Fields(strings.ReplaceAll(c.line, "FOLDER", folder))
		public := c.name
		if c.source != "" {
			public = c.source
		}
		emulator.StoreObject(r.API, "us-east-1", "acme-www", public, fmt.Sprint("old ", version))
		plain := r.RunWithInput(fmt.Sprint("private ", version), append(line, "--dry-run")...)
		r.CheckResult(plain, exit.CodeOK)
		if strings.Contains(plain.Out+plain.Err, "public") {
			t.Errorf("%s: a private object is called public:\n%s%s", c.line, plain.Out, plain.Err)
		}
		r.MustRun("objects", "acl", www, public, "public-read", "--yes")
		before := len(r.API.Ledger())
		r.CheckResult(r.RunWithInput("x", line...), exit.CodeUsage, "making or keeping something public", "add --yes")
		if n := len(r.API.Ledger()); n != before {
			t.Errorf("%s: %d changes", c.line, n-before)
		}
		plan := r.RunWithInput("x", append(line, "--dry-run")...)
		if says := plan.Out + plan.Err; !strings.Contains(says, "object-acl") {
			t.Errorf("%s: the plan does not say what stays public:\n%s", c.line, says)
		}
		r.CheckResult(r.RunWithInput(fmt.Sprint("input ", version), append(line, "--yes")...), exit.CodeOK)
		if acl := aclOf(r, www, c.name); acl != "public-read" {
			t.Errorf("%s: it is %s now", c.line, acl)
		}
	}
	r.MustRun("objects", "cp", www+"/moved/b.html", www+"/copy.html")
	if acl := aclOf(r, www, "copy.html"); acl != "private" {
		t.Errorf("the copy is %s", acl)
	}
	r.Write(filepath.Join(r.Home, "private"), "new")
	r.MustRun("objects", "put", www, "copy.html", filepath.Join(r.Home, "private"), "--force")
}

// Access that cannot be kept is said before and after, with exit code 7.
func TestKeptAccess_scriptsSayWhatIsLost(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"acl":"custom","acl_xml":"x"}`, `{"acl":null,"acl_xml":null}`} {
		r := newTestEnv(t, emulator.Options{})
		file := filepath.Join(r.Home, "index.html")
		r.API.InjectFault("view object ACL", emulator.Fault{Status: 200, Body: body})
		for i, line := range []string{
			"objects put us-east-1/acme-www index.html FILE --force",
			"objects put us-east-1/acme-www / FILE --force",
			"objects mv us-east-1/acme-www/index.html us-east-1/acme-www/start.html",
		} {
			r.Write(file, fmt.Sprint("version ", i))
			emulator.StoreObject(r.API, "us-east-1", "acme-www", "/index.html", "old")
			args := strings.Fields(strings.ReplaceAll(line, "FILE", file))
			r.CheckResult(r.Run(args...), exit.CodePartial, "so it will not be kept", "so it was not kept")
		}
	}
}
