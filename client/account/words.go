package account

import (
	"cmp"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/wording"
)

// StatusPhrase returns a status as the end of a sentence: "has a problem".
func StatusPhrase(status client.ServiceStatus) string {
	if status == client.StatusProblem {
		return "has a problem"
	}
	return "is " + cmp.Or(status.String(), UnknownText)
}

// StatusRank orders statuses by urgency: problems first.
func StatusRank(status client.ServiceStatus) int {
	switch status {
	case client.StatusProblem:
		return 0
	case client.StatusPending:
		return 2
	case client.StatusOK:
		return 3
	case client.StatusDisabled:
		return 1
	}
	return 1
}

// FormatClock returns a time of day, with its date if that is not today's; for a time that is far away, the date alone.
func FormatClock(t, now time.Time) string {
	if y, m, d := t.Date(); y == now.Year() && m == now.Month() && d == now.Day() {
		return t.Format("15:04")
	}
	if t.Year() != now.Year() && now.Sub(t).Abs() > 300*24*time.Hour {
		return t.Format(time.DateOnly)
	}
	return t.Format("02 Jan 15:04")
}

// FormatMoment returns a time of day, with its weekday and date if that is not today's; the year only of a time that is
// far away.
func FormatMoment(t, now time.Time) string {
	switch text := FormatClock(t, now); text {
	case t.Format("15:04"):
		return text
	case t.Format(time.DateOnly):
		return t.Format("Mon 2006-01-02 15:04")
	}
	return t.Format("Mon 2 Jan 15:04")
}

// FormatSeconds returns a time of day with its seconds.
func FormatSeconds(t time.Time) string { return t.Format("15:04:05") }

// FormatTimestamp returns a timestamp of the server in the user's time zone, or "?" if it is invalid.
func (a *Account) FormatTimestamp(t client.Timestamp) string {
	if !t.Valid() {
		return "?"
	}
	return FormatClock(t.Time().In(a.Location), a.Now().In(a.Location))
}

// JoinWithCommas returns words in one line: "a, b".
func JoinWithCommas(words []string) string { return strings.Join(words, ", ") }

// UnknownText stands for what the API did not report.
const UnknownText = "unknown"

// FormatTime returns a time in the user's time zone.
func (a *Account) FormatTime(t time.Time) string {
	return FormatClock(t.In(a.Location), a.Now().In(a.Location))
}

// UnknownAge stands for the age of an invalid timestamp, or of one in the future.
const UnknownAge = "?"

// FormatAge returns how long ago a time was, in steps, or UnknownAge.
func FormatAge(t client.Timestamp, now time.Time) string {
	if !t.Valid() || t.Time().Sub(now) > clockTolerance {
		return UnknownAge
	}
	return wording.FormatAge(now.Sub(t.Time()))
}

// clockTolerance is how far this machine's clock may be behind the server's before a moment counts as in the future.
const clockTolerance = time.Minute

// FormatAgo returns how long ago a moment was: "3 h ago", or "in the future" if one of the clocks is wrong.
func FormatAgo(t client.Timestamp, now time.Time) string {
	if t.Valid() && t.Time().Sub(now) > clockTolerance {
		return "in the future"
	}
	return FormatAge(t, now) + " ago"
}
