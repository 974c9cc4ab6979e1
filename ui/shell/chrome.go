package shell

import (
	"cmp"
	"strings"

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
	bar := c.layoutTabs()
	var targets []clickTarget
	x := 0
	for i, l := range bar.labels {
		if l.width > 0 {
			targets = append(targets, clickTarget{1, x, x + l.width, tabAction(c.s, i)})
		}
		x += l.width
	}
	if bar.cut {
		open := programAction("go to", "", func() { openPalette(c.s) })
		targets = append(targets, clickTarget{1, x, x + 1, open})
	}
	x = 1
	for _, a := range c.hints() {
		targets = append(targets, clickTarget{c.b.Height - 1, x, x + hintWidth(a), a})
		x += hintWidth(a) + hintGap
	}
	return targets
}

func (c chrome) rule() []span {
	return []span{{theme.Rule, strings.Repeat(c.b.Theme.Glyphs.Horizontal, c.b.Width)}}
}

// headLine shows the account, the freshness of the pane and the clock.
func (c chrome) headLine() []span {
	o := &c.s.o
	line := append(make([]span, 0, 20), span{theme.Strong, " lookout"}, span{theme.Plain, "  "})
	line = append(line, c.account()...)
	text, tone := c.s.freshnessText()
	clock := c.b.Now.In(o.Location).Format("Mon 15:04 MST") + " "
	room := max(0, c.b.Width-spansWidth(line)-3)
	line = append(line, span{theme.Plain, "   "}, span{tone, ui.Truncate(text, room, c.b.Theme.Glyphs.Ellipsis)})
	budget := ""
	if o.RequestBudget != nil {
		budget = o.RequestBudget()
	}
	if c.b.Width-spansWidth(line)-ui.Width(clock)-ui.Width(budget) >= 4 && budget != "" {
		line = append(line, span{theme.Plain, "   "}, span{theme.Muted, budget})
	}
	if gap := c.b.Width - spansWidth(line) - ui.Width(clock); gap >= 1 {
		line = append(line, span{theme.Plain, strings.Repeat(" ", gap)}, span{theme.Muted, clock})
	}
	return line
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
	if c.s.valuesHidden {
		add(theme.Warn, "values hidden")
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

// hintGap is the number of cells between two hints.
const hintGap = 2

// hintWidth returns the number of cells that the hint of an action takes.
func hintWidth(a ui.Action) int { return ui.Width(a.Key.Help().Key) + 1 + ui.Width(a.Name()) }

// hints returns the actions for which the hint line has room.
func (c chrome) hints() []ui.Action {
	var shown []ui.Action
	x := 1
	for _, a := range c.s.actions() {
		hidden := a.DisabledReason != "" && a.Group != "program" || a.Writes && c.s.o.ReadOnly
		if !a.ShowInHints || hidden || x+hintWidth(a)+hintGap > c.b.Width {
			continue
		}
		shown = append(shown, a)
		x += hintWidth(a) + hintGap
	}
	return shown
}

// hintLine shows the keys of the most important actions, or the hint of the dialog in front.
func (c chrome) hintLine() []span {
	if d := c.s.dialogs.top(); d != nil {
		return []span{{theme.Plain, " "}, {theme.Muted, d.hint()}}
	}
	hints := c.hints()
	line := append(make([]span, 0, 1+4*len(hints)), span{theme.Plain, " "})
	for _, a := range hints {
		line = append(line,
			span{theme.Accent, a.Key.Help().Key}, span{theme.Plain, " "},
			span{theme.Muted, a.Name()}, span{theme.Plain, "  "},
		)
	}
	return line
}

// How much of its name a tab shows if it is not in front and has no badge.
const (
	fullName  = 100
	shortName = 5
	noName    = 0 // the digit alone
)

// digits are the keys of the tabs, by their positions.
const digits = "0123456789"

// A tabLabel is a tab in the tab bar. The width includes the blank behind it; a tab that is left out has none.
type tabLabel struct {
	text, badge string // digit and name; the badge with a blank before it
	tone        theme.Tone
	width       int
}

// A tabLayout is the tab bar before it is drawn.
type tabLayout struct {
	labels []tabLabel
	cut    bool   // tabs are left out
	crumb  string // the place in the tab in front
}

// layoutTabs fits the tabs to the width. If tabs and place do not both fit, the tab in front and the place remain.
func (c chrome) layoutTabs() tabLayout {
	var bar tabLayout
	if p, ok := c.s.pane().(ui.Crumber); ok && len(c.s.tabs.current().stack) > 1 {
		bar.crumb = " " + c.b.Theme.Glyphs.Right + " " + p.Crumb()
	}
	bar.labels, bar.cut = c.s.tabLabels(c.b.Width - 1 - ui.Width(bar.crumb))
	if bar.crumb != "" && bar.cut {
		front := c.s.tabLabel(c.s.tabs.front, fullName)
		bar.labels = make([]tabLabel, len(bar.labels))
		bar.labels[c.s.tabs.front] = tabLabel{text: front.text, width: ui.Width(front.text)}
		bar.crumb = truncateLeft(bar.crumb, c.b.Width-ui.Width(front.text)-1, c.b.Theme.Glyphs.Ellipsis)
		bar.cut = false
	}
	return bar
}

// tabBar shows the tabs with their digits and badges, and the place in the tab in front.
func (c chrome) tabBar() []span {
	bar := c.layoutTabs()
	line := make([]span, 0, 3*len(bar.labels)+2)
	for i, l := range bar.labels {
		if l.width == 0 {
			continue
		}
		tone := theme.Muted
		if i == c.s.tabs.front {
			tone = theme.Accent
		}
		line = append(line, span{tone, l.text}, span{l.tone, l.badge})
		if l.width > ui.Width(l.text)+ui.Width(l.badge) {
			line = append(line, span{theme.Plain, " "})
		}
	}
	if bar.cut {
		line = append(line, span{theme.Plain, c.b.Theme.Glyphs.Ellipsis})
	}
	return append(line, span{theme.Strong, bar.crumb})
}

// tabLabels returns all tabs. If they do not fit, names become short, then disappear; then tabs are left out from the
// end, but never the one in front, and those with badges last.
func (s *Shell) tabLabels(room int) (labels []tabLabel, cut bool) {
	for _, most := range []int{fullName, shortName, noName} {
		labels = labels[:0]
		for i := range s.tabs.list {
			labels = append(labels, s.tabLabel(i, most))
		}
		if left := room - totalWidth(labels); left >= 0 {
			return s.restoreShortNames(labels, left), false
		}
	}
	for _, withBadge := range []bool{false, true} {
		for i := len(labels) - 1; i >= 0 && totalWidth(labels) >= room; i-- {
			if i != s.tabs.front && (labels[i].badge != "") == withBadge {
				labels[i] = tabLabel{}
			}
		}
	}
	return labels, true
}

// restoreShortNames gives tabs their short names back, from the left, as long as there is room.
func (s *Shell) restoreShortNames(labels []tabLabel, left int) []tabLabel {
	for i, l := range labels {
		if longer := s.tabLabel(i, shortName); longer.width > l.width && longer.width-l.width <= left {
			labels[i], left = longer, left-longer.width+l.width
		}
	}
	return labels
}

func totalWidth(labels []tabLabel) int {
	n := 0
	for _, l := range labels {
		n += l.width
	}
	return n
}

// tabLabel returns a tab with at most this many cells of its name. Only the first ten have a digit.
func (s *Shell) tabLabel(i, most int) tabLabel {
	l, t := tabLabel{}, s.tabs.list[i]
	if b, ok := t.root().(ui.BadgeProvider); ok {
		if l.badge, l.tone = b.Badge(); l.badge != "" {
			l.badge = " " + l.badge
		}
	}
	if i < 10 {
		l.text = " " + digits[(i+1)%10:][:1]
	}
	switch {
	case i == s.tabs.front:
		most = fullName
	case l.badge != "" || l.text == "": // a badge alone would not say what it counts
		most = max(most, shortName)
	}
	if most > noName {
		l.text += " " + ui.Truncate(t.title(), most, "")
	}
	l.width = ui.Width(l.text) + ui.Width(l.badge) + 1
	return l
}
