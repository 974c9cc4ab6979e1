package views_test

import (
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
)

// oldRowCases are the changes whose answer has a row, each with what the answer says if it has the old one.
func oldRowCases() map[string]string {
	return map[string]string{
		"disable service":     `sent status "disabled", but the API answered "ok"`,
		"enable service":      "the API answered that it is still disabled",
		"update service":      `sent label "edge-router2", but the API answered "edge-router"`,
		"update contact":      `sent name "Ada Wong2", but the API answered "Ada Wong"`,
		"update credential":   `sent label "db2-root2", but the API answered "db2-root"`,
		"update SSH settings": `sent ssh.access "false", but the API answered "true"`,
		"update key":          `sent label "finance2", but the API answered "finance"`,
	}
}

// A change that is answered 200 with the row as it was before is not called done: what was sent and what came back is
// told, and reading again decides.
func TestOldRow_readingDecides(t *testing.T) {
	t.Parallel()
	for _, c := range changeCases() {
		contradicts := oldRowCases()[c.op]
		if contradicts == "" {
			continue
		}
		for name, fault := range map[string]emulator.Fault{
			"never applied":  {OldRow: true, Times: 1},
			"applied late":   {OldRow: true, Late: 45 * time.Second, Times: 1},
			"applied before": {OldRow: true, ApplyFirst: true, Times: 1},
		} {
			faulttest.RunCase(t, "B2", "answered with the old row, "+name+": "+c.op, func(t *testing.T) {
				startProgram(t, emulator.Options{}, screenSize{200, 40}, func(r *harness) {
					r.pressAll(c.keys)
					r.emu.InjectFault(c.op, fault)
					r.press(c.send)
					r.wait(15 * time.Second)
					if !fault.ApplyFirst {
						for _, m := range r.messages {
							if strings.Contains(m.Text, c.done) {
								t.Errorf("the message says %q", m.Text)
							}
						}
						told := r.messageTexts()
						if strings.HasPrefix(c.op, "update ") && c.op != client.OpUpdateInstanceSSH {
							told = r.dialogText()
						}
						if !strings.Contains(told, contradicts) {
							t.Errorf("%q is not told, but %q", contradicts, told)
						}
					}
					r.wait(4 * time.Minute)
					want := client.Applied
					if name == "never applied" {
						want = client.Rejected
					}
					r.requireOutcome(want)
					if e := r.lastChange(c.op); !strings.HasPrefix(e.OutcomeDetail, contradicts) {
						t.Errorf("the journal says %s: %s", e.Outcome, e.OutcomeDetail)
					}
				})
			})
		}
	}
}

// If the API goes back to an earlier state, the row of a service says so while the newer version is shown, and the
// older one is shown after 10 minutes.
func TestOldRow_apiGoesBack(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 40}, func(r *harness) {
		const note = "the API answers with an older version of it: ok"
		r.emu.InjectFault("view service", emulator.Fault{Stale: time.Hour}) // the account is remembered from now on
		r.wait(time.Minute)
		r.elsewhere("POST", "/managed/services/8/disable", "")
		r.press("3", "/", "cdn-origin", "<enter>")
		r.wait(time.Minute)
		r.line("disabled", "cdn-origin")
		r.emu.InjectFault("list services", emulator.Fault{Stale: time.Hour})
		r.wait(time.Minute)
		r.requireText(note)
		r.wait(8 * time.Minute)
		r.requireText(note)
		r.wait(3 * time.Minute)
		r.requireNoText(note)
		r.line("● ok", "cdn-origin")
	})
}
