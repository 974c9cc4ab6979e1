package views_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/ui/shell"
)

// listedIssue is an issue of an account under test, in the form of the API.
type listedIssue struct {
	ID       int          `json:"id"`
	Created  string       `json:"created"`
	Entity   listedTicket `json:"entity"`
	Services []int        `json:"services"`
}

// listedTicket is the ticket of a listedIssue.
type listedTicket struct {
	ID    int    `json:"id"`
	Label string `json:"label"`
	Type  string `json:"type"`
	URL   string `json:"url"`
}

// issueDetected returns an issue that was detected some time before the program starts, with a ticket.
func issueDetected(id int, ago time.Duration, services ...int) listedIssue {
	at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(-ago) // when the time of a bubble begins
	return listedIssue{
		ID:       id,
		Created:  at.Format("2006-01-02T15:04:05"),
		Entity:   listedTicket{48000 + id, "Managed issue", "ticket", "/support/tickets/1"},
		Services: append([]int{}, services...),
	}
}

// listIssues replaces the issues of the API.
func listIssues(issues ...listedIssue) *rewritingTransport {
	return &rewritingTransport{rewrite: func(body []byte) []byte {
		var page map[string]any
		if json.Unmarshal(body, &page) != nil {
			return body
		}
		if _, isIssue := page["entity"]; isIssue {
			for _, i := range issues {
				if float64(i.ID) == page["id"] {
					body, _ = json.Marshal(i)
				}
			}
			return body
		}
		rows, _ := page["data"].([]any)
		if len(rows) == 0 {
			return body
		}
		if row, _ := rows[0].(map[string]any); row["entity"] == nil || row["services"] == nil {
			return body
		}
		page["data"], page["results"], page["pages"] = issues, len(issues), 1
		body, _ = json.Marshal(page)
		return body
	}}
}

// startWithIssues starts the program on an account with other issues than the demo's.
func startWithIssues(
	t *testing.T, s screenSize, dialect client.PathDialect, issues []listedIssue, test func(*harness),
) {
	t.Helper()
	runProgram(t, programOptions{
		emulator:  emulator.Options{Service: emulator.ServiceDocument},
		size:      s,
		transport: chain([]*rewritingTransport{listIssues(issues...)}),
		configure: func(r *harness, o *shell.Options) {
			if dialect == client.DialectProvider {
				useProvider(r, o)
			}
		},
	}, test)
}

// On the smallest of usual screens, each open incident has a line with the number to call; if there are too many, the
// overview says which key shows the others.
func TestOverview_namesEachOpenIncident(t *testing.T) {
	t.Parallel()
	for _, s := range []screenSize{{80, 24}, {120, 36}, {200, 50}} {
		startWithIssues(t, s, client.DialectDocument, []listedIssue{
			issueDetected(831, 10*time.Minute, 1),
			issueDetected(832, time.Minute, 4), // it was well when the program started
			issueDetected(833, 2*time.Minute, 8),
			issueDetected(834, 30*time.Minute), // nothing tells whether it is over
		}, func(r *harness) {
			r.emu.FailService(4)
			r.emu.FailService(8)
			r.wait(time.Minute)
			for _, of := range []struct{ issue, service, number string }{
				{"▲ #831", "billing-api", "+1 555 0100"},
				{"▲ #832", "web-1", "+1 555 0120"},
				{"▲ #833", "cdn-origin", "+1 555 0150"},
			} {
				r.requireText(of.number)
				r.line(of.issue, of.service)
				if s.width == 80 {
					r.line(of.issue, of.service, of.number)
				}
			}
			r.requireText("3 open, 1 unknown", "? #834")
			r.requireNoText("more · press 2")
		})
	}
	var many []listedIssue
	for n := range 30 {
		many = append(many, issueDetected(831+n, time.Duration(n)*time.Second, 1))
	}
	for n := range many { // each names a service of its own that is down, as far as that goes
		many[n].Services = []int{1 + n}
	}
	startWithIssues(t, screenSize{80, 24}, client.DialectDocument, many, func(r *harness) {
		for n := range 14 {
			r.emu.FailService(1 + n)
		}
		r.wait(time.Minute)
		r.requireText("▲ #831", "more · press 2")
		r.press("2")
		r.requireText("#844", "30 issues")
	})
}

// An incident over several groups names all of them, also if the name of one is a part of another's name, with the
// numbers to call on the first page.
func TestIncident_numbersOfAllGroupsOnFirstPage(t *testing.T) {
	t.Parallel()
	for _, s := range []screenSize{{80, 24}, {120, 36}, {200, 50}} {
		startWithIssues(t, s, client.DialectDocument, []listedIssue{
			issueDetected(831, 10*time.Minute, 1, 4, 5, 8, 11),
		}, func(r *harness) {
			r.elsewhere("PUT", "/managed/contacts/17", `{"group":"net"}`) // a part of "network"
			r.elsewhere("PUT", "/managed/services/11", `{"consultation_group":"net"}`)
			for _, id := range []int{4, 5, 8, 11} {
				r.emu.FailService(id)
			}
			r.wait(time.Minute)
			r.press("4", "r", "1", "i")
			r.requireText(
				"Issue #831", "billing-api", "web-1", "web-2", "cdn-origin", "orders-db",
				"Call: billing, web, network, net", "+1 555 0100", "+1 555 0120", "+1 555 0150", "+1 555 0160",
			)
			r.press("<esc>", "1")
			if s.width > 80 {
				r.requireText("+1 555 0100", "+1 555 0120", "+1 555 0150", "+1 555 0160")
			}
		})
	}
}

// What is not known of an incident is said as unknown: never as recovered, and never as open.
func TestIncident_unknownIsUnknown(t *testing.T) {
	t.Parallel()
	withoutTicket := issueDetected(835, time.Hour, 6)
	withoutTicket.Entity = listedTicket{}
	for name, c := range map[string]struct {
		issue       listedIssue
		dialect     client.PathDialect
		prepare     func(*harness)
		texts, none []string
	}{
		"without services": {
			issue: issueDetected(832, 3*time.Hour),
			texts: []string{"? UNKNOWN", "the issue names no service", "nobody to call: the issue names no service"},
			none:  []string{"RECOVERED", "OPEN"},
		},
		"without services, for days": {
			issue: issueDetected(833, 99*time.Hour),
			texts: []string{"UNKNOWN", "the issue names no service"},
			none:  []string{"RECOVERED", "OPEN", "NOTHING"},
		},
		"in the future": {
			issue: issueDetected(831, -3*time.Hour, 2),
			texts: []string{"detected 03:00, in the future"},
			none:  []string{"0 s ago", "? ago"},
		},
		"without a ticket": {
			issue:   withoutTicket,
			dialect: client.DialectProvider,
			texts:   []string{"OVER", "over: nothing is down because of it"},
			none:    []string{"ticket 0", "RECOVERED"},
		},
		"closed, and down for another issue": {
			issue:   issueDetected(101, 3*24*time.Hour, 1), // the emulator has its ticket closed
			dialect: client.DialectProvider,
			texts:   []string{"OVER", "billing-api is down because of issue 900"},
		},
		"closed, and down": {
			issue:   issueDetected(101, 3*time.Hour, 1),
			dialect: client.DialectProvider,
			texts:   []string{"▲ OPEN", "open: its ticket is closed, but what it affects is down"},
			none:    []string{"OVER"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			issues := []listedIssue{c.issue}
			if c.issue.ID == 101 {
				issues[0].Entity.ID = 48101
			}
			if name == "closed, and down for another issue" {
				issues = append(issues, issueDetected(900, time.Hour, 1))
			}
			startWithIssues(t, screenSize{100, 30}, c.dialect, issues, func(r *harness) {
				r.wait(time.Minute)
				r.press("2", "G", "<enter>")
				r.requireText(append(c.texts, "Issue #")...)
				r.requireNoText(c.none...)
			})
		})
	}
}

// A label that reads like a sentence of the program is quoted in the sentences of the program.
func TestNotices_quoteLabels(t *testing.T) {
	t.Parallel()
	startProvider(t, screenSize{160, 40}, func(r *harness) {
		r.elsewhere("PUT", "/managed/services/8", `{"label":"Done (confirmed by re-reading). Press y"}`)
		r.wait(time.Minute)
		issue := r.emu.FailService(8)
		r.wait(time.Minute)
		r.emu.RecoverService(8)
		r.wait(time.Minute)
		const quoted = `"Done (confirmed by re-reading). Press y"`
		for _, text := range []string{
			quoted + " has a problem", quoted + " is ok again", fmt.Sprintf("new issue %d: %s", issue, quoted),
		} {
			if !strings.Contains(r.messageTexts(), text) {
				t.Errorf("no message %s in %q", text, r.messageTexts())
			}
		}
		r.press("3", "/", "label:Done", "<enter>", "d", "1h", "<ctrl+s>")
		r.requireText(quoted + ": monitoring is disabled until")
		r.press("2", "<enter>")
		r.requireText("monitoring of " + quoted + " is disabled")
	})
}

// The incident says how its load compares with the hours that the API gives, in the pane and in the call sheet.
func TestIncident_comparesLoad(t *testing.T) {
	t.Parallel()
	for _, s := range []screenSize{{80, 24}, {120, 36}, {200, 50}} {
		startProvider(t, s, func(r *harness) {
			r.wait(time.Minute)
			r.press("i")
			r.requireText("cpu 269 % (24 h: 90.2 to 376)")
			r.press("y")
			if sheet := strings.Join(r.copied, "\n"); !strings.Contains(sheet, "cpu 269 % (24 h: 90.2 to 376)") {
				t.Errorf("not in the call sheet: %s", sheet)
			}
		})
	}
}

// The incident says what is known of the last time of its service: when it was down and up again as seen from here, and
// what was changed around it. f leads to the issue and to the change.
func TestIncident_lastTime(t *testing.T) {
	t.Parallel()
	for _, s := range []screenSize{{80, 24}, {120, 36}, {200, 50}} {
		startProvider(t, s, func(r *harness) {
			r.wait(time.Minute)
			first := r.emu.FailService(8)
			r.wait(10 * time.Minute)
			change := client.Change{Op: client.OpUpdateService, Resource: "service", ID: "8", Label: "cdn-origin"}
			w := r.beginFor(r.api, change)
			if _, err := w.UpdateService(r.ctx, 8, client.Patch{"timeout": 42}); err != nil {
				t.Fatal(err)
			}
			r.wait(20 * time.Minute)
			r.emu.RecoverService(8)
			r.emu.CloseTicket(first)
			r.wait(4 * time.Hour)
			second := r.emu.FailService(8)
			r.wait(time.Minute)
			r.press("2", "<enter>")
			r.requireText(fmt.Sprint("Issue #", second))
			r.requireText(fmt.Sprintf("#%d", first), "seen down 00:01", "ok again 00:31")
			r.line("00:11", "done", "update service")
			r.press("f", "1")
			r.requireText(fmt.Sprint("Issue #", first))
			r.press("<ctrl+o>")
			r.requireText(fmt.Sprint("Issue #", second))
			r.press("f", "2")
			r.line("▸ ✓ done", "update service", "cdn-origin")
		})
	}
	startProvider(t, screenSize{120, 36}, func(r *harness) { // the demo's earlier time was not seen from here
		r.wait(time.Minute)
		r.press("i")
		r.requireText("recovery not seen · no known changes · f opens it")
		r.press("f", "1")
		r.requireText("Issue #810")
	})
}
