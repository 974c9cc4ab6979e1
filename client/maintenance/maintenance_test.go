package maintenance_test

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/client/maintenance"
)

// A barrier holds every reading of a service until a number of programs have read it.
type barrier struct {
	next    http.RoundTripper
	readers sync.WaitGroup
	changes atomic.Int32 // that were sent
}

func (b *barrier) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		b.changes.Add(1)
	}
	answer, err := b.next.RoundTrip(req)
	if req.Method == http.MethodGet {
		b.readers.Done()
		b.readers.Wait()
	}
	return answer, err
}

// newKeeper returns a program of its own that looks after the windows in a journal.
func newKeeper(
	t *testing.T, path string, transport http.RoundTripper, report func([]maintenance.Event), options ...client.Option,
) *maintenance.Keeper {
	t.Helper()
	j, err := journal.Open(path, "prod", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	options = append(options, client.WithTransport(transport), client.WithRecorder(j))
	api, err := client.New("https://api.example.test/v4", client.NewSecret("test-token"), options...)
	if err != nil {
		t.Fatal(err)
	}
	return maintenance.New(api, j, time.Now, report)
}

// record makes a change of service 7 that begins or plans a window.
func record(t *testing.T, k *maintenance.Keeper, change client.Change, do func(*client.Writer) error) {
	t.Helper()
	change.Resource, change.ID, change.Label = "service", "7", "web-1"
	consent, err := k.API.RequestConsent(client.ConsentQuestion{Op: change.Op}, "7").Answer(true)
	if err != nil {
		t.Fatal(err)
	}
	w, err := k.API.Begin(change, consent)
	if err == nil {
		err = do(w)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A 404 under a token that may be another user's ends no window: the service may only be out of that user's sight.
func TestKeeper_gone_onlyForTheUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emu := emulator.New(emulator.Options{Token: "test-token", Now: time.Now, Seed: "demo"})
		var said []maintenance.Event
		path := filepath.Join(t.TempDir(), "prod.journal")
		k := newKeeper(t, path, emu, func(events []maintenance.Event) { said = append(said, events...) })
		record(t, k, client.Change{Op: client.OpDisableService, RevertAt: time.Now().Add(time.Hour)},
			func(w *client.Writer) error {
				_, err := w.DisableService(t.Context(), 7)
				return err
			})
		time.Sleep(2 * time.Hour)
		emu.InjectFault("view service", emulator.Fault{Status: http.StatusNotFound})
		look := func(want maintenance.Result, left int) {
			t.Helper()
			said = nil
			k.Look(t.Context())
			k.Wait()
			if len(said) != 1 || said[0].Result != want {
				t.Errorf("%+v, want %v", said, want)
			}
			if n := len(k.Journal.Windows()); n != left {
				t.Errorf("%d windows are left, want %d", n, left)
			}
			time.Sleep(time.Minute)
		}
		k.API.DoubtToken()
		look(maintenance.Failed, 1)
		if err := k.API.SetToken(client.NewSecret("test-token"), false); err != nil {
			t.Fatal(err)
		}
		look(maintenance.Failed, 1)
		if err := k.API.SetToken(client.NewSecret("test-token"), true); err != nil {
			t.Fatal(err)
		}
		look(maintenance.Gone, 0)
	})
}

// Several programs look at a window at the same moment, and all read that its service is still as it was: only one of
// them sends the change.
func TestKeeper_onlyOneProgramSends(t *testing.T) {
	const programs = 5
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			emu := emulator.New(emulator.Options{Token: "test-token", Now: time.Now, Seed: "demo"})
			path := filepath.Join(t.TempDir(), "prod.journal")
			// look lets every program look at the windows once, and returns what was sent and who says that he did it
			look := func() (sent, changed int) {
				gate := &barrier{next: emu}
				gate.readers.Add(programs)
				var said atomic.Int32
				for range programs {
					k := newKeeper(t, path, gate, func(events []maintenance.Event) {
						for _, e := range events {
							if e.Result == maintenance.Changed {
								said.Add(1)
							} else if e.Result != maintenance.Failed {
								t.Errorf("result %v, %v", e.Result, e.Err)
							}
						}
					})
					k.Look(context.Background())
					defer k.Wait()
				}
				synctest.Wait()
				time.Sleep(time.Second)
				return int(gate.changes.Load()), int(said.Load())
			}
			first := newKeeper(t, path, emu, nil)
			start, end := time.Now().Add(time.Minute), time.Now().Add(time.Hour)
			record(t, first, client.Change{Op: client.OpPlanMaintenance, StartAt: start, RevertAt: end},
				func(w *client.Writer) error { return w.PlanMaintenance(t.Context(), 7) })
			time.Sleep(2 * time.Minute)
			emu.InjectFault(client.OpDisableService, emulator.Fault{Reset: true, Times: 1})
			for _, want := range []struct {
				after   time.Duration
				changed int
			}{{0, 0}, {2 * time.Minute, 1}, {time.Hour, 1}} { // a lost change cannot arrive any more after a while
				time.Sleep(want.after)
				if sent, changed := look(); sent != 1 || changed != want.changed {
					t.Errorf("sent %d times, and %d programs say that they did it", sent, changed)
				}
			}
		})
	}
}

// An apiInStates is the API, which answers with the state of one emulator or of another.
type apiInStates struct{ http.RoundTripper }

// If the API has gone back to the state before a service was disabled, the end of its window is over once all readings
// for 10 minutes have shown that, and nothing is sent. A replica that is behind now and then ends nothing.
func TestKeeper_apiGoesBack(t *testing.T) {
	for name, c := range map[string]struct {
		disabled bool // in the state to which the API goes back
		want     maintenance.Result
		left     int
	}{
		"enabled":  {false, maintenance.Already, 0},
		"disabled": {true, maintenance.Ask, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			options := emulator.Options{Token: "test-token", Now: time.Now, Seed: "demo"}
			before, now := emulator.New(options), emulator.New(options)
			api := &apiInStates{now}
			var said []maintenance.Event
			k := newKeeper(t, filepath.Join(t.TempDir(), "prod.journal"), api, func(events []maintenance.Event) {
				said = append(said, events...)
			})
			disable := func(w *client.Writer) error {
				_, err := w.DisableService(t.Context(), 7)
				return err
			}
			if c.disabled {
				other := newKeeper(t, filepath.Join(t.TempDir(), "other.journal"), before, nil)
				record(t, other, client.Change{Op: client.OpDisableService}, disable)
				time.Sleep(time.Minute)
			}
			record(t, k, client.Change{Op: client.OpDisableService, RevertAt: time.Now().Add(time.Hour)}, disable)
			time.Sleep(time.Hour)
			now.InjectFault(client.OpEnableService, emulator.Fault{Status: http.StatusBadRequest})
			look := func(state http.RoundTripper) maintenance.Result {
				t.Helper()
				time.Sleep(5 * time.Minute)
				api.RoundTripper, said = state, nil
				k.Look(t.Context())
				k.Wait()
				if len(said) != 1 {
					t.Fatalf("%s: %+v", name, said)
				}
				return said[0].Result
			}
			for _, state := range []http.RoundTripper{before, before, now, before, before} {
				if got := look(state); got != maintenance.Failed {
					t.Fatalf("%s: %v, want another attempt", name, got)
				}
			}
			got, left := look(before), len(k.Journal.Windows())
			if got != c.want || left != c.left {
				t.Errorf("%s: %v, %d windows are left; want %v, %d", name, got, left, c.want, c.left)
			}
		})
	}
}

// The same when the clock is set back meanwhile: the 10 minutes begin again, and the next attempt does not wait for a
// time that was set before.
func TestKeeper_apiGoesBack_clockSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := emulator.Options{Token: "test-token", Now: time.Now, Seed: "demo"}
		before, now := emulator.New(options), emulator.New(options)
		api := &apiInStates{now}
		var said []maintenance.Event
		k := newKeeper(t, filepath.Join(t.TempDir(), "prod.journal"), api, func(events []maintenance.Event) {
			said = append(said, events...)
		})
		clock := time.Duration(0)
		k.Now = func() time.Time { return time.Now().Add(clock) }
		record(
			t,
			k,
			client.Change{Op: client.OpDisableService, RevertAt: time.Now().Add(time.Hour)},
			func(w *client.Writer) error {
				_, err := w.DisableService(t.Context(), 7)
				return err
			},
		)
		time.Sleep(4 * time.Hour)
		api.RoundTripper = before
		var got []maintenance.Result
		for n := range 5 {
			if n == 1 {
				clock = -2 * time.Hour
			}
			said = nil
			k.Look(t.Context())
			k.Wait()
			for _, e := range said {
				got = append(got, e.Result)
			}
			time.Sleep(5 * time.Minute)
		}
		want := []maintenance.Result{
			maintenance.Failed, maintenance.Failed, maintenance.Failed, maintenance.Already,
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// A program that may not change anything begins and ends no window, sends nothing, and reports nothing.
func TestKeeper_readOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := emulator.New(emulator.Options{Token: "test-token", Now: time.Now, Seed: "demo"})
		path := filepath.Join(t.TempDir(), "prod.journal")
		record(
			t,
			newKeeper(t, path, api, nil),
			client.Change{Op: client.OpDisableService, RevertAt: time.Now().Add(time.Hour)},
			func(w *client.Writer) error {
				_, err := w.DisableService(t.Context(), 7)
				return err
			},
		)
		time.Sleep(2 * time.Hour)
		requests := 0
		k := newKeeper(t, path, counting{api, &requests}, func(events []maintenance.Event) { t.Errorf("%+v", events) },
			client.WithReadOnly())
		k.Look(t.Context())
		k.Wait()
		if requests != 0 {
			t.Errorf("%d requests", requests)
		}
	})
}

// counting counts requests.
type counting struct {
	http.RoundTripper
	requests *int
}

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	*c.requests++
	return c.RoundTripper.RoundTrip(r)
}

// A planned window that nobody could begin before its end is over, and its service is left as it is.
func TestKeeper_missedWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := emulator.New(emulator.Options{Token: "test-token", Now: time.Now, Seed: "demo"})
		var said []maintenance.Event
		k := newKeeper(t, filepath.Join(t.TempDir(), "prod.journal"), api, func(events []maintenance.Event) {
			said = append(said, events...)
		})
		record(
			t,
			k,
			client.Change{
				Op:       client.OpPlanMaintenance,
				StartAt:  time.Now().Add(time.Hour),
				RevertAt: time.Now().Add(2 * time.Hour),
			},
			func(w *client.Writer) error { return w.PlanMaintenance(t.Context(), 7) },
		)
		time.Sleep(2 * time.Hour)
		k.Look(t.Context())
		k.Wait()
		if len(said) != 1 || said[0].Result != maintenance.Missed || len(api.Ledger()) != 0 {
			t.Errorf("%+v, sent %v", said, api.Ledger())
		}
	})
}
