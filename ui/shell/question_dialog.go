package shell

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/input"
)

const (
	// answerDelay is how long a question must be visible before a key answers it: the key that opened it may still be
	// held down.
	answerDelay = 250 * time.Millisecond
	// maxAnswer bounds the characters of a typed answer. No word to type is that long.
	maxAnswer = 200
	// questionWidth is the width of a question.
	questionWidth = 66
	// minItems and maxItems bound the items that a question shows at once.
	minItems = 3
	maxItems = 20
)

// notTheWord is shown after another word than the one to type was confirmed.
const notTheWord = "That does not match."

// questionDialog asks for confirmation before an action runs.
type questionDialog struct {
	action      ui.Action
	confirmWord string        // the word to type; empty asks for y
	armed       bool          // visible for long enough to be answered
	left        time.Duration // until it is armed
	timesShown  int           // counts calls of disarm
	answer      *input.TextField
	mistyped    bool // another word was confirmed
	fits        bool // the whole question is visible
	firstItem   int  // the first of the items that are shown
	shownItems  int  // how many items are shown at once
}

// newQuestionDialog asks for the action's word, or for a code in its place if the word cannot be typed.
func newQuestionDialog(a ui.Action) *questionDialog {
	q := &questionDialog{action: a, confirmWord: a.Confirm.RequiredText, answer: input.NewLine("")}
	q.answer.SetLimit(maxAnswer)
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

// questionArmed says that a question has been visible for long enough, or for a second of its delay.
type questionArmed struct {
	q          *questionDialog
	timesShown int           // the call of disarm that it belongs to
	left       time.Duration // of the delay
}

// Deliver counts down, and arms the question in the end.
func (m questionArmed) Deliver() tea.Cmd {
	if m.timesShown != m.q.timesShown || m.q.armed {
		return nil
	}
	if m.q.left = m.left; m.left > 0 {
		return m.q.countDown()
	}
	m.q.armed = true
	return nil
}

// disarm keeps the question from being answered until it has been visible for long enough.
func (q *questionDialog) disarm() tea.Cmd {
	q.armed = false
	q.timesShown++
	q.left = max(answerDelay, q.action.Confirm.Delay)
	return q.countDown()
}

// countDown waits for the next second of the delay.
func (q *questionDialog) countDown() tea.Cmd {
	n, left := q.timesShown, q.left
	step := min(left, time.Second)
	return tea.Tick(step, func(time.Time) tea.Msg { return questionArmed{q, n, left - step} })
}

func (q *questionDialog) title() string { return q.action.Confirm.Title }

func (q *questionDialog) size(most ui.Box) (int, int) {
	b := ui.Box{Width: min(questionWidth, most.Width), Height: most.Height, Theme: &theme.Theme{}}
	return b.Width, len(q.questionLines(b, q.itemRoom(b))) + len(q.answerLines(b))
}

// layout finds out whether the whole question is visible: a question that cannot be read cannot be answered.
func (q *questionDialog) layout(b ui.Box) {
	q.shownItems = q.itemRoom(b)
	lines := len(q.questionLines(b, q.shownItems)) + len(q.answerLines(b))
	q.fits = lines <= b.Height && q.shownItems >= min(minItems, len(q.action.Confirm.Items)) && b.Width >= 30 &&
		ui.Width(q.confirmWord) <= b.Width
}

func (q *questionDialog) view(b ui.Box) string {
	lines := q.questionLines(b, q.shownItems)
	switch {
	case !q.fits:
		lines = ui.Wrap("This question does not fit in the window: make the terminal larger.", b.Width)
		for i, line := range lines {
			lines[i] = b.Theme.Paint(theme.Bad, line)
		}
	case !q.armed:
		wait := b.Theme.Glyphs.Ellipsis
		if q.action.Confirm.Delay > 0 {
			wait = "can be answered in " + wording.FormatCount(int64(q.left/time.Second)) + " s"
		}
		lines = append(lines, b.Theme.Paint(theme.Muted, wait))
	default:
		lines = append(lines, q.answerLines(b)...)
	}
	return strings.Join(lines, "\n")
}

// itemRoom returns how many items a box shows at once.
func (q *questionDialog) itemRoom(b ui.Box) int {
	all := len(q.action.Confirm.Items)
	room := b.Height - len(q.answerLines(b)) - len(q.questionLines(b, 0))
	if all <= min(room+1, maxItems) { // the line that counts them is not needed
		return all
	}
	return max(0, min(room, maxItems))
}

// questionLines returns the text and some of the items, followed by a blank line.
func (q *questionDialog) questionLines(b ui.Box, count int) []string {
	ask, mark := q.action.Confirm, b.Theme.Glyphs.Ellipsis
	var lines []string
	if ask.Warning != "" {
		for _, line := range ui.Wrap(ask.Warning, b.Width) {
			lines = append(lines, b.Theme.Paint(theme.Bad, line))
		}
		lines = append(lines, "")
	}
	lines = append(lines, decisiveFirst(ask.Text, b)...)
	if len(ask.Items) > 0 {
		lines = append(lines, "")
	}
	first := max(0, min(q.firstItem, len(ask.Items)-count))
	last := min(first+count, len(ask.Items))
	for _, item := range ask.Items[first:last] {
		lines = append(lines, "  "+ui.Truncate(item, b.Width-2, mark))
	}
	if n := len(ask.Items); n > count {
		lines = append(lines, b.ItemRange(first+1, last, n))
	}
	return append(lines, "")
}

// decisiveFirst wraps a text. Its first clause stands out: it says what happens to what.
func decisiveFirst(text string, b ui.Box) []string {
	end := len(text)
	for _, mark := range []string{": ", ". ", "; "} {
		if at := strings.Index(text, mark); at >= 0 {
			end = min(end, at+1)
		}
	}
	lines, from := ui.Wrap(text, b.Width), 0
	for i, line := range lines {
		from += max(0, strings.Index(text[from:], line))
		strong := max(0, min(end-from, len(line)))
		from += len(line)
		lines[i] = b.Theme.Paint(theme.Strong, line[:strong]) + line[strong:]
	}
	return lines
}

// scroll shows other items, and reports whether the key does that.
func (q *questionDialog) scroll(key string) bool {
	by := map[string]int{"down": 1, "up": -1, "pgdown": q.shownItems, "pgup": -q.shownItems}[key]
	most := len(q.action.Confirm.Items) - q.shownItems
	if by == 0 || most <= 0 {
		return false
	}
	q.firstItem = max(0, min(q.firstItem+by, most))
	return true
}

// answerLines says how to answer. A word to type is shown in full.
func (q *questionDialog) answerLines(b ui.Box) []string {
	t := b.Theme
	if q.confirmWord == "" {
		no := "[ " + t.Style(theme.Accent).Render("n") + " no, leave it ]"
		yes := "[ " + t.Style(theme.Bad).Render("y") + " yes, " + q.confirmLabel() + " ]"
		buttons := lipgloss.JoinHorizontal(lipgloss.Top, no, lipgloss.NewStyle().PaddingLeft(2).Render(yes))
		return []string{ui.PadLeft(buttons, b.Width)}
	}
	word, before, after := t.Paint(theme.Strong, q.confirmWord), "Type ", " to "+q.confirmLabel()+":"
	if q.mistyped {
		before = t.Paint(theme.Bad, notTheWord) + " Type "
	}
	answer := input.ViewField(q.answer, b, true, "")[0]
	if ui.Width(before+word+after) <= b.Width {
		return []string{before + word + after, answer}
	}
	return []string{before + "this" + after, word, answer}
}

func (q *questionDialog) confirmLabel() string {
	return cmp.Or(q.action.Confirm.ConfirmLabel, q.action.Name())
}

// declineLabel says what escape does. It is another word than the one for an action that cancels something.
func (q *questionDialog) declineLabel() string {
	if strings.HasPrefix(q.confirmLabel(), "cancel") {
		return "back"
	}
	return "cancel"
}

func (q *questionDialog) hints() []hint {
	var hints []hint
	if len(q.action.Confirm.Items) > q.shownItems {
		hints = []hint{{"up/down", "other rows"}}
	}
	switch {
	case !q.armed:
		return append(hints, hint{"esc", q.declineLabel()})
	case q.confirmWord != "":
		return append([]hint{{"enter", q.confirmLabel()}}, append(hints, hint{"esc", q.declineLabel()})...)
	}
	return append(hints, hint{"any other key", q.declineLabel()})
}

func (q *questionDialog) read(ui.Box) dialogReading {
	ask, escape := q.action.Confirm, "; escape cancels"
	if q.declineLabel() != "cancel" {
		escape = "; escape goes back"
	}
	text := strings.TrimSpace(ask.Warning + " " + ask.Text)
	r := dialogReading{intro: append([]string{text}, ui.ReadItems(ask.Items)...)}
	switch {
	case !q.fits:
		r.Item = "this question does not fit here: make the terminal larger, or press escape"
	case !q.armed:
		after := "in a moment"
		if ask.Delay > 0 {
			after = "after " + wording.FormatAge(ask.Delay)
		}
		r.Item = "it can be answered " + after + escape
	case q.confirmWord != "":
		r.Item = "type " + q.confirmWord + " and press enter" + escape
		r.Input = "answer: " + q.answer.Text()
		if q.mistyped {
			r.Item = notTheWord + " " + r.Item
		}
	default:
		r.Item = "n: no, leave it; y: yes, " + q.confirmLabel()
	}
	return r
}

func (q *questionDialog) handlePaste(msg tea.PasteMsg) tea.Cmd {
	text := strings.TrimSpace(msg.Content)
	if q.confirmWord != "" && !q.action.Confirm.NoPaste && q.armed && len(text) <= maxAnswer {
		q.answer.Paste(text)
	}
	return nil
}

func (q *questionDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	if q.scroll(k.String()) {
		return nil, false
	}
	answers := q.confirmWord == "" || k.String() == "enter"
	early := !q.armed && (answers || q.action.Confirm.Delay > 0) // the letters of a word may come early
	switch {
	case k.String() == "esc":
		return nil, true
	case early || k.IsRepeat:
		return nil, false
	case s.unseen && answers:
		return ui.ShowStatus(theme.Warn, "key ignored: pressed before the question appeared · press it again"), false
	}
	if q.confirmWord == "" {
		if k.String() == "y" && q.fits {
			return q.action.Do(), true
		}
		return nil, k.String() != "y"
	}
	switch k.String() {
	case "enter":
		if q.fits && q.answer.Text() == q.confirmWord {
			return q.action.Do(), true
		}
		q.mistyped = true
	default:
		q.mistyped = false
		q.answer.Press(k)
	}
	return nil, false
}
