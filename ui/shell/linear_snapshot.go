package shell

import (
	"fmt"
	"strings"
	"time"

	"lookout/client/wording"
	"lookout/ui"
)

// screenSnapshot holds the parts of the screen that are announced.
type screenSnapshot struct {
	account      string
	breadcrumb   string // the tab, and the pane opened in it
	freshness    string // how fresh the rows are, without ages
	count        string
	focused      any      // the dialog in front, or the pane
	intro        []string // introduces a dialog
	text         []string // lines to read one by one
	item         string
	input        string
	statusNumber int
}

// snapshot returns the parts of the screen at a time.
func (l *ScreenReaderProgram) snapshot(s *Shell, now time.Time) screenSnapshot {
	b := ui.Box{
		Width:    76,
		Height:   400,
		TextOnly: true,
		Focused:  true,
		Theme:    l.theme,
		Now:      now,
	}
	t := screenSnapshot{
		account:      s.o.AccountInfo.accountLine(),
		breadcrumb:   s.tabs.breadcrumbLine(),
		freshness:    s.freshnessWords(),
		focused:      s.pane(),
		statusNumber: s.status.number,
	}
	if d := s.dialogs.top(); d != nil {
		r := readDialog(d, b)
		t.focused, t.intro = d, append([]string{d.title()}, r.intro...)
		t.count, t.freshness = l.announced.count, l.announced.freshness
		t.setReading(l, r.ScreenReaderText)
		return t
	}
	r, reads := s.pane().(ui.ScreenReaderPane)
	if !reads {
		if t.text = l.textLines(s.pane().View(b)); s.pane().Info().Typing {
			t.text = nil
		}
		return t
	}
	reading := r.Announce(b)
	if reading.Input != "" { // the rows that a filter leaves are announced once it is kept
		t.item, t.count, t.input = l.announced.item, l.announced.count, reading.Input
		return t
	}
	if _, counted := s.pane().(ui.ListPane); counted && s.freshness().Loaded {
		t.count = wording.Plural(reading.Count, "row", "rows")
	}
	t.setReading(l, reading)
	return t
}

// setReading sets the parts that an announcement consists of.
func (t *screenSnapshot) setReading(l *ScreenReaderProgram, r ui.ScreenReaderText) {
	if r.Text != "" {
		t.text = l.textLines(r.Text)
	}
	t.item, t.input = r.Item, r.Input
	if r.Count > 0 && r.Position > 0 {
		t.item = fmt.Sprintf("%d of %d: %s", r.Position, r.Count, r.Item)
	}
}

// textLines returns the lines of a text that are not blank.
func (l *ScreenReaderProgram) textLines(text string) []string {
	lines := []string{}
	for line := range strings.SplitSeq(text, "\n") {
		if line = l.speakable(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return []string{"nothing here"}
	}
	return lines
}

// accountLine names the account, and how it differs from others.
func (info *AccountInfo) accountLine() string {
	line := "account " + info.Account + wording.WithPrefix(", ", info.AccountLabel)
	for _, word := range info.warnings() {
		line += ", " + word.text
	}
	return line
}

// breadcrumbLine names the tab in front, and the place in it.
func (t *tabs) breadcrumbLine() string {
	line := fmt.Sprintf("%s, tab %d of %d", t.current().title, t.front+1, len(t.list))
	if len(t.current().stack) > 1 {
		line += ", " + t.pane().Info().Crumb
	}
	return line
}
