package operation

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/ui"
)

// ShortKeyReach says what a key reaches in the width of a box: as much of it as fits in whole words, with the
// permissions if they fit, and a count of the rest: "photos (read only) +3 more". A bucket whose name another bucket of
// the account has too is named with its place: "us-east-1/photos".
func ShortKeyReach(a *account.Account, k *client.AccessKey, b ui.Box) string {
	reach, _ := account.KeyReach(k)
	if len(k.Buckets) == 0 {
		return reach
	}
	names, permitted := make([]string, len(k.Buckets)), make([]string, len(k.Buckets))
	for i, g := range k.Buckets {
		names[i] = g.Bucket.String()
		if sharesLabel(a, g) || slices.ContainsFunc(k.Buckets, func(o client.BucketGrant) bool {
			return o.Bucket == g.Bucket && o.Location() != g.Location()
		}) {
			names[i] = g.Location().String() + "/" + names[i]
		}
		permitted[i] = fmt.Sprintf("%s (%s)", names[i], account.FormatPermission(g.Permissions))
	}
	if text := FitNames(permitted, b.Width); ui.Width(text) <= b.Width {
		return text
	}
	return FitNames(names, b.Width)
}

// sharesLabel reports whether a bucket of another place has the same label as one that a key reaches.
func sharesLabel(a *account.Account, g client.BucketGrant) bool {
	places := account.Memo(a, "places of bucket labels", func() map[string]int {
		places := map[string]int{}
		for _, b := range a.Buckets().Rows() {
			places[b.Label.Raw()]++
		}
		return places
	}, a.Buckets())
	others := places[g.Bucket.Raw()]
	if _, listed := a.Buckets().Get(g.BucketID()); listed {
		others--
	}
	return others > 0
}

// PossiblyCreated are rows that may be what a create has made, while nothing proves whose they are.
type PossiblyCreated[T any] struct {
	What  string // "new key ci": the create whose answer was lost
	Found lists.LookupResult[T]
	// Operation is offered on the rows, besides showing them: "revoke". "" offers none. Note says why.
	Operation, Note string
}

// CandidatesMenu shows candidates, each with how it differs from what was sent. The first choice is to leave them.
func (r OperationRunner[T]) CandidatesMenu(c PossiblyCreated[T]) ui.OpenMenuMsg {
	m := ui.OpenMenuMsg{
		Title: "It is unknown who made this " + r.Resource.Singular,
		Text: []string{
			fmt.Sprintf("The response to %q was lost, and it is %s.", c.What, lists.NotKnown),
			"Either it went through, or a colleague made this:",
		},
		Actions: []ui.Action{{Key: ui.Bind("leave it as it is", "l"), Do: func() tea.Cmd { return nil }}},
	}
	for i, row := range c.Found.Candidates {
		name := fmt.Sprintf("%s %s", r.Resource.Singular, client.Clean(r.Resource.ID(row)))
		m.Text = append(m.Text, name+" "+r.Resource.Label(row)+": "+c.Found.Descriptions[i])
		m.Actions = append(m.Actions, ui.Action{
			Key: ui.Bind("show "+name, fmt.Sprint(i+1)),
			Do: func() tea.Cmd {
				return ui.Send(ui.GoToMsg{Pane: r.Resource.PluralName(), ID: r.Store.ID(row)})
			},
		})
	}
	if c.Note != "" {
		m.Text = append(m.Text, c.Note)
	}
	m.Actions = append(m.Actions, r.candidateActions(c)...)
	return m
}

// candidateActions offers the operation on each candidate. A single one has a key.
func (r OperationRunner[T]) candidateActions(c PossiblyCreated[T]) []ui.Action {
	op, ok := r.Resource.Operation(c.Operation)
	if !ok {
		return nil
	}
	var keys []string
	if len(c.Found.Candidates) == 1 {
		keys = []string{op.Name[:1]}
	}
	actions := make([]ui.Action, len(c.Found.Candidates))
	for i, row := range c.Found.Candidates {
		actions[i] = ui.Action{
			Key: ui.Bind(
				fmt.Sprintf("%s %s %s", op.Name, r.Resource.Singular, client.Clean(r.Resource.ID(row))), keys...,
			),
			Writes:    true,
			OpensView: true,
			Do:        func() tea.Cmd { return r.StartNamed(op.Name, row) },
		}
	}
	return actions
}
