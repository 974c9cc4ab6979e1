package account

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/resource"
)

// Runner performs the operations of one resource. Every change that a person or a timer starts in a pane takes the same
// path: does it apply, what are the values, is it confirmed, then one recorded change for each row, one line of news
// for all of them, and an undo.
type Runner[T any] struct {
	Account  *Account
	Store    *ui.Store[T]
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
	left   int  // marked rows that it does not apply to
	hidden int  // rows that the filter hides
	chosen bool // an undo or a menu named the rows: their count is not asked for
	asked  bool // the user has answered a question about the rows
	// changes that were applied, as the journal holds them
	applied []resource.Attempt[T]
}

// sentRow is a row with the change of it that was sent.
type sentRow[T any] struct {
	row      T
	attempt  resource.Attempt[T]
	what     string // "disable web-1"
	reported bool   // it is in the summary
}

// RowActions returns the operations on rows for a table.
func (r Runner[T]) RowActions() []table.RowAction[T] {
	var operations []table.RowAction[T]
	for _, op := range r.Resource.Operations {
		if op.Target == resource.NewRow {
			continue
		}
		operations = append(operations, table.RowAction[T]{
			Keys:           op.Keys,
			Name:           op.Name,
			Description:    op.Description,
			ShowInHints:    op.ShowInHints,
			Writes:         true,
			Many:           op.Target == resource.AnyRows,
			DisabledReason: func(row T) string { return r.whyNot(op, row) },
			Start:          func(rows []T, hidden int) tea.Cmd { return r.Start(op, rows, hidden) },
		})
	}
	return operations
}

// NewActions returns the operations that make a row, for a pane.
func (r Runner[T]) NewActions() []ui.Action {
	var actions []ui.Action
	for _, op := range r.Resource.Operations {
		if op.Target != resource.NewRow {
			continue
		}
		actions = append(actions, ui.Action{
			Key:            ui.Bind(op.Name, op.Keys...),
			Description:    op.Description,
			Group:          "this list",
			Writes:         true,
			OpensView:      true,
			ShowInHints:    op.ShowInHints,
			DisabledReason: r.Account.MissingScope(op.Call),
			Do:             func() tea.Cmd { return r.Start(op, nil, 0) },
		})
	}
	return actions
}

// ActionsOn returns the operations on one row, for a pane that shows this row alone. why says why there is no row yet.
func (r Runner[T]) ActionsOn(row T, why string) []ui.Action {
	var actions []ui.Action
	for _, op := range r.Resource.Operations {
		reason := why
		if reason == "" {
			reason = r.whyNot(op, row)
		}
		actions = append(actions, ui.Action{
			Key:            ui.Bind(op.Name, op.Keys...),
			Description:    op.Description,
			Writes:         true,
			OpensView:      true,
			ShowInHints:    op.ShowInHints,
			DisabledReason: reason,
			Do:             func() tea.Cmd { return r.Start(op, []T{row}, 0) },
		})
	}
	return actions
}

// ActionsOnAll returns operations on several rows together, for a pane that shows what they have in common. An
// operation takes the rows to which it applies.
func (r Runner[T]) ActionsOnAll(rows []T, why string, names ...string) []ui.Action {
	var actions []ui.Action
	for _, name := range names {
		op, ok := r.Resource.Operation(name)
		if !ok {
			continue
		}
		reason := why
		if _, none := r.ableRows(op, rows); reason == "" {
			reason = none
		}
		actions = append(actions, ui.Action{
			Key:            ui.Bind(op.Name, op.Keys...),
			Description:    op.Description,
			Writes:         true,
			OpensView:      true,
			DisabledReason: reason,
			Do:             func() tea.Cmd { return r.Start(op, rows, 0) },
		})
	}
	return actions
}

// StartNamed starts the operation of a name on rows.
func (r Runner[T]) StartNamed(name string, rows ...T) tea.Cmd {
	op, ok := r.Resource.Operation(name)
	if !ok {
		return ui.ShowNews(theme.Bad, name+": no such operation on "+r.Resource.Name)
	}
	return r.Start(op, rows, 0)
}

// Toggle returns an operation of one key that performs the first of several operations that applies to the row.
func (r Runner[T]) Toggle(key, name string, operations ...string) table.RowAction[T] {
	pick := func(row T) resource.Operation[T] {
		var op resource.Operation[T]
		for _, o := range operations {
			if op, _ = r.Resource.Operation(o); op.Applies == nil || op.Applies(row) == "" {
				break
			}
		}
		return op
	}
	return table.RowAction[T]{
		Keys:           []string{key},
		Name:           name,
		Writes:         true,
		DisabledReason: func(row T) string { return r.whyNot(pick(row), row) },
		Start:          func(rows []T, hidden int) tea.Cmd { return r.Start(pick(rows[0]), rows, hidden) },
	}
}

// Start starts an operation on rows, of which a filter hides some: it opens the form if there are fields, asks what
// must be asked, and sends.
func (r Runner[T]) Start(op resource.Operation[T], rows []T, hidden int) tea.Cmd {
	able, why := r.ableRows(op, rows)
	if why != "" {
		return ui.ShowNews(theme.Warn, why)
	}
	var first T
	if len(able) > 0 {
		first = able[0]
	}
	s := &start[T]{
		op:     op,
		draft:  op.Draft(first),
		rows:   able,
		left:   len(rows) - len(able),
		hidden: hidden,
	}
	if len(s.draft.Fields) > 0 {
		return ui.Send(form.OpenFormMsg{Form: r.form(s)})
	}
	return r.askAndSend(s)
}

// StartDraft starts the operation of a name with values that are chosen already: an undo, or the answer to a menu. Rows
// that are gone are left out.
func (r Runner[T]) StartDraft(name string, rows []T, draft resource.Draft[T]) tea.Cmd {
	op, ok := r.Resource.Operation(name)
	if !ok {
		return nil
	}
	able, why := r.ableRows(op, r.currentRows(rows))
	if why != "" {
		return ui.ShowNews(theme.Warn, why)
	}
	return r.askAndSend(&start[T]{
		op:     op,
		draft:  draft,
		rows:   able,
		chosen: true,
	})
}

// ableRows returns the rows to which an operation applies, or why there are none.
func (r Runner[T]) ableRows(op resource.Operation[T], rows []T) (able []T, why string) {
	if op.Target == resource.NewRow {
		return nil, ""
	}
	able = slices.DeleteFunc(slices.Clone(rows), func(row T) bool { return r.whyNot(op, row) != "" })
	switch {
	case len(rows) == 0:
		return nil, op.Name + ": the rows are gone"
	case len(able) == 0:
		return nil, r.Resource.Label(rows[0]) + ": " + r.whyNot(op, rows[0])
	}
	return able, ""
}

// whyNot returns why an operation cannot be performed on a row now: the token's scope, or the row itself.
func (r Runner[T]) whyNot(op resource.Operation[T], row T) string {
	if why := r.Account.MissingScope(op.Call); why != "" || op.Applies == nil {
		return why
	}
	return op.Applies(row)
}

// grant returns the consent to one operation of the client on a row.
type grant[T any] func(row T, op string) (*client.Consent, error)

// askAndSend asks what must be asked and sends.
func (r Runner[T]) askAndSend(s *start[T]) tea.Cmd {
	return r.ask(s, func(g grant[T]) tea.Cmd { return r.send(s, g) })
}

// ask asks what must be asked about an operation and goes on with the consents. It returns at once.
func (r Runner[T]) ask(s *start[T], then func(grant[T]) tea.Cmd) tea.Cmd {
	ask := Ask{
		Ops:     append([]string{s.op.Call}, s.op.OtherCalls...),
		IDs:     r.ids(s),
		Name:    s.op.Name,
		Confirm: r.confirm(s),
	}
	if len(s.rows) > 1 {
		ask.Items = r.describe(s.rows)
	}
	if !ask.Confirm.Required {
		ask = ask.withUnsettled(r.Account) // a first change that another one needed has no lookup at the row
	}
	question := askAction(r.Account, ask, func(consents Consents) tea.Cmd {
		return then(func(_ T, op string) (*client.Consent, error) { return consents[op], nil })
	})
	s.asked = question.Confirm != nil
	return runAction(question)
}

// confirm says what an operation does to its rows. Several rows are always asked about, with their count.
func (r Runner[T]) confirm(s *start[T]) resource.Confirm {
	var c resource.Confirm
	if s.draft.Confirm != nil {
		c = s.draft.Confirm(s.rows)
	}
	if c.Title == "" {
		c.Title = capitalize(s.op.Name)
		if len(s.rows) == 1 {
			c.Title += ": " + r.Resource.Label(s.rows[0])
		}
	}
	if len(s.rows) > 1 {
		c.Title = capitalize(s.op.Name) + ": " + Pluralize(len(s.rows), r.Resource.Singular, r.Resource.PluralName())
		c.Effect = "This is done to these and to no others."
		if s.hidden > 0 {
			c.Effect += fmt.Sprintf(" The filter hides %d of them.", s.hidden)
		}
		if s.left > 0 {
			c.Effect += " Left out: " + Pluralize(
				s.left,
				"marked "+r.Resource.Singular,
				"marked "+r.Resource.PluralName(),
			) +
				", for which it cannot be done."
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

// unsettled says which changes of the rows, or which creations, have an unknown outcome, and which rows were deleted
// already: what is sent now may then happen twice.
func (r Runner[T]) unsettled(s *start[T]) string {
	var texts []string
	say := func(id, what string) {
		for _, l := range r.Store.Lookups() {
			if l.RowID == id {
				texts = append(texts, capitalize(l.Text(r.Store.Now()))+". "+what)
			}
		}
	}
	if s.op.Target == resource.NewRow {
		say("", "If you send one now, there may be two.")
	}
	for _, row := range s.rows {
		say(r.Store.ID(row), "If you send this now, it may be done twice or be undone by what arrives late.")
		if note := ui.DeletedNote(r.Store, r.Store.ID(row)); note != "" {
			texts = append(texts, fmt.Sprintf("%s: %s.", r.Resource.Label(row), note))
		}
	}
	return strings.Join(texts, " ")
}

// ids are what the consent is to cover.
func (r Runner[T]) ids(s *start[T]) []string {
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
func (r Runner[T]) describe(rows []T) []string {
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = fmt.Sprintf("%s (id %s)", r.Resource.Label(row), r.Resource.ID(row))
	}
	return names
}

// form is the form of an operation with fields. It asks what must be asked before it sends.
func (r Runner[T]) form(s *start[T]) form.Form {
	var consent grant[T]
	var f form.Form
	if s.draft.ClosesAtOnce {
		f = form.Form{
			Fields: s.draft.Fields,
			Send: func(context.Context) (func() tea.Cmd, error) {
				return func() tea.Cmd { return r.send(s, consent) }, nil
			},
		}
	} else {
		f = r.openForm(s, func(row T, op string) (*client.Consent, error) { return consent(row, op) })
	}
	f.Title, f.Text, f.Review, f.WhyResendIsSafe = s.draft.Title, s.draft.Text, s.draft.Review, s.draft.WhyResendIsSafe
	if len(s.rows) > 1 {
		f.Title = r.confirm(s).Title
	}
	f.IfGone = r.asNew(s)
	f.ProgressText, f.SubmitLabel, f.EnterSubmits = s.op.ProgressText, s.draft.SubmitLabel, s.draft.EnterSubmits
	if len(s.rows) > 1 {
		f.RequiredText, f.Items = strconv.Itoa(len(s.rows)), r.describe(s.rows)
	}
	f.BeforeSend = func(send func() tea.Cmd) tea.Cmd {
		return r.ask(s, func(g grant[T]) tea.Cmd {
			consent = g
			return send()
		})
	}
	return f
}

// openForm is a form that stays open until the API has accepted what was typed.
func (r Runner[T]) openForm(s *start[T], consent grant[T]) form.Form {
	var row T
	if len(s.rows) > 0 {
		row = s.rows[0]
	}
	var sent resource.Attempt[T]
	return form.NewForm(form.StoreRequest[T]{
		Store:   r.Store,
		Title:   s.draft.Title,
		Fields:  s.draft.Fields,
		Success: func(row T) string { return r.Resource.Label(row) + ": " + r.success(s, row) },
		Then:    s.draft.AfterSubmit,

		OnCandidates: func(rows []T) tea.Cmd {
			return ui.Send(r.CandidatesMenu(Candidates[T]{
				What:      s.op.Name + " " + sent.Label,
				Rows:      rows,
				Describe:  sent.Describe,
				Operation: s.draft.CandidateOperation,
				Note:      s.draft.CandidateNote,
			}))
		},
		AfterFailure: func() tea.Cmd { return ResumeLookups(r.Account, UnresolvedChanges(r.Account)) },
		Change: func() ui.RowChange[T] {
			var change ui.RowChange[T]
			change, sent = r.change(s, row, consent)
			send := change.Send
			change.Send = func(ctx context.Context) (ui.Result[T], error) {
				result, err := send(ctx)
				if !result.HasRow() {
					result.Row = row // the news is about it
				}
				return result, err
			}
			return change
		},
	})
}

// change returns the change of a row as the store sends it.
func (r Runner[T]) change(s *start[T], row T, consent grant[T]) (ui.RowChange[T], resource.Attempt[T]) {
	attempt := s.draft.Attempt(row)
	change := ui.RowChange[T]{
		What:         s.op.Name + " " + attempt.Label,
		ProgressText: s.op.ProgressText,
		DoneText:     pastTense(s.op.ProgressText),
		Find:         attempt.Find,
		ReadBack:     attempt.ReadBack,
		Shows:        s.op.Shows,
		Send: func(ctx context.Context) (ui.Result[T], error) {
			result, err := r.sendOnce(
				ctx, s, attempt, func(op string) (*client.Consent, error) { return consent(row, op) },
			)
			if s.op.Target == resource.NewRow {
				return result, err // there is no row that could be gone
			}
			return result, r.checkGone(ctx, row, err)
		},
	}
	if s.op.Target != resource.NewRow {
		change.RowID = r.Store.ID(row)
	}
	return change, attempt
}

// success is the news of one row.
func (r Runner[T]) success(s *start[T], row T) string {
	if s.draft.Success != nil {
		return s.draft.Success(row)
	}
	return s.op.SuccessText
}

// send sends one change for each row and sums the outcomes up in one line of news. It is the only way from a pane to
// the API.
func (r Runner[T]) send(s *start[T], consent grant[T]) tea.Cmd {
	summary := ui.NewBatchSummary(len(s.rows), r.Resource.Label)
	summary.Singular = r.Resource.Singular
	cmds := make([]tea.Cmd, len(s.rows))
	for i, row := range s.rows {
		now := r.currentRow(row) // what the journal calls the value before is what the row shows now
		change, attempt := r.change(s, now, consent)
		send := change.Send
		change.Send = func(ctx context.Context) (ui.Result[T], error) {
			if err := r.checkSameLabel(ctx, s, row); err != nil {
				return ui.Result[T]{}, r.checkGone(ctx, row, err)
			}
			return send(ctx)
		}
		sent := &sentRow[T]{row: now, attempt: attempt, what: change.What}
		change.OnOutcome = func(outcome ui.AttemptOutcome, _ ui.Result[T], err error) tea.Cmd {
			return r.report(s, summary, sent, outcome, err)
		}
		cmds[i] = r.Store.Run(change)
	}
	return tea.Batch(cmds...)
}

// sendOnce begins a change and sends it, after the change that it needs.
func (r Runner[T]) sendOnce(
	ctx context.Context, s *start[T], attempt resource.Attempt[T], consent func(op string) (*client.Consent, error),
) (ui.Result[T], error) {
	var none ui.Result[T]
	change := client.Change{
		Op:        cmp.Or(attempt.Call, s.op.Call),
		Resource:  r.Resource.Singular,
		ID:        attempt.ID,
		Label:     attempt.Label,
		Reason:    attempt.Reason,
		RevertAt:  attempt.RevertAt,
		StartAt:   attempt.StartAt,
		Scheduled: attempt.Scheduled,
		Before:    attempt.Before,
	}
	if first := attempt.First; first != nil {
		needed := change
		needed.Op, needed.Before, needed.RevertAt = first.Call, first.Before, time.Time{}
		w, err := r.begin(needed, consent)
		if err != nil {
			return none, err
		}
		if err := first.Send(ctx, w); err != nil {
			return none, err
		}
	}
	w, err := r.begin(change, consent)
	if err != nil {
		return none, err
	}
	return attempt.Send(ctx, w)
}

// begin returns the writer of a change.
func (r Runner[T]) begin(
	change client.Change, consent func(op string) (*client.Consent, error),
) (*client.Writer, error) {
	granted, err := consent(change.Op)
	if err != nil {
		return nil, err
	}
	return r.Account.API.Begin(change, granted)
}

// report counts an outcome; the last one brings the news, the undo and what follows.
func (r Runner[T]) report(
	s *start[T], summary *ui.BatchSummary[T], sent *sentRow[T], outcome ui.AttemptOutcome, err error,
) tea.Cmd {
	if sent.reported {
		return r.reportVerdict(s, sent, outcome, err)
	}
	sent.reported = true
	last := summary.Add(sent.row, outcome, err)
	var next []tea.Cmd
	switch {
	case outcome == ui.Applied:
		s.applied = append(s.applied, sent.attempt)
	case outcome == ui.Rejected && err != nil && s.op.OnRejected != nil:
		next = append(next, s.op.OnRejected(sent.row, err))
	}
	if !last {
		return tea.Batch(next...)
	}
	next = append(next, ui.Send(summary.News(r.summaryText(s, summary.Applied), r.undo(s, summary.Applied))))
	if s.draft.OnApplied != nil && len(summary.Applied) > 0 {
		next = append(next, s.draft.OnApplied(summary.Applied))
	}
	return tea.Batch(next...)
}

// reportVerdict brings the news about a change whose answer was lost, once readings have told how it ended.
func (r Runner[T]) reportVerdict(s *start[T], sent *sentRow[T], outcome ui.AttemptOutcome, err error) tea.Cmd {
	switch outcome {
	case ui.Unknown:
		return ui.ShowNews(theme.Warn, sent.what+": "+ui.CannotTellText)
	case ui.Rejected:
		return ui.ShowNews(theme.Bad, sent.what+": "+ui.Reason(err))
	}
	one, rows := *s, []T{sent.row}
	one.applied = []resource.Attempt[T]{sent.attempt}
	cmds := []tea.Cmd{ui.Send(ui.NewsMsg{
		Tone: theme.Good,
		Text: r.Resource.Label(sent.row) + ": " + r.summaryText(&one, rows) + " · " + ui.ConfirmedByReading,
		Undo: r.undo(&one, rows),
	})}
	if s.draft.OnApplied != nil {
		cmds = append(cmds, s.draft.OnApplied(rows))
	}
	return tea.Batch(cmds...)
}

// summaryText says what was done to rows: until when, and for a single row what it was before.
func (r Runner[T]) summaryText(s *start[T], rows []T) string {
	text := s.op.SuccessText
	if len(rows) == 1 {
		text = r.success(s, rows[0])
	}
	if len(rows) == 0 {
		return text
	}
	if start := s.applied[0].StartAt; !start.IsZero() {
		end := s.applied[0].RevertAt
		return "is to be disabled from " + r.Account.FormatTime(start) + " until " + r.Account.FormatTime(end)
	}
	if end := s.applied[0].RevertAt; !end.IsZero() {
		text += " until " + FormatClock(end.In(r.Account.Location), r.Account.Now().In(r.Account.Location))
	}
	if was := s.applied[0].Was; was != "" && len(rows) == 1 {
		text += " (was " + was + ")"
	}
	return text
}

// undo is the action that undoes an operation on rows; nil if there is none.
func (r Runner[T]) undo(s *start[T], rows []T) *ui.Action {
	op, ok := r.Resource.Operation(s.draft.UndoName)
	if !ok || len(rows) == 0 {
		return nil
	}
	return &ui.Action{
		Key:       ui.Bind(op.Name+" again", "u"),
		Writes:    true,
		OpensView: true,
		Do:        func() tea.Cmd { return r.StartDraft(op.Name, rows, s.draft.Undo()) },
	}
}

// checkSameLabel reads the one row that a question was about again: if it has another label now, the answer was about
// something else.
func (r Runner[T]) checkSameLabel(ctx context.Context, s *start[T], row T) error {
	if r.FetchOne == nil || len(s.rows) != 1 || !s.asked {
		return nil
	}
	now, err := r.FetchOne(ctx, row)
	if err != nil {
		return err
	}
	if was, is := r.Resource.Label(row), r.Resource.Label(now); was != is {
		return fmt.Errorf("it is now called %s; nothing was changed", is)
	}
	return nil
}

// currentRows returns rows as the store has them now, without those that are gone.
func (r Runner[T]) currentRows(rows []T) []T {
	var now []T
	for _, row := range rows {
		if _, held := r.Store.Get(r.Store.ID(row)); held || !r.Store.Loaded() {
			now = append(now, r.currentRow(row))
		}
	}
	return now
}

// currentRow returns a row as the store has it now, or the row itself if the store does not have it.
func (r Runner[T]) currentRow(row T) T {
	if now, held := r.Store.Get(r.Store.ID(row)); held {
		return now
	}
	return row
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

// capitalize returns a text with a capital first letter.
func capitalize(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
