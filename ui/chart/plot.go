package chart

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/guptarohit/asciigraph"

	"lookout/theme"
)

// lineTones and areaTones are the tones of the series, and of the areas below them.
var (
	lineTones = [2]theme.Tone{theme.ChartFirst, theme.ChartSecond}
	areaTones = [2]theme.Tone{theme.ChartFirstArea, theme.ChartSecondArea}
)

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

// draw draws axes, lines, cursor and marks. It reports false if there is no room for them.
func (f *frame) draw(c canvas) bool {
	p := plot{canvas: c, rows: len(c) - 1}
	if len(f.marks) > 0 && p.rows > 3 {
		p.rows--
	}
	low, high := 0.0, 0.0
	for _, one := range f.figures {
		if one.any {
			low, high = min(low, one.low), max(high, one.high)
		}
	}
	p.scale = newScale(low/f.divisor, high/f.divisor, p.rows)
	f.drawAxis(&p)
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
	if f.drawsBars(p) {
		f.drawBars(p, columns)
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

// drawsBars reports whether values are drawn as bars, which need block characters and a zero at the bottom.
func (f *frame) drawsBars(p plot) bool { return !ascii(f.box.Theme) && p.scale.low >= 0 }

// drawAxis draws the value axis, as wide as its labels, and leaves the rest to the plot.
func (f *frame) drawAxis(p *plot) {
	axis, stroke := '│', '┤'
	if ascii(f.box.Theme) {
		axis, stroke = '|', '+'
	}
	for n := range p.scale.steps + 1 {
		label, _ := p.scale.tick(n)
		p.left = max(p.left, len(label)+2)
	}
	p.width = max(0, len(p.canvas[0])-p.left)
	for y := range p.rows {
		p.canvas[y][p.left-1] = cell{r: axis, tone: theme.Rule}
	}
	for n := range p.scale.steps + 1 {
		label, row := p.scale.tick(n)
		p.write(p.left-2-len(label), p.rows-1-row, label, theme.Muted)
		p.canvas[p.rows-1-row][p.left-1].r = stroke
	}
}

// The colours in which asciigraph draws: they stand for tones.
const (
	usualColor   = asciigraph.AnsiColor(1)
	unusualColor = asciigraph.AnsiColor(2)
)

// drawLines draws the values as lines, one value in each column. Where there are two lines, the cell shows both.
func (f *frame) drawLines(p plot, columns [][]float64) {
	highest := p.scale.rows - 1
	level := func(v float64) float64 { return p.scale.row(v) }
	for n, values := range columns {
		for _, drawn := range f.plotSeries(n, values, highest, level, charSet(f.box.Theme, n)) {
			c, r, tone := &p.canvas[p.rows-1-drawn.level][p.left+drawn.x], drawn.r, lineTones[n]
			if drawn.unusual {
				tone = theme.Warn
			}
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
	unusual  bool
}

// A plottedSeries is what asciigraph drew of a series, and what it drew it from.
type plottedSeries struct {
	data    []float64
	highest int
	limit   float64 // above it, values are unusual; negative: none is
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
	now := plottedSeries{highest: highest, limit: -1, chars: chars}
	now.data = make([]float64, len(values)+1) // asciigraph draws the way from one value to the next
	for x, v := range values {
		now.data[x+1] = min(max(0, level(v/f.divisor)), float64(highest))
	}
	now.data[0] = now.data[1]
	if limit := f.unusual(); limit > 0 { // rounded like the values: what is not above it is never coloured
		now.limit = math.Round(level(limit / f.divisor))
	}
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
	return s.highest == o.highest && s.limit == o.limit && s.chars == o.chars && slices.EqualFunc(s.data, o.data, same)
}

// draw lets asciigraph draw.
func (s plottedSeries) draw() (drawn []plottedRune) {
	options := []asciigraph.Option{
		asciigraph.Offset(1),
		asciigraph.Height(s.highest),
		asciigraph.LowerBound(0),
		asciigraph.UpperBound(float64(s.highest)),
		asciigraph.SeriesColors(usualColor),
		asciigraph.SeriesChars(s.chars),
		asciigraph.YAxisValueFormatter(func(float64) string { return "" }),
	}
	if s.limit >= 0 {
		options = append(options, asciigraph.ColorAbove(unusualColor, s.limit))
	}
	unusual := false
	y := s.highest + 1
	for line := range strings.SplitSeq(asciigraph.Plot(s.data, options...), "\n") {
		y--
		for x := -1; line != ""; {
			if strings.HasPrefix(line, "\x1b") {
				unusual = strings.HasPrefix(line, unusualColor.String())
				_, line, _ = strings.Cut(line, "m")
				continue
			}
			r, size := utf8.DecodeRuneInString(line)
			if line = line[size:]; r != ' ' && x >= 0 && x < len(s.data)-1 && y >= 0 {
				drawn = append(drawn, plottedRune{x, y, r, unusual})
			}
			x++
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

// A bar is a value of a series in a column: how high it is, in eighths of a row, and its tone.
type bar struct {
	series, eighths int
	tone            theme.Tone
}

// drawBars draws the values as bars in steps of an eighth of a row, the same in every size. A bar reaches the middle of
// the row of its value, where the ticks are. Of two series the lower stands in front.
func (f *frame) drawBars(p plot, columns [][]float64) {
	bars := make([][2]bar, p.width)
	level := func(v float64) float64 {
		row := min(p.scale.row(v), float64(p.scale.rows)-0.5)
		return max(1, math.Round(8*min(row*1.5, row+0.5)))
	}
	for n, values := range columns {
		for _, top := range f.plotSeries(n, values, 8*p.scale.rows, level, barTops) {
			bars[top.x][n] = bar{series: n, eighths: top.level, tone: lineTones[n]}
			if top.unusual {
				bars[top.x][n].tone = theme.Warn
			}
		}
	}
	for x, pair := range bars {
		front, behind := pair[0], pair[1]
		if front.eighths > behind.eighths && behind.eighths > 0 || front.eighths == 0 {
			front, behind = behind, front
		}
		for y := range p.scale.rows {
			p.canvas[p.rows-1-y][p.left+x] = f.barCell(front, behind, 8*y)
		}
	}
}

// barCell returns a cell of a column whose lower edge is a number of eighths above the bottom. Above the bar in front
// is the area of the one behind. Where both end in the same place, the end is plain.
func (f *frame) barCell(front, behind bar, bottom int) cell {
	inFront, rest := min(front.eighths-bottom, 8), min(behind.eighths-bottom, 8)
	switch {
	case inFront <= 0 && rest <= 0:
		return cell{r: ' '}
	case inFront <= 0:
		return cell{r: f.barRune(behind.series, rest), tone: behind.tone}
	}
	c := cell{r: f.barRune(front.series, inFront), tone: front.tone}
	switch {
	case front.eighths == behind.eighths && front.eighths <= bottom+8:
		c.tone = theme.Plain
	case inFront < 8 && rest > inFront:
		c.area = areaTones[behind.series]
	}
	return c
}

// barRune returns the character of a part of a bar. The second series is hatched where there are no colours.
func (f *frame) barRune(series, eighths int) rune {
	if series == 1 && eighths == 8 && f.box.Theme.Codes(areaTones[1]).Open == "" {
		return '▒'
	}
	return eighthBlocks[eighths-1]
}

// sample returns a character of a series for the title.
func (f *frame) sample(n int) string {
	if ascii(f.box.Theme) {
		return charSet(f.box.Theme, n).Horizontal
	}
	return string(f.barRune(n, 8))
}

// unusual returns the value from which on values stand out; 0 if there is none.
func (f *frame) unusual() float64 {
	if f.Unusual <= 0 || len(f.Series) != 1 || !f.figures[0].any {
		return 0
	}
	return f.Unusual * f.figures[0].mean
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
		if v := f.valueAt(n, f.Cursor); finite(v) && !f.drawsBars(p) { // a dot would cut a bar or heighten it
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
