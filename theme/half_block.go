package theme

import (
	"image/color"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// RGB is a colour: red, green and blue.
type RGB [3]uint8

// HalfBlock returns a cell whose upper half has one colour and whose lower half has another. It reports false for
// terminals with fewer than 256 colours, and for ASCII.
func (t *Theme) HalfBlock(upper, lower RGB) (string, bool) {
	if t.colors < colorprofile.ANSI256 || t.Glyphs.Full != "█" {
		return "", false
	}
	paint := func(p RGB) ansi.Color {
		return convert(color.RGBA{p[0], p[1], p[2], 255}, t.colors)
	}
	return ansi.NewStyle().ForegroundColor(paint(upper)).BackgroundColor(paint(lower)).Styled("▀"), true
}
