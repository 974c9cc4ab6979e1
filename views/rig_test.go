package views_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/views"
)

// A rig is the whole program without a terminal: emulator, client, panes and shell. Commands run until nothing is left to do but wait.
type rig struct {
	*testing.T
	emu     *emulator.Emulator
	api     *client.Client
	journal *journal.Journal
	shell   *shell.Shell
	ctx     context.Context
	panes   []ui.Pane
	look    *theme.Theme
	opened  func() tea.Cmd
	leaving func() []string
	token   func() ui.Form
	width   int
	height  int

	said     []ui.NewsMsg // news, in their order
	messages int          // that the program was told

	mu    sync.Mutex
	queue []tea.Msg
	come  chan struct{} // something is in the queue
}

// start runs a test inside a bubble of fake time, with the program on its first frame and every answer in.
func start(t *testing.T, o emulator.Options, width, height int, test func(*rig), between ...*swap) {
	t.Helper()
	started(t, o, width, height, nil, test, between...)
}

// started is start on an emulator that was set up first: with faults, or with answers held back.
func started(t *testing.T, o emulator.Options, width, height int, setup func(*emulator.Emulator), test func(*rig), between ...*swap) {
	t.Helper()
	startedAs(t, o, width, height, func(r *rig, _ *shell.Options) {
		if setup != nil {
			setup(r.emu)
		}
	}, test, between...)
}

// startedAs is start on a rig and a shell that were set up first.
func startedAs(t *testing.T, o emulator.Options, width, height int, setup func(*rig, *shell.Options), test func(*rig), between ...*swap) {
	t.Helper()
	startedBehind(t, o, width, height, func(next http.RoundTripper) http.RoundTripper {
		for _, s := range between {
			s.next, next = next, s
		}
		return next
	}, setup, test)
}

// startedBehind is startedAs with something of any kind between client and emulator.
func startedBehind(t *testing.T, o emulator.Options, width, height int, between func(http.RoundTripper) http.RoundTripper, setup func(*rig, *shell.Options), test func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := newRig(t, ctx, o, width, height, between)
		so := shell.Options{Panes: r.panes, Theme: r.look, Account: "acme-prod", RefreshInterval: 20 * time.Second, Now: time.Now, Location: time.UTC, OnOpen: r.opened, LeaveWarnings: r.leaving,
			RateLimitWait: func() (time.Time, time.Duration) { b := r.api.RateLimit(); return b.PausedUntil, b.RetryAfter }, RetryNow: r.api.Resume, TokenForm: r.token}
		setup(r, &so)
		var err error
		if r.shell, err = shell.New(so); err != nil {
			t.Fatal(err)
		}
		r.run(r.shell.Init())
		r.send(tea.WindowSizeMsg{Width: width, Height: height})
		defer time.Sleep(24 * time.Hour) // timers that are still armed end here, also those of a test that failed
		test(r)
	})
}

// shift gives the panes and the shell another clock than the API's.
func (r *rig) shift(o *shell.Options, now func() time.Time) {
	account := views.New(r.ctx, views.Options{API: r.api, Name: "acme-prod", Journal: r.journal, Now: now, Location: time.UTC})
	o.Panes, o.OnOpen, o.LeaveWarnings, o.Now = account.Panes(), account.Opened, account.Leaving, now
}

const token = "test-token"

func newRig(t *testing.T, ctx context.Context, o emulator.Options, width, height int, between func(http.RoundTripper) http.RoundTripper) *rig {
	t.Helper()
	o.Token, o.Now = token, time.Now
	if o.Seed == "" {
		o.Seed = "demo"
	}
	r := &rig{T: t, ctx: ctx, emu: emulator.New(o), width: width, height: height, journal: journal.NewInMemory(time.Now), come: make(chan struct{}, 1)}
	api, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(between(r.emu)), client.WithRecorder(r.journal))
	if err != nil {
		t.Fatal(err)
	}
	r.api = api
	account := views.New(ctx, views.Options{API: api, Name: "acme-prod", Journal: r.journal, Now: time.Now, Location: time.UTC})
	if r.look, err = theme.New("dark", theme.NoColor, false); err != nil {
		t.Fatal(err)
	}
	r.panes, r.opened, r.leaving, r.token = account.Panes(), account.Opened, account.Leaving, account.TokenForm
	return r
}

// run starts a command as the loop would, and goes on until the program is quiet. Timers stay armed.
func (r *rig) run(cmd tea.Cmd) {
	r.T.Helper()
	r.launch(cmd)
	for {
		synctest.Wait()
		r.mu.Lock()
		queue := r.queue
		r.queue = nil
		r.mu.Unlock()
		if len(queue) == 0 {
			return
		}
		for _, msg := range queue {
			r.messages++
			if say, ok := msg.(ui.NewsMsg); ok {
				r.said = append(r.said, say)
			}
			r.launch(r.shell.Update(msg))
			r.shell.Frame() // as the program draws after every message
		}
	}
}

func (r *rig) launch(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() { r.take(cmd()) }()
}

// take queues a message; batches and sequences are run as Bubble Tea runs them.
func (r *rig) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			r.launch(cmd)
		}
	default:
		r.mu.Lock()
		r.queue = append(r.queue, msg)
		r.mu.Unlock()
		select {
		case r.come <- struct{}{}:
		default:
		}
	}
}

func (r *rig) send(msg tea.Msg) {
	r.T.Helper()
	cmd := r.shell.Update(msg)
	r.shell.Frame()
	r.run(cmd)
}

// wait lets fake time pass, with everything that falls due in it.
func (r *rig) wait(d time.Duration) {
	end := time.NewTimer(d)
	for {
		select {
		case <-r.come:
			r.run(nil)
		case <-end.C:
			r.run(nil)
			return
		}
	}
}

// press types keys: names in angle brackets, all else letter by letter.
func (r *rig) press(keys ...string) {
	r.T.Helper()
	for _, k := range keys {
		if name, ok := strings.CutPrefix(k, "<"); ok {
			r.send(named(strings.TrimSuffix(name, ">")))
			continue
		}
		for _, letter := range k {
			r.send(tea.KeyPressMsg{Code: letter, Text: string(letter)})
		}
	}
}

func named(name string) tea.KeyPressMsg {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace}
	k := tea.KeyPressMsg{}
	for _, part := range strings.Split(name, "+") {
		switch {
		case part == "ctrl":
			k.Mod |= tea.ModCtrl
		case part == "shift":
			k.Mod |= tea.ModShift
		case codes[part] != 0:
			k.Code = codes[part]
			if k.Code == tea.KeySpace {
				k.Text = " "
			}
		default:
			k.Code = []rune(part)[0]
		}
	}
	return k
}

// screen is the frame as text.
func (r *rig) screen() string { return ansi.Strip(r.shell.Frame().Content) }

// see fails unless all texts are on the screen.
func (r *rig) see(texts ...string) {
	r.T.Helper()
	screen := r.screen()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			r.T.Fatalf("not on the screen: %q\n%s", text, screen)
		}
	}
}

// miss fails where a text is on the screen.
func (r *rig) miss(texts ...string) {
	r.T.Helper()
	screen := r.screen()
	for _, text := range texts {
		if strings.Contains(screen, text) {
			r.T.Fatalf("still on the screen: %q\n%s", text, screen)
		}
	}
}

// applied are the operations that changed something, in their order.
func (r *rig) applied() []string {
	var ops []string
	for _, entry := range r.emu.Ledger() {
		ops = append(ops, entry.Op)
	}
	return ops
}

var _ ui.Pane

// asText is anything as JSON.
func asText(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return []byte(err.Error())
	}
	return data
}
