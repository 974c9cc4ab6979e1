package ui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"lookout/theme"
)

// Freshness is how far what is shown can be trusted to be so now.
type Freshness struct {
	Loading      bool      // a question is out
	Loaded       bool      // something has arrived once
	LoadedAt     time.Time // of the last good answer
	Err          error     // why the last question failed; nil when it did not
	FailedAt     time.Time
	FailingSince time.Time // of the first failure since the last good answer
}

// WallTime is the time on the wall. What it gives is compared by that clock alone, which goes on while a machine
// sleeps.
func WallTime() time.Time { return time.Now().Round(0) }

// Worst is the less fresh of two: a pane that joins sets is as fresh as its oldest.
func (f Freshness) Worst(g Freshness) Freshness {
	switch {
	case f.Err != nil:
		return f
	case g.Err != nil, !g.Loaded:
		return g
	case !f.Loaded:
		return f
	case g.LoadedAt.Before(f.LoadedAt):
		g.Loading = g.Loading || f.Loading
		return g
	}
	f.Loading = f.Loading || g.Loading
	return f
}

// Stale reports whether the rows are to be dimmed: the last question failed, or they are older than late.
func (f Freshness) Stale(now time.Time, late time.Duration) bool {
	return f.Loaded && (f.Err != nil || (late > 0 && now.Sub(f.LoadedAt) > late))
}

// FormatAge is a duration in steps, so that a frame changes only when a reader would care: "4 s", "10 s", "1 min", "3
// h", "2 d 4 h".
func FormatAge(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < 5*time.Second:
		return fmt.Sprintf("%d s", int(d/time.Second))
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d/(5*time.Second))*5)
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d/time.Minute))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", int(d/time.Hour))
	case d < 7*24*time.Hour:
		if h := int(d/time.Hour) % 24; h > 0 {
			return fmt.Sprintf("%d d %d h", int(d/(24*time.Hour)), h)
		}
	}
	return fmt.Sprintf("%d d", int(d/(24*time.Hour)))
}

// ShortReason is an error in a few words for a head line: "503", "timeout".
func ShortReason(err error) string {
	var s interface{ Short() string }
	if errors.As(err, &s) {
		return s.Short()
	}
	return "failed"
}

// Advice is the next step after an error, or "".
func Advice(err error) string {
	var s interface{ Advice() string }
	if errors.As(err, &s) {
		return s.Advice()
	}
	return ""
}

// Denied reports whether an error means that this user or token may not: asking again is no use.
func Denied(err error) bool {
	var d interface{ Denied() bool }
	return errors.As(err, &d) && d.Denied()
}

// Unauthorized reports whether the token is not accepted at all.
func Unauthorized(err error) bool {
	var d interface{ Unauthorized() bool }
	return errors.As(err, &d) && d.Unauthorized()
}

// Offline reports whether the API could not be reached.
func Offline(err error) bool {
	var o interface{ Offline() bool }
	return errors.As(err, &o) && o.Offline()
}

// FieldErrors are the API's reasons by field name, nil where it gave none.
func FieldErrors(err error) map[string]string {
	var f interface{ Fields() map[string]string }
	if errors.As(err, &f) {
		return f.Fields()
	}
	return nil
}

// errorTone is how an error looks: what may pass by itself warns, what will not is bad.
func ErrorTone(err error) theme.Tone {
	if Denied(err) || Unauthorized(err) {
		return theme.Bad
	}
	return theme.Warn
}

func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return FormatCount(int64(n)) + " " + many
}

// FormatCount is a count in groups of three: "1 204 331".
func FormatCount(n int64) string { return strings.ReplaceAll(humanize.Comma(n), ",", " ") }

// Reason is why something failed, without what failed where the error tells them apart.
func Reason(err error) string {
	var w interface{ Why() string }
	switch {
	case err == nil:
		return "reading it again shows that it was not done"
	case errors.As(err, &w):
		return w.Why()
	}
	return err.Error()
}
