package maintenance_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/client/maintenance"
	"lookout/client/window"
)

// A windowCase is one combination of what can happen to the windows of a service.
type windowCase struct{ state, operation, face, colleague, when, clock string }

// windowCases returns all combinations, or every 83rd of them without LOOKOUT_LONG.
func windowCases() []windowCase {
	var cases []windowCase
	for _, state := range []string{"none", "planned", "active", "overdue", "overlapping"} {
		for _, operation := range []string{"disable", "plan", "extend", "shorten", "end", "cancel"} {
			for _, face := range []string{"dashboard", "script", "keep", "two at once"} {
				for _, colleague := range []string{"", "enables", "disables", "both", "edits", "deletes"} {
					for _, when := range []string{"at once", "later"} {
						for _, clock := range []string{"", "forward", "back before the end", "back after the end"} {
							cases = append(cases, windowCase{state, operation, face, colleague, when, clock})
						}
					}
				}
			}
		}
	}
	if os.Getenv("LOOKOUT_LONG") != "" {
		return cases
	}
	var sample []windowCase
	for i := 0; i < len(cases); i += 83 {
		sample = append(sample, cases[i])
	}
	return sample
}

// Whatever is asked for while others change the service too and the clock jumps: each window begins and ends at most
// once, at the time that was told last, and what a colleague did stays.
func TestKeeper_everyCombination(t *testing.T) {
	for _, c := range windowCases() {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { newTrial(t, c).run() })
		})
	}
}

// A trial is one case under way: an emulated account, and programs that share a journal.
type trial struct {
	*testing.T
	windowCase
	emu       *emulator.Emulator
	path      string
	jump      atomic.Int64 // of the clock of this machine, a time.Duration
	jumpedAt  time.Time    // on the clock of the API
	byOthers  map[int]bool // changes in the ledger that were made by the colleague
	byUser    map[int]bool // and by the user's operations
	elsewhere *client.Client
	ctx       context.Context
}

const trialService = 7

func newTrial(t *testing.T, c windowCase) *trial {
	r := &trial{
		T:          t,
		windowCase: c,
		emu:        emulator.New(emulator.Options{Token: "test-token", Now: time.Now, Seed: "demo"}),
		path:       filepath.Join(t.TempDir(), "prod.journal"),
		byOthers:   map[int]bool{},
		byUser:     map[int]bool{},
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		synctest.Wait()
	})
	r.ctx, r.elsewhere = ctx, r.connect(nil)
	return r
}

func (r *trial) now() time.Time { return time.Now().Add(time.Duration(r.jump.Load())) }

func (r *trial) connect(recorder client.ChangeRecorder) *client.Client {
	options := []client.Option{client.WithTransport(r.emu)}
	if recorder != nil {
		options = append(options, client.WithRecorder(recorder))
	}
	api, err := client.New("https://api.example.test/v4", client.NewSecret("test-token"), options...)
	if err != nil {
		r.Fatal(err)
	}
	return api
}

// program returns a program that uses the journal.
func (r *trial) program() *maintenance.Keeper {
	j, err := journal.Open(r.path, "prod", r.now)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { j.Close() })
	return maintenance.New(r.connect(j), j, r.now, func([]maintenance.Event) {})
}

// keep lets a program look after the windows. A dashboard also reads the services all the time.
func (r *trial) keep(k *maintenance.Keeper) {
	go k.Keep(r.ctx)
	if r.face != "dashboard" {
		return
	}
	go func() {
		for r.ctx.Err() == nil {
			read := r.now()
			if s, err := k.API.Services.Get(r.ctx, trialService); err == nil {
				k.Observe(read, []*client.Service{s})
			}
			select {
			case <-time.After(30 * time.Second):
			case <-r.ctx.Done():
			}
		}
	}()
}

// send makes a change, and returns those that the API has applied meanwhile.
func (r *trial) send(api *client.Client, c client.Change, by map[int]bool) {
	r.Helper()
	c.Resource, c.ID, c.Label = "service", fmt.Sprint(trialService), "web-1"
	before := len(r.emu.Ledger())
	consent, err := api.RequestConsent(client.ConsentQuestion{Op: c.Op}, c.ID).Answer(true)
	if err != nil {
		r.Fatal(err)
	}
	w, err := api.Begin(c, consent)
	if err != nil {
		r.Fatal(err)
	}
	switch c.Op {
	case client.OpDisableService:
		_, err = w.DisableService(r.ctx, trialService)
	case client.OpEnableService:
		_, err = w.EnableService(r.ctx, trialService)
	case client.OpUpdateService:
		_, err = w.UpdateService(r.ctx, trialService, client.Patch{"notes": "by a colleague"})
	case client.OpDeleteService:
		err = w.DeleteService(r.ctx, trialService)
	case client.OpPlanMaintenance:
		err = w.PlanMaintenance(r.ctx, trialService)
	case client.OpChangeMaintenance:
		err = w.ChangeMaintenance(r.ctx, trialService)
	case client.OpCancelMaintenance:
		err = w.CancelMaintenance(r.ctx, trialService)
	}
	if err != nil && !errors.Is(err, journal.ErrTaken) && !errors.Is(err, journal.ErrSuperseded) {
		r.Fatal(c.Op, ": ", err)
	}
	for _, applied := range r.emu.Ledger()[before:] {
		if applied.Op == c.Op {
			by[applied.Seq] = true
		}
	}
}

// operate does what the user asks for, as a face would: it reads the service, and decides on the windows as they are.
func (r *trial) operate(k *maintenance.Keeper) {
	read := r.now()
	s, err := k.API.Services.Get(r.ctx, trialService)
	if err != nil {
		r.Fatal(err)
	}
	_, _ = k.Journal.CatchUp()
	k.Observe(read, []*client.Service{s})
	of, now := k.Journal.WindowsOf(fmt.Sprint(trialService)), r.now()
	request := window.Request{
		Service: fmt.Sprint(trialService),
		Over:    window.IsOver(of, s, read),
		Replace: true,
	}
	var c client.Change
	switch first := func() window.Window { return of[0] }; r.operation {
	case "disable":
		request.End = now.Add(time.Hour)
		c, err = window.Disable(of, request, now)
	case "plan":
		request.Start, request.End = now.Add(90*time.Minute), now.Add(150*time.Minute)
		c, err = window.Disable(of, request, now)
	case "extend", "shorten":
		if len(of) == 0 {
			return
		}
		request.End = first().End.Add(75 * time.Minute)
		if r.operation == "shorten" {
			request.End = now.Add(10 * time.Minute)
			if first().State == window.Planned {
				request.End = first().Start.Add(10 * time.Minute)
			}
		}
		c, err = window.Change(first(), of, request, now)
	case "end":
		c.Op = client.OpEnableService
	case "cancel":
		i := slices.IndexFunc(of, func(w window.Window) bool { return w.State == window.Planned })
		if i < 0 {
			return
		}
		c.Op, c.Scheduled = client.OpCancelMaintenance, of[i].ID
	}
	if err != nil {
		r.Fatal(err)
	}
	r.send(k.API, c, r.byUser)
}

// colleagueActs does what a colleague does from another machine.
func (r *trial) colleagueActs() {
	time.Sleep(3 * time.Second) // nothing can tell what is done between a program's look at the service and its change
	for _, op := range map[string][]string{
		"enables":  {client.OpEnableService},
		"disables": {client.OpDisableService},
		"both":     {client.OpEnableService, client.OpDisableService},
		"edits":    {client.OpUpdateService},
		"deletes":  {client.OpDeleteService},
	}[r.colleague] {
		r.send(r.elsewhere, client.Change{Op: op}, r.byOthers)
		time.Sleep(2 * time.Second)
	}
}

func (r *trial) run() {
	user := r.program()
	start := r.now()
	plan := func(from, to time.Duration) {
		r.send(user.API, client.Change{
			Op:       client.OpPlanMaintenance,
			StartAt:  start.Add(from),
			RevertAt: start.Add(to),
		}, r.byUser)
	}
	disable := func(span time.Duration) {
		r.send(user.API, client.Change{Op: client.OpDisableService, RevertAt: start.Add(span)}, r.byUser)
	}
	switch r.state {
	case "planned":
		plan(time.Hour, 2*time.Hour)
	case "active":
		disable(time.Hour)
	case "overdue":
		disable(10 * time.Minute)
	case "overlapping":
		disable(time.Hour)
		plan(110*time.Minute, 3*time.Hour)
	}
	keepers := map[string]int{"two at once": 2}[r.face]
	if r.face == "keep" || r.face == "dashboard" {
		keepers = 1
	}
	watch := func() {
		for range keepers {
			r.keep(r.program())
		}
	}
	if r.state != "overdue" {
		watch()
	}
	time.Sleep(20 * time.Minute)
	r.operate(user)
	if r.state == "overdue" {
		watch()
	}
	time.Sleep(10 * time.Second)
	if r.when == "at once" {
		r.colleagueActs()
	}
	time.Sleep(20 * time.Minute)
	jump := func(kind string, span time.Duration) {
		if r.clock == kind {
			r.jumpedAt = time.Now()
			r.jump.Store(int64(span))
		}
	}
	jump("forward", 8*time.Hour)
	jump("back before the end", -30*time.Minute)
	if r.when == "later" {
		r.colleagueActs()
	}
	time.Sleep(50 * time.Minute)
	jump("back after the end", -30*time.Minute)
	if r.face == "script" {
		time.Sleep(5 * time.Hour) // nobody is there until lookout keep is started
		r.keep(r.program())
	}
	time.Sleep(5 * time.Hour)
	r.check()
}

// check compares what the API has applied with the windows of the journal.
func (r *trial) check() {
	k := r.program()
	begun, ended := map[string]int{}, map[string]int{}
	for _, e := range k.Journal.Entries(time.Time{}) {
		switch {
		case e.Change.Scheduled == "" || e.Outcome != client.Applied:
		case e.Change.Op == client.OpDisableService:
			begun[e.Change.Scheduled]++
		case e.Change.Op == client.OpEnableService:
			ended[e.Change.Scheduled]++
			if w, _ := k.Journal.Window(e.Change.Scheduled); e.Time.Before(w.End) {
				r.Errorf("ended at %s, before its end %s", e.Time, w.End)
			} else if late := e.Time.Sub(w.End); late > time.Minute && r.clock == "" && r.face != "script" &&
				r.state != "overdue" {
				r.Errorf("ended %s after its end", late)
			}
		}
	}
	scheduled := 0
	for id, n := range begun {
		if scheduled += n; n > 1 {
			r.Errorf("window %s began %d times", id, n)
		}
	}
	for id, n := range ended {
		if scheduled += n; n > 1 {
			r.Errorf("window %s ended %d times", id, n)
		}
	}
	disturbed, disabled := false, false // by the colleague, since somebody here disabled it
	for _, a := range r.emu.Ledger() {
		if a.Op != client.OpDisableService && a.Op != client.OpEnableService && a.Op != client.OpDeleteService {
			continue
		}
		switch {
		case r.byOthers[a.Seq]:
			disturbed = true
		case r.byUser[a.Seq]:
			disturbed = false
		default:
			scheduled--
			if disturbed && disabled {
				r.Errorf("%s undoes what the colleague did: %v", a.Op, r.emu.Ledger())
			}
			disturbed = disturbed && a.Op != client.OpDisableService
		}
		disabled = a.Op == client.OpDisableService
	}
	if scheduled != 0 {
		r.Errorf("the journal has %d changes more than the API: %v", scheduled, r.emu.Ledger())
	}
	s, err := k.API.Services.Get(r.ctx, trialService)
	if r.colleague == "deletes" {
		if err == nil || len(k.Journal.Windows()) > 0 {
			r.Errorf("deleted, %v, but there are windows: %+v", err, k.Journal.Windows())
		}
		return
	}
	if err != nil {
		r.Fatal(err)
	}
	if r.colleague == "edits" && s.Notes.String() != "by a colleague" {
		r.Errorf("the notes are %q", s.Notes)
	}
	left := r.colleague == "disables" || r.colleague == "both"
	if live := k.Journal.Windows(); len(live) > 0 || !left && s.Status == client.StatusDisabled {
		r.Errorf("%s at the end, with the windows %+v: %v", s.Status, live, r.emu.Ledger())
	}
	if left && disturbed && s.Status != client.StatusDisabled {
		r.Errorf("%s, although the colleague disabled it: %v", s.Status, r.emu.Ledger())
	}
}
