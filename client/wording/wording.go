// Package wording says errors, ages and counts in words, for people.
package wording

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// FormatAge returns a duration in steps, so that a frame changes only when a reader would care: "4 s", "10 s", "1 min",
// "3 h", "2 d 4 h".
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

// ShortReason returns an error in a word or two for a head line: "503", "timeout".
func ShortReason(err error) string {
	var s interface{ Short() string }
	if errors.As(err, &s) {
		return s.Short()
	}
	return "failed"
}

// Advice returns the next step after an error, or "".
func Advice(err error) string {
	var s interface{ Advice() string }
	if errors.As(err, &s) {
		return s.Advice()
	}
	return ""
}

// NothingWasChanged is what is said of a change that was refused.
const NothingWasChanged = "nothing was changed"

// NothingChanged reports whether an error means that a change was refused, so that nothing was changed.
func NothingChanged(err error) bool {
	var c interface{ NothingChanged() bool }
	return errors.As(err, &c) && c.NothingChanged()
}

// RejectionSuffix returns what follows the reason why a change failed: that nothing was changed, if that is certain,
// and the next step.
func RejectionSuffix(err error) string {
	next := WithPrefix(" · ", Advice(err))
	if NothingChanged(err) {
		next = "; " + NothingWasChanged + next
	}
	return next
}

// Denied reports whether an error means that this user or token is not allowed to: asking again does not help.
func Denied(err error) bool {
	if err == nil {
		return false // before d is allocated: cells of tables ask this
	}
	var d interface{ Denied() bool }
	return errors.As(err, &d) && d.Denied()
}

// Unauthorized reports whether an error means that the API does not accept the token.
func Unauthorized(err error) bool {
	var d interface{ Unauthorized() bool }
	return errors.As(err, &d) && d.Unauthorized()
}

// TimedOut reports whether an error means that no answer came in time.
func TimedOut(err error) bool {
	var o interface{ TimedOut() bool }
	return errors.As(err, &o) && o.TimedOut()
}

// Offline reports whether an error means that the API could not be reached.
func Offline(err error) bool {
	var o interface{ Offline() bool }
	return errors.As(err, &o) && o.Offline()
}

// FieldErrors returns the API's reasons by field name, or nil.
func FieldErrors(err error) map[string]string {
	var f interface{ Fields() map[string]string }
	if errors.As(err, &f) {
		return f.Fields()
	}
	return nil
}

// Plural returns a count with the noun in its number: "1 row", "2 rows".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return FormatCount(int64(n)) + " " + many
}

// FormatCount returns a count in groups of three: "1,204,331".
func FormatCount(n int64) string { return humanize.Comma(n) }

// UnknownReason returns why the outcome of a change is unknown, without saying again that it is.
func UnknownReason(err error) string {
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(Reason(err), "the outcome is unknown; ")
}

// Reason returns why something failed, without what failed if the error can tell them apart.
func Reason(err error) string {
	var w interface{ Why() string }
	switch {
	case err == nil:
		return NothingWasChanged
	case errors.As(err, &w):
		return w.Why()
	}
	return err.Error()
}

// If returns a text if something holds, otherwise "".
func If(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

// WithPrefix returns prefix and text, or "" if there is no text.
func WithPrefix(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}
