package theme

import (
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lookout/client/faulttest"
)

func TestWithoutColoursNoColourIsSent(t *testing.T) {
	faulttest.ReportCase(t, "E9", "TestWithoutColoursNoColourIsSent")
	for _, name := range Names() {
		look, err := New(name, NoColor, false)
		if err != nil {
			t.Fatal(err)
		}
		for tone := range toneCount {
			open := look.Style(tone).Open
			for code := range strings.SplitSeq(strings.Trim(open, "\x1b[m"), ";") {
				if len(code) > 1 {
					t.Errorf("%s, tone %d: %q", name, tone, open)
				}
			}
		}
	}
}

func TestNew_ansi16(t *testing.T) {
	for _, name := range Names() {
		look, err := New(name, ANSI16, false)
		if err != nil {
			t.Fatal(err)
		}
		for tone := range toneCount {
			if open := look.Style(tone).Open; strings.Contains(open, "38;") || strings.Contains(open, "48;") {
				t.Errorf("%s, tone %d: %q", name, tone, open)
			}
		}
	}
}

// States are told apart by their shapes, in ASCII too, and every glyph is one cell wide.
func TestGlyphs(t *testing.T) {
	faulttest.ReportCase(t, "E10", "TestGlyphs")
	for _, plain := range []bool{false, true} {
		look, err := New("dark", TrueColor, plain)
		if err != nil {
			t.Fatal(err)
		}
		g := look.Glyphs
		if seen := map[string]bool{g.OK: true, g.Problem: true, g.Pending: true, g.Disabled: true, g.Unknown: true}; len(
			seen,
		) != 5 {
			t.Errorf("two states have one shape: %v", seen)
		}
		v := reflect.ValueOf(g)
		for i := range v.NumField() {
			glyph := v.Field(i).String()
			if ansi.StringWidth(glyph) != 1 || plain && glyph[0] > 0x7e {
				t.Errorf("%s is %q", v.Type().Field(i).Name, glyph)
			}
		}
	}
}

func TestUnknownTheme(t *testing.T) {
	if _, err := New("pink", NoColor, false); err == nil || !strings.Contains(err.Error(), "dark, light") {
		t.Errorf("%v", err)
	}
}
