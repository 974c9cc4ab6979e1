package activity

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/client/transfer"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/operation"
)

// blockingTransport never answers, so transfers stay under way.
type blockingTransport struct{}

func (blockingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

// newTransferringAccount returns an account with many downloads under way, and their pane.
func newTransferringAccount(t testing.TB, n int) (*account.Account, *table.List[*transfer.Status], ui.Box) {
	t.Helper()
	api, err := client.New(
		"https://api.example.test/v4", client.NewSecret("t"), client.WithTransport(blockingTransport{}),
	)
	if err != nil {
		t.Fatal(err)
	}
	look, err := theme.New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	a := account.New(
		ctx,
		account.Options{
			Executor: &lists.Inline{},
			API:      api,
			Journal:  journal.NewInMemory(time.Now),
			Location: time.UTC,
		},
	)
	t.Cleanup(func() { end(); a.Transfers.Wait() })
	objects := make([]*client.Object, n)
	for i := range objects {
		objects[i] = &client.Object{
			Name:  client.NewText(fmt.Sprintf("2026/11/%06d.log.gz", i)),
			Owner: client.NewText("acme"),
			Size:  1 << 20,
		}
	}
	plan := transfer.NewPlan("", slices.Values(objects), func() bool { return false })
	plan.Cluster, plan.Bucket, plan.Folder = "us-east-1", "media", t.TempDir()
	if ids, refused := a.Transfers.Start(plan, transfer.StartOptions{}); len(ids) != n {
		t.Fatalf("%d downloads started, want %d; refused: %v", len(ids), n, refused)
	}
	l := TransfersPane(a).(*table.List[*transfer.Status])
	room := ui.Box{
		Width:   200,
		Height:  47,
		Focused: true,
		Theme:   look,
		Now:     time.Now(),
	}
	operation.SyncTransfers(a)
	l.View(room)
	l.LoadMissing()
	l.View(room)
	return a, l, room
}

// The cost of a key and its frame does not grow with the number of transfers, and the cost of an update does not grow
// with the transfers that stand still.
func TestTransfersPane_allocations(t *testing.T) {
	a, l, room := newTransferringAccount(t, 30_000)
	if n := testing.AllocsPerRun(20, func() {
		for _, act := range l.Actions() {
			if act.Name() == "down" {
				act.Do()
			}
		}
		l.View(room)
		l.Badge()
		Progress(a)
	}); n > 1000 {
		t.Errorf("%v allocations for a key", n)
	}
	if n := testing.AllocsPerRun(20, func() { operation.SyncTransfers(a) }); n > 100 {
		t.Errorf("%v allocations for a message", n)
	}
}

// BenchmarkTransfers measures 100,000 downloads under way: a key and its frame, the same after the transfers have
// moved, and sorting them.
func BenchmarkTransfers(b *testing.B) {
	a, l, room := newTransferringAccount(b, 100_000)
	down := func() {
		l.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		l.Actions()
		l.Badge()
		l.View(room)
		Progress(a)
	}
	b.Run("key", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			down()
		}
	})
	b.Run("moved", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			operation.SyncTransfers(a)
			down()
		}
	})
	b.Run("ordered", func(b *testing.B) { // off the loop
		b.ReportAllocs()
		for b.Loop() {
			operation.SyncTransfers(a)
			l.LoadMissing()
		}
	})
}
