package ui

import (
	"testing"

	"lookout/theme"
)

// named are things whose cells cost nothing, so that only the list's own work is measured.
func named(t testing.TB, n int) *List[thing] {
	rows := things(n)
	l := listed(t, &rows)
	l.Columns[1].Cell = func(x thing, _ Box) (string, theme.Tone) { return x.name[6:], theme.Muted }
	return l
}

// A frame costs the same however many rows there are, and next to nothing of the collector's time.
func TestAFrameAllocatesLittle(t *testing.T) {
	l, room := named(t, 30_000), box(t, 200, 50)
	l.Detail = func(x thing, _ Box) string { return x.name }
	l.View(room)
	if n := testing.AllocsPerRun(50, func() {
		l.move(1)
		l.View(room)
	}); n > 12 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFrameWithoutCells(b *testing.B) {
	l, room := named(b, 100_000), box(b, 200, 50)
	b.ReportAllocs()
	for range b.N {
		l.move(1)
		l.View(room)
	}
}

func BenchmarkPage1M(b *testing.B) {
	rows := things(1_000_000)
	l, room := listed(b, &rows), box(b, 200, 50)
	b.ReportAllocs()
	for b.Loop() {
		l.move(47)
		l.View(room)
	}
}
