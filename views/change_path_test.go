package views_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/ui/shell"
)

// pathStep is one change, as a user makes it.
type pathStep struct {
	key    string   // starts it
	fill   []string // fills in and sends the form, if it has one
	answer string   // answers the question on an open account: "y" or a word to be typed; "" if nothing is asked
	op     string   // the client's operation, in the emulator's ledger and in the journal
	count  int      // of the changes; 0 is one
	before string   // is part of the value before in the journal, as JSON
	// ledger holds the operations in the emulator's ledger; empty means that it holds only op
	ledger []string
	delay  time.Duration // how long the question is held back
	takes  time.Duration // how long the change takes after the answer
	lost   bool          // its answer is lost, and nothing proves the outcome
}

// pathCase is an operation of a pane and the operation that undoes it.
type pathCase struct {
	action string   // pane and action: "services.disable"
	at     []string // goes to the row
	steps  []pathStep
}

// pathCases returns every operation of the panes in changePathPanes, and those of panes that open from them.
func pathCases(t *testing.T) []pathCase {
	t.Helper()
	cases := slices.Concat(serviceChanges(), bucketChanges(), certificateChanges(t), keyChanges(), objectChanges(t))
	cases = append(cases, contactChanges()...)
	cases = append(cases, credentialChanges()...)
	return append(cases, sshChanges()...)
}

// changePathPanes are the panes whose changing actions must all be in pathCases.
var changePathPanes = []string{"services", "contacts", "credentials", "ssh", "buckets", "keys", "clusters"}

// goTo returns the keys that open a pane and put the cursor on a row.
func goTo(pane, filter string) []string { return []string{pane, "/", filter, "<enter>"} }

func serviceChanges() []pathCase {
	disable := func(key, before string) pathStep {
		return pathStep{
			key:    key,
			fill:   []string{"<ctrl+s>"},
			op:     client.OpDisableService,
			before: `"status":"` + before + `"`,
		}
	}
	enable := func(key string) pathStep {
		return pathStep{key: key, op: client.OpEnableService, before: `"status":"disabled"`}
	}
	plan := pathStep{
		key:    "d",
		fill:   []string{"<left>", "<left>", "<tab>", "02:00-04:00", "<ctrl+s>"},
		op:     client.OpPlanMaintenance,
		ledger: []string{},
		before: "null",
	}
	change := pathStep{
		key:    "w",
		fill:   []string{"<right>", "<ctrl+s>"},
		op:     client.OpChangeMaintenance,
		ledger: []string{},
		before: "null",
	}
	cancel := pathStep{key: "W", op: client.OpCancelMaintenance, ledger: []string{}, before: "null"}
	undoOfEnable := disable("u", "pending")
	undoOfEnable.fill = nil
	return []pathCase{
		{"services.disable", goTo("3", "cdn-origin"), []pathStep{disable("d", "ok"), enable("u")}},
		{"services.change window", goTo("3", "cdn-origin"), []pathStep{disable("d", "ok"), change}},
		{"services.cancel maintenance", goTo("3", "cdn-origin"), []pathStep{plan, cancel}},
		{"services.enable", goTo("3", "billing-cron"), []pathStep{enable("E"), undoOfEnable}},
		{"services.toggle monitoring", goTo("3", "billing-cron"), []pathStep{enable("t"), disable("t", "pending")}},
		{"services.disable", append(goTo("3", "group:web"), "A"), []pathStep{{
			key:    "d",
			fill:   []string{"<tab>", "<tab>", "4", "<ctrl+s>"},
			op:     client.OpDisableService,
			count:  4,
			before: `"status":"ok"`,
		}, {
			key:    "u",
			op:     client.OpEnableService,
			count:  4,
			before: `"status":"disabled"`,
		}}},
		{"services.edit", goTo("3", "cdn-origin"), []pathStep{{
			key:    "e",
			fill:   []string{" 2", "<ctrl+s>"},
			op:     client.OpUpdateService,
			before: `{"label":"cdn-origin"}`,
		}}},
		{"services.delete", goTo("3", "cdn-origin"), []pathStep{{
			key:    "D",
			answer: "cdn-origin",
			op:     client.OpDeleteService,
			before: `"label":"cdn-origin"`,
		}}},
		{"services.new service", []string{"3"}, []pathStep{{
			key:    "n",
			fill:   []string{"probe-1", "<tab>", "<tab>", "http://a.net", "<ctrl+s>"},
			op:     client.OpCreateService,
			before: "null",
		}}},
	}
}

func contactChanges() []pathCase {
	return []pathCase{
		{"contacts.edit", goTo("4", "Ada"), []pathStep{{
			key:    "e",
			fill:   []string{" M.", "<ctrl+s>"},
			op:     client.OpUpdateContact,
			before: `{"name":"Ada Wong"}`,
		}}},
		{"contacts.delete", goTo("4", "Ada"), []pathStep{{
			key:    "D",
			answer: "y",
			op:     client.OpDeleteContact,
			before: `"name":"Ada Wong"`,
		}}},
		{"contacts.new contact", []string{"4"}, []pathStep{{
			key:    "n",
			fill:   []string{"Zed", "<tab>", "z@acme.net", "<ctrl+s>"},
			op:     client.OpCreateContact,
			before: "null",
		}}},
	}
}

func credentialChanges() []pathCase {
	return []pathCase{
		{"credentials.edit label", goTo("5", "db2-root"), []pathStep{{
			key:    "e",
			fill:   []string{"-old", "<ctrl+s>"},
			op:     client.OpUpdateCredential,
			before: `{"label":"db2-root"}`,
		}}},
		{"credentials.change login", goTo("5", "db2-root"), []pathStep{{
			key:    "P",
			fill:   []string{"root", "<tab>", "canary-password", "<ctrl+s>"},
			op:     client.OpSetCredentialLogin,
			before: "null", // the API never returns a login
		}}},
		{"credentials.delete", goTo("5", "db2-root"), []pathStep{{
			key:    "D",
			answer: "db2-root",
			op:     client.OpDeleteCredential,
			before: `{"label":"db2-root"}`,
		}}},
		{"credentials.new credential", []string{"5"}, []pathStep{{
			key:    "n",
			fill:   []string{"a label", "<tab>", "root", "<tab>", "canary-password", "<ctrl+s>"},
			op:     client.OpCreateCredential,
			before: "null",
		}}},
	}
}

func sshChanges() []pathCase {
	access := func(key, before string) pathStep {
		return pathStep{
			key:    key,
			op:     client.OpUpdateInstanceSSH,
			before: `{"ssh":{"access":` + before + `}}`,
		}
	}
	return []pathCase{
		{"ssh.deny access", goTo("6", "db1"), []pathStep{access("d", "true"), access("u", "false")}},
		{
			"ssh.allow access",
			goTo("6", "db1"),
			[]pathStep{access("d", "true"), access("E", "false"), access("u", "true")},
		},
		{"ssh.toggle access", goTo("6", "db1"), []pathStep{access("t", "true"), access("t", "false")}},
		{"ssh.edit", goTo("6", "db1"), []pathStep{{
			key:    "e",
			fill:   []string{"<tab>", "x", "<ctrl+s>"},
			op:     client.OpUpdateInstanceSSH,
			before: `{"ssh":{"user":`,
		}}},
	}
}

// Every operation takes the same path: the program asks first, sends the change once, and records it in the journal.
func TestChangePath(t *testing.T) {
	t.Parallel()
	for _, c := range pathCases(t) {
		t.Run(c.action+"/open", func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 50}, func(r *harness) {
				r.press(c.at...)
				for _, s := range c.steps {
					r.makeChange(s, s.answer)
				}
				r.requireChanges(c.steps)
			})
		})
		t.Run(c.action+"/protected", func(t *testing.T) {
			startWithOptions(t, emulator.Options{}, screenSize{120, 50}, setProtected, func(r *harness) {
				r.press(c.at...)
				for _, s := range c.steps {
					answer := s.answer
					if answer == "" || answer == "y" {
						answer = "acme-prod"
					}
					r.makeChange(s, answer, "PROD: account acme-prod is protected")
				}
				r.requireChanges(c.steps)
			})
		})
		t.Run(c.action+"/read-only", func(t *testing.T) {
			startWithOptions(t, emulator.Options{}, screenSize{120, 50}, setReadOnly, func(r *harness) {
				r.press(c.at...)
				key := c.steps[0].key
				if strings.HasPrefix(key, ":") {
					key = "a" // the palette leaves out what cannot be done, the menu says why
				}
				r.press(key)
				r.requireText("read-only mode")
				r.requireChanges(nil)
			})
		})
	}
}

// setReadOnly starts the program in read-only mode.
func setReadOnly(r *harness, o *shell.Options) {
	r.connect(client.WithReadOnly())
	o.ReadOnly, o.Panes, o.OnOpen, o.LeaveWarnings, o.TokenForm = true, r.panes, r.onOpen, r.leaveWarnings, r.tokenForm
}

// makeChange makes one change and answers its question, which must show the given texts. Nothing may be sent before the
// answer.
func (r *harness) makeChange(s pathStep, answer string, question ...string) {
	r.Helper()
	if s.key == "" { // is made along with the step before
		return
	}
	sent := len(r.emu.Ledger())
	r.press(s.key)
	r.press(s.fill...)
	defer func() { r.wait(s.takes) }()
	if answer == "" {
		return
	}
	r.wait(max(s.delay, time.Second))
	r.requireText(question...)
	if got := len(r.emu.Ledger()); got != sent {
		r.Fatalf("%s was sent before the answer", s.op)
	}
	if answer == "y" {
		r.press("y")
		return
	}
	r.press("<enter>") // is no answer
	r.press(answer, "<enter>")
}

// requireChanges fails unless the emulator has applied the changes, and the journal holds each with its outcome and its
// value before.
func (r *harness) requireChanges(steps []pathStep) {
	r.Helper()
	var ops []string
	for _, s := range steps {
		if s.ledger != nil {
			ops = append(ops, s.ledger...)
			continue
		}
		ops = append(ops, slices.Repeat([]string{s.op}, max(1, s.count))...)
	}
	if got := r.appliedOperations(); !slices.Equal(got, ops) {
		r.Fatalf("applied: %v, want %v\n%s", got, ops, r.screen())
	}
	r.requireEntries(r.journal.Entries(time.Time{}), steps)
}

// requireEntries fails unless the entries of the journal match the changes.
func (r *harness) requireEntries(entries []journal.Entry, steps []pathStep) {
	r.Helper()
	var want []pathStep
	for _, s := range steps {
		want = append(want, slices.Repeat([]pathStep{s}, max(1, s.count))...)
	}
	if len(entries) != len(want) {
		r.Fatalf("the journal holds %d changes, want %d", len(entries), len(want))
	}
	for i, e := range entries {
		before, outcome := string(toJSON(e.Change.Before)), client.Applied
		if want[i].lost {
			outcome = client.Unknown
		}
		if e.Change.Op != want[i].op || e.Outcome != outcome || !strings.Contains(before, want[i].before) {
			r.Errorf("the journal holds %s: %s, before %s", e.Change.Op, e.Outcome, before)
			r.Errorf("want %s: %s, before %s", want[i].op, outcome, want[i].before)
		}
		if e.Change.Label == "" || e.Change.Resource == "" {
			r.Errorf("the journal lacks the changed members: %+v", e.Change)
		}
	}
}

// Every action that changes something has a case in pathCases.
func TestChangePath_coversEveryAction(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for _, c := range pathCases(t) {
		covered[c.action] = true
	}
	startProgram(t, emulator.Options{}, screenSize{120, 50}, func(r *harness) {
		for _, pane := range r.panes {
			if !slices.Contains(changePathPanes, pane.Name()) {
				continue
			}
			r.press(":", pane.Name(), "<enter>") // its rows are read
			for _, a := range pane.Actions() {
				if a.Writes && !covered[pane.Name()+"."+a.Name()] {
					r.Errorf("%s.%s is not in pathCases", pane.Name(), a.Name())
				}
			}
		}
	})
}

// The user confirms the end of a maintenance window at its start, so nothing is asked when it ends, even on a protected
// account.
func TestChangePath_windowEndAsksNothing(t *testing.T) {
	t.Parallel()
	startWithOptions(t, emulator.Options{}, screenSize{120, 50}, setProtected, func(r *harness) {
		r.press(goTo("3", "cdn-origin")...)
		disable := pathStep{
			key:    "d",
			fill:   []string{"<left>", "<ctrl+s>"},
			op:     client.OpDisableService,
			before: `"status":"ok"`,
		}
		r.makeChange(disable, "acme-prod", "PROD: account acme-prod is protected")
		r.requireText("cdn-origin: monitoring is disabled until 00:15 (was ok)")
		r.wait(15*time.Minute + time.Second)
		r.requireText("cdn-origin: monitoring is enabled (was disabled)")
		r.requireChanges([]pathStep{disable, {op: client.OpEnableService, before: `"status":"disabled"`}})
		if got := r.journal.Entries(time.Time{})[1].Change.Reason; got != "time is up" {
			r.Errorf("the journal holds the reason %q", got)
		}
	})
}

// A read-only program leaves the windows of others alone.
func TestChangePath_readOnlyLeavesWindows(t *testing.T) {
	t.Parallel()
	window := func(r *harness, o *shell.Options) {
		setReadOnly(r, o)
		r.recordWindow(time.Now().Add(time.Hour))
	}
	startWithOptions(t, emulator.Options{}, screenSize{120, 50}, window, func(r *harness) {
		r.press("q")
		r.requireNoText("Monitoring stays off")
		r.wait(2 * time.Hour)
		r.requireNoText("time is up", "billing-cron: ")
		r.requireEntries(r.journal.Entries(time.Time{})[1:], nil)
	})
}

// recordWindow writes into the journal that service 3 was disabled until a time.
func (r *harness) recordWindow(end time.Time) {
	r.Helper()
	id, err := r.journal.RecordIntent(r.Context(), client.Change{
		Op:       client.OpDisableService,
		Resource: "service",
		ID:       "3",
		Label:    "billing-cron",
		RevertAt: end,
		Before:   client.Patch{"status": client.StatusOK},
	})
	if err != nil {
		r.Fatal(err)
	}
	r.journal.RecordOutcome(id, client.Applied, nil)
}

// If a window ended while the program was not running, and it is not known who has disabled the service, the program
// asks whether to enable it. A protected account wants the answer confirmed.
func TestChangePath_overdueWindowAsks(t *testing.T) {
	t.Parallel()
	overdue := func(r *harness, o *shell.Options) {
		setProtected(r, o)
		r.recordWindow(time.Now().Add(-time.Hour))
	}
	startWithOptions(t, emulator.Options{}, screenSize{120, 50}, overdue, func(r *harness) {
		r.requireText("Overdue, but it is not known who disabled it: billing-cron", "enable now")
		enable := pathStep{key: "e", op: client.OpEnableService, before: `"status":"disabled"`}
		r.makeChange(enable, "acme-prod", "PROD: account acme-prod is protected")
		r.requireText("billing-cron: monitoring is enabled")
		r.requireEntries(r.journal.Entries(time.Time{})[1:], []pathStep{enable})
	})
}
