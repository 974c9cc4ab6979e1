package form

import (
	"fmt"
	"net/mail"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"lookout/ui"
	"lookout/ui/input"
)

// A Check says what is wrong with a text; "" is nothing.
type Check func(string) string

// Length bounds a text in characters.
func Length(low, high int) Check {
	return func(s string) string {
		switch n := utf8.RuneCountInString(s); {
		case n < low && n == 0:
			return fmt.Sprintf("needed: %d to %d characters", low, high)
		case n < low || n > high:
			return fmt.Sprintf("%d to %d characters are needed; these are %d", low, high, n)
		}
		return ""
	}
}

// Required refuses an empty text.
func Required() Check {
	return func(s string) string {
		if s == "" {
			return "needed"
		}
		return ""
	}
}

// Optional lets an empty text pass.
func Optional(check Check) Check {
	return func(s string) string {
		if s == "" {
			return ""
		}
		return check(s)
	}
}

// Email checks the form of a mail address.
func Email() Check {
	return func(s string) string {
		if a, err := mail.ParseAddress(s); err != nil || a.Address != s {
			return "a mail address is needed, as name@example.com"
		}
		return ""
	}
}

// A Field is one value of a form. Its name is the API's, so that a refusal's reasons land beneath it.
type Field struct {
	Name, Label string
	note        func() string
	when        func() bool
	checks      []Check
	input       fieldInput
}

// Note is a line of explanation beneath the field while it has the keyboard.
func (f Field) Note(text string) Field { return f.NoteFunc(func() string { return text }) }

// NoteFunc is a Note that depends on what has been chosen so far.
func (f Field) NoteFunc(text func() string) Field { f.note = text; return f }

// noteText is the field's note; empty without any.
func (f Field) noteText() string {
	if f.note == nil {
		return ""
	}
	return f.note()
}

// When shows the field only while a condition holds.
func (f Field) When(shown func() bool) Field { f.when = shown; return f }

// Check adds checks.
func (f Field) Check(checks ...Check) Field { f.checks = append(f.checks, checks...); return f }

func (f Field) shown() bool { return f.when == nil || f.when() }

// problem is what is wrong with the field's value.
func (f Field) problem() string {
	text := f.input.text()
	if w, ok := f.input.(interface{ problem() string }); ok {
		if reason := w.problem(); reason != "" {
			return reason
		}
	}
	for _, check := range f.checks {
		if reason := check(text); reason != "" {
			return reason
		}
	}
	return ""
}

// fieldInput is one kind of input: it takes keys and draws its value.
type fieldInput interface {
	text() string                         // for checks
	press(tea.KeyPressMsg) bool           // whether the key was taken
	paste(string)                         //
	view(b ui.Box, focused bool) []string // at most b.Width cells wide
}

// Text is a line of text.
func Text[S ~string](name, label string, v *S, checks ...Check) Field {
	return Field{
		Name:   name,
		Label:  label,
		checks: checks,
		input:  newTextInput(string(*v), func(s string) { *v = S(s) }),
	}
}

// Secret is a text that is never drawn: a few dots stand for any length.
func Secret(name, label string, v *string, checks ...Check) Field {
	return Field{
		Name:   name,
		Label:  label,
		checks: checks,
		input: &textInput{
			editor:   input.NewSecret(*v),
			onChange: func(s string) { *v = s },
			secret:   true,
		},
	}
}

// Lines is a text of several lines: notes, certificates.
func Lines(name, label string, v *string, checks ...Check) Field {
	return Field{
		Name:   name,
		Label:  label,
		checks: checks,
		input: &textInput{
			editor:    input.NewLines(*v),
			onChange:  func(s string) { *v = s },
			multiline: true,
		},
	}
}

// Combobox is a line of text with values on offer: up and down go through those that match.
func Combobox(name, label string, v *string, offers func() []string, checks ...Check) Field {
	t := newTextInput(*v, func(s string) { *v = s })
	t.suggestions = offers
	return Field{
		Name:   name,
		Label:  label,
		checks: checks,
		input:  t,
	}
}

// Number is a whole number within bounds. What is outside is told, never bent.
func Number(name, label string, v *int, low, high int) Field {
	return number(name, label, v, low, high, false)
}

// OptionalNumber is a Number that may be left empty, which is 0.
func OptionalNumber(name, label string, v *int, low, high int) Field {
	return number(name, label, v, low, high, true)
}

func number(name, label string, v *int, low, high int, optional bool) Field {
	start := strconv.Itoa(*v)
	if optional && *v == 0 {
		start = ""
	}
	t := newTextInput(start, func(s string) {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			n = 0
		}
		*v = n
	})
	check := func(s string) string {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if optional && s == "" {
			return ""
		}
		if err != nil || n < low || n > high {
			return fmt.Sprintf("a number from %d to %d is needed", low, high)
		}
		return ""
	}
	return Field{
		Name:   name,
		Label:  label,
		checks: []Check{check},
		input:  t,
	}
}
