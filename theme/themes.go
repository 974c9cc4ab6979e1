package theme

import (
	"fmt"
	"strconv"
	"strings"
)

// Colors is how many colours a terminal has.
type Colors int

// The depths. None leaves bold, faint, underline and reverse.
const (
	None Colors = iota
	ANSI16
	ANSI256
	TrueColor
)

// Names are the themes that New knows.
func Names() []string {
	return []string{"dark", "light", "contrast", "contrast-light", "colorblind", "colorblind-light", "mono"}
}

// Fit is the theme that a name stands for on a background: auto is dark or light, and contrast and colorblind have a variant for light ones.
func Fit(name string, light bool) string {
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
func New(name string, colors Colors, plain bool) (*Theme, error) {
	p, known := palettes(name)
	if !known {
		return nil, fmt.Errorf("there is no theme %q: choose one of %s", name, strings.Join(Names(), ", "))
	}
	if name == "mono" {
		colors = None
	}
	return p.theme(name, isDark(name), colors, plain), nil
}

// isDark reports whether a theme is for dark backgrounds.
func isDark(name string) bool { return !strings.HasSuffix(name, "light") }

// A palette is the looks of a theme's tones.
type palette map[Tone]look

func (p palette) theme(name string, dark bool, colors Colors, plain bool) *Theme {
	t := &Theme{Name: name, Dark: dark, Glyphs: unicode()}
	if plain {
		t.Glyphs = ascii()
	}
	for tone, look := range p {
		t.styles[tone] = look.style(colors)
	}
	return t
}

// A look is a tone before it is bytes: attributes that every terminal has, and a colour in three depths.
type look struct {
	attr   string // SGR numbers: "1", "7", "2"
	basic  int    // 30..37, 90..97; 0 leaves the terminal's own
	rgb    [3]uint8
	colour bool
	back   bool // the colour is the background's
	fixed  bool // one of the terminal's own sixteen at every depth
}

func (l look) style(colors Colors) Style {
	var codes []string
	switch {
	case l.attr != "":
		codes = append(codes, l.attr)
	case l.back && colors == None:
		codes = append(codes, "7")
	}
	if l.colour && colors != None {
		codes = append(codes, l.code(colors))
	}
	if len(codes) == 0 {
		return Style{}
	}
	return Style{Open: "\x1b[" + strings.Join(codes, ";") + "m", Close: "\x1b[m"}
}

// code is the colour for a depth.
func (l look) code(colors Colors) string {
	ground, shift := "38", 0
	if l.back {
		ground, shift = "48", 10
	}
	switch {
	case l.fixed:
	case colors == TrueColor:
		return fmt.Sprintf("%s;2;%d;%d;%d", ground, l.rgb[0], l.rgb[1], l.rgb[2])
	case colors == ANSI256:
		return ground + ";5;" + strconv.Itoa(cube(l.rgb))
	}
	return strconv.Itoa(l.basic + shift)
}

// cube is the nearest colour of the 6×6×6 cube or the grey ramp.
func cube(c [3]uint8) int {
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

func hue(attr string, basic int, r, g, b uint8) look {
	return look{attr: attr, basic: basic, rgb: [3]uint8{r, g, b}, colour: true}
}

func plainLook(attr string) look { return look{attr: attr} }

// palettes are the looks of a theme's tones. Every state differs from the others in more than colour: by its word and its shape.
func palettes(name string) (palette, bool) {
	switch name {
	case "dark":
		return palette{
			Muted: hue("", 90, 145, 149, 156), Strong: plainLook("1"), Accent: hue("", 96, 125, 207, 255), Good: hue("", 32, 130, 200, 140),
			Warn: hue("", 33, 230, 185, 100), Bad: hue("1", 91, 255, 118, 117), Info: hue("", 94, 140, 170, 255), Off: hue("", 90, 160, 145, 170),
			Rule: hue("", 90, 74, 80, 92), Cursor: plainLook("7"), Marked: hue("1", 95, 215, 160, 255), Input: hue("4", 97, 240, 240, 240),
			Match: hue("1", 93, 255, 215, 95), First: hue("", 96, 110, 190, 240), Second: hue("", 95, 225, 150, 210),
		}, true
	case "light":
		return palette{
			Muted: hue("", 90, 105, 108, 115), Strong: plainLook("1"), Accent: hue("", 34, 0, 95, 175), Good: hue("", 32, 0, 110, 40),
			Warn: hue("", 33, 150, 95, 0), Bad: hue("1", 31, 185, 20, 30), Info: hue("", 34, 40, 80, 200), Off: hue("", 90, 120, 100, 135),
			Rule: hue("", 37, 185, 188, 194), Cursor: plainLook("7"), Marked: hue("1", 35, 135, 30, 160), Input: hue("4", 30, 10, 10, 10),
			Match: hue("1", 35, 160, 60, 0), First: hue("", 34, 0, 95, 175), Second: hue("", 35, 165, 40, 130),
		}, true
	case "contrast":
		return palette{
			Strong: plainLook("1"), Accent: hue("1", 96, 0, 255, 255), Good: hue("1", 92, 0, 255, 95), Warn: hue("1", 93, 255, 255, 0),
			Bad: hue("1;4", 91, 255, 95, 95), Info: hue("1", 97, 255, 255, 255), Off: plainLook("4"), Cursor: plainLook("7"), Marked: hue("1", 95, 255, 135, 255),
			Input: plainLook("4"), Match: hue("1;4", 93, 255, 255, 0), First: hue("", 96, 0, 255, 255), Second: hue("", 95, 255, 135, 255),
		}, true
	case "contrast-light":
		return palette{
			Strong: plainLook("1"), Accent: hue("1", 34, 0, 0, 170), Good: hue("1", 32, 0, 80, 20), Warn: hue("1", 33, 105, 55, 0),
			Bad: hue("1;4", 31, 150, 0, 0), Info: hue("1", 30, 0, 0, 0), Off: plainLook("4"), Cursor: plainLook("7"), Marked: hue("1", 35, 110, 0, 120),
			Input: plainLook("4"), Match: hue("1;4", 35, 110, 0, 120), First: hue("", 34, 0, 0, 170), Second: hue("", 35, 130, 0, 90),
		}, true
	case "colorblind":
		return palette{
			Muted: hue("", 90, 150, 150, 150), Strong: plainLook("1"), Accent: hue("", 96, 140, 210, 255), Good: hue("", 94, 120, 140, 235),
			Warn: hue("", 93, 255, 255, 0), Bad: hue("1", 91, 240, 135, 75), Info: hue("", 97, 250, 250, 220), Off: hue("", 90, 155, 140, 155),
			Rule: hue("", 90, 80, 84, 92), Cursor: plainLook("7"), Marked: hue("1", 97, 255, 255, 255), Input: hue("4", 97, 240, 240, 240),
			Match: hue("1;4", 93, 255, 255, 0), First: hue("", 96, 86, 180, 233), Second: hue("", 93, 240, 200, 60),
		}, true
	case "colorblind-light":
		return palette{
			Muted: hue("", 90, 100, 104, 110), Strong: plainLook("1"), Accent: hue("", 34, 0, 80, 170), Good: hue("", 34, 30, 60, 255),
			Warn: hue("", 33, 150, 85, 10), Bad: hue("1", 31, 90, 15, 15), Info: hue("", 35, 105, 60, 165), Off: hue("", 90, 90, 105, 120),
			Rule: hue("", 37, 185, 188, 194), Cursor: plainLook("7"), Marked: hue("1", 30, 0, 0, 0), Input: hue("4", 30, 10, 10, 10),
			Match: hue("1;4", 30, 0, 0, 0), First: hue("", 34, 0, 80, 170), Second: hue("", 33, 150, 85, 0),
		}, true
	case "mono":
		return palette{
			Muted: plainLook("2"), Strong: plainLook("1"), Accent: plainLook("1"), Warn: plainLook("1"), Bad: plainLook("1;4"), Off: plainLook("2"),
			Rule: plainLook("2"), Cursor: plainLook("7"), Marked: plainLook("1"), Input: plainLook("4"), Match: plainLook("1;4"), Second: plainLook("1"),
		}, true
	}
	return nil, false
}
