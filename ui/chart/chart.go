// Package chart draws time series as text, with asciigraph.
package chart

import (
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"lookout/theme"
	"lookout/ui"
)

// ChartPoint is a sample. NaN is a gap.
type ChartPoint struct {
	Time  time.Time
	Value float64
}

// Series is one line of a chart.
type Series struct {
	Name   string
	Points []ChartPoint
}

// A TimeMark is a moment that is marked below the time axis: the detection of an issue.
type TimeMark struct {
	Time  time.Time
	Label string // "823"
	Tone  theme.Tone
}

// A Chart draws one or two series of the same unit. Values below 0 are drawn as 0.
type Chart struct {
	Title    string
	Unit     Unit
	Series   []Series
	From, To time.Time  // what is shown; zero: from the first point to the last
	Marks    []TimeMark // newest first
	Cursor   time.Time  // a moment whose values are read out; zero: none
	Location *time.Location
}

const (
	minWidth  = 26               // of a box with a plot
	minHeight = 6                // of a box with a plot
	minPlot   = 12               // cells: two times fit below it
	recent    = 30 * time.Minute // the age up to which the last value is the value now
)

// View draws the chart in a panel that fills the box: its title with figures, plot, time axis and marks. A box that is
// too small for that shows one line: title, sparkline and figures.
func (c Chart) View(b ui.Box) string {
	if len(c.Series) > 2 {
		c.Series = c.Series[:2]
	}
	f := c.frame(b)
	switch {
	case b.TextOnly:
		return f.sentence()
	case b.Width < minWidth || b.Height < minHeight:
		return b.Fit(f.line(b.Width))
	case !f.any:
		return Message(b, f.name(), "no data")
	}
	inside := b.InPanel()
	canvas := newCanvas(inside.Width, inside.Height)
	if !f.draw(canvas) {
		return b.Fit(f.line(b.Width))
	}
	return panel(b, f.title(b.Width), canvas.render(b.Theme))
}

// Message draws a panel with a sentence in its middle instead of a plot.
func Message(b ui.Box, title, text string) string {
	if b.Width < minWidth || b.Height < 3 {
		return b.Fit(b.Theme.Paint(theme.Strong, title) + "  " + b.Theme.Paint(theme.Muted, text))
	}
	inside := b.InPanel()
	lines := strings.Split(lipgloss.Wrap(text, inside.Width, ""), "\n")
	for n := range lines {
		lines[n] = b.Theme.Paint(theme.Muted, lines[n])
	}
	body := lipgloss.Place(inside.Width, inside.Height, lipgloss.Center, lipgloss.Center, strings.Join(lines, "\n"))
	return panel(b, theme.Title(title), body)
}

// panel draws a panel that fills the box around a body.
func panel(b ui.Box, title []theme.TitleSegment, body string) string {
	return b.Theme.RenderPanel(theme.PanelFrame{
		Title:   title,
		Width:   b.Width,
		Height:  b.Height,
		Focused: b.Focused,
	}, b.InPanel().Fit(body))
}

// A frame is a chart with everything that is computed once for drawing it.
type frame struct {
	Chart
	box       ui.Box
	zone      *time.Location
	from, to  time.Time
	figures   []figures  // of each series
	any       bool       // a series has a value
	divisor   float64    // of the values that are shown
	unit      string     // of the values that are shown: "Mb/s"
	isCurrent bool       // the last values are those of now
	marks     []TimeMark // within the time that is shown, newest first
}

// figures sum up the values of a series within the time that is shown.
type figures struct {
	last, high, low, mean float64 // last is NaN if the last point is a gap
	any                   bool
	limit                 time.Duration // how far samples may be apart without a gap between them
}

// frame computes what is shown.
func (c Chart) frame(b ui.Box) *frame {
	f := &frame{Chart: c, box: b, zone: c.Location, isCurrent: c.current(b)}
	if f.zone == nil {
		f.zone = time.UTC
	}
	f.Series = slices.Clone(c.Series)
	for n := range f.Series {
		f.Series[n].Points = inOrder(f.Series[n].Points)
	}
	f.from, f.to = f.span()
	most := 0.0 // of all series
	for _, s := range f.Series {
		one := summarize(s.Points, f.from, f.to)
		one.limit = longestStep(s.Points)
		f.figures = append(f.figures, one)
		if one.any {
			f.any, most = true, max(most, one.high)
		}
	}
	f.divisor, f.unit = c.Unit.scaled(most)
	for _, m := range c.Marks {
		if f.column(m.Time, 100) >= 0 {
			f.marks = append(f.marks, m)
		}
	}
	return f
}

// current reports whether the last value is the value now.
func (c Chart) current(b ui.Box) bool {
	last := c.To
	for _, s := range c.Series {
		if n := len(s.Points); n > 0 && c.To.IsZero() && s.Points[n-1].Time.After(last) {
			last = s.Points[n-1].Time
		}
	}
	return !last.Before(b.Now.Add(-recent))
}

// inOrder returns the points that have a time, in its order.
func inOrder(points []ChartPoint) []ChartPoint {
	order := func(a, b ChartPoint) int { return a.Time.Compare(b.Time) }
	untimed := func(p ChartPoint) bool { return p.Time.IsZero() }
	if slices.IsSortedFunc(points, order) && (len(points) == 0 || !untimed(points[0])) {
		return points
	}
	points = slices.DeleteFunc(slices.Clone(points), untimed)
	sort.SliceStable(points, func(i, j int) bool { return order(points[i], points[j]) < 0 })
	return points
}

// span returns the time that is shown. It is never empty: two times stand below the plot.
func (f *frame) span() (from, to time.Time) {
	from, to = f.From, f.To
	for _, s := range f.Series {
		if len(s.Points) == 0 {
			continue
		}
		if first := s.Points[0].Time; f.From.IsZero() && (from.IsZero() || first.Before(from)) {
			from = first
		}
		if last := s.Points[len(s.Points)-1].Time; f.To.IsZero() && last.After(to) {
			to = last
		}
	}
	if to.Sub(from) < time.Minute {
		from = to.Add(-time.Hour)
	}
	return from, to
}

// summarize returns the figures of the points between two times.
func summarize(points []ChartPoint, from, to time.Time) figures {
	f := figures{low: math.Inf(1), high: math.Inf(-1), last: math.NaN()}
	n := 0.0
	for _, p := range points {
		if p.Time.Before(from) || p.Time.After(to) {
			continue
		}
		if !finite(p.Value) {
			f.last = math.NaN()
			continue
		}
		n++
		f.mean += (p.Value - f.mean) / n
		f.last, f.low, f.high, f.any = p.Value, min(f.low, p.Value), max(f.high, p.Value), true
	}
	return f
}

// finite reports whether a value can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) && math.Abs(v) < 1e18 }

// column returns the column of a moment; -1 if it is outside. What has been detected since the last point is at the
// last column.
func (f *frame) column(t time.Time, width int) int {
	length := f.to.Sub(f.from)
	if t.Before(f.from) || t.After(f.to.Add(length/50)) {
		return -1
	}
	return min(width-1, int(position(t, f.from, f.to, width)))
}

// position returns where a moment is, in columns. It may be outside.
func position(t, from, to time.Time, width int) float64 {
	return float64(t.Sub(from)) / float64(to.Sub(from)) * float64(width-1)
}

// valueAt returns the value of a series at a moment; NaN if there is none near it.
func (f *frame) valueAt(n int, at time.Time) float64 {
	if len(f.Series[n].Points) == 0 {
		return math.NaN()
	}
	p := Nearest(f.Series[n].Points, at)
	if !finite(p.Value) || p.Time.Sub(at).Abs() > max(f.figures[n].limit, 10*time.Minute) {
		return math.NaN()
	}
	return p.Value
}

// Nearest returns the point closest to a time. points must not be empty.
func Nearest(points []ChartPoint, t time.Time) ChartPoint {
	best := points[0]
	for _, p := range points {
		if p.Time.Sub(t).Abs() < best.Time.Sub(t).Abs() {
			best = p
		}
	}
	return best
}
