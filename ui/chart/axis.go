package chart

import (
	"strconv"
	"time"
	"unicode/utf8"

	"lookout/theme"
)

// firstRune returns the character of a glyph.
func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// drawTimes draws the time axis: the cursor's time, the first and the last, and as many round hours as fit between
// them.
func (f *frame) drawTimes(p plot) {
	format, step := "15:04", roundStep(f.to.Sub(f.from), p.width)
	if f.to.Sub(f.from) > 36*time.Hour {
		format = "2 Jan"
	}
	text := func(t time.Time) string { return t.In(f.zone).Format(format) }
	if at := f.column(f.Cursor, p.width); at >= 0 && !f.Cursor.IsZero() {
		label := text(f.Cursor)
		x := min(max(p.left, p.left+at-len(label)/2), p.left+p.width-len(label))
		p.write(x, p.rows, label, theme.Accent)
	}
	f.drawTime(p, p.left, text(f.from))
	f.drawTime(p, p.left+p.width-len(text(f.to)), text(f.to))
	first := f.from.In(f.zone)
	for n := 1; n < 100; n++ {
		t := time.Date(first.Year(), first.Month(), first.Day(), 0, 0, 0, 0, f.zone).Add(time.Duration(n) * step)
		if t.After(f.to) {
			break
		}
		if at := f.column(t, p.width); at >= 0 {
			f.drawTime(p, p.left+at-len(text(t))/2, text(t))
		}
	}
}

// drawTime writes a time of the axis unless it touches another.
func (f *frame) drawTime(p plot, x int, text string) {
	if x >= p.left && p.free(x, p.rows, len(text)) {
		p.write(x, p.rows, text, theme.Muted)
	}
}

// roundStep returns the time between two labels of the axis so that there is space between them.
func roundStep(length time.Duration, width int) time.Duration {
	steps := []time.Duration{
		10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	}
	for _, s := range steps {
		if float64(width)*float64(s)/float64(length) >= 10 {
			return s
		}
	}
	return max(24*time.Hour, (length / 4).Truncate(24*time.Hour))
}

// drawMarks draws a mark at the column of each moment, and beside them as many labels as fit: that at the cursor first,
// then the newest. Moments of the same column share a mark, which counts them.
func (f *frame) drawMarks(p plot, y int) {
	mark := firstRune(f.box.Theme.Glyphs.Problem)
	columns := map[int][]Mark{}
	for _, m := range f.marks {
		at := p.left + f.column(m.Time, p.width)
		columns[at] = append(columns[at], m)
		p.canvas[y][at] = cell{r: mark, tone: m.Tone}
		for _, other := range columns[at] {
			if other.Tone == theme.Bad {
				p.canvas[y][at].tone = theme.Bad
			}
		}
	}
	label := func(m Mark) {
		at := p.left + f.column(m.Time, p.width)
		same := columns[at]
		if len(same) == 0 || m.Label == "" {
			return
		}
		text := m.Label
		if len(same) > 1 {
			text += "+" + strconv.Itoa(len(same)-1)
		}
		for _, x := range []int{at + 1, at - len(text)} {
			if p.freeLabel(x, y, len(text), at) {
				p.write(x, y, text, p.canvas[y][at].tone)
				delete(columns, at)
				return
			}
		}
	}
	for _, m := range f.marks {
		if m.Time.Equal(f.Cursor) {
			label(m)
		}
	}
	for _, m := range f.marks {
		label(m)
	}
}

// freeLabel reports whether a label fits beside its mark, with a blank between it and anything else.
func (c canvas) freeLabel(x, y, width, mark int) bool {
	if x < 0 || x+width > len(c[y]) {
		return false
	}
	for n := max(0, x-1); n < min(x+width+1, len(c[y])); n++ {
		if n != mark && c[y][n].r != ' ' {
			return false
		}
	}
	return true
}
