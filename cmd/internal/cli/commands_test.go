package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/journal"
	"lookout/client/window"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/testenv"
)

// Every list in every format: JSON is valid, CSV has the columns' names, and tables have no tab and no terminal control
// character.
func TestLists_everyOutputFormat(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for _, args := range [][]string{{"services", "list"}, {"issues", "list"}, {"contacts", "list"}, {
		"credentials", "list",
	}, {"ssh", "list"}, {"stats"},
		{"buckets", "list"}, {
			"objects", "list", "us-east-1/acme-backups",
		}, {"keys", "list"}, {"clusters", "list"}, {"transfer"}, {"journal"}} {
		name := strings.Join(args, " ")
		table := r.MustRun(args...).Out
		if strings.ContainsAny(table, "\t\x1b") ||
			args[0] != "journal" && strings.Count(table, "\n") < 2 && args[0] != "transfer" {
			t.Errorf("%s: the table is %q", name, table)
		}
		var v any
		if out := r.MustRun(append(args, "-o", "json")...).Out; json.Unmarshal([]byte(out), &v) != nil {
			t.Errorf("%s: no JSON: %.200s", name, out)
		}
		for line := range strings.Lines(r.MustRun(append(args, "-o", "ndjson")...).Out) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: no JSON: %.200s", name, line)
			}
		}
		rows, err := csv.NewReader(strings.NewReader(r.MustRun(append(args, "-o", "csv")...).Out)).ReadAll()
		if err != nil || rows[0][0] != strings.ToLower(rows[0][0]) {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
	}
	r.CheckResult(r.Run("services", "list", "-o", "xml"), exit.CodeUsage, "ndjson")
}

// Column names and their order are a promise to scripts.
func TestColumns_namesAreStable(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	const bucket = "cluster,label,objects,size,created,hostname,region,endpoint_type,s3_endpoint"
	for command, want := range map[string]string{
		"services list": "id,status,label,service_type,address,timeout,consultation_group,updated,body,credentials," +
			"notes,region,created",
		"issues list":                      "id,created,services,ticket,ticket_label,ticket_url",
		"contacts list":                    "id,name,group,email,phone_primary,phone_secondary,updated",
		"credentials list":                 "id,label,last_decrypted",
		"ssh list":                         "id,label,access,user,ip,port,group",
		"stats":                            "name,unit,min,avg,max,last",
		"buckets list":                     bucket,
		"keys list":                        "id,label,access_key,limited,bucket_access,secret_key,regions",
		"buckets list --cluster us-east-1": bucket,
		"clusters list":                    "id,region,status,domain,static_site_domain",
		"transfer":                         "used",
		"journal":                          "time,op,of,label,outcome,until,reason,why,id,method,path,start",
	} {
		head, _, _ := strings.Cut(r.MustRun(append(strings.Fields(command), "-o", "csv")...).Out, "\n")
		if head != want {
			t.Errorf("%s: %s", command, head)
		}
	}
}

// In a pipe, CSV holds what the API sent, so that a name from it finds the object. Tables make invisible characters
// visible.
func TestCSVIsAsTheAPISentIt(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	name := "two\nlines,\t\"quoted\" ‹␊› é.txt"
	file := filepath.Join(r.Home, "file")
	r.Write(file, "content")
	r.MustRun("objects", "put", "us-east-1/acme-backups", name, file)
	rows, err := csv.NewReader(
		strings.NewReader(r.MustRun("objects", "list", "us-east-1/acme-backups", "two", "-o", "csv").Out),
	).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][2] != name {
		t.Fatalf("%q, %v", rows, err)
	}
	if got := r.MustRun("objects", "get", "us-east-1/acme-backups", rows[1][2], "-").Out; got != "content" {
		t.Errorf("%q", got)
	}
	if table := r.MustRun("objects", "list", "us-east-1/acme-backups", "two").Out; !strings.Contains(
		table, "two‹␊›lines",
	) ||
		strings.Count(table, "\n") != 2 {
		t.Errorf("%q", table)
	}
	r.MustRun("services", "update", "1", "--label", "two\nlines", "--notes", "first\nsecond")
	rows, err = csv.NewReader(strings.NewReader(r.MustRun("services", "get", "two\nlines", "-o", "csv").Out)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][2] != "two\nlines" || rows[1][10] != "first\nsecond" {
		t.Errorf("%q, %v", rows, err)
	}
}

// --for takes the same times as the form. Without it nothing enables the service again, and the command says so.
func TestServicesDisable_forTakesTimes(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	const warning = "service web-1 (4): nothing will enable it automatically"
	for text, want := range map[string]time.Duration{
		"1h": time.Hour, "1h30m": 90 * time.Minute, "2d": 48 * time.Hour, "none": 0,
	} {
		result := r.MustRun("services", "disable", "web-1", "--for", text, "--replace")
		if got := strings.Contains(result.Err, warning); got != (want == 0) {
			t.Errorf("--for %s: %s", text, result.Err)
		}
		ends := strings.Contains(result.Err, "by a dashboard or lookout keep, or when one is next started")
		if ends != (want > 0) {
			t.Errorf("--for %s does not say what enables the service again: %s", text, result.Err)
		}
		end := lastEnd(t, r)
		if want == 0 && !end.IsZero() || want != 0 && time.Until(end.Add(-want)).Abs() > time.Minute {
			t.Errorf("--for %s: until %s", text, end)
		}
	}
	r.MustRun("services", "enable", "web-1")
	if result := r.MustRun("services", "disable", "web-1"); !strings.Contains(result.Err, warning) {
		t.Error(result.Err)
	}
	r.MustRun("services", "disable", "web-1", "--for", "06:30", "--replace")
	if end := lastEnd(t, r); end.Local().Format("15:04") != "06:30" || time.Until(end) > 25*time.Hour {
		t.Errorf("--for 06:30: until %s", end)
	}
	r.CheckResult(
		r.Run("services", "disable", "web-1", "--for", "2020-01-01"), exit.CodeUsage, `--for "2020-01-01" is not after`,
	)
	r.MustRun("services", "enable", "web-1")
	changes := len(r.API.Ledger())
	r.CheckResult(r.Run("services", "cancel-maintenance", "web-1"), exit.CodeOK, "no maintenance is planned")
	window := time.Now().AddDate(0, 0, 3).Format("Mon") + " 02:00-04:00"
	r.CheckResult(
		r.MustRun("services", "disable", "web-1", "--for", window), exit.CodeOK,
		"service web-1 (4): is to be disabled from ", "by a dashboard or lookout keep",
	)
	r.CheckResult(r.MustRun("journal"), exit.CodeOK, "plan maintenance")
	r.MustRun("services", "cancel-maintenance", "web-1")
	r.CheckResult(r.MustRun("journal"), exit.CodeOK, "cancel maintenance")
	if len(r.API.Ledger()) != changes {
		t.Errorf("planning sent changes: %v", r.API.Ledger()[changes:])
	}
	// a script that computes a duration must not silence a service for good
	for _, text := range []string{"0m", "0", "0s"} {
		r.CheckResult(r.Run("services", "disable", "web-1", "--for", text), exit.CodeUsage, "for no end, use none")
	}
	if len(r.API.Ledger()) != changes {
		t.Errorf("a duration of zero sent changes: %v", r.API.Ledger()[changes:])
	}
	r.CheckResult(r.Run("services", "disable", "web-1", "--for", "-1h"), exit.CodeUsage, "from 1s to a year")
	r.CheckResult(r.Run("services", "disable", "web-1", "--for", "8761h"), exit.CodeUsage, "from 1s to a year")
}

// A window that a script plans begins at its start and not before, and one that a script cancels does not begin: the
// journal, which dashboards and lookout keep obey, has the start and the window that is cancelled.
func TestServicesDisable_plannedWindowBeginsAtItsStart(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", "web-1", "--for", "tomorrow 02:00-04:00")
	planned := func() map[string]window.Window {
		j, err := journal.Open(r.journalPath(), "", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		return j.PlannedWindows()
	}
	windows := planned()
	if len(windows) != 1 {
		t.Fatalf("planned: %v", windows)
	}
	for _, w := range windows {
		if w.Start.Local().Format("15:04") != "02:00" || w.End.Sub(w.Start) != 2*time.Hour ||
			!w.Start.After(time.Now()) {
			t.Errorf("planned from %s until %s", w.Start, w.End)
		}
	}
	r.CheckResult(r.Run("services", "cancel-maintenance", "web-1"), exit.CodeOK, "")
	if windows := planned(); len(windows) != 0 {
		t.Errorf("cancelled, and still planned: %v", windows)
	}
	r.CheckResult(r.Run("services", "cancel-maintenance", "web-1"), exit.CodeOK, "no maintenance is planned")
}

// The journal shows when a planned window begins and when it ends.
func TestJournal_planHasItsStart(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", "web-1", "--for", "tomorrow 02:00-04:00")
	var entries []journalRow
	if err := json.Unmarshal([]byte(r.MustRun("journal", "-o", "json").Out), &entries); err != nil ||
		len(entries) != 1 || entries[0].Until.Sub(entries[0].Start) != 2*time.Hour {
		t.Fatalf("%v, %v", entries, err)
	}
	start, until := formatTime(entries[0].Start), formatTime(entries[0].Until)
	r.CheckResult(r.MustRun("journal", "-o", "csv", "--columns", "op,start,until"), exit.CodeOK,
		"op,start,until plan maintenance,"+start+","+until)
}

// A window that overlaps others is refused before anything is sent, unless --replace is given: then it takes their
// place. A service that is disabled as it is to be is left as it is.
func TestServicesDisable_overlap(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	const plan, disable = "tomorrow 02:00-04:00", "2d"
	windows := func() string {
		j, err := journal.Open(r.journalPath(), "", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		var texts []string
		for _, w := range j.Windows() {
			span := "without an end"
			if !w.End.IsZero() {
				span = w.End.Sub(w.Start).Round(time.Hour).String()
			}
			texts = append(texts, string(w.State)+" "+span)
		}
		return strings.Join(texts, ", ")
	}
	for _, step := range []struct {
		args    []string
		code    int
		text    string // in the error
		windows string
		sent    int
	}{
		{[]string{"--for", plan}, exit.CodeOK, "", "planned 2h0m0s", 0},
		{[]string{"--for", "tomorrow 03:00-05:00"}, exit.CodeUsage, "add --replace", "planned 2h0m0s", 0},
		{[]string{"--for", "tomorrow 01:00-05:00", "--replace"}, exit.CodeOK, "", "planned 4h0m0s", 0},
		{[]string{"--for", disable}, exit.CodeUsage, "web-1 is planned to be disabled ", "planned 4h0m0s", 0},
		{[]string{"--for", disable, "--replace"}, exit.CodeOK, "", "active 48h0m0s", 1},
		{[]string{"--for", "1h"}, exit.CodeUsage, "web-1 is disabled until ", "active 48h0m0s", 0},
		{[]string{"--for", "1h", "--replace"}, exit.CodeOK, "", "active 1h0m0s", 0},
		{[]string{"--replace"}, exit.CodeOK, "", "active without an end", 0},
		{nil, exit.CodeOK, "already has these values", "active without an end", 0},
	} {
		before := len(r.API.Ledger())
		result := r.Run(append([]string{"services", "disable", "web-1"}, step.args...)...)
		r.CheckResult(result, step.code, step.text)
		if sent := len(r.API.Ledger()) - before; sent != step.sent || windows() != step.windows {
			t.Errorf("%q: %d changes sent, windows %q, want %q", step.args, sent, windows(), step.windows)
		}
	}
}

// lastEnd returns the end of the window that the last change in the journal began.
func lastEnd(t *testing.T, r *testEnv) time.Time {
	t.Helper()
	var entries []struct{ Until time.Time }
	if err := json.Unmarshal([]byte(r.MustRun("journal", "-o", "json").Out), &entries); err != nil {
		t.Fatal(err)
	}
	return entries[len(entries)-1].Until
}

// The journal names objects that scripts changed as it names those that panes changed: kind, ID, label, reason.
func TestTheJournalNamesWhatScriptsChange(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	t.Chdir(r.Home)
	r.Write("new.txt", "x")
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
		r.MustRun(args...)
		var entries []journalRow
		if err := json.Unmarshal([]byte(r.MustRun("journal", "-o", "json").Out), &entries); err != nil ||
			len(entries) == 0 {
			t.Fatalf("%v, %v", entries, err)
		}
		last := entries[len(entries)-1]
		if last.Kind != c.kind || last.TargetID != c.of || last.Label != c.labels || last.Reason != "why" {
			t.Errorf("%s: %+v", c.line, last)
		}
	}
}

// A list that was cut off does not count as complete, and one that failed is not drawn as empty.
func TestAListThatIsCutSaysSo(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.API.InjectFault("list services", emulator.Fault{Status: 200, Body: `{"data":[],"page":1,"pages":3,"results":60}`})
	r.CheckResult(r.Run("services", "list"), exit.CodeFailure, "may be incomplete")
	r.API.InjectFault(
		"list objects", emulator.Fault{Status: 200, Body: `{"data":[],"is_truncated":true,"next_marker":null}`},
	)
	s := r.Run("objects", "list", "us-east-1/acme-www", "-o", "ndjson")
	r.CheckResult(s, exit.CodeFailure, "incomplete: marker missing")
	r.API.InjectFault("list contacts", emulator.Fault{Status: 403})
	if s := r.Run("contacts", "list"); s.Out != "" || s.Code != exit.CodeDenied {
		t.Errorf("exit code %d, and a table is drawn: %q", s.Code, s.Out)
	}
}

func TestScopeThatIsMissing(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "A26", "told by scripts")
	r := newTestEnv(t, emulator.Options{Scopes: "account:read_only"})
	r.CheckResult(r.Run("buckets", "list"), exit.CodeDenied, "object_storage:read_only")
}

// Reading writes nothing of the account.
func TestReadingMakesNoFile(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "G4", "reading makes no file")
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "list")
	r.MustRun("journal")
	found, _ := filepath.Glob(filepath.Join(r.Home, "state", "lookout", "*"))
	for _, path := range found {
		if filepath.Ext(path) != ".requests" {
			t.Errorf("a list made %s", path)
		}
	}
}

func TestOutput_hostileTextInEveryFormat(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	evil := "a\x1b[31m\u202ered\u009b2J\nb\tc"
	r.MustRun("contacts", "create", "--name", evil, "--email", "e@acme.net")
	for _, format := range output.Formats {
		s := r.MustRun("contacts", "list", "-o", format)
		// for programs, which get it exactly; TestATerminalIsNotSteered covers terminals
		if format == "csv" && !strings.Contains(s.Out, evil) {
			t.Errorf("csv does not hold the text: %q", s.Out)
		}
		if format != "csv" && strings.ContainsAny(s.Out, "\x1b\u202e\u009b\t") {
			t.Errorf("%s lets it through: %q", format, s.Out)
		}
	}
	var rows []struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal([]byte(r.MustRun("contacts", "list", "-o", "json").Out), &rows); err != nil ||
		rows[len(rows)-1].Name != evil {
		t.Errorf("%v, %q", err, rows)
	}
}

func TestHandover(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	id := r.FindID("services", "edge-router")
	r.MustRun("services", "disable", id, "--for", "1h", "--reason", "switch [the] line")
	other := r.FindID("services", "web-1")
	r.API.InjectFault("disable service", emulator.Fault{Status: 502, ApplyFirst: true})
	r.CheckResult(r.Run("services", "disable", other), exit.CodeUnknown)
	r.API.ClearFaults()
	r.CheckResult(
		r.MustRun("handover"), exit.CodeOK, "# Handover of account", "## Silenced now", "edge-router",
		`switch \[the\] line`, "Outcome unknown", "web-1", "## Open issues", "billing-api", "ticket",
	)
	var h handoverRow
	if err := json.Unmarshal([]byte(r.MustRun("handover", "-o", "json").Out), &h); err != nil || len(h.Changes) != 2 ||
		len(h.Unknown) != 1 ||
		len(h.Problems) == 0 {
		t.Errorf("%+v, %v", h, err)
	}
	r.API.InjectFault("list services", emulator.Fault{Status: 403})
	r.CheckResult(r.Run("handover"), exit.CodeDenied, "## Not read", "edge-router", "incomplete")
	r.CheckResult(r.Run("handover", "--since", "yesterday"), exit.CodeUsage, "8h")
}

// The next shift must know what will be silenced tonight: a handover lists the planned windows with their start, their
// end and their reason, the next one first, and no window that was cancelled.
func TestHandover_planned(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.CheckResult(r.MustRun("handover"), exit.CodeOK, "## Planned nothing from this machine ##")
	r.MustRun("services", "disable", "web-1", "--for", "tomorrow 04:00-05:00", "--reason", "disk_1")
	r.MustRun("services", "disable", "web-2", "--for", "tomorrow 02:00-03:30")
	r.MustRun("services", "disable", "edge-router", "--for", "tomorrow 01:00-06:00")
	r.MustRun("services", "cancel-maintenance", "edge-router")
	var h handoverRow
	if err := json.Unmarshal([]byte(r.MustRun("handover", "-o", "json").Out), &h); err != nil || len(h.Planned) != 2 {
		t.Fatalf("%+v, %v", h.Planned, err)
	}
	first, second := h.Planned[0], h.Planned[1]
	if first.Label != "web-2" || first.Until.Sub(first.Start) != 90*time.Minute || second.Reason != "disk_1" {
		t.Errorf("%+v", h.Planned)
	}
	minute := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
	s := r.MustRun("handover")
	r.CheckResult(s, exit.CodeOK, fmt.Sprintf(
		`## Planned - **web-2** (%d) from %s until %s - **web-1** (%d) from %s until %s: disk\_1 Planned on this`,
		first.ID, minute(first.Start), minute(first.Until), second.ID, minute(second.Start), minute(second.Until),
	), "plan maintenance web-1, from "+minute(second.Start)+", until ")
}

// A folder that was uploaded is one line of a handover. What may not have arrived has its own, and JSON has each.
func TestHandover_countsManyTransfers(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	site := filepath.Join(r.Home, "site")
	for i := range 12 {
		r.Write(filepath.Join(site, fmt.Sprintf("%d.html", i)), "page")
	}
	r.MustRun("objects", "sync", site, testenv.Bucket+"/www", "--reason", "release")
	r.MustRun("objects", "put", testenv.Bucket, "one.txt", filepath.Join(site, "1.html"))
	text := r.MustRun("handover").Out
	if n := strings.Count(text, " upload "); n != 2 {
		t.Errorf("%d lines about uploads:\n%s", n, text)
	}
	r.CheckResult(
		r.Run("handover"), exit.CodeOK, "12 objects in "+testenv.Bucket+", the last one at ", ": release", "one.txt",
	)
	var h handoverRow
	if err := json.Unmarshal([]byte(r.MustRun("handover", "-o", "json").Out), &h); err != nil || len(h.Changes) != 13 {
		t.Errorf("%d changes, %v", len(h.Changes), err)
	}
}

// If a source of the handover failed, its section does not say that there is nothing.
func TestAHandoverThatCouldNotLook(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"refused": {Status: 401},
		"failing": {Status: 400},
		"garbled": {Status: 200, Body: "<html>"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			r.MustRun("services", "disable", r.FindID("services", "edge-router"), "--for", "1h")
			r.API.InjectFault("*", fault)
			s := r.Run("handover")
			r.CheckResult(
				s,
				s.Code,
				"## Services in trouble **could not be read** ## Open issues **could not be read** ## Silenced "+
					"now - **edge-router**",
				"- **could not be read**; this list is from this machine's journal",
			)
			if s.Code == exit.CodeOK {
				t.Error("the exit code says that all is well")
			}
			var h map[string]any
			if err := json.Unmarshal([]byte(r.Run("handover", "-o", "json").Out), &h); err != nil ||
				h["problems"] != nil ||
				h["issues"] != nil ||
				h["disabled"] == nil {
				t.Errorf("%v, %v", h, err)
			}
		})
	}
}

// A journal with an unreadable line may hold changes that cannot be listed, and the handover says so.
func TestHandover_unreadableJournal(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", r.FindID("services", "edge-router"), "--for", "1h")
	path := r.journalPath()
	if err := os.WriteFile(path, []byte("{torn\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := r.Run("handover")
	r.CheckResult(s, s.Code, "## Changed **incomplete**: 1 line of the journal could not be read ## Not read")
}

// A source that fails affects only its own section. Issues that are left out are counted.
func TestAHandoverWithoutItsTickets(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.useProviderDialect()
	r.MustRun("services", "disable", r.FindID("services", "web-1"))
	r.API.InjectFault("list issues", emulator.Fault{Status: 403})
	r.API.InjectFault("view ticket", emulator.Fault{Status: 403})
	r.CheckResult(
		r.Run("handover"), exit.CodeDenied, "## Services in trouble - **",
		"## Open issues **could not be read** ## Silenced now - **",
	)
	r.API.ClearFaults()
	r.API.InjectFault("view ticket", emulator.Fault{Status: 403})
	r.CheckResult(
		r.MustRun("handover", "--since", "1s"), exit.CodeOK,
		`issue 823: billing-api; ticket 48213, not read: "Forbidden" (403)`,
		"**silenced**: monitoring of web-1 is disabled", "- **incomplete**: ",
		"older issues are omitted", "## Not read - tickets: ",
	)
	r.WriteConfig("") // the API document has no tickets
	asked := r.API.RequestCount("view ticket")
	r.CheckResult(
		r.MustRun("handover"), exit.CodeOK,
		`issue 823: billing-api; ticket 48213, unknown (not in this API)`,
	)
	r.CheckResult(r.Run("status"), exit.CodeProblem, `ticket 48213: unknown (not in this API)`)
	if r.API.RequestCount("view ticket") != asked {
		t.Error("asked for a ticket")
	}
}

// Every resource has list or get, and its name alone lists it.
func TestResources_listAndGetAgree(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", r.FindID("services", "web-1"), "--reason", "audit")
	names := "services issues contacts credentials ssh buckets keys clusters journal stats transfer"
	for _, bare := range strings.Fields(names) {
		for _, word := range []string{"list", "get"} {
			if word == "get" && bare != "transfer" {
				continue
			}
			if all, one := r.MustRun(bare, "-o", "json").Out, r.MustRun(bare, word, "-o", "json").Out; all != one ||
				len(one) < 10 {
				t.Errorf("%s %s: %s", bare, word, one)
			}
		}
	}
	if r.MustRun("journal", "list", "--since", "8h", "--outcome", "unknown").Out != r.MustRun(
		"journal", "--outcome", "unknown",
	).Out {
		t.Error("the flags differ")
	}
	r.CheckResult(
		r.MustRun("services", "--filter", "status:disabled", "--columns", "label"), exit.CodeOK,
		"LABEL billing-cron web-1",
	)
	var entries []journalRow
	if err := json.Unmarshal([]byte(r.MustRun("journal", "-o", "json").Out), &entries); err != nil ||
		len(entries) != 1 {
		t.Fatal(entries, err)
	}
	r.CheckResult(
		r.Run("journal", "get", entries[0].ID), exit.CodeOK, "disable service", "audit", entries[0].ID, entries[0].Path,
	)
	r.CheckResult(r.Run("journal", "get", "nothing"), exit.CodeNotFound, "--since all")
	r.CheckResult(r.Run("stats", "get", "cpu"), exit.CodeOK, "name cpu")
	r.CheckResult(r.Run("stats", "get", "ram"), exit.CodeNotFound, "cpu, disk")
	r.CheckResult(r.Run("journal", "lis"), exit.CodeUsage, "list")
}

func TestNoTokenOnTheCommandLine(t *testing.T) {
	faulttest.ReportCase(t, "F1", "no flag")
	if code := Execute(nil, []string{"--token", "x"}, nil, io.Discard, io.Discard); code != exit.CodeUsage {
		t.Errorf("exit code %d", code)
	}
}
