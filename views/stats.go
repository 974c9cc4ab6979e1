package views

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

func (a *Account) stats() *ui.Store[*client.Stats] {
	return share(a, "stats", func(*client.Stats) string { return "account" }, single(a.api.Stats.Get))
}

// A measure is one of the quantities of "Managed Stats", with its unit. The document names none: cpu is percent (summed over the instances,
// so more than 100 is possible), disk and swap are operations a second, the network is bits a second.
type measure struct {
	name   string
	unit   func(float64) string
	series func(*client.Stats) []ui.Series
}

func measures() []measure {
	return []measure{
		{"CPU", percent, func(s *client.Stats) []ui.Series { return []ui.Series{line("cpu", theme.ChartFirst, s.CPU)} }},
		{"Network", bitRate, func(s *client.Stats) []ui.Series {
			return []ui.Series{line("in", theme.ChartFirst, s.NetIn), line("out", theme.ChartSecond, s.NetOut)}
		}},
		{"Disk", operations, func(s *client.Stats) []ui.Series { return []ui.Series{line("disk", theme.ChartFirst, s.Disk)} }},
		{"Swap", operations, func(s *client.Stats) []ui.Series { return []ui.Series{line("swap", theme.ChartFirst, s.Swap)} }},
	}
}

func line(name string, tone theme.Tone, points []client.Sample) ui.Series {
	s := ui.Series{Name: name, Tone: tone, Points: make([]ui.ChartPoint, len(points))}
	for i, p := range points {
		s.Points[i] = ui.ChartPoint{Time: p.At, Value: p.Value}
	}
	return s
}

func percent(v float64) string    { return short(v) + " %" }
func operations(v float64) string { return short(v) + " op/s" }

// bitRate is bits a second with the field's decimal prefixes: "41.2 Mb/s".
func bitRate(v float64) string {
	n, prefix := humanize.ComputeSI(v)
	return short(n) + " " + prefix + "b/s"
}

// short is a number with three digits that matter.
func short(v float64) string {
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

// chart draws a measure over the stats' own 24 hours, with a mark at each issue detected in them.
func (a *Account) chart(m measure, b ui.Box, marks ...time.Time) string {
	stats, known := the(a.stats())
	if !known {
		return a.noChart(m, b)
	}
	if len(stats.Unavailable) > 0 {
		return b.Theme.Paint(theme.Strong, m.name) + "\n" + b.Theme.Paint(theme.Muted, stats.Unavailable[0].String())
	}
	return a.plot(m, ui.Chart{Marks: marks, Location: a.location}, b)
}

// plot draws a measure into a chart that has all but its series.
func (a *Account) plot(m measure, c ui.Chart, b ui.Box) string {
	now := plotted{version: a.stats().Version(), width: b.Width, height: b.Height, theme: b.Theme, focused: b.Focused, zone: c.Location, marks: c.Marks}
	if c.Cursor != nil {
		now.cursor = *c.Cursor
	}
	if old := a.plots[m.name]; !old.same(now) {
		c.Title, c.Unit, c.Series = m.name, m.unit, a.series(m)
		now.text = c.View(b)
		a.plots[m.name] = now
	}
	return a.plots[m.name].text
}

// series are the lines of a measure; none before the stats have arrived.
func (a *Account) series(m measure) []ui.Series {
	return derived(a, m.name, func() []ui.Series {
		if stats, known := the(a.stats()); known {
			return m.series(stats)
		}
		return nil
	}, a.stats())
}

// plotted is a chart as it was drawn last, and all that it depends on: frames come more often than stats.
type plotted struct {
	version, width, height int // of the stats and of the room
	theme                  *theme.Theme
	focused                bool
	zone                   *time.Location
	cursor                 time.Time
	marks                  []time.Time
	text                   string
}

func (p plotted) same(q plotted) bool {
	return p.text != "" && p.version == q.version && p.width == q.width && p.height == q.height && p.theme == q.theme && p.focused == q.focused && p.zone == q.zone && p.cursor.Equal(q.cursor) &&
		slices.EqualFunc(p.marks, q.marks, time.Time.Equal)
}

// noChart says why there is no chart yet.
func (a *Account) noChart(m measure, b ui.Box) string {
	fresh := a.stats().Freshness()
	text := "reading the last 24 hours"
	if fresh.Err != nil {
		text = fresh.Err.Error()
	}
	return b.Theme.Paint(theme.Strong, m.name) + "\n" + b.Theme.Paint(theme.Muted, ui.Truncate(text, b.Width, b.Theme.Glyphs.Ellipsis))
}

// loadChart is the CPU around a detection, in an incident.
func (a *Account) loadChart(t *sheet, i *client.Issue, height int) {
	t.heading("account load around the detection")
	b := ui.Box{Width: t.box.Width, Height: height, Theme: t.box.Theme, Now: t.box.Now}
	var marks []time.Time
	if i.Created.Valid() {
		marks = append(marks, i.Created.Time())
	}
	t.block(strings.TrimRight(a.chart(measures()[0], b, marks...), "\n"))
	t.blank()
}

// detections are the moments of the issues in a span.
func (a *Account) detections(from time.Time) []time.Time {
	var at []time.Time
	for _, i := range a.issuesSince(from) {
		at = append(at, i.Created.Time())
	}
	return at
}
