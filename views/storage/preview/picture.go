package preview

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"strings"

	"lookout/theme"
)

// picture is a small version of an image, at most maxPictureSide pixels wide and high.
type picture struct {
	width, height int
	pixels        []theme.RGB // row by row
}

// A picture is made only of images whose rows and pixels fit these bounds; other images are described.
const (
	maxPictureSide = 96
	maxImageSide   = 1 << 14
	maxImagePixels = 1 << 25
)

// decodePNG returns a small version of the beginning of a PNG image: nil unless its channels have 8 bits and its rows
// come in their order. It reads row by row and keeps only the pixels that are shown, so that a small file cannot take
// much memory, and a file may be cut off.
func decodePNG(data []byte) *picture {
	if len(data) < 29 || data[24] != 8 || data[28] != 0 {
		return nil
	}
	width, height := int(binary.BigEndian.Uint32(data[16:])), int(binary.BigEndian.Uint32(data[20:]))
	channels := map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[data[25]]
	if channels == 0 || width <= 0 || height <= 0 || max(width, height) > maxImageSide ||
		width*height > maxImagePixels {
		return nil
	}
	palette, packed := pngChunks(data[8:])
	unpacked, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	scale := max(1, (max(width, height)+maxPictureSide-1)/maxPictureSide)
	p := &picture{width: max(1, width/scale)}
	row, above := make([]byte, 1+width*channels), make([]byte, 1+width*channels)
	for y := range max(1, height/scale) * scale {
		if y >= height {
			break
		}
		if _, err := io.ReadFull(unpacked, row); err != nil || row[0] > 4 {
			break // the rest was not read
		}
		unfilter(row, above, channels)
		if y%scale == 0 {
			p.height++
			for x := range p.width {
				at := 1 + x*scale*channels
				p.pixels = append(p.pixels, pngPixel(row[at:at+channels], data[25], palette))
			}
		}
		row, above = above, row
	}
	if p.height == 0 {
		return nil
	}
	return p
}

// pngChunks returns the palette of a PNG image and its packed rows, as far as they are there.
func pngChunks(data []byte) (palette, packed []byte) {
	for len(data) >= 8 {
		length, kind := int64(binary.BigEndian.Uint32(data)), string(data[4:8])
		data = data[8:]
		body := data[:min(length, int64(len(data)))]
		switch kind {
		case "PLTE":
			palette = body
		case "IDAT":
			packed = append(packed, body...)
		}
		data = data[min(length+4, int64(len(data))):]
	}
	return palette, packed
}

// unfilter restores a row, whose first byte names how it differs from the pixels beside and above it.
func unfilter(row, above []byte, channels int) {
	for i := 1; i < len(row); i++ {
		var left, corner int
		if i > channels {
			left, corner = int(row[i-channels]), int(above[i-channels])
		}
		up := int(above[i])
		switch row[0] {
		case 1:
			row[i] += byte(left)
		case 2:
			row[i] += byte(up)
		case 3:
			row[i] += byte((left + up) / 2)
		case 4:
			row[i] += byte(paeth(left, up, corner))
		}
	}
}

// paeth returns the one of three neighbours that is nearest to left + up - corner.
func paeth(left, up, corner int) int {
	p := left + up - corner
	a, b, c := distance(p, left), distance(p, up), distance(p, corner)
	switch {
	case a <= b && a <= c:
		return left
	case b <= c:
		return up
	}
	return corner
}

func distance(a, b int) int { return max(a-b, b-a) }

// pngPixel returns the colour of a pixel of a colour type. What is transparent is black.
func pngPixel(channels []byte, colorType byte, palette []byte) theme.RGB {
	var p theme.RGB
	switch colorType {
	case 3:
		if at := 3 * int(channels[0]); at+3 <= len(palette) {
			p = theme.RGB(palette[at : at+3])
		}
		return p
	case 0, 4:
		p = theme.RGB{channels[0], channels[0], channels[0]}
	default:
		p = theme.RGB(channels[:3])
	}
	if colorType >= 4 {
		for i := range p {
			p[i] = byte(int(p[i]) * int(channels[len(channels)-1]) / 255)
		}
	}
	return p
}

// lines draws the picture in half blocks, two pixels in each cell, so that it fits a width and a number of lines, 0 for
// any. It returns nothing on terminals without the colours.
func (p *picture) lines(t *theme.Theme, width, height int) []string {
	if height <= 0 {
		height = p.height
	}
	scale := max(1, (p.width+max(1, width)-1)/max(1, width), (p.height+2*height-1)/(2*height))
	var lines []string
	for y := 0; y < p.height; y += 2 * scale {
		var line strings.Builder
		for x := 0; x < p.width; x += scale {
			upper, lower := p.pixels[y*p.width+x], theme.RGB{}
			if y+scale < p.height {
				lower = p.pixels[(y+scale)*p.width+x]
			}
			block, ok := t.HalfBlock(upper, lower)
			if !ok {
				return nil
			}
			line.WriteString(block)
		}
		lines = append(lines, line.String())
	}
	return lines
}
