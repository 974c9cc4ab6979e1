package views_test

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lookout/client/emulator"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/views"
	"lookout/views/account"
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
		acc := account.New(ctx, account.Options{
			API:      r.api,
			Name:     "acme",
			Journal:  r.journal,
			Now:      time.Now,
			Location: time.UTC,
		})
		notify.Notices = func() ([]ui.Notification, tea.Cmd) { return account.Notices(acc) }
		notify.Refresh = func() tea.Cmd { return account.RefreshNoticeSources(acc) }
		look, err := theme.New("dark", colorprofile.ASCII, false)
		if err != nil {
			t.Fatal(err)
		}
		r.shell, err = shell.New(shell.Options{
			Panes:           views.Panes(acc),
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

// The rules of the account choose what is reported beside the screen. Without a method, nothing is reported or polled.
func TestNotices_rules(t *testing.T) {
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
		before := r.emu.RequestCount("list services")
		r.wait(250 * time.Second)
		if len(*told) != 0 || r.emu.RequestCount("list services") != before {
			r.Errorf("switched off, it told %v and asked %d times", *told, r.emu.RequestCount("list services")-before)
		}
	})
}

// The user's own changes are not reported as problems.
func TestNotices_ignoreOwnChanges(t *testing.T) {
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
