package shell

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/ui/uitest"
)

// switcherTest is a RootModel with two accounts of two panes each, whose requests can be held back.
type switcherTest struct {
	*testing.T
	switcher      *RootModel
	mu            sync.Mutex
	closed        map[string]int
	fetches       chan context.Context // contexts of the requests
	holdFetches   chan struct{}        // holds requests back until it is closed; nil holds none
	leaveWarnings []string
	openErr       error
	fetchErr      error
	rowActions    []table.RowAction[string] // of the first pane
	onOpen        func() tea.Cmd
}

func newSwitcherTest(t *testing.T) *switcherTest {
	t.Helper()
	d := &switcherTest{T: t, closed: map[string]int{}, fetches: make(chan context.Context, 100)}
	open := func(ctx context.Context, name string) (OpenAccount, error) {
		return d.session(context.WithoutCancel(ctx), name), d.openErr
	}
	var err error
	d.switcher, err = NewRootModel(t.Context(), d.session(t.Context(), "alpha"), open)
	if err != nil {
		t.Fatal(err)
	}
	d.send(tea.WindowSizeMsg{Width: 100, Height: 24})
	d.run(d.switcher.Init())
	return d
}

func (d *switcherTest) session(ctx context.Context, name string) OpenAccount {
	ctx, cancel := context.WithCancel(ctx)
	look, err := theme.New("dark", colorprofile.ASCII, false)
	if err != nil {
		d.Fatal(err)
	}
	loop := &ui.EventLoop{}
	set := lists.NewRowStore(
		ctx,
		loop,
		lists.RowSource[string]{
			Name: "things",
			ID:   func(s string) string { return s },
			Fetch: func(ctx context.Context, _ string) (lists.RowPage[string], error) {
				d.fetches <- ctx
				if d.holdFetches != nil {
					<-d.holdFetches
				}
				return lists.RowPage[string]{Rows: []string{name + "-one", name + "-two"}}, d.fetchErr
			},
		},
	)
	cell := func(s string, _ ui.Box) (string, theme.Tone) { return s, theme.Strong }
	list := &table.List[string]{
		Title:      "things",
		Store:      set,
		Columns:    []table.Column[string]{{Title: "name", Min: 10, Cell: cell}},
		RowActions: d.rowActions,
	}
	other := &table.List[string]{Title: "others", Store: set, Columns: list.Columns}
	return OpenAccount{Options: Options{
		Panes: []ui.Pane{list, other},
		Loop:  loop,
		Theme: look,
		AccountInfo: AccountInfo{Account: name, Accounts: []AccountChoice{
			{Name: "alpha"},
			{Name: "beta", Label: "EU", Protected: true, ReadOnly: true, Waits: "token_command pass, for at most 10s"},
			{Name: "Beta", Waits: "another command"},
		}},
		Location:      time.UTC,
		Context:       ctx,
		LeaveWarnings: func() []string { return d.leaveWarnings },
		OnOpen:        d.onOpen,
	}, Close: func() {
		cancel()
		d.mu.Lock()
		defer d.mu.Unlock()
		d.closed[name]++
	}}
}

// run runs a command and the commands that follow. It does not wait for timers and for requests that are held back.
func (d *switcherTest) run(cmd tea.Cmd) { uitest.RunWithin(20*time.Millisecond, cmd, d.update) }

func (d *switcherTest) update(msg tea.Msg) tea.Cmd {
	cmd := d.switcher.Update(msg)
	d.screen()
	return cmd
}

func (d *switcherTest) send(msg tea.Msg) { d.run(d.update(msg)) }

func (d *switcherTest) press(keys ...string) {
	for _, k := range uitest.Keys(keys...) {
		d.send(k)
	}
}

func (d *switcherTest) screen() string { return ansi.Strip(d.switcher.Frame().Content) }

func (d *switcherTest) wantText(text string) {
	d.Helper()
	if !strings.Contains(d.screen(), text) {
		d.Errorf("not on the screen: %q\n%s", text, d.screen())
	}
}

func (d *switcherTest) wantNoText(text string) {
	d.Helper()
	if strings.Contains(d.screen(), text) {
		d.Errorf("still on the screen: %q\n%s", text, d.screen())
	}
}

func TestRootModel_dropsOldAccount(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		d := newSwitcherTest(t)
		d.wantText("alpha-one")
		late := d.switcher.tagCommand(ui.ShowStatus(theme.Good, "alpha's message"))
		d.holdFetches = make(chan struct{})
		for len(d.fetches) > 0 {
			<-d.fetches
		}
		d.press("r")
		old := <-d.fetches
		close(d.holdFetches)
		d.press("C2")
		d.wantText("beta-one")
		d.wantNoText("alpha")
		d.switcher.closing.Wait()
		if old.Err() == nil || d.closed["alpha"] != 1 {
			t.Errorf("the old account's request: %v; closed %d times", old.Err(), d.closed["alpha"])
		}
		d.run(late)
		d.wantNoText("alpha's message")
		d.switcher.Close()
		if d.closed["beta"] != 1 || d.closed["alpha"] != 1 {
			t.Errorf("closed: %v", d.closed)
		}
	})
}

// The news that an account is open does not take the place of a message that opening it brought.
func TestRootModel_keepsMessageOfOpenedAccount(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		d := newSwitcherTest(t)
		d.onOpen = func() tea.Cmd { return ui.ShowStatus(theme.Warn, "this token is another user's") }
		d.send(ui.SwitchAccountMsg{Account: "beta"})
		d.wantText("this token is another user's")
		d.switcher.Close()
	})
}

func TestRootModel_restoresAccountState(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		d := newSwitcherTest(t)
		d.press("/two<enter>s12")
		d.press("C2")
		d.wantText("beta-one")
		d.press("C1")
		if name := d.switcher.pane().Name(); name != "others" {
			t.Errorf("back in %s", name)
		}
		d.press("1")
		d.wantText("/two")
		d.wantNoText("alpha-one")
		d.switcher.Close()
	})
}

func TestRootModel_confirmsLeaving(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		d := newSwitcherTest(t)
		d.leaveWarnings = []string{"2 transfers are unfinished."}
		d.press("C2")
		d.wantText("2 transfers are unfinished.")
		d.press("y")
		d.wantText("alpha")
		for _, open := range d.switcher.dialogs.open {
			if q, ok := open.(*questionDialog); ok {
				d.send(questionArmed{q, q.timesShown, 0})
			}
		}
		d.press("n")
		d.wantText("alpha-one")
		if d.switcher.o.Account != "alpha" {
			t.Error("the account was left")
		}
		d.switcher.Close()
	})
}

// A secret that appears while another account is being opened stays open.
func TestRootModel_keepsOpenSecret(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		d := newSwitcherTest(t)
		opening := &openingDialog{account: "beta", cancel: func() {}}
		d.switcher.dialogs.push(opening)
		d.send(ui.ShowSecretMsg{Title: "New key", Name: "secret", Reveal: func() string { return "x" }})
		d.send(accountOpened{opening: opening, opened: d.session(t.Context(), "beta")})
		d.wantText("New key")
		if d.switcher.o.Account != "alpha" {
			t.Error("the secret was closed")
		}
		d.switcher.Close()
		if d.closed["beta"] != 1 {
			t.Error("the unused session was not closed")
		}
	})
}

// An account whose opening was cancelled does not come to the front, even if it was open by then.
func TestRootModel_cancelledOpening(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		d := newSwitcherTest(t)
		opened := d.switcher.openAccount("beta")()
		d.press("<esc>")
		d.send(opened)
		d.wantText("alpha-one")
		d.switcher.Close()
		if d.switcher.o.Account != "alpha" || d.closed["beta"] != 1 {
			t.Errorf("in %s; beta closed %d times", d.switcher.o.Account, d.closed["beta"])
		}
	})
}

// What the user has set for the screen stays when the account changes.
func TestRootModel_keepsScreen(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		d := newSwitcherTest(t)
		d.send(tea.BlurMsg{})
		d.press("M")
		mouse := d.switcher.Frame().Mouse
		d.press("C2")
		d.wantText("beta-one")
		if c := d.switcher.clock; d.switcher.Frame().Mouse != mouse || !c.blurred {
			t.Errorf("mouse %v, without focus %v", d.switcher.mouse, c.blurred)
		}
		d.switcher.Close()
	})
}

func TestRootModel_openErrorChangesNothing(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		d := newSwitcherTest(t)
		d.openErr = errors.New("there is no token")
		d.press("C2")
		d.wantText("account beta cannot be opened: there is no token")
		d.wantText("alpha-one")
		d.switcher.Close()
	})
}

// An account whose panes give a key to two actions is not shown, and what was opened for it is closed.
func TestRootModel_conflictingKeysChangeNothing(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		d := newSwitcherTest(t)
		start := func(_, _ []string) tea.Cmd { return nil }
		d.rowActions = []table.RowAction[string]{
			{Keys: []string{"x"}, Name: "open", Start: start}, {Keys: []string{"x"}, Name: "close", Start: start},
		}
		d.press("C2")
		d.wantText(`account beta: the key "x" is bound twice`)
		d.wantText("alpha-one")
		d.switcher.Close()
		if d.closed["beta"] != 1 {
			t.Errorf("closed %d times", d.closed["beta"])
		}
	})
}

// The hint line offers to switch accounts if there is another.
func TestRootModel_isHinted(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		newSwitcherTest(t).wantText(": go to  C switch account")
		if screen := newShellTest(t, nil).screen(); strings.Contains(screen, "switch account") {
			t.Errorf("one account, and a hint to switch:\n%s", screen)
		}
	})
}

// The menu of accounts shows what is special about each, and the last problem of one that could not be opened.
func TestAccountMenu_saysWhatIsSpecial(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		d := newSwitcherTest(t)
		d.press("C")
		d.wantText("EU  PROD  read-only")
		d.wantText("you are already using this account")
		d.wantNoText("there is no token")
		d.openErr = errors.New("there is no token")
		d.press("2C")
		d.wantText("EU  PROD  read-only  there is no token at ")
		d.openErr = nil
		d.press("2C")
		d.wantNoText("there is no token")
		d.press("<esc>")
		d.wantText("beta-one")
	})
}

// The menu of accounts also says that an account could not be read when it was left.
func TestAccountMenu_problemOfTheAccountThatWasLeft(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		d := newSwitcherTest(t)
		d.fetchErr = errors.New("the network is down")
		d.press("r")
		d.fetchErr = nil
		d.press("C2")
		d.wantText("beta-one")
		d.press("C")
		d.wantText("the network is down at ")
	})
}

// While a token command runs, the screen says what it waits for, and for how long.
func TestOpeningDialog_saysWhatItWaitsFor(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		d := newSwitcherTest(t)
		opening := d.switcher.openAccount("beta")
		d.wantText("Waiting for token_command pass, for at most 10s")
		d.wantNoText("another command")
		d.run(opening)
		d.wantText("beta-one")
	})
}

// A long problem of one account leaves room for what the menu says about the others.
func TestAccountMenu_longProblemLeavesRoom(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		d := newSwitcherTest(t)
		d.openErr = errors.New(
			`token_command sh: exit status 3: "locked"; run token_command in a shell to see what it needs`,
		)
		d.press("C2C")
		d.wantText("you are already using this account")
		d.wantText("exit status 3")
	})
}
