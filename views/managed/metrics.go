package managed

import (
	"fmt"
	"math"
	"time"

	"github.com/dustin/go-humanize"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/chart"
	"lookout/views/account"
	"lookout/views/resource"
)

// A metric is one of the quantities of "Managed Stats", with its unit. The document names none: cpu is percent (summed
// over the instances, so more than 100 is possible), disk and swap are operations a second, the network is bits a
// second.
type metric struct {
	Name   string
	format func(float64) string
	series func(*client.Stats) []chart.Series
}

// Metrics returns the four metrics in the order of their charts.
func Metrics() []metric {
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

// formatBitRate returns bits a second with a decimal prefix: "41.2 Mb/s".
func formatBitRate(v float64) string {
	n, prefix := humanize.ComputeSI(v)
	return formatNumber(n) + " " + prefix + "b/s"
}

// formatNumber returns a number with three significant digits.
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

// RenderMetric draws a metric over the 24 hours of the stats, with marks at certain times.
func RenderMetric(a *account.Account, m metric, b ui.Box, marks ...time.Time) string {
	stats, known := account.OnlyRow(a.Stats())
	if !known {
		return renderMissingMetric(a, m, b)
	}
	if len(stats.Unavailable) > 0 {
		return b.Theme.Paint(theme.Strong, m.Name) + "\n" + b.Theme.Paint(theme.Muted, stats.Unavailable[0].String())
	}
	return renderCachedMetric(a, m, chart.Chart{Marks: marks, Location: a.Location}, b)
}

// MetricPanel draws a metric over the last 24 hours in a box of the size of b, with the issues marked.
func MetricPanel(a *account.Account, m metric, b ui.Box) string {
	return RenderMetric(a, m, b, IssueTimes(a, b.Now.Add(-24*time.Hour))...)
}

// MetricLine draws a metric over the last 24 hours in one line: its name, a sparkline, and figures.
func MetricLine(a *account.Account, m metric, b ui.Box) string {
	b.Height = 1
	return MetricPanel(a, m, b)
}

// MetricSparkline returns the course of a metric between two moments, as wide as b; "" without values.
func MetricSparkline(a *account.Account, m metric, from, to time.Time, b ui.Box) string {
	for _, s := range metricSeries(a, m) {
		return chart.Sparkline(b.Theme, chart.Resample(s.Points, from, to, b.Width))
	}
	return ""
}

// renderCachedMetric draws a metric into a chart that has everything but its series.
func renderCachedMetric(a *account.Account, m metric, c chart.Chart, b ui.Box) string {
	c.Title, c.Unit = m.Name, m.format
	return drawCached(a, m.Name, c, b, func() []chart.Series { return metricSeries(a, m) })
}

// drawCached draws series into a chart, unless it was drawn before under a name.
func drawCached(a *account.Account, name string, c chart.Chart, b ui.Box, series func() []chart.Series) string {
	now := account.CachedChart{
		Version: a.Stats().Version(),
		Width:   b.Width,
		Height:  b.Height,
		Theme:   b.Theme,
		Focused: b.Focused,
		Zone:    c.Location,
		Marks:   c.Marks,
	}
	if c.Cursor != nil {
		now.Cursor = *c.Cursor
	}
	if old := a.CachedCharts[name]; !old.SameInputs(now) {
		c.Series = series()
		now.Text = c.View(b)
		a.CachedCharts[name] = now
	}
	return a.CachedCharts[name].Text
}

// metricSeries returns the series of a metric; none before the stats have been read.
func metricSeries(a *account.Account, m metric) []chart.Series {
	return account.Memo(a, m.Name, func() []chart.Series {
		if stats, known := account.OnlyRow(a.Stats()); known {
			return m.series(stats)
		}
		return nil
	}, a.Stats())
}

// renderMissingMetric says why there is no chart.
func renderMissingMetric(a *account.Account, m metric, b ui.Box) string {
	fresh := a.Stats().Freshness()
	text := "reading the last 24 hours"
	if fresh.Err != nil {
		text = fresh.Err.Error()
	}
	return b.Theme.Paint(theme.Strong, m.Name) + "\n" + b.Theme.Paint(
		theme.Muted, ui.Truncate(text, b.Width, b.Theme.Glyphs.Ellipsis),
	)
}

// IssueTimes returns when the issues since a time were detected.
func IssueTimes(a *account.Account, from time.Time) []time.Time {
	var at []time.Time
	for _, i := range resource.Found(account.IssuesSince(a, from)) {
		at = append(at, i.Created.Time())
	}
	return at
}
