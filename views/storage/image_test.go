package storage

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"testing"
)

// The first bytes of an image tell what its decoder would.
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
