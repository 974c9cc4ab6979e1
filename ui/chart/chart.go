package chart

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/guptarohit/asciigraph"

	"lookout/theme"
	"lookout/ui"
)

// A ChartPoint is a sample. NaN is a gap.
type ChartPoint struct {
	Time  time.Time
	Value float64
}

// A Series is one line of a chart.
type Series struct {
	Name   string
	Tone   theme.Tone
	Points []ChartPoint
}

// A Chart draws series of one unit over the same time.
type Chart struct {
	Title    string
	Unit     func(float64) string
	Series   []Series
	Marks    []time.Time // moments to be marked beneath the axis
	Cursor   *time.Time  // a moment to be pointed at
	Location *time.Location
}

// axisWidth is the room that asciigraph's labels and its axis take.
const axisWidth = 12

// View draws the chart into a box: title and figures, the plot, the axis. What cannot be drawn is said.
func (c Chart) View(b ui.Box) string {
	from, to, low, high, ok := c.extent()
	head := c.header(b)
	if !ok {
		return head + "\n" + b.Theme.Paint(theme.Muted, "no data")
	}
	width, height := b.Width-axisWidth, b.Height-3
	if width < 8 || height < 2 || b.TextOnly {
		return head
	}
	if low == high {
		low, high = min(0, low), max(high, low+1)
	}
	return head + "\n" + c.plot(b, width, height, from, to, low, high) + "\n" + c.timeAxis(b, width, from, to)
}

// extent is the extent of all finite points.
func (c Chart) extent() (from, to time.Time, low, high float64, ok bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Time.IsZero() || !finite(p.Value) {
				continue
			}
			if !ok || p.Time.Before(from) {
				from = p.Time
			}
			if !ok || p.Time.After(to) {
				to = p.Time
			}
			low, high, ok = min(low, p.Value), max(high, p.Value), true
		}
	}
	if low > 0 && low < high/2 {
		low = 0
	}
	return from, to, low, high, ok
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) && math.Abs(v) < 1e18 }

// downsample are the greatest values of a series in each of width columns, so that no spike is lost. A column without
// points inside a run of samples that are wider apart than columns takes the sample before it.
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

// plot is asciigraph's drawing, every line cut to the room.
func (c Chart) plot(b ui.Box, width, height int, from, to time.Time, low, high float64) string {
	data := make([][]float64, 0, len(c.Series))
	var tones []theme.Tone
	for _, s := range c.Series {
		if line := downsample(s.Points, width, from, to); hasValue(line) {
			data, tones = append(data, line), append(tones, s.Tone)
		}
	}
	options := []asciigraph.Option{
		asciigraph.Height(height - 1),
		asciigraph.LowerBound(low),
		asciigraph.UpperBound(high),
		asciigraph.YAxisValueFormatter(
			func(v float64) string { return ui.PadLeft(ui.Truncate(c.Unit(v), axisWidth-3, ""), axisWidth-3) },
		),
	}
	cursor := -1
	if c.Cursor != nil {
		cursor = c.columnAt(*c.Cursor, width, from, to)
	}
	// Each series is drawn alone and laid over the one before, so that colours are the theme's and not one of 256.
	var rows [][]cell
	for i, line := range data {
		rows = overlayPlot(rows, asciigraph.PlotMany([][]float64{line}, options...), tones[i], axisWidth-1)
	}
	if cursor >= 0 {
		drawCursorLine(rows, axisWidth+cursor)
	}
	return render(rows, b, height)
}

// drawCursorLine draws an upright line behind the plot.
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

func hasValue(line []float64) bool {
	for _, v := range line {
		if !math.IsNaN(v) {
			return true
		}
	}
	return false
}

// cell is a rune of the plot and what it belongs to.
type cell struct {
	r    rune
	tone theme.Tone
}

// overlayPlot puts a plot over others: lines win over blanks, the axis is drawn once.
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

// plain drawing characters for terminals that have no others.
var asciiLine = strings.NewReplacer(
	"┤",
	"|",
	"┼",
	"+",
	"─",
	"-",
	"│",
	"|",
	"╭",
	".",
	"╮",
	".",
	"╰",
	"'",
	"╯",
	"'",
	"╴",
	"-",
	"╶",
	"-",
	"┊",
	":",
)

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

// header is the title and each series' figures, as many as there is room for.
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

// describe are figures of each series in words: "in now 41.2 Mb/s max 96.0 Mb/s".
func (c Chart) describe(b ui.Box, words []string) string {
	var out strings.Builder
	for _, s := range c.Series {
		last, low, high, mean, ok := seriesStats(s.Points)
		if !ok {
			continue
		}
		values := map[string]float64{"now": last, "max": high, "avg": mean, "min": low}
		var parts []string
		name := ""
		if len(c.Series) > 1 {
			name = b.Theme.Paint(s.Tone, s.Name) + " "
		}
		if c.Cursor != nil {
			parts = append(parts, b.Theme.Paint(theme.Accent, "^ "+c.valueAtCursor(s)))
		}
		for _, word := range words {
			parts = append(parts, b.Theme.Paint(theme.Muted, word+" "+c.Unit(values[word])))
		}
		out.WriteString("  " + name + strings.Join(parts, "  "))
	}
	return out.String()
}

// seriesStats are the last, least, greatest and mean value of the finite points.
func seriesStats(points []ChartPoint) (last, low, high, mean float64, ok bool) {
	low, high = math.Inf(1), math.Inf(-1)
	n := 0.0
	for _, p := range points {
		if !finite(p.Value) {
			continue
		}
		last, low, high = p.Value, min(low, p.Value), max(high, p.Value)
		n++
		mean += (p.Value - mean) / n
	}
	return last, low, high, mean, n > 0
}

// valueAtCursor is a series' value at the cursor in words.
func (c Chart) valueAtCursor(s Series) string {
	if p := Nearest(s.Points, *c.Cursor); finite(p.Value) {
		return c.Unit(p.Value)
	}
	return "no value"
}

// Nearest is the point closest to a time; points are not empty.
func Nearest(points []ChartPoint, t time.Time) ChartPoint {
	best := points[0]
	for _, p := range points {
		if p.Time.Sub(t).Abs() < best.Time.Sub(t).Abs() {
			best = p
		}
	}
	return best
}

// timeAxis is the time axis: the cursor's time, a mark at every moment that has one, and as many hours as there is room
// for beside them.
func (c Chart) timeAxis(b ui.Box, width int, from, to time.Time) string {
	line := make([]cell, width)
	for i := range line {
		line[i] = cell{' ', theme.Muted}
	}
	zone := c.Location
	if zone == nil {
		zone = time.UTC
	}
	if c.Cursor != nil {
		if at := c.columnAt(*c.Cursor, width, from, to); at >= 0 {
			drawCursorLabel(line, at, c.Cursor.In(zone).Format("15:04"))
		}
	}
	problem, _ := utf8.DecodeRuneInString(b.Theme.Glyphs.Problem)
	for _, m := range c.Marks {
		if at := c.columnAt(m, width, from, to); at >= 0 && line[at].r == ' ' {
			line[at] = cell{problem, theme.Bad}
		}
	}
	local, step := from.In(zone), labelInterval(float64(width)/float64(to.Sub(from)))
	for t := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), 0, 0, 0, zone); !t.After(to); t = t.Add(step) {
		if at := c.columnAt(t, width, from, to); at >= 0 {
			drawLabel(line, at, t.Format("15:04"))
		}
	}
	return strings.Repeat(" ", axisWidth) + render([][]cell{line}, b, 1)
}

// labelInterval is the time between two labels of an axis, with room for both.
func labelInterval(cellsPerTime float64) time.Duration {
	for _, s := range [...]time.Duration{time.Hour, 2 * time.Hour, 4 * time.Hour, 6 * time.Hour, 12 * time.Hour} {
		if cellsPerTime*float64(s) >= 8 {
			return s
		}
	}
	return 24 * time.Hour
}

// drawCursorLabel points at a column, with a text on the side where there is room.
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

// drawLabel writes a text where it touches nothing that stands there already: a mark is worth more than an hour.
func drawLabel(line []cell, at int, text string) {
	if at+len(text) > len(line) {
		return
	}
	for i := max(at-1, 0); i <= min(at+len(text), len(line)-1); i++ {
		if line[i].r != ' ' {
			return
		}
	}
	for i, r := range text {
		line[at+i] = cell{r, theme.Muted}
	}
}

// columnAt is the column of a moment; -1 outside.
func (c Chart) columnAt(t time.Time, width int, from, to time.Time) int {
	length := to.Sub(from)
	if t.Before(from) || t.After(to.Add(length/50)) || length <= 0 {
		return -1
	}
	return min(width-1, int(float64(t.Sub(from))/float64(length)*float64(width-1)))
}
