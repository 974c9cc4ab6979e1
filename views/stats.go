package views

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/chart"
)

// A metric is one of the quantities of "Managed Stats", with its unit. The document names none: cpu is percent (summed
// over the instances, so more than 100 is possible), disk and swap are operations a second, the network is bits a
// second.
type metric struct {
	name   string
	format func(float64) string
	series func(*client.Stats) []chart.Series
}

func metrics() []metric {
	return []metric{
		{
			"CPU",
			formatPercent,
			func(s *client.Stats) []chart.Series { return []chart.Series{newSeries("cpu", theme.ChartFirst, s.CPU)} },
		},
		{"Network", formatBitRate, func(s *client.Stats) []chart.Series {
			return []chart.Series{
				newSeries("in", theme.ChartFirst, s.NetIn),
				newSeries("out", theme.ChartSecond, s.NetOut),
			}
		}},
		{
			"Disk",
			formatOperations,
			func(s *client.Stats) []chart.Series {
				return []chart.Series{newSeries("disk", theme.ChartFirst, s.Disk)}
			},
		},
		{
			"Swap",
			formatOperations,
			func(s *client.Stats) []chart.Series {
				return []chart.Series{newSeries("swap", theme.ChartFirst, s.Swap)}
			},
		},
	}
}

func newSeries(name string, tone theme.Tone, points []client.Sample) chart.Series {
	s := chart.Series{Name: name, Tone: tone, Points: make([]chart.ChartPoint, len(points))}
	for i, p := range points {
		s.Points[i] = chart.ChartPoint{Time: p.At, Value: p.Value}
	}
	return s
}

func formatPercent(v float64) string    { return formatNumber(v) + " %" }
func formatOperations(v float64) string { return formatNumber(v) + " op/s" }

// formatBitRate is bits a second with the field's decimal prefixes: "41.2 Mb/s".
func formatBitRate(v float64) string {
	n, prefix := humanize.ComputeSI(v)
	return formatNumber(n) + " " + prefix + "b/s"
}

// formatNumber is a number with three digits that matter.
func formatNumber(v float64) string {
	switch abs := math.Abs(v); {
	case abs < 0.005:
		return "0"
	case abs >= 1e6:
		return fmt.Sprintf("%.3g", v)
	case abs >= 100 || abs == math.Trunc(abs):
		return fmt.Sprintf("%.0f", v)
	case abs >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// renderMetric draws a measure over the stats' own 24 hours, with a mark at each issue detected in them.
func renderMetric(a *Account, m metric, b ui.Box, marks ...time.Time) string {
	stats, known := onlyRow(a.stats())
	if !known {
		return renderMissingMetric(a, m, b)
	}
	if len(stats.Unavailable) > 0 {
		return b.Theme.Paint(theme.Strong, m.name) + "\n" + b.Theme.Paint(theme.Muted, stats.Unavailable[0].String())
	}
	return renderCachedMetric(a, m, chart.Chart{Marks: marks, Location: a.location}, b)
}

// renderCachedMetric draws a measure into a chart that has all but its series.
func renderCachedMetric(a *Account, m metric, c chart.Chart, b ui.Box) string {
	now := cachedChart{
		version: a.stats().Version(),
		width:   b.Width,
		height:  b.Height,
		theme:   b.Theme,
		focused: b.Focused,
		zone:    c.Location,
		marks:   c.Marks,
	}
	if c.Cursor != nil {
		now.cursor = *c.Cursor
	}
	if old := a.cachedCharts[m.name]; !old.sameInputs(now) {
		c.Title, c.Unit, c.Series = m.name, m.format, metricSeries(a, m)
		now.text = c.View(b)
		a.cachedCharts[m.name] = now
	}
	return a.cachedCharts[m.name].text
}

// metricSeries are the lines of a measure; none before the stats have arrived.
func metricSeries(a *Account, m metric) []chart.Series {
	return memo(a, m.name, func() []chart.Series {
		if stats, known := onlyRow(a.stats()); known {
			return m.series(stats)
		}
		return nil
	}, a.stats())
}

// renderMissingMetric says why there is no chart yet.
func renderMissingMetric(a *Account, m metric, b ui.Box) string {
	fresh := a.stats().Freshness()
	text := "reading the last 24 hours"
	if fresh.Err != nil {
		text = fresh.Err.Error()
	}
	return b.Theme.Paint(
		theme.Strong,
		m.name,
	) + "\n" + b.Theme.Paint(
		theme.Muted,
		ui.Truncate(text, b.Width, b.Theme.Glyphs.Ellipsis),
	)
}

// writeLoadChart is the CPU around a detection, in an incident.
func writeLoadChart(a *Account, t *detailWriter, i *client.Issue, height int) {
	t.heading("account load around the detection")
	b := ui.Box{
		Width:  t.box.Width,
		Height: height,
		Theme:  t.box.Theme,
		Now:    t.box.Now,
	}
	var marks []time.Time
	if i.Created.Valid() {
		marks = append(marks, i.Created.Time())
	}
	t.rendered(strings.TrimRight(renderMetric(a, metrics()[0], b, marks...), "\n"))
	t.blank()
}

// issueTimes are the moments of the issues in a span.
func issueTimes(a *Account, from time.Time) []time.Time {
	var at []time.Time
	for _, i := range issuesSince(a, from) {
		at = append(at, i.Created.Time())
	}
	return at
}
