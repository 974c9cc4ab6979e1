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

// A resourceList is what the tests need of the list of a resource.
type resourceList struct {
	store lists.Poller
	send  func(c change)
	note  func(id string) (held bool, note string) // whether a row is held, and what is said of it
	shown func() map[string]any                    // the rows that the list holds, by id
	read  func() map[string]any                    // the rows as the API has them
}

// list returns the list of a resource; the zero value if there is none.
func (p *program) list(resource string) resourceList {
	switch a := p.account; resource {
	case "service":
		return listOf(p, a.Services(), a.API.Services.All)
	case "contact":
		return listOf(p, a.Contacts(), a.API.Contacts.All)
	case "credential":
		return listOf(p, a.Credentials(), a.API.Credentials.All)
	case "instance":
		return listOf(p, a.Instances(), a.API.Instances.All)
	case "key":
		return listOf(p, a.Keys(), a.API.Keys.All)
	case "bucket":
		return listOf(p, a.Buckets(), a.API.Buckets.All)
	}
	return resourceList{}
}

func listOf[T any](
	p *program, store *lists.RowStore[T], all func(context.Context) iter.Seq2[T, error],
) resourceList {
	return resourceList{
		store: store,
		send:  func(c change) { sendRow(p, store, c) },
		note: func(id string) (held bool, note string) {
			row, held := store.Get(id)
			if held {
				note = store.RowNote(row)
			}
			return held, note
		},
		shown: func() map[string]any {
			rows := map[string]any{}
			for _, row := range store.Rows() {
				rows[store.ID(row)] = row
			}
			return rows
		},
		read: func() map[string]any {
			rows := map[string]any{}
			for row, err := range all(p.account.Context) {
				switch {
				case err == nil:
					rows[store.ID(row)] = row
				case !p.answer.cut: // else the API says that a part of the list is missing
					p.Fatal(err)
				}
			}
			return rows
		},
	}
}

// send sends a change from a pane.
func (p *program) send(c change) {
	list := p.list(c.Resource)
	if list.send == nil || c.Op == client.OpUpdateBucketAccess || c.Op == client.OpReplaceBucketAccess {
		p.sendWithoutRow(c)
		return
	}
	list.send(c)
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
