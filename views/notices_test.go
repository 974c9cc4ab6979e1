package views_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/views"
	"lookout/views/operation"
)

// startWithNotices starts a program that sends notices, on a pane that shows neither services nor issues.
func startWithNotices(t *testing.T, notify shell.NotifyOptions, test func(r *harness, told *[]string)) {
	t.Helper()
	startProgram(t, emulator.Options{SimulateIncidents: true}, screenSize{120, 36}, func(r *harness) {
		var told []string
		notify.Send = func(title, text string) tea.Cmd {
			told = append(told, title+": "+text)
			return nil
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		acc := r.newAccount(ctx, "acme", r.api, r.journal)
		notify.Notices = func(paused bool) []ui.Notification {
			return operation.Notifications(acc.Notices(paused))
		}
		notify.Refresh = func() { acc.RefreshNoticeSources() }
		look, err := theme.New("dark", colorprofile.ASCII, false)
		if err != nil {
			t.Fatal(err)
		}
		r.shell, err = shell.New(shell.Options{
			Panes:           views.Panes(acc),
			Loop:            r.loop,
			Theme:           look,
			AccountInfo:     shell.AccountInfo{Account: "acme"},
			Preferences:     shell.Preferences{StartPane: "buckets"},
			RefreshInterval: 20 * time.Second,
			Now:             time.Now,
			Location:        time.UTC,
			OnOpen:          func() tea.Cmd { return views.OnOpen(acc) },
			Notify:          notify,
		})
		if err != nil {
			t.Fatal(err)
		}
		r.run(r.shell.Init())
		r.send(tea.WindowSizeMsg{Width: 120, Height: 36})
		test(r, &told)
	})
}

// The program reports a problem once, whatever pane is in front, and stays on that pane.
func TestNotices_reportedOnce(t *testing.T) {
	t.Parallel()
	startWithNotices(
		t,
		shell.NotifyOptions{
			Methods: []string{"bell"},
			Rules:   []string{account.RuleServiceLeavesOK, account.RuleNewIssue},
		},
		func(r *harness, told *[]string) {
			r.wait(2 * time.Minute)
			if len(*told) != 0 {
				r.Fatalf("told before anything happened: %v", *told)
			}
			r.wait(150 * time.Second) // one service fails after three minutes, and recovers a minute and a half later
			if len(*told) != 2 || !strings.Contains(strings.Join(*told, "\n"), "has a problem") ||
				!strings.Contains(strings.Join(*told, "\n"), "new issue 901: ") {
				r.Fatalf("told: %v", *told)
			}
			r.requireText("Buckets", "acme-backups")
			r.press("m")
			r.requireText("has a problem", "new issue 901")
		},
	)
}

// The rules of the account choose what is reported beside the screen. Without a method, nothing is.
func TestNotices_rules(t *testing.T) {
	t.Parallel()
	startWithNotices(
		t,
		shell.NotifyOptions{Methods: []string{"bell"}, Rules: []string{account.RuleNewIssue}},
		func(r *harness, told *[]string) {
			r.wait(250 * time.Second)
			if len(*told) != 1 || !strings.Contains((*told)[0], "new issue") {
				r.Errorf("told: %v", *told)
			}
		},
	)
	startWithNotices(t, shell.NotifyOptions{Rules: []string{account.RuleNewIssue}}, func(r *harness, told *[]string) {
		r.wait(250 * time.Second)
		if len(*told) != 0 {
			r.Errorf("switched off, it told %v", *told)
		}
	})
}

// Without notifications, badges and messages are right in every pane: services and issues are read every minute, once
// each, and rarely where the token may not read them.
func TestNotices_everyPanePollsServicesAndIssues(t *testing.T) {
	t.Parallel()
	requests := func(r *harness) int {
		return r.emu.RequestCount("list services") + r.emu.RequestCount("list issues")
	}
	for _, pane := range []string{"4", "7", "8", "9", ":transfers", ":journal"} {
		startWithNotices(t, shell.NotifyOptions{}, func(r *harness, _ *[]string) {
			r.press(pane)
			if len(pane) > 1 {
				r.press("<enter>")
			}
			before := requests(r)
			r.wait(250 * time.Second)
			r.requireText("Issues 2", "Services ▲2")
			message := ""
			for _, n := range r.messages {
				message += n.Text + "\n"
			}
			if !strings.Contains(message, "has a problem") || !strings.Contains(message, "new issue 901") {
				r.Errorf("pane %s: message: %s", pane, message)
			}
			if n := requests(r) - before; n < 6 || n > 17 { // stats show issues, and read them more often
				r.Errorf("pane %s: %d requests in 250 s", pane, n)
			}
		})
	}
	startWithNotices(t, shell.NotifyOptions{}, func(r *harness, _ *[]string) {
		r.emu.InjectFault("GET /managed/*", emulator.Fault{Status: 403, Times: 1000})
		r.wait(2 * time.Minute)
		before := requests(r)
		r.wait(30 * time.Minute)
		if n := requests(r) - before; n > 8 {
			r.Errorf("%d requests in half an hour for what may not be read", n)
		}
	})
}

// The user's own changes are not reported as problems.
func TestNotices_ignoreOwnChanges(t *testing.T) {
	t.Parallel()
	startWithNotices(
		t,
		shell.NotifyOptions{Methods: []string{"bell"}, Rules: []string{account.RuleServiceLeavesOK}},
		func(r *harness, told *[]string) {
			r.press("3", "/", "web-1", "<enter>", "d", "<ctrl+s>")
			r.requireText("disabled")
			r.press("E")
			r.wait(30 * time.Second)
			if len(*told) != 0 {
				r.Errorf("told: %v", *told)
			}
		},
	)
}

// Every change of a batch by somebody else is shown as a message, not just some.
func TestNotices_everyChangeOfBatch(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.wait(time.Minute)
		labels := map[int]string{}
		for _, s := range r.services() {
			if s.Status == client.StatusOK {
				labels[s.ID] = s.Label.String()
			}
		}
		for id := range labels {
			r.elsewhere("POST", fmt.Sprintf("/managed/services/%d/disable", id), "")
		}
		r.wait(time.Minute)
		said := r.messageTexts()
		for _, label := range labels {
			if !strings.Contains(said, label) {
				t.Errorf("%s was disabled elsewhere, and is not in the messages: %s", label, said)
			}
		}
		for id := range labels {
			r.elsewhere("PUT", fmt.Sprintf("/managed/services/%d", id), `{"timeout":77}`)
		}
		r.wait(time.Minute)
		for _, label := range labels {
			if said := r.messageTexts(); !strings.Contains(said, label+" (timeout)") {
				t.Errorf("%s was edited elsewhere, and is not in the messages: %s", label, said)
			}
		}
	})
}

// A service that this machine made is not reported as one of others, also if its label has a mark.
func TestNotices_ownServiceWithMark(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.pressAll("3 n ✓night <tab> <right> <tab> 203.0.113.7:22 <ctrl+s>")
		r.wait(4 * time.Minute)
		r.requireApplied("create service")
		if said := r.messageTexts(); strings.Contains(said, "elsewhere") {
			t.Errorf("said: %s", said)
		}
	})
}

// A list from a replica that is behind causes no message: neither after a change of this machine nor after one by
// others.
func TestNotices_ignoreStaleLists(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3")
		r.wait(time.Minute)
		r.emu.InjectFault("GET /managed/services", emulator.Fault{Stale: 50 * time.Second, Alternate: true})
		r.elsewhere("POST", "/managed/services/8/disable", "")
		r.elsewhere("DELETE", "/managed/services/7", "")
		r.elsewhere("POST", "/managed/services", `{"label":"new","service_type":"tcp","address":"a:1","timeout":5}`)
		r.press("/", "web-1", "<enter>", "d", "<ctrl+s>")
		r.wait(4 * time.Minute)
		for text, want := range map[string]int{
			"cdn-origin was disabled elsewhere": 1,
			"docs was deleted elsewhere":        1,
			"new was added elsewhere":           1,
			"elsewhere":                         3,
		} {
			if got := strings.Count(r.messageTexts(), text); got != want {
				t.Errorf("%q is said %d times, want %d: %s", text, got, want, r.messageTexts())
			}
		}
	})
}

// messageTexts returns all messages so far.
func (r *harness) messageTexts() string {
	var texts []string
	for _, n := range r.messages {
		texts = append(texts, n.Text)
	}
	return strings.Join(texts, "\n")
}

// services returns the services as the API lists them now.
func (r *harness) services() []*client.Service {
	r.Helper()
	rows, err := account.Collect(r.api.Services.All(r.ctx))
	if err != nil {
		r.Fatal(err)
	}
	return rows
}

// Of several changes that are noticed at once, the most urgent one stays in sight; the others are in the messages.
func TestNotices_mostUrgentStaysInSight(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.wait(time.Minute)
		r.elsewhere("DELETE", "/managed/services/7", "")
		r.wait(40 * time.Second) // one read has lacked it
		r.elsewhere("PUT", "/managed/services/4", `{"timeout":77}`)
		r.emu.FailService(8)
		r.elsewhere("POST", "/managed/services/9/disable", "")
		before := len(r.messages)
		r.wait(25 * time.Second)
		var said []string
		for _, n := range r.messages[before:] {
			said = append(said, n.Text)
		}
		want := []string{
			"new issue", "docs was deleted", "web-1 (timeout) was edited", "edge-router was disabled",
			"cdn-origin has a problem",
		}
		if len(said) != len(want) || !strings.Contains(said[len(said)-1], want[len(want)-1]) {
			t.Errorf("%q, want %q", said, want)
		}
	})
}
