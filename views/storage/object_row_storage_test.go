package storage

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/uitest"
	"lookout/views/operation"
)

// logObjects returns n objects of a folder, and three folders in it, in no order of names.
func logObjects(n int) []*client.Object {
	rows := make([]*client.Object, 0, n+3)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		rows = append(rows, &client.Object{
			Name:     client.NewText(fmt.Sprintf("logs/web/Service-%03d/%07d.log", i*7%1000, i)),
			Size:     int64(i * 977 % 1_000_003),
			ETag:     client.NewETag(fmt.Sprintf("%032x", i)),
			Owner:    client.NewText("acme"),
			Modified: client.NewTime(at.Add(time.Duration(i*31%n) * time.Second)),
		})
	}
	for _, folder := range []string{"z", "b", "a"} {
		rows = append(rows, &client.Object{Name: client.NewText("logs/web/" + folder + "/")})
	}
	return rows
}

// openListing returns the list of a folder whose rows have all been read.
func openListing(t testing.TB, rows []*client.Object) *objectListing {
	t.Helper()
	api, err := client.New(
		"https://api.example.test/v4", client.NewSecret("t"),
		client.WithTransport(emulator.New(emulator.Options{Token: "t", Seed: "empty"})),
	)
	if err != nil {
		t.Fatal(err)
	}
	a := account.New(t.Context(), account.Options{Executor: &lists.Inline{}, API: api, Location: time.UTC})
	bucket := &client.Bucket{Cluster: client.NewText("us-east-1"), Label: client.NewText("logs")}
	l := ObjectsPane(a, bucket, "logs/web/", "/").(*objectListing)
	l.Store = lists.NewRowStore(t.Context(), &lists.Inline{}, lists.RowSource[*client.Object]{
		Name:       "objects",
		ID:         func(o *client.Object) string { return o.Name.Raw() },
		Lazy:       true,
		NewStorage: l.newStorage,
		Fetch: func(context.Context, string) (lists.RowPage[*client.Object], error) {
			return lists.RowPage[*client.Object]{Rows: rows}, nil
		},
	})
	l.Store.Refresh()
	if l.Store.Len() != len(rows) {
		t.Fatalf("%d rows", l.Store.Len())
	}
	return l
}

// press presses keys. After a slash it types the rest.
func (l *objectListing) press(t testing.TB, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if l.Info().Typing {
			for _, pressed := range uitest.Keys(key, "<enter>") {
				uitest.RunAll(l.Update(pressed))
			}
			l.LoadMissing()
			continue
		}
		i := slices.IndexFunc(l.Actions(), func(a ui.Action) bool { return slices.Contains(a.Key.Keys(), key) })
		if i < 0 {
			t.Fatalf("unknown key %q", key)
		}
		uitest.RunAll(l.Actions()[i].Do())
	}
}

// sort sorts by a column, or reverses its order.
func (l *objectListing) sort(t testing.TB, column int) {
	t.Helper()
	sortAction := slices.IndexFunc(l.Actions(), func(a ui.Action) bool { return a.Name() == "sort" })
	menu := l.Actions()[sortAction].Do()().(ui.OpenMenuMsg)
	uitest.RunAll(menu.Actions[column].Do())
	l.LoadMissing()
}

// frame returns the first lines of the list as text.
func (l *objectListing) frame(t testing.TB, lines int) string {
	t.Helper()
	look, err := theme.New("dark", colorprofile.ASCII, false)
	if err != nil {
		t.Fatal(err)
	}
	l.Detail = nil
	room := ui.Box{
		Width:  90,
		Height: 30,
		Theme:  look,
		Now:    time.Unix(0, 0),
	}
	l.View(room)
	l.LoadMissing()
	text := l.View(room)
	return strings.Join(strings.Split(text, "\n")[:lines], "\n")
}

// A filter matches the shown part of a name, for lists of any size and in any case. It does not match the common
// folder, nor sizes and dates unless it names their columns. Folders are sorted first.
func TestObjectsAreFilteredAndSorted(t *testing.T) {
	for _, n := range []int{2_000, 30_000} {
		rows := logObjects(n)
		l := openListing(t, rows)
		l.frame(t, 1)
		matching := func(match func(o *client.Object, name string) bool) (n int) {
			for _, o := range rows {
				if match(o, strings.ToLower(strings.TrimPrefix(o.Name.Raw(), "logs/web/"))) {
					n++
				}
			}
			return n
		}
		for _, c := range []struct {
			filter string
			match  func(o *client.Object, name string) bool
		}{
			{"web", func(*client.Object, string) bool { return false }},
			{"SERVICE-01", func(_ *client.Object, name string) bool { return strings.Contains(name, "service-01") }},
			{"service-01 77", func(_ *client.Object, name string) bool {
				return strings.Contains(name, "service-01") && strings.Contains(name, "77")
			}},
			{"service !77", func(_ *client.Object, name string) bool {
				return strings.Contains(name, "service") && !strings.Contains(name, "77")
			}},
			{"77 size:kib", func(o *client.Object, name string) bool {
				return strings.Contains(name, "77") && strings.Contains(operation.FormatSize(o.Size), "KiB")
			}},
		} {
			l.press(t, "/", c.filter)
			count := func(n int) string { return wording.FormatCount(int64(n)) }
			want := fmt.Sprintf("%s of %s match", count(matching(c.match)), count(len(rows)))
			if got := l.frame(t, 30); !strings.Contains(got, want) {
				t.Errorf("%q of %d: not %q\n%s", c.filter, n, want, got)
			}
			l.press(t, "esc")
		}
		l.sort(t, 1) // the largest first
		l.press(t, "g")
		largest := slices.MaxFunc(rows, func(a, b *client.Object) int { return int(a.Size - b.Size) })
		lines := strings.Split(l.frame(t, 6), "\n")[1:] // below the parent row
		for i, want := range []string{"a/", "b/", "z/", strings.TrimPrefix(largest.Name.Raw(), "logs/web/")} {
			if !strings.Contains(lines[i+1], want) {
				t.Errorf("line %d of %d is not of %s: %s", i+1, n, want, lines[i+1])
			}
		}
	}
}

// heapInUse returns the heap in use, in bytes.
func heapInUse() uint64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkMillionObjects measures the objects pane with a million rows: memory per row, and the cost of keys.
func BenchmarkMillionObjects(b *testing.B) {
	const million = 1_000_000
	l := openListing(b, logObjects(3))
	before := heapInUse()
	l.Store = lists.NewRowStore(b.Context(), &lists.Inline{}, lists.RowSource[*client.Object]{
		Name:       "objects",
		ID:         func(o *client.Object) string { return o.Name.Raw() },
		Lazy:       true,
		NewStorage: l.newStorage,
		Fetch: func(context.Context, string) (lists.RowPage[*client.Object], error) {
			return lists.RowPage[*client.Object]{Rows: logObjects(million)}, nil
		},
	})
	l.Store.Refresh()
	held := float64(heapInUse()-before) / million
	l.frame(b, 1)
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
			l.frame(b, 1)
		}
		b.ReportMetric(held, "B/object")
	})
	b.Run("filter", func(b *testing.B) {
		for b.Loop() {
			l.press(b, "/", "service-017", "esc")
		}
	})
	for column, name := range []string{"name", "size", "modified"} {
		b.Run("sort/"+name, func(b *testing.B) {
			l.sort(b, (column+1)%3)
			for b.Loop() {
				l.sort(b, column)
			}
		})
	}
	b.Run("markAll", func(b *testing.B) {
		for b.Loop() {
			l.press(b, "A", "esc")
		}
	})
}
