package shell

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lookout/client/faulttest"
	"lookout/theme"
	"lookout/ui"
)

// The history keeps a bounded number of messages, the newest ones.
func TestStatusMessages_historyIsBounded(t *testing.T) {
	faulttest.RunCase(t, "I5", "5,000 messages", func(t *testing.T) {
		b := newShellTest(t, nil)
		for i := range 5000 {
			b.shell.Update(ui.StatusMsg{Text: fmt.Sprint("message ", i), Tone: theme.Good})
		}
		past := b.shell.status.history
		if len(past) > 200 || past[len(past)-1].text != "message 4999" {
			t.Errorf("%d messages are kept, the last is %+v", len(past), past[len(past)-1])
		}
	})
}

// A message that is no longer true when its turn comes is not shown: what it said was overtaken.
func TestStatusMessages_outdatedIsNotShown(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		outdated := true
		start := ui.StatusMsg{Text: "uploading 1 file", Tone: theme.Good, Outdated: func() bool { return outdated }}
		b.shell.Update(ui.StatusMsg{Text: "fine: uploaded", Tone: theme.Good})
		b.shell.Update(start)
		if screen := b.screen(); !strings.Contains(screen, "fine: uploaded") || len(b.shell.status.history) != 1 {
			t.Errorf("the end is not in sight, or the history has more than it:\n%s", screen)
		}
		outdated = false
		b.shell.Update(start)
		if screen := b.screen(); !strings.Contains(screen, "uploading 1 file") {
			t.Errorf("a message that is true is not shown:\n%s", screen)
		}
	})
}

// News and other messages do not take away that a change can be undone: the line names the change beside them, and
// shows it again after them, until its time is over or another change has ended.
func TestStatusMessages_newsLeavesUndo(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		undone := 0
		undo := &ui.Action{
			Key:    ui.Bind("enable again", "u"),
			Object: "web-2",
			Do:     func() tea.Cmd { undone++; return nil },
		}
		// show shows a message and returns what ends its time.
		show := func(m ui.StatusMsg) func() {
			b.shell.Update(m)
			number := b.shell.status.number
			return func() { b.shell.Update(statusExpired{number}) }
		}
		want := func(undoHint string, texts ...string) {
			t.Helper()
			screen := b.screen()
			for _, text := range append(texts, undoHint) {
				if !strings.Contains(screen, text) {
					t.Errorf("no %q on the screen:\n%s", text, screen)
				}
			}
			if undoHint == "" && strings.Contains(screen, "enable again") {
				t.Errorf("undo is still offered:\n%s", screen)
			}
		}
		change := ui.StatusMsg{Text: "web-2: disabled", Tone: theme.Good, Undo: undo, ReportsChange: true}
		news := ui.StatusMsg{Text: "new issue 909", Tone: theme.Warn}

		show(change)
		want("u: enable again", "web-2: disabled")
		endNews := show(news)
		want("u: enable again (web-2)", "new issue 909")
		endNews()
		want("u: enable again", "web-2: disabled")
		long := change
		long.Text = "web-2: " + strings.Repeat("disabled ", 20)
		show(long)
		show(news)()
		want("u: enable again", "web-2: disabled") // the text is cut, not the key
		show(news)
		b.press("u")
		want("")
		if undone != 1 {
			t.Fatalf("undone %d times", undone)
		}

		endChange := show(change)
		show(news)
		endChange()
		want("", "new issue 909")
		show(change)
		show(ui.StatusMsg{Text: "db-1: it is in use", Tone: theme.Bad})
		want("u: enable again (web-2)", "db-1: it is in use")
		show(ui.StatusMsg{Text: "db-1: deleted", Tone: theme.Good, ReportsChange: true})
		want("", "db-1: deleted")
		if b.press("u"); undone != 1 {
			t.Error("a key undid an older change")
		}
	})
}

// The key for undo says that there is nothing to undo, and why if that is known. It is the user's key if there is one.
func TestStatusMessages_nothingToUndo(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, func(o *Options) { o.Keys = map[string][]string{"program.undo": {"U"}} })
		undone := 0
		undo := &ui.Action{Key: ui.Bind("enable", "u"), Do: func() tea.Cmd { undone++; return nil }}
		press := func(key, want string) {
			t.Helper()
			if b.press(key); !strings.Contains(b.screen(), want) {
				t.Errorf("no %q on the screen:\n%s", want, b.screen())
			}
		}
		const nothing = "undo: nothing to undo"
		press("U", nothing)
		b.shell.Update(ui.StatusMsg{Text: "web-2: disabled", Undo: undo, ReportsChange: true})
		press("u", "U: enable") // not the key any more
		change := b.shell.status.number
		b.shell.Update(statusExpired{change})
		press("U", nothing+"; the last change was more than a minute ago")
		b.shell.Update(ui.StatusMsg{Text: "db-1: deleted", ReportsChange: true})
		press("U", nothing+"; the last change cannot be undone")
		b.shell.Update(ui.StatusMsg{Text: "web-2: disabled", Undo: undo, ReportsChange: true})
		change = b.shell.status.number
		b.press("U")
		b.shell.Update(statusExpired{change})
		press("U", nothing)
		if undone != 1 || strings.Contains(b.screen(), nothing+";") {
			t.Errorf("undone %d times:\n%s", undone, b.screen())
		}
	})
}

// A message that does not fit is cut behind a word, and names the key that shows all of it. While that key does
// something else, it is not named.
func TestStatusMessages_cutMessage(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		const text = "billing-api: monitoring is disabled until 20:09 (was problem)"
		b := newShellTest(t, func(o *Options) { o.Keys = map[string][]string{"program.messages": {"ctrl+l"}} })
		b.shell.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		b.shell.Update(ui.StatusMsg{Text: text, Undo: &ui.Action{Key: ui.Bind("enable again")}, ReportsChange: true})
		const cut = "billing-api: monitoring is disabled until … ctrl+l: more · u: enable again"
		if screen := b.screen(); !strings.Contains(screen, cut) {
			t.Errorf("the cut message:\n%s", screen)
		}
		b.press(":")
		if screen := b.screen(); strings.Contains(screen, "ctrl+l") {
			t.Errorf("a key is named that does nothing here:\n%s", screen)
		}
		b.press("<esc>")
		if b.press("<ctrl+l>"); !strings.Contains(b.screen(), text) {
			t.Errorf("the whole message cannot be read:\n%s", b.screen())
		}
		b.shell.Update(tea.WindowSizeMsg{Width: 100, Height: 24})
		if screen := b.screen(); strings.Contains(screen, "more") {
			t.Errorf("a message that fits is cut:\n%s", screen)
		}
	})
}
