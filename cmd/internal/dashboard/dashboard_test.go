package dashboard

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/journal"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/ui/shell"
	"lookout/ui/terminal/termtest"
	"lookout/views"
)

// startDashboard runs the dashboard on an emulated account in a virtual terminal.
func startDashboard(t *testing.T, api emulatedAccount, width, height int) *termtest.VirtualTerminal {
	t.Helper()
	s, err := newTestShell(t, api, config.Settings{Account: "acme-prod", Theme: "dark"})
	if err != nil {
		t.Fatal(err)
	}
	return termtest.New(t, width, height, s)
}

// An emulatedAccount answers requests as an emulator does.
type emulatedAccount interface {
	http.RoundTripper
	Service() string
}

// newTestShell assembles the program on an emulated account.
func newTestShell(t *testing.T, api emulatedAccount, s config.Settings) (*shell.Shell, error) {
	t.Helper()
	return newTestShellWithJournal(t, api, s, journal.NewInMemory(time.Now))
}

// newTestShellWithJournal is newTestShell for a journal that the test has made.
func newTestShellWithJournal(
	t *testing.T, api emulatedAccount, s config.Settings, j *journal.Journal,
) (*shell.Shell, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	options := []client.Option{client.WithTransport(api), client.WithRecorder(j)}
	if api.Service() == emulator.ServiceNow {
		options = append(options, client.WithDialect(client.DialectProvider))
	}
	c, err := client.New("https://demo.invalid/v4", client.NewSecret("demo"), options...)
	if err != nil {
		t.Fatal(err)
	}
	return newShell(ctx, &config.Flags{NoMouse: true}, s, c, j)
}

func TestStartReadQuit(t *testing.T) {
	t.Parallel()
	termtest.InFakeTime(t, func(t *testing.T) {
		v := startDashboard(t, emulator.New(emulator.Options{Token: "demo"}), 120, 36)
		v.WaitFor("Services ─ 14")
		v.Type("3")
		v.WaitFor("edge-router")
		v.Type("q")
		if code := v.WaitExit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
}

// The first frame appears before any answer and says that it is loading, and keys work meanwhile.
func TestFirstFrameBeforeAnyAnswer(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "I4", "nothing answered")
	termtest.InFakeTime(t, func(t *testing.T) {
		api := emulator.New(emulator.Options{Token: "demo"})
		release := api.HoldRequests("*")
		v := startDashboard(t, api, 80, 24)
		v.WaitFor("reading services")
		v.WaitFor("loading")
		v.Type("2")
		v.WaitFor("reading issues")
		v.Type("?")
		v.WaitFor("Help")
		v.Type("<esc>")
		release()
		v.WaitFor("billing-api")
	})
}

// While refreshing is paused, the program writes nothing at rest.
func TestPausedWritesNothing(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "E15", "TestPausedWritesNothing")
	termtest.InFakeTime(t, func(t *testing.T) {
		v := startDashboard(t, emulator.New(emulator.Options{Token: "demo"}), 120, 36)
		v.WaitFor("Services ─ 14")
		v.WaitFor("12 buckets")
		v.Type("p")
		v.WaitFor("paused")
		before := v.WaitIdle(300 * time.Millisecond)
		if after := v.BytesAfter(3 * time.Second); after != before {
			t.Errorf("%d bytes were written at rest", after-before)
		}
	})
}

// A paste is one event: in a list it does nothing, in a filter it is text.
func TestPasteIsNoCommand(t *testing.T) {
	t.Parallel()
	termtest.InFakeTime(t, func(t *testing.T) {
		api := emulator.New(emulator.Options{Token: "demo"})
		v := startDashboard(t, api, 120, 36)
		v.WaitFor("Services ─ 14")
		v.Type("3")
		v.WaitFor("edge-router")
		v.Type("\x1b[200~d\rq\x1b[201~", "/", "\x1b[200~web-1\x1b[201~")
		v.WaitFor("1 of 14 match")
		if n := len(api.Ledger()); n != 0 {
			t.Errorf("a paste changed %d things", n)
		}
	})
}

// Letters typed right after a key that opens a form or a pane go to it.
func TestTypeahead(t *testing.T) {
	t.Parallel()
	termtest.InFakeTime(t, func(t *testing.T) {
		v := startDashboard(t, emulator.New(emulator.Options{Token: "demo"}), 120, 36)
		v.WaitFor("12 buckets")
		v.Type("8")
		v.WaitFor("acme-www")
		v.Type("/acme-www\r")
		v.WaitFor("1 of 12 match")
		v.Type("\rPin\x13")
		v.WaitFor("› in…")
		v.WaitFor("index.html")
	})
}

// A key that the configuration gives to two actions keeps nothing from starting: both are named, with the line of the
// binding, and the first has it.
func TestKeyConflict_isReported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys map[string][]string
		want []string // parts of the report; none if nothing is reported
	}{
		"one key for two": {
			map[string][]string{"services.edit": {"d"}},
			[]string{
				`f:2: keys: the key "d" is bound twice in services: to "disable" and to "edit"; only the first works`,
			},
		},
		"two bindings": {
			map[string][]string{"services.edit": {"z"}, "services.disable": {"z", "f5"}},
			[]string{`f:2: keys: the key "z" is bound twice in services: to "disable" and to "edit"`},
		},
		"a key of the program": {
			map[string][]string{"services.disable": {"?"}},
			[]string{`f:3: keys: the key "?" is bound twice in services: to "disable" and to "the program's help"`},
		},
		"a key of a pane for the program": {
			map[string][]string{"program.help": {"d", "f1"}},
			[]string{`the key "d" is bound twice in services: to "disable" and to "the program's help"`},
		},
		"a key of the program for another of its actions": {
			map[string][]string{"program.help": {"q", "f1"}},
			[]string{"the program's help", "the program's quit"},
		},
		"two keys for one": {
			map[string][]string{"services.disable": {"z", "ctrl+z"}},
			[]string{"disable", "suspend"},
		},
		"the same key twice": {map[string][]string{"services.disable": {"z", "z"}}, nil},
		"swapped": {
			map[string][]string{"services.disable": {"x"}, "services.edit": {"d"}},
			nil,
		},
		"no action of that name":   {map[string][]string{"services.destroy": {"z"}}, nil},
		"no key for an action":     {map[string][]string{"services.disable": {}}, nil},
		"a key for another's pane": {map[string][]string{"contacts.edit": {"d"}}, nil},
	} {
		faulttest.RunCase(t, "G5", name, func(t *testing.T) {
			t.Parallel()
			lines := map[string]int{"services.edit": 2, "services.disable": 3}
			program, _, err := NewFrozenDemo(t.Context(), shell.Preferences{Keys: c.keys, KeyLines: lines})
			if err != nil {
				t.Fatal(err)
			}
			report := ""
			for _, c := range program.KeyConflicts() {
				report += c.At("f") + "\n"
			}
			if (report != "") != (c.want != nil) {
				t.Errorf("reported: %s", report)
			}
			for _, part := range c.want {
				if !strings.Contains(report, part) {
					t.Errorf("%q does not name %s", report, part)
				}
			}
		})
	}
}

// At quit the dashboard ends with code 5 if the journal of an account that was open lacks an outcome.
func TestRunScreen_outcomeThatIsNotRecorded(t *testing.T) {
	failures := &journalFailures{}
	failures.add("acme-prod", nil)
	if err := failures.error(); err != nil {
		t.Errorf("without a failure: %v", err)
	}
	failures.add("acme-prod", errors.New("no space left on device"))
	err := failures.error()
	if exit.CodeFor(err) != exit.CodeUnknown || !strings.Contains(err.Error(), "account acme-prod: no space left") {
		t.Errorf("exit code %d, %v", exit.CodeFor(err), err)
	}
}

// The keys of panes that open from a tab can be bound like those of tabs, and mistakes in them are found.
func TestCheckConfig_keysOfOpenablePanes(t *testing.T) {
	for name, c := range map[string]struct{ keys, want string }{
		"an action of the object browser": {`"objects.download" = ["x"]`, ""},
		"an action of an issue":           {`"issue.copy call sheet" = ["x"]`, ""},
		"an action of a certificate":      {`"certificate.replace" = ["x"]`, ""},
		"a key that another action has":   {`"objects.download" = ["S"]`, `the key "S" is bound twice in objects`},
		"a key of the program, both bound": {
			`"link.copy the link" = ["x"]` + "\n" + `"program.refresh" = ["x"]`, `the key "x" is bound twice in link`,
		},
		"a key that opens a tab":             {`"objects.flat view or folders" = ["F"]`, ""},
		"the key of another opened pane":     {`"object.download" = ["S"]`, ""},
		"an action that a pane has not":      {`"object.sizes" = ["x"]`, `keys."object.sizes": unknown action`},
		"a key of the program that it hides": {`"program.help" = ["S"]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			wrong := CheckConfig(t.Context(), []byte("[keys]\n"+c.keys+"\n"))
			report := ""
			for _, m := range wrong {
				report += m.Text + "\n"
			}
			if (c.want == "") != (report == "") || !strings.Contains(report, c.want) {
				t.Errorf("mistakes %q, want %q", report, c.want)
			}
		})
	}
}

// No two actions of a pane have one name: binding it would give both the same key.
func TestPanes_actionsHaveNamesOfTheirOwn(t *testing.T) {
	_, account, err := NewFrozenDemo(t.Context(), shell.Preferences{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(views.Panes(account), views.OpenablePanes(account)...) {
		known := map[string]bool{}
		for _, a := range p.Actions() {
			if len(a.Key.Keys()) > 0 && known[a.ID()] {
				t.Errorf("%s has two actions %q", p.Name(), a.ID())
			}
			known[a.ID()] = true
		}
	}
}

// newShell returns the shell of an account.
func newShell(
	ctx context.Context, f *config.Flags, s config.Settings, c *client.Client, j *journal.Journal,
) (*shell.Shell, error) {
	o, _, err := shellOptions(ctx, f, s, c, j)
	if err != nil {
		return nil, err
	}
	return shell.New(o)
}
