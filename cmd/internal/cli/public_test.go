package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
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
		r.CheckResult(s, exit.CodeUsage, "it opens something to everyone, and standard input is not a terminal; add --yes")
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
