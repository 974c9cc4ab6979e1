package views_test

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/views/operation"
)

// makeChanges disables a service with a reason, edits a contact, and changes a login whose answer is lost. Then it
// opens the journal.
func makeChanges(r *harness) {
	r.Helper()
	r.press("3", "/", "edge", "<enter>", "d", "<tab>", "maintenance", "<ctrl+s>")
	r.press("4", "/", "Ada", "<enter>", "e", " M.", "<ctrl+s>")
	r.emu.InjectFault("change login", emulator.Fault{ApplyFirst: true, Reset: true, Times: 1})
	r.press("5", "/", "db2", "<enter>", "P", "root", "<tab>", "canary-password", "<ctrl+s>")
	r.wait(3 * time.Second)
	r.press("<esc>", "<esc>", ":", "journal", "<enter>")
}

// The journal lists every change with its outcome. The details show what was sent and the values before.
func TestJournalPane_showsOutcomes(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		makeChanges(r)
		r.requireText("3 changes recorded on", "✓ done", "? unknown", "disable service", "edge-router", "Journal 1?")
		r.press("G")
		r.requireText("maintenance", "before", "status", "consultation_group")
		r.press("g")
		r.press("/", "contact", "<enter>")
		r.requireText("update contact", "Ada Wong M.", "before", "Ada Wong", "/v4/managed/contacts/11", "not given")
		r.requireNoText("canary-password")
		r.press("o")
		r.requireText("called for", "Ada Wong M.")
		r.press("<ctrl+o>", "<esc>", "/", "login", "<enter>", "c")
		r.requireText("still unknown", "does no harm")
		r.press("x", "d")
		r.requireText("settled by the user")
		r.requireNoText("Journal 1?")
	})
}

// The journal shows when a planned window begins and ends, in the list and in the details, and so do the last changes
// of the service.
func TestJournalPane_showsPlannedWindow(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{200, 50}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<left>", "<left>", "<tab>", "02:00-04:00", "<tab>", "disk")
		r.press("<ctrl+s>")
		r.requireText("plan maintenance · from 02:00 until")
		r.press("J")
		r.line("plan maintenance", "from 02:00 until 04:00 · disk")
		r.requireText("window        from 02:00 until 04:00")
	})
}

// The journal opens with the cursor on the newest change, although another pane has shown older ones before.
func TestJournalPane_opensOnNewest(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{}, {"g", "j"}} {
		startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
			r.press("6", "t", "2", "<enter>", "<esc>", "3", "g", "d", "<ctrl+s>", "J")
			r.press(keys...)
			want := []string{"disable service", "update SSH settings"}[min(len(keys), 1)]
			for line := range strings.Lines(r.screen()) {
				if strings.Contains(line, "▸ ✓ done") && strings.Contains(line, want) {
					return
				}
			}
			r.Fatalf("the cursor is not on %q\n%s", want, r.screen())
		})
	}
}

// What another program on this machine has just recorded is there as soon as the user reads the journal again.
func TestJournalPane_readsTheFileAgain(t *testing.T) {
	t.Parallel()
	startWithSharedJournal(t, func(r *harness, other script) {
		r.press(":", "journal", "<enter>")
		r.requireText("no changes made from this machine yet")
		other.disable(time.Hour)
		r.press("r")
		r.requireText("cdn-origin", "kernel update")
	})
}

// TestGoldenJournal compares the journal, with and without changes, with a golden file.
func TestGoldenJournal(t *testing.T) {
	t.Parallel()
	keys := map[string][]string{"detail": {"j", "<enter>"}, "filtered": {"/", "zzz", "<enter>"}}
	var all paneGolden
	for _, state := range []string{"full", "detail", "filtered", "empty"} {
		for _, size := range goldenSizes {
			startProgram(t, emulator.Options{}, size, func(r *harness) {
				if state == "empty" {
					r.press(":", "journal", "<enter>")
				} else {
					makeChanges(r)
				}
				r.press(keys[state]...)
				all.add(r, state)
			})
		}
	}
	all.requireEqual(t)
}

// unresolvedCase is a change that an earlier run left unresolved.
type unresolvedCase struct {
	op, kind, id, label string
	before, body        any
	done                func(*harness) error // does what was sent, where it was done
	want                client.Outcome
	says                string
}

// unresolvedUpdates are updates of a contact.
func unresolvedUpdates() map[string]unresolvedCase {
	patch := client.Patch{"name": "Ada M."}
	return map[string]unresolvedCase{
		"updated": {
			op:     "update contact",
			kind:   "contact",
			id:     "11",
			label:  "Ada",
			before: client.Patch{"name": "Ada Wong"},
			body:   patch,
			want:   client.Applied,
			says:   "it has the values that were sent",
			done: func(r *harness) error {
				_, err := r.writer(client.OpUpdateContact, "11").UpdateContact(r.Context(), 11, patch)
				return err
			},
		},
		"not updated": {
			op:     "update contact",
			kind:   "contact",
			id:     "11",
			label:  "Ada",
			before: client.Patch{"name": "Ada Wong"},
			body:   patch,
			want:   client.Rejected,
			says:   "it still has the old values",
		},
		"changed since": {
			op:     "update contact",
			kind:   "contact",
			id:     "11",
			label:  "Ada",
			before: client.Patch{"name": "Ada W."},
			body:   patch,
			want:   client.Unknown,
			says:   "somebody has changed it since",
		},
	}
}

// unresolvedCreations are creations, which are found again by their values.
func unresolvedCreations() map[string]unresolvedCase {
	return map[string]unresolvedCase{
		"not created": {
			op:    "create contact",
			kind:  "contact",
			label: "Zed",
			body:  client.Patch{"name": "Zed", "email": "z@acme.net"},
			want:  client.Rejected,
			says:  "nothing has this label",
		},
		"created": {
			op:    "create contact",
			kind:  "contact",
			label: "Zed",
			body:  client.Patch{"name": "Zed", "email": "z@acme.net"},
			want:  client.Unknown,
			says:  "exactly as it was sent); there is no way to tell whose it is",
			done: func(r *harness) error {
				in := client.ContactRequest{Name: "Zed", Email: "z@acme.net"}
				_, err := r.writer(client.OpCreateContact, "").CreateContact(r.Context(), in)
				return err
			},
		},
		"orphan key": {
			op:    "create key",
			kind:  "key",
			label: "finance",
			body:  client.Patch{"label": "finance"},
			want:  client.Unknown,
			says: "reaches invoices-2026 in us-east-1 (read only), not everything); there is no way to tell " +
				"whose it is, and its secret never arrived",
		},
	}
}

// unresolvedDeletions are changes whose outcome is the state of an object, or its absence.
func unresolvedDeletions() map[string]unresolvedCase {
	return map[string]unresolvedCase{
		"disabled": {
			op:    "disable service",
			kind:  "service",
			id:    "3",
			label: "x",
			want:  client.Applied,
			says:  "the service is disabled",
		},
		"not disabled": {
			op:    "disable service",
			kind:  "service",
			id:    "1",
			label: "x",
			want:  client.Rejected,
			says:  "the service has a problem",
		},
		"deleted": {
			op:    "delete service",
			kind:  "service",
			id:    "9999",
			label: "x",
			want:  client.Applied,
			says:  "it is gone",
		},
		"still there": {
			op:    "delete contact",
			kind:  "contact",
			id:    "11",
			label: "Ada",
			want:  client.Rejected,
			says:  "it is still there",
		},
	}
}

// unresolvedSpecials are changes that are looked up in a way of their own, or cannot be.
func unresolvedSpecials() map[string]unresolvedCase {
	object := client.ObjectRef{Cluster: "us-east-1", Bucket: "acme-www", Name: "index.html"}
	setACL := func(acl client.ACL) func(*harness) error {
		return func(r *harness) error {
			_, err := r.writer(client.OpSetObjectACL, object.ID()).SetObjectACL(r.Context(), object, acl)
			return err
		}
	}
	return map[string]unresolvedCase{
		"object ACL": {
			op:     client.OpSetObjectACL,
			kind:   "object",
			id:     object.ID(),
			label:  object.Name,
			before: client.Patch{"acl": "private"},
			body:   client.Patch{"acl": "public-read"},
			want:   client.Applied,
			says:   "the access is public-read",
			done:   setACL(client.ACLPublicRead),
		},
		"object ACL that begins alike": {
			op:     client.OpSetObjectACL,
			kind:   "object",
			id:     object.ID(),
			label:  object.Name,
			before: client.Patch{"acl": "private"},
			body:   client.Patch{"acl": "public-read"},
			want:   client.Unknown,
			says:   "the access is public-read-write",
			done:   setACL(client.ACLPublicReadWrite),
		},
		"cancelled": {
			op:    "cancel Object Storage",
			kind:  "account",
			id:    "acme-prod",
			label: "acme-prod",
			want:  client.Rejected,
			says:  byService("12 buckets are still there", "16 buckets are still there"),
		},
		"no certificate": {
			op:    "upload certificate",
			kind:  "certificate",
			id:    "us-east-1/acme-www",
			label: "acme-www",
			want:  client.Rejected,
			says:  "no certificate is set",
		},
		"login": {
			op:    "change login",
			kind:  "credential",
			id:    "1",
			label: "db2",
			want:  client.Unknown,
			says:  "does no harm",
		},
	}
}

// leaveUnresolved leaves a change in the journal as an earlier run does whose answer was lost. Where the change was
// done, another client does it, which does not write this journal.
func (r *harness) leaveUnresolved(c unresolvedCase) (id string) {
	r.Helper()
	id, err := r.journal.RecordIntent(r.Context(), client.Change{
		Op:       c.op,
		Method:   "PUT",
		Path:     "/v4/x",
		Resource: c.kind,
		ID:       c.id,
		Label:    c.label,
		Before:   c.before,
		Body:     c.body,
	})
	if err != nil {
		r.Fatal(err)
	}
	r.journal.RecordOutcome(id, client.Unknown, errors.New("the outcome is unknown: the connection was cut"))
	if c.done == nil {
		return id
	}
	own := r.api
	if r.api, err = client.New(
		"https://api.example.test/v4", client.NewSecret(token), client.WithTransport(r.transport),
	); err != nil {
		r.Fatal(err)
	}
	if err := c.done(r); err != nil {
		r.Fatal(err)
	}
	r.api = own
	return id
}

// Entries of the journal whose outcome is unknown are looked up again at the next start, without a question. Proof
// decides at once; "not done" takes 2 min. News and journal tell the outcome.
func TestJournal_unresolvedChangesOfEarlierRun(t *testing.T) {
	t.Parallel()
	cases := unresolvedUpdates()
	maps.Copy(cases, unresolvedCreations())
	maps.Copy(cases, unresolvedDeletions())
	maps.Copy(cases, unresolvedSpecials())
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			earlier := func(r *harness, _ *shell.Options) { r.leaveUnresolved(c) }
			startWithOptions(t, emulator.Options{}, screenSize{200, 36}, earlier, func(r *harness) {
				r.requireMessageWith("Outcome unknown, being looked up: " + c.op)
				if c.want == client.Rejected {
					r.press(":", "journal", "<enter>")
					r.requireText(lists.NotSeenYet)
				}
				r.wait(2 * time.Minute)
				if got := r.journal.Entries(time.Time{})[0].Outcome; got == client.Rejected {
					t.Errorf("not done after 2 min\n%s", r.screen())
				}
				r.wait(20 * time.Second)
				r.requireMessageWith(c.says)
				r.requireOutcome(c.want)
				if got := len(r.appliedOperations()); c.done == nil && got != 0 {
					t.Errorf("looking up changed %d things", got)
				}
			})
		})
	}
}

// requireMessageWith fails unless a status message contains a text.
func (r *harness) requireMessageWith(text string) {
	r.Helper()
	if !slices.ContainsFunc(r.messages, func(n ui.StatusMsg) bool { return strings.Contains(n.Text, text) }) {
		r.Errorf("no message with %q in %v", text, r.messages)
	}
}

// If an outcome is looked up right after the change, the journal records what the lookup found.
func TestJournal_lookedUpOutcomeIsRecorded(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.emu.InjectFault("enable service", emulator.Fault{ApplyFirst: true, Reset: true, Times: 1})
		r.press("3", "/", "billing-cron", "<enter>", "E")
		r.wait(3 * time.Second)
		r.requireText("monitoring is enabled")
		e := r.journal.Entries(time.Time{})[0]
		if e.Outcome != client.Applied || !strings.Contains(e.OutcomeDetail, "a later read showed") {
			t.Errorf("the journal says %q, %q", e.Outcome, e.OutcomeDetail)
		}
	})
}

// How a change ended is said in a word, and in the tone of that word.
func TestFormatOutcome(t *testing.T) {
	t.Parallel()
	look := &theme.Theme{Glyphs: theme.Glyphs{Success: "v", Failure: "x", Unknown: "?"}}
	a := account.New(
		t.Context(),
		account.Options{Executor: &lists.Inline{}, Journal: journal.NewInMemory(time.Now), Location: time.UTC},
	)
	for _, c := range []struct {
		entry journal.Entry
		text  string
		tone  theme.Tone
	}{
		{journal.Entry{Outcome: client.Applied}, "v done", theme.Good},
		{journal.Entry{Outcome: client.Rejected}, "x not done", theme.Bad},
		{journal.Entry{Outcome: client.Rejected, Gone: 1}, "x partly", theme.Bad},
		{journal.Entry{Outcome: client.Unknown}, "? unknown", theme.Warn},
	} {
		if text, tone := operation.FormatOutcome(a, &c.entry, look); text != c.text || tone != c.tone {
			t.Errorf("%s: %q in tone %d, want %q in %d", c.entry.Outcome, text, tone, c.text, c.tone)
		}
	}
}

// The copied request has the token as a variable, and all quotes in it are escaped.
func TestJournal_copyAsCurl(t *testing.T) {
	t.Parallel()
	var copied string
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("4", "/", "Ada", "<enter>", "e", " O'Neil", "<ctrl+s>", ":", "journal", "<enter>")
		for _, p := range r.panes {
			if p.Name() != "journal" {
				continue
			}
			for _, act := range p.Actions() {
				if act.Name() == "copy as curl" {
					copied = act.Do()().(ui.CopyMsg).Text
				}
			}
		}
	})
	want := `curl -sS --fail -X PUT -H "Authorization: Bearer $LOOKOUT_TOKEN" -H 'Content-Type: application/json' ` +
		`--data '{"name":"Ada Wong O'\''Neil"}' https://api.example.test/v4/managed/contacts/11`
	if copied != want {
		t.Errorf("copied %s\nwant   %s", copied, want)
	}
}

// Scripts wait for the outcome of a change whose answer was lost: applied as soon as a reading proves it, not applied
// after 2 min of readings that agree, and unknown if the readings fail. A later change, whose answer was lost too,
// tells nothing about it.
func TestWaitForOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault    emulator.Fault // of the change
		read     emulator.Fault // of the readings
		want     lists.AttemptOutcome
		from, to time.Duration
	}{
		"applied late": {
			fault: emulator.Fault{Late: 40 * time.Second, Times: 1},
			want:  lists.Applied,
			from:  40 * time.Second,
			to:    time.Minute,
		},
		"never applied": {
			fault: emulator.Fault{Status: 504, Times: 1},
			want:  lists.Rejected,
			from:  125 * time.Second,
			to:    135 * time.Second,
		},
		"not readable": {
			fault: emulator.Fault{Status: 504, Times: 1},
			read:  emulator.Fault{Status: 403},
			want:  lists.Unknown,
			from:  135 * time.Second,
			to:    135 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			// the IDs of a journal in a file begin alike
			options := programOptions{size: screenSize{120, 36}, journal: filepath.Join(t.TempDir(), "acme.journal")}
			runProgram(t, options, func(r *harness) {
				r.emu.InjectFault("disable service", c.fault)
				w := r.beginFor(r.api, client.Change{Op: client.OpDisableService, Resource: "service", ID: "9"})
				_, err := w.DisableService(r.ctx, 9)
				var lost *client.Error
				if !errors.As(err, &lost) {
					t.Fatal(err)
				}
				r.emu.InjectFault("enable service", emulator.Fault{Status: 504, Times: 1})
				other := r.beginFor(r.api, client.Change{Op: client.OpEnableService, Resource: "service", ID: "3"})
				if _, err := other.EnableService(r.ctx, 3); err == nil {
					t.Fatal("the answer to another change is not lost")
				}
				r.injectUnlessZero("view service", c.read)
				ctx, cancel := context.WithTimeout(r.ctx, 135*time.Second)
				defer cancel()
				acc := account.New(ctx, account.Options{API: r.api, Journal: r.journal, Now: time.Now})
				begin := time.Now()
				got, reason := acc.WaitForOutcome(ctx, lost.IntentID())
				if took := time.Since(begin); got != c.want || took < c.from || took > c.to {
					t.Errorf("outcome %v (%s) after %v", got, reason, took)
				}
			})
		})
	}
}

// After a restart the row of a change whose answer was lost says so, and sending it again asks first.
func TestJournal_unresolvedChangeIsShownAtItsRow(t *testing.T) {
	t.Parallel()
	earlier := func(r *harness, _ *shell.Options) {
		r.leaveUnresolved(unresolvedCase{op: client.OpDisableService, kind: "service", id: "9", label: "edge-router"})
	}
	startWithOptions(t, emulator.Options{}, screenSize{160, 40}, earlier, func(r *harness) {
		r.pressAll("3 / edge-router <enter>")
		r.requireText(lists.NotSeenYet)
		r.press("d", "<ctrl+s>")
		r.wait(2 * time.Second)
		if n := strings.Count(r.screen(), "If you send this now"); n != 1 {
			t.Errorf("the question warns %d times, wants once:\n%s", n, r.screen())
		}
		r.requireText("it may be done twice")
		r.requireNoChanges()
		r.press("y")
		r.wait(2 * time.Second)
		r.requireApplied("disable service")
	})
}
