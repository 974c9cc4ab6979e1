package chart

import (
	"math"
	"strings"

	"lookout/theme"
)

// Sparkline draws values in one line, one cell each: ▁▂▃▅▇. The lowest level is 0 or less. A value that is not a number
// is a blank. The caller paints the line.
func Sparkline(t *theme.Theme, values []float64) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	if ascii(t) {
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
