//go:build unix

package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/cli"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/testenv"
	"lookout/views"
)

// A tainted text has these around it: what a terminal obeys, and what it does not show. Nothing of it may reach any
// place that lookout writes to, in any form that a terminal, a shell or another program would take for itself. The
// taint holds no sequence that lookout uses.
const (
	taintBefore = "\x1b[666m\u202e"
	taintAfter  = "\x1b]0;owned\a\u009b667m\x9b\u200b\u2028\ufeff\u00ad\x00\x7f\r\n\t\ue000\U000e0041\u00a0\u3164"
)

// removeTaint turns what lookout sends back into what the account knows. JSON cannot hold the invalid byte.
var removeTaint = strings.NewReplacer(
	taintBefore, "", taintAfter, "", strings.ToValidUTF8(taintAfter, "\ufffd"), "",
).Replace

// taints say which values of the account's answers are tainted: every member of a kind, so that new ones are too.
func taints() map[string]func(member string, value any) bool {
	shown := textMembers()
	isString := func(_ string, value any) bool { _, is := value.(string); return is }
	return map[string]func(string, any) bool{
		// what lookout only shows: everything goes on as if nothing had happened
		"texts": func(member string, value any) bool {
			return shown[member] && (value == nil || isString(member, value))
		},
		// states, times, types and addresses too
		"strings": isString,
		// values of other types: all but the number of pages, without which nothing is read
		"other types": func(member string, value any) bool {
			return !isString(member, value) && member != "pages" && member != "page"
		},
	}
}

// textMembers returns the members that the client's resources hold as text to be shown, and not as a word that lookout
// understands.
func textMembers() map[string]bool {
	members := map[string]bool{}
	defer maps.DeleteFunc(members, func(_ string, shown bool) bool { return !shown })
	resources := reflect.TypeFor[client.Client]()
	for i := range resources.NumField() {
		methods := resources.Field(i).Type
		for n := 0; resources.Field(i).IsExported() && n < methods.NumMethod(); n++ {
			for result := range methods.Method(n).Type.Outs() {
				addTextMembers(members, result)
			}
		}
	}
	return members
}

// addTextMembers adds the text members of a type.
func addTextMembers(members map[string]bool, t reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[client.ServerText]().PkgPath() {
		return // a type of another package
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Type == reflect.TypeFor[client.ServerText](),
			field.Type == reflect.TypeFor[client.OptionalServerText]():
			_, word := members[name]
			members[name] = !word || members[name]
		case field.Type.Kind() == reflect.String:
			members[name] = false
		case field.IsExported():
			addTextMembers(members, field.Type)
		}
	}
}

// A taintedServer serves an account with taints in its answers. It understands its own texts when they come back.
type taintedServer struct {
	name    string
	api     http.Handler
	taint   func(member string, value any) bool
	replace map[string]string                       // values of members that it answers instead
	rewrite func(path string, answer []byte) []byte // in place of taints
	clean   atomic.Bool                             // it answers as the account does
	reject  atomic.Value                            // what it rejects: nil, "changes" or "everything"
}

// serve answers a request.
func (s *taintedServer) serve(w http.ResponseWriter, req *http.Request) bool {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return false
	}
	body = faulttest.ReplaceValues(body, func(_ string, value any) []byte {
		if text, is := value.(string); is {
			return []byte(removeTaint(text))
		}
		return nil
	})
	known := req.Clone(req.Context())
	known.Body, known.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	known.URL.Path, known.URL.RawPath = removeTaint(req.URL.Path), ""
	answer := httptest.NewRecorder()
	if s.rejects(req.Method) {
		rejectTainted(answer, req)
	} else {
		s.api.ServeHTTP(answer, known)
	}
	maps.Copy(w.Header(), answer.Header())
	w.Header().Del("Content-Length")
	w.WriteHeader(answer.Code)
	_, _ = w.Write(s.tainted(req.URL.Path, answer.Body.Bytes()))
	return true
}

// rejects reports whether requests of a method are rejected.
func (s *taintedServer) rejects(method string) bool {
	rejected := s.reject.Load()
	return rejected == "everything" || rejected == "changes" && method != http.MethodGet
}

// rejectTainted answers with an error: with reasons, or with a page of another server.
func rejectTainted(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("X-OAuth-Scopes", "a\u009b667m\u202e")
	w.Header().Set("X-Accepted-OAuth-Scopes", "b\u009b667m\u202e")
	switch {
	case strings.Contains(req.URL.Path, "managed"):
		w.WriteHeader([]int{400, 403, 404}[len(req.URL.Path)%3])
		_, _ = io.WriteString(w, `{"errors":[{"field":"label","reason":"no"},{"reason":"never"}]}`)
	default:
		w.Header().Set("Content-Type", "text/\u009b667m\u202e")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "<title>"+taintBefore+"no"+taintAfter+"</title>")
	}
}

// tainted returns an answer with taints.
func (s *taintedServer) tainted(path string, answer []byte) []byte {
	if s.rewrite != nil {
		return s.rewrite(path, answer)
	}
	if s.clean.Load() {
		return answer
	}
	return faulttest.ReplaceValues(answer, func(member string, value any) []byte {
		if text, is := s.replace[member]; is {
			return []byte(text)
		}
		if !s.taint(member, value) && member != "reason" && member != "field" {
			return nil
		}
		text := ""
		if value != nil {
			text = fmt.Sprint(value)
		}
		return []byte(taintBefore + text + taintAfter)
	})
}

// startTainted starts an account with taints. What differs from that is set before the first request.
func startTainted(t *testing.T, taint string, adjust ...func(*taintedServer)) (*testEnv, *taintedServer) {
	t.Helper()
	r := newTestEnv(t, emulator.Options{SimulateIncidents: true})
	s := &taintedServer{name: taint, api: r.API, taint: taints()[taint]}
	for _, change := range adjust {
		change(s)
	}
	r.Intercept(s.serve)
	return r, s
}

// ownSequences are the control sequences that lookout and its terminal library write.
var ownSequences = regexp.MustCompile(
	`^\x1b(M|\[[0-9;]*[mHKJGdCDABXSTLMP@bnrs]|\[\?69\$p|` +
		`\[\?[0-9;]+[hl]|\[[<>][0-9;]*[um]|\](2|9|11|52|777);[^\x07\x1b]*(\x07|\x1b\\))`,
)

// requireOwnBytes fails unless a terminal gets nothing but printable characters, line breaks and sequences of ours, and
// puts nothing else on the clipboard.
func requireOwnBytes(t *testing.T, where, written string) {
	t.Helper()
	var plain strings.Builder
	for written != "" {
		at := strings.IndexByte(written, '\x1b')
		if at < 0 {
			at = len(written)
		}
		plain.WriteString(written[:at])
		if written = written[at:]; written == "" {
			break
		}
		sequence := ownSequences.FindString(written[:min(len(written), 1<<20)])
		if sequence == "" || strings.HasPrefix(sequence, "\x1b[666") {
			t.Errorf("%s: a sequence that is not ours: %.80q", where, written)
			return
		}
		written = written[len(sequence):]
		text := strings.TrimRight(sequence[1:], "\a\x1b\\") // a title, a notification
		if copied, is := strings.CutPrefix(text, "]52;c;"); is {
			data, err := base64.StdEncoding.DecodeString(copied)
			if err != nil {
				t.Error(err)
			}
			requireVisible(t, where+", the clipboard", string(data), "\n\t")
			text = ""
		}
		plain.WriteString(text)
	}
	requireVisible(t, where, plain.String(), "\r\n\b\a")
}

// requireVisible fails if a text holds anything but letters, marks, numbers, punctuation, symbols, spaces, and the
// characters of more.
func requireVisible(t *testing.T, where, text, more string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s: invalid UTF-8", where)
	}
	if i := strings.Index(text, "‹‹›"); i >= 0 {
		t.Errorf("%s: a text was made visible twice in %q", where, text[max(0, i-300):min(len(text), i+40)])
	}
	for i, r := range text {
		visible := r == ' ' || unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S) && r != '\u3164'
		if !visible && !strings.ContainsRune(more, r) {
			t.Errorf("%s: %U in %q", where, r, text[max(0, i-80):min(len(text), i+40)])
			return
		}
	}
}

// visibleTaint is how a tainted text is shown to people, JSON's parsers and shells.
var visibleTaint = regexp.MustCompile(`‹␛|\\u001b|\\033`)

// readCommands returns the command lines that print rows of the account, and those that print one.
func readCommands(r *testEnv) (lines []string) {
	unserved := map[string]bool{}
	for _, d := range views.Declarations() {
		unserved[d.Name] = d.Calls.List != "" && !r.API.Serves(d.Calls.List)
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath(), "lookout ")
		switch words := strings.Fields(c.Use); {
		case !slices.Contains([]string{"list", "get", "key", "acl", "handover", "journal"}, words[0]):
		case path == "objects get":
		case unserved[strings.Fields(path)[0]]:
		case len(words) == 1 || strings.HasPrefix(words[1], "["):
			lines = append(lines, path)
		case strings.Contains(words[1], "BUCKET"):
			lines = append(lines, path+" "+testenv.Bucket+map[bool]string{true: " new.txt"}[words[0] == "acl"])
		default:
			var row struct{ ID, Name any }
			first, _, _ := strings.Cut(r.MustRun(c.Parent().Name(), "list", "-o", "ndjson").Out, "\n")
			if err := json.Unmarshal([]byte(first), &row); err != nil {
				r.Fatal(err)
			}
			lines = append(lines, fmt.Sprint(path, " ", cmp.Or(row.ID, row.Name)))
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(cli.NewRootCommand())
	return lines
}

// formats returns the ways to print a command's rows, the default first.
func formats(line string) []string {
	if line == "handover" {
		return []string{"markdown", "json"}
	}
	return output.Formats
}

// What commands write into a pipe and on a terminal, and the files that they leave behind.
func TestTaint_commands(t *testing.T) {
	t.Parallel()
	for taint := range taints() {
		if taint != "texts" && !runsLongSeries() {
			continue
		}
		t.Run(taint, func(t *testing.T) {
			r, s := startTainted(t, taint)
			s.clean.Store(true)
			r.StoreObject("new.txt", 10)
			lines := append(
				readCommands(r), "services disable 4 --for 1h --reason "+taintBefore, "services update 4 --notes new",
				"ssh allow 70001", "contacts update 11 --name New", "journal", "handover",
			)
			s.clean.Store(false)
			for i, reject := range []string{"nothing", "changes", "everything"} {
				s.reject.Store(reject)
				for n, line := range lines {
					if reject == "nothing" || faulttest.InSample(3, i, n) {
						checkCommand(r, s, line, n)
					}
				}
			}
			requireVisible(t, "files", r.ReadTree(filepath.Join(r.Home, "state")), "\n")
		})
	}
}

// withoutText are the commands that print no text of the account.
var withoutText = regexp.MustCompile("^(accounts|certificates|journal|stats|transfer|objects acl|handover -o json)")

// checkCommand runs a command in every format in a pipe, and in one of them on a terminal.
func checkCommand(r *testEnv, s *taintedServer, line string, n int) {
	r.Helper()
	all := formats(line)
	for _, format := range all {
		answer := r.Run(append(strings.Fields(line), "-o", format)...)
		requireVisible(r.T, line+" -o "+format+", stderr", answer.Err, "\n")
		if format == "csv" { // for programs: text, as it is
			continue
		}
		requireVisible(r.T, line+" -o "+format, answer.Out, "\n")
		if s.name == "texts" && !withoutText.MatchString(line) && !visibleTaint.MatchString(answer.Out+answer.Err) {
			r.Errorf("%s -o %s: no taint in %.200q %.200q", line, format, answer.Out, answer.Err)
		}
	}
	if n%8 == 0 || runsLongSeries() {
		line += " -o " + all[n/8%len(all)]
		p := r.startPty(r.T, line)
		p.startReading()
		p.waitExit()
		_, _ = p.slave.WriteString("all is read")
		p.waitFor("all is read")
		requireOwnBytes(r.T, "on a terminal, "+line, p.output())
	}
}

// runsLongSeries reports whether tests with many cases try all of them.
func runsLongSeries() bool { return os.Getenv("LOOKOUT_LONG") != "" }

// waitQuiet waits until the program has written something, if it does so soon, and then nothing for a while.
func (c *ptyProcess) waitQuiet(soon, quiet time.Duration) {
	for wait := soon; ; wait = quiet {
		select {
		case <-c.outputArrived:
		case <-time.After(wait):
			return
		}
	}
}

// escape is the escape key as a sequence that no other key can join.
const escape = "\x1b[27u"

// retype types keys, again and again, until something holds: a dialog may be in front. It waits longer each time, so
// that a program that is slow catches up.
func (c *ptyProcess) retype(keys, what string, holds func(written string) bool) {
	c.t.Helper()
	from, width, wait := len(c.output()), uint16(100), 200*time.Millisecond
	c.waitUntil(what, func() bool {
		c.typeKeys(escape + escape + keys)
		width ^= 1 // everything is drawn again; in lines, a full stop repeats everything
		_ = pty.Setsize(c.tty, &pty.Winsize{Cols: width, Rows: 30})
		for end := time.Now().Add(wait); time.Now().Before(end) && !holds(c.output()[from:]); {
			c.waitQuiet(time.Until(end), 8*time.Millisecond)
		}
		wait = min(2*wait, 5*time.Second)
		return holds(c.output()[from:])
	})
}

// walkPanes opens every pane with its details, forms, questions and menus, copies what can be copied, opens what can be
// opened, and disables a service. Every pane is drawn at several widths. With shows set, it must show the taint.
func walkPanes(p *ptyProcess, shows bool) {
	widths, drawn := []uint16{200, 40, 120, 60, 80}, 0
	for _, pane := range append(strings.Split("1234567890", ""), ":journal\r") {
		p.retype(pane+".", "a taint in pane "+pane, func(written string) bool {
			return !shows || strings.Contains("17", pane) || visibleTaint.MatchString(written) // these hold numbers
		})
		for _, keys := range []string{
			"j\r", "\rjjG", escape + escape + "e\t\t\t\t\t\t", escape + escape + "D", escape + "V", "y" + escape,
			"Yj" + escape, "Ynyc", escape + "Yc" + escape, "Yx" + escape, "o", "y" + escape, "Lx",
			escape + escape + "d\x13",
		} {
			p.typeKeys(keys)
			_ = pty.Setsize(p.tty, &pty.Winsize{Cols: widths[drawn%len(widths)], Rows: 30})
			drawn++
			p.waitQuiet(40*time.Millisecond, 8*time.Millisecond)
		}
	}
}

// changeElsewhere makes a change as a colleague does.
func (r *testEnv) changeElsewhere(t *testing.T, path string) {
	t.Helper()
	req := httptest.NewRequest(http.MethodPost, "/v4"+path, nil)
	req.Header.Set("Authorization", "Bearer "+testenv.Canary)
	answer := httptest.NewRecorder()
	if r.API.ServeHTTP(answer, req); answer.Code != http.StatusOK {
		t.Fatal(answer.Body)
	}
}

// What the dashboard writes on a terminal, on a screen and in lines, what it copies, and the files that it leaves.
func TestTaint_dashboard(t *testing.T) {
	t.Parallel()
	for taint := range taints() {
		if taint != "texts" && !runsLongSeries() {
			continue
		}
		t.Run(taint, func(t *testing.T) {
			r, s := startTainted(t, taint)
			s.clean.Store(true)
			var elsewhere []string // more than the walks disable
			for _, name := range []string{"billing-web", "docs", "edge-router", "search", "shop", "web-1"} {
				elsewhere = append(elsewhere, r.FindID("services", name))
			}
			s.clean.Store(false)
			r.installPrograms("cat >$0.$$; mv $0.$$ $0.stdin", "xclip")
			r.installPrograms("", "ssh", "xdg-open")
			r.WriteConfig("notify = [\"osc9\", \"osc777\"]\n")
			t.Run("at once", func(t *testing.T) {
				for _, args := range []string{"--log-file " + filepath.Join(r.Home, "log"), "--linear"} {
					t.Run(args[:6], func(t *testing.T) {
						t.Parallel()
						p := r.startPty(t, args)
						p.startReading()
						p.waitFor("Services")
						walkPanes(p, taint == "texts")
						if taint == "texts" {
							for _, id := range elsewhere {
								r.changeElsewhere(t, "/managed/services/"+id+"/disable")
							}
							r.ForgetRequests() // the next ones would wait for the limit of requests
							p.retype("3r", "a notification", func(string) bool {
								return strings.Contains(p.output(), "\x1b]9;")
							})
						}
						p.signal(syscall.SIGTERM)
						if code := p.waitExit(); code != 143 {
							t.Errorf("exit code %d", code)
						}
						requireOwnBytes(t, args, p.output())
					})
				}
			})
			requireVisible(t, "files", r.ReadTree(filepath.Join(r.Home, "state")), "\n")
			for kept, always := range map[string]bool{
				"bin/xclip.stdin": true, "bin/xclip.started": true, "bin/ssh.started": false,
				"bin/xdg-open.started": false, "log": false, // an address or a host with a taint opens nothing
			} {
				data, err := os.ReadFile(filepath.Join(r.Home, kept))
				if err != nil && always {
					t.Error(err)
				}
				requireVisible(t, kept, string(data), "\n\t")
			}
		})
	}
}
