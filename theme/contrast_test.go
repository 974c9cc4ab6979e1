package theme

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Backgrounds that terminals have: plain, and those of widespread schemes.
var (
	darkBackgrounds  = [][3]uint8{{0, 0, 0}, {0x1e, 0x1e, 0x2e}, {0, 0x2b, 0x36}}
	lightBackgrounds = [][3]uint8{{255, 255, 255}, {0xfd, 0xf6, 0xe3}}
)

// linearRGB is a colour's channels as light.
func linearRGB(c [3]uint8) (out [3]float64) {
	for i, v := range c {
		f := float64(v) / 255
		if f <= 0.04045 {
			out[i] = f / 12.92
		} else {
			out[i] = math.Pow((f+0.055)/1.055, 2.4)
		}
	}
	return out
}

// contrastRatio is the ratio of WCAG 2.1.
func contrastRatio(a, b [3]uint8) float64 {
	luminance := func(c [3]uint8) float64 {
		l := linearRGB(c)
		return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Every tone that is text can be read on every background that its theme is for, in true colour and in 256; the high
// contrast themes do better.
func TestContrast(t *testing.T) {
	for _, name := range Names() {
		grounds, least := darkBackgrounds, 4.5
		if strings.HasSuffix(name, "light") {
			grounds = lightBackgrounds
		}
		if strings.HasPrefix(name, "contrast") {
			least = 7
			grounds = grounds[:1]
		}
		p, _ := paletteFor(name)
		for tone, look := range p {
			if !look.hasColor || look.isBackground {
				continue
			}
			want := least
			if tone == Rule {
				want = 1.5 // lines, which tell nothing
			}
			for _, ground := range grounds {
				for _, colour := range [][3]uint8{look.rgb, rgbFromIndex(nearestANSI256(look.rgb))} {
					if got := contrastRatio(colour, ground); got < want {
						t.Errorf(
							"%s, %s: %v on %v has a contrast of %.2f",
							name,
							ToneNames()[tone],
							colour,
							ground,
							got,
						)
					}
				}
			}
		}
	}
}

// How eyes without one kind of cones see (Machado, Oliveira, Fernandes 2009), on channels of light.
var colorVision = map[string][3][3]float64{
	"all cones":    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
}

// colorDistance is how far two colours are from each other in CIELAB, as an eye sees them. 10 is seen at a glance.
func colorDistance(a, b [3]uint8, eye [3][3]float64) float64 {
	lab := func(c [3]uint8) [3]float64 {
		in := linearRGB(c)
		var v [3]float64
		for i, row := range eye {
			v[i] = min(1, max(0, row[0]*in[0]+row[1]*in[1]+row[2]*in[2]))
		}
		f := func(t float64) float64 {
			if t > 0.008856 {
				return math.Cbrt(t)
			}
			return 7.787*t + 16.0/116
		}
		x := f((0.4124*v[0] + 0.3576*v[1] + 0.1805*v[2]) / 0.9505)
		y := f(0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2])
		z := f((0.0193*v[0] + 0.1192*v[1] + 0.9505*v[2]) / 1.089)
		return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
	}
	p, q := lab(a), lab(b)
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

// Without red or green cones the states are as far apart as anybody needs, and so are the lines of a chart.
func TestColorblindStatesStayApart(t *testing.T) {
	for _, name := range []string{"colorblind", "colorblind-light"} {
		p, _ := paletteFor(name)
		for eye, matrix := range colorVision {
			for _, group := range [][]Tone{{Good, Warn, Bad, Info, Off}, {ChartFirst, ChartSecond}} {
				for i, a := range group {
					for _, b := range group[i+1:] {
						for _, pair := range [][2][3]uint8{{p[a].rgb, p[b].rgb}, {rgbFromIndex(nearestANSI256(p[a].rgb)), rgbFromIndex(nearestANSI256(p[b].rgb))}} {
							if d := colorDistance(pair[0], pair[1], matrix); d < 25 {
								t.Errorf(
									"%s, %s: %s and %s are %.0f apart",
									name,
									eye,
									ToneNames()[a],
									ToneNames()[b],
									d,
								)
							}
						}
					}
				}
			}
		}
	}
	dark, _ := paletteFor("dark") // the measure tells: the usual green and yellow come close
	if d := colorDistance(dark[Good].rgb, dark[Warn].rgb, colorVision["deuteranopia"]); d > 30 {
		t.Errorf("the usual green and amber are %.0f apart: the measure is wrong", d)
	}
}

func TestToneNames(t *testing.T) {
	if len(ToneNames()) != int(toneCount) || ToneNames()[Cursor] != "cursor" || ToneNames()[ChartSecond] != "second" ||
		ToneNames()[Bad] != "bad" {
		t.Errorf("%d names for %d tones: %v", len(ToneNames()), toneCount, ToneNames())
	}
	for _, name := range ToneNames() {
		if ToneDescriptions()[name] == "" {
			t.Errorf("nobody says what %s is for", name)
		}
	}
}

func TestCustomTheme(t *testing.T) {
	o := CustomTheme{
		Name: "mine",
		Base: "light",
		Tones: map[string]string{
			"good":   "bold #0a8",
			"bad":    "9",
			"warn":   "underline 214",
			"cursor": "on blue",
			"muted":  "faint default",
		},
	}
	for _, c := range []struct {
		tone   Tone
		colors ColorProfile
		open   string
	}{
		{Good, TrueColor, "\x1b[1;38;2;0;170;136m"}, {Good, NoColor, "\x1b[1m"}, {Bad, TrueColor, "\x1b[91m"}, {Bad, ANSI256, "\x1b[91m"},
		{Warn, ANSI256, "\x1b[4;38;5;214m"}, {Cursor, TrueColor, "\x1b[44m"}, {Muted, TrueColor, "\x1b[2m"}, {Info, ANSI16, "\x1b[34m"},
	} {
		look, err := o.Build(c.colors, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := look.Style(c.tone).Open; got != c.open {
			t.Errorf("%s at depth %d is %q, not %q", ToneNames()[c.tone], c.colors, got, c.open)
		}
	}
	for text, part := range map[string]string{"#12": "no colour", "256": "no colour", "pink": "bright-white", "red blue": "two colours", "#gggggg": "no colour", "-1": "no colour"} {
		if err := ValidateTone("good", text); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := ValidateTone("goood", "red"); err == nil || !strings.Contains(err.Error(), "muted") {
		t.Errorf("%v", err)
	}
}

func TestForBackground(t *testing.T) {
	for name, want := range map[string][2]string{"auto": {"dark", "light"}, "": {"dark", "light"}, "contrast": {"contrast", "contrast-light"},
		"colorblind": {"colorblind", "colorblind-light"}, "dark": {"dark", "dark"}, "mono": {"mono", "mono"}, "mine": {"mine", "mine"}} {
		if got := [2]string{ForBackground(name, false), ForBackground(name, true)}; got != want {
			t.Errorf("%q: %v, not %v", name, got, want)
		}
		if name != "mine" &&
			(!slices.Contains(Names(), ForBackground(name, false)) || !slices.Contains(Names(), ForBackground(name, true))) {
			t.Errorf("%q fits to a theme that is not there", name)
		}
	}
}

// Shapes are read as words, once; lines and columns are not read at all.
func TestScreenReaderText(t *testing.T) {
	g := NewScreenReader().Glyphs
	for line, want := range map[string]string{
		g.Problem + " problem":                        "problem",
		g.Problem + " billing-api  tcp db2:5432":      "problem: billing-api, tcp db2:5432",
		g.OK + " 11 ok   " + g.Problem + " 1 problem": "11 ok, 1 problem",
		"── issues · 4 in the list ──":                "issues, 4 in the list",
		"acme › db … │ ╭╮":                            "acme, db ...",
		g.Success + " web-1: disabled":                "done: web-1: disabled",
		"size  —":                                     "size, none",
		"":                                            "",
	} {
		if got := ScreenReaderText(line); got != want {
			t.Errorf("%q is read as %q, not %q", line, got, want)
		}
	}
}
