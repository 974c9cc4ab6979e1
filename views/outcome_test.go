package views_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/certtest"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/ui/shell"
)

// allChanges returns one case for each of the 24 changes of the document; making a link is none.
func allChanges(t *testing.T) []changeCase {
	t.Helper()
	certificate, key := certtest.New("cdn.acme.net").Write(t)
	upload := fmt.Sprintf("8 / cdn.acme <enter> c U %s <tab> %s", certificate, key)
	return append(
		changeCases(),
		unprovenChange("create key", "9 n night <ctrl+s> ~", "y"),
		readableChange("upload certificate", upload, "<ctrl+s>", ""),
		readableChange("delete certificate", upload+" <ctrl+s> ~ D ~ cdn.acme.net", "<enter>", ""),
		readableChange(
			"update object ACL", "8 / acme-www <enter> <enter> / index.html <enter> c <right> <ctrl+s> ~", "y", "",
		),
		unprovenChange("cancel Object Storage", "8 : cancel <enter> ~~ acme-prod", "<enter>"),
	)
}

// outcomeTrial is one change whose answer is lost, and what happens at the service.
type outcomeTrial struct {
	*harness
	change changeCase
	dice   *rand.Rand
	twins  atomic.Int64 // changes by a colleague, in the emulator's ledger
	ours   int          // the same operations before the change, to prepare it
}

// outcomeScenarios are what may happen at the service while an answer is lost. Each prepares the emulator and returns
// what a colleague does meanwhile.
var outcomeScenarios = map[string]func(*outcomeTrial){
	"answer lost, applied late or never": func(o *outcomeTrial) { o.emu.InjectFault(o.change.op, o.lateOrNever()) },
	"stale reads": func(o *outcomeTrial) {
		o.emu.InjectFault("GET *", emulator.Fault{
			Stale:     o.seconds(0, 60) + time.Second,
			Alternate: o.dice.IntN(2) == 0,
		})
		o.wait(time.Minute)
		fault := emulator.Fault{Status: 504, ApplyFirst: o.dice.IntN(3) > 0, Times: 1}
		o.emu.InjectFault(o.change.op, fault)
	},
	"applied late or never, and stale reads": func(o *outcomeTrial) {
		o.emu.InjectFault("GET *", emulator.Fault{
			Stale:     o.seconds(0, 60) + time.Second,
			Alternate: o.dice.IntN(2) == 0,
		})
		o.wait(time.Minute)
		o.emu.InjectFault(o.change.op, o.lateOrNever())
	},
	"a colleague's twin": func(o *outcomeTrial) {
		o.emu.InjectFault(o.change.op, o.lateOrNever())
		time.AfterFunc(o.seconds(5, 60), func() { o.twin(otherTwin) })
	},
	"a colleague's identical twin": func(o *outcomeTrial) {
		o.emu.InjectFault(o.change.op, o.lateOrNever())
		time.AfterFunc(o.seconds(0, 60)+100*time.Millisecond, func() { o.twin(identicalTwin) })
	},
	"a colleague's identical twin, and stale reads": func(o *outcomeTrial) {
		o.emu.InjectFault("GET *", emulator.Fault{Stale: o.seconds(0, 60) + time.Second})
		o.wait(time.Minute)
		o.emu.InjectFault(o.change.op, o.lateOrNever())
		time.AfterFunc(o.seconds(0, 60)+100*time.Millisecond, func() { o.twin(identicalTwin) })
	},
}

// lateOrNever loses the answer to a change that is applied within a minute, or never.
func (o *outcomeTrial) lateOrNever() emulator.Fault {
	if o.dice.IntN(4) == 0 {
		return emulator.Fault{Status: 504, Times: 1}
	}
	return emulator.Fault{Late: o.seconds(0, 60) + time.Millisecond, Times: 1}
}

func (o *outcomeTrial) seconds(from, to int) time.Duration {
	return time.Duration(from+o.dice.IntN(to-from)) * time.Second
}

// otherTwin returns the request of a colleague who makes something with the same label but other values, where labels
// need not be unique; "" if there is none.
func otherTwin(op string) (path, body string) {
	switch op {
	case client.OpCreateContact:
		return "/managed/contacts", `{"name":"Zed","email":"other@acme.net"}`
	case client.OpCreateService:
		return "/managed/services", `{"label":"night","service_type":"tcp","address":"203.0.113.8:22","timeout":20}`
	case client.OpCreateKey:
		return "/object-storage/keys", `{"label":"night","bucket_access":[]}`
	}
	return "", ""
}

// identicalTwin returns the request of a colleague who makes the same in every member; "" if there is none.
func identicalTwin(op string) (path, body string) {
	switch op {
	case client.OpCreateContact:
		return "/managed/contacts", `{"name":"Zed","email":"zed@acme.net"}`
	case client.OpCreateService:
		return "/managed/services", `{"label":"night","service_type":"tcp","address":"203.0.113.7:22","timeout":10}`
	case client.OpCreateKey:
		return "/object-storage/keys", `{"label":"night"}`
	case client.OpCreateCredential:
		return "/managed/credentials", `{"label":"night","username":"ops","password":"secret"}`
	case client.OpCreateBucket:
		return "/object-storage/buckets", `{"label":"night","cluster":"us-east-1"}`
	}
	return "", ""
}

// twin lets a colleague send a request.
func (o *outcomeTrial) twin(request func(op string) (path, body string)) {
	path, body := request(o.change.op)
	if path == "" {
		return
	}
	applied := len(o.appliedOperations())
	o.tryElsewhere("POST", path, body)
	// a label that is taken is refused, and a bucket that is there is returned
	o.twins.Add(int64(len(o.appliedOperations()) - applied))
}

// appliedByUs reports whether the change was applied, as the emulator's ledger says.
func (o *outcomeTrial) appliedByUs() bool {
	n := 0
	for _, op := range o.appliedOperations() {
		if op == o.change.op {
			n++
		}
	}
	return n-int(o.twins.Load())-o.ours > 0
}

// run sends the change, tries to send it again without an answer to the question, and watches the journal and the
// messages until all readings are over.
func (o *outcomeTrial) run(scenario func(*outcomeTrial)) {
	o.Helper()
	o.pressAll(strings.ReplaceAll(o.change.keys, "~~", "~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~"))
	for _, op := range o.appliedOperations() {
		if op == o.change.op {
			o.ours++
		}
	}
	scenario(o)
	before := len(o.journal.Entries(time.Time{}))
	o.press(o.change.send)
	again := o.seconds(3, 80)
	for at := time.Duration(0); at < 240*time.Second; at += 2 * time.Second {
		o.wait(2 * time.Second)
		o.check()
		if at <= again && again < at+2*time.Second {
			o.press(o.change.send)
			o.wait(2 * time.Second)
			o.press("<esc>")
		}
	}
	if sent := len(o.journal.Entries(time.Time{})) - before; sent != 1 {
		o.Errorf("sent %d times, want once, without a question\n%s", sent, o.screen())
	}
}

// check fails if the journal or a message claims what is not true.
func (o *outcomeTrial) check() {
	o.Helper()
	var last client.Outcome
	for _, e := range o.journal.Entries(time.Time{}) {
		if e.Change.Op == o.change.op {
			last = e.Outcome
		}
	}
	switch applied := o.appliedByUs(); {
	case last == client.Rejected && applied:
		o.Fatalf("the journal says not done, but it was applied\n%s", o.screen())
	case last == client.Applied && !applied:
		o.Fatalf("the journal says done, but it was not applied\n%s", o.screen())
	}
	if o.appliedByUs() {
		for _, n := range o.messages {
			if strings.Contains(n.Text, "not done") && !strings.Contains(n.Text, lists.NotKnown) {
				o.Fatalf("the message says %q, but it was applied", n.Text)
			}
		}
	}
}

// A form whose answer was lost asks before it sends again, also for a change that needs no question.
func TestOutcome_formAsksBeforeItSendsAgain(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{200, 40}, func(r *harness) {
		r.pressAll("8 / acme-www <enter> <enter> / index.html <enter> c <right> <ctrl+s> ~ y ~ c <left>")
		r.emu.InjectFault("update object ACL", emulator.Fault{Status: 504, Times: 1})
		r.press("<ctrl+s>")
		r.wait(time.Second)
		r.requireText("not seen yet")
		sent := len(r.journal.Entries(time.Time{}))
		r.press("<ctrl+s>")
		r.requireText("This was sent before")
		r.wait(time.Second)
		if n := len(r.journal.Entries(time.Time{})); sent != 2 || n != sent {
			t.Errorf("sent %d times, then %d", sent, n)
		}
	})
}

// A change that arrives after readings have called it not done is shown as a message, and the journal does not call it
// not done any more, nor done: somebody else may have done the same meanwhile. It is not called a change by others
// either.
func TestOutcome_lateArrivalCorrectsJournal(t *testing.T) {
	t.Parallel()
	for _, change := range allChanges(t) {
		t.Run(change.op, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{200, 40}, func(r *harness) {
				r.pressAll(strings.ReplaceAll(change.keys, "~~", "~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~"))
				r.emu.InjectFault(change.op, emulator.Fault{Late: 4 * time.Minute, Times: 1})
				r.press(change.send)
				r.wait(3 * time.Minute)
				if e := r.lastChange(change.op); e.Outcome == client.Unknown && !tells(change.op) {
					return
				} else if e.Outcome != client.Rejected {
					t.Fatalf("the journal says %s after 3 min", e.Outcome)
				}
				r.wait(8 * time.Minute)
				if n := len(r.appliedOperations()); n == 0 {
					t.Fatal("it has not arrived")
				}
				e := r.lastChange(change.op)
				if e.Outcome != client.Unknown || !strings.HasPrefix(e.OutcomeDetail, "seen at 2000-01-01 00:0") {
					t.Errorf("the journal says %s: %s\n%s", e.Outcome, e.OutcomeDetail, r.screen())
				}
				r.requireMessageWith("seen now; " + lists.ArrivedLate)
				for _, n := range r.messages {
					if strings.Contains(n.Text, "elsewhere") {
						t.Errorf("the message says %q", n.Text)
					}
				}
			})
		})
	}
}

// A service that a late change may have disabled is not called disabled by others. The message says that nothing
// enables it at the end of the window: it may have been disabled by a colleague.
func TestOutcome_lateDisableIsPerhapsOurs(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{200, 40}, func(r *harness) {
		r.emu.InjectFault("disable service", emulator.Fault{Late: 4 * time.Minute, Times: 1})
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<ctrl+s>")
		r.wait(6 * time.Minute)
		if d := strings.Join(r.detail(true), " "); !strings.Contains(d, "perhaps by a change from this machine") {
			r.Errorf("the details are %q", d)
		}
		r.requireNoText("not from this machine")
		r.requireMessageWith("nothing enables it again at 01:00")
		r.wait(2 * time.Hour)
		r.requireApplied("disable service")
	})
}

// The maintenance window of a change whose outcome only the next run finds out ends on time.
func TestOutcome_windowOfLookedUpChangeEnds(t *testing.T) {
	t.Parallel()
	earlier := func(r *harness, _ *shell.Options) {
		id, err := r.journal.RecordIntent(t.Context(), client.Change{
			Op:       client.OpDisableService,
			Resource: "service",
			ID:       "8",
			Label:    "cdn-origin",
			RevertAt: time.Now().Add(time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		r.journal.RecordOutcome(id, client.Unknown, nil)
		r.elsewhere("POST", "/managed/services/8/disable", "")
	}
	startWithOptions(t, emulator.Options{}, screenSize{120, 36}, earlier, func(r *harness) {
		r.wait(time.Minute)
		r.requireOutcome(client.Applied)
		r.requireApplied("disable service")
		r.wait(time.Hour)
		r.requireApplied("disable service", "enable service")
	})
}

// tells reports whether readings can tell that a change was not made.
func tells(op string) bool {
	return op != client.OpSetCredentialLogin && op != client.OpUpdateBucketAccess && op != client.OpReplaceBucketAccess
}

// lastChange returns the newest change of an operation in the journal.
func (r *harness) lastChange(op string) (last journal.Entry) {
	for _, e := range r.journal.Entries(time.Time{}) {
		if e.Change.Op == op {
			return e
		}
	}
	return last
}

// What arrived while no dashboard was open is seen at the next start.
func TestOutcome_lateArrivalIsSeenAtNextStart(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.pressAll("4 / Ada <enter> D")
		p.emu.InjectFault("delete contact", emulator.Fault{Late: 3 * time.Minute, Times: 1})
		p.wait(time.Second)
		p.press("y")
		p.wait(150 * time.Second)
		if e := p.lastChange("delete contact"); e.Outcome != client.Rejected {
			t.Fatalf("the journal says %s\n%s", e.Outcome, p.screen())
		}
		time.Sleep(time.Minute) // nothing runs
		p.messages = nil
		p.restart()
		p.wait(time.Second)
		if e := p.lastChange("delete contact"); e.Outcome != client.Unknown {
			t.Errorf("the journal says %s: %s", e.Outcome, e.OutcomeDetail)
		}
		p.requireMessageWith("delete contact Ada Wong: seen now; " + lists.ArrivedLate)
	})
}

// Of several changes whose answers were lost before the program ended, each is looked up at the next start.
func TestOutcome_allAreLookedUpAtNextStart(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.press("4")
		p.emu.InjectFault("delete contact", emulator.Fault{ApplyFirst: true, Status: 504, Times: 2})
		p.emu.InjectFault("list contacts", emulator.Fault{Status: 503})
		for _, name := range []string{"Ada", "Night"} {
			p.press("/", name, "<enter>", "D")
			p.wait(time.Second)
			p.press("y", "<esc>")
		}
		p.wait(time.Second)
		p.emu.ClearFaults()
		p.restart()
		p.wait(5 * time.Second)
		entries := p.journal.Entries(time.Time{})
		if len(entries) != 2 || entries[0].Outcome != client.Applied || entries[1].Outcome != client.Applied {
			p.Errorf("%d changes: %+v\n%s", len(entries), entries, p.screen())
		}
	})
}

// trialSeeds is the number of seeds of each scenario: a few in every run of go test, all with LOOKOUT_LONG=1.
func trialSeeds() int {
	if runsLongSeries() {
		return 20
	}
	return 1
}

// 24 changes whose answer is lost while the service applies them up to a minute late or never, its lists are up to a
// minute behind, or a colleague makes the same: nothing is called not done that was done, nothing is called ours that
// is not, and nothing is sent twice without a question.
func TestOutcome_lostAnswersOfAllChanges(t *testing.T) {
	t.Parallel()
	changes := allChanges(t)
	if len(changes) != 24 {
		t.Errorf("%d changes, want 24", len(changes))
	}
	for c, change := range changes {
		for s, name := range faulttest.Sorted(outcomeScenarios) {
			for seed := range trialSeeds() {
				title := fmt.Sprintf("%s, %s, seed %d", change.op, name, seed)
				if !faulttest.InSample(4, c, s, seed) {
					continue
				}
				faulttest.RunCase(t, "B2", title, func(t *testing.T) {
					startProgram(t, emulator.Options{}, screenSize{140, 40}, func(r *harness) {
						dice := rand.New(rand.NewPCG(uint64(seed), uint64(c)))
						(&outcomeTrial{harness: r, change: change, dice: dice}).run(outcomeScenarios[name])
					})
				})
			}
		}
	}
}
