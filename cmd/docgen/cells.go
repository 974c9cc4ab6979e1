package main

import (
	"fmt"
	"image/color"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// A cell is a cell of the screen. The text of the second cell of a wide character is empty. No colour is that of the
// terminal.
type cell struct {
	text                     string
	color, background        string
	bold, reverse, underline bool
}

// parseCells returns the cells of a line with escape sequences.
func parseCells(line string) (cells []cell) {
	for _, lines := range uv.NewStyledString(line).Lines(ansi.GraphemeWidth) {
		for _, c := range lines {
			cells = append(cells, cell{
				text:       c.Content,
				color:      hex(c.Style.Fg),
				background: hex(c.Style.Bg),
				bold:       c.Style.Attrs&uv.AttrBold != 0,
				reverse:    c.Style.Attrs&uv.AttrReverse != 0,
				underline:  c.Style.Underline != uv.UnderlineNone,
			})
		}
	}
	return cells
}

// hex returns a colour as SVG has them; "" for none.
func hex(c color.Color) string {
	if c == nil {
		return ""
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
