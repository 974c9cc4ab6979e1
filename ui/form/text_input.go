package form

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client/visible"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/input"
)

// textInput is text that is typed. The value is set only when the text changes: an untouched field sends the bytes that
// it was opened with.
type textInput struct {
	initial     string           // the text until the editor is there
	editor      input.TextEditor // made by edit: the fields that script commands are made from need none
	onChange    func(string)
	secret      bool
	multiline   bool
	suggestions func() []string // nil offers nothing
	warning     string
	// pairs of what stands for a private key in the editor and the key itself: keys are sent, but never drawn
	keys []string
}

// newTextInput returns an input for one line of text. A value that a line cannot hold is edited as a block.
func newTextInput(text string, onChange func(string)) *textInput {
	return &textInput{initial: text, onChange: onChange}
}

func (t *textInput) text() string {
	if t.editor == nil {
		return t.initial
	}
	text := t.editor.Text()
	for i := len(t.keys) - 2; i >= 0; i -= 2 { // a later mask may begin like an earlier one
		text = strings.Replace(text, t.keys[i], t.keys[i+1], 1)
	}
	return text
}

// hideKeys returns a text for the editor, in which masks stand for private keys. A key keeps its mask.
func (t *textInput) hideKeys(text string) string {
	before := t.keys
	t.keys = nil
	return visible.ReplaceKeys(text, func(begin, content, end string) string {
		key, mask := begin+content+end, begin+visible.KeyMask+end
		if i := slices.Index(before, key); i > 0 {
			mask = before[i-1]
		}
		for n := 2; strings.Contains(text, mask) || slices.Contains(t.keys, mask); n++ {
			mask = fmt.Sprintf("%s%s %d%s", begin, visible.KeyMask, n, end)
		}
		t.keys = append(t.keys, mask, key)
		return mask
	})
}

// edit returns the editor.
func (t *textInput) edit() input.TextEditor {
	if t.editor == nil {
		t.editor = t.newEditor(t.initial)
	}
	return t.editor
}

// newEditor returns an editor of the kind of the input. It holds masks instead of private keys.
func (t *textInput) newEditor(text string) input.TextEditor {
	if t.secret {
		return input.NewSecret(text)
	}
	text = t.hideKeys(text)
	if t.multiline {
		return input.NewLines(text)
	}
	return input.New(text)
}

func (t *textInput) problem() string {
	if strings.Contains(t.text(), visible.KeyMask) && !strings.Contains(t.initial, visible.KeyMask) {
		return "part of the masked private key was deleted: delete all of it, or close the form and start over"
	}
	return t.warning
}

// setText replaces the text, with the cursor at its end.
func (t *textInput) setText(text string) {
	t.editor = t.newEditor(text)
	t.changed()
}

// set sets the text to bytes that a script gave.
func (t *textInput) set(text string) string {
	t.initial, t.editor = text, nil
	t.onChange(text)
	return ""
}

// changed hides the private keys that were typed, and reports the new text.
func (t *textInput) changed() {
	t.warning = ""
	text := t.text()
	if !t.secret && visible.MayHoldKey(text) {
		if shown := t.hideKeys(text); shown != t.editor.Text() {
			t.editor = t.newEditor(text)
		}
	}
	t.onChange(text)
}

func (t *textInput) paste(text string) {
	cut := t.edit().Paste(text)
	t.changed()
	if cut {
		t.warning = fmt.Sprintf("cut at %d characters", input.MaxRunes)
	}
}

// takesTyping reports whether what is typed above belongs here: it must not be added to a text that is there already.
func (t *textInput) takesTyping(edited bool) bool { return edited || t.text() == "" }

func (t *textInput) press(k tea.KeyPressMsg) bool {
	if key := k.String(); (key == "up" || key == "down") && t.suggestions != nil && len(t.suggestions()) > 0 {
		t.nextSuggestion(key)
		return true
	}
	before := t.text()
	if !t.edit().Press(k) {
		return false
	}
	if t.text() != before {
		t.changed()
	}
	return true
}

// nextSuggestion replaces the text with the next suggestion, or with the previous one for up. A text that begins a
// suggestion is completed first.
func (t *textInput) nextSuggestion(key string) {
	values, typed := t.suggestions(), t.text()
	i := slices.Index(values, typed)
	if i < 0 && typed != "" {
		begins := func(value string) bool {
			return len(value) > len(typed) && strings.EqualFold(value[:len(typed)], typed)
		}
		if i = slices.IndexFunc(values, begins); i >= 0 {
			t.setText(values[i])
			return
		}
	}
	if key == "down" {
		i++
	} else if i--; i < 0 {
		i = len(values) - 1
	}
	t.setText(values[i%len(values)])
}

func (t *textInput) view(b ui.Box, focused bool) []string { return t.viewEmpty(b, focused, "") }

// viewEmpty draws the text, or says what goes there while there is none.
func (t *textInput) viewEmpty(b ui.Box, focused bool, placeholder string) []string {
	more := ""
	if t.suggestions != nil && len(t.suggestions()) > 0 {
		more = " " + b.Theme.Glyphs.Down + " "
		b.Width -= ui.Width(more)
	}
	lines := input.ViewField(t.edit(), b, focused, placeholder)
	if more != "" {
		tint := b.Theme.Tint(theme.Field)
		codes := tint.Codes(theme.Muted)
		lines[0] += tint.Around.Open + codes.Open + more + codes.Close + tint.Around.Close
	}
	for t.multiline && len(lines) < minTextLines {
		lines = append(lines, input.ViewField(input.NewLine(""), b, false, "")[0])
	}
	return lines
}

// minTextLines is the number of lines that a field for several lines of text takes at least.
const minTextLines = 3

func (t *textInput) hints() []KeyHint {
	_, block := t.edit().(*input.TextArea)
	switch {
	case t.suggestions != nil && len(t.suggestions()) > 0:
		return []KeyHint{{"up/down", "suggestions"}}
	case block && t.multiline:
		return []KeyHint{{"enter", "new line"}}
	}
	return nil
}

// describe says what kind of text it is, and returns the line that is being typed. It never tells a secret.
func (t *textInput) describe() (value, line string) {
	line, n, of := t.edit().CurrentLine()
	switch {
	case t.secret && t.text() != "":
		return "hidden, typed", ""
	case t.secret:
		return "hidden, empty", ""
	case t.multiline, of > 1:
		return fmt.Sprintf("line %d of %d", n, of), line
	case t.suggestions != nil && len(t.suggestions()) > 0:
		return "up and down go through " + wording.Plural(len(t.suggestions()), "suggestion", "suggestions"), line
	}
	return "", line
}
