package chart

import (
	"math"
	"strings"
	"time"

	"lookout/theme"
)

// Sparkline draws values in one line, one cell each: ▁▂▃▅▇. The lowest level is 0 or less. A value that is not a number
// is a blank. The caller paints the line.
func Sparkline(t *theme.Theme, values []float64) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	if t.Glyphs.Horizontal == "-" {
		levels = []rune("_.:-=+*#")
	}
	high := 0.0
	for _, v := range values {
		if finite(v) {
			high = max(high, v)
		}
	}
	var out strings.Builder
	for _, v := range values {
		switch {
		case !finite(v):
			out.WriteByte(' ')
		case v <= 0:
			out.WriteRune(levels[0])
		default:
			out.WriteRune(levels[int(math.Round(v/high*float64(len(levels)-1)))])
		}
	}
	return out.String()
}

// Resample returns the greatest value of points in each of width equal parts of a time, so that no spike is lost. A
// part in a gap is NaN.
func Resample(points []ChartPoint, from, to time.Time, width int) []float64 {
	return downsample(points, width, from, to)
}
