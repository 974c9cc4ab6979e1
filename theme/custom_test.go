package theme

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

func TestToneNames(t *testing.T) {
	names := ToneNames()
	if len(names) != int(toneCount) || names[Cursor] != "cursor" || names[ChartSecond] != "second" ||
		names[Bad] != "bad" {
		t.Errorf("%d names for %d tones: %v", len(names), toneCount, names)
	}
	for _, name := range names {
		if ToneDescriptions()[name] == "" {
			t.Errorf("%s has no description", name)
		}
	}
}

func TestCustomTheme_Build(t *testing.T) {
	custom := CustomTheme{
		Name: "mine",
		Base: "light",
		Tones: map[string]string{
			"good":   "bold #0a8",
			"bad":    "9",
			"warn":   "italic 214",
			"cursor": "on blue",
			"muted":  "faint default",
		},
	}
	for _, c := range []struct {
		tone   Tone
		colors colorprofile.Profile
		open   string
	}{
		{Good, colorprofile.TrueColor, "\x1b[1;38;2;0;170;136m"},
		{Good, colorprofile.ASCII, "\x1b[1m"},
		{Bad, colorprofile.TrueColor, "\x1b[91m"},
		{Bad, colorprofile.ANSI256, "\x1b[91m"},
		{Warn, colorprofile.ANSI256, "\x1b[3;38;5;214m"},
		{Cursor, colorprofile.TrueColor, "\x1b[44m"},
		{Cursor, colorprofile.ASCII, "\x1b[7m"},
		{Muted, colorprofile.TrueColor, "\x1b[2m"},
		{Info, colorprofile.ANSI, "\x1b[34m"},
	} {
		look, err := custom.Build(c.colors, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := look.Codes(c.tone).Open; got != c.open {
			t.Errorf("%s with %v: got %q, want %q", ToneNames()[c.tone], c.colors, got, c.open)
		}
	}
}

func TestValidateTone(t *testing.T) {
	for style, part := range map[string]string{
		"#12":      "unknown colour",
		"256":      "unknown colour",
		"pink":     "bright-white",
		"red blue": "two colours",
		"#gggggg":  "unknown colour",
		"-1":       "unknown colour",
	} {
		if err := ValidateTone("good", style); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: got %v, want an error with %q", style, err, part)
		}
	}
	if err := ValidateTone("goood", "red"); err == nil || !strings.Contains(err.Error(), "muted") {
		t.Errorf("unknown tone: got %v", err)
	}
}
