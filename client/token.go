package client

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
)

// tokens holds the token in use, and the earlier ones, which must not be shown either.
type tokens struct {
	mu       sync.Mutex
	all      []Secret  // the last one is in use
	rejected *response // how the API refused it; nil while it is accepted
}

func newTokens(first Secret) *tokens { return &tokens{all: []Secret{first}} }

// current returns the token in use.
func (t *tokens) current() Secret {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[len(t.all)-1]
}

// redactor returns a redactor for every token and further secrets.
func (t *tokens) redactor(also ...Secret) redactor {
	t.mu.Lock()
	defer t.mu.Unlock()
	return newRedactor(append(slices.Clone(t.all), also...)...)
}

// rejection returns the answer that reads get without being sent while the token in use is not accepted; nil otherwise.
func (t *tokens) rejection() *response {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rejected
}

// update records whether the API accepts a token. It ignores answers about a token that is no longer in use.
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

// SetToken gives the client another token of the same account and returns the previous one. It takes effect with the
// next request.
func (c *Client) SetToken(token Secret) (before Secret, err error) {
	if !validToken(token) {
		return Secret{}, errInvalidToken
	}
	c.tokens.mu.Lock()
	defer c.tokens.mu.Unlock()
	before = c.tokens.all[len(c.tokens.all)-1]
	c.tokens.all, c.tokens.rejected = append(c.tokens.all, token), nil
	return before, nil
}

var errInvalidToken = errors.New(
	"the token contains spaces, line breaks or other characters that tokens never have: copy it again",
)

// validToken reports whether a token can stand in a header.
func validToken(token Secret) bool {
	return !strings.ContainsFunc(token.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' })
}

// Resume lets the next requests through although the API asked to wait, reads failed, or the token was refused: the
// user asked for them.
func (c *Client) Resume() {
	c.tokens.mu.Lock()
	c.tokens.rejected = nil
	c.tokens.mu.Unlock()
	c.transport.mu.Lock()
	c.transport.rateLimit.PausedUntil = time.Time{}
	clear(c.transport.failedReads)
	c.transport.mu.Unlock()
}

// A Profile is the user who owns the token. It is not in the document; only the provider's own service has it.
type Profile struct {
	Username   ServerText `json:"username"`
	Email      ServerText `json:"email"`
	Restricted bool       `json:"restricted"` // restricted users have no access to Managed
}

// Profile returns the user who owns the token.
func (c *Client) Profile(ctx context.Context) (Profile, error) {
	return call[Profile](ctx, c, request{op: "view profile"})
}
