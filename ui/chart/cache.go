package chart

import (
	"slices"

	"lookout/ui"
)

// A Cache holds a chart as it was drawn last: frames come more often than samples. Keep one for each chart on the
// screen.
type Cache struct {
	chart   Chart
	box     ui.Box
	current bool
	text    string
}

// View returns the chart's View, drawn again only if something has changed. Points are not compared: they must not
// change in place.
func (k *Cache) View(c Chart, b ui.Box) string {
	current := c.current(b)
	if k.text == "" || k.current != current || !sameBox(k.box, b) || !k.chart.same(c) {
		k.box, k.current, k.text = b, current, c.View(b)
	}
	k.chart = c // its marks are compared one by one only once
	return k.text
}

// sameBox reports whether a chart looks the same in two boxes.
func sameBox(a, b ui.Box) bool {
	return a.Width == b.Width && a.Height == b.Height && a.Theme == b.Theme && a.Focused == b.Focused &&
		a.TextOnly == b.TextOnly
}

// same reports whether two marks look the same.
func (m TimeMark) same(n TimeMark) bool {
	return m.Time.Equal(n.Time) && m.Label == n.Label && m.Tone == n.Tone
}

// same reports whether two charts look the same. Points are the same if they are at the same place.
func (c Chart) same(d Chart) bool {
	return c.Title == d.Title && c.Unit == d.Unit && c.Location == d.Location &&
		c.From.Equal(d.From) && c.To.Equal(d.To) && c.Cursor.Equal(d.Cursor) &&
		(sameSlice(c.Marks, d.Marks) || slices.EqualFunc(c.Marks, d.Marks, TimeMark.same)) &&
		slices.EqualFunc(c.Series, d.Series, func(s, t Series) bool {
			return s.Name == t.Name && sameSlice(s.Points, t.Points)
		})
}

// sameSlice reports whether two slices are one.
func sameSlice[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// Caches are the caches of several charts by their names and sizes: panes show the same chart in different sizes.
type Caches map[cacheKey]*Cache

type cacheKey struct {
	name          string
	width, height int
}

// maxCaches bounds the number of caches: every new size of the window adds some.
const maxCaches = 32

// View draws a chart with the cache of a name.
func (k Caches) View(name string, c Chart, b ui.Box) string {
	key := cacheKey{name, b.Width, b.Height}
	if k[key] == nil {
		if len(k) >= maxCaches {
			clear(k)
		}
		k[key] = &Cache{}
	}
	return k[key].View(c, b)
}
