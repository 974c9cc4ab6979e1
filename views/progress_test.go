package views_test

import (
	"context"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lookout/client/emulator"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/views"
	"lookout/views/activity"
)

// While an object is transferred, the frame has its progress; afterwards it has none.
func TestFrame_transferProgress(t *testing.T) {
	dir := t.TempDir()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		account := r.newAccount(ctx, "acme", r.api, r.journal)
		look, err := theme.New("dark", colorprofile.ASCII, false)
		if err != nil {
			t.Fatal(err)
		}
		r.shell, err = shell.New(shell.Options{
			Panes:       views.Panes(account),
			Loop:        r.loop,
			TabPlaces:   views.TabPlaces(),
			Theme:       look,
			AccountInfo: shell.AccountInfo{Account: "acme"},
			Now:         time.Now,
			Location:    time.UTC,
			OnOpen:      func() tea.Cmd { return views.OnOpen(account) },
			Progress:    func() ui.Progress { return activity.Progress(account) },
		})
		if err != nil {
			t.Fatal(err)
		}
		r.run(r.shell.Init())
		r.send(tea.WindowSizeMsg{Width: 120, Height: 36})
		if p := r.shell.Frame().ProgressPercent; p != 0 {
			r.Errorf("%d percent of nothing", p)
		}
		r.T.Chdir(dir)
		r.press("8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>")
		release := r.emu.HoldRequests("*")
		r.press("w", "<ctrl+s>")
		r.wait(time.Second)
		if p := r.shell.Frame().ProgressPercent; p != 1 {
			r.Errorf("%d percent at the beginning:\n%s", p, r.screen())
		}
		release()
		r.wait(3 * time.Second)
		if p := r.shell.Frame().ProgressPercent; p != 0 {
			r.Errorf("%d percent at the end:\n%s", p, r.screen())
		}
	})
}
