package account

import (
	"fmt"
	"strings"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/resource"
)

// A detailWriter is a page of labelled lines: what a detail or an incident is written on. What a label says goes on
// beneath; every other line is cut to its width with a mark.
type DetailWriter struct {
	Box        ui.Box
	Lines      []string
	LabelWidth int // cells of the label column
}

func NewDetailWriter(b ui.Box) *DetailWriter {
	s := &DetailWriter{Box: b, LabelWidth: 14}
	if b.Width < narrowDetailWidth {
		s.LabelWidth = 12
	}
	return s
}

// narrowDetailWidth is the width beneath which labels make room for what they say.
const narrowDetailWidth = 36

func (s *DetailWriter) Title(text string) {
	for _, part := range ui.Wrap(text, s.Box.Width) {
		s.add(s.Box.Theme.Paint(theme.Strong, part))
	}
}

// heading is a rule with a name in it.
func (s *DetailWriter) Heading(text string) {
	g := s.Box.Theme.Glyphs
	lead := strings.Repeat(g.Horizontal, 2) + " "
	name := s.cut(text, s.Box.Width-5)
	rest := max(0, s.Box.Width-3-ui.Width(name)-1)
	s.add(
		s.Box.Theme.Paint(
			theme.Rule,
			lead,
		) + s.Box.Theme.Paint(
			theme.Strong,
			name,
		) + s.Box.Theme.Paint(
			theme.Rule,
			" "+strings.Repeat(g.Horizontal, rest),
		),
	)
}

// field is a label and what it says, on as many lines as that takes.
func (s *DetailWriter) Field(label, text string, tone theme.Tone) {
	t := s.Box.Theme
	for _, part := range ui.Wrap(text, max(1, s.Box.Width-s.LabelWidth)) {
		s.add(t.Paint(theme.Muted, ui.Pad(s.cut(label, s.LabelWidth-1), s.LabelWidth)) + t.Paint(tone, part))
		label = ""
	}
}

// fieldParts are a label and texts of which a line breaks none that fits: phone numbers, addresses.
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

// truncatedField is a label and as much of what it says as one line takes: for lists.
func (s *DetailWriter) TruncatedField(label, text string, tone theme.Tone) {
	t := s.Box.Theme
	s.add(
		t.Paint(
			theme.Muted,
			ui.Pad(s.cut(label, s.LabelWidth-1), s.LabelWidth),
		) + t.Paint(
			tone,
			s.cut(text, s.Box.Width-s.LabelWidth),
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

// paragraph is a text in one tone, on as many lines as it takes.
func (s *DetailWriter) Paragraph(text string, tone theme.Tone) {
	for _, part := range ui.Wrap(text, s.Box.Width) {
		s.add(s.Box.Theme.Paint(tone, part))
	}
}

// serverText is several lines from a server, each cleaned and wrapped.
func (s *DetailWriter) ServerText(raw string) {
	for line := range strings.SplitSeq(strings.ReplaceAll(raw, "\r\n", "\n"), "\n") {
		for _, part := range ui.Wrap(client.NewText(line).String(), s.Box.Width) {
			s.add(part)
		}
	}
}

// rendered is lines that are already drawn.
func (s *DetailWriter) Rendered(text string) { s.Lines = append(s.Lines, strings.Split(text, "\n")...) }

func (s *DetailWriter) Blank() { s.add("") }

func (s *DetailWriter) add(line string) { s.Lines = append(s.Lines, line) }

func (s *DetailWriter) cut(text string, width int) string {
	return ui.Truncate(text, max(0, width), s.Box.Theme.Glyphs.Ellipsis)
}

func (s *DetailWriter) String() string { return strings.Join(s.Lines, "\n") }

// serverField is a label and several lines from a server beside it.
func (s *DetailWriter) ServerField(label, raw string) {
	width := s.Box.Width - s.LabelWidth
	for line := range strings.SplitSeq(strings.TrimRight(strings.ReplaceAll(raw, "\r\n", "\n"), "\n"), "\n") {
		for _, part := range ui.Wrap(client.NewText(line).String(), width) {
			s.Field(label, part, theme.Plain)
			label = ""
		}
	}
}
