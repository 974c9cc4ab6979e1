package operation

import (
	"testing"
	"time"

	"lookout/client/account"
)

// A time that is far away is shown with its year, whether it is past or, by a wrong clock, to come.
func TestFormatClock(t *testing.T) {
	now := time.Date(2026, 11, 22, 3, 10, 0, 0, time.UTC)
	for text, at := range map[string]time.Time{
		"03:04":        now.Add(-6 * time.Minute),
		"20 Nov 03:10": now.Add(-48 * time.Hour),
		"2025-01-02":   time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC),
		"31 Jan 03:04": time.Date(2027, 1, 31, 3, 4, 5, 0, time.UTC),
		"2044-01-02":   time.Date(2044, 1, 2, 3, 4, 5, 0, time.UTC),
	} {
		if got := account.FormatClock(at, now); got != text {
			t.Errorf("%s: %q, want %q", at, got, text)
		}
	}
}

// What ends on another day is shown with its weekday.
func TestFormatMoment(t *testing.T) {
	now := time.Date(2026, 11, 22, 3, 10, 0, 0, time.UTC)
	for text, at := range map[string]time.Time{
		"23:59":                time.Date(2026, 11, 22, 23, 59, 0, 0, time.UTC),
		"Mon 23 Nov 00:00":     time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC),
		"Fri 1 Jan 06:00":      time.Date(2027, 1, 1, 6, 0, 0, 0, time.UTC),
		"Sat 2028-01-01 06:00": time.Date(2028, 1, 1, 6, 0, 0, 0, time.UTC),
	} {
		if got := account.FormatMoment(at, now); got != text {
			t.Errorf("%s: %q, want %q", at, got, text)
		}
	}
}
