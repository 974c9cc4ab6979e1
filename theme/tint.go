package theme

import (
	"image/color"
	"math"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// A RowTint says how a row is drawn: its background, and the tones of the cells on it.
type RowTint struct {
	Around EscapeCodes // before and after the row
	codes  [toneCount]EscapeCodes
}

// Codes returns the codes of a cell in the row.
func (t *RowTint) Codes(tone Tone) EscapeCodes { return t.codes[tone] }

// minContrast is the contrast ratio that text on a tint has at least (WCAG 2.1, AA).
const minContrast = 4.5

// Tint returns how a row is drawn on the background of a tone: Cursor, MarkedRow, Flash or Field, or Plain for none. A
// style that is more than a background, such as reverse video, replaces the styles of the cells, except in a Field.
func (t *Theme) Tint(row Tone) *RowTint { return &t.tints[row] }

// CanFlash reports whether the terminal has a colour for rows that have just changed.
func (t *Theme) CanFlash() bool { return t.tints[Flash].Around.Open != "" }

// OnFlash returns the theme for lines on the background of the tone Flash, and what is written before and after each of
// them.
func (t *Theme) OnFlash() (*Theme, EscapeCodes) {
	if t.flash == nil {
		return t, EscapeCodes{}
	}
	return t.flash, t.tints[Flash].Around
}

// setTint finds the codes of all tones on the background of a tone. A tone that is too faint on it becomes lighter or
// darker.
func (t *Theme) setTint(row Tone, p palette, colors colorprofile.Profile) {
	style, tint := t.styles[row], &t.tints[row]
	background, none := style.GetBackground(), lipgloss.NoColor{}
	tint.Around = t.codes[row]
	switch {
	case tint.Around.Open == "":
		tint.codes = t.codes
		return
	case row == Field && (background == none || hasAttributes(style)):
		for tone := range toneCount {
			tint.codes[tone] = t.codes[tone]
			if tint.codes[tone].Close != "" {
				tint.codes[tone].Close += tint.Around.Open
			}
		}
		return
	case colors < colorprofile.ANSI256, background == none, style.GetForeground() != none, hasAttributes(style):
		return
	}
	for tone := range toneCount {
		codes := renderedCodes(readable(p[tone], t.styles[tone], background, colors))
		if codes.Close != "" {
			codes.Close += tint.Around.Open
		}
		tint.codes[tone] = codes
	}
}

// readable returns a style whose foreground has enough contrast on a background. full is the style in true colour, and
// shown is how the terminal shows it.
func readable(full, shown lipgloss.Style, background color.Color, colors colorprofile.Profile) lipgloss.Style {
	foreground := full.GetForeground()
	if foreground == (lipgloss.NoColor{}) {
		return shown
	}
	var target color.Color = color.White
	if luminance(background) > 0.3 {
		target = color.Black
	}
	for part := 0.0; part <= 1 && contrast(shown.GetForeground(), background) < minContrast; part += 0.1 {
		shown = shown.Foreground(convert(swatch{blend(foreground, target, part), nil}, colors))
	}
	return shown
}

// downsampleTint returns the style of a row's background on a terminal: without enough colours, reverse video at the
// cursor and nothing elsewhere.
func downsampleTint(row Tone, style lipgloss.Style, colors colorprofile.Profile) lipgloss.Style {
	background := style.GetBackground()
	if background == (lipgloss.NoColor{}) {
		return downsample(style, colors)
	}
	_, basic := background.(ansi.BasicColor)
	switch {
	case colors >= colorprofile.ANSI256, colors == colorprofile.ANSI && basic:
		return downsample(style, colors)
	case row == Cursor:
		return plain.Reverse(true)
	case row == Field:
		return underline
	}
	return plain
}

// Dimmed returns the theme for the screen behind a dialog: each tone is closer to the background.
func (t *Theme) Dimmed() *Theme {
	if t.dimmed == nil {
		return t
	}
	return t.dimmed
}

// dimPart is how far a dimmed tone is on its way to the background.
const dimPart = 0.55

// newDimmed returns a theme whose tones are half-way to the background; with 16 colours or none they are faint.
func (t *Theme) newDimmed(p palette, colors colorprofile.Profile) *Theme {
	dimmed := &Theme{Name: t.Name, Dark: t.Dark, Glyphs: t.Glyphs}
	ground, text := lipgloss.Color("#12141a"), lipgloss.Color("#d0d4da")
	if !t.Dark {
		ground, text = lipgloss.Color("#ffffff"), lipgloss.Color("#202020")
	}
	for tone := range toneCount {
		var style lipgloss.Style
		foreground := p[tone].GetForeground()
		switch {
		case colors < colorprofile.ANSI256 || p[Accent].GetForeground() == (lipgloss.NoColor{}):
			style = faint
		case foreground == (lipgloss.NoColor{}):
			style = plain.Foreground(convert(swatch{blend(text, ground, dimPart), nil}, colors))
		default:
			style = plain.Foreground(convert(swatch{blend(foreground, ground, dimPart), nil}, colors))
		}
		dimmed.setStyle(tone, style)
	}
	for row := range dimmed.tints {
		dimmed.tints[row].codes = dimmed.codes
	}
	return dimmed
}

// DimLines paints lines that were drawn in the dimmed theme: text without a tone becomes dim as well.
func (t *Theme) DimLines(text string) string {
	c := t.Dimmed().codes[Plain]
	if c.Open == "" {
		return text
	}
	text = strings.ReplaceAll(text, c.Close, c.Close+c.Open)
	return c.Open + strings.ReplaceAll(text, "\n", c.Close+"\n"+c.Open) + c.Close
}

// blend mixes a part of one colour into another.
func blend(from, into color.Color, part float64) color.Color {
	r, g, b, _ := from.RGBA()
	x, y, z, _ := into.RGBA()
	mix := func(a, b uint32) uint8 { return uint8((float64(a)*(1-part) + float64(b)*part) / 257) }
	return color.RGBA{R: mix(r, x), G: mix(g, y), B: mix(b, z), A: 0xff}
}

// luminance returns the relative luminance of a colour (WCAG 2.1).
func luminance(c color.Color) float64 {
	linear := func(v uint32) float64 {
		f := float64(v) / 0xffff
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// contrast returns the contrast ratio of two colours (WCAG 2.1).
func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
