package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lookout/client/wording"
)

// newNamedList returns a list of things with names.
func newNamedList(t testing.TB, names ...string) *List[thing] {
	t.Helper()
	rows := make([]thing, len(names))
	for i, name := range names {
		rows[i] = thing{i, name}
	}
	return newLoadedList(t, &rows)
}

// What fits best comes first, however late its row stands, and typing errors are forgiven only where no row fits.
func TestRowFinder_Find(t *testing.T) {
	names := []string{"cobweb", "old web", "web-two", "Web", "billing"}
	for i := range 40 {
		names = append(names, fmt.Sprintf("cobweb %d", i))
	}
	l := newNamedList(t, append(names, "web")...)
	l.Search.By = func(x thing) []string { return []string{fmt.Sprintf("ticket %d", 48000+x.id)} }
	for _, c := range []struct {
		text string
		want []string
	}{
		{"web", []string{"Web", "web", "web-two", "old web", "cobweb"}},
		{"bililng", []string{"billing"}},
		{"wbe", nil},
		{"cobwbe", []string{"cobweb", "cobweb 0", "cobweb 1", "cobweb 2", "cobweb 3"}},
		{"48003", []string{"Web · ticket 48003"}},
		{"48999", nil},
	} {
		var got []string
		for _, found := range l.Find(c.text, 5) {
			got = append(got, found.Label+wording.WithPrefix(" · ", found.FoundBy))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}

// An action that is named with its row is about that row alone, and other rows stay marked.
func TestRowFinder_Action_ignoresMarks(t *testing.T) {
	l := newNamedList(t, "a", "b", "c", "d")
	var got []string
	record := func(rows []thing) tea.Cmd {
		for _, x := range rows {
			got = append(got, x.name)
		}
		return nil
	}
	l.RowActions = []RowAction[thing]{
		{Name: "one", Writes: true, Cmd: func(x thing) tea.Cmd { return record([]thing{x}) }},
		{Name: "batch", BatchCmd: record},
		{Name: "start", Many: true, Start: func(rows, _ []thing) tea.Cmd { return record(rows) }},
		{Name: "never", DisabledReason: func(thing) string { return "not now" }},
		{
			Name:           "never asks",
			Start:          func(rows, _ []thing) tea.Cmd { return record(rows) },
			DisabledReason: func(thing) string { return "not now" },
		},
	}
	pressKeys(l, "space", "space")
	for _, name := range l.ActionNames() {
		a, found := l.Action(name, "2")
		switch {
		case !found:
			t.Errorf("%s is missing", name)
		case strings.HasPrefix(name, "never"):
			if a.DisabledReason != "not now" {
				t.Errorf("%s: %q", name, a.DisabledReason)
			}
		case a.DisabledReason != "":
			t.Errorf("%s: %s", name, a.DisabledReason)
		default:
			a.Do()
		}
	}
	if !slices.Equal(got, []string{"c", "c", "c"}) || l.marks.count() != 2 {
		t.Errorf("done with %v; %d rows are marked", got, l.marks.count())
	}
	if _, found := l.Action("one", "9"); found {
		t.Error("an action on a row that is gone")
	}
	if _, found := l.Action("two", "1"); found {
		t.Error("an action that does not exist")
	}
}

// Two actions whose names begin alike, or differ only in case, are two actions.
func TestRowFinder_Action_usesWholeName(t *testing.T) {
	l := newNamedList(t, "a", "b")
	var got []string
	for _, name := range []string{"disable the key", "disable the bucket", "Disable the key"} {
		l.RowActions = append(l.RowActions, RowAction[thing]{
			Name: name,
			Cmd:  func(x thing) tea.Cmd { got = append(got, name+" of "+x.name); return nil },
		})
	}
	for _, name := range []string{"Disable the key", "disable the bucket"} {
		if a, found := l.Action(name, "1"); found {
			a.Do()
		}
	}
	if want := []string{"Disable the key of b", "disable the bucket of b"}; !slices.Equal(got, want) {
		t.Errorf("done: %q, want %q", got, want)
	}
}

// BenchmarkFind looks for a text in as many rows as Find looks at.
func BenchmarkFind(b *testing.B) {
	rows := things(maxFindRows)
	l := newLoadedList(b, &rows)
	for _, text := range []string{"t", "thing 0123", "thnig 0123", "nowhere"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.Find(text, 20)
			}
		})
	}
}
