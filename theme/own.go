package theme

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// An Own is a theme of the user's: one that exists, with some tones changed.
type Own struct {
	Name  string
	Base  string            // name of the theme that it changes; "" is dark
	Tones map[string]string // "good": "bold #00ff00", as Look reads it
}

// New is the theme for a depth of colours.
func (o Own) New(colors Colors, plain bool) (*Theme, error) {
	base := o.Base
	if base == "" {
		base = "dark"
	}
	p, known := palettes(base)
	if !known {
		return nil, fmt.Errorf("there is no theme %q to begin with: choose one of %s", base, strings.Join(Names(), ", "))
	}
	p = maps.Clone(p)
	for name, text := range o.Tones {
		tone, look, err := parseTone(name, text)
		if err != nil {
			return nil, err
		}
		p[tone] = look
	}
	return p.theme(o.Name, isDark(base), colors, plain), nil
}

// ToneNames are the tones that can be changed, in their order.
func ToneNames() []string {
	return []string{"plain", "muted", "strong", "accent", "good", "warn", "bad", "info", "off", "rule", "cursor", "marked", "input", "match", "first", "second"}
}

// AboutTones say what each tone is for, by name.
func AboutTones() map[string]string {
	return map[string]string{
		"plain": "text", "muted": "what stands back: units, ages, explanations", "strong": "headings and names", "accent": "what has the keyboard, keys in hints",
		"good": "ok, done", "warn": "pending, late", "bad": "problem, failed, destructive", "info": "neutral news", "off": "disabled", "rule": "lines and borders",
		"cursor": "the row at the cursor", "marked": "the mark of a row", "input": "text being typed", "match": "what a filter matched",
		"first": "first line of a chart", "second": "second line of a chart",
	}
}

// CheckTone says what is wrong with a tone's name or its look; nil where nothing is.
func CheckTone(name, text string) error {
	_, _, err := parseTone(name, text)
	return err
}

func parseTone(name, text string) (Tone, look, error) {
	at := slices.Index(ToneNames(), name)
	if at < 0 {
		return 0, look{}, fmt.Errorf("there is no tone %q: the tones are %s", name, strings.Join(ToneNames(), ", "))
	}
	l, err := parseLook(text)
	return Tone(at), l, err
}

// parseLook reads words: attributes, and at most one colour as #rrggbb, #rgb, a number of the 256, or a name of the 16. "on" before
// the colour makes it the background's; "default" leaves the terminal's.
func parseLook(text string) (look, error) {
	attributes := map[string]string{"bold": "1", "faint": "2", "italic": "3", "underline": "4", "reverse": "7"}
	var l look
	var codes []string
	for _, word := range strings.Fields(strings.ToLower(text)) {
		code, attribute := attributes[word]
		switch {
		case attribute:
			codes = append(codes, code)
		case word == "on":
			l.back = true
		case word == "default":
		case l.colour:
			return look{}, fmt.Errorf("%q holds two colours: one is needed", text)
		default:
			colour, ok := parseColour(word)
			if !ok {
				return look{}, fmt.Errorf("%q is no colour: give it as #rrggbb, as a number from 0 to 255, or as one of %s", word, strings.Join(basicNames(), ", "))
			}
			colour.back = l.back
			l = colour
		}
	}
	l.attr = strings.Join(codes, ";")
	return l, nil
}

// basicNames are the 16 colours that every terminal has, by their numbers.
func basicNames() []string {
	names := []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
	for _, name := range names[:8:8] {
		names = append(names, "bright-"+name)
	}
	return names
}

func parseColour(word string) (look, bool) {
	if at := slices.Index(basicNames(), word); at >= 0 {
		return ofIndex(at), true
	}
	if digits, hex := strings.CutPrefix(word, "#"); hex {
		if len(digits) == 3 {
			digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
		}
		n, err := strconv.ParseUint(digits, 16, 32)
		if err != nil || len(digits) != 6 {
			return look{}, false
		}
		rgb := [3]uint8{uint8(n >> 16), uint8(n >> 8), uint8(n)}
		return look{basic: nearestBasic(rgb), rgb: rgb, colour: true}, true
	}
	n, err := strconv.ParseUint(word, 10, 8)
	if err != nil {
		return look{}, false
	}
	return ofIndex(int(n)), true
}

// ofIndex is one of the 256 colours. The first sixteen stay the terminal's own at every depth.
func ofIndex(n int) look {
	if n < 16 {
		return look{basic: basicCode(n), fixed: true, colour: true}
	}
	rgb := indexed(n)
	return look{basic: nearestBasic(rgb), rgb: rgb, colour: true}
}

// basicCode is the SGR number of one of the sixteen colours.
func basicCode(n int) int {
	if n < 8 {
		return 30 + n
	}
	return 90 + n - 8
}

// indexed is a colour of the cube or the grey ramp.
func indexed(n int) [3]uint8 {
	if n >= 232 {
		grey := uint8(8 + 10*(n-232))
		return [3]uint8{grey, grey, grey}
	}
	steps := [6]uint8{0, 95, 135, 175, 215, 255}
	n -= 16
	return [3]uint8{steps[n/36], steps[n/6%6], steps[n%6]}
}

// nearestBasic is the SGR number of the colour of xterm's sixteen that is most like another.
func nearestBasic(c [3]uint8) int {
	xterm := [16][3]uint8{{0, 0, 0}, {205, 0, 0}, {0, 205, 0}, {205, 205, 0}, {0, 0, 238}, {205, 0, 205}, {0, 205, 205}, {229, 229, 229},
		{127, 127, 127}, {255, 0, 0}, {0, 255, 0}, {255, 255, 0}, {92, 92, 255}, {255, 0, 255}, {0, 255, 255}, {255, 255, 255}}
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
	return basicCode(best)
}
