package dashboard

import (
	"context"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/cmd/internal/config"
	"lookout/ui/shell"
	"lookout/ui/terminal/termtest"

	"github.com/charmbracelet/x/ansi"
)

// startWatch starts the watch of an emulated account, which it reads every 100 ms.
func startWatch(t *testing.T, api *emulator.Emulator, width, height int) *termtest.VirtualTerminal {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	j := journal.NewInMemory(time.Now)
	c, err := client.New(
		"https://demo.invalid/v4", client.NewSecret("demo"), client.WithTransport(api), client.WithRecorder(j),
		client.WithReadOnly(),
	)
	if err != nil {
		t.Fatal(err)
	}
	s := config.Settings{Account: "acme", Theme: "dark", Refresh: 100 * time.Millisecond}
	s.Protected = true
	session, err := newWatchSession(ctx, &config.Flags{NoMouse: true}, s, c, j)
	if err != nil {
		t.Fatal(err)
	}
	program, err := shell.New(session.Options)
	if err != nil {
		t.Fatal(err)
	}
	return termtest.New(t, width, height, program)
}

// The smallest watch shows what is broken, since when and whom to call. At rest it writes nothing, although it reads
// again.
func TestWatch(t *testing.T) {
	t.Parallel()
	termtest.InFakeTime(t, func(t *testing.T) {
		time.Sleep(12 * time.Hour) // at midnight, the problem is of another day: its date leaves its name no room
		for _, size := range [][2]int{{20, 4}, {80, 6}} {
			api := emulator.New(emulator.Options{Token: "demo"})
			v := startWatch(t, api, size[0], size[1])
			v.WaitFor("billing-api")
			v.WaitFor("+1 555 0100")
			v.WaitFor("acme PROD")
			asked := api.RequestCount("list services")
			before := v.WaitIdle(300 * time.Millisecond)
			if after := v.BytesAfter(time.Second); after != before {
				t.Errorf("%v: at rest it wrote %q", size, v.Output()[before:])
			}
			if api.RequestCount("list services") < asked+3 {
				t.Error("it is not read again")
			}
			for _, line := range strings.Split(v.Screen(), "\n") {
				if len([]rune(strings.TrimRight(line, " "))) > size[0] {
					t.Errorf("%v: a line of %q", size, line)
				}
			}
			v.Type("q")
			if code := v.WaitExit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		}
	})
}

// If the account cannot be read, the watch says so and shows the age of the rows. If all is well, it says that.
func TestWatchSaysWhatItCannotKnow(t *testing.T) {
	t.Parallel()
	termtest.InFakeTime(t, func(t *testing.T) {
		api := emulator.New(emulator.Options{Token: "demo"})
		v := startWatch(t, api, 60, 6)
		v.WaitFor("billing-api")
		api.InjectFault("*", emulator.Fault{Status: 401})
		v.WaitFor("token not accepted, as of")
		v.WaitFor("billing-api")
		v = startWatch(t, emulator.New(emulator.Options{Token: "demo", Seed: "empty"}), 20, 4)
		v.WaitFor("● 0 acme PROD")
	})
}

// With room for boxes, the watch shows the overview in the whole width, below the line with the account.
func TestWatchBoxes(t *testing.T) {
	t.Parallel()
	termtest.InFakeTime(t, func(t *testing.T) {
		for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}} {
			v := startWatch(t, emulator.New(emulator.Options{Token: "demo"}), size[0], size[1])
			v.WaitFor("call  Ada Wong  +1 555 0100")
			v.WaitFor("╭─ Services ─ 14 ─")
			v.WaitFor("1 problem")
			v.WaitUntil("the overview below the head line", func(screen string) bool {
				lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
				return len(lines) == size[1] && strings.Contains(lines[0], "acme PROD") &&
					strings.HasPrefix(lines[1], "╭─ Services") && strings.HasPrefix(lines[size[1]-1], "╰") &&
					ansi.StringWidth(lines[1]) == size[0]
			})
		}
	})
}
