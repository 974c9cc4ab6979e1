package shell

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// A dialog stands in front of a pane and receives all keys. Responses of the API still reach the pane.
type dialog interface {
	title() string
	size(most ui.Box) (width, height int) // that it needs; it gets no more than most
	view(ui.Box) string                   // at most as large as the box
	hints() []hint                        // the keys that work now and that it does not show itself
	handleKey(*Shell, tea.KeyPressMsg) (cmd tea.Cmd, done bool)
	handlePaste(tea.PasteMsg) tea.Cmd
}

// A layouter is a dialog that depends on the room it has. layout runs after every update, so that view changes nothing.
type layouter interface{ layout(ui.Box) }

// A clickable is a dialog with entries to click. The first click moves the cursor to an entry; another one chooses it.
type clickable interface {
	clickLine(line int) (chosen bool)
}

// dialogReading is what a screen reader says of a dialog: an introduction, once, and the part that has the keyboard.
type dialogReading struct {
	intro []string
	ui.ScreenReaderText
}

// readDialog returns what a screen reader says of a dialog. A dialog without a read method is read line by line.
func readDialog(d dialog, b ui.Box) dialogReading {
	if t, ok := d.(interface{ read(ui.Box) dialogReading }); ok {
		return t.read(b)
	}
	b.Width, _ = d.size(b)
	return dialogReading{ScreenReaderText: ui.ScreenReaderText{Text: d.view(b)}}
}

// ignoresPaste is embedded by dialogs that ignore pastes.
type ignoresPaste struct{}

func (ignoresPaste) handlePaste(tea.PasteMsg) tea.Cmd { return nil }

// An area is a part of the screen.
type area struct{ x, y, width, height int }

// lineAt reports whether a point is in the area, and on which of its lines.
func (a area) lineAt(at tea.Mouse) (line int, in bool) {
	return at.Y - a.y, at.X >= a.x && at.X < a.x+a.width && at.Y >= a.y && at.Y < a.y+a.height
}

// A scroller is a dialog that may not show all of its entries at once. position says which it shows: "1-20 of 60".
type scroller interface{ position() string }

// A dialogStack holds the open dialogs, the one in front last.
type dialogStack struct {
	open []dialog
	box  ui.Panel
	laid struct { // where the last layout put the dialog in front
		dialog        dialog
		width, height int // of the room
		area          area
	}
}

// top returns the dialog in front, or nil.
func (s *dialogStack) top() dialog {
	if len(s.open) == 0 {
		return nil
	}
	return s.open[len(s.open)-1]
}

func (s *dialogStack) push(d dialog) { s.open = append(s.open, d) }

// question returns what the dialog in front asks, in its present state: an answer counts only once that is on the
// screen. It is nil if nothing is asked.
func (s *dialogStack) question() any {
	switch d := s.top().(type) {
	case *formDialog:
		return d
	case *questionDialog:
		return askedQuestion{d, d.armed}
	}
	return nil
}

// An askedQuestion is a question that says how it can be answered, or not yet.
type askedQuestion struct {
	q     *questionDialog
	armed bool
}

// dismiss closes a dialog, and reports whether it was open.
func (s *dialogStack) dismiss(d dialog) bool {
	before := len(s.open)
	s.open = slices.DeleteFunc(s.open, func(o dialog) bool { return o == d })
	return len(s.open) < before
}

// removeFinishedForms removes the forms that an answer of the API has closed.
func (s *dialogStack) removeFinishedForms() {
	s.open = slices.DeleteFunc(s.open, func(d dialog) bool {
		f, ok := d.(*formDialog)
		return ok && f.form.Done()
	})
}

// hasUnsaved reports whether a dialog is open that only the user may close: a form, a question or a secret.
func (s *dialogStack) hasUnsaved() bool {
	return slices.ContainsFunc(s.open, func(d dialog) bool {
		switch d.(type) {
		case *formDialog, *secretDialog, *questionDialog:
			return true
		}
		return false
	})
}

// warnUnsavedSecret reports whether ctrl+c must ask first, because the secret in front is not saved to a file. It
// does so once for each secret.
func (s *dialogStack) warnUnsavedSecret() bool {
	d, ok := s.top().(*secretDialog)
	if !ok || d.saved || d.warned {
		return false
	}
	d.warned = true
	return true
}

// confirmQuit returns what would be lost if the program quit now, once; "" if nothing is.
func (s *dialogStack) confirmQuit() string {
	for _, d := range slices.Backward(s.open) {
		switch d := d.(type) {
		case *formDialog:
			if !d.form.ConfirmQuit() {
				return "the form is not sent"
			}
		case *secretDialog:
			if !d.saved && !d.warned {
				d.warned = true
				return "the " + d.Name + " is not saved to a file"
			}
		}
	}
	return ""
}

// asksToQuit reports whether a form has asked before the program quits.
func (s *dialogStack) asksToQuit() bool {
	return slices.ContainsFunc(s.open, func(d dialog) bool {
		f, ok := d.(*formDialog)
		return ok && f.form.AsksToQuit()
	})
}

// rearmQuestions disarms the open questions after the terminal stalled: nobody saw them meanwhile.
func (s *dialogStack) rearmQuestions(dropped int) tea.Cmd {
	cmds := []tea.Cmd{ui.ShowStatus(theme.Warn, fmt.Sprintf(
		"the terminal did not respond · input was discarded (%d bytes)", dropped,
	))}
	for _, d := range s.open {
		if q, ok := d.(*questionDialog); ok {
			cmds = append(cmds, q.disarm())
		}
	}
	return tea.Batch(cmds...)
}

// layout fits the dialogs to the room that a screen has for them.
func (s *dialogStack) layout(b ui.Box) {
	s.laid.dialog = nil
	for _, d := range s.open {
		a := dialogArea(d, b)
		if l, ok := d.(layouter); ok {
			inner := dialogRoom(b)
			inner.Width, inner.Height = a.width, a.height
			l.layout(inner)
		}
		s.laid.dialog, s.laid.width, s.laid.height, s.laid.area = d, b.Width, b.Height, a
	}
}

// dialogRoom returns the most that a dialog can have of a box, without its border.
func dialogRoom(b ui.Box) ui.Box {
	b.Width, b.Height, b.Focused = b.Width-4-2*sideMargin, b.Height-2, true
	return b
}

// dialogArea returns the part of a box inside a dialog's border. The dialog is centred. One whose height changes keeps
// the upper edge that it has at its greatest height.
func dialogArea(d dialog, b ui.Box) area {
	room := dialogRoom(b)
	w, h := d.size(room)
	w, h = min(w, room.Width), min(h, room.Height)
	tallest := h
	if t, ok := d.(interface{ tallest(ui.Box) int }); ok {
		tallest = min(t.tallest(room), room.Height)
	}
	top := 1
	if h+4 <= b.Height { // there is room for padding
		top = 2
	}
	return area{(b.Width-w-4)/2 + 2, max(top, (b.Height-tallest)/2), w, h}
}

// overlay lays the dialog in front over the middle of the backdrop. The lines are spliced: Lip Gloss's compositor takes
// 1.2 ms for a screen, twenty times as long.
func (s *dialogStack) overlay(back *backdrop, b ui.Box) string {
	d := s.top()
	a, inner, columns, lines := s.laid.area, dialogRoom(b), 0, 0
	if l := &s.laid; l.dialog != d || l.width != b.Width || l.height != b.Height {
		a = dialogArea(d, b)
	}
	inner.Width, inner.Height = a.width, a.height
	outer := inner
	if a.width+6+2*sideMargin <= b.Width { // padding where there is room for it
		columns = 1
	}
	if a.height+4 <= b.Height {
		lines = 1
	}
	outer.Width, outer.Height = inner.Width+4+2*columns, inner.Height+2+2*lines
	indent := blanks(columns)
	body := strings.Repeat("\n", lines) + indent + strings.ReplaceAll(inner.Fit(d.view(inner)), "\n", "\n"+indent)
	var position []theme.TitleSegment
	if p, ok := d.(scroller); ok && p.position() != "" {
		position = []theme.TitleSegment{{Text: p.position(), Tone: theme.Muted}}
	}
	box := s.box.View(outer, theme.Title(d.title()), position, body)
	return back.around(box, area{a.x - 2 - columns, a.y - 1 - lines, outer.Width, outer.Height})
}

// markedLine renders an entry of a menu or a list: the one at the cursor has a mark and stands on a tint that keeps the
// tones.
func markedLine(cursor bool, mark string, b ui.Box, parts ...theme.TitleSegment) string {
	var out strings.Builder
	tint, room := b.Theme.Tint(theme.Plain), b.Width
	if cursor {
		tint = b.Theme.Tint(theme.Cursor)
	} else {
		mark = " "
	}
	write := func(tone theme.Tone, text string) {
		text = ui.Truncate(text, max(0, room), b.Theme.Glyphs.Ellipsis)
		room -= ui.Width(text)
		codes := tint.Codes(tone)
		out.WriteString(codes.Open + text + codes.Close)
	}
	out.WriteString(tint.Around.Open)
	write(theme.Accent, mark)
	write(theme.Plain, " ")
	for _, part := range parts {
		write(part.Tone, part.Text)
	}
	if cursor {
		write(theme.Plain, blanks(max(0, room)))
	}
	return out.String() + tint.Around.Close
}
