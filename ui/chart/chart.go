// Package chart draws time series as text, with asciigraph.
package chart

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/guptarohit/asciigraph"

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
	Tone   theme.Tone
	Points []ChartPoint
}

// Chart draws series of one unit over the same time.
type Chart struct {
	Title    string
	Unit     func(float64) string
	Series   []Series
	Marks    []time.Time // moments that are marked below the time axis
	Cursor   *time.Time  // a moment whose values are shown; may be nil
	Location *time.Location
	Past     bool // the last point is not the value now
}

// axisWidth is the width of asciigraph's labels and axis.
const axisWidth = 12

// extent is what the points of a chart span.
type extent struct {
	from, to  time.Time
	low, high float64
}

// View draws the chart: title and figures, plot, time axis. It leaves out what does not fit.
func (c Chart) View(b ui.Box) string {
	e, ok := c.extent()
	head := c.header(b)
	if !ok {
		return lipgloss.JoinVertical(lipgloss.Left, head, b.Theme.Paint(theme.Muted, "no data"))
	}
	width, height := b.Width-axisWidth, b.Height-3
	if width < 8 || height < 2 || b.TextOnly {
		return head
	}
	if e.low == e.high {
		e.low, e.high = min(0, e.low), max(e.high, e.low+1)
	}
	return lipgloss.JoinVertical(lipgloss.Left, head, c.plot(b, width, height, e), c.timeAxis(b, width, e))
}

// extent returns the extent of all finite points, and false if there is none.
func (c Chart) extent() (e extent, ok bool) {
	e.low, e.high = math.Inf(1), math.Inf(-1)
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Time.IsZero() || !finite(p.Value) {
				continue
			}
			if !ok || p.Time.Before(e.from) {
				e.from = p.Time
			}
			if !ok || p.Time.After(e.to) {
				e.to = p.Time
			}
			e.low, e.high, ok = min(e.low, p.Value), max(e.high, p.Value), true
		}
	}
	if e.low > 0 && e.low < e.high/2 {
		e.low = 0
	}
	return e, ok
}

// column returns the column of a moment; -1 if it is outside.
func (e extent) column(t time.Time, width int) int {
	length := e.to.Sub(e.from)
	if t.Before(e.from) || t.After(e.to.Add(length/50)) || length <= 0 {
		return -1
	}
	return min(width-1, int(float64(t.Sub(e.from))/float64(length)*float64(width-1)))
}

// timeAt returns the moment of a column.
func (e extent) timeAt(column, width int) time.Time {
	return e.from.Add(time.Duration(float64(e.to.Sub(e.from)) * float64(column) / float64(max(1, width-1))))
}

// finite reports whether a value can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) && math.Abs(v) < 1e18 }

// downsample returns the greatest value of a series in each of width columns, so that no spike is lost. Where samples
// are wider apart than columns, a column without a point takes the sample before it.
func downsample(points []ChartPoint, width int, from, to time.Time) []float64 {
	out := make([]float64, width)
	for i := range out {
		out[i] = math.NaN()
	}
	length := to.Sub(from)
	last, gap := -1, true
	for _, p := range points {
		at := 0
		if length > 0 {
			at = int(float64(p.Time.Sub(from)) / float64(length) * float64(width-1))
		}
		if p.Time.IsZero() || at < 0 || at >= width {
			continue
		}
		if !finite(p.Value) {
			gap = true
			continue
		}
		for i := last + 1; !gap && i < at; i++ {
			out[i] = out[last]
		}
		if math.IsNaN(out[at]) || p.Value > out[at] {
			out[at] = p.Value
		}
		last, gap = at, false
	}
	return out
}

// plot returns the plot with its value axis. asciigraph draws each series alone, and they are laid over each other, so
// that the colours are the theme's and not some of 256.
func (c Chart) plot(b ui.Box, width, height int, e extent) string {
	options := []asciigraph.Option{
		asciigraph.Height(height - 1),
		asciigraph.LowerBound(e.low),
		asciigraph.UpperBound(e.high),
		asciigraph.YAxisValueFormatter(
			func(v float64) string { return ui.PadLeft(ui.Truncate(c.Unit(v), axisWidth-3, ""), axisWidth-3) },
		),
	}
	var rows [][]cell
	for _, s := range c.Series {
		if line := downsample(s.Points, width, e.from, e.to); hasValue(line) {
			drawn := asciigraph.PlotMany([][]float64{line}, options...)
			rows = overlayPlot(rows, drawn, s.Tone, axisWidth-1)
		}
	}
	if c.Cursor != nil {
		if at := e.column(*c.Cursor, width); at >= 0 {
			drawCursorLine(rows, axisWidth+at)
		}
	}
	return render(rows, b, height)
}

// drawCursorLine draws a vertical line behind the plot.
func drawCursorLine(rows [][]cell, at int) {
	for y := range rows {
		for len(rows[y]) <= at {
			rows[y] = append(rows[y], cell{' ', theme.Muted})
		}
		if rows[y][at].r == ' ' {
			rows[y][at] = cell{'┊', theme.Accent}
		}
	}
}

// hasValue reports whether a line has a value in any column.
func hasValue(line []float64) bool {
	for _, v := range line {
		if !math.IsNaN(v) {
			return true
		}
	}
	return false
}

// cell is a character of the plot and the tone of what it belongs to.
type cell struct {
	r    rune
	tone theme.Tone
}

// overlayPlot draws a plot over others. Lines replace blanks; the axis is drawn once.
func overlayPlot(rows [][]cell, plot string, tone theme.Tone, axisAt int) [][]cell {
	for y, line := range strings.Split(plot, "\n") {
		if y == len(rows) {
			rows = append(rows, nil)
		}
		for x, r := range []rune(line) {
			t := tone
			if x < axisAt {
				t = theme.Muted
			}
			switch {
			case x >= len(rows[y]):
				rows[y] = append(rows[y], cell{r, t})
			case r != ' ' && x >= axisAt:
				rows[y][x] = cell{r, t}
			}
		}
	}
	return rows
}

// asciiLine replaces the drawing characters for terminals that have none.
var asciiLine = strings.NewReplacer(
	"┤", "|", "┼", "+", "─", "-", "│", "|", "╭", ".", "╮", ".", "╰", "'", "╯", "'", "╴", "-", "╶", "-", "┊", ":",
)

// render returns the first rows of a plot with their tones.
func render(rows [][]cell, b ui.Box, height int) string {
	lines := make([]string, 0, height)
	for _, row := range rows[:min(len(rows), height)] {
		var out strings.Builder
		for i := 0; i < len(row); {
			j := i
			var run strings.Builder
			for ; j < len(row) && row[j].tone == row[i].tone; j++ {
				run.WriteRune(row[j].r)
			}
			text := run.String()
			if b.Theme.Glyphs.Horizontal == "-" {
				text = asciiLine.Replace(text)
			}
			out.WriteString(b.Theme.Paint(row[i].tone, text))
			i = j
		}
		lines = append(lines, out.String())
	}
	return strings.Join(lines, "\n")
}

// header returns the title and the figures of each series, as many as fit.
func (c Chart) header(b ui.Box) string {
	tone := theme.Strong
	if b.Focused {
		tone = theme.Accent
	}
	title := b.Theme.Paint(tone, c.Title)
	for _, words := range [][]string{{"now", "max", "avg", "min"}, {"now", "max", "avg"}, {"now", "max"}, {"max"}, {}} {
		if line := title + c.describe(b, words); ui.Width(line) <= b.Width {
			return line
		}
	}
	return ui.Truncate(title, b.Width, b.Theme.Glyphs.Ellipsis)
}

// describe returns figures of each series: "in now 41.2 Mb/s max 96.0 Mb/s".
func (c Chart) describe(b ui.Box, words []string) string {
	var out strings.Builder
	for _, s := range c.Series {
		figures := seriesFigures(s.Points)
		if figures == nil {
			continue
		}
		var parts []string
		name := ""
		if len(c.Series) > 1 {
			name = b.Theme.Paint(s.Tone, s.Name) + " "
		}
		if c.Cursor != nil {
			parts = append(parts, b.Theme.Paint(theme.Accent, "^ "+c.valueAtCursor(s)))
		}
		for _, word := range words {
			if word == "now" && c.Past {
				continue
			}
			parts = append(parts, b.Theme.Paint(theme.Muted, word+" "+c.Unit(figures[word])))
		}
		out.WriteString("  " + name + strings.Join(parts, "  "))
	}
	return out.String()
}

// seriesFigures returns the last, greatest, mean and least value of the finite points by their names; nil if there is
// no such point.
func seriesFigures(points []ChartPoint) map[string]float64 {
	last, low, high, mean, n := 0.0, math.Inf(1), math.Inf(-1), 0.0, 0.0
	for _, p := range points {
		if !finite(p.Value) {
			continue
		}
		last, low, high = p.Value, min(low, p.Value), max(high, p.Value)
		n++
		mean += (p.Value - mean) / n
	}
	if n == 0 {
		return nil
	}
	return map[string]float64{"now": last, "max": high, "avg": mean, "min": low}
}

// valueAtCursor returns the value of a series at the cursor.
func (c Chart) valueAtCursor(s Series) string {
	if p := Nearest(s.Points, *c.Cursor); finite(p.Value) {
		return c.Unit(p.Value)
	}
	return "no value"
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

// timeAxis returns the time axis: the cursor's time, a mark at every moment that has one, and as many hours as fit
// beside them.
func (c Chart) timeAxis(b ui.Box, width int, e extent) string {
	line := make([]cell, width)
	for i := range line {
		line[i] = cell{' ', theme.Muted}
	}
	zone := c.Location
	if zone == nil {
		zone = time.UTC
	}
	if c.Cursor != nil {
		if at := e.column(*c.Cursor, width); at >= 0 {
			drawCursorLabel(line, at, c.Cursor.In(zone).Format("15:04"))
		}
	}
	problem, _ := utf8.DecodeRuneInString(b.Theme.Glyphs.Problem)
	for _, m := range c.Marks {
		if at := e.column(m, width); at >= 0 && line[at].r == ' ' {
			line[at] = cell{problem, theme.Bad}
		}
	}
	step := labelInterval(float64(width) / float64(e.to.Sub(e.from)))
	from := e.from.In(zone)
	hour := time.Date(from.Year(), from.Month(), from.Day(), from.Hour(), 0, 0, 0, zone)
	labelled := c.Cursor != nil
	for ; !hour.After(e.to); hour = hour.Add(step) {
		if at := e.column(hour, width); at >= 0 {
			labelled = drawLabel(line, at, hour.Format("15:04")) || labelled
		}
	}
	for at := 0; !labelled && at < width; at++ { // no full hour fits: any time is better than none
		labelled = drawLabel(line, at, e.timeAt(at, width).In(zone).Format("15:04"))
	}
	return strings.Repeat(" ", axisWidth) + render([][]cell{line}, b, 1)
}

// labelInterval returns the time between two labels of the axis so that both fit.
func labelInterval(cellsPerTime float64) time.Duration {
	for _, s := range [...]time.Duration{time.Hour, 2 * time.Hour, 4 * time.Hour, 6 * time.Hour, 12 * time.Hour} {
		if cellsPerTime*float64(s) >= 8 {
			return s
		}
	}
	return 24 * time.Hour
}

// drawCursorLabel points at a column, with a text on the side where it fits.
func drawCursorLabel(line []cell, at int, text string) {
	text, start := "^"+text, at
	if at+len(text) > len(line) {
		text = text[1:] + "^"
		start = at + 1 - len(text)
	}
	for i, r := range text {
		if start+i >= 0 && start+i < len(line) {
			line[start+i] = cell{r, theme.Accent}
		}
	}
}

// drawLabel writes a text, and reports that it did, unless it touches something that is there already: a mark matters
// more than an hour.
func drawLabel(line []cell, at int, text string) bool {
	if at+len(text) > len(line) {
		return false
	}
	for i := max(at-1, 0); i <= min(at+len(text), len(line)-1); i++ {
		if line[i].r != ' ' {
			return false
		}
	}
	for i, r := range text {
		line[at+i] = cell{r, theme.Muted}
	}
	return true
}
