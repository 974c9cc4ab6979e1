package views_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/views"
)

// joinCase is a screen that shows something about the rows of another list.
type joinCase struct {
	name  string
	keys  string // typed with spaces between them; <enter> names a key, <wait> waits
	list  string // the path of the list that it joins with
	says  string // what is shown while the list is not known: its name
	empty string // the sentence when the list is known to be empty; "" says nothing
}

func joinCases() []joinCase {
	instances := byService("/managed/instance-settings", "/managed/linode-settings")
	const (
		services    = "/managed/services"
		contacts    = "/managed/contacts"
		credentials = "/managed/credentials"
		issues      = "/managed/issues"
		keys        = "/object-storage/keys"
		buckets     = "/object-storage/buckets"
	)
	return []joinCase{
		{"contact", "4 / Carla <enter>", services, "services", "no service uses this group"},
		{"delete the last of a group", "4 / Dmitri <enter> D <wait> y / Carla <enter> D", services, "services", ""},
		{"credential", "5 / queue <enter>", services, "services", "no service"},
		{"delete credential", "5 / queue <enter> D", services, "services", ""},
		{"instance", "6 / db2 <enter>", services, "services", "none"},
		{"service, contacts", "3 / billing-api <enter>", contacts, "contacts", "the group has no contacts"},
		{"service, credentials", "3 / billing-api <enter>", credentials, "credentials", ""},
		{"service, issues", "3 / billing-api <enter>", issues, "issues", ""},
		{"issue of a service", "3 / billing-api <enter> i", issues, "issues", "no issue mentions this service"},
		{"follow a service", "3 / status-page <enter> <esc> f", issues, "issues", ""},
		{"new service", "3 n <tab> <tab> <tab> <tab> <tab> <tab>", credentials, "credentials", "nothing to choose"},
		{"issue, services", "2", services, "services", "deleted"},
		{"incident, services", "2 <enter>", services, "services", "no group is set"},
		{"incident, contacts", "2 <enter>", contacts, "contacts", "the group has no contacts"},
		{"incident, instances", "2 <enter>", instances, "ssh", ""},
		{"incident, credentials", "2 <enter>", credentials, "credentials", ""},
		{"lines to copy", "2 <enter> Y", services, "services", ""},
		{"call sheet, services", "2 <enter> y", services, "services", ""},
		{"call sheet, contacts", "2 <enter> y", contacts, "contacts", ""},
		{"bucket", "8", keys, "keys", "no limited key"},
		{"readers of a bucket", "8 W <wait>", keys, "keys", "no access key"},
		{"cluster", "0 / us-east <enter>", buckets, "buckets", "none"},
		{"new key", "9 n <tab>", buckets, "buckets", "nothing to choose"},
		{"overview, services", "1", services, "services", "no services yet"},
		{"overview, issues", "1", issues, "issues", "nothing has been detected"},
		{"newest incident", "1 i", issues, "issues", "there is no issue"},
		{"overview, keys", "1", keys, "keys", "0 (0 limited)"},
		{"overview, buckets", "1", buckets, "buckets", "0 buckets"},
	}
}

// claims matches sentences that are allowed only if the other list is known.
var claims = regexp.MustCompile(`(?i)\bnobody\b|\bdeleted\)|nothing has been detected|nothing to choose|` +
	`\b0 (in the|buckets?|keys?|services?|issues?|contacts?|groups?|\(0|objects)|\band 0\b|  0  \S+\.objects|` +
	`\bno ((limited|access) key|contacts?|service|services|keys?|issues?|group|bucket|credential)\b|` +
	`there is no|\bnone\b`)

// ownFacts matches words about the row itself, which depend on no other list.
var ownFacts = regexp.MustCompile(`(second|credentials|us-east-1)\s+none|emulatedkeyofnobody|` +
	`nobody (is named|calls this person)|no bucket is chosen`)

// If a list was not read, failed, was refused or is incomplete, no screen claims anything about it, and each screen
// names what is missing. If the list is known to be empty, the screen says so.
func TestJoins_claimNothingUnknown(t *testing.T) {
	t.Parallel()
	for i, c := range joinCases() {
		for j, state := range []string{"delayed", "503", "403", "cut off", "empty", "full"} {
			if faulttest.InSample(3, i, j) {
				t.Run(c.name+"/"+state, func(t *testing.T) { checkJoin(t, c, state) })
			}
		}
	}
}

func checkJoin(t *testing.T, c joinCase, state string) {
	between := func(next http.RoundTripper) http.RoundTripper {
		return &listEditor{next: next, list: c.list, state: state}
	}
	setup := func(r *harness, _ *shell.Options) { breakList(r.emu, c.list, state) }
	startWithTransport(t, screenSize{250, 50}, between, setup, func(r *harness) {
		r.press(strings.Fields(c.keys)[0])
		r.wait(50 * time.Second)
		for _, key := range strings.Fields(c.keys)[1:] {
			if key == "<wait>" {
				r.wait(time.Second)
				continue
			}
			r.press(key)
		}
		_, body, _ := strings.Cut(r.screen(), "\n") // without the head line, which names lists that failed
		shown := ownFacts.ReplaceAllString(body, "") + strings.Join(r.copied, "\n")
		if c.list != "/managed/services" {
			shown = strings.ReplaceAll(shown, "(deleted)", "")
		}
		known := state == "empty" || state == "full"
		if claim := claims.FindString(shown); claim != "" && !known {
			t.Errorf("claims %q\n%s", claim, shown)
		}
		missing, overview := c.says+": ", strings.HasPrefix(c.name, "overview")
		named := strings.Contains(shown, missing) || strings.Contains(shown, "waiting for the "+c.says)
		if named == known && !overview {
			t.Errorf("%q on the screen: %v\n%s", missing, !known, shown)
		}
		if state == "empty" && !strings.Contains(shown, c.empty) {
			t.Errorf("%q is not on the screen\n%s", c.empty, shown)
		}
	})
}

// If the contacts are missing, the watch names them as missing instead of claiming that nobody is to be called.
func TestWatch_claimsNothingUnknown(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{
		"delayed": "contacts: being read",
		"503":     "contacts: 503",
		"403":     "contacts: not allowed",
		"cut off": "contacts: 1 of 18 read",
		"empty":   "nobody to call",
		"full":    "+1 555 0100",
	} {
		t.Run(state, func(t *testing.T) {
			list := "/managed/contacts"
			between := func(next http.RoundTripper) http.RoundTripper {
				return &listEditor{next: next, list: list, state: state}
			}
			setup := func(r *harness, o *shell.Options) {
				breakList(r.emu, list, state)
				a := account.New(
					r.ctx, account.Options{Executor: r.loop, API: r.api, Journal: r.journal, Location: time.UTC},
				)
				o.Panes, o.PaneOnly, o.OnOpen = []ui.Pane{views.WatchPane(a, "acme-prod")}, true, nil
			}
			startWithTransport(t, screenSize{100, 9}, between, setup, func(r *harness) {
				r.wait(50 * time.Second)
				r.requireText("billing-api", want)
			})
		})
	}
}

// The head line names a list that failed, beside the freshness of the pane's own rows.
func TestHeadLine_namesMissingJoins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ keys, list, name string }{
		{"3", "/managed/contacts", "contacts"},
		{"2 <enter>", "/managed/contacts", "contacts"},
		{"1", "/object-storage/keys", "keys"},
		{"8", "/object-storage/keys", "keys"},
		{"0", "/object-storage/buckets", "buckets"},
	} {
		for state, want := range map[string]string{"503": ": 503", "403": ": not allowed"} {
			setup := func(e *emulator.Emulator) { breakList(e, c.list, state) }
			startWithEmulator(t, emulator.Options{}, screenSize{120, 40}, setup, func(r *harness) {
				r.press(strings.Fields(c.keys)...)
				r.wait(50 * time.Second)
				if head, _, _ := strings.Cut(r.screen(), "\n"); !strings.Contains(head, c.name+want) {
					t.Errorf("%s, %s: %q is not in the head line: %s", c.keys, state, c.name+want, head)
				}
			})
		}
	}
}

// A question names the consequences that are not known.
func TestJoins_questionsNameWhatIsUnknown(t *testing.T) {
	t.Parallel()
	setup := func(e *emulator.Emulator) { breakList(e, "/managed/services", "503") }
	startWithEmulator(t, emulator.Options{}, screenSize{120, 40}, setup, func(r *harness) {
		r.press("4")
		r.wait(50 * time.Second)
		r.press("/", "Dmitri", "<enter>", "D")
		r.wait(time.Second)
		r.press("y", "/", "Carla", "<enter>", "D")
		r.requireText("This leaves group", "(services: 503).")
		r.press("<esc>", "5", "/", "queue", "<enter>", "D")
		r.requireText("It is unknown which services use it (services: 503).")
	})
}

// The buckets of a cluster that does not answer are unknown, even if all others are known.
func TestJoins_clusterThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	setup := func(e *emulator.Emulator) {
		e.InjectFault("GET /object-storage/buckets/us-east-1", emulator.Fault{Status: 400})
		e.InjectFault("list buckets", emulator.Fault{Status: 400})
	}
	startWithEmulator(t, emulator.Options{}, screenSize{200, 50}, setup, func(r *harness) {
		r.press("0", "/", "us-east", "<enter>", "<enter>")
		r.requireText("buckets: us-east-1 did not respond")
		r.requireNoText("none")
		r.press("1")
		r.requireText("(buckets: us-east-1 did not respond")
		r.send(tea.WindowSizeMsg{Width: 250, Height: 50})
		r.requireText("(buckets: us-east-1 did not respond · some may be", "missing (400) · r retries)")
	})
}

// Rows that were read before a list failed stay, with their age: whom to call must not disappear.
func TestJoins_staleRowsStay(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 50}, func(r *harness) {
		r.press("2", "<enter>")
		r.requireText("Ada Wong", "+1 555 0100")
		r.emu.InjectFault("list contacts", emulator.Fault{Status: 503})
		r.wait(5 * time.Minute)
		r.requireText("Ada Wong", "+1 555 0100", "contacts: 503 · as of 5 min ago · r retries")
		r.emu.ClearFaults()
		r.press("r")
		r.wait(time.Minute)
		r.requireNoText("contacts: 503")
	})
}

// breakList makes the emulator answer the requests for a list late or with an error.
func breakList(e *emulator.Emulator, list, state string) {
	for _, requests := range []string{"GET " + list, "GET " + list + "/*"} {
		if strings.HasPrefix(list, "/managed") && strings.HasSuffix(requests, "*") {
			continue // a row by itself can be read
		}
		switch state {
		case "delayed":
			e.HoldRequests(requests)
		case "503", "403":
			status, _ := strconv.Atoi(state)
			e.InjectFault(requests, emulator.Fault{Status: status})
		}
	}
}

// listEditor empties a list, or ends it after a page with one row.
type listEditor struct {
	next        http.RoundTripper
	list, state string
}

func (l *listEditor) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(req)
	path := strings.TrimPrefix(req.URL.Path, "/v4")
	whole := path == l.list || strings.HasPrefix(l.list, "/object-storage/b") && strings.HasPrefix(path, l.list)
	if err != nil || req.Method != http.MethodGet || !whole || l.state != "empty" && l.state != "cut off" {
		return res, err
	}
	defer res.Body.Close()
	var page struct {
		Data    []json.RawMessage `json:"data"`
		Page    int               `json:"page"`
		Pages   int               `json:"pages"`
		Results int               `json:"results"`
	}
	if err := json.NewDecoder(res.Body).Decode(&page); err != nil {
		return nil, err
	}
	switch {
	case l.state == "empty":
		page.Data, page.Results = []json.RawMessage{}, 0
	case req.URL.Query().Get("page") == "2":
		res.StatusCode = http.StatusBadRequest
	case len(page.Data) > 0:
		page.Data, page.Pages, page.Results = page.Data[len(page.Data)-1:], 2, 2*len(page.Data)
	}
	body, err := json.Marshal(page)
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	res.Header.Del("Content-Length")
	return res, err
}

// The open issue of a service says in the list that it is not certain, and in the details how old it is, once the list
// of issues cannot be read any more.
func TestServices_openIssueOfAnOldList(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{200, 50}, func(r *harness) {
		r.press("3", "/", "billing-api", "<enter>")
		r.requireText("#823: open")
		r.requireNoText("as of")
		r.emu.InjectFault("list issues", emulator.Fault{Status: 503})
		r.press("r")
		r.wait(10 * time.Second)
		r.requireText("#823: open (issues: 503", "as of 10 s ago", "#823 6 min ?") // one mark in the cell
	})
}

// A question about several rows says what is lost with them, as a question about one row does.
func TestBatchQuestion_saysWhatIsLost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ keys, lost, group string }{
		{"3 g <space> <space> D", "Nobody will be alerted to", ""},
		{"4 g j <space> <space> D", "Support can no longer call", `This leaves group "billing"`},
		{"4 g <space> <space> D", "Support can no longer call", ""}, // one of them is not in that group
		{"5 g <space> <space> D", "Support staff lose access", ""},
		{"9 g <space> <space> D", "Programs that use them lose", ""},
	} {
		startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
			r.press(strings.Fields(c.keys)...)
			r.wait(time.Second)
			r.requireText("Only these 2 ", c.lost, c.group)
			if c.group == "" {
				r.requireNoText("This leaves group")
			}
		})
	}
}
