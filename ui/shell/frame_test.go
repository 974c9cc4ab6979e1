package shell

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
)

// newBusyShell is a shell with eight panes as large as real ones, on a terminal of a size.
func newBusyShell(t testing.TB, width, height, rows int) *Shell {
	t.Helper()
	look, err := theme.New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 21, 4, 10, 0, time.UTC)
	clock := func() time.Time { return now }
	names := make([]string, rows)
	for i := range names {
		names[i] = fmt.Sprintf("service-%06d", i)
	}
	set := ui.NewStore(t.Context(), ui.Source[string]{
		Name:  "services",
		ID:    func(s string) string { return s },
		Now:   clock,
		Fetch: func(context.Context, string) (ui.RowPage[string], error) { return ui.RowPage[string]{Rows: names}, nil },
	})
	cell := func(text string, tone theme.Tone) func(string, ui.Box) (string, theme.Tone) {
		return func(string, ui.Box) (string, theme.Tone) { return text, tone }
	}
	pane := func(title string, wide bool) *table.List[string] {
		l := &table.List[string]{
			Title: title,
			Store: set,
			Columns: []table.Column[string]{
				{Title: "state", Width: 10, Cell: cell("● ok", theme.Good)},
				{
					Title: "label",
					Min:   14,
					Cell:  func(s string, _ ui.Box) (string, theme.Tone) { return s, theme.Strong },
				},
				{
					Title:        "type",
					Width:        4,
					DropPriority: 4,
					Cell:         cell("url", theme.Muted),
				},
				{
					Title:        "address",
					Min:          16,
					DropPriority: 1,
					Cell:         func(s string, _ ui.Box) (string, theme.Tone) { return s, theme.Plain },
				},
				{
					Title:        "timeout",
					Width:        7,
					AlignRight:   true,
					DropPriority: 5,
					Cell:         cell("30 s", theme.Muted),
				},
				{
					Title:        "group",
					Width:        10,
					DropPriority: 3,
					Cell:         cell("platform", theme.Plain),
				},
				{
					Title:        "updated",
					Width:        8,
					AlignRight:   true,
					DropPriority: 6,
					Cell:         cell("3 d 4 h", theme.Muted),
				}},
			Footer: func(s *ui.Store[string], b ui.Box) string {
				return b.Theme.Paint(theme.Good, fmt.Sprintf("● %d ok", s.Len()))
			},
		}
		for i, key := range []string{"d", "E", "t", "e", "D", "i"} {
			l.Operations = append(l.Operations, table.Operation[string]{
				Keys:        []string{key},
				Name:        "act " + key,
				ShowInHints: i < 3,
				Many:        true,
				Writes:      true,
			})
		}
		if wide {
			l.Detail = func(s string, b ui.Box) string {
				var out strings.Builder
				for i := range 20 {
					out.WriteString(
						b.Theme.Paint(
							theme.Muted,
							ui.Pad("label", 14),
						) + b.Theme.Paint(
							theme.Plain,
							fmt.Sprint(s, " ", i),
						) + "\n",
					)
				}
				return out.String()
			}
		}
		return l
	}
	o := Options{
		Theme:           look,
		AccountInfo:     AccountInfo{Account: "acme-prod"},
		Now:             clock,
		Location:        time.UTC,
		RefreshInterval: 20 * time.Second,
		RateLimitHooks:  RateLimitHooks{RequestBudget: func() string { return "requests 788 of 800" }},
	}
	for _, title := range []string{"overview", "issues", "services", "contacts", "credentials", "instances", "storage", "activity"} {
		o.Panes = append(o.Panes, pane(title, title == "services"))
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for msg := set.Refresh()(); msg != nil; msg = nil {
		s.Update(msg)
	}
	s.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return s
}

func benchmarkTab(b *testing.B, tab string) {
	s := newBusyShell(b, 200, 50, 100_000)
	s.Update(tea.KeyPressMsg{Code: rune(tab[0]), Text: tab})
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
			s.Update(tea.KeyPressMsg{Code: 'j', Text: "j"})
			s.Frame()
		}
	})
}

func BenchmarkList(b *testing.B)           { benchmarkTab(b, "2") }
func BenchmarkListWithDetail(b *testing.B) { benchmarkTab(b, "3") }
