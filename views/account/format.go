package account

import (
	"fmt"
	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// formatStatus is a service's status as a shape, a word and a tone. A status that the document does not name is shown
// as it came, without a judgement.
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
	return g.Unknown + " " + status.String(), theme.Info
}

// statusPhrase is a status as it ends a sentence: "has a problem".
func StatusPhrase(status client.ServiceStatus) string {
	if status == client.StatusProblem {
		return "has a problem"
	}
	return "is " + status.String()
}

// statusRank orders states by how soon somebody must look: problems first.
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

// formatAge is how long a time lies back, in steps, or "?" for a stamp that made no sense.
func FormatAge(t client.Time, now time.Time) string {
	if !t.Valid() {
		return "?"
	}
	return ui.FormatAge(now.Sub(t.Time()))
}

// formatClock is a time of day, with its date where that is not today's.
func FormatClock(t, now time.Time) string {
	if y, m, d := t.Date(); y == now.Year() && m == now.Month() && d == now.Day() {
		return t.Format("15:04")
	}
	if t.Year() != now.Year() && now.Sub(t) > 300*24*time.Hour {
		return t.Format(time.DateOnly)
	}
	return t.Format("02 Jan 15:04")
}

// formatTimestamp is a server's stamp on the reader's clock.
func (a *Account) FormatTimestamp(t client.Time) string {
	if !t.Valid() {
		return "?"
	}
	return FormatClock(t.Time().In(a.Location), a.Now().In(a.Location))
}

// orDefault is the text, or what stands for its absence.
func OrDefault(text, absent string) string {
	if text == "" {
		return absent
	}
	return text
}

// joinWithCommas is a list in words.
func JoinWithCommas(words []string) string { return strings.Join(words, ", ") }

// reasonIf is a reason where it holds.
func ReasonIf(holds bool, reason string) string {
	if holds {
		return reason
	}
	return ""
}

func Pluralize(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func WithPrefix(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// renderLoadingOrError is loadingOrError in a box.
func RenderLoadingOrError(b ui.Box, f ui.Freshness, reading string) string {
	lines := ui.Wrap(LoadingOrError(f, reading), b.Width-1)
	for i := range lines {
		lines[i] = b.Theme.Paint(theme.Muted, lines[i])
	}
	return strings.Join(lines, "\n")
}

// formatCount is a count with thin groups of three: "1 204 331".
func FormatCount(n int64) string { return ui.FormatCount(n) }

// formatSize is bytes for a reader: "12.4 GiB".
func FormatSize(n int64) string {
	if n < 0 {
		return "size unknown"
	}
	return humanize.IBytes(uint64(n))
}

// loadingOrError is what stands where rows have not arrived: that they are being read, or why they are not.
func LoadingOrError(f ui.Freshness, reading string) string {
	if f.Err != nil {
		return f.Err.Error()
	}
	return reading
}

// formatTime is a time on the reader's clock.
func (a *Account) FormatTime(t time.Time) string {
	return FormatClock(t.In(a.Location), a.Now().In(a.Location))
}
