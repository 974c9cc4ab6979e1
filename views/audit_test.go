package views_test

import (
	"testing"
	"time"

	"lookout/client/emulator"
)

// TestAudit_pane shows what lookout audit finds, and goes to what a finding is about and back.
func TestAudit_pane(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{Service: emulator.ServiceDocument}, screenSize{120, 36}, func(r *harness) {
		r.press("U")
		r.requireText("status-page", "nobody is called", "Night desk", "reaches every bucket", "10 found")
		r.press("/", "status-page", "<enter>", "<enter>")
		r.requireText("group       no one to call", "12 of 14")
		r.press("<ctrl+o>")
		r.requireText("of 15", "nobody is called")
	})
}

// While the API answers nothing, the audit keeps what it found before, and the head says that reading fails. While some
// lists fail, the audit is incomplete.
func TestAudit_withoutAnyAnswer(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("U")
		r.requireText("10 found", "status-page")
		r.emu.InjectFault("*", emulator.Fault{Status: 503})
		r.press("r")
		r.wait(time.Minute)
		r.requireText("failing", "10 found", "status-page")
		r.emu.ClearFaults()
		r.emu.InjectFault("list services", emulator.Fault{Status: 503})
		r.press("r")
		r.wait(time.Minute)
		r.requireText("audit: incomplete", "reading failed: list services")
	})
}

// TestAudit_readsOnlyWhenItsPaneOpens counts the certificates that were read, which no other pane reads of all buckets.
// Neither the clock nor the palette nor a refresh of all panes starts the audit.
func TestAudit_readsOnlyWhenItsPaneOpens(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{Service: emulator.ServiceDocument}, screenSize{120, 36}, func(r *harness) {
		certificates := func() int { return r.emu.RequestCount("view certificate") }
		r.wait(10 * time.Minute)
		r.press("R", ":", "status-page", "<esc>")
		if n := certificates(); n != 0 {
			t.Errorf("%d certificates were read before the pane was opened", n)
		}
		r.press("U")
		if certificates() == 0 {
			t.Error("the audit read no certificate")
		}
	})
}

// The row of tabs and the palette name the keys of tabs as they work: inside a bucket, U uploads.
func TestTabs_keysOfThePaneInFront(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{Service: emulator.ServiceDocument}, screenSize{200, 50}, func(r *harness) {
		r.press("8")
		r.requireText("F Transfers", "U Audit")
		r.press("/", "cdn.acme", "<enter>", "<enter>")
		r.requireText("F Transfers", "Audit")
		r.requireNoText("U Audit")
		r.press("<esc>")
		r.requireText("F Transfers", "U Audit")
	})
}

// The help of an opened bucket does not list the keys of tabs that do something else there.
func TestHelp_keysOfThePaneInFront(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "?", "audit")
		r.requireText("U  audit")
		r.press("<esc>", "<esc>", "<enter>", "?", "audit") // there, the key uploads
		r.requireText("nothing matches")
	})
}
