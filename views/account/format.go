package account

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/resource"
)

// FormatStatus returns the status of a service as a glyph and a word, and its tone. A status that the API document does
// not name is shown as it came, in a neutral tone.
func FormatStatus(status client.ServiceStatus, look *theme.Theme) (string, theme.Tone) {
	g := look.Glyphs
	switch status {
	case client.StatusOK:
		return g.OK + " ok", theme.Good
	case client.StatusProblem:
		return g.Problem + " problem", theme.Bad
	case client.StatusPending:
		return g.Pending + " pending", theme.Warn
	case client.StatusDisabled:
		return g.Disabled + " disabled", theme.Off
	}
	return g.Unknown + " " + OrDefault(status.String(), UnknownText), theme.Info
}

// StatusPhrase returns a status as the end of a sentence: "has a problem".
func StatusPhrase(status client.ServiceStatus) string {
	if status == client.StatusProblem {
		return "has a problem"
	}
	return "is " + OrDefault(status.String(), UnknownText)
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

// FormatAge returns how long ago a time was, in steps, or "?" if the timestamp is invalid.
func FormatAge(t client.Timestamp, now time.Time) string {
	if !t.Valid() || t.Time().Sub(now) > clockTolerance {
		return "?"
	}
	return ui.FormatAge(now.Sub(t.Time()))
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

// FormatSeconds returns a time of day with its seconds.
func FormatSeconds(t time.Time) string { return t.Format("15:04:05") }

// FormatTimestamp returns a timestamp of the server in the user's time zone, or "?" if it is invalid.
func (a *Account) FormatTimestamp(t client.Timestamp) string {
	if !t.Valid() {
		return "?"
	}
	return FormatClock(t.Time().In(a.Location), a.Now().In(a.Location))
}

// OrDefault returns a text, or another one if it is empty.
func OrDefault(text, absent string) string {
	if text == "" {
		return absent
	}
	return text
}

// JoinWithCommas returns words in one line: "a, b".
func JoinWithCommas(words []string) string { return strings.Join(words, ", ") }

// FitNames returns as many names as fit whole in a width, and how many others there are: "a, b +3 more". The first is
// there in any case.
func FitNames(names []string, width int) string {
	text := ""
	for n, name := range names {
		longer := text + ReasonIf(n > 0, ", ") + name
		rest := ReasonIf(n < len(names)-1, fmt.Sprintf(" +%d more", len(names)-n-1))
		if n > 0 && ui.Width(longer+rest) > width {
			return text + fmt.Sprintf(" +%d more", len(names)-n)
		}
		text = longer
	}
	return text
}

// ReasonIf returns a reason if it holds, otherwise "".
func ReasonIf(holds bool, reason string) string {
	if holds {
		return reason
	}
	return ""
}

// RenderLoadingOrError returns LoadingOrError, wrapped in a box.
func RenderLoadingOrError(b ui.Box, f ui.Freshness, reading string) string {
	lines := ui.Wrap(LoadingOrError(f, reading), b.Width-1)
	for i := range lines {
		lines[i] = b.Theme.Paint(theme.Muted, lines[i])
	}
	return strings.Join(lines, "\n")
}

// FormatSize returns a number of bytes as "12.4 GiB".
func FormatSize(n int64) string {
	if n < 0 {
		return "size unknown"
	}
	return humanize.IBytes(uint64(n))
}

// UnknownText stands for what the API did not report.
const UnknownText = "unknown"

// FormatOptionalCount is ui.FormatCount for a number that the API may not report.
func FormatOptionalCount(n client.Optional[int64]) string {
	if n, known := n.Value(); known {
		return ui.FormatCount(n)
	}
	return UnknownText
}

// FormatOptionalSize is FormatSize for a number that the API may not report.
func FormatOptionalSize(n client.Optional[int64]) string {
	if n, known := n.Value(); known {
		return FormatSize(n)
	}
	return UnknownText
}

// FormatTotal returns what buckets hold: "≥ 12 objects · 3.4 GiB". A lower bound is marked.
func FormatTotal(t client.StorageTotal, separator string) string {
	objects, size := ui.FormatCount(t.Objects)+" objects", FormatSize(t.Size)
	if t.Objects == 1 {
		objects = "1 object"
	}
	switch {
	case t.ObjectsPartial && t.Objects == 0:
		objects = "objects unknown"
	case t.ObjectsPartial:
		objects = "≥ " + objects
	}
	switch {
	case t.SizePartial && t.Size == 0:
		size = "size unknown"
	case t.SizePartial:
		size = "≥ " + size
	}
	return objects + separator + size
}

// LoadingOrError returns what to show instead of rows that have not arrived: a text, or the error of the read.
func LoadingOrError(f ui.Freshness, reading string) string {
	if f.Err != nil {
		return f.Err.Error()
	}
	return reading
}

// FailureWord returns in a word or two why a list could not be read: "not allowed", "no answer", "503".
func FailureWord(err error) string {
	switch {
	case ui.Denied(err):
		return "not allowed"
	case ui.Unauthorized(err):
		return "token not accepted"
	case ui.TimedOut(err):
		return "no answer"
	case ui.Offline(err):
		return "offline"
	}
	return ui.ShortReason(err)
}

// FormatTime returns a time in the user's time zone.
func (a *Account) FormatTime(t time.Time) string {
	return FormatClock(t.In(a.Location), a.Now().In(a.Location))
}

// AgeColumn returns a column of a time: the pane shows how long ago it was, and sorts the newest first.
func AgeColumn[T any](name string, tone theme.Tone, at func(T) client.Timestamp) resource.ColumnDefinition[T] {
	value := func(row T) string { return resource.TimeValue(at(row)) }
	return resource.NewColumn(name, value, func(row T, b ui.Box) (string, theme.Tone) {
		return FormatAge(at(row), b.Now), tone
	}).SortedBy(func(x, y T) bool { return at(y).Time().Before(at(x).Time()) }).AlignRight()
}
