package views

import (
	"fmt"
	"strings"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// A sheet is a page of labelled lines: what a detail or an incident is written on. What a label says goes on beneath; every other line is cut to its width with a mark.
type sheet struct {
	box   ui.Box
	lines []string
	label int // cells of the label column
}

func newSheet(b ui.Box) *sheet {
	s := &sheet{box: b, label: 14}
	if b.Width < thin {
		s.label = 12
	}
	return s
}

// thin is the width beneath which labels make room for what they say.
const thin = 36

func (s *sheet) title(text string) {
	for _, part := range ui.Wrap(text, s.box.Width) {
		s.add(s.box.Theme.Paint(theme.Strong, part))
	}
}

// heading is a rule with a name in it.
func (s *sheet) heading(text string) {
	g := s.box.Theme.Glyphs
	lead := strings.Repeat(g.Horizontal, 2) + " "
	name := s.cut(text, s.box.Width-5)
	rest := max(0, s.box.Width-3-ui.Width(name)-1)
	s.add(s.box.Theme.Paint(theme.Rule, lead) + s.box.Theme.Paint(theme.Strong, name) + s.box.Theme.Paint(theme.Rule, " "+strings.Repeat(g.Horizontal, rest)))
}

// line is a label and what it says, on as many lines as that takes.
func (s *sheet) line(label, text string, tone theme.Tone) {
	t := s.box.Theme
	for _, part := range ui.Wrap(text, max(1, s.box.Width-s.label)) {
		s.add(t.Paint(theme.Muted, ui.Pad(s.cut(label, s.label-1), s.label)) + t.Paint(tone, part))
		label = ""
	}
}

// parts are a label and texts of which a line breaks none that fits: phone numbers, addresses.
func (s *sheet) parts(label string, parts []string, tone theme.Tone) {
	line := ""
	for _, part := range parts {
		if line != "" && ui.Width(line)+2+ui.Width(part) > s.box.Width-s.label {
			s.line(label, line, tone)
			label, line = "", ""
		}
		if line != "" {
			line += "  "
		}
		line += part
	}
	s.line(label, line, tone)
}

// brief is a label and as much of what it says as one line takes: for lists.
func (s *sheet) brief(label, text string, tone theme.Tone) {
	t := s.box.Theme
	s.add(t.Paint(theme.Muted, ui.Pad(s.cut(label, s.label-1), s.label)) + t.Paint(tone, s.cut(text, s.box.Width-s.label)))
}

// services are services, one a line with their states, or what stands for none.
func (s *sheet) services(rows []*client.Service, none string) {
	for _, row := range rows {
		state, tone := stateOf(row.Status, s.box.Theme)
		s.say(fmt.Sprintf("%s  %s", state, row.Label), tone)
	}
	if len(rows) == 0 {
		s.say(none, theme.Muted)
	}
}

// say is a text in one tone, on as many lines as it takes.
func (s *sheet) say(text string, tone theme.Tone) {
	for _, part := range ui.Wrap(text, s.box.Width) {
		s.add(s.box.Theme.Paint(tone, part))
	}
}

// text is several lines from a server, each cleaned and wrapped.
func (s *sheet) text(raw string) {
	for line := range strings.SplitSeq(strings.ReplaceAll(raw, "\r\n", "\n"), "\n") {
		for _, part := range ui.Wrap(client.NewText(line).String(), s.box.Width) {
			s.add(part)
		}
	}
}

// block is lines that are already drawn.
func (s *sheet) block(text string) { s.lines = append(s.lines, strings.Split(text, "\n")...) }

func (s *sheet) blank() { s.add("") }

func (s *sheet) add(line string) { s.lines = append(s.lines, line) }

func (s *sheet) cut(text string, width int) string {
	return ui.Truncate(text, max(0, width), s.box.Theme.Glyphs.Ellipsis)
}

func (s *sheet) String() string { return strings.Join(s.lines, "\n") }

// indented is a label and several lines from a server beside it.
func (s *sheet) indented(label, raw string) {
	width := s.box.Width - s.label
	for line := range strings.SplitSeq(strings.TrimRight(strings.ReplaceAll(raw, "\r\n", "\n"), "\n"), "\n") {
		for _, part := range ui.Wrap(client.NewText(line).String(), width) {
			s.line(label, part, theme.Plain)
			label = ""
		}
	}
}
