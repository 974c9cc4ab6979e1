//go:build linux

// Command measure prints the table of docs/performance.md. It builds lookout, plays what a user does in a terminal or a
// script against emulated accounts, and measures each row in turn with the build in LOOKOUT_BASELINE, if there is one.
// .ci/performance runs it.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A row is a line of the table.
type row struct {
	name    string
	goals   []float64 // the most that each figure may be; for none, noGoal or nothing
	measure func(m *measurer) []float64
}

// noGoal is the goal of a figure that has none.
var noGoal = math.Inf(1)

// A measurer measures a row once.
type measurer struct {
	build          string // to be measured
	lookout, floor string // this build, which serves the accounts, and the least that a Bubble Tea program can be
	home           string
	ends           []func()
}

// A failure ends a measurement.
type failure string

func check(err error) {
	if err != nil {
		panic(failure(err.Error()))
	}
}

func (m *measurer) atEnd(f func()) { m.ends = append(m.ends, f) }

// env returns the environment of a measured program, whose files are all in its home.
func (m *measurer) env() []string {
	return append(
		os.Environ(), "HOME="+m.home, "XDG_CONFIG_HOME="+m.home, "XDG_STATE_HOME="+m.home, "XDG_CACHE_HOME="+m.home,
		"LOOKOUT_TOKEN=demo",
	)
}

// run measures a row once. It returns no figures if that fails, and prints why.
func (m measurer) run(r row) (figures []float64) {
	var err error
	m.home, err = os.MkdirTemp("", "lookout-measure-")
	check(err)
	m.atEnd(func() { os.RemoveAll(m.home) })
	defer func() {
		caught := recover()
		for _, end := range slices.Backward(m.ends) {
			end()
		}
		if f, is := caught.(failure); is {
			fmt.Fprintf(os.Stderr, "%s: %s\n", r.name, f)
		} else if caught != nil {
			panic(caught)
		}
	}()
	return r.measure(&m)
}

// line formats a row: its name, the goals, and the figures of each build.
func (r row) line(all [][][]float64) string {
	goals := make([]string, len(r.goals))
	for n, goal := range r.goals {
		goals[n] = formatFigure(goal)
	}
	cells := []string{r.name, strings.Join(goals, "; ")}
	for _, rounds := range all {
		cells = append(cells, r.summarize(rounds))
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// summarize formats the median and the range of each figure. A median that misses its goal is bold.
func (r row) summarize(rounds [][]float64) string {
	if len(rounds) == 0 {
		return "failed"
	}
	texts := make([]string, len(rounds[0]))
	for n := range texts {
		var figures []float64
		for _, round := range rounds {
			figures = append(figures, round[n])
		}
		slices.Sort(figures)
		median := figures[len(figures)/2]
		texts[n] = formatFigure(median)
		if n < len(r.goals) && median > r.goals[n] {
			texts[n] = "**" + texts[n] + "**"
		}
		low, high := formatFigure(figures[0]), formatFigure(figures[len(figures)-1])
		if low != high {
			texts[n] += " (" + low + "–" + high + ")"
		}
	}
	return strings.Join(texts, "; ")
}

func formatFigure(figure float64) string {
	switch {
	case figure == noGoal:
		return "–"
	case figure >= 100:
		return fmt.Sprintf("%.0f", figure)
	}
	return fmt.Sprintf("%.3g", figure)
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

func main() {
	rounds := flag.Int("rounds", 3, "how often each row is measured")
	pattern := flag.String("run", "", "measure only rows whose names match this regular expression")
	flag.Parse()
	dir, err := os.MkdirTemp("", "lookout-measure-")
	check(err)
	ok := measureAll(dir, regexp.MustCompile(*pattern), *rounds)
	check(os.RemoveAll(dir))
	if !ok {
		os.Exit(1)
	}
}

// measureAll builds lookout in a folder and prints the table, with the builds measured in turn. It reports whether all
// rows of this build could be measured.
func measureAll(dir string, chosen *regexp.Regexp, rounds int) bool {
	m := measurer{lookout: filepath.Join(dir, "lookout"), floor: filepath.Join(dir, "floor")}
	build(m.lookout, "./cmd/lookout")
	build(m.floor, "./cmd/internal/measure/testdata/floor")
	builds, head := []string{m.lookout}, "| what is measured | at most | median (range) |"
	if other := os.Getenv("LOOKOUT_BASELINE"); other != "" {
		builds, head = append(builds, other), head+" other build |"
	}
	fmt.Println(head + "\n|" + strings.Repeat("---|", strings.Count(head, "|")-1))
	ok := true
	for _, r := range rows() {
		if !chosen.MatchString(r.name) {
			continue
		}
		all := make([][][]float64, len(builds))
		for range rounds {
			for n, build := range builds {
				m.build = build
				figures := m.run(r)
				if figures != nil {
					all[n] = append(all[n], figures)
				}
				ok = ok && (figures != nil || n > 0)
			}
		}
		fmt.Println(r.line(all))
	}
	return ok
}

// build builds a program as for a release.
func build(path, source string) {
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, source)
	c.Env, c.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	check(c.Run())
}
