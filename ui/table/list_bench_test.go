package table

import (
	"fmt"
	"math"
	"testing"
	"time"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/chart"
	"lookout/ui/form"
	"lookout/ui/uitest"
)

// newCheapList returns a list with cells that cost nothing, to measure only the list's own work.
func newCheapList(t testing.TB, n int) *List[thing] {
	rows := things(n)
	l := newLoadedList(t, &rows)
	l.Columns[1].Cell = func(x thing, _ ui.Box) (string, theme.Tone) { return x.name[6:], theme.Muted }
	return l
}

// A frame costs the same for any number of rows, and causes hardly any garbage collection.
func TestList_View_allocations(t *testing.T) {
	l, room := newCheapList(t, 30_000), uitest.NewBox(t, 200, 50)
	l.Detail = func(x thing, _ ui.Box) string { return x.name }
	l.View(room)
	if n := testing.AllocsPerRun(50, func() {
		l.moveCursor(1)
		l.View(room)
	}); n > 30 { // the box of the detail among them
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFrameWithoutCells(b *testing.B) {
	l, room := newCheapList(b, 100_000), uitest.NewBox(b, 200, 50)
	b.ReportAllocs()
	for range b.N {
		l.moveCursor(1)
		l.View(room)
	}
}

func BenchmarkPage(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rows := things(n)
			l, room := newLoadedList(b, &rows), uitest.NewBox(b, 200, 50)
			b.ReportAllocs()
			for by := 47; b.Loop(); {
				if l.cursor.position == 0 || l.cursor.position == n-1 {
					by = -by
				}
				l.moveCursor(by)
				l.View(room)
			}
		})
	}
}

// BenchmarkForm measures a key in a form of nine fields, and its frame.
func BenchmarkForm(b *testing.B) {
	room, text := uitest.NewBox(b, 100, 40), make([]string, 9)
	f := form.Form{Title: "New service", SubmitLabel: "add"}
	for i := range text {
		f.Fields = append(
			f.Fields, form.Text(fmt.Sprint("field", i), fmt.Sprint("Field ", i), &text[i], form.Length(0, 64)),
		)
	}
	v := form.NewFormView(f, b.Context())
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		key := uitest.Key("x")
		if i%2 == 1 {
			key = uitest.Key("<backspace>")
		}
		v.Update(key)
		v.View(room)
	}
}

// BenchmarkChart plots a day of two series in steps of five minutes.
func BenchmarkChart(b *testing.B) {
	room, start := uitest.NewBox(b, 120, 16), time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	c := chart.Chart{
		Title:    "network",
		Unit:     chart.Unit{Name: "b/s", Prefixed: true},
		Location: time.UTC,
	}
	for n, name := range []string{"in", "out"} {
		s := chart.Series{Name: name}
		for i := range 288 {
			s.Points = append(
				s.Points,
				chart.ChartPoint{
					Time:  start.Add(time.Duration(i) * 5 * time.Minute),
					Value: math.Sin(float64(i)/20+float64(n))*400 + 500,
				},
			)
		}
		c.Series = append(c.Series, s)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.View(room)
	}
}
