package managed

import (
	"math"
	"slices"
	"strings"
	"time"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/chart"
	"lookout/views/account"
)

const (
	loadSpan      = 3 * time.Hour    // of the load that is shown before and after a detection
	loadTolerance = 10 * time.Minute // how far a point may be from the moment whose value it is
)

// writeLoadChart writes the load at the detection of an issue: its values in figures, and the CPU around it as a chart.
// If the stats do not hold that moment, it says so.
func writeLoadChart(a *account.Account, t *account.DetailWriter, i *client.Issue, height int) {
	t.Heading("account load around the detection")
	defer t.Blank()
	b := ui.Box{
		Width:  t.Box.Width,
		Height: height,
		Theme:  t.Box.Theme,
		Now:    t.Box.Now,
	}
	stats, known := account.OnlyRow(a.Stats())
	if !known || len(stats.Unavailable) > 0 {
		t.Rendered(strings.TrimRight(RenderMetric(a, Metrics()[0], b), "\n"))
		return
	}
	at := i.Created.Time()
	if text := whyNoLoad(a, i); text != "" {
		t.Paragraph(text, theme.Muted)
		return
	}
	lines := len(t.Lines)
	t.Field("at detection", loadFigures(a, at), theme.Strong)
	b.Height -= len(t.Lines) - lines
	c := chart.Chart{
		Title:    Metrics()[0].Name,
		Unit:     Metrics()[0].format,
		Marks:    issueTimesBetween(a, at.Add(-loadSpan), at.Add(loadSpan)),
		Cursor:   &at,
		Location: a.Location,
		Past:     true,
	}
	t.Rendered(strings.TrimRight(drawCached(a, "load around an issue", c, b, func() []chart.Series {
		return seriesBetween(metricSeries(a, Metrics()[0]), at.Add(-loadSpan), at.Add(loadSpan))
	}), "\n"))
}

// LoadPanel draws a metric around the detection of an issue in a box of the size of b: from 3 hours before it to 3 hours
// after it, as far as the stats reach, or the whole 24 hours.
func LoadPanel(a *account.Account, i *client.Issue, m metric, b ui.Box, wholeDay bool) string {
	at := i.Created.Time()
	from, to := at.Add(-loadSpan), at.Add(loadSpan)
	if wholeDay {
		from, to = statsRange(a).first, statsRange(a).last
	}
	c := chart.Chart{
		Title:    m.Name,
		Unit:     m.format,
		Marks:    issueTimesBetween(a, from, to),
		Cursor:   &at,
		Location: a.Location,
		Past:     true,
	}
	return drawCached(a, "load of "+m.Name, c, b, func() []chart.Series {
		return seriesBetween(metricSeries(a, m), from, to)
	})
}

// whyNoLoad returns why the stats do not hold the detection of an issue; "" if they do.
func whyNoLoad(a *account.Account, i *client.Issue) string {
	r, at := statsRange(a), i.Created.Time()
	switch {
	case !i.Created.Valid():
		return "not known: the issue has no valid time of detection"
	case !r.any:
		return "the stats hold no value"
	case at.Before(r.first.Add(-loadTolerance)):
		return "no longer known: the stats hold only 24 hours, from " + a.FormatTime(r.first) + " on"
	case at.After(r.last.Add(loadTolerance)):
		return "not known yet: the stats end at " + a.FormatTime(r.last)
	}
	return ""
}

// A timeRange is what the values of the stats span.
type timeRange struct {
	first, last time.Time
	any         bool // there is a value
}

// statsRange returns the times of the first and the last value of the stats.
func statsRange(a *account.Account) timeRange {
	return account.Memo(a, "range of stats", func() timeRange {
		var r timeRange
		for _, m := range Metrics() {
			for _, s := range metricSeries(a, m) {
				for _, p := range s.Points {
					if math.IsNaN(p.Value) {
						continue
					}
					if !r.any || p.Time.Before(r.first) {
						r.first = p.Time
					}
					if !r.any || p.Time.After(r.last) {
						r.last = p.Time
					}
					r.any = true
				}
			}
		}
		return r
	}, a.Stats())
}

// loadFigures returns the values of all metrics at a moment: "cpu 308 % · net in 59 Mb/s · swap no value".
func loadFigures(a *account.Account, at time.Time) string {
	var parts []string
	for _, m := range Metrics() {
		series := metricSeries(a, m)
		for _, s := range series {
			name, value := s.Name, "no value"
			if len(series) > 1 {
				name = "net " + name
			}
			if len(s.Points) > 0 {
				p := chart.Nearest(s.Points, at)
				if !math.IsNaN(p.Value) && p.Time.Sub(at).Abs() <= loadTolerance {
					value = m.format(p.Value)
				}
			}
			parts = append(parts, name+" "+value)
		}
	}
	return strings.Join(parts, " · ")
}

// seriesBetween returns the points of series between two moments.
func seriesBetween(all []chart.Series, from, to time.Time) []chart.Series {
	some := slices.Clone(all)
	for n, s := range some {
		some[n].Points = slices.DeleteFunc(slices.Clone(s.Points), func(p chart.ChartPoint) bool {
			return p.Time.Before(from) || p.Time.After(to)
		})
	}
	return some
}

// issueTimesBetween returns when the issues between two moments were detected, newest first.
func issueTimesBetween(a *account.Account, from, to time.Time) []time.Time {
	return slices.DeleteFunc(IssueTimes(a, from), func(t time.Time) bool { return t.After(to) })
}
