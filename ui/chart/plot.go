package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/guptarohit/asciigraph"

	"lookout/theme"
)

// lineTones are the tones of the series.
var lineTones = [2]theme.Tone{theme.ChartFirst, theme.ChartSecond}

// asciiLine replaces what asciigraph draws with characters that every terminal has.
var asciiLine = strings.NewReplacer(
	"─", "-", "│", "|", "╭", ".", "╮", ".", "╰", "'", "╯", "'", "╴", "-", "╶", "-", "┤", "|", "┼", "+",
)

// ascii reports whether the terminal has only ASCII characters.
func ascii(t *theme.Theme) bool { return t.Glyphs.Horizontal == "-" }

// A plot is the part of a canvas in which values are drawn, behind an axis.
type plot struct {
	canvas
	left, width, rows int
}

// minLine is the number of rows from which values are drawn as a line. Fewer rows have a sparkline.
const minLine = 3

// minLeft is the least width of the axis: that of "2,000 ┤", so that most charts have the same time axis.
const minLeft = 7

// draw draws axes, values, cursor and marks. It reports false if there is no room for them. Two series stand one above
// the other, so that neither hides the other or seems to be added to it.
func (f *frame) draw(c canvas) bool {
	p := plot{canvas: c, left: minLeft, rows: len(c) - 1}
	if len(f.marks) > 0 && p.rows > minLine {
		p.rows--
	}
	rows := (p.rows+1)/len(f.Series) - 1 // of each series, with a blank one between them
	scales := make([]scale, len(f.Series))
	for n := range f.Series {
		scales[n] = newScale(f.figures[n].high/f.divisor, rows)
		for row := range rows {
			p.left = max(p.left, len(f.label(n, scales[n], row))+2)
		}
	}
	p.width = len(c[0]) - p.left
	if p.rows < len(c)-1 {
		p.width -= f.markSpace(p.width)
	}
	if p.width < minPlot {
		return false
	}
	for n := range f.Series {
		bottom := p.rows - (len(f.Series)-1-n)*(rows+1)
		f.drawSeries(plot{c[bottom-rows : bottom], p.left, p.width, rows}, n, scales[n])
	}
	f.drawTimes(p)
	if p.rows < len(c)-1 {
		f.drawMarks(p, len(c)-1)
	}
	return true
}

// label returns the label of a row of the axis of series n, counted from the bottom; "" for none. The lowest row has
// the name of one of two series.
func (f *frame) label(n int, s scale, row int) string {
	text := s.label(row)
	if row == 0 && len(f.Series) > 1 {
		text = strings.TrimSpace(f.Series[n].Name + " " + text)
	}
	return text
}

// drawSeries draws the axis and the values of series n, and on a single line a dot at the sample that is closest to the
// cursor: the title has the values of two.
func (f *frame) drawSeries(p plot, n int, s scale) {
	values := resample(f.Series[n].Points, f.from, f.to, p.width, f.figures[n].limit)
	label := func(row float64) string { return fmt.Sprintf("%*s ", p.left-2, f.label(n, s, int(math.Round(row)))) }
	graph := ""
	highest := float64(p.rows - 1)
	level := func(v float64) float64 { return min(max(0, s.row(v/f.divisor)), highest) }
	if s.step == 0 {
		graph = strings.Repeat("\n", p.rows-1) + " " + label(0) + "┤" + Sparkline(f.box.Theme, values)
	} else {
		data := make([]float64, len(values)+1) // asciigraph draws the way from one value to the next
		for x, v := range values {
			data[x+1] = level(v)
		}
		data[0] = data[1]
		graph = asciigraph.Plot(
			data,
			asciigraph.Offset(2),
			asciigraph.Height(p.rows-1),
			asciigraph.LowerBound(0),
			asciigraph.UpperBound(highest),
			asciigraph.YAxisValueFormatter(label),
		)
	}
	if ascii(f.box.Theme) {
		graph = asciiLine.Replace(graph)
	}
	y := 0
	for line := range strings.SplitSeq(graph, "\n") {
		p.write(-1, y, line, lineTones[n])
		for x := range p.left {
			p.canvas[y][x].tone = theme.Muted
		}
		p.canvas[y][p.left-1].tone = theme.Rule
		y++
	}
	f.drawGaps(p, values)
	if v := f.valueAt(n, f.Cursor); finite(v) && s.step > 0 && len(f.Series) == 1 {
		at := max(0, f.column(Nearest(f.Series[n].Points, f.Cursor).Time, p.width))
		p.write(p.left+at, p.rows-1-int(math.Round(level(v))), f.box.Theme.Glyphs.Live, lineTones[n])
	}
}

// drawGaps marks the columns without a value, and names wide gaps.
func (f *frame) drawGaps(p plot, values []float64) {
	const text = " no data "
	dot := "·"
	if ascii(f.box.Theme) {
		dot = "."
	}
	for x := 0; x < len(values); x++ {
		start := x
		for ; x < len(values) && !finite(values[x]); x++ {
			if p.canvas[p.rows-1][p.left+x].r == ' ' {
				p.write(p.left+x, p.rows-1, dot, theme.Rule)
			}
		}
		if x-start >= len(text)+2 {
			p.write(p.left+(start+x-len(text))/2, p.rows-1, text, theme.Muted)
		}
	}
}

// resample returns the greatest value of points in each of width equal parts of a time, so that no spike is lost. Parts
// between two samples have values between theirs; parts in a gap are NaN: samples that are further apart than a limit
// have a gap between them. The points are in order.
func resample(points []ChartPoint, from, to time.Time, width int, limit time.Duration) []float64 {
	out := make([]float64, width)
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
