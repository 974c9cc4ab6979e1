package client

import (
	"context"
	"errors"
	"strings"

	"lookout/client/objectnames"
)

// A ConsentQuestion is put to the user before a change.
type ConsentQuestion struct {
	Op       string // the operation that is to be confirmed
	Effect   string // what happens: "Deletes service web-1 (id 7)"
	Word     string // what the user must type; empty asks for yes or no
	Required bool   // ask on every account, because something is lost; protected accounts always ask
	Below    bool   // the ids are parents ("us-east-1/photos/2024/"), and the answer covers everything below them
	Account  string // name of the protected account; set by the client, empty if the account is not protected
	// the objects that OpDeleteObject is for, instead of ids: there may be a million of them
	Names *objectnames.SortedNames
}

// An Asker puts a question to the user and waits for the answer: on a terminal, or from a flag.
type Asker interface {
	Ask(ctx context.Context, q ConsentQuestion) (bool, error)
}

// A Consent is the permission to perform one operation on certain ids of one account. Only ConsentRequest.Answer,
// Client.Consent and Client.Scheduled make one.
type Consent struct {
	client *Client
	op     string
	ids    map[string]bool
	below  bool // ids are parents
	names  *objectnames.SortedNames
}

// ErrDeclined means that the user answered no.
var ErrDeclined = errors.New("not confirmed; nothing was changed")

// ErrNotConfirmed means that a change lacks a consent, or has one for another operation, thing or account.
var ErrNotConfirmed = errors.New("the change was not confirmed, so it was not sent")

// WithProtected makes the client ask before every change, naming the account.
func WithProtected(account string) Option { return func(c *Client) { c.rules.protected = account } }

// A ConsentRequest is a consent that may still need an answer. A dialog shows its question and gives the answer later;
// Consent does both at once.
type ConsentRequest struct {
	question ConsentQuestion
	consent  *Consent
}

// RequestConsent starts to ask for an operation on certain ids. Without ids it asks for one that has none, as creating
// a contact.
func (c *Client) RequestConsent(q ConsentQuestion, ids ...string) *ConsentRequest {
	q.Account = c.rules.protected
	consent := &Consent{
		client: c,
		op:     q.Op,
		ids:    make(map[string]bool, len(ids)),
		below:  q.Below,
		names:  q.Names,
	}
	for _, id := range ids {
		consent.ids[id] = true
	}
	if len(ids) == 0 && q.Names == nil {
		consent.ids[""] = true
	}
	return &ConsentRequest{q, consent}
}

// Question returns the question to show, or nil if nothing need be asked: then Answer(true) returns the consent.
func (r *ConsentRequest) Question() *ConsentQuestion {
	if r.consent.client.isForbidden(r.question.Op) || !r.question.Required && r.question.Account == "" {
		return nil
	}
	return &r.question
}

// Answer returns the consent if the user agreed, ErrDeclined if not. In read-only mode the error is ErrReadOnly,
// except for OpCreateDownloadURL.
func (r *ConsentRequest) Answer(yes bool) (*Consent, error) {
	switch {
	case r.consent.client.isForbidden(r.question.Op):
		return nil, r.consent.client.refusal(Change{Op: r.question.Op}, ErrReadOnly)
	case !yes:
		return nil, ErrDeclined
	}
	return r.consent, nil
}

// Consent asks what needs to be asked, waits for the answer, and returns the consent. See RequestConsent and Answer.
func (c *Client) Consent(ctx context.Context, asker Asker, q ConsentQuestion, ids ...string) (*Consent, error) {
	r := c.RequestConsent(q, ids...)
	yes := true
	if pending := r.Question(); pending != nil {
		var err error
		if yes, err = asker.Ask(ctx, *pending); err != nil {
			return nil, err
		}
	}
	return r.Answer(yes)
}

// Scheduled returns the consent to what a recorded change has scheduled, when its time has come: its revert, or the
// change that it planned. The user agreed to that along with the recorded change. It returns ErrNotConfirmed if nothing
// was scheduled or a later change has superseded it.
func (c *Client) Scheduled(intentID string) (*Consent, error) {
	scheduler, ok := c.rules.recorder.(ScheduleRecorder)
	if !ok {
		return nil, ErrNotConfirmed
	}
	op, id, ok := scheduler.ScheduledChange(intentID)
	if !ok {
		return nil, ErrNotConfirmed
	}
	return &Consent{
		client: c,
		op:     op,
		ids:    map[string]bool{id: true},
	}, nil
}

// covers reports whether the consent is for a change by a client.
func (k *Consent) covers(c *Client, change Change) bool {
	switch {
	case k == nil || k.client != c:
		return false
	case change.Op == OpDeleteObjects:
		return k.op == OpDeleteObject && change.Names != nil && (k.names == change.Names || k.coversAll(change.Names))
	}
	return k.op == change.Op && k.coversID(change.ID)
}

// coversAll reports whether the consent is for each object of a list.
func (k *Consent) coversAll(names *objectnames.SortedNames) bool {
	for o := range names.From(0) {
		if !k.coversID(names.Bucket() + "/" + o.Name) {
			return false
		}
	}
	return true
}

// coversID reports whether the consent is for a thing.
func (k *Consent) coversID(id string) bool {
	if k.names != nil {
		name, inBucket := strings.CutPrefix(id, k.names.Bucket()+"/")
		return inBucket && k.names.Contains(name)
	}
	if !k.below {
		return k.ids[id]
	}
	for parent := range k.ids {
		if isParent(parent) && strings.HasPrefix(id, parent) {
			return true
		}
	}
	return false
}

// isParent reports whether an id names a bucket or the beginning of an object's name: "us-east-1/photos/…". Anything
// shorter would cover several buckets.
func isParent(id string) bool { return strings.Count(id, "/") >= 2 }
