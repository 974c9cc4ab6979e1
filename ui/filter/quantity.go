package filter

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// kind is what a quantity is.
type kind int

const (
	notComparable kind = iota
	number             // also a size in bytes
	span               // a duration, or the age of a moment
	moment
)

// quantity is something that can be compared: a number, a size, a duration, or a moment.
type quantity struct {
	kind     kind
	number   float64
	span     time.Duration
	from, to time.Time // of a moment: a day ends at to; a time of day ends where it begins
}

// parseQuantity returns what a text stands for, in the time zone of now: "1,204", "45 %", "12.4 GiB", "≥ 2 d 4 h",
// "2026-11-20T02:11:00Z", "2026-11-20", "21:00".
func parseQuantity(text string, now time.Time) quantity {
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "≥"))
	if text == "" || len(text) > 40 {
		return quantity{}
	}
	if c := text[0]; (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' {
		return dayNamed(strings.ToLower(text), now)
	}
	if len(text) >= len("2006-01-02T15:04:05Z") && text[4] == '-' {
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			return quantity{kind: moment, from: t, to: t}
		}
	}
	if n, ok := parseNumber(text); ok {
		return quantity{kind: number, number: n}
	}
	if d, ok := parseSpan(text); ok {
		return quantity{kind: span, span: d}
	}
	if n, err := humanize.ParseBytes(strings.TrimSuffix(text, "/s")); err == nil {
		return quantity{kind: number, number: float64(n)}
	}
	return parseMoment(text, now)
}

// parseNumber returns a number, with or without commas between thousands or a percent sign.
func parseNumber(text string) (float64, bool) {
	text = strings.TrimSpace(strings.TrimSuffix(text, "%"))
	if strings.Contains(text, ",") {
		text = strings.ReplaceAll(text, ",", "")
	}
	if strings.Trim(text, "0123456789.+-") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// parseSpan returns a duration of one or more numbers with units: "2d4h", "2 d 4 h", "1.5h".
func parseSpan(text string) (time.Duration, bool) {
	total := 0.0
	for text != "" {
		digits := len(text) - len(strings.TrimLeft(text, "0123456789."))
		rest := strings.TrimLeft(text[digits:], " ")
		letters := 0
		for letters < len(rest) && (rest[letters]|0x20) >= 'a' && (rest[letters]|0x20) <= 'z' {
			letters++
		}
		n, err := strconv.ParseFloat(text[:digits], 64)
		unit := unitOf(rest[:letters])
		if err != nil || unit == 0 {
			return 0, false
		}
		total += n * float64(unit)
		text = strings.TrimLeft(rest[letters:], " ")
	}
	return time.Duration(min(total, math.MaxInt64/2)), true
}

// unitOf returns the duration that a unit stands for; 0 is none. A capital M is a size.
func unitOf(name string) time.Duration {
	if name == "M" {
		return 0
	}
	switch strings.ToLower(name) {
	case "s", "sec", "second", "seconds":
		return time.Second
	case "m", "min", "minute", "minutes":
		return time.Minute
	case "h", "hour", "hours":
		return time.Hour
	case "d", "day", "days":
		return 24 * time.Hour
	case "w", "week", "weeks":
		return 7 * 24 * time.Hour
	}
	return 0
}

// parseMoment returns a month, a day, a day with a time, or a time of day: the last one that the clock has shown.
func parseMoment(text string, now time.Time) quantity {
	if t, err := time.ParseInLocation("15:04", text, now.Location()); err == nil {
		y, m, d := now.Date()
		at := time.Date(y, m, d, t.Hour(), t.Minute(), 0, 0, now.Location())
		if at.After(now) {
			at = time.Date(y, m, d-1, t.Hour(), t.Minute(), 0, 0, now.Location())
		}
		return quantity{kind: moment, from: at, to: at}
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return quantity{kind: moment, from: t, to: t}
		}
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return quantity{kind: moment, from: t, to: t.AddDate(0, 0, 1)}
	}
	if t, err := time.ParseInLocation("2006-01", text, now.Location()); err == nil {
		return quantity{kind: moment, from: t, to: t.AddDate(0, 1, 0)}
	}
	return quantity{}
}

// dayNamed returns today or yesterday.
func dayNamed(name string, now time.Time) quantity {
	y, m, d := now.Date()
	switch name {
	case "today":
	case "yesterday":
		d--
	default:
		return quantity{}
	}
	from := time.Date(y, m, d, 0, 0, 0, 0, now.Location())
	return quantity{kind: moment, from: from, to: from.AddDate(0, 0, 1)}
}

// compare compares a value with an operand. ok is false if they cannot be compared.
func (q quantity) compare(operand quantity, now time.Time) (c int, ok bool) {
	switch {
	case q.kind == number && operand.kind == number:
		return cmp.Compare(q.number, operand.number), true
	case q.kind == number && operand.kind == span:
		return cmp.Compare(q.number, operand.span.Seconds()), true
	case q.kind == span && operand.kind == number:
		return cmp.Compare(q.span.Seconds(), operand.number), true
	case q.kind == span && operand.kind == span:
		return cmp.Compare(q.span, operand.span), true
	case q.kind == moment && operand.kind == span:
		return cmp.Compare(now.Sub(q.from).Abs(), operand.span), true
	case q.kind != moment || operand.kind != moment:
		return 0, false
	case q.from.Before(operand.from):
		return -1, true
	case operand.from.Equal(operand.to):
		return q.from.Compare(operand.from), true
	case q.from.Before(operand.to):
		return 0, true
	}
	return 1, true
}

// holds reports whether the result of a comparison is what an operator asks for.
func (o operator) holds(c int) bool {
	switch o {
	case greater:
		return c > 0
	case atLeast:
		return c >= 0
	case less:
		return c < 0
	case atMost:
		return c <= 0
	}
	return c == 0
}
