package operation

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/wording"
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
	return g.Unknown + " " + cmp.Or(status.String(), account.UnknownText), theme.Info
}

// FitNames returns as many names as fit whole in a width, and how many others there are: "a, b +3 more". The first is
// there in any case.
func FitNames(names []string, width int) string {
	text := ""
	for n, name := range names {
		longer := text + wording.If(n > 0, ", ") + name
		rest := wording.If(n < len(names)-1, fmt.Sprintf(" +%d more", len(names)-n-1))
		if n > 0 && ui.Width(longer+rest) > width {
			return text + fmt.Sprintf(" +%d more", len(names)-n)
		}
		text = longer
	}
	return text
}

// RenderLoadingOrError returns LoadingOrError, wrapped in a box.
func RenderLoadingOrError(b ui.Box, f lists.Freshness, reading string) string {
	b.Width--
	return strings.Join(WrapPainted(LoadingOrError(f, reading), theme.Muted, b), "\n")
}

// WrapPainted breaks a text into lines of the width of a box, all in one tone.
func WrapPainted(text string, tone theme.Tone, b ui.Box) []string {
	lines := ui.Wrap(text, b.Width)
	for i := range lines {
		lines[i] = b.Theme.Paint(tone, lines[i])
	}
	return lines
}

// FormatSize returns a number of bytes as "12.4 GiB".
func FormatSize(n int64) string {
	if n < 0 {
		return "size unknown"
	}
	return humanize.IBytes(uint64(n))
}

// FormatOptionalCount is wording.FormatCount for a number that the API may not report.
func FormatOptionalCount(n client.Optional[int64]) string {
	if n, known := n.Value(); known {
		return wording.FormatCount(n)
	}
	return account.UnknownText
}

// FormatOptionalSize is FormatSize for a number that the API may not report.
func FormatOptionalSize(n client.Optional[int64]) string {
	if n, known := n.Value(); known {
		return FormatSize(n)
	}
	return account.UnknownText
}

// FormatTotal returns what buckets hold: "≥ 12 objects · 3.4 GiB". A lower bound is marked.
func FormatTotal(t client.StorageTotal, separator string) string {
	objects, size := wording.FormatCount(t.Objects)+" objects", FormatSize(t.Size)
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
func LoadingOrError(f lists.Freshness, reading string) string {
	if f.Err != nil {
		return f.Err.Error()
	}
	return reading
}

// FailureWord returns in a word or two why a list could not be read: "not allowed", "no answer", "503".
func FailureWord(err error) string {
	switch {
	case wording.Denied(err):
		return "not allowed"
	case wording.Unauthorized(err):
		return "token not accepted"
	case wording.TimedOut(err):
		return "no answer"
	case wording.Offline(err):
		return "offline"
	}
	return wording.ShortReason(err)
}

// AgeColumn returns a column that says how long ago something was.
func AgeColumn[T any](name string, tone theme.Tone, at func(T) client.Timestamp) resource.ColumnDefinition[T] {
	value := func(row T) string { return resource.TimeValue(at(row)) }
	return resource.NewColumn(name, value, func(row T, b ui.Box) (string, theme.Tone) {
		return account.FormatAge(at(row), b.Now), tone
	}).SortedBy(func(x, y T) bool { return at(y).Time().Before(at(x).Time()) }).AlignRight()
}
