package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A Secret is a value that must not be shown: a token, a password, a private key. Every fmt verb, JSON and slog print
// it as dots. Equal compares secrets; == does not compile, because it would compare where they are stored.
type Secret struct {
	_     [0]func()
	value *string
}

// NewSecret returns a value as a Secret.
func NewSecret(value string) Secret { return Secret{value: &value} }

// Reveal returns the value, to send it.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Equal reports whether two secrets have the same value.
func (s Secret) Equal(other Secret) bool { return s.Reveal() == other.Reveal() }

// IsZero reports whether the secret is empty.
func (s Secret) IsZero() bool { return s.value == nil || *s.value == "" }

const secretMask = "•••"

// String returns dots.
func (s Secret) String() string { return secretMask }

// Format prints dots for every verb.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, secretMask) }

// GoString returns dots.
func (s Secret) GoString() string { return secretMask }

// MarshalJSON encodes dots; request bodies reveal the value where they are built.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + secretMask + `"`), nil }

// MarshalText returns dots.
func (s Secret) MarshalText() ([]byte, error) { return []byte(secretMask), nil }

// A redactor replaces secrets by dots where a server repeats them.
type redactor []string

// The shortest secrets, in bytes, that are replaced: in texts about the request, and in the rest of an answer.
const (
	minSecretInText = 3
	minSecretInBody = 16
)

func newRedactor(secrets ...Secret) redactor {
	var m redactor
	for _, s := range secrets {
		m = append(m, s.Reveal())
		for _, escaped := range [...]string{url.PathEscape(s.Reveal()), url.QueryEscape(s.Reveal())} {
			if !slices.Contains(m, escaped) {
				m = append(m, escaped)
			}
		}
		if lines := strings.Fields(s.Reveal()); len(lines) > 1 {
			m = append(m, slices.DeleteFunc(lines, func(line string) bool { return len(line) < minSecretInBody })...)
		}
	}
	return m
}

// redactText redacts a text about a request.
func (m redactor) redactText(s string) string {
	for _, secret := range m {
		if len(secret) >= minSecretInText {
			s = strings.ReplaceAll(s, secret, secretMask)
		}
	}
	return s
}

// excerpt returns the first n bytes of a server's text, safe to display. It redacts the whole text first, so that no
// part of a secret remains at the cut.
func (m redactor) excerpt(s string, n int) string { return Clean(truncate(m.redactText(s), n)) }

// scopes returns the scopes that a header lists, safe to display. All existing scopes together take less than 1 KB.
func (m redactor) scopes(header string) string { return m.excerpt(header, 2<<10) }

// redactBody redacts an answer.
func (m redactor) redactBody(b []byte) []byte {
	for _, secret := range m {
		if len(secret) >= minSecretInBody && bytes.Contains(b, []byte(secret)) {
			b = bytes.ReplaceAll(b, []byte(secret), []byte(secretMask))
		}
	}
	return b
}

// UnmarshalJSON stores the value.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var t ServerText
	if err := t.UnmarshalJSON(data); err != nil {
		return err
	}
	*s = Secret{}
	if t.raw != "" {
		*s = NewSecret(t.raw)
	}
	return nil
}

// tokens holds the token in use, and the earlier ones, which must not be shown either.
type tokens struct {
	mu       sync.Mutex
	all      []Secret  // the last one is in use
	doubtful bool      // see DoubtToken
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
	case !sent.Equal(t.all[len(t.all)-1]) || a == nil:
	case errors.As(err, &e) && e.Unauthorized():
		t.rejected = a
	default:
		t.rejected = nil
	}
}

// forgetRejection lets the token in use be sent again.
func (t *tokens) forgetRejection() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rejected = nil
}

// WithToken returns a client of the same API that uses another token and refuses every change, to find out whose the
// token is before SetToken.
func (c *Client) WithToken(token Secret) (*Client, error) {
	sameAPI := func(n *Client) { n.endpoint = c.endpoint }
	return New(c.endpoint.base.String(), token, sameAPI, WithTimeout(c.timeout), WithNow(c.now), WithReadOnly())
}

// DoubtToken records that the token in use may not be that of the user whose journal is open: the API has not said
// whose it is.
func (c *Client) DoubtToken() {
	c.tokens.mu.Lock()
	defer c.tokens.mu.Unlock()
	c.tokens.doubtful = true
}

// DoubtsToken reports whether DoubtToken was called for the token in use. A 404 says nothing then: another user may not
// see what is there.
func (c *Client) DoubtsToken() bool {
	c.tokens.mu.Lock()
	defer c.tokens.mu.Unlock()
	return c.tokens.doubtful
}

// Uses reports whether a token is the one in use.
func (c *Client) Uses(token Secret) bool { return c.tokens.current().Equal(token) }

// SetToken gives the client another token of the same account, which takes effect with the next request. sameUser says
// that it is known to be the same user's; see DoubtToken.
func (c *Client) SetToken(token Secret, sameUser bool) error {
	if err := checkToken(token); err != nil {
		return err
	}
	c.tokens.mu.Lock()
	defer c.tokens.mu.Unlock()
	c.tokens.all, c.tokens.rejected, c.tokens.doubtful = append(c.tokens.all, token), nil, !sameUser
	return nil
}

// checkToken returns an error if a token cannot stand in a header.
func checkToken(token Secret) error {
	if !strings.ContainsFunc(token.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil
	}
	if odd := describeOddToken(token.Reveal()); odd != "" {
		return fmt.Errorf("the token cannot be used: %s; store the token alone", odd)
	}
	return errors.New(
		"the token contains spaces, line breaks or other characters that tokens never have: copy it again",
	)
}

// tokenVariable matches the name of a variable that holds a token.
var tokenVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:export +)?([A-Z_]*TOKEN) *=.`)
})

// describeOddToken says what a text looks like that is not a token but is easily stored in place of one; "" if it may
// be a token. It repeats nothing but the names of variables.
func describeOddToken(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	variable := tokenVariable().FindStringSubmatch(text)
	switch {
	case variable != nil:
		return "it begins with " + variable[1] + "="
	case strings.ContainsRune("\"'`\u201c\u201d\u2018\u2019\u00ab", first):
		return "it is in quotation marks"
	case first == '$', len(text) > 2 && first == '%' && strings.HasSuffix(text, "%"):
		return "it is the name of a variable, not its value"
	case first == '\ufeff':
		return "it begins with a byte-order mark, which editors do not show"
	case first == '{':
		return "it is JSON"
	case first == '<', len(text) > 3 && strings.Trim(strings.ToLower(text), "*.x•…") == "":
		return "it is a placeholder"
	case strings.HasPrefix(text, "/"), strings.HasPrefix(text, "~/"), strings.HasPrefix(text, "./"):
		return "it is the path of a file"
	case strings.Contains(text, "://"):
		return "it is an address"
	case len(text) > 7 && strings.EqualFold(text[:7], "Bearer "), strings.HasPrefix(text, "Authorization:"):
		return "it is a whole header"
	}
	return ""
}

// Resume lets the next requests through although the API asked to wait, reads failed, or the token was refused: the
// user asked for them.
func (c *Client) Resume() {
	c.tokens.forgetRejection()
	c.transport.mu.Lock()
	defer c.transport.mu.Unlock()
	c.transport.rateLimit.PausedUntil, c.transport.paused = time.Time{}, false
	clear(c.transport.failedReads)
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
