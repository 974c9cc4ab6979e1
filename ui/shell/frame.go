package shell

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// The smallest screen that the program works on.
const (
	minWidth  = 40
	minHeight = 10
)

const (
	paneTop     = 3 // lines above the pane: head line, tab bar, rule
	chromeLines = 6 // lines above and below the pane
)

// Frame returns the screen's content, exactly as large as the terminal.
func (s *Shell) Frame() terminal.Frame {
	f := terminal.Frame{
		Content:         s.content(),
		Title:           "lookout " + s.o.Account,
		Mouse:           s.mouse,
		ProgressPercent: s.progressPercent(),
	}
	if s.valuesHidden {
		f.Content, f.Title = maskValues(f.Content, s.themes.current.Glyphs.Mask, s.o.Account), "lookout"
	}
	return f
}

// progressPercent returns the progress of the work under way; 0 means none.
func (s *Shell) progressPercent() int {
	if s.o.Progress == nil {
		return 0
	}
	return s.o.Progress()
}

// tooSmall reports whether the terminal is too small for the program, which then only lets the user leave.
func (s *Shell) tooSmall() bool {
	return !s.o.PaneOnly && (s.width < minWidth || s.height < minHeight)
}

// box returns the whole screen.
func (s *Shell) box() ui.Box {
	return ui.Box{
		Width:   s.width,
		Height:  s.height,
		Theme:   s.themes.current,
		Now:     s.now().In(s.o.Location),
		Focused: true,
	}
}

// bodyBox returns the box of the pane, between the chrome.
func (s *Shell) bodyBox() ui.Box {
	b := s.box()
	b.Height -= chromeLines
	return b
}

// content returns the lines of the screen. They have the right width already, so that they are joined as strings:
// lipgloss.JoinVertical measures every line again, which takes longer than drawing them.
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
			"lookout needs %d×%d cells;\nthis terminal has %d×%d.\n%s", minWidth, minHeight, s.width, s.height, text,
		))
	}
	body, line := s.bodyBox(), b
	line.Height = 1
	middle := s.dialogs.overlay(body.Fit(s.pane().View(body)), body)
	c := chrome{s, b}
	rule := renderSpans(b.Theme, c.rule())
	var out strings.Builder
	out.Grow(len(middle) + 16*s.width)
	for i, part := range []string{
		line.Fit(renderSpans(b.Theme, c.headLine())),
		line.Fit(renderSpans(b.Theme, c.tabBar())),
		rule,
		middle,
		rule,
		line.Fit(s.news.view(b)),
		line.Fit(renderSpans(b.Theme, c.hintLine())),
	} {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(part)
	}
	return out.String()
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
	for _, s := range spans {
		out.WriteString(t.Paint(s.tone, s.text))
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
