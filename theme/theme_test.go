package theme

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"lookout/client/faulttest"
)

// Without colours, a theme writes attributes alone.
func TestNew_noColors(t *testing.T) {
	faulttest.ReportCase(t, "E9", "TestNew_noColors")
	for _, name := range Names() {
		look, err := New(name, colorprofile.ASCII, false)
		if err != nil {
			t.Fatal(err)
		}
		for tone := range toneCount {
			open := look.Codes(tone).Open
			for code := range strings.SplitSeq(strings.Trim(open, "\x1b[m"), ";") {
				if len(code) > 1 {
					t.Errorf("%s, %s: %q", name, ToneNames()[tone], open)
				}
			}
		}
	}
}

// With 16 colours, a theme uses no others.
func TestNew_ansi16(t *testing.T) {
	for _, name := range Names() {
		look, err := New(name, colorprofile.ANSI, false)
		if err != nil {
			t.Fatal(err)
		}
		for tone := range toneCount {
			if open := look.Codes(tone).Open; strings.Contains(open, "38;") || strings.Contains(open, "48;") {
				t.Errorf("%s, %s: %q", name, ToneNames()[tone], open)
			}
		}
	}
}

func TestNew_unknownName(t *testing.T) {
	if _, err := New("pink", colorprofile.ASCII, false); err == nil || !strings.Contains(err.Error(), "dark, light") {
		t.Errorf("got %v", err)
	}
}

// Painting with the cached codes gives the same text as rendering the style.
func TestTheme_Paint_equalsStyle(t *testing.T) {
	look, err := New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	for tone := range toneCount {
		if tone == Field { // Lip Gloss renders underlined text letter by letter
			continue
		}
		if got, want := look.Paint(tone, "text"), look.Style(tone).Render("text"); got != want {
			t.Errorf("%s: got %q, want %q", ToneNames()[tone], got, want)
		}
	}
}

// The five states have five shapes, in ASCII too, and every glyph is one cell wide.
func TestGlyphs(t *testing.T) {
	faulttest.ReportCase(t, "E10", "TestGlyphs")
	for _, ascii := range []bool{false, true} {
		look, err := New("dark", colorprofile.TrueColor, ascii)
		if err != nil {
			t.Fatal(err)
		}
		g := look.Glyphs
		shapes := map[string]bool{g.OK: true, g.Problem: true, g.Pending: true, g.Disabled: true, g.Unknown: true}
		if len(shapes) != 5 {
			t.Errorf("two states share a shape: %v", shapes)
		}
		v := reflect.ValueOf(g)
		for i := range v.NumField() {
			glyph := v.Field(i).String()
			if ansi.StringWidth(glyph) != 1 || ascii && glyph[0] > 0x7e {
				t.Errorf("%s is %q", v.Type().Field(i).Name, glyph)
			}
		}
	}
}

func TestForBackground(t *testing.T) {
	for name, want := range map[string]struct{ dark, light string }{
		"auto":       {"dark", "light"},
		"":           {"dark", "light"},
		"contrast":   {"contrast", "contrast-light"},
		"colorblind": {"colorblind", "colorblind-light"},
		"dark":       {"dark", "dark"},
		"mono":       {"mono", "mono"},
		"mine":       {"mine", "mine"},
	} {
		dark, light := ForBackground(name, false), ForBackground(name, true)
		if dark != want.dark || light != want.light {
			t.Errorf("%q: got %s and %s, want %v", name, dark, light, want)
		}
		if name != "mine" && (!slices.Contains(Names(), dark) || !slices.Contains(Names(), light)) {
			t.Errorf("%q: %s or %s is not a theme", name, dark, light)
		}
	}
}

// A panel has exactly its size. Segments that do not fit are left out whole, those on the right first.
func TestTheme_RenderPanel(t *testing.T) {
	look, err := New("dark", colorprofile.ASCII, false)
	if err != nil {
		t.Fatal(err)
	}
	title, right := Title("Services", "14"), []TitleSegment{{"by state", Muted}}
	for width, want := range map[int]string{
		40: "╭─ Services ─ 14 ─────────── by state ─╮",
		30: "╭─ Services ─ 14 ─ by state ─╮",
		29: "╭─ Services ─ 14 ───────────╮",
		19: "╭─ Services ─ 14 ─╮",
		18: "╭─ Services ─────╮",
		14: "╭─ Services ─╮",
		12: "╭─ Servi… ─╮",
	} {
		body := strings.Repeat("x", width-4)
		got := strings.Split(look.RenderPanel(PanelFrame{
			Title:  title,
			Right:  right,
			Width:  width,
			Height: 4,
		}, body+"\n"+body), "\n")
		if ansi.Strip(got[0]) != want || len(got) != 4 {
			t.Errorf("width %d: got %q in %d lines, want %q", width, ansi.Strip(got[0]), len(got), want)
		}
		for _, line := range got {
			if lipgloss.Width(line) != width {
				t.Errorf("width %d: %q is %d cells wide", width, line, lipgloss.Width(line))
			}
		}
	}
}

// The border of the panel with keyboard focus has the accent colour.
func TestTheme_RenderPanel_focused(t *testing.T) {
	look, err := New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	for focused, tone := range map[bool]Tone{true: Accent, false: Rule} {
		got := look.RenderPanel(PanelFrame{Title: Title("a"), Width: 9, Height: 3, Focused: focused}, "12345")
		if want := look.Paint(tone, "╰───────╯"); !strings.HasSuffix(got, want) {
			t.Errorf("focused %v: %q does not end with %q", focused, got, want)
		}
	}
}

// A line is read as a sentence: a shape becomes its word unless the word follows; borders and columns disappear.
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
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// Green is for the shape of a state, not for its words; what needs attention keeps its tone for the words.
func TestTheme_PaintState(t *testing.T) {
	look, err := New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tone       Tone
		text, want string
	}{
		{Good, "● 11 ok", look.Paint(Good, "●") + " 11 ok"},
		{Good, "●", look.Paint(Good, "●")},
		{Bad, "▲ problem", look.Paint(Bad, "▲ problem")},
		{Warn, "◌ pending", look.Paint(Warn, "◌ pending")},
		{Off, "○ disabled", look.Paint(Off, "○ disabled")},
	} {
		if got := look.PaintState(c.tone, c.text); got != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}
