package chart

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/guptarohit/asciigraph"

	"lookout/theme"
)

// lineTones are the tones of the series.
var lineTones = [2]theme.Tone{theme.ChartFirst, theme.ChartSecond}

// The characters in which asciigraph draws two lines. The second is dashed, so that they stay apart without colours.
var (
	lines      = [2]asciigraph.CharSet{asciigraph.DefaultCharSet, {Horizontal: "╌", VerticalLine: "┆"}}
	asciiLines = [2]asciigraph.CharSet{
		{
			Horizontal:   "-",
			VerticalLine: "|",
			ArcDownRight: ".",
			ArcDownLeft:  ".",
			ArcUpRight:   "'",
			ArcUpLeft:    "'",
			EndCap:       "-",
			StartCap:     "-",
		},
		{
			Horizontal:   "=",
			VerticalLine: "|",
			ArcDownRight: "+",
			ArcDownLeft:  "+",
			ArcUpRight:   "+",
			ArcUpLeft:    "+",
			EndCap:       "=",
			StartCap:     "=",
		},
	}
)

// ascii reports whether the terminal has only ASCII characters.
func ascii(t *theme.Theme) bool { return t.Glyphs.Horizontal == "-" }

// charSet returns the characters of a series.
func charSet(t *theme.Theme, n int) asciigraph.CharSet {
	if ascii(t) {
		return asciiLines[n]
	}
	return lines[n]
}

// A plot is the part of a canvas in which lines are drawn.
type plot struct {
	canvas
	left, width, rows int
	scale             scale
}

// split returns a plot for each of two series, one above the other, so that neither hides the other or seems to be
// added to it.
func (p plot) split() []plot {
	rows := p.rows / 2
	return []plot{
		{canvas: p.canvas[:rows], rows: rows},
		{canvas: p.canvas[p.rows-rows : p.rows], rows: rows},
	}
}

// draw draws axes, values, cursor and marks. It reports false if there is no room for them.
func (f *frame) draw(c canvas) bool {
	p := plot{canvas: c, rows: len(c) - 1}
	if len(f.marks) > 0 && p.rows > 3 {
		p.rows--
	}
	parts := []plot{p}
	if f.bars && len(f.Series) == 2 {
		parts = p.split()
	}
	f.drawAxes(parts)
	p.scale, p.left, p.width = parts[0].scale, parts[0].left, parts[0].width
	if p.rows < len(c)-1 {
		p.width -= f.markSpace(p.width)
	}
	if p.width < minPlot || p.scale.rows <= p.scale.steps {
		return false
	}
	columns := make([][]float64, len(f.Series))
	for n, s := range f.Series {
		columns[n] = resample(s.Points, f.from, f.to, make([]float64, p.width), f.figures[n].limit)
	}
	if f.bars {
		for n := range parts {
			f.drawBars(parts[n], n, columns[n])
		}
	} else {
		f.drawLines(p, columns)
	}
	f.drawGaps(p, columns)
	f.drawCursor(p)
	f.drawTimes(p)
	if p.rows < len(c)-1 {
		f.drawMarks(p, len(c)-1)
	}
	return true
}

// drawAxes draws the value axes of the parts, which have the same scale. They are as wide as their labels, and leave
// the rest to the plots.
func (f *frame) drawAxes(parts []plot) {
	axis, stroke := '│', '┤'
	if ascii(f.box.Theme) {
		axis, stroke = '|', '+'
	}
	left, scale := 0, scale{high: max(f.high/f.divisor, 1e-9), rows: parts[0].rows}
	if len(parts) == 1 || scale.rows > 2 {
		scale = newScale(f.low/f.divisor, f.high/f.divisor, scale.rows)
	}
	label := func(part, n int) (string, int) {
		text, row := scale.tick(n)
		if len(parts) > 1 && n == 0 {
			text = strings.TrimSpace(f.Series[part].Name + " " + text)
		}
		return text, row
	}
	for part := range parts {
		for n := range scale.steps + 1 {
			text, _ := label(part, n)
			left = max(left, len(text)+2)
		}
	}
	for part := range parts {
		p := &parts[part]
		p.scale, p.left, p.width = scale, left, max(0, len(p.canvas[0])-left)
		for y := range p.rows {
			p.canvas[y][left-1] = cell{r: axis, tone: theme.Rule}
		}
		for n := range scale.steps + 1 {
			text, row := label(part, n)
			p.write(left-2-len(text), p.rows-1-row, text, theme.Muted)
			p.canvas[p.rows-1-row][left-1].r = stroke
		}
	}
}

// drawLines draws the values as lines, one value in each column. Where there are two lines, the cell shows both.
func (f *frame) drawLines(p plot, columns [][]float64) {
	highest := p.scale.rows - 1
	level := func(v float64) float64 { return p.scale.row(v) }
	for n, values := range columns {
		for _, drawn := range f.plotSeries(n, values, highest, level, charSet(f.box.Theme, n)) {
			c, r, tone := &p.canvas[p.rows-1-drawn.level][p.left+drawn.x], drawn.r, lineTones[n]
			if c.r != ' ' {
				r, tone = crossing(c.r, r, ascii(f.box.Theme)), theme.Plain
			}
			*c = cell{r: r, tone: tone}
		}
	}
}

// plottedRune is a character that asciigraph drew, in a column and on a level.
type plottedRune struct {
	x, level int
	r        rune
}

// A plottedSeries is what asciigraph drew of a series, and what it drew it from.
type plottedSeries struct {
	data    []float64
	highest int
	chars   asciigraph.CharSet
	runes   []plottedRune
}

// plotSeries returns what asciigraph draws of the values of series n, one in each column, on levels from 0 to the
// highest. While the cursor moves, that stays the same, and is kept.
func (f *frame) plotSeries(
	n int, values []float64, highest int, level func(float64) float64, chars asciigraph.CharSet,
) []plottedRune {
	if !slices.ContainsFunc(values, finite) {
		return nil
	}
	now := plottedSeries{highest: highest, chars: chars}
	now.data = make([]float64, len(values)+1) // asciigraph draws the way from one value to the next
	for x, v := range values {
		now.data[x+1] = min(level(v/f.divisor), float64(highest))
	}
	now.data[0] = now.data[1]
	kept := &f.plotted[n]
	if !kept.sameInput(now) {
		now.runes = now.draw()
		*kept = now
	}
	return kept.runes
}

// sameInput reports whether asciigraph draws the same from both.
func (s plottedSeries) sameInput(o plottedSeries) bool {
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	return s.highest == o.highest && s.chars == o.chars && slices.EqualFunc(s.data, o.data, same)
}

// draw lets asciigraph draw.
func (s plottedSeries) draw() (drawn []plottedRune) {
	graph := asciigraph.Plot(
		s.data,
		asciigraph.Offset(1),
		asciigraph.Height(s.highest),
		asciigraph.LowerBound(0),
		asciigraph.UpperBound(float64(s.highest)),
		asciigraph.SeriesChars(s.chars),
		asciigraph.YAxisValueFormatter(func(float64) string { return "" }),
	)
	y := s.highest + 1
	for line := range strings.SplitSeq(graph, "\n") {
		y--
		x := -2
		for _, r := range line {
			if x++; r != ' ' && x >= 0 && x < len(s.data)-1 && y >= 0 {
				drawn = append(drawn, plottedRune{x, y, r})
			}
		}
	}
	return drawn
}

// eighthBlocks are the lower parts of a cell, from one eighth to the whole.
var eighthBlocks = [...]rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'}

// barTops lets asciigraph draw only where each value is, and not the way there from the one before.
var barTops = asciigraph.CharSet{
	Horizontal:   "█",
	ArcDownRight: "█",
	ArcUpRight:   "█",
	StartCap:     "█",
	EndCap:       " ",
	VerticalLine: " ",
	ArcDownLeft:  " ",
	ArcUpLeft:    " ",
}

// drawBars draws the values of series n as bars in steps of an eighth of a row. Bars stand on the tick of 0, which is
// in the middle of the lowest row: below half a row they are either on the axis or fill its upper half. Without ticks,
// they fill the rows but for an eighth, which keeps them apart from what is above.
func (f *frame) drawBars(p plot, n int, values []float64) {
	level := func(v float64) float64 {
		if p.scale.steps == 0 {
			return max(1, math.Round(float64(8*p.rows-1)*v/p.scale.high))
		}
		return 4 + math.Round(8*p.scale.row(v))
	}
	for _, top := range f.plotSeries(n, values, 8*p.scale.rows, level, barTops) {
		for y := 0; 8*y < top.level; y++ {
			p.canvas[p.rows-1-y][p.left+top.x] = cell{r: eighthBlocks[min(top.level-8*y, 8)-1], tone: lineTones[n]}
		}
		switch lowest := &p.canvas[p.rows-1][p.left+top.x]; {
		case p.scale.steps == 0:
		case top.level < 6:
			lowest.r = '─'
		default:
			lowest.r = '▀'
		}
	}
}

// The directions in which a line leaves a cell.
const (
	up = 1 << iota
	right
	down
	left
)

var directions = map[rune]int{
	'─': left | right, '╌': left | right, '╴': left, '╶': right, '│': up | down, '┆': up | down,
	'╭': right | down, '╮': left | down, '╰': up | right, '╯': up | left,
}

// crossing returns the character of a cell in which two lines are: a heavy line where they coincide, else a cross.
func crossing(a, b rune, ascii bool) rune {
	if ascii {
		return '#'
	}
	both := map[int]rune{
		left: '━', right: '━', left | right: '━', up | down: '┃',
		right | down: '┏', left | down: '┓', up | right: '┗', up | left: '┛',
		left | right | down: '┳', left | right | up: '┻', up | down | right: '┣', up | down | left: '┫',
	}
	if r, found := both[directions[a]|directions[b]]; found {
		return r
	}
	return '╋'
}

// drawGaps marks the columns for which no series has a value, and names wide gaps.
func (f *frame) drawGaps(p plot, columns [][]float64) {
	const text = "no data"
	dot := '·'
	if ascii(f.box.Theme) {
		dot = '.'
	}
	empty := func(x int) bool {
		for _, values := range columns {
			if finite(values[x]) || p.canvas[p.rows-1][p.left+x].r != ' ' {
				return false
			}
		}
		return true
	}
	for x := 0; x < p.width; x++ {
		start := x
		for ; x < p.width && empty(x); x++ {
			p.canvas[p.rows-1][p.left+x] = cell{r: dot, tone: theme.Rule}
		}
		if middle := (start+x-len(text))/2 + p.left; x-start >= len(text)+2 {
			p.write(middle, (p.rows-1)/2, text, theme.Muted)
		}
	}
}

// drawCursor draws a vertical line at the cursor, behind the plot, and on lines a dot on each value of the title.
func (f *frame) drawCursor(p plot) {
	if f.Cursor.IsZero() {
		return
	}
	at := f.column(f.Cursor, p.width)
	if at < 0 {
		return
	}
	stroke := '┊'
	if ascii(f.box.Theme) {
		stroke = ':'
	}
	for y := range p.rows {
		if c := &p.canvas[y][p.left+at]; c.r == ' ' {
			c.r, c.tone = stroke, theme.Accent
		}
	}
	for n := range f.Series {
		if v := f.valueAt(n, f.Cursor); finite(v) && !f.bars { // a dot would cut a bar or heighten it
			row := min(max(0, math.Round(p.scale.row(v/f.divisor))), float64(p.scale.rows-1))
			c := &p.canvas[p.rows-1-int(row)][p.left+at]
			*c = cell{r: firstRune(f.box.Theme.Glyphs.Live), tone: theme.Accent}
		}
	}
}

// Resample returns the greatest value of points in each of width equal parts of a time, so that no spike is lost. Parts
// between two samples have values between theirs; parts in a gap are NaN. The points are in order.
func Resample(points []ChartPoint, from, to time.Time, width int) []float64 {
	return resample(points, from, to, make([]float64, width), longestStep(points))
}

// resample is Resample into a slice. Samples that are further apart than a limit have a gap between them.
func resample(points []ChartPoint, from, to time.Time, out []float64, limit time.Duration) []float64 {
	width := len(out)
	for i := range out {
		out[i] = math.NaN()
	}
	if !from.Before(to) || width == 0 {
		return out
	}
	var before ChartPoint
	for _, p := range points {
		if !finite(p.Value) {
			before = ChartPoint{}
			continue
		}
		at := int(math.Floor(position(p.Time, from, to, width)))
		if !before.Time.IsZero() && p.Time.Sub(before.Time) <= limit {
			start := position(before.Time, from, to, width)
			end := position(p.Time, from, to, width)
			for i := max(0, int(math.Floor(start))+1); i < min(at, width); i++ {
				out[i] = before.Value + (p.Value-before.Value)*(float64(i)-start)/(end-start)
			}
		}
		if at >= 0 && at < width && !(out[at] >= p.Value) {
			out[at] = p.Value
		}
		before = p
	}
	return out
}

// longestStep returns how far two samples may be apart without a gap between them: three times as far as usual.
func longestStep(points []ChartPoint) time.Duration {
	if len(points) < 2 {
		return 0
	}
	steps := make([]time.Duration, 0, len(points)-1)
	for n := 1; n < len(points); n++ {
		steps = append(steps, points[n].Time.Sub(points[n-1].Time))
	}
	slices.Sort(steps)
	return 3 * steps[len(steps)/2]
}
