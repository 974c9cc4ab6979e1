package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/client/faulttest"
	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/uitest"
)

// unknownOutcomeError is a failure that leaves open whether the change was applied.
type unknownOutcomeError struct{}

func (unknownOutcomeError) Error() string { return "the connection was cut" }
func (unknownOutcomeError) Unknown() bool { return true }

type thing struct {
	id   int
	name string
}

func things(n int) []thing {
	rows := make([]thing, n)
	for i := range rows {
		rows[i] = thing{i, fmt.Sprintf("thing %06d", i)}
	}
	return rows
}

// newLoadedList returns a list whose rows have arrived.
func newLoadedList(t testing.TB, rows *[]thing) *List[thing] {
	t.Helper()
	s := lists.NewRowStore(
		context.Background(),
		&lists.Inline{},
		lists.RowSource[thing]{
			Name: "things",
			ID:   func(x thing) string { return fmt.Sprint(x.id) },
			Fetch: func(context.Context, string) (lists.RowPage[thing], error) {
				return lists.RowPage[thing]{Rows: *rows}, nil
			},
		},
	)
	l := &List[thing]{
		Title:     "things",
		Store:     s,
		EmptyText: "no things yet · n adds one",
		Columns: []Column[thing]{
			{
				Title:   "name",
				Min:     12,
				IsLabel: true,
				Cell:    func(x thing, _ ui.Box) (string, theme.Tone) { return x.name, theme.Strong },
			},
			{
				Title:        "id",
				Width:        8,
				AlignRight:   true,
				DropPriority: 1,
				Cell:         func(x thing, _ ui.Box) (string, theme.Tone) { return fmt.Sprint(x.id), theme.Muted },
				Less:         func(a, b thing) bool { return a.id < b.id },
			},
		},
	}
	s.Refresh()
	return l
}

// newEmptyList returns a list without rows, for which the API has given an answer.
func newEmptyList(t testing.TB, answer lists.RowPage[thing], err error) *List[thing] {
	t.Helper()
	l := newLoadedList(t, &[]thing{})
	l.Store = lists.NewRowStore(
		context.Background(),
		&lists.Inline{},
		lists.RowSource[thing]{
			Name:  "things",
			ID:    func(thing) string { return "" },
			Fetch: func(context.Context, string) (lists.RowPage[thing], error) { return answer, err },
		},
	)
	l.Store.Refresh()
	return l
}

func pressKeys(l *List[thing], keys ...string) {
	for _, k := range keys {
		if l.Info().Typing {
			for _, pressed := range uitest.Keys(k, "<enter>") {
				l.Update(pressed)
			}
			continue
		}
		for _, a := range l.Actions() {
			for _, name := range a.Key.Keys() {
				if name == k {
					a.Do()
				}
			}
		}
	}
}

func TestList_cursorStaysOnItsRow(t *testing.T) {
	rows := things(5)
	l := newLoadedList(t, &rows)
	l.View(uitest.NewBox(t, 60, 10))
	pressKeys(l, "j", "j")
	rows = append([]thing{{99, "a new first"}}, rows...)
	l.Store.Refresh()
	screen := ansi.Strip(l.View(uitest.NewBox(t, 26, 10)))
	if row, _ := l.cursorRow(); row.id != 2 {
		t.Errorf("the cursor went to %+v", row)
	}
	if !strings.Contains(screen, "▸ thing 000002") {
		t.Errorf("the cursor is not seen on its row:\n%s", screen)
	}
}

func TestList_filterSortMarks(t *testing.T) {
	rows := things(20)
	l := newLoadedList(t, &rows)
	l.View(uitest.NewBox(t, 60, 10))
	pressKeys(l, "/", "00001 !id:13")
	if n := l.rowIndex.count(l.Store); n != 10 {
		t.Errorf("%d rows match", n)
	}
	pressKeys(l, "A")
	if marked, hidden := (rowBinder[thing]{list: l}).markedRows(); len(marked) != 10 || len(hidden) != 0 {
		t.Errorf("%d marked, %d hidden", len(marked), len(hidden))
	}
	pressKeys(l, "esc", "esc")
	if l.filter.text != "" || l.marks.count() != 0 {
		t.Error("esc does not clear marks and filter")
	}
	for _, a := range l.sortMenu().Actions {
		if a.Name() == "id" {
			a.Do()
			a.Do() // the same again turns round
		}
	}
	pressKeys(l, "g")
	if row, _ := l.cursorRow(); row.id != 19 {
		t.Errorf("sorted down by id the first is %+v", row)
	}
}

func TestList_View_emptyStates(t *testing.T) {
	states := map[string]string{}
	add := func(name string, l *List[thing]) {
		screen := ansi.Strip(l.View(uitest.NewBox(t, 70, 12)))
		for other, seen := range states {
			if seen == screen {
				t.Errorf("%s looks like %s:\n%s", name, other, screen)
			}
		}
		states[name] = screen
	}
	failing := func(err error) *List[thing] { return newEmptyList(t, lists.RowPage[thing]{}, err) }
	loading := failing(nil)
	loading.Store = lists.NewRowStore(
		context.Background(),
		&lists.Inline{}, lists.RowSource[thing]{Name: "things", ID: func(thing) string { return "" }},
	)
	rows := things(3)
	filtered := newLoadedList(t, &rows)
	pressKeys(filtered, "/", "nowhere")
	add("loading", loading)
	add("empty", newLoadedList(t, &[]thing{}))
	add("filtered", filtered)
	add("denied", failing(deniedError{}))
	add("failed", failing(unknownOutcomeError{}))
	for name, part := range map[string]string{
		"loading":  "reading things",
		"empty":    "n adds one",
		"filtered": "esc clears the filter",
		"denied":   "not allowed",
		"failed":   "press r to retry",
	} {
		if !strings.Contains(states[name], part) {
			t.Errorf("%s does not say %q:\n%s", name, part, states[name])
		}
	}
}

type deniedError struct{}

func (deniedError) Error() string { return "list things: Unauthorized (403)" }
func (deniedError) Denied() bool  { return true }

func TestList_View_fits(t *testing.T) {
	faulttest.ReportCase(t, "E12", "TestList_View_fits")
	rows := []thing{
		{1, "plain"},
		{2, "日本語の長い名前が入っています"},
		{3, "e\u0301\u0301 combining"},
		{4, strings.Repeat("long ", 60)},
	}
	l := newLoadedList(t, &rows)
	l.Detail = func(x thing, b ui.Box) string { return strings.Repeat(x.name+"\n", 40) }
	for _, w := range []int{0, 1, 2, 5, 12, 40, 80, 120, 200} {
		for _, h := range []int{0, 1, 2, 3, 10, 50} {
			b := uitest.NewBox(t, w, h)
			out := b.Fit(l.View(b))
			if h == 0 || w == 0 {
				continue
			}
			lines := strings.Split(out, "\n")
			if len(lines) != h {
				t.Errorf("%d×%d: %d lines", w, h, len(lines))
			}
			for _, line := range lines {
				if n := ansi.StringWidth(line); n != w {
					t.Errorf("%d×%d: a line of %d cells: %q", w, h, n, line)
				}
			}
		}
	}
}

// A cut cell takes no cell of the column beside it, however wide its characters are.
func TestList_View_wideCharactersKeepColumnsAligned(t *testing.T) {
	for name, text := range map[string]string{
		"wide":      strings.Repeat("日本", 20),
		"combining": strings.Repeat("e\u0301", 60),
		"ASCII":     strings.Repeat("x", 60),
	} {
		faulttest.RunCase(t, "E12", name, func(t *testing.T) {
			rows := []thing{{1, "plain"}, {2, text}, {3, "a" + text}}
			for line := range strings.SplitSeq(newLoadedList(t, &rows).View(uitest.NewBox(t, 40, 8)), "\n") {
				line = strings.TrimRight(ansi.Strip(line), " ")
				if strings.ContainsAny(line, "123") && ansi.StringWidth(line) != 40 {
					t.Errorf("the number ends at cell %d: %q", ansi.StringWidth(line), line)
				}
			}
		})
	}
}

// A number that does not fit is not shown in part: it would be another number.
func TestList_View_numbersAreNeverCut(t *testing.T) {
	rows := []thing{{1234567890, "big"}, {7, "small"}}
	out := ansi.Strip(newLoadedList(t, &rows).View(uitest.NewBox(t, 17, 10)))
	if strings.Contains(out, "1234") || strings.Count(out, "…") != 1 || !strings.Contains(out, " 7\n") {
		t.Errorf("the numbers are cut:\n%s", out)
	}
}

func benchmarkMoveAndView(b *testing.B, n int) {
	rows := things(n)
	l := newLoadedList(b, &rows)
	room := uitest.NewBox(b, 200, 50)
	l.View(room)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		l.moveCursor(1)
		l.View(room)
	}
}

func BenchmarkMoveAndView1k(b *testing.B)   { benchmarkMoveAndView(b, 1_000) }
func BenchmarkMoveAndView100k(b *testing.B) { benchmarkMoveAndView(b, 100_000) }
func BenchmarkMoveAndView1M(b *testing.B)   { benchmarkMoveAndView(b, 1_000_000) }

// A list says only of its own rows that its filter hides them.
func TestList_Hides(t *testing.T) {
	rows := things(20)
	l := newLoadedList(t, &rows)
	if l.Hides(ui.RowRef{Store: l.Store, ID: "7"}) {
		t.Error("hidden without a filter")
	}
	l.filter.text = "000003"
	other := newLoadedList(t, &rows)
	for _, c := range []struct {
		row  ui.RowRef
		want bool
	}{
		{ui.RowRef{Store: l.Store, ID: "7"}, true},
		{ui.RowRef{Store: l.Store, ID: "3"}, false},
		{ui.RowRef{Store: l.Store, ID: "99"}, false},
		{ui.RowRef{Store: other.Store, ID: "7"}, false},
		{ui.RowRef{}, false},
	} {
		if got := l.Hides(c.row); got != c.want {
			t.Errorf("%q: %v", c.row.ID, got)
		}
	}
}

// The clock polls the rows, and the lists that they are joined with only once a minute.
func TestList_Poll_joinedStoresOncePerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := map[string]int{}
		set := func(name string) *lists.RowStore[thing] {
			return lists.NewRowStore(
				t.Context(),
				&lists.Inline{},
				lists.RowSource[thing]{
					Name: name,
					ID:   func(x thing) string { return x.name },
					Fetch: func(context.Context, string) (lists.RowPage[thing], error) {
						asked[name]++
						return lists.RowPage[thing]{}, nil
					},
				},
			)
		}
		l := &List[thing]{Store: set("rows"), JoinedStores: []JoinedStore{set("joined")}}
		l.Refresh()
		for range 9 {
			time.Sleep(20 * time.Second)
			l.Poll()
		}
		if asked["rows"] != 10 || asked["joined"] != 4 {
			t.Errorf("asked %v", asked)
		}
	})
}

// The keys in what a list without rows says to do next have the tone of keys; the words around them do not.
func TestPaintKeys(t *testing.T) {
	b := uitest.NewBox(t, 80, 10)
	for text, want := range map[string]string{
		"n adds one": "n",
		"press r to retry · / enters another one":         "r /",
		"esc clears the filter":                           "esc",
		"w on an object downloads, U in a bucket uploads": "w U",
		"keys already work · ? for help":                  "?",
		"503: a page":                                     "",
	} {
		var keys []string
		open := b.Theme.Codes(theme.Accent).Open
		for _, part := range strings.Split(paintKeys(text, b), open)[1:] {
			key, _, _ := strings.Cut(part, "\x1b")
			keys = append(keys, key)
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("%q: the keys are %q, want %q", text, got, want)
		}
		if ansi.Strip(paintKeys(text, b)) != text {
			t.Errorf("%q became %q", text, ansi.Strip(paintKeys(text, b)))
		}
	}
}

// In a list that could not be read, only the keys in our own sentence have the tone of keys: letters in the words of
// the API do not.
func TestList_explainEmpty_keysInOwnWords(t *testing.T) {
	b := uitest.NewBox(t, 80, 10)
	reason := errors.New("503: from a proxy, x is down · y is up, press q now")
	empty := newEmptyList(t, lists.RowPage[thing]{}, nil)
	for name, c := range map[string]struct {
		list *List[thing]
		keys string
	}{
		"failed":  {newEmptyList(t, lists.RowPage[thing]{}, reason), "r"},
		"denied":  {newEmptyList(t, lists.RowPage[thing]{}, refusedError{reason}), ""},
		"missing": {newEmptyList(t, lists.RowPage[thing]{Missing: []string{reason.Error()}}, nil), "r"},
		"empty":   {empty, "n"},
	} {
		text := strings.Join(c.list.explainEmpty(b), "\n")
		var keys []string
		for _, part := range strings.Split(text, b.Theme.Codes(theme.Accent).Open)[1:] {
			key, _, _ := strings.Cut(part, "\x1b")
			keys = append(keys, key)
		}
		if got := strings.Join(keys, " "); got != c.keys {
			t.Errorf("%s: the keys are %q, want %q", name, got, c.keys)
		}
		if c.list != empty && !strings.Contains(ansi.Strip(text), reason.Error()) {
			t.Errorf("%s: the reason is not there:\n%s", name, ansi.Strip(text))
		}
	}
}

// refusedError is an error of a user or token without the right to read, in words of the API.
type refusedError struct{ error }

// Denied reports that it is one.
func (refusedError) Denied() bool { return true }

// Below a detail whose row could not be fetched stands why. A detail scrolls no further than to its last line, and its
// border says which lines are in sight, unless all are.
func TestList_View_detailScrolls(t *testing.T) {
	for _, c := range []struct {
		text       string
		err        error
		scroll     int
		from, said string
	}{
		{"one\ntwo\nthree\nfour\nfive\n", nil, 0, "one", "lines 1-3 of 5"},
		{"one\ntwo\nthree\nfour\nfive", nil, 1, "two", "lines 2-4 of 5"},
		{"one\ntwo\nthree\nfour\nfive", nil, 2, "three", "lines 3-5 of 5"},
		{"one\ntwo\nthree\nfour\nfive", nil, 99, "three", "lines 3-5 of 5"},
		{"one\ntwo\nthree\nfour\nfive", unknownOutcomeError{}, 99, "five", "lines 5-7 of 7"},
		{"one\ntwo\nthree", nil, 5, "one", ""},
	} {
		rows := things(1)
		l := newLoadedList(t, &rows)
		l.Detail = func(thing, ui.Box) string { return c.text }
		b := uitest.NewBox(t, 64, 5)
		l.View(b)
		pressKeys(l, "enter")
		l.detail.errors = map[string]error{l.Store.ID(rows[0]): c.err}
		l.detail.scroll = c.scroll
		lines := strings.Split(ansi.Strip(l.View(b)), "\n")
		if first := strings.Trim(lines[1], "│ "); first != c.from || len(lines) != b.Height {
			t.Errorf("scrolled by %d: %q", c.scroll, lines)
		}
		if said := strings.Contains(lines[0], "lines"); said != (c.said != "") || !strings.Contains(lines[0], c.said) {
			t.Errorf("scrolled by %d: the border is %q", c.scroll, lines[0])
		}
		if said := strings.Contains(strings.Join(lines, ""), "this row could not be read"); said != (c.err != nil) {
			t.Errorf("%v: %q", c.err, lines)
		}
	}
}

// A pane that could not be read says for how long, once that is worth saying.
func TestList_failingSince(t *testing.T) {
	b := uitest.NewBox(t, 70, 12)
	l := newEmptyList(t, lists.RowPage[thing]{}, unknownOutcomeError{})
	since := l.Store.Freshness().FailingSince
	for after, want := range map[time.Duration]string{
		4 * time.Second:  "",
		5 * time.Second:  " for 5 s",
		90 * time.Second: " for 1 min",
		3*time.Hour + 1:  " for 3 h",
		-time.Minute:     "",
	} {
		b.Now = since.Add(after)
		if got := l.emptyReason(b).text; got != "things could not be read"+want {
			t.Errorf("%v: %q, want %q", after, got, want)
		}
	}
}

// The cursor is in sight wherever it moves, and a detail is headed by its row.
func TestList_View_keepsCursorInSight(t *testing.T) {
	rows := things(40)
	l := newLoadedList(t, &rows)
	b := uitest.NewBox(t, 60, 8)
	for _, key := range []string{"G", "k", "k", "k", "k", "k", "k", "k", "g", "j", "j", "j", "j", "j", "j", "j", "j"} {
		pressKeys(l, key)
		l.View(b)
		name := rows[l.cursor.position].name
		if screen := ansi.Strip(l.View(b)); !strings.Contains(screen, name) {
			t.Errorf("after %s, %s is out of sight:\n%s", key, name, screen)
		}
	}
}

// On a wide screen the details of the row under the cursor stand beside the rows, with what belongs to it beside them,
// and a long line of the list pushes nothing aside.
func TestList_View_detailBesideRows(t *testing.T) {
	rows := things(40)
	l := newLoadedList(t, &rows)
	l.Detail = func(x thing, _ ui.Box) string { return "detail of " + x.name }
	l.Footer = func(*lists.RowStore[thing], ui.Box) string { return strings.Repeat("a long footer ", 20) }
	l = l.WithDetailSidebar(DetailSidebar[thing]{
		View: func(x thing, b ui.Box) string { return b.Fit("history of " + x.name) },
	})
	for width, sides := range map[int][]string{120: {"detail of "}, 200: {"detail of ", "history of "}} {
		b := uitest.NewBox(t, width, 9)
		l.View(b)
		pressKeys(l, "j")
		screen := ansi.Strip(l.View(b))
		row, _ := l.cursorRow()
		for _, side := range sides {
			if !strings.Contains(screen, side+row.name) {
				t.Errorf("%d cells: no %q is beside the rows:\n%s", width, side+row.name, screen)
			}
		}
		for line := range strings.SplitSeq(screen, "\n") {
			if n := ansi.StringWidth(line); n != width {
				t.Errorf("%d cells: a line of %d: %q", width, n, line)
			}
		}
	}
}

// Details are read of the rows in sight, and of no others.
func TestList_LoadMissing_onlyRowsInSight(t *testing.T) {
	rows := things(40)
	l := newLoadedList(t, &rows)
	var read []thing
	l.OnVisible = func(rows []thing) { read = slices.Clone(rows) }
	b := uitest.NewBox(t, 60, 9)
	l.View(b)
	l.moveCursorTo(20)
	screen := ansi.Strip(b.Fit(l.View(b)))
	l.LoadMissing()
	var seen []thing
	for _, row := range rows {
		if strings.Contains(screen, row.name) {
			seen = append(seen, row)
		}
	}
	if !slices.Equal(read, seen) || len(seen) == 0 {
		t.Errorf("read: %v, want the rows in sight: %v", read, seen)
	}
}

// The last line of a list is its footer, if there are rows to sum up. On a low screen it leaves room for the rows and
// for what is said above it.
func TestList_View_footer(t *testing.T) {
	rows := things(3)
	l := newLoadedList(t, &rows)
	l.Footer = func(s *lists.RowStore[thing], _ ui.Box) string { return fmt.Sprintf("%d things in all", s.Len()) }
	lastLine := func(height int) string {
		lines := strings.Split(ansi.Strip(l.View(uitest.NewBox(t, 60, height))), "\n")
		return strings.TrimSpace(lines[len(lines)-1])
	}
	for _, c := range []struct {
		height       int
		filter, want string
	}{
		{10, "", "3 things in all"},
		{3, "", "3 things in all"},
		{10, "000002", "3 things in all"},
		{6, "000002", "3 things in all"},
		{5, "000002", "/000002   1 of 3 match"},
	} {
		l.filter.text = c.filter
		if got := lastLine(c.height); got != c.want {
			t.Errorf("%d lines, filter %q: %q, want %q", c.height, c.filter, got, c.want)
		}
	}
	rows, l.filter.text = nil, ""
	l.Store = newLoadedList(t, &rows).Store
	if got := lastLine(10); strings.Contains(got, "in all") {
		t.Errorf("no rows, and the footer %q", got)
	}
}

// A row that was deleted, but that the API still lists, says so.
func TestList_View_rowNote(t *testing.T) {
	rows := things(3)
	l := newLoadedList(t, &rows)
	runChange(l, "1", func() (lists.ChangeResult[thing], error) { return lists.ResultDeleted[thing](nil) })
	l.Store.Refresh()
	for _, line := range strings.Split(ansi.Strip(l.View(uitest.NewBox(t, 80, 10))), "\n") {
		if says := strings.Contains(line, "0 s ag"); says != strings.Contains(line, "000001") {
			t.Errorf("line %q", line)
		}
	}
}

// While a list has more pages, it says that only the loaded rows are sorted, unless they are in the list's own order.
func TestList_View_saysThatOnlyLoadedRowsAreSorted(t *testing.T) {
	rows := things(4)
	l := newLoadedList(t, &rows)
	l.Columns[0].Title, l.Columns[1].Title, l.SortBy = "modified by", "modified at", "modified at"
	l.Store = lists.NewRowStore(t.Context(), &lists.Inline{}, lists.RowSource[thing]{
		Name: "things",
		ID:   func(x thing) string { return fmt.Sprint(x.id) },
		Lazy: true,
		Fetch: func(_ context.Context, cursor string) (lists.RowPage[thing], error) {
			if cursor == "" {
				return lists.RowPage[thing]{Rows: rows[:2], Next: "rest"}, nil
			}
			return lists.RowPage[thing]{Rows: rows[2:]}, nil
		},
	})
	l.Store.Refresh()
	for _, c := range []struct {
		column  string
		reverse bool
		want    string
	}{
		{"modified at", false, ""},
		{"modified at", true, "sorted by modified at in the 2 loaded"},
		{"modified by", false, "sorted by modified by in the 2 loaded"},
		{"", false, ""},
	} {
		l.RestoreState(ui.PaneState{SortBy: c.column, Reverse: c.reverse})
		screen := ansi.Strip(l.View(uitest.NewBox(t, 60, 10)))
		says := strings.Contains(screen, "in the 2 loaded")
		if says != (c.want != "") || !strings.Contains(screen, c.want) {
			t.Errorf("sorted by %q, reversed: %t: want %q:\n%s", c.column, c.reverse, c.want, screen)
		}
	}
	l.RestoreState(ui.PaneState{SortBy: "modified by"})
	l.Store.LoadAll()
	if screen := ansi.Strip(l.View(uitest.NewBox(t, 60, 10))); strings.Contains(screen, "loaded") {
		t.Errorf("all rows are loaded:\n%s", screen)
	}
}

// If rows have moved since the last frame, a key still acts on the row at which the user saw the cursor.
func TestList_Actions_rowsMovedSinceFrame(t *testing.T) {
	rows := things(5)
	l := newLoadedList(t, &rows)
	got := ""
	l.RowActions = []RowAction[thing]{
		{Keys: []string{"d"}, Name: "drop", Cmd: func(x thing) tea.Cmd { got = x.name; return nil }},
	}
	l.View(uitest.NewBox(t, 60, 10))
	pressKeys(l, "j")
	rows = append([]thing{{99, "a new first"}}, rows...)
	l.Store.Refresh()
	if pressKeys(l, "d"); got != "thing 000001" {
		t.Errorf("dropped: %q, want thing 000001", got)
	}
}

// Beside the filter stands how many rows match, cut if it must be. What is wrong with the filter is never cut: it
// stands below it where there is no room. The filter itself is cut at the end of the line.
func TestFilterInput_view(t *testing.T) {
	problem := filterNote{problem: "size:>big: compare with a number"}
	for _, c := range []struct {
		text    string
		width   int
		note    filterNote
		matches string
		want    []string
	}{
		{"web", 40, filterNote{}, "3 of 14 match", []string{"/web   3 of 14 match"}},
		{"web", 15, filterNote{}, "3 of 14 match", []string{"/web   3 of 14…"}},
		{"web", 39, problem, "", []string{"/web   size:>big: compare with a number"}},
		{"web", 38, problem, "", []string{"/web", "size:>big: compare with a number"}},
		{"web", 20, problem, "", []string{"/web", "size:>big: compare", "with a number"}},
		{"web size:>big", 10, problem, "", []string{"/web size…", "size:>big:", "compare", "with a", "number"}},
	} {
		var got []string
		f := filterInput{text: c.text}
		for _, line := range f.view(uitest.NewBox(t, c.width, 5), c.matches, c.note) {
			got = append(got, strings.TrimRight(ansi.Strip(line), " "))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d cells: %q, want %q", c.width, got, c.want)
		}
	}
}

// A filter takes a limited number of characters, typed or pasted.
func TestFilterInput_isLimited(t *testing.T) {
	var f filterInput
	f.startTyping()
	f.edit(tea.PasteMsg{Content: strings.Repeat("é", maxFilterRunes+5)})
	f.edit(uitest.Key("x"))
	if f.text != strings.Repeat("é", maxFilterRunes) {
		t.Errorf("%d bytes, ends with %q", len(f.text), f.text[max(0, len(f.text)-5):])
	}
}

// While a list is being read, what needs a row waits for it. What can be done at once does not, nor what another list
// keeps from being done.
func TestList_Actions_waitForRows(t *testing.T) {
	rows := things(3)
	l := newLoadedList(t, &rows)
	l.PaneActions = func() []ui.Action {
		return []ui.Action{
			{Key: ui.Bind("new", "n")}, {Key: ui.Bind("link", "i"), DisabledReason: "things: not allowed"},
		}
	}
	waiting := func() (names []string) {
		for _, a := range l.Actions() {
			if a.WaitsFor == "things" {
				names = append(names, a.Name())
			}
		}
		return names
	}
	if names := waiting(); names != nil {
		t.Errorf("waiting for rows that are there: %q", names)
	}
	loop := &lists.Inline{Hold: true}
	l.Store = lists.NewRowStore(t.Context(), loop, lists.RowSource[thing]{
		Name:  "things",
		ID:    func(thing) string { return "" },
		Fetch: func(context.Context, string) (lists.RowPage[thing], error) { return lists.RowPage[thing]{}, nil },
	})
	l.Store.Refresh()
	names := waiting()
	for name, want := range map[string]bool{
		"down": true, "up": true, "mark": true, "view as JSON": true, "filter": false, "sort": false, "new": false,
		"link": false,
	} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s waits: %t, want %t; waiting: %q", name, !want, want, names)
		}
	}
	if loop.Release(0); waiting() != nil {
		t.Errorf("waiting for rows although there are none: %q", waiting())
	}
}

// The row that leads up takes the first line, and only where there is one.
func TestList_View_parentRowTakesALine(t *testing.T) {
	rows := things(40)
	l := newLoadedList(t, &rows)
	b := uitest.NewBox(t, 60, 10)
	count := func() int { return strings.Count(ansi.Strip(l.View(b)), "thing 0") }
	without := count()
	l.WithParentRow(ParentRow{Open: func() tea.Cmd { return nil }, Detail: func(ui.Box) string { return "" }})
	if with := count(); without != 9 || with != 8 {
		t.Errorf("%d rows without the row that leads up, %d with it", without, with)
	}
}

// A click moves the cursor to the row in that line, or to the row that leads up. The header and the lines below the
// rows are no rows.
func TestList_Update_click(t *testing.T) {
	for _, c := range []struct {
		rows, y int
		parent  bool
		want    string
	}{
		{20, 0, false, "3"}, {20, 1, false, "0"}, {20, 2, false, "1"}, {20, 9, false, "8"}, {20, 10, false, "3"},
		{5, 5, false, "4"}, {5, 6, false, "3"},
		{20, 0, true, "3"}, {20, 1, true, "up"}, {20, 2, true, "0"}, {20, 9, true, "7"}, {20, 10, true, "3"},
	} {
		rows := things(c.rows)
		l := newLoadedList(t, &rows)
		if c.parent {
			l.WithParentRow(ParentRow{Open: func() tea.Cmd { return nil }})
		}
		l.View(uitest.NewBox(t, 60, 10))
		pressKeys(l, "g", "j", "j", "j")
		l.View(uitest.NewBox(t, 60, 10))
		l.Update(tea.MouseClickMsg{X: 5, Y: c.y, Button: tea.MouseLeft})
		got := "up"
		if row, onRow := l.cursorRow(); onRow {
			got = fmt.Sprint(row.id)
		}
		if got != c.want {
			t.Errorf("%+v: the cursor is on %s", c, got)
		}
	}
}

// A click on what stands before a list does nothing to it.
func TestList_Update_clickBesideTheList(t *testing.T) {
	for x, want := range map[int]int{0: 0, 20: 0, 21: 1, 22: 1} {
		rows := things(3)
		l := newLoadedList(t, &rows)
		l.Detail = func(x thing, _ ui.Box) string { return x.name }
		fill := func(b ui.Box) string { return b.Fit("") }
		l.WithParentColumn(func(int) int { return 20 }, fill)
		l.View(uitest.NewBox(t, 130, 10))
		l.Update(tea.MouseClickMsg{X: x, Y: 2, Button: tea.MouseLeft})
		if row, _ := l.cursorRow(); row.id != want {
			t.Errorf("a click in column %d leads to %d, not to %d", x, row.id, want)
		}
	}
}

// The first line of a detail is left out only if it says the same as the border, in the same case, and nothing else.
func TestList_View_detailKeepsOtherTitles(t *testing.T) {
	rows := things(1)
	l := newLoadedList(t, &rows)
	for first, want := range map[string]int{
		"thing 000000":              2,
		"\x1b[1mthing 000000\x1b[m": 2,
		"THING 000000":              3,
		"thing 000000 of acme":      3,
	} {
		l.Detail = func(thing, ui.Box) string { return first + "\nmore" }
		screen := strings.ToLower(ansi.Strip(l.View(uitest.NewBox(t, 120, 10))))
		if n := strings.Count(screen, "thing 000000"); n != want {
			t.Errorf("%s: %d times, not %d\n%s", first, n, want, screen)
		}
	}
}

// The key that copies the name is the list's own only if no action has it.
func TestList_Actions_copyName(t *testing.T) {
	rows := things(1)
	l := newLoadedList(t, &rows)
	named := func() (names []string) {
		for _, a := range l.Actions() {
			if slices.Contains(a.Key.Keys(), "y") {
				names = append(names, a.Name())
			}
		}
		return names
	}
	if got := named(); !slices.Equal(got, []string{"copy name"}) {
		t.Errorf("y is %q", got)
	}
	l.RowActions = []RowAction[thing]{{Keys: []string{"y"}, Name: "copy phone"}}
	if got := named(); !slices.Equal(got, []string{"copy phone"}) {
		t.Errorf("y is %q", got)
	}
}

// The sentences of an empty list are 64 cells wide at most, and use them.
func TestList_explainEmpty_width(t *testing.T) {
	words := strings.Repeat("word ", 12)
	for next, want := range map[string]string{"four more": words + "four", "five5": strings.TrimSpace(words)} {
		l := newEmptyList(t, lists.RowPage[thing]{}, nil)
		l.EmptyText = words + next
		first := ansi.Strip(l.explainEmpty(uitest.NewBox(t, 120, 10))[0])
		if first != want {
			t.Errorf("%q, not %q", first, want)
		}
	}
}
