package form

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/ui"
	"lookout/ui/uitest"
)

// newSampleForm returns a form with a text, a choice, a field that is not shown, and a word to type.
func newSampleForm(t *testing.T, change func(*Form)) *FormView {
	t.Helper()
	name, kind, hidden := "alpha", "url", ""
	f := Form{
		Text:        "What it is for.",
		BusyText:    "adding",
		SubmitLabel: "add",
		Fields: []Field{
			Text("name", "Name", &name).Note("unique in the account"),
			Text("hidden", "Hidden", &hidden).When(func() bool { return false }),
			Choice("kind", "Kind", &kind, "url", "tcp"),
		},
		RequiredText: "2",
		Send:         func(context.Context) (func() tea.Cmd, error) { return nil, errors.New("refused") },
	}
	if change != nil {
		change(&f)
	}
	return NewFormView(f, t.Context())
}

// drawn returns a form as it is drawn, without blanks at the ends of lines.
func drawn(t *testing.T, v *FormView, width, height int) string {
	t.Helper()
	lines := strings.Split(ansi.Strip(v.View(uitest.NewBox(t, width, height))), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// A form shows what it does, its fields, and the button with what is to be known about the field with the keyboard
// beside it. Only one of these is marked, and none while the form is being sent.
func TestFormView_View(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*FormView)
		want string
	}{
		"the first field": {func(*FormView) {}, `
What it is for.

▸ Name            alpha
  Kind            ‹url›  tcp
  Confirm
                  type 2 to continue

unique in the account              [ add ]`},
		"the second field": {func(v *FormView) { press(v, "<tab>") }, `
What it is for.

  Name            alpha
▸ Kind            ‹url›  tcp
  Confirm
                  type 2 to continue

                                   [ add ]`},
		"the word": {func(v *FormView) { press(v, "<tab><tab>") }, `
What it is for.

  Name            alpha
  Kind            ‹url›  tcp
▸ Confirm
                  type 2 to continue

                                   [ add ]`},
		"the button": {func(v *FormView) { press(v, "<tab><tab><tab>") }, `
What it is for.

  Name            alpha
  Kind            ‹url›  tcp
  Confirm
                  type 2 to continue

                                 ▸ [ add ]`},
		"sending": {func(v *FormView) { press(v, "<tab><tab>2<ctrl+s>") }, `
What it is for.

  Name            alpha
  Kind            ‹url›  tcp
  Confirm         2
                  type 2 to continue
adding… waiting for the
response                           [ add ]`},
		"refused": {func(v *FormView) { uitest.RunAll(press(v, "<tab><tab>2<ctrl+s>")) }, `
What it is for.

✗ refused

  Name            alpha
  Kind            ‹url›  tcp
▸ Confirm         2
                  type 2 to continue

                                   [ add ]`},
	} {
		v := newSampleForm(t, nil)
		c.do(v)
		want := strings.TrimPrefix(c.want, "\n")
		if got := drawn(t, v, 42, strings.Count(want, "\n")+1); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
}

// In a low window a form scrolls: the field with the keyboard is in sight, no line is empty, and the button is always
// the last line. The position says which field it is if not all are in sight. Height is the height in which all are,
// with an empty line above the button.
func TestFormView_View_scrolls(t *testing.T) {
	for _, word := range []string{"", "20"} {
		var values [20]string
		form := Form{SubmitLabel: "add", RequiredText: word}
		for i := range values {
			form.Fields = append(form.Fields, Text("f", fmt.Sprintf("Label %d.", i+1), &values[i]))
		}
		tall := NewFormView(form, t.Context()).Height(50)
		for _, height := range []int{4, tall - 2, tall - 1, tall} {
			v, all := NewFormView(form, t.Context()), height >= tall-1
			for at := 1; ; at++ {
				want, position := fmt.Sprintf("▸ Label %d.", at), fmt.Sprintf("field %d of 20", at)
				switch {
				case at == 21 && word != "":
					want = "▸ Confirm"
				case at > 20:
					want = "▸ [ add ]"
				}
				if all || at > 20 {
					position = ""
				}
				screen := drawn(t, v, 50, height)
				lines := strings.Split(screen, "\n")
				if !strings.Contains(screen, want) || strings.Count(screen, "▸") != 1 ||
					!strings.HasSuffix(lines[len(lines)-1], "[ add ]") ||
					slices.Contains(lines, "") != (height >= tall) ||
					all && !(strings.Contains(screen, "Label 1.") && strings.Contains(screen, "Label 20.")) {
					t.Errorf("%d lines, want %q:\n%s", height, want, screen)
				}
				if v.Position() != position {
					t.Errorf("%d lines, %s: position %q, want %q", height, want, v.Position(), position)
				}
				if press(v, "<tab>"); want == "▸ [ add ]" {
					break
				}
			}
		}
	}
}

// The hints name the keys that work in the field with the keyboard; enter only where it sends.
func TestFormView_Hints(t *testing.T) {
	name, notes, group := "", "", ""
	fields := []Field{
		Text("name", "Name", &name), Lines("notes", "Notes", &notes), Choice("kind", "Kind", &group, "", "url"),
		Combobox("group", "Group", &group, func() []string { return []string{"a"} }), File("file", "File", &name),
	}
	for i, want := range []string{
		"enter or ctrl+s add, tab next field, esc cancel",
		"ctrl+s add, enter new line, tab next field, esc cancel",
		"enter or ctrl+s add, left/right choose, tab next field, esc cancel",
		"enter or ctrl+s add, up/down suggestions, tab next field, esc cancel",
		"enter or ctrl+s add, right complete the path, tab next field, esc cancel",
	} {
		for _, submits := range []func() bool{AlwaysSubmit, nil} {
			v := NewFormView(Form{SubmitLabel: "add", Fields: fields[i : i+1], EnterSubmits: submits}, t.Context())
			if submits == nil {
				want = strings.Replace(want, "enter or ctrl+s", "ctrl+s", 1)
			}
			if got := hintText(v); got != want {
				t.Errorf("%s, enter sends: %t: %q, want %q", fields[i].Label, submits != nil, got, want)
			}
			press(v, "<tab>")
			if got := hintText(v); got != "enter or ctrl+s add, tab next field, esc cancel" {
				t.Errorf("the button: %q", got)
			}
		}
	}
}

// hintText returns the hints in one line.
func hintText(v *FormView) string {
	var hints []string
	for _, h := range v.Hints() {
		hints = append(hints, strings.TrimSpace(h.Key+" "+h.Word))
	}
	return strings.Join(hints, ", ")
}

// A screen reader says which field has the keyboard, where it stands among those shown, what is in it, and what is
// wrong with it or to be known about it.
func TestFormView_Announce(t *testing.T) {
	b := uitest.NewBox(t, 60, 10)
	empty, notes, password := "", "one\ntwo", "canary"
	v := newSampleForm(t, func(f *Form) {
		f.Fields = append(
			f.Fields, Text("group", "Group", &empty), Lines("notes", "Notes", &notes),
			Secret("password", "Password", &password),
		)
		f.Fields[0] = f.Fields[0].Check(func(text string) string {
			if text == "alpha" {
				return "is taken"
			}
			return ""
		})
		f.Review = func() string { return "Sends one request." }
	})
	press(v, "<ctrl+s>")
	for _, c := range []struct {
		item, input     string
		position, count int
	}{
		{"Name; wrong: is taken; unique in the account", "Name: alpha", 1, 5},
		{"Kind; url, 1 of 2, left and right change it", "", 2, 5},
		{"Group", "Group: ", 3, 5},
		{"Notes; line 2 of 2", "Notes: two", 4, 5},
		{"Password; hidden, typed", "", 5, 5},
		{"type 2 to continue", "word: ", 0, 5},
		{"button add: enter sends; Sends one request.", "", 0, 0},
	} {
		want := ui.ScreenReaderText{Item: c.item, Input: c.input, Position: c.position, Count: c.count}
		if got := v.Announce(b); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		press(v, "<tab>")
	}
	press(v, "x<esc>")
	if got := v.Announce(b).Item; got != "press escape again to discard what you typed, any other key keeps it" {
		t.Errorf("after escape: %q", got)
	}
}
