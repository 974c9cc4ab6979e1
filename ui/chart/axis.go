package chart

import (
	"strconv"
	"strings"
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

// markSpace returns how many columns the plot leaves free on the right, so that the newest mark has its label.
func (f *frame) markSpace(width int) int {
	if len(f.marks) == 0 {
		return 0
	}
	return max(0, len(f.marks[0].Label)-(width-1-f.column(f.marks[0].Time, width)))
}

// drawMarks draws a mark at the column of each moment, and behind them as many labels as fit: that at the cursor first,
// then the newest. Moments of the same column share a mark, which counts them.
func (f *frame) drawMarks(p plot, y int) {
	mark := firstRune(f.box.Theme.Glyphs.Problem)
	row, labels := p.canvas[y], map[int]string{} // of the marks by their columns
	order := make([]int, 0, len(f.marks))
	for _, m := range f.marks {
		at := p.left + f.column(m.Time, p.width)
		if row[at].r == mark {
			labels[at] = plusOne(labels[at])
		} else {
			row[at], labels[at] = cell{r: mark, tone: m.Tone}, m.Label
			order = append(order, at)
		}
		if m.Tone == theme.Bad { // of the moments that share a mark, what is broken now matters most
			row[at].tone = theme.Bad
		}
		if m.Time.Equal(f.Cursor) {
			order = append([]int{at}, order...)
		}
	}
	for _, at := range order {
		labelMark(row, at, labels[at])
		labels[at] = ""
	}
}

// plusOne counts one more moment that shares a mark: "823+2".
func plusOne(label string) string {
	first, count, _ := strings.Cut(label, "+")
	n, _ := strconv.Atoi(count)
	return first + "+" + strconv.Itoa(n+1)
}

// maxMarkShift is how many columns a mark may stand before its moment so that its label fits.
const maxMarkShift = 2

// labelMark writes the label of the mark in a column of a row behind it, with blanks around them. If the mark has to be
// moved too far for that, it stays without a label.
func labelMark(row []cell, at int, label string) {
	mark := row[at]
	row[at].r = ' '
	for x := at; x >= max(0, at-maxMarkShift) && label != ""; x-- {
		if isFree(row, x, 1+len(label), mark.r) {
			row[x] = mark
			for n, r := range label {
				row[x+1+n] = cell{r: r, tone: mark.tone}
			}
			return
		}
	}
	row[at] = mark
}

// isFree reports whether cells of a row are blank, and those beside them: only another mark may stand in front.
func isFree(row []cell, x, width int, mark rune) bool {
	if x+width > len(row) || x > 0 && row[x-1].r != ' ' && row[x-1].r != mark {
		return false
	}
	for n := x; n < min(x+width+1, len(row)); n++ {
		if row[n].r != ' ' {
			return false
		}
	}
	return true
}
