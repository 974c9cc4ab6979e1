package managed

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"lookout/client"
)

// A MaintenanceWindow is the time of a maintenance window, as the user typed it.
type MaintenanceWindow struct {
	Start time.Time // zero is at once
	End   time.Time // zero is never: until somebody enables the service
}

// WindowExamples are texts that ParseWindow accepts, and the form of a date, for messages and help.
const WindowExamples = `30m, 2d, 06:30, "Mon 06:00", YYYY-MM-DD, "YYYY-MM-DD 06:00", "tonight 02:00-04:00" or none`

// maxWindow is the longest time that a window may last or be ahead. What is longer is a typing error.
const maxWindow = 365 * 24 * time.Hour

// ParseWindow returns the window that a text describes at a moment, in that moment's time zone: a duration ("15 min",
// "1h30m", "2d"), an end ("06:30", "Mon 06:00", "tomorrow 06:00", "2026-11-25", "2026-11-25 06:00", RFC 3339), a start
// and an end ("02:00-04:00", "tonight 02:00–04:00"), or "none". A time of day is the next one that the clock shows; a
// date alone is its beginning.
func ParseWindow(text string, now time.Time) (MaintenanceWindow, error) {
	now = now.Round(0) // the end is a time on the wall, however long the machine sleeps meanwhile
	text = strings.ToLower(client.Clean(strings.Join(strings.Fields(text), " ")))
	switch text {
	case "":
		return MaintenanceWindow{}, errors.New("no time: use " + WindowExamples)
	case "none":
		return MaintenanceWindow{}, nil
	}
	if span, ok := parseSpan(text); ok {
		return windowOf(text, span, now)
	}
	if end, err := time.Parse(time.RFC3339, strings.ToUpper(text)); err == nil {
		return MaintenanceWindow{End: end.In(now.Location())}, checkMoment(text, end, now)
	}
	// "tonight 02:00–04:00"
	ends := regexp.MustCompile(`^(.*\d:\d\d) ?(?:-|–|—|to\b|until\b) ?(.+)$`).FindStringSubmatch(text)
	if ends == nil {
		end, err := parseMoment(text, now)
		return MaintenanceWindow{End: end}, err
	}
	start, err := parseMoment(ends[1], now)
	if err != nil {
		return MaintenanceWindow{}, err
	}
	end, err := parseMoment(ends[2], start)
	if err != nil {
		return MaintenanceWindow{}, err
	}
	return MaintenanceWindow{Start: start, End: end}, nil
}

// windowOf returns the window of a duration.
func windowOf(text string, span time.Duration, now time.Time) (MaintenanceWindow, error) {
	switch {
	case span == 0:
		return MaintenanceWindow{}, fmt.Errorf("%q: the duration is zero; for no end, use none", text)
	case span < time.Second || span > maxWindow:
		return MaintenanceWindow{}, fmt.Errorf("%q: use a duration from 1s to a year (365d)", text)
	}
	return MaintenanceWindow{End: now.Add(span)}, nil
}

// spanUnits are the units of a duration, by their names.
var spanUnits = map[string]time.Duration{
	"s": time.Second, "sec": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
	"w": 7 * 24 * time.Hour, "week": 7 * 24 * time.Hour, "weeks": 7 * 24 * time.Hour,
}

// parseSpan parses a duration: Go's ("1.5h"), or numbers with units ("2 d 4 h").
func parseSpan(text string) (time.Duration, bool) {
	if d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); err == nil {
		return d, true
	}
	var span time.Duration
	pattern := regexp.MustCompile(`^(\d{1,5}) ?([a-z]+) ?`)
	for text != "" {
		part := pattern.FindStringSubmatch(text)
		if part == nil || spanUnits[part[2]] == 0 {
			return 0, false
		}
		n, _ := strconv.Atoi(part[1]) // digits only
		span = min(span+time.Duration(n)*spanUnits[part[2]], 2*maxWindow)
		text = text[len(part[0]):]
	}
	return span, true
}

// parseMoment parses a day, a time of day, or both; the result is after a time, and in its time zone.
func parseMoment(text string, after time.Time) (time.Time, error) {
	unknown := fmt.Errorf("unknown time %q: use %s", text, WindowExamples)
	parts := regexp.MustCompile(`^(.*?) ?\b(\d{1,2}):(\d\d)$`).FindStringSubmatch(text)
	if parts == nil {
		return parseDate(text, after, unknown)
	}
	hour, _ := strconv.Atoi(parts[2])
	minute, _ := strconv.Atoi(parts[3])
	if hour > 23 || minute > 59 {
		return time.Time{}, fmt.Errorf("%q: a time of day is from 00:00 to 23:59", text)
	}
	days, ok := daysNamed(parts[1], after)
	if !ok {
		return time.Time{}, unknown
	}
	skipped := true
	for _, day := range days {
		for _, at := range timesShowing(day, hour, minute, after.Location()) {
			if skipped = false; at.After(after) && (parts[1] != "tonight" || isTonight(at, after)) {
				return at, checkMoment(text, at, after)
			}
		}
	}
	switch {
	case skipped:
		return time.Time{}, fmt.Errorf("%q: the clocks skip this time on that day (%s)", text, after.Location())
	case parts[1] == "tonight" && hour >= 6 && hour < 18:
		return time.Time{}, fmt.Errorf("%q: tonight is from 18:00 to 06:00", text)
	}
	if parts[1] == "tonight" || parts[1] == "today" {
		return time.Time{}, fmt.Errorf("%w; without %s it is the next day's", pastError(text, after), parts[1])
	}
	return time.Time{}, pastError(text, after)
}

// parseDate parses a date, which stands for its beginning.
func parseDate(text string, after time.Time, unknown error) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	switch _, named := daysNamed(text, after); {
	case err == nil:
		at := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, after.Location())
		if at.Day() != day.Day() {
			at = at.Add(time.Hour) // the clocks skip midnight
		}
		return at, checkMoment(text, at, after)
	case named:
		return time.Time{}, fmt.Errorf("%q: add a time of day, as in %q", text, text+" 06:00")
	}
	if _, err := strconv.Atoi(text); err == nil {
		return time.Time{}, fmt.Errorf("%q: add a unit, as in %sm, %[2]sh or %[2]sd", text, text)
	}
	return time.Time{}, unknown
}

// checkMoment returns an error if a moment is not after another, or is too far ahead.
func checkMoment(text string, at, after time.Time) error {
	switch {
	case !at.After(after):
		return pastError(text, after)
	case at.Sub(after) > maxWindow:
		return fmt.Errorf("%q: that is more than a year ahead", text)
	}
	return nil
}

// pastError says that a text names a time which is over.
func pastError(text string, after time.Time) error {
	return fmt.Errorf("%q is not after %s", text, after.Format("Mon 2 Jan 2006 15:04 MST"))
}

// daysNamed returns the days that a word can mean, soonest first: a date, a day of the week, today, tomorrow, tonight,
// or any day if there is no word. The days are midnights in UTC.
func daysNamed(word string, after time.Time) ([]time.Time, bool) {
	year, month, date := after.Date()
	days := make([]time.Time, 9) // a week, and a day more in case the clocks skip the time on one
	for i := range days {
		days[i] = time.Date(year, month, date+i, 0, 0, 0, 0, time.UTC)
	}
	switch word {
	case "":
		return days, true
	case "today":
		return days[:1], true
	case "tomorrow":
		return days[1:2], true
	case "tonight":
		return days[:2], true
	}
	if day, err := time.Parse(time.DateOnly, word); err == nil {
		return []time.Time{day}, true
	}
	days = slices.DeleteFunc(days, func(day time.Time) bool {
		name := strings.ToLower(day.Weekday().String())
		return word != name && word != name[:3]
	})
	return days, len(days) > 0
}

// timesShowing returns the moments of a day at which the clock shows an hour and a minute: one, two when the clocks are
// set back, none when they are set forward over it.
func timesShowing(day time.Time, hour, minute int, zone *time.Location) []time.Time {
	wall := day.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
	var shown []time.Time
	for _, around := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, offset := wall.Add(around).In(zone).Zone()
		at := wall.Add(-time.Duration(offset) * time.Second).In(zone)
		if at.Format(time.DateTime) == wall.Format(time.DateTime) && !slices.ContainsFunc(shown, at.Equal) {
			shown = append(shown, at)
		}
	}
	sort.Slice(shown, func(i, j int) bool { return shown[i].Before(shown[j]) })
	return shown
}

// isTonight reports whether a time belongs to the night that has begun, or else to the next one.
func isTonight(at, now time.Time) bool {
	year, month, day := now.Date()
	if now.Hour() >= 6 {
		day++
	}
	end := time.Date(year, month, day, 6, 0, 0, 0, now.Location())
	return (at.Hour() < 6 || at.Hour() >= 18) && at.Before(end)
}

// FormatEnd returns a time to come in as few cells as possible: "23:01", "Mon 06:00", "25 Dec", "2027-01-31".
func FormatEnd(at, now time.Time) string {
	year, month, day := now.Date()
	switch midnight := time.Date(year, month, day, 0, 0, 0, 0, now.Location()); {
	case at.Before(midnight.AddDate(0, 0, -1)), at.After(midnight.AddDate(0, 0, 300)):
		return at.Format(time.DateOnly)
	case at.Before(midnight), !at.Before(midnight.AddDate(0, 0, 7)):
		return at.Format("2 Jan")
	case !at.Before(midnight.AddDate(0, 0, 1)):
		return at.Format("Mon 15:04")
	}
	return at.Format("15:04")
}
