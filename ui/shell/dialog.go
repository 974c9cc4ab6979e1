package shell

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// A dialog is what may stand in front of a pane. It owns all keys while it does; answers from the API arrive beneath it.
type dialog interface {
	title() string
	view(ui.Box) string // the inside, at most as large as the box
	size() (width, height int)
	press(*Shell, tea.KeyPressMsg) (cmd tea.Cmd, done bool)
	paste(tea.PasteMsg) tea.Cmd
	hint() string
}

// over lays a dialog's frame over the middle of what is beneath it.
func over(beneath string, d dialog, b ui.Box, inside *area) string {
	w, h := d.size()
	w, h = min(w, b.Width-4), min(h, b.Height-2)
	inner := ui.Box{Width: w, Height: h, Theme: b.Theme, Now: b.Now, Focused: true}
	lines := strings.Split(framed(d.title(), inner.Fit(d.view(inner)), w, b.Theme), "\n")
	x, y := (b.Width-w-4)/2, max(0, (b.Height-len(lines))/2)
	*inside = area{x + 2, y + 1 + bodyTop, w, h}
	under := strings.Split(beneath, "\n")
	for i, line := range lines {
		if y+i >= len(under) {
			break
		}
		before := ui.Cells(under[y+i], 0, x)
		after := ui.Cells(under[y+i], x+w+4, b.Width)
		under[y+i] = ui.Pad(before, x) + line + after
	}
	return strings.Join(under, "\n")
}

// framed puts a border with a title around text.
func framed(title, text string, width int, t *theme.Theme) string {
	g := t.Glyphs
	name := " " + ui.Cut(title, max(0, width-2), g.Ellipsis) + " "
	bar := strings.Repeat(g.H, max(0, width+1-ui.Width(name)))
	edge := t.Paint(theme.Rule, g.V)
	out := []string{t.Paint(theme.Rule, g.TopLeft+g.H) + t.Paint(theme.Strong, name) + t.Paint(theme.Rule, bar+g.TopRight)}
	for line := range strings.SplitSeq(text, "\n") {
		out = append(out, edge+" "+line+" "+edge)
	}
	return strings.Join(append(out, t.Paint(theme.Rule, g.BottomLeft+strings.Repeat(g.H, width+2)+g.BottomRight)), "\n")
}

// silent is a dialog that takes no paste.
type silent struct{}

func (silent) paste(tea.PasteMsg) tea.Cmd { return nil }

// arms is how long a question must have been in sight before a key can answer it: the key that opened it may still be held.
const arms = 250 * time.Millisecond

// question stands between an action and its doing.
type question struct {
	action ui.Action
	word   string // what must be typed; empty asks for y
	armed  bool   // it has been in sight for long enough to be answered
	tries  int    // how often it was put in sight
	typed  string
	fits   bool
}

// newQuestion asks for the action's word, or for a code in its place where nobody could type it.
func newQuestion(a ui.Action) *question {
	q := &question{action: a, word: a.Ask.Word}
	if !typeable(q.word) {
		sum := sha256.Sum256([]byte(q.word))
		q.word = base32.StdEncoding.EncodeToString(sum[:])[:6]
	}
	return q
}

// typeable reports whether a word can be typed on a keyboard and read in one line.
func typeable(word string) bool {
	for _, r := range word {
		if r < ' ' || r == 0x7f || r > 0x24f || r >= 0x80 && !unicode.IsLetter(r) {
			return false
		}
	}
	return len(word) <= 100 && strings.TrimSpace(word) == word
}

// mostTyped is how much of an answer is kept: no word is that long.
const mostTyped = 200

// armed says that a question's moment has passed.
type armed struct {
	q *question
	n int // which time it was put in sight
}

func (q *question) title() string { return q.action.Ask.Title }

func (q *question) size() (int, int) {
	height := 6 + min(10, len(q.action.Ask.List)) + len(q.action.Ask.Text)/60
	if ui.Width(q.word) > 36 {
		height++ // it has a line of its own
	}
	return 66, height
}

// view also notes whether the whole question is in sight: what cannot be read cannot be answered.
func (q *question) view(b ui.Box) string {
	ask := q.action.Ask
	lines := ui.Wrap(ask.Text, b.Width)
	for i, item := range ask.List {
		if i == 10 {
			lines = append(lines, b.Theme.Paint(theme.Muted, "  and more: "+ui.Cut(strings.Join(ask.List[i:], ", "), b.Width-14, b.Theme.Glyphs.Ellipsis)))
			break
		}
		lines = append(lines, "  "+ui.Cut(item, b.Width-2, b.Theme.Glyphs.Ellipsis))
	}
	lines = append(lines, "")
	ending := q.ending(b)
	q.fits = len(lines)+len(ending) <= b.Height && b.Width >= 30 && ui.Width(q.word) <= b.Width
	switch {
	case !q.fits:
		return b.Theme.Paint(theme.Bad, "This question does not fit here: make the terminal larger, or press esc.")
	case !q.armed:
		wait := b.Theme.Glyphs.Ellipsis
		if ask.After > 0 {
			wait = "can be answered in " + ui.Age(ask.After) + "; esc leaves"
		}
		lines = append(lines, b.Theme.Paint(theme.Muted, wait))
	default:
		lines = append(lines, ending...)
	}
	return strings.Join(lines, "\n")
}

// ending is how the question is answered. A word that must be typed is there in full.
func (q *question) ending(b ui.Box) []string {
	if q.word == "" {
		return []string{b.Theme.Paint(theme.Accent, "n") + " no, leave it      " + b.Theme.Paint(theme.Bad, "y") + " yes, " + orElse(q.action.Ask.Yes, q.action.Name())}
	}
	word, before, after := b.Theme.Paint(theme.Strong, q.word), "Type ", " and press enter, or esc:"
	answer := b.Theme.Paint(theme.Input, tail(q.typed, b.Width-1, b.Theme.Glyphs.Ellipsis)) + b.Theme.Paint(theme.Cursor, " ")
	if len(before)+ui.Width(q.word)+len(after) <= b.Width {
		return []string{before + word + after, answer}
	}
	return []string{"Type this and press enter, or esc:", word, answer}
}

func orElse(text, absent string) string {
	if text == "" {
		return absent
	}
	return text
}

func (q *question) hint() string {
	if q.word != "" {
		return "type it exactly · esc: nothing happens"
	}
	return "y does it · any other key: nothing happens"
}

func (q *question) paste(msg tea.PasteMsg) tea.Cmd {
	if text := strings.TrimSpace(msg.Content); q.word != "" && !q.action.Ask.Typed && q.armed && len(text) <= mostTyped {
		q.typed += text
	}
	return nil
}

func (q *question) press(_ *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	if !q.armed || k.IsRepeat {
		return nil, k.String() == "esc"
	}
	if q.word == "" {
		if k.String() == "y" && q.fits {
			return q.action.Do(), true
		}
		return nil, k.String() != "y"
	}
	switch k.String() {
	case "esc":
		return nil, true
	case "enter":
		if q.fits && q.typed == q.word {
			return q.action.Do(), true
		}
	case "backspace":
		if r := []rune(q.typed); len(r) > 0 {
			q.typed = string(r[:len(r)-1])
		}
	default:
		if len(q.typed) < mostTyped {
			q.typed += k.Text
		}
	}
	return nil, false
}

// formDialog is a form in front.
type formDialog struct {
	form  *ui.FormView
	token bool // it asks for a token
}

func (d *formDialog) title() string { return d.form.Title() }

func (d *formDialog) size() (int, int) { return 76, d.form.Height(76) + 1 }

func (d *formDialog) view(b ui.Box) string { return d.form.View(b) }

func (d *formDialog) hint() string { return "ctrl+s sends · tab goes on · esc leaves" }

func (d *formDialog) paste(msg tea.PasteMsg) tea.Cmd { return d.form.Update(msg) }

func (d *formDialog) press(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	d.form.Hasten(s.hasty)
	cmd := d.form.Update(k)
	return cmd, d.form.Done()
}

// menu is a choice of actions, by their keys or by the cursor.
type menu struct {
	silent
	name    string
	actions []ui.Action
	at, top int
}

func (m *menu) title() string { return m.name }

func (m *menu) size() (int, int) {
	w := 30
	for _, a := range m.actions {
		w = max(w, ui.Width(a.Name())+ui.Width(a.Off)+14)
	}
	return min(max(w, ui.Width(m.name)+4), 90), min(len(m.actions), 24)
}

func (m *menu) hint() string { return "enter or its key does it · esc leaves" }

func (m *menu) view(b ui.Box) string {
	m.top = max(min(m.top, m.at), m.at-b.Height+1)
	var lines []string
	for i := m.top; i < min(len(m.actions), m.top+b.Height); i++ {
		lines = append(lines, entryLine(m.actions[i], i == m.at, b))
	}
	return strings.Join(lines, "\n")
}

// entryLine is an action in a list: its key, its name, and why it cannot be done now.
func entryLine(a ui.Action, cursor bool, b ui.Box) string {
	t := b.Theme
	text := ui.Pad(a.Key.Help().Key, 9) + a.Name()
	if cursor {
		return t.Paint(theme.Cursor, ui.Pad(ui.Cut(t.Glyphs.Cursor+" "+text+prefixed("  ", a.Off), b.Width, t.Glyphs.Ellipsis), b.Width))
	}
	if a.Off != "" {
		return t.Paint(theme.Off, ui.Cut("  "+text+"  "+a.Off, b.Width, t.Glyphs.Ellipsis))
	}
	return "  " + t.Paint(theme.Accent, ui.Pad(a.Key.Help().Key, 9)) + ui.Cut(a.Name(), b.Width-11, t.Glyphs.Ellipsis)
}

func prefixed(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}

func (m *menu) press(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	pressed := k.String()
	for _, a := range m.actions {
		for _, name := range a.Key.Keys() {
			if name == pressed && pressed != "enter" && pressed != "esc" && pressed != "up" && pressed != "down" {
				return m.choose(s, a)
			}
		}
	}
	switch pressed {
	case "esc":
		return nil, true
	case "down", "j":
		m.at = min(m.at+1, len(m.actions)-1)
	case "up", "k":
		m.at = max(m.at-1, 0)
	case "enter":
		if m.at < len(m.actions) {
			return m.choose(s, m.actions[m.at])
		}
	}
	return nil, false
}

// choose leaves the menu before the action begins: a question may come.
func (m *menu) choose(s *Shell, a ui.Action) (tea.Cmd, bool) {
	s.dismiss(m)
	return s.start(a), true
}

// sheet is text to be read.
type sheet struct {
	silent
	name   string
	text   string
	scroll ui.Scroll
}

func (d *sheet) title() string { return d.name }

func (d *sheet) size() (int, int) { return 96, strings.Count(d.text, "\n") + 1 }

func (d *sheet) hint() string { return "y copies it · esc closes" }

func (d *sheet) view(b ui.Box) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(ui.Visible(d.text), "\n"), "\n") {
		lines = append(lines, ui.Wrap(line, b.Width)...)
	}
	return d.scroll.View(b, strings.Join(lines, "\n"))
}

func (d *sheet) press(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "esc", "q", "enter":
		return nil, true
	case "y":
		return ui.Send(ui.Copy{Text: d.text, What: d.name}), false
	}
	for _, a := range d.scroll.Actions() {
		for _, name := range a.Key.Keys() {
			if name == k.String() {
				return a.Do(), false
			}
		}
	}
	return nil, false
}
