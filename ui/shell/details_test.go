package shell

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// Refreshing slows down without focus, after failures and when few requests are left, to a ninth at most.
func TestClock_refreshInterval(t *testing.T) {
	const interval = 20 * time.Second
	for name, c := range map[string]struct {
		clock clock
		want  time.Duration
	}{
		"as set":              {clock{}, interval},
		"without focus":       {clock{blurred: true}, 3 * interval},
		"one failure":         {clock{failures: 1}, 2 * interval},
		"two failures":        {clock{failures: 2}, 3 * interval},
		"few requests left":   {clock{lowBudget: true}, 3 * interval},
		"two of these":        {clock{blurred: true, failures: 2}, 9 * interval},
		"all of these":        {clock{blurred: true, failures: 2, lowBudget: true}, 9 * interval},
		"only a little worse": {clock{lowBudget: true, failures: 1}, 6 * interval},
	} {
		c.clock.interval = interval
		if got := c.clock.refreshInterval(); got != c.want || c.clock.lateAfter() != max(3*c.want, time.Minute) {
			t.Errorf("%s: %v, late after %v", name, got, c.clock.lateAfter())
		}
	}
}

// A letter that is typed into a search chooses the best match again, however long the text is already.
func TestSearchList_typingChoosesTheFirst(t *testing.T) {
	for _, before := range []string{"", "ab", "abcdefghi"} {
		q := newSearchList("")
		q.entries = make([]listEntry, 5)
		q.line.Paste(before)
		q.handleSearchKey(tea.KeyPressMsg{Code: tea.KeyDown})
		q.handleSearchKey(tea.KeyPressMsg{Code: tea.KeyDown})
		if q.cursor != 2 {
			t.Fatalf("%q: down leads to %d", before, q.cursor)
		}
		q.handleSearchKey(tea.KeyPressMsg{Code: tea.KeyLeft})
		if q.cursor != 2 {
			t.Errorf("%q: moving in the text leads to %d", before, q.cursor)
		}
		if q.handleSearchKey(tea.KeyPressMsg{Code: 'x', Text: "x"}); q.cursor != 0 {
			t.Errorf("%q: a letter leads to %d", before, q.cursor)
		}
	}
}

// However long a line of news is, it ends before the key that undoes the change.
func TestNews_longTextLeavesTheUndoKey(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		undo := &ui.Action{Key: ui.Bind("undo", "u"), Do: func() tea.Cmd { return nil }}
		b.shell.Update(ui.NewsMsg{Text: strings.Repeat("long ", 100), Tone: theme.Good, Undo: undo})
		screen := strings.Split(b.screen(), "\n")
		if !slices.ContainsFunc(screen, func(line string) bool {
			return strings.Contains(line, "long long") && strings.Contains(line, "undo")
		}) {
			t.Errorf("the key is not beside the news:\n%s", strings.Join(screen, "\n"))
		}
	})
}

// Escape ends the opening of an account, and not only its dialog.
func TestOpeningDialog_escapeCancels(t *testing.T) {
	cancelled := false
	o := &openingDialog{account: "beta", cancel: func() { cancelled = true }}
	if _, closes := o.handleKey(nil, tea.KeyPressMsg{Code: 'x', Text: "x"}); closes || cancelled {
		t.Error("another key ends it")
	}
	if _, closes := o.handleKey(nil, tea.KeyPressMsg{Code: tea.KeyEscape}); !closes || !cancelled {
		t.Errorf("closes %t, cancelled %t", closes, cancelled)
	}
}

// The program's exit and a signal may both close the accounts.
func TestAccountSwitcher_Close_twice(t *testing.T) {
	d := newSwitcherTest(t)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		d.switcher.Close()
		d.switcher.Close()
	}()
	select {
	case <-closed:
	case <-time.After(15 * time.Second):
		t.Fatal("the second exit hangs")
	}
	if d.closed["alpha"] != 1 {
		t.Errorf("closed %d times", d.closed["alpha"])
	}
}

// Two actions on one key that nobody chose are an error of the program, not a key that does one thing or the other.
func TestNew_twoActionsOnOneKey(t *testing.T) {
	b := newShellTest(t, nil)
	if _, err := New(Options{
		Panes: []ui.Pane{conflictingPane{b.shell.pane()}},
		Theme: b.shell.themes.current,
		Now:   time.Now,
	}); err == nil || !strings.Contains(err.Error(), "first") || !strings.Contains(err.Error(), "second") {
		t.Errorf("%v", err)
	}
}

// conflictingPane has two actions on one key.
type conflictingPane struct{ ui.Pane }

func (p conflictingPane) Actions() []ui.Action {
	return []ui.Action{
		{Key: ui.Bind("first", "x"), Do: func() tea.Cmd { return nil }},
		{Key: ui.Bind("second", "x"), Do: func() tea.Cmd { return nil }},
	}
}

// A dialog is drawn over the screen: its box stands in the same columns on each line, and what is beside it stays.
func TestDialog_standsInOneColumn(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		b.shell.Update(tea.WindowSizeMsg{Width: 100, Height: 24})
		behind := strings.Split(b.screen(), "\n")
		if !strings.Contains(behind[1], "1 Things") {
			t.Errorf("the tabs are %q", behind[1])
		}
		b.press("D")
		b.armQuestions()
		screen := strings.Split(b.screen(), "\n")
		left, right := -1, -1
		for y, line := range screen {
			cells := []rune(line)
			switch {
			case slices.Contains(cells, '╭'):
				left, right = slices.Index(cells, '╭'), slices.Index(cells, '╮')
			case left < 0 || slices.Contains(cells, '╰'):
				left = -1
				continue
			case cells[left] != '│' || cells[right] != '│':
				t.Errorf("line %d is not in the box: %q", y, line)
			}
			before := []rune(behind[y])
			if !slices.Equal(cells[:left], before[:left]) || !slices.Equal(cells[right+1:], before[right+1:]) {
				t.Errorf("beside the box of line %d: %q, before %q", y, line, behind[y])
			}
		}
		if !strings.Contains(screen[len(screen)-1], "any other key cancel") {
			t.Errorf("the last line is %q", screen[len(screen)-1])
		}
	})
}
