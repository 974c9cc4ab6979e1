package preview

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
)

// toneCase is a text and the tones of some of its parts.
type toneCase struct {
	name, text string
	want       map[string]theme.Tone
}

// toneCases are the cases of TestPreviewTones.
func toneCases() []toneCase {
	return []toneCase{
		{"a.json", `{"a":[1,"two",true]}`, map[string]theme.Tone{
			`"a"`:   theme.Accent,
			"1":     theme.Info,
			`"two"`: theme.Good,
			"true":  theme.Warn,
		}},
		{"no-ending", `{"a":1}`, map[string]theme.Tone{
			`"a"`: theme.Accent,
		}},
		{"main.go", "package main // begins\nvar x = \"s\" + `t`", map[string]theme.Tone{
			"package":   theme.Accent,
			"// begins": theme.Muted,
			`"s"`:       theme.Good,
			"`t`":       theme.Good,
		}},
		{"run.sh", "for i in $HOME; do # all\n echo 12; done", map[string]theme.Tone{
			"for":   theme.Accent,
			"$HOME": theme.Accent,
			"# all": theme.Muted,
			"12":    theme.Info,
		}},
		{"run", "#!/bin/sh\nexit 3", map[string]theme.Tone{
			"exit": theme.Accent,
			"3":    theme.Info,
		}},
		{"a.yaml", "key: value # why\non: true\nurl: http://x#y", map[string]theme.Tone{
			"key":   theme.Accent,
			"# why": theme.Muted,
			"true":  theme.Warn,
		}},
		{"a.toml", "[section]\nport = 80", map[string]theme.Tone{
			"port": theme.Accent,
			"80":   theme.Info,
		}},
		{"dump.sql", "SELECT 'x' from t -- all", map[string]theme.Tone{
			"SELECT": theme.Accent,
			"'x'":    theme.Good,
			"-- all": theme.Muted,
		}},
		{"a.html", `<p class="k">T<!-- c --></p>`, map[string]theme.Tone{
			"<p":         theme.Accent,
			"class":      theme.Accent,
			`"k"`:        theme.Good,
			"<!-- c -->": theme.Muted,
		}},
	}
}

// The file name extension and the text decide which tone each part of a preview has.
func TestPreviewTones(t *testing.T) {
	for _, c := range toneCases() {
		p := New(c.name, "", []byte(c.text))
		found := map[string]theme.Tone{}
		for _, line := range p.lines {
			for _, piece := range line {
				found[strings.TrimSpace(piece.text)] = piece.tone
			}
		}
		for text, tone := range c.want {
			if got, ok := found[text]; !ok || got != tone {
				t.Errorf("%s: %q is %v (%v), not %v; %v", c.name, text, got, ok, tone, found)
			}
		}
	}
}

// Nothing of an object's content is lost by the colours, and nothing of it reaches the terminal uncleaned.
func TestPreviewsAreWholeAndClean(t *testing.T) {
	hostile := "a\x1b[31m \"x\x1b]52;c;aGk=\a\" # \u202e\n[k] b: 1\n"
	look, err := theme.New("dark", colorprofile.ASCII, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{"txt", "go", "sh", "yaml", "sql", "html", "json"} {
		text := New("a."+ending, "", []byte(hostile)).Render(ui.Box{Width: 200, Height: 10, Theme: look})
		plain := ansi.Strip(text)
		if strings.ContainsAny(plain, "\x1b\a\u202e") || strings.Contains(text, "\x1b]") {
			t.Errorf("%s: %q", ending, text)
		}
		for _, want := range []string{"[31m", "aGk=", "[k] b: 1"} {
			if !strings.Contains(plain, want) {
				t.Errorf("%s lost %q: %q", ending, want, plain)
			}
		}
	}
}

func TestPreviewsOfOtherThings(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	look, err := theme.New("dark", colorprofile.ASCII, false)
	if err != nil {
		t.Fatal(err)
	}
	box := ui.Box{Width: 100, Height: 10, Theme: look}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"a.png":    {picture.Bytes(), "png image, 30 × 20 pixels"},
		"bytes":    {[]byte{0, 1, 2, 0xff}, "00 01 02 ff"},
		"cut.txt":  {[]byte("ab\xe2\x82"), "ab"},
		"none":     {nil, ""},
		"long.txt": {[]byte(strings.Repeat("x", 150)), strings.Repeat("x", 100) + "\n" + strings.Repeat("x", 50)},
		"a.go":     {[]byte("x \xff"), "x"},
	} {
		if got := New(name, "", c.data).Render(box); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A preview of 64 KiB is parsed once, off the loop; drawing it again costs little.
func BenchmarkPreview(b *testing.B) {
	data := []byte(strings.Repeat("func f(a int) string { return \"x\" } // y\n", Size/42))
	for b.Loop() {
		New("a.go", "", data)
	}
}

// The program reads the kind and size of an image from its first bytes, as its decoder does.
func TestImageSize(t *testing.T) {
	picture := image.NewPaletted(image.Rect(0, 0, 301, 42), color.Palette{color.Black, color.White})
	for kind, encode := range map[string]func(io.Writer) error{
		"png":  func(w io.Writer) error { return png.Encode(w, picture) },
		"gif":  func(w io.Writer) error { return gif.Encode(w, picture, nil) },
		"jpeg": func(w io.Writer) error { return jpeg.Encode(w, picture, nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		if k, w, h := imageSize(b.Bytes()); k != kind || w != 301 || h != 42 {
			t.Errorf("%s: %q, %d × %d", kind, k, w, h)
		}
		for n := range min(b.Len(), 200) {
			imageSize(b.Bytes()[:n]) // cut anywhere it does not fail
		}
	}
	if k, _, _ := imageSize([]byte("GIF is what this text begins with")); k != "" {
		t.Errorf("a text is a %s", k)
	}
}
