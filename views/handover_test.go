package views_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/ui/shell"
)

// The palette finds the handover. It shows what is broken, what is silenced now and what will be, what was changed and
// why, with the times of the user; y copies it as lookout handover writes it.
func TestHandoverPane(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 50}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<left>", "<left>", "<tab>", "02:00-04:00", "<tab>")
		r.press("disk_1")
		r.press("<ctrl+s>", "<esc>", "/", "edge", "<enter>", "d", "<tab>", "switch", "<ctrl+s>")
		r.press(":", "handover", "<enter>")
		r.requireText(
			"Handover of acme-prod", "; call the group billing: Ada Wong +1 555 0100, Ben Idris +1 555 0144",
			"issue 823: billing-api", "edge-router (",
			", until 01:00: switch",
			"cdn-origin (8) from 02:00 until 04:00: disk_1",
			"00:00 plan maintenance cdn-origin, from 02:00, until 04:00", "disable service edge-router",
			"none: e adds one",
		)
		r.requireNoText("Not read")
		r.press("y")
		text := r.copied[len(r.copied)-1]
		for _, want := range []string{
			"# Handover of acme-prod at ", "\n## Silenced now\n", "**edge-router**", ": switch\n",
			"\n## Planned\n\n- **cdn-origin** (8) from 2000-01-01 02:00 UTC until 2000-01-01 04:00 UTC: disk\\_1\n",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not copied:\n%s", want, text)
			}
		}
		if strings.Contains(text, "## Note") {
			t.Errorf("a note that nobody wrote:\n%s", text)
		}
	})
}

// A note stands at the top of the handover and is copied with it. It is not lost in silence.
func TestHandoverPane_note(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 50}, func(r *harness) {
		r.press("B", "n", "call Ada", "<enter>", "before 6", "<ctrl+s>")
		r.requireText("call Ada", "before 6")
		r.press("q")
		r.requireText("The note of the handover was not copied: it would be lost.")
		r.press("<esc>", "y")
		copied := r.copied[len(r.copied)-1]
		if !strings.Contains(copied, "\n## Note\n\ncall Ada\nbefore 6\n\n## Services") {
			t.Errorf("copied:\n%s", copied)
		}
		r.press("3", "B")
		r.requireText("call Ada", "before 6")
	})
}

// The shift begins eight hours ago, or when the user says.
func TestHandoverPane_startOfTheShift(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 50}, func(r *harness) {
		r.press("3", "/", "edge", "<enter>", "d", "<tab>", "switch", "<ctrl+s>")
		r.wait(9 * time.Hour)
		r.press("B")
		r.requireNoText("disable service edge-router")
		r.press("e", "<tab>", "<ctrl+u>", "yesterday", "<ctrl+s>")
		r.requireText("use a duration such as 8h")
		r.press("<ctrl+u>", "10h", "<ctrl+s>")
		r.requireText("disable service edge-router")
	})
}

// What cannot be read is not said to be nothing, and old rows stay.
func TestHandoverPane_notRead(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 50}, func(r *harness) {
		r.emu.InjectFault("list services", emulator.Fault{Status: 503})
		r.press("B")
		r.wait(time.Minute)
		r.requireText("could not be read", "Not read", "services: ")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 50}, func(r *harness) {
		r.press("B")
		r.requireText("billing-api (")
		r.emu.InjectFault("*", emulator.Fault{Status: 503})
		r.wait(5 * time.Second)
		r.press("r")
		r.wait(15 * time.Second) // until it has tried often enough
		r.requireText("billing-api (", "could not be read since 00:0", "issues: ")
	})
}

// A ticket that could not be read is not one that the API does not have.
func TestHandoverPane_ticketNotRead(t *testing.T) {
	t.Parallel()
	failing := emulator.Fault{Status: 503}
	begin := func(r *harness, o *shell.Options) {
		useProvider(r, o)
		r.emu.InjectFault("view ticket", failing)
	}
	startWithOptions(t, emulator.Options{}, screenSize{160, 50}, begin, func(r *harness) {
		r.press("B")
		r.wait(time.Minute)
		r.requireText(`billing-api; ticket 48213, not read: "Service Unavailable" (503)`)
		r.emu.ClearFaults()
		r.wait(2 * time.Minute)
		r.requireText("billing-api; ticket 48213, open")
		r.emu.InjectFault("view ticket", failing)
		r.wait(2 * time.Minute)
		r.requireText(`billing-api; ticket 48213, open (not read again: "Service Unavailable" (503))`)
	})
}

// The head says so if any list of the handover could not be read again.
func TestHandoverPane_freshness(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"list services", "list issues"} {
		startProgram(t, emulator.Options{}, screenSize{120, 50}, func(r *harness) {
			r.press("B")
			r.requireText("● live")
			r.emu.InjectFault(list, emulator.Fault{Reset: true})
			r.press("r")
			r.wait(10 * time.Second)
			r.requireNoText("● live")
		})
	}
}

// What others changed during the shift is in the handover, in the pane and in what is copied; what was changed from
// here is not in that section.
func TestHandoverPane_changedElsewhere(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 60}, func(r *harness) {
		r.press("3", "/", "edge", "<enter>", "d", "<tab>", "switch", "<ctrl+s>")
		r.wait(time.Minute)
		r.elsewhere("PUT", "/managed/services/1", `{"timeout":25}`)
		r.wait(time.Minute)
		r.press("B")
		r.requireText("Changed elsewhere, as seen from this machine", "billing-api (1) edited: timeout between 00:0")
		r.press("y")
		copied := r.copied[len(r.copied)-1]
		_, elsewhere, _ := strings.Cut(copied, "\n## Changed elsewhere")
		found := strings.Contains(elsewhere, "**billing-api** (1) edited: timeout between")
		if !found || strings.Contains(elsewhere, "edge") {
			t.Errorf("copied:\n%s", copied)
		}
	})
}

// The handover says why it names nobody to call: the contacts could not be read, or the service has no group. That no
// issue is open is not claimed while some may be.
func TestHandoverPane_nobodyToCall(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{
		"503":   "call the group billing (contacts: 503)",
		"403":   "call the group billing (contacts: not allowed)",
		"empty": "call the group billing: nobody in it has a number",
	} {
		setup := func(e *emulator.Emulator) { breakList(e, "/managed/contacts", state) }
		between := func(next http.RoundTripper) http.RoundTripper {
			return &listEditor{next: next, list: "/managed/contacts", state: state}
		}
		configure := func(r *harness, _ *shell.Options) { setup(r.emu) }
		startWithTransport(t, screenSize{120, 50}, between, configure, func(r *harness) {
			r.press("B")
			r.wait(50 * time.Second)
			r.requireText(want)
		})
	}
	held := func(e *emulator.Emulator) { breakList(e, "/managed/services", "503") }
	startWithEmulator(t, emulator.Options{}, screenSize{120, 50}, held, func(r *harness) {
		r.press("B")
		r.wait(time.Second)
		r.requireText("none known")
	})
}
