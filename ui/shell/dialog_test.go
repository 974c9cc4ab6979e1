package shell

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/ui/terminal"
	"lookout/ui/uitest"
)

// sampleDialogs returns a dialog of each kind.
func sampleDialogs(b *shellTest) map[string]dialog {
	name, notes, when := "", "", "1 h"
	sample := form.Form{
		Title:       "New thing",
		Text:        "What it is for.",
		SubmitLabel: "add",
		Fields: []form.Field{
			form.Text("name", "Name", &name, form.Required()).Note("unique in the account"),
			form.Choice("for", "For", &when, "15 min", "1 h", "4 h"),
			form.Lines("notes", "Notes", &notes),
		},
		Send: func(context.Context) (func() tea.Cmd, error) { return func() tea.Cmd { return nil }, nil },
	}
	typed := newQuestionDialog(ui.Action{Key: ui.Bind("delete"), Confirm: &ui.Confirmation{
		Title:        "Delete thing",
		Text:         `Thing "alpha" (id 1) is deleted.`,
		RequiredText: "alpha",
	}})
	question := newQuestionDialog(ui.Action{Key: ui.Bind("delete"), Confirm: &ui.Confirmation{
		Title: "Delete thing", Text: `Thing "alpha" (id 1) is deleted.`,
	}})
	question.armed, typed.armed = true, true
	typed.answer.SetText("al")
	secret := &secretDialog{ShowSecretMsg: ui.ShowSecretMsg{
		Title:   "New key",
		Text:    "The secret is shown only now.",
		Name:    "secret key",
		Details: [][2]string{{"access key", "KEY1"}},
		Reveal:  func() string { return "secret" },
		Formats: []ui.SecretFileFormat{{Name: "profile", Path: "/tmp/x"}},
	}}
	return map[string]dialog{
		"form":           &formDialog{form: form.NewFormView(sample, b.Context())},
		"question":       question,
		"typed question": typed,
		"secret":         secret,
		"menu":           actionsMenu("things", b.shell.actions()),
		"help":           newHelpDialog("things", b.shell.actions()),
		"palette":        b.shell.newPalette(),
		"text":           newTextDialog("Text", "one\ntwo\n"),
		"opening":        &openingDialog{account: "other", cancel: func() {}},
	}
}

// boxLines returns what stands in the box of the dialog in front, line by line.
func boxLines(screen string) (lines []string) {
	left, right := -1, 0
	for line := range strings.SplitSeq(screen, "\n") {
		cells := []rune(line)
		switch at := slices.Index(cells, '╭'); {
		case at >= 0:
			left, right = at, slices.Index(cells, '╮')
		case left >= 0 && cells[left] == '╰':
			return lines
		case left >= 0:
			lines = append(lines, strings.TrimSpace(string(cells[left+1:right])))
		}
	}
	return lines
}

// A dialog shows a key once: in the last line of the screen, or in its box if it is a choice there. Below its last line
// is as much space as above the first.
func TestDialog_boxAndHints(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 50}} {
			b := newShellTest(t, nil)
			b.shell.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			for name, d := range sampleDialogs(b) {
				b.shell.dialogs.open = []dialog{d}
				b.shell.dialogs.layout(b.shell.bodyBox())
				b.shell.backdrop.current++
				screen := b.screen()
				lines := boxLines(screen)
				above, below := 0, 0
				for above < len(lines) && lines[above] == "" {
					above++
				}
				for below < len(lines) && lines[len(lines)-1-below] == "" {
					below++
				}
				lists := name == "help" || name == "menu" || name == "palette" // of keys, and of any number of lines
				if !lists && (above != below || above > 1) {
					t.Errorf("%v, %s: %d empty lines above and %d below: %q", size, name, above, below, lines)
				}
				for _, h := range d.hints() {
					for _, line := range lines {
						if h.key != "" && !lists && strings.Contains(" "+line+" ", " "+h.key+" ") {
							t.Errorf("%v, %s: the key %q is in the box and in the hints: %q", size, name, h.key, lines)
						}
					}
				}
			}
		}
	})
}

// A countingPane counts how often it is drawn.
type countingPane struct {
	ui.Pane
	views  int
	status string
}

func (p *countingPane) View(b ui.Box) string {
	p.views++
	return b.Theme.Paint(theme.Good, "rows") + " " + p.status
}

func (p *countingPane) Info() ui.Info {
	return ui.Info{Status: func() []string { return []string{"1 of 14"} }}
}

// A key in a dialog does not draw the screen behind it again, unless it starts something or opens another dialog.
// Anything else may change that screen.
func TestDialog_backdropIsDrawnOnce(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		b.shell.Update(tea.WindowSizeMsg{Width: 200, Height: 50})
		pane := &countingPane{Pane: b.shell.pane(), status: "old"}
		b.shell.tabs.current().stack[0] = pane
		b.press("?")
		b.screen()
		pane.views = 0
		for range 5 {
			b.press("x")
			b.screen()
		}
		if pane.views != 0 {
			t.Errorf("the pane was drawn %d times for 5 keys in the dialog", pane.views)
		}
		shows := func(status string) {
			t.Helper()
			if screen := b.screen(); !strings.Contains(screen, "rows "+status) {
				t.Errorf("%s: the screen behind the dialog is old:\n%s", status, screen)
			}
		}
		pane.status = "refreshed"
		b.shell.Update(ui.RefreshMsg{})
		shows("refreshed")
		b.shell.Update(arrival(func() { pane.status = "arrived" }))
		shows("arrived")
		pane.status = "left"
		b.press("<esc>?")
		shows("left")
		b.showSecret()
		b.screen()
		pane.status = "started"
		b.shell.Update(uitest.Key("y"))
		shows("started")
	})
}

// An arrival is an answer that does what it says.
type arrival func()

func (a arrival) Deliver() tea.Cmd {
	a()
	return nil
}

// A measuredDialog counts how often it is measured.
type measuredDialog struct {
	*textDialog
	measured int
}

func (d *measuredDialog) size(most ui.Box) (int, int) {
	d.measured++
	return d.textDialog.size(most)
}

// A dialog is measured once for each key: measuring a form takes as long as drawing it.
func TestDialog_isMeasuredOnce(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		d := &measuredDialog{textDialog: newTextDialog("Text", "one\ntwo\n")}
		b.shell.dialogs.push(d)
		for range 5 {
			b.press("x")
			b.screen()
		}
		if d.measured != 5 {
			t.Errorf("measured %d times for 5 keys", d.measured)
		}
	})
}

// Everything behind a dialog is dimmed: the lines above the rows, the rows, and the counts beside the status line.
func TestDialog_backdropIsDimmed(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		b.shell.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		b.shell.tabs.current().stack[0] = &countingPane{Pane: b.shell.pane()}
		look := b.shell.themes.current
		parts := map[string]theme.Tone{
			"lookout": theme.Strong, "acme": theme.Accent, "Things": theme.Strong, "rows": theme.Good,
			"1 of 14": theme.Muted,
		}
		for _, dialog := range []bool{false, true} {
			if dialog {
				b.press("m")
			}
			for text, tone := range parts {
				content := b.shell.Frame().Content
				dim := strings.Contains(content, look.Dimmed().Paint(tone, text))
				if bright := strings.Contains(content, look.Paint(tone, text)); bright == dialog || dim != dialog {
					t.Errorf("behind a dialog: %t; %q is bright: %t, dim: %t", dialog, text, bright, dim)
				}
			}
		}
	})
}

// pageThrough shows a dialog from its beginning to its end, page by page, and returns everything in its box.
func pageThrough(b *shellTest, d dialog) string {
	b.shell.dialogs.open = []dialog{d}
	b.shell.dialogs.layout(b.shell.bodyBox())
	b.shell.backdrop.current++
	seen, last := "", ""
	for range 40 {
		screen := b.screen()
		if screen == last {
			return strings.Join(strings.Fields(seen), " ")
		}
		last = screen
		seen += strings.Join(boxLines(screen), "\n") + "\n"
		b.press("<pgdown>")
	}
	b.Fatal("the dialog has no end")
	return ""
}

// Help and the menu of all actions cut nothing, however wide the screen; a page down shows what follows.
func TestHelpAndMenu_cutNothing(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for _, size := range [][2]int{
			{60, 16}, {60, 60}, {80, 24}, {100, 30}, {120, 36}, {160, 40}, {200, 50}, {250, 60},
		} {
			b := newShellTest(t, nil)
			b.shell.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			for name, d := range map[string]dialog{
				"help": newHelpDialog("things", b.shell.actions()),
				"menu": actionsMenu("things", b.shell.actions()),
			} {
				seen := pageThrough(b, d)
				if strings.Contains(seen, "…") {
					t.Errorf("%v, %s: a text is cut:\n%s", size, name, seen)
				}
				for a := range b.shell.actions() {
					if name == "menu" && (a.Group == "move" || a.Group == tabGroup || a.Name() == allActionsName) {
						continue
					}
					about := a.Description
					if name == "menu" && a.DisabledReason != "" {
						about = a.DisabledReason
					}
					for _, word := range strings.Fields(a.Name() + " " + about) {
						if !strings.Contains(seen, word) {
							t.Errorf("%v, %s: %q of %q is never shown", size, name, word, a.Name())
						}
					}
				}
			}
		}
	})
}

// The palette shows the key of an entry at the right end, names its kinds once, says what cannot be done now, and does
// not list itself.
func TestPalette_showsKeys(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		b.shell.Update(tea.WindowSizeMsg{Width: 80, Height: 60})
		b.press(":")
		lines := boxLines(b.screen())
		screen := strings.Join(lines, "\n")
		for _, want := range []string{"Panes", "Actions"} {
			if n := strings.Count(screen, "─ "+want+" ─"); n != 1 {
				t.Errorf("%d headings %q:\n%s", n, want, screen)
			}
		}
		for name, key := range map[string]string{"things": "1", "delete": "D", "mark": "space", "help": "?"} {
			if !slices.ContainsFunc(lines, func(line string) bool {
				line = strings.TrimPrefix(line, "▸ ")
				return strings.HasPrefix(line, name+" ") && strings.HasSuffix(line, " "+key)
			}) {
				t.Errorf("%s is not shown with its key %s:\n%s", name, key, screen)
			}
		}
		if strings.Contains(screen, "pane ") || strings.Contains(screen, "\ngo to ") {
			t.Errorf("the palette repeats a kind, or lists itself:\n%s", screen)
		}
		b.press("account")
		if screen := b.screen(); !strings.Contains(screen, "there is only one account") {
			t.Errorf("the palette does not say why the account cannot be switched:\n%s", screen)
		}
	})
}

// The palette is as high as what it has found, up to a part of the screen; its text stays where it is, and the title
// counts the entries.
func TestPalette_size(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for height, most := range map[int]int{16: 12, 24: 18, 60: 26} {
			b := newShellTest(t, nil)
			b.shell.Update(tea.WindowSizeMsg{Width: 80, Height: height})
			edges := func() (top, bottom int) {
				lines := strings.Split(b.screen(), "\n")
				return slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "─ Go to ─") }),
					slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "╰") })
			}
			b.press(":")
			top, bottom := edges()
			b.press("mark")
			narrowTop, narrowBottom := edges()
			if bottom-top+1 > most || top != narrowTop || narrowBottom >= bottom ||
				!strings.Contains(b.screen(), " results ─") {
				t.Errorf("lines %d-%d, then %d-%d of %d:\n%s", top, bottom, narrowTop, narrowBottom, height, b.screen())
			}
		}
	})
}

// The tab bar has a background, or an underline, over its whole width: it separates the head line from the pane at any
// height. The account stands at the left end of the head line, freshness, budget and clock at the right end.
func TestChrome_separatesHeadLineFromPane(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for _, name := range theme.Names() {
			look, err := theme.New(name, colorprofile.TrueColor, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, width := range []int{60, 80, 120, 250} {
				b := newShellTest(t, func(o *Options) {
					o.Theme = look
					o.RequestBudget = func() string { return "788 requests left" }
				})
				b.shell.Update(tea.WindowSizeMsg{Width: width, Height: 24})
				lines := strings.Split(b.shell.Frame().Content, "\n")
				cells := uv.NewScreenBuffer(width, 1)
				uv.NewStyledString(lines[1]).Draw(cells, cells.Bounds())
				for x := range width {
					style := cells.CellAt(x, 0).Style
					if style.Bg == nil && style.Underline == uv.UnderlineNone && style.Attrs&uv.AttrReverse == 0 {
						t.Errorf(
							"%s, %d columns: cell %d of the tab bar has no background: %q",
							name,
							width,
							x,
							lines[1],
						)
						break
					}
				}
				head, right := ansi.Strip(lines[0]), " s   788 requests left   Fri 21:04 UTC "
				if width == 60 {
					right = " s   Fri 21:04 UTC " // there is no room for the budget
				}
				if !strings.HasPrefix(head, " lookout  acme   ") || !strings.HasSuffix(head, right) {
					t.Errorf("%s, %d columns: %q", name, width, head)
				}
			}
		}
	})
}

// The tab in front, with a blank on either side, stands on another background than the rest of the bar.
func TestChrome_frontTabStandsOut(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for _, name := range theme.Names() {
			look, err := theme.New(name, colorprofile.TrueColor, false)
			if err != nil {
				t.Fatal(err)
			}
			b := newShellTest(t, func(o *Options) {
				o.Theme = look
				o.Panes = append(o.Panes, &table.List[string]{
					Title: "others",
					Store: o.Panes[0].(*table.List[string]).Store,
				})
			})
			for key, tab := range map[string]string{"1": " 1 Things ", "2": " 2 Others "} {
				b.press(key)
				bar := strings.Split(b.shell.Frame().Content, "\n")[1]
				if n := ansi.StringWidth(bar); n != b.shell.width || !strings.HasSuffix(bar, "\x1b[m") {
					t.Errorf("%s: the bar is %d cells wide, or goes on: %q", name, n, bar)
				}
				from := strings.Index(ansi.Strip(bar), tab)
				cells := uv.NewScreenBuffer(b.shell.width, 1)
				uv.NewStyledString(bar).Draw(cells, cells.Bounds())
				look := func(x int) [3]any {
					style := cells.CellAt(x, 0).Style
					return [3]any{style.Bg, style.Underline, style.Attrs & uv.AttrReverse}
				}
				for x := range b.shell.width {
					isFront := from >= 0 && x >= from && x < from+len(tab)
					if (look(x) != look(b.shell.width-1)) != isFront {
						t.Fatalf("%s, %q in front: cell %d looks wrong: %q", name, tab, x, bar)
					}
				}
			}
		}
	})
}

// A question about many rows can be answered on the smallest terminal: it shows some of them, and the others with the
// arrow keys. On a large one it shows them all.
func TestQuestionDialog_manyItems(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for _, size := range [][2]int{{60, 16}, {80, 24}, {200, 50}} {
			b := newShellTest(t, nil)
			b.shell.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			answered := 0
			a := ui.Action{
				Key: ui.Bind("delete"),
				Confirm: &ui.Confirmation{
					Title: "Delete: 18 things", Text: "Only these 18 things are affected.", RequiredText: "18",
				},
				Do: func() tea.Cmd { answered++; return nil },
			}
			for n := range 18 {
				a.Confirm.Items = append(a.Confirm.Items, fmt.Sprintf("thing-%d (id %d)", n, n))
			}
			b.run(b.shell.startAction(a))
			b.armQuestions()
			seen := ""
			for range 20 {
				seen += b.screen()
				b.press("<down>")
			}
			for _, item := range a.Confirm.Items {
				if !strings.Contains(seen, item) {
					t.Errorf("%v: never shown: %s", size, item)
				}
			}
			b.press("18<enter>")
			if answered != 1 {
				t.Errorf("%v: the question cannot be answered:\n%s", size, b.screen())
			}
		}
	})
}

// A screen reader reads out the first rows of a large batch, and how many more there are.
func TestQuestionDialog_read_largeBatch(t *testing.T) {
	confirm := &ui.Confirmation{Text: "Deletes 50,000 things."}
	for n := range 50_000 {
		confirm.Items = append(confirm.Items, fmt.Sprintf("thing-%d", n))
	}
	intro := newQuestionDialog(ui.Action{Confirm: confirm}).read(ui.Box{}).intro
	if len(intro) != 102 || intro[1] != "thing-0" || intro[101] != "and 49,900 more" {
		t.Errorf("%d lines: %q … %q", len(intro), intro[:2], intro[len(intro)-1])
	}
}

// On a line with a long delay, every key comes while the screen is behind. A word can be typed there all the same; the
// enter that answers the question counts once the screen shows it.
func TestQuestionDialog_wordOnALongLine(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b, answered := newShellTest(t, nil), 0
		b.run(b.shell.startAction(ui.Action{
			Key:     ui.Bind("delete"),
			Confirm: &ui.Confirmation{Title: "Delete", Text: "Deletes web.", RequiredText: "web"},
			Do:      func() tea.Cmd { answered++; return nil },
		}))
		b.armQuestions()
		late := func(k tea.KeyPressMsg) { b.run(b.shell.Update(terminal.UnseenInputMsg{Input: k})) }
		for _, letter := range "web" {
			late(uitest.Key(string(letter)))
		}
		if late(uitest.Key("<enter>")); answered != 0 {
			t.Error("an enter that came too early answers the question")
		}
		if b.press("<enter>"); answered != 1 {
			t.Errorf("the word is lost:\n%s", b.screen())
		}
	})
}
