package dashboard

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/config"
	"lookout/ui/shell"
	"lookout/ui/terminal/termtest"
)

// startDemo is the demo in a virtual terminal, with its first account.
func startDemo(t *testing.T, width, height int) (*termtest.VirtualTerminal, demoAccount) {
	t.Helper()
	d, one := newDemo(t, &config.Flags{Theme: "dark"})
	return termtest.New(t, width, height, d), one
}

// newDemo returns the program of the demo, with its first account.
func newDemo(t *testing.T, f *config.Flags) (*shell.RootModel, demoAccount) {
	t.Helper()
	one, err := newDemoAccount(f, "acme-prod", "demo", emulator.ServiceDocument)
	if err != nil {
		t.Fatal(err)
	}
	session, err := one.newSession(t.Context(), f, accountList{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := shell.NewRootModel(t.Context(), session, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d, one
}

// While a fault of the menu is injected, the head line says so on every pane, with a dialog in front and in a small
// terminal, until it ends. The fault is what the menu says.
func TestFaultMenu(t *testing.T) {
	t.Parallel()
	runCase := func(name string, test func(*testing.T)) {
		faulttest.RunCase(t, "H6", name, func(t *testing.T) {
			t.Parallel()
			termtest.InFakeTime(t, test)
		})
	}
	runCase("the fault is injected", func(t *testing.T) {
		v, _ := startDemo(t, 120, 36)
		v.WaitFor("Services ─ 14")
		v.Type(":", "demo offline", "<enter>")
		v.WaitFor("offline · since")
		v.Type(":", "demo 403", "<enter>")
		v.WaitFor("not allowed")
		v.Type(":", "demo off", "<enter>")
		v.WaitGone("FAULT")
		v.WaitFor("live")
	})
	for _, size := range []struct{ width, height int }{{120, 36}, {80, 24}, {60, 16}} {
		runCase(fmt.Sprintf("banner in %dx%d", size.width, size.height), func(t *testing.T) {
			v, _ := startDemo(t, size.width, size.height)
			v.WaitFor("DEMO")
			for i, fault := range demoFaults() {
				if fault.name == "401" {
					continue // last: it opens a dialog without a key, perhaps again, which takes the next ones
				}
				banner := "FAULT " + fault.name
				v.Type(":", "demo "+fault.name, "<enter>")
				v.WaitFor(banner)
				v.Type(strconv.Itoa(i%10), "?")
				v.WaitFor("Help")
				if head, _, _ := strings.Cut(v.Screen(), "\n"); !strings.Contains(head, banner) {
					t.Errorf("%q is not in the head line:\n%s", banner, v.Screen())
				}
				v.Type("<esc>")
				v.WaitGone("Help")
			}
			v.Type(":", "demo off", "<enter>")
			v.WaitGone("FAULT")
			v.Type(":", "demo 401", "<enter>")
			v.WaitFor("Token for acme-prod")
			v.WaitFor("FAULT 401")
		})
	}
	runCase("banner in linear mode", func(t *testing.T) {
		d, _ := newDemo(t, &config.Flags{Theme: "dark", Linear: true})
		v := termtest.NewLinear(t, 200, 200, shell.NewLinearScreen(d))
		v.WaitFor("account acme-prod, DEMO")
		v.Type(":", "demo 403", "<enter>")
		v.WaitFor("DEMO, FAULT 403")
	})
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
