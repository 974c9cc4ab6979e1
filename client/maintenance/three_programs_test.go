package maintenance_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/client/maintenance"
	"lookout/client/window"
)

// What three programs do at once: each edits all services several times, and all plan the same windows.
const (
	sharedServices = 10
	editsOfEach    = 3
	programs       = 3
)

// A sharedFold is what a program knows of the journal at the end.
type sharedFold struct {
	Entries []string // what was sent and how it ended
	Windows []window.Window
}

// A redirect sends the requests for the API to a server of the test.
type redirect struct{ host string }

func (r redirect) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := req.Clone(req.Context())
	sent.URL.Scheme, sent.URL.Host = "http", r.host
	return http.DefaultTransport.RoundTrip(sent)
}

// runShared edits the services and plans the windows from start to end, all at once, looks after all windows until they
// are over, and returns what it knows then.
func runShared(path, host, name string, start, end time.Time) (fold sharedFold, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	j, err := journal.Open(path, "prod", time.Now)
	if err != nil {
		return fold, err
	}
	defer j.Close()
	api, err := client.New(
		"https://api.example.test/v4", client.NewSecret("test-token"), client.WithTransport(redirect{host}),
		client.WithRecorder(j),
	)
	if err != nil {
		return fold, err
	}
	k := maintenance.New(api, j, time.Now, func([]maintenance.Event) {})
	var work sync.WaitGroup
	keeping, stop := context.WithCancel(ctx)
	work.Go(func() { k.Keep(keeping) })
	failed := make(chan error, 2*sharedServices*editsOfEach)
	for service := 1; service <= sharedServices; service++ {
		work.Go(func() {
			if !time.Now().Before(start) {
				failed <- errors.New("this machine is too slow for the test")
				return
			}
			err := begin(api, client.Change{
				Op: client.OpPlanMaintenance, ID: strconv.Itoa(service), StartAt: start, RevertAt: end,
			}, func(w *client.Writer) error { return w.PlanMaintenance(ctx, service) })
			if overlap := (*window.OverlapError)(nil); err != nil && !errors.As(err, &overlap) &&
				!errors.Is(err, journal.ErrTaken) {
				failed <- err
			}
			k.Wake()
			for n := range editsOfEach {
				notes := client.Patch{"notes": fmt.Sprintf("%s %d", name, n)}
				if err := begin(api, client.Change{
					Op: client.OpUpdateService, ID: strconv.Itoa(service),
				}, func(w *client.Writer) error {
					_, err := w.UpdateService(ctx, service, notes)
					return err
				}); err != nil {
					failed <- err
				}
			}
		})
	}
	const all = sharedServices * (1 + 2 + programs*editsOfEach) // windows are planned, begin and end
	for ctx.Err() == nil && (!allKnown(j, all) || len(j.Windows()) > 0) {
		waiting, over := context.WithTimeout(ctx, 100*time.Millisecond) // this program may be the one that changes it
		j.WaitForChange(waiting, 20*time.Millisecond)
		over()
	}
	stop()
	work.Wait()
	k.Wait()
	for _, e := range j.Entries(time.Time{}) {
		fold.Entries = append(fold.Entries, fmt.Sprint(e.ID, " ", e.Change.Op, " ", e.Change.ID, " ", e.Outcome))
		if w, known := j.Window(e.ID); known {
			fold.Windows = append(fold.Windows, w)
		}
	}
	slices.SortFunc(fold.Windows, func(a, b window.Window) int { return strings.Compare(a.ID, b.ID) })
	slices.Sort(fold.Entries) // two changes of the same moment have no order
	select {
	case err = <-failed:
	default:
	}
	return fold, err
}

// allKnown reports whether a journal has a number of changes, whose outcomes are all known.
func allKnown(j *journal.Journal, n int) bool {
	entries := j.Entries(time.Time{})
	return len(entries) >= n && !slices.ContainsFunc(entries, func(e journal.Entry) bool {
		return e.Outcome == client.Pending
	})
}

// begin sends a change of a service.
func begin(api *client.Client, c client.Change, send func(*client.Writer) error) error {
	c.Resource, c.Label = "service", "service "+c.ID
	consent, err := api.RequestConsent(client.ConsentQuestion{Op: c.Op}, c.ID).Answer(true)
	if err != nil {
		return err
	}
	w, err := api.Begin(c, consent)
	if err != nil {
		return err
	}
	return send(w)
}

// TestMain runs the third program if the test has started it.
func TestMain(m *testing.M) {
	if path := os.Getenv("LOOKOUT_SHARED_JOURNAL"); path != "" {
		fmt.Println("ready")
		input := bufio.NewScanner(os.Stdin)
		input.Scan()
		var times [2]time.Time
		err := json.Unmarshal(input.Bytes(), &times)
		if err == nil {
			var fold sharedFold
			fold, err = runShared(path, os.Getenv("LOOKOUT_SHARED_HOST"), "child", times[0], times[1])
			err = errors.Join(err, json.NewEncoder(os.Stdout).Encode(fold))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Three programs, one of them in another process, change the same services and plan, begin and end the same windows at
// once: each change and each window is recorded and sent once, and all three know the same in the end.
func TestKeeper_threePrograms(t *testing.T) {
	emu := emulator.New(emulator.Options{Token: "test-token", Seed: "demo"})
	server := httptest.NewServer(emu)
	defer server.Close()
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	// a service that is disabled already has no window: "billing-cron"
	if err := begin(anonymous(t, address.Host), client.Change{Op: client.OpEnableService, ID: "3"},
		func(w *client.Writer) error {
			_, err := w.EnableService(t.Context(), 3)
			return err
		}); err != nil {
		t.Fatal(err)
	}
	before := len(emu.Ledger())
	path := filepath.Join(t.TempDir(), "prod.journal")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "LOOKOUT_SHARED_JOURNAL="+path, "LOOKOUT_SHARED_HOST="+address.Host)
	child.Stderr = os.Stderr
	input, err1 := child.StdinPipe()
	output, err2 := child.StdoutPipe()
	if err := errors.Join(err1, err2, child.Start()); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(output)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	times := [2]time.Time{time.Now().Add(2 * time.Second), time.Now().Add(3 * time.Second)}
	if err := json.NewEncoder(input).Encode(times); err != nil {
		t.Fatal(err)
	}
	var folds [programs]sharedFold
	var here sync.WaitGroup
	for i := range programs - 1 {
		here.Go(func() {
			var err error
			folds[i], err = runShared(path, address.Host, fmt.Sprint("program ", i), times[0], times[1])
			if err != nil {
				t.Error(err)
			}
		})
	}
	err = json.NewDecoder(lines).Decode(&folds[programs-1])
	here.Wait()
	if err := errors.Join(err, child.Wait()); err != nil {
		t.Fatal(err)
	}
	for i, fold := range folds[1:] {
		for n, e := range folds[0].Entries {
			if n < len(fold.Entries) && fold.Entries[n] != e {
				t.Errorf("change %d is %q for one program and %q for program %d", n, e, fold.Entries[n], i+1)
			}
		}
		for n, w := range folds[0].Windows {
			if n < len(fold.Windows) && fold.Windows[n] != w {
				t.Errorf("a window is %+v\nfor one program and %+v\nfor program %d", w, fold.Windows[n], i+1)
			}
		}
		if len(fold.Entries) != len(folds[0].Entries) || len(fold.Windows) != len(folds[0].Windows) {
			t.Errorf("%d and %d changes, %d and %d windows", len(fold.Entries), len(folds[0].Entries),
				len(fold.Windows), len(folds[0].Windows))
		}
	}
	count := map[string]int{}
	for _, e := range folds[0].Entries {
		_, change, _ := strings.Cut(e, " ")
		count[change]++
	}
	sent := map[string]int{}
	for _, a := range emu.Ledger()[before:] {
		sent[a.Op+" "+strings.Split(a.Path, "/")[4]]++
	}
	for service := range sharedServices {
		for op, want := range map[string]int{
			client.OpPlanMaintenance: 1,
			client.OpDisableService:  1,
			client.OpEnableService:   1,
			client.OpUpdateService:   programs * editsOfEach,
		} {
			what := fmt.Sprint(op, " ", service+1)
			if n := count[what+" "+string(client.Applied)]; n != want {
				t.Errorf("%q is recorded %d times, not %d", what, n, want)
			}
			if n := sent[what]; n != want && op != client.OpPlanMaintenance {
				t.Errorf("%q was sent %d times, not %d", what, n, want)
			}
		}
	}
	for _, w := range folds[0].Windows {
		if w.State != window.Over || w.Why != window.TimeUp {
			t.Errorf("%+v", w)
		}
	}
	if n := len(folds[0].Windows); n != sharedServices {
		t.Errorf("%d windows, not %d", n, sharedServices)
	}
}

// anonymous returns a client without a journal.
func anonymous(t *testing.T, host string) *client.Client {
	t.Helper()
	api, err := client.New(
		"https://api.example.test/v4", client.NewSecret("test-token"), client.WithTransport(redirect{host}),
	)
	if err != nil {
		t.Fatal(err)
	}
	return api
}
