package shell

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// The smallest screen that the program works on.
const (
	MinWidth  = 40
	MinHeight = 10
)

// Lines and columns around the pane: head line and tab bar above it, status line and hints below, and a margin on each
// side. On a tall screen an empty line follows the tab bar.
const (
	linesAbove = 2
	linesBelow = 2
	sideMargin = 1
	tallHeight = 28
)

// paneTop returns the number of lines above the pane.
func (s *Shell) paneTop() int {
	if s.height >= tallHeight {
		return linesAbove + 1
	}
	return linesAbove
}

// Frame returns the screen's content, exactly as large as the terminal.
func (s *Shell) Frame() terminal.Frame {
	s.o.Loop.Lock()
	defer s.o.Loop.Unlock()
	return terminal.Frame{
		Content:         s.content(),
		Title:           "lookout " + s.o.Account,
		Mouse:           s.mouse,
		ProgressPercent: s.progress().Percent,
		Question:        s.dialogs.question(),
	}
}

// progress returns the progress of the work under way.
func (s *Shell) progress() ui.Progress {
	if s.o.Progress == nil {
		return ui.Progress{}
	}
	return s.o.Progress()
}

// tooSmall reports whether the terminal is too small for the program, which then only lets the user leave.
func (s *Shell) tooSmall() bool {
	return !s.o.PaneOnly && (s.width < MinWidth || s.height < MinHeight)
}

// box returns the whole screen.
func (s *Shell) box() ui.Box {
	return ui.Box{
		Width:   s.width,
		Height:  s.height,
		Theme:   s.themes.current,
		Now:     s.now().In(s.o.Location),
		Focused: true,
		Motion:  s.clock.motion.enabled(s),
	}
}

// bodyBox returns the part of the screen between the lines of the chrome.
func (s *Shell) bodyBox() ui.Box {
	b := s.box()
	b.Height -= s.paneTop() + linesBelow
	return b
}

// paneBox returns the box of the pane: the body without its margins.
func (s *Shell) paneBox() ui.Box {
	b := s.bodyBox()
	b.Width -= 2 * sideMargin
	return b
}

// content returns the lines of the screen. They have the right width already, so that they are written one after the
// other: lipgloss.JoinVertical measures every line again, which takes longer than drawing them.
func (s *Shell) content() string {
	b := s.box()
	if s.o.PaneOnly {
		return b.Fit(s.pane().View(b))
	}
	if s.tooSmall() {
		text := "ctrl+c quits; other keys do nothing."
		if s.dialogs.asksToQuit() {
			text = "ctrl+c again discards the form."
		}
		return b.Fit(fmt.Sprintf(
			"lookout needs %d×%d cells;\nthis terminal has %d×%d.\n%s", MinWidth, MinHeight, s.width, s.height, text,
		))
	}
	c, body := chrome{s, b}, s.bodyBox()
	var out strings.Builder
	if s.dialogs.top() != nil {
		back := &s.backdrop
		back.draw(s)
		out.WriteString(back.above)
		out.WriteByte('\n')
		out.WriteString(s.dialogs.overlay(back, body))
	} else {
		pane := s.paneBox()
		view := pane.Fit(s.pane().View(pane))
		out.Grow(len(view) + 16*(b.Width+b.Height))
		out.WriteString(c.linesAbove())
		out.WriteByte('\n')
		writeWithMargins(&out, view)
	}
	line := b
	line.Height = 1
	out.WriteByte('\n')
	out.WriteString(line.Fit(c.statusLine()))
	out.WriteByte('\n')
	out.WriteString(line.Fit(renderSpans(b.Theme, c.hintLine())))
	return out.String()
}

// linesAbove returns the lines above the pane.
func (c chrome) linesAbove() string {
	line := c.b
	line.Height = 1
	above := line.Fit(renderSpans(line.Theme, c.headLine())) + "\n" + line.Fit(c.tabBar())
	if c.s.paneTop() > linesAbove {
		above += "\n" + line.Fit("")
	}
	return above
}

// A backdrop is the dimmed screen behind a dialog. Drawing it takes longer than drawing the dialog, so it is drawn
// again only if something may have changed it: anything but a key that only the dialog has taken.
type backdrop struct {
	current int    // changes with everything that may change the screen behind a dialog
	version int    // that was drawn
	box     ui.Box // of the screen, in this second
	above   string
	lines   []string // of the pane
	covered area     // by the dialog
	left    []string // what is beside the dialog, line by line
	right   []string
}

// draw draws the screen behind the dialog in front, unless it was drawn already.
func (k *backdrop) draw(s *Shell) {
	now, pane := s.box(), s.paneBox()
	now.Now = now.Now.Truncate(time.Second)
	if k.lines != nil && k.version == k.current && k.box == now {
		return
	}
	*k = backdrop{current: k.current, version: k.current, box: now}
	dim := now
	dim.Theme, dim.Focused = now.Theme.Dimmed(), false
	pane.Theme, pane.Focused = dim.Theme, false
	k.above = now.Theme.DimLines(chrome{s, dim}.linesAbove())
	var lines strings.Builder
	writeWithMargins(&lines, pane.Fit(s.pane().View(pane)))
	k.lines = strings.Split(now.Theme.DimLines(lines.String()), "\n")
}

// around returns the lines of the pane with a box over a part of them.
func (k *backdrop) around(box string, at area) string {
	if k.covered != at {
		k.covered, k.left, k.right = at, nil, nil
		end := at.x + at.width
		for _, line := range k.lines[at.y:min(len(k.lines), at.y+at.height)] {
			k.left = append(k.left, ui.Pad(ui.SliceCells(line, 0, at.x), at.x))
			k.right = append(k.right, ui.Pad(ui.SliceCells(line, end, k.box.Width), k.box.Width-end))
		}
	}
	var out strings.Builder
	out.Grow(len(box) + 32*k.box.Width)
	for i, line := range k.lines {
		if i > 0 {
			out.WriteByte('\n')
		}
		if n := i - at.y; n >= 0 && n < len(k.left) {
			var row string
			row, box, _ = strings.Cut(box, "\n")
			out.WriteString(k.left[n])
			out.WriteString(row)
			out.WriteString(k.right[n])
			continue
		}
		out.WriteString(line)
	}
	return out.String()
}

// writeWithMargins writes lines with an empty column on each side.
func writeWithMargins(out *strings.Builder, text string) {
	for more := true; more; {
		var line string
		line, text, more = strings.Cut(text, "\n")
		out.WriteByte(' ')
		out.WriteString(line)
		out.WriteByte(' ')
		if more {
			out.WriteByte('\n')
		}
	}
}

// A span is a part of a line in one tone.
type span struct {
	tone theme.Tone
	text string
}

// spansWidth returns the number of cells that spans take.
func spansWidth(spans []span) int {
	n := 0
	for _, s := range spans {
		n += ui.Width(s.text)
	}
	return n
}

// renderSpans renders spans with the styles of a theme. The hints change with nearly every key. Rendering their
// styles each time would take a third of a frame's time, so this uses the codes that the theme rendered once.
func renderSpans(t *theme.Theme, spans []span) string {
	var out strings.Builder
	out.Grow(48 * len(spans))
	for _, s := range spans {
		if codes := t.Codes(s.tone); s.text != "" {
			out.WriteString(codes.Open)
			out.WriteString(s.text)
			out.WriteString(codes.Close)
		}
	}
	return out.String()
}

// truncateLeft cuts the beginning of a text that is too wide, and marks the cut.
func truncateLeft(text string, width int, mark string) string {
	if w := ui.Width(text); w > width {
		return mark + ansi.TruncateLeft(text, w-width+1, "")
	}
	return text
}
