package views_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/ui/shell"
)

// setProtected starts the program on a protected account.
func setProtected(r *harness, o *shell.Options) {
	r.connect(client.WithProtected("acme-prod"))
	o.Protected, o.Panes, o.OnOpen, o.LeaveWarnings, o.TokenForm = true, r.panes, r.onOpen, r.leaveWarnings, r.tokenForm
}

// On a protected account, a toggle and its undo ask, and a deletion wants the account's name.
func TestProtected_togglesAndDeletionsAsk(t *testing.T) {
	t.Parallel()
	startWithOptions(t, emulator.Options{}, screenSize{120, 36}, setProtected, func(r *harness) {
		r.requireText("PROD")
		r.press("3", "/", "billing-cron", "<enter>", "E")
		r.requireText("Enable: billing-cron", "PROD: account acme-prod is protected")
		r.wait(time.Second)
		r.press("y", "<enter>")
		r.requireNoChanges()
		r.press("<esc>", "t")
		r.wait(time.Second)
		r.press("acme-prod", "<enter>")
		r.requireText("monitoring is enabled (was disabled)")
		r.press("u")
		r.requireText("Disable: billing-cron", "PROD: account acme-prod is protected")
		r.wait(time.Second)
		r.press("<esc>")
		r.requireApplied("enable service")
		r.press("4", "/", "Ada", "<enter>", "D")
		r.wait(time.Second)
		r.requireText("Type acme-prod to delete")
		r.press("y", "<enter>")
		r.requireText("Type acme-prod to delete")
		r.press("<backspace>", "acme-prod", "<enter>")
		r.requireText(": deleted")
		r.press("6", "d")
		r.requireText("Deny access:", "PROD: account acme-prod is protected")
		r.wait(time.Second)
		r.press("<esc>", "e")
		r.requireText("SSH settings of") // its question comes when it is sent
	})
}

// An account that becomes protected, and then read-only, while the program runs: the first change is refused with the
// reason, the head line says it, and the next change asks, or is not offered.
func TestProtected_configurationTightens(t *testing.T) {
	t.Parallel()
	var demanded atomic.Pointer[client.Safety]
	demanded.Store(&client.Safety{})
	configure := func(r *harness, o *shell.Options) {
		r.connect(client.WithSafetyCheck(func(context.Context) (client.Safety, error) { return *demanded.Load(), nil }))
		o.Panes, o.OnOpen, o.LeaveWarnings, o.TokenForm = r.panes, r.onOpen, r.leaveWarnings, r.tokenForm
		o.Safety = func() (protected, readOnly bool) { return r.api.Protected(), r.api.ReadOnly() }
	}
	startWithOptions(t, emulator.Options{}, screenSize{160, 36}, configure, func(r *harness) {
		r.press("3", "/", "billing-cron", "<enter>")
		r.requireNoText("PROD")
		demanded.Store(&client.Safety{Protected: "acme-prod"})
		r.press("E")
		r.wait(time.Second)
		r.requireText("account acme-prod is now protected; nothing was sent. Repeat the change to confirm it", "PROD")
		r.requireNoChanges()
		r.press("E")
		r.wait(time.Second)
		r.requireText("PROD: account acme-prod is protected")
		demanded.Store(&client.Safety{ReadOnly: true})
		r.press("acme-prod", "<enter>")
		r.wait(time.Second)
		r.requireText("read_only has been set in the configuration; nothing was sent")
		r.requireNoChanges()
		r.requireText("PROD", "read-only")
	})
}

// A protected account asks before it disables a service: d, enter and enter are not enough.
func TestServices_disable_asksOnProtectedAccount(t *testing.T) {
	t.Parallel()
	startWithOptions(t, emulator.Options{}, screenSize{120, 36}, setProtected, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<enter>")
		r.wait(time.Second)
		r.press("<enter>")
		r.requireText("PROD: account acme-prod is protected", "Nobody is alerted")
		r.wait(time.Second)
		r.press("<enter>")
		r.requireNoChanges()
		r.requireText("That does not match. Type acme-prod to disable")
		r.press("acme-prdo", "<enter>")
		r.requireNoChanges()
		r.requireText("That does not match.")
		r.press("<backspace>")
		r.requireNoText("That does not match.")
		for range "acme-prd" {
			r.press("<backspace>")
		}
		r.press("acme-prod", "<enter>")
		r.requireText("cdn-origin: monitoring is disabled until 01:00 (was ok)")
		r.requireApplied("disable service")
	})
}

// requireNoChanges fails if anything was changed.
func (r *harness) requireNoChanges() {
	r.Helper()
	r.requireApplied()
}

// In read-only mode, every action that changes something is disabled in hints, menu and keys, and nothing is sent.
func TestReadOnly_disablesEveryChange(t *testing.T) {
	t.Parallel()
	startWithOptions(
		t,
		emulator.Options{},
		screenSize{120, 36},
		func(_ *harness, o *shell.Options) { o.ReadOnly = true },
		func(r *harness) {
			r.requireText("read-only")
			for _, pane := range r.panes {
				r.press(":", pane.Name(), "<enter>")
				for _, a := range pane.Actions() {
					if !a.Writes || len(a.Key.Keys()) == 0 {
						continue
					}
					for _, hint := range strings.Split(lastLine(r.screen()), "  ") {
						if strings.TrimSpace(hint) == a.Key.Help().Key+" "+a.Name() {
							r.Errorf("%s: the hints show %s", pane.Name(), a.Name())
						}
					}
					r.press(keyName(a.Key.Keys()[0]))
					r.requireText(a.Name() + ": read-only mode")
				}
			}
			r.press("3", "a")
			words := strings.Join(strings.Fields(r.screen()), " ")
			if !strings.Contains(words, "disable read-only mode") {
				r.Errorf("the menu does not say why:\n%s", words)
			}
			r.press("<esc>")
			r.requireNoChanges()
		},
	)
}

func lastLine(screen string) string { return screen[strings.LastIndex(screen, "\n")+1:] }

// keyName returns a key as press takes it: "<enter>".
func keyName(name string) string {
	if len(name) > 1 {
		return "<" + name + ">"
	}
	return name
}
