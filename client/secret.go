package client

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// A Secret is a value that must not be seen: a token, a password, a private key. Every verb of fmt, JSON and slog
// prints dots, slog by the text.
type Secret struct{ value *string }

// NewSecret hides a value.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal is the value, for the one place that must send it.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero reports whether there is nothing to hide.
func (s Secret) IsZero() bool { return s.value == nil || *s.value == "" }

const secretMask = "•••"

// String is dots.
func (s Secret) String() string { return secretMask }

// Format is dots, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, secretMask) }

// GoString is dots.
func (s Secret) GoString() string { return secretMask }

// MarshalJSON is dots: bodies that must carry the value reveal it where they are made.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + secretMask + `"`), nil }

// MarshalText is dots.
func (s Secret) MarshalText() ([]byte, error) { return []byte(secretMask), nil }

// redactor puts dots where a server repeats a secret that it was sent.
type redactor []string

// Shortest secrets that are looked for: in texts that are about the request, and in whatever else an answer holds.
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

// redactText masks words about a request.
func (m redactor) redactText(s string) string {
	for _, secret := range m {
		if len(secret) >= minSecretInText {
			s = strings.ReplaceAll(s, secret, secretMask)
		}
	}
	return s
}

// excerpt is the first n bytes of what a server says, safe to draw. The text is masked whole: no part of a secret stays
// where it is cut.
func (m redactor) excerpt(s string, n int) string { return Clean(truncate(m.redactText(s), n)) }

// redactBody masks an answer.
func (m redactor) redactBody(b []byte) []byte {
	for _, secret := range m {
		if len(secret) >= minSecretInBody && bytes.Contains(b, []byte(secret)) {
			b = bytes.ReplaceAll(b, []byte(secret), []byte(secretMask))
		}
	}
	return b
}

// UnmarshalJSON takes the value in.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var t Text
	if err := t.UnmarshalJSON(data); err != nil {
		return err
	}
	*s = Secret{}
	if t.raw != "" {
		*s = NewSecret(t.raw)
	}
	return nil
}
