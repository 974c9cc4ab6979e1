package dashboard

import (
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/ui/shell"
	"lookout/ui/terminal/termtest"
)

// startDemo is the demo in a virtual terminal, with its first account.
func startDemo(t *testing.T, width, height int) (*termtest.Terminal, demoAccount) {
	t.Helper()
	f := &config.Flags{Theme: "dark"}
	one, err := newDemoAccount(f, "acme-prod", "demo", emulator.ServiceDocument)
	if err != nil {
		t.Fatal(err)
	}
	session, err := one.newSession(t.Context(), f, accountList{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := shell.NewAccountSwitcher(t.Context(), session, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := termtest.New(t, width, height, d)
	t.Cleanup(d.Close)
	return v, one
}

// The fault menu injects the faults that it names, and the head line shows them while they are active (row H6).
func TestFaultMenu(t *testing.T) {
	t.Parallel()
	v, _ := startDemo(t, 120, 36)
	v.WaitFor("Services ─ 14")
	v.Type(":", "demo offline", "<enter>")
	v.WaitFor("FAULT offline")
	v.WaitFor("offline · since")
	v.Type(":", "demo 403", "<enter>")
	v.WaitFor("not allowed")
	v.WaitFor("FAULT 403")
	v.Type("3", "m") // whatever is in front and whatever the line of news says
	v.WaitFor("Messages")
	v.WaitFor("FAULT 403")
	v.Type("<esc>")
	v.WaitGone("Messages")
	v.Type(":", "demo off", "<enter>")
	v.WaitGone("FAULT")
	v.WaitFor("live")
}

// Every entry is a fault that the emulator knows. On a real account the palette has no such entries.
func TestFaultMenu_onlyInDemo(t *testing.T) {
	v, one := startDemo(t, 120, 36)
	v.WaitFor("Services ─ 14")
	if n := len(one.faultMenu.commands()); n != len(demoFaults())+1 {
		t.Errorf("%d commands", n)
	}
	newTestEnv(t, emulator.Options{})
	s, err := config.Load(&config.Flags{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	api, j, err := s.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o, _, err := shellOptions(t.Context(), &config.Flags{}, s, api, j)
	if err != nil || len(o.Commands) != 0 || o.Banner != nil {
		t.Errorf("a real account has %d commands: %v", len(o.Commands), err)
	}
}
