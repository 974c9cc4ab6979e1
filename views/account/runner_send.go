package account

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/resource"
)

// sentRow is a row with the change of it that was sent.
type sentRow[T any] struct {
	row      T
	attempt  resource.Attempt[T]
	what     string // "disable web-1"
	reported bool   // it is in the summary
}

// change returns the change of a row as the store sends it.
func (r OperationRunner[T]) change(s *start[T], row T, consent grant[T]) (ui.RowChange[T], resource.Attempt[T]) {
	attempt := s.draft.Attempt(row)
	change := ui.RowChange[T]{
		What:     s.op.Name + " " + client.NewText(attempt.Label).String(),
		BusyText: s.op.BusyText,
		DoneText: pastTense(s.op.BusyText),
		Find:     attempt.Find,
		ReadBack: attempt.ReadBack,
		Shows:    s.op.Shows,
		Send: func(ctx context.Context) (ui.ChangeResult[T], error) {
			result, err := r.sendOnce(
				ctx, s, attempt, func(op string) (*client.Consent, error) { return consent(row, op) },
			)
			if s.op.Target == resource.NewRow {
				return result, err // there is no row that could be gone
			}
			return result, r.checkGone(ctx, row, err)
		},
	}
	change.OnLate = func(intent string, found ui.LookupResult[T]) tea.Cmd {
		names := make([]string, len(found.Candidates))
		for i, row := range found.Candidates {
			names[i] = client.Clean(r.Resource.ID(row)) + ": " + attempt.Describe(row)
		}
		return recordLate(r.Account, intent, change.What, strings.Join(names, "; "))
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

// send sends one change for each row and sums the outcomes up in one status message. It is the only way from a pane to
// the API.
func (r OperationRunner[T]) send(s *start[T], consent grant[T]) tea.Cmd {
	summary := ui.NewBatchSummary(len(s.rows), r.Resource.Label)
	summary.Singular = r.Resource.Singular
	cmds := make([]tea.Cmd, len(s.rows))
	for i, row := range s.rows {
		now := r.currentRow(row) // what the journal calls the value before is what the row shows now
		change, attempt := r.change(s, now, consent)
		send := change.Send
		change.Send = func(ctx context.Context) (ui.ChangeResult[T], error) {
			if err := r.checkSameLabel(ctx, s, row); err != nil {
				return ui.ChangeResult[T]{}, r.checkGone(ctx, row, err)
			}
			return send(ctx)
		}
		sent := &sentRow[T]{row: now, attempt: attempt, what: change.What}
		change.OnOutcome = func(outcome ui.AttemptOutcome, _ ui.ChangeResult[T], err error) tea.Cmd {
			return r.report(s, summary, sent, outcome, err)
		}
		cmds[i] = r.Store.Run(change)
	}
	return tea.Batch(cmds...)
}

// sendOnce begins a change and sends it, after the change that it needs.
func (r OperationRunner[T]) sendOnce(
	ctx context.Context, s *start[T], attempt resource.Attempt[T], consent func(op string) (*client.Consent, error),
) (ui.ChangeResult[T], error) {
	var none ui.ChangeResult[T]
	if attempt.Err != nil {
		return none, attempt.Err
	}
	change := attempt.Change(r.Resource.Singular, s.op.Call)
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
func (r OperationRunner[T]) begin(
	change client.Change, consent func(op string) (*client.Consent, error),
) (*client.Writer, error) {
	granted, err := consent(change.Op)
	if err != nil {
		return nil, err
	}
	return r.Account.API.Begin(change, granted)
}

// report counts an outcome; the last one brings the message, the undo and what follows.
func (r OperationRunner[T]) report(
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

// reportVerdict brings the message about a change whose answer was lost, once readings have told how it ended.
func (r OperationRunner[T]) reportVerdict(s *start[T], sent *sentRow[T], outcome ui.AttemptOutcome, err error) tea.Cmd {
	switch outcome {
	case ui.Unknown:
		return ui.ShowStatus(theme.Warn, sent.what+": "+ui.CannotTellText)
	case ui.Rejected:
		return ui.ShowStatus(theme.Bad, sent.what+": "+ui.Reason(err))
	}
	one, rows := *s, []T{sent.row}
	one.applied = []resource.Attempt[T]{sent.attempt}
	cmds := []tea.Cmd{ui.Send(ui.StatusMsg{
		Tone: theme.Good,
		Text: r.Resource.Label(sent.row) + ": " + r.summaryText(&one, rows) + " · " + ui.SeenByReading,
		Undo: r.undo(&one, rows),
	})}
	if s.draft.OnApplied != nil {
		cmds = append(cmds, s.draft.OnApplied(rows))
	}
	return tea.Batch(cmds...)
}

// summaryText says what was done to rows: until when, and for a single row what it was before.
func (r OperationRunner[T]) summaryText(s *start[T], rows []T) string {
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
func (r OperationRunner[T]) undo(s *start[T], rows []T) *ui.Action {
	if s.draft.Undo == nil || len(rows) == 0 {
		return nil
	}
	undo := s.draft.Undo()
	return &ui.Action{
		Key:       ui.Bind(undo.Text, "u"),
		Writes:    true,
		OpensView: true,
		Do:        func() tea.Cmd { return r.StartDraft(undo.Operation, rows, undo.Draft) },
	}
}

// checkSameLabel reads the one row that a question was about again: if it has another label now, the answer was about
// something else.
func (r OperationRunner[T]) checkSameLabel(ctx context.Context, s *start[T], row T) error {
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

// pastTense returns what was done of what is under way: "disabled" of "disabling", "denied access" of "denying access".
func pastTense(progress string) string {
	verb, object, _ := strings.Cut(progress, " ")
	verb = strings.TrimSuffix(verb, "ing")
	if stem, y := strings.CutSuffix(verb, "y"); y {
		verb = stem + "i"
	}
	return strings.TrimSpace(verb + "ed " + object)
}
