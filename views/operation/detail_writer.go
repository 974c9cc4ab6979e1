package operation

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"lookout/client"
	"lookout/client/account/join"
	"lookout/client/visible"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/resource"
)

// DetailWriter writes the lines of a detail or an incident: titles, labels with values, paragraphs. Values and
// paragraphs wrap; headings and labels are truncated.
type DetailWriter struct {
	Box        ui.Box
	Lines      []string
	LabelWidth int // cells of the label column
}

// NewDetailWriter returns a writer of lines that are as wide as a box.
func NewDetailWriter(b ui.Box) *DetailWriter {
	s := &DetailWriter{Box: b, LabelWidth: 14}
	if b.Width < narrowDetailWidth {
		s.LabelWidth = 12
	}
	return s
}

// narrowDetailWidth is the width below which labels are narrower.
const narrowDetailWidth = 36

// Title writes a strong line.
func (s *DetailWriter) Title(text string) {
	for _, part := range ui.Wrap(text, s.Box.Width) {
		s.add(s.Box.Theme.Paint(theme.Strong, part))
	}
}

// Heading writes a rule with a name in it.
func (s *DetailWriter) Heading(text string) {
	g := s.Box.Theme.Glyphs
	lead := strings.Repeat(g.Horizontal, 2) + " "
	name := s.cut(text, s.Box.Width-5)
	rest := max(0, s.Box.Width-3-ui.Width(name)-1)
	s.add(
		s.Box.Theme.Paint(theme.Rule, lead) + s.Box.Theme.Paint(theme.Strong, name) + s.Box.Theme.Paint(
			theme.Rule, " "+strings.Repeat(g.Horizontal, rest),
		),
	)
}

// Field writes a label and its value, which wraps.
func (s *DetailWriter) Field(label, text string, tone theme.Tone) {
	t := s.Box.Theme
	for _, part := range ui.Wrap(text, max(1, s.Box.Width-s.LabelWidth)) {
		s.add(t.Paint(theme.Muted, ui.Pad(s.cut(label, s.LabelWidth-1), s.LabelWidth)) + t.PaintState(tone, part))
		label, tone = "", theme.RestOfState(tone)
	}
}

// FieldParts writes a label and several texts, such as phone numbers, and wraps only between them.
func (s *DetailWriter) FieldParts(label string, parts []string, tone theme.Tone) {
	line := ""
	for _, part := range parts {
		if line != "" && ui.Width(line)+2+ui.Width(part) > s.Box.Width-s.LabelWidth {
			s.Field(label, line, tone)
			label, line = "", ""
		}
		if line != "" {
			line += "  "
		}
		line += part
	}
	s.Field(label, line, tone)
}

// TruncatedField writes a label and its value on one line.
func (s *DetailWriter) TruncatedField(label, text string, tone theme.Tone) {
	t := s.Box.Theme
	s.add(
		t.Paint(theme.Muted, ui.Pad(s.cut(label, s.LabelWidth-1), s.LabelWidth)) + t.Paint(
			tone, s.cut(text, s.Box.Width-s.LabelWidth),
		),
	)
}

// Services writes services with their states, one on each line, or a sentence if there is none.
func (s *DetailWriter) Services(services join.Joined[*client.Service], empty string) {
	resource.List(s, services, func(row *client.Service) {
		state, tone := FormatStatus(row.Status, s.Box.Theme)
		s.Paragraph(fmt.Sprintf("%s  %s", state, row.Label), tone)
	}, empty)
}

// Paragraph writes a text in one tone, which wraps.
func (s *DetailWriter) Paragraph(text string, tone theme.Tone) {
	for _, part := range ui.Wrap(text, s.Box.Width) {
		s.add(s.Box.Theme.PaintState(tone, part))
		tone = theme.RestOfState(tone)
	}
}

// ServerText writes lines from the server, each cleaned and wrapped. Of a long text it writes the beginning;
// LongTexts returns the whole.
func (s *DetailWriter) ServerText(raw string) {
	lines, rest := shortenLines(raw)
	for _, line := range lines {
		for _, part := range ui.Wrap(line, s.Box.Width) {
			s.add(part)
		}
	}
	if rest != "" {
		s.Paragraph(rest, theme.Muted)
	}
}

// Rendered writes lines that are styled already.
func (s *DetailWriter) Rendered(text string) { s.Lines = append(s.Lines, strings.Split(text, "\n")...) }

// Blank writes an empty line.
func (s *DetailWriter) Blank() { s.add("") }

func (s *DetailWriter) add(line string) { s.Lines = append(s.Lines, line) }

func (s *DetailWriter) cut(text string, width int) string {
	return ui.Truncate(text, max(0, width), s.Box.Theme.Glyphs.Ellipsis)
}

// String returns all lines.
func (s *DetailWriter) String() string { return strings.Join(s.Lines, "\n") }

// ServerField writes a label and lines from the server beside it, as ServerText does.
func (s *DetailWriter) ServerField(label, raw string) {
	lines, rest := shortenLines(strings.TrimRight(raw, "\r\n"))
	for _, line := range lines {
		s.Field(label, line, theme.Plain)
		label = ""
	}
	if rest != "" {
		s.Field(label, rest, theme.Muted)
	}
}

// maxFieldLines is the number of lines of one text that a detail shows at most, before they are wrapped.
const maxFieldLines = 200

// shortenLines returns the first lines of a text, cleaned, up to maxFieldLines and client.MaxShown bytes, and what to
// say about the rest: "… 1.9 MiB more · enter", or "".
func shortenLines(raw string) (lines []string, rest string) {
	raw = visible.MaskKeys(raw)
	left, at := client.MaxShown, 0
	for at <= len(raw) && len(lines) < maxFieldLines && left > 0 {
		line, _, _ := strings.Cut(raw[at:], "\n")
		shown, cut := client.CleanStart(strings.TrimSuffix(line, "\r"), left)
		lines, left = append(lines, shown), left-len(shown)
		if at += len(line) - cut; cut == 0 {
			at++
		}
	}
	if at < len(raw) {
		rest = "… " + FormatSize(int64(len(raw)-at)) + " more · enter"
	}
	return lines, rest
}

// LongTexts returns the texts of a row that its detail shortens, with the API's names, for table.List.LongTexts. row is
// a pointer to a struct.
func LongTexts[T any](row T) []ui.ShowTextMsg {
	return appendLongTexts(nil, "", reflect.ValueOf(row).Elem())
}

// appendLongTexts appends the long texts of a value, and of the structs in it.
func appendLongTexts(texts []ui.ShowTextMsg, name string, v reflect.Value) []ui.ShowTextMsg {
	if value, ok := v.Interface().(client.ServerText); ok {
		if _, rest := shortenLines(value.Raw()); rest != "" {
			texts = append(texts, ui.ShowTextMsg{Title: name, Text: value.Raw()})
		}
		return texts
	}
	if v.Kind() != reflect.Struct {
		return texts
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		texts = appendLongTexts(texts, cmp.Or(member, name), v.Field(i))
	}
	return texts
}
