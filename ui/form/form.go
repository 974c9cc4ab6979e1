package form

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// A Form asks for values and sends them. It stays open, with all that was typed, until they have been accepted.
type Form struct {
	Title        string
	Text         string   // what it does, above the fields
	Items        []string // the rows it is about, where there are several
	Fields       []Field
	Review       func() string // in words, what will be sent
	ProgressText string        // "adding": said while it is being sent
	SubmitLabel  string        // what the button says: "add"
	RequiredText string        // must be typed in addition: a count
	// Enter tells whether enter in a field may send, while the fields behind it are as they were proposed. nil never
	// does: for what deletes, or costs, or is rarely right as proposed. Where a word must be typed it never does.
	EnterSubmits    func() bool
	WhyResendIsSafe string // why sending again after an unknown outcome does no harm; empty where it might
	// Send works off the loop; land runs on the loop once it went well. An error with Fields() puts its reasons beneath
	// the fields.
	Send func(context.Context) (land func() tea.Cmd, err error)
	// BeforeSend runs on the loop once the values have been checked: it asks what must be asked, and calls send if the
	// answer is yes. nil sends at once.
	BeforeSend func(send func() tea.Cmd) tea.Cmd
	submit     func(view *FormView) tea.Cmd // sends through a set instead
}

// AlwaysSubmit is for forms that enter may send whatever their fields say.
func AlwaysSubmit() bool { return true }

// NewStoreForm is a form whose sending changes a set. said is what the news tells when it is done; check tells from all
// rows, read again, whether an unknown outcome was done.
func NewStoreForm[T any](set *ui.Store[T], title string, fields []Field, said func(T) string,
	send func(context.Context) (ui.Result[T], error), check func(now []T) ui.AttemptOutcome) Form {
	found, confirmed := ui.RowRef{Store: set}, ""
	return storeForm(set, title, fields, func(c ui.Result[T], told bool) tea.Cmd {
		if told {
			confirmed = said(c.Row)
		}
		if told && c.HasRow() {
			found.ID = set.ID(c.Row)
		}
		return ui.Send(ui.NewsMsg{Tone: theme.Good, Text: confirmed, Row: found})
	}, send, func(now []T) ui.AttemptOutcome {
		verdict := check(now)
		confirmed = title + ": done"
		if row, one := findApplied(now, check); verdict == ui.Applied && one {
			found.ID, confirmed = set.ID(row), said(row)
		}
		confirmed += " · reading again confirmed it"
		return verdict
	})
}

// findApplied is the row that shows by itself what a check looks for. What is new stands last, and rows before that are
// not all looked at.
func findApplied[T any](now []T, check func([]T) ui.AttemptOutcome) (row T, found bool) {
	const looks = 1000
	for i := len(now) - 1; i >= max(0, len(now)-looks); i-- {
		if check(now[i:i+1]) == ui.Applied {
			return now[i], true
		}
	}
	return row, false
}

// NewStoreFormThen is NewStoreForm with work to be done after it. told is false where the answer was lost and reading
// again showed that it was done: there is no row then.
func NewStoreFormThen[T any](set *ui.Store[T], title string, fields []Field, then func(row T, told bool) tea.Cmd,
	send func(context.Context) (ui.Result[T], error), check func(now []T) ui.AttemptOutcome) Form {
	return storeForm(set, title, fields, func(c ui.Result[T], told bool) tea.Cmd { return then(c.Row, told) }, send, check)
}

// storeForm is a form whose sending changes a set, with work to be done after it.
func storeForm[T any](set *ui.Store[T], title string, fields []Field, then func(c ui.Result[T], told bool) tea.Cmd,
	send func(context.Context) (ui.Result[T], error), check func(now []T) ui.AttemptOutcome) Form {
	return Form{
		Title:        title,
		Fields:       fields,
		ProgressText: "sending",
		SubmitLabel:  "send",
		submit: func(v *FormView) tea.Cmd {
			return set.Run(
				ui.Attempt[T]{
					Send:    send,
					Recheck: check,
					OnOutcome: func(verdict ui.AttemptOutcome, c ui.Result[T], err error) tea.Cmd {
						if verdict != ui.Applied {
							v.showRejection(verdict, err)
							return nil
						}
						v.done = true
						return then(c, err == nil)
					},
				},
			)
		},
	}
}

// A FormView is a form that is being filled in.
type FormView struct {
	form           Form
	ctx            context.Context
	focus          int // field with the keyboard; len(fields) is the typed word, then the button
	confirmInput   *textInput
	showProblems   bool // sent once: from then on what is wrong is shown
	sending        bool
	done           bool
	unauthorized   bool         // the token was not accepted
	confirmingExit bool         // esc was pressed with something typed
	repeatedEnter  bool         // the key came at the heels of another enter
	edited         map[int]bool // fields that were typed in
	dirty          bool
	banner         string
	fieldErrors    map[string]string
}

// NewFormView opens a form. What it sends ends with ctx.
func NewFormView(form Form, ctx context.Context) *FormView {
	v := &FormView{
		form:         form,
		ctx:          ctx,
		edited:       map[int]bool{},
		confirmInput: newTextInput("", func(string) {}),
	}
	v.focus = v.nextFocus(-1, 1)
	return v
}

// SetRepeatedEnter says whether the next key comes at the heels of another enter, as from a key that is held: a field
// does not send then.
func (v *FormView) SetRepeatedEnter(hasty bool) { v.repeatedEnter = hasty }

// Title is the form's.
func (v *FormView) Title() string { return v.form.Title }

// Done reports whether the form can be closed.
func (v *FormView) Done() bool { return v.done }

// TakeUnauthorized reports, once for each refusal, that the form was refused because the token is not accepted.
func (v *FormView) TakeUnauthorized() bool {
	barred := v.unauthorized
	v.unauthorized = false
	return barred
}

// Sending reports whether the form waits for its answer; it is frozen meanwhile.
func (v *FormView) Sending() bool { return v.sending }

// places are the fields, the typed word where one is asked for, and the button.
func (v *FormView) buttonIndex() int { return len(v.form.Fields) + 1 }

func (v *FormView) nextFocus(from, by int) int {
	for i := from + by; ; i += by {
		switch {
		case i < 0:
			i = v.buttonIndex() + 1
		case i > v.buttonIndex():
			i = -1
		case i == v.buttonIndex():
			return i
		case i == len(v.form.Fields):
			if v.form.RequiredText != "" {
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
		if in := v.focusedInput(); in != nil {
			in.paste(msg.Content)
			v.markEdited()
		}
	case tea.KeyPressMsg:
		return v.press(msg)
	}
	return nil
}

// focusedInput is the one with the keyboard; nil is the button.
func (v *FormView) focusedInput() fieldInput {
	switch {
	case v.focus < len(v.form.Fields):
		return v.form.Fields[v.focus].input
	case v.focus == len(v.form.Fields):
		return v.confirmInput
	}
	return nil
}

func (v *FormView) markEdited() {
	v.dirty, v.confirmingExit, v.edited[v.focus] = true, false, true
	if v.focus < len(v.form.Fields) {
		delete(v.fieldErrors, v.form.Fields[v.focus].Name)
	}
}

func (v *FormView) press(k tea.KeyPressMsg) tea.Cmd {
	key := k.String()
	if key != "esc" {
		defer func() { v.confirmingExit = false }()
	}
	switch key {
	case "ctrl+s":
		return v.submit()
	case "tab":
		v.focus = v.nextFocus(v.focus, 1)
		return nil
	case "shift+tab":
		v.focus = v.nextFocus(v.focus, -1)
		return nil
	case "esc":
		v.done = !v.dirty || v.confirmingExit
		v.confirmingExit = true
		return nil
	}
	if in := v.focusedInput(); in != nil && in.press(k) {
		v.markEdited()
		return nil
	}
	switch {
	case key == "enter" && v.focus == v.buttonIndex():
		return v.submit()
	case key == "enter" && v.enterSubmits():
		if v.repeatedEnter || k.IsRepeat {
			return nil
		}
		return v.submit()
	case key == "enter", key == "down":
		v.focus = v.nextFocus(v.focus, 1)
	case key == "up":
		v.focus = v.nextFocus(v.focus, -1)
	}
	return nil
}

// enterSubmits reports whether enter in the field with the keyboard sends the form: nothing is left to be filled in
// behind it.
func (v *FormView) enterSubmits() bool {
	if v.focus >= len(v.form.Fields) || v.form.RequiredText != "" || v.form.EnterSubmits == nil ||
		!v.form.EnterSubmits() {
		return false
	}
	for i, f := range v.form.Fields {
		if i > v.focus && f.shown() && (v.edited[i] || f.input.text() == "") {
			return false
		}
	}
	return true
}

// submit checks and sends. The first field in which something is wrong gets the keyboard.
func (v *FormView) submit() tea.Cmd {
	v.showProblems, v.unauthorized, v.banner, v.fieldErrors = true, false, "", nil
	for i, f := range v.form.Fields {
		if f.shown() && f.problem() != "" {
			v.focus = i
			return nil
		}
	}
	if v.form.RequiredText != "" && v.confirmInput.text() != v.form.RequiredText {
		v.focus, v.banner = len(v.form.Fields), "type "+v.form.RequiredText+" to go on"
		return nil
	}
	if v.form.BeforeSend != nil {
		return v.form.BeforeSend(v.send)
	}
	return v.send()
}

// send sends the values.
func (v *FormView) send() tea.Cmd {
	v.sending = true
	if v.form.submit != nil {
		return v.form.submit(v)
	}
	ctx, send := v.ctx, v.form.Send
	return func() tea.Msg {
		land, err := send(ctx)
		return submitResult{v, land, err}
	}
}

// submitResult is a form's end.
type submitResult struct {
	view      *FormView
	onSuccess func() tea.Cmd
	err       error
}

// Deliver closes the form, or shows why it was refused.
func (l submitResult) Deliver() tea.Cmd {
	if l.err != nil {
		v := ui.Rejected
		if ui.IsUnknown(l.err) {
			v = ui.Unknown
		}
		l.view.showRejection(v, l.err)
		return nil
	}
	l.view.sending, l.view.done = false, true
	return l.onSuccess()
}

// showRejection opens the form again with the reasons where they belong: beneath their fields, else on top.
func (v *FormView) showRejection(verdict ui.AttemptOutcome, err error) {
	v.sending, v.unauthorized, v.fieldErrors = false, ui.Unauthorized(err), map[string]string{}
	var rest []string
	for name, reason := range ui.FieldErrors(err) {
		i := slices.IndexFunc(v.form.Fields, func(f Field) bool { return f.shown() && matchesField(f.Name, name) })
		if i < 0 {
			rest = append(rest, strings.TrimPrefix(name+": "+reason, ": "))
			continue
		}
		v.fieldErrors[v.form.Fields[i].Name] = reason
		v.focus = i
	}
	slices.Sort(rest)
	switch {
	case verdict == ui.Unknown && v.form.WhyResendIsSafe != "":
		v.banner = ui.Reason(err) + ". " + v.form.WhyResendIsSafe + ": ctrl+s sends the same again."
	case verdict == ui.Unknown:
		v.banner = ui.Reason(err) + ". Sending it again may do it twice; look first, where it can be seen."
	case len(rest) > 0:
		v.banner = strings.Join(rest, "; ")
	case len(v.fieldErrors) == 0:
		v.banner = ui.Reason(err) + ui.WithPrefix(" · ", ui.Advice(err))
	}
}

// matchesField compares a field's name with the API's: it may give the last part of a path alone.
func matchesField(field, name string) bool {
	return field == name || strings.HasSuffix(field, "."+name) || strings.HasPrefix(field, name+".")
}

// View is the form, scrolled so that the field with the keyboard is in sight.
func (v *FormView) View(b ui.Box) string {
	lines, focus := v.lines(b)
	from := max(0, min(focus-b.Height/2, len(lines)-b.Height))
	return b.Fit(strings.Join(lines[from:], "\n"))
}

// Height is how many lines the form takes at a width.
func (v *FormView) Height(width int) int {
	lines, _ := v.lines(ui.Box{Width: width, Height: 100, Theme: &theme.Theme{}})
	return len(lines)
}

// lines are the whole form, and where the field with the keyboard is.
func (v *FormView) lines(b ui.Box) (lines []string, focus int) {
	add := func(tone theme.Tone, text string) {
		for _, line := range ui.Wrap(text, b.Width) {
			lines = append(lines, b.Theme.Paint(tone, line))
		}
	}
	if v.form.Text != "" {
		add(theme.Muted, v.form.Text)
	}
	for i, name := range v.form.Items {
		if i == 8 {
			add(theme.Muted, "  and "+ui.Plural(len(v.form.Items)-i, "more", "more"))
			break
		}
		add(theme.Plain, "  "+ui.Truncate(name, b.Width-2, b.Theme.Glyphs.Ellipsis))
	}
	if v.banner != "" {
		add(theme.Bad, b.Theme.Glyphs.Failure+" "+v.banner)
	}
	for i, f := range v.form.Fields {
		if !f.shown() {
			continue
		}
		if i == v.focus {
			focus = len(lines)
		}
		lines = append(lines, v.renderField(i, f, b)...)
	}
	if v.form.RequiredText != "" {
		if v.focus == len(v.form.Fields) {
			focus = len(lines)
		}
		inner := ui.Box{Width: max(4, b.Width-labelWidth-2), Theme: b.Theme}
		lines = append(
			lines,
			v.renderLabel(
				"Type "+v.form.RequiredText,
				v.focus == len(v.form.Fields),
				b,
			)+v.confirmInput.view(
				inner,
				v.focus == len(v.form.Fields),
			)[0],
		)
	}
	if v.form.Review != nil {
		add(theme.Muted, v.form.Review())
	}
	if v.focus == v.buttonIndex() {
		focus = len(lines) + 1
	}
	return append(lines, "", v.renderFooter(b)), focus
}

// labelWidth is the width of the labels.
const labelWidth = 16

func (v *FormView) renderLabel(label string, focused bool, b ui.Box) string {
	mark, tone := "  ", theme.Plain
	if focused {
		mark, tone = b.Theme.Glyphs.Cursor+" ", theme.Accent
	}
	return b.Theme.Paint(tone, mark+ui.Pad(ui.Truncate(label, labelWidth-1, b.Theme.Glyphs.Ellipsis), labelWidth))
}

// renderField is a label, a value, and what is wrong with it or to be known about it.
func (v *FormView) renderField(i int, f Field, b ui.Box) []string {
	inner := ui.Box{Width: max(4, b.Width-labelWidth-4), Height: b.Height, Theme: b.Theme}
	focused := i == v.focus && !v.sending
	indent := strings.Repeat(" ", labelWidth+2)
	var lines []string
	for n, line := range f.input.view(inner, focused) {
		lead := indent
		if n == 0 {
			lead = v.renderLabel(f.Label, focused, b)
		}
		lines = append(lines, lead+line)
	}
	reason := v.fieldErrors[f.Name]
	if reason == "" && v.showProblems {
		reason = f.problem()
	}
	switch {
	case reason != "":
		for _, line := range ui.Wrap(b.Theme.Glyphs.Failure+" "+reason, inner.Width) {
			lines = append(lines, indent+b.Theme.Paint(theme.Bad, line))
		}
	case focused && f.noteText() != "":
		for _, line := range ui.Wrap(f.noteText(), inner.Width) {
			lines = append(lines, indent+b.Theme.Paint(theme.Muted, line))
		}
	}
	return lines
}

func (v *FormView) renderFooter(b ui.Box) string {
	switch {
	case v.sending:
		return b.Theme.Paint(theme.Warn, v.form.ProgressText+b.Theme.Glyphs.Ellipsis+" waiting for the answer")
	case v.confirmingExit:
		return b.Theme.Paint(theme.Warn, "esc again throws away what was typed · any other key keeps it")
	}
	button := "  [ " + v.form.SubmitLabel + " ]"
	tone := theme.Plain
	if v.focus == v.buttonIndex() {
		button, tone = b.Theme.Glyphs.Cursor+" [ "+v.form.SubmitLabel+" ]", theme.Accent
	}
	keys := "ctrl+s sends"
	if v.enterSubmits() {
		keys = "enter or ctrl+s sends"
	}
	return b.Theme.Paint(tone, button) + b.Theme.Paint(theme.Muted, "   "+keys+" · tab next · esc leaves")
}

// OpenFormMsg puts a form in front.
type OpenFormMsg struct{ Form Form }
