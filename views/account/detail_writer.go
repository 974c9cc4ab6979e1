package account

import (
	"fmt"
	"strings"

	"lookout/client"
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
		s.add(t.Paint(theme.Muted, ui.Pad(s.cut(label, s.LabelWidth-1), s.LabelWidth)) + t.Paint(tone, part))
		label = ""
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
func (s *DetailWriter) Services(services resource.Joined[*client.Service], empty string) {
	resource.List(s, services, func(row *client.Service) {
		state, tone := FormatStatus(row.Status, s.Box.Theme)
		s.Paragraph(fmt.Sprintf("%s  %s", state, row.Label), tone)
	}, empty)
}

// Paragraph writes a text in one tone, which wraps.
func (s *DetailWriter) Paragraph(text string, tone theme.Tone) {
	for _, part := range ui.Wrap(text, s.Box.Width) {
		s.add(s.Box.Theme.Paint(tone, part))
	}
}

// ServerText writes lines from the server, each cleaned and wrapped.
func (s *DetailWriter) ServerText(raw string) {
	for line := range strings.SplitSeq(strings.ReplaceAll(raw, "\r\n", "\n"), "\n") {
		for _, part := range ui.Wrap(client.NewText(line).String(), s.Box.Width) {
			s.add(part)
		}
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

// ServerField writes a label and lines from the server beside it, each cleaned and wrapped.
func (s *DetailWriter) ServerField(label, raw string) {
	width := s.Box.Width - s.LabelWidth
	for line := range strings.SplitSeq(strings.TrimRight(strings.ReplaceAll(raw, "\r\n", "\n"), "\n"), "\n") {
		for _, part := range ui.Wrap(client.NewText(line).String(), width) {
			s.Field(label, part, theme.Plain)
			label = ""
		}
	}
}
