package views_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"lookout/client/emulator"
	"lookout/views"
)

// walkedSizes are the terminals on which every pane is looked at.
var walkedSizes = []screenSize{
	{60, 36}, {80, 36}, {100, 36}, {120, 36}, {160, 36}, {200, 36}, {250, 36}, {80, 16}, {120, 16}, {80, 80}, {200, 80},
}

// On terminals of any size, nothing stands in the first column, no word among the tabs, the hints, the titles, the
// heads of columns and the buttons is cut, no text is cut beside free space, boxes are closed, and the axes of charts
// have a few round values and at least two times.
func TestFrame_walkPanesAndDialogs(t *testing.T) {
	t.Parallel()
	for _, size := range walkedSizes {
		width := size.width
		t.Run(fmt.Sprintf("%dx%d", width, size.height), func(t *testing.T) {
			startProgram(t, emulator.Options{}, size, func(r *harness) {
				walks := [][]string{
					{"2", "<enter>"}, {"3", "<enter>"}, {"3", "d"}, {"4", "D"}, {"3", "a"}, {"?"}, {":"}, {"4", "n"},
					{"3", "n"}, {"3", "e"}, {"3", "D"}, {"4", "A", "D"}, {"9", "n"}, {"8", "x"}, {"8", "D"}, {"3", "Y"},
					{"C"}, {"m"}, {"T"}, {":", "web"}, {"?", "ctrl"}, {"3", "V"},
					{"3", "/", "nothing at all"},
				}
				for _, key := range tabKeys(r.panes) {
					walks = append(walks, []string{key})
				}
				for _, keys := range walks {
					r.press(keys...)
					r.requireWholeScreen(width, keys)
					r.press("<esc>", "<esc>", "<esc>")
				}
			})
		})
	}
}

// The same holds for an account that has nothing yet.
func TestFrame_walkEmptyAccount(t *testing.T) {
	t.Parallel()
	for _, size := range []screenSize{{60, 16}, {80, 24}, {120, 36}, {200, 50}} {
		startProgram(t, emulator.Options{Seed: "empty"}, size, func(r *harness) {
			for _, key := range tabKeys(r.panes) {
				r.press(key)
				r.requireWholeScreen(size.width, []string{key})
				if key == "1" {
					r.requireText("to add one") // the end of a sentence in a narrow box
				}
			}
		})
	}
}

// However narrow the terminal is and however many keys a pane has, the hints end with the key that shows all others.
func TestFrame_hintOfHelp(t *testing.T) {
	t.Parallel()
	walks := [][]string{
		{"2", "<enter>"}, {"3", "A"}, {"3", "<enter>"}, {"3", "i"}, {"8", "W"}, {"8", "/", "cdn.acme", "<enter>", "c"},
		{"8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>"},
		{"8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>", "<enter>", "<enter>"},
		{"8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>", "L", "<ctrl+s>"},
	}
	for _, service := range []string{emulator.ServiceDocument, emulator.ServiceNow} {
		for _, width := range []int{40, 60, 80} {
			t.Run(fmt.Sprintf("%s/%d", service, width), func(t *testing.T) {
				startProgram(t, emulator.Options{Service: service}, screenSize{width, 24}, func(r *harness) {
					all := walks
					for _, key := range tabKeys(r.panes) {
						all = append(all, []string{key})
					}
					for _, keys := range all {
						r.press(keys...)
						lines := strings.Split(r.screen(), "\n")
						if hints := lines[len(lines)-1]; !strings.Contains(hints, " ? help") {
							r.Errorf("%q: no help in %q", keys, hints)
						}
						r.press("<esc>", "<esc>", "<esc>")
					}
				})
			})
		}
	}
}

// requireWholeScreen fails if a text stands in the first column or a word of the frame is cut.
func (r *harness) requireWholeScreen(width int, keys []string) {
	r.Helper()
	screen := r.screen()
	lines := strings.Split(screen, "\n")
	for n, line := range lines {
		if first := ansi.Cut(line, 0, 1); strings.TrimSpace(first) != "" {
			r.Errorf("%d columns, %q: line %d starts in the first column: %q", width, keys, n+1, line)
		}
	}
	var words []string
	for _, pane := range r.panes {
		words = append(words, pane.Name(), strings.ToLower(views.TabPlaces()[pane.Name()].Area))
	}
	for _, word := range strings.Fields(lines[1]) {
		isName := strings.ContainsAny(word[:1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && len(word) > 1
		if isName && !slices.Contains(words, strings.ToLower(word)) {
			r.Errorf("%d columns, %q: the tab %q is cut: %q", width, keys, word, lines[1])
		}
	}
	if strings.Contains(lines[len(lines)-1], "…") {
		r.Errorf("%d columns, %q: a hint is cut: %q", width, keys, lines[len(lines)-1])
	}
	for _, problem := range drawingProblems(lines) {
		r.Errorf("%dx%d, %q: %s\n%s", width, len(lines), keys, problem, screen)
	}
}

// drawingProblems returns what is wrong with the boxes, the charts and the texts of a screen.
func drawingProblems(lines []string) []string {
	cells := make([][]rune, len(lines))
	for y, line := range lines {
		cells[y] = []rune(line) // the demo has no wide characters
	}
	boxes, problems := closedBoxes(cells)
	for _, b := range boxes {
		problems = append(problems, b.chartProblems(cells)...)
	}
	head := 2 // right below the tabs where there are few lines
	if strings.TrimSpace(lines[head]) == "" {
		head++
	}
	for y, line := range lines {
		if y == head && !strings.Contains(line, "╭") && strings.Contains(line, "…") {
			problems = append(problems, "the head of a column is cut: "+line)
		}
		if cutButton.MatchString(line) {
			problems = append(problems, "a button is cut: "+line)
		}
		if y > 2 && y < len(lines)-2 && cutBesideSpace(cells, y) {
			problems = append(problems, "a text is cut beside free space: "+line)
		}
	}
	return problems
}

var (
	boxTitle  = regexp.MustCompile(`╭─ [\pL▸▲#…][^╭╮│]*`)
	cutButton = regexp.MustCompile(`\[ [^\]]*…`)
	axisTick  = regexp.MustCompile(`^ *(?:(?:in|out) )?([\d.,]+) [┤┼]`)
	axisTime  = regexp.MustCompile(`\d\d:\d\d|\d+ [A-Z][a-z][a-z]`)
)

// boxOnScreen is where the corners of a box are.
type boxOnScreen struct{ left, top, right, bottom int }

// covers says whether a cell belongs to the box.
func (b boxOnScreen) covers(x, y int) bool {
	return x >= b.left && x <= b.right && y >= b.top && y <= b.bottom
}

// closedBoxes returns the boxes whose sides and corners are all in sight, and what is wrong with the others unless a
// closed box covers them or the pane goes on below.
func closedBoxes(cells [][]rune) (closed []boxOnScreen, problems []string) {
	var open []boxOnScreen
	for y, row := range cells {
		line := string(row)
		for _, at := range boxTitle.FindAllStringIndex(line, -1) {
			title := line[at[0]:at[1]]
			b := boxOnScreen{left: utf8.RuneCountInString(line[:at[0]]), top: y}
			b.right, b.bottom = b.left+utf8.RuneCountInString(title), y
			switch {
			case strings.Contains(title, "…"):
				problems = append(problems, "the title of a box is cut: "+title)
			case b.right >= len(row) || row[b.right] != '╮':
				open = append(open, b)
				continue
			}
			for b.bottom++; b.bottom < len(cells) && isSide(cells[b.bottom], b.left, b.right); b.bottom++ {
			}
			if b.bottom < len(cells) && cells[b.bottom][b.left] == '╰' && cells[b.bottom][b.right] == '╯' {
				closed = append(closed, b)
			} else {
				open = append(open, b)
			}
		}
	}
	for _, b := range open {
		covered := func(c boxOnScreen) bool { return c.covers(b.left, b.bottom) || c.covers(b.right, b.bottom) }
		goesOn := b.bottom < len(cells) && strings.Contains(string(cells[b.bottom]), "below")
		if !goesOn && !slices.ContainsFunc(closed, covered) {
			problems = append(problems, fmt.Sprintf("the box at line %d, column %d is not closed", b.top+1, b.left+1))
		}
	}
	return closed, problems
}

// isSide says whether a row has the sides of a box in two columns.
func isSide(row []rune, left, right int) bool {
	return right < len(row) && strings.ContainsRune("│├", row[left]) && strings.ContainsRune("│┤", row[right])
}

// chartProblems returns what is wrong with the axes of the chart in the box, if there is one. That of the network has
// an axis for each series.
func (b boxOnScreen) chartProblems(cells [][]rune) (problems []string) {
	var ticks []float64
	axes, times := 0, 0
	for y := b.top + 1; y < b.bottom; y++ {
		line := string(cells[y][b.left+1 : b.right])
		if tick := axisTick.FindStringSubmatch(line); tick != nil {
			value, _ := strconv.ParseFloat(strings.ReplaceAll(tick[1], ",", ""), 64)
			if ticks = append(ticks, value); value == 0 {
				problems = append(problems, axisProblems(ticks)...)
				ticks, axes = nil, axes+1
			}
		}
		times = max(times, len(axisTime.FindAllString(line, -1)))
	}
	if len(ticks) > 0 {
		problems = append(problems, fmt.Sprintf("an axis of a chart does not end at 0: %v", ticks))
	}
	if axes > 0 && times < 2 {
		problems = append(problems, fmt.Sprintf("a chart has %d times at its axis", times))
	}
	return problems
}

// axisProblems returns what is wrong with the values at an axis.
func axisProblems(ticks []float64) (problems []string) {
	if len(ticks) < 2 || len(ticks) > 5 {
		problems = append(problems, fmt.Sprintf("a chart has %d values at its axis: %v", len(ticks), ticks))
	}
	for n := 1; n < len(ticks); n++ {
		step := strconv.FormatFloat(ticks[n-1]-ticks[n], 'e', 3, 64)
		if ticks[n-1]-ticks[n] != ticks[0]-ticks[1] || !slices.Contains([]string{"1.000", "2.000", "5.000"}, step[:5]) {
			problems = append(problems, fmt.Sprintf("the values at the axis of a chart are not round: %v", ticks))
		}
	}
	return problems
}

// cutBesideSpace says whether a line has a cut text and, between the same sides of boxes, more than 20 free columns
// side by side.
func cutBesideSpace(cells [][]rune, y int) bool {
	row := cells[y]
	for left := 0; left < len(row); {
		right := left
		for right < len(row) && row[right] != '│' {
			right++
		}
		part := strings.TrimSpace(string(row[left:right]))
		part = strings.ReplaceAll(part, "@… (any address)", "") // stands for the address that is asked for
		if strings.Contains(part, "…") && part != "…" && freeColumns(row[left:right]) > 20 {
			return true
		}
		left = right + 1
	}
	return false
}

// freeColumns returns the most blank columns side by side.
func freeColumns(row []rune) int {
	most, free := 0, 0
	for _, r := range row {
		if free++; r != ' ' {
			free = 0
		}
		most = max(most, free)
	}
	return most
}
