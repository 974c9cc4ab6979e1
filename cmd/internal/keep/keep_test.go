package keep_test

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/cmd/internal/keep"
)

// rig is an emulated account with a journal in a file, and programs that look after its windows one after the other.
type rig struct {
	*testing.T
	emu     *emulator.Emulator
	path    string
	jump    atomic.Int64 // of the clock on the wall, a time.Duration
	api     *client.Client
	journal *journal.Journal
	lines   []string
	program *program
}

// A program is one run of lookout keep.
type program struct {
	cancel context.CancelFunc
	killed atomic.Bool
	next   http.RoundTripper
	ended  chan struct{}

	mu   sync.Mutex // requests are sent side by side
	dice *rand.Rand
}

// delay waits for up to 0.3 s.
func (p *program) delay() {
	p.mu.Lock()
	wait := time.Duration(p.dice.IntN(300)) * time.Millisecond
	p.mu.Unlock()
	time.Sleep(wait)
}

// RoundTrip sends a request, unless the program was killed: then it never answers, and may still have been sent.
func (p *program) RoundTrip(req *http.Request) (*http.Response, error) {
	if p.killed.Load() {
		return nil, errors.New("killed")
	}
	p.delay()
	if p.killed.Load() { // before it was sent
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	answer, err := p.next.RoundTrip(req)
	p.delay()
	if p.killed.Load() { // after it was sent
		if err == nil {
			answer.Body.Close()
		}
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	return answer, err
}

// newRig starts an emulated account inside a bubble of fake time.
func newRig(t *testing.T, o emulator.Options) *rig {
	t.Helper()
	r := &rig{T: t, path: filepath.Join(t.TempDir(), "prod.journal")}
	t.Cleanup(func() { time.Sleep(time.Minute) }) // requests of killed programs give up
	o.Token, o.Now = "test-token", r.now
	r.emu = emulator.New(o)
	var err error
	if r.journal, err = journal.Open(r.path, "prod", r.now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.journal.Close() })
	r.api = r.connect(r.emu, r.journal)
	return r
}

func (r *rig) now() time.Time { return time.Now().Add(time.Duration(r.jump.Load())) }

func (r *rig) connect(transport http.RoundTripper, recorder client.ChangeRecorder) *client.Client {
	api, err := client.New(
		"https://api.example.test/v4", client.NewSecret("test-token"), client.WithTransport(transport),
		client.WithRecorder(recorder),
	)
	if err != nil {
		r.Fatal(err)
	}
	return api
}

// write makes a change of a service as a script would.
func (r *rig) write(op string, s *client.Service, until time.Time, do func(*client.Writer) error) {
	r.Helper()
	id := fmt.Sprint(s.ID)
	consent, err := r.api.RequestConsent(client.ConsentQuestion{Op: op}, id).Answer(true)
	if err != nil {
		r.Fatal(err)
	}
	w, err := r.api.Begin(client.Change{
		Op:       op,
		Resource: "service",
		ID:       id,
		Label:    s.Label.String(),
		RevertAt: until,
	}, consent)
	if err == nil {
		err = do(w)
	}
	if err != nil {
		r.Fatal(err)
	}
}

// disable disables a service until a time.
func (r *rig) disable(s *client.Service, until time.Time) {
	r.Helper()
	r.write(client.OpDisableService, s, until, func(w *client.Writer) error {
		_, err := w.DisableService(r.Context(), s.ID)
		return err
	})
}

// services returns the first n services, and creates those that are missing.
func (r *rig) services(n int) []*client.Service {
	r.Helper()
	for {
		var found []*client.Service
		for s, err := range r.api.Services.All(r.Context()) {
			if err != nil {
				r.Fatal(err)
			}
			if s.Status != client.StatusDisabled {
				found = append(found, s)
			}
		}
		if len(found) >= n {
			return found[:n]
		}
		consent, _ := r.api.RequestConsent(client.ConsentQuestion{Op: client.OpCreateService}).Answer(true)
		w, err := r.api.Begin(client.Change{Op: client.OpCreateService}, consent)
		if err == nil {
			_, err = w.CreateService(r.Context(), client.ServiceRequest{
				Label:   fmt.Sprintf("service-%d", len(found)),
				Type:    client.TypeURL,
				Address: "https://example.com",
				Timeout: 10,
			})
		}
		if err != nil {
			r.Fatal(err)
		}
	}
}

// start starts lookout keep.
func (r *rig) start(seed uint64) {
	p := &program{next: r.emu, dice: rand.New(rand.NewPCG(seed, 1)), ended: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel, r.program = cancel, p
	account := keep.WatchedAccount{
		Name:    "prod",
		Journal: r.path,
		Connect: func(_ context.Context, j client.ChangeRecorder, _ *client.Client) (*client.Client, error) {
			return r.connect(p, j), nil
		},
	}
	o := keep.Options{
		Accounts: func() []keep.WatchedAccount { return []keep.WatchedAccount{account} },
		Now:      r.now,
		Report:   func(line string) { r.lines = append(r.lines, line) },
	}
	go func() {
		defer close(p.ended)
		_ = keep.Run(ctx, o)
	}()
}

// kill ends lookout keep as kill -9 does: requests that are under way are cut off or not even sent.
func (r *rig) kill() {
	r.program.killed.Store(true)
	r.program.cancel()
	<-r.program.ended
}

// changes returns the changes of monitoring that were applied to a service.
func (r *rig) changes(id int) []emulator.AppliedChange {
	return slices.DeleteFunc(r.emu.Ledger(), func(c emulator.AppliedChange) bool {
		return !strings.Contains(c.Path+"/", fmt.Sprintf("/services/%d/", id)) || c.Op == client.OpUpdateService
	})
}

// requireEnabledOnce fails unless a service was disabled once, and enabled once, no earlier than its end and within a
// time after it.
func (r *rig) requireEnabledOnce(s *client.Service, end time.Time, within time.Duration) {
	r.Helper()
	done := r.changes(s.ID)
	if len(done) != 2 || done[0].Op != client.OpDisableService || done[1].Op != client.OpEnableService {
		r.Errorf("%s: %v\n%s", s.Label, done, strings.Join(r.lines, "\n"))
		return
	}
	if late := done[1].Time.Sub(end); late < 0 || late > within {
		r.Errorf("%s: enabled %s after its end at %s", s.Label, late, end)
	}
}

// 50 windows of 1 min to 3 h end on time, to the minute, although the program is killed every few minutes, in the
// middle of its requests too, and the clock jumps. Each service is enabled exactly once.
func TestKeep_fiftyWindowsThroughKillsAndClockJumps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, emulator.Options{Seed: "demo"})
		dice := rand.New(rand.NewPCG(50, 1))
		ends := map[*client.Service]time.Time{}
		for _, s := range r.services(50) {
			ends[s] = r.now().Add(time.Duration(1+dice.IntN(180)) * time.Minute).Round(time.Second)
			r.disable(s, ends[s])
		}
		slept := map[time.Time]time.Time{} // a time that the clock jumped to, by the time before
		for i := range 40 {
			r.start(uint64(i))
			// some are killed at the very second at which a window ends
			time.Sleep(time.Duration(60+dice.IntN(400)) * time.Second)
			for _, end := range ends {
				if left := end.Sub(r.now()); i%2 == 0 && left > 0 && left < 4*time.Minute {
					time.Sleep(left + time.Duration(dice.IntN(700))*time.Millisecond)
					break
				}
			}
			r.kill()
			switch i {
			case 5, 15:
				before := r.now()
				r.jump.Add(int64(25 * time.Minute)) // the machine sleeps
				slept[before] = r.now()
			case 10:
				r.jump.Add(-int64(10 * time.Minute))
			}
		}
		r.start(99)
		time.Sleep(10 * time.Minute)
		r.kill()
		for s, end := range ends {
			within := time.Minute
			for before, after := range slept {
				if end.After(before) && end.Before(after) {
					within += after.Sub(end)
				}
			}
			r.requireEnabledOnce(s, end, within)
		}
	})
}

// A machine that sleeps while the program runs finds the windows over when it wakes.
func TestKeep_sleepDuringRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, emulator.Options{Seed: "demo"})
		s := r.services(1)[0]
		end := r.now().Add(time.Hour)
		r.disable(s, end)
		r.start(1)
		time.Sleep(time.Minute)
		r.jump.Store(int64(8 * time.Hour))
		time.Sleep(15 * time.Second)
		r.kill()
		r.requireEnabledOnce(s, end, 8*time.Hour)
	})
}

// A service that cannot be enabled is tried again until the API has answered, however long it is down.
func TestKeep_retriesUntilEnabled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, emulator.Options{Seed: "demo"})
		s := r.services(1)[0]
		end := r.now().Add(time.Minute)
		r.disable(s, end)
		r.emu.InjectFault("*", emulator.Fault{Status: 503})
		r.start(1)
		time.Sleep(20 * time.Minute)
		r.emu.ClearFaults()
		time.Sleep(8 * time.Minute)
		r.kill()
		r.requireEnabledOnce(s, end, 28*time.Minute)
		if report := strings.Join(r.lines, "\n"); !strings.Contains(report, "could not be enabled; trying again at") {
			t.Error(report)
		}
	})
}

// A service that somebody else enabled during its window is not enabled at its end, also if it was disabled again.
func TestKeep_leavesWhatOthersHaveEnabled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, emulator.Options{Seed: "demo"})
		s := r.services(1)[0]
		r.disable(s, r.now().Add(time.Hour))
		r.start(1)
		elsewhere := &rig{T: t}
		elsewhere.api = r.connect(r.emu, nil)
		time.Sleep(10 * time.Minute)
		elsewhere.write(client.OpEnableService, s, time.Time{}, func(w *client.Writer) error {
			_, err := w.EnableService(t.Context(), s.ID)
			return err
		})
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if report := strings.Join(r.lines, "\n"); !strings.Contains(report, "enabled already; its window is over") {
			t.Errorf("nothing is said before the end of the window:\n%s", report)
		}
		elsewhere.disable(s, time.Time{})
		time.Sleep(2 * time.Hour)
		r.kill()
		if done := r.changes(s.ID); len(done) != 3 || done[2].Op != client.OpDisableService {
			t.Errorf("%v\n%s", done, strings.Join(r.lines, "\n"))
		}
	})
}

// What somebody else has enabled and disabled again is left disabled, although nobody was looking meanwhile.
func TestKeep_leavesWhatOthersHaveDisabledUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, emulator.Options{Seed: "demo"})
		s := r.services(1)[0]
		r.disable(s, r.now().Add(time.Hour))
		elsewhere := &rig{T: t}
		elsewhere.api = r.connect(r.emu, nil)
		time.Sleep(20 * time.Second)
		elsewhere.write(client.OpEnableService, s, time.Time{}, func(w *client.Writer) error {
			_, err := w.EnableService(t.Context(), s.ID)
			return err
		})
		elsewhere.disable(s, time.Time{})
		time.Sleep(2 * time.Hour)
		r.start(1)
		time.Sleep(2 * time.Hour)
		r.kill()
		if done := r.changes(s.ID); len(done) != 3 {
			t.Errorf("%v\n%s", done, strings.Join(r.lines, "\n"))
		}
		left := s.Label.String() + ": somebody has enabled and disabled it; its window is over, and it stays disabled"
		if lines := strings.Join(r.lines, "\n"); !strings.Contains(lines, left) {
			t.Errorf("keep does not say %q:\n%s", left, lines)
		}
	})
}

// A planned window begins and ends on time, each once, although the program is killed in between.
func TestKeep_plannedWindowBeginsAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, emulator.Options{Seed: "demo"})
		s := r.services(1)[0]
		start, end := r.now().Add(time.Hour), r.now().Add(2*time.Hour)
		question := client.ConsentQuestion{Op: client.OpPlanMaintenance}
		consent, err := r.api.RequestConsent(question, fmt.Sprint(s.ID)).Answer(true)
		if err != nil {
			t.Fatal(err)
		}
		w, err := r.api.Begin(client.Change{
			Op:       client.OpPlanMaintenance,
			Resource: "service",
			ID:       fmt.Sprint(s.ID),
			StartAt:  start,
			RevertAt: end,
		}, consent)
		if err == nil {
			err = w.PlanMaintenance(t.Context(), s.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range 15 {
			r.start(uint64(i))
			time.Sleep(10 * time.Minute)
			r.kill()
		}
		if done := r.changes(s.ID); len(done) != 2 || done[0].Time.Sub(start).Abs() > time.Minute {
			t.Errorf("%v\n%s", done, strings.Join(r.lines, "\n"))
		}
		r.requireEnabledOnce(s, end, time.Minute)
	})
}

// Windows of accounts that are read-only or without a token are named, and left.
func TestKeep_namesWindowsThatItCannotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, emulator.Options{Seed: "demo"})
		s := r.services(1)[0]
		r.disable(s, r.now().Add(time.Minute))
		for want, account := range map[string]keep.WatchedAccount{
			"prod: it is read-only, so nothing is changed: ": {ReadOnly: true},
			"prod: no token, so nothing is changed: ": {
				Connect: func(context.Context, client.ChangeRecorder, *client.Client) (*client.Client, error) {
					return nil, errors.New("the keyring is locked")
				},
			},
		} {
			account.Name, account.Journal = "prod", r.path
			var lines []string
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			err := keep.Run(ctx, keep.Options{
				Accounts: func() []keep.WatchedAccount { return []keep.WatchedAccount{account} },
				Now:      r.now,
				Report:   func(line string) { lines = append(lines, line) },
			})
			cancel()
			want += s.Label.String() + " is to be enabled on "
			if err != nil || len(lines) != 1 || !strings.HasPrefix(lines[0], want) {
				t.Errorf("%q, %v; want %q", lines, err, want)
			}
		}
		if done := r.changes(s.ID); len(done) != 1 {
			t.Errorf("%v", done)
		}
	})
}

// A journal that is removed is reported once, and one that takes its place is looked after.
func TestKeep_journalIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, emulator.Options{Seed: "demo"})
		services := r.services(2)
		r.disable(services[0], r.now().Add(time.Hour))
		r.start(1)
		time.Sleep(time.Minute)
		if err := os.Remove(r.path); err != nil {
			t.Skip("an open file cannot be removed here: ", err)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if n := strings.Count(strings.Join(r.lines, "\n"), "was removed or moved away"); n != 1 {
			t.Errorf("said %d times:\n%s", n, strings.Join(r.lines, "\n"))
		}
		j, err := journal.Open(r.path, "prod", r.now)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		r.api = r.connect(r.emu, j)
		end := r.now().Add(10 * time.Minute)
		r.disable(services[1], end)
		time.Sleep(2 * time.Hour)
		r.kill()
		r.requireEnabledOnce(services[1], end, time.Minute)
	})
}

// Only one program looks after the windows of a state folder.
func TestLock(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state")
	if pid, running := keep.Running(folder); running {
		t.Fatalf("process %d", pid)
	}
	first, err := keep.Lock(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keep.Lock(folder); !errors.As(err, &keep.AlreadyRunningError{}) {
		t.Errorf("a second lock: %v", err)
	}
	if _, running := keep.Running(folder); !running {
		t.Error("not running")
	}
	first.Close()
	if second, err := keep.Lock(folder); err != nil {
		t.Errorf("after the first has ended: %v", err)
	} else {
		second.Close()
	}
}

// The files that start the program at login hold the whole command line, whatever characters are in it.
func TestUnits_quoteCommandLine(t *testing.T) {
	args := []string{"keep", "--config", `/home/a b/50% "x" & <y>$HOME/config.toml`}
	unit := keep.SystemdUnit("/opt/lookout", args)
	want := `ExecStart="/opt/lookout" "keep" "--config" "/home/a b/50%% \"x\" & <y>$$HOME/config.toml"` + "\n"
	if !strings.Contains(unit, want) || !strings.Contains(unit, "Restart=always") {
		t.Error(unit)
	}
	var plist struct {
		Arguments []string `xml:"dict>array>string"`
	}
	if err := xml.Unmarshal([]byte(keep.LaunchdPlist("/opt/lookout", args)), &plist); err != nil {
		t.Fatal(err)
	}
	if want := append([]string{"/opt/lookout"}, args...); !slices.Equal(plist.Arguments, want) {
		t.Errorf("%q, want %q", plist.Arguments, want)
	}
}
