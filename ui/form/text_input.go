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
// it was opened with. A value that a line cannot hold is edited as a block.
type textInput struct {
	initial     string           // the text until the editor is there
	editor      input.TextEditor // made by edit: the fields that script commands are made from need none
	onChange    func(string)
	secret      bool
	multiline   bool
	suggestions func() []string // nil offers nothing
	width       int             // at most; 0 for the whole box
	warning     string
	// pairs of what stands for a private key in the editor and the key itself: keys are sent, but never drawn
	keys []string
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

// checks returns what is checked whatever the text is for.
func (t *textInput) checks() []Validator {
	return []Validator{func(text string) string {
		if strings.Contains(text, visible.KeyMask) && !strings.Contains(t.initial, visible.KeyMask) {
			return "part of the masked private key was deleted: delete all of it, or close the form and start over"
		}
		return t.warning
	}}
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

func (t *textInput) leave() {}

func (t *textInput) press(k tea.KeyPressMsg) (taken, edited bool) {
	if key := k.String(); (key == "up" || key == "down") && t.suggestions != nil && len(t.suggestions()) > 0 {
		t.nextSuggestion(key)
		return true, true
	}
	before := t.text()
	if !t.edit().Press(k) {
		return false, false
	}
	if t.text() != before {
		t.changed()
	}
	return true, true
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

func (t *textInput) view(b ui.Box, focused bool, empty string) []string {
	if t.width > 0 {
		b.Width = min(b.Width, t.width)
	}
	more := ""
	if t.suggestions != nil && len(t.suggestions()) > 0 {
		more = " " + b.Theme.Glyphs.Down + " "
		b.Width -= ui.Width(more)
	}
	lines := input.ViewField(t.edit(), b, focused, empty)
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

// state returns the state of the input. What is typed above must not be added to a text that is there already.
func (t *textInput) state() inputState {
	_, block := t.edit().(*input.TextArea)
	s := inputState{emptyText: "optional", takesEnter: block, takesTyping: t.text() == ""}
	switch {
	case t.suggestions != nil && len(t.suggestions()) > 0:
		s.hints = []KeyHint{{"up/down", "suggestions"}}
	case block && t.multiline:
		s.hints = []KeyHint{{"enter", "new line"}}
	}
	return s
}

// describe says what kind of text it is, and returns the line that is being typed. It never tells a secret.
func (t *textInput) describe(string) (value, line string) {
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
