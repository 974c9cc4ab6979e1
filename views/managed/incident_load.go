package managed

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/incident"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/chart"
	"lookout/views/operation"
)

// writeLoadChart writes the load at the detection of an issue: its values in figures, and the CPU around it as a chart.
// If the stats do not hold that moment, it says so.
func writeLoadChart(a *account.Account, t *operation.DetailWriter, i *client.Issue, height int) {
	t.Heading("account load around the detection")
	defer t.Blank()
	b := ui.Box{Width: t.Box.Width, Height: height, Theme: t.Box.Theme, Now: t.Box.Now}
	if text := whyNoLoad(a, i); text != "" && a.Stats().Loaded() {
		t.Paragraph(text, theme.Muted)
		return
	}
	t.Lines = append(t.Lines, incidentSections{a: a, i: i, b: t.Box}.loadLines()...)
	t.Rendered(LoadPanel(a, i, Metrics()[0], b, false))
}

// LoadPanel draws a metric around the detection of an issue in a box of the size of b: from 3 hours before it to 3
// hours after it, as far as the stats reach, or the whole 24 hours.
func LoadPanel(a *account.Account, i *client.Issue, m metric, b ui.Box, wholeDay bool) string {
	at, r := i.Created.Time(), statsRange(a)
	c := chart.Chart{From: r.first, To: r.last, Cursor: at}
	if !wholeDay {
		c.From = slices.MaxFunc([]time.Time{r.first, at.Add(-incident.LoadSpan)}, time.Time.Compare)
		c.To = slices.MinFunc([]time.Time{r.last, at.Add(incident.LoadSpan)}, time.Time.Compare)
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
	case at.Before(r.first.Add(-incident.LoadTolerance)):
		return "no longer known: the stats cover only 24 hours, from " + a.FormatTime(r.first) + " on"
	case at.After(r.last.Add(incident.LoadTolerance)):
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

// loadFigures returns the values of all metrics at the detection of an issue, each with its lowest and highest value in
// the other hours that the stats cover: "cpu 392 % (24 h: 110 to 318)", "swap no value".
func loadFigures(a *account.Account, i *client.Issue) []string {
	r := statsRange(a)
	hours := math.Ceil(r.last.Sub(r.first).Hours())
	var parts []string
	for _, m := range Metrics() {
		series := metricSeries(a, m)
		for _, s := range series {
			l := incident.LoadAt(i.Created.Time(), func(yield func(time.Time, float64) bool) {
				for _, p := range s.Points {
					if !yield(p.Time, p.Value) {
						return
					}
				}
			})
			text, unit := s.Name+" no value", ""
			if len(series) > 1 {
				text = "net " + text
			}
			if !math.IsNaN(l.At) {
				value := m.unit.Format(l.At)
				text, unit = strings.TrimSuffix(text, "no value")+value, unitOf(value)
			}
			if !math.IsNaN(l.Low) {
				low, high := m.unit.Format(l.Low), m.unit.Format(l.High)
				if u := unitOf(high); unitOf(low) == u {
					low = strings.TrimSuffix(low, u)
					high = strings.TrimSuffix(high, wording.If(u == unit, u))
				}
				text += fmt.Sprintf(" (%.0f h: %s to %s)", hours, low, high)
			}
			parts = append(parts, text)
		}
	}
	return parts
}

// unitOf returns the unit of a value in figures, with the space before it.
func unitOf(value string) string {
	if n := strings.LastIndexByte(value, ' '); n >= 0 {
		return value[n:]
	}
	return ""
}
