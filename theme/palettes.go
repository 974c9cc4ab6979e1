package theme

import (
	"fmt"
	"image/color"
	"maps"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Names returns the names of the built-in themes.
func Names() []string {
	return []string{"dark", "light", "contrast", "contrast-light", "colorblind", "colorblind-light", "mono"}
}

// ForBackground returns the theme that a configured name means on a light or a dark background: auto (or "") becomes
// dark or light, and contrast and colorblind become their light variants. Any other name stays as it is.
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

// New returns a built-in theme for a terminal with these colours. With ascii set, its glyphs are ASCII.
func New(name string, colors colorprofile.Profile, ascii bool) (*Theme, error) {
	p, known := paletteFor(name)
	if !known {
		return nil, fmt.Errorf("unknown theme %q; choose one of %s", name, strings.Join(Names(), ", "))
	}
	return p.newTheme(name, name, colors, ascii), nil
}

// isDark reports whether a built-in theme is made for dark backgrounds.
func isDark(name string) bool { return !strings.HasSuffix(name, "light") }

// A palette holds the style of each tone, in true colour.
type palette map[Tone]lipgloss.Style

// newTheme makes a theme of a palette that is based on a built-in theme.
func (p palette) newTheme(name, base string, colors colorprofile.Profile, ascii bool) *Theme {
	t := &Theme{Name: name, Dark: isDark(base), Glyphs: unicodeGlyphs()}
	if ascii {
		t.Glyphs = asciiGlyphs()
	}
	for tone := range toneCount {
		t.setStyle(tone, downsample(p[tone], colors))
	}
	for _, tone := range []Tone{Cursor, MarkedRow, Flash, Field} {
		t.setStyle(tone, downsampleTint(tone, p[tone], colors))
	}
	for _, tone := range []Tone{Plain, Cursor, MarkedRow, Flash, Field} {
		t.setTint(tone, p, colors)
	}
	t.dimmed = t.newDimmed(p, colors)
	if p[Accent].GetForeground() != (lipgloss.NoColor{}) {
		t.colors, t.dimmed.colors = colors, colors
	}
	if t.CanFlash() {
		t.flash = &Theme{
			Name:   t.Name,
			Dark:   t.Dark,
			Glyphs: t.Glyphs,
			styles: t.styles,
			codes:  t.tints[Flash].codes,
		}
	}
	return t
}

// downsample returns a style with the colours that a terminal has. Without colours, a background becomes reverse video.
func downsample(style lipgloss.Style, colors colorprofile.Profile) lipgloss.Style {
	foreground, background := style.GetForeground(), style.GetBackground()
	style = style.UnsetForeground().UnsetBackground()
	if colors <= colorprofile.ASCII {
		if background != (lipgloss.NoColor{}) && !hasAttributes(style) {
			style = style.Reverse(true)
		}
		return style
	}
	if foreground != (lipgloss.NoColor{}) {
		style = style.Foreground(convert(foreground, colors))
	}
	if background != (lipgloss.NoColor{}) {
		style = style.Background(convert(background, colors))
	}
	return style
}

func hasAttributes(s lipgloss.Style) bool {
	return s.GetBold() || s.GetFaint() || s.GetItalic() || s.GetUnderline() || s.GetReverse()
}

// convert returns the nearest colour that a terminal has. A swatch names its own for terminals with 16 colours.
func convert(c color.Color, colors colorprofile.Profile) color.Color {
	if s, ok := c.(shade); ok && colors == colorprofile.ANSI256 {
		return s.indexed
	}
	s, ok := c.(swatch)
	if !ok {
		return colors.Convert(c)
	}
	return lipgloss.Complete(colors)(s.basic, nearest256(s.Color), s.Color)
}

// nearest256 returns the nearest colour of the 6×6×6 cube or the grey ramp. colorprofile's conversion turns some of the
// palettes' greys violet, with too little contrast.
func nearest256(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	red, green, blue := int(r>>8), int(g>>8), int(b>>8)
	low, high := min(red, green, blue), max(red, green, blue)
	if high-low < 20 && high > 8 && high < 238 {
		return ansi.IndexedColor(232 + (high-8)/10)
	}
	step := func(v int) int {
		if v < 48 {
			return 0
		}
		return min(5, (v-35)/40)
	}
	return ansi.IndexedColor(16 + 36*step(red) + 6*step(green) + step(blue))
}

// A swatch is a colour in true colour, together with its replacement on terminals with 16 colours.
type swatch struct {
	color.Color
	basic color.Color
}

// A shade is a background in true colour, together with its replacement on terminals with 256 colours: the nearest of
// them are too bright.
type shade struct {
	color.Color
	indexed color.Color
}

func newShade(hex string, indexed uint8) shade {
	return shade{lipgloss.Color(hex), ansi.IndexedColor(indexed)}
}

// An inkFunc returns a colour for light or for dark backgrounds: each with its replacement among 16 colours.
type inkFunc func(lightBasic color.Color, light string, darkBasic color.Color, dark string) color.Color

// inkFor returns the function that picks the colours of one kind of background.
func inkFor(dark bool) inkFunc {
	pick := lipgloss.LightDark(dark)
	return func(lightBasic color.Color, light string, darkBasic color.Color, dark string) color.Color {
		return pick(swatch{lipgloss.Color(light), lightBasic}, swatch{lipgloss.Color(dark), darkBasic})
	}
}

// paletteFor returns the palette of a built-in theme. Each state differs from the others in its word and its shape as
// well as in its colour.
func paletteFor(name string) (palette, bool) {
	ink := inkFor(isDark(name))
	p := attributePalette()
	if name != "mono" {
		maps.Copy(p, tintPalette(isDark(name)))
	}
	switch name {
	case "dark", "light":
		maps.Copy(p, ordinaryPalette(ink))
	case "contrast", "contrast-light":
		maps.Copy(p, contrastPalette(ink))
	case "colorblind", "colorblind-light":
		maps.Copy(p, colorblindPalette(ink))
	case "mono":
		maps.Copy(p, monoPalette())
	default:
		return nil, false
	}
	return p, true
}

// Styles without a colour, which several palettes share.
var (
	plain     = lipgloss.NewStyle()
	bold      = plain.Bold(true)
	faint     = plain.Faint(true)
	underline = plain.Underline(true)
)

// attributePalette holds the tones that have the same style in every theme.
func attributePalette() palette {
	return palette{Strong: bold, Cursor: plain.Reverse(true), Caret: plain.Reverse(true), Field: underline}
}

// tintPalette holds the backgrounds of rows.
func tintPalette(dark bool) palette {
	pick := lipgloss.LightDark(dark)
	tint := func(light, dark string) lipgloss.Style {
		return plain.Background(pick(lipgloss.Color(light), lipgloss.Color(dark)))
	}
	area := func(light, dark shade) lipgloss.Style { return plain.Background(pick(light, dark)) }
	return palette{
		Cursor:    tint("#d3e3f8", "#2b3f60"),
		MarkedRow: tint("#efdff6", "#402f54"),
		Flash:     tint("#cdeeea", "#14494d"),

		Field: area(newShade("#e9edf3", 255), newShade("#232a36", 236)),
	}
}

func ordinaryPalette(ink inkFunc) palette {
	grey := lipgloss.BrightBlack
	return palette{
		Muted:       plain.Foreground(ink(grey, "#696c73", grey, "#91959c")),
		Accent:      plain.Foreground(ink(lipgloss.Blue, "#005faf", lipgloss.BrightCyan, "#7dcfff")),
		Good:        plain.Foreground(ink(lipgloss.Green, "#006e28", lipgloss.Green, "#82c88c")),
		Warn:        plain.Foreground(ink(lipgloss.Yellow, "#965f00", lipgloss.Yellow, "#e6b964")),
		Bad:         bold.Foreground(ink(lipgloss.Red, "#b9141e", lipgloss.BrightRed, "#ff7675")),
		Info:        plain.Foreground(ink(lipgloss.Blue, "#2850c8", lipgloss.BrightBlue, "#8caaff")),
		Off:         plain.Foreground(ink(grey, "#786487", grey, "#a091aa")),
		Rule:        plain.Foreground(ink(lipgloss.White, "#b9bcc2", grey, "#4a505c")),
		Marked:      bold.Foreground(ink(lipgloss.Magenta, "#871ea0", lipgloss.BrightMagenta, "#d7a0ff")),
		Input:       plain.Foreground(ink(lipgloss.Black, "#0a0a0a", lipgloss.BrightWhite, "#f0f0f0")),
		Match:       bold.Foreground(ink(lipgloss.Magenta, "#a03c00", lipgloss.BrightYellow, "#ffd75f")),
		ChartFirst:  plain.Foreground(ink(lipgloss.Blue, "#1f6fbf", lipgloss.BrightCyan, "#4f9fd6")),
		ChartSecond: plain.Foreground(ink(lipgloss.Magenta, "#b03c92", lipgloss.BrightMagenta, "#c77fb8")),
	}
}

func contrastPalette(ink inkFunc) palette {
	red := ink(lipgloss.Red, "#960000", lipgloss.BrightRed, "#ff5f5f")
	match := ink(lipgloss.Magenta, "#6e0078", lipgloss.BrightYellow, "#ffff00")
	return palette{
		Accent:      bold.Foreground(ink(lipgloss.Blue, "#0000aa", lipgloss.BrightCyan, "#00ffff")),
		Good:        bold.Foreground(ink(lipgloss.Green, "#005014", lipgloss.BrightGreen, "#00ff5f")),
		Warn:        bold.Foreground(ink(lipgloss.Yellow, "#693700", lipgloss.BrightYellow, "#ffff00")),
		Bad:         bold.Underline(true).Foreground(red),
		Info:        bold.Foreground(ink(lipgloss.Black, "#000000", lipgloss.BrightWhite, "#ffffff")),
		Off:         underline,
		Marked:      bold.Foreground(ink(lipgloss.Magenta, "#6e0078", lipgloss.BrightMagenta, "#ff87ff")),
		Match:       bold.Underline(true).Foreground(match),
		ChartFirst:  plain.Foreground(ink(lipgloss.Blue, "#0000aa", lipgloss.BrightCyan, "#00ffff")),
		ChartSecond: plain.Foreground(ink(lipgloss.Magenta, "#82005a", lipgloss.BrightMagenta, "#ff87ff")),
	}
}

func colorblindPalette(ink inkFunc) palette {
	grey := lipgloss.BrightBlack
	match := ink(lipgloss.Black, "#000000", lipgloss.BrightYellow, "#ffff00")
	return palette{
		Muted:       plain.Foreground(ink(grey, "#64686e", grey, "#969696")),
		Accent:      plain.Foreground(ink(lipgloss.Blue, "#0050aa", lipgloss.BrightCyan, "#8cd2ff")),
		Good:        plain.Foreground(ink(lipgloss.Blue, "#1e3cff", lipgloss.BrightBlue, "#788ceb")),
		Warn:        plain.Foreground(ink(lipgloss.Yellow, "#96550a", lipgloss.BrightYellow, "#ffff00")),
		Bad:         bold.Foreground(ink(lipgloss.Red, "#5a0f0f", lipgloss.BrightRed, "#f0874b")),
		Info:        plain.Foreground(ink(lipgloss.Magenta, "#693ca5", lipgloss.BrightWhite, "#fafadc")),
		Off:         plain.Foreground(ink(grey, "#5a6978", grey, "#9b8c9b")),
		Rule:        plain.Foreground(ink(lipgloss.White, "#b9bcc2", grey, "#50545c")),
		Marked:      bold.Foreground(ink(lipgloss.Black, "#000000", lipgloss.BrightWhite, "#ffffff")),
		Input:       plain.Foreground(ink(lipgloss.Black, "#0a0a0a", lipgloss.BrightWhite, "#f0f0f0")),
		Match:       bold.Underline(true).Foreground(match),
		ChartFirst:  plain.Foreground(ink(lipgloss.Blue, "#0050aa", lipgloss.BrightCyan, "#56b4e9")),
		ChartSecond: plain.Foreground(ink(lipgloss.Yellow, "#965500", lipgloss.BrightYellow, "#f0c83c")),
	}
}

func monoPalette() palette {
	return palette{
		Muted:       faint,
		Accent:      bold,
		Warn:        bold,
		Bad:         bold.Underline(true),
		Off:         faint,
		Rule:        faint,
		Marked:      bold,
		Match:       bold.Underline(true),
		ChartSecond: bold,
	}
}
