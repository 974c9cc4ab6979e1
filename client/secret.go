package client

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// A Secret is a value that must not be shown: a token, a password, a private key. Every fmt verb, JSON and slog print
// it as dots.
type Secret struct{ value *string }

// NewSecret returns a value as a Secret.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal returns the value, to send it.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

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
