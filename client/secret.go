package client

import (
	"fmt"
	"io"
	"log/slog"
)

// A Secret is a value that must not be seen: a token, a password, a private key. Every verb of fmt, JSON and slog prints dots.
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

const dots = "•••"

// String is dots.
func (s Secret) String() string { return dots }

// Format is dots, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, dots) }

// GoString is dots.
func (s Secret) GoString() string { return dots }

// MarshalJSON is dots: bodies that must carry the value reveal it where they are made.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + dots + `"`), nil }

// MarshalText is dots.
func (s Secret) MarshalText() ([]byte, error) { return []byte(dots), nil }

// LogValue is dots.
func (s Secret) LogValue() slog.Value { return slog.StringValue(dots) }

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
