package ui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// A Form asks for values and sends them. It stays open, with all that was typed, until they have been accepted.
type Form struct {
	Title  string
	Text   string   // what it does, above the fields
	List   []string // the rows it is about, where there are several
	Fields []Field
	Review func() string // in words, what will be sent
	Verb   string        // "adding": said while it is being sent
	Yes    string        // what the button says: "add"
	Word   string        // must be typed in addition: a count
	// Enter tells whether enter in a field may send, while the fields behind it are as they were proposed. nil never does: for what
	// deletes, or costs, or is rarely right as proposed. Where a word must be typed it never does.
	Enter func() bool
	Again string // why sending again after an unknown outcome does no harm; empty where it might
	// Send works off the loop; land runs on the loop once it went well. An error with Fields() puts its reasons beneath the fields.
	Send func(context.Context) (land func() tea.Cmd, err error)
	act  func(view *FormView) tea.Cmd // sends through a set instead
}

// Always is for forms that enter may send whatever their fields say.
func Always() bool { return true }

// FormFor is a form whose sending changes a set. said is what the news tells when it is done; check tells from all rows, read again,
// whether an unknown outcome was done.
func FormFor[T any](set *Set[T], title string, fields []Field, said func(T) string,
	send func(context.Context) (Change[T], error), check func(now []T) Verdict) Form {
	found, confirmed := Row{Set: set}, ""
	return formOn(set, title, fields, func(c Change[T], told bool) tea.Cmd {
		if told {
			confirmed = said(c.row)
		}
		if told && c.kind == put {
			found.ID = set.ID(c.row)
		}
		return Send(Say{Tone: theme.Good, Text: confirmed, Row: found})
	}, send, func(now []T) Verdict {
		verdict := check(now)
		confirmed = title + ": done"
		if row, one := doneIn(now, check); verdict == Done && one {
			found.ID, confirmed = set.ID(row), said(row)
		}
		confirmed += " · reading again confirmed it"
		return verdict
	})
}

// doneIn is the row that shows by itself what a check looks for. What is new stands last, and rows before that are not all looked at.
func doneIn[T any](now []T, check func([]T) Verdict) (row T, found bool) {
	const looks = 1000
	for i := len(now) - 1; i >= max(0, len(now)-looks); i-- {
		if check(now[i:i+1]) == Done {
			return now[i], true
		}
	}
	return row, false
}

// FormThen is FormFor with work to be done after it. told is false where the answer was lost and reading again showed that it was done:
// there is no row then.
func FormThen[T any](set *Set[T], title string, fields []Field, then func(row T, told bool) tea.Cmd,
	send func(context.Context) (Change[T], error), check func(now []T) Verdict) Form {
	return formOn(set, title, fields, func(c Change[T], told bool) tea.Cmd { return then(c.row, told) }, send, check)
}

// formOn is a form whose sending changes a set, with work to be done after it.
func formOn[T any](set *Set[T], title string, fields []Field, then func(c Change[T], told bool) tea.Cmd,
	send func(context.Context) (Change[T], error), check func(now []T) Verdict) Form {
	return Form{Title: title, Fields: fields, Verb: "sending", Yes: "send", act: func(v *FormView) tea.Cmd {
		return set.Act(Deed[T]{Work: send, Check: check, After: func(verdict Verdict, c Change[T], err error) tea.Cmd {
			if verdict != Done {
				v.refuse(verdict, err)
				return nil
			}
			v.done = true
			return then(c, err == nil)
		}})
	}}
}

// A FormView is a form that is being filled in.
type FormView struct {
	form    Form
	ctx     context.Context
	at      int // field with the keyboard; len(fields) is the typed word, then the button
	word    *typed
	tried   bool // sent once: from then on what is wrong is shown
	sending bool
	done    bool
	barred  bool         // the token was not accepted
	leaving bool         // esc was pressed with something typed
	hasty   bool         // the key came at the heels of another enter
	touched map[int]bool // fields that were typed in
	changed bool
	banner  string
	reasons map[string]string
}

// NewFormView opens a form. What it sends ends with ctx.
func NewFormView(form Form, ctx context.Context) *FormView {
	v := &FormView{form: form, ctx: ctx, touched: map[int]bool{}, word: newTyped("", func(string) {})}
	v.at = v.next(-1, 1)
	return v
}

// Hasten says whether the next key comes at the heels of another enter, as from a key that is held: a field does not send then.
func (v *FormView) Hasten(hasty bool) { v.hasty = hasty }

// Title is the form's.
func (v *FormView) Title() string { return v.form.Title }

// Done reports whether the form can be closed.
func (v *FormView) Done() bool { return v.done }

// Barred reports, once for each refusal, that the form was refused because the token is not accepted.
func (v *FormView) Barred() bool {
	barred := v.barred
	v.barred = false
	return barred
}

// Sending reports whether the form waits for its answer; it is frozen meanwhile.
func (v *FormView) Sending() bool { return v.sending }

// places are the fields, the typed word where one is asked for, and the button.
func (v *FormView) button() int { return len(v.form.Fields) + 1 }

func (v *FormView) next(from, by int) int {
	for i := from + by; ; i += by {
		switch {
		case i < 0:
			i = v.button() + 1
		case i > v.button():
			i = -1
		case i == v.button():
			return i
		case i == len(v.form.Fields):
			if v.form.Word != "" {
				return i
			}
		case v.form.Fields[i].shown():
			return i
		}
	}
}

// Update takes keys and pastes.
func (v *FormView) Update(msg tea.Msg) tea.Cmd {
	if v.sending || v.done {
		return nil
	}
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if in := v.input(); in != nil {
			in.paste(msg.Content)
			v.touch()
		}
	case tea.KeyPressMsg:
		return v.press(msg)
	}
	return nil
}

// input is the one with the keyboard; nil is the button.
func (v *FormView) input() input {
	switch {
	case v.at < len(v.form.Fields):
		return v.form.Fields[v.at].input
	case v.at == len(v.form.Fields):
		return v.word
	}
	return nil
}

func (v *FormView) touch() {
	v.changed, v.leaving, v.touched[v.at] = true, false, true
	if v.at < len(v.form.Fields) {
		delete(v.reasons, v.form.Fields[v.at].Name)
	}
}

func (v *FormView) press(k tea.KeyPressMsg) tea.Cmd {
	key := k.String()
	if key != "esc" {
		defer func() { v.leaving = false }()
	}
	switch key {
	case "ctrl+s":
		return v.send()
	case "tab":
		v.at = v.next(v.at, 1)
		return nil
	case "shift+tab":
		v.at = v.next(v.at, -1)
		return nil
	case "esc":
		v.done = !v.changed || v.leaving
		v.leaving = true
		return nil
	}
	if in := v.input(); in != nil && in.press(k) {
		v.touch()
		return nil
	}
	switch {
	case key == "enter" && v.at == v.button():
		return v.send()
	case key == "enter" && v.accepts():
		if v.hasty || k.IsRepeat {
			return nil
		}
		return v.send()
	case key == "enter", key == "down":
		v.at = v.next(v.at, 1)
	case key == "up":
		v.at = v.next(v.at, -1)
	}
	return nil
}

// accepts reports whether enter in the field with the keyboard sends the form: nothing is left to be filled in behind it.
func (v *FormView) accepts() bool {
	if v.at >= len(v.form.Fields) || v.form.Word != "" || v.form.Enter == nil || !v.form.Enter() {
		return false
	}
	for i, f := range v.form.Fields {
		if i > v.at && f.shown() && (v.touched[i] || f.input.text() == "") {
			return false
		}
	}
	return true
}

// send checks and sends. The first field in which something is wrong gets the keyboard.
func (v *FormView) send() tea.Cmd {
	v.tried, v.barred, v.banner, v.reasons = true, false, "", nil
	for i, f := range v.form.Fields {
		if f.shown() && f.wrong() != "" {
			v.at = i
			return nil
		}
	}
	if v.form.Word != "" && v.word.text() != v.form.Word {
		v.at, v.banner = len(v.form.Fields), "type "+v.form.Word+" to go on"
		return nil
	}
	v.sending = true
	if v.form.act != nil {
		return v.form.act(v)
	}
	ctx, send := v.ctx, v.form.Send
	return func() tea.Msg {
		land, err := send(ctx)
		return landing{v, land, err}
	}
}

// landing is a form's end.
type landing struct {
	view *FormView
	land func() tea.Cmd
	err  error
}

// Deliver closes the form, or shows why it was refused.
func (l landing) Deliver() tea.Cmd {
	if l.err != nil {
		v := Refused
		if isUnknown(l.err) {
			v = Unknown
		}
		l.view.refuse(v, l.err)
		return nil
	}
	l.view.sending, l.view.done = false, true
	return l.land()
}

// refuse opens the form again with the reasons where they belong: beneath their fields, else on top.
func (v *FormView) refuse(verdict Verdict, err error) {
	v.sending, v.barred, v.reasons = false, Unauthorized(err), map[string]string{}
	var rest []string
	for name, reason := range FieldReasons(err) {
		i := slices.IndexFunc(v.form.Fields, func(f Field) bool { return f.shown() && sameField(f.Name, name) })
		if i < 0 {
			rest = append(rest, strings.TrimPrefix(name+": "+reason, ": "))
			continue
		}
		v.reasons[v.form.Fields[i].Name] = reason
		v.at = i
	}
	slices.Sort(rest)
	switch {
	case verdict == Unknown && v.form.Again != "":
		v.banner = Reason(err) + ". " + v.form.Again + ": ctrl+s sends the same again."
	case verdict == Unknown:
		v.banner = Reason(err) + ". Sending it again may do it twice; look first, where it can be seen."
	case len(rest) > 0:
		v.banner = strings.Join(rest, "; ")
	case len(v.reasons) == 0:
		v.banner = Reason(err) + prefix(" · ", Advice(err))
	}
}

// sameField compares a field's name with the API's: it may give the last part of a path alone.
func sameField(field, name string) bool {
	return field == name || strings.HasSuffix(field, "."+name) || strings.HasPrefix(field, name+".")
}

// View is the form, scrolled so that the field with the keyboard is in sight.
func (v *FormView) View(b Box) string {
	lines, focus := v.lines(b)
	from := max(0, min(focus-b.Height/2, len(lines)-b.Height))
	return b.Fit(strings.Join(lines[from:], "\n"))
}

// Height is how many lines the form takes at a width.
func (v *FormView) Height(width int) int {
	lines, _ := v.lines(Box{Width: width, Height: 100, Theme: &theme.Theme{}})
	return len(lines)
}

// lines are the whole form, and where the field with the keyboard is.
func (v *FormView) lines(b Box) (lines []string, focus int) {
	add := func(tone theme.Tone, text string) {
		for _, line := range Wrap(text, b.Width) {
			lines = append(lines, b.Theme.Paint(tone, line))
		}
	}
	if v.form.Text != "" {
		add(theme.Muted, v.form.Text)
	}
	for i, name := range v.form.List {
		if i == 8 {
			add(theme.Muted, "  and "+plural(len(v.form.List)-i, "more", "more"))
			break
		}
		add(theme.Plain, "  "+Cut(name, b.Width-2, b.Theme.Glyphs.Ellipsis))
	}
	if v.banner != "" {
		add(theme.Bad, b.Theme.Glyphs.Failure+" "+v.banner)
	}
	for i, f := range v.form.Fields {
		if !f.shown() {
			continue
		}
		if i == v.at {
			focus = len(lines)
		}
		lines = append(lines, v.field(i, f, b)...)
	}
	if v.form.Word != "" {
		if v.at == len(v.form.Fields) {
			focus = len(lines)
		}
		inner := Box{Width: max(4, b.Width-labels-2), Theme: b.Theme}
		lines = append(lines, v.lead("Type "+v.form.Word, v.at == len(v.form.Fields), b)+v.word.line(inner, v.at == len(v.form.Fields)))
	}
	if v.form.Review != nil {
		add(theme.Muted, v.form.Review())
	}
	if v.at == v.button() {
		focus = len(lines) + 1
	}
	return append(lines, "", v.foot(b)), focus
}

// labels is the width of the labels.
const labels = 16

func (v *FormView) lead(label string, focused bool, b Box) string {
	mark, tone := "  ", theme.Plain
	if focused {
		mark, tone = b.Theme.Glyphs.Cursor+" ", theme.Accent
	}
	return b.Theme.Paint(tone, mark+Pad(Cut(label, labels-1, b.Theme.Glyphs.Ellipsis), labels))
}

// field is a label, a value, and what is wrong with it or to be known about it.
func (v *FormView) field(i int, f Field, b Box) []string {
	inner := Box{Width: max(4, b.Width-labels-4), Height: b.Height, Theme: b.Theme}
	focused := i == v.at && !v.sending
	indent := strings.Repeat(" ", labels+2)
	var lines []string
	for n, line := range f.input.view(inner, focused) {
		lead := indent
		if n == 0 {
			lead = v.lead(f.Label, focused, b)
		}
		lines = append(lines, lead+line)
	}
	reason := v.reasons[f.Name]
	if reason == "" && v.tried {
		reason = f.wrong()
	}
	switch {
	case reason != "":
		for _, line := range Wrap(b.Theme.Glyphs.Failure+" "+reason, inner.Width) {
			lines = append(lines, indent+b.Theme.Paint(theme.Bad, line))
		}
	case focused && f.about() != "":
		for _, line := range Wrap(f.about(), inner.Width) {
			lines = append(lines, indent+b.Theme.Paint(theme.Muted, line))
		}
	}
	return lines
}

func (v *FormView) foot(b Box) string {
	switch {
	case v.sending:
		return b.Theme.Paint(theme.Warn, v.form.Verb+b.Theme.Glyphs.Ellipsis+" waiting for the answer")
	case v.leaving:
		return b.Theme.Paint(theme.Warn, "esc again throws away what was typed · any other key keeps it")
	}
	button := "  [ " + v.form.Yes + " ]"
	tone := theme.Plain
	if v.at == v.button() {
		button, tone = b.Theme.Glyphs.Cursor+" [ "+v.form.Yes+" ]", theme.Accent
	}
	keys := "ctrl+s sends"
	if v.accepts() {
		keys = "enter or ctrl+s sends"
	}
	return b.Theme.Paint(tone, button) + b.Theme.Paint(theme.Muted, "   "+keys+" · tab next · esc leaves")
}
