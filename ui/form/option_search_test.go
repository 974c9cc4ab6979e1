package form

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/ui/uitest"
)

// What is typed on a choice goes to the text below it, unless a text stands there already: it never changes the choice
// on the way.
func TestFormView_typingOnAChoice(t *testing.T) {
	for name, c := range map[string]struct {
		text, keys   string
		choice, want string
	}{
		"into the empty text":      {"", "pg upgrade", "1 h", "pg upgrade"},
		"letters of other options": {"", "until I am back", "1 h", "until I am back"},
		"letters that once moved":  {"", "hl", "1 h", "hl"},
		"a space alone":            {"", "   ", "1 h", ""},
		"beside a text: no option": {"there", "pg upgrade", "1 h", "there"},
		"beside a text: an option": {"there", "15", "15 min", "there"},
		"an option and more":       {"there", "15 o'clock", "1 h", "there"},
		"the present option":       {"there", "1", "1 h", "there"},
	} {
		t.Run(name, func(t *testing.T) {
			choice, text := "1 h", c.text
			v := NewFormView(Form{Fields: []Field{
				Choice("for", "For", &choice, "15 min", "1 h", "4 h", "until I enable it"),
				Text("reason", "Reason", &text),
			}}, t.Context())
			if press(v, c.keys); choice != c.choice || text != c.want {
				t.Errorf("%q and %q, want %q and %q", choice, text, c.choice, c.want)
			}
		})
	}
}

// A paste goes where typing would. Text that was typed into the form may be continued after the choice was changed.
func TestFormView_typingAfterAChoice(t *testing.T) {
	choice, text := "1 h", ""
	v := NewFormView(Form{Fields: []Field{
		Choice("for", "For", &choice, "15 min", "1 h", "4 h"), Text("reason", "Reason", &text),
	}}, t.Context())
	v.Update(tea.PasteMsg{Content: "pg"})
	if press(v, "<up><right>!"); choice != "4 h" || text != "pg!" {
		t.Errorf("%q and %q", choice, text)
	}
}

// With no text below, typing finds the option of a switch or a choice. Esc ends the search and keeps the form.
func TestFormView_typingFindsAnOption(t *testing.T) {
	for keys, want := range map[string]string{
		"": "private/false", "pub": "public-read/false", "public-read-": "public-read-write/false",
		"nightly": "private/false", "<tab>y": "private/true", "<tab>yes<esc>": "private/true",
		"<tab>yn": "private/false",
	} {
		acl, cors := "private", false
		v := NewFormView(Form{Fields: []Field{
			Choice("acl", "ACL", &acl, "private", "public-read", "authenticated-read", "public-read-write"),
			Switch("cors", "CORS", &cors),
		}}, t.Context())
		press(v, keys)
		if got := fmt.Sprintf("%s/%t", acl, cors); got != want || v.Done() {
			t.Errorf("%q: %s, want %s; done: %t", keys, got, want, v.Done())
		}
	}
}

// Typing finds a row among many; only left and right change its value. The form keeps its size meanwhile.
func TestGrid_search(t *testing.T) {
	var rows []string
	for n := range 200 {
		rows = append(rows, fmt.Sprintf("bucket-%03d  us-east-1", n))
	}
	rows[150] = "Hello-jkl  eu-central-1"
	values := make([]string, len(rows))
	for i := range values {
		values[i] = "none"
	}
	limited := true
	fields := []Field{
		Switch("limited", "Limited", &limited),
		Grid("buckets", "Buckets", rows, values, "none", "read", "write"),
	}
	v := NewFormView(Form{Fields: fields}, t.Context())
	screen := func() string { return ansi.Strip(v.View(uitest.NewBox(t, 74, 24))) }
	height := v.Height(74)
	changed := func() string {
		var at []string
		for i, value := range values {
			if value != "none" {
				at = append(at, fmt.Sprint(i, value))
			}
		}
		return strings.Join(at, " ")
	}
	if !strings.Contains(screen(), "type to search") {
		t.Errorf("the search is not named:\n%s", screen())
	}
	press(v, "zebra l h") // on the switch above
	if changed() != "" || !limited {
		t.Fatalf("typing changes %q, limited: %t", changed(), limited)
	}
	if shown := screen(); strings.Contains(shown, "bucket-") || !strings.Contains(shown, "none of 200") {
		t.Errorf("a word that no row has:\n%s", shown)
	}
	press(v, "<right>")
	if changed() != "" {
		t.Errorf("a row that is not shown was changed: %s", changed())
	}
	press(v, "<ctrl+u>eu hello")
	if shown := screen(); !strings.Contains(shown, "Hello-jkl") || !strings.Contains(shown, "1 of 200") {
		t.Errorf("not found:\n%s", shown)
	}
	if v.Height(74) != height {
		t.Errorf("%d lines high during a search, %d before", v.Height(74), height)
	}
	if press(v, "<right>"); changed() != "150read" {
		t.Errorf("right changes %q", changed())
	}
	if press(v, "<esc>"); v.Done() || !strings.Contains(screen(), "Hello-jkl") {
		t.Errorf("after esc, done: %t:\n%s", v.Done(), screen())
	}
	if press(v, "<right><down><right>"); changed() != "150write 151read" {
		t.Errorf("after the search: %q", changed())
	}
	v.Update(tea.PasteMsg{Content: "bucket-007\n"})
	if press(v, "<left>"); changed() != "7write 150write 151read" {
		t.Errorf("after a paste: %q", changed())
	}
}

// Typing finds an option of many; only space picks it.
func TestMultiChoice_search(t *testing.T) {
	picked := []int{}
	options := func() []MultiChoiceOption {
		return []MultiChoiceOption{{1, "hl one"}, {2, "two"}, {3, "three l"}, {4, "four"}}
	}
	v := NewFormView(Form{Fields: []Field{MultiChoice("m", "M", &picked, options)}}, t.Context())
	press(v, "thr")
	if shown := ansi.Strip(v.View(uitest.NewBox(t, 74, 20))); strings.Contains(shown, "two") ||
		!strings.Contains(shown, "[ ] three l") || !strings.Contains(shown, "1 of 4") {
		t.Errorf("typed thr:\n%s", shown)
	}
	if press(v, " "); !slices.Equal(picked, []int{3}) {
		t.Errorf("picked %v", picked)
	}
	if press(v, "<esc><right> "); !slices.Equal(picked, []int{3, 4}) {
		t.Errorf("picked %v after the search", picked)
	}
	if press(v, "x "); !slices.Equal(picked, []int{3, 4}) {
		t.Errorf("picked %v although nothing is found", picked)
	}
}
