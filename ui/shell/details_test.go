package shell

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/ui/uitest"
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

// The longer the rows of the pane in front could not be read, the less often that is tried, up to a point.
func TestClock_handleTick_afterFailures(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		const interval = 20 * time.Second
		for age, want := range map[time.Duration]time.Duration{
			19 * time.Second: interval, 20 * time.Second: 2 * interval, 39 * time.Second: 2 * interval,
			40 * time.Second: 3 * interval, time.Hour: 3 * interval,
		} {
			b := newShellTest(t, func(o *Options) { o.RefreshInterval = interval })
			pane := &failingPane{Pane: b.shell.pane(), freshness: lists.Freshness{
				Loaded:   true,
				LoadedAt: b.now.Add(-age),
				Err:      errors.New("no answer"),
			}}
			b.shell.tabs.current().stack[0] = pane
			b.shell.clock.handleTick(b.shell, tick{b.shell.clock.tickNumber})
			if got := b.shell.clock.nextRefresh.Sub(b.now); got != want {
				t.Errorf("rows of %v ago are read again after %v, not after %v", age, got, want)
			}
		}
	})
}

// Two actions of a pane, or of the program, that have a key in common are in conflict, however alike their names are.
// An action of the pane may hide one of the program.
func TestActionPolicy_conflicts(t *testing.T) {
	action := func(name string, keys ...string) ui.Action { return ui.Action{Key: ui.Bind(name, keys...)} }
	for name, c := range map[string]struct {
		own, program []ui.Action
		want         []string
	}{
		"none":         {[]ui.Action{action("rename", "r", "R")}, []ui.Action{action("refresh", "f")}, nil},
		"in the pane":  {[]ui.Action{action("rename", "r"), action("remove", "x", "r")}, nil, []string{"r"}},
		"hidden":       {[]ui.Action{action("rename", "r")}, []ui.Action{action("refresh", "r")}, nil},
		"twice":        {nil, []ui.Action{action("refresh", "r"), action("refresh", "r")}, nil},
		"in the rest":  {nil, []ui.Action{action("refresh", "r"), action("refresh all", "r")}, []string{"r"}},
		"only in case": {nil, []ui.Action{action("open things", "o"), action("open Things", "o")}, []string{"o"}},
	} {
		var got []string
		for _, conflict := range (actionPolicy{}).conflicts("contacts", c.own, c.program) {
			got = append(got, conflict.Key)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Rows that are read often count as late only after a minute; others after three intervals.
func TestClock_lateAfter(t *testing.T) {
	for interval, want := range map[time.Duration]time.Duration{
		5 * time.Second:  time.Minute,
		20 * time.Second: time.Minute,
		30 * time.Second: 90 * time.Second,
	} {
		if got := (&clock{interval: interval}).lateAfter(); got != want {
			t.Errorf("read every %v: late after %v, want %v", interval, got, want)
		}
	}
}

// The age of live rows is displayed when the user asked for them, when a refresh is overdue, and when they are minutes
// old. Rows that were read as planned are only called live.
func TestClock_showsAge(t *testing.T) {
	opened := time.Date(2026, 11, 20, 21, 4, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		interval, read, age time.Duration // between refreshes, from the opening to the answer, since then
		shown               bool
	}{
		"just opened":                {20 * time.Second, time.Second, 3 * time.Second, true},
		"opened a moment ago":        {20 * time.Second, time.Second, 5 * time.Second, false},
		"just refreshed":             {20 * time.Second, 40 * time.Second, time.Second, false},
		"refresh due":                {20 * time.Second, 40 * time.Second, 22 * time.Second, false},
		"refresh overdue":            {20 * time.Second, 40 * time.Second, 25 * time.Second, true},
		"two minutes old":            {5 * time.Minute, time.Hour, 2 * time.Minute, true},
		"not two minutes old":        {5 * time.Minute, time.Hour, 119 * time.Second, false},
		"never refreshed by itself":  {0, time.Second, 10 * time.Second, true},
		"clock set back by the user": {20 * time.Second, time.Second, -time.Hour, true},
	} {
		clock, at := clock{interval: c.interval, openedAt: opened}, opened.Add(c.read)
		if got := clock.showsAge(lists.Freshness{Loaded: true, LoadedAt: at}, at.Add(c.age)); got != c.shown {
			t.Errorf("%s: shown is %v", name, got)
		}
	}
}

// A pane that comes to the front is read again if that was tried long ago. One that has just failed is not asked again
// at once, however old its rows are.
func TestClock_onPaneOpened_afterFailure(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for age, want := range map[time.Duration]int{5 * time.Second: 0, time.Minute: 1} {
			b := newShellTest(t, func(o *Options) { o.RefreshInterval = 20 * time.Second })
			pane := &failingPane{Pane: b.shell.pane(), freshness: lists.Freshness{
				Loaded:   true,
				LoadedAt: b.now.Add(-time.Hour),
				Err:      errors.New("no answer"),
				FailedAt: b.now.Add(-age),
			}}
			b.run(b.shell.Update(ui.OpenPaneMsg{Pane: pane}))
			pane.polls = 0
			b.run(b.shell.clock.onPaneOpened(b.shell))
			if pane.polls != want {
				t.Errorf("failed %v ago: read %d times, want %d", age, pane.polls, want)
			}
		}
	})
}

// savingPane remembers what was restored.
type savingPane struct {
	ui.ListPane
	restored []ui.PaneState
}

func (p *savingPane) SaveState() ui.PaneState { return ui.PaneState{} }

func (p *savingPane) RestoreState(state ui.PaneState) { p.restored = append(p.restored, state) }

// The panes of an account that is opened for the first time stay as they are; later they get the choices made in them.
func TestTabs_restoreState(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		pane := &savingPane{ListPane: b.shell.pane().(ui.ListPane)}
		tabs := &b.shell.tabs
		tabs.current().stack[0] = pane
		if tabs.restoreState(accountState{}); len(pane.restored) > 0 {
			t.Errorf("a pane without saved choices got %+v", pane.restored)
		}
		if tabs.restoreState(tabs.saveState()); len(pane.restored) != 1 {
			t.Errorf("a pane with saved choices got %+v", pane.restored)
		}
	})
}

// A failingPane could not be read the last time, and counts how often the clock tries again.
type failingPane struct {
	ui.Pane
	freshness lists.Freshness
	polls     int
}

func (p *failingPane) Info() ui.Info { return ui.Info{Freshness: p.freshness} }

func (p *failingPane) Poll() { p.polls++ }

// Nothing is tinted where the user does not want it, and while refreshing is paused.
func TestShell_motion(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Options)
		do     func(*shellTest)
		want   bool
	}{
		"usually":    {nil, func(*shellTest) {}, true},
		"not wanted": {func(o *Options) { o.NoMotion = true }, func(*shellTest) {}, false},
		"paused":     {nil, func(b *shellTest) { b.press("p") }, false},
	} {
		runInBubble(t, func(t *testing.T) {
			b := newShellTest(t, c.change)
			c.do(b)
			pane := &motionPane{Pane: b.shell.pane()}
			b.shell.tabs.current().stack[0] = pane
			if b.screen(); pane.motion != c.want {
				t.Errorf("%s: rows are tinted: %t, want %t", name, pane.motion, c.want)
			}
		})
	}
}

// A motionPane notes whether it may tint rows.
type motionPane struct {
	ui.Pane
	motion bool
}

func (p *motionPane) View(b ui.Box) string {
	p.motion = b.Motion
	return p.Pane.View(b)
}

// A pane's action has the key that the user chose for it, and no other.
func TestShell_chosenKeys(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, func(o *Options) { o.Keys = map[string][]string{"things.delete": {"X"}} })
		if b.press("D"); strings.Contains(b.screen(), "goes.") {
			t.Errorf("the key D still deletes:\n%s", b.screen())
		}
		if b.press("X"); !strings.Contains(b.screen(), "Thing alpha goes.") {
			t.Errorf("the key X does not delete:\n%s", b.screen())
		}
	})
}

// Each part of the lines around the pane has its own tone: the account in the head line, the tab in front and its key
// in the tab bar, the keys in the hints.
func TestChrome_tones(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		look := b.shell.themes.current
		tint := look.Tint(theme.Cursor)
		key, name := tint.Codes(theme.Accent), tint.Codes(theme.Strong)
		lines := strings.Split(b.shell.Frame().Content, "\n")
		for y, want := range map[int]string{
			0: " " + look.Paint(theme.Strong, "lookout") + look.Paint(theme.Plain, "  ") +
				look.Paint(theme.Accent, "acme"),
			1: key.Open + "1" + key.Close + " " + name.Open + "Things" + name.Close,
			len(lines) - 1: look.Paint(theme.Accent, "?") + look.Paint(theme.Plain, " ") +
				look.Paint(theme.Muted, "help"),
		} {
			if !strings.Contains(lines[y], want) {
				t.Errorf("line %d is %q, want %q in it", y, lines[y], want)
			}
		}
	})
}

// The head line shows behind the account's name what to know before changing something in it.
func TestChrome_warnings(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for want, account := range map[string]AccountInfo{
			"":                                      {},
			"PROD":                                  {Protected: true},
			"DEMO":                                  {Demo: true},
			"read-only":                             {ReadOnly: true},
			"read-only: changes cannot be recorded": {ReadOnly: true, NotRecorded: "the disk is full"},
			"an account of others":                  {Banner: func() string { return "an account of others" }},
			"EU PROD DEMO read-only": {
				AccountLabel: "EU",
				Protected:    true,
				Demo:         true,
				ReadOnly:     true,
				Banner:       func() string { return "" },
			},
		} {
			b := newShellTest(t, func(o *Options) { o.AccountInfo, o.Account = account, "acme" })
			b.shell.Update(tea.WindowSizeMsg{Width: 120, Height: 24})
			head, _, _ := strings.Cut(b.screen(), "●")
			if want = strings.TrimSpace(" lookout  acme " + want); strings.TrimSpace(head) != want {
				t.Errorf("%q, want %q", head, want)
			}
		}
	})
}

// ctrl+o goes back to where the last jumps came from, alt+o goes forward again, and where there is nothing to go to
// they say so.
func TestShell_backAndForward(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, func(o *Options) {
			store := o.Panes[0].(*table.List[string]).Store
			o.Panes = append(o.Panes, &table.List[string]{Title: "others", Store: store})
		})
		opened := &table.List[string]{Title: "opened", Store: b.shell.pane().(*table.List[string]).Store}
		steps := map[string]tea.Msg{
			"back":    uitest.Key("<ctrl+o>"),
			"forward": uitest.Key("<alt+o>"),
			"others":  ui.GoToMsg{Pane: "others"},
			"open":    ui.OpenPaneMsg{Pane: opened},
		}
		for _, c := range []struct{ step, pane, says string }{
			{"back", "things", "no earlier place to go back to"},
			{"forward", "things", "nothing to go forward to"},
			{"others", "others", ""},
			{"open", "opened", ""},
			{"forward", "opened", "nothing to go forward to"},
			{"back", "others", ""},
			{"back", "things", ""},
			{"back", "things", "no earlier place to go back to"},
			{"forward", "others", ""},
			{"forward", "others", "nothing to go forward to"},
		} {
			b.run(b.shell.Update(steps[c.step]))
			if pane, says := b.shell.pane().Name(), b.shell.status.current.Text; pane != c.pane || says != c.says {
				t.Errorf("%s leads to %s and says %q, want %s and %q", c.step, pane, says, c.pane, c.says)
			}
		}
	})
}

// Between the tabs of two areas is a line, however alike the names of the areas are. Where there is little room, every
// area but that of the tab in front collapses to its name, and then tabs of the area in front are left out.
func TestTabBar_areas(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, func(o *Options) {
			o.TabPlaces = map[string]ui.TabPlacement{"things": {Area: "Region 1"}}
			store := o.Panes[0].(*table.List[string]).Store
			for _, tab := range [][2]string{
				{"keys", "Region 10"}, {"links", "Region 10"}, {"logs", "region 10"}, {"plans", "region 10"},
				{"users", "Region 11"}, {"zones", "Region 11"},
			} {
				o.Panes = append(o.Panes, &table.List[string]{Title: tab[0], Store: store})
				o.TabPlaces[tab[0]] = ui.TabPlacement{Area: tab[1]}
			}
		})
		for _, c := range []struct {
			front, want string
			width       int
		}{
			{"1", " 1 Things │ 2 Keys  3 Links │ 4 Logs  5 Plans │ 6 Users  7 Zones ", 70},
			{"1", " 1 Things │ 2 Region 10 │ 4 region 10 │ 6 Region 11 ", 60},
			{"2", " 1 Region 1 │ 2 Keys  … │ 4 region 10 │ 6 Region 11 ", 54},
		} {
			b.press(c.front)
			b.shell.Update(tea.WindowSizeMsg{Width: c.width, Height: 24})
			bar := strings.Split(b.screen(), "\n")[1]
			if strings.TrimRight(bar, " ") != strings.TrimRight(c.want, " ") {
				t.Errorf("%d cells: %q, want %q", c.width, bar, c.want)
			}
		}
	})
}

// The badge of a tab follows its name.
func TestTabBar_badge(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, func(o *Options) {
			o.Panes[0].(*table.List[string]).BadgeFunc = func() (string, theme.Tone) { return "▲3", theme.Bad }
		})
		if bar := strings.Split(b.screen(), "\n")[1]; !strings.Contains(bar, "1 Things ▲3") {
			t.Errorf("the row of tabs is %q", bar)
		}
	})
}

// A tab with a key of its own leaves their digits to the tabs after it.
func TestTabBar_ownKeyTakesNoDigit(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, func(o *Options) {
			store := o.Panes[0].(*table.List[string]).Store
			for _, name := range []string{"keys", "links"} {
				o.Panes = append(o.Panes, &table.List[string]{Title: name, Store: store})
			}
			o.TabPlaces = map[string]ui.TabPlacement{"keys": {Key: "B"}}
		})
		if bar := strings.Split(b.screen(), "\n")[1]; !strings.Contains(bar, "1 Things  B Keys  2 Links") {
			t.Errorf("the row of tabs is %q", bar)
		}
		b.press("2")
		if name := b.shell.pane().Name(); name != "links" {
			t.Errorf("2 leads to %s", name)
		}
	})
}

// A tab needs a key that neither the program nor a list uses: otherwise the key would not open the tab.
func TestNew_keyOfTabIsTaken(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for key, want := range map[string]string{
			"M": `the key "M" is bound twice in things: to "the program's mouse on or off" ` +
				`and to "the program's things"; only the first works`,
			"A": `the key "A" is bound twice in things: to "mark all" and to "the program's things"; ` +
				`only the first works`,
			"B": "",
		} {
			b := newShellTest(t, func(*Options) {})
			b.shell.o.TabPlaces = map[string]ui.TabPlacement{"things": {Key: key}}
			if _, err := New(b.shell.o); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
				t.Errorf("key %s of a tab: %v, want %q", key, err, want)
			}
		}
	})
}

// The keys of an entry stand in one line if they fit in a fifth of the width, otherwise below each other.
func TestEntryList_widthOfKeys(t *testing.T) {
	for width, want := range map[int][]string{
		110: {"pgdown ctrl+f"}, 65: {"pgdown ctrl+f"}, 64: {"pgdown", "ctrl+f"}, 20: {"pgdown", "ctrl+f"},
	} {
		list := entryList{entries: []listEntry{{keys: "pgdown ctrl+f", name: "next"}}}
		list.layout(uitest.NewBox(t, width, 5))
		var keys []string
		for _, line := range list.lines {
			keys = append(keys, line.keys)
		}
		if !slices.Equal(keys, want) {
			t.Errorf("%d cells: %q, want %q", width, keys, want)
		}
	}
}

// A name goes on below where it has no room: it takes two fifths of it at most if something is known of an entry,
// otherwise all of it.
func TestEntryList_widthOfNames(t *testing.T) {
	const name = "show the newest issues of all services"
	for _, c := range []struct {
		about, badge string
		width        int
		want         []string
	}{
		{"", "", 45, []string{name}},
		{"", "", 44, []string{"show the newest issues of all", "services"}},
		{"", "!", 48, []string{name + "  !"}},
		{"", "!", 47, []string{"show the newest issues of all          !", "services"}},
		{"once", "", 100, []string{name}},
		{"once", "", 99, []string{"show the newest issues of all", "services"}},
		{"once", "", 20, []string{"show the", "newest", "issues", "of all", "services"}},
	} {
		first := listEntry{keys: "1", name: name}
		if c.badge != "" {
			first.badges = []theme.TitleSegment{{Text: c.badge}}
		}
		list := entryList{entries: []listEntry{first, {name: "next", about: c.about}}}
		b := uitest.NewBox(t, c.width, 10)
		list.layout(b)
		var names []string
		for _, line := range list.view(b)[:len(list.lines)-1] {
			names = append(names, strings.Trim(ansi.Strip(line), "▸ 1"))
		}
		if !slices.Equal(names, c.want) {
			t.Errorf("%d cells, %q, %q: %q, want %q", c.width, c.about, c.badge, names, c.want)
		}
	}
}

// What is known of an entry stands behind the names and the badges of all entries. Before keys at the right end, it has
// 26 cells at most, so that the names have room, and the keys end in the same column.
func TestEntryList_placeOfRemarks(t *testing.T) {
	badge := []theme.TitleSegment{{Text: "!"}}
	for _, c := range []struct {
		keysRight bool
		badges    []theme.TitleSegment
		about     string
		others    []listEntry
		want      []string
	}{
		{false, nil, "a longer remark of thirty cells", nil, []string{"▸ 1  name  a longer remark of thirty cells"}},
		{false, badge, "a longer remark of thirty cells", nil, []string{
			"▸ 1  name  !  a longer remark of thirty", "              cells",
		}},
		{true, nil, "short", nil, []string{"▸ name                             short  1"}},
		{true, nil, "a longer remark of 26 cell", nil, []string{"▸ name        a longer remark of 26 cell  1"}},
		{true, nil, "a longer remark of 27 cells", nil, []string{
			"▸ name        a longer remark of 27       1", "              cells",
		}},
		{true, nil, "short", []listEntry{{keys: "10", name: "next"}}, []string{
			"▸ name                            short   1", "  next                                   10",
		}},
	} {
		list := entryList{keysRight: c.keysRight}
		first := listEntry{keys: "1", name: "name", about: c.about, badges: c.badges}
		list.entries = append([]listEntry{first}, c.others...)
		b := uitest.NewBox(t, 43, 5)
		list.layout(b)
		var lines []string
		for _, line := range list.view(b) {
			lines = append(lines, strings.TrimRight(ansi.Strip(line), " "))
		}
		if !slices.Equal(lines, c.want) {
			t.Errorf("%t, %q: %q, want %q", c.keysRight, c.about, lines, c.want)
		}
	}
}

// When the list gets more room, no line stays empty as long as there are entries above.
func TestEntryList_moreRoom(t *testing.T) {
	list := entryList{}
	for n := range 20 {
		list.entries = append(list.entries, listEntry{name: strconv.Itoa(n)})
	}
	list.layout(uitest.NewBox(t, 40, 5))
	list.cursor = 19
	for _, room := range []int{5, 10, 20, 30} {
		if list.layout(uitest.NewBox(t, 40, room)); list.top != max(0, 20-room) {
			t.Errorf("%d lines begin with entry %d", room, list.top)
		}
	}
}

// Above the first entry of each group stands its heading, with an empty line between groups. A heading that differs
// from another only in case, or only in its end, is another one.
func TestEntryList_headings(t *testing.T) {
	list := entryList{}
	for _, heading := range []string{"Storage keys", "Storage keys", "Storage Keys", "Storage classes"} {
		list.entries = append(list.entries, listEntry{heading: heading, name: "an entry"})
	}
	b := uitest.NewBox(t, 40, 20)
	list.layout(b)
	var got []string
	for _, line := range list.view(b) {
		got = append(got, strings.Trim(ansi.Strip(line), "─▸ "))
	}
	want := []string{
		"Storage keys", "an entry", "an entry", "", "Storage Keys", "an entry", "", "Storage classes", "an entry",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Above the actions of a menu stands what they are about, as far as three actions still have room below it.
func TestMenuDialog_textAboveActions(t *testing.T) {
	var actions []ui.Action
	for _, key := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		actions = append(actions, ui.Action{Key: ui.Bind("action "+key, key), Do: func() tea.Cmd { return nil }})
	}
	text := []string{"one", "two", "three", "four"}
	for _, c := range []struct{ actions, height, text, shown int }{
		{8, 13, 4, 8}, {8, 8, 4, 3}, {8, 6, 3, 3}, {8, 3, 0, 3}, {1, 6, 4, 1}, {1, 4, 3, 1},
	} {
		b := uitest.NewBox(t, 40, c.height)
		m := newMenu("Menu", text, actions[:c.actions])
		m.size(b)
		m.layout(b)
		screen := ansi.Strip(b.Fit(m.view(b)))
		read := 0
		for _, sentence := range text {
			read += strings.Count(screen, sentence)
		}
		if shown := strings.Count(screen, "action "); read != c.text || shown != c.shown {
			t.Errorf("%d actions on %d lines: %d sentences and %d actions are shown, want %d and %d:\n%s",
				c.actions, c.height, read, shown, c.text, c.shown, screen)
		}
	}
}

// A letter that is typed into a search chooses the best match again, however long the text is already.
func TestSearchDialog_typingChoosesTheFirst(t *testing.T) {
	for _, before := range []string{"", "ab", "abcdefghi"} {
		q := searchDialog{find: func(string) []listEntry { return make([]listEntry, 5) }}.open()
		q.line.Paste(before)
		q.handleKey(nil, uitest.Key("<down>"))
		q.handleKey(nil, uitest.Key("<down>"))
		if q.cursor != 2 {
			t.Fatalf("%q: down leads to %d", before, q.cursor)
		}
		q.handleKey(nil, uitest.Key("<left>"))
		if q.cursor != 2 {
			t.Errorf("%q: moving in the text leads to %d", before, q.cursor)
		}
		if q.handleKey(nil, uitest.Key("x")); q.cursor != 0 {
			t.Errorf("%q: a letter leads to %d", before, q.cursor)
		}
	}
}

// However long a status message is, it ends before the key that undoes the change.
func TestStatusMessages_longTextLeavesTheUndoKey(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		undo := &ui.Action{Key: ui.Bind("undo", "u"), Do: func() tea.Cmd { return nil }}
		b.shell.Update(ui.StatusMsg{Text: strings.Repeat("long ", 100), Tone: theme.Good, Undo: undo})
		screen := strings.Split(b.screen(), "\n")
		if !slices.ContainsFunc(screen, func(line string) bool {
			return strings.Contains(line, "long long") && strings.Contains(line, "undo")
		}) {
			t.Errorf("the key is not beside the message:\n%s", strings.Join(screen, "\n"))
		}
	})
}

// Escape ends the opening of an account, and not only its dialog.
func TestOpeningDialog_escapeCancels(t *testing.T) {
	cancelled := false
	o := &openingDialog{account: "beta", cancel: func() { cancelled = true }}
	if _, closes := o.handleKey(nil, uitest.Key("x")); closes || cancelled {
		t.Error("another key ends it")
	}
	if _, closes := o.handleKey(nil, uitest.Key("<esc>")); !closes || !cancelled {
		t.Errorf("closes %t, cancelled %t", closes, cancelled)
	}
}

// The program's exit and a signal may both close the accounts.
func TestRootModel_Close_twice(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
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
	})
}

// Two actions on one key that nobody chose are an error of the program, not a key that does one thing or the other.
func TestNew_twoActionsOnOneKey(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		if _, err := New(Options{
			Panes: []ui.Pane{conflictingPane{b.shell.pane()}},
			Theme: b.shell.themes.current,
			Now:   time.Now,
		}); err == nil || !strings.Contains(err.Error(), "first") || !strings.Contains(err.Error(), "second") {
			t.Errorf("%v", err)
		}
	})
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
		for n := range 20 {
			b.rows = append(b.rows, strings.Repeat("abcdefghijklmnopqrstuvwxyz", 5)[n:])
		}
		b.refresh()
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
