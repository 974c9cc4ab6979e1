package theme

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// An CustomTheme is a theme of the user's: one that exists, with some tones changed.
type CustomTheme struct {
	Name  string
	Base  string            // name of the theme that it changes; "" is dark
	Tones map[string]string // "good": "bold #00ff00", as Look reads it
}

// Build is the theme for a depth of colours.
func (o CustomTheme) Build(colors ColorProfile, plain bool) (*Theme, error) {
	base := o.Base
	if base == "" {
		base = "dark"
	}
	p, known := paletteFor(base)
	if !known {
		return nil, fmt.Errorf(
			"there is no theme %q to begin with: choose one of %s",
			base,
			strings.Join(Names(), ", "),
		)
	}
	p = maps.Clone(p)
	for name, text := range o.Tones {
		tone, look, err := parseTone(name, text)
		if err != nil {
			return nil, err
		}
		p[tone] = look
	}
	return p.newTheme(o.Name, isDark(base), colors, plain), nil
}

// ToneNames are the tones that can be changed, in their order.
func ToneNames() []string {
	return []string{
		"plain",
		"muted",
		"strong",
		"accent",
		"good",
		"warn",
		"bad",
		"info",
		"off",
		"rule",
		"cursor",
		"marked",
		"input",
		"match",
		"first",
		"second",
	}
}

// ToneDescriptions say what each tone is for, by name.
func ToneDescriptions() map[string]string {
	return map[string]string{
		"plain": "text", "muted": "what stands back: units, ages, explanations", "strong": "headings and names", "accent": "what has the keyboard, keys in hints",
		"good": "ok, done", "warn": "pending, late", "bad": "problem, failed, destructive", "info": "neutral news", "off": "disabled", "rule": "lines and borders",
		"cursor": "the row at the cursor", "marked": "the mark of a row", "input": "text being typed", "match": "what a filter matched",
		"first": "first line of a chart", "second": "second line of a chart",
	}
}

// ValidateTone says what is wrong with a tone's name or its look; nil where nothing is.
func ValidateTone(name, text string) error {
	_, _, err := parseTone(name, text)
	return err
}

func parseTone(name, text string) (Tone, toneStyle, error) {
	at := slices.Index(ToneNames(), name)
	if at < 0 {
		return 0, toneStyle{}, fmt.Errorf(
			"there is no tone %q: the tones are %s",
			name,
			strings.Join(ToneNames(), ", "),
		)
	}
	l, err := parseToneStyle(text)
	return Tone(at), l, err
}

// parseToneStyle reads words: attributes, and at most one colour as #rrggbb, #rgb, a number of the 256, or a name of
// the 16. "on" before the colour makes it the background's; "default" leaves the terminal's.
func parseToneStyle(text string) (toneStyle, error) {
	attributes := map[string]string{"bold": "1", "faint": "2", "italic": "3", "underline": "4", "reverse": "7"}
	var l toneStyle
	var codes []string
	for _, word := range strings.Fields(strings.ToLower(text)) {
		code, attribute := attributes[word]
		switch {
		case attribute:
			codes = append(codes, code)
		case word == "on":
			l.isBackground = true
		case word == "default":
		case l.hasColor:
			return toneStyle{}, fmt.Errorf("%q holds two colours: one is needed", text)
		default:
			colour, ok := parseColor(word)
			if !ok {
				return toneStyle{}, fmt.Errorf(
					"%q is no colour: give it as #rrggbb, as a number from 0 to 255, or as one of %s",
					word,
					strings.Join(ansi16Names(), ", "),
				)
			}
			colour.isBackground = l.isBackground
			l = colour
		}
	}
	l.attr = strings.Join(codes, ";")
	return l, nil
}

// ansi16Names are the 16 colours that every terminal has, by their numbers.
func ansi16Names() []string {
	names := []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
	for _, name := range names[:8:8] {
		names = append(names, "bright-"+name)
	}
	return names
}

func parseColor(word string) (toneStyle, bool) {
	if at := slices.Index(ansi16Names(), word); at >= 0 {
		return styleFromIndex(at), true
	}
	if digits, hex := strings.CutPrefix(word, "#"); hex {
		if len(digits) == 3 {
			digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
		}
		n, err := strconv.ParseUint(digits, 16, 32)
		if err != nil || len(digits) != 6 {
			return toneStyle{}, false
		}
		rgb := [3]uint8{uint8(n >> 16), uint8(n >> 8), uint8(n)}
		return toneStyle{ansi16: nearestANSI16(rgb), rgb: rgb, hasColor: true}, true
	}
	n, err := strconv.ParseUint(word, 10, 8)
	if err != nil {
		return toneStyle{}, false
	}
	return styleFromIndex(int(n)), true
}

// styleFromIndex is one of the 256 colours. The first sixteen stay the terminal's own at every depth.
func styleFromIndex(n int) toneStyle {
	if n < 16 {
		return toneStyle{ansi16: ansi16Code(n), isTerminalColor: true, hasColor: true}
	}
	rgb := rgbFromIndex(n)
	return toneStyle{ansi16: nearestANSI16(rgb), rgb: rgb, hasColor: true}
}

// ansi16Code is the SGR number of one of the sixteen colours.
func ansi16Code(n int) int {
	if n < 8 {
		return 30 + n
	}
	return 90 + n - 8
}

// rgbFromIndex is a colour of the cube or the grey ramp.
func rgbFromIndex(n int) [3]uint8 {
	if n >= 232 {
		grey := uint8(8 + 10*(n-232))
		return [3]uint8{grey, grey, grey}
	}
	steps := [6]uint8{0, 95, 135, 175, 215, 255}
	n -= 16
	return [3]uint8{steps[n/36], steps[n/6%6], steps[n%6]}
}

// nearestANSI16 is the SGR number of the colour of xterm's sixteen that is most like another.
func nearestANSI16(c [3]uint8) int {
	xterm := [16][3]uint8{
		{0, 0, 0},
		{205, 0, 0},
		{0, 205, 0},
		{205, 205, 0},
		{0, 0, 238},
		{205, 0, 205},
		{0, 205, 205},
		{229, 229, 229},
		{
			127,
			127,
			127,
		},
		{255, 0, 0},
		{0, 255, 0},
		{255, 255, 0},
		{92, 92, 255},
		{255, 0, 255},
		{0, 255, 255},
		{255, 255, 255},
	}
	best, least := 0, 1<<30
	for n, x := range xterm {
		d := 0
		for i := range c {
			d += (int(c[i]) - int(x[i])) * (int(c[i]) - int(x[i]))
		}
		if d < least {
			best, least = n, d
		}
	}
	return ansi16Code(best)
}
