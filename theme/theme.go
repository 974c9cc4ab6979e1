// Package theme holds every colour, style and glyph of the program. Panes name tones (Good, Warn, Bad); the theme
// alone decides how a tone looks.
package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// A Tone says what a piece of text means. It is never a colour.
type Tone int

// The tones of a theme.
const (
	Plain       Tone = iota
	Muted            // secondary text: units, ages, explanations
	Strong           // headings and the names of things
	Accent           // the part that has keyboard focus, keys in hints, links
	Good             // ok, done
	Warn             // pending, late, about to happen
	Bad              // problem, failed, destructive
	Info             // neutral messages
	Off              // disabled, not available now
	Rule             // lines and borders
	Cursor           // background of the row at the cursor; a style with more replaces the styles inside the row
	Marked           // the mark of a marked row
	Input            // text being typed
	Match            // the part of a text that matches a filter
	ChartFirst       // first line of a chart
	ChartSecond      // second line of a chart
	MarkedRow        // background of a marked row
	Flash            // background of a row that has just changed
	Caret            // the character at the text cursor, the chosen one of several options
	Field            // background of an input, over its whole width
	toneCount        // number of tones
)

// A Theme holds the style of each tone and the glyphs for one kind of terminal. The zero value draws plain text.
type Theme struct {
	Name   string
	Dark   bool // made for dark backgrounds
	Glyphs Glyphs
	styles [toneCount]lipgloss.Style
	codes  [toneCount]EscapeCodes
	tints  [toneCount]RowTint // of the tones that are backgrounds of rows, and of Plain
	dimmed *Theme
	colors colorprofile.Profile // of pixels
	flash  *Theme               // for lines on the background of the tone Flash
}

// EscapeCodes are the escape sequences that a tone's style writes before and after text. Both are empty for a tone
// without a style.
type EscapeCodes struct{ Open, Close string }

// Style returns the style of a tone.
func (t *Theme) Style(tone Tone) lipgloss.Style { return t.styles[tone] }

// Codes returns the codes of a tone. Table cells are written between them: rendering a style for each cell of a page
// takes 40 times as long.
func (t *Theme) Codes(tone Tone) EscapeCodes { return t.codes[tone] }

// Paint renders one line of text in a tone, with the tone's cached codes. Empty text stays empty.
func (t *Theme) Paint(tone Tone, text string) string {
	c := t.codes[tone]
	if text == "" || c.Open == "" {
		return text
	}
	return c.Open + text + c.Close
}

// PaintState renders a state, a shape with words, in a tone. Green is for the shape alone.
func (t *Theme) PaintState(tone Tone, text string) string {
	shape, words := SplitState(tone, text)
	return t.Paint(tone, shape) + t.Paint(Plain, words)
}

// SplitState splits a state into the part that has the tone and the plain words behind it. Only a shape is green: words
// in the tone Good would stand out as much as what needs attention. Other tones keep the whole text.
func SplitState(tone Tone, text string) (toned, plain string) {
	if at := strings.IndexByte(text, ' '); tone == Good && at > 0 {
		return text[:at], text[at:]
	}
	return text, ""
}

// RestOfState returns the tone of the lines below the first one of a state that wraps.
func RestOfState(tone Tone) Tone {
	if tone == Good {
		return Plain
	}
	return tone
}

// setStyle sets the style of a tone and renders it once to find its codes.
func (t *Theme) setStyle(tone Tone, style lipgloss.Style) {
	t.styles[tone] = style
	t.codes[tone] = renderedCodes(style)
}

// renderedCodes renders a style once to find its codes.
func renderedCodes(style lipgloss.Style) EscapeCodes {
	open, end, _ := strings.Cut(style.Render("x"), "x")
	return EscapeCodes{Open: open, Close: end}
}
