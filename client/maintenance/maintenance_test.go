package maintenance_test

import (
	"context"
	"net/http"
	"path/filepath"
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
func newKeeper(t *testing.T, path string, transport http.RoundTripper) maintenance.Executor {
	t.Helper()
	j, err := journal.Open(path, "prod", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	api, err := client.New(
		"https://api.example.test/v4", client.NewSecret("test-token"), client.WithTransport(transport),
		client.WithRecorder(j),
	)
	if err != nil {
		t.Fatal(err)
	}
	return maintenance.Executor{API: api, Journal: j, Now: time.Now}
}

// record makes a change of service 7 that begins or plans a window.
func record(t *testing.T, k maintenance.Executor, change client.Change, do func(*client.Writer) error) {
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
func TestExecutor_gone_onlyForTheUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emu := emulator.New(emulator.Options{Token: "test-token", Now: time.Now, Seed: "demo"})
		k := newKeeper(t, filepath.Join(t.TempDir(), "prod.journal"), emu)
		record(t, k, client.Change{Op: client.OpDisableService, RevertAt: time.Now().Add(time.Hour)},
			func(w *client.Writer) error {
				_, err := w.DisableService(t.Context(), 7)
				return err
			})
		time.Sleep(2 * time.Hour)
		emu.InjectFault("view service", emulator.Fault{Status: http.StatusNotFound})
		end := func(want maintenance.WindowResult, left int) {
			t.Helper()
			for _, w := range k.Journal.DisabledServices() {
				if _, result, err := k.End(t.Context(), w); result != want {
					t.Errorf("result %v, want %v: %v", result, want, err)
				}
			}
			if n := len(k.Journal.DisabledServices()); n != left {
				t.Errorf("%d windows are left, want %d", n, left)
			}
		}
		k.API.DoubtToken()
		end(maintenance.Failed, 1)
		if err := k.API.SetToken(client.NewSecret("test-token"), false); err != nil {
			t.Fatal(err)
		}
		end(maintenance.Failed, 1)
		if err := k.API.SetToken(client.NewSecret("test-token"), true); err != nil {
			t.Fatal(err)
		}
		end(maintenance.Gone, 0)
	})
}

// Several programs look at a window at the same moment, and all read that its service is still as it was: only one of
// them sends the change.
func TestKeeper_onlyOneProgramSends(t *testing.T) {
	const programs = 5
	type outcome struct {
		result maintenance.WindowResult
		err    error
	}
	// run lets every program work on the window at once.
	run := func(
		t *testing.T, emu *emulator.Emulator, path string, do func(maintenance.Executor) outcome,
	) (sent int, outcomes []outcome) {
		gate := &barrier{next: emu}
		gate.readers.Add(programs)
		outcomes = make([]outcome, programs)
		var all sync.WaitGroup
		for n := range programs {
			k := newKeeper(t, path, gate)
			all.Go(func() { outcomes[n] = do(k) })
		}
		all.Wait()
		return int(gate.changes.Load()), outcomes
	}
	check := func(t *testing.T, wantChanged, sent int, outcomes []outcome) {
		t.Helper()
		changed := 0
		for _, o := range outcomes {
			switch {
			case o.result == maintenance.Changed:
				changed++
			case o.result != maintenance.Superseded && o.result != maintenance.Failed:
				t.Errorf("result %v, %v", o.result, o.err)
			}
		}
		if sent != 1 || changed != wantChanged {
			t.Errorf("sent %d times, and %d programs say that they did it: %v", sent, changed, outcomes)
		}
	}
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			emu := emulator.New(emulator.Options{Token: "test-token", Now: time.Now, Seed: "demo"})
			path := filepath.Join(t.TempDir(), "prod.journal")
			first := newKeeper(t, path, emu)
			start, end := time.Now().Add(time.Minute), time.Now().Add(time.Hour)
			record(t, first, client.Change{Op: client.OpPlanMaintenance, StartAt: start, RevertAt: end},
				func(w *client.Writer) error { return w.PlanMaintenance(t.Context(), 7) })
			time.Sleep(2 * time.Minute)
			begin := func(k maintenance.Executor) outcome {
				for _, w := range k.Journal.PlannedWindows() {
					_, result, err := k.Begin(context.Background(), w)
					return outcome{result, err}
				}
				return outcome{}
			}
			emu.InjectFault(client.OpDisableService, emulator.Fault{Reset: true, Times: 1})
			sent, outcomes := run(t, emu, path, begin)
			check(t, 0, sent, outcomes)
			time.Sleep(2 * time.Minute) // it cannot arrive any more, so one of them sends it again
			sent, outcomes = run(t, emu, path, begin)
			check(t, 1, sent, outcomes)
			time.Sleep(time.Hour)
			sent, outcomes = run(t, emu, path, func(k maintenance.Executor) outcome {
				for _, w := range k.Journal.DisabledServices() {
					_, result, err := k.End(context.Background(), w)
					return outcome{result, err}
				}
				return outcome{}
			})
			check(t, 1, sent, outcomes)
		})
	}
}

// A window whose service somebody else has enabled is over: nothing is sent at its end.
func TestScheduler_End_leavesWhatOthersHaveEnabled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emu := emulator.New(emulator.Options{Token: "test-token", Now: time.Now, Seed: "demo"})
		k := newKeeper(t, filepath.Join(t.TempDir(), "prod.journal"), emu)
		elsewhere := newKeeper(t, filepath.Join(t.TempDir(), "elsewhere.journal"), emu)
		record(t, k, client.Change{Op: client.OpDisableService, RevertAt: time.Now().Add(time.Hour)},
			func(w *client.Writer) error { _, err := w.DisableService(t.Context(), 7); return err })
		time.Sleep(30 * time.Minute)
		record(t, elsewhere, client.Change{Op: client.OpEnableService},
			func(w *client.Writer) error { _, err := w.EnableService(t.Context(), 7); return err })
		time.Sleep(time.Hour)
		sent := len(emu.Ledger())
		_, result, err := k.End(t.Context(), k.Journal.DisabledServices()["7"])
		if result != maintenance.Already || err != nil || len(emu.Ledger()) != sent {
			t.Errorf("result %v, %v; sent %v", result, err, emu.Ledger()[sent:])
		}
		if len(k.Journal.DisabledServices()) != 0 {
			t.Error("the window is not over")
		}
	})
}
