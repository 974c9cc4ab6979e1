package form

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/ui"
	"lookout/ui/input"
)

// FormView is a form that is being filled in.
type FormView struct {
	form          Form
	ctx           context.Context
	focus         int // field with the keyboard; len(Fields) is the required text, then comes the button
	confirmInput  *textInput
	showProblems  bool // after it was sent once
	sending       bool
	stop          context.CancelFunc // stops what is being sent; nil if that is not possible
	latest        any                // the report about what was sent last
	done          bool
	unauthorized  bool         // the API did not accept the token
	gone          bool         // the row that the form is about no longer exists
	exitKey       string       // esc or ctrl+c, pressed once after something was typed
	repeatedEnter bool         // the key follows another enter at once
	unseen        bool         // the key was pressed before the user could see the form
	edited        map[int]bool // by field
	dirty         bool         // something was typed
	banner        string
	items         struct {
		widest, top int  // width of the widest row; lines of rows scrolled past
		hidden      bool // the last frame does not show every row
	}
	cut         bool // the last frame does not show everything
	fieldErrors map[string]string
}

// NewFormView opens a form. Its requests end with ctx.
func NewFormView(form Form, ctx context.Context) *FormView {
	v := &FormView{
		form:         form,
		ctx:          ctx,
		edited:       map[int]bool{},
		dirty:        form.Typed,
		confirmInput: &textInput{onChange: func(string) {}},
	}
	for _, item := range form.Items {
		v.items.widest = max(v.items.widest, ui.Width(item))
	}
	v.focus = v.nextFocus(-1, 1)
	return v
}

// SetRepeatedEnter sets whether the next key is an enter right after another one, as when the key is held down. Such an
// enter in a field does not send the form.
func (v *FormView) SetRepeatedEnter(repeated bool) { v.repeatedEnter = repeated }

// SetUnseen sets whether the next key was pressed before the user could see the form. Such a key does not send it,
// unless the form is harmless.
func (v *FormView) SetUnseen(unseen bool) { v.unseen = unseen && !v.form.Harmless }

// Title returns the form's title.
func (v *FormView) Title() string { return v.form.Title }

// Done reports whether the form can be closed.
func (v *FormView) Done() bool { return v.done }

// TakeUnauthorized reports, once for each refusal, that the API did not accept the token.
func (v *FormView) TakeUnauthorized() bool {
	unauthorized := v.unauthorized
	v.unauthorized = false
	return unauthorized
}

// Sending reports whether the form waits for its answer; it takes no keys meanwhile.
func (v *FormView) Sending() bool { return v.sending }

// buttonIndex returns the focus of the button, behind the fields and the required text.
func (v *FormView) buttonIndex() int { return len(v.form.Fields) + 1 }

// nextFocus returns the focus after another one, or before it if by is negative.
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
		if k, isKey := msg.(tea.KeyPressMsg); v.stop != nil && isKey && k.String() == "esc" {
			v.stop()
		}
		return nil
	}
	switch msg := msg.(type) {
	case tea.PasteMsg:
		v.passTyping()
		if in := v.focusedInput(); in != nil {
			in.paste(msg.Content)
			v.markEdited()
		}
	case tea.KeyPressMsg:
		return v.press(msg)
	}
	return nil
}

// focusedInput returns the input with the keyboard, or nil for the button.
func (v *FormView) focusedInput() fieldInput {
	switch {
	case v.focus < len(v.form.Fields):
		return v.form.Fields[v.focus].input
	case v.focus == len(v.form.Fields):
		return v.confirmInput
	}
	return nil
}

// markEdited notes that the value with the keyboard has changed.
func (v *FormView) markEdited() {
	v.dirty, v.exitKey, v.edited[v.focus] = true, "", true
	if v.focus < len(v.form.Fields) {
		delete(v.fieldErrors, v.form.Fields[v.focus].Name)
	}
}

// ConfirmQuit reports whether the program may quit. If something was typed and not sent, it says no once, and asks.
func (v *FormView) ConfirmQuit() bool {
	if !v.dirty || v.sending || v.done || v.AsksToQuit() {
		return true
	}
	v.exitKey = "ctrl+c"
	return false
}

// ExitKey returns the key that would discard what was typed if it were pressed again, or "".
func (v *FormView) ExitKey() string { return v.exitKey }

// AsksToQuit reports whether ctrl+c would discard what was typed if it were pressed again.
func (v *FormView) AsksToQuit() bool { return v.exitKey == "ctrl+c" }

// passTyping moves the keyboard from a choice to the field below it, if that takes what is typed: a text that is still
// empty or was typed here, or a list to search.
func (v *FormView) passTyping() {
	if in := v.focusedInput(); in == nil || !in.state().passesTyping {
		return
	}
	below := v.nextFocus(v.focus, 1)
	if below == v.buttonIndex() {
		return
	}
	in := fieldInput(v.confirmInput)
	if below < len(v.form.Fields) {
		in = v.form.Fields[below].input
	}
	if s := in.state(); s.takesTyping || v.edited[below] && !s.passesTyping {
		v.focus = below
	}
}

// searching reports whether something is typed into the search of the input with the keyboard.
func (v *FormView) searching() bool {
	in := v.focusedInput()
	return in != nil && in.state().query != ""
}

// press takes a key, and ends a search that the keyboard has left.
func (v *FormView) press(k tea.KeyPressMsg) tea.Cmd {
	in, searched, before := v.focusedInput(), v.searching(), v.focus
	cmd := v.takeKey(k)
	if searched && v.focus != before {
		in.leave()
	}
	return cmd
}

// takeKey takes a key: a command of the form, else a key of the input, else one that moves on.
func (v *FormView) takeKey(k tea.KeyPressMsg) tea.Cmd {
	key := k.String()
	if key != "esc" {
		defer func() { v.exitKey = "" }()
	}
	switch key {
	case "ctrl+s":
		return v.submit()
	case "ctrl+n":
		if v.gone && v.form.IfGone != nil {
			v.done = true
			return v.form.IfGone.Open()
		}
	case "tab":
		v.focus = v.nextFocus(v.focus, 1)
		return nil
	case "shift+tab":
		v.focus = v.nextFocus(v.focus, -1)
		return nil
	case "pgdown", "pgup":
		if len(v.form.Items) > 0 {
			v.items.top += map[string]int{"pgdown": maxItemLines, "pgup": -maxItemLines}[key]
			return nil
		}
	case "esc":
		if v.searching() {
			v.focusedInput().leave()
			return nil
		}
		v.done = !v.dirty || v.exitKey == "esc"
		v.exitKey = "esc"
		return nil
	}
	if input.EntersText(k) && key != "space" && !v.searching() {
		v.passTyping()
	}
	if in := v.focusedInput(); in != nil {
		taken, edited := in.press(k)
		if edited {
			v.markEdited()
		}
		if edited && in == v.confirmInput && v.banner == v.askForWord() {
			v.banner = ""
		}
		if taken {
			return nil
		}
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

// enterSubmits reports whether enter in the field with the keyboard sends the form: no field after it needs a value.
func (v *FormView) enterSubmits() bool {
	if v.focus >= len(v.form.Fields) || v.form.RequiredText != "" || v.form.EnterSubmits == nil ||
		!v.form.EnterSubmits() || v.form.Fields[v.focus].input.state().takesEnter {
		return false
	}
	for i, f := range v.form.Fields {
		if i > v.focus && f.shown() && (v.edited[i] || f.input.text() == "") {
			return false
		}
	}
	return true
}

// askForWord says which word to type.
func (v *FormView) askForWord() string { return "type " + v.form.RequiredText + " to continue" }

// submit checks the values and sends them. The first field with a problem gets the keyboard.
func (v *FormView) submit() tea.Cmd {
	if v.unseen {
		v.banner = "not sent: you pressed the key before the screen showed the form · press ctrl+s again"
		return nil
	}
	v.showProblems, v.unauthorized, v.banner, v.fieldErrors = true, false, "", nil
	for i, f := range v.form.Fields {
		if f.shown() && f.problem() != "" {
			v.focus = i
			return nil
		}
	}
	if v.form.RequiredText != "" && v.confirmInput.text() != v.form.RequiredText {
		v.focus, v.banner = len(v.form.Fields), v.askForWord()
		return nil
	}
	if v.form.BeforeSend != nil {
		return v.form.BeforeSend(v.send)
	}
	return v.send()
}

// send sends the values, unless they are being sent or were accepted already.
func (v *FormView) send() tea.Cmd {
	if v.sending || v.done {
		return nil
	}
	v.sending = true
	if v.form.submit != nil {
		return v.form.submit(v)
	}
	ctx, send := v.ctx, v.form.Send
	work := func() tea.Msg {
		onSuccess, err := send(ctx)
		return submitResult{v, onSuccess, err, ctx.Err() != nil}
	}
	if v.form.Progress == nil {
		return work
	}
	ctx, v.stop = context.WithCancel(ctx)
	return tea.Batch(ui.Send(sendProgressed{v}), work)
}

// sendProgressed makes the form show its progress again.
type sendProgressed struct{ view *FormView }

// Deliver shows the progress, again and again until the answer is there.
func (m sendProgressed) Deliver() tea.Cmd {
	if !m.view.sending {
		return nil
	}
	return tea.Tick(ui.ProgressInterval, func(time.Time) tea.Msg { return m })
}

// submitResult is the answer to a form.
type submitResult struct {
	view      *FormView
	onSuccess func() tea.Cmd
	err       error
	stopped   bool
}

// Deliver closes the form, or shows why it was refused.
func (r submitResult) Deliver() tea.Cmd {
	if r.view.stop != nil {
		r.view.stop()
		r.view.stop = nil
	}
	switch {
	case r.err != nil && r.stopped:
		r.view.sending, r.view.banner = false, "stopped; nothing was changed"
		return nil
	case lists.IsUnknown(r.err) && r.view.form.OnUnknown != nil:
		r.view.showWaiting(r.err)
		return r.view.form.OnUnknown()
	case lists.IsUnknown(r.err):
		r.view.showUnknown(r.err, notReturned)
		return nil
	case r.err != nil:
		r.view.showRejection(r.err)
		return nil
	}
	r.view.sending, r.view.done = false, true
	return r.onSuccess()
}

// showRejection unlocks the form and shows the reasons: below their fields, the others at the top. The
// first field with a reason gets the keyboard.
func (v *FormView) showRejection(err error) {
	v.sending, v.unauthorized, v.fieldErrors = false, wording.Unauthorized(err), map[string]string{}
	var rest []string
	for name, reason := range wording.FieldErrors(err) {
		i := slices.IndexFunc(v.form.Fields, func(f Field) bool { return f.shown() && f.matches(name) })
		if i < 0 {
			rest = append(rest, strings.TrimPrefix(name+": "+reason, ": "))
			continue
		}
		if len(v.fieldErrors) == 0 || i < v.focus {
			v.focus = i
		}
		v.fieldErrors[v.form.Fields[i].Name] = reason
	}
	slices.Sort(rest)
	if len(rest)+len(v.fieldErrors) == 0 {
		rest = []string{wording.Reason(err)}
	}
	v.banner = strings.TrimLeft(strings.Join(rest, "; ")+wording.RejectionSuffix(err), "; ·")
	if _, v.gone = lists.GoneID(err); v.gone && v.form.IfGone != nil {
		v.banner += " · " + v.form.IfGone.Text
	}
}

// showWaiting unlocks the form after a lost answer that readings may still tell.
func (v *FormView) showWaiting(err error) {
	v.sending = false
	v.banner = lists.NotSeenYet + ": " + wording.UnknownReason(err) +
		". lookout keeps checking, even if you close this form. " +
		"ctrl+s asks before it sends again."
}

// What reading again tells about a change whose answer was lost.
const (
	notReturned   = "The API does not return what was sent, so reading it again does not help."
	showsMaybeIt  = "A later read shows something that may be this change, or a colleague's."
	readNoAnswers = "Later reads do not show whether it was done."
)

// showUnknown unlocks the form after a lost answer if readings do not find out what happened.
func (v *FormView) showUnknown(err error, readings string) {
	v.sending = false
	v.banner = lists.NotKnown + ": " + wording.UnknownReason(err) + ". " + readings + " "
	if why := v.form.WhyResendIsSafe; why != "" {
		v.banner += why + ": "
	}
	v.banner += "ctrl+s asks before it sends again."
}

// matches reports whether a name in the API's answer means the field: it may be the last part of its path alone.
func (f Field) matches(name string) bool {
	return f.Name == name || strings.HasSuffix(f.Name, "."+name) || strings.HasPrefix(f.Name, name+".") ||
		slices.Contains(f.sentAs, name)
}
