package main

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A cell is a cell of the screen. The text of the second cell of a wide character is empty.
type cell struct {
	text string
	textStyle
}

// textStyle is how a cell is drawn. No colour is that of the terminal.
type textStyle struct {
	color, background        string
	bold, reverse, underline bool
}

// parseCells returns the cells of a line with escape sequences.
func parseCells(line string) []cell {
	var cells []cell
	var style textStyle
	var state byte
	for len(line) > 0 {
		sequence, width, n, next := ansi.DecodeSequence(line, state, nil)
		if codes, ok := strings.CutPrefix(sequence, "\x1b["); ok {
			style.applySGR(strings.TrimSuffix(codes, "m"))
		} else if width > 0 {
			cells = append(cells, cell{sequence, style})
			for range width - 1 {
				cells = append(cells, cell{"", style})
			}
		}
		line, state = line[n:], next
	}
	return cells
}

func (p *textStyle) applySGR(codes string) {
	if codes == "" || codes == "0" {
		*p = textStyle{}
		return
	}
	parts := strings.Split(codes, ";")
	for i := 0; i < len(parts); i++ {
		switch parts[i] {
		case "1":
			p.bold = true
		case "4":
			p.underline = true
		case "7":
			p.reverse = true
		case "38", "48":
			if i+4 >= len(parts) {
				return
			}
			target := &p.color
			if parts[i] == "48" {
				target = &p.background
			}
			var r, g, b int
			_, _ = fmt.Sscan(strings.Join(parts[i+2:i+5], " "), &r, &g, &b)
			*target = fmt.Sprintf("#%02x%02x%02x", r, g, b)
			i += 4
		}
	}
}
