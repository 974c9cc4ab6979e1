package preview

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
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
		text, _ := New("a."+ending, "", []byte(hostile)).Render(ui.Box{Width: 200, Height: 10, Theme: look}, 0)
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
		if got, _ := New(name, "", c.data).Render(box, 0); !strings.Contains(got, c.want) {
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

// gzip is unpacked, even if it is cut off, but no further than a preview goes; texts are read in their encoding.
func TestPreview_encodings(t *testing.T) {
	pack := func(data []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(data); err != nil || w.Close() != nil {
			t.Fatal("not packed")
		}
		return b.Bytes()
	}
	var long strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&long, "line %d\n", i*i)
	}
	latin1 := []byte("Stra\xdfe und Br\xfccke, alles in einem Satz")
	for name, c := range map[string]struct {
		data       []byte
		form, want string
	}{
		"a.log.gz":   {pack([]byte("hello\n")), "unpacked from gzip", "hello"},
		"cut.gz":     {pack([]byte(long.String()))[:20_000], "unpacked from gzip", "line 1"},
		"bomb.gz":    {pack(make([]byte, 50<<20)), "unpacked from gzip", "00 00"},
		"a.json.gz":  {pack([]byte(`{"a":1}`)), "unpacked from gzip", `  "a": 1`},
		"utf16.txt":  {[]byte("\xff\xfeS\x00\xdf\x00\x1b\x00"), "UTF-16", "Sß"},
		"utf16b.txt": {[]byte("\xfe\xff\x00S\x00\xdf"), "UTF-16", "Sß"},
		"latin.gz":   {pack(latin1), "unpacked from gzip, Latin-1", "Straße und Brücke"},
		"bom.txt":    {[]byte("\xef\xbb\xbfabc"), "", "abc"},
		"not.gz":     {[]byte("\x1f\x8b no gzip"), "", "1f 8b 20 6e"},
	} {
		p := New(name, "", c.data)
		text, _ := p.Render(ui.Box{Width: 100, Height: 10, Theme: &theme.Theme{}}, 0)
		if p.Form != c.form || !strings.Contains(text, c.want) || strings.ContainsAny(text, "\x1b\x00") ||
			len(text) > 8*Size {
			t.Errorf("%s: %q, %d bytes: %.200q", name, p.Form, len(text), text)
		}
	}
}

// Bytes in hexadecimal fit the width, and no more lines are made than asked for.
func TestPreview_hexadecimal(t *testing.T) {
	data := bytes.Repeat([]byte{0, 'A', 0x1b, 0xff, 0x9d}, 1000)
	for _, width := range []int{30, 40, 60, 100} {
		text, more := New("x", "", data).Render(ui.Box{Width: width, Theme: &theme.Theme{}}, 7)
		lines := strings.Split(text, "\n")
		if len(lines) != 7 || !more || len(lines[0]) > width || !strings.HasPrefix(text, "00000  00 41 1b ff") ||
			!strings.Contains(lines[0], ".A..") {
			t.Errorf("%d: %q", width, lines)
		}
	}
}

// A PNG image is drawn in half blocks, as far as it was read. Images with huge dimensions are only described, and
// terminals without the colours get the description.
func TestPreview_images(t *testing.T) {
	look, err := theme.New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	box := ui.Box{Width: 40, Height: 30, Theme: look}
	random := rand.New(rand.NewPCG(1, 2))
	drawn := image.NewNRGBA(image.Rect(0, 0, 300, 200))
	for i := range drawn.Pix {
		drawn.Pix[i] = byte(random.Uint32()) | 1
	}
	small, square := image.NewGray(image.Rect(0, 0, 7, 3)), image.NewRGBA(image.Rect(0, 0, 9, 9))
	for _, m := range []image.Image{drawn, small, square} {
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		text, _ := New("a.png", "", b.Bytes()).Render(box, 0)
		if !strings.Contains(text, "▀") || !strings.Contains(text, "png image") {
			t.Errorf("%v is not drawn: %q", m.Bounds(), text)
		}
		for _, line := range strings.Split(text, "\n") {
			if ui.Width(line) > box.Width {
				t.Errorf("%d cells", ui.Width(line))
			}
		}
		cut := New("a.png", "", b.Bytes()[:b.Len()/2])
		for n := range min(b.Len(), 300) {
			New("a.png", "", b.Bytes()[:n]).Render(box, 0) // cut anywhere it does not fail
		}
		if m == image.Image(drawn) && (cut.picture == nil || cut.picture.height < 20) {
			t.Errorf("half an image is not drawn: %v", cut.picture)
		}
		if text, _ := New("a.png", "", b.Bytes()).Render(ui.Box{Width: 40, Theme: &theme.Theme{}}, 0); strings.Contains(
			text, "▀") || !strings.Contains(text, "png image") {
			t.Errorf("without colours: %q", text)
		}
		huge := bytes.Clone(b.Bytes())
		copy(huge[16:24], "\x7f\xff\xff\xff\x7f\xff\xff\xff")
		if p := New("a.png", "", huge); p.picture != nil {
			t.Error("an image of 2^62 pixels is decoded")
		}
	}
}

// The pixels of a picture are those of the image.
func TestPreview_pixels(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 20, 10))
	for y := range 10 {
		for x := range 20 {
			m.Set(x, y, color.NRGBA{byte(10 * x), byte(20 * y), byte(x * y), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	p := decodePNG(b.Bytes())
	if p == nil || p.width != 20 || p.height != 10 {
		t.Fatalf("%v", p)
	}
	for i, pixel := range p.pixels {
		if x, y := i%20, i/20; pixel != (theme.RGB{byte(10 * x), byte(20 * y), byte(x * y)}) {
			t.Fatalf("pixel %d,%d is %v", x, y, pixel)
		}
	}
}
