package form

import (
	"fmt"
	"strings"

	"lookout/theme"
	"lookout/ui"
)

// labelWidth is the width of the labels.
const labelWidth = 16

// maxItemLines is the number of lines in which a form lists its rows.
const maxItemLines = 6

// View draws the form, scrolled so that the field with the keyboard is in sight.
func (v *FormView) View(b ui.Box) string {
	lines, focus := v.lines(b)
	from := max(0, min(focus-b.Height/2, len(lines)-b.Height))
	return b.Fit(strings.Join(lines[from:], "\n"))
}

// Height returns the number of lines that the form takes at a width.
func (v *FormView) Height(width int) int {
	lines, _ := v.lines(ui.Box{Width: width, Height: 100, Theme: &theme.Theme{}})
	return len(lines)
}

// lines returns the whole form, and the line where the field with the keyboard is.
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
		focused := v.focus == len(v.form.Fields)
		if focused {
			focus = len(lines)
		}
		inner := ui.Box{Width: max(4, b.Width-labelWidth-2), Theme: b.Theme}
		label := v.label("Type "+v.form.RequiredText, focused, b)
		lines = append(lines, label+v.confirmInput.view(inner, focused)[0])
	}
	if v.form.Review != nil {
		lines = append(lines, wrap(b, theme.Muted, v.form.Review())...)
	}
	if v.focus == v.buttonIndex() {
		focus = len(lines) + 1
	}
	return append(lines, "", v.footer(b)), focus
}

// introLines returns what stands above the fields: what the form does, to which rows, and why it was refused.
func (v *FormView) introLines(b ui.Box) []string {
	var lines []string
	if v.form.Text != "" {
		lines = wrap(b, theme.Muted, v.form.Text)
	}
	lines = append(lines, v.itemLines(b)...)
	if v.banner != "" {
		lines = append(lines, wrap(b, theme.Bad, b.Theme.Glyphs.Failure+" "+v.banner)...)
	}
	return lines
}

// itemLines lists the rows in columns. If they take too many lines, it shows a part of them, and says how to see the
// others.
func (v *FormView) itemLines(b ui.Box) []string {
	items := v.form.Items
	widest := 0
	for _, item := range items {
		widest = max(widest, ui.Width(item)+2)
	}
	columns := max(1, (b.Width-2)/max(1, widest))
	all := (len(items) + columns - 1) / columns
	v.itemTop = max(0, min(v.itemTop, all-maxItemLines))
	var lines []string
	for y := v.itemTop; y < min(all, v.itemTop+maxItemLines); y++ {
		line := " "
		for _, item := range items[y*columns : min(len(items), (y+1)*columns)] {
			line += " " + ui.Pad(ui.Truncate(item, b.Width-2, b.Theme.Glyphs.Ellipsis), widest-1)
		}
		lines = append(lines, line)
	}
	if all > maxItemLines {
		last := min(len(items), (v.itemTop+maxItemLines)*columns)
		shown := fmt.Sprintf(
			"  %d to %d of %d · pgup and pgdn show the others", v.itemTop*columns+1, last, len(items),
		)
		lines = append(lines, b.Theme.Paint(theme.Muted, ui.Truncate(shown, b.Width, b.Theme.Glyphs.Ellipsis)))
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
	mark, tone := "  ", theme.Plain
	if focused {
		mark, tone = b.Theme.Glyphs.Cursor+" ", theme.Accent
	}
	return b.Theme.Paint(tone, mark+ui.Pad(ui.Truncate(text, labelWidth-1, b.Theme.Glyphs.Ellipsis), labelWidth))
}

// fieldLines returns a label, a value, and what is wrong with it or to be known about it.
func (v *FormView) fieldLines(i int, f Field, b ui.Box) []string {
	inner := ui.Box{Width: max(4, b.Width-labelWidth-4), Height: b.Height, Theme: b.Theme}
	focused := i == v.focus && !v.sending
	indent := strings.Repeat(" ", labelWidth+2)
	var lines []string
	for n, line := range f.input.view(inner, focused) {
		lead := indent
		if n == 0 {
			lead = v.label(f.Label, focused, b)
		}
		lines = append(lines, lead+line)
	}
	var below []string
	if reason := v.reason(f); reason != "" {
		below = wrap(inner, theme.Bad, b.Theme.Glyphs.Failure+" "+reason)
	} else if focused && f.noteText() != "" {
		below = wrap(inner, theme.Muted, f.noteText())
	}
	for _, line := range below {
		lines = append(lines, indent+line)
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

// footer returns the button and the keys, or what the form waits for.
func (v *FormView) footer(b ui.Box) string {
	switch {
	case v.sending:
		return b.Theme.Paint(theme.Warn, v.form.ProgressText+b.Theme.Glyphs.Ellipsis+" waiting for the answer")
	case v.exitKey != "":
		return b.Theme.Paint(
			theme.Warn, "press "+v.exitKey+" again to discard what you typed · any other key keeps it",
		)
	}
	button, tone := "[ "+v.form.SubmitLabel+" ]", theme.Strong
	if v.focus == v.buttonIndex() {
		button, tone = b.Theme.Glyphs.Cursor+" "+button, theme.Accent
	}
	keys := "ctrl+s sends"
	if v.enterSubmits() {
		keys = "enter or ctrl+s sends"
	}
	keys = ui.JoinFitting([]string{keys, "tab next", "esc cancels"}, " · ", b.Width-ui.Width(button)-2, "")
	gap := max(1, b.Width-ui.Width(keys)-ui.Width(button))
	return b.Theme.Paint(theme.Muted, keys) + strings.Repeat(" ", gap) + b.Theme.Paint(tone, button)
}
