package client

import (
	"encoding/json"
	"time"
)

// Time is a stamp of the API: usually without a zone, which is UTC. A stamp that makes no sense is kept as it came and spoils nothing else.
type Time struct {
	t   time.Time
	raw string
}

// At is a stamp of a known time.
func At(t time.Time) Time { return Time{t: t.UTC(), raw: t.UTC().Format("2006-01-02T15:04:05")} }

// Valid reports whether the stamp is a time.
func (t Time) Valid() bool { return !t.t.IsZero() }

// IsZero reports whether there was no stamp: absent, null or empty.
func (t Time) IsZero() bool { return t.raw == "" }

// Time is the moment, in UTC; zero where the stamp made no sense.
func (t Time) Time() time.Time { return t.t }

// Raw is the stamp as it came.
func (t Time) Raw() Text { return Text{t.raw} }

var stampForms = [...]string{"2006-01-02T15:04:05", time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", "2006-01-02"}

// UnmarshalJSON reads every form that the service has been seen to send.
func (t *Time) UnmarshalJSON(data []byte) error {
	*t = Time{}
	var text Text
	if err := text.UnmarshalJSON(data); err != nil {
		return err
	}
	t.raw = text.raw
	for _, form := range stampForms {
		if at, err := time.Parse(form, t.raw); err == nil {
			t.t = at.UTC()
			break
		}
	}
	return nil
}

// MarshalJSON is the stamp as it came.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.raw == "" {
		return []byte("null"), nil
	}
	return json.Marshal(t.raw)
}
