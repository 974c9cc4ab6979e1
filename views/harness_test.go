package views_test

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/shell"
	"lookout/ui/terminal"
	"lookout/ui/uitest"
	"lookout/views"
	"lookout/views/activity"
	"lookout/views/operation"
)

// harness is the whole program without a terminal: emulator, client, panes and shell. It runs commands until the
// program only waits.
type harness struct {
	*testing.T
	emu           *emulator.Emulator
	api           *client.Client
	transport     http.RoundTripper
	journal       *journal.Journal
	shell         *shell.Shell
	ctx           context.Context
	panes         []ui.Pane
	theme         *theme.Theme
	loop          *ui.EventLoop
	onOpen        func() tea.Cmd
	leaveWarnings func() []string
	tokenForm     func() form.Form
	checkToken    func(context.Context, *client.Client) (known bool, err error)
	progress      func() ui.Progress
	notices       func(paused bool) []ui.Notification
	width         int
	height        int

	messages     []ui.StatusMsg       // in their order
	copied       []string             // texts for the clipboard, in their order
	messageCount int                  // messages that the shell received
	drawn        func(terminal.Frame) // gets every frame; nil drops them

	mu     sync.Mutex
	queue  []tea.Msg
	queued chan struct{} // something is in the queue
}

// confirmForm sends a form and answers its question with yes.
func (r *harness) confirmForm() {
	r.Helper()
	r.press("<ctrl+s>")
	r.wait(time.Second)
	r.press("y")
}

// testedService is the service that programs run against, where a test does not choose one. LOOKOUT_TEST_SERVICE=now
// runs all tests against the service of today.
var testedService = cmp.Or(os.Getenv("LOOKOUT_TEST_SERVICE"), emulator.ServiceDocument)

// byService returns what is right for the tested service.
func byService[T any](document, now T) T {
	if testedService == emulator.ServiceNow {
		return now
	}
	return document
}

// screenSize is the size of a terminal, in cells.
type screenSize struct{ width, height int }

// programOptions say how a program is started. A nil function changes nothing.
type programOptions struct {
	emulator  emulator.Options
	size      screenSize
	transport func(http.RoundTripper) http.RoundTripper // goes between the client and the emulator
	configure func(*harness, *shell.Options)            // runs before the shell is made
	journal   string                                    // the file of the journal; "" keeps it in memory
	client    []client.Option
}

// startProgram runs a test inside a bubble of fake time, with the program on its first frame and every answer in.
func startProgram(t *testing.T, o emulator.Options, s screenSize, test func(*harness), between ...*rewritingTransport) {
	t.Helper()
	runProgram(t, programOptions{emulator: o, size: s, transport: chain(between)}, test)
}

// startWithEmulator is startProgram on an emulator that is set up first, with faults or with answers held back.
func startWithEmulator(
	t *testing.T, o emulator.Options, s screenSize, setup func(*emulator.Emulator), test func(*harness),
) {
	t.Helper()
	configure := func(r *harness, _ *shell.Options) {
		if setup != nil {
			setup(r.emu)
		}
	}
	runProgram(t, programOptions{emulator: o, size: s, configure: configure}, test)
}

// startWithOptions is startProgram with a harness and a shell that are set up first.
func startWithOptions(
	t *testing.T, o emulator.Options, s screenSize, configure func(*harness, *shell.Options), test func(*harness),
) {
	t.Helper()
	runProgram(t, programOptions{emulator: o, size: s, configure: configure}, test)
}

// startWithTransport is startProgram with another transport between the client and the emulator.
func startWithTransport(
	t *testing.T, s screenSize, transport func(http.RoundTripper) http.RoundTripper,
	configure func(*harness, *shell.Options), test func(*harness),
) {
	t.Helper()
	runProgram(t, programOptions{size: s, transport: transport, configure: configure}, test)
}

// chain puts transports one before the other; the last is the one that the client calls.
func chain(between []*rewritingTransport) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		for _, s := range between {
			s.next, next = next, s
		}
		return next
	}
}

// runProgram runs a test inside a bubble of fake time, with the program on its first frame and every answer in.
func runProgram(t *testing.T, o programOptions, test func(*harness)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		// Timers that are still armed end in time that passes after the test, also those of a test that failed.
		defer time.Sleep(72 * time.Hour)
		defer cancel()
		r := newHarness(ctx, t, o)
		so := shell.Options{
			Panes:           r.panes,
			Loop:            r.loop,
			TabPlaces:       views.TabPlaces(),
			Theme:           r.theme,
			AccountInfo:     shell.AccountInfo{Account: "acme-prod"},
			RefreshInterval: 20 * time.Second,
			Now:             time.Now,
			Location:        time.UTC,
			OnOpen:          r.onOpen,
			LeaveWarnings:   r.leaveWarnings,
			TokenForm:       r.tokenForm,
			Progress:        func() ui.Progress { return r.progress() },
			Notify: shell.NotifyOptions{
				Notices: func(paused bool) []ui.Notification { return r.notices(paused) },
			},
			RateLimitHooks: shell.RateLimitHooks{
				RateLimitWait: func() (time.Time, time.Duration) {
					b := r.api.RateLimit()
					return b.PausedUntil, b.RetryAfter
				},
				LowBudget: func() (string, time.Time) { return r.api.RateLimit().Low(time.Now()) },
				RetryNow:  r.api.Resume,

				NextProbe:    r.api.NextProbe,
				WaitingSince: r.api.WaitingSince,
			},
		}
		if o.configure != nil {
			o.configure(r, &so)
		}
		var err error
		if r.shell, err = shell.New(so); err != nil {
			t.Fatal(err)
		}
		r.run(r.shell.Init())
		r.send(tea.WindowSizeMsg{Width: o.size.width, Height: o.size.height})
		test(r)
	})
}

// newAccount returns an account that is read and changed on the harness's loop.
func (r *harness) newAccount(
	ctx context.Context, name string, api *client.Client, j *journal.Journal,
) *account.Account {
	return account.New(ctx, account.Options{
		Executor: r.loop,
		API:      api,
		Name:     name,
		Journal:  j,
		Now:      time.Now,
		Location: time.UTC,
	})
}

// useClock gives the panes and the shell a clock that differs from the API's.
func (r *harness) useClock(o *shell.Options, now func() time.Time) {
	acc := account.New(r.ctx, account.Options{
		Executor: r.loop,
		API:      r.api,
		Name:     "acme-prod",
		Journal:  r.journal,
		Now:      now,
		Location: time.UTC,
	})
	o.Panes, o.Now = views.Panes(acc), now
	o.OnOpen = func() tea.Cmd { return views.OnOpen(acc) }
	o.LeaveWarnings = func() []string { return views.LeaveWarnings(acc) }
}

const token = "test-token"

// newHarness returns a harness without a shell.
func newHarness(ctx context.Context, t *testing.T, o programOptions) *harness {
	t.Helper()
	o.emulator.Token, o.emulator.Now = token, time.Now
	if o.emulator.Seed == "" {
		o.emulator.Seed = "demo"
	}
	if o.emulator.Service == "" {
		o.emulator.Service = testedService
	}
	r := &harness{
		T:       t,
		ctx:     ctx,
		emu:     emulator.New(o.emulator),
		width:   o.size.width,
		height:  o.size.height,
		journal: journal.NewInMemory(time.Now),
		queued:  make(chan struct{}, 1),
		loop:    &ui.EventLoop{},
	}
	if o.journal != "" {
		opened, err := journal.Open(o.journal, "acme-prod", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { opened.Close() })
		r.journal = opened
	}
	r.transport = r.emu
	if o.transport != nil {
		r.transport = o.transport(r.emu)
	}
	var err error
	if r.theme, err = theme.New("dark", colorprofile.ASCII, false); err != nil {
		t.Fatal(err)
	}
	r.connect(o.client...)
	return r
}

// connect makes a client and the panes that use it.
func (r *harness) connect(options ...client.Option) {
	r.Helper()
	if r.emu.Service() == emulator.ServiceNow {
		options = append(options, client.WithDialect(client.DialectProvider))
	}
	api, err := client.New(
		"https://api.example.test/v4", client.NewSecret(token),
		append(options, client.WithTransport(r.transport), client.WithRecorder(r.journal))...,
	)
	if err != nil {
		r.Fatal(err)
	}
	r.api = api
	acc := r.newAccount(r.ctx, "acme-prod", api, r.journal)
	r.panes = views.Panes(acc)
	r.onOpen = func() tea.Cmd { return views.OnOpen(acc) }
	r.leaveWarnings = func() []string { return views.LeaveWarnings(acc) }
	r.tokenForm = func() form.Form { return operation.TokenForm(acc, r.checkToken) }
	r.progress = func() ui.Progress { return activity.Progress(acc) }
	r.notices = func(paused bool) []ui.Notification { return operation.Notifications(acc.Notices(paused)) }
}

// run starts a command as the event loop does, and handles messages until none is left. Timers stay armed.
func (r *harness) run(cmd tea.Cmd) {
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
			r.messageCount++
			if say, ok := msg.(ui.StatusMsg); ok {
				r.messages = append(r.messages, say)
			}
			if list, ok := msg.(ui.StatusListMsg); ok {
				r.messages = append(r.messages, list...)
			}
			if text, ok := msg.(ui.CopyMsg); ok {
				r.copied = append(r.copied, text.Text)
			}
			r.launch(r.shell.Update(msg))
			// As the program does; drawing after every message would take most of the tests' time.
			if r.drawn != nil || runsLongSeries() && r.messageCount%4 == 0 {
				r.draw()
			}
		}
	}
}

func (r *harness) launch(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() { r.enqueue(cmd()) }()
}

// enqueue queues a message. It runs the commands of a batch, as Bubble Tea does.
func (r *harness) enqueue(msg tea.Msg) {
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
		case r.queued <- struct{}{}:
		default:
		}
	}
}

func (r *harness) send(msg tea.Msg) {
	r.T.Helper()
	cmd := r.shell.Update(msg)
	everyFrame := r.drawn != nil || runsLongSeries() // the others look only at the frame after the last answer
	if everyFrame {
		r.draw()
	}
	before := r.messageCount
	if r.run(cmd); !everyFrame || r.messageCount > before {
		r.draw()
	}
}

func (r *harness) draw() {
	if frame := r.shell.Frame(); r.drawn != nil {
		r.drawn(frame)
	}
}

// wait lets fake time pass, and handles everything that falls due.
func (r *harness) wait(d time.Duration) {
	end := time.NewTimer(d)
	for {
		select {
		case <-r.queued:
			r.run(nil)
		case <-end.C:
			r.run(nil)
			r.draw()
			return
		}
	}
}

// press presses keys: "<enter>" is one key, all other text is typed.
func (r *harness) press(keys ...string) {
	r.T.Helper()
	for _, k := range uitest.Keys(keys...) {
		r.send(k)
	}
}

// screen returns the frame as text, without styles.
func (r *harness) screen() string { return ansi.Strip(r.shell.Frame().Content) }

// requireText fails unless all texts are on the screen.
func (r *harness) requireText(texts ...string) {
	r.T.Helper()
	screen := r.screen()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			r.T.Fatalf("not on the screen: %q\n%s", text, screen)
		}
	}
}

// requireNoText fails if one of the texts is on the screen.
func (r *harness) requireNoText(texts ...string) {
	r.T.Helper()
	screen := r.screen()
	for _, text := range texts {
		if strings.Contains(screen, text) {
			r.T.Fatalf("still on the screen: %q\n%s", text, screen)
		}
	}
}

// appliedOperations returns the operations that changed something, in their order.
func (r *harness) appliedOperations() []string {
	var ops []string
	for _, entry := range r.emu.Ledger() {
		ops = append(ops, entry.Op)
	}
	return ops
}

// requireApplied fails unless exactly these operations changed something, in this order.
func (r *harness) requireApplied(want ...string) {
	r.T.Helper()
	if got := r.appliedOperations(); !slices.Equal(got, want) {
		r.T.Fatalf("applied: %v, want %v\n%s", got, want, r.screen())
	}
}

// toJSON returns a value as JSON.
func toJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return []byte(err.Error())
	}
	return data
}

// writer returns the writer of a change that another program makes.
func (r *harness) writer(op, id string) *client.Writer {
	r.Helper()
	return r.beginFor(r.api, client.Change{Op: op, ID: id})
}

// beginFor begins a change of an account that is not protected.
func (r *harness) beginFor(api *client.Client, change client.Change) *client.Writer {
	r.Helper()
	consent, err := api.Consent(r.ctx, nil, client.ConsentQuestion{Op: change.Op}, change.ID)
	if err != nil {
		r.Fatal(err)
	}
	w, err := api.Begin(change, consent)
	if err != nil {
		r.Fatal(err)
	}
	return w
}

func (r *harness) createContact(name, email string) error {
	in := client.ContactRequest{Name: name, Email: email}
	_, err := r.writer(client.OpCreateContact, "").CreateContact(r.ctx, in)
	return err
}

func (r *harness) renameContact(id int, name string) error {
	w := r.writer(client.OpUpdateContact, strconv.Itoa(id))
	_, err := w.UpdateContact(r.ctx, id, client.Patch{"name": name})
	return err
}
