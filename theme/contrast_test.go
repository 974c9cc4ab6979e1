package theme

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Backgrounds of terminals: plain ones, and those of widespread colour schemes.
var (
	darkBackgrounds  = [][3]uint8{{0, 0, 0}, {0x1e, 0x1e, 0x2e}, {0, 0x2b, 0x36}}
	lightBackgrounds = [][3]uint8{{255, 255, 255}, {0xfd, 0xf6, 0xe3}}
)

// toneColor returns the foreground of a tone in a theme; false if it has none.
func toneColor(t *testing.T, name string, tone Tone, colors colorprofile.Profile) ([3]uint8, bool) {
	t.Helper()
	look, err := New(name, colors, false)
	if err != nil {
		t.Fatal(err)
	}
	c := look.Style(tone).GetForeground()
	r, g, b, _ := c.RGBA()
	return [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}, c != lipgloss.NoColor{}
}

// linearRGB returns the channels of a colour as amounts of light.
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

// contrastRatio returns the contrast ratio of WCAG 2.1.
func contrastRatio(a, b [3]uint8) float64 {
	luminance := func(c [3]uint8) float64 {
		l := linearRGB(c)
		return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Every tone for text is readable on every background that its theme is made for, in true colour and in 256 colours.
// The high-contrast themes meet a stricter limit.
func TestNew_contrast(t *testing.T) {
	for _, name := range Names() {
		backgrounds, least := darkBackgrounds, 4.5
		if strings.HasSuffix(name, "light") {
			backgrounds = lightBackgrounds
		}
		if strings.HasPrefix(name, "contrast") {
			backgrounds, least = backgrounds[:1], 7
		}
		for tone := range toneCount {
			want := least
			if tone == Rule {
				want = 1.5 // lines carry no information
			}
			for _, colors := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
				c, colored := toneColor(t, name, tone, colors)
				for _, background := range backgrounds {
					if got := contrastRatio(c, background); colored && got < want {
						t.Errorf("%s, %s: %v on %v: contrast %.2f", name, ToneNames()[tone], c, background, got)
					}
				}
			}
		}
	}
}

// rgbOf returns the channels of a colour, and whether it is one.
func rgbOf(c color.Color) ([3]uint8, bool) {
	r, g, b, _ := c.RGBA()
	return [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}, c != lipgloss.NoColor{}
}

// Every tone is readable on the backgrounds of rows, in true colour and in 256 colours, and each background stands out
// from those of terminals and from the other backgrounds.
func TestTheme_Tint_contrast(t *testing.T) {
	for _, name := range Names() {
		for _, colors := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
			look, err := New(name, colors, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range []Tone{Cursor, MarkedRow, Flash} {
				background, tinted := rgbOf(look.Style(row).GetBackground())
				if tinted == (name == "mono") {
					t.Errorf("%s, %s: tinted is %v", name, ToneNames()[row], tinted)
				}
				for tone := range toneCount {
					requireReadable(t, look, row, tone, background)
				}
			}
		}
	}
}

func requireReadable(t *testing.T, look *Theme, row, tone Tone, background [3]uint8) {
	t.Helper()
	if tone == Rule {
		return
	}
	var foreground [3]uint8
	open := look.Tint(row).Codes(tone).Open
	_, codes, ok := strings.Cut(strings.Replace(open, "[38;", ";38;", 1), ";38;")
	if !ok {
		return
	}
	var n int
	if _, err := fmt.Sscanf(codes, "2;%d;%d;%d", &foreground[0], &foreground[1], &foreground[2]); err != nil {
		if _, err := fmt.Sscanf(codes, "5;%d", &n); err != nil {
			t.Fatalf("unknown colour in %q", open)
		}
		foreground, _ = rgbOf(ansi.IndexedColor(n))
	}
	if got := contrastRatio(foreground, background); got < 4.5 {
		t.Errorf("%s: %s on %s: contrast %.2f", look.Name, ToneNames()[tone], ToneNames()[row], got)
	}
}

// Without enough colours, reverse video marks the row at the cursor, and its glyph marks a marked one.
func TestTheme_Tint_withoutColors(t *testing.T) {
	for _, colors := range []colorprofile.Profile{colorprofile.ANSI, colorprofile.ASCII} {
		for _, name := range Names() {
			look, err := New(name, colors, false)
			if err != nil {
				t.Fatal(err)
			}
			cursor := look.Tint(Cursor)
			if cursor.Around.Open != "\x1b[7m" || cursor.Codes(Bad) != (EscapeCodes{}) {
				t.Errorf("%s: the cursor is %q, %q", name, cursor.Around.Open, cursor.Codes(Bad).Open)
			}
			marked := look.Tint(MarkedRow)
			if marked.Around.Open != "" || marked.Codes(Bad) != look.Codes(Bad) {
				t.Errorf("%s: a marked row is %q, %q", name, marked.Around.Open, marked.Codes(Bad).Open)
			}
		}
	}
}

// A tinted row keeps the tones of its cells: after each of them the background continues.
func TestTheme_Tint_keepsTones(t *testing.T) {
	look, err := New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	row := look.Tint(Cursor)
	if bad := row.Codes(Bad); !strings.Contains(bad.Open, "38;2;") ||
		bad.Close != look.Codes(Bad).Close+row.Around.Open {
		t.Errorf("got %q and %q", bad.Open, bad.Close)
	}
	if plain := row.Codes(Plain); plain != (EscapeCodes{}) {
		t.Errorf("plain text has the codes %q", plain)
	}
}

// Behind a dialog everything is dim: text without a tone, and text in every tone.
func TestTheme_DimLines(t *testing.T) {
	look, err := New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	dim := look.Dimmed()
	open := dim.Codes(Plain).Open
	bad := dim.Paint(Bad, "b")
	want := open + "a " + bad + open + " c\x1b[m\n" + open + "d\x1b[m"
	if got := look.DimLines("a " + bad + " c\nd"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if bad == look.Paint(Bad, "b") {
		t.Error("a problem has the same colour in the dimmed theme")
	}
}

// colorVision says how eyes without one kind of cones see, on linear channels (Machado, Oliveira, Fernandes 2009).
var colorVision = map[string][3][3]float64{
	"all cones":    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
}

// lab converts a colour, as an eye sees it, to CIELAB.
func lab(c [3]uint8, eye [3][3]float64) [3]float64 {
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

// colorDistance returns the distance of two colours in CIELAB, as an eye sees them. A distance of 10 is visible at a
// glance.
func colorDistance(a, b [3]uint8, eye [3][3]float64) float64 {
	p, q := lab(a, eye), lab(b, eye)
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

// In the themes for colour-blind users, the states stay apart without red or green cones, and so do the two lines of a
// chart.
func TestNew_colorblindTonesStayApart(t *testing.T) {
	for _, name := range []string{"colorblind", "colorblind-light"} {
		for _, group := range [][]Tone{{Good, Warn, Bad, Info, Off}, {ChartFirst, ChartSecond}} {
			for i, a := range group {
				for _, b := range group[i+1:] {
					requireApart(t, name, a, b)
				}
			}
		}
	}
	good, _ := toneColor(t, "dark", Good, colorprofile.TrueColor)
	warn, _ := toneColor(t, "dark", Warn, colorprofile.TrueColor)
	if d := colorDistance(good, warn, colorVision["deuteranopia"]); d > 30 {
		t.Errorf("green and amber of the dark theme are %.0f apart: colorDistance is wrong", d)
	}
}

func requireApart(t *testing.T, name string, a, b Tone) {
	t.Helper()
	for eye, matrix := range colorVision {
		for _, colors := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
			first, _ := toneColor(t, name, a, colors)
			second, _ := toneColor(t, name, b, colors)
			if d := colorDistance(first, second, matrix); d < 25 {
				t.Errorf("%s, %s, %v: %s and %s are %.0f apart", name, eye, colors, ToneNames()[a], ToneNames()[b], d)
			}
		}
	}
}
