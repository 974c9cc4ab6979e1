package managed

import (
	"strings"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/chart"
)

// A metric is one of the quantities of "Managed Stats", with its unit. The document names none: cpu is percent (summed
// over the instances, so more than 100 is possible), disk and swap are operations a second, the network is bits a
// second.
type metric struct {
	Name   string
	unit   chart.Unit
	series func(*client.ManagedStats) []chart.Series
}

// Metrics returns the four metrics in the order of their charts.
func Metrics() []metric {
	one := func(
		name string, samples func(*client.ManagedStats) []client.Sample,
	) func(*client.ManagedStats) []chart.Series {
		return func(s *client.ManagedStats) []chart.Series { return []chart.Series{newSeries(name, samples(s))} }
	}
	operations := chart.Unit{Name: "op/s"}
	return []metric{
		{"CPU", chart.Unit{Name: "%"}, one("cpu", func(s *client.ManagedStats) []client.Sample { return s.CPU })},
		{"Network", chart.Unit{Name: "b/s", Prefixed: true}, func(s *client.ManagedStats) []chart.Series {
			return []chart.Series{newSeries("in", s.NetIn), newSeries("out", s.NetOut)}
		}},
		{"Disk", operations, one("disk", func(s *client.ManagedStats) []client.Sample { return s.Disk })},
		{"Swap", operations, one("swap", func(s *client.ManagedStats) []client.Sample { return s.Swap })},
	}
}

// LoadNotes returns what panes say about the load that they show, in charts or figures: what it covers.
func LoadNotes() []string { return loadNotes }

var loadNotes = []string{"load: all managed instances combined"}

// ofAllInstances returns a metric with a title that says what it covers, for charts beside a single service or issue.
func ofAllInstances(m metric) metric {
	m.Name = "All instances: " + m.Name
	return m
}

// newSeries returns samples as a series.
func newSeries(name string, samples []client.Sample) chart.Series {
	s := chart.Series{Name: name, Points: make([]chart.ChartPoint, len(samples))}
	for i, p := range samples {
		s.Points[i] = chart.ChartPoint{Time: p.At, Value: p.Value}
	}
	return s
}

// MetricPanel draws a metric over the last 24 hours in a box of the size of b, with the issues marked. A box of a few
// lines shows a sparkline and figures instead.
func MetricPanel(a *account.Account, m metric, b ui.Box) string {
	return metricPanel(a, m, chart.Chart{}, b)
}

// metricPanel draws a metric into a chart that says which time it shows. It is drawn again only if something has
// changed.
func metricPanel(a *account.Account, m metric, c chart.Chart, b ui.Box) string {
	stats, known := account.OnlyRow(a.Stats())
	switch fresh := a.Stats().Freshness(); {
	case !known && fresh.Err != nil:
		return chart.Message(b, m.Name, fresh.Err.Error())
	case !known:
		return chart.Message(b, m.Name, "reading the last 24 hours")
	case len(stats.Unavailable) > 0:
		return chart.Message(b, m.Name, stats.Unavailable[0].String())
	}
	c.Title, c.Unit, c.Series = m.Name, m.unit, metricSeries(a, m)
	if b.Focused {
		c.Title = b.Theme.Glyphs.Cursor + " " + c.Title
	}
	c.Marks = issueMarks(a)
	if c.Location == nil {
		c.Location = a.Location
	}
	return account.Shared(a, "charts", func() *chart.Caches { return &chart.Caches{} }).View(m.Name, c, b)
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

// issueMarks returns marks of the issues that were detected since the stats begin, newest first.
func issueMarks(a *account.Account) []chart.TimeMark {
	return account.Memo(a, "marks of issues", func() []chart.TimeMark {
		var marks []chart.TimeMark
		for _, i := range join.Found(a.IssuesSince(statsRange(a).first)) {
			mark := chart.TimeMark{Time: i.Created.Time(), Label: account.FormatID(i.ID), Tone: theme.Muted}
			if found, known := a.Incidents().Of(i.ID); known {
				_, mark.Tone = IncidentMark(found, theme.Glyphs{})
			}
			marks = append(marks, mark)
		}
		return marks
	}, append(a.IncidentSources(), a.Stats())...)
}

// loadPanels returns the charts of CPU and network over the last 24 hours, with the values at a moment. The title of
// the first says what both cover: that of the network has no room for it.
func loadPanels(a *account.Account, at time.Time) []ui.StackedPanel {
	panels := make([]ui.StackedPanel, 2)
	for n, m := range Metrics()[:2] {
		if n == 0 {
			m = ofAllInstances(m)
		}
		panels[n].Draw = func(b ui.Box) string { return metricPanel(a, m, chart.Chart{Cursor: at}, b) }
	}
	return panels
}

// chartGrid draws one or two rows of two charts each.
func chartGrid(b ui.Box, rows int, draw func(n int, b ui.Box) string) string {
	left, right := b, b
	left.Width = b.Width / 2
	right.Width = b.Width - left.Width
	drawn := make([]string, rows)
	for row := range drawn {
		left.Height = (b.Height + row) / rows // the last row is the higher one
		right.Height = left.Height
		drawn[row] = ui.JoinPanels(draw(2*row, left), draw(2*row+1, right))
	}
	return strings.Join(drawn, "\n")
}
