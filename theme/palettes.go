package theme

import (
	"fmt"
	"strconv"
	"strings"
)

// ColorProfile is how many colours a terminal has.
type ColorProfile int

// The depths. None leaves bold, faint, underline and reverse.
const (
	NoColor ColorProfile = iota
	ANSI16
	ANSI256
	TrueColor
)

// Names are the themes that New knows.
func Names() []string {
	return []string{"dark", "light", "contrast", "contrast-light", "colorblind", "colorblind-light", "mono"}
}

// ForBackground is the theme that a name stands for on a background: auto is dark or light, and contrast and colorblind
// have a variant for light ones.
func ForBackground(name string, light bool) string {
	switch {
	case name == "" || name == "auto":
		if light {
			return "light"
		}
		return "dark"
	case light && (name == "contrast" || name == "colorblind"):
		return name + "-light"
	}
	return name
}

// New is a theme for a depth of colours, with shapes that any terminal can draw where ascii is asked for.
func New(name string, colors ColorProfile, plain bool) (*Theme, error) {
	p, known := paletteFor(name)
	if !known {
		return nil, fmt.Errorf("there is no theme %q: choose one of %s", name, strings.Join(Names(), ", "))
	}
	if name == "mono" {
		colors = NoColor
	}
	return p.newTheme(name, isDark(name), colors, plain), nil
}

// isDark reports whether a theme is for dark backgrounds.
func isDark(name string) bool { return !strings.HasSuffix(name, "light") }

// A palette is the looks of a theme's tones.
type palette map[Tone]toneStyle

func (p palette) newTheme(name string, dark bool, colors ColorProfile, plain bool) *Theme {
	t := &Theme{Name: name, Dark: dark, Glyphs: unicodeGlyphs()}
	if plain {
		t.Glyphs = asciiGlyphs()
	}
	for tone, look := range p {
		t.styles[tone] = look.style(colors)
	}
	return t
}

// A toneStyle is a tone before it is bytes: attributes that every terminal has, and a colour in three depths.
type toneStyle struct {
	attr            string // SGR numbers: "1", "7", "2"
	ansi16          int    // 30..37, 90..97; 0 leaves the terminal's own
	rgb             [3]uint8
	hasColor        bool
	isBackground    bool // the colour is the background's
	isTerminalColor bool // one of the terminal's own sixteen at every depth
}

func (l toneStyle) style(colors ColorProfile) Style {
	var codes []string
	switch {
	case l.attr != "":
		codes = append(codes, l.attr)
	case l.isBackground && colors == NoColor:
		codes = append(codes, "7")
	}
	if l.hasColor && colors != NoColor {
		codes = append(codes, l.colorCode(colors))
	}
	if len(codes) == 0 {
		return Style{}
	}
	return Style{Open: "\x1b[" + strings.Join(codes, ";") + "m", Close: "\x1b[m"}
}

// colorCode is the colour for a depth.
func (l toneStyle) colorCode(colors ColorProfile) string {
	ground, shift := "38", 0
	if l.isBackground {
		ground, shift = "48", 10
	}
	switch {
	case l.isTerminalColor:
	case colors == TrueColor:
		return fmt.Sprintf("%s;2;%d;%d;%d", ground, l.rgb[0], l.rgb[1], l.rgb[2])
	case colors == ANSI256:
		return ground + ";5;" + strconv.Itoa(nearestANSI256(l.rgb))
	}
	return strconv.Itoa(l.ansi16 + shift)
}

// nearestANSI256 is the nearest colour of the 6×6×6 cube or the grey ramp.
func nearestANSI256(c [3]uint8) int {
	lo, hi := min(c[0], c[1], c[2]), max(c[0], c[1], c[2])
	if hi-lo < 12 && hi > 8 && hi < 238 {
		return 232 + (int(hi)-8)/10
	}
	step := func(v uint8) int {
		if v < 48 {
			return 0
		}
		return min(5, (int(v)-35)/40)
	}
	return 16 + 36*step(c[0]) + 6*step(c[1]) + step(c[2])
}

func colorStyle(attr string, basic int, r, g, b uint8) toneStyle {
	return toneStyle{
		attr:     attr,
		ansi16:   basic,
		rgb:      [3]uint8{r, g, b},
		hasColor: true,
	}
}

func attributeStyle(attr string) toneStyle { return toneStyle{attr: attr} }

// paletteFor are the looks of a theme's tones. Every state differs from the others in more than colour: by its word and
// its shape.
func paletteFor(name string) (palette, bool) {
	switch name {
	case "dark":
		return palette{
			Muted:       colorStyle("", 90, 145, 149, 156),
			Strong:      attributeStyle("1"),
			Accent:      colorStyle("", 96, 125, 207, 255),
			Good:        colorStyle("", 32, 130, 200, 140),
			Warn:        colorStyle("", 33, 230, 185, 100),
			Bad:         colorStyle("1", 91, 255, 118, 117),
			Info:        colorStyle("", 94, 140, 170, 255),
			Off:         colorStyle("", 90, 160, 145, 170),
			Rule:        colorStyle("", 90, 74, 80, 92),
			Cursor:      attributeStyle("7"),
			Marked:      colorStyle("1", 95, 215, 160, 255),
			Input:       colorStyle("4", 97, 240, 240, 240),
			Match:       colorStyle("1", 93, 255, 215, 95),
			ChartFirst:  colorStyle("", 96, 110, 190, 240),
			ChartSecond: colorStyle("", 95, 225, 150, 210),
		}, true
	case "light":
		return palette{
			Muted:       colorStyle("", 90, 105, 108, 115),
			Strong:      attributeStyle("1"),
			Accent:      colorStyle("", 34, 0, 95, 175),
			Good:        colorStyle("", 32, 0, 110, 40),
			Warn:        colorStyle("", 33, 150, 95, 0),
			Bad:         colorStyle("1", 31, 185, 20, 30),
			Info:        colorStyle("", 34, 40, 80, 200),
			Off:         colorStyle("", 90, 120, 100, 135),
			Rule:        colorStyle("", 37, 185, 188, 194),
			Cursor:      attributeStyle("7"),
			Marked:      colorStyle("1", 35, 135, 30, 160),
			Input:       colorStyle("4", 30, 10, 10, 10),
			Match:       colorStyle("1", 35, 160, 60, 0),
			ChartFirst:  colorStyle("", 34, 0, 95, 175),
			ChartSecond: colorStyle("", 35, 165, 40, 130),
		}, true
	case "contrast":
		return palette{
			Strong:      attributeStyle("1"),
			Accent:      colorStyle("1", 96, 0, 255, 255),
			Good:        colorStyle("1", 92, 0, 255, 95),
			Warn:        colorStyle("1", 93, 255, 255, 0),
			Bad:         colorStyle("1;4", 91, 255, 95, 95),
			Info:        colorStyle("1", 97, 255, 255, 255),
			Off:         attributeStyle("4"),
			Cursor:      attributeStyle("7"),
			Marked:      colorStyle("1", 95, 255, 135, 255),
			Input:       attributeStyle("4"),
			Match:       colorStyle("1;4", 93, 255, 255, 0),
			ChartFirst:  colorStyle("", 96, 0, 255, 255),
			ChartSecond: colorStyle("", 95, 255, 135, 255),
		}, true
	case "contrast-light":
		return palette{
			Strong:      attributeStyle("1"),
			Accent:      colorStyle("1", 34, 0, 0, 170),
			Good:        colorStyle("1", 32, 0, 80, 20),
			Warn:        colorStyle("1", 33, 105, 55, 0),
			Bad:         colorStyle("1;4", 31, 150, 0, 0),
			Info:        colorStyle("1", 30, 0, 0, 0),
			Off:         attributeStyle("4"),
			Cursor:      attributeStyle("7"),
			Marked:      colorStyle("1", 35, 110, 0, 120),
			Input:       attributeStyle("4"),
			Match:       colorStyle("1;4", 35, 110, 0, 120),
			ChartFirst:  colorStyle("", 34, 0, 0, 170),
			ChartSecond: colorStyle("", 35, 130, 0, 90),
		}, true
	case "colorblind":
		return palette{
			Muted:       colorStyle("", 90, 150, 150, 150),
			Strong:      attributeStyle("1"),
			Accent:      colorStyle("", 96, 140, 210, 255),
			Good:        colorStyle("", 94, 120, 140, 235),
			Warn:        colorStyle("", 93, 255, 255, 0),
			Bad:         colorStyle("1", 91, 240, 135, 75),
			Info:        colorStyle("", 97, 250, 250, 220),
			Off:         colorStyle("", 90, 155, 140, 155),
			Rule:        colorStyle("", 90, 80, 84, 92),
			Cursor:      attributeStyle("7"),
			Marked:      colorStyle("1", 97, 255, 255, 255),
			Input:       colorStyle("4", 97, 240, 240, 240),
			Match:       colorStyle("1;4", 93, 255, 255, 0),
			ChartFirst:  colorStyle("", 96, 86, 180, 233),
			ChartSecond: colorStyle("", 93, 240, 200, 60),
		}, true
	case "colorblind-light":
		return palette{
			Muted:       colorStyle("", 90, 100, 104, 110),
			Strong:      attributeStyle("1"),
			Accent:      colorStyle("", 34, 0, 80, 170),
			Good:        colorStyle("", 34, 30, 60, 255),
			Warn:        colorStyle("", 33, 150, 85, 10),
			Bad:         colorStyle("1", 31, 90, 15, 15),
			Info:        colorStyle("", 35, 105, 60, 165),
			Off:         colorStyle("", 90, 90, 105, 120),
			Rule:        colorStyle("", 37, 185, 188, 194),
			Cursor:      attributeStyle("7"),
			Marked:      colorStyle("1", 30, 0, 0, 0),
			Input:       colorStyle("4", 30, 10, 10, 10),
			Match:       colorStyle("1;4", 30, 0, 0, 0),
			ChartFirst:  colorStyle("", 34, 0, 80, 170),
			ChartSecond: colorStyle("", 33, 150, 85, 0),
		}, true
	case "mono":
		return palette{
			Muted:       attributeStyle("2"),
			Strong:      attributeStyle("1"),
			Accent:      attributeStyle("1"),
			Warn:        attributeStyle("1"),
			Bad:         attributeStyle("1;4"),
			Off:         attributeStyle("2"),
			Rule:        attributeStyle("2"),
			Cursor:      attributeStyle("7"),
			Marked:      attributeStyle("1"),
			Input:       attributeStyle("4"),
			Match:       attributeStyle("1;4"),
			ChartSecond: attributeStyle("1"),
		}, true
	}
	return nil, false
}
