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
	leastWidth  = 40
	leastHeight = 10
)

// hit is a part of the frame that can be clicked.
type hit struct {
	y, from, to int
	action      ui.Action
}

// Frame is what is to be seen: exactly as wide and high as the terminal.
func (s *Shell) Frame() terminal.Frame {
	if s.hidden {
		return terminal.Frame{Content: masked(s.content(), s.o.Theme.Glyphs.Mask, s.o.Account), Title: "lookout", Mouse: s.mouse, Percent: s.percent()}
	}
	return terminal.Frame{Content: s.content(), Title: "lookout " + s.o.Account, Mouse: s.mouse, Percent: s.percent()}
}

// percent is how far work under way is; 0 without any.
func (s *Shell) percent() int {
	if s.o.Progress == nil {
		return 0
	}
	return s.o.Progress()
}

// cramped reports whether the terminal is too small for the program: nothing but leaving it is done then.
func (s *Shell) cramped() bool {
	return !s.o.Bare && (s.width < leastWidth || s.height < leastHeight)
}

func (s *Shell) content() string {
	b := ui.Box{Width: s.width, Height: s.height, Theme: s.o.Theme, Now: s.now(), Focused: true}
	s.hits = s.hits[:0]
	if s.o.Bare {
		return b.Fit(s.pane().View(b))
	}
	if s.cramped() {
		return b.Fit(fmt.Sprintf("lookout needs %d×%d cells,\nthis is %d×%d.\nctrl+c ends it; no other key does anything.", leastWidth, leastHeight, s.width, s.height))
	}
	body := b
	body.Height = s.height - 6
	rule := b.Theme.Paint(theme.Rule, strings.Repeat(b.Theme.Glyphs.H, s.width))
	middle := body.Fit(s.pane().View(body))
	if n := len(s.dialogs); n > 0 {
		middle = body.Fit(over(middle, s.dialogs[n-1], body, &s.inside))
	}
	line := b
	line.Height = 1
	var out strings.Builder
	out.Grow(len(middle) + 16*s.width)
	for i, part := range []string{line.Fit(s.head(b)), line.Fit(s.tabLine(b)), rule, middle, rule, line.Fit(s.news.view(b)), line.Fit(s.hints(b))} {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(part)
	}
	return out.String()
}

// paint writes text in a tone.
func paint(out *strings.Builder, t *theme.Theme, tone theme.Tone, text string) {
	if text == "" {
		return
	}
	look := t.Style(tone)
	out.WriteString(look.Open)
	out.WriteString(text)
	out.WriteString(look.Close)
}

// head says which account, how fresh, what may be done.
func (s *Shell) head(b ui.Box) string {
	t := b.Theme
	left := t.Paint(theme.Strong, " lookout") + "  " + t.Paint(s.tone(), s.o.Account)
	if s.o.Word != "" {
		left += " " + t.Paint(s.tone(), s.o.Word)
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
	if s.hidden {
		left += " " + t.Paint(theme.Warn, "values hidden")
	}
	text, tone := s.state()
	clock := b.Now.In(s.o.Location).Format("Mon 15:04 MST")
	budget := ""
	if s.o.Budget != nil {
		budget = s.o.Budget()
	}
	right := clock + " "
	room := b.Width - ui.Width(left) - 3
	state := t.Paint(tone, ui.Cut(text, max(0, room), t.Glyphs.Ellipsis))
	left += "   " + state
	if gap := b.Width - ui.Width(left) - ui.Width(right) - ui.Width(budget) - 4; budget != "" && gap >= 0 {
		left += "   " + t.Paint(theme.Muted, budget)
	}
	if gap := b.Width - ui.Width(left) - ui.Width(right); gap >= 1 {
		left += strings.Repeat(" ", gap) + t.Paint(theme.Muted, right)
	}
	return left
}

// tabLine is the panes with their digits and badges, and where the front one stands. Where both do not fit, where it stands wins.
func (s *Shell) tabLine(b ui.Box) string {
	crumb := ""
	if c, ok := s.pane().(ui.Crumber); ok && len(s.tabs[s.front].stack) > 1 {
		crumb = " " + b.Theme.Glyphs.Right + " " + c.Crumb()
	}
	room := b.Width - 1 - ui.Width(crumb)
	labels, out := s.tabTexts(room)
	if crumb != "" && out {
		text := s.tabText(s.front, whole).text
		return b.Theme.Paint(theme.Accent, text) + b.Theme.Paint(theme.Strong, tail(crumb, b.Width-ui.Width(text)-1, b.Theme.Glyphs.Ellipsis))
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
		paint(&line, b.Theme, look, l.text)
		paint(&line, b.Theme, l.tone, l.badge)
		line.WriteByte(' ')
		s.hits = append(s.hits, hit{1, x, x + l.width, s.tabAction(i)})
		x += l.width
	}
	if out {
		line.WriteString(b.Theme.Glyphs.Ellipsis)
		s.hits = append(s.hits, hit{1, x, x + 1, ui.Action{Key: ui.Bind("go to"), Do: s.choosePlace}})
	}
	paint(&line, b.Theme, theme.Strong, crumb)
	return line.String()
}

// label is a tab as it is drawn: digit and name, badge, and the cells of both with the blank behind. No cells are a tab that is left out.
type label struct {
	text, badge string
	tone        theme.Tone
	width       int
}

// How much of its name a tab shows that is neither in front nor has something to say.
const (
	whole = 100
	short = 5
	none  = 0 // its digit alone
)

// tabTexts are all tabs. Where they do not fit names are shortened, then only digits are left, then tabs leave from the end: never the one
// in front, and those with something to say last.
func (s *Shell) tabTexts(room int) (labels []label, out bool) {
	for _, most := range []int{whole, short, none} {
		labels = labels[:0]
		for i := range s.tabs {
			labels = append(labels, s.tabText(i, most))
		}
		if width(labels) <= room {
			return s.named(labels, room-width(labels)), false
		}
	}
	for _, telling := range []bool{false, true} {
		for i := len(labels) - 1; i >= 0 && width(labels) >= room; i-- {
			if i != s.front && (labels[i].badge != "") == telling {
				labels[i] = label{}
			}
		}
	}
	return labels, true
}

// named gives tabs their short names back, the first first, where the room that is left allows it.
func (s *Shell) named(labels []label, left int) []label {
	for i, l := range labels {
		if longer := s.tabText(i, short); longer.width > l.width && longer.width-l.width <= left {
			labels[i], left = longer, left-longer.width+l.width
		}
	}
	return labels
}

func width(labels []label) int {
	n := 0
	for _, l := range labels {
		n += l.width
	}
	return n
}

// tabText is a tab, with at most so much of its name. Only the first ten have a digit.
func (s *Shell) tabText(i, most int) label {
	l := label{}
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
		most = whole
	case l.badge != "" || l.text == "": // what a count is about is told
		most = max(most, short)
	}
	if most > none {
		l.text += " " + ui.Cut(tabName(s.tabs[i]), most, "")
	}
	l.width = ui.Width(l.text) + ui.Width(l.badge) + 1
	return l
}

// tail is the end of a text that fits, with a mark where it was cut.
func tail(text string, width int, mark string) string {
	if w := ui.Width(text); w > width {
		return mark + ansi.TruncateLeft(text, w-width+1, "")
	}
	return text
}

// hints are the keys worth a line, read from the actions.
func (s *Shell) hints(b ui.Box) string {
	var out strings.Builder
	out.Grow(b.Width * 4)
	out.WriteByte(' ')
	x := 1
	if n := len(s.dialogs); n > 0 {
		return " " + b.Theme.Paint(theme.Muted, s.dialogs[n-1].hint())
	}
	for _, a := range s.actions() {
		if !a.Show || a.Off != "" && a.Group != "program" || a.Change && s.o.ReadOnly {
			continue
		}
		width := ui.Width(a.Key.Help().Key) + 1 + ui.Width(a.Name()) + 2
		if x+width > b.Width {
			continue
		}
		paint(&out, b.Theme, theme.Accent, a.Key.Help().Key)
		out.WriteByte(' ')
		paint(&out, b.Theme, theme.Muted, a.Name())
		out.WriteString("  ")
		s.hits = append(s.hits, hit{s.height - 1, x, x + width - 2, a})
		x += width
	}
	return out.String()
}

// tone is the account's own, so that accounts are told apart at a glance.
func (s *Shell) tone() theme.Tone {
	if s.o.Tone == theme.Plain {
		return theme.Accent
	}
	return s.o.Tone
}

// digits are the keys of the tabs, by their places.
const digits = "0123456789"

// tabAction brings a tab to the front.
func (s *Shell) tabAction(i int) ui.Action {
	return ui.Action{Key: ui.Bind(s.tabs[i].stack[0].Name()), Do: func() tea.Cmd { return s.toTab(i) }}
}

// tabName is a pane's name as its tab shows it.
func tabName(t *tab) string {
	name := t.stack[0].Name()
	if len(name) <= 3 {
		return strings.ToUpper(name)
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
