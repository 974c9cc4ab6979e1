package views_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/ui/uitest"
	"lookout/views"
	"lookout/views/managed"
	"lookout/views/operation"
	"lookout/views/storage"
)

// offlineTransport refuses every request.
type offlineTransport struct{}

func (offlineTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("offline")
}

// fillStore puts n rows into a store.
func fillStore[T any](store *lists.RowStore[T], n int, row func(int) T) {
	rows := make([]T, n)
	for i := range rows {
		rows[i] = row(i)
	}
	storage := lists.NewSliceStorage(store.ID)
	storage.Append(rows)
	store.Replace(storage)
}

// newAccountOf returns an account whose lists have n rows each. Rows alike stand in the same places, whatever n is.
func newAccountOf(t testing.TB, n int, now time.Time) *account.Account {
	t.Helper()
	api, err := client.New(
		"https://api.example.test/v4", client.NewSecret("t"), client.WithTransport(offlineTransport{}),
	)
	if err != nil {
		t.Fatal(err)
	}
	a := account.New(t.Context(), account.Options{
		Executor: &lists.Inline{},
		API:      api,
		Journal:  journal.NewInMemory(func() time.Time { return now }),
		Now:      func() time.Time { return now },
		Location: time.UTC,
	})
	text := func(format string, i int) client.ServerText { return client.NewText(fmt.Sprintf(format, i)) }
	status := func(i int) client.ServiceStatus {
		all := []client.ServiceStatus{
			client.StatusOK, client.StatusProblem, client.StatusDisabled, client.StatusPending,
		}
		return all[i%len(all)]
	}
	ago := func(i int) client.Timestamp { return client.NewTime(now.Add(-time.Duration(i+1) * time.Hour)) }
	group := func(i int) client.ServerText { return text("group-%06d", i) }
	optional := func(t client.ServerText) client.OptionalServerText { return client.OptionalServerText{ServerText: t} }
	fillStore(a.Services(), n, func(i int) *client.Service {
		return &client.Service{
			ID:          i + 1,
			Label:       text("service-%06d", i),
			Type:        client.TypeURL,
			Address:     text("https://host-%06d.example/", i),
			Group:       group(i),
			Credentials: []int{i + 1},
			Status:      status(i),
			Created:     ago(5000),
			Updated:     ago(200),
		}
	})
	fillStore(a.Issues(), n, func(i int) *client.Issue {
		return &client.Issue{
			ID:       n - i,
			Created:  ago(2 * i),
			Ticket:   client.TicketRef{ID: 10_000 + i, Label: text("ticket %06d", i)},
			Services: []int{i + 1},
		}
	})
	fillStore(a.Contacts(), n, func(i int) *client.Contact {
		return &client.Contact{
			ID:    i + 1,
			Name:  text("Person %06d", i),
			Email: text("p%06d@example.com", i),
			Group: optional(group(i)),
			Phone: client.PhoneNumbers{Primary: optional(text("+1 555 %06d", i))},
		}
	})
	fillStore(a.Credentials(), n, func(i int) *client.Credential {
		return &client.Credential{ID: i + 1, Label: text("credential-%06d", i), LastDecrypted: ago(100)}
	})
	fillStore(a.Instances(), n, func(i int) *client.Instance {
		return &client.Instance{
			ID:    i + 1,
			Label: text("host-%06d", i),
			SSH:   client.SSHSettings{Access: client.Known(true), IP: client.NewText("any"), Port: 22},
		}
	})
	fillStore(a.Clusters(), n, func(i int) *client.Cluster {
		return &client.Cluster{
			ID:     text("cluster-%06d", i),
			Region: text("region-%06d", i),
			Status: client.NewText("available"),
		}
	})
	fillStore(a.Buckets(), n, func(i int) *client.Bucket {
		return &client.Bucket{
			Cluster: text("cluster-%06d", i),
			Label:   text("bucket-%06d", i),
			Objects: client.Known(int64(7)),
			Size:    client.Known(int64(7_000)),
			Created: ago(300),
		}
	})
	fillStore(a.Keys(), n, func(i int) *client.AccessKey {
		return &client.AccessKey{
			ID:        i + 1,
			Label:     text("key-%06d", i),
			AccessKey: text("ACCESS%06d", i),
			Limited:   client.Known(i%2 == 0),
			Buckets: []client.BucketGrant{{
				Cluster:     text("cluster-%06d", i),
				Bucket:      text("bucket-%06d", i),
				Permissions: client.NewText("read_only"),
			}},
		}
	})
	fillStore(a.Stats(), 1, func(int) *client.ManagedStats { return &client.ManagedStats{} })
	fillStore(a.TransferUsage(), 1, func(int) *client.TransferUsage {
		return &client.TransferUsage{Used: client.Known(int64(7_000_000_000))}
	})
	return a
}

// A frameProgram is a program on an account of so many rows in each list.
type frameProgram struct {
	shell   *shell.Shell
	account *account.Account
}

// newFrameProgram returns a program without a terminal, and its panes.
func newFrameProgram(t testing.TB, n int) (p frameProgram, panes []ui.Pane) {
	t.Helper()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	a := newAccountOf(t, n, now)
	look, err := theme.New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	panes = views.Panes(a)
	s, err := shell.New(shell.Options{
		Panes:     panes,
		TabPlaces: views.TabPlaces(),
		Theme:     look,
		Now:       func() time.Time { return now },
		Location:  time.UTC,
		Context:   t.Context(),
		Notify: shell.NotifyOptions{
			Notices: func(paused bool) []ui.Notification { return operation.Notifications(a.Notices(paused)) },
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Update(tea.WindowSizeMsg{Width: 160, Height: 16}) // 14 rows fill it
	return frameProgram{s, a}, panes
}

// press handles a key and draws a frame, as the program does.
func (p frameProgram) press(key rune) tea.Cmd {
	cmd := p.shell.Update(uitest.Key(string(key)))
	p.shell.Frame()
	return cmd
}

// show opens a pane and lets it read and sort.
func (p frameProgram) show(open func(frameProgram) tea.Cmd) {
	for range 2 {
		uitest.RunWithin(20*time.Millisecond, open(p), p.shell.Update)
		p.shell.Frame()
	}
}

// moveDownAndUp is two keys with their frames.
func (p frameProgram) moveDownAndUp() {
	p.press('j')
	p.press('k')
}

// fastest returns the shortest time of some rounds: the one that nothing else on the machine has slowed down.
func (p frameProgram) fastest(rounds int) time.Duration {
	best := time.Hour
	for range rounds {
		begun := time.Now()
		p.moveDownAndUp()
		best = min(best, time.Since(begun))
	}
	return best
}

// A comparedPane is a pane whose frames are compared.
type comparedPane struct {
	name string
	open func(frameProgram) tea.Cmd
}

// tabKeys returns the keys that bring the tabs to the front.
func tabKeys(panes []ui.Pane) (keys []string) {
	places, digit := views.TabPlaces(), 0
	for _, pane := range panes {
		key := places[pane.Name()].Key
		if key == "" {
			digit++
			key = strconv.Itoa(digit % 10)
		}
		keys = append(keys, key)
	}
	return keys
}

// comparedPanes returns every tab, and panes that open from them.
func comparedPanes(panes []ui.Pane) (all []comparedPane) {
	for n, keys := range tabKeys(panes) {
		key := []rune(keys)[0]
		all = append(all, comparedPane{panes[n].Name(), func(p frameProgram) tea.Cmd { return p.press(key) }})
	}
	return append(all, []comparedPane{
		{"issue", func(p frameProgram) tea.Cmd {
			return p.shell.Update(ui.OpenPaneMsg{Pane: managed.IncidentPane(p.account, p.account.Issues().At(0))})
		}},
		{"objects", func(p frameProgram) tea.Cmd {
			pane := storage.ObjectsPane(p.account, p.account.Buckets().At(0), "", "")
			objects := p.account.OpenListings[len(p.account.OpenListings)-1].(*lists.RowStore[*client.Object])
			fillStore(objects, p.account.Services().Len(), func(i int) *client.Object {
				return &client.Object{Name: client.NewText(fmt.Sprintf("object-%06d", i)), Size: 7}
			})
			return p.shell.Update(ui.OpenPaneMsg{Pane: pane})
		}},
	}...)
}

// No frame computes anything that grows with the account: a key and its frame cost at most 1.3 times as much with 5,000
// or 100,000 rows in each list as with 14. Every run counts allocations; the long one measures time too, with the
// largest account. It compares times that were measured directly one after the other, because other programs slow this
// one down for seconds, and measures again before it fails: a loop over all rows would take several times as long in
// every round.
func TestFrames_doNotGrowWithTheAccount(t *testing.T) {
	const most = 1.3
	sizes := []int{14, 5_000}
	if os.Getenv("LOOKOUT_LONG") != "" && !raceDetector {
		sizes = append(sizes, 100_000)
	}
	programs := make([]frameProgram, len(sizes))
	var panes []ui.Pane
	for i, n := range sizes {
		programs[i], panes = newFrameProgram(t, n)
	}
	for _, c := range comparedPanes(panes) {
		t.Run(c.name, func(t *testing.T) {
			allocs := make([]float64, len(sizes))
			for i, p := range programs {
				p.show(c.open)
				allocs[i] = testing.AllocsPerRun(5, p.moveDownAndUp)
			}
			t.Logf("%v rows: %v allocations", sizes, allocs)
			if slices.Max(allocs) > most*allocs[0] {
				t.Errorf("%v rows: %v allocations for two keys and their frames", sizes, allocs)
			}
			if len(sizes) < 3 {
				return
			}
			times := make([]time.Duration, len(sizes))
			for range 20 {
				for i, p := range programs {
					times[i] = p.fastest(100)
				}
				if float64(slices.Max(times)) <= most*float64(times[0]) {
					break
				}
			}
			t.Logf("%v rows: %v", sizes, times)
			if float64(slices.Max(times)) > most*float64(times[0]) {
				t.Errorf("%v rows: %v for two keys and their frames", sizes, times)
			}
		})
	}
}
