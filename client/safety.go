package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Safety is what the configuration says now: the restrictions on changes, and the token.
type Safety struct {
	ReadOnly  bool   // no change is sent
	Protected string // name of the account, which the question before a change must name; "" if it is not protected
	Token     Secret // takes the place of the token in use, and is the same user's; zero if there is no other
}

// WithSafetyCheck sets a function that says what the configuration demands now. The client calls it, off the event
// loop, before every change, and when the API does not accept the token. A restriction that was added takes effect at
// once; one that was removed stays in force until the program ends. If the function fails, changes are refused.
func WithSafetyCheck(check func(context.Context) (Safety, error)) Option {
	return func(c *Client) { c.rules.safety.check = check }
}

// safetyRules hold what was demanded so far.
type safetyRules struct {
	check    func(context.Context) (Safety, error)
	checking sync.Mutex // held while check runs
	mu       sync.Mutex
	demanded Safety // without a token
}

// now returns what is demanded.
func (r *safetyRules) now() Safety {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.demanded
}

// Protected reports whether the account is protected.
func (c *Client) Protected() bool { return c.rules.safety.now().Protected != "" }

// refresh asks what is demanded now, and adds it to what was demanded before.
func (r *safetyRules) refresh(ctx context.Context, c *Client) error {
	r.checking.Lock()
	defer r.checking.Unlock()
	found, err := r.check(ctx)
	r.mu.Lock()
	r.demanded.ReadOnly = r.demanded.ReadOnly || found.ReadOnly
	if r.demanded.Protected == "" {
		r.demanded.Protected = found.Protected
	}
	r.mu.Unlock()
	if err == nil && !found.Token.IsZero() && !found.Token.Equal(c.tokens.current()) {
		err = c.SetToken(found.Token, true)
	}
	return err
}

// A safetyRefusal is why a change is refused that nobody has forbidden when the user agreed to it.
type safetyRefusal struct {
	text  string
	cause error
}

// Error returns why, and what to do.
func (r *safetyRefusal) Error() string { return r.text }

// Unwrap returns the sentinel.
func (r *safetyRefusal) Unwrap() error { return r.cause }

// errSafetyUnknown means that it is not known whether the configuration allows a change.
var errSafetyUnknown = errors.New("it is not known whether the configuration allows it")

// checkSafety returns why the change must not be sent, as the configuration is now; nil if it may.
func (w *Writer) checkSafety(ctx context.Context, op string) error {
	c := w.client
	rules, before := &c.rules.safety, c.rules.safety.now()
	if rules.check == nil || c.endpoint.operations[op].inReadOnlyMode {
		return nil
	}
	err := rules.refresh(ctx, c)
	now := rules.now()
	switch {
	case now.ReadOnly && !before.ReadOnly:
		return &safetyRefusal{"read_only has been set in the configuration; nothing was sent", ErrReadOnly}
	case err != nil:
		return &safetyRefusal{fmt.Sprintf("nothing was sent: %v", err), errSafetyUnknown}
	case now.Protected != "" && !w.part && w.consent.asked == "" && !w.consent.scheduled:
		return &safetyRefusal{fmt.Sprintf(
			"account %s is now protected; nothing was sent. Repeat the change to confirm it.",
			Clean(now.Protected),
		), ErrNotConfirmed}
	}
	return nil
}

// renewToken reports whether the client has another token than the one that was sent and not accepted.
func (c *Client) renewToken(ctx context.Context, sent Secret) bool {
	if c.rules.safety.check != nil && c.tokens.current().Equal(sent) {
		_ = c.rules.safety.refresh(ctx, c)
	}
	return !c.tokens.current().Equal(sent)
}
