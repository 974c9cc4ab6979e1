package shell

import (
	"cmp"
	"iter"
	"strings"
	"time"

	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
)

// chrome draws the lines around the pane: head line, tab bar and hints.
type chrome struct {
	s *Shell
	b ui.Box
}

// A clickTarget is a part of the screen that runs an action when it is clicked.
type clickTarget struct {
	y, from, to int
	action      ui.Action
}

// clickTargets returns the tabs and hints that can be clicked.
func (c chrome) clickTargets() []clickTarget {
	var targets []clickTarget
	x := 0
	for _, cell := range c.layoutTabs(c.tabs()) {
		if cell.front {
			targets = append(targets, c.breadcrumbTargets(x+cell.width-1)...)
		}
		if a := c.click(cell); a.Do != nil {
			targets = append(targets, clickTarget{1, x, x + cell.width, a})
		}
		x += cell.width
	}
	x = 1
	for a := range c.hints() {
		targets = append(targets, clickTarget{c.b.Height - 1, x, x + hintOf(a).width(), a})
		x += hintOf(a).width() + hintGap
	}
	return targets
}

// breadcrumbTargets returns the parts of the place that ends at a column of the tab bar: a click on one closes what was
// opened from there.
func (c chrome) breadcrumbTargets(end int) []clickTarget {
	t := c.s.tabs.current()
	whole := t.top().Info().Crumb
	from := end - ui.Width(whole)
	var targets []clickTarget
	for i, p := range t.stack[1:] {
		part := p.Info().Crumb
		if len(part) >= len(whole) || !strings.HasPrefix(whole, part) {
			continue
		}
		to := end - ui.Width(whole) + ui.Width(part)
		goUp := func() { t.popTo(i + 2) }
		targets = append(targets, clickTarget{1, max(0, from), to, ui.LocalAction("", part, "", goUp)})
		from = to
	}
	return targets
}

// headLine shows the account on the left, and on the right the freshness of the pane, what is left of the request
// budget, and the clock. Where there is little room, the budget goes first, then the program's name, then the end of
// the freshness. Nothing is cut but an account's name that is longer than the line.
func (c chrome) headLine() []span {
	o := &c.s.o
	account := c.account()
	clock := span{theme.Muted, formatClock(c.b.Now.In(o.Location))}
	text, tone := c.s.freshnessText()
	budget := span{theme.Muted, ""}
	if o.RequestBudget != nil {
		budget.text = o.RequestBudget()
	}
	brand := []span{{theme.Strong, "lookout"}, {theme.Plain, "  "}}
	room := c.b.Width - 2 - spansWidth(account) - ui.Width(clock.text) - 2*headGap
	if ui.Width(text)+spansWidth(brand) > room {
		brand = nil
	}
	room -= spansWidth(brand)
	text = fitParts(text, room)
	room -= ui.Width(text)
	shape, words := theme.SplitState(tone, text)
	line := append(append(append(make([]span, 0, 20), span{theme.Plain, " "}), brand...), account...)
	right := append(make([]span, 0, 8), span{tone, shape}, span{theme.Plain, words})
	if budget.text != "" && ui.Width(budget.text)+headGap <= room {
		right = append(right, span{theme.Plain, blanks(headGap)}, budget)
	}
	right = append(right, span{theme.Plain, blanks(headGap)}, clock)
	gap := max(headGap, c.b.Width-1-spansWidth(line)-spansWidth(right))
	return append(append(line, span{theme.Plain, blanks(gap)}), right...)
}

// headGap is the number of cells between two parts of the head line.
const headGap = 3

// blanks returns n blanks.
func blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// fitParts returns as many of the parts of a text, which dots separate, as fit in a width: at least the first.
func fitParts(text string, width int) string {
	for ui.Width(text) > width {
		at := strings.LastIndex(text, " · ")
		if at < 0 {
			return text
		}
		text = text[:at]
	}
	return text
}

// formatClock returns the time with the name of its zone, to which all times on the screen belong. Zones without an
// abbreviation are named by their offset.
func formatClock(t time.Time) string {
	zone, offset := t.Zone()
	if zone == "" || zone[0] == '+' || zone[0] == '-' {
		zone = "UTC" + t.Format("-07:00")
		if offset == 0 {
			zone = "UTC"
		}
	}
	return t.Format("Mon 15:04 ") + zone
}

// account returns the account's name with everything to know before changing something in it.
func (c chrome) account() []span {
	o := &c.s.o
	tone := cmp.Or(o.AccountTone, theme.Accent)
	spans := []span{{tone, o.Account}}
	add := func(tone theme.Tone, text string) {
		if text != "" {
			spans = append(spans, span{theme.Plain, " "}, span{tone, text})
		}
	}
	add(tone, o.AccountLabel)
	for _, word := range o.warnings() {
		add(word.tone, word.text)
	}
	return spans
}

// warnings returns the words that say how an account differs from others.
func (a AccountInfo) warnings() (words []span) {
	if a.Protected {
		words = append(words, span{theme.Bad, "PROD"})
	}
	if a.Demo {
		words = append(words, span{theme.Warn, "DEMO"})
	}
	if a.Banner != nil && a.Banner() != "" {
		words = append(words, span{theme.Bad, a.Banner()})
	}
	switch {
	case a.NotRecorded != "":
		words = append(words, span{theme.Warn, "read-only: changes cannot be recorded"})
	case a.ReadOnly:
		words = append(words, span{theme.Warn, "read-only"})
	}
	return words
}

// A hint is a key and what it does.
type hint struct{ key, word string }

// hintOf returns the hint of an action.
func hintOf(a ui.Action) hint {
	word := a.Name() + wording.WithPrefix(" ", a.Object)
	if a.Scope != "" {
		word += " (" + a.Scope + ")"
	}
	return hint{a.Key.Help().Key, word}
}

// width returns the number of cells that a hint takes.
func (h hint) width() int {
	if h.key == "" {
		return ui.Width(h.word)
	}
	return ui.Width(h.key) + 1 + ui.Width(h.word)
}

// spans returns the hint as it is drawn.
func (h hint) spans() []span {
	if h.key == "" {
		return []span{{theme.Muted, h.word}}
	}
	return []span{{theme.Accent, h.key}, {theme.Plain, " "}, {theme.Muted, h.word}}
}

// hintGap is the number of cells between two hints.
const hintGap = 2

// hints yields the actions for which the hint line has room: help, which shows all others, always has it. While text is
// typed, no key is an action.
func (c chrome) hints() iter.Seq[ui.Action] {
	return func(yield func(ui.Action) bool) {
		if c.s.dialogs.top() != nil || c.s.pane().Info().Typing {
			return
		}
		help := c.s.program.actions(c.s)[0]
		x, room := 1, c.b.Width-hintGap-hintOf(help).width()
		for a := range c.s.actions() {
			if a.ID() == help.ID() {
				room = c.b.Width
			}
			hidden := a.DisabledReason != "" && a.Group != "program" || a.Writes && c.s.o.ReadOnly
			if !a.ShowInHints || hidden {
				continue
			}
			if end := x + hintOf(a).width(); end < room {
				x = end + hintGap
				if !yield(a) {
					return
				}
			}
		}
	}
}

// hintLine shows the keys that work now, the most important first: those of the dialog in front, of the text that is
// typed, or of the pane. A hint that does not fit is left out.
func (c chrome) hintLine() []span {
	var hints []hint
	switch d := c.s.dialogs.top(); {
	case d != nil:
		hints = d.hints()
	case c.s.pane().Info().Typing:
		hints = []hint{{"enter", "keep"}, {"esc", "clear"}}
	default:
		for a := range c.hints() {
			hints = append(hints, hintOf(a))
		}
	}
	line := append(make([]span, 0, 1+4*len(hints)), span{theme.Plain, " "})
	x := 1
	for _, h := range hints {
		if x+h.width() >= c.b.Width {
			continue
		}
		line = append(append(line, h.spans()...), span{theme.Plain, blanks(hintGap)})
		x += h.width() + hintGap
	}
	return line
}

// workHint returns the progress of the work under way, unless the pane in front shows it.
func (c chrome) workHint() workHint {
	p := c.s.progress()
	i := c.s.tabs.find(p.Pane)
	if i < 0 || c.s.pane().Name() == p.Pane {
		return workHint{}
	}
	w := workHint{parts: p.Parts}
	if key := c.s.shownTabKeys()[i]; key != "" {
		w.key = ui.KeyLabel(key) + ": " + p.Pane
	}
	return w
}

// statusLine shows the message on the left, and the mode and the counts of the pane on the right. The message goes
// first: of the counts it shows those that fit.
func (c chrome) statusLine() string {
	readKey := ""
	info := c.s.pane().Info()
	if c.s.dialogs.top() == nil && !info.Typing {
		readKey = c.s.programKey(messagesName, "m")
	}
	left := c.s.status.view(c.b, c.s.programKey(undoName, "u"), readKey, c.workHint())
	if info.Status == nil {
		return left
	}
	t, status := c.b.Theme, info.Status()
	if c.s.dialogs.top() != nil {
		t = t.Dimmed()
	}
	for len(status) > 0 {
		text := strings.Join(status, " · ")
		if gap := c.b.Width - 1 - ui.Width(left) - ui.Width(text); gap >= 2 || left == "" && gap >= 1 {
			return left + blanks(gap) + t.Paint(theme.Muted, text)
		}
		status = status[:len(status)-1]
	}
	return left
}
