package main

import (
	"fmt"
	"slices"
	"strings"
)

// A shape is a character that is drawn as a path: fonts draw lines with gaps, and signs in different sizes.
type shape struct {
	class string // how the path is drawn
	path  string // inside a cell, with its left edge at %[1]s; "" for a line or a block
	arms  string // of a line: the sides that it goes to, as l, r, u, d
	block block
}

// A block is the part of a cell that a block character fills.
type block struct{ left, top, right, bottom float64 }

// shapes returns the shapes by their characters.
var shapes = func() map[string]shape {
	all := map[string]shape{}
	lines := func(class string, arms map[string]string) {
		for text, sides := range arms {
			all[text] = shape{class: class, arms: sides}
		}
	}
	lines("l", map[string]string{
		"─": "lr", "│": "ud", "╶": "r", "╴": "l", "┤": "lud", "├": "rud", "┬": "lrd", "┴": "lru", "┼": "lrud",
		"┌": "rd", "┐": "ld", "└": "ru", "┘": "lu",
	})
	lines("h", map[string]string{
		"━": "lr", "┃": "ud", "┏": "rd", "┓": "ld", "┗": "ru", "┛": "lu", "┣": "rud", "┫": "lud", "┳": "lrd",
		"┻": "lru", "╋": "lrud",
	})
	lines("l d", map[string]string{"╌": "lr", "┄": "lr", "┆": "ud", "┊": "ud"})
	for n := range 8 {
		all[string(rune('▁'+n))] = shape{class: "k", block: block{0, 1 - float64(n+1)/8, 1, 1}}
		all[string(rune('█'+n))] = shape{class: "k", block: block{0, 0, 1 - float64(n)/8, 1}}
	}
	all["▀"] = shape{class: "k", block: block{0, 0, 1, 0.5}}
	all["░"] = shape{class: "f", block: block{0, 0, 1, 1}}
	for text, path := range map[string]string{
		"╭": "m4.2 18v-4.8q0-4.2 4.2-4.2", "╮": "m0 9q4.2 0 4.2 4.2v4.8",
		"╰": "m4.2 0v4.8q0 4.2 4.2 4.2", "╯": "m0 9q4.2 0 4.2-4.2v-4.8",
		"○": "m.9 9a3.3 3.3 0 1 0 6.6 0a3.3 3.3 0 1 0-6.6 0z",
		"✓": "m1 9.6l2.3 2.7l4.1-6.6", "✗": "m1.5 5.8l5.4 6.4m0-6.4l-5.4 6.4",
	} {
		all[text] = shape{class: "l", path: path}
	}
	all["◌"] = shape{class: "l d", path: all["○"].path}
	for text, path := range map[string]string{
		"●": "m.7 9a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
		"▲": "m4.2 4.8l4 7.8h-8z", "▼": "m4.2 13.2l4-7.8h-8z", "▸": "m1.6 5.2l5.6 3.8l-5.6 3.8z",
	} {
		all[text] = shape{class: "s", path: path}
	}
	return all
}()

// drawShapes draws the shapes of a line: those of a class and a colour as one path.
func (w *svgWriter) drawShapes(b *strings.Builder, cells []cell) {
	var keys []string
	paths := map[string]string{}
	for _, r := range runs(cells, func(c cell) string { return c.text + w.foregroundOf(c) }) {
		c := cells[r.from]
		s, drawn := shapes[c.text]
		if !drawn {
			continue
		}
		key := s.class + " " + w.class(w.foregroundOf(c))
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		paths[key] += s.draw(r.from, r.to)
	}
	for _, key := range keys {
		fmt.Fprintf(b, `<path class="%s" d="%s"/>`, key, paths[key])
	}
}

// draw returns the path of equal shapes that stand side by side.
func (s shape) draw(from, to int) string {
	const middle, half = cellHeight / 2, cellWidth / 2
	switch {
	case s.block != block{} && s.block.left == 0 && s.block.right == 1:
		height := (s.block.bottom - s.block.top) * cellHeight
		return fmt.Sprintf(
			"M%s %sh%sv%sh-%[3]sz",
			px(from),
			decimal(s.block.top*cellHeight),
			px(to-from),
			decimal(height),
		)
	case s.arms == "lr":
		return fmt.Sprintf("M%s %dh%s", px(from), middle, px(to-from))
	}
	path := ""
	for x := from; x < to; x++ {
		left := float64(x) * cellWidth
		center := decimal(left + half)
		if s.block != (block{}) {
			path += fmt.Sprintf("M%s 0h%sv%dh-%[2]sz", px(x), decimal(s.block.right*cellWidth), cellHeight)
		}
		if s.path != "" {
			path += fmt.Sprintf("M%s 0", px(x)) + s.path
		}
		for _, side := range s.arms {
			switch side {
			case 'l':
				path += fmt.Sprintf("M%s %dH%s", px(x), middle, center)
			case 'r':
				path += fmt.Sprintf("M%s %dH%s", center, middle, px(x+1))
			case 'u':
				path += fmt.Sprintf("M%s 0V%d", center, middle)
			case 'd':
				path += fmt.Sprintf("M%s %dV%d", center, middle, cellHeight)
			}
		}
	}
	return path
}
