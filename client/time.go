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

// parseTime parses a timestamp. The two usual formats take a faster way.
func parseTime(raw string) Timestamp {
	if t, ok := parseTimeFast(raw); ok {
		return t
	}
	for _, form := range timeLayouts {
		if at, err := time.Parse(form, raw); err == nil {
			return Timestamp{t: at.UTC(), raw: raw}
		}
	}
	return Timestamp{raw: raw}
}

// parseTimeFast parses the two usual formats, digit by digit. It leaves the year 1 to parseTime, because its first
// moment is the zero time.
func parseTimeFast(s string) (Timestamp, bool) {
	form, ms := formatPlain, 0
	switch {
	case len(s) == len(plainLayout):
	case len(s) == len(millisLayout) && s[19] == '.' && s[23] == 'Z':
		form, ms = formatMillis, parseDigits(s[20:23])
	default:
		return Timestamp{}, false
	}
	if s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return Timestamp{}, false
	}
	year, month, day := parseDigits(s[:4]), parseDigits(s[5:7]), parseDigits(s[8:10])
	hour, minute, second := parseDigits(s[11:13]), parseDigits(s[14:16]), parseDigits(s[17:19])
	if year < 2 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour < 0 || hour > 23 ||
		minute < 0 ||
		minute > 59 ||
		second < 0 ||
		second > 59 ||
		ms < 0 {
		return Timestamp{}, false
	}
	at := (daysSince1970(year, month, day)*24+int64(hour))*3600 + int64(minute)*60 + int64(second)
	return Timestamp{t: time.Unix(at, int64(ms)*1e6).UTC(), format: form}, true
}

// parseDigits returns the number that a string of digits represents, or -1.
func parseDigits(s string) int {
	n := 0
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return -1
		}
		n = n*10 + int(d)
	}
	return n
}

// daysIn returns the number of days of a month.
func daysIn(year, month int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// daysSince1970 returns the days from 1970-01-01 to a date. It counts years from March, so that the leap day comes
// last.
func daysSince1970(year, month, day int) int64 {
	if month < 3 {
		year, month = year-1, month+12
	}
	return int64(365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468)
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
