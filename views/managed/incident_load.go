package managed

import (
	"math"
	"slices"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/chart"
	"lookout/views/operation"
)

const (
	loadSpan      = 3 * time.Hour    // of the load that is shown before and after a detection
	loadTolerance = 10 * time.Minute // how far a point may be from the moment whose value it is
)

// writeLoadChart writes the load at the detection of an issue: its values in figures, and the CPU around it as a chart.
// If the stats do not hold that moment, it says so.
func writeLoadChart(a *account.Account, t *operation.DetailWriter, i *client.Issue, height int) {
	t.Heading("account load around the detection")
	defer t.Blank()
	b := ui.Box{
		Width:  t.Box.Width,
		Height: height,
		Theme:  t.Box.Theme,
		Now:    t.Box.Now,
	}
	if text := whyNoLoad(a, i); text != "" && a.Stats().Loaded() {
		t.Paragraph(text, theme.Muted)
		return
	}
	lines := len(t.Lines)
	if a.Stats().Loaded() {
		t.Field("at detection", loadFigures(a, i.Created.Time()), theme.Strong)
	}
	b.Height -= len(t.Lines) - lines
	t.Rendered(LoadPanel(a, i, Metrics()[0], b, false))
}

// LoadPanel draws a metric around the detection of an issue in a box of the size of b: from 3 hours before it to 3
// hours after it, as far as the stats reach, or the whole 24 hours.
func LoadPanel(a *account.Account, i *client.Issue, m metric, b ui.Box, wholeDay bool) string {
	at, r := i.Created.Time(), statsRange(a)
	c := chart.Chart{From: r.first, To: r.last, Cursor: at}
	if !wholeDay {
		c.From = slices.MaxFunc([]time.Time{r.first, at.Add(-loadSpan)}, time.Time.Compare)
		c.To = slices.MinFunc([]time.Time{r.last, at.Add(loadSpan)}, time.Time.Compare)
	}
	if c.To.Before(at) {
		c.To = at
	}
	return metricPanel(a, m, c, b)
}

// whyNoLoad returns why the stats do not hold the detection of an issue; "" if they do.
func whyNoLoad(a *account.Account, i *client.Issue) string {
	r, at := statsRange(a), i.Created.Time()
	switch {
	case !i.Created.Valid():
		return "not known: the issue has no valid time of detection"
	case !r.any:
		return "the stats contain no values"
	case at.Before(r.first.Add(-loadTolerance)):
		return "no longer known: the stats cover only 24 hours, from " + a.FormatTime(r.first) + " on"
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
					value = m.unit.Format(p.Value)
				}
			}
			parts = append(parts, name+" "+value)
		}
	}
	return strings.Join(parts, " · ")
}
