package ui

import (
	"fmt"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// A Check says what is wrong with a text; "" is nothing.
type Check func(string) string

// Length bounds a text in characters.
func Length(low, high int) Check {
	return func(s string) string {
		switch n := utf8.RuneCountInString(s); {
		case n < low && n == 0:
			return fmt.Sprintf("needed: %d to %d characters", low, high)
		case n < low || n > high:
			return fmt.Sprintf("%d to %d characters are needed; these are %d", low, high, n)
		}
		return ""
	}
}

// Required refuses an empty text.
func Required() Check {
	return func(s string) string {
		if s == "" {
			return "needed"
		}
		return ""
	}
}

// Optional lets an empty text pass.
func Optional(check Check) Check {
	return func(s string) string {
		if s == "" {
			return ""
		}
		return check(s)
	}
}

// Email checks the form of a mail address.
func Email() Check {
	return func(s string) string {
		if a, err := mail.ParseAddress(s); err != nil || a.Address != s {
			return "a mail address is needed, as name@example.com"
		}
		return ""
	}
}

// A Field is one value of a form. Its name is the API's, so that a refusal's reasons land beneath it.
type Field struct {
	Name, Label string
	note        func() string
	when        func() bool
	checks      []Check
	input       input
}

// Note is a line of explanation beneath the field while it has the keyboard.
func (f Field) Note(text string) Field { return f.Notes(func() string { return text }) }

// Notes is a Note that depends on what has been chosen so far.
func (f Field) Notes(text func() string) Field { f.note = text; return f }

// about is the field's note; empty without any.
func (f Field) about() string {
	if f.note == nil {
		return ""
	}
	return f.note()
}

// When shows the field only while a condition holds.
func (f Field) When(shown func() bool) Field { f.when = shown; return f }

// Check adds checks.
func (f Field) Check(checks ...Check) Field { f.checks = append(f.checks, checks...); return f }

func (f Field) shown() bool { return f.when == nil || f.when() }

// wrong is what is wrong with the field's value.
func (f Field) wrong() string {
	text := f.input.text()
	if w, ok := f.input.(interface{ wrong() string }); ok {
		if reason := w.wrong(); reason != "" {
			return reason
		}
	}
	for _, check := range f.checks {
		if reason := check(text); reason != "" {
			return reason
		}
	}
	return ""
}

// An input is a kind of field: it takes keys and draws its value.
type input interface {
	text() string                      // for checks
	press(tea.KeyPressMsg) bool        // whether the key was taken
	paste(string)                      //
	view(b Box, focused bool) []string // at most b.Width cells wide
}

// Text is a line of text.
func Text[S ~string](name, label string, v *S, checks ...Check) Field {
	return Field{Name: name, Label: label, checks: checks, input: newTyped(string(*v), func(s string) { *v = S(s) })}
}

// Secret is a text that is never drawn: a few dots stand for any length.
func Secret(name, label string, v *string, checks ...Check) Field {
	t := newTyped(*v, func(s string) { *v = s })
	t.secret = true
	return Field{Name: name, Label: label, checks: checks, input: t}
}

// Lines is a text of several lines: notes, certificates.
func Lines(name, label string, v *string, checks ...Check) Field {
	t := newTyped(*v, func(s string) { *v = s })
	t.many = true
	return Field{Name: name, Label: label, checks: checks, input: t}
}

// Pick is a line of text with values on offer: up and down go through those that match.
func Pick(name, label string, v *string, offers func() []string, checks ...Check) Field {
	t := newTyped(*v, func(s string) { *v = s })
	t.offers = offers
	return Field{Name: name, Label: label, checks: checks, input: t}
}

// Number is a whole number within bounds. What is outside is told, never bent.
func Number(name, label string, v *int, low, high int) Field {
	return number(name, label, v, low, high, false)
}

// OptionalNumber is a Number that may be left empty, which is 0.
func OptionalNumber(name, label string, v *int, low, high int) Field {
	return number(name, label, v, low, high, true)
}

func number(name, label string, v *int, low, high int, optional bool) Field {
	start := strconv.Itoa(*v)
	if optional && *v == 0 {
		start = ""
	}
	t := newTyped(start, func(s string) {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			n = 0
		}
		*v = n
	})
	check := func(s string) string {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if optional && s == "" {
			return ""
		}
		if err != nil || n < low || n > high {
			return fmt.Sprintf("a number from %d to %d is needed", low, high)
		}
		return ""
	}
	return Field{Name: name, Label: label, checks: []Check{check}, input: t}
}

// typed is text at a cursor.
type typed struct {
	runes  []rune
	at     int
	set    func(string)
	secret bool
	many   bool
	offers func() []string
	note   string
}

// longest is how many characters a field takes; more is cut and said.
const longest = 100_000

func newTyped(start string, set func(string)) *typed {
	r := []rune(start)
	return &typed{runes: r, at: len(r), set: set}
}

func (t *typed) text() string { return string(t.runes) }

func (t *typed) wrong() string { return t.note }

func (t *typed) insert(s string) {
	keep := func(r rune) rune {
		if r == '\n' && t.many {
			return r
		}
		if r == '\t' {
			return ' '
		}
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}
	add := []rune(strings.Map(keep, strings.ReplaceAll(s, "\r\n", "\n")))
	t.note = ""
	if room := longest - len(t.runes); len(add) > room {
		add, t.note = add[:max(0, room)], fmt.Sprintf("cut at %d characters", longest)
	}
	t.runes = slices.Insert(t.runes, t.at, add...)
	t.at += len(add)
	t.set(t.text())
}

func (t *typed) paste(s string) { t.insert(s) }

func (t *typed) cut(from, to int) {
	t.runes = slices.Delete(t.runes, from, to)
	t.at, t.note = from, ""
	t.set(t.text())
}

func (t *typed) press(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left":
		t.at = max(0, t.at-1)
	case "right":
		t.at = min(len(t.runes), t.at+1)
	case "home":
		t.at = 0
	case "end":
		t.at = len(t.runes)
	case "backspace":
		if t.at > 0 {
			t.cut(t.at-1, t.at)
		}
	case "delete":
		if t.at < len(t.runes) {
			t.cut(t.at, t.at+1)
		}
	case "ctrl+u":
		t.cut(0, t.at)
	case "ctrl+w":
		t.cut(t.word(), t.at)
	case "enter":
		if !t.many {
			return false
		}
		t.insert("\n")
	case "up", "down":
		return t.vertical(k.String())
	default:
		if k.Text == "" {
			return false
		}
		t.insert(k.Text)
	}
	return true
}

// word is where the word before the cursor begins.
func (t *typed) word() int {
	i := t.at
	for i > 0 && t.runes[i-1] == ' ' {
		i--
	}
	for i > 0 && t.runes[i-1] != ' ' {
		i--
	}
	return i
}

// vertical goes through lines or offers.
func (t *typed) vertical(key string) bool {
	if t.offers != nil {
		t.offer(key)
		return true
	}
	if !t.many {
		return false
	}
	start := t.at
	for start > 0 && t.runes[start-1] != '\n' {
		start--
	}
	column := t.at - start
	if key == "up" {
		if start == 0 {
			return false
		}
		above := start - 1
		for above > 0 && t.runes[above-1] != '\n' {
			above--
		}
		t.at = min(above+column, start-1)
		return true
	}
	end := slices.Index(t.runes[t.at:], '\n')
	if end < 0 {
		return false
	}
	below := t.at + end + 1
	stop := slices.Index(t.runes[below:], '\n')
	if stop < 0 {
		stop = len(t.runes) - below
	}
	t.at = below + min(column, stop)
	return true
}

// offer replaces the text with the next value on offer.
func (t *typed) offer(key string) {
	values := t.offers()
	if len(values) == 0 {
		return
	}
	i := slices.Index(values, t.text())
	if key == "down" {
		i++
	} else if i--; i < 0 {
		i = len(values) - 1
	}
	t.runes = []rune(values[i%len(values)])
	t.at = len(t.runes)
	t.set(t.text())
}

func (t *typed) view(b Box, focused bool) []string {
	if t.secret {
		text := ""
		if len(t.runes) > 0 {
			text = strings.Repeat(b.Theme.Glyphs.Mask, 8)
		}
		if focused {
			text += caret(b)
		}
		return []string{text}
	}
	if !t.many {
		return []string{t.line(b, focused)}
	}
	return t.block(b, focused)
}

// drawn is text as it can be edited.
func drawn(runes []rune) string { return Visible(string(runes)) }

// Visible is text of any kind as it can be drawn: what would move, hide or restyle what stands around it is one visible mark each. Line
// breaks stay.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r < ' ':
			return 0x2400 + r
		case r == 0x7f, r > 0x7f && (!unicode.IsGraphic(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Mn, unicode.Me)):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func caret(b Box) string { return b.Theme.Paint(theme.Cursor, " ") }

// line is one line of text, moved so that the cursor is in sight.
func (t *typed) line(b Box, focused bool) string {
	if !focused {
		return b.Theme.Paint(theme.Plain, Cut(drawn(t.runes), b.Width, b.Theme.Glyphs.Ellipsis))
	}
	from := max(0, t.at-b.Width)
	for Width(drawn(t.runes[from:t.at])) > b.Width-2 {
		from++
	}
	before, under, rest := drawn(t.runes[from:t.at]), " ", ""
	if t.at < len(t.runes) {
		under, rest = drawn(t.runes[t.at:t.at+1]), drawn(t.runes[t.at+1:])
	}
	out := b.Theme.Paint(theme.Input, before) + b.Theme.Paint(theme.Cursor, under) +
		b.Theme.Paint(theme.Input, Cut(rest, max(0, b.Width-Width(before)-1), b.Theme.Glyphs.Ellipsis))
	if t.offers != nil && len(t.offers()) > 0 {
		out += b.Theme.Paint(theme.Muted, "  "+b.Theme.Glyphs.Up+b.Theme.Glyphs.Down)
	}
	return out
}

// block is several lines, a window of five around the cursor.
func (t *typed) block(b Box, focused bool) []string {
	text := drawn(t.runes)
	if focused {
		text = drawn(t.runes[:t.at]) + "\x00" + drawn(t.runes[t.at:])
	}
	lines := strings.Split(text, "\n")
	at := 0
	for i, line := range lines {
		if before, after, here := strings.Cut(line, "\x00"); here {
			at = i
			lines[i] = Cut(before, b.Width-1, "") + caret(b) + Cut(after, max(0, b.Width-Width(before)-1), "")
		} else {
			lines[i] = Cut(line, b.Width, b.Theme.Glyphs.Ellipsis)
		}
	}
	from := max(0, min(at-2, len(lines)-5))
	return lines[from:min(len(lines), from+5)]
}

// Choice is one of a few values.
func Choice[S ~string](name, label string, v *S, options ...S) Field {
	return Field{Name: name, Label: label, input: &choice[S]{v, options}}
}

type choice[S ~string] struct {
	v       *S
	options []S
}

func (c *choice[S]) text() string { return string(*c.v) }

func (c *choice[S]) paste(string) {}

func (c *choice[S]) press(k tea.KeyPressMsg) bool {
	i := slices.Index(c.options, *c.v)
	switch k.String() {
	case "right", "space", "l":
		i++
	case "left", "h":
		i--
	default:
		return false
	}
	*c.v = c.options[(i+len(c.options))%len(c.options)]
	return true
}

func (c *choice[S]) view(b Box, focused bool) []string {
	parts := make([]string, len(c.options))
	for i, o := range c.options {
		parts[i] = " " + string(o) + " "
		if o == *c.v {
			tone := theme.Strong
			if focused {
				tone = theme.Accent
			}
			parts[i] = b.Theme.Paint(tone, b.Theme.Glyphs.Left+string(o)+b.Theme.Glyphs.Right)
		}
	}
	text := strings.Join(parts, " ")
	if Width(text) > b.Width {
		text = b.Theme.Paint(theme.Accent, b.Theme.Glyphs.Left+string(*c.v)+b.Theme.Glyphs.Right) +
			b.Theme.Paint(theme.Muted, fmt.Sprintf(" %d of %d", slices.Index(c.options, *c.v)+1, len(c.options)))
	}
	return []string{text}
}

// Switch is yes or no.
func Switch(name, label string, v *bool) Field {
	word := "no"
	if *v {
		word = "yes"
	}
	c := &choice[string]{&word, []string{"yes", "no"}}
	return Field{Name: name, Label: label, input: &toggle{c, v}}
}

type toggle struct {
	*choice[string]
	v *bool
}

func (t *toggle) press(k tea.KeyPressMsg) bool {
	taken := t.choice.press(k)
	*t.v = *t.choice.v == "yes"
	return taken
}

// An Option is something that Many offers.
type Option struct {
	ID    int
	Label string
}

// Many is any number of things, picked by label.
func Many(name, label string, v *[]int, options func() []Option) Field {
	return Field{Name: name, Label: label, input: &many{v: v, options: options}}
}

type many struct {
	v       *[]int
	options func() []Option
	at      int
}

func (m *many) text() string { return fmt.Sprint(*m.v) }

func (m *many) paste(string) {}

func (m *many) press(k tea.KeyPressMsg) bool {
	options := m.options()
	if len(options) == 0 {
		return false
	}
	switch k.String() {
	case "right", "l":
		m.at = (m.at + 1) % len(options)
	case "left", "h":
		m.at = (m.at + len(options) - 1) % len(options)
	case "space":
		id := options[min(m.at, len(options)-1)].ID
		if i := slices.Index(*m.v, id); i >= 0 {
			*m.v = slices.Delete(slices.Clone(*m.v), i, i+1)
		} else {
			*m.v = append(slices.Clone(*m.v), id)
		}
	default:
		return false
	}
	return true
}

func (m *many) view(b Box, focused bool) []string {
	options := m.options()
	if len(options) == 0 {
		return []string{b.Theme.Paint(theme.Muted, "nothing to choose from")}
	}
	var line string
	var lines []string
	for i, o := range options {
		box, tone := "[ ] ", theme.Plain
		if slices.Contains(*m.v, o.ID) {
			box, tone = "["+b.Theme.Glyphs.Mark+"] ", theme.Strong
		}
		if focused && i == m.at {
			tone = theme.Cursor
		}
		part := b.Theme.Paint(tone, Cut(box+o.Label, b.Width, b.Theme.Glyphs.Ellipsis))
		if line != "" && Width(line)+2+Width(part) > b.Width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += "  "
		}
		line += part
	}
	return append(lines, line)
}

// Grid is a choice for each of several rows.
func Grid[S ~string](name, label string, rows []string, values []S, options ...S) Field {
	return Field{Name: name, Label: label, input: &grid[S]{rows: rows, values: values, options: options}}
}

type grid[S ~string] struct {
	rows    []string
	values  []S
	options []S
	at, top int
}

// gridRows is how many rows of a grid are in sight.
const gridRows = 8

func (g *grid[S]) text() string { return fmt.Sprint(g.values) }

func (g *grid[S]) paste(string) {}

func (g *grid[S]) press(k tea.KeyPressMsg) bool {
	if len(g.rows) == 0 {
		return false
	}
	by := 0
	switch k.String() {
	case "down", "j":
		if g.at == len(g.rows)-1 {
			return false
		}
		g.at++
	case "up", "k":
		if g.at == 0 {
			return false
		}
		g.at--
	case "right", "l", "space":
		by = 1
	case "left", "h":
		by = -1
	default:
		return false
	}
	n := len(g.options)
	g.values[g.at] = g.options[(slices.Index(g.options, g.values[g.at])+by+n)%n]
	return true
}

func (g *grid[S]) view(b Box, focused bool) []string {
	if len(g.rows) == 0 {
		return []string{b.Theme.Paint(theme.Muted, "nothing to choose from")}
	}
	g.top = max(min(g.top, g.at), g.at-gridRows+1)
	widest := 0
	for _, o := range g.options {
		widest = max(widest, Width(string(o)))
	}
	name := max(4, b.Width-widest-6)
	var lines []string
	for i := g.top; i < min(len(g.rows), g.top+gridRows); i++ {
		tone, lead := theme.Plain, "  "
		if g.values[i] != g.options[0] {
			tone = theme.Strong
		}
		value := string(g.values[i])
		if focused && i == g.at {
			tone, lead = theme.Accent, b.Theme.Glyphs.Cursor+" "
			value = b.Theme.Glyphs.Left + value + b.Theme.Glyphs.Right
		}
		lines = append(lines, b.Theme.Paint(tone, lead+Pad(Cut(g.rows[i], name, b.Theme.Glyphs.Ellipsis), name)+" "+value))
	}
	if rest := len(g.rows) - g.top - len(lines); rest > 0 {
		lines = append(lines, b.Theme.Paint(theme.Muted, "  "+plural(rest, "more", "more")+" below"))
	}
	return lines
}

// File is the path of a file; tab is taken by the form, so right at the end of the text completes it.
func File(name, label string, v *string, checks ...Check) Field {
	t := newTyped(*v, func(s string) { *v = s })
	return Field{Name: name, Label: label, checks: checks, input: &path{t, *v}}.Note("→ completes the path")
}

// path is text that began with a proposal: a whole path behind it takes its place.
type path struct {
	*typed
	proposed string
}

func (p *path) press(k tea.KeyPressMsg) bool {
	if k.String() == "right" && p.at == len(p.runes) {
		p.complete()
		return true
	}
	taken := p.typed.press(k)
	if n := len(p.proposed); n > 0 && os.IsPathSeparator(p.proposed[n-1]) {
		p.replace()
	}
	return taken
}

func (p *path) paste(s string) {
	p.typed.paste(s)
	p.replace()
}

// replace takes the proposal away where a whole path stands behind it.
func (p *path) replace() {
	whole, behind := strings.CutPrefix(p.text(), p.proposed)
	if !behind || p.proposed == "" || !filepath.IsAbs(whole) {
		return
	}
	at, n := p.at, utf8.RuneCountInString(p.proposed)
	p.cut(0, n)
	p.at = max(0, at-n)
}

// complete adds what all files that begin with the text have in common.
func (p *path) complete() {
	matches, err := filepath.Glob(escapeGlob(p.text()) + "*")
	if err != nil || len(matches) == 0 {
		return
	}
	common := matches[0]
	for _, m := range matches[1:] {
		for !strings.HasPrefix(m, common) {
			common = common[:len(common)-1]
		}
	}
	if info, err := os.Stat(common); err == nil && info.IsDir() && len(matches) == 1 {
		common += string(filepath.Separator)
	}
	if len(common) > len(p.text()) {
		p.runes = []rune(common)
		p.at = len(p.runes)
		p.set(p.text())
	}
}

// escapeGlob takes the meaning from characters that Glob gives one.
func escapeGlob(s string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}
