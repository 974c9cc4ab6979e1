// Package theme holds every colour, style and glyph of the program. Panes name tones (Good, Warn, Bad); the theme
// alone decides how a tone looks.
package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// A Tone says what a piece of text means. It is never a colour.
type Tone int

// The tones of a theme.
const (
	Plain       Tone = iota
	Muted            // secondary text: units, ages, explanations
	Strong           // headings and the names of things
	Accent           // the part that has the keyboard, keys in hints, links
	Good             // ok, done
	Warn             // pending, late, about to happen
	Bad              // problem, failed, destructive
	Info             // neutral news
	Off              // disabled, not available now
	Rule             // lines and borders
	Cursor           // the whole row at the cursor, without styles inside it
	Marked           // the mark of a marked row
	Input            // text being typed
	Match            // the part of a text that matches a filter
	ChartFirst       // first line of a chart
	ChartSecond      // second line of a chart
	toneCount        // number of tones
)

// A Theme holds the style of each tone and the glyphs for one kind of terminal. The zero value draws plain text.
type Theme struct {
	Name   string
	Dark   bool // made for dark backgrounds
	Glyphs Glyphs
	styles [toneCount]lipgloss.Style
	codes  [toneCount]Codes
}

// Codes are the escape sequences that a tone's style writes before and after text. Both are empty for a tone without a
// style.
type Codes struct{ Open, Close string }

// Style returns the style of a tone.
func (t *Theme) Style(tone Tone) lipgloss.Style { return t.styles[tone] }

// Codes returns the codes of a tone. Table cells are written between them: rendering a style for each cell of a page
// takes 40 times as long.
func (t *Theme) Codes(tone Tone) Codes { return t.codes[tone] }

// Paint renders one line of text in a tone, with the tone's cached codes. Empty text stays empty.
func (t *Theme) Paint(tone Tone, text string) string {
	c := t.codes[tone]
	if text == "" || c.Open == "" {
		return text
	}
	return c.Open + text + c.Close
}

// setStyle sets the style of a tone and renders it once to find its codes.
func (t *Theme) setStyle(tone Tone, style lipgloss.Style) {
	t.styles[tone] = style
	open, end, _ := strings.Cut(style.Render("x"), "x")
	t.codes[tone] = Codes{Open: open, Close: end}
}
