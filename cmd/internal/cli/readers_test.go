package cli

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/cmd/internal/exit"
)

// A readerRow is a row of lookout buckets readers in JSON.
type readerRow struct {
	Kind    string
	Name    string
	Access  string
	Public  *bool
	Expires string
	Note    string
}

// readersOf runs a command that lists who can read something, and returns its rows by kind and name.
func readersOf(r *testEnv, args ...string) map[string]readerRow {
	r.Helper()
	var rows []readerRow
	if err := json.Unmarshal([]byte(r.MustRun(append(args, "-o", "json")...).Out), &rows); err != nil {
		r.Fatal(err)
	}
	byName := map[string]readerRow{}
	for _, row := range rows {
		byName[row.Kind+" "+row.Name] = row
	}
	return byName
}

// The script tells who can read a bucket or an object: ACL, CORS, the keys that reach it, the links that were given
// out, and that policies are not visible.
func TestReaders_scripts(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("keys", "create", "one bucket", "--bucket", "us-east-1/acme-www:read_only")
	r.MustRun("keys", "create", "other bucket", "--bucket", "us-east-1/acme-backups:read_only")
	r.MustRun("objects", "link", "us-east-1/acme-www", "index.html", "--for", "1h")
	r.MustRun("objects", "link", "us-east-1/acme-backups", "README.txt", "--for", "1h")

	rows := readersOf(r, "buckets", "readers", "us-east-1/acme-www")
	bucket := "us-east-1/acme-www"
	for name, access := range map[string]string{
		"bucket_acl " + bucket: "private",
		"cors " + bucket:       "off",
		"key one bucket":       "read_only",
		"key ci":               "read_write",
		"link index.html":      "GET",
		"s3_policy " + bucket:  "unknown",
	} {
		if got, found := rows[name]; !found || got.Access != access {
			t.Errorf("%s: %+v, want %s", name, got, access)
		}
	}
	for _, name := range []string{"key other bucket", "link README.txt"} {
		if _, found := rows[name]; found {
			t.Errorf("%s is listed", name)
		}
	}
	if p := rows["bucket_acl "+bucket].Public; p == nil || *p {
		t.Error("a private bucket is not known to be private")
	}
	if rows["s3_policy "+bucket].Public != nil {
		t.Error("it is claimed that policies are known")
	}
	if rows["link index.html"].Expires == "" {
		t.Error("the link does not expire")
	}

	r.MustRun("buckets", "access", bucket, "--acl", "public-read", "--yes")
	public := r.MustRun("buckets", "readers", bucket, "-o", "json", "--jq", "any(.[]; .public)").Out
	if strings.TrimSpace(public) != "true" {
		t.Errorf("public: %s", public)
	}
	own := readersOf(r, "objects", "readers", bucket, "index.html")
	if own["object_acl index.html"].Access != "private" || own["bucket_acl "+bucket].Access != "public-read" {
		t.Errorf("%+v", own)
	}
	r.CheckResult(r.Run("buckets", "readers", "us-east-1/nope"), exit.CodeNotFound, "us-east-1/nope")
	r.CheckResult(r.Run("objects", "readers", bucket, "nope"), exit.CodeNotFound, "nope")
	r.CheckResult(r.Run("buckets", "readers", "acme-www"), exit.CodeUsage, "does not name a bucket")
	r.CheckResult(r.Run("objects", "readers", bucket, ""), exit.CodeUsage, "name is empty")
}

// If something could not be read, the rest is printed, the error says what may be missing, and the exit code is not 0.
func TestReaders_scriptsNameWhatIsMissing(t *testing.T) {
	t.Parallel()
	for match, says := range map[string]string{
		"list keys": "access keys may be missing", "view access": "view access", "view object ACL": "view object ACL",
	} {
		r := newTestEnv(t, emulator.Options{})
		r.API.InjectFault(match, emulator.Fault{Status: 403})
		s := r.Run("objects", "readers", "us-east-1/acme-www", "index.html", "-o", "ndjson")
		r.CheckResult(s, exit.CodeDenied, says)
		if !strings.Contains(s.Out, `"kind":"cors"`) || !strings.Contains(s.Out, `"kind":"s3_policy"`) {
			t.Errorf("%s: %s", match, s.Out)
		}
	}
	r := newTestEnv(t, emulator.Options{})
	r.API.InjectFault("view access", emulator.Fault{Status: 404})
	if got := readersOf(r, "buckets", "readers", "us-east-1/acme-www")["bucket_acl us-east-1/acme-www"]; got.Access !=
		"unknown" || got.Public != nil {
		t.Errorf("an ACL that is not reported: %+v", got)
	}
}

// keys rotate creates a key with the access of another one, prints the secret once, says that the old one still works
// and that nobody knows what uses it, and has the dashboard remind of it. It never revokes the old key.
func TestRotateKey_scripts(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	s := r.MustRun("keys", "rotate", "finance", "-o", "json")
	for _, says := range []string{
		"key finance (205) still works", "The API does not say which programs use it", "lookout keys revoke 205",
	} {
		if !strings.Contains(s.Err, says) {
			t.Errorf("%q is not said in %s", says, s.Err)
		}
	}
	if !strings.Contains(s.Out, `"secret_key": "emulated-secret`) || !strings.Contains(s.Out, `"read_only"`) {
		t.Errorf("%s", s.Out)
	}
	var body map[string]json.RawMessage
	for _, change := range r.API.Ledger() {
		if body = change.Body; change.Op != "create key" {
			t.Errorf("sent: %s", change.Op)
		}
	}
	if string(body["label"]) != `"finance"` || !strings.Contains(string(body["bucket_access"]), "invoices-2026") {
		t.Errorf("sent %s", body)
	}
	requireNoted(r, "205")
	file := r.Home + "/secret"
	s = r.MustRun("keys", "rotate", "205", "--label", "finance-2", "--secret-file", file)
	if strings.Contains(s.Out, "emulated-secret") {
		t.Errorf("the secret is printed too: %s", s.Out)
	}
	requireNoted(r, "205")
	r.MustRun("keys", "revoke", "205", "--yes")
	requireNoted(r)
}

// requireNoted fails unless exactly these keys are to be revoked.
func requireNoted(r *testEnv, keys ...string) {
	r.Helper()
	j, err := journal.Open(r.journalPath(), "", time.Now)
	if err != nil {
		r.Fatal(err)
	}
	defer j.Close()
	var noted []string
	for _, e := range j.KeysToRevoke() {
		noted = append(noted, e.RevokeLater.Key)
	}
	if !slices.Equal(noted, keys) {
		r.Errorf("to be revoked: %v, want %v", noted, keys)
	}
}

// An unlimited key is replaced by an unlimited one only if a flag says so, and a limited one never is.
func TestRotateKey_scriptsUnlimited(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.CheckResult(r.Run("keys", "rotate", "ci"), exit.CodeUsage, "reaches everything", "--unlimited")
	r.CheckResult(r.Run("keys", "rotate", "finance", "--unlimited"), exit.CodeUsage, "is limited")
	r.CheckResult(r.Run("keys", "rotate", "finance", "--label", "x"), exit.CodeUsage, "--label x")
	r.CheckResult(r.Run("keys", "rotate", "nope"), exit.CodeNotFound, "nope")
	if sent := r.API.Ledger(); len(sent) != 0 {
		t.Errorf("sent: %v", sent)
	}
	r.MustRun("keys", "rotate", "ci", "--unlimited") // its label is shorter than that of a new key may be
	if _, limited := r.API.Ledger()[0].Body["bucket_access"]; limited {
		t.Error("the new key is limited")
	}
}

// If the answer is lost, or nobody gets the secret, nothing reminds of the old key, and it is not named among what may
// have been made.
func TestRotateKey_scriptsLostAnswer(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.API.InjectFault("create key", emulator.Fault{ApplyFirst: true, Reset: true, Times: 1})
	s := r.Run("keys", "rotate", "finance")
	r.CheckResult(s, exit.CodeUnknown, "key 901")
	if strings.Contains(s.Err, "key 205") {
		t.Errorf("the old key is named: %s", s.Err)
	}
	requireNoted(r)
	line := []string{"keys", "rotate", "205"}
	if code := r.runInto(failingWriter{}, io.Discard, line...); code != exit.CodeUnknown {
		t.Errorf("exit code %d", code)
	}
	requireNoted(r)
}
