package form

import (
	"cmp"
	"fmt"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"lookout/ui"
)

// Validator returns what is wrong with a text, or "".
type Validator func(string) string

// Length checks the number of characters.
func Length(low, high int) Validator {
	return func(s string) string {
		switch n := utf8.RuneCountInString(s); {
		case n < low && n == 0:
			return fmt.Sprintf("required, %d to %d characters", low, high)
		case n < low || n > high:
			return fmt.Sprintf("use %d to %d characters, not %d", low, high, n)
		}
		return ""
	}
}

// Required rejects an empty text.
func Required() Validator {
	return func(s string) string {
		if s == "" {
			return "required"
		}
		return ""
	}
}

// Optional accepts an empty text, and checks any other.
func Optional(check Validator) Validator {
	return func(s string) string {
		if s == "" {
			return ""
		}
		return check(s)
	}
}

// Email checks the form of an e-mail address.
func Email() Validator {
	return func(s string) string {
		if a, err := mail.ParseAddress(s); err != nil || a.Address != s {
			return "enter an e-mail address like name@example.com"
		}
		return ""
	}
}

// Field is one value of a form. Its name is the API's, so that reasons for a refusal appear below it.
type Field struct {
	Name, Label string
	sentAs      []string                           // other names of the API for what is entered
	script      *ScriptInput                       // nil: scripts cannot set it
	kind        Kind                               // "" is KindText
	options     []string                           // the values that it accepts; nil if there are too many to name
	parse       func(text string) (problem string) // takes the text of a script instead of the input
	secret      bool                               // the value is never drawn
	note        func() string
	whyEmpty    func() string
	when        func() bool
	checks      []Validator
	input       fieldInput
}

// SentAs says under which other names the value may be sent: what the API says about them is shown at the field too.
func (f Field) SentAs(names ...string) Field { f.sentAs = names; return f }

// ScriptInput says how a script gives the value of a field. The zero ScriptInput is a field that scripts cannot set.
type ScriptInput struct {
	Flag     string // "phone" for --phone
	Argument string // the name of the argument in the usage line, instead of a flag: "LABEL"
	Usage    string // what the help says about the flag
	Default  string // where it differs from what the form begins with
	Except   string // an option of the field that scripts do not have: "as it is"
	Bool     bool   // the flag needs no value
	Only     bool   // people do not see the field: another action asks them
	// Names says what the shell offers: Files, the rows of a resource ("clusters"), or a column of it
	// ("contacts.group"). Values are offered without reading anything.
	Names  string
	Values []string
	Set    func(text string) string // takes the value instead of the field, and returns what is wrong with it
	// CheckedLater leaves the checks to what is made of the value: a file that cannot be read is no mistake in the
	// command line.
	CheckedLater bool
}

// Scripted lets scripts set the field in another way than people do.
func (f Field) Scripted(v ScriptInput) Field { f.script = &v; return f }

// Script returns how a script gives the value of the field.
func (f Field) Script() ScriptInput {
	if f.script == nil {
		return ScriptInput{}
	}
	return *f.script
}

// Files are the names that the shell offers for a ScriptInput that takes a file.
const Files = "files"

// Names says what the shell offers for the value that a script gives, as ScriptInput.Names does.
func (f Field) Names(of string) Field {
	v := f.Script()
	v.Names = of
	return f.Scripted(v)
}

// Flag lets scripts set the field with a flag. The names of flags are a promise to scripts and never change.
func (f Field) Flag(name, usage string) Field {
	return f.Scripted(ScriptInput{Flag: name, Usage: usage})
}

// Argument lets scripts set the field with an argument of the command line.
func (f Field) Argument(name string) Field {
	return f.Scripted(ScriptInput{Argument: name})
}

// Text returns the value as text.
func (f Field) Text() string { return f.input.text() }

// Set sets the value from the text of a script, and returns why it is none of the field's values, or "". The field's
// checks are left to Problems.
func (f Field) Set(text string) string {
	if f.Script().Set != nil {
		return f.Script().Set(text)
	}
	if f.Script().Except != "" && text == f.Script().Except {
		return "use " + joinWithOr(f.Options())
	}
	set := f.input.set
	if f.parse != nil {
		set = f.parse
	}
	problem := set(text)
	if problem != "" && f.Options() != nil {
		return "use " + joinWithOr(f.Options())
	}
	return problem
}

// Options returns the values that the field accepts; nil if there are too many to name.
func (f Field) Options() []string {
	if f.Script().Set != nil || f.options == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.options), func(name string) bool { return name == f.Script().Except })
}

// A Kind says what values a field has: what pflag calls them in the help.
type Kind string

// The kinds.
const (
	KindText   Kind = "string"
	KindNumber Kind = "int"
	KindBool   Kind = "bool"
	KindList   Kind = "intSlice"
)

// Kind returns what values a script can give.
func (f Field) Kind() Kind {
	if f.Script().Bool {
		return KindBool
	}
	return cmp.Or(f.kind, KindText)
}

// Secret reports whether the value is never drawn. Scripts read it from a file or standard input: its flag is a path.
func (f Field) Secret() bool { return f.secret }

// Note adds a line of explanation below the field while it has the keyboard.
func (f Field) Note(text string) Field { return f.NoteFunc(func() string { return text }) }

// NoteFunc adds a note that depends on what has been chosen so far.
func (f Field) NoteFunc(text func() string) Field { f.note = text; return f }

// NoteText returns the field's note, or "".
func (f Field) NoteText() string {
	if f.note == nil {
		return ""
	}
	return f.note()
}

// WhyEmpty sets what a choice shows if it has no options: that they have not been read.
func (f Field) WhyEmpty(why func() string) Field { f.whyEmpty = why; return f }

// When makes the field apply, and so be shown and sent, only while a condition holds.
func (f Field) When(applies func() bool) Field { f.when = applies; return f }

// Check adds checks.
func (f Field) Check(checks ...Validator) Field { f.checks = append(f.checks, checks...); return f }

// Applies reports whether the value is sent, which can depend on the values of other fields.
func (f Field) Applies() bool { return f.when == nil || f.when() }

// shown reports whether the field is shown.
func (f Field) shown() bool { return f.Applies() && !f.Script().Only }

// emptyText returns what is shown in place of a value that is empty.
func (f Field) emptyText() string {
	if f.whyEmpty != nil {
		if text := f.whyEmpty(); text != "" {
			return text
		}
	}
	return f.input.state().emptyText
}

// view draws the value. An empty text that is accepted says so.
func (f Field) view(b ui.Box, focused bool) []string {
	empty := f.emptyText()
	if f.input.text() == "" && f.problem() != "" {
		empty = ""
	}
	return f.input.view(b, focused, empty)
}

// problem returns what is wrong with the field's value, or "".
func (f Field) problem() string {
	text := f.input.text()
	for _, check := range f.checks {
		if reason := check(text); reason != "" {
			return reason
		}
	}
	return ""
}

// A FieldProblem says what is wrong with the value of a field.
type FieldProblem struct {
	Field string // its name
	Text  string
}

// Problems checks the values of all fields that would be shown, without a screen.
func Problems(fields []Field) []FieldProblem {
	var found []FieldProblem
	for _, f := range fields {
		if !f.shown() {
			continue
		}
		if text := f.problem(); text != "" {
			found = append(found, FieldProblem{f.Name, text})
		}
	}
	return found
}

// fieldInput is one kind of input: it takes keys and draws its value.
type fieldInput interface {
	text() string                                       // for checks
	set(text string) (problem string)                   // takes the text of a script
	press(tea.KeyPressMsg) (taken, edited bool)         // the form has the keys that are not taken
	paste(string)                                       // ignored by inputs that hold no text
	leave()                                             // ends a search
	view(b ui.Box, focused bool, empty string) []string // at most b.Width cells wide
	describe(empty string) (value, line string)         // for a screen reader, with the line that is being typed
	state() inputState
}

// inputState is what a form has to know of an input.
type inputState struct {
	hints        []KeyHint
	emptyText    string // what is shown in place of an empty value
	query        string // what is typed into its search
	width        int    // the least in which it stands beside its label
	takesEnter   bool   // enter begins a line
	passesTyping bool   // typing goes on to the field below, if that takes it
	takesTyping  bool   // it takes what is typed above it, whether it was edited or not
}

// typed returns a field for text that is typed.
func typed(name, label string, t textInput, checks ...Validator) Field {
	return Field{Name: name, Label: label, checks: append(t.checks(), checks...), secret: t.secret, input: &t}
}

// Text returns a field for one line of text.
func Text[S ~string](name, label string, v *S, checks ...Validator) Field {
	return typed(name, label, textInput{initial: string(*v), onChange: func(s string) { *v = S(s) }}, checks...)
}

// Secret returns a field for text that is never drawn: the same dots stand for any text.
func Secret(name, label string, v *string, checks ...Validator) Field {
	return typed(name, label, textInput{initial: *v, onChange: func(s string) { *v = s }, secret: true}, checks...)
}

// Lines returns a field for several lines of text: notes, certificates.
func Lines(name, label string, v *string, checks ...Validator) Field {
	return typed(name, label, textInput{initial: *v, onChange: func(s string) { *v = s }, multiline: true}, checks...)
}

// Combobox returns a field for one line of text with suggestions, which up and down go through.
func Combobox(name, label string, v *string, offers func() []string, checks ...Validator) Field {
	t := textInput{initial: *v, onChange: func(s string) { *v = s }, suggestions: offers}
	return typed(name, label, t, checks...)
}

// Number returns a field for a whole number within bounds. A number outside is reported, never changed.
func Number(name, label string, v *int, low, high int) Field {
	return number(name, label, v, bounds{low: low, high: high})
}

// OptionalNumber returns a Number that may be left empty, which means 0.
func OptionalNumber(name, label string, v *int, low, high int) Field {
	return number(name, label, v, bounds{low: low, high: high, optional: true})
}

// bounds are the numbers that a field accepts.
type bounds struct {
	low, high int
	optional  bool // may be left empty
}

func (b bounds) check(text string) string {
	if b.optional && text == "" {
		return ""
	}
	if n, err := strconv.Atoi(strings.TrimSpace(text)); err != nil || n < b.low || n > b.high {
		return fmt.Sprintf("enter a number from %d to %d", b.low, b.high)
	}
	return ""
}

func number(name, label string, v *int, accepted bounds) Field {
	t := textInput{initial: strconv.Itoa(*v), width: numberWidth}
	if accepted.optional && *v == 0 {
		t.initial = ""
	}
	t.onChange = func(text string) {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			n = 0
		}
		*v = n
	}
	f := typed(name, label, t, accepted.check)
	f.kind = KindNumber
	f.parse = func(text string) string {
		if accepted.optional && text == "0" {
			text = ""
		}
		return f.input.set(text)
	}
	return f
}

// numberWidth is the width of a field for a number.
const numberWidth = 12
