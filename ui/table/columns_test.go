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
	if csv := (controls[string]{l}).csv(); csv != "size,colour\n9,red\n" {
		t.Errorf("csv %q", csv)
	}
	if unknown := l.ChooseColumns([]string{"weight"}); len(unknown) != 1 || l.Columns[0].Title != "size" {
		t.Errorf("a choice of nothing known changed %v", l.ColumnNames())
	}
}
