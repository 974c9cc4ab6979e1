package operation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/resource"
)

// OperationRunner performs the operations of one resource. Every change that a person or a timer starts in a pane takes
// the same path: does it apply, what are the values, is it confirmed, then one recorded change for each row, one status
// message for all of them, and an undo.
type OperationRunner[T any] struct {
	Account  *account.Account
	Store    *lists.RowStore[T]
	Resource resource.Resource[T]
	// FetchOne reads a row again before a change that was asked about: it may have another label now. nil trusts the
	// row.
	FetchOne func(context.Context, T) (T, error)
}

// start is one operation on its way: its rows and its values.
type start[T any] struct {
	op     resource.Operation[T]
	draft  resource.Draft[T]
	rows   []T
	left   []T  // marked rows that it does not apply to
	hidden int  // those of the rows that the filter hides
	chosen bool // an undo or a menu named the rows: their count is not asked for
	asked  bool // the user has answered a question about the rows
	// the consents to what is sent next, by the client's operation
	consents account.Consents
	undoes   *run[T] // whose changes it undoes; nil if it undoes none
}

// Start starts an operation on rows, of which a filter hides some: it opens the form if there are fields, asks what
// must be asked, and sends.
func (r OperationRunner[T]) Start(op resource.Operation[T], rows, hidden []T) tea.Cmd {
	able, why := r.ableRows(op, rows)
	if why != "" {
		return ui.ShowStatus(theme.Warn, why)
	}
	var first T
	if len(able) > 0 {
		first = able[0]
	}
	s := &start[T]{
		op:     op,
		rows:   able,
		left:   r.without(rows, able),
		hidden: len(hidden) - len(r.without(hidden, able)),
	}
	if op.ReadDraft == nil {
		return r.open(s, op.Draft(first))
	}
	ctx := r.Account.Context
	return ui.WhileWorking("reading the "+op.Name+" of "+r.Resource.Label(first), func() tea.Msg {
		draft := op.ReadDraft(ctx, first)
		return draftRead(func() tea.Cmd { return r.open(s, draft) })
	})
}

// open opens the form of a draft if it has fields, and asks and sends otherwise.
func (r OperationRunner[T]) open(s *start[T], draft resource.Draft[T]) tea.Cmd {
	if s.draft = draft; len(draft.Fields) > 0 {
		return ui.Send(form.OpenFormMsg{Form: r.form(s)})
	}
	return r.askAndSend(s)
}

// draftRead opens a draft whose values have been read.
type draftRead func() tea.Cmd

// Deliver opens the draft.
func (open draftRead) Deliver() tea.Cmd { return open() }

// StartDraft starts the operation of a name with values that are chosen already: the answer to a menu. Rows that are
// gone are left out.
func (r OperationRunner[T]) StartDraft(name string, rows []T, draft resource.Draft[T]) tea.Cmd {
	return r.startDraft(name, rows, &start[T]{draft: draft})
}

// startDraft starts the operation of a name with a draft.
func (r OperationRunner[T]) startDraft(name string, rows []T, s *start[T]) tea.Cmd {
	op, ok := r.Resource.Operation(name)
	if !ok {
		return nil
	}
	able, why := r.ableRows(op, r.currentRows(rows))
	if why != "" {
		return ui.ShowStatus(theme.Warn, why)
	}
	s.op, s.rows, s.chosen = op, able, true
	return r.askAndSend(s)
}

// without returns the rows that are not among others.
func (r OperationRunner[T]) without(rows, others []T) []T {
	among := make(map[string]bool, len(others))
	for _, row := range others {
		among[r.Store.ID(row)] = true
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row T) bool { return among[r.Store.ID(row)] })
}

// ableRows returns the rows to which an operation applies, or why there are none.
func (r OperationRunner[T]) ableRows(op resource.Operation[T], rows []T) (able []T, why string) {
	if op.Target == resource.NewRow {
		return nil, ""
	}
	able = slices.DeleteFunc(slices.Clone(rows), func(row T) bool { return r.whyNot(op, row) != "" })
	switch {
	case len(rows) == 0:
		return nil, op.Name + ": the rows are gone"
	case len(able) == 0:
		return nil, r.quoted(rows[0]) + ": " + r.whyNot(op, rows[0])
	}
	return able, ""
}

// quoted names a row in a sentence.
func (r OperationRunner[T]) quoted(row T) string { return wording.Quoted(r.Resource.Label(row)) }

// whyNot returns why an operation cannot be performed on a row now: the token's scope, or the row itself.
func (r OperationRunner[T]) whyNot(op resource.Operation[T], row T) string {
	if why := r.Account.MissingScope(op.Call); why != "" || op.Applies == nil {
		return why
	}
	return op.Applies(row)
}

// currentRows returns rows as the store has them now, without those that are gone.
func (r OperationRunner[T]) currentRows(rows []T) []T {
	var now []T
	for _, row := range rows {
		if _, held := r.Store.Get(r.Store.ID(row)); held || !r.Store.Loaded() {
			now = append(now, r.currentRow(row))
		}
	}
	return now
}

// currentRow returns a row as the store has it now, or the row itself if the store does not have it.
func (r OperationRunner[T]) currentRow(row T) T {
	if now, held := r.Store.Get(r.Store.ID(row)); held {
		return now
	}
	return row
}

// askAndSend asks what must be asked and sends.
func (r OperationRunner[T]) askAndSend(s *start[T]) tea.Cmd {
	return r.ask(s, func() tea.Cmd { return r.send(s) })
}

// ask asks what must be asked about an operation and goes on with the consents. It returns at once.
func (r OperationRunner[T]) ask(s *start[T], then func() tea.Cmd) tea.Cmd {
	ask := ConfirmationRequest{
		Ops:     append([]string{s.op.Call}, s.op.OtherCalls...),
		IDs:     r.ids(s),
		Name:    cmp.Or(s.draft.SubmitLabel, s.op.Name),
		Confirm: r.confirm(s),
	}
	if len(s.rows) > 1 {
		ask.Items = r.describe(s.rows)
	}
	if !ask.Confirm.Required {
		ask = ask.withUnsettled(r.Account) // a first change that another one needed has no lookup at the row
	}
	question := askAction(r.Account, ask, func(consents account.Consents) tea.Cmd {
		s.consents = consents
		return then()
	})
	s.asked = question.Confirm != nil
	return ui.Send(ui.RunActionMsg{Action: question})
}

// confirm says what an operation does to its rows. Several rows are always asked about, with their count.
func (r OperationRunner[T]) confirm(s *start[T]) resource.ConfirmationSpec {
	var c resource.ConfirmationSpec
	if s.draft.Confirm != nil {
		c = s.draft.Confirm(s.rows)
	}
	if c.Title == "" {
		c.Title = wording.Capitalize(s.op.Name)
		if len(s.rows) == 1 {
			c.Title += ": " + r.Resource.Label(s.rows[0])
		}
	}
	if len(s.rows) > 1 {
		count := wording.Plural(len(s.rows), r.Resource.Singular, r.Resource.PluralName())
		c.Title = wording.Capitalize(s.op.Name) + ": " + count
		c.Effect = "Only these " + count + " are affected."
		for _, text := range []string{r.selection(s), c.Loss} {
			if text != "" {
				c.Effect += " " + text
			}
		}
		// a form has the count typed in its own field
		if len(s.draft.Fields) == 0 && !s.chosen {
			c.Word, c.Required = strconv.Itoa(len(s.rows)), true
		}
	}
	if text := r.unsettled(s); text != "" {
		c.Effect, c.Required = strings.TrimSpace(text+" "+c.Effect), true
	}
	return c
}

// selection says which rows of a batch the filter hides, and which marked rows are left out.
func (r OperationRunner[T]) selection(s *start[T]) string {
	var texts []string
	if s.hidden > 0 {
		texts = append(texts, fmt.Sprintf("This includes %d hidden by the filter.", s.hidden))
	}
	if n := len(s.left); n > 0 {
		const most = 5
		var names []string
		for _, row := range s.left[:min(n, most)] {
			names = append(names, r.Resource.Label(row))
		}
		if n > most {
			names = append(names, fmt.Sprintf("and %d more", n-most))
		}
		why := "are skipped, because this does not apply to them"
		if n == 1 {
			why = "is skipped, because this does not apply to it"
		}
		marked := wording.Plural(n, "marked "+r.Resource.Singular, "marked "+r.Resource.PluralName())
		texts = append(texts, fmt.Sprintf("%s %s: %s.", marked, why, account.JoinWithCommas(names)))
	}
	return strings.Join(texts, " ")
}

// unsettled says which changes of the rows, or which creations, have an unknown outcome, and which rows were deleted
// already: what is sent now may then happen twice.
func (r OperationRunner[T]) unsettled(s *start[T]) string {
	var texts []string
	say := func(id, what string) {
		for _, c := range r.Store.Lookups() {
			if c.RowID == id && c.Unsettled() {
				texts = append(texts, wording.Capitalize(c.Text(r.Store.Now()))+". "+what)
			}
		}
	}
	if s.op.Target == resource.NewRow {
		say("", "If you send one now, there may be two.")
	}
	for _, row := range s.rows {
		say(r.Store.ID(row), "If you send this now, it may be done twice or be undone by a late request.")
		if note := lists.DeletedNote(r.Store, r.Store.ID(row)); note != "" {
			texts = append(texts, fmt.Sprintf("%s: %s.", r.Resource.Label(row), note))
		}
	}
	return strings.Join(texts, " ")
}

// ids are what the consent is to cover.
func (r OperationRunner[T]) ids(s *start[T]) []string {
	if s.op.Target == resource.NewRow {
		var none T
		if id := s.draft.Attempt(none).ID; id != "" {
			return []string{id}
		}
		return nil
	}
	ids := make([]string, len(s.rows))
	for i, row := range s.rows {
		ids[i] = r.Resource.ID(row)
	}
	return ids
}

// describe names rows for a question: "web-1 (id 7)".
func (r OperationRunner[T]) describe(rows []T) []string {
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = fmt.Sprintf("%s (id %s)", r.Resource.Label(row), r.Resource.ID(row))
	}
	return names
}

// form is the form of an operation with fields. It asks what must be asked before it sends.
func (r OperationRunner[T]) form(s *start[T]) form.Form {
	var f form.Form
	if s.draft.ClosesAtOnce {
		f = form.Form{
			Fields: s.draft.Fields,
			Send: func(context.Context) (func() tea.Cmd, error) {
				return func() tea.Cmd { return r.send(s) }, nil
			},
		}
	} else {
		f = r.openForm(s)
	}
	f.Title, f.Text, f.Review, f.WhyResendIsSafe = s.draft.Title, s.draft.Text, s.draft.Review, s.draft.WhyResendIsSafe
	if len(s.rows) > 1 {
		f.Title = r.confirm(s).Title
	}
	f.IfGone = r.asNew(s)
	f.BusyText, f.SubmitLabel, f.EnterSubmits = s.op.BusyText, s.draft.SubmitLabel, s.draft.EnterSubmits
	if len(s.rows) > 1 {
		f.RequiredText, f.Items = strconv.Itoa(len(s.rows)), r.describe(s.rows)
		f.Text = strings.TrimSpace(f.Text + " " + r.selection(s))
	}
	f.BeforeSend = func(send func() tea.Cmd) tea.Cmd { return r.ask(s, send) }
	return f
}

// openForm is a form that stays open until the API has accepted what was typed.
func (r OperationRunner[T]) openForm(s *start[T]) form.Form {
	var row T
	if len(s.rows) > 0 {
		row = s.rows[0]
	}
	var sent account.Attempt[T]
	return form.NewForm(form.StoreForm[T]{
		Store:   r.Store,
		Title:   s.draft.Title,
		Fields:  s.draft.Fields,
		Success: func(row T) string { return r.quoted(row) + ": " + r.success(s, row) },
		Then:    s.draft.AfterSubmit,
		Undo: func(row T) *ui.Action {
			done := newRun(r, s)
			done.add(&lists.Change[T]{
				RowID:    r.Store.ID(row),
				Row:      row,
				Answered: true,
				Outcome:  lists.Applied,
			}, sent)
			return done.undo()
		},
		OnCandidates: func(found lists.LookupResult[T]) tea.Cmd {
			return ui.Send(r.CandidatesMenu(PossiblyCreated[T]{
				What:      s.op.Name + " " + client.NewText(sent.Label).String(),
				Found:     found,
				Operation: s.draft.CandidateOperation,
				Note:      s.draft.CandidateNote,
			}))
		},
		AfterFailure: func() tea.Cmd {
			r.Account.ResumeLookups(r.Account.UnresolvedChanges(), "")
			return nil
		},
		Post: func(cmd tea.Cmd) { Post(r.Account, cmd) },
		Change: func() *lists.Change[T] {
			var change *lists.Change[T]
			change, sent = r.change(s, row)
			send := change.Send
			change.Send = func(ctx context.Context) (lists.ChangeResult[T], error) {
				result, err := send(ctx)
				if !result.HasRow() {
					result.Row = row // the message is about it
				}
				return result, err
			}
			return change
		},
	})
}

// change returns the change of a row as the store sends it.
func (r OperationRunner[T]) change(s *start[T], row T) (*lists.Change[T], account.Attempt[T]) {
	attempt, consents := s.draft.Attempt(row), s.consents
	sent := attempt.Change(r.Resource.Singular, s.op.Call)
	change := &lists.Change[T]{
		Row:      row,
		What:     s.op.Name + " " + client.NewText(attempt.Label).String(),
		BusyText: s.op.BusyText,
		DoneText: pastTense(s.op.BusyText),
		Sets:     sent.Sets(),
		Search:   account.Search(r.Account, r.Store, &sent, row),
		Shows:    s.op.Shows,
		Send: func(ctx context.Context) (lists.ChangeResult[T], error) {
			result, err := account.Send(ctx, r.Account.API, attempt, &sent, consents)
			if s.op.Target == resource.NewRow {
				return result, err // there is no row that could be gone
			}
			return result, r.checkGone(ctx, row, err)
		},
	}
	change.OnLate = func(c *lists.Change[T]) {
		if c.Intent != "" {
			r.Account.RecordLate(c.Intent, c.What, c.Found.Text)
		}
	}
	if s.op.Target != resource.NewRow {
		change.RowID = r.Store.ID(row)
	}
	return change, attempt
}

// success is the message of one row.
func (r OperationRunner[T]) success(s *start[T], row T) string {
	if s.draft.Success != nil {
		return s.draft.Success(row)
	}
	return s.op.SuccessText
}

// send sends one change for each row as a run. It is the only way from a pane to the API.
func (r OperationRunner[T]) send(s *start[T]) tea.Cmd {
	n := newRun(r, s)
	for _, row := range s.rows {
		now := r.currentRow(row) // what the journal calls the value before is what the row shows now
		change, attempt := r.change(s, now)
		send := change.Send
		change.Send = func(ctx context.Context) (lists.ChangeResult[T], error) {
			if err := r.checkSameLabel(ctx, s, row); err != nil {
				return lists.ChangeResult[T]{}, r.checkGone(ctx, row, err)
			}
			return send(ctx)
		}
		change.MarksFailure = len(s.rows) > 1
		change.OnOutcome = func(c *lists.Change[T]) { Post(r.Account, n.settle(c)) }
		n.add(change, attempt)
	}
	if s.undoes != nil {
		n.Undo(s.undoes.Run)
	}
	for _, change := range n.Changes {
		busy := r.Store.Run(change)
		if busy == nil {
			continue
		}
		change.Answered, change.Outcome, change.Err = true, lists.Rejected, busy // what it undoes can be undone
		if len(n.Changes) == 1 {
			Post(r.Account, ui.ShowStatus(theme.Warn, busy.Error()))
		} else {
			Post(r.Account, n.settle(change))
		}
	}
	return nil
}

// summaryText says what was done to rows: until when, and for a single row what it was before. sent is what was sent
// for the first row.
func (r OperationRunner[T]) summaryText(s *start[T], rows []T, sent account.Attempt[T]) string {
	text := s.op.SuccessText
	if len(rows) == 1 {
		text = r.success(s, rows[0])
	}
	zone := r.Account.Location
	now := r.Account.Now().In(zone)
	if start, end := sent.StartAt, sent.RevertAt; !start.IsZero() {
		until := account.FormatMoment(end.In(zone), start.In(zone))
		text = "is to be disabled from " + account.FormatMoment(start.In(zone), now) + " until " + until
	} else if !end.IsZero() {
		text += " until " + account.FormatMoment(end.In(zone), now)
	}
	if was := sent.Was; was != "" && len(rows) == 1 {
		text += " (was " + was + ")"
	}
	return text
}

// checkSameLabel reads the one row that a question was about again: if it has another label now, the answer was about
// something else.
func (r OperationRunner[T]) checkSameLabel(ctx context.Context, s *start[T], row T) error {
	if r.FetchOne == nil || len(s.rows) != 1 || !s.asked {
		return nil
	}
	now, err := r.FetchOne(ctx, row)
	if err != nil {
		return rereadError{err}
	}
	if was, is := r.Resource.Label(row), r.Resource.Label(now); was != is {
		return fmt.Errorf("it is now called %s; nothing was changed", is)
	}
	return nil
}

// pastTense returns what was done of what is under way: "disabled" of "disabling", "denied access" of "denying access".
func pastTense(progress string) string {
	verb, object, _ := strings.Cut(progress, " ")
	verb = strings.TrimSuffix(verb, "ing")
	if stem, y := strings.CutSuffix(verb, "y"); y {
		verb = stem + "i"
	}
	return strings.TrimSpace(verb + "ed " + object)
}

// checkGone returns a goneError if a change was refused because its row does not exist and another read of it agrees,
// and otherwise the error of the change: a 404 can also be about something that the change names.
func (r OperationRunner[T]) checkGone(ctx context.Context, row T, err error) error {
	if r.FetchOne == nil || !account.IsNotFound(err) {
		return err
	}
	if _, again := r.FetchOne(ctx, row); !account.IsNotFound(again) {
		return err
	}
	// an ID that was part of an address is printable
	return account.GoneError(r.Store.ID(row), r.Resource.Singular+" "+r.Resource.ID(row))
}

// asNew is the form of a new row with the values that were typed for a row that is gone; nil if the draft offers none.
func (r OperationRunner[T]) asNew(s *start[T]) *form.AlternativeForm {
	if s.draft.AsNew == nil {
		return nil
	}
	makesRow := func(op resource.Operation[T]) bool { return op.Target == resource.NewRow }
	i := slices.IndexFunc(r.Resource.Operations, makesRow)
	if i < 0 {
		return nil
	}
	op := r.Resource.Operations[i]
	return &form.AlternativeForm{
		Text: fmt.Sprintf("ctrl+n copies what you typed into a new %s", r.Resource.Singular),
		Open: func() tea.Cmd {
			f := r.form(&start[T]{op: op, draft: s.draft.AsNew()})
			f.Typed = true
			return ui.Send(form.OpenFormMsg{Form: f})
		},
	}
}
