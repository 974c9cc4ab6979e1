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
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// printedRow is a row as a script reads it.
type printedRow struct {
	Name, Action          string
	Size                  *int64
	Reason, Outcome, File *string
	Target                *string
}

// String returns name, action, size, reason and outcome.
func (p printedRow) String() string {
	size := "-"
	if p.Size != nil {
		size = fmt.Sprint(*p.Size)
	}
	return strings.Join([]string{p.Name, p.Action, size, textOf(p.Reason), textOf(p.Outcome)}, "|")
}

// readRows returns the rows of a JSON array, and fails if standard output holds anything else.
func readRows(t *testing.T, s testenv.CommandResult) (rows []printedRow, texts string) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.Out), &rows); err != nil {
		t.Fatalf("exit code %d, %v: %q, %s", s.Code, err, s.Out, s.Err)
	}
	var lines []string
	for _, row := range rows {
		lines = append(lines, row.String())
	}
	return rows, strings.Join(lines, "\n")
}

// With -o json every command that moves or deletes objects prints a row for each: with --dry-run the plan, with nothing
// else on standard output, otherwise the result. Both end with the code that scripts expect.
func TestObjects_rowsOfPlanAndResult(t *testing.T) {
	at := testenv.Bucket
	for name, c := range map[string]struct {
		args []string
		code int
		plan string // "done" stands for the outcomes
	}{
		"put": {[]string{"put", at, "new", "FOLDER/index.html"}, exit.CodeOK, "new|upload|4||done"},
		"put many": {
			[]string{"put", at, "www/", "FOLDER/css", "--force"}, exit.CodeOK,
			"www/a.css|upload|1|changed|done\nwww/b.css|skip|0|same|unchanged",
		},
		"put with a link": {
			[]string{"put", at, "x/", "LINKS"}, exit.CodePartial,
			"x/file|upload|1|new|done\nlink|skip|-|it is a link|left out",
		},
		"get": {[]string{"get", at, "www/b.css", "to/"}, exit.CodeOK, "www/b.css|download|0||done"},
		"get there": {[]string{"get", at, "www/b.css", "FOLDER/index.html", "--skip-existing"}, exit.CodeOK,
			"www/b.css|skip|-|it exists|unchanged"},
		"get many": {
			[]string{"get", "-r", at, "www/", "FOLDER/css", "--force"}, exit.CodeOK,
			"www/a.css|download|7|changed|done\nwww/b.css|skip|0|same|unchanged\nwww/only|download|1|new|done",
		},
		"rm": {[]string{"rm", at, "www/only", "--yes"}, exit.CodeOK, "www/only|delete|1||done"},
		"rm several": {[]string{"rm", at, "www/only", "www/a.css", "--yes"}, exit.CodeOK,
			"www/a.css|delete|7||done\nwww/only|delete|1||done"},
		"rm folder": {[]string{"rm", "-r", at, "www/", "--yes"}, exit.CodeOK,
			"www/a.css|delete|7||done\nwww/b.css|delete|0||done\nwww/only|delete|1||done"},
		"sync": {
			[]string{"sync", "FOLDER/css", at + "/www", "--force", "--delete", "--yes"}, exit.CodeOK,
			"www/a.css|upload|1|changed|done\nwww/b.css|skip|0|same|unchanged\n" +
				"www/only|delete|-|only the target has it|done",
		},
		"sync back": {
			[]string{"sync", at + "/www", "FOLDER", "--delete", "--yes"}, exit.CodeOK,
			"www/a.css|download|7|new|done\nwww/b.css|download|0|new|done\nwww/only|download|1|new|done\n" +
				"css/a.css|delete|-|only the target has it|done\ncss/b.css|delete|-|only the target has it|done\n" +
				"index.html|delete|-|only the target has it|done",
		},
		"cp": {
			[]string{"cp", at + "/www/a.css", at + "/copy"}, exit.CodeOK, "www/a.css|copy|7|new|done",
		},
		"mv": {
			[]string{"mv", "-r", at + "/www", at + "/moved"}, exit.CodeOK,
			"www/a.css|move|7|new|done\nwww/b.css|move|0|new|done\nwww/only|move|1|new|done",
		},
		"keep both": {
			[]string{"cp", at + "/www/a.css", at + "/www/only", "--keep-both"}, exit.CodeOK,
			"www/a.css|copy|7|changed|done",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSerialEnv(t, emulator.Options{})
			t.Chdir(r.Home)
			for file, text := range map[string]string{
				"folder/css/a.css": "a", "folder/css/b.css": "", "folder/index.html": "<h1>", "links/file": "x",
			} {
				r.Write(filepath.FromSlash(file), text)
			}
			if err := os.Symlink("file", filepath.Join("links", "link")); err != nil {
				t.Fatal(err)
			}
			for object, text := range map[string]string{"www/a.css": "changed", "www/b.css": "", "www/only": "x"} {
				emulator.StoreObject(r.API, "us-east-1", "acme-backups", object, text)
			}
			line := []string{"objects"}
			for _, arg := range c.args {
				arg = strings.Replace(arg, "FOLDER", filepath.Join(r.Home, "folder"), 1)
				line = append(line, strings.Replace(arg, "LINKS", filepath.Join(r.Home, "links"), 1))
			}
			before := len(r.API.Ledger())
			dry := r.Run(append(line, "--dry-run", "-o", "json")...)
			_, plan := readRows(t, dry)
			want := c.plan + "\n"
			for _, outcome := range []string{"done", "unchanged", "left out"} {
				want = strings.ReplaceAll(want, "|"+outcome+"\n", "|\n")
			}
			if plan+"\n" != want || dry.Code != c.code || len(r.API.Ledger()) != before {
				t.Errorf("the plan, with code %d:\n%s\nnot\n%s%s", dry.Code, plan, want, dry.Err)
			}
			s := r.Run(append(line, "-o", "json")...)
			rows, result := readRows(t, s)
			if result != c.plan || s.Code != c.code {
				t.Errorf("the result, with code %d:\n%s\nnot\n%s\n%s", s.Code, result, c.plan, s.Err)
			}
			if target := rows[0].Target; (target != nil) != strings.Contains("cp mv", c.args[0]) {
				t.Errorf("target %v", textOf(target))
			}
		})
	}
}

// The other formats hold the same rows, names exactly; --jq sees the array. An object on standard output leaves no room
// for rows.
func TestObjects_rowsInEveryFormat(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	t.Chdir(r.Home)
	const odd = "a,\"b\"\n\u200b\x1b[1m é"
	emulator.StoreObject(r.API, "us-east-1", "acme-backups", "x/"+odd, "text")
	emulator.StoreObject(r.API, "us-east-1", "acme-backups", "x/z", "more")
	get := []string{"objects", "get", "-r", testenv.Bucket, "x/", "to", "--force"}
	s := r.MustRun(append(get, "-o", "csv")...)
	records, err := csv.NewReader(strings.NewReader(s.Out)).ReadAll()
	if err != nil || len(records) != 3 || !reflect.DeepEqual(records[0],
		[]string{"name", "action", "size", "reason", "outcome", "file", "target"}) || records[1][0] != "x/"+odd ||
		records[1][5] != filepath.Join("to", odd) {
		t.Errorf("%v: %q", err, records)
	}
	out := r.MustRun(append(get, "-o", "csv", "--columns", "outcome,name", "--no-headers")...).Out
	if !strings.HasSuffix(out, "unchanged,x/z\n") {
		t.Errorf("%q", out)
	}
	s = r.MustRun(append(get, "-o", "ndjson")...)
	var row printedRow
	if line, _, _ := strings.Cut(s.Out, "\n"); json.Unmarshal([]byte(line), &row) != nil || row.Name != "x/"+odd {
		t.Errorf("%q", s.Out)
	}
	if s = r.MustRun(append(get, "--jq", "map(.action)|join(\" \")")...); s.Out != "skip skip\n" {
		t.Errorf("%q", s.Out)
	}
	for _, format := range []string{"json", "ndjson", "csv"} {
		r.CheckResult(
			r.Run("objects", "get", testenv.Bucket, "x/z", "-", "-o", format), exit.CodeUsage, "standard output",
		)
		r.CheckResult(
			r.Run("buckets", "empty", testenv.Bucket, "-o", format, "--yes"), exit.CodeUsage, "prints no rows",
		)
	}
	if s := r.Run("objects", "get", "-r", testenv.Bucket, "x/", "to", "-o", "json"); s.Out == "" {
		t.Errorf("%v", s)
	}
}

// What fails, and what is not known, stands in its row with the reason. No line claims more than that.
func TestObjects_rowsOfFailures(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	folder := filepath.Join(r.Home, "one")
	r.Write(filepath.Join(folder, "a"), "x")
	put := []string{"objects", "put", testenv.Bucket, "x/", folder, "-o", "json"}
	r.API.InjectFault("object put", emulator.Fault{Status: 403, Times: 1})
	s := r.Run(put...)
	if _, text := readRows(t, s); !strings.HasPrefix(text, "x/a|upload|1|") || !strings.HasSuffix(text, "|failed") ||
		!strings.Contains(text, "403") || s.Code != exit.CodeDenied {
		t.Errorf("exit code %d: %s", s.Code, text)
	}
	r.API.ClearFaults()
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPut { // it is applied, and its answer is lost
			r.API.ServeHTTP(httptest.NewRecorder(), req)
			http.Error(w, "", http.StatusBadGateway)
			return true
		}
		if !isListing(req, "x/a") || r.ledgerCount("put object") == 0 {
			return false
		}
		http.Error(w, "no", http.StatusForbidden)
		return true
	})
	s = r.Run(put...)
	r.Intercept(nil)
	_, text := readRows(t, s)
	if !strings.HasSuffix(text, "|unknown") || s.Code != exit.CodeUnknown {
		t.Errorf("exit code %d: %s", s.Code, text)
	}
	if strings.Contains(s.Err, "was not stored") || !strings.Contains(s.Err, "it is unknown whether x/a was stored") ||
		!strings.Contains(s.Err, "0 of 1 file stored, 1 unknown") {
		t.Errorf("%s", s.Err)
	}
	r.API.ClearFaults()
	for _, name := range []string{"y/1", "y/2", "y/3"} {
		emulator.StoreObject(r.API, "us-east-1", "acme-backups", name, "text")
	}
	r.API.InjectFault("object delete", emulator.Fault{Status: 409, Times: 1})
	s = r.Run("objects", "rm", testenv.Bucket, "y/*", "--yes", "-o", "json")
	_, text = readRows(t, s)
	if strings.Count(text, "|done") != 2 || strings.Count(text, "|failed") != 1 || s.Code != exit.CodePartial {
		t.Errorf("exit code %d: %s", s.Code, text)
	}
	r.API.ClearFaults()
	s = r.Run("objects", "get", testenv.Bucket, "none", "-o", "json")
	if s.Out != "" || s.Code != exit.CodeNotFound {
		t.Errorf("%v", s)
	}
}

// A dry run ends with the code that the command would end with, as far as that can be known: wrong use (2), a token or
// a mode that does not allow it (3), what does not exist (4), and what can never be transferred (7).
func TestObjects_dryRunEndsAsThePlanDoes(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	folder := r.writeSite()
	at := testenv.Bucket + "/mirror"
	r.MustRun("objects", "sync", folder, at)
	emulator.StoreObject(r.API, "us-east-1", "acme-backups", "mirror/extra", "x")
	r.Write(filepath.Join(folder, "mine"), "x")
	dry := func(args ...string) testenv.CommandResult {
		return r.Run(append(append([]string{"objects"}, args...), "--dry-run")...)
	}
	r.CheckResult(dry("sync", folder, at), exit.CodeOK)
	r.CheckResult(dry("sync", folder, at, "--delete", "--yes"), exit.CodeOK, "1 to delete")
	r.CheckResult(dry("sync", folder, at, "--delete"), exit.CodeUsage, "1 to delete", "add --yes")
	r.CheckResult(dry("sync", at, folder, "--delete"), exit.CodeUsage, "1 to delete", "add --yes")
	r.CheckResult(dry("rm", testenv.Bucket, "mirror/extra"), exit.CodeUsage, "add --yes", "curl")
	r.CheckResult(dry("rm", testenv.Bucket, "mirror/extra", "--yes"), exit.CodeOK, "curl")
	r.CheckResult(r.Run("services", "delete", "web-1", "--dry-run"), exit.CodeUsage, "add --yes", "curl")
	r.CheckResult(dry("rm", testenv.Bucket, "mirror/none"), exit.CodeNotFound)
	r.CheckResult(dry("get", "-r", testenv.Bucket, "none/", folder), exit.CodeNotFound)
	r.CheckResult(dry("put", testenv.Bucket, "new", filepath.Join(folder, "mine"), "--read-only"), exit.CodeDenied)
	if err := os.Symlink(".", filepath.Join(folder, "loop")); err != nil {
		t.Fatal(err)
	}
	r.CheckResult(dry("sync", folder, at), exit.CodePartial, "loop: it is a link", "1 of 2 files would not be stored")
	r.CheckResult(dry("put", testenv.Bucket, "mirror/", folder), exit.CodePartial, "curl")
	if n := r.ledgerCount("delete object"); n != 0 {
		t.Errorf("%d objects were deleted", n)
	}
	r = newTestEnv(t, emulator.Options{Scopes: "account:read_write object_storage:read_only"})
	for _, line := range [][]string{
		{"get", testenv.Bucket, "README.txt", filepath.Join(r.Home, "to")},
		{"get", "-r", testenv.Bucket, "README.txt", r.Home},
		{"cp", testenv.Bucket + "/README.txt", testenv.Bucket + "/new"},
		{"rm", testenv.Bucket, "README.txt", "--yes"},
		{"put", testenv.Bucket, "new", filepath.Join(folder, "mine")},
	} {
		real := r.Run(append([]string{"objects"}, line...)...)
		r.CheckResult(real, exit.CodeDenied)
		r.CheckResult(dry(line...), exit.CodeDenied, "object_storage:read_write")
	}
}
