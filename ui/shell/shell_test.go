package shell

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"lookout/client/faulttest"
	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/ui/terminal"
	"lookout/ui/uitest"
)

// shellTest is a shell with one pane of two rows, on a clock that the test moves.
type shellTest struct {
	*testing.T
	shell     *Shell
	now       time.Time
	deletions int
	rows      []string
}

// runInBubble runs a test in which time passes only while everything waits: however busy the machine is, a command is
// done before a timer.
func runInBubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Hour) // until all timers have ended
		test(t)
	})
}

func newShellTest(t *testing.T, change func(*Options)) *shellTest {
	t.Helper()
	b := &shellTest{T: t, now: time.Date(2026, 11, 20, 21, 4, 10, 0, time.UTC), rows: []string{"alpha", "beta"}}
	look, err := theme.New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return b.now }
	loop := &ui.EventLoop{}
	set := lists.NewRowStore(t.Context(), loop, lists.RowSource[string]{
		Name: "things",
		ID:   func(s string) string { return s },
		Now:  clock,
		Fetch: func(context.Context, string) (lists.RowPage[string], error) {
			return lists.RowPage[string]{Rows: b.rows}, nil
		},
	})
	list := &table.List[string]{
		Title:     "things",
		Store:     set,
		EmptyText: "none",
		Columns: []table.Column[string]{
			{
				Title:   "name",
				Min:     10,
				IsLabel: true,
				Cell:    func(s string, _ ui.Box) (string, theme.Tone) { return s, theme.Strong },
			},
		},
		RowActions: []table.RowAction[string]{{
			Keys:        []string{"D"},
			Name:        "delete",
			Writes:      true,
			ShowInHints: true,
			Start: func(rows, _ []string) tea.Cmd {
				return ui.Send(ui.RunActionMsg{Action: b.deletion(set, rows[0])})
			},
		}},
	}
	o := Options{
		Panes:       []ui.Pane{list},
		Loop:        loop,
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
	b.refresh()
	return b
}

// deletion asks before it deletes a row.
func (b *shellTest) deletion(set *lists.RowStore[string], row string) ui.Action {
	return ui.Action{
		Key:    ui.Bind("delete"),
		Writes: true,
		Confirm: &ui.Confirmation{
			Title:        "Delete",
			Text:         "Thing " + row + " goes.",
			ConfirmLabel: "delete",
		},
		Do: func() tea.Cmd {
			_ = set.Run(&lists.Change[string]{
				RowID:    row,
				BusyText: "deleting",
				Send: func(context.Context) (lists.ChangeResult[string], error) {
					b.deletions++
					return lists.ResultDeleted[string](nil)
				},
				OnOutcome: func(*lists.Change[string]) {
					b.shell.o.Loop.Do(ui.ShowStatus(theme.Good, row+": is deleted"))
				},
			})
			return nil
		},
	}
}

// run runs a command and the commands that follow. It does not wait for timers.
func (b *shellTest) run(cmd tea.Cmd) { uitest.RunWithin(20*time.Millisecond, cmd, b.shell.Update) }

// refresh reads the rows again.
func (b *shellTest) refresh() {
	b.shell.pane().Refresh()
	b.run(b.shell.o.Loop.Take())
}

// replace makes these the only rows: a row counts as gone once two reads have lacked it.
func (b *shellTest) replace(rows ...string) {
	b.rows = rows
	b.refresh()
	b.now = b.now.Add(time.Minute)
	b.refresh()
}

func (b *shellTest) press(keys ...string) {
	for _, k := range uitest.Keys(keys...) {
		b.run(b.shell.Update(k))
	}
}

// armQuestions ends the delay before open questions can be answered.
func (b *shellTest) armQuestions() {
	for _, d := range b.shell.dialogs.open {
		if q, ok := d.(*questionDialog); ok {
			b.run(b.shell.Update(questionArmed{q, q.timesShown, 0}))
		}
	}
}

func (b *shellTest) screen() string { return ansi.Strip(b.shell.Frame().Content) }

func TestQuestionDialog_notAnsweredByAccident(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		b.press("Dy")
		if b.deletions != 0 || !strings.Contains(b.screen(), "Thing alpha goes.") {
			t.Fatalf("answered before it was readable (%d):\n%s", b.deletions, b.screen())
		}
		b.armQuestions()
		b.press("<enter>")
		if b.deletions != 0 || strings.Contains(b.screen(), "goes.") {
			t.Errorf("enter confirmed (%d), or did not cancel", b.deletions)
		}
		b.press("D")
		b.armQuestions()
		b.rows = []string{"new", "alpha", "beta"}
		b.refresh() // rows move below the question
		b.screen()
		b.press("y")
		if b.deletions != 1 || !strings.Contains(b.screen(), "alpha: is deleted") {
			t.Errorf("deleted %d times:\n%s", b.deletions, b.screen())
		}
	})
}

// A key means what is on the list now, even if no frame was drawn since the list or the cursor has changed.
func TestShell_keyBetweenFrames(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		b.screen()
		b.press("jD")
		if !strings.Contains(b.screen(), "Thing beta goes.") {
			t.Errorf("the key is not for the row under the cursor:\n%s", b.screen())
		}
		b.press("<esc>")
		b.screen()
		b.replace("gamma")
		b.press("D")
		if !strings.Contains(b.screen(), "Thing gamma goes.") {
			t.Errorf("the key is for a row that is gone:\n%s", b.screen())
		}
	})
}

// A question that does not fit on the screen cannot be answered.
func TestQuestionDialog_doesNotArmWhenTooSmall(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		b.rows[0] = strings.Repeat("alpha ", 30)
		b.refresh()
		b.run(b.shell.Update(tea.WindowSizeMsg{Width: 40, Height: 10}))
		b.press("D")
		b.armQuestions()
		b.screen()
		b.press("y")
		if b.deletions != 0 {
			t.Errorf("answered although the screen says:\n%s", b.screen())
		}
		b.press("<esc>")
	})
}

// Every frame is exactly as large as the terminal, with and without dialogs.
func TestShell_Frame_size(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		faulttest.ReportCase(t, "E6", "TestShell_Frame_size")
		b := newShellTest(t, nil)
		for _, keys := range []string{"", "?", "<esc>:", "<esc>D", "<esc>a"} {
			b.press(keys)
			for _, size := range []tea.WindowSizeMsg{
				{Width: 1, Height: 1},
				{Width: 20, Height: 5},
				{Width: 40, Height: 10},
				{Width: 60, Height: 16},
				{Width: 80, Height: 24},
				{Width: 120, Height: 36},
				{Width: 200, Height: 50},
				{Width: 500, Height: 200},
			} {
				b.run(b.shell.Update(size))
				lines := strings.Split(b.shell.Frame().Content, "\n")
				if len(lines) != size.Height {
					t.Errorf("%v after %v: %d lines", size, keys, len(lines))
				}
				for _, line := range lines {
					if w := ansi.StringWidth(line); w != size.Width {
						t.Errorf("%v after %v: a line of %d cells: %q", size, keys, w, ansi.Strip(line))
					}
				}
			}
		}
	})
}

func TestShell_readOnlyRejectsChanges(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, func(o *Options) { o.ReadOnly = true })
		b.press("D")
		if b.deletions != 0 || !strings.Contains(b.screen(), "read-only mode") ||
			strings.Contains(b.screen(), "goes.") {
			t.Errorf("%s", b.screen())
		}
	})
}

func TestShell_Frame_constantWhilePaused(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		b.press("p")
		before := b.screen()
		b.now = b.now.Add(3 * time.Hour)
		if b.screen() != before || !strings.Contains(before, "paused 21:04:10") {
			t.Errorf("before:\n%s\nafter:\n%s", before, b.screen())
		}
	})
}

func TestClock_ignoresStaleTick(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, func(o *Options) { o.RefreshInterval = 20 * time.Second })
		_ = b.shell.clock.start(b.shell)
		old := b.shell.clock.tickNumber
		_ = b.shell.clock.schedule(b.shell)
		if cmd := b.shell.Update(tick{old}); cmd != nil && b.shell.clock.tickNumber != old+1 {
			t.Error("an earlier tick started a second timer")
		}
	})
}

func TestHelpAndPalette_listActions(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		b.run(b.shell.Update(tea.WindowSizeMsg{Width: 120, Height: 60}))
		b.press("?")
		screen := b.screen()
		for a := range b.shell.actions() {
			if !strings.Contains(screen, ui.Truncate(a.Name(), 18, "")) {
				t.Errorf("the help does not list %q", a.Name())
			}
		}
		b.press("<esc>:beta<enter>")
		b.press("D")
		if !strings.Contains(b.screen(), "Thing beta goes.") {
			t.Errorf("the palette did not go to the row:\n%s", b.screen())
		}
	})
}

// When rows arrive that fit better, the palette's cursor stays on the entry that was seen, and enter opens that one.
func TestPalette_cursorStaysWhenRowsArrive(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		b.press(":eta")
		b.rows = []string{"alpha", "beta", "eta"}
		b.refresh()
		p := b.shell.dialogs.top().(*searchDialog)
		if len(p.entries) != 2 || p.entries[0].name != "eta" || p.entries[p.cursor].name != "beta" {
			t.Fatalf("the cursor is on %d of %+v", p.cursor, p.entries)
		}
		b.press("<enter>D")
		if !strings.Contains(b.screen(), "Thing beta goes.") {
			t.Errorf("another row was opened:\n%s", b.screen())
		}
	})
}

// Entries that differ in any of what they lead to are different ones.
func TestPaletteEntry_entry_id(t *testing.T) {
	one := paletteEntry{label: "web-1", kind: "storage keys", id: "1"}
	for _, other := range []paletteEntry{
		{label: "Web-1", kind: one.kind, id: one.id},
		{label: one.label, kind: "storage classes", id: one.id},
		{label: one.label, kind: one.kind, id: "10"},
	} {
		if one.entry(false).id == other.entry(false).id {
			t.Errorf("%+v", other)
		}
	}
}

// A long text that is pasted into the palette or the help does not keep the next key waiting.
func TestSearchList_longPaste(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for _, key := range []string{":", "?"} {
			b := newShellTest(t, nil)
			b.press(key)
			b.shell.Update(tea.PasteMsg{Content: strings.Repeat("alpha b ", 20_000)})
			list := b.shell.dialogs.top().(interface{ query() string })
			if n := len(list.query()); n == 0 || n > maxSearchRunes {
				t.Errorf("%s searches for %d characters", key, n)
			}
		}
	})
}

// An action that is named with its row asks the same question as its key does.
func TestPalette_actionWithRowAsks(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for _, typed := range []string{"delete beta", "beta delete", "delte beta", "del be"} {
			b := newShellTest(t, nil)
			b.press(":")
			b.run(b.shell.Update(tea.PasteMsg{Content: typed}))
			b.press("<enter>")
			if !strings.Contains(b.screen(), "Thing beta goes.") || b.deletions > 0 {
				t.Errorf("%s: not asked:\n%s", typed, b.screen())
			}
		}
		b := newShellTest(t, func(o *Options) { o.ReadOnly = true })
		b.press(":")
		b.run(b.shell.Update(tea.PasteMsg{Content: "delete beta"}))
		b.press("<enter>")
		if !strings.Contains(b.screen(), "delete: read-only mode") {
			t.Errorf("read-only mode does not hold:\n%s", b.screen())
		}
	})
}

func TestStatusMessages_errorStaysUntilReplaced(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		b.run(b.shell.Update(ui.StatusMsg{Text: "first", Tone: theme.Good}))
		old := statusExpired{b.shell.status.number}
		b.run(b.shell.Update(ui.StatusMsg{Text: "second", Tone: theme.Good}))
		b.run(b.shell.Update(old))
		if !strings.Contains(b.screen(), "second") {
			t.Error("an earlier timer removed a newer message")
		}
		b.press("m")
		if !strings.Contains(b.screen(), "first") {
			t.Error("the history does not contain the first message")
		}
		for i := range 300 {
			_ = b.shell.status.show(b.shell, ui.StatusMsg{Text: fmt.Sprint(i)})
		}
		if len(b.shell.status.history) > maxMessages {
			t.Errorf("%d messages are kept", len(b.shell.status.history))
		}
	})
}

// Drawing changes nothing: the same screen is drawn again, and a click hits what it shows.
func TestShell_Frame_changesNothing(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		for _, keys := range []string{"", "?", "<esc>:e", "<esc>a", "<esc>D"} {
			b.press(keys)
			if first := b.screen(); b.screen() != first {
				t.Errorf("after %v the second frame differs:\n%s", keys, first)
			}
		}
	})
}

// A click on a hint runs its action.
func TestShell_handleMouse_hint(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		lines := strings.Split(b.screen(), "\n")
		hints := lines[len(lines)-1]
		x := ansi.StringWidth(hints[:strings.Index(hints, "? help")])
		b.run(b.shell.Update(tea.MouseClickMsg{X: x, Y: len(lines) - 1, Button: tea.MouseLeft}))
		if !strings.Contains(b.screen(), "type to search") {
			t.Errorf("the hint at column %d opened nothing:\n%s", x, b.screen())
		}
	})
}

// A click on a tab opens its pane.
func TestShell_handleMouse_tab(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, func(o *Options) {
			o.Panes = append(o.Panes, &table.List[string]{
				Title: "others",
				Store: o.Panes[0].(*table.List[string]).Store,
			})
		})
		tabs := strings.Split(b.screen(), "\n")[1]
		x := ansi.StringWidth(tabs[:strings.Index(tabs, "2 Others")])
		b.run(b.shell.Update(tea.MouseClickMsg{X: x, Y: 1, Button: tea.MouseLeft}))
		if b.shell.pane() == b.shell.o.Panes[0] {
			t.Errorf("the tab at column %d did not open:\n%s", x, b.screen())
		}
	})
}

// ctrl+c with a half-filled form asks first, also under another dialog and in a terminal that is too small for the
// form; with an untouched form it quits.
func TestShell_ctrlCAsksBeforeAHalfFilledFormIsLost(t *testing.T) {
	interrupt := uitest.Key("<ctrl+c>")
	quits := func(b *shellTest) bool {
		cmd := b.shell.Update(interrupt)
		for _, msg := range b.messages(cmd) {
			if terminal.IsTerminalMessage(msg) {
				return true
			}
		}
		b.run(cmd)
		return false
	}
	label := ""
	openForm := func(b *shellTest) {
		b.run(b.shell.Update(tea.WindowSizeMsg{Width: 100, Height: 30}))
		b.run(b.shell.Update(form.OpenFormMsg{Form: form.Form{
			Title:  "New",
			Fields: []form.Field{form.Text("label", "Label", &label)},
		}}))
	}
	for name, c := range map[string]struct {
		prepare func(*shellTest)
		asks    string
	}{
		"untouched": {func(*shellTest) {}, ""},
		"typed":     {func(b *shellTest) { b.press("x") }, "press ctrl+c again to discard what you typed"},
		"typed, and esc": {
			func(b *shellTest) { b.press("x<esc>") }, "press ctrl+c again to discard what you typed",
		},
		"below a text": {
			func(b *shellTest) {
				b.press("x")
				b.run(b.shell.Update(ui.ShowTextMsg{Title: "t", Text: "x"}))
			},
			"the form is not sent · press ctrl+c again",
		},
		"too small": {
			func(b *shellTest) {
				b.press("x")
				b.run(b.shell.Update(tea.WindowSizeMsg{Width: 30, Height: 5}))
			},
			"ctrl+c again discards",
		},
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(t *testing.T) {
				b := newShellTest(t, nil)
				openForm(b)
				c.prepare(b)
				if got := quits(b); got != (c.asks == "") {
					t.Fatalf("quits: %v", got)
				}
				if screen := ansi.Strip(b.shell.Frame().Content); !strings.Contains(screen, c.asks) {
					t.Errorf("it does not ask:\n%s", screen)
				}
				if c.asks != "" && !quits(b) {
					t.Error("the second ctrl+c does not quit")
				}
			})
		})
	}
}

// messages returns the messages of a command and of the commands in it.
func (b *shellTest) messages(cmd tea.Cmd) (all []tea.Msg) {
	if cmd == nil {
		return nil
	}
	answer := make(chan tea.Msg, 1)
	go func() { answer <- cmd() }()
	select {
	case msg := <-answer:
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, one := range batch {
				all = append(all, b.messages(one)...)
			}
			return all
		}
		return []tea.Msg{msg}
	case <-time.After(20 * time.Millisecond):
		return nil
	}
}

// The row at the cursor of menu, help and palette stands on a tint as wide as the dialog, and keeps its tones.
func TestEntryLine_keepsTonesAtCursor(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for key, tone := range map[string]theme.Tone{"a": theme.Accent, "?": theme.Muted, ":": theme.Muted} {
			b := newShellTest(t, nil)
			b.press(key)
			look := b.shell.themes.current
			tint, found := look.Tint(theme.Cursor), false
			for line := range strings.Lines(b.shell.Frame().Content) {
				mark := tint.Around.Open + tint.Codes(theme.Accent).Open + look.Glyphs.Cursor
				if _, row, ok := strings.Cut(line, mark); ok {
					found = strings.Contains(row, tint.Codes(tone).Open) && strings.Contains(row, tint.Around.Close)
				}
			}
			if !found {
				t.Errorf("after %s, no row at the cursor has the tone %v:\n%s", key, tone, b.shell.Frame().Content)
			}
		}
	})
}

// Tabs are found by their whole names, and a run begins with the pane that was named.
func TestTabs_find(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		for name, want := range map[string]int{"things": 0, "Things": -1, "thing": -1, "things2": -1, "": -1} {
			if got := b.shell.tabs.find(name); got != want {
				t.Errorf("%q: %d", name, got)
			}
		}
	})
}

// An account that is called like the current one can be opened.
func TestAccountMenu_similarNames(t *testing.T) {
	info := AccountInfo{
		Account:  "acme-prod-1",
		Accounts: []AccountChoice{{Name: "acme-prod-1"}, {Name: "acme-prod-2"}, {Name: "ACME-PROD-1"}},
	}
	menu := info.accountMenu()
	for _, a := range menu.actions {
		if own := a.Name() == "acme-prod-1"; (a.DisabledReason != "") != own {
			t.Errorf("%s: %q", a.Name(), a.DisabledReason)
		}
	}
}
