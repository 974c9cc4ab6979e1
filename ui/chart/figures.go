package chart

import (
	"math"
	"slices"
	"strings"

	"lookout/theme"
	"lookout/ui"
)

// wordings are what is said of each series, from the most to the least.
var wordings = [][]string{
	{"now", "at", "max", "avg", "min"},
	{"now", "at", "max", "avg"},
	{"now", "at", "max"},
	{"now", "at"},
	{"now", "max"},
	{"now"},
	{"at"},
	nil, // the values now or at the cursor, without the samples of the lines
	{},  // the same without the moment of the cursor
}

// name returns the title and the unit.
func (f *frame) name() string { return f.Title + " " + f.unit }

// title returns the title of the panel: the name, and as many figures of each series as fit.
func (f *frame) title(width int) []theme.TitleSegment {
	segments := []theme.TitleSegment{{Text: f.name(), Tone: theme.Strong}}
	if text := f.fit(width - 6 - ui.Width(f.name()) - 3); text != "" {
		segments = append(segments, theme.TitleSegment{Text: text})
	}
	return segments
}

// line returns the chart in one line: the name, a sparkline, and figures.
func (f *frame) line(width int) string {
	name := f.box.Theme.Paint(theme.Strong, f.name())
	if f.box.Focused {
		name = f.box.Theme.Paint(theme.Accent, f.name())
	}
	room := width - ui.Width(f.name()) - 2
	if !f.any {
		return name + "  " + f.box.Theme.Paint(theme.Muted, "no data")
	}
	text := f.fit(room - 12)
	if text == "" {
		text = f.fit(room)
	}
	if text != "" {
		room -= ui.Width(text) + 2
		text = "  " + text
	}
	if room = min(room, 48); room < 8 {
		return name + text
	}
	values := resample(f.Series[0].Points, f.from, f.to, room, f.figures[0].limit)
	return name + "  " + f.box.Theme.Paint(lineTones[0], Sparkline(f.box.Theme, values)) + text
}

// fit returns the most figures that fit into a width; "" if not even one does.
func (f *frame) fit(width int) string {
	for _, words := range wordings {
		if len(words) > 0 && !f.Cursor.IsZero() && !slices.Contains(words, "at") {
			continue // the user asks for the values at the cursor
		}
		if text := f.describe(words); text != "" && ui.Width(text) <= width {
			return text
		}
	}
	return ""
}

// describe returns figures: "now 324 · max 382", or "in / out · now 41.2 / 137 · max 96 / 250". With a single figure
// of several series it leaves out the word "now": "in 41.2  out 137". Behind the names are samples of the lines, if
// there are any.
func (f *frame) describe(words []string) string {
	t := f.box.Theme
	separator := t.Paint(theme.Muted, " / ")
	var parts, names []string
	for n, s := range f.Series {
		names = append(names, t.Paint(lineTones[n], s.Name))
	}
	bare, short := words != nil && len(words) == 0, len(words) == 0
	switch {
	case short && f.Cursor.IsZero():
		words = []string{"now"}
	case short:
		words = []string{"at"}
	}
	if len(names) > 1 && len(words) > 1 {
		parts = append(parts, strings.Join(names, separator))
	}
	for _, word := range words {
		label, tone := f.word(word)
		if label == "" {
			continue
		}
		var values []string
		for n := range f.Series {
			values = append(values, t.Paint(tone, f.value(n, word)))
			if len(names) > 1 && len(words) == 1 {
				values[n] = names[n] + " " + values[n]
			}
		}
		switch {
		case len(names) > 1 && len(words) == 1 && (bare || word == "now"):
			label = strings.Join(values, "  ")
		case len(names) > 1 && len(words) == 1:
			if short {
				label = strings.TrimPrefix(label, "at ")
			}
			label = t.Paint(tone, label+" ") + strings.Join(values, "  ")
		case tone == theme.Accent:
			label = t.Paint(tone, label+" ") + strings.Join(values, separator)
		default:
			label = t.Paint(theme.Muted, label+" ") + strings.Join(values, separator)
		}
		parts = append(parts, label)
	}
	return strings.Join(parts, t.Paint(theme.Muted, " "+t.Glyphs.Bullet+" "))
}

// word returns how a figure is called, and its tone; "" if it does not apply.
func (f *frame) word(word string) (string, theme.Tone) {
	switch word {
	case "now":
		if !f.isCurrent && !f.To.IsZero() {
			return "", theme.Plain
		}
		if !f.isCurrent {
			return "last", theme.Plain
		}
	case "at":
		m, found := f.readout()
		switch {
		case !found:
			return "", theme.Plain
		case f.Cursor.IsZero():
			return "at " + m.Label, theme.Plain
		}
		return "at " + m.Label, theme.Accent
	}
	return word, theme.Plain
}

// value returns a figure of a series.
func (f *frame) value(n int, word string) string {
	one, v := f.figures[n], math.NaN()
	switch word {
	case "now":
		v = one.last
	case "at":
		m, _ := f.readout()
		v = f.valueAt(n, m.Time)
	case "max":
		v = one.high
	case "avg":
		v = one.mean
	case "min":
		v = one.low
	}
	if !one.any || math.IsNaN(v) {
		return "no value"
	}
	return formatNumber(v / f.divisor)
}

// readout returns the moment whose values are read out: that at the cursor, else the newest mark. Its label is "#823"
// or a time.
func (f *frame) readout() (TimeMark, bool) {
	for _, m := range f.marks {
		if f.Cursor.IsZero() || m.Time.Equal(f.Cursor) {
			m.Label = "#" + m.Label
			return m, true
		}
	}
	return TimeMark{Time: f.Cursor, Label: f.Cursor.In(f.zone).Format("15:04")}, !f.Cursor.IsZero()
}

// sentence describes the chart for a screen reader: the figures of each series, and when the marks are.
func (f *frame) sentence() string {
	if !f.any {
		return f.name() + "  no data"
	}
	parts := []string{f.name()}
	for n, s := range f.Series {
		name := s.Name + " "
		if len(f.Series) == 1 {
			name = ""
		}
		for _, word := range wordings[0] {
			if label, _ := f.word(word); label != "" {
				parts = append(parts, name+label+" "+f.value(n, word))
			}
		}
	}
	for _, m := range f.marks {
		parts = append(parts, "#"+m.Label+" at "+m.Time.In(f.zone).Format("15:04"))
	}
	return strings.Join(parts, " · ")
}
