package views_test

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/transfer"
	"lookout/ui/shell"
	"lookout/ui/terminal"
	"lookout/views/operation"
)

// taint ends every text of a tainted account. A terminal obeys it; shownTaint is how it is shown.
const (
	taint      = "\x1b[2J\u202e"
	shownTaint = "‹␛›[2J‹U+202E›"
)

func removeTaint(text string) string { return strings.ReplaceAll(text, taint, "") }

// taintedTransport answers with a taint behind every text, and understands such texts when they come back.
type taintedTransport struct {
	next http.RoundTripper
	only *regexp.Regexp // of member=text; others have no taint
	real bool           // the answers stay as they are: the account itself has tainted names
}

func (s taintedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.real || !strings.HasPrefix(req.URL.Path, "/v4/") { // a pre-signed URL
		res, err := s.next.RoundTrip(req)
		if err == nil {
			res.Header["X-Amz-Meta-"+taint] = []string{"x"}
		}
		return res, err
	}
	req = req.Clone(req.Context())
	req.URL.Path, req.URL.RawPath = removeTaint(req.URL.Path), ""
	req.URL.RawQuery = strings.ReplaceAll(req.URL.RawQuery, url.QueryEscape(taint), "")
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		body = faulttest.ReplaceValues(body, func(_ string, value any) []byte {
			if text, is := value.(string); is {
				return []byte(removeTaint(text))
			}
			return nil
		})
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	answers := rewritingTransport{next: s.next, rewrite: func(body []byte) []byte {
		return faulttest.ReplaceValues(body, s.taintValue)
	}}
	return answers.RoundTrip(req)
}

// words are the members that lookout compares with words of its own, and addresses that it opens.
var words = []string{"acl", "status", "service_type", "type", "url", "next_marker", "etag", "last_modified"}

// taintValue returns the value of a member with a taint, or nil if it has none.
func (s taintedTransport) taintValue(member string, value any) []byte {
	text, is := value.(string)
	if !is || slices.Contains(words, member) || !s.only.MatchString(member+"="+text) {
		return nil
	}
	if _, err := time.Parse(time.DateTime, strings.Replace(text, "T", " ", 1)); err == nil {
		return nil
	}
	if host, rest, _ := strings.Cut(text, "."); member == "address" {
		return []byte(host + taint + "." + rest) // so that it still names an instance
	}
	return []byte(text + taint)
}

// A taintedCase is something that a tainted account shows.
type taintedCase struct {
	name      string
	only      string // the members and texts that are tainted, as a regular expression; "" is all but "night"
	real      bool   // instead, the account itself has tainted names
	configure func(*harness, *shell.Options)
	show      func(*harness)
	texts     []string // what must be in a frame or a message; "!" stands for the taint as it is shown
}

// run fails if a frame or a status message holds a taint as it is, or one that was cleaned twice.
func (c taintedCase) run(t *testing.T) {
	only := regexp.MustCompile(cmp.Or(c.only, "=(?:[^n]|n[^i])"))
	transport := func(next http.RoundTripper) http.RoundTripper { return taintedTransport{next, only, c.real} }
	options := programOptions{size: screenSize{300, 50}, transport: transport, configure: c.configure}
	runProgram(t, options, func(r *harness) {
		seen := make([]bool, len(c.texts))
		check := func(shown string) {
			if requireCleanText(t, shown); strings.Contains(shown, "‹‹›") {
				t.Fatalf("cleaned twice: %s", shown)
			}
			for i, text := range c.texts {
				seen[i] = seen[i] || strings.Contains(shown, strings.ReplaceAll(text, "!", shownTaint))
			}
		}
		r.drawn = func(frame terminal.Frame) { check(ansi.Strip(frame.Content) + frame.Title) }
		c.show(r)
		for _, message := range r.messages {
			check(message.Text)
		}
		for i, text := range c.texts {
			if !seen[i] {
				t.Errorf("never shown: %q\n%s\n%s", text, r.messageTexts(), r.screen())
			}
		}
	})
}

// presses returns a function that presses keys; see pressAll.
func presses(keys string) func(*harness) {
	return func(r *harness) { r.pressAll(keys) }
}

// taintedRows are panes, details and menus.
func taintedRows() []taintedCase {
	named := func(name, keys string, texts ...string) taintedCase {
		return taintedCase{name: name, show: presses(keys), texts: texts}
	}
	return []taintedCase{
		named(
			"menu of a service", "3 / billing-api <enter> f",
			"contact Ada Wong!", "credential db2-root!", "instance db2!",
		),
		named("menu of an issue", "2 j <enter> f", "service web-1!"),
		named("issue", "2 j <enter>", "web-1!"),
		named("service", "3 / billing-api <enter> <enter>", "db2-root!"),
		named("keys", "9", "us-east-1‹␛›"),
		named("key", "9 / backup <enter> <enter>", "acme-backups!", "read_write!"),
		named("bookmark", "8 / acme-www <enter> <enter> ' '", "us-east-1!/acme-www!/: bookmarked"),
		{name: "bucket", show: func(r *harness) {
			r.press("8", "Y")
			r.requireNoText("as curl") // no address can name the bucket
		}, texts: []string{"as command"}},
		{name: "cluster without an answer", only: "^id=us-east-1", show: func(r *harness) {
			r.emu.InjectFault("list buckets", emulator.Fault{Status: 503})
			r.press("8")
			r.wait(time.Minute)
		}, texts: []string{"us-east-1! is not responding", "us-east-1! did"}},
	}
}

// taintedChanges are changes whose answer is lost, and one that somebody else has made too.
func taintedChanges() []taintedCase {
	losing := func(op string, fault emulator.Fault, keys string) func(*harness) {
		fault.Times = 1
		return func(r *harness) {
			r.emu.InjectFault(op, fault)
			r.pressAll(keys)
			r.wait(5 * time.Minute)
		}
	}
	return []taintedCase{
		{
			name: "never applied",
			show: losing(
				client.OpDisableService, emulator.Fault{Status: 504}, "3 / edge-router <enter> d <tab> ✓late <ctrl+s>",
			),
			texts: []string{"disable edge-router!: not done", "‹✓›late"},
		},
		{
			name: "mark in a new label",
			show: losing(
				client.OpCreateContact, emulator.Fault{ApplyFirst: true, Status: 504},
				"4 n night✓ <tab> zed@acme.net <ctrl+s>",
			),
			texts: []string{"new contact night‹✓›: ", `The response to "new contact night‹✓›" was lost`},
		},
		{
			name:  "bucket seen late",
			show:  losing(client.OpCreateBucket, emulator.Fault{Late: 3 * time.Minute}, "8 n night <ctrl+s>"),
			texts: []string{"!/night: made"},
		},
		{name: "changed meanwhile", show: func(r *harness) {
			r.pressAll("5 / db2-root <enter> e 2")
			r.elsewhere("PUT", "/managed/credentials/31", `{"label":"Zoe"}`)
			r.press("<ctrl+s>")
			r.wait(time.Second)
		}, texts: []string{"is now: Zoe!"}},
	}
}

// taintedJournal are changes that an earlier run has left in the journal.
func taintedJournal() []taintedCase {
	var all []taintedCase
	for _, c := range []struct {
		unresolvedCase
		keys, text string
	}{
		{unresolvedCase{
			op:    "rename contact" + taint,
			kind:  "contact",
			id:    "11",
			label: "Ada Wong" + taint,
			body:  client.Patch{"name": "Eve"},
		}, "1 4 : journal <enter>", "rename contact! Ada Wong!:"},
		{unresolvedCase{
			op:    client.OpCreateBucket,
			kind:  "bucket",
			label: "night",
			body:  client.Patch{"label": "night", "cluster": "us-east-1" + taint},
			done: func(r *harness) error {
				r.elsewhere("POST", "/object-storage/buckets", `{"label":"night","cluster":"us-east-1"}`)
				return nil
			},
		}, "", "us-east-1!/night: made"},
		{unresolvedCase{
			op:    client.OpCreateContact,
			kind:  "contact",
			label: "night",
			body:  client.Patch{"name": "night", "email": strings.Repeat("x", 39) + "yyy@acme.net"},
			done:  func(r *harness) error { return r.createContact("night", "z@acme.net") },
		}, "", "email is z@acme.net!, not " + strings.Repeat("x", 39) + "…)"},
	} {
		all = append(all, taintedCase{
			name:      c.op,
			configure: func(r *harness, _ *shell.Options) { r.leaveUnresolved(c.unresolvedCase) },
			show: func(r *harness) {
				r.pressAll(c.keys)
				r.wait(5 * time.Minute)
			},
			texts: []string{c.text},
		})
	}
	return all
}

// taintedTransfers are transfers of objects whose names are tainted, and of files in a folder whose name is.
func taintedTransfers(t *testing.T) []taintedCase {
	t.Chdir(t.TempDir())
	if err := os.Mkdir(taint, 0o700); err != nil {
		t.Skip(err)
	}
	inFolder := func(keys ...string) func(*harness) {
		return func(r *harness) {
			if err := errors.Join(os.RemoveAll(taint), os.Mkdir(taint, 0o700)); err != nil {
				t.Fatal(err)
			}
			t.Chdir(taint)
			defer t.Chdir("..")
			for _, name := range []string{"one" + taint, "many" + taint + "/1", "many" + taint + "/2"} {
				emulator.StoreObject(r.emu, "ap-south-1", "scratch", name, "text")
			}
			r.openBucket("scratch")
			for _, keys := range keys {
				r.pressAll(keys)
				r.wait(5 * time.Second)
			}
		}
	}
	named := func(name string, show func(*harness), texts ...string) taintedCase {
		return taintedCase{
			name:  name,
			real:  true,
			show:  show,
			texts: texts,
		}
	}
	return []taintedCase{
		named("download", inFolder("/ one <enter>", "w", "<ctrl+s>"), "one!: downloaded to", "/!/one"),
		named("download of a folder", inFolder("g", "w", "<ctrl+s>"), "2 files: downloaded from scratch to", "/!, "),
		named(
			"move", inFolder("/ one <enter>", "e", "<tab> <tab> <ctrl+u> two <ctrl+s>", "y"),
			"two: moved from ap-south-1/scratch/one!; size and MD5 checked; not copied: x-amz-meta-‹␛›[2j",
		),
		named("deletion", inFolder("g", "D", "2 <enter>"), "2 objects in scratch: "),
		named("downloads of an earlier run", func(r *harness) {
			acc := account.New(r.ctx, account.Options{Executor: r.loop, API: r.api, Journal: r.journal, Now: time.Now})
			lost := transfer.InterruptedDownload{
				Cluster: "ap-south-1",
				Bucket:  "scratch" + taint,
				Name:    "one",
				Size:    4,
				Folder:  t.TempDir(),
				Path:    "one",
			}
			other := lost
			other.Name, other.Path = "two", "two"
			acc.Transfers.Continue([]transfer.InterruptedDownload{lost, other})
			r.wait(time.Minute)
			operation.SyncTransfers(acc)
			r.run(r.loop.Take())
		}, "none of 2 files: downloaded from scratch! to "),
		named("download into a folder that is gone", func(r *harness) {
			r.delay("object get", 10*time.Second)
			time.AfterFunc(12*time.Second, func() { _ = os.RemoveAll(filepath.Join("..", taint)) })
			inFolder("/ one <enter>", "w", "<ctrl+s>", "", "")(r)
		}, "download one!: ", "; 4 bytes are kept in one!."),
	}
}

// No text of an account, of its journal or of a local path reaches a frame or a status message as it is.
func TestTaintedAccount(t *testing.T) {
	for _, c := range slices.Concat(taintedRows(), taintedChanges(), taintedJournal(), taintedTransfers(t)) {
		t.Run(c.name, c.run)
	}
}
