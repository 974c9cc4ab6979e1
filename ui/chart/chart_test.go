package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/uitest"
)

// All twelve spikes of one sample each are visible in a chart of 60 columns.
func TestChart_View_keepsSpikes(t *testing.T) {
	var points []ChartPoint
	start := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for i := range 288 {
		value := 1.0
		if i%24 == 7 {
			value = 100
		}
		points = append(points, ChartPoint{start.Add(time.Duration(i) * 5 * time.Minute), value})
	}
	c := Chart{
		Title:  "CPU",
		Unit:   func(v float64) string { return fmt.Sprintf("%.0f %%", v) },
		Series: []Series{{Name: "cpu", Points: points}},
	}
	lines := strings.Split(ansi.Strip(c.View(uitest.NewBox(t, 60, 12))), "\n")
	top := lines[1]
	if got := strings.Count(top, "╭") + strings.Count(top, "┼"); got != 12 || !strings.Contains(top, "100 %") {
		t.Errorf("%d of 12 spikes reach the top:\n%s", got, strings.Join(lines, "\n"))
	}
}

// A figure that does not fit is left out, never cut.
func TestChart_header_fits(t *testing.T) {
	points := []ChartPoint{{time.Unix(0, 0), 1}, {time.Unix(3600, 0), 388}}
	c := Chart{
		Title:  "CPU",
		Unit:   func(v float64) string { return fmt.Sprintf("%.0f %%", v) },
		Series: []Series{{Name: "cpu", Points: points}},
	}
	for width := range 60 {
		head := ansi.Strip(c.header(uitest.NewBox(t, width, 10)))
		if ui.Width(head) > width {
			t.Errorf("%d cells for %d: %q", ui.Width(head), width, head)
		}
		if strings.Contains(head, "max") && !strings.Contains(head, "max 388 %") {
			t.Errorf("cut at %d: %q", width, head)
		}
	}
}

// The time axis points at the cursor and keeps its hours, and the header shows the value.
func TestChart_View_cursor(t *testing.T) {
	start := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	var points []ChartPoint
	for i := range 288 {
		points = append(points, ChartPoint{start.Add(time.Duration(i) * 5 * time.Minute), float64(i)})
	}
	points[100].Value = math.NaN()
	c := Chart{
		Title:  "CPU",
		Unit:   func(v float64) string { return fmt.Sprintf("%.0f %%", v) },
		Series: []Series{{Name: "cpu", Points: points}},
	}
	for at, want := range map[int][]string{
		0:   {"^00:00", "^ 0 %", "12:00"},
		60:  {"^05:00", "^ 60 %", "12:00"},
		100: {"^08:20", "^ no value"},
		287: {"23:55^", "^ 287 %", "12:00"},
	} {
		c.Cursor = &points[at].Time
		text := ansi.Strip(c.View(uitest.NewBox(t, 100, 12)))
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%q is missing with the cursor at %d:\n%s", w, at, text)
			}
		}
		if strings.Count(text, "┊") < 5 {
			t.Errorf("no line at the cursor:\n%s", text)
		}
	}
}

// Odd values are drawn or reported, and never crash.
func TestChart_View_oddValues(t *testing.T) {
	start := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	series := func(values ...float64) []Series {
		s := Series{Name: "cpu", Tone: theme.ChartFirst}
		for i, v := range values {
			s.Points = append(s.Points, ChartPoint{start.Add(time.Duration(i) * 5 * time.Minute), v})
		}
		return []Series{s}
	}
	flat := make([]float64, 288)
	for i := range 12 {
		flat[i*24+7] = 100
	}
	many := make([]float64, 100_000)
	for name, values := range map[string][]float64{
		"none":     {},
		"one":      {5},
		"two":      {1, 2},
		"equal":    {7, 7, 7},
		"gaps":     {1, math.NaN(), 3},
		"all gaps": {math.NaN()},
		"infinite": {math.Inf(1), 1, math.Inf(-1)},
		"huge":     {1e300, 2},
		"negative": {-5, -1, -3},
		"a day":    flat,
		"many":     many,
	} {
		c := Chart{
			Title:  "CPU",
			Unit:   func(v float64) string { return fmt.Sprintf("%.0f %%", v) },
			Series: series(values...),
		}
		for _, size := range [][2]int{{60, 12}, {20, 5}, {5, 2}, {200, 40}} {
			b := uitest.NewBox(t, size[0], size[1])
			out := ansi.Strip(b.Fit(c.View(b)))
			if name == "none" || name == "all gaps" {
				if size[0] > 20 && !strings.Contains(out, "no data") {
					t.Errorf("%s: %s", name, out)
				}
			}
			if strings.Contains(out, "9223372036854775808") {
				t.Errorf("%s: an invented value:\n%s", name, out)
			}
		}
	}
}
