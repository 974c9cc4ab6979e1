package chart

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/uitest"
)

// start is the time of the first point.
var start = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// percent is a unit without prefixes.
var percent = Unit{Name: "%"}

// points returns samples with five minutes between them.
func points(values ...float64) []ChartPoint {
	var out []ChartPoint
	for i, v := range values {
		out = append(out, ChartPoint{start.Add(time.Duration(i) * 5 * time.Minute), v})
	}
	return out
}

// day returns the samples of 24 hours.
func day(value func(i int) float64) []ChartPoint {
	values := make([]float64, 289)
	for i := range values {
		values[i] = value(i)
	}
	return points(values...)
}

// cpu returns a chart of one series.
func cpu(points []ChartPoint) Chart {
	return Chart{Title: "CPU", Unit: percent, Series: []Series{{Name: "cpu", Points: points}}}
}

// box returns a box of the dark theme whose clock shows the end of the day.
func box(t testing.TB, width, height int) ui.Box {
	b := uitest.NewBox(t, width, height)
	b.Now = start.Add(24 * time.Hour)
	return b
}

// asciiBox returns a box without colours and with ASCII characters alone.
func asciiBox(t *testing.T, width, height int) ui.Box {
	b := box(t, width, height)
	var err error
	if b.Theme, err = theme.New("mono", colorprofile.ASCII, true); err != nil {
		t.Fatal(err)
	}
	return b
}

// drawn returns the lines of a chart without styles.
func drawn(c Chart, b ui.Box) []string { return strings.Split(ansi.Strip(c.View(b)), "\n") }

// All twelve spikes of one sample each are visible in a chart of 60 columns.
func TestChart_View_keepsSpikes(t *testing.T) {
	c := cpu(day(func(i int) float64 {
		if i%24 == 7 {
			return 100
		}
		return 1
	}))
	lines := drawn(c, box(t, 60, 12))
	top := lines[1]
	if got := strings.Count(top, "╭"); got != 12 || !strings.Contains(top, "100 ┤") {
		t.Errorf("%d of 12 spikes reach the top:\n%s", got, strings.Join(lines, "\n"))
	}
}

// hostile are series of every shape.
func hostile() map[string][]ChartPoint {
	noise := func(i int) float64 { return 188 + 120*math.Sin(float64(i)/20) + float64(i%7) }
	unsorted := day(noise)
	unsorted[10], unsorted[200] = unsorted[200], unsorted[10]
	many := make([]float64, 20_000)
	for i := range many {
		many[i] = float64(i % 101)
	}
	return map[string][]ChartPoint{
		"a day":     day(noise),
		"all zero":  day(func(int) float64 { return 0 }),
		"constant":  day(func(int) float64 { return 7 }),
		"spike":     day(func(i int) float64 { return max(0, float64(i%100-98)*1e5) }),
		"one point": points(41.5),
		"two":       points(1, 2),
		"gaps": day(func(i int) float64 {
			if i > 60 && i < 150 {
				return math.NaN()
			}
			return noise(i)
		}),
		"every other":   day(func(i int) float64 { return []float64{5, math.NaN()}[i%2] }),
		"negative":      day(func(i int) float64 { return -noise(i) }),
		"both signs":    day(func(i int) float64 { return noise(i) - 188 }),
		"small":         day(func(i int) float64 { return noise(i) / 1e6 }),
		"huge":          day(func(i int) float64 { return noise(i) * 1e12 }),
		"enormous":      day(func(i int) float64 { return noise(i) * 1e300 }),
		"infinite":      append(points(math.Inf(1), 1, math.Inf(-1)), day(noise)[3:]...),
		"unsorted":      unsorted,
		"without times": {{Value: 1}, {Value: 2}},
		"two months":    points(many...),
		"none":          nil,
		"only gaps":     day(func(int) float64 { return math.NaN() }),
	}
}

// In every width and height, and whatever the values are: the box is closed and fills its place, at most five ticks
// have labels, they are multiples of 1, 2 or 5 times a power of ten at equal distances, and at least two times stand
// below the plot. A box without room for that shows one line.
func TestChart_View_ticksAndTimes(t *testing.T) {
	for name, points := range hostile() {
		for _, second := range []bool{false, true} {
			if second && name != "a day" && name != "gaps" && name != "all zero" {
				continue
			}
			c := cpu(points)
			c.Marks = []TimeMark{
				{Time: start.Add(20 * time.Hour), Label: "823"},
				{Time: start.Add(6 * time.Hour), Label: "818"},
			}
			if second {
				c.Unit = Unit{Name: "b/s", Prefixed: true}
				c.Series = append(c.Series, Series{Name: "out", Points: day(func(i int) float64 { return float64(i) })})
			}
			for width := 30; width <= 250; width += 20 {
				for _, height := range []int{1, 5, 6, 8, 12, 20} {
					requireSoundChart(t, fmt.Sprintf("%s, %dx%d", name, width, height), c, box(t, width, height))
				}
			}
			for width := range 15 {
				c.View(box(t, 2*width, 8))
			}
		}
	}
}

var (
	tickLabel = regexp.MustCompile(`^│ +(?:(?:cpu|out) )?([0-9.,]+) [┤┼]`)
	rowLabel  = regexp.MustCompile(`^│ +(cpu|out) ┤`)
	timeLabel = regexp.MustCompile(`[0-9]{2}:[0-9]{2}|[0-9]+ [A-Z][a-z]{2}`)
)

func requireSoundChart(t *testing.T, name string, c Chart, b ui.Box) {
	t.Helper()
	lines := drawn(c, b)
	text := strings.Join(lines, "\n")
	if len(lines) != b.Height {
		t.Fatalf("%s: %d lines:\n%s", name, len(lines), text)
	}
	for _, line := range lines {
		if ui.Width(line) != b.Width {
			t.Fatalf("%s: a line of %d cells:\n%s", name, ui.Width(line), text)
		}
	}
	if !strings.Contains(lines[0], "CPU") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Fatalf("%s:\n%s", name, text)
	}
	if b.Height < minHeight || b.Height == minHeight && lines[1] == strings.Repeat(" ", b.Width) ||
		strings.Contains(text, " no data") && !strings.Contains(text, "┤") {
		return
	}
	if !strings.HasPrefix(lines[0], "╭─ CPU ") || !strings.HasSuffix(lines[0], "─╮") ||
		!strings.HasPrefix(lines[b.Height-1], "╰─") || !strings.HasSuffix(lines[b.Height-1], "─╯") {
		t.Fatalf("%s: the box is not closed:\n%s", name, text)
	}
	var ticks []float64
	var rows []int
	series := 0 // that have an axis of their own
	for y, line := range lines {
		if m := tickLabel.FindStringSubmatch(line); m != nil {
			v, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if ticks, rows = append(ticks, v), append(rows, y); v == 0 && len(c.Series) == 2 {
				requireRoundTicks(t, name, ticks, rows, text)
				ticks, rows, series = nil, nil, series+1
			}
		} else if rowLabel.MatchString(line) {
			series++
		}
	}
	if len(c.Series) == 2 && series != 2 {
		t.Fatalf("%s: %d of 2 series have an axis:\n%s", name, series, text)
	}
	if len(c.Series) == 1 {
		requireRoundTicks(t, name, ticks, rows, text)
	}
	if times := len(timeLabel.FindAllString(lines[b.Height-2], -1)) +
		len(timeLabel.FindAllString(lines[b.Height-3], -1)); times < 2 {
		t.Fatalf("%s: %d times:\n%s", name, times, text)
	}
}

// requireRoundTicks fails unless an axis has two to five round ticks.
func requireRoundTicks(t *testing.T, name string, ticks []float64, rows []int, text string) {
	t.Helper()
	if len(ticks) < 2 || len(ticks) > 5 || !roundTicks(ticks, rows) {
		t.Fatalf("%s: ticks %v in rows %v:\n%s", name, ticks, rows, text)
	}
}

// roundTicks reports whether ticks are multiples of 1, 2 or 5 times a power of ten, in equal steps and rows.
func roundTicks(ticks []float64, rows []int) bool {
	step := ticks[0] - ticks[1]
	digit := step / math.Pow(10, math.Floor(math.Log10(step)+1e-9))
	round := false
	for _, want := range []float64{1, 2, 5} {
		round = round || math.Abs(digit-want) < 1e-6
	}
	for n := range ticks[1:] {
		if math.Abs(ticks[n]-ticks[n+1]-step) > step/1e6 || rows[n+1]-rows[n] != rows[1]-rows[0] {
			return false
		}
	}
	return round && math.Abs(math.Remainder(ticks[0], step)) < step/1e6
}

// Marks have a row of their own. Each is at its column, or so little before it that its number fits; numbers stand
// behind them, never in front; that at the cursor comes first, then the newest. Marks of the same column are counted.
func TestChart_drawMarks(t *testing.T) {
	at := func(hours float64, label string) TimeMark {
		return TimeMark{Time: start.Add(time.Duration(hours * float64(time.Hour))), Label: label}
	}
	for name, test := range map[string]struct {
		marks  []TimeMark
		cursor float64
		want   string
	}{
		"apart":     {marks: []TimeMark{at(24, "823"), at(12, "821"), at(0, "818")}, want: "▲818 ▲821 ▲823"},
		"close":     {marks: []TimeMark{at(20.3, "823"), at(20, "821")}, want: "▲▲823"},
		"very":      {marks: []TimeMark{at(20.6, "823"), at(20.3, "822"), at(20, "821")}, want: "▲▲▲823"},
		"same":      {marks: []TimeMark{at(12, "823"), at(12, "822"), at(12.02, "821")}, want: "▲823+2"},
		"cursor":    {marks: []TimeMark{at(12.4, "823"), at(12, "822"), at(11.6, "821")}, cursor: 12, want: "▲ ▲▲823"},
		"at cursor": {marks: []TimeMark{at(0.7, "823"), at(0.3, "822"), at(0, "821")}, cursor: 0.3, want: "▲▲▲823"},
		"both":      {marks: []TimeMark{at(24, "823"), at(23, "821")}, cursor: 23, want: "▲821 ▲823"},
		"newest":    {marks: []TimeMark{at(24, "823"), at(23.3, "821")}, want: "▲821 ▲823"},
		"outside":   {marks: []TimeMark{at(30, "823"), at(-3, "822"), at(6, "821")}, want: "▲821"},
	} {
		c := cpu(day(func(i int) float64 { return float64(i) }))
		if c.Marks = test.marks; test.cursor > 0 {
			c.Cursor = at(test.cursor, "").Time
		}
		lines := drawn(c, box(t, 100, 12))
		row := strings.Join(strings.Fields(strings.Trim(lines[10], "│")), " ")
		if row != test.want {
			t.Errorf("%s: %q instead of %q:\n%s", name, row, test.want, strings.Join(lines, "\n"))
		}
	}
}

// For a screen reader, the chart is a line of words: the figures of each series, and when the marks are.
func TestChart_View_textOnly(t *testing.T) {
	c := cpu(day(func(i int) float64 { return float64(i) }))
	c.Series = append(c.Series, Series{"out", day(func(i int) float64 { return float64(2 * i) })})
	c.Marks = []TimeMark{{Time: start.Add(12 * time.Hour), Label: "823"}}
	b := box(t, 60, 12)
	b.TextOnly = true
	want := "CPU % · cpu now 288 · cpu at #823 144 · cpu max 288 · cpu avg 144 · cpu min 0" +
		" · out now 576 · out at #823 288 · out max 576 · out avg 288 · out min 0 · #823 at 12:00"
	if got := c.View(b); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// Figures that do not fit are left out, never cut.
func TestChart_title_fits(t *testing.T) {
	c := cpu(points(1, 388, 12))
	for width := 4; width < 90; width++ {
		head := drawn(c, box(t, width, 10))[0] + " "
		for _, word := range []string{"last 12", "max 388", "avg 134", "min 1"} {
			begin, _, _ := strings.Cut(word, " ")
			if strings.Contains(head, " "+begin+" ") && !strings.Contains(head, " "+word+" ") {
				t.Errorf("%q is cut at %d: %q", word, width, head)
			}
		}
	}
	if head := drawn(c, box(t, 90, 10))[0]; !strings.Contains(head, "max 388 · avg 134 · min 1 ─") {
		t.Error(head)
	}
}

// A chart of one line keeps its figures whole beside the sparkline, which is no wider than it is easily read.
func TestChart_View_oneLine(t *testing.T) {
	c := cpu(day(func(i int) float64 { return float64(1 + i%388) }))
	for _, width := range []int{44, 60, 80, 200} {
		line := ansi.Strip(c.View(box(t, width, 1)))
		bars := strings.Count(line, "▁") + strings.Count(line, "▂") + strings.Count(line, "▃") +
			strings.Count(line, "▄") + strings.Count(line, "▅") + strings.Count(line, "▆") +
			strings.Count(line, "▇") + strings.Count(line, "█")
		if bars < 8 || bars > 48 || !strings.Contains(line, "now 289") {
			t.Errorf("%d cells, %d of them bars: %q", width, bars, line)
		}
	}
}

// A chart of one line has no border, so its name shows which chart has the keyboard: with samples and without.
func TestChart_View_oneLineFocused(t *testing.T) {
	for _, samples := range [][]ChartPoint{points(1, 388, 12), nil} {
		b := box(t, 60, 1)
		for focused, tone := range map[bool]theme.Tone{true: theme.Accent, false: theme.Strong} {
			b.Focused = focused
			if line := cpu(samples).View(b); !strings.HasPrefix(line, b.Theme.Paint(tone, "CPU %")) {
				t.Errorf("focused %t: %q", focused, line)
			}
		}
	}
}

// The title says the values now, at the newest mark or the cursor, and the greatest ones, with the unit once.
func TestChart_title_values(t *testing.T) {
	c := Chart{
		Title: "Network",
		Unit:  Unit{Name: "b/s", Prefixed: true},
		Series: []Series{
			{"in", day(func(i int) float64 { return float64(i) * 1e5 })},
			{"out", day(func(i int) float64 { return float64(288-i) * 1e6 })},
		},
		Marks: []TimeMark{{Time: start.Add(12 * time.Hour), Label: "823"}, {Time: start, Label: "821"}},
	}
	b := box(t, 110, 10)
	want := "╭─ Network Mb/s ─ in / out · now 28.8 / 0 · at #823 14.4 / 144 · max 28.8 / 288"
	if head := drawn(c, b)[0]; !strings.HasPrefix(head, want) {
		t.Errorf("%s\nwant %s", head, want)
	}
	c.Cursor = start
	if head := drawn(c, b)[0]; !strings.Contains(head, "· at #821 0 / 288 ·") {
		t.Error(head)
	}
	c.Cursor = start.Add(6 * time.Hour)
	if head := drawn(c, b)[0]; !strings.Contains(head, "· at 06:00 7.20 / 216 ·") {
		t.Error(head)
	}
	b.Width = 38
	if head := drawn(c, b)[0]; !strings.Contains(head, "in 7.20  out 216 ─") {
		t.Errorf("%s without the values at the cursor", head)
	}
	b.Width, b.Now = 110, b.Now.Add(2*time.Hour)
	if head := drawn(c, b)[0]; strings.Contains(head, "now") || !strings.Contains(head, "last 28.8 / 0") {
		t.Errorf("values of two hours ago: %s", head)
	}
	c.Cursor, b.Width = time.Time{}, 36
	if head := drawn(c, b)[0]; !strings.Contains(head, "Network Mb/s ─ in 28.8  out 0 ─") {
		t.Error(head)
	}
	b.Width, b.Theme = 50, asciiBox(t, 1, 1).Theme
	if head := drawn(c, b)[0]; !strings.Contains(head, "Network Mb/s - in 28.8  out 0 -") {
		t.Error(head)
	}
}

// The cursor is a dot on the value, with its time below, in the middle if there is room. Other times keep their
// distance.
func TestChart_View_cursor(t *testing.T) {
	series := day(func(i int) float64 { return float64(i) })
	series[100].Value = math.NaN()
	c := cpu(series)
	for at, want := range map[int][]string{
		0:   {"00:00", "at 00:00 0", "12:00"},
		60:  {"05:00", "at 05:00 60", "12:00"},
		100: {"08:20", "at 08:20 no value"},
		288: {"at 00:00 288", "12:00"},
	} {
		c.Cursor = series[at].Time
		lines := drawn(c, box(t, 100, 12))
		text := strings.Join(lines, "\n")
		row := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "●") })
		if (row < 0) != (at == 100) {
			t.Errorf("no dot at %d, or one without a value:\n%s", at, text)
		} else if at < 100 {
			before, _, _ := strings.Cut(lines[row], "●")
			label, _, _ := strings.Cut(lines[10], c.Cursor.Format("15:04"))
			if shift := ui.Width(before) - ui.Width(label); shift != min(2, at) {
				t.Errorf("the time at %d begins %d columns before the dot:\n%s", at, shift, text)
			}
		}
		if at == 288 && !strings.HasSuffix(strings.TrimRight(lines[10], "│ "), " 00:00") {
			t.Errorf("the time at the end is cut:\n%s", text)
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%q is missing with the cursor at %d:\n%s", w, at, text)
			}
		}
		text = strings.Join(drawn(c, asciiBox(t, 100, 12)), "\n")
		if got := strings.Count(text, "*"); got != map[bool]int{true: 0, false: 1}[at == 100] {
			t.Errorf("%d dots at the cursor:\n%s", got, text)
		}
	}
	one := cpu(points(41.5))
	one.Cursor = start
	if head := drawn(one, box(t, 100, 12))[0]; !strings.Contains(head, "at 00:00 41.5 ") {
		t.Errorf("the only value is not at the cursor: %s", head)
	}
}

// Two series stand one above the other with their names, so that neither hides the other or seems to be added to it.
// Each has a scale of its own. In low boxes they are sparklines.
func TestChart_View_twoSeries(t *testing.T) {
	level := func(v float64) []ChartPoint { return day(func(int) float64 { return v }) }
	c := Chart{Title: "Network", Unit: percent, Series: []Series{{"in", level(5)}, {"out", level(100)}}}
	for _, b := range []ui.Box{box(t, 60, 10), asciiBox(t, 60, 10)} {
		line, bar := "┼─", "┤█"
		if ascii(b.Theme) {
			line, bar = "+-", "|#"
		}
		rows := func() string {
			var rows []string
			for _, text := range drawn(c, b)[1 : b.Height-1] {
				for _, want := range []string{line, bar} {
					if label, _, found := strings.Cut(text, want); found {
						rows = append(rows, strings.Trim(label, "│| ")+want)
					}
				}
			}
			return strings.Join(rows, " ")
		}
		if got := rows(); got != "5"+line+" 100"+line {
			t.Errorf("%s\n%s", got, c.View(b))
		}
		b.Height = 7
		if got := rows(); got != "in"+bar+" out"+bar {
			t.Errorf("%s\n%s", got, c.View(b))
		}
	}
	b := box(t, 60, 10)
	first, second := b.Theme.Codes(theme.ChartFirst), b.Theme.Codes(theme.ChartSecond)
	if text := c.View(b); !strings.Contains(text, first.Open+"──") || !strings.Contains(text, second.Open+"──") {
		t.Errorf("the series have the same colour:\n%s", text)
	}
}

// The greatest value reaches seven tenths of the height, and is never more than half a row above the last.
func TestNewScale(t *testing.T) {
	for rows := 4; rows <= 40; rows++ {
		for most := 1.0; most < 10; most += 0.01 {
			s, highest := newScale(most, rows), float64(rows-1)
			if row := s.row(most); (1+math.Round(row))/float64(rows) < 0.7 || row >= highest+0.5 {
				t.Fatalf("%.2f is in row %v of %d: %+v", most, row, rows, s)
			}
		}
	}
}

// The dot at the cursor is in the row of the value in the title, whatever else happened in its column.
func TestChart_View_cursorRow(t *testing.T) {
	c := cpu(day(func(i int) float64 { return []float64{10, 100}[i%2] }))
	c.Cursor = start.Add(12 * time.Hour) // sample 144: 10
	lines := drawn(c, asciiBox(t, 60, 14))
	row := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "*") })
	if !strings.Contains(lines[0], "at 12:00 10 ") || row < 9 {
		t.Errorf("the dot is in row %d:\n%s", row, strings.Join(lines, "\n"))
	}
}

// A line begins at its first value, not on the way to it from another one.
func TestChart_View_lineBegins(t *testing.T) {
	lines := drawn(cpu(day(func(i int) float64 { return 100 * float64(min(1, i/6)) })), asciiBox(t, 60, 12))
	first := ""
	for _, line := range lines[1:10] {
		at := strings.IndexAny(line[1:], "+|") + 2 // behind the axis
		first += line[at : at+1]
	}
	if first != strings.Repeat(" ", 8)+"-" {
		t.Errorf("the first column is %q:\n%s", first, strings.Join(lines, "\n"))
	}
}

// In a terminal without other characters, everything is ASCII.
func TestChart_View_ascii(t *testing.T) {
	for name, points := range hostile() {
		c := cpu(points)
		c.Series = append(c.Series, Series{"out", day(func(i int) float64 { return float64(i) })})
		c.Cursor = start.Add(time.Hour)
		c.Marks = []TimeMark{{Time: start.Add(6 * time.Hour), Label: "818"}}
		for _, height := range []int{1, 6, 12} {
			for _, c := range []Chart{c, cpu(points)} {
				text := strings.Join(drawn(c, asciiBox(t, 80, height)), "\n")
				if i := strings.IndexFunc(text, func(r rune) bool { return r > 126 }); i >= 0 {
					t.Errorf("%s: %q:\n%s", name, text[i:i+3], text)
				}
			}
		}
	}
}

// A gap is drawn as one: no line, dots at the bottom, and words where there is room. Missing samples are a gap as well.
func TestChart_View_gaps(t *testing.T) {
	gap := day(func(i int) float64 {
		if i > 60 && i < 150 {
			return math.NaN()
		}
		return 80
	})
	missing := append(append([]ChartPoint{}, gap[:61]...), gap[150:]...)
	for name, points := range map[string][]ChartPoint{"values": gap, "samples": missing} {
		lines := drawn(cpu(points), box(t, 100, 12))
		text := strings.Join(lines, "\n")
		if !strings.Contains(text, "no data") || !strings.Contains(lines[9], "····") ||
			!regexp.MustCompile(`│ +0 ┤ +·+ no data ·+ +│`).MatchString(lines[9]) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// Samples are joined unless they are more than three times as far apart as usual.
func TestChart_View_joinsSamples(t *testing.T) {
	for _, c := range []struct {
		count, lost int
		joined      bool
	}{{2, 0, true}, {3, 0, true}, {20, 2, true}, {20, 3, false}} {
		all := points(slices.Repeat([]float64{80}, c.count)...)
		lines := drawn(cpu(slices.Delete(all, 1, 1+c.lost)), box(t, 100, 12))
		if strings.Contains(lines[9], "··") == c.joined {
			t.Errorf("%d samples, of which %d are lost:\n%s", c.count, c.lost, strings.Join(lines, "\n"))
		}
	}
}

// In a box that is too low for marks, the plot leaves no room for their labels.
func TestChart_View_lowPlotWithoutMarks(t *testing.T) {
	c := cpu(day(func(i int) float64 { return float64(i % 90) }))
	without := drawn(c, box(t, 60, 5))[1:] // below the title, which names the mark
	c.Marks = []TimeMark{{Time: c.Series[0].Points[len(c.Series[0].Points)-1].Time, Label: "823"}}
	if with := drawn(c, box(t, 60, 5))[1:]; !slices.Equal(with, without) {
		t.Errorf("with marks:\n%s\nwithout:\n%s", strings.Join(with, "\n"), strings.Join(without, "\n"))
	}
	if tall := drawn(c, box(t, 60, 12)); !strings.Contains(strings.Join(tall, "\n"), "823") {
		t.Errorf("a high plot shows no mark:\n%s", strings.Join(tall, "\n"))
	}
}

// A line is in the row that is nearest to its value, also where a greater value is above the last tick.
func TestChart_View_linesMeetTicks(t *testing.T) {
	for _, height := range []int{8, 10, 12, 15, 20} {
		c := cpu(day(func(i int) float64 { return []float64{0, 200, 400}[i*3/289] }))
		text := strings.Join(drawn(c, box(t, 60, height)), "\n")
		for _, want := range []string{" 0 ┼─{10}", " 200 ┤ +╭─{10,}╯", " 400 ┤ +╭─{10}"} {
			if !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("no %q with %d lines:\n%s", want, height, text)
			}
		}
	}
}

// Charts of different values have the same time axis.
func TestChart_View_sameTimeAxis(t *testing.T) {
	first := ""
	for _, most := range []float64{8, 400, 2000} {
		lines := drawn(cpu(day(func(i int) float64 { return most * float64(i) / 288 })), box(t, 60, 12))
		if first == "" {
			first = lines[10]
		} else if lines[10] != first {
			t.Errorf("up to %v:\n%s\ninstead of\n%s", most, lines[10], first)
		}
	}
}

// A cached chart is drawn again when something has changed, and only then.
func TestCache_View(t *testing.T) {
	values := day(func(i int) float64 { return float64(i) })
	standard := box(t, 60, 10)
	arguments := func() (Chart, ui.Box) {
		c := cpu(values)
		c.Title, c.Series[0].Name = "CPU of web-1", "user time 1"
		c.Marks = []TimeMark{{Time: start.Add(time.Hour), Label: "event 823"}}
		return c, standard
	}
	var cache Cache
	cache.View(arguments())
	cache.text = "cached"
	if cache.View(arguments()) != "cached" {
		t.Error("drawn again although nothing has changed")
	}
	for name, change := range map[string]func(*Chart, *ui.Box){
		"title":               func(c *Chart, _ *ui.Box) { c.Title = "CPU of Web-1" },
		"end of the title":    func(c *Chart, _ *ui.Box) { c.Title = "CPU of web-2" },
		"unit":                func(c *Chart, _ *ui.Box) { c.Unit.Prefixed = true },
		"time zone":           func(c *Chart, _ *ui.Box) { c.Location = time.FixedZone("", 3600) },
		"beginning":           func(c *Chart, _ *ui.Box) { c.From = start.Add(time.Hour) },
		"end":                 func(c *Chart, _ *ui.Box) { c.To = start.Add(23 * time.Hour) },
		"cursor":              func(c *Chart, _ *ui.Box) { c.Cursor = start },
		"mark's time":         func(c *Chart, _ *ui.Box) { c.Marks[0].Time = start },
		"mark's label":        func(c *Chart, _ *ui.Box) { c.Marks[0].Label = "Event 823" },
		"end of mark's label": func(c *Chart, _ *ui.Box) { c.Marks[0].Label = "event 824" },
		"mark's tone":         func(c *Chart, _ *ui.Box) { c.Marks[0].Tone = theme.Bad },
		"number of marks":     func(c *Chart, _ *ui.Box) { c.Marks = append(c.Marks, TimeMark{Time: start}) },
		"series' name":        func(c *Chart, _ *ui.Box) { c.Series[0].Name = "User time 1" },
		"end of series' name": func(c *Chart, _ *ui.Box) { c.Series[0].Name = "user time 2" },
		"points":              func(c *Chart, _ *ui.Box) { c.Series[0].Points = slices.Clone(values) },
		"number of points":    func(c *Chart, _ *ui.Box) { c.Series[0].Points = values[:288] },
		"number of series":    func(c *Chart, _ *ui.Box) { c.Series = append(c.Series, Series{Name: "out"}) },
		"width":               func(_ *Chart, b *ui.Box) { b.Width++ },
		"height":              func(_ *Chart, b *ui.Box) { b.Height++ },
		"theme":               func(_ *Chart, b *ui.Box) { b.Theme = asciiBox(t, 1, 1).Theme },
		"keyboard":            func(_ *Chart, b *ui.Box) { b.Focused = !b.Focused },
		"screen reader":       func(_ *Chart, b *ui.Box) { b.TextOnly = true },
		"age":                 func(_ *Chart, b *ui.Box) { b.Now = b.Now.Add(24 * time.Hour) },
	} {
		cache.View(arguments())
		cache.text = "cached"
		c, b := arguments()
		if change(&c, &b); cache.View(c, b) == "cached" {
			t.Errorf("not drawn again with another %s", name)
		}
	}
}

// Values have three significant digits, and a unit with a prefix where it takes one.
func TestUnit_Format(t *testing.T) {
	for want, v := range map[string]float64{
		"0 b/s":        0,
		"0.0531 b/s":   0.05309,
		"0.500 b/s":    0.5,
		"1.00 b/s":     0.9999,
		"7 b/s":        7,
		"7.22 b/s":     7.2249,
		"10.0 b/s":     9.996,
		"54.4 b/s":     54.42,
		"100 b/s":      99.96,
		"324 b/s":      323.6,
		"41.2 Mb/s":    41.234e6,
		"-137 kb/s":    -136.7e3,
		"1,000 Pb/s":   1e18,
		"1.23e-05 b/s": 1.234e-5,
	} {
		if got := (Unit{Name: "b/s", Prefixed: true}).Format(v); got != want {
			t.Errorf("%v: %q instead of %q", v, got, want)
		}
	}
	for want, v := range map[string]float64{
		"2,101 op/s":     2101.2,
		"99,000 op/s":    99_000,
		"2,500,000 op/s": 2.5e6,
		"1e+300 op/s":    1e300,
	} {
		if got := (Unit{Name: "op/s"}).Format(v); got != want {
			t.Errorf("%v: %q instead of %q", v, got, want)
		}
	}
}

// A sparkline has one cell for each value, from 0 to the greatest, and blanks for gaps.
func TestSparkline(t *testing.T) {
	b := box(t, 60, 10)
	for want, values := range map[string][]float64{
		"▁▂▃▄▅▆▇█": {0, 1, 2, 3, 4, 5, 6, 7},
		"▁▁▁":      {0, 0, 0},
		"█▁█":      {7, -3, 7},
		"█ █":      {1, math.NaN(), 1},
		"":         nil,
	} {
		if got := Sparkline(b.Theme, values); got != want {
			t.Errorf("%v: %q instead of %q", values, got, want)
		}
	}
	if got := Sparkline(asciiBox(t, 1, 1).Theme, []float64{0, 1, 2, 3, 4, 5, 6, 7}); got != "_.:-=+*#" {
		t.Error(got)
	}
}
