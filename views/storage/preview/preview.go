// Package preview shows the first bytes of an object as text, code, an image or in hexadecimal. Which of them follows
// from the name, the content type and the bytes. It reads nothing: its callers have the bytes.
package preview

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"lookout/client"
	"lookout/client/visible"
	"lookout/theme"
	"lookout/ui"
)

// Preview is the first bytes of an object, parsed off the event loop. Rendering it depends only on width and theme.
type Preview struct {
	Read        int    // bytes that were read
	ContentType string // as the storage sent it
	Form        string // how the bytes were read: "unpacked from gzip, UTF-16"; "" for plain UTF-8
	picture     *picture
	binary      []byte // shown in hexadecimal
	lines       [][]textSpan
	wrap        bool // wrap long lines instead of cutting them
}

// textSpan is clean text in one tone.
type textSpan struct {
	text string
	tone theme.Tone
}

// Size is the number of bytes that a preview reads.
const Size = 64 << 10

// New parses the first bytes of an object: it unpacks gzip, draws PNG images and describes others, decodes text,
// indents JSON, highlights code by the file name extension, and dumps anything else in hexadecimal.
func New(name, contentType string, data []byte) *Preview {
	p := &Preview{Read: len(data), ContentType: contentType}
	if unpacked, ok := unpack(data); ok {
		p.Form, data, name = "unpacked from gzip", unpacked, strings.TrimSuffix(name, ".gz")
	}
	if format, width, height := imageSize(data); format != "" {
		p.lines = plainLines(fmt.Sprintf("%s image, %d × %d pixels", format, width, height))
		if format == "png" {
			p.picture = decodePNG(data)
		}
		return p
	}
	decoded, encoding, ok := decodeText(data, contentType)
	if !ok {
		// the bytes keep their places
		p.binary = []byte(visible.ReplaceKeys(string(data), func(begin, content, end string) string {
			return begin + strings.Repeat("*", len(content)) + end
		}))
		return p
	}
	if p.Form != "" && encoding != "" {
		encoding = ", " + encoding
	}
	p.Form += encoding
	p.parseText(name, decoded)
	return p
}

// parseText splits text into lines, in colours if its language is known.
func (p *Preview) parseText(name string, data []byte) {
	text := strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(string(data))
	language := detectLanguage(name, text)
	var set bytes.Buffer
	if len(bytes.TrimSpace(data)) > 0 && json.Indent(&set, data, "", "  ") == nil {
		text, language = set.String(), languageJSON
	}
	text = visible.MaskKeys(text)
	if lines, ok := highlight(language, text); ok {
		p.lines = lines
		return
	}
	p.lines, p.wrap = plainLines(text), true
}

// plainLines returns the lines of a text without colours.
func plainLines(text string) [][]textSpan {
	var lines [][]textSpan
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, []textSpan{{client.CleanContent(line), theme.Plain}})
	}
	return lines
}

// isText reports whether bytes are text. The last rune may be cut off.
func isText(data []byte) bool {
	cut := data
	for i := 0; i < utf8.UTFMax && len(cut) > 0 && !utf8.Valid(cut); i++ {
		cut = cut[:len(cut)-1]
	}
	if !utf8.Valid(cut) || len(cut) < len(data)-utf8.UTFMax {
		return false
	}
	kind := http.DetectContentType(data)
	return len(data) == 0 || strings.HasPrefix(kind, "text/") || !bytes.ContainsRune(data, 0)
}

// Render returns the preview in lines that fit the box: at most limit of them, all for 0. It reports whether there are
// more.
func (p *Preview) Render(b ui.Box, limit int) (text string, more bool) {
	var out []string
	if p.picture != nil {
		out = p.picture.lines(b.Theme, b.Width, max(0, limit-1)) // what is said of it stands below
	}
	for at, n := 0, bytesPerLine(b.Width); at < len(p.binary) && (limit == 0 || len(out) <= limit); at += n {
		out = append(out, dumpLine(p.binary[at:min(at+n, len(p.binary))], at, n))
	}
	for _, line := range p.lines {
		if limit > 0 && len(out) > limit {
			break
		}
		if p.wrap {
			for _, s := range line {
				out = append(out, ui.Wrap(s.text, b.Width)...)
			}
			continue
		}
		var drawn strings.Builder
		for _, s := range line {
			drawn.WriteString(b.Theme.Paint(s.tone, s.text))
		}
		out = append(out, ui.Truncate(drawn.String(), b.Width, b.Theme.Glyphs.Ellipsis))
	}
	if more = limit > 0 && len(out) > limit; more {
		out = out[:limit]
	}
	return strings.Join(out, "\n"), more
}

// bytesPerLine returns the number of bytes that a line in hexadecimal shows: 16, or fewer where they do not fit.
func bytesPerLine(width int) int { return max(4, min(16, (width-8)/16*4)) }

// dumpLine returns some bytes in hexadecimal and as ASCII, of a line for n bytes.
func dumpLine(data []byte, offset, n int) string {
	text := make([]byte, len(data))
	for i, b := range data {
		text[i] = '.'
		if b >= ' ' && b <= '~' {
			text[i] = b
		}
	}
	return fmt.Sprintf("%05x  %-*s %s", offset, 3*n, fmt.Sprintf("% x", data), text)
}

// imageSize returns the format and the pixels of a PNG, GIF or JPEG image from its first bytes, or "". The decoders of
// the standard library would make the program 80 kB larger.
func imageSize(data []byte) (kind string, width, height int) {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")) && len(data) >= 24:
		return "png", int(binary.BigEndian.Uint32(data[16:])), int(binary.BigEndian.Uint32(data[20:]))
	case (bytes.HasPrefix(data, []byte("GIF87a")) || bytes.HasPrefix(data, []byte("GIF89a"))) && len(data) >= 10:
		return "gif", int(binary.LittleEndian.Uint16(data[6:])), int(binary.LittleEndian.Uint16(data[8:]))
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return jpegSize(data[2:])
	}
	return "", 0, 0
}

// jpegSize looks for the segment that begins a frame.
func jpegSize(data []byte) (kind string, width, height int) {
	for len(data) >= 9 && data[0] == 0xff {
		marker, length := data[1], int(binary.BigEndian.Uint16(data[2:]))
		if marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc {
			return "jpeg", int(binary.BigEndian.Uint16(data[7:])), int(binary.BigEndian.Uint16(data[5:]))
		}
		if length+2 > len(data) {
			break
		}
		data = data[length+2:]
	}
	return "", 0, 0
}
