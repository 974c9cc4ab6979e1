package views_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/views"
	"lookout/views/operation"
)

// startProvider starts the program in the provider's dialect, in which tickets can be read.
func startProvider(t *testing.T, s screenSize, test func(*harness)) {
	t.Helper()
	startWithOptions(t, emulator.Options{}, s, useProvider, test)
}

// useProvider gives the program a client in the provider's dialect.
func useProvider(r *harness, o *shell.Options) {
	r.connect(client.WithDialect(client.DialectProvider))
	o.Panes, o.OnOpen, o.LeaveWarnings = r.panes, r.onOpen, r.leaveWarnings
}

// startWatch starts the small pane of the watch in the provider's dialect.
func startWatch(t *testing.T, size screenSize, test func(*harness)) {
	t.Helper()
	startWithOptions(t, emulator.Options{}, size, showWatch, test)
}

// showWatch makes the program show the small pane of the watch alone.
func showWatch(r *harness, o *shell.Options) {
	r.connect(client.WithDialect(client.DialectProvider))
	a := r.newAccount(r.ctx, "", r.api, r.journal)
	r.notices = func(paused bool) []ui.Notification { return operation.Notifications(a.Notices(paused)) }
	o.Panes, o.PaneOnly, o.OnOpen = []ui.Pane{views.WatchPane(a, "acme-prod")}, true, nil
}

// elsewhere sends a change that neither this program nor its journal knows of.
func (r *harness) elsewhere(method, path, body string) {
	r.Helper()
	if status := r.tryElsewhere(method, path, body); status != http.StatusOK {
		r.Fatalf("%s %s: %d", method, path, status)
	}
}

// tryElsewhere is elsewhere for a change that may be refused. It returns the status of the answer.
func (r *harness) tryElsewhere(method, path, body string) int {
	r.Helper()
	req, err := http.NewRequestWithContext(r.ctx, method, "https://api.example.test/v4"+path, strings.NewReader(body))
	if err != nil {
		r.Error(err)
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+token)
	answer, err := r.emu.RoundTrip(req)
	if err != nil {
		r.Errorf("%s %s: %v", method, path, err)
		return 0
	}
	answer.Body.Close()
	return answer.StatusCode
}

// line returns the first line of the screen that contains all texts.
func (r *harness) line(texts ...string) string {
	r.Helper()
next:
	for line := range strings.Lines(r.screen()) {
		for _, text := range texts {
			if !strings.Contains(line, text) {
				continue next
			}
		}
		return line
	}
	r.Fatalf("no line with %q\n%s", texts, r.screen())
	return ""
}

// What happens to the service of an open incident: nothing of it closes the ticket.
var incidentCourses = map[string]struct {
	happen func(r *harness)
	line   string // of the watch
}{
	"disabled elsewhere": {
		func(r *harness) { r.elsewhere("POST", "/managed/services/8/disable", "") },
		"▲ cdn-origin off ≥ 40 s · issue #",
	},
	"recovered":         {func(r *harness) { r.emu.RecoverService(8) }, "▲ cdn-origin ok · issue #"},
	"deleted elsewhere": {func(r *harness) { r.elsewhere("DELETE", "/managed/services/8", "") }, "▲ #8 (deleted)"},
}

// An open incident stays visible on badge, overview, services and watch when its service is disabled, recovers or is
// deleted; when its ticket is closed, it is not drawn as a problem any more.
func TestIncident_openStaysVisible(t *testing.T) {
	t.Parallel()
	for name, course := range incidentCourses {
		t.Run(name, func(t *testing.T) {
			startProvider(t, screenSize{150, 40}, func(r *harness) {
				issue := r.emu.FailService(8)
				r.wait(time.Minute)
				r.requireText("2 Issues 2", fmt.Sprint(issue+50_000, " open"))
				course.happen(r)
				r.wait(2 * time.Minute)
				r.requireText("2 Issues 2")
				r.requireText(fmt.Sprintf("▲ #%d", issue))
				if name != "deleted elsewhere" {
					r.press("3")
					r.requireText(fmt.Sprintf("#%d 3 min", issue))
				}
				r.emu.CloseTicket(issue)
				r.press("1")
				r.wait(2 * time.Minute)
				r.requireText("2 Issues 1")
				r.requireNoText(fmt.Sprintf("▲ #%d", issue)) // closed, so not drawn as a problem
				r.press("2")
				r.requireText(fmt.Sprint(issue+50_000, " closed"))
			})
			startWatch(t, screenSize{100, 9}, func(r *harness) {
				r.wait(time.Minute)
				issue := r.emu.FailService(8)
				r.wait(time.Minute)
				course.happen(r)
				r.wait(time.Minute)
				r.requireText("▲ 1 ▲ 1 open", course.line)
				r.emu.CloseTicket(issue)
				r.wait(2 * time.Minute)
				r.requireNoText("▲ cdn-origin", "▲ #8", "1 open")
			})
		})
	}
}

// An incident whose ticket cannot be read stays visible, as unknown, when its service is disabled. It has recovered
// when the service is ok, and even then the ticket is not called closed.
func TestIncident_unknownTicketStaysVisible(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{Service: emulator.ServiceDocument}, screenSize{150, 40}, func(r *harness) {
		issue := r.emu.FailService(8)
		r.wait(time.Minute)
		r.requireText("2 Issues 2")
		r.elsewhere("POST", "/managed/services/8/disable", "")
		r.wait(time.Minute)
		r.requireText("2 Issues ≥ 1")
		r.press("3")
		r.requireText(fmt.Sprintf("#%d? 2 min", issue))
		r.press("2")
		if line := r.line("cdn-origin", fmt.Sprint(issue+50_000)); !strings.Contains(line, "? ○ cdn-origin") ||
			!strings.Contains(line, fmt.Sprint(issue+50_000, " unknown")) {
			t.Errorf("not shown as unknown: %s", line)
		}
		r.elsewhere("POST", "/managed/services/8/enable", "")
		r.press("3")
		r.wait(2 * time.Minute)
		r.requireText("2 Issues 1 ")
		r.requireNoText("cdn-origin " + fmt.Sprint(issue))
		r.press("2")
		r.requireText(fmt.Sprint(issue+50_000, " unknown"))
	})
}

// A service that fails again, before there is a new issue, is down without one: its last issue, which this program saw
// over, stays over.
func TestIncident_failsAgainBeforeItsIssueIsThere(t *testing.T) {
	t.Parallel()
	for _, dialect := range []client.PathDialect{client.DialectDocument, client.DialectProvider} {
		last := 0 // the newest issue that the API lists, if it is set
		runProgram(t, programOptions{
			size: screenSize{160, 40},
			transport: chain([]*rewritingTransport{{rewrite: func(body []byte) []byte {
				var page map[string]any
				if last == 0 || json.Unmarshal(body, &page) != nil {
					return body
				}
				rows, _ := page["data"].([]any)
				page["data"] = slices.DeleteFunc(rows, func(row any) bool {
					r, _ := row.(map[string]any)
					id, _ := r["id"].(float64)
					return r["entity"] != nil && int(id) > last
				})
				body, _ = json.Marshal(page)
				return body
			}}}),
			configure: func(r *harness, o *shell.Options) {
				if dialect == client.DialectProvider {
					useProvider(r, o)
				}
			},
		}, func(r *harness) {
			last = r.emu.FailService(8)
			r.wait(time.Minute)
			r.requireText("2 Issues 2", fmt.Sprintf("▲ #%d", last))
			r.emu.RecoverService(8)
			r.emu.CloseTicket(last)
			r.wait(time.Hour)
			r.requireText("2 Issues 1")
			r.emu.FailService(8)
			r.wait(2 * time.Minute)
			r.requireText("2 Issues 1")
			r.requireNoText(fmt.Sprintf("▲ #%d", last))
			if line := r.line("▲ cdn-origin", "no issue"); !strings.Contains(line, "1 min") ||
				!strings.Contains(line, "no issue · +1 555 0150") {
				t.Errorf("not since the failure, or nobody to call: %s", line)
			}
			last += 1000
			r.wait(time.Minute)
			r.requireText("2 Issues 2")
		})
	}
}

// A ticket that was open when it was last read does not count as closed or recovered because it cannot be read now.
func TestIncident_failedTicketReadKeepsState(t *testing.T) {
	t.Parallel()
	startProvider(t, screenSize{160, 40}, func(r *harness) {
		issue := r.emu.FailService(8)
		r.wait(time.Minute)
		r.emu.InjectFault("GET /support/tickets", emulator.Fault{Status: 503})
		r.emu.RecoverService(8)
		r.wait(5 * time.Minute)
		r.requireText("2 Issues 2", fmt.Sprint(issue+50_000, " open"))
	})
}

// The incident says why the state of its ticket is not known: the API has no tickets, the ticket is being read, it
// could not be read, or the answer does not say; and how old a state is that could not be read again.
func TestIncident_saysWhyTicketIsUnknown(t *testing.T) {
	t.Parallel()
	at := screenSize{160, 40}
	open := func(r *harness) string {
		r.press("2", "<enter>")
		return r.line("ticket 48213")
	}
	require := func(t *testing.T, line, want string) {
		t.Helper()
		if !strings.Contains(line, "ticket 48213 "+want) {
			t.Errorf("got %q, want %q", line, want)
		}
	}
	t.Run("document", func(t *testing.T) {
		startProgram(t, emulator.Options{Service: emulator.ServiceDocument}, at, func(r *harness) {
			require(t, open(r), "unknown (not in this API)")
		})
	})
	t.Run("held", func(t *testing.T) {
		startWithOptions(t, emulator.Options{}, at, func(r *harness, o *shell.Options) {
			useProvider(r, o)
			r.emu.HoldRequests("view ticket")
		}, func(r *harness) {
			require(t, open(r), "is being read")
			r.requireNoText("48213 unknown")
		})
	})
	t.Run("refused", func(t *testing.T) {
		startWithOptions(t, emulator.Options{}, at, func(r *harness, o *shell.Options) {
			useProvider(r, o)
			r.emu.InjectFault("view ticket", emulator.Fault{Status: 403})
		}, func(r *harness) { require(t, open(r), `unknown (could not be read: "Forbidden" (403))`) })
	})
	t.Run("old", func(t *testing.T) {
		startProvider(t, at, func(r *harness) {
			require(t, open(r), "open")
			r.emu.InjectFault("view ticket", emulator.Fault{Status: 404, Times: 100})
			r.wait(5*time.Minute + 10*time.Second)
			require(t, r.line("ticket 48213"), `open 5 min ago (could not be read since: "Not Found" (404))`)
		})
	})
	t.Run("answer without a state", func(t *testing.T) {
		silent := &rewritingTransport{rewrite: func(body []byte) []byte {
			if bytes.Contains(body, []byte(`"closed"`)) {
				return []byte(`{"id":48213}`)
			}
			return body
		}}
		runProgram(t, programOptions{
			size:      at,
			transport: chain([]*rewritingTransport{silent}),
			configure: useProvider,
		}, func(r *harness) { require(t, open(r), "unknown (the response does not say)") })
	})
}

// Closed issues are not drawn as problems, although their service has a problem again.
func TestIssues_closedNotDrawnAsProblem(t *testing.T) {
	t.Parallel()
	startProvider(t, screenSize{160, 40}, func(r *harness) {
		r.press("2")
		for line := range strings.Lines(r.screen()) {
			if row, _, _ := strings.Cut(line, "│"); strings.Contains(row, " closed") && strings.Contains(row, "▲") {
				t.Errorf("closed, but drawn as a problem: %s", line)
			}
		}
		r.line("▲ billing-api", "48213 open")
	})
}

// A state file that makes no sense is reported and set aside, and a link is refused; neither stops the program.
func TestStateFile_badFileIsReported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(path string) error
		want    string
	}{
		"torn":      {func(path string) error { return os.WriteFile(path, []byte("{torn"), 0o600) }, "set aside as"},
		"link":      {func(path string) error { return os.Symlink("/etc/hostname", path) }, "symbolic link"},
		"directory": {func(path string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
		"escapes": {func(path string) error {
			text := `{"version":1,"read":"2000-01-01T00:00:00Z","services":{"8":{"label":"a\u001b[2Jb","status":"ok"}}}`
			return os.WriteFile(path, []byte(text), 0o600)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "a\x1b[2Jb")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Skip(err)
			}
			if err := c.prepare(filepath.Join(folder, "acme-prod.state")); err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				emu := emulator.New(emulator.Options{Token: token, Seed: "demo", Now: time.Now})
				p := startRun(t, emu, filepath.Join(folder, "acme-prod.journal"))
				defer time.Sleep(24 * time.Hour)
				defer p.end(false)
				p.wait(time.Minute)
				p.requireText("billing-api")
				if !strings.Contains(p.messageTexts(), c.want) || strings.Contains(p.messageTexts(), "\x1b") {
					t.Errorf("the message does not say %q: %q", c.want, p.messageTexts())
				}
			})
		})
	}
}

// The state file is private, small, and holds no text of a server uncleaned.
func TestStateFile_isPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "acme-prod.journal")
	synctest.Test(t, func(t *testing.T) {
		emu := emulator.New(emulator.Options{Token: token, Seed: "demo", Now: time.Now})
		p := startRun(t, emu, path)
		defer time.Sleep(24 * time.Hour)
		defer p.end(true)
		p.elsewhere("PUT", "/managed/services/8", `{"label":"evil\u001b[2J"}`)
		p.wait(time.Minute)
		state := journal.StateFileAt(path).Path()
		info, err := os.Stat(state)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Fatalf("%v, %v", info, err)
		}
		data, err := os.ReadFile(state)
		if err != nil || !strings.Contains(string(data), "evil") || strings.Contains(string(data), `\u001b`) {
			t.Errorf("%s, %v", data, err)
		}
	})
}

// However old it is, an issue with an open ticket is marked: every ticket is read once, and the overview lists what is
// not over first.
func TestIncident_oldOpenTicketIsFound(t *testing.T) {
	t.Parallel()
	startProvider(t, screenSize{140, 36}, func(r *harness) {
		old := r.emu.FailService(8)
		r.emu.RecoverService(8)
		time.Sleep(10 * 24 * time.Hour)
		for range 30 {
			r.emu.CloseTicket(r.emu.FailService(9))
			r.emu.RecoverService(9)
		}
		r.wait(3 * time.Minute)
		r.requireText("2 Issues 2", fmt.Sprintf("▲ #%d  01 Jan 00:00 · 10 d", old), fmt.Sprint(old+50_000, " open"))
		r.press("<tab>", "i")
		r.requireText(fmt.Sprint("Issue #", old))
	})
}

// With room for boxes, the watch shows the overview, without a box that has the keyboard: there are no keys for it.
func TestWatch_showsTheOverview(t *testing.T) {
	t.Parallel()
	for _, size := range []screenSize{{60, 20}, {80, 24}, {120, 36}, {160, 45}} {
		startWatch(t, size, func(r *harness) {
			r.wait(2 * time.Second)
			r.requireText("Services ─ 14", "Issues ─ 1 open", "Ada Wong  +1 555 0100", "CPU %", "Object Storage")
			r.requireNoText("not read yet", "▸")
			before := r.screen()
			r.press("<tab>", "<enter>", "i")
			if r.screen() != before {
				t.Errorf("keys change what is shown:\n%s", r.screen())
			}
		})
	}
}

// Where there is no room for boxes, what only they show is not read.
func TestWatch_readsWhatItShows(t *testing.T) {
	t.Parallel()
	startWatch(t, screenSize{20, 4}, func(r *harness) {
		r.wait(time.Minute)
		before := r.emu.RequestCount("list buckets")
		r.wait(2 * time.Hour)
		if n := r.emu.RequestCount("list buckets"); n != before {
			t.Errorf("buckets were read %d times", n-before)
		}
		if r.emu.RequestCount("list contacts") < 2 {
			t.Error("contacts are not read again: their numbers may change")
		}
		r.send(tea.WindowSizeMsg{Width: 100, Height: 40})
		r.wait(2 * time.Second)
		r.requireText("at #823", "12 buckets")
		r.requireNoText("reading")
	})
}
