package theme

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// A CustomTheme is a theme from the configuration: a built-in theme with some tones changed.
type CustomTheme struct {
	Name  string
	Base  string            // the built-in theme that it changes; "" means dark
	Tones map[string]string // style of each changed tone, such as "good": "bold #00ff00"
}

// Build returns the theme for a terminal with these colours. With ascii set, its glyphs are ASCII.
func (o CustomTheme) Build(colors colorprofile.Profile, ascii bool) (*Theme, error) {
	base := o.Base
	if base == "" {
		base = "dark"
	}
	p, known := paletteFor(base)
	if !known {
		return nil, fmt.Errorf("unknown base theme %q; choose one of %s", base, strings.Join(Names(), ", "))
	}
	for name, text := range o.Tones {
		tone, style, err := parseTone(name, text)
		if err != nil {
			return nil, err
		}
		p[tone] = style
	}
	return p.newTheme(o.Name, base, colors, ascii), nil
}

// A toneName is the name of a tone in the configuration, and its description in the documentation.
type toneName struct{ name, description string }

func toneNames() [toneCount]toneName {
	return [toneCount]toneName{
		Plain:       {"plain", "text"},
		Muted:       {"muted", "secondary text: units, ages, explanations"},
		Strong:      {"strong", "headings and names"},
		Accent:      {"accent", "the part with keyboard focus, keys in hints"},
		Good:        {"good", "ok, done"},
		Warn:        {"warn", "pending, late"},
		Bad:         {"bad", "problem, failed, destructive"},
		Info:        {"info", "neutral messages"},
		Off:         {"off", "disabled"},
		Rule:        {"rule", "lines and borders"},
		Cursor:      {"cursor", "the row at the cursor; if this sets only a background, the text keeps its colours"},
		Marked:      {"marked", "the mark beside a marked row"},
		Input:       {"input", "text being typed"},
		Match:       {"match", "the text that matches a filter"},
		ChartFirst:  {"first", "the first line of a chart"},
		ChartSecond: {"second", "the second line of a chart"},
		MarkedRow:   {"selection", "the background of marked rows"},
		Flash:       {"flash", "the background of a row that has just changed"},
		Caret:       {"caret", "the character at the text cursor, and the selected option"},
		Field:       {"field", "the background of an input, over its whole width"},
	}
}

// ToneNames returns the names of the tones that a configuration can change, in the order of the tones.
func ToneNames() []string {
	names := make([]string, 0, toneCount)
	for _, t := range toneNames() {
		names = append(names, t.name)
	}
	return names
}

// ToneDescriptions returns a description of each tone, by its name.
func ToneDescriptions() map[string]string {
	descriptions := make(map[string]string, toneCount)
	for _, t := range toneNames() {
		descriptions[t.name] = t.description
	}
	return descriptions
}

// ValidateTone returns an error if a tone does not exist or its style cannot be read.
func ValidateTone(name, style string) error {
	_, _, err := parseTone(name, style)
	return err
}

func parseTone(name, text string) (Tone, lipgloss.Style, error) {
	tone := slices.Index(ToneNames(), name)
	if tone < 0 {
		all := strings.Join(ToneNames(), ", ")
		return 0, lipgloss.Style{}, fmt.Errorf("unknown tone %q; choose one of %s", name, all)
	}
	style, err := parseStyle(text)
	return Tone(tone), style, err
}

// parseStyle reads a style: attributes, and at most one colour as #rrggbb, #rgb, a number from 0 to 255, or a name of
// the terminal's 16 colours. "on" before the colour sets the background; "default" keeps the terminal's own colour.
func parseStyle(text string) (lipgloss.Style, error) {
	style := lipgloss.NewStyle()
	var chosen color.Color
	isBackground := false
	for _, word := range strings.Fields(strings.ToLower(text)) {
		switch word {
		case "bold":
			style = style.Bold(true)
		case "faint":
			style = style.Faint(true)
		case "italic":
			style = style.Italic(true)
		case "underline":
			style = style.Underline(true)
		case "reverse":
			style = style.Reverse(true)
		case "on":
			isBackground = true
		case "default":
		default:
			c, ok := parseColor(word)
			switch {
			case !ok:
				return style, fmt.Errorf("unknown colour %q; use #rrggbb, a number from 0 to 255, or one of %s",
					word, strings.Join(basicColorNames(), ", "))
			case chosen != nil:
				return style, fmt.Errorf("%q names two colours; use one", text)
			}
			chosen = c
		}
	}
	if chosen == nil {
		return style, nil
	}
	if isBackground {
		return style.Background(chosen), nil
	}
	return style.Foreground(chosen), nil
}

// basicColorNames returns the names of the 16 colours that every terminal has, in their order.
func basicColorNames() []string {
	names := []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
	for _, name := range names[:8:8] {
		names = append(names, "bright-"+name)
	}
	return names
}

func parseColor(word string) (color.Color, bool) {
	if n := slices.Index(basicColorNames(), word); n >= 0 {
		return lipgloss.Color(strconv.Itoa(n)), true
	}
	digits, hex := strings.CutPrefix(word, "#")
	if hex {
		_, err := strconv.ParseUint(digits, 16, 32)
		return lipgloss.Color(word), err == nil && (len(digits) == 3 || len(digits) == 6)
	}
	_, err := strconv.ParseUint(digits, 10, 8)
	return lipgloss.Color(word), err == nil
}
