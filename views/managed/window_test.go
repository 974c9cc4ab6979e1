package managed_test

import (
	"strings"
	"testing"
	"time"

	"lookout/views/managed"
)

// inZone returns a time in a zone.
func inZone(t testing.TB, zone, text string) time.Time {
	t.Helper()
	place, err := time.LoadLocation(zone)
	if err != nil {
		t.Skip(err) // a machine without the time zones
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", text, place)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// formatWindow returns the start and the end of a window: "start – end", "end", or "none".
func formatWindow(w managed.MaintenanceWindow) string {
	const layout = "2006-01-02 15:04 MST"
	switch {
	case w.End.IsZero():
		return "none"
	case w.Start.IsZero():
		return w.End.Format(layout)
	}
	return w.Start.Format(layout) + " – " + w.End.Format(layout)
}

// 2026-11-22 is a Sunday.
func TestParseWindow(t *testing.T) {
	now := inZone(t, "UTC", "2026-11-22 21:04")
	for text, want := range map[string]string{
		"none": "none", " None ": "none",
		"15 min": "2026-11-22 21:19 UTC", "1 h": "2026-11-22 22:04 UTC", "4 h": "2026-11-23 01:04 UTC",
		"30m": "2026-11-22 21:34 UTC", "2d": "2026-11-24 21:04 UTC", "1h30m": "2026-11-22 22:34 UTC",
		"1.5h": "2026-11-22 22:34 UTC", "90m": "2026-11-22 22:34 UTC", "2 d 4 h": "2026-11-25 01:04 UTC",
		"1w": "2026-11-29 21:04 UTC", "2 days": "2026-11-24 21:04 UTC", "8760h": "2027-11-22 21:04 UTC",
		"22:30": "2026-11-22 22:30 UTC", "6:30": "2026-11-23 06:30 UTC", "21:04": "2026-11-23 21:04 UTC",
		"Mon 06:00": "2026-11-23 06:00 UTC", "sunday 22:00": "2026-11-22 22:00 UTC",
		"Sun 21:04": "2026-11-29 21:04 UTC", "sat 00:00": "2026-11-28 00:00 UTC",
		"today 23:59": "2026-11-22 23:59 UTC", "tomorrow 06:00": "2026-11-23 06:00 UTC",
		"tonight 22:00": "2026-11-22 22:00 UTC", "tonight 02:00": "2026-11-23 02:00 UTC",
		"2026-11-25": "2026-11-25 00:00 UTC", "2026-11-25 06:00": "2026-11-25 06:00 UTC",
		"2026-11-25T06:00:00Z": "2026-11-25 06:00 UTC", "2026-11-25T06:00:00-05:00": "2026-11-25 11:00 UTC",
		"02:00-04:00":                         "2026-11-23 02:00 UTC – 2026-11-23 04:00 UTC",
		"tonight 02:00–04:00":                 "2026-11-23 02:00 UTC – 2026-11-23 04:00 UTC",
		"tonight 23:00 - 01:30":               "2026-11-22 23:00 UTC – 2026-11-23 01:30 UTC",
		"Mon 22:00 - Tue 06:00":               "2026-11-23 22:00 UTC – 2026-11-24 06:00 UTC",
		"Mon 22:00 to Mon 06:00":              "2026-11-23 22:00 UTC – 2026-11-30 06:00 UTC",
		"2026-11-25 02:00-04:00":              "2026-11-25 02:00 UTC – 2026-11-25 04:00 UTC",
		"2026-11-25 22:00 - 2026-11-26 06:00": "2026-11-25 22:00 UTC – 2026-11-26 06:00 UTC",
		"2026-11-25 22:00-2026-11-27":         "2026-11-25 22:00 UTC – 2026-11-27 00:00 UTC",
	} {
		w, err := managed.ParseWindow(text, now)
		if got := formatWindow(w); err != nil || got != want {
			t.Errorf("%q: %s, %v; want %s", text, got, err, want)
		}
	}
}

// What is not understood, or over already, is refused, and the error says why and what to type instead.
func TestParseWindow_refusesPastAndUnknown(t *testing.T) {
	now := inZone(t, "UTC", "2026-11-22 21:04")
	for text, want := range map[string]string{
		"":                                    "use 30m",
		"0":                                   "for no end, use none",
		"0m":                                  "for no end, use none",
		"-0s":                                 "for no end, use none",
		"0 d 0 h":                             "for no end, use none",
		"1ms":                                 "from 1s to a year",
		"soon":                                `unknown time "soon": use 30m, 2d, 06:30`,
		"30":                                  "add a unit, as in 30m, 30h or 30d",
		"-1h":                                 "from 1s to a year",
		"366d":                                "from 1s to a year",
		"99999w99999w":                        "from 1s to a year",
		"24:00":                               "from 00:00 to 23:59",
		"06:60":                               "from 00:00 to 23:59",
		"monday":                              `add a time of day, as in "monday 06:00"`,
		"tonight":                             `add a time of day`,
		"today 21:04":                         "is not after Sun 22 Nov 2026 21:04 UTC",
		"tonight 20:00":                       "is not after",
		"tonight 12:00":                       "tonight is from 18:00 to 06:00",
		"2026-11-22":                          "is not after Sun 22 Nov 2026 21:04 UTC",
		"2026-11-20 06:00":                    "is not after",
		"2020-01-01T00:00:00Z":                "is not after",
		"2028-01-01":                          "more than a year ahead",
		"2026-02-30":                          "unknown time",
		"2026-11-25 04:00-02:xx":              "unknown time",
		"2026-11-25 06:00 - now":              "unknown time",
		"2026-11-25 02:00 - none":             "unknown time",
		"2026-11-20 02:00-04:00":              "is not after",
		"2026-11-25 06:00 - 2026-11-25 04:00": "is not after Wed 25 Nov 2026 06:00 UTC",
	} {
		w, err := managed.ParseWindow(text, now)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v; want an error with %q", text, formatWindow(w), err, want)
		}
	}
}

// A time of day is the next one that the clock shows: none is shown while the clocks are set forward, and one is shown
// twice when they are set back.
func TestParseWindow_clockChanges(t *testing.T) {
	tests := []struct{ zone, now, text, want string }{
		{"Europe/Berlin", "2026-03-29 01:00", "02:30", "2026-03-30 02:30 CEST"},
		{"Europe/Berlin", "2026-03-29 01:00", "03:00", "2026-03-29 03:00 CEST"},
		{"Europe/Berlin", "2026-03-28 23:00", "4 h", "2026-03-29 04:00 CEST"},
		{"Europe/Berlin", "2026-03-28 12:00", "2026-03-29 02:30", "the clocks skip this time"},
		{"Europe/Berlin", "2026-03-28 12:00", "tomorrow 02:30", "the clocks skip this time"},
		{"Europe/Berlin", "2026-03-28 12:00", "Sun 02:30", "2026-04-05 02:30 CEST"},
		{"Europe/Berlin", "2026-10-25 01:00", "02:30", "2026-10-25 02:30 CEST"},
		{"Europe/Berlin", "2026-10-25 01:00", "tonight 02:30-03:30",
			"2026-10-25 02:30 CEST – 2026-10-25 03:30 CET"},
		{"America/New_York", "2026-11-01 00:30", "01:15", "2026-11-01 01:15 EDT"},
		{"Pacific/Apia", "2011-12-29 12:00", "2011-12-30 06:00", "the clocks skip this time"},
		{"America/Sao_Paulo", "2018-11-03 12:00", "2018-11-04", "2018-11-04 01:00 -02"},
		{"Asia/Kathmandu", "2026-11-22 21:04", "06:30", "2026-11-23 06:30 +0545"},
	}
	for _, c := range tests {
		w, err := managed.ParseWindow(c.text, inZone(t, c.zone, c.now))
		got := formatWindow(w)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s %s %q: %s; want %s", c.zone, c.now, c.text, got, c.want)
		}
	}
	// between the two 02:30 of the night, the next one is the second
	first := inZone(t, "Europe/Berlin", "2026-10-25 01:59").Add(32 * time.Minute)
	if w, err := managed.ParseWindow("02:30", first); err != nil || w.End.Sub(first) != 59*time.Minute {
		t.Errorf("after the first 02:30: %v, %v", w.End, err)
	}
}

func TestFormatEnd(t *testing.T) {
	now := inZone(t, "UTC", "2026-11-22 21:04")
	for at, want := range map[string]string{
		"2026-11-22 23:01": "23:01",
		"2026-11-22 01:00": "01:00",
		"2026-11-23 06:00": "Mon 06:00",
		"2026-11-28 06:00": "Sat 06:00",
		"2026-11-29 00:00": "29 Nov",
		"2026-11-21 06:00": "21 Nov",
		"2027-11-21 06:00": "2027-11-21",
	} {
		if got := managed.FormatEnd(inZone(t, "UTC", at), now); got != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
}

// Whatever is typed, a window lies ahead and has its end after its start, and the clock shows what was typed.
func FuzzParseWindow(f *testing.F) {
	for _, text := range []string{
		"15 min", "2 d 4 h", "06:30", "Mon 06:00", "tonight 02:00–04:00", "2026-11-25", "none",
		"2026-11-25 22:00 - 06:00",
	} {
		f.Add(text, int64(1793667840), "Europe/Berlin")
		f.Add(text, int64(1774742400), "America/New_York")
	}
	f.Fuzz(func(t *testing.T, text string, unix int64, zone string) {
		place, err := time.LoadLocation(zone)
		if err != nil || unix < 0 || unix > 4e9 {
			t.Skip()
		}
		now := time.Unix(unix, 0).In(place)
		w, err := managed.ParseWindow(text, now)
		if err != nil || w.End.IsZero() {
			return
		}
		begin := now
		if !w.Start.IsZero() {
			begin = w.Start
		}
		if begin.Before(now) || !w.End.After(begin) || w.End.Sub(now) > 2*366*24*time.Hour {
			t.Errorf("%q at %s in %s: %s", text, now, zone, formatWindow(w))
		}
		if clock, err := time.Parse("15:04", strings.TrimSpace(text)); err == nil &&
			w.End.Format("15:04") != clock.Format("15:04") {
			t.Errorf("%q at %s in %s: %s", text, now, zone, w.End)
		}
	})
}
