package form

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/uitest"
)

// Two quick presses ask twice on an account that asks before it sends. The second answer sends nothing.
func TestFormView_Update_asksTwiceButSendsOnce(t *testing.T) {
	sent := 0
	var answers []func() tea.Cmd
	v := NewFormView(Form{
		Send: func(context.Context) (func() tea.Cmd, error) {
			sent++
			return func() tea.Cmd { return nil }, nil
		},
		BeforeSend: func(send func() tea.Cmd) tea.Cmd {
			answers = append(answers, send)
			return nil
		},
	}, t.Context())
	for range 2 {
		uitest.RunAll(press(v, "<ctrl+s>"))
	}
	for _, answer := range answers {
		uitest.RunAll(answer())
	}
	if len(answers) != 2 || sent != 1 {
		t.Errorf("asked %d times and sent %d times, want 2 and 1", len(answers), sent)
	}
}

// While a form compares, a screen reader hears once what it does; the figures change all the time and are only shown.
func TestFormView_Announce_progress(t *testing.T) {
	read := 0
	v := NewFormView(Form{
		BusyText: "comparing",
		Progress: func() string {
			read++
			return fmt.Sprintf("comparing: %d objects", read)
		},
		Send: func(context.Context) (func() tea.Cmd, error) { return nil, nil },
	}, t.Context())
	press(v, "<ctrl+s>")
	b := uitest.NewBox(t, 70, 20)
	first := v.Announce(b).Item
	if first != "comparing, press escape to stop" || v.Announce(b).Item != first {
		t.Errorf("announced %q, then %q", first, v.Announce(b).Item)
	}
	if screen := ansi.Strip(v.View(b)); !strings.Contains(screen, "objects · esc stops") {
		t.Errorf("the screen does not show the progress:\n%s", screen)
	}
}

// A rejected form stays open with everything typed, and shows the reasons below their fields and the others at the top.
func TestFormView_rejectionKeepsValues(t *testing.T) {
	var label, region, password string
	sent := 0
	form := Form{
		Title:       "New",
		BusyText:    "adding",
		SubmitLabel: "add",
		Fields: []Field{
			Text("label", "Label", &label, Length(3, 10)),
			Text("region", "Region", &region),
			Secret("password", "Password", &password),
		},
		Send: func(context.Context) (func() tea.Cmd, error) {
			sent++
			return nil, rejectionError{"region": "is required", "other": "is odd"}
		},
	}
	v := NewFormView(form, t.Context())
	b := uitest.NewBox(t, 70, 20)
	uitest.RunAll(press(v, "ab<ctrl+s>"))
	if sent != 0 || !strings.Contains(ansi.Strip(v.View(b)), "3 to 10 characters") {
		t.Fatalf("sent %d times:\n%s", sent, v.View(b))
	}
	first := press(v, "cd<tab><tab>canary<ctrl+s>")
	if press(v, "<ctrl+s>") != nil {
		t.Error("a form that is being sent is sent again")
	}
	uitest.RunAll(first)
	screen := ansi.Strip(v.View(b))
	if v.Done() || sent != 1 || label != "abcd" || !strings.Contains(screen, "abcd") ||
		!strings.Contains(screen, "is required") ||
		!strings.Contains(screen, "other: is odd") {
		t.Errorf("done %v, sent %d, label %q:\n%s", v.Done(), sent, label, screen)
	}
	if strings.Contains(screen, "canary") || password != "canary" {
		t.Error("the password is shown or lost")
	}
	if v.focus != 1 {
		t.Errorf("the keyboard is at field %d, not at the refused one", v.focus)
	}
	press(v, "<esc>")
	if v.Done() {
		t.Error("one esc discards the typed text")
	}
}

// If several fields are refused, the first of them gets the keyboard.
func TestFormView_focusAfterRejection(t *testing.T) {
	refused := rejectionError{"label": "is taken", "region": "is required", "note": "is long"}
	for range 20 { // the reasons have no order
		var texts [4]string
		v := NewFormView(Form{
			Fields: []Field{
				Text("name", "Name", &texts[0]),
				Text("label", "Label", &texts[1]),
				Text("region", "Region", &texts[2]),
				Text("note", "Note", &texts[3]),
			},
			Send: func(context.Context) (func() tea.Cmd, error) { return nil, refused },
		}, t.Context())
		uitest.RunAll(press(v, "<tab><tab><tab><ctrl+s>"))
		if v.focus != 1 {
			t.Fatalf("the keyboard is at field %d, not at the first one that was refused", v.focus)
		}
	}
}

// press presses keys, and returns the command of the last.
func press(v *FormView, keys ...string) (cmd tea.Cmd) {
	for _, k := range uitest.Keys(keys...) {
		cmd = v.Update(k)
	}
	return cmd
}

// A field that is not edited keeps the bytes that it was opened with, whatever they are; one that is edited keeps the
// others.
func TestText_keepsBytes(t *testing.T) {
	for _, value := range []string{"plain", "a\tb", "dos\r\nline", "\xff\xfe", "\u0085"} {
		untouched, edited := value, value
		v := NewFormView(Form{Fields: []Field{Text("a", "A", &untouched), Text("b", "B", &edited)}}, t.Context())
		if press(v, "<left><end><tab>!"); untouched != value || edited != value+"!" {
			t.Errorf("%q became %q and %q", value, untouched, edited)
		}
	}
}

// While text is typed no key but those of the form is a command, and a paste is one event.
func TestFormView_Update_text(t *testing.T) {
	var name, notes string
	v := NewFormView(Form{Fields: []Field{Text("name", "Name", &name), Lines("notes", "Notes", &notes)}}, t.Context())
	press(v, "jkqg ?")
	v.Update(tea.PasteMsg{Content: "one\ntwo\n"})
	if cmd := press(v, "<ctrl+v>"); cmd != nil || name != "jkqg ?one two" {
		t.Errorf("name %q, command %v", name, cmd != nil)
	}
	press(v, "<enter>")
	v.Update(tea.PasteMsg{Content: "one\r\ntwo"})
	if press(v, "<enter>"); notes != "one\ntwo\n" {
		t.Errorf("notes %q", notes)
	}
}

func TestCombobox(t *testing.T) {
	value := "b"
	offers := func() []string { return []string{"a", "b", "c\tc"} }
	v := NewFormView(Form{Fields: []Field{Combobox("x", "X", &value, offers)}}, t.Context())
	for _, want := range []string{"c\tc", "a", "b"} {
		if press(v, "<down>"); value != want {
			t.Errorf("got %q, want %q", value, want)
		}
	}
	if press(v, "<up>"); value != "a" {
		t.Errorf("up shows %q", value)
	}

	group := "NET"
	groups := func() []string { return []string{"billing", "network", "ops"} }
	v = NewFormView(Form{Fields: []Field{Combobox("x", "X", &group, groups)}}, t.Context())
	for _, want := range []string{"network", "ops", "billing"} {
		if press(v, "<down>"); group != want {
			t.Errorf("got %q after NET, want %q", group, want)
		}
	}
}

// A value that is not one of a field's options, because a newer server sent it, is shown as it is, in one line and with
// hidden characters made visible: on a screen of any width, and for screen readers.
func TestChoice_valueOfTheServer(t *testing.T) {
	for _, width := range []int{12, 40, 80} {
		value := "icmp\u00a0v6\x1b[2J\n\u3164"
		f := Choice("type", "Type", &value, "url", "tcp")
		b := uitest.NewBox(t, width, 1)
		view := ansi.Strip(strings.Join(f.input.view(b, true, ""), "\n"))
		said, _ := f.input.describe("")
		for name, text := range map[string]string{"view": view, "description": said} {
			if !strings.Contains(text, "icmp") || strings.ContainsAny(text, "\u00a0\u3164\x1b\n") ||
				name == "view" && ui.Width(text) > width {
				t.Errorf("%s at %d columns: %q", name, width, text)
			}
		}
	}
}

// A field for a number has a problem unless it accepts what was typed, and holds 0 instead of what is no number.
func TestNumber(t *testing.T) {
	for text, want := range map[string]struct {
		n       int
		problem bool
	}{
		"":                     {0, false},
		"7":                    {7, false},
		" 7 ":                  {7, false},
		"1":                    {1, false},
		"10":                   {10, false},
		"11":                   {11, true},
		"99":                   {99, true},
		"-1":                   {-1, true},
		"x":                    {0, true},
		"99999999999999999999": {0, true},
	} {
		n := 0
		f := OptionalNumber("n", "N", &n, 1, 10)
		v := NewFormView(Form{Fields: []Field{f}}, t.Context())
		press(v, text)
		if problem := f.problem(); n != want.n || (problem != "") != want.problem {
			t.Errorf("%q: %d, problem %q", text, n, problem)
		}
	}
}

// An absolute path typed after the proposed folder replaces it, and right completes it.
func TestFile(t *testing.T) {
	folder := t.TempDir() + string(filepath.Separator)
	if err := os.WriteFile(folder+"certificate.pem", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := "/proposed/"
	v := NewFormView(Form{Fields: []Field{File("file", "File", &path)}}, t.Context())
	if press(v, folder+"cert", "<right>"); path != folder+"certificate.pem" {
		t.Errorf("got %q", path)
	}
}

type rejectionError map[string]string

func (rejectionError) Error() string { return "create: refused" }

func (r rejectionError) Fields() map[string]string { return r }

// The keys that scroll the rows are named only if some rows are not shown.
func TestFormView_Hints_namesScrollingWhereRowsAreHidden(t *testing.T) {
	for rows, want := range map[int]bool{2: false, 10: false, 18: false, 19: true} {
		form := Form{SubmitLabel: "disable"}
		for n := range rows {
			form.Items = append(form.Items, fmt.Sprintf("service-%d (id %d)", n, n))
		}
		v := NewFormView(form, t.Context())
		shown := ansi.Strip(v.View(uitest.NewBox(t, 74, 20)))
		if got := slices.Contains(v.Hints(), KeyHint{"pgup/pgdn", "other rows"}); got != want {
			t.Errorf("%d rows: %v\n%s", rows, got, shown)
		}
	}
}

// A form lists all of its rows: those that do not fit can be scrolled to, and it says so.
func TestFormView_itemsScroll(t *testing.T) {
	form := Form{SubmitLabel: "disable"}
	for n := range 100 {
		form.Items = append(form.Items, fmt.Sprintf("service-%d (id %d)", n, n))
	}
	v, b, seen := NewFormView(form, t.Context()), uitest.NewBox(t, 74, 20), ""
	for range 10 {
		seen += ansi.Strip(v.View(b))
		press(v, "<pgdown>")
	}
	for _, want := range append(form.Items, "1 to 18 of 100", "to 100 of 100") {
		if !strings.Contains(seen, want) {
			t.Errorf("never shown: %q", want)
		}
	}
	for range 10 {
		press(v, "<pgup>")
	}
	if first := ansi.Strip(v.View(b)); !strings.Contains(first, form.Items[0]) {
		t.Errorf("not back at the first rows:\n%s", first)
	}
}

// Drawing a form takes no longer for a large batch, and a screen reader does not read out all of its rows.
func TestFormView_largeBatch(t *testing.T) {
	view := func(rows int) (*FormView, time.Duration) {
		form := Form{SubmitLabel: "disable"}
		for n := range rows {
			form.Items = append(form.Items, fmt.Sprintf("service-%d (id %d)", n, n))
		}
		v, b, least := NewFormView(form, t.Context()), uitest.NewBox(t, 74, 20), time.Hour
		for range 20 {
			begun := time.Now()
			v.View(b)
			least = min(least, time.Since(begun))
		}
		return v, least
	}
	_, few := view(100)
	v, many := view(200_000)
	if many > 10*few {
		t.Errorf("a form with 100 rows is drawn in %v, one with 200,000 in %v", few, many)
	}
	if intro := v.Intro(); len(intro) != 102 || intro[101] != "and 199,900 more" {
		t.Errorf("%d lines are read out; the last: %q", len(intro), intro[len(intro)-1])
	}
}

// A text field shows where it begins and ends, in every theme and on every terminal: its style covers its whole width.
func TestFormView_fieldsHaveAnExtent(t *testing.T) {
	name, notes, size := "alpha", "", 10
	fields := []Field{
		Text("name", "Name", &name), Number("size", "Size", &size, 1, 99), Lines("notes", "Notes", &notes),
		Combobox("group", "Group", &name, func() []string { return []string{"a", "b"} }),
	}
	for _, colors := range []colorprofile.Profile{
		colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI, colorprofile.ASCII,
	} {
		for _, themeName := range theme.Names() {
			look, err := theme.New(themeName, colors, colors == colorprofile.ASCII)
			if err != nil {
				t.Fatal(err)
			}
			b := ui.Box{Width: 60, Height: 20, Theme: look}
			for _, f := range fields {
				for _, focused := range []bool{false, true} {
					for n, line := range f.view(b, focused) {
						checkExtent(t, line, f.Name, themeName, n)
					}
				}
			}
		}
	}
}

// A field shows its value, or that it may stay empty. A number takes twelve cells, other texts the whole width.
func TestField_view(t *testing.T) {
	text, empty, notes, number, none := "alpha", "", "one\ntwo", 10, 0
	for name, c := range map[string]struct {
		field Field
		width int
		want  string
	}{
		"text":                 {Text("f", "F", &text), 40, "alpha"},
		"text, may be empty":   {Text("f", "F", &empty), 40, "optional"},
		"text, is required":    {Text("f", "F", &empty, Required()), 40, ""},
		"secret":               {Secret("f", "F", &text), 40, "••••••••"},
		"secret, may be empty": {Secret("f", "F", &empty), 40, "optional"},
		"lines":                {Lines("f", "F", &notes), 40, "one two"},
		"lines, may be empty":  {Lines("f", "F", &empty), 40, "optional"},
		"number":               {Number("f", "F", &number, 1, 99), 12, "10"},
		"number, may be empty": {OptionalNumber("f", "F", &none, 1, 99), 12, "optional"},
		"file":                 {File("f", "F", &text), 40, "alpha"},
	} {
		for _, focused := range []bool{false, true} {
			lines := c.field.view(uitest.NewBox(t, 40, 10), focused)
			shown := strings.Join(strings.Fields(ansi.Strip(strings.Join(lines, " "))), " ")
			if shown != c.want || ansi.StringWidth(lines[0]) != c.width {
				t.Errorf("%s, focused: %t: %q, %d cells wide, want %q and %d",
					name, focused, shown, ansi.StringWidth(lines[0]), c.want, c.width)
			}
		}
	}
}

// checkExtent fails if a cell of a line has no background and no underline.
func checkExtent(t *testing.T, line, field, themeName string, n int) {
	t.Helper()
	screen := uv.NewScreenBuffer(60, 1)
	uv.NewStyledString(line).Draw(screen, screen.Bounds())
	width := ansi.StringWidth(line)
	if width < 4 {
		t.Errorf("%s, %s: line %d is %d cells wide", themeName, field, n, width)
	}
	for x := range width {
		style := screen.CellAt(x, 0).Style
		if style.Bg == nil && style.Underline == uv.UnderlineNone && style.Attrs&uv.AttrReverse == 0 {
			t.Errorf("%s, %s: cell %d of line %d does not show the field: %q", themeName, field, x, n, line)
			return
		}
	}
}

// The word that a form asks for must be typed exactly: its case and its end count.
func TestFormView_requiredText(t *testing.T) {
	for typed, want := range map[string]int{
		"Acme-www-1": 1, "acme-www-1": 0, "Acme-www": 0, "Acme-www-2": 0, "Acme-www-12": 0, "": 0, " Acme-www-1": 0,
	} {
		sent := 0
		v := NewFormView(Form{
			RequiredText: "Acme-www-1",
			Send: func(context.Context) (func() tea.Cmd, error) {
				sent++
				return func() tea.Cmd { return nil }, nil
			},
		}, t.Context())
		uitest.RunAll(press(v, typed, "<ctrl+s>"))
		screen := ansi.Strip(v.View(uitest.NewBox(t, 70, 20)))
		if sent != want || want == 0 && !strings.Contains(screen, "type Acme-www-1 to continue") {
			t.Errorf("%q: sent %d times\n%s", typed, sent, screen)
		}
	}
}

// A form says which word it wants before it is typed, and stops complaining once it is.
func TestFormView_requiredTextIsExplained(t *testing.T) {
	v := NewFormView(Form{RequiredText: "2"}, t.Context())
	screen := func() string { return ansi.Strip(v.View(uitest.NewBox(t, 70, 20))) }
	if text := screen(); !strings.Contains(text, "Confirm") || !strings.Contains(text, "  type 2 to continue") {
		t.Errorf("before:\n%s", text)
	}
	press(v, "<ctrl+s>")
	if text := screen(); strings.Count(text, "type 2 to continue") != 1 || !strings.Contains(text, "✗ type 2") {
		t.Errorf("refused:\n%s", text)
	}
	press(v, "2")
	if text := screen(); strings.Contains(text, "✗") {
		t.Errorf("typed:\n%s", text)
	}
}

// A refusal that reads like the sentence about the word stays beside it while the word is typed.
func TestFormView_refusalLikeTheWord(t *testing.T) {
	for _, refusal := range []string{"type 2 to 5 is not for sale", "Type 2 to continue"} {
		v := NewFormView(Form{
			RequiredText: "2",
			Send:         func(context.Context) (func() tea.Cmd, error) { return nil, errors.New(refusal) },
		}, t.Context())
		uitest.RunAll(press(v, "2<ctrl+s>"))
		press(v, "2")
		text := ansi.Strip(v.View(uitest.NewBox(t, 70, 20)))
		if !strings.Contains(text, "✗ "+refusal) || !strings.Contains(text, "  type 2 to continue") {
			t.Errorf("want the refusal and the word to type:\n%s", text)
		}
	}
}

// A reason belongs to the field whose name the API's path ends or begins with.
func TestField_matches(t *testing.T) {
	for _, c := range []struct {
		field, name string
		want        bool
	}{
		{"username", "username", true},
		{"ssh.username", "username", true},
		{"username.first", "username", true},
		{"Username", "username", false},
		{"username2", "username", false},
		{"username-2", "username-1", false},
		{"name", "username", false},
		{"cluster", "region", true},
		{"cluster", "region.id", false},
	} {
		if got := (Field{Name: c.field}).SentAs("region").matches(c.name); got != c.want {
			t.Errorf("%q and %q: %t", c.field, c.name, got)
		}
	}
}

// A label that does not fit is shortened, and its field stays where the others are.
func TestFormView_longLabel(t *testing.T) {
	var first, second string
	v := NewFormView(Form{Fields: []Field{
		Text("a", "A", &first), Text("b", strings.Repeat("long", 30), &second),
	}}, t.Context())
	for _, line := range strings.Split(ansi.Strip(v.View(uitest.NewBox(t, 60, 10))), "\n") {
		if ansi.StringWidth(line) > 60 || strings.Contains(line, "longlong") && !strings.Contains(line, "…") {
			t.Errorf("%q", line)
		}
	}
}

// A path is completed as it is written, even if it has characters that a pattern would match others with.
func TestPath_completesLiterally(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"[ab]cd", "acd"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := ""
	v := NewFormView(Form{Fields: []Field{File("f", "File", &text)}}, t.Context())
	press(v, filepath.Join(folder, "[ab]"), "<right>")
	if filepath.Base(text) != "[ab]cd" {
		t.Errorf("completed to %q", text)
	}
}

// Tab goes through all fields and the button and begins again; shift+tab goes back. The hints name what enter does.
func TestFormView_focus(t *testing.T) {
	var first, second string
	v := NewFormView(Form{
		SubmitLabel: "add",
		Fields:      []Field{Text("a", "A", &first), Text("b", "B", &second)},
	}, t.Context())
	for i, want := range []string{"1/", "1/2", "12/2", "12/2"} {
		press(v, fmt.Sprint(i+1))
		if i == 2 { // the button, which takes no text
			want = "1/2"
		}
		if i == 3 {
			want = "14/2"
		}
		if got := first + "/" + second; got != want {
			t.Errorf("after %d tabs: %q, want %q", i, got, want)
		}
		press(v, "<tab>")
	}
	if press(v, "<shift+tab>x"); first != "14x" {
		t.Errorf("shift+tab: %q, %q", first, second)
	}
	if press(v, "<shift+tab>y"); first+second != "14x2" {
		t.Errorf("shift+tab from the first field: %q, %q", first, second)
	}
	if press(v, "<shift+tab>z"); second != "2z" {
		t.Errorf("shift+tab from the button: %q, %q", first, second)
	}
}

// A form asks for a word only if it has one, and leaving needs two presses of esc in a row.
func TestFormView_plainFormAndLeaving(t *testing.T) {
	var text string
	v := NewFormView(Form{Title: "New", Fields: []Field{Text("a", "Label", &text)}}, t.Context())
	screen := ansi.Strip(v.View(uitest.NewBox(t, 70, 20)))
	if strings.Contains(screen, "Type") || strings.Contains(screen, "type") {
		t.Errorf("asks for a word:\n%s", screen)
	}
	if press(v, "a<esc>b<esc>"); v.Done() {
		t.Error("two presses of esc with a key between them discard the text")
	}
	if press(v, "<esc>"); !v.Done() {
		t.Error("two presses of esc do not leave")
	}
}

// A private key in a field is not drawn. It is sent unchanged unless it is retyped, and the text around it can be
// edited.
func TestFormView_privateKeyInAField(t *testing.T) {
	const lines = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIB\nAQQgcanarycanarycanarycanarycanary\n"
	const key = "-----BEGIN PRIVATE KEY-----\n" + lines + "-----END PRIVATE KEY-----"
	const second = "-----BEGIN PRIVATE KEY-----\nSECOND" + lines + "-----END PRIVATE KEY-----"
	const mask = "-----BEGIN PRIVATE KEY-----•••-----END PRIVATE KEY-----"
	home := uitest.Key("<ctrl+home>")
	b := uitest.NewBox(t, 100, 20)
	paste := func(text string) tea.Msg { return tea.PasteMsg{Content: text} }
	for name, c := range map[string]struct {
		opened string
		keys   []tea.Msg
		want   string
	}{
		"untouched":        {"a\r\n" + key + "\nb", nil, "a\r\n" + key + "\nb"},
		"text behind":      {key, []tea.Msg{paste(" more")}, key + " more"},
		"text before":      {key, []tea.Msg{home, paste("x\n")}, "x\n" + key},
		"pasted":           {"a ", []tea.Msg{paste(key)}, "a " + key},
		"pasted in halves": {"", []tea.Msg{paste(key[:90]), paste(key[90:])}, key},
		"two keys":         {key + "\n" + second, []tea.Msg{paste("!")}, key + "\n" + second + "!"},
		"the first of two is deleted": {
			key + "\n" + second,
			append([]tea.Msg{home}, slices.Repeat([]tea.Msg{uitest.Key("<delete>")}, len(mask)-5)...),
			second,
		},
		"a mask as text": {mask + "\n" + key, []tea.Msg{paste("!")}, mask + "\n" + key + "!"},
	} {
		value := c.opened
		field := Lines("notes", "Notes", &value)
		v := NewFormView(Form{Title: "Edit", Fields: []Field{field}}, t.Context())
		for _, msg := range c.keys {
			v.Update(msg)
			if screen := ansi.Strip(v.View(b)); strings.Contains(screen, "canary") {
				t.Errorf("%s: the key is drawn:\n%s", name, screen)
			}
		}
		if screen := ansi.Strip(v.View(b)); strings.Contains(screen, "canary") ||
			!strings.Contains(screen, "-----BEGIN PRIVATE KEY-----•••") {
			t.Errorf("%s: the key is drawn, or its mask is not:\n%s", name, screen)
		}
		if value != c.want || field.Text() != c.want {
			t.Errorf("%s: %q is sent, want %q", name, value, c.want)
		}
	}
}

// A private key of which only a part of the mask is left is not sent.
func TestFormView_privateKeyPartlyDeleted(t *testing.T) {
	const key = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIB\n-----END PRIVATE KEY-----"
	value := "a " + key
	fields := []Field{Lines("notes", "Notes", &value)}
	v := NewFormView(Form{Title: "Edit", Fields: fields}, t.Context())
	press(v, "<backspace>")
	if found := Problems(fields); len(found) != 1 || !strings.Contains(found[0].Text, "masked private key") {
		t.Errorf("%v", found)
	}
}

// A switch whose value is not known says so until one is chosen, by a person or by a script, and can go back to it.
func TestOptionalSwitch(t *testing.T) {
	var on *bool
	f := OptionalSwitch("cors", "CORS", &on)
	press := func(key string) { f.input.press(uitest.Key(key)) }
	if f.Text() != "unknown" || on != nil {
		t.Errorf("it begins with %q, %v", f.Text(), on)
	}
	if press("<right>"); on == nil || !*on || f.Text() != "yes" {
		t.Errorf("yes is %q, %v", f.Text(), on)
	}
	if press("<left>"); on != nil || f.Text() != "unknown" {
		t.Errorf("unknown is %q, %v", f.Text(), on)
	}
	if problem := f.Set("no"); problem != "" || on == nil || *on {
		t.Errorf("a script sets %v: %q", on, problem)
	}
}

// A key that was pressed before the form was on the screen does not send it, and neither does an enter that is held
// down. The same key sends it afterwards. A form that changes nothing is sent at once.
func TestFormView_sendsOnlyWhatWasSeen(t *testing.T) {
	enter, ctrlS := uitest.Key("<enter>"), uitest.Key("<ctrl+s>")
	for name, c := range map[string]struct {
		key      tea.KeyPressMsg
		press    func(*FormView, *tea.KeyPressMsg)
		harmless bool
		want     int
	}{
		"not on the screen": {ctrlS, func(v *FormView, _ *tea.KeyPressMsg) { v.SetUnseen(true) }, false, 0},
		"harmless":          {ctrlS, func(v *FormView, _ *tea.KeyPressMsg) { v.SetUnseen(true) }, true, 1},
		"enter after enter": {enter, func(v *FormView, _ *tea.KeyPressMsg) { v.SetRepeatedEnter(true) }, false, 0},
		"enter held down":   {enter, func(_ *FormView, k *tea.KeyPressMsg) { k.IsRepeat = true }, false, 0},
		"enter":             {enter, func(*FormView, *tea.KeyPressMsg) {}, false, 1},
	} {
		text, sent := "", 0
		v := NewFormView(Form{
			Fields:       []Field{Text("name", "Name", &text)},
			EnterSubmits: func() bool { return true },
			Harmless:     c.harmless,
			Send: func(context.Context) (func() tea.Cmd, error) {
				sent++
				return func() tea.Cmd { return nil }, nil
			},
		}, t.Context())
		pressed := c.key
		c.press(v, &pressed)
		if uitest.RunAll(v.Update(pressed)); sent != c.want {
			t.Errorf("%s: sent %d times", name, sent)
		}
		v.SetUnseen(false)
		v.SetRepeatedEnter(false)
		if uitest.RunAll(v.Update(c.key)); sent != 1 {
			t.Errorf("%s, then seen: sent %d times", name, sent)
		}
	}
}
