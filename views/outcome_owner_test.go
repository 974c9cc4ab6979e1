package views_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/certtest"
	"lookout/client/emulator"
)

// An object that a colleague makes a moment after our create, with everything that was sent, is a candidate: nothing
// tells whose it is, however close in time it was made.
func TestOutcome_identicalObjectMadeAtOnceIsCandidate(t *testing.T) {
	t.Parallel()
	for _, change := range allChanges(t) {
		if path, _ := identicalTwin(change.op); path == "" {
			continue
		}
		t.Run(change.op, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{140, 40}, func(r *harness) {
				r.pressAll(change.keys)
				r.emu.InjectFault(change.op, emulator.Fault{Status: 504, Delay: time.Second, Times: 1})
				time.AfterFunc(500*time.Millisecond, func() {
					path, body := identicalTwin(change.op)
					r.tryElsewhere("POST", path, body)
				})
				r.press(change.send)
				r.wait(3 * time.Second)
				r.requireOutcome(client.Unknown)
				r.requireText("It is unknown who made this")
				r.wait(3 * time.Minute)
				r.requireOutcome(client.Unknown)
			})
		})
	}
}

// What a colleague did in the same words as a change whose answer was lost, and that was never applied, is not called
// ours: the message says that it is not known whose change it was, and so do the journal's pane and its entry.
func TestOutcome_identicalChangeByColleagueIsNotClaimed(t *testing.T) {
	t.Parallel()
	for _, change := range allChanges(t) {
		if change.unproven || strings.HasPrefix(change.op, "create ") {
			continue
		}
		t.Run(change.op, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{200, 40}, func(r *harness) {
				r.pressAll(strings.ReplaceAll(change.keys, "~~", "~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~"))
				r.emu.InjectFault(change.op, emulator.Fault{Status: 504, Delay: time.Second, Times: 1})
				r.messages = nil
				time.AfterFunc(500*time.Millisecond, func() {
					r.tryElsewhere(sameRequest(t, r.lastChange(change.op).Change))
				})
				r.press(change.send)
				r.wait(8 * time.Second)
				e := r.lastChange(change.op)
				if e.Outcome != client.Applied {
					if tells(change.op) {
						t.Fatalf("the journal says %s, %s\n%s", e.Outcome, e.OutcomeDetail, r.screen())
					}
					return
				}
				const notKnown = "who made the change is not known"
				if !e.ByReading || !strings.Contains(e.OutcomeDetail, notKnown) {
					t.Errorf("the journal's entry says %q", e.OutcomeDetail)
				}
				r.requireMessageWith(notKnown)
				r.press("<esc>", ":", "journal", "<enter>")
				r.line(change.op, "as wanted")
			})
		})
	}
}

// sameRequest returns the request of a colleague who makes the same change.
func sameRequest(t *testing.T, c client.Change) (method, path, body string) {
	t.Helper()
	path = strings.TrimPrefix(c.Path, "/v4")
	switch c.Op {
	case client.OpUploadCertificate:
		certificate, key := certtest.New("cdn.acme.net").Write(t)
		c.Body = map[string]string{"certificate": readFile(t, certificate), "private_key": readFile(t, key)}
	case client.OpEnableService, client.OpDisableService:
		return c.Method, path, ""
	}
	data, err := json.Marshal(c.Body)
	if err != nil {
		t.Fatal(err)
	}
	return c.Method, path, string(data)
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// What a colleague edits beside an edit of ours is shown as a message, and ours is not, whether it was answered,
// arrived late, or was found by reading.
func TestStatusMessages_namesFieldsEditedBesideOurs(t *testing.T) {
	t.Parallel()
	late := emulator.Fault{Late: 4 * time.Minute, Times: 1}
	lost := emulator.Fault{ApplyFirst: true, Status: 504, Delay: time.Second, Times: 1}
	for name, c := range map[string]struct {
		fault   emulator.Fault
		theirs  string
		after   time.Duration
		message string // "" for none
	}{
		"answered":             {emulator.Fault{}, `{"notes":"theirs"}`, time.Minute, "(notes) was edited"},
		"answered, alone":      {emulator.Fault{}, "", 0, ""},
		"late":                 {late, `{"notes":"theirs"}`, 4*time.Minute - time.Second, "(notes) was edited"},
		"late, the same field": {late, `{"label":"other"}`, 4*time.Minute + time.Second, "(label) was edited"},
		"late, alone":          {late, "", 0, ""},
		"found":                {lost, `{"notes":"theirs"}`, 500 * time.Millisecond, "(notes) was edited"},
		"found, alone":         {lost, "", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{200, 40}, func(r *harness) {
				r.pressAll("3 / edge-router <enter> e 2")
				if c.fault.Times > 0 {
					r.emu.InjectFault("update service", c.fault)
				}
				r.messages = nil
				if c.theirs != "" {
					time.AfterFunc(c.after, func() { r.tryElsewhere("PUT", "/managed/services/9", c.theirs) })
				}
				r.press("<ctrl+s>")
				r.wait(10 * time.Minute)
				found := ""
				for _, n := range r.messages {
					if strings.Contains(n.Text, "elsewhere") {
						found += n.Text + "; "
					}
				}
				if c.message == "" && found != "" || !strings.Contains(found, c.message) {
					t.Errorf("the message says %q, want %q", found, c.message)
				}
			})
		})
	}
}

// The maintenance window of a disable that arrived late and that the user calls done ends on time: that the service was
// seen enabled before it arrived is no sign that somebody ended the window.
func TestMaintenance_lateDisableThatUserSettlesEndsOnTime(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{200, 40}, func(r *harness) {
		r.emu.InjectFault("disable service", emulator.Fault{Late: 4 * time.Minute, Times: 1})
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<ctrl+s>")
		r.wait(12 * time.Minute)
		r.requireMessageWith("nothing enables it again at 01:00")
		r.press("<esc>", ":", "journal", "<enter>", "x", "d")
		r.wait(time.Second)
		r.requireOutcome(client.Applied)
		r.press("3")
		r.wait(time.Second)
		if d := strings.Join(r.detail(true), " "); !strings.Contains(d, "back 01:00") ||
			strings.Contains(d, "machine") {
			t.Errorf("the details are %q", d)
		}
		r.requireApplied("disable service")
		r.wait(time.Hour)
		r.requireApplied("disable service", "enable service")
	})
}
