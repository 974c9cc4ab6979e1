package views_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
)

// statsJSON returns an answer with stats. The function returns the values of cpu as JSON, point by point.
func statsJSON(value func(i int) string, n int) string {
	var points []string
	from := time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)
	for i := range n {
		at := from.Add(time.Duration(i) * 24 * time.Hour / time.Duration(max(n, 1)))
		points = append(points, fmt.Sprintf(`{"x":%d,"y":%s}`, at.UnixMilli(), value(i)))
	}
	return `{"data":{"cpu":[` + strings.Join(points, ",") + `],"disk":[],"net_in":[],"net_out":[],"swap":[]}}`
}

// The chart shows the stats as they are, whatever their shape: it neither invents nor loses values, and does not panic.
func TestStats_everyShape(t *testing.T) {
	t.Parallel()
	same := func(text string) func(int) string { return func(int) string { return text } }
	for name, c := range map[string]struct {
		body string
		see  []string
		miss []string
	}{
		"no point":  {statsJSON(same("1"), 0), []string{"CPU", "no data"}, []string{"0 %"}},
		"one point": {statsJSON(same("41.5"), 1), []string{"CPU %", "last 41.5"}, nil},
		"two points": {
			statsJSON(func(i int) string { return fmt.Sprint(10 + i*20) }, 2),
			[]string{"last 30", "min 10", "max 30"},
			nil,
		},
		"a day": {statsJSON(func(i int) string { return fmt.Sprint(i % 7) }, 288), []string{"now 0", "max 6"}, nil},
		"100,000 points": {
			statsJSON(func(i int) string { return fmt.Sprint(i % 101) }, 100_000),
			[]string{"max 100"},
			nil,
		},
		"gaps": {
			statsJSON(func(i int) string { return []string{"5", "null"}[i%2] }, 288),
			[]string{"now no value", "min 5", "max 5"},
			[]string{"NaN"},
		},
		"only gaps":      {statsJSON(same("null"), 288), []string{"no data"}, []string{"0 %"}},
		"equal values":   {statsJSON(same("7"), 288), []string{"now 7", "min 7"}, nil},
		"huge values":    {statsJSON(same("1e15"), 288), []string{"CPU 10^15 %", "now 1"}, nil},
		"beyond a float": {statsJSON(same("1e999"), 288), []string{"no data"}, []string{"Inf"}},
		"negative values": {
			statsJSON(func(i int) string { return fmt.Sprint(-10 + i%3) }, 288),
			[]string{"min -10", "max -8"},
			nil,
		},
		"data as sentences": {
			`{"data":["Graphs are not yet available."]}`,
			[]string{"Graphs are not yet available."},
			[]string{"0 %"},
		},
		"data missing": {`{}`, nil, []string{"0 %", "NaN"}},
		"no object":    {`[]`, nil, []string{"0 %", "NaN"}},
	} {
		t.Run(name, func(t *testing.T) {
			setup := func(e *emulator.Emulator) {
				e.InjectFault("view stats", emulator.Fault{Status: 200, Body: c.body})
			}
			startWithEmulator(t, emulator.Options{Seed: "empty"}, screenSize{200, 50}, setup, func(r *harness) {
				r.press("7", "<enter>")
				r.requireText(c.see...)
				r.requireNoText(c.miss...)
				r.press("<left>", "<right>", "<pgup>", "G", "z", "<enter>", "<tab>", "y")
				r.requireExactFrame()
			})
		})
	}
}

// The cursor shows the values at its point, in local time or UTC.
func TestStats_cursorReadsPoint(t *testing.T) {
	t.Parallel()
	setup := func(e *emulator.Emulator) {
		body := statsJSON(func(i int) string { return fmt.Sprint(i) }, 24)
		e.InjectFault("view stats", emulator.Fault{Status: 200, Body: body})
	}
	startWithEmulator(t, emulator.Options{Seed: "empty"}, screenSize{120, 36}, setup, func(r *harness) {
		r.press("7", "<enter>")
		r.requireText("23:00 UTC  cpu 23 %")
		r.press("<left>", "<left>", "<left>")
		r.requireText("20:00 UTC  cpu 20 %", "at 20:00 20")
		r.press("y")
		r.requireText("read-out: sent to the terminal")
	})
}

// The incident of an older issue shows the load around its own detection, with the values at that moment in figures. If
// the stats do not hold it any more, the incident says so. [ and ] go to the issue before and after it.
func TestIncident_loadAroundItsOwnDetection(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{200, 50}, func(r *harness) {
		r.press("2", "<enter>")
		r.requireText("Issue #823", "at #823 269", "at #823 49.0 / 114", "at #823 7.02")
		r.press("[")
		r.requireText("Issue #821", "at #821 3")
		r.requireNoText("at #823 269")
		r.press("[", "[")
		r.requireText("Issue #810", "no longer known: the stats cover only 24 hours, from 31 Dec 00:05 on")
		r.requireNoText("at detection", "CPU")
		r.press("]", "]", "]")
		r.requireText("Issue #823")
	})
}

// In the charts, [ and ] move the cursor from issue to issue, and so do , and . where brackets need AltGr. The read-out
// names the issue.
func TestStats_jumpBetweenIssues(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{140, 40}, func(r *harness) {
		r.press("2", "7", "[")
		r.requireText("23:54 UTC  issue 823: billing-api  cpu 269 %")
		r.press("[")
		r.requireText("20:58 UTC  issue 821: web-1, web-2")
		r.press("[")
		r.requireText("12:37 UTC  issue 818: cdn-origin")
		r.press("[")
		r.requireText("12:37 UTC  issue 818: cdn-origin")
		r.press("]", "]")
		r.requireText("23:54 UTC  issue 823: billing-api  cpu 269 %")
		r.press(",")
		r.requireText("20:58 UTC  issue 821: web-1, web-2", "at #821 321")
		r.press(".")
		r.requireText("23:54 UTC  issue 823: billing-api  cpu 269 %")
		r.press("<left>")
		r.requireNoText("issue 823: billing-api  cpu")
	})
}

// The charts of an incident show three hours before and after the detection, as far as the stats reach, and the whole
// 24 hours with one key, which holds for the next incident as well. Each marks the detection.
func TestIncident_windowAroundDetection(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{200, 50}, func(r *harness) {
		r.press("2", "<enter>")
		r.requireText("20:54", "21:30", "▲823")
		r.requireNoText("▲818")
		r.press(",")
		r.requireText("issue 821", "17:58", "19:00", "23:00", "▲821", "▲823")
		r.requireNoText("▲818", "06:00")
		r.press("c")
		r.requireText("00:05", "08:00", "▲818", "▲821", "at #821 321", "20:58")
		r.press(",")
		r.requireText("issue 818", "00:05", "at #818")
		r.press(".", "c")
		r.requireText("issue 821", "17:58", "19:00")
		for _, metric := range []string{"CPU %", "Network Mb/s", "Disk op/s", "Swap op/s"} {
			r.requireText("─ " + metric + " ─")
		}
		if n := strings.Count(r.screen(), "●─╯"); n != 3 {
			r.Errorf("%d lines have a dot at the detection\n%s", n, r.screen())
		}
	})
}

// Every pane with charts says whose load they show, also beside the row of a single service or issue.
func TestLoad_saysWhose(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{200, 50}, func(r *harness) {
		for _, pane := range []string{"2", "3"} {
			r.press(pane)
			r.requireText("All instances: CPU %")
		}
	})
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		const whose = "load: all managed instances combined"
		r.requireText(whose)
		r.press("7")
		r.requireText(whose)
		r.press("2", "<enter>")
		r.requireText(whose)
	})
}

// Esc leaves a chart that is shown alone, as it leaves every other enlarged view.
func TestStats_escLeavesOneChart(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("7", "<enter>")
		r.requireNoText("Swap")
		r.press("<esc>")
		r.requireText("CPU", "Swap")
		r.requireNoText("this is the top level")
	})
}
