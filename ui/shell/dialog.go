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
	"lookout/ui/form"
	"lookout/ui/input"
)

// A dialog is what may stand in front of a pane. It owns all keys while it does; answers from the API arrive beneath
// it.
type dialog interface {
	title() string
	view(ui.Box) string // the inside, at most as large as the box
	size() (width, height int)
	handleKey(*Shell, tea.KeyPressMsg) (cmd tea.Cmd, done bool)
	handlePaste(tea.PasteMsg) tea.Cmd
	hint() string
}

// overlayDialog lays a dialog's frame over the middle of what is beneath it.
func overlayDialog(beneath string, d dialog, b ui.Box, inside *area) string {
	w, h := d.size()
	w, h = min(w, b.Width-4), min(h, b.Height-2)
	inner := ui.Box{
		Width:   w,
		Height:  h,
		Theme:   b.Theme,
		Now:     b.Now,
		Focused: true,
	}
	lines := strings.Split(withBorder(d.title(), inner.Fit(d.view(inner)), w, b.Theme), "\n")
	x, y := (b.Width-w-4)/2, max(0, (b.Height-len(lines))/2)
	*inside = area{x + 2, y + 1 + paneTop, w, h}
	under := strings.Split(beneath, "\n")
	for i, line := range lines {
		if y+i >= len(under) {
			break
		}
		before := ui.SliceCells(under[y+i], 0, x)
		after := ui.SliceCells(under[y+i], x+w+4, b.Width)
		under[y+i] = ui.Pad(before, x) + line + after
	}
	return strings.Join(under, "\n")
}

// withBorder puts a border with a title around text.
func withBorder(title, text string, width int, t *theme.Theme) string {
	g := t.Glyphs
	name := " " + ui.Truncate(title, max(0, width-2), g.Ellipsis) + " "
	bar := strings.Repeat(g.Horizontal, max(0, width+1-ui.Width(name)))
	edge := t.Paint(theme.Rule, g.Vertical)
	out := []string{
		t.Paint(theme.Rule, g.TopLeft+g.Horizontal) + t.Paint(theme.Strong, name) + t.Paint(theme.Rule, bar+g.TopRight),
	}
	for line := range strings.SplitSeq(text, "\n") {
		out = append(out, edge+" "+line+" "+edge)
	}
	return strings.Join(
		append(out, t.Paint(theme.Rule, g.BottomLeft+strings.Repeat(g.Horizontal, width+2)+g.BottomRight)),
		"\n",
	)
}

// ignoresPaste is a dialog that takes no paste.
type ignoresPaste struct{}

func (ignoresPaste) handlePaste(tea.PasteMsg) tea.Cmd { return nil }

// answerDelay is how long a question must have been in sight before a key can answer it: the key that opened it may
// still be held.
const answerDelay = 250 * time.Millisecond

// questionDialog stands between an action and its doing.
type questionDialog struct {
	action      ui.Action
	confirmWord string // what must be typed; empty asks for y
	armed       bool   // it has been in sight for long enough to be answered
	timesShown  int    // how often it was put in sight
	answer      string
	fits        bool
}

// newQuestionDialog asks for the action's word, or for a code in its place where nobody could type it.
func newQuestionDialog(a ui.Action) *questionDialog {
	q := &questionDialog{action: a, confirmWord: a.Confirm.RequiredText}
	if !typeable(q.confirmWord) {
		sum := sha256.Sum256([]byte(q.confirmWord))
		q.confirmWord = base32.StdEncoding.EncodeToString(sum[:])[:6]
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

// maxAnswerBytes is how much of an answer is kept: no word is that long.
const maxAnswerBytes = 200

// questionArmed says that a question's moment has passed.
type questionArmed struct {
	q          *questionDialog
	timesShown int // which time it was put in sight
}

func (q *questionDialog) title() string { return q.action.Confirm.Title }

func (q *questionDialog) size() (int, int) {
	height := 6 + min(10, len(q.action.Confirm.Items)) + len(q.action.Confirm.Text)/60
	if ui.Width(q.confirmWord) > 36 {
		height++ // it has a line of its own
	}
	return 66, height
}

// view also notes whether the whole question is in sight: what cannot be read cannot be answered.
func (q *questionDialog) view(b ui.Box) string {
	ask := q.action.Confirm
	lines := ui.Wrap(ask.Text, b.Width)
	for i, item := range ask.Items {
		if i == 10 {
			lines = append(
				lines,
				b.Theme.Paint(
					theme.Muted,
					"  and more: "+ui.Truncate(strings.Join(ask.Items[i:], ", "), b.Width-14, b.Theme.Glyphs.Ellipsis),
				),
			)
			break
		}
		lines = append(lines, "  "+ui.Truncate(item, b.Width-2, b.Theme.Glyphs.Ellipsis))
	}
	lines = append(lines, "")
	ending := q.answerLines(b)
	q.fits = len(lines)+len(ending) <= b.Height && b.Width >= 30 && ui.Width(q.confirmWord) <= b.Width
	switch {
	case !q.fits:
		return b.Theme.Paint(theme.Bad, "This question does not fit here: make the terminal larger, or press esc.")
	case !q.armed:
		wait := b.Theme.Glyphs.Ellipsis
		if ask.Delay > 0 {
			wait = "can be answered in " + ui.FormatAge(ask.Delay) + "; esc leaves"
		}
		lines = append(lines, b.Theme.Paint(theme.Muted, wait))
	default:
		lines = append(lines, ending...)
	}
	return strings.Join(lines, "\n")
}

// answerLines is how the question is answered. A word that must be typed is there in full.
func (q *questionDialog) answerLines(b ui.Box) []string {
	if q.confirmWord == "" {
		return []string{
			b.Theme.Paint(
				theme.Accent,
				"n",
			) + " no, leave it      " + b.Theme.Paint(
				theme.Bad,
				"y",
			) + " yes, " + orElse(
				q.action.Confirm.ConfirmLabel,
				q.action.Name(),
			),
		}
	}
	word, before, after := b.Theme.Paint(theme.Strong, q.confirmWord), "Type ", " and press enter, or esc:"
	answer := b.Theme.Paint(
		theme.Input,
		truncateLeft(q.answer, b.Width-1, b.Theme.Glyphs.Ellipsis),
	) + b.Theme.Paint(
		theme.Cursor,
		" ",
	)
	if len(before)+ui.Width(q.confirmWord)+len(after) <= b.Width {
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

func (q *questionDialog) hint() string {
	if q.confirmWord != "" {
		return "type it exactly · esc: nothing happens"
	}
	return "y does it · any other key: nothing happens"
}

func (q *questionDialog) handlePaste(msg tea.PasteMsg) tea.Cmd {
	if text := strings.TrimSpace(msg.Content); q.confirmWord != "" && !q.action.Confirm.NoPaste && q.armed &&
		len(text) <= maxAnswerBytes {
		q.answer += text
	}
	return nil
}

func (q *questionDialog) handleKey(_ *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	if !q.armed || k.IsRepeat {
		return nil, k.String() == "esc"
	}
	if q.confirmWord == "" {
		if k.String() == "y" && q.fits {
			return q.action.Do(), true
		}
		return nil, k.String() != "y"
	}
	switch k.String() {
	case "esc":
		return nil, true
	case "enter":
		if q.fits && q.answer == q.confirmWord {
			return q.action.Do(), true
		}
	case "backspace":
		if r := []rune(q.answer); len(r) > 0 {
			q.answer = string(r[:len(r)-1])
		}
	default:
		if len(q.answer) < maxAnswerBytes {
			q.answer += k.Text
		}
	}
	return nil, false
}

// formDialog is a form in front.
type formDialog struct {
	form      *form.FormView
	asksToken bool // it asks for a token
}

func (d *formDialog) title() string { return d.form.Title() }

func (d *formDialog) size() (int, int) { return 76, d.form.Height(76) + 1 }

func (d *formDialog) view(b ui.Box) string { return d.form.View(b) }

func (d *formDialog) hint() string { return "ctrl+s sends · tab goes on · esc leaves" }

func (d *formDialog) handlePaste(msg tea.PasteMsg) tea.Cmd { return d.form.Update(msg) }

func (d *formDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	d.form.SetRepeatedEnter(s.repeatedEnter)
	cmd := d.form.Update(k)
	return cmd, d.form.Done()
}

// menuDialog is a choice of actions, by their keys or by the cursor.
type menuDialog struct {
	ignoresPaste
	name              string
	actions           []ui.Action
	cursor, scrollTop int
}

func (m *menuDialog) title() string { return m.name }

func (m *menuDialog) size() (int, int) {
	w := 30
	for _, a := range m.actions {
		w = max(w, ui.Width(a.Name())+ui.Width(a.DisabledReason)+14)
	}
	return min(max(w, ui.Width(m.name)+4), 90), min(len(m.actions), 24)
}

func (m *menuDialog) hint() string { return "enter or its key does it · esc leaves" }

func (m *menuDialog) view(b ui.Box) string {
	m.scrollTop = max(min(m.scrollTop, m.cursor), m.cursor-b.Height+1)
	var lines []string
	for i := m.scrollTop; i < min(len(m.actions), m.scrollTop+b.Height); i++ {
		lines = append(lines, actionLine(m.actions[i], i == m.cursor, b))
	}
	return strings.Join(lines, "\n")
}

// actionLine is an action in a list: its key, its name, and why it cannot be done now.
func actionLine(a ui.Action, cursor bool, b ui.Box) string {
	t := b.Theme
	text := ui.Pad(a.Key.Help().Key, 9) + a.Name()
	if cursor {
		return t.Paint(
			theme.Cursor,
			ui.Pad(
				ui.Truncate(t.Glyphs.Cursor+" "+text+prefixed("  ", a.DisabledReason), b.Width, t.Glyphs.Ellipsis),
				b.Width,
			),
		)
	}
	if a.DisabledReason != "" {
		return t.Paint(theme.Off, ui.Truncate("  "+text+"  "+a.DisabledReason, b.Width, t.Glyphs.Ellipsis))
	}
	return "  " + t.Paint(
		theme.Accent,
		ui.Pad(a.Key.Help().Key, 9),
	) + ui.Truncate(
		a.Name(),
		b.Width-11,
		t.Glyphs.Ellipsis,
	)
}

func prefixed(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}

func (m *menuDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
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
		m.cursor = min(m.cursor+1, len(m.actions)-1)
	case "up", "k":
		m.cursor = max(m.cursor-1, 0)
	case "enter":
		if m.cursor < len(m.actions) {
			return m.choose(s, m.actions[m.cursor])
		}
	}
	return nil, false
}

// choose leaves the menu before the action begins: a question may come.
func (m *menuDialog) choose(s *Shell, a ui.Action) (tea.Cmd, bool) {
	s.dismiss(m)
	return s.startAction(a), true
}

// textDialog is text to be read.
type textDialog struct {
	ignoresPaste
	name   string
	text   string
	scroll ui.Viewport
}

func (d *textDialog) title() string { return d.name }

func (d *textDialog) size() (int, int) { return 96, strings.Count(d.text, "\n") + 1 }

func (d *textDialog) hint() string { return "y copies it · esc closes" }

func (d *textDialog) view(b ui.Box) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(input.ShowInvisible(d.text), "\n"), "\n") {
		lines = append(lines, ui.Wrap(line, b.Width)...)
	}
	return d.scroll.View(b, strings.Join(lines, "\n"))
}

func (d *textDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "esc", "q", "enter":
		return nil, true
	case "y":
		return ui.Send(ui.CopyMsg{Text: d.text, Label: d.name}), false
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
