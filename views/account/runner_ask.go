package account

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/resource"
)

// grant returns the consent to one operation of the client on a row.
type grant[T any] func(row T, op string) (*client.Consent, error)

// askAndSend asks what must be asked and sends.
func (r OperationRunner[T]) askAndSend(s *start[T]) tea.Cmd {
	return r.ask(s, func(g grant[T]) tea.Cmd { return r.send(s, g) })
}

// ask asks what must be asked about an operation and goes on with the consents. It returns at once.
func (r OperationRunner[T]) ask(s *start[T], then func(grant[T]) tea.Cmd) tea.Cmd {
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
	question := askAction(r.Account, ask, func(consents Consents) tea.Cmd {
		return then(func(_ T, op string) (*client.Consent, error) { return consents[op], nil })
	})
	s.asked = question.Confirm != nil
	return runAction(question)
}

// confirm says what an operation does to its rows. Several rows are always asked about, with their count.
func (r OperationRunner[T]) confirm(s *start[T]) resource.ConfirmationSpec {
	var c resource.ConfirmationSpec
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
		c.Title = capitalize(s.op.Name) + ": " + ui.Plural(len(s.rows), r.Resource.Singular, r.Resource.PluralName())
		c.Effect = strings.TrimSpace(fmt.Sprintf(
			"Only these %s are affected. %s",
			ui.Plural(len(s.rows), r.Resource.Singular, r.Resource.PluralName()), r.selection(s),
		))
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
		texts = append(texts, fmt.Sprintf("This includes %d that the filter hides.", s.hidden))
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
		marked := ui.Plural(n, "marked "+r.Resource.Singular, "marked "+r.Resource.PluralName())
		texts = append(texts, fmt.Sprintf("%s %s: %s.", marked, why, JoinWithCommas(names)))
	}
	return strings.Join(texts, " ")
}

// unsettled says which changes of the rows, or which creations, have an unknown outcome, and which rows were deleted
// already: what is sent now may then happen twice.
func (r OperationRunner[T]) unsettled(s *start[T]) string {
	var texts []string
	say := func(id, what string) {
		for _, l := range r.Store.Lookups() {
			if l.RowID == id && l.Unsettled() {
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
	f.BusyText, f.SubmitLabel, f.EnterSubmits = s.op.BusyText, s.draft.SubmitLabel, s.draft.EnterSubmits
	if len(s.rows) > 1 {
		f.RequiredText, f.Items = strconv.Itoa(len(s.rows)), r.describe(s.rows)
		f.Text = strings.TrimSpace(f.Text + " " + r.selection(s))
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
func (r OperationRunner[T]) openForm(s *start[T], consent grant[T]) form.Form {
	var row T
	if len(s.rows) > 0 {
		row = s.rows[0]
	}
	var sent resource.Attempt[T]
	return form.NewForm(form.StoreForm[T]{
		Store:   r.Store,
		Title:   s.draft.Title,
		Fields:  s.draft.Fields,
		Success: func(row T) string { return r.Resource.Label(row) + ": " + r.success(s, row) },
		Then:    s.draft.AfterSubmit,

		OnCandidates: func(rows []T) tea.Cmd {
			return ui.Send(r.CandidatesMenu(CreateCandidates[T]{
				What:      s.op.Name + " " + client.NewText(sent.Label).String(),
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
			change.Send = func(ctx context.Context) (ui.ChangeResult[T], error) {
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

// capitalize returns a text with a capital first letter.
func capitalize(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
