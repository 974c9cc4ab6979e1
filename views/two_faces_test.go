package views_test

import (
	"context"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/lists"
	"lookout/ui/shell"
	"lookout/views"
)

// Two faces share one account: what one reads or changes, the other has without a request of its own.
func TestAccount_twoFaces(t *testing.T) {
	t.Parallel()
	var a *account.Account
	configure := func(r *harness, o *shell.Options) {
		a = account.New(r.ctx, account.Options{
			Executor: r.loop, API: r.api, Name: "acme-prod", Journal: r.journal, Now: time.Now, Location: time.UTC,
		})
		o.Panes, o.OnOpen = views.Panes(a), func() tea.Cmd { return views.OnOpen(a) }
	}
	startWithOptions(t, emulator.Options{}, screenSize{120, 36}, configure, func(r *harness) {
		r.press("3")
		r.requireText("web-1")
		var other sync.WaitGroup
		other.Go(func() { // looks all the time, as a face does that draws
			for range 20 {
				time.Sleep(time.Second)
				for range 500 {
					r.loop.Lock()
					a.Services().Poll()
					_ = a.Services().Freshness()
					r.loop.Unlock()
				}
			}
		})
		r.press("/", "web-1", "<enter>", "d", "<ctrl+s>")
		r.wait(2 * time.Second)
		other.Go(func() {
			r.loop.Lock()
			defer r.loop.Unlock()
			row := a.Services().Rows()[0]
			for _, s := range a.Services().Rows() {
				if s.Label.String() == "web-1" {
					row = s
				}
			}
			if row.Status.String() != "disabled" {
				t.Errorf("the other face sees that web-1 is %s", row.Status)
			}
			_ = a.Services().Run(&lists.Change[*client.Service]{
				RowID: account.FormatID(row.ID),
				Send: func(ctx context.Context) (lists.ChangeResult[*client.Service], error) {
					w := r.writer(client.OpEnableService, account.FormatID(row.ID))
					return lists.ResultRow(w.EnableService(ctx, row.ID))
				},
			})
		})
		r.wait(30 * time.Second)
		other.Wait()
		r.requireText("◌ pending   web-1")
		r.requireApplied(client.OpDisableService, client.OpEnableService)
	})
}
