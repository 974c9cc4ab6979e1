package shell

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"lookout/client/faulttest"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
)

// shellTest is a shell on a clock that is moved by hand, with one pane of two rows.
type shellTest struct {
	*testing.T
	shell     *Shell
	now       time.Time
	deletions int
	rows      []string
}

func newShellTest(t *testing.T, change func(*Options)) *shellTest {
	t.Helper()
	b := &shellTest{T: t, now: time.Date(2026, 11, 20, 21, 4, 10, 0, time.UTC), rows: []string{"alpha", "beta"}}
	look, err := theme.New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return b.now }
	set := ui.NewStore(t.Context(), ui.Source[string]{
		Name: "things",
		ID:   func(s string) string { return s },
		Now:  clock,
		Fetch: func(context.Context, string) (ui.RowPage[string], error) {
			return ui.RowPage[string]{Rows: b.rows}, nil
		},
	})
	list := &table.List[string]{
		Title:     "things",
		Store:     set,
		EmptyText: "none",
		Columns: []table.Column[string]{
			{Title: "name", Min: 10, Cell: func(s string, _ ui.Box) (string, theme.Tone) { return s, theme.Strong }}},
		Operations: []table.Operation[string]{{
			Keys:         []string{"D"},
			Name:         "delete",
			ProgressText: "deleting",
			SuccessText:  "is deleted",
			Writes:       true,
			ShowInHints:  true,
			Confirm: func(s string) *ui.Confirmation {
				return &ui.Confirmation{Title: "Delete", Text: "Thing " + s + " goes.", ConfirmLabel: "delete"}
			},
			Run: func(context.Context, string) (ui.Result[string], error) {
				b.deletions++
				return ui.ResultDeleted[string](nil)
			},
		}},
	}
	o := Options{
		Panes:       []ui.Pane{list},
		Theme:       look,
		AccountInfo: AccountInfo{Account: "acme"},
		Now:         clock,
		Location:    time.UTC,
	}
	if change != nil {
		change(&o)
	}
	if b.shell, err = New(o); err != nil {
		t.Fatal(err)
	}
	b.run(set.Refresh())
	return b
}

// run runs a command and what follows; timers are left alone.
func (b *shellTest) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	answer := make(chan tea.Msg, 1)
	go func() { answer <- cmd() }()
	select {
	case msg := <-answer:
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, one := range batch {
				b.run(one)
			}
		} else if msg != nil {
			b.run(b.shell.Update(msg))
		}
	case <-time.After(20 * time.Millisecond):
	}
}

func (b *shellTest) press(keys ...string) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		}
		b.run(b.shell.Update(msg))
	}
}

// armQuestions lets the moment pass after which the question in front can be answered.
func (b *shellTest) armQuestions() {
	for _, d := range b.shell.dialogs.open {
		if q, ok := d.(*questionDialog); ok {
			b.run(b.shell.Update(questionArmed{q, q.timesShown}))
		}
	}
}

func (b *shellTest) screen() string { return ansi.Strip(b.shell.Frame().Content) }

func TestQuestionDialog_notAnsweredByAccident(t *testing.T) {
	b := newShellTest(t, nil)
	b.press("D", "y")
	if b.deletions != 0 || !strings.Contains(b.screen(), "Thing alpha goes.") {
		t.Fatalf("answered before it could be read (%d):\n%s", b.deletions, b.screen())
	}
	b.armQuestions()
	b.press("enter")
	if b.deletions != 0 || strings.Contains(b.screen(), "goes.") {
		t.Errorf("enter confirmed (%d), or did not leave", b.deletions)
	}
	b.press("D")
	b.armQuestions()
	b.rows = []string{"new", "alpha", "beta"}
	b.run(b.shell.pane().Refresh()) // rows move beneath the question
	b.screen()
	b.press("y")
	if b.deletions != 1 || !strings.Contains(b.screen(), "alpha: is deleted") {
		t.Errorf("done %d times:\n%s", b.deletions, b.screen())
	}
}

// A question that does not fit cannot be answered.
func TestQuestionDialog_doesNotArmWhenTooSmall(t *testing.T) {
	b := newShellTest(t, nil)
	b.run(b.shell.Update(tea.WindowSizeMsg{Width: 40, Height: 10}))
	b.press("D")
	b.armQuestions()
	b.screen()
	b.press("y")
	if b.deletions != 0 {
		t.Errorf("answered although it says:\n%s", b.screen())
	}
	b.press("esc")
}

func TestEveryFrameIsAsLargeAsTheTerminal(t *testing.T) {
	faulttest.ReportCase(t, "E6", "TestEveryFrameIsAsLargeAsTheTerminal")
	b := newShellTest(t, nil)
	for _, keys := range [][]string{{}, {"?"}, {"esc", ":"}, {"esc", "D"}, {"esc", "a"}} {
		b.press(keys...)
		for _, size := range [][2]int{{1, 1}, {20, 5}, {40, 10}, {60, 16}, {80, 24}, {120, 36}, {200, 50}, {500, 200}} {
			b.run(b.shell.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]}))
			lines := strings.Split(b.shell.Frame().Content, "\n")
			if len(lines) != size[1] {
				t.Errorf("%v after %v: %d lines", size, keys, len(lines))
			}
			for _, line := range lines {
				if w := ansi.StringWidth(line); w != size[0] {
					t.Errorf("%v after %v: a line of %d cells: %q", size, keys, w, ansi.Strip(line))
				}
			}
		}
	}
}

func TestShell_readOnlyRejectsChanges(t *testing.T) {
	b := newShellTest(t, func(o *Options) { o.ReadOnly = true })
	b.press("D")
	if b.deletions != 0 || !strings.Contains(b.screen(), "read-only, nothing is changed") ||
		strings.Contains(b.screen(), "goes.") {
		t.Errorf("%s", b.screen())
	}
}

func TestShell_Frame_constantWhilePaused(t *testing.T) {
	b := newShellTest(t, nil)
	b.press("p")
	before := b.screen()
	b.now = b.now.Add(3 * time.Hour)
	if b.screen() != before || !strings.Contains(before, "paused 21:04:10") {
		t.Errorf("before:\n%s\nafter:\n%s", before, b.screen())
	}
}

func TestClock_ignoresStaleTick(t *testing.T) {
	b := newShellTest(t, func(o *Options) { o.RefreshInterval = 20 * time.Second })
	_ = b.shell.clock.start(b.shell)
	old := b.shell.clock.tickNumber
	_ = b.shell.clock.schedule(b.shell)
	if cmd := b.shell.Update(tick{old}); cmd != nil && b.shell.clock.tickNumber != old+1 {
		t.Error("an older timer started a second clock")
	}
}

func TestHelpAndPalette_listActions(t *testing.T) {
	b := newShellTest(t, nil)
	b.run(b.shell.Update(tea.WindowSizeMsg{Width: 120, Height: 60}))
	b.press("?")
	screen := b.screen()
	for _, a := range b.shell.actions() {
		if !strings.Contains(screen, ui.Truncate(a.Name(), 18, "")) {
			t.Errorf("the help does not name %q", a.Name())
		}
	}
	b.press("esc", ":", "b", "e", "t", "a", "enter")
	b.press("D")
	if !strings.Contains(b.screen(), "Thing beta goes.") {
		t.Errorf("the palette did not go to the row:\n%s", b.screen())
	}
}

func TestNews_errorStaysUntilReplaced(t *testing.T) {
	b := newShellTest(t, nil)
	b.run(b.shell.Update(ui.NewsMsg{Text: "first", Tone: theme.Good}))
	old := newsExpired{b.shell.news.number}
	b.run(b.shell.Update(ui.NewsMsg{Text: "second", Tone: theme.Good}))
	b.run(b.shell.Update(old))
	if !strings.Contains(b.screen(), "second") {
		t.Error("an older timer wiped newer news")
	}
	b.press("m")
	if !strings.Contains(b.screen(), "first") {
		t.Error("the messages have lost one")
	}
	for i := range 300 {
		_ = b.shell.news.show(b.shell, ui.NewsMsg{Text: fmt.Sprint(i)})
	}
	if len(b.shell.news.history) > maxMessages {
		t.Errorf("%d messages are kept", len(b.shell.news.history))
	}
}
