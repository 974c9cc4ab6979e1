package storage

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

// A preview is the first bytes of an object, taken apart where they were read: drawing it depends on width and theme
// alone.
type preview struct {
	size        int    // bytes that were read
	contentType string // content type as the storage says it
	lines       [][]textSpan
	wrap        bool // long lines go on beneath; else they are cut
}

// A textSpan is clean text in one tone.
type textSpan struct {
	text string
	tone theme.Tone
}

// previewSize is how many bytes a preview takes.
const previewSize = 64 << 10

// newPreview takes first bytes apart: images are told by kind and size, JSON is set out, code is coloured by its name's
// ending, other text stays as it is, and anything else becomes hexadecimal digits.
func newPreview(name, kind string, data []byte) preview {
	p := preview{size: len(data), contentType: kind}
	if format, width, height := imageSize(data); format != "" {
		p.lines = plainLines(fmt.Sprintf("%s image, %d × %d pixels", format, width, height))
		return p
	}
	if !isText(data) {
		p.lines = plainLines(strings.TrimRight(hex.Dump(data), "\n"))
		return p
	}
	text := strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(string(data))
	language := detectLanguage(name, text)
	var set bytes.Buffer
	if len(bytes.TrimSpace(data)) > 0 && json.Indent(&set, data, "", "  ") == nil {
		text, language = set.String(), languageJSON
	}
	if lines, ok := highlight(language, text); ok {
		p.lines = lines
		return p
	}
	p.lines, p.wrap = plainLines(text), true
	return p
}

// plainLines are lines without colours.
func plainLines(text string) [][]textSpan {
	var lines [][]textSpan
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, []textSpan{{client.Clean(line), theme.Plain}})
	}
	return lines
}

// isText reports whether bytes are text. The last rune may be cut by the preview's end.
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

// render is the preview as lines of at most the box's width.
func (p preview) render(b ui.Box) string {
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
