package ui

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Twelve spikes of one sample each are all to be seen in a chart of 60 columns.
func TestSpikesSurviveNarrowing(t *testing.T) {
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
	lines := strings.Split(ansi.Strip(c.View(newTestBox(t, 60, 12))), "\n")
	top := lines[1]
	if got := strings.Count(top, "╭") + strings.Count(top, "┼"); got != 12 || !strings.Contains(top, "100 %") {
		t.Errorf("%d of 12 spikes reach the top:\n%s", got, strings.Join(lines, "\n"))
	}
}

// A figure that does not fit is left out whole, never cut.
func TestChartHeadFits(t *testing.T) {
	points := []ChartPoint{{time.Unix(0, 0), 1}, {time.Unix(3600, 0), 388}}
	c := Chart{
		Title:  "CPU",
		Unit:   func(v float64) string { return fmt.Sprintf("%.0f %%", v) },
		Series: []Series{{Name: "cpu", Points: points}},
	}
	for width := range 60 {
		head := ansi.Strip(c.header(newTestBox(t, width, 10)))
		if Width(head) > width {
			t.Errorf("%d cells for %d: %q", Width(head), width, head)
		}
		if strings.Contains(head, "max") && !strings.Contains(head, "max 388 %") {
			t.Errorf("cut at %d: %q", width, head)
		}
	}
}

// A cursor is pointed at from the axis without taking the hours away, and its value stands in the head.
func TestChartCursor(t *testing.T) {
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
	for at, want := range map[int][]string{0: {"^00:00", "^ 0 %", "12:00"}, 60: {"^05:00", "^ 60 %", "12:00"}, 100: {"^08:20", "^ no value"}, 287: {"23:55^", "^ 287 %", "12:00"}} {
		c.Cursor = &points[at].Time
		text := ansi.Strip(c.View(newTestBox(t, 100, 12)))
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
