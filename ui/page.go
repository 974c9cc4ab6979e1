package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
)

// A page is a block of text under way: lines of exactly one width, each with its part of another text beside it where there is one.
// It keeps its room from frame to frame.
type page struct {
	out    []byte
	start  int // of the line under way
	width  int
	left   int // lines to come
	seam   string
	beside string // what is left of the text beside
	room   int    // cells for it; 0 is none
}

// begin starts a block anew.
func (p *page) begin(width, height int) {
	*p = page{out: p.out[:0], width: width, left: height}
}

// add writes a line that may have any width.
func (p *page) add(line string) {
	p.out = append(p.out, line...)
	p.end(Width(line))
}

// end ends the line under way, which has so many cells: what is too much goes, what lacks is blank.
func (p *page) end(cells int) {
	cells -= p.trim(cells - p.width)
	if cells > p.width {
		line := ansi.Truncate(string(p.out[p.start:]), p.width, "")
		p.out, cells = append(p.out[:p.start], line...), Width(line)
	}
	p.pad(p.width - cells)
	if p.room > 0 {
		p.aside()
	}
	if p.left--; p.left > 0 {
		p.out = append(p.out, '\n')
	}
	p.start = len(p.out)
}

// aside writes the next line of the text beside.
func (p *page) aside() {
	var line string
	line, p.beside, _ = strings.Cut(p.beside, "\n")
	cells := Width(line)
	if cells > p.room {
		line = ansi.Truncate(line, p.room, "")
		cells = Width(line)
	}
	p.out = append(append(p.out, p.seam...), line...)
	p.pad(p.room - cells)
}

// trim takes at most n blanks from the end of the line under way and says how many.
func (p *page) trim(n int) (gone int) {
	for gone < n && len(p.out) > p.start && p.out[len(p.out)-1] == ' ' {
		p.out = p.out[:len(p.out)-1]
		gone++
	}
	return gone
}

func (p *page) pad(n int) {
	for ; n > len(blanks); n -= len(blanks) {
		p.out = append(p.out, blanks...)
	}
	if n > 0 {
		p.out = append(p.out, blanks[:n]...)
	}
}

// field writes a text in a column of so many cells, cut with a mark where it is longer.
func (p *page) field(text string, width int, right bool, look theme.Style, mark string) {
	cells := Width(text)
	tail := ""
	switch {
	case cells <= width:
	case width <= 0:
		text, cells = "", 0
	case cells == len(text):
		text, tail, cells = text[:width-1], mark, width
	default:
		text = ansi.Truncate(text, width, mark)
		cells = Width(text)
	}
	if right {
		p.pad(width - cells)
	}
	if text != "" || tail != "" {
		p.out = append(append(append(append(p.out, look.Open...), text...), tail...), look.Close...)
	}
	if !right {
		p.pad(width - cells)
	}
}

// whole closes the line under way, which began with the opening of a style: the style ends with its text, or reaches over the whole width.
func (p *page) whole(cells int, look theme.Style, fill bool, mark string) {
	cells -= p.trim(cells)
	if cells > p.width {
		line := ansi.Truncate(string(p.out[p.start:]), p.width, mark)
		p.out, cells = append(p.out[:p.start], line...), Width(line)
	}
	if fill {
		p.pad(p.width - cells)
		cells = p.width
	}
	p.out = append(p.out, look.Close...)
	p.end(cells)
}
