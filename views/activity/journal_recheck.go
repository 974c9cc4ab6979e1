package activity

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/journal"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/account"
)

// OfferUnresolved shows a menu if changes of earlier runs have an unknown outcome.
func OfferUnresolved(a *account.Account) tea.Cmd {
	// an interrupted emptying is offered separately
	open := slices.DeleteFunc(
		unresolvedChanges(a), func(e *journal.Entry) bool { return e.Change.Op == client.OpEmptyBucket },
	)
	if len(open) == 0 {
		return nil
	}
	names := make([]string, 0, 3)
	for _, e := range open[:min(3, len(open))] {
		names = append(names, client.Clean(e.Change.Op)+" "+entryName(e))
	}
	if more := len(open) - 3; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	title := "Outcome unknown: " + account.JoinWithCommas(names)
	return ui.Send(ui.Menu{Title: title, Actions: []ui.Action{
		{
			Key: ui.Bind("look it up now", "c"),
			Do:  func() tea.Cmd { return tea.Batch(ui.Send(ui.GoToMsg{Pane: "journal"}), recheckAll(a, open)) },
		},
		{
			Key: ui.Bind("to the journal", "j"),
			Do:  func() tea.Cmd { return ui.Send(ui.GoToMsg{Pane: "journal", ID: open[0].ID}) },
		},
		{Key: ui.Bind("later", "l"), Do: func() tea.Cmd { return nil }},
	}})
}

// recheckAll checks the outcome of each change that has none.
func recheckAll(a *account.Account, rows []*journal.Entry) tea.Cmd {
	var cmds []tea.Cmd
	for _, e := range rows {
		if a.Journal.Unresolved(*e) {
			cmds = append(cmds, recheck(a, e))
		}
	}
	return tea.Batch(cmds...)
}

// recheck checks the outcome of a change and records what it found in the journal.
func recheck(a *account.Account, e *journal.Entry) tea.Cmd {
	var said string
	found := *e
	return a.JournalStore().Run(ui.RowChange[*journal.Entry]{
		RowID:        e.ID,
		ProgressText: "checking",
		Send: func(ctx context.Context) (ui.Result[*journal.Entry], error) {
			verdict, text := recheckOutcome(ctx, a, e)
			said = text
			if verdict != client.Unknown {
				a.Journal.RecordOutcome(e.ID, verdict, errors.New("looked up later: "+text))
			}
			found.Outcome = verdict
			return ui.ResultRow(&found, nil)
		},
		OnOutcome: func(_ ui.AttemptOutcome, _ ui.Result[*journal.Entry], _ error) tea.Cmd {
			what := client.Clean(e.Change.Op) + " " + entryName(e) + ": "
			switch found.Outcome {
			case client.Applied:
				return tea.Batch(ui.ShowNews(theme.Good, what+"it was done · "+said), a.JournalStore().Refresh())
			case client.Rejected:
				return tea.Batch(ui.ShowNews(theme.Warn, what+"it was not done · "+said), a.JournalStore().Refresh())
			}
			return ui.ShowNews(theme.Warn, what+"still unknown · "+said)
		},
	})
}

// settleMenu lets the user record an outcome that reading cannot tell.
func settleMenu(a *account.Account, e *journal.Entry) ui.Menu {
	say := func(outcome client.Outcome) func() tea.Cmd {
		return func() tea.Cmd {
			a.Journal.RecordOutcome(e.ID, outcome, errors.New("said by the user, who looked"))
			return a.JournalStore().Refresh()
		}
	}
	return ui.Menu{Title: client.Clean(e.Change.Op) + " " + entryName(e), Actions: []ui.Action{
		{Key: ui.Bind("it was done", "d"), Do: say(client.Applied)},
		{Key: ui.Bind("it was not done", "n"), Do: say(client.Rejected)},
	}}
}

// recheckOutcome reads the object of a change again. It returns whether the change was applied, and the reason. The
// outcome is Unknown if nothing proves it.
func recheckOutcome(ctx context.Context, a *account.Account, e *journal.Entry) (client.Outcome, string) {
	op := e.Change.Op
	switch verb, _, _ := strings.Cut(op, " "); {
	case op == "disable service", op == "enable service":
		return recheckStatus(ctx, a, e, op == "disable service")
	case op == "delete certificate", op == "upload certificate":
		return recheckCertificate(ctx, a, e, op == "upload certificate")
	case op == "cancel Object Storage":
		return recheckCancelStorage(ctx, a)
	case verb == "create":
		return recheckCreated(ctx, a, e)
	case op == "change login", op == "modify access", op == "update access":
		return client.Unknown, "the API does not return it; sending the same change again does no harm"
	case e.Change.Resource == "object", op == client.OpEmptyBucket:
		return client.Unknown, "look into its bucket: o goes there"
	}
	row, err := fetchChanged(ctx, a, e)
	gone := errors.Is(err, client.ErrNotFound)
	switch verb, _, _ := strings.Cut(op, " "); {
	case (verb == "delete" || verb == "revoke") && gone:
		return client.Applied, "it is gone"
	case (verb == "delete" || verb == "revoke") && err == nil:
		return client.Rejected, "it is still there"
	case gone:
		return client.Unknown, "it no longer exists"
	case err != nil:
		return client.Unknown, ui.Reason(err)
	}
	return compareUpdate(e, flattenJSON(row))
}

// compareUpdate returns whether an update was applied, judged by the present values of the object.
func compareUpdate(e *journal.Entry, now map[string]string) (client.Outcome, string) {
	after, before := flattenJSON(e.Change.Body), flattenJSON(e.Change.Before)
	switch {
	case len(after) > 0 && containsAll(now, after):
		return client.Applied, "it has what was sent"
	case len(before) > 0 && containsAll(now, before):
		return client.Rejected, "it is as it was before"
	}
	return client.Unknown, "it is neither as it was nor as it was sent: somebody changed it since"
}

// containsAll reports whether an object has all these members. Absent, null, 0 and empty count as equal.
func containsAll(now, members map[string]string) bool {
	blank := func(text string) string {
		if text == "0" || text == "(empty)" || text == "false" {
			return ""
		}
		return text
	}
	for member, value := range members {
		if blank(now[member]) != blank(value) {
			return false
		}
	}
	return true
}

// fetchChanged reads the object of a change.
func fetchChanged(ctx context.Context, a *account.Account, e *journal.Entry) (any, error) {
	id, err := strconv.Atoi(e.Change.ID)
	if place := strings.Split(e.Change.ID, "/"); e.Change.Resource == "bucket" && len(place) == 2 {
		return a.API.Buckets.Get(ctx, place[0], place[1])
	}
	if err != nil {
		return nil, errors.New("the journal does not say which it was")
	}
	switch e.Change.Resource {
	case "service":
		return a.API.Services.Get(ctx, id)
	case "contact":
		return a.API.Contacts.Get(ctx, id)
	case "credential":
		return a.API.Credentials.Get(ctx, id)
	case "instance":
		return a.API.Instances.Get(ctx, id)
	case "key":
		return account.FetchKey(ctx, a, id)
	}
	return nil, errors.New("this kind of change cannot be checked")
}

func recheckStatus(ctx context.Context, a *account.Account, e *journal.Entry, off bool) (client.Outcome, string) {
	id, err := strconv.Atoi(e.Change.ID)
	if err != nil {
		return client.Unknown, "the journal does not say which service it was"
	}
	s, err := a.API.Services.Get(ctx, id)
	if err != nil {
		return client.Unknown, ui.Reason(err)
	}
	if (s.Status == client.StatusDisabled) == off {
		return client.Applied, "the service " + account.StatusPhrase(s.Status)
	}
	return client.Rejected, "the service " + account.StatusPhrase(s.Status)
}

func recheckCertificate(ctx context.Context, a *account.Account, e *journal.Entry, set bool) (client.Outcome, string) {
	place := strings.Split(e.Change.ID, "/")
	if len(place) != 2 {
		return client.Unknown, "the journal does not say which bucket it was"
	}
	status, err := a.API.Certificates.Get(ctx, place[0], place[1])
	switch {
	case err != nil:
		return client.Unknown, ui.Reason(err)
	case status.SSL == nil:
		return client.Unknown, "the API does not tell whether a certificate is set"
	case *status.SSL == set && set:
		return client.Applied, "a certificate is set"
	case *status.SSL == set:
		return client.Applied, "no certificate is set"
	}
	return client.Rejected, map[bool]string{true: "no certificate is set", false: "a certificate is set"}[set]
}

// recheckCancelStorage counts the buckets. If there are any, nothing was cancelled; if there are none, the outcome
// stays unknown.
func recheckCancelStorage(ctx context.Context, a *account.Account) (client.Outcome, string) {
	page, err := a.FetchAllBuckets(ctx)
	if err != nil {
		return client.Unknown, ui.Reason(err)
	}
	if len(page.Rows) > 0 {
		return client.Rejected, account.Pluralize(len(page.Rows), "bucket is", "buckets are") + " still there"
	}
	return client.Unknown, "no bucket is left, but that does not prove that Object Storage was cancelled"
}

// candidate is an object that a change may have created.
type candidate struct {
	id       string
	row      any
	modified time.Time // when it was created or last changed; zero if the API does not tell
}

// recheckCreated looks for objects with the values that were sent. Labels are not unique, so only an object that is not
// older than the change is proof.
func recheckCreated(ctx context.Context, a *account.Account, e *journal.Entry) (client.Outcome, string) {
	rows, err := fetchCandidates(ctx, a, e.Change.Resource)
	if err != nil {
		return client.Unknown, ui.Reason(err)
	}
	sent := flattenJSON(e.Change.Body)
	delete(sent, "password")
	delete(sent, "username")
	delete(sent, "bucket_access")
	delete(sent, "acl")
	delete(sent, "cors_enabled")
	alike := slices.DeleteFunc(rows, func(c candidate) bool { return !containsAll(flattenJSON(c.row), sent) })
	for _, c := range alike {
		if !c.modified.IsZero() && !c.modified.Before(e.Time.Add(-time.Minute)) {
			return client.Applied, "it is there: " + client.Clean(c.id)
		}
	}
	switch {
	case len(alike) == 0:
		return client.Rejected, "nothing has these values"
	case e.Change.Resource == "key":
		return client.Unknown, fmt.Sprintf(
			"key %s has this label; its secret never arrived: revoke it unless somebody has it",
			client.Clean(alike[0].id),
		)
	}
	return client.Unknown, fmt.Sprintf(
		"%s these values; whether by this change cannot be told",
		account.Pluralize(len(alike), "thing has", "things have"),
	)
}

// fetchCandidates returns all objects of a resource.
func fetchCandidates(ctx context.Context, a *account.Account, kind string) ([]candidate, error) {
	switch kind {
	case "service":
		return collectCandidates(a.API.Services.All(ctx), func(s *client.Service) candidate {
			return candidate{account.FormatID(s.ID), s, s.Created.Time()}
		})
	case "contact":
		return collectCandidates(a.API.Contacts.All(ctx), func(c *client.Contact) candidate {
			return candidate{account.FormatID(c.ID), c, c.Updated.Time()}
		})
	case "credential":
		return collectCandidates(a.API.Credentials.All(ctx), func(c *client.Credential) candidate {
			return candidate{account.FormatID(c.ID), c, time.Time{}}
		})
	case "key":
		return collectCandidates(a.API.Keys.All(ctx), func(k *client.Key) candidate {
			return candidate{account.FormatID(k.ID), account.WithoutSecret(k), time.Time{}}
		})
	case "bucket":
		page, err := a.FetchAllBuckets(ctx)
		rows := make([]candidate, len(page.Rows))
		for i, b := range page.Rows {
			rows[i] = candidate{account.BucketID(b), b, b.Created.Time()}
		}
		return rows, err
	}
	return nil, errors.New("this kind of object cannot be read again")
}

// collectCandidates reads a whole list as candidates.
func collectCandidates[T any](all iter.Seq2[T, error], toCandidate func(T) candidate) ([]candidate, error) {
	rows, err := account.Collect(all)
	found := make([]candidate, len(rows))
	for i, row := range rows {
		found[i] = toCandidate(row)
	}
	return found, err
}
