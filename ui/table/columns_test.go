package table

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/uitest"
)

func TestList_ChooseColumns(t *testing.T) {
	cell := func(part int) func(string, ui.Box) (string, theme.Tone) {
		return func(s string, _ ui.Box) (string, theme.Tone) { return strings.Split(s, "/")[part], theme.Plain }
	}
	set := ui.NewStore(t.Context(), ui.Source[string]{Name: "things", ID: func(s string) string { return s },
		Fetch: func(context.Context, string) (ui.RowPage[string], error) {
			return ui.RowPage[string]{Rows: []string{"b/red/9", "a/blue/7"}}, nil
		}})
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
	set.Refresh()().(ui.AsyncResult).Deliver()
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
	if csv := (*controls[string])(l).csv(); csv != "size,colour\n9,red\n" {
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
			Cell:         TextCell(theme.Plain, func(thing) string { return title + "!" }),
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
