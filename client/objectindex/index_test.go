package objectindex

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lookout/client"
)

// eachTestPage calls a function with n objects, page by page.
func eachTestPage(_ testing.TB, n int, take func([]client.Object)) {
	for from := 0; from < n; from += pageSize {
		page := make([]client.Object, min(pageSize, n-from))
		for i := range page {
			page[i] = testObject(from + i)
		}
		take(page)
	}
}

// pointersTo returns objects as an index takes them.
func pointersTo(rows []client.Object) []*client.Object {
	return (&client.ObjectPage{Data: rows}).Rows()
}

const pageSize = 500

func testObject(i int) client.Object {
	return client.Object{
		Name:     client.NewText(rowName(i)),
		ETag:     client.NewETag(fmt.Sprintf("%032x", uint64(i)*0x9e3779b97f4a7c15)),
		Modified: parseTime(fmt.Sprintf("2026-%02d-%02dT01:02:%02d.123Z", i%12+1, i%28+1, i%60)),
		Owner:    client.NewText("9d6e1c5a-0b7f-4d0e-8c55-1f2e3d4c5b6a"),
		Size:     int64(i * 977 % 1_000_003),
	}
}

// rowName returns a name as backups have it.
func rowName(i int) string {
	return fmt.Sprintf(
		"2026/%02d/%02d/service-%03d/%09d-%s.log", i/100_000%12+1, i/3000%33, i/100%1000, i,
		"abcdefghijklmnop"[:i*7%17],
	)
}

// parseTime returns a timestamp as the API sends it.
func parseTime(text string) client.Timestamp {
	var t client.Timestamp
	if err := t.UnmarshalJSON([]byte(strconv.Quote(text))); err != nil {
		panic(err)
	}
	return t
}

// oddObjects are objects of every kind that a server can send.
func oddObjects() []client.Object {
	row := func(name string, change func(*client.Object)) client.Object {
		o := client.Object{
			Name:     client.NewText(name),
			ETag:     client.NewETag("d41d8cd98f00b204e9800998ecf8427e"),
			Modified: parseTime("2026-01-02T03:04:05.678Z"),
			Owner:    client.NewText("me"),
			Size:     7,
		}
		change(&o)
		return o
	}
	rows := []client.Object{{}, {Name: client.NewText("folder/")}, row("plain", func(*client.Object) {}),
		row("parts", func(o *client.Object) { o.ETag = client.NewETag("d41d8cd98f00b204e9800998ecf8427e-65535") }),
		row(
			"other tag", func(o *client.Object) { o.ETag = client.NewETag(`"x"`) },
		), row("no tag", func(o *client.Object) { o.ETag = client.ETag{} }),
		row("zero sum", func(o *client.Object) { o.ETag = client.NewETag(strings.Repeat("0", 32)) }),
		row(
			strings.Repeat("long", 20_000), func(*client.Object) {},
		), row(strings.Repeat("x", 1<<16-1), func(*client.Object) {}), row("\xff\x00", func(*client.Object) {}),
		{Name: client.NewText("name and owner"), Owner: client.NewText("me")}}
	for i, stamp := range []string{
		"", "soon", "2026-01-02T03:04:05", "2026-01-02T03:04:05+01:00", "0002-01-01T00:00:00",
		"9999-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z",
	} {
		rows = append(rows, row(fmt.Sprint("stamp", i), func(o *client.Object) { o.Modified = parseTime(stamp) }))
	}
	rows = append(rows, row("fine stamp", func(o *client.Object) { o.Modified = client.NewTime(time.Unix(1, 5)) }))
	for i, size := range []int64{0, -1, maxSize - 1, maxSize, math.MaxInt64, math.MinInt64} {
		rows = append(rows, row(fmt.Sprint("size", i), func(o *client.Object) { o.Size = size }))
	}
	return rows
}

func TestIndex_roundTrip(t *testing.T) {
	t.Parallel()
	rows := oddObjects()
	for i := range maxOwners + 50 {
		rows = append(
			rows,
			client.Object{
				Name:  client.NewText(fmt.Sprint("owned", i)),
				Owner: client.NewText(fmt.Sprint("owner", i)),
				Size:  int64(i),
			},
		)
	}
	s := New()
	if n := s.Append(pointersTo(append(slices.Clone(rows), rows...))); n != len(rows) || s.Len() != len(rows) {
		t.Fatalf("%d dropped and %d held of %d", n, s.Len(), len(rows))
	}
	for i, o := range rows {
		if got := s.At(i); !reflect.DeepEqual(got, o) || got != o {
			t.Errorf("%.80q: %+.200v became %+.200v", o.Name.Raw(), o, got)
		}
		if place, held := s.Index(o.Name.Raw()); !held || place != i {
			t.Errorf("%.80q is at %d, %v, not %d", o.Name.Raw(), place, held, i)
		}
	}
	for i, o := range rows { // every kind of row in the place of every other kind
		o.Name = rows[(i+1)%len(rows)].Name
		s.Put(o.Name.Raw(), &o)
		if got := s.At((i + 1) % len(rows)); got != o {
			t.Errorf("%.80q: %+.200v was put as %+.200v", o.Name.Raw(), o, got)
		}
	}
}

// A model is the index as a slice: after the same operations, both hold the same rows.
type model struct{ rows []client.Object }

func (m *model) index(name string) int {
	return slices.IndexFunc(m.rows, func(o client.Object) bool { return o.Name.Raw() == name })
}

func TestIndex_matchesModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		random := rand.New(rand.NewPCG(seed, 1))
		s, m := New(), &model{}
		for i := range 2*chunkRows + 300 {
			o := client.Object{Name: client.NewText(rowName(i)), Size: int64(i)}
			s.Append([]*client.Object{&o})
			m.rows = append(m.rows, o)
		}
		still, before := s.Snapshot(), slices.Clone(m.rows)
		for range 1500 {
			name := rowName(random.IntN(2*chunkRows + 600))
			o := client.Object{Name: client.NewText(name), Size: random.Int64N(1000)}
			i := m.index(name)
			switch random.IntN(4) {
			case 0, 1:
				s.Drop(name)
				if i >= 0 {
					m.rows = slices.Delete(m.rows, i, i+1)
				}
			case 2:
				s.Put(name, &o)
				if i >= 0 {
					m.rows[i] = o
				} else {
					m.rows = append(m.rows, o)
				}
			case 3:
				if dropped := s.Append([]*client.Object{&o}); dropped == 1 != (i >= 0) {
					t.Fatalf("%d dropped; held: %v", dropped, i >= 0)
				}
				if i < 0 {
					m.rows = append(m.rows, o)
				}
			}
		}
		same(t, "the shelf", s.Len(), s.At, m.rows)
		same(t, "the snapshot", still.Len(), still.At, before)
		for i, o := range m.rows {
			if place, held := s.Index(o.Name.Raw()); !held || place != i {
				t.Fatalf("%q is at %d, %v, not %d", o.Name.Raw(), place, held, i)
			}
		}
		if _, held := s.Index("none"); held {
			t.Error("a name that was never there is held")
		}
	}
}

func same(t *testing.T, what string, n int, at func(int) client.Object, want []client.Object) {
	t.Helper()
	if n != len(want) {
		t.Fatalf("%s: %d rows, not %d", what, n, len(want))
	}
	for i, o := range want {
		if got := at(i); got != o {
			t.Fatalf("%s: row %d is %+v, not %+v", what, i, got, o)
		}
	}
}

func TestIndex_Put_renamedObject(t *testing.T) {
	s := New()
	s.Append([]*client.Object{{Name: client.NewText("a")}, {Name: client.NewText("b")}})
	s.Put("a", &client.Object{Name: client.NewText("c")})
	if _, held := s.Index("a"); held || s.Len() != 2 || s.At(1).Name.Raw() != "c" {
		t.Errorf("%d rows, the last %v", s.Len(), s.At(s.Len()-1))
	}
}

// A snapshot can be read while the index changes; run it with the race detector.
func TestIndex_Snapshot_concurrentReads(t *testing.T) {
	s := New()
	s.Append(pointersTo(oddObjects()))
	done := make(chan bool)
	for i := range 40 {
		still, n := s.Snapshot(), s.Len()
		go func() {
			hits, err := still.Filter(t.Context(), "SERVICE", "", nil)
			sorted, failed := still.Sort(t.Context(), BySize, i%2 == 0, nil, nil)
			done <- err == nil && failed == nil && still.Len() == n && len(sorted) == n && len(hits) <= n
		}()
		for j := range 400 {
			s.Append([]*client.Object{{Name: client.NewText(rowName(i*400 + j)), Size: int64(j)}})
		}
		s.Put("plain", &client.Object{Name: client.NewText("plain"), Size: int64(i)})
		s.Drop(rowName(i * 7))
	}
	for range 40 {
		if !<-done {
			t.Error("a snapshot changed")
		}
	}
}

func TestSnapshot_filterAndSort(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 3))
	s := New()
	names := []string{"IMG_1.JPG", "img_2.jpg", "straße/GRÖSSE.txt", "data/x", "data/X2", "İ", "\xff", "z"}
	for i := range 20_000 {
		names = append(
			names, rowName(random.IntN(1_000_000)), fmt.Sprintf("%s%d.JPG", strings.Repeat("ab", random.IntN(4)), i),
		)
	}
	for i, name := range names {
		o := client.Object{
			Name:     client.NewText(name),
			Owner:    client.NewText("me"),
			Size:     random.Int64N(5000),
			Modified: client.NewTime(time.Unix(random.Int64N(2000), 0)),
		}
		if i%10 == 9 {
			o = client.Object{Name: client.NewText(name + "/")}
		}
		s.Append([]*client.Object{&o})
	}
	s.Append(pointersTo(oddObjects()))
	for i := 0; i < s.Len(); i += 17 {
		s.Drop(s.At(i).Name.Raw())
	}
	still := s.Snapshot()
	for _, text := range []string{"", "jpg", "Jpg", "größe", "data/x", "service-01", "nowhere", "i", "\xff"} {
		checkFilter(t, still, text)
	}
	within, _ := still.Filter(t.Context(), "jpg", "", nil)
	for by, order := range map[SortOrder]func(a, b client.Object) int{
		ByName: func(a, b client.Object) int { return strings.Compare(a.Name.Raw(), b.Name.Raw()) },
		BySize: func(a, b client.Object) int { return cmp.Compare(a.Size, b.Size) },
		ByModified: func(a, b client.Object) int {
			return cmp.Compare(a.Modified.Time().UnixMilli(), b.Modified.Time().UnixMilli())
		},
	} {
		for _, reverse := range []bool{false, true} {
			checkSort(t, still, by, reverse, nil, order)
			checkSort(t, still, by, reverse, within, order)
		}
	}
}

func checkFilter(t *testing.T, s *Snapshot, text string) {
	t.Helper()
	var want []int32
	for i := range s.Len() {
		if strings.Contains(strings.ToLower(s.Name(i)), strings.ToLower(text)) {
			want = append(want, int32(i))
		}
	}
	got, err := s.Filter(t.Context(), text, "", nil)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q: %d hits, not %d, %v", text, len(got), len(want), err)
	}
	all := []int32{}
	for i := range s.Len() {
		all = append(all, int32(i))
	}
	if got, err = s.Filter(t.Context(), text, "", all); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q within all: %d hits, not %d, %v", text, len(got), len(want), err)
	}
}

func checkSort(
	t *testing.T,
	s *Snapshot,
	by SortOrder,
	reverse bool,
	within []int32,
	order func(a, b client.Object) int,
) {
	t.Helper()
	want := slices.Clone(within)
	rows := make([]client.Object, s.Len())
	for i := range rows {
		rows[i] = s.At(i)
		if within == nil {
			want = append(want, int32(i))
		}
	}
	slices.SortStableFunc(want, func(a, b int32) int {
		x, y := rows[a], rows[b]
		switch {
		case x.IsPrefix() != y.IsPrefix():
			return map[bool]int{true: -1, false: 1}[x.IsPrefix()]
		case x.IsPrefix():
			return strings.Compare(x.Name.Raw(), y.Name.Raw())
		case reverse:
			return order(y, x)
		}
		return order(x, y)
	})
	got, err := s.Sort(t.Context(), by, reverse, within, nil)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("order %d, reverse %v: %d places, not %d; %v", by, reverse, len(got), len(want), err)
	}
}

// Filter and Sort end with the error of their context.
func TestSnapshot_stopsWithContext(t *testing.T) {
	s := New()
	eachTestPage(t, 3000, func(rows []client.Object) { s.Append(pointersTo(rows)) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Snapshot().Filter(ctx, "a", "", nil); err == nil {
		t.Error("the filter went on")
	}
	for _, by := range []SortOrder{ByName, BySize, ByModified} {
		if _, err := s.Snapshot().Sort(ctx, by, false, nil, nil); err == nil {
			t.Error("the sorting went on")
		}
	}
}

// Reading a row allocates nothing but its name.
func TestIndex_At_allocations(t *testing.T) {
	s := New()
	eachTestPage(t, 1000, func(rows []client.Object) { s.Append(pointersTo(rows)) })
	s.Drop(rowName(500))
	var o client.Object
	name := rowName(700)
	if n := testing.AllocsPerRun(100, func() { o = s.At(600); _, _ = s.Index(name) }); n != 1 ||
		o.Name.Raw() != rowName(601) {
		t.Errorf("%v allocations for %+v", n, o)
	}
}

func heapBytes() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// An object costs about 65 bytes, including its name of 40 to 60.
func TestIndex_memoryPerObject(t *testing.T) {
	const n = 200_000
	before := heapBytes()
	s := New()
	eachTestPage(t, n, func(rows []client.Object) { s.Append(pointersTo(rows)) })
	if each := float64(heapBytes()-before) / n; each > 72 {
		t.Errorf("%.1f bytes an object", each)
	}
	runtime.KeepAlive(s)
}

const million = 1_000_000

// BenchmarkIndexMemory loads a million objects and reports what each costs in the heap.
func BenchmarkIndexMemory(b *testing.B) {
	names := 0
	for i := range million {
		names += len(rowName(i))
	}
	for b.Loop() {
		before := heapBytes()
		s := New()
		eachTestPage(b, million, func(rows []client.Object) { s.Append(pointersTo(rows)) })
		b.ReportMetric(float64(heapBytes()-before)/million, "B/object")
		b.ReportMetric(float64(names)/million, "B/name")
		runtime.KeepAlive(s)
	}
}

// newFullIndex returns an index of a million objects, in order or shuffled.
func newFullIndex(b *testing.B, shuffled bool) *Index {
	var rows []client.Object
	eachTestPage(b, million, func(page []client.Object) { rows = append(rows, page...) })
	if shuffled {
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	s := New()
	s.Append(pointersTo(rows))
	if s.Len() != million {
		b.Fatal(s.Len())
	}
	return s
}

// BenchmarkIndexPage appends a page of 500 to an index that holds up to a million.
func BenchmarkIndexPage(b *testing.B) {
	rows := make([]*client.Object, 0, million)
	eachTestPage(b, million, func(page []client.Object) { rows = append(rows, pointersTo(slices.Clone(page))...) })
	s, from := New(), 0
	worst := time.Duration(0)
	for b.Loop() {
		if from == len(rows) {
			s, from = New(), 0
		}
		at := time.Now()
		s.Append(rows[from : from+pageSize])
		worst = max(worst, time.Since(at))
		from += pageSize
	}
	b.ReportMetric(float64(worst.Microseconds()), "worst-µs")
}

func BenchmarkIndexDrop(b *testing.B) {
	s, i := newFullIndex(b, false), 0
	for b.Loop() {
		s.Drop(rowName(i % million))
		i += 7919
	}
}

func BenchmarkIndexAt(b *testing.B) {
	for _, dropped := range []bool{false, true} {
		b.Run(fmt.Sprintf("dropped=%v", dropped), func(b *testing.B) {
			s, i := newFullIndex(b, false), 0
			if dropped {
				s.Drop(rowName(77))
			}
			b.ReportAllocs()
			for b.Loop() {
				i = (i + 7919) % s.Len()
				if o := s.At(i); o.Size < 0 {
					b.Fatal(o)
				}
			}
		})
	}
}

// BenchmarkFilter searches a million names: all match, few match, none match, and names with capitals.
func BenchmarkFilter(b *testing.B) {
	s := newFullIndex(b, false).Snapshot()
	capitals := New()
	for i := range million {
		capitals.Append([]*client.Object{{Name: client.NewText(strings.ToUpper(rowName(i)))}})
	}
	for name, f := range map[string]struct {
		s    *Snapshot
		text string
	}{
		"all":      {s, "e"},
		"few":      {s, "service-017"},
		"none":     {s, "nowhere"},
		"capitals": {capitals.Snapshot(), "service-017"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := f.s.Filter(b.Context(), f.text, "", nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSort sorts a million objects, listed in order and shuffled.
func BenchmarkSort(b *testing.B) {
	for _, shuffled := range []bool{false, true} {
		s := newFullIndex(b, shuffled).Snapshot()
		for by, name := range []string{"name", "size", "date"} {
			b.Run(fmt.Sprintf("%s/shuffled=%v", name, shuffled), func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Sort(b.Context(), SortOrder(by), true, nil, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
