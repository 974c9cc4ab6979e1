package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/cmd/internal/testenv"
)

// init lets completions wait for a busy machine.
func init() { completionLimit = 30 * time.Second }

// complete returns the candidates for the last word, with their descriptions, and the directive in the last line.
func (r *testEnv) complete(args ...string) []string {
	r.Helper()
	s := r.MustRun(append([]string{"__complete"}, args...)...)
	return strings.Split(strings.TrimSuffix(s.Out, "\n"), "\n")
}

// checkCompletion completes a line and compares what begins with the first of wants.
func (r *testEnv) checkCompletion(line string, want ...string) {
	r.Helper()
	if got := r.complete(strings.Split(line, " ")...); strings.Join(got, "\n") != strings.Join(want, "\n") {
		r.Errorf("%q completes %q, not %q", line, got, want)
	}
}

// Every argument and flag that takes the name of something completes the names that there are, with one request,
// and without a change to the account or the journal.
func TestNameCompletion_everyKindWithOneRequest(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"services get web-":                          "web-1\tid 4|web-2\tid 5|:4",
		"services disable web-1":                     "web-1\tid 4|:4",
		"services wait 12":                           "12\tsearch|:4",
		"contacts update ":                           "*\tid ",
		"credentials login ":                         "*\tid ",
		"ssh allow mail":                             "mail-1\tid ",
		"issues get 82":                              "*82",
		"keys revoke ":                               "*\tid ",
		"clusters get us-":                           "us-east-1",
		"stats get net_":                             "net_in|net_out|:4",
		"buckets delete us-east-1/acme-":             "us-east-1/acme-backups|us-east-1/acme-www|:4",
		"certificates get us-east-1/cdn":             "us-east-1/cdn.acme.net|:4",
		"buckets create us-e":                        "us-east-1/|:6",
		"buckets create us-east-1/x":                 ":4",
		"buckets list --cluster us-":                 "us-east-1",
		"keys create x --bucket us-east-1/acme-w":    "us-east-1/acme-www:|:6",
		"services create --credential ":              "*\t",
		"services create --group ":                   "*",
		"objects list us-east-1/acme-backups d":      "db/|:6",
		"objects du us-east-1/acme-":                 "us-east-1/acme-backups|us-east-1/acme-www|:4",
		"objects du us-east-1/acme-backups d":        "db/|:6",
		"objects get us-east-1/acme-backups db/":     "*db/",
		"objects acl us-east-1/acme-backups db/nope": ":4",
	} {
		t.Run(line, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			args := strings.Split(line, " ")
			got := r.complete(args...)
			begin, anywhere := strings.CutPrefix(want, "*")
			if text := strings.Join(got, "|"); !anywhere && !strings.HasPrefix(text, begin) ||
				!strings.Contains(text, begin) || len(got) < 2 && !strings.HasPrefix(want, ":") {
				t.Errorf("completes %q, not %q", got, want)
			}
			if n := r.API.RequestCount(""); n > 1 {
				t.Errorf("%d requests", n)
			}
			sent, _ := filepath.Glob(filepath.Join(r.flags().Env.StateFolder(), "*.journal"))
			if len(r.API.Ledger())+len(sent) > 0 {
				t.Errorf("something was changed: %v, %v", r.API.Ledger(), sent)
			}
		})
	}
}

// Without a request: what the configuration and the program itself know.
func TestNameCompletion_withoutTheAPI(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for line, want := range map[string]string{
		"keys create x --bucket b/c:":              "b/c:read_only|b/c:read_write|:4",
		"services list --columns id,sta":           "id,status|",
		"services list --sort -sta":                "-status|",
		"services list --sort=-sta":                "-status|",
		"services list --sort sta":                 "status|",
		"journal --outcome unknown,":               "unknown,sent|unknown,done|unknown,as wanted|unknown,not done|:4",
		"services disable x --for ":                "15m|1h|4h|24h|none|:4",
		"objects link b n --for ":                  "15m|1h|4h|24h|:4",
		"api ":                                     "GET|POST|PUT|DELETE|:4",
		"api GET /managed/ser":                     "/managed/services|/managed/services/|:6",
		"api POST /managed/services/4/":            "/managed/services/4/disable|/managed/services/4/enable|:4",
		"api GET /object-storage/buckets/us/b/obj": "/object-storage/buckets/us/b/object-acl|",
	} {
		args := strings.Split(line, " ")
		typed := args[len(args)-1]
		typed = typed[strings.LastIndexByte(typed, '=')+1:]
		var fitting []string // as the shell filters them
		for _, c := range r.complete(args...) {
			if strings.HasPrefix(c, typed) || strings.HasPrefix(c, ":") {
				fitting = append(fitting, c)
			}
		}
		if got := strings.Join(fitting, "|"); !strings.HasPrefix(got, want) {
			t.Errorf("%q completes %q, not %q", line, got, want)
		}
	}
	if n := r.API.RequestCount(""); n > 0 {
		t.Errorf("%d requests", n)
	}
}

// Changes of the journal and accounts of the configuration are completed without a request, and the journal stays as it
// is.
func TestNameCompletion_journalAndAccounts(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.WriteConfig("[accounts.prod]\nbase_url = \"" + r.Base + "\"\n[accounts.test]\nbase_url = \"" + r.Base + "\"\n")
	r.Setenv("LOOKOUT_ACCOUNT", "prod")
	r.MustRun("services", "disable", "web-1", "--reason", "test")
	r.ForgetRequests()
	requests, journal := r.API.RequestCount(""), r.ReadTree(r.flags().Env.StateFolder())
	got := r.complete("journal", "get", "")
	if id, about, _ := strings.Cut(got[0], "\t"); len(got) != 2 || !strings.HasSuffix(about, " web-1") ||
		!strings.Contains(r.MustRun("journal", "get", id).Out, "web-1") {
		t.Errorf("%q", got)
	}
	for _, line := range []string{"services list -a ", "services list --account ", "accounts check ", "-a "} {
		r.checkCompletion(line, "prod", "test", ":4")
	}
	if r.API.RequestCount("") != requests || r.ReadTree(r.flags().Env.StateFolder()) != journal {
		t.Errorf("%d requests more; the journal was %q", r.API.RequestCount("")-requests, journal)
	}
}

// A failure of the API is tried once, and completes nothing.
func TestNameCompletion_offline(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	tried := 0
	r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		tried++
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	r.checkCompletion("services get ", ":4")
	r.checkCompletion("objects get "+testenv.Bucket+" db/", ":4")
	if tried != 2 {
		t.Errorf("%d requests, want one for each completion", tried)
	}
}

// A server that does not answer, and a token command that does not end, delay a completion for a moment only.
func TestNameCompletion_doesNotWait(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
		<-req.Context().Done()
		return true
	})
	defer func(limit time.Duration) { completionLimit = limit }(completionLimit)
	completionLimit = 300 * time.Millisecond
	begin := time.Now()
	r.checkCompletion("services get ", ":4")
	if runtime.GOOS != "windows" {
		t.Setenv("LOOKOUT_TOKEN", "")
		r.WriteConfig("[accounts.a]\nbase_url = \"" + r.Base + "\"\n" +
			`token_command = ["sh", "-c", "echo asks >&2; sleep 600 & sleep 600"]` + "\ntoken_timeout = \"5m\"\n")
		r.checkCompletion("services get ", ":4")
	}
	if took := time.Since(begin); took > 20*time.Second { // two seconds, on a machine with nothing else to do
		t.Errorf("it took %v", took)
	}
}

// A token command runs once for a completion, with no terminal to ask on.
func TestNameCompletion_tokenCommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("token commands of this test need a shell")
	}
	r := newTestEnv(t, emulator.Options{})
	r.Setenv("LOOKOUT_TOKEN", "")
	r.Setenv("GPG_TTY", "/dev/tty")
	runs := filepath.Join(r.Home, "runs")
	script := filepath.Join(r.Home, "token.sh")
	r.Write(script, "echo \"run $GPG_TTY\" >> "+runs+"\n(: < /dev/tty) 2> /dev/null && echo terminal >> "+runs+
		"\necho "+testenv.Canary+"\n")
	r.WriteConfig("[accounts.a]\nbase_url = \"" + r.Base + "\"\ntoken_command = [\"sh\", \"" + script + "\"]\n")
	r.checkCompletion("services get mail", "mail-1\tid 13", ":4")
	if data, err := os.ReadFile(runs); err != nil || string(data) != "run \n" {
		t.Errorf("%q, %v", data, err)
	}
}

// serveLabels answers the list of services with some labels, whose IDs are 1, 2, ….
func (r *testEnv) serveLabels(labels ...string) {
	rows := []map[string]any{}
	for i, label := range labels {
		rows = append(rows, map[string]any{"id": i + 1, "label": label, "status": "ok"})
	}
	page := map[string]any{"data": rows, "page": 1, "pages": 1, "results": len(rows)}
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		var answer any = page
		if id, err := strconv.Atoi(path.Base(req.URL.Path)); err == nil {
			answer = rows[id-1]
		}
		_ = json.NewEncoder(w).Encode(answer)
		return true
	})
}

// A label is offered as it is, or as its ID where no command line could give it. Either one finds the row.
func TestNameCompletion_oddLabels(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.serveLabels("web 1", `it's "$HOME" \`, "-rf", "größe 日本", "twin", "twin", "42", " padded ", "a\x1b[2Jb\nc", "")
	want := []string{
		"web 1\tid 1", `it's "$HOME" \` + "\tid 2", "3\t-rf", "größe 日本\tid 4", "5\ttwin", "6\ttwin", "7\t42",
	}
	got := r.complete("services", "get", "")
	if strings.Join(got[:len(want)], "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
	if text := strings.Join(got, "|"); len(got) != 11 || strings.ContainsAny(text, "\x1b\n") {
		t.Errorf("%q", got)
	}
	for i, line := range got[:10] {
		word, _, _ := strings.Cut(line, "\t")
		if s := r.MustRun("services", "get", word, "-o", "ndjson"); !strings.Contains(
			s.Out,
			fmt.Sprintf(`"id":%d,`, i+1),
		) {
			t.Errorf("%q names %s, want %d", word, s.Out, i+1)
		}
	}
}

// A large account is completed from one page of each list; what was typed narrows a folder.
func TestNameCompletion_largeAccount(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{Seed: "large"})
	for i, step := range []struct {
		line, first string
		requests    int
	}{
		{"services get ", "service-0000\tid 1", 1},
		{"services get service-04", "service-0400\tid 401", 2},
		{"objects get us-east-1/million data/000/000/", "data/000/000/object-000000.bin", 3},
		{"objects get us-east-1/million data/000/", "data/000/000/", 4},
		{"objects get us-east-1/million data/000/01", "data/000/010/", 5},
		{"objects get us-east-1/million data/", "data/000/", 6},
	} {
		got := r.complete(strings.Split(step.line, " ")...)
		if got[0] != step.first || len(got) > 501 || r.API.RequestCount("") != step.requests {
			t.Errorf(
				"%d: %q completes %d, first %q; %d requests in all",
				i,
				step.line,
				len(got),
				got[0],
				r.API.RequestCount(""),
			)
		}
	}
}

// A folder of 2,000 objects takes more than a page: each word that is typed asks for what begins with it.
func TestNameCompletion_largeFolder(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		prefix := req.URL.Query().Get("prefix")
		rows := []map[string]any{}
		for i := range 2000 {
			if name := fmt.Sprintf("logs/%04d", i); strings.HasPrefix(name, prefix) && len(rows) < 500 {
				rows = append(rows, map[string]any{"name": name, "etag": "x", "size": 1})
			}
		}
		answer := map[string]any{
			"data":         rows,
			"is_truncated": len(rows) == 500,
			"next_marker":  rows[len(rows)-1]["name"],
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
		return true
	})
	if got := r.complete("objects", "get", testenv.Bucket, "logs/"); len(got) != 501 {
		t.Errorf("%d candidates of a page", len(got))
	}
	r.checkCompletion("objects get "+testenv.Bucket+" logs/1999", "logs/1999", ":4")
	if got := r.complete("objects", "get", testenv.Bucket, "logs/17"); len(got) != 101 {
		t.Errorf("%d candidates for logs/17", len(got))
	}
}

// Commands that move objects complete both sides: buckets, folders and objects, and for sync local folders.
func TestComplete_sidesOfSyncCpAndMv(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.checkCompletion("objects cp us-east-1/acme-b", "us-east-1/acme-backups/", ":6")
	r.checkCompletion("objects mv us-east-1/acme-backups/R", "us-east-1/acme-backups/README.txt", ":4")
	r.checkCompletion("objects cp us-east-1/acme-backups/README.txt us-east-1/acme-backups/d",
		"us-east-1/acme-backups/db/", ":6")
	r.checkCompletion("objects sync ./si", ":0")
	r.checkCompletion("objects sync ./site us-east-1/acme-b", "us-east-1/acme-backups/", ":6")
	r.checkCompletion("objects sync us-east-1/acme-backups/d", "us-east-1/acme-backups/db/", ":6")
	r.checkCompletion("objects sync us-east-1/acme-backups/R", ":4")
}
