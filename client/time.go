package client

import (
	"encoding/json"
	"time"
)

// Timestamp is a timestamp of the API, usually without a zone, which means UTC. An invalid timestamp is kept as it came
// and does not spoil the rest of the row.
type Timestamp struct {
	t      time.Time
	format timeFormat // how the timestamp was written
	raw    string     // as it came; empty if t and format suffice to restore it
}

// A timeFormat is a layout from which the original text can be restored.
type timeFormat uint8

// The formats. formatOther means that the text is kept as it came, even if it is empty.
const (
	formatOther  timeFormat = iota
	formatPlain             // 2006-01-02T15:04:05, used in the document
	formatMillis            // 2006-01-02T15:04:05.000Z, sent by the service for objects
)

const (
	plainLayout  = "2006-01-02T15:04:05"
	millisLayout = "2006-01-02T15:04:05.000Z"
)

// NewTime returns the timestamp of a time.
func NewTime(t time.Time) Timestamp { return Timestamp{t: t.UTC(), format: formatPlain} }

// Valid reports whether the timestamp is a valid time.
func (t Timestamp) Valid() bool { return !t.t.IsZero() }

// IsZero reports whether the timestamp was absent, null or empty.
func (t Timestamp) IsZero() bool { return t.format == formatOther && t.raw == "" }

// Time returns the time in UTC; zero if the timestamp is invalid.
func (t Timestamp) Time() time.Time { return t.t }

// Raw returns the timestamp as it came.
func (t Timestamp) Raw() ServerText {
	switch t.format {
	case formatPlain:
		return NewText(t.t.Format(plainLayout))
	case formatMillis:
		return NewText(t.t.Format(millisLayout))
	}
	return NewText(t.raw)
}

var timeLayouts = [...]string{
	plainLayout, time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", "2006-01-02",
}

// UnmarshalJSON accepts every format that the service has been seen to send.
func (t *Timestamp) UnmarshalJSON(data []byte) error {
	*t = Timestamp{}
	var text ServerText
	if err := text.UnmarshalJSON(data); err != nil {
		return err
	}
	*t = parseTime(text.raw)
	return nil
}

// parseTime parses a timestamp. It keeps the text unless one of the two usual formats restores it. The year 1 is in
// none of them, because its first moment is the zero time.
func parseTime(raw string) Timestamp {
	format, text := formatOther, raw
	switch {
	case len(raw) == len(plainLayout):
		format, text = formatPlain, raw+"Z"
	case len(raw) == len(millisLayout) && raw[19] == '.' && raw[23] == 'Z':
		format = formatMillis
	}
	if at, err := time.Parse(time.RFC3339Nano, text); format != formatOther && err == nil && at.Year() > 1 {
		return Timestamp{t: at, format: format}
	}
	for _, form := range timeLayouts {
		if at, err := time.Parse(form, raw); err == nil {
			return Timestamp{t: at.UTC(), raw: raw}
		}
	}
	return Timestamp{raw: raw}
}

// yearOne is the zero time in milliseconds since 1970.
var yearOne = time.Time{}.UnixMilli()

// maxPackedMillis limits packed times to 48 bits.
const maxPackedMillis = 1 << 48

// Pack returns the timestamp as milliseconds since the year 1, in 48 bits, and the number of its format, in 2 bits. It
// reports false if that does not suffice to restore the text.
func (t Timestamp) Pack() (ms uint64, format uint8, ok bool) {
	ms = uint64(t.t.UnixMilli() - yearOne)
	ok = t.raw == "" && ms < maxPackedMillis && t.t.Nanosecond()%1e6 == 0 && (t.format != formatOther || ms == 0)
	return ms, uint8(t.format), ok
}

// UnpackTime returns the timestamp that Pack packed.
func UnpackTime(ms uint64, format uint8) Timestamp {
	if timeFormat(format) == formatOther {
		return Timestamp{}
	}
	return Timestamp{t: time.UnixMilli(int64(ms) + yearOne).UTC(), format: timeFormat(format)}
}

// RFC3339 returns the timestamp in RFC 3339 and in UTC, with the fraction of a second that it came with; as it came if
// it is no valid time.
func (t Timestamp) RFC3339() ServerText {
	switch {
	case !t.Valid() || t.format == formatMillis:
		return t.Raw()
	case t.format == formatPlain:
		return NewText(t.t.Format(time.RFC3339))
	}
	return NewText(t.t.Format(time.RFC3339Nano))
}

// MarshalJSON encodes the timestamp as RFC3339 returns it: with a zone, which the API leaves out.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(t.RFC3339().raw)
}
