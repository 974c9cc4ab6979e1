package views_test

import (
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
)

// A later change of the same row does not end the search for a change whose answer was lost, unless it hides it: it
// sets the same member, or removes the row.
func TestLaterChange_searchGoesOn(t *testing.T) {
	t.Parallel()
	const (
		lostDisable = "3 / edge-router <enter> d <ctrl+s>"
		lostLabel   = "3 / edge-router <enter> e 2 <ctrl+s>"
	)
	for name, c := range map[string]struct {
		op, lost, later string
		want            client.Outcome
	}{
		"disable, then its label is edited": {
			client.OpDisableService, lostDisable, "e 2 <ctrl+s> ~ y", client.Applied,
		},
		"disable, then a window is planned": {
			client.OpDisableService, lostDisable,
			"d <right> <right> <right> <tab> 22:00-23:00 <ctrl+s> ~ y", client.Applied,
		},
		"label, then it is disabled": {
			client.OpUpdateService, lostLabel, "<esc> <esc> d <ctrl+s> ~ y", client.Applied,
		},
		"label, then its timeout is edited": {
			client.OpUpdateService, lostLabel, "<esc> <esc> e <tab> <tab> <tab> 5 <ctrl+s> ~ y", client.Applied,
		},
		"delete, then it is edited": {
			client.OpDeleteService, "3 / edge-router <enter> D ~ edge-router <enter>", "e 2 <ctrl+s> ~ y",
			client.Applied,
		},
		"label, then its label is edited": {
			client.OpUpdateService, lostLabel, "<esc> <esc> e 3 <ctrl+s> ~ y", client.Unknown,
		},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{160, 40}, func(r *harness) {
				r.emu.InjectFault(c.op, emulator.Fault{Late: time.Minute, Times: 1})
				r.pressAll(c.lost)
				r.wait(10 * time.Second)
				r.pressAll(c.later)
				r.wait(5 * time.Second)
				if made := r.journal.Entries(time.Time{}); len(made) != 2 || made[1].Outcome != client.Applied {
					t.Fatalf("the later change was not made: %+v\n%s", made, r.screen())
				}
				r.wait(4 * time.Minute)
				all := r.journal.Entries(time.Time{}) // oldest first
				if lost := all[0]; lost.Change.Op != c.op || lost.Outcome != c.want {
					t.Errorf(
						"the journal says of %s: %s %s\n%s",
						lost.Change.Op, lost.Outcome, lost.OutcomeDetail, r.screen(),
					)
				}
			})
		})
	}
}

// A service that a lost request has disabled is enabled at the end of its window, although it was edited meanwhile.
func TestLaterChange_windowEnds(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 40}, func(r *harness) {
		r.emu.InjectFault(client.OpDisableService, emulator.Fault{Late: time.Minute, Times: 1})
		r.pressAll("3 / edge-router <enter> d <ctrl+s>")
		r.wait(10 * time.Second)
		r.pressAll("e 2 <ctrl+s> ~ y")
		r.wait(2 * time.Hour)
		r.requireApplied("update service", "disable service", "enable service")
	})
}
