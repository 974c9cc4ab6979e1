package shell

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/ui/uitest"
)

// benchNow is the fixed time of the benchmarks.
func benchNow() time.Time { return time.Date(2026, 11, 20, 21, 4, 10, 0, time.UTC) }

// newBusyShell returns a shell with eight panes as large as real ones, on a terminal with a size.
func newBusyShell(t testing.TB, width, height, rows int) *Shell {
	t.Helper()
	look, err := theme.New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, rows)
	for i := range names {
		names[i] = fmt.Sprintf("service-%06d", i)
	}
	store := lists.NewRowStore(t.Context(), &lists.Inline{}, lists.RowSource[string]{
		Name: "services",
		ID:   func(s string) string { return s },
		Now:  benchNow,
		Fetch: func(context.Context, string) (lists.RowPage[string], error) {
			return lists.RowPage[string]{Rows: names}, nil
		},
	})
	o := Options{
		Theme:           look,
		AccountInfo:     AccountInfo{Account: "acme-prod"},
		Now:             benchNow,
		Location:        time.UTC,
		RefreshInterval: 20 * time.Second,
		RateLimitHooks:  RateLimitHooks{RequestBudget: func() string { return "788 requests left" }},
	}
	for _, title := range []string{
		"overview", "issues", "services", "contacts", "credentials", "instances", "storage", "activity",
	} {
		o.Panes = append(o.Panes, newBusyList(store, title))
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	store.Refresh()
	s.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return s
}

// newBusyList returns a list with seven columns, and with a detail in the pane "services".
func newBusyList(store *lists.RowStore[string], title string) *table.List[string] {
	l := &table.List[string]{
		Title:   title,
		Store:   store,
		Columns: busyColumns(),
		Footer: func(s *lists.RowStore[string], b ui.Box) string {
			return b.Theme.Paint(theme.Good, fmt.Sprintf("● %d ok", s.Len()))
		},
	}
	for i, key := range []string{"d", "E", "t", "e", "D", "i"} {
		l.RowActions = append(l.RowActions, table.RowAction[string]{
			Keys:        []string{key},
			Name:        "act " + key,
			ShowInHints: i < 3,
			Many:        true,
			Writes:      true,
		})
	}
	if title == "services" {
		l.Detail = func(s string, b ui.Box) string {
			var out strings.Builder
			for i := range 20 {
				label, value := ui.Pad("label", 14), fmt.Sprint(s, " ", i)
				out.WriteString(b.Theme.Paint(theme.Muted, label) + b.Theme.Paint(theme.Plain, value) + "\n")
			}
			return out.String()
		}
	}
	return l
}

func busyColumns() []table.Column[string] {
	fixed := func(text string, tone theme.Tone) func(string, ui.Box) (string, theme.Tone) {
		return func(string, ui.Box) (string, theme.Tone) { return text, tone }
	}
	name := func(tone theme.Tone) func(string, ui.Box) (string, theme.Tone) {
		return func(s string, _ ui.Box) (string, theme.Tone) { return s, tone }
	}
	return []table.Column[string]{
		{Title: "state", Width: 10, Cell: fixed("● ok", theme.Good)},
		{Title: "label", Min: 14, Cell: name(theme.Strong)},
		{
			Title:        "type",
			Width:        4,
			DropPriority: 4,
			Cell:         fixed("url", theme.Muted),
		},
		{
			Title:        "address",
			Min:          16,
			DropPriority: 1,
			Cell:         name(theme.Plain),
		},
		{
			Title:        "timeout",
			Width:        7,
			AlignRight:   true,
			DropPriority: 5,
			Cell:         fixed("30 s", theme.Muted),
		},
		{
			Title:        "group",
			Width:        10,
			DropPriority: 3,
			Cell:         fixed("platform", theme.Plain),
		},
		{
			Title:        "updated",
			Width:        8,
			AlignRight:   true,
			DropPriority: 6,
			Cell:         fixed("3 d 4 h", theme.Muted),
		},
	}
}

// benchmarkTab measures drawing a tab, and a key in it.
func benchmarkTab(b *testing.B, tab string) {
	s := newBusyShell(b, 200, 50, 100_000)
	s.Update(uitest.Key(tab))
	s.Frame()
	b.Run("frame", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Frame()
		}
	})
	b.Run("key", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Update(uitest.Key("j"))
			s.Frame()
		}
	})
}

func BenchmarkList(b *testing.B)           { benchmarkTab(b, "2") }
func BenchmarkListWithDetail(b *testing.B) { benchmarkTab(b, "3") }

// BenchmarkDialog measures a key in a dialog above a list.
func BenchmarkDialog(b *testing.B) {
	s := newBusyShell(b, 200, 50, 100_000)
	s.Update(uitest.Key("?"))
	b.ReportAllocs()
	for b.Loop() {
		s.Update(uitest.Key("<down>"))
		s.Frame()
	}
}

func TestWriteWithMargins(t *testing.T) {
	var out strings.Builder
	writeWithMargins(&out, "one\n\ntwo")
	if want := " one \n  \n two "; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
