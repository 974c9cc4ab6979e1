package account_test

import (
	"context"
	"errors"
	"iter"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
)

// This file is all that the generated tests know of how the engine sends changes and holds rows.

// script sends a change as a script with --wait does, which ends once it knows the outcome or has waited for long
// enough, and checks what it says.
func (r *trial) script(c change) {
	p := r.openAccount()
	defer p.stop()
	r.ask(c)
	_, err := c.send(p.account.Context, r.begin(p.account.API, c.Change))
	var e *client.Error
	if !errors.As(err, &e) || !e.Unknown() {
		r.checkClaims(p.account.Journal)
		return
	}
	ctx, cancel := context.WithTimeout(p.account.Context, 150*time.Second)
	defer cancel()
	outcome, reason := p.account.WaitForOutcome(ctx, e.IntentID())
	if applied := r.applied(c) > 0; outcome == lists.Applied && !applied || outcome == lists.Rejected && applied {
		r.Errorf("the script ends with outcome %v: %s", outcome, reason)
	}
	r.checkClaims(p.account.Journal)
}

// send sends a change from a pane.
func (p *program) send(c change) {
	a := p.account
	switch {
	case c.Op == client.OpUpdateBucketAccess, c.Op == client.OpReplaceBucketAccess:
		p.sendWithoutRow(c)
	case c.Resource == "service":
		sendRow(p, a.Services(), c)
	case c.Resource == "contact":
		sendRow(p, a.Contacts(), c)
	case c.Resource == "credential":
		sendRow(p, a.Credentials(), c)
	case c.Resource == "instance":
		sendRow(p, a.Instances(), c)
	case c.Resource == "key":
		sendRow(p, a.Keys(), c)
	case c.Resource == "bucket":
		sendRow(p, a.Buckets(), c)
	default:
		p.sendWithoutRow(c)
	}
}

// sendRow sends a change of a row of a list, if the list has the row.
func sendRow[T any](p *program, store *lists.RowStore[T], c change) {
	before, held := store.Get(c.ID)
	if !held && !c.Creates() {
		return
	}
	p.ask(c)
	intent := c.Change
	intent.Body = c.body
	sent := &lists.Change[T]{
		Row:      before,
		What:     c.Op,
		BusyText: "changing",
		DoneText: "changed",
		Sets:     c.Sets(),
		Search:   account.Search(p.account, store, &intent, before),
		Send: func(ctx context.Context) (lists.ChangeResult[T], error) {
			row, err := c.send(ctx, p.begin(p.account.API, c.Change))
			switch row, isRow := row.(T); {
			case c.Deletes():
				return lists.ResultDeleted[T](err)
			case !isRow:
				return lists.ResultReload[T](err)
			default:
				return lists.ResultRow(row, err)
			}
		},
		OnOutcome: func(sent *lists.Change[T]) {
			if applied := p.applied(c) > 0; sent.Outcome == lists.Applied && !applied ||
				sent.Outcome == lists.Rejected && applied && !p.isRepeated(c) {
				p.Errorf("after %s, %q has outcome %v: %v", time.Since(p.start), c.Op, sent.Outcome, sent.Err)
			}
		},
		OnLate: func(sent *lists.Change[T]) { p.account.RecordLate(sent.Intent, c.Op, "") },
	}
	if !c.Creates() {
		sent.RowID = c.ID
	}
	if busy := store.Run(sent); busy != nil {
		p.Fatal(busy)
	}
}

// sendWithoutRow sends a change that no list shows.
func (p *program) sendWithoutRow(c change) {
	p.ask(c)
	p.account.Go(func() (apply func()) {
		_, _ = c.send(p.account.Context, p.begin(p.account.API, c.Change))
		return p.resume
	})
}

// rows returns the list that the first change is about; nil if there is none.
func (p *program) rows() lists.Poller {
	switch a := p.account; p.first.Resource {
	case "service":
		return a.Services()
	case "contact":
		return a.Contacts()
	case "credential":
		return a.Credentials()
	case "instance":
		return a.Instances()
	case "key":
		return a.Keys()
	case "bucket":
		return a.Buckets()
	}
	return nil
}

// note returns whether the row of a change is held, and what is said of it.
func (p *program) note(c change) (held bool, note string) {
	switch a := p.account; c.Resource {
	case "service":
		return noteOf(a.Services(), c.ID)
	case "contact":
		return noteOf(a.Contacts(), c.ID)
	case "credential":
		return noteOf(a.Credentials(), c.ID)
	case "key":
		return noteOf(a.Keys(), c.ID)
	case "bucket":
		return noteOf(a.Buckets(), c.ID)
	}
	return false, ""
}

func noteOf[T any](store *lists.RowStore[T], id string) (held bool, note string) {
	row, held := store.Get(id)
	if !held {
		return false, ""
	}
	return true, store.RowNote(row)
}

// shown returns the rows that the list of the first change holds, by id.
func (p *program) shown() map[string]any {
	switch a := p.account; p.first.Resource {
	case "service":
		return rowsOf(a.Services())
	case "contact":
		return rowsOf(a.Contacts())
	case "credential":
		return rowsOf(a.Credentials())
	case "instance":
		return rowsOf(a.Instances())
	case "key":
		return rowsOf(a.Keys())
	}
	return rowsOf(p.account.Buckets())
}

func rowsOf[T any](store *lists.RowStore[T]) map[string]any {
	rows := map[string]any{}
	for _, row := range store.Rows() {
		rows[store.ID(row)] = row
	}
	return rows
}

// read reads the rows of a resource from the API, by id.
func (p *program) read(resource string) map[string]any {
	switch api, ctx := p.account.API, p.account.Context; resource {
	case "service":
		return collect(api.Services.All(ctx), func(s *client.Service) string { return account.FormatID(s.ID) })
	case "contact":
		return collect(api.Contacts.All(ctx), func(c *client.Contact) string { return account.FormatID(c.ID) })
	case "credential":
		return collect(api.Credentials.All(ctx), func(c *client.Credential) string { return account.FormatID(c.ID) })
	case "instance":
		return collect(api.Instances.All(ctx), func(i *client.Instance) string { return account.FormatID(i.ID) })
	case "key":
		return collect(api.Keys.All(ctx), func(k *client.AccessKey) string { return account.FormatID(k.ID) })
	}
	return collect(p.account.API.Buckets.All(p.account.Context), (*client.Bucket).ID)
}

func collect[T any](all iter.Seq2[T, error], id func(T) string) map[string]any {
	rows := map[string]any{}
	for row, err := range all {
		if err == nil {
			rows[id(row)] = row
		}
	}
	return rows
}
