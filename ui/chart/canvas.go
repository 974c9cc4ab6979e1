package chart

import (
	"strings"

	"lookout/theme"
)

// A cell is a character of a chart, and the tone of what it belongs to.
type cell struct {
	r    rune
	tone theme.Tone
}

// A canvas is the inside of a chart's panel.
type canvas [][]cell

// newCanvas returns an empty canvas.
func newCanvas(width, height int) canvas {
	cells := make([]cell, width*height)
	for n := range cells {
		cells[n].r = ' '
	}
	rows := make(canvas, height)
	for y := range rows {
		rows[y] = cells[y*width : (y+1)*width]
	}
	return rows
}

// write writes text from a column on.
func (c canvas) write(x, y int, text string, tone theme.Tone) {
	for _, r := range text {
		if x >= 0 && x < len(c[y]) {
			c[y][x] = cell{r: r, tone: tone}
		}
		x++
	}
}

// free reports whether cells are blank, and two cells beside them, which keep times apart.
func (c canvas) free(x, y, width int) bool {
	if x < 0 || x+width > len(c[y]) {
		return false
	}
	for n := max(0, x-2); n < min(x+width+2, len(c[y])); n++ {
		if c[y][n].r != ' ' {
			return false
		}
	}
	return true
}

// render returns the lines of the canvas, painted in runs of the same tones.
func (c canvas) render(t *theme.Theme) string {
	var out strings.Builder
	out.Grow(len(c) * (len(c[0]) + 40) * 2)
	for y, row := range c {
		if y > 0 {
			out.WriteByte('\n')
		}
		for x := 0; x < len(row); {
			first := row[x]
			tone := t.Codes(first.tone)
			out.WriteString(tone.Open)
			for ; x < len(row) && row[x].tone == first.tone; x++ {
				out.WriteRune(row[x].r)
			}
			out.WriteString(tone.Close)
		}
	}
	return out.String()
}
