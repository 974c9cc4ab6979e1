package views

import (
	"fmt"
	"strings"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// A detailWriter is a page of labelled lines: what a detail or an incident is written on. What a label says goes on
// beneath; every other line is cut to its width with a mark.
type detailWriter struct {
	box        ui.Box
	lines      []string
	labelWidth int // cells of the label column
}

func newDetailWriter(b ui.Box) *detailWriter {
	s := &detailWriter{box: b, labelWidth: 14}
	if b.Width < narrowDetailWidth {
		s.labelWidth = 12
	}
	return s
}

// narrowDetailWidth is the width beneath which labels make room for what they say.
const narrowDetailWidth = 36

func (s *detailWriter) title(text string) {
	for _, part := range ui.Wrap(text, s.box.Width) {
		s.add(s.box.Theme.Paint(theme.Strong, part))
	}
}

// heading is a rule with a name in it.
func (s *detailWriter) heading(text string) {
	g := s.box.Theme.Glyphs
	lead := strings.Repeat(g.Horizontal, 2) + " "
	name := s.cut(text, s.box.Width-5)
	rest := max(0, s.box.Width-3-ui.Width(name)-1)
	s.add(
		s.box.Theme.Paint(
			theme.Rule,
			lead,
		) + s.box.Theme.Paint(
			theme.Strong,
			name,
		) + s.box.Theme.Paint(
			theme.Rule,
			" "+strings.Repeat(g.Horizontal, rest),
		),
	)
}

// field is a label and what it says, on as many lines as that takes.
func (s *detailWriter) field(label, text string, tone theme.Tone) {
	t := s.box.Theme
	for _, part := range ui.Wrap(text, max(1, s.box.Width-s.labelWidth)) {
		s.add(t.Paint(theme.Muted, ui.Pad(s.cut(label, s.labelWidth-1), s.labelWidth)) + t.Paint(tone, part))
		label = ""
	}
}

// fieldParts are a label and texts of which a line breaks none that fits: phone numbers, addresses.
func (s *detailWriter) fieldParts(label string, parts []string, tone theme.Tone) {
	line := ""
	for _, part := range parts {
		if line != "" && ui.Width(line)+2+ui.Width(part) > s.box.Width-s.labelWidth {
			s.field(label, line, tone)
			label, line = "", ""
		}
		if line != "" {
			line += "  "
		}
		line += part
	}
	s.field(label, line, tone)
}

// truncatedField is a label and as much of what it says as one line takes: for lists.
func (s *detailWriter) truncatedField(label, text string, tone theme.Tone) {
	t := s.box.Theme
	s.add(
		t.Paint(
			theme.Muted,
			ui.Pad(s.cut(label, s.labelWidth-1), s.labelWidth),
		) + t.Paint(
			tone,
			s.cut(text, s.box.Width-s.labelWidth),
		),
	)
}

// services are services, one a line with their states, or what stands for none.
func (s *detailWriter) services(rows []*client.Service, none string) {
	for _, row := range rows {
		state, tone := formatStatus(row.Status, s.box.Theme)
		s.paragraph(fmt.Sprintf("%s  %s", state, row.Label), tone)
	}
	if len(rows) == 0 {
		s.paragraph(none, theme.Muted)
	}
}

// paragraph is a text in one tone, on as many lines as it takes.
func (s *detailWriter) paragraph(text string, tone theme.Tone) {
	for _, part := range ui.Wrap(text, s.box.Width) {
		s.add(s.box.Theme.Paint(tone, part))
	}
}

// serverText is several lines from a server, each cleaned and wrapped.
func (s *detailWriter) serverText(raw string) {
	for line := range strings.SplitSeq(strings.ReplaceAll(raw, "\r\n", "\n"), "\n") {
		for _, part := range ui.Wrap(client.NewText(line).String(), s.box.Width) {
			s.add(part)
		}
	}
}

// rendered is lines that are already drawn.
func (s *detailWriter) rendered(text string) { s.lines = append(s.lines, strings.Split(text, "\n")...) }

func (s *detailWriter) blank() { s.add("") }

func (s *detailWriter) add(line string) { s.lines = append(s.lines, line) }

func (s *detailWriter) cut(text string, width int) string {
	return ui.Truncate(text, max(0, width), s.box.Theme.Glyphs.Ellipsis)
}

func (s *detailWriter) String() string { return strings.Join(s.lines, "\n") }

// serverField is a label and several lines from a server beside it.
func (s *detailWriter) serverField(label, raw string) {
	width := s.box.Width - s.labelWidth
	for line := range strings.SplitSeq(strings.TrimRight(strings.ReplaceAll(raw, "\r\n", "\n"), "\n"), "\n") {
		for _, part := range ui.Wrap(client.NewText(line).String(), width) {
			s.field(label, part, theme.Plain)
			label = ""
		}
	}
}
