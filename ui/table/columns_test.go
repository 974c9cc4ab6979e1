package table

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/uitest"
)

func TestList_ChooseColumns(t *testing.T) {
	cell := func(part int) func(string, ui.Box) (string, theme.Tone) {
		return func(s string, _ ui.Box) (string, theme.Tone) { return strings.Split(s, "/")[part], theme.Plain }
	}
	set := lists.NewRowStore(
		t.Context(),
		&lists.Inline{},
		lists.RowSource[string]{Name: "things", ID: func(s string) string { return s },
			Fetch: func(context.Context, string) (lists.RowPage[string], error) {
				return lists.RowPage[string]{Rows: []string{"b/red/9", "a/blue/7"}}, nil
			}},
	)
	l := &List[string]{
		Title:  "things",
		Store:  set,
		SortBy: "name",
		Columns: []Column[string]{
			{Title: "name", Width: 6, Cell: cell(0)},
			{Title: "colour", Name: "hue", Width: 8, Cell: cell(1)},
			{Title: "size", Width: 6, Cell: cell(2)},
		},
	}
	set.Refresh()
	if unknown := l.ChooseColumns([]string{"size", "weight", "hue", "colour", "size"}); !slices.Equal(
		unknown, []string{"weight"},
	) {
		t.Errorf("unknown: %v", unknown)
	}
	look, err := theme.New("dark", colorprofile.ASCII, true)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(ansi.Strip(l.View(ui.Box{
		Width:  60,
		Height: 5,
		Theme:  look,
		Now:    time.Now(),
	})), "\n")
	if got := strings.Fields(lines[0]); !slices.Equal(got, []string{"size", "colour"}) {
		t.Errorf("header %v", got)
	}
	// still sorted by a hidden column
	if got := strings.Fields(lines[1]); !slices.Equal(got, []string{">", "7", "blue"}) {
		t.Errorf("first row %v", got)
	}
	l.filter.text = "name:b"
	if l.restoreCursor(); l.rowIndex.count(set) != 1 {
		t.Errorf("%d rows match a column that is not shown", l.rowIndex.count(set))
	}
	for _, text := range []string{"hue:red", "colour:red"} {
		l.filter.text = text
		if l.restoreCursor(); l.rowIndex.count(set) != 1 {
			t.Errorf("%s: %d rows match, want 1", text, l.rowIndex.count(set))
		}
	}
	if csv := l.csv(); csv != "size,colour\n9,red\n" {
		t.Errorf("csv %q", csv)
	}
	if unknown := l.ChooseColumns([]string{"weight"}); len(unknown) != 1 || l.Columns[0].Title != "size" {
		t.Errorf("a choice of nothing known changed %v", l.ColumnNames())
	}
}

// Sideways, each step shows another column, the row's name always stays, and the last step shows the last column.
func TestList_scrollColumns_keepsLabel(t *testing.T) {
	rows := things(3)
	l := newLoadedList(t, &rows)
	l.Columns = nil
	for i, title := range []string{"state", "kind", "label", "c1", "c2", "c3", "c4"} {
		l.Columns = append(l.Columns, Column[thing]{
			Title:        title,
			Width:        10,
			DropPriority: max(0, i-2),
			IsLabel:      title == "label",
			Cell:         TextCell(theme.Plain, func(thing) string { return ui.Pad(title+"!", 9) + "." }),
		})
	}
	box := uitest.NewBox(t, 52, 8)
	seen := map[string]bool{}
	screen := ansi.Strip(l.View(box))
	for step := range 12 {
		if !strings.Contains(screen, "state!") || !strings.Contains(screen, "label!") {
			t.Fatalf("after %d steps the row has lost its label:\n%s", step, screen)
		}
		seen[screen] = true
		if strings.Contains(screen, "c4!") && step < 2 {
			t.Fatalf("everything is in sight at once:\n%s", screen)
		}
		pressKeys(l, "right")
		next := ansi.Strip(l.View(box))
		if next == screen && !strings.Contains(screen, "c4!") {
			t.Fatalf("step %d shows nothing new:\n%s", step, screen)
		}
		screen = next
	}
	if !strings.Contains(screen, "c4!") || len(seen) != 4 {
		t.Errorf("%d screens; the last:\n%s", len(seen), screen)
	}
	for range 3 {
		pressKeys(l, "left")
	}
	if screen := ansi.Strip(l.View(box)); !strings.Contains(screen, "kind!") {
		t.Errorf("left does not go back:\n%s", screen)
	}
}

// newPlaces returns a list with columns like those of services: an address that is often longer than its column, beside
// columns that are mostly empty.
func newPlaces(t *testing.T, rows ...string) *List[string] {
	cell := func(part int) func(string, ui.Box) (string, theme.Tone) {
		return func(s string, _ ui.Box) (string, theme.Tone) { return strings.Split(s, "|")[part], theme.Plain }
	}
	set := lists.NewRowStore(
		t.Context(),
		&lists.Inline{},
		lists.RowSource[string]{Name: "places", ID: func(s string) string { return s },
			Fetch: func(context.Context, string) (lists.RowPage[string], error) {
				return lists.RowPage[string]{Rows: rows}, nil
			}},
	)
	set.Refresh()
	return &List[string]{
		Title:  "places",
		Store:  set,
		SortBy: "label",
		Columns: []Column[string]{
			{Title: "label", Min: 6, IsLabel: true, Cell: cell(0)},
			{Title: "kind", Width: 4, DropPriority: 5, Cell: cell(1)},
			{Title: "address", Min: 9, DropPriority: 1, Cell: cell(2)},
			{
				Title:        "issue",
				Width:        12,
				Min:          6,
				DropPriority: 2,
				Cell:         cell(3),
				Shorten: func(s string, b ui.Box) string {
					first, _, _ := strings.Cut(strings.Split(s, "|")[3], " ")
					return first[:min(len(first), b.Width)]
				},
			},
			{Title: "off", Width: 10, DropPriority: 2, Cell: cell(4)},
			{Title: "updated", Width: 8, DropPriority: 6, Cell: cell(5)},
		},
	}
}

// Where space is short, columns are as narrow as their cells, the least important ones make room for an address, a long
// text goes on over empty cells beside it, and a text that still does not fit is shortened.
func TestList_View_givesWidthToWhatIsRead(t *testing.T) {
	const long = "https://long.example/health?a=1"
	l := newPlaces(
		t,
		"api|tcp|db2.example:5432|#823 6 min||9 d",
		"cron|tcp|batch-1.example:8080||2 d 4 h|2 d",
		"web|url|"+long+"|||5 d",
	)
	row := func(width int, label string) string {
		for line := range strings.Lines(ansi.Strip(l.View(uitest.NewBox(t, width, 6)))) {
			if strings.Contains(line, label+" ") {
				return strings.Join(strings.Fields(line), " ")
			}
		}
		return ""
	}
	for _, c := range []struct {
		width       int
		label, want string
	}{
		{90, "api", "▸ api tcp db2.example:5432 #823 6 min 9 d"},
		{90, "web", "web url " + long + " 5 d"},
		{66, "web", "web " + long},                 // without what matters less
		{54, "api", "▸ api db2.example:5432 #823"}, // the rest would stand below "off"
		{54, "cron", "cron batch-1.example:8080 2 d 4 h"},
		{54, "web", "web " + long}, // over the cells beside it
		{35, "api", "▸ api db2.example:5432 #823"},
	} {
		if got := row(c.width, c.label); got != c.want {
			t.Errorf(
				"%d columns: %q, want %q\n%s", c.width, got, c.want, ansi.Strip(l.View(uitest.NewBox(t, c.width, 6))),
			)
		}
	}
}

// A long cell of the least important column is shown whole before a more important one gets width that it does not
// need.
func TestList_View_cellsBeforeSpareWidth(t *testing.T) {
	const long = "a long reason in words"
	l := newPlaces(t, "api|x|||"+long+"|")
	l.Columns = []Column[string]{l.Columns[0], l.Columns[4]}
	l.Columns[0].Min, l.Columns[0].Width, l.Columns[1].Width, l.Columns[1].Min = 0, 30, 0, 3
	if screen := ansi.Strip(l.View(uitest.NewBox(t, 40, 6))); !strings.Contains(screen, long) {
		t.Errorf("the cell is cut:\n%s", screen)
	}
}

// A column that was narrow because its cells were short is widened in the frame in which one is longer: what a cell
// shows depends on the clock and on other lists as well.
func TestList_View_widensForLongerCells(t *testing.T) {
	for column, texts := range map[int][2]string{
		2: {"reading", "https://long.example/health?a=1"}, // without a width of its own
		3: {"", "#823 6 min · #824 2 h"},                  // wider than its usual width
		4: {"1 d", "2 d 4 h"},
	} {
		l := newPlaces(t, "api|tcp|||1 d|1 d", "cron|tcp||||1 d")
		text := texts[0]
		l.Columns[column].Cell = func(s string, _ ui.Box) (string, theme.Tone) {
			if strings.HasPrefix(s, "cron") {
				return text, theme.Plain
			}
			return "", theme.Plain
		}
		l.Columns[column+1].Cell = TextCell(theme.Plain, func(string) string { return "x" }) // not empty beside it
		l.Columns[column].Shorten = nil
		l.View(uitest.NewBox(t, 90, 6))
		text = texts[1]
		screen := ansi.Strip(l.View(uitest.NewBox(t, 90, 6)))
		if !strings.Contains(screen, text) {
			t.Errorf("the cell of column %d is cut:\n%s", column, screen)
		}
	}
}

// A column is as wide as its cells are now, also if they come from another list that has been read since.
func TestList_View_measuresAfterJoinedStore(t *testing.T) {
	long := "https://long.example/health?a=1"
	joined := lists.NewRowStore(t.Context(), &lists.Inline{}, lists.RowSource[string]{
		Name: "joined",
		ID:   func(s string) string { return s },
		Fetch: func(context.Context, string) (lists.RowPage[string], error) {
			return lists.RowPage[string]{Rows: []string{long}}, nil
		},
	})
	l := newPlaces(t, "api|tcp|x|||1 d")
	l.JoinedStores = JoinedStores{joined}
	l.Columns[2].Cell = func(string, ui.Box) (string, theme.Tone) {
		if joined.Len() == 0 {
			return "", theme.Plain
		}
		return joined.At(0), theme.Plain
	}
	titles := func() int {
		header, _, _ := strings.Cut(ansi.Strip(l.View(uitest.NewBox(t, 90, 6))), "\n")
		return strings.Index(header, "issue")
	}
	before := titles()
	for _, c := range []struct {
		text string
		want int
	}{{long, before + len(long) - l.Columns[2].Min}, {"a", before}} {
		long = c.text
		joined.Refresh()
		if got := titles(); got != c.want {
			t.Errorf("the column after %q begins at %d, want %d", c.text, got, c.want)
		}
	}
}

// The column that rows are sorted by is wide enough for its title and the arrow, and a text is shortened to the width
// of its column.
func TestList_View_widthOfSortedTitle(t *testing.T) {
	rows := things(3)
	l := newLoadedList(t, &rows)
	shortened := map[int]bool{}
	l.Columns = append(l.Columns, Column[thing]{
		Title: "long title",
		Min:   1,
		Cell:  func(thing, ui.Box) (string, theme.Tone) { return "x", theme.Muted },
		Less:  func(a, b thing) bool { return a.id < b.id },
	}, Column[thing]{
		Title:   "notes",
		Min:     4,
		Cell:    func(thing, ui.Box) (string, theme.Tone) { return strings.Repeat("long ", 40), theme.Muted },
		Shorten: func(_ thing, b ui.Box) string { shortened[b.Width] = true; return strings.Repeat("s", b.Width) },
	})
	l.rowIndex.column, l.rowIndex.initialized = 2, true
	screen := ansi.Strip(l.View(uitest.NewBox(t, 60, 8)))
	if !strings.Contains(screen, "long title ▲") {
		t.Errorf("the title is cut:\n%s", screen)
	}
	for width := range shortened {
		if !strings.Contains(screen, " "+strings.Repeat("s", width)) || width > 30 {
			t.Errorf("a text is shortened to %d cells:\n%s", width, screen)
		}
	}
	if len(shortened) == 0 {
		t.Error("nothing is shortened")
	}
}

// Beside boxes, a list is as wide as its columns need, without those that are hidden or scrolled past, if the boxes
// keep their least width. What they do not use is the list's, and so is what its columns need in a narrow list.
func TestTableRenderer_listWidth(t *testing.T) {
	for _, c := range []struct {
		hidden, label          int
		scrolled, width, boxes int
		want                   int
	}{
		{-1, 0, 0, 130, 1, 32 + 14 + 16 + 18},
		{-1, 0, 1, 120, 1, 32 + 16 + 18},
		{-1, 0, 2, 100, 1, 32 + 18},
		{1, 0, 0, 120, 1, 32 + 16 + 18},
		{1, 0, 1, 100, 1, 32 + 18},
		{-1, 2, 2, 100, 1, 32 + 16},
		{-1, 0, 0, 180, 2, 32 + 14 + 16 + 18},
		{-1, 0, 0, 110, 1, 110 - 43},
		{-1, 0, 0, 160, 2, 160 - 2*43},
		{-1, 0, 0, 150, 1, 150 - 61},
		{-1, 0, 0, 210, 2, 210 - 2*61},
		{-1, 0, 0, 60, 1, 40},
		{1, 0, 1, 60, 1, 40},
		{1, 0, 2, 60, 1, 32},
	} {
		g := tableRenderer{heads: []columnHead{{width: 30}, {width: 12}, {width: 14}, {width: 16}}}
		g.heads[c.label].isLabel = true
		if c.hidden >= 0 {
			g.heads[c.hidden].hidden = true
		}
		if got := g.listWidth(c.scrolled, c.width, c.boxes, 40); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
