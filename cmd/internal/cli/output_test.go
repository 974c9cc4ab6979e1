package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/account/handover"
	"lookout/client/account/incident"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/testenv"
)

// listCommands are the lists of all resources.
var listCommands = [][]string{
	{"services", "list"},
	{"issues", "list"},
	{"contacts", "list"},
	{"credentials", "list"},
	{"ssh", "list"},
	{"stats"},
	{"buckets", "list"},
	{"objects", "list", "us-east-1/acme-backups", "-r"},
	{"keys", "list"},
	{"clusters", "list"},
	{"transfer"},
	{"journal", "list"},
}

// Times are in RFC 3339, with a zone and in UTC, in every format of every list.
func TestScripts_timesHaveTheirZone(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", "web-1", "--for", "1h")
	looksLikeTime := regexp.MustCompile(`\b\d{4}-\d\d-\d\dT[\d:.]*[^\s",]*`)
	found := map[string]int{}
	for _, list := range listCommands {
		for _, format := range output.Formats {
			out := r.MustRun(append(list[:len(list):len(list)], "-o", format)...).Out
			for _, text := range looksLikeTime.FindAllString(out, -1) {
				at, err := time.Parse(time.RFC3339, text)
				if err != nil || text[len(text)-1] != 'Z' || at.IsZero() {
					t.Errorf("%v -o %s prints the time %s", list, format, text)
				}
				found[format]++
			}
		}
	}
	for _, format := range output.Formats {
		if found[format] < 50 {
			t.Errorf("%d times with -o %s", found[format], format)
		}
	}
}

// Every list prints the columns that --columns names, in this order, with or without their names, and sorts and filters
// by each of them.
func TestScripts_everyListTakesItsColumns(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", "web-1")
	for _, list := range listCommands {
		with := func(more ...string) []string { return append(list[:len(list):len(list)], more...) }
		all := r.MustRun(with("-o", "csv")...).Out
		header, rows, _ := strings.Cut(all, "\n")
		names := strings.Split(header, ",")
		slices.Reverse(names)
		chosen := strings.Join(names, ",")
		if got := r.MustRun(with("-o", "csv", "--columns", chosen)...).Out; !strings.HasPrefix(got, chosen+"\n") ||
			records(t, got) != records(t, all) {
			t.Errorf("%v --columns %s:\n%s", list, chosen, got)
		}
		if got := r.MustRun(with("-o", "csv", "--no-headers")...).Out; got != rows {
			t.Errorf("%v --no-headers:\n%s", list, got)
		}
		r.CheckResult(r.Run(with("--columns", "x")...), exit.CodeUsage, `--columns: unknown column "x" (use `, names[0])
		r.CheckResult(
			r.Run(with("--columns", names[0], "-o", "json")...),
			exit.CodeUsage,
			"--columns is for table and csv",
		)
		if list[0] == "stats" || list[0] == "transfer" {
			continue // one row, not a list
		}
		last := names[len(names)-1]
		for _, name := range names {
			column := r.MustRun(with("-o", "csv", "--no-headers", "--columns", name+","+last, "--sort", name)...).Out
			if records(t, column) != records(t, rows) {
				t.Errorf("%v --sort %s:\n%s", list, name, column)
			}
			found := r.MustRun(with("-o", "csv", "--no-headers", "--filter", name+`:""|!""`)...).Out
			if found != rows {
				t.Errorf("%v --filter by %s:\n%s", list, name, found)
			}
		}
		r.CheckResult(r.Run(with("--sort", "x")...), exit.CodeUsage, `--sort: unknown column "x"`)
		r.CheckResult(r.Run(with("--filter", "x:y")...), exit.CodeUsage, `--filter: unknown column "x"; columns: `)
	}
}

// --jq works on every list, with each row as -o ndjson prints it and with the whole as -o json does, and every command
// with -o ndjson takes it.
func TestScripts_everyListTakesJQ(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", "web-1")
	lists := append(
		slices.Clone(listCommands),
		[]string{"accounts", "list"}, []string{"services", "get", "web-1"}, []string{"audit"}, []string{"status"},
	)
	for _, list := range lists {
		code := r.Run(list...).Code // audit and status say with it what they found
		with := func(more ...string) string {
			answer := r.Run(append(list[:len(list):len(list)], more...)...)
			if answer.Code != code {
				t.Errorf("%v %v: exit code %d, not %d: %s", list, more, answer.Code, code, answer.Err)
			}
			return answer.Out
		}
		want := decodeJSON(t, with("-o", "json"))
		for _, args := range [][]string{{"--jq", "."}, {"--jq", ".", "-o", "json"}} {
			if got := decodeJSON(t, with(args...)); !reflect.DeepEqual(got, want) {
				t.Errorf("%v %v prints %.300v, not %.300v", list, args, got, want)
			}
		}
		each, isList := want.([]any)
		if !isList {
			each = []any{want}
		}
		lines := strings.SplitAfter(with("--jq", ".", "-o", "ndjson"), "\n")
		if len(lines) != len(each)+1 {
			t.Fatalf("%v: %d lines, %d rows", list, len(lines)-1, len(each))
		}
		for i, row := range each {
			if got := decodeJSON(t, lines[i]); !reflect.DeepEqual(got, row) {
				t.Errorf("%v: line %d is %v, not %v", list, i+1, got, row)
			}
		}
		r.CheckResult(r.Run(append(list, "--jq", ".[")...), exit.CodeUsage, "--jq: unexpected EOF")
	}
	var check func(*cobra.Command)
	check = func(c *cobra.Command) {
		format := c.Flags().Lookup("output")
		if format != nil && strings.Contains(format.Usage, "ndjson") && c.Flags().Lookup("jq") == nil {
			t.Errorf("%s has no --jq", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check(NewRootCommand())
}

// A wrong expression sends no request. If a change was applied but its result does not fit the expression, the error
// says both.
func TestScripts_wrongJQ(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	var requests atomic.Int64
	r.Intercept(func(http.ResponseWriter, *http.Request) bool { requests.Add(1); return false })
	for _, line := range []string{
		"services list", "services get 4", "services update 4 --timeout 20", "api GET /managed/services",
		"objects list us-east-1/acme-backups", "audit",
	} {
		r.CheckResult(r.Run(append(strings.Fields(line), "--jq", "}")...), exit.CodeUsage, `--jq: unexpected token "}"`)
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
	for _, line := range []string{"services update 4 --timeout 20", "api PUT /managed/services/4 --field timeout=21"} {
		r.CheckResult(
			r.Run(append(strings.Fields(line), "--jq", ".label.none")...), exit.CodeUnknown,
			"the change was applied", "could not be printed (--jq: expected an object but got string",
		)
	}
	if n := len(r.API.Ledger()); n != 2 {
		t.Errorf("%d changes", n)
	}
}

// lookout api gives its answer to an expression: of a page, of all pages as one list, and of a change.
func TestAPI_jq(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	labels := r.MustRun("services", "list", "--jq", ".[].label").Out
	for _, c := range []struct{ line, expression, want string }{
		{"api GET /managed/services", ".data[].label", labels},
		{"api GET /managed/services --field page_size=25 --paginate", ".[].label", labels},
		{"api GET /managed/services/4", ".label", "web-1\n"},
		{"api PUT /managed/services/4 --field timeout=21", "[.id, .timeout]", "[4,21]\n"},
	} {
		if got := r.MustRun(append(strings.Fields(c.line), "--jq", c.expression)...).Out; got != c.want {
			t.Errorf("%s --jq '%s': %q, not %q", c.line, c.expression, got, c.want)
		}
	}
}

// records returns how many rows a text of CSV has.
func records(t *testing.T, text string) int {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Error(err)
	}
	return len(all)
}

// --sort compares numbers as numbers and text without regard to case, in both directions; --limit then counts sorted
// rows. Without --sort the order is that of the API.
func TestScripts_sort(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	column := func(args ...string) []string {
		args = append([]string{"-o", "csv", "--no-headers"}, args...)
		return strings.Fields(r.MustRun(append([]string{"services", "list"}, args...)...).Out)
	}
	ids := column("--columns", "id")
	descending := column("--columns", "id", "--sort", "-id")
	slices.Reverse(descending)
	if !slices.Equal(column("--columns", "id", "--sort", "id"), ids) || !slices.Equal(descending, ids) ||
		len(ids) < 12 {
		t.Errorf("sorted by number: %v", descending)
	}
	labels := column("--columns", "label", "--sort", "label")
	if !slices.IsSorted(labels) || len(labels) != len(ids) {
		t.Errorf("sorted by label: %v", labels)
	}
	if got := column("--columns", "label", "--sort", "-label", "--limit", "2"); !slices.Equal(
		got, []string{labels[len(labels)-1], labels[len(labels)-2]},
	) {
		t.Errorf("the last two labels: %v", got)
	}
	sizes := strings.Split(r.MustRun("buckets", "list", "-o", "csv", "--columns", "size", "--sort", "-size").Out, "\n")
	if first, err := strconv.ParseInt(sizes[1], 10, 64); err != nil || first < 1<<30 {
		t.Errorf("the largest bucket: %v", sizes)
	}
}

// --filter takes what a pane's filter takes, in every format.
func TestScripts_filter(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for _, c := range []struct {
		filter string
		want   string // labels
	}{
		{"status:problem", "billing-api"},
		{"state:problem", "billing-api"}, // the pane's title
		{"status:problem|pending !web", "billing-api mail-1"},
		{`label:="web-1"`, "web-1"},
		{"web-1 | edge", "web-1 edge-router"},
		{"timeout:>20 status:ok", ""},
	} {
		out := r.MustRun("services", "list", "--filter", c.filter, "-o", "csv", "--columns", "label,timeout,status").Out
		for _, label := range strings.Fields(c.want) {
			if !strings.Contains(out, label+",") {
				t.Errorf("%s: %s is missing:\n%s", c.filter, label, out)
			}
		}
		rows, isList := decodeJSON(t, r.MustRun("services", "list", "--filter", c.filter, "-o", "json").Out).([]any)
		if !isList || len(rows) != strings.Count(out, "\n")-1 || len(rows) == 12 {
			t.Errorf("%s: %d rows of JSON, %q", c.filter, len(rows), out)
		}
	}
	r.CheckResult(
		r.Run(
			"services",
			"list",
			"--filter",
			"label:>2d",
		),
		exit.CodeUsage,
		"--filter: label:>2d: no row has such a value",
	)
	r.CheckResult(r.Run("services", "list", "--filter", "timeout:>x"), exit.CodeUsage, "compare with a number")
}

// decodeJSON decodes the output of a command.
func decodeJSON(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// --debug writes every request with its answer to standard error or to a private file, and no secret: neither those
// that are sent, nor those that come back, nor signatures of addresses, nor the token, even if a server repeats it.
func TestScripts_debug(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	password := filepath.Join(r.Home, "password")
	r.Write(password, "hunter2-hunter2")
	r.StoreObject("debugged", 100)
	for _, c := range []struct {
		line, want string
	}{
		{"services list --debug", "GET " + r.Base + "/managed/services?page=1&page_size=500\n"},
		{"services disable web-1 --debug", "POST " + r.Base + "/managed/services/4/disable\n"},
		{"services get 999 --debug", "404 Not Found"},
		{"audit --debug", "GET " + r.Base + "/managed/contacts?page=1&page_size=500\n"},
		{"status --debug", "GET " + r.Base + "/managed/issues?page=1&page_size=500\n"},
		{"handover --debug", "GET " + r.Base + "/managed/issues?page=1&page_size=500\n"},
		{"doctor --debug", "GET " + r.Base + "/object-storage/clusters\n"},
		{"accounts check --debug", "GET " + r.Base + "/managed/services?page=1&page_size=500\n"},
		{"keys create debugged --nothing --debug", `"secret_key":"•••"`},
		{"credentials create db9 --username root9 --password-file " + password + " --debug", `"password":"•••"`},
		{"objects get us-east-1/acme-backups debugged - --debug", "/debugged?•••\n"},
		{"objects link us-east-1/acme-backups debugged --debug", `?•••"`},
	} {
		s := r.Run(strings.Fields(c.line)...)
		if !strings.Contains(s.Err, c.want) || !strings.Contains(s.Err, "#1 > ") || !strings.Contains(s.Err, "#1 < ") {
			t.Errorf("%s: %q is missing in\n%s", c.line, c.want, s.Err)
		}
		for _, secret := range []string{"hunter2", "emulated-secret", "Signature=", "root9", "Bearer"} {
			if strings.Contains(s.Err, secret) {
				t.Errorf("%s tells %s:\n%s", c.line, secret, s.Err)
			}
		}
	}
	file := filepath.Join(r.Home, "debug.log")
	for range 2 {
		if s := r.MustRun("contacts", "list", "--debug="+file); s.Err != "" {
			t.Errorf("standard error: %s", s.Err)
		}
	}
	text, err := os.ReadFile(file)
	info, failed := os.Stat(file)
	if err != nil || failed != nil || strings.Count(string(text), "/managed/contacts") != 2 {
		t.Fatalf("%v, %v, the file holds %s", err, failed, text)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v", info.Mode())
	}
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		fmt.Fprintf(w, `{"data":[],"page":1,"pages":1,"results":0,"echo":%q}`, req.Header.Get("Authorization"))
		return true
	})
	r.MustRun("services", "list", "--debug") // fails if the output contains the token
}

// --no-color is the variable NO_COLOR, for every command.
func TestNoColorFlag(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	r.MustRun("services", "list")
	if os.Getenv("NO_COLOR") != "" {
		t.Error("NO_COLOR is set without the flag")
	}
	for _, line := range []string{"services list --no-color", "--no-color services list"} {
		t.Setenv("NO_COLOR", "")
		if r.MustRun(strings.Fields(line)...); os.Getenv("NO_COLOR") != "1" {
			t.Errorf("%s: colours are used", line)
		}
	}
}

// services wait ends when the service has the status, and fails if it does not have it in time or cannot be read.
func TestServices_wait(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.CheckResult(r.Run("services", "wait", "web-1"), exit.CodeOK, "web-1", "ok")
	r.API.InjectFault("GET /managed/services/4", emulator.Fault{
		Status: 200,
		Body:   `{"id":4,"label":"web-1","status":"pending","service_type":"url","address":"https://a"}`,
		Times:  2,
	})
	other := r.FindID("services", "billing-web")
	results := r.runTogether(
		[]string{"services", "wait", "4", "--interval", "1s", "-o", "json"},
		[]string{"services", "wait", other, "--for", "disabled", "--timeout", "1s"},
	)
	r.CheckResult(results[0], exit.CodeOK)
	if row, is := decodeJSON(t, results[0].Out).(map[string]any); !is || row["status"] != "ok" {
		t.Errorf("shows %s", results[0].Out)
	}
	r.CheckResult(results[1], exit.CodeFailure, "service billing-web ("+other+") is still ok after 1s")
	r.CheckResult(r.Run("services", "wait", "4", "--for", "gone"), exit.CodeUsage, `--for "gone": use ok or disabled`)
	r.CheckResult(
		r.Run("services", "wait", "4", "--interval", "1ms", "--for", "disabled"),
		exit.CodeUsage,
		"at least 1s",
	)
	r.API.InjectFault("view service", emulator.Fault{Status: 403})
	r.CheckResult(r.Run("services", "wait", "web-1", "--for", "disabled"), exit.CodeDenied, "view service")
}

// issues wait shows the first issue that was not there when it began, and fails if there is none in time.
func TestIssues_wait(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	quiet := httptest.NewServer(emulator.New(emulator.Options{Token: testenv.Canary}))
	defer quiet.Close()
	old := `{"id":5,"created":"2026-11-20T02:11:00","services":[4],` +
		`"entity":{"id":7,"label":"old","type":"ticket","url":"/x"}}`
	fresh := strings.NewReplacer(`"id":5`, `"id":6`, "old", "fresh").Replace(old)
	page := `{"data":[%s],"page":1,"pages":1,"results":1}`
	reads := 0
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if !strings.HasSuffix(req.URL.Path, "/managed/issues") {
			return false
		}
		if reads++; reads < 3 {
			fmt.Fprintf(w, page, old)
			return true
		}
		fmt.Fprintf(w, page, old+","+fresh)
		return true
	})
	results := r.runTogether(
		[]string{"issues", "wait", "--interval", "1s", "-o", "json"},
		[]string{"issues", "wait", "--timeout", "1s", "--interval", "1s", "--base-url", quiet.URL + "/v4"},
	)
	r.CheckResult(results[0], exit.CodeOK)
	if row, is := decodeJSON(t, results[0].Out).(map[string]any); !is || row["id"] != 6.0 || reads != 3 {
		t.Errorf("after %d reads: %s", reads, results[0].Out)
	}
	r.CheckResult(results[1], exit.CodeFailure, "no new issue", "in 1s")
}

// A list in a script says that a value in a filter is none, instead of printing nothing; a value that the API sends
// matches although the document does not have it.
func TestLists_filterForAValueThatIsNone(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for line, want := range map[string]string{
		"services list --filter status:problm":       "status:problm matches no row; this column has ok, problem",
		"services list --filter state:=o":            "state:=o matches no row; this column has ok",
		"services list --filter type:htp":            "type:htp matches no row; this column has url, tcp",
		"journal --filter outcome:dnoe":              "outcome:dnoe matches no row; this column has",
		"audit --filter check:publc":                 "check:publc matches no row; this column has nobody-called",
		"status --filter state:ok":                   "state:ok matches no row; this column has problem, not known",
		"services list --filter !status:disabld":     "status:disabld matches no row",
		"services list --filter type:tcp|ulr -ojson": "ulr matches no row",
	} {
		r.CheckResult(r.Run(strings.Fields(line)...), exit.CodeUsage, want)
	}
	r.MustRun("services", "list", "--filter", "status:pending")
	r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		_, _ = w.Write([]byte(`{"data":[{"id":1,"label":"odd","status":"melting"}],"page":1,"pages":1,"results":1}`))
		return true
	})
	r.CheckResult(r.Run("services", "list", "--filter", "status:melting"), exit.CodeOK, "odd")
}

// A fact that panes and the API name differently has both names in scripts: for columns and for flags.
func TestLists_bothNamesOfAFact(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	both := func(a, b string) {
		t.Helper()
		if x, y := r.MustRun(strings.Fields(a)...), r.MustRun(strings.Fields(b)...); x != y || x.Out == "" {
			t.Errorf("%s:\n%s%s:\n%s", a, x.Out, b, y.Out)
		}
	}
	both("services list --columns label,type,group --sort group --filter group:web",
		"services list --columns label,service_type,consultation_group --sort consultation_group "+
			"--filter consultation_group:web")
	both("services update web-1 --type url --group web --dry-run",
		"services update web-1 --service-type url --consultation_group web --dry-run")
	both("contacts update 11 --phone 1 --dry-run", "contacts update 11 --phone-primary 1 --dry-run")
}

// Times in JSON are in UTC, wherever the program runs: the end of a window is typed in local time.
func TestRows_timesInUTC(t *testing.T) {
	local := time.Date(2026, 11, 20, 15, 0, 0, 0, time.FixedZone("CET", 3600))
	rows := []any{
		newJournalRow(journal.Entry{Time: local, Change: client.Change{RevertAt: local}}),
		newDisabledService(handover.Silenced{DisabledInfo: incident.DisabledInfo{Since: local, Until: local}}),
	}
	for _, row := range rows {
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "2026-11-20T14:00:00Z"); n != 2 {
			t.Errorf("%d of 2 times are in UTC: %s", n, text)
		}
	}
}
