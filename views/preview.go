package views

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// A preview is the first bytes of an object, taken apart where they were read: drawing it depends on width and theme alone.
type preview struct {
	size  int    // bytes that were read
	kind  string // content type as the storage says it
	lines [][]piece
	wrap  bool // long lines go on beneath; else they are cut
}

// A piece is clean text in one tone.
type piece struct {
	text string
	tone theme.Tone
}

// peekSize is how many bytes a preview takes.
const peekSize = 64 << 10

// newPreview takes first bytes apart: images are told by kind and size, JSON is set out, code is coloured by its name's ending, other text
// stays as it is, and anything else becomes hexadecimal digits.
func newPreview(name, kind string, data []byte) preview {
	p := preview{size: len(data), kind: kind}
	if format, width, height := imageSize(data); format != "" {
		p.lines = plainLines(fmt.Sprintf("%s image, %d × %d pixels", format, width, height))
		return p
	}
	if !textual(data) {
		p.lines = plainLines(strings.TrimRight(hex.Dump(data), "\n"))
		return p
	}
	text := strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(string(data))
	language := languageOf(name, text)
	var set bytes.Buffer
	if len(bytes.TrimSpace(data)) > 0 && json.Indent(&set, data, "", "  ") == nil {
		text, language = set.String(), jsonText
	}
	if lines, ok := colour(language, text); ok {
		p.lines = lines
		return p
	}
	p.lines, p.wrap = plainLines(text), true
	return p
}

// plainLines are lines without colours.
func plainLines(text string) [][]piece {
	var lines [][]piece
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, []piece{{client.Clean(line), theme.Plain}})
	}
	return lines
}

// textual reports whether bytes are text. The last rune may be cut by the preview's end.
func textual(data []byte) bool {
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

// draw is the preview as lines of at most the box's width.
func (p preview) draw(b ui.Box) string {
	var out []string
	for _, line := range p.lines {
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
	return strings.Join(out, "\n")
}
