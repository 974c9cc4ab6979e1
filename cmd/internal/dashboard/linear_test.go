package dashboard

import (
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/cmd/internal/config"
	"lookout/ui/shell"
	"lookout/ui/terminal/termtest"
)

// startLinear starts the program in linear mode.
func startLinear(t *testing.T, api *emulator.Emulator) *termtest.VirtualTerminal {
	t.Helper()
	s, err := newTestShell(t, api, config.Settings{Account: "acme-prod", Theme: "dark"})
	if err != nil {
		t.Fatal(err)
	}
	return termtest.NewLinear(t, 200, 200, shell.NewLinearScreen(s))
}

// The whole program can be used in linear mode: it names tabs and rows, asks for a form field by field, and takes
// answers to questions.
func TestLinear(t *testing.T) {
	t.Parallel()
	termtest.InFakeTime(t, func(t *testing.T) {
		api := emulator.New(emulator.Options{Token: "demo"})
		v := startLinear(t, api)
		v.WaitFor("account acme-prod")
		v.WaitFor("tabs: 1 Overview, 2 Issues")
		v.WaitFor("Services 14")
		v.Type("3")
		v.WaitFor("Services, tab 3 of ")
		v.WaitFor("1 of 14: billing-api; state problem; type tcp; address db2.acme.net:5432")
		v.Type("j")
		v.WaitFor("2 of 14: billing-cron; state disabled")
		v.Type("/", "web-1", "<enter>")
		v.WaitFor("filter: web-1")
		v.WaitFor("1 of 1: web-1; state ok")
		v.Type("d")
		v.WaitFor("Disable monitoring of web-1")
		v.WaitFor("For; 1 h, 2 of 5, left and right change it")
		v.Type("<left>")
		v.WaitFor("For; 15 min, 1 of 5")
		v.Type("<tab>", "disq", "<backspace>", "k")
		v.WaitFor("Reason: disk")
		v.Type("<tab>")
		v.WaitFor("button disable: enter sends")
		v.Type("<enter>")
		v.WaitFor("message: web-1: monitoring is disabled until")
		v.Type("D")
		v.WaitFor("nobody will be alerted to")
		v.WaitFor("type web-1 and press enter; escape cancels")
		v.Type("<esc>")
		v.BytesAfter(200 * time.Millisecond) // a key right behind an escape would be one with alt
		v.Type("?")
		v.WaitFor("search: ")
		v.Type("copy menu")
		v.WaitFor("1 of 1: copy menu; key Y")
		v.Type("<esc>")
		v.BytesAfter(200 * time.Millisecond)
		v.Type("2")
		v.WaitFor("Issues, tab 2 of ")
		v.WaitFor("1 of 9:")
		v.Type("<enter>")
		v.WaitFor("line 1 of ")
		v.Type("j")
		v.WaitFor("line 2 of ")
		v.Type(".")
		v.WaitFor(", issue 823")
		if ops := len(api.Ledger()); ops != 1 {
			t.Errorf("%d changes were made", ops)
		}
		v.Type("q", "q")
		v.WaitFor("Monitoring stays off")
		v.WaitFor("in the background, which ends them on time")
		v.Type("y")
		if code := v.WaitExit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		written := v.Output()
		for _, mode := range []string{"\x1b[?2004h", "\x1b[?2004l"} {
			written = strings.ReplaceAll(written, mode, "")
		}
		if at := strings.IndexByte(written, 0x1b); at >= 0 {
			t.Errorf("the terminal was moved: %q", written[at:min(len(written), at+20)])
		}
		if strings.ContainsAny(written, "─│╭┤▲●▸") {
			t.Error("something was drawn")
		}
	})
}

// Unchanged lines are not printed again, and nothing is printed at rest: growing ages are not changes.
func TestLinearIsQuiet(t *testing.T) {
	t.Parallel()
	termtest.InFakeTime(t, func(t *testing.T) {
		v := startLinear(t, emulator.New(emulator.Options{Token: "demo"}))
		v.WaitFor("Services 14")
		v.Type("3")
		v.WaitFor("1 of 14: billing-api")
		v.WaitFor("issue #823")
		before := v.WaitIdle(500 * time.Millisecond)
		if after := v.BytesAfter(2500 * time.Millisecond); after != before { // the age in the head line grows meanwhile
			t.Errorf("at rest it said %q", v.Output()[before:])
		}
		v.Type("r")
		if after := v.BytesAfter(500 * time.Millisecond); after != before {
			t.Errorf("reading the same rows again it said %q", v.Output()[before:])
		}
	})
}

// A secret is not printed, because printed lines cannot be erased.
func TestLinearTellsNoSecret(t *testing.T) {
	t.Parallel()
	termtest.InFakeTime(t, func(t *testing.T) {
		v := startLinear(t, emulator.New(emulator.Options{Token: "demo"}))
		v.WaitFor("Services 14")
		v.Type("9")
		v.WaitFor("Keys, tab ")
		v.WaitFor("1 of 9:")
		v.Type("n")
		v.WaitFor("New access key")
		v.Type("spoken key", "<ctrl+s>")
		v.WaitFor("n: no, leave it; y: yes")
		v.Type("y")
		v.WaitFor("hidden, and not read aloud; y copies it")
		v.Type("r", "y")
		secret := v.WaitClipboard()
		v.WaitFor("nothing shows that it arrived")
		v.Type("<enter>")
		v.WaitFor(`Type "kept" if you have saved it elsewhere, or "discard" to close without it; escape goes back`)
		v.Type("kept", "<enter>", "5")
		v.WaitFor("Credentials, tab 5 of ")
		if strings.Contains(v.Output(), secret) {
			t.Error("the secret was said")
		}
	})
}

// Linear mode has no motion, and neither has an account whose configuration or command line asks for none.
func TestShellOptions_noMotion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flags    config.Flags
		settings config.Settings
		want     bool
	}{
		{config.Flags{}, config.Settings{}, false},
		{config.Flags{Linear: true}, config.Settings{}, true},
		{config.Flags{}, config.Settings{NoMotion: true}, true},
	} {
		c.settings.Account, c.settings.Theme = "acme-prod", "dark"
		j := journal.NewInMemory(time.Now)
		api, err := client.New("https://demo.invalid/v4", client.NewSecret("demo"), client.WithRecorder(j))
		if err != nil {
			t.Fatal(err)
		}
		o, _, err := shellOptions(t.Context(), &c.flags, c.settings, api, j)
		if err != nil || o.NoMotion != c.want {
			t.Errorf("linear %v, no motion %v: %v %v", c.flags.Linear, c.settings.NoMotion, o.NoMotion, err)
		}
	}
}
