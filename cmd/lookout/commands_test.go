package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faultrig"
)

// Every list in every shape: JSON is JSON, CSV has the columns' names, tables have no tab and nothing that steers a terminal.
func TestEveryListInEveryShape(t *testing.T) {
	r := newRig(t, emulator.Options{})
	for _, args := range [][]string{{"services", "list"}, {"issues", "list"}, {"contacts", "list"}, {"credentials", "list"}, {"ssh", "list"}, {"stats"},
		{"buckets", "list"}, {"objects", "list", "us-east-1/acme-backups"}, {"keys", "list"}, {"clusters", "list"}, {"transfer"}, {"journal"}} {
		name := strings.Join(args, " ")
		table := r.good(args...).out
		if strings.ContainsAny(table, "\t\x1b") || args[0] != "journal" && strings.Count(table, "\n") < 2 && args[0] != "transfer" {
			t.Errorf("%s: the table is %q", name, table)
		}
		var v any
		if out := r.good(append(args, "-o", "json")...).out; json.Unmarshal([]byte(out), &v) != nil {
			t.Errorf("%s: no JSON: %.200s", name, out)
		}
		for line := range strings.Lines(r.good(append(args, "-o", "ndjson")...).out) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: no JSON: %.200s", name, line)
			}
		}
		rows, err := csv.NewReader(strings.NewReader(r.good(append(args, "-o", "csv")...).out)).ReadAll()
		if err != nil || rows[0][0] != strings.ToLower(rows[0][0]) {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
	}
	r.bad(r.run("services", "list", "-o", "xml"), exitUsage, "ndjson")
}

// Columns are a promise: scripts count on their names and their order.
func TestColumnsStay(t *testing.T) {
	r := newRig(t, emulator.Options{})
	for command, want := range map[string]string{
		"services list":    "id,status,label,service_type,address,timeout,consultation_group,updated,body,credentials,notes,region,created",
		"issues list":      "id,created,services,ticket,ticket_label,ticket_url",
		"contacts list":    "id,name,group,email,phone_primary,phone_secondary,updated",
		"credentials list": "id,label,last_decrypted",
		"ssh list":         "id,label,access,user,ip,port,group",
		"stats":            "name,unit,min,avg,max,last",
		"buckets list":     "cluster,label,objects,size,created,hostname,region",
		"keys list":        "id,label,access_key,limited,bucket_access,secret_key",
		"clusters list":    "id,region,status,domain,static_site_domain",
		"transfer":         "used",
		"journal":          "time,op,of,label,outcome,until,reason,why,id,method,path",
	} {
		head, _, _ := strings.Cut(r.good(append(strings.Fields(command), "-o", "csv")...).out, "\n")
		if head != want {
			t.Errorf("%s: %s", command, head)
		}
	}
}

// For programs CSV is what the API sent, where no terminal would obey it: a name from it finds the object. Tables show what cannot be drawn.
func TestCSVIsAsTheAPISentIt(t *testing.T) {
	r := newRig(t, emulator.Options{})
	name := "two\nlines,\t\"quoted\" ‹␊› é.txt"
	file := filepath.Join(r.home, "file")
	r.write(file, "content")
	r.good("objects", "put", "us-east-1/acme-backups", name, file)
	rows, err := csv.NewReader(strings.NewReader(r.good("objects", "list", "us-east-1/acme-backups", "two", "-o", "csv").out)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][2] != name {
		t.Fatalf("%q, %v", rows, err)
	}
	if got := r.good("objects", "get", "us-east-1/acme-backups", rows[1][2], "-").out; got != "content" {
		t.Errorf("%q", got)
	}
	if table := r.good("objects", "list", "us-east-1/acme-backups", "two").out; !strings.Contains(table, "two‹␊›lines") || strings.Count(table, "\n") != 2 {
		t.Errorf("%q", table)
	}
	r.good("services", "update", "1", "--label", "two\nlines", "--notes", "first\nsecond")
	rows, err = csv.NewReader(strings.NewReader(r.good("services", "get", "two\nlines", "-o", "csv").out)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][2] != "two\nlines" || rows[1][10] != "first\nsecond" {
		t.Errorf("%q, %v", rows, err)
	}
}

// idOf is the ID of the first row whose text holds a word.
func (r *rig) idOf(list, word string) string {
	r.Helper()
	for line := range strings.Lines(r.good(list, "list").out) {
		if strings.Contains(line, word) {
			return strings.Fields(line)[0]
		}
	}
	r.Fatalf("%s has no %s", list, word)
	return ""
}

func TestServicesByScript(t *testing.T) {
	r := newRig(t, emulator.Options{})
	id := r.idOf("services", "edge-router")
	r.bad(r.good("services", "get", id), exitOK, "edge-router", "consultation_group")
	r.bad(r.good("services", "disable", id, "--for", "1h", "--reason", "kernel update"), exitOK, "disabled")
	r.bad(r.good("journal"), exitOK, "disable service", "edge-router", "kernel update", "done")
	r.bad(r.good("services", "enable", id), exitOK, "pending")
	r.bad(r.good("services", "update", id, "--timeout", "77"), exitOK, "77")
	before := len(r.api.Ledger())
	r.bad(r.good("services", "update", id, "--timeout", "77"), exitOK, "is so already; nothing was sent")
	if len(r.api.Ledger()) != before {
		t.Error("something was sent that was so already")
	}
	r.bad(r.run("services", "update", id), exitUsage, "give a flag")
	r.bad(r.run("services", "delete", id), exitUsage, "--yes", "edge-router")
	r.bad(r.good("services", "delete", id, "--yes"), exitOK, "is deleted")
	r.bad(r.run("services", "get", id), exitMissing)
	r.bad(r.run("services", "create", "--label", "x"), exitUsage, "--address")
	r.bad(r.good("services", "create", "--label", "new one", "--address", "https://example.com"), exitOK, "new one")
	r.bad(r.run("services", "disable", "abc"), exitMissing, `no service is called "abc"`, "services list")
	r.bad(r.run("issues", "get", "abc"), exitUsage, "no ID")
	r.bad(r.run("services", "disable"), exitUsage, "needs ID")
	r.bad(r.run("services", "disabel", "1"), exitUsage, "disable")
	r.bad(r.run("services"), exitUsage, "--help")
	r.bad(r.run("servces"), exitUsage, "services")
}

// A label names a thing as well as its ID, as long as only one has it.
func TestThingsByTheirLabel(t *testing.T) {
	r := newRig(t, emulator.Options{})
	r.bad(r.good("services", "get", "web-1"), exitOK, "web-1")
	r.bad(r.good("services", "disable", "web-1", "--reason", "kernel"), exitOK, "disabled")
	r.bad(r.good("keys", "revoke", "finance", "--yes"), exitOK, "finance", "is revoked")
	r.bad(r.good("ssh", "deny", "db1"), exitOK, "false")
	for range 2 {
		r.good("services", "create", "--label", "twin", "--address", "https://example.com")
	}
	before := len(r.api.Ledger())
	r.bad(r.run("services", "delete", "twin", "--yes"), exitUsage, `2 services are called "twin"`, "give the ID")
	if len(r.api.Ledger()) != before {
		t.Error("one of two was deleted")
	}
}

// The journal names what scripts changed as it names what panes changed: kind, ID, label, reason.
func TestTheJournalNamesWhatScriptsChange(t *testing.T) {
	r := newRig(t, emulator.Options{})
	t.Chdir(r.home)
	r.write("new.txt", "x")
	const bucket = "us-east-1/acme-www"
	for _, c := range []struct {
		line             string
		kind, of, labels string
	}{
		{"services disable web-1 --for 1h --reason why", "service", "4", "web-1"},
		{"contacts delete 11 --yes --reason why", "contact", "11", "Ada Wong"},
		{"credentials rename web~deploy web-new --reason why", "credential", "32", "web deploy"},
		{"ssh deny db1 --reason why", "instance", "70003", "db1"},
		{"keys revoke finance --yes --reason why", "key", "205", "finance"},
		{"buckets access " + bucket + " --acl private --reason why", "bucket", bucket, "acme-www"},
		{"objects put " + bucket + " a/new.txt new.txt --reason why", "object", bucket + "/a/new.txt", "a/new.txt"},
		{"objects acl " + bucket + " index.html private --reason why", "object", bucket + "/index.html", "index.html"},
		{"objects rm " + bucket + " a/new.txt --yes --reason why", "object", bucket + "/a/new.txt", "a/new.txt"},
	} {
		args := strings.Fields(c.line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", " ")
		}
		r.good(args...)
		var entries []entry
		if err := json.Unmarshal([]byte(r.good("journal", "-o", "json").out), &entries); err != nil || len(entries) == 0 {
			t.Fatalf("%v, %v", entries, err)
		}
		last := entries[len(entries)-1]
		if last.Kind != c.kind || last.Of != c.of || last.Label != c.labels || last.Reason != "why" {
			t.Errorf("%s: %+v", c.line, last)
		}
	}
}

func TestContactsCredentialsAndSSHByScript(t *testing.T) {
	r := newRig(t, emulator.Options{})
	r.bad(r.good("contacts", "create", "--name", "Eve Adams", "--email", "eve@acme.net", "--phone", "+1 555 0199"), exitOK, "Eve Adams")
	id := r.idOf("contacts", "Eve Adams")
	r.bad(r.good("contacts", "update", id, "--group", "night"), exitOK, "night", "+1 555 0199")
	r.bad(r.good("contacts", "delete", id, "--yes"), exitOK, "is deleted")

	s := r.fed("hunter2-canary\n", "credentials", "create", "db9-root", "--username", "root")
	r.bad(s, exitOK, "db9-root")
	id = r.idOf("credentials", "db9-root")
	file := filepath.Join(r.home, "password")
	r.write(file, "hunter3-canary\n")
	r.good("credentials", "login", id, "--password-file", file)
	r.good("credentials", "rename", id, "db9-admin")
	r.bad(r.fed("", "credentials", "create", "none"), exitUsage, "empty")
	r.bad(r.run("credentials", "create", "x", "--password", "y"), exitUsage)
	for _, e := range r.api.Ledger() {
		if e.Op == "create credential" && string(e.Body["password"]) != `"hunter2-canary"` {
			t.Errorf("the password arrived as %s", e.Body["password"])
		}
	}
	kept, err := os.ReadFile(filepath.Join(r.home, "state", "lookout", "account.journal"))
	if err != nil || strings.Contains(string(kept), "hunter") {
		t.Errorf("the journal: %v, %s", err, kept)
	}

	r.bad(r.good("ssh", "key"), exitOK, "ssh-")
	id = r.idOf("ssh", "true")
	r.bad(r.good("ssh", "deny", id), exitOK, "false")
	r.bad(r.good("ssh", "set", id, "--port", "2222", "--user", "support"), exitOK, "2222", "support")
	r.bad(r.good("ssh", "allow", id), exitOK, "true")
}

func TestStorageByScript(t *testing.T) {
	r := newRig(t, emulator.Options{})
	r.bad(r.good("buckets", "create", "us-east-1/fresh-one", "--acl", "private"), exitOK, "fresh-one")
	r.bad(r.good("buckets", "get", "us-east-1/fresh-one"), exitOK, "fresh-one")
	r.bad(r.good("buckets", "delete", "us-east-1/fresh-one", "--yes"), exitOK, "is deleted")
	r.bad(r.run("buckets", "get", "fresh-one"), exitUsage, "CLUSTER/BUCKET")

	r.bad(r.good("keys", "create", "ci", "--bucket", "us-east-1/acme-backups:read_only"), exitOK, "read_only", "secret_key")
	var key struct {
		ID     int    `json:"id"`
		Secret string `json:"secret_key"`
	}
	if err := json.Unmarshal([]byte(r.good("keys", "create", "ci2", "-o", "json").out), &key); err != nil || len(key.Secret) < 8 {
		t.Errorf("%+v, %v", key, err)
	}
	id := strconv.Itoa(key.ID)
	if again := r.good("keys", "get", id, "-o", "json").out; strings.Contains(again, key.Secret) || strings.Contains(again, "secret") {
		t.Errorf("the secret is told again: %s", again)
	}
	file := filepath.Join(r.home, "secret")
	s := r.good("keys", "create", "ci3", "--secret-file", file, "-o", "json")
	secret, err := os.ReadFile(file)
	if err != nil || len(strings.TrimSpace(string(secret))) < 8 || strings.Contains(s.out, strings.TrimSpace(string(secret))) {
		t.Errorf("%q, %v, %s", secret, err, s.out)
	}
	r.bad(r.run("keys", "create", "ci4", "--secret-file", file), exitError, "exists")
	r.good("keys", "rename", id, "ci-new")
	r.bad(r.good("keys", "revoke", id, "--yes"), exitOK, "is revoked")
	r.bad(r.run("keys", "create", "x", "--bucket", "a/b:all"), exitUsage, ":read_only")

	r.bad(r.good("clusters", "get", "us-east-1"), exitOK, "us-east")
	r.bad(r.good("objects", "list", "us-east-1/acme-backups", "--recursive", "--limit", "3", "-o", "ndjson"), exitOK, "etag")
	r.bad(r.good("objects", "link", "us-east-1/acme-backups", "a b.txt", "--for", "2h"), exitOK, "Signature=")
	r.bad(r.run("objects", "link", "us-east-1/acme-backups", "a", "--for", "5m"), exitUsage, "6m")
	r.bad(r.run("objects", "link", "us-east-1/acme-backups", "a", "--method", "PUT", "--read-only"), exitDenied, "read-only")
}

// Access and certificates from scripts: what does not fit is not sent.
func TestAccessAndCertificatesByScript(t *testing.T) {
	r := newRig(t, emulator.Options{})
	const bucket = "us-east-1/cdn.acme.net"
	r.bad(r.good("buckets", "access", bucket, "--acl", "public-read", "--cors=false"), exitOK, "has its new access")
	r.bad(r.run("buckets", "access", bucket), exitUsage, "--acl or --cors")
	r.bad(r.run("buckets", "access", bucket, "--acl", "everybody"), exitUsage, "choose private")
	r.bad(r.good("objects", "acl", bucket, "index.html", "public-read"), exitOK, "public-read")
	r.bad(r.good("objects", "acl", bucket, "index.html"), exitOK, "public-read")
	r.bad(r.run("objects", "acl", bucket, "index.html", "mine"), exitUsage, "choose private")

	dir := certificateIn(t, "cdn.acme.net")
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	r.bad(r.good("certificates", "get", bucket), exitOK, "ssl", "false")
	r.bad(r.run("certificates", "upload", "us-east-1/acme-www", cert, key), exitError, "do not cover", "nothing was sent")
	r.bad(r.run("certificates", "upload", bucket, key, key), exitError, "no pair")
	r.bad(r.good("certificates", "upload", bucket, cert, key), exitOK, "for cdn.acme.net, until", "true")
	r.bad(r.run("certificates", "upload", bucket, cert, key), exitError, "--replace")
	r.bad(r.good("certificates", "upload", bucket, cert, key, "--replace"), exitOK, "true")
	r.bad(r.run("certificates", "delete", bucket), exitUsage, "--yes")
	r.bad(r.good("certificates", "delete", bucket, "--yes"), exitOK, "is deleted")
	private, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	if kept := r.everythingIn(filepath.Join(r.home, "state")); strings.Contains(kept, strings.Split(string(private), "\n")[1]) {
		t.Error("the journal holds the private key")
	}
}

// A list that is cut does not pass for whole, and one that fails is not drawn as an empty one.
func TestAListThatIsCutSaysSo(t *testing.T) {
	r := newRig(t, emulator.Options{})
	r.api.Fail("list services", emulator.Fault{Status: 200, Body: `{"data":[],"page":1,"pages":3,"results":60}`})
	r.bad(r.run("services", "list"), exitError, "may be incomplete")
	r.api.Fail("list objects", emulator.Fault{Status: 200, Body: `{"data":[],"is_truncated":true,"next_marker":null}`})
	s := r.run("objects", "list", "us-east-1/acme-www", "-o", "ndjson")
	r.bad(s, exitError, "incomplete: marker missing")
	r.api.Fail("list contacts", emulator.Fault{Status: 403})
	if s := r.run("contacts", "list"); s.out != "" || s.code != exitDenied {
		t.Errorf("exit code %d, and a table is drawn: %q", s.code, s.out)
	}
}

func TestObjectsAndFiles(t *testing.T) {
	r := newRig(t, emulator.Options{})
	t.Chdir(r.home)
	const bucket = "us-east-1/acme-backups"
	r.write("notes.txt", "hello")
	r.bad(r.good("objects", "put", bucket, "a/notes.txt", "notes.txt"), exitOK, "5 bytes stored")
	r.bad(r.run("objects", "put", bucket, "a/notes.txt", "notes.txt"), exitError, "--force")
	r.bad(r.run("objects", "put", bucket, "a/none", "none.txt"), exitError, "none.txt")
	r.bad(r.run("objects", "get", bucket, "a/notes.txt"), exitError, "--force")
	r.good("objects", "get", bucket, "a/notes.txt", "copy.txt")
	if data, err := os.ReadFile("copy.txt"); err != nil || string(data) != "hello" {
		t.Errorf("%q, %v", data, err)
	}
	if s := r.good("objects", "get", bucket, "a/notes.txt", "-"); s.out != "hello" {
		t.Errorf("%q", s.out)
	}
	r.bad(r.run("objects", "get", bucket, "a/.."), exitUsage, "give FILE")
	r.bad(r.run("objects", "get", bucket, "not there", "x"), exitMissing)
	r.bad(r.run("objects", "rm", bucket, "a/notes.txt"), exitUsage, "--yes")
	r.bad(r.good("objects", "rm", bucket, "a/notes.txt", "--yes", "--reason", "old"), exitOK, "is removed")
	r.bad(r.run("objects", "rm", bucket, "a/notes.txt", "--yes"), exitMissing, "not there")
	r.bad(r.run("objects", "put", bucket, "b", "notes.txt", "--read-only"), exitDenied, "read-only")
	r.bad(r.good("journal"), exitOK, "upload", "delete object", "old")
	left, err := filepath.Glob(".lookout-*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Each kind of failure has its exit code and its next step.
func TestExitCodes(t *testing.T) {
	r := newRig(t, emulator.Options{})
	id := r.idOf("services", "edge-router")
	fault := func(match string, f emulator.Fault, code int, parts ...string) {
		t.Helper()
		r.api.Clear()
		r.api.Fail(match, f)
		r.bad(r.run("services", "enable", id), code, parts...)
	}
	fault("enable service", emulator.Fault{Status: 502, Applied: true}, exitUnknown, "look whether")
	fault("enable service", emulator.Fault{Reset: true}, exitUnknown)
	fault("enable service", emulator.Fault{Status: 429, RetryAfter: "1"}, exitLater)
	fault("enable service", emulator.Fault{Status: 403}, exitDenied)
	fault("enable service", emulator.Fault{Status: 400}, exitError)
	r.api.Clear()
	r.bad(r.run("services", "enable", id, "--read-only"), exitDenied, "read-only")
	r.bad(r.run("services", "list", "--nonsense"), exitUsage, "--help")
	r.bad(r.run("services", "get", "99999"), exitMissing)
	r.bad(r.run("services", "list", "--base-url", "http://127.0.0.1:1/v4"), exitLater, "127.0.0.1:1")
	r.bad(r.run("journal"), exitOK, "enable service", "unknown", "not done")
	if s := r.good("journal", "--outcome", "unknown,sent"); strings.Count(s.out, "\n") != 3 || strings.Contains(s.out, "not done") {
		t.Errorf("%s", s.out)
	}
	r.bad(r.run("journal", "--outcome", "lost"), exitUsage, "not done")
	t.Setenv("LOOKOUT_TOKEN", "another")
	r.bad(r.run("services", "list"), exitDenied, "LOOKOUT_TOKEN")
	t.Setenv("LOOKOUT_TOKEN", "")
	r.bad(r.run("services", "list"), exitDenied, "there is no token")
	t.Setenv("LOOKOUT_BASE_URL", "")
	r.bad(r.run("services", "list"), exitUsage, "no account is configured")
	r.bad(r.run(), exitUsage, "no account is configured")
}

func TestScopeThatIsMissing(t *testing.T) {
	faultrig.Report(t, "A26", "told by scripts")
	r := newRig(t, emulator.Options{Scopes: "account:read_only"})
	r.bad(r.run("buckets", "list"), exitDenied, "object_storage:read_only")
}

// Reading needs no place to write.
func TestReadingMakesNoFile(t *testing.T) {
	faultrig.Report(t, "G4", "reading makes no file")
	r := newRig(t, emulator.Options{})
	r.good("services", "list")
	r.good("journal")
	if _, err := os.Stat(filepath.Join(r.home, "state")); err == nil {
		t.Error("a list made a state folder")
	}
}

func TestHostileTextInEveryShape(t *testing.T) {
	r := newRig(t, emulator.Options{})
	evil := "a\x1b[31m\u202ered\u009b2J\nb\tc"
	r.good("contacts", "create", "--name", evil, "--email", "e@acme.net")
	for _, format := range formats {
		s := r.good("contacts", "list", "-o", format)
		if format == "csv" && !strings.Contains(s.out, "2J\nb\tc") { // for programs; on a terminal TestATerminalIsNotSteered
			t.Errorf("csv has no line breaks and tabs: %q", s.out)
		}
		if strings.ContainsAny(s.out, "\x1b\u202e\u009b") || format != "csv" && strings.Contains(s.out, "\t") {
			t.Errorf("%s lets it through: %q", format, s.out)
		}
	}
	var rows []struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal([]byte(r.good("contacts", "list", "-o", "json").out), &rows); err != nil || rows[len(rows)-1].Name != evil {
		t.Errorf("%v, %q", err, rows)
	}
}

func TestHandover(t *testing.T) {
	r := newRig(t, emulator.Options{})
	id := r.idOf("services", "edge-router")
	r.good("services", "disable", id, "--for", "1h", "--reason", "switch [the] line")
	other := r.idOf("services", "web-1")
	r.api.Fail("disable service", emulator.Fault{Status: 502, Applied: true})
	r.bad(r.run("services", "disable", other), exitUnknown)
	r.api.Clear()
	r.bad(r.good("handover"), exitOK, "# Hand-over of account", "## Still disabled", "edge-router", `switch \[the\] line`, "Outcome unknown", "web-1", "## Open issues", "billing-api", "ticket")
	var h handover
	if err := json.Unmarshal([]byte(r.good("handover", "-o", "json").out), &h); err != nil || len(h.Changes) != 2 || len(h.Unknown) != 1 || len(h.Problems) == 0 {
		t.Errorf("%+v, %v", h, err)
	}
	r.api.Fail("list services", emulator.Fault{Status: 403})
	r.bad(r.run("handover"), exitDenied, "## Could not be read", "edge-router", "not complete")
	r.bad(r.run("handover", "--since", "yesterday"), exitUsage, "8h")
}

// Where the hand-over could not look, no section says that there is nothing.
func TestAHandoverThatCouldNotLook(t *testing.T) {
	for name, fault := range map[string]emulator.Fault{"refused": {Status: 401}, "failing": {Status: 400}, "garbled": {Status: 200, Body: "<html>"}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, emulator.Options{})
			r.good("services", "disable", r.idOf("services", "edge-router"), "--for", "1h")
			r.api.Fail("*", fault)
			s := r.run("handover")
			r.bad(s, s.code, "## Services in trouble **could not be read** ## Open issues **could not be read** ## Still disabled - **edge-router**",
				"- **could not be read**; what this machine's journal knows is named")
			if s.code == exitOK {
				t.Error("the exit code says that all is well")
			}
			var h map[string]any
			if err := json.Unmarshal([]byte(r.run("handover", "-o", "json").out), &h); err != nil || h["problems"] != nil || h["issues"] != nil || h["disabled"] == nil {
				t.Errorf("%v, %v", h, err)
			}
		})
	}
}

// A source that fails spoils its own section alone; issues that are left out are counted.
func TestAHandoverWithoutItsTickets(t *testing.T) {
	r := newRig(t, emulator.Options{})
	r.good("services", "disable", r.idOf("services", "web-1"))
	r.api.Fail("list issues", emulator.Fault{Status: 403})
	r.api.Fail("view ticket", emulator.Fault{Status: 403})
	r.bad(r.run("handover"), exitDenied, "## Services in trouble - **", "## Open issues **could not be read** ## Still disabled - **")
	r.api.Clear()
	r.api.Fail("view ticket", emulator.Fault{Status: 403})
	r.bad(r.good("handover", "--since", "1s"), exitOK, "## Open issues **could not be read**: tickets: ", "older issues are left out", "## Could not be read - tickets: ")
}

// Every noun has list or get, also where the noun by itself says all.
func TestListAndGetOfEveryNoun(t *testing.T) {
	r := newRig(t, emulator.Options{})
	r.good("services", "disable", r.idOf("services", "web-1"), "--reason", "audit")
	for bare, same := range map[string][]string{"journal": {"list"}, "stats": {"list"}, "transfer": {"list", "get"}} {
		for _, word := range same {
			if all, one := r.good(bare, "-o", "json").out, r.good(bare, word, "-o", "json").out; all != one || len(one) < 10 {
				t.Errorf("%s %s: %s", bare, word, one)
			}
		}
	}
	if r.good("journal", "list", "--since", "8h", "--outcome", "unknown").out != r.good("journal", "--outcome", "unknown").out {
		t.Error("the flags differ")
	}
	var entries []entry
	if err := json.Unmarshal([]byte(r.good("journal", "-o", "json").out), &entries); err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	r.bad(r.run("journal", "get", entries[0].ID), exitOK, "disable service", "audit", entries[0].ID, entries[0].Path)
	r.bad(r.run("journal", "get", "nothing"), exitMissing, "--since all")
	r.bad(r.run("stats", "get", "cpu"), exitOK, "name cpu")
	r.bad(r.run("stats", "get", "ram"), exitMissing, "cpu, disk")
	r.bad(r.run("journal", "lis"), exitUsage, "list")
}

// In JSON null stays null, and what the API has never sent is not made up.
func TestJSONKeepsNull(t *testing.T) {
	r := newRig(t, emulator.Options{})
	of := func(args ...string) map[string]any {
		var v map[string]any
		if err := json.Unmarshal([]byte(r.good(append(args, "-o", "json")...).out), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	id := r.idOf("ssh", "web-1")
	r.good("ssh", "set", id, "--user", "", "--port", "0")
	ssh := of("ssh", "get", id)["ssh"].(map[string]any)
	contact := of("contacts", "create", "--name", "Nobody Known", "--email", "nobody@example.com")
	service := of("services", "create", "--label", "nothing more", "--address", "https://shop.example.com")
	var folder map[string]any
	rows := r.good("objects", "list", "us-east-1/acme-backups", "-o", "ndjson").out
	for row := range strings.Lines(rows) {
		if strings.Contains(row, `/"`) {
			if err := json.Unmarshal([]byte(row), &folder); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !strings.Contains(rows, `/"`) || !strings.Contains(rows, `"size":`) {
		t.Fatal(rows)
	}
	for _, one := range []struct {
		of    map[string]any
		names []string
	}{
		{ssh, []string{"user", "port"}},
		{contact, []string{"group"}},
		{contact["phone"].(map[string]any), []string{"primary", "secondary"}},
		{service, []string{"body", "notes", "region"}},
		{folder, []string{"etag", "last_modified", "owner", "size"}},
	} {
		for _, name := range one.names {
			if value, there := one.of[name]; !there || value != nil {
				t.Errorf("%s is %#v", name, value)
			}
		}
	}
	r.good("ssh", "set", id, "--user", "ada", "--port", "2222")
	if ssh := of("ssh", "get", id)["ssh"].(map[string]any); ssh["user"] != "ada" || ssh["port"] != 2222.0 || ssh["access"] == nil || ssh["ip"] == nil {
		t.Errorf("%v", ssh)
	}
}
