package form

import (
	"fmt"
	"strings"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/input"
)

// labelWidth is the width of the labels.
const labelWidth = 16

// maxItemLines is the number of lines in which a form lists its rows.
const maxItemLines = 6

// View draws the form. The button stays in sight at the bottom; what is above it scrolls with the keyboard.
func (v *FormView) View(b ui.Box) string {
	lines, focus := v.lines(b)
	footer := v.footer(b)
	if len(lines)+len(footer) < b.Height {
		footer = append([]string{""}, footer...)
	}
	room := max(1, b.Height-len(footer))
	v.cut = len(lines) > room
	if from := max(0, min(focus-room/2, len(lines)-room)); v.cut {
		lines = lines[from : from+room]
	}
	for len(lines) < room {
		lines = append(lines, "")
	}
	return b.Fit(strings.Join(append(lines, footer...), "\n"))
}

// Position says which field has the keyboard, if the last frame did not show all of them: "field 2 of 8".
func (v *FormView) Position() string {
	at, count := v.focusPosition()
	if !v.cut || at == 0 {
		return ""
	}
	return fmt.Sprintf("field %d of %d", at, count)
}

// Height returns the number of lines that the form takes at a width, whichever field has the keyboard.
func (v *FormView) Height(width int) int {
	b := ui.Box{Width: width, Height: 100, Theme: &theme.Theme{}}
	lines, _ := v.lines(b)
	return len(lines) + 1 + len(v.footer(b))
}

// lines returns what stands above the button, and the line where the field with the keyboard is.
func (v *FormView) lines(b ui.Box) (lines []string, focus int) {
	lines = v.introLines(b)
	for i, f := range v.form.Fields {
		if !f.shown() {
			continue
		}
		if i == v.focus {
			focus = len(lines)
		}
		lines = append(lines, v.fieldLines(i, f, b)...)
	}
	if v.form.RequiredText != "" {
		if v.focus == len(v.form.Fields) {
			focus = len(lines)
		}
		focused := v.focus == len(v.form.Fields) && !v.sending
		label := v.label("Confirm", focused, b)
		lines = append(lines, label+input.ViewField(v.confirmInput.edit(), fieldBox(b), focused, "")[0])
		if ask := v.askForWord(); v.banner != ask {
			for _, line := range wrap(fieldBox(b), theme.Muted, ask) {
				lines = append(lines, strings.Repeat(" ", labelWidth+2)+line)
			}
		}
	}
	if v.form.Review != nil {
		lines = append(append(lines, ""), wrap(b, theme.Plain, v.form.Review())...)
	}
	if v.focus == v.buttonIndex() {
		focus = len(lines) - 1
	}
	return lines, focus
}

// fieldBox returns the box of a value, beside its label.
func fieldBox(b ui.Box) ui.Box {
	return ui.Box{Width: max(4, b.Width-labelWidth-2), Height: b.Height, Theme: b.Theme}
}

// introLines returns what stands above the fields: what the form does, to which rows, and why it was refused.
func (v *FormView) introLines(b ui.Box) []string {
	var lines []string
	if v.form.Text != "" {
		lines = append(wrap(b, theme.Muted, v.form.Text), "")
	}
	if items := v.itemLines(b); len(items) > 0 {
		lines = append(append(lines, items...), "")
	}
	if v.banner != "" {
		lines = append(append(lines, wrap(b, theme.Bad, b.Theme.Glyphs.Failure+" "+v.banner)...), "")
	}
	return lines
}

// itemLines lists the rows in columns. If they take too many lines, it shows a part of them, and says how to see the
// others.
func (v *FormView) itemLines(b ui.Box) []string {
	items, widest := v.form.Items, v.items.widest+2
	columns := max(1, (b.Width-2)/widest)
	all := (len(items) + columns - 1) / columns
	v.items.top = max(0, min(v.items.top, all-maxItemLines))
	var lines []string
	for y := v.items.top; y < min(all, v.items.top+maxItemLines); y++ {
		line := " "
		for _, item := range items[y*columns : min(len(items), (y+1)*columns)] {
			line += " " + ui.Pad(ui.Truncate(item, b.Width-2, b.Theme.Glyphs.Ellipsis), widest-1)
		}
		lines = append(lines, line)
	}
	if v.items.hidden = all > maxItemLines; v.items.hidden {
		last := min(len(items), (v.items.top+maxItemLines)*columns)
		lines = append(lines, b.ItemRange(v.items.top*columns+1, last, len(items)))
	}
	return lines
}

// wrap returns text in lines of a tone.
func wrap(b ui.Box, tone theme.Tone, text string) []string {
	lines := ui.Wrap(text, b.Width)
	for i := range lines {
		lines[i] = b.Theme.Paint(tone, lines[i])
	}
	return lines
}

// label returns a label with a mark if its field has the keyboard.
func (v *FormView) label(text string, focused bool, b ui.Box) string {
	mark, tone := "  ", theme.Muted
	if focused {
		mark, tone = b.Theme.Glyphs.Cursor+" ", theme.Accent
	}
	return b.Theme.Paint(tone, mark+ui.Pad(ui.Truncate(text, labelWidth-1, b.Theme.Glyphs.Ellipsis), labelWidth))
}

// fieldLines returns a label, a value, and what is wrong with it.
func (v *FormView) fieldLines(i int, f Field, b ui.Box) []string {
	inner, indent := fieldBox(b), strings.Repeat(" ", labelWidth+2)
	focused := i == v.focus && !v.sending
	var lines []string
	if f.input.state().width > inner.Width { // below its label
		lines, indent, inner.Width = append(lines, v.label(f.Label, focused, b)), "  ", b.Width-2
	}
	for _, line := range f.view(inner, focused) {
		lead := indent
		if len(lines) == 0 {
			lead = v.label(f.Label, focused, b)
		}
		lines = append(lines, lead+line)
	}
	if reason := v.reason(f); reason != "" {
		for _, line := range wrap(inner, theme.Bad, b.Theme.Glyphs.Failure+" "+reason) {
			lines = append(lines, indent+line)
		}
	}
	return lines
}

// reason returns what is wrong with a field, or "": the API's reason, or lookout's own once the form was sent.
func (v *FormView) reason(f Field) string {
	if reason := v.fieldErrors[f.Name]; reason != "" || !v.showProblems {
		return reason
	}
	return f.problem()
}

// footer returns the lines of the button, with what is to be known about the field with the keyboard beside it, or what
// the form waits for. It has the same number of lines whichever field has the keyboard.
func (v *FormView) footer(b ui.Box) []string {
	button, tone := "[ "+v.form.SubmitLabel+" ]", theme.Strong
	beside := b
	beside.Width = max(1, b.Width-ui.Width(button)-4)
	count := 1
	for _, f := range v.form.Fields {
		if f.shown() {
			count = max(count, len(ui.Wrap(f.NoteText(), beside.Width)))
		}
	}
	note := v.footerNote(beside)
	count = max(count, len(note))
	lines := append(make([]string, count-len(note), count), note...)
	switch {
	case v.sending:
		tone = theme.Off
	case v.focus == v.buttonIndex():
		button, tone = b.Theme.Glyphs.Cursor+" "+button, theme.Accent
	}
	last := &lines[count-1]
	*last = ui.Pad(*last, b.Width-ui.Width(button)) + b.Theme.Paint(tone, button)
	return lines
}

// footerNote returns what is to be known about the field with the keyboard, or what the form waits for.
func (v *FormView) footerNote(b ui.Box) []string {
	switch {
	case v.stop != nil:
		return wrap(b, theme.Warn, v.form.Progress()+" · esc stops")
	case v.sending:
		return wrap(b, theme.Warn, v.form.BusyText+b.Theme.Glyphs.Ellipsis+" waiting for the response")
	case v.exitKey != "":
		return wrap(b, theme.Warn, "press "+v.exitKey+" again to discard what you typed")
	case v.focus < len(v.form.Fields) && v.form.Fields[v.focus].NoteText() != "":
		return wrap(b, theme.Muted, v.form.Fields[v.focus].NoteText())
	}
	return nil
}

// A KeyHint is a key and what it does now.
type KeyHint struct{ Key, Word string }

// Hints returns the keys that work now, the most important first.
func (v *FormView) Hints() []KeyHint {
	switch {
	case v.stop != nil:
		return []KeyHint{{"esc", "stop"}}
	case v.sending:
		return []KeyHint{{"", "keys do nothing until the API responds"}}
	case v.exitKey != "":
		return []KeyHint{{"any other key", "keep what you typed"}}
	}
	send := "ctrl+s"
	if v.focus == v.buttonIndex() || v.enterSubmits() {
		send = "enter or ctrl+s"
	}
	hints := []KeyHint{{send, v.form.SubmitLabel}}
	if v.focus < len(v.form.Fields) {
		hints = append(hints, v.form.Fields[v.focus].input.state().hints...)
	}
	if v.items.hidden {
		hints = append(hints, KeyHint{"pgup/pgdn", "other rows"})
	}
	leave := "cancel"
	if v.searching() {
		leave = "end the search"
	}
	return append(hints, KeyHint{"tab", "next field"}, KeyHint{"esc", leave})
}
