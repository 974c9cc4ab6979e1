// Package theme holds every colour, style and glyph of the program as one value. Panes speak in tones (Good, Warn,
// Bad); what a tone looks like is decided here, once.
package theme

// A Tone is what a piece of text means. It is never a colour.
type Tone int

// The toneCount.
const (
	Plain       Tone = iota
	Muted            // secondary text: units, ages, explanations
	Strong           // headings and the names of things
	Accent           // what has the keyboard, keys in hints, links
	Good             // ok, done
	Warn             // pending, late, about to
	Bad              // problem, failed, destructive
	Info             // neutral news
	Off              // disabled, cannot be done now
	Rule             // lines and borders
	Cursor           // the row at the cursor, whole and without inner styles
	Marked           // a marked row's glyph
	Input            // text being typed
	Match            // the part of a text that a filter matched
	ChartFirst       // first line of a chart
	ChartSecond      // second line of a chart
	toneCount        // how many there are
)

// A Style is a tone as bytes: what opens it and what closes it. Both are empty where nothing may be styled.
type Style struct{ Open, Close string }

// A Theme is a set of styles and glyphs for one kind of terminal. The zero value draws plain text.
type Theme struct {
	Name   string
	Dark   bool // it is for dark backgrounds
	Glyphs Glyphs
	styles [toneCount]Style
}

// Style gives the bytes around text of tone t.
func (t *Theme) Style(tone Tone) Style { return t.styles[tone] }

// Paint sets text in a tone. Empty text stays empty.
func (t *Theme) Paint(tone Tone, text string) string {
	s := t.styles[tone]
	if text == "" || s.Open == "" {
		return text
	}
	return s.Open + text + s.Close
}
