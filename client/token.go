package client

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
)

// tokens are what the client shows the API: the one in use, and those before it, which must not be told either.
type tokens struct {
	mu       sync.Mutex
	all      []Secret  // the last one is in use
	rejected *response // how the API refused it; nil while it is accepted
}

func newTokens(first Secret) *tokens { return &tokens{all: []Secret{first}} }

// current is the token in use.
func (t *tokens) current() Secret {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[len(t.all)-1]
}

// redactor hides every token, and what else is secret.
func (t *tokens) redactor(also ...Secret) redactor {
	t.mu.Lock()
	defer t.mu.Unlock()
	return newRedactor(append(slices.Clone(t.all), also...)...)
}

// rejection is the answer that reads get without being sent, because the token in use is not accepted.
func (t *tokens) rejection() *response {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rejected
}

// update keeps whether the API accepts a token. What it says about one that is no longer in use does not count.
func (t *tokens) update(sent Secret, a *response, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var e *Error
	switch {
	case sent != t.all[len(t.all)-1] || a == nil:
	case errors.As(err, &e) && e.Unauthorized():
		t.rejected = a
	default:
		t.rejected = nil
	}
}

// SetToken gives the client another token of the same account and gives back the one before. It counts from the next
// request on.
func (c *Client) SetToken(token Secret) (before Secret, err error) {
	if !validToken(token) {
		return Secret{}, errors.New(
			"the token holds spaces, line breaks or characters that no token has: check where it was copied from",
		)
	}
	c.tokens.mu.Lock()
	defer c.tokens.mu.Unlock()
	before = c.tokens.all[len(c.tokens.all)-1]
	c.tokens.all, c.tokens.rejected = append(c.tokens.all, token), nil
	return before, nil
}

// validToken reports whether a token can stand in a header.
func validToken(token Secret) bool {
	return !strings.ContainsFunc(token.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' })
}

// Resume asks the API again although it wanted to be left alone, failed or refused the token: a person wants to know.
func (c *Client) Resume() {
	c.tokens.mu.Lock()
	c.tokens.rejected = nil
	c.tokens.mu.Unlock()
	c.transport.mu.Lock()
	c.transport.rateLimit.PausedUntil = time.Time{}
	clear(c.transport.failedReads)
	c.transport.mu.Unlock()
}

// A Profile is the user whose token it is. Only the provider's own service tells it; the document does not.
type Profile struct {
	Username   Text `json:"username"`
	Email      Text `json:"email"`
	Restricted bool `json:"restricted"` // a restricted user has no Managed
}

// Profile is the user of the token.
func (c *Client) Profile(ctx context.Context) (Profile, error) {
	return call[Profile](ctx, c, request{op: "view profile"})
}
