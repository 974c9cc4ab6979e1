package shell

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// The least room that the program works in.
const (
	minWidth  = 40
	minHeight = 10
)

// clickTarget is a part of the frame that can be clicked.
type clickTarget struct {
	y, from, to int
	action      ui.Action
}

// Frame is what is to be seen: exactly as wide and high as the terminal.
func (s *Shell) Frame() terminal.Frame {
	if s.valuesHidden {
		return terminal.Frame{
			Content:         maskValues(s.content(), s.o.Theme.Glyphs.Mask, s.o.Account),
			Title:           "lookout",
			Mouse:           s.mouse,
			ProgressPercent: s.progressPercent(),
		}
	}
	return terminal.Frame{
		Content:         s.content(),
		Title:           "lookout " + s.o.Account,
		Mouse:           s.mouse,
		ProgressPercent: s.progressPercent(),
	}
}

// progressPercent is how far work under way is; 0 without any.
func (s *Shell) progressPercent() int {
	if s.o.Progress == nil {
		return 0
	}
	return s.o.Progress()
}

// tooSmall reports whether the terminal is too small for the program: nothing but leaving it is done then.
func (s *Shell) tooSmall() bool {
	return !s.o.PaneOnly && (s.width < minWidth || s.height < minHeight)
}

func (s *Shell) content() string {
	b := ui.Box{
		Width:   s.width,
		Height:  s.height,
		Theme:   s.o.Theme,
		Now:     s.now(),
		Focused: true,
	}
	s.clickTargets = s.clickTargets[:0]
	if s.o.PaneOnly {
		return b.Fit(s.pane().View(b))
	}
	if s.tooSmall() {
		return b.Fit(
			fmt.Sprintf(
				"lookout needs %d×%d cells,\nthis is %d×%d.\nctrl+c ends it; no other key does anything.",
				minWidth,
				minHeight,
				s.width,
				s.height,
			),
		)
	}
	body := b
	body.Height = s.height - 6
	rule := b.Theme.Paint(theme.Rule, strings.Repeat(b.Theme.Glyphs.Horizontal, s.width))
	middle := body.Fit(s.pane().View(body))
	if n := len(s.dialogs); n > 0 {
		middle = body.Fit(overlayDialog(middle, s.dialogs[n-1], body, &s.dialogArea))
	}
	line := b
	line.Height = 1
	var out strings.Builder
	out.Grow(len(middle) + 16*s.width)
	for i, part := range []string{line.Fit(s.headLine(b)), line.Fit(s.tabLine(b)), rule, middle, rule, line.Fit(s.news.view(b)), line.Fit(s.hintLine(b))} {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(part)
	}
	return out.String()
}

// writeStyled writes text in a tone.
func writeStyled(out *strings.Builder, t *theme.Theme, tone theme.Tone, text string) {
	if text == "" {
		return
	}
	look := t.Codes(tone)
	out.WriteString(look.Open)
	out.WriteString(text)
	out.WriteString(look.Close)
}

// headLine says which account, how fresh, what may be done.
func (s *Shell) headLine(b ui.Box) string {
	t := b.Theme
	left := t.Paint(theme.Strong, " lookout") + "  " + t.Paint(s.accountTone(), s.o.Account)
	if s.o.AccountLabel != "" {
		left += " " + t.Paint(s.accountTone(), s.o.AccountLabel)
	}
	if s.o.Protected {
		left += " " + t.Paint(theme.Bad, "PROD")
	}
	if s.o.Demo {
		left += " " + t.Paint(theme.Warn, "DEMO")
	}
	if s.o.Banner != nil && s.o.Banner() != "" {
		left += " " + t.Paint(theme.Bad, s.o.Banner())
	}
	if s.o.ReadOnly {
		left += " " + t.Paint(theme.Warn, "read-only")
	}
	if s.valuesHidden {
		left += " " + t.Paint(theme.Warn, "values hidden")
	}
	text, tone := s.freshnessText()
	clock := b.Now.In(s.o.Location).Format("Mon 15:04 MST")
	budget := ""
	if s.o.RequestBudget != nil {
		budget = s.o.RequestBudget()
	}
	right := clock + " "
	room := b.Width - ui.Width(left) - 3
	state := t.Paint(tone, ui.Truncate(text, max(0, room), t.Glyphs.Ellipsis))
	left += "   " + state
	if gap := b.Width - ui.Width(left) - ui.Width(right) - ui.Width(budget) - 4; budget != "" && gap >= 0 {
		left += "   " + t.Paint(theme.Muted, budget)
	}
	if gap := b.Width - ui.Width(left) - ui.Width(right); gap >= 1 {
		left += strings.Repeat(" ", gap) + t.Paint(theme.Muted, right)
	}
	return left
}

// tabLine is the panes with their digits and badges, and where the front one stands. Where both do not fit, where it
// stands wins.
func (s *Shell) tabLine(b ui.Box) string {
	crumb := ""
	if c, ok := s.pane().(ui.Crumber); ok && len(s.tabs[s.front].stack) > 1 {
		crumb = " " + b.Theme.Glyphs.Right + " " + c.Crumb()
	}
	room := b.Width - 1 - ui.Width(crumb)
	labels, out := s.tabLabels(room)
	if crumb != "" && out {
		text := s.tabLabel(s.front, fullName).text
		return b.Theme.Paint(
			theme.Accent,
			text,
		) + b.Theme.Paint(
			theme.Strong,
			truncateLeft(crumb, b.Width-ui.Width(text)-1, b.Theme.Glyphs.Ellipsis),
		)
	}
	var line strings.Builder
	line.Grow(b.Width * 4)
	x := 0
	for i, l := range labels {
		if l.width == 0 {
			continue
		}
		look := theme.Muted
		if i == s.front {
			look = theme.Accent
		}
		writeStyled(&line, b.Theme, look, l.text)
		writeStyled(&line, b.Theme, l.tone, l.badge)
		line.WriteByte(' ')
		s.clickTargets = append(s.clickTargets, clickTarget{1, x, x + l.width, s.tabAction(i)})
		x += l.width
	}
	if out {
		line.WriteString(b.Theme.Glyphs.Ellipsis)
		s.clickTargets = append(
			s.clickTargets,
			clickTarget{1, x, x + 1, ui.Action{Key: ui.Bind("go to"), Do: s.openPalette}},
		)
	}
	writeStyled(&line, b.Theme, theme.Strong, crumb)
	return line.String()
}

// tabLabel is a tab as it is drawn: digit and name, badge, and the cells of both with the blank behind. No cells are a
// tab that is left out.
type tabLabel struct {
	text, badge string
	tone        theme.Tone
	width       int
}

// How much of its name a tab shows that is neither in front nor has something to say.
const (
	fullName  = 100
	shortName = 5
	noName    = 0 // its digit alone
)

// tabLabels are all tabs. Where they do not fit names are shortened, then only digits are left, then tabs leave from
// the end: never the one in front, and those with something to say last.
func (s *Shell) tabLabels(room int) (labels []tabLabel, out bool) {
	for _, most := range []int{fullName, shortName, noName} {
		labels = labels[:0]
		for i := range s.tabs {
			labels = append(labels, s.tabLabel(i, most))
		}
		if totalWidth(labels) <= room {
			return s.restoreShortNames(labels, room-totalWidth(labels)), false
		}
	}
	for _, telling := range []bool{false, true} {
		for i := len(labels) - 1; i >= 0 && totalWidth(labels) >= room; i-- {
			if i != s.front && (labels[i].badge != "") == telling {
				labels[i] = tabLabel{}
			}
		}
	}
	return labels, true
}

// restoreShortNames gives tabs their short names back, the first first, where the room that is left allows it.
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

// tabLabel is a tab, with at most so much of its name. Only the first ten have a digit.
func (s *Shell) tabLabel(i, most int) tabLabel {
	l := tabLabel{}
	if t, ok := s.tabs[i].stack[0].(ui.Badger); ok {
		if l.badge, l.tone = t.Badge(); l.badge != "" {
			l.badge = " " + l.badge
		}
	}
	if i < 10 {
		l.text = " " + digits[(i+1)%10:][:1]
	}
	switch {
	case i == s.front:
		most = fullName
	case l.badge != "" || l.text == "": // what a count is about is told
		most = max(most, shortName)
	}
	if most > noName {
		l.text += " " + ui.Truncate(tabName(s.tabs[i]), most, "")
	}
	l.width = ui.Width(l.text) + ui.Width(l.badge) + 1
	return l
}

// truncateLeft is the end of a text that fits, with a mark where it was cut.
func truncateLeft(text string, width int, mark string) string {
	if w := ui.Width(text); w > width {
		return mark + ansi.TruncateLeft(text, w-width+1, "")
	}
	return text
}

// hintLine are the keys worth a line, read from the actions.
func (s *Shell) hintLine(b ui.Box) string {
	var out strings.Builder
	out.Grow(b.Width * 4)
	out.WriteByte(' ')
	x := 1
	if n := len(s.dialogs); n > 0 {
		return " " + b.Theme.Paint(theme.Muted, s.dialogs[n-1].hint())
	}
	for _, a := range s.actions() {
		if !a.ShowInHints || a.DisabledReason != "" && a.Group != "program" || a.Writes && s.o.ReadOnly {
			continue
		}
		width := ui.Width(a.Key.Help().Key) + 1 + ui.Width(a.Name()) + 2
		if x+width > b.Width {
			continue
		}
		writeStyled(&out, b.Theme, theme.Accent, a.Key.Help().Key)
		out.WriteByte(' ')
		writeStyled(&out, b.Theme, theme.Muted, a.Name())
		out.WriteString("  ")
		s.clickTargets = append(s.clickTargets, clickTarget{s.height - 1, x, x + width - 2, a})
		x += width
	}
	return out.String()
}

// accountTone is the account's own, so that accounts are told apart at a glance.
func (s *Shell) accountTone() theme.Tone {
	if s.o.AccountTone == theme.Plain {
		return theme.Accent
	}
	return s.o.AccountTone
}

// digits are the keys of the tabs, by their places.
const digits = "0123456789"

// tabAction brings a tab to the front.
func (s *Shell) tabAction(i int) ui.Action {
	return ui.Action{Key: ui.Bind(s.tabs[i].stack[0].Name()), Do: func() tea.Cmd { return s.switchTab(i) }}
}

// tabName is a pane's name as its tab shows it.
func tabName(t *tab) string {
	name := t.stack[0].Name()
	if len(name) <= 3 {
		return strings.ToUpper(name)
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
