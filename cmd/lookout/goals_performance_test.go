//go:build linux && !race

package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
)

// A performanceGoal is a row of the table of goals.
type performanceGoal struct {
	name   string
	limits []float64 // the most that each figure may be
	// measure returns the figures of a build
	measure func(g *goalMeasurer, build string) []float64
	alone   bool // the other build is not measured: earlier ones fail, or show something else
	idle    bool // nearly all of the time passes in waiting, so everything is measured at the same time
}

// A goalMeasurer measures builds of lookout on the same accounts.
type goalMeasurer struct {
	t       *testing.T // of the row
	lookout string     // this build, which serves the accounts
}

// performanceGoals are the rows of the table. Scripts come first, while this process is small: its memory counts as
// that of a new process.
func performanceGoals() []performanceGoal {
	return slices.Concat([]performanceGoal{{
		name:    "list 1,000,000 objects in a script: peak MB in any format / time of JSON ÷ time of CSV",
		limits:  []float64{40, 1.3},
		measure: (*goalMeasurer).listMillion,
	}}, lineGoals(), slowAPIGoals(), sizeGoals())
}

// lineGoals are those that depend on the terminal and the line to it.
func lineGoals() (goals []performanceGoal) {
	add := func(name string, limits []float64, line terminalLine,
		measure func(g *goalMeasurer, build string, line terminalLine) []float64,
	) {
		line.answers, line.margins = true, true
		goals = append(goals, performanceGoal{
			name:    fmt.Sprintf("%s, %v", name, line),
			limits:  limits,
			measure: func(g *goalMeasurer, build string) []float64 { return measure(g, build, line) },
		})
	}
	small, large := terminalLine{cols: 80, rows: 24}, terminalLine{cols: 200, rows: 50}
	over := func(line terminalLine) terminalLine {
		line.bitsPerSecond, line.roundTrip = 64_000, 150*time.Millisecond
		return line
	}
	const scroll = "scroll through 5,000 services: bytes per key press"
	add(scroll, []float64{300}, small, (*goalMeasurer).scroll)
	add(scroll, []float64{900}, large, (*goalMeasurer).scroll)
	const held = "hold a key for 3 s: seconds until the screen is complete / lost presses"
	add(held, []float64{0.5, 0}, over(small), (*goalMeasurer).holdKey)
	add(held, []float64{0.9, 0}, over(large), (*goalMeasurer).holdKey)
	return goals
}

// slowAPIGoals are those of an API that needs 200 ms for every answer.
func slowAPIGoals() (goals []performanceGoal) {
	limits := map[string]float64{
		"open the overview":             0.45,
		"read 5,000 services":           1,
		"read 99,000 objects (key `G`)": 12,
	}
	for _, task := range slowTasks() {
		if limit, isGoal := limits[task.name]; isGoal {
			goals = append(goals, performanceGoal{
				name:    "200 ms per API answer: seconds to " + task.name,
				limits:  []float64{limit},
				measure: func(g *goalMeasurer, build string) []float64 { return g.waitForAnswers(build, task) },
				alone:   task.name != "read 5,000 services",
			})
		}
	}
	return goals
}

// sizeGoals are those of large accounts, and of an account that is left alone.
func sizeGoals() []performanceGoal {
	return []performanceGoal{
		{
			name:    "press a key in a list of 5,000 services: p50 / p99 in ms",
			limits:  []float64{0.8, 2},
			measure: (*goalMeasurer).pressKeys,
		},
		{
			name:    "press 5 keys while details with 7 MB of text are shown: the slowest in ms",
			limits:  []float64{16},
			measure: (*goalMeasurer).showHugeText,
			alone:   true,
		},
		{
			name:    "journal of 100,000 changes: key press p50 in ms / CPU at rest in ms/s / start in ms",
			limits:  []float64{2, 1, 50},
			measure: (*goalMeasurer).openLongJournal,
			alone:   true,
		},
		{
			name:    "list of 10,000,000 objects: bytes of memory per object / key press p99 in ms",
			limits:  []float64{70, 2},
			measure: (*goalMeasurer).browseTenMillion,
		},
		{
			name:    "5,000 services at rest for a minute: bytes written before / when the minute changes",
			limits:  []float64{0, 100},
			measure: (*goalMeasurer).rest,
			idle:    true,
		},
	}
}

// TestPerformance_goals prints the goals with three measurements of each figure. With LOOKOUT_BASELINE it measures
// another build too, in turn with this one. .ci/performance runs it.
func TestPerformance_goals(t *testing.T) {
	if os.Getenv("LOOKOUT_PERFORMANCE") == "" {
		t.Skip("measures only if LOOKOUT_PERFORMANCE is set, as .ci/performance does")
	}
	const rounds = 3
	lookout := buildBinary(t, t.TempDir(), "lookout", ".")
	builds := []string{lookout}
	if other := os.Getenv("LOOKOUT_BASELINE"); other != "" {
		builds = append(builds, other)
	}
	fmt.Println("| what is measured | goal | this build, 3 runs | other build, 3 runs | result |")
	fmt.Println("|---|---|---|---|---|")
	for _, goal := range performanceGoals() {
		t.Run(goal.name, func(t *testing.T) {
			measured := builds
			if goal.alone {
				measured = builds[:1]
			}
			figures := make([][][]float64, 2)
			for n := range measured {
				figures[n] = make([][]float64, rounds)
			}
			t.Run("rounds", func(t *testing.T) { // ends when those that are measured at the same time have ended
				for round := range rounds {
					for n, build := range measured {
						t.Run("", func(t *testing.T) {
							if goal.idle {
								t.Parallel()
							}
							figures[n][round] = goal.measure(&goalMeasurer{t: t, lookout: lookout}, build)
						})
					}
				}
			})
			fmt.Println(goal.row(figures[0], figures[1]))
		})
	}
}

// row formats the figures of two builds, of which the second may have none.
func (p performanceGoal) row(figures, others [][]float64) string {
	result := "met"
	for n, limit := range p.limits {
		var all []float64
		for _, round := range figures {
			if len(round) > n { // it did not fail
				all = append(all, round[n])
			}
		}
		if slices.Sort(all); len(all) == 0 || all[len(all)/2] > limit {
			result = "missed"
		}
	}
	return fmt.Sprintf(
		"| %s | ≤ %s | %s | %s | %s |", p.name, formatFigures(p.limits), formatRounds(figures), formatRounds(others),
		result,
	)
}

func formatRounds(rounds [][]float64) string {
	if len(rounds) == 0 {
		return "–"
	}
	texts := make([]string, len(rounds))
	for n, round := range rounds {
		texts[n] = cmp.Or(formatFigures(round), "failed")
	}
	return strings.Join(texts, "; ")
}

func formatFigures(figures []float64) string {
	texts := make([]string, len(figures))
	for n, figure := range figures {
		switch {
		case math.IsNaN(figure):
			texts[n] = "?"
		case figure >= 100:
			texts[n] = strconv.FormatFloat(figure, 'f', 0, 64)
		default:
			texts[n] = strconv.FormatFloat(figure, 'g', 3, 64)
		}
	}
	return strings.Join(texts, " / ")
}

// start starts a build with a home of its own.
func (g *goalMeasurer) start(build string, line terminalLine, args ...string) *timedProgram {
	g.t.Helper()
	return startTimedOn(g.t, line, performanceEnv(g.t.TempDir()), build, args...)
}

// services opens the list of 5,000 services.
func (g *goalMeasurer) services(build string, line terminalLine) *timedProgram {
	g.t.Helper()
	m := g.start(build, line, "--base-url", serveLargeAccount(g.t, g.lookout), "--view", "services")
	m.waitFor("service-0009")
	return m
}

// fastTerminal is a terminal that answers at once.
func fastTerminal() terminalLine { return terminalLine{cols: 200, rows: 50, answers: true} }

func (g *goalMeasurer) scroll(build string, line terminalLine) []float64 {
	m := g.services(build, line)
	defer m.kill()
	mean, _, _ := m.scrolledBytes(90)
	return []float64{float64(mean)}
}

func (g *goalMeasurer) holdKey(build string, line terminalLine) []float64 {
	m := g.services(build, line)
	defer m.kill()
	lag, lost := m.scrollHeld()
	if lost < 0 {
		return []float64{lag.Seconds(), math.NaN()}
	}
	return []float64{lag.Seconds(), float64(lost)}
}

func (g *goalMeasurer) pressKeys(build string) []float64 {
	m := g.services(build, fastTerminal())
	defer m.kill()
	var f measurement
	f.measureKeys(m, 300, "j", "k")
	return []float64{milliseconds(f.p50), milliseconds(f.p99)}
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

func (g *goalMeasurer) showHugeText(build string) []float64 {
	m := g.start(build, fastTerminal(), "--base-url", serveHugeText(g.t), "--view", "services")
	defer m.kill()
	m.waitFor("billing-api")
	m.waitQuiet(time.Second)
	var slowest time.Duration
	for _, key := range []string{"j", "k", "j", "k", "\r"} { // not esc, which waits for the rest of a sequence
		took, _ := m.pressKey(key)
		slowest = max(slowest, took)
	}
	return []float64{milliseconds(slowest)}
}

func (g *goalMeasurer) openLongJournal(build string) []float64 {
	home := g.t.TempDir()
	env := append(performanceEnv(home), "LOOKOUT_CONFIG="+filepath.Join(home, "config.toml"))
	address := serveLargeAccount(g.t, g.lookout)
	config := fmt.Sprintf("[accounts.work]\nbase_url = %q\ntoken_env = \"LOOKOUT_TOKEN\"\n", address)
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600); err != nil {
		g.t.Fatal(err)
	}
	writeLongJournal(g.t, filepath.Join(home, "lookout", "work.journal"), 100_000)
	open := func() (*timedProgram, time.Duration) {
		m := startTimedOn(g.t, fastTerminal(), env, build, "--account", "work", "--view", "journal")
		return m, m.waitFor("contact 99999").Sub(m.start)
	}
	m, _ := open() // the first start writes what later ones need
	m.typeKeys("q")
	_ = m.cmd.Wait()
	m.kill()
	m, started := open()
	defer m.kill()
	m.waitQuiet(time.Second)
	var f measurement
	f.measureKeys(m, 60, "j", "k")
	f.measureIdle(m, 10*time.Second)
	return []float64{milliseconds(f.p50), milliseconds(f.idleCPU), milliseconds(started)}
}

// waitForAnswers returns how long a task takes that waits for an API which needs 200 ms for every answer.
func (g *goalMeasurer) waitForAnswers(build string, task slowTask) []float64 {
	address := serveAccount(g.t, g.lookout, task.seed, "--fault", "* delay=200ms")
	m := g.start(build, fastTerminal(), append([]string{"--base-url", address}, task.args...)...)
	defer m.kill()
	began, done := task.do(m)
	return []float64{done.Sub(began).Seconds()}
}

func (g *goalMeasurer) listMillion(build string) []float64 {
	var memory int64
	times := map[string]time.Duration{}
	address := serveLargeAccount(g.t, g.lookout)
	for _, format := range []string{"csv", "table", "json", "ndjson"} {
		took, kilobytes := runListing(g.t, build, address, format)
		times[format], memory = took, max(memory, kilobytes)
	}
	return []float64{float64(memory) / 1024, times["json"].Seconds() / times["csv"].Seconds()}
}

func (g *goalMeasurer) browseTenMillion(build string) []float64 {
	m := g.start(build, fastTerminal(), "--base-url", serveTenMillion(g.t), "--view", "buckets")
	defer m.kill()
	m.waitFor("million")
	m.typeKeys("/million\r\r")
	m.waitFor("009/")
	m.typeKeys("f")
	m.waitFor("(flat)")
	before := m.residentMemory()
	m.typeKeys("G")
	m.waitFor("object-999999")
	m.waitQuiet(time.Second)
	var f measurement
	f.measureKeys(m, 300, "k", "j")
	return []float64{(m.residentMemory() - before) / 10_000_000, milliseconds(f.p99)}
}

func (g *goalMeasurer) rest(build string) []float64 {
	m := g.services(build, fastTerminal())
	defer m.kill()
	time.Sleep(time.Minute) // until all ages are in minutes
	const clock = 2 * time.Second
	sleepUntil := func(second time.Duration) {
		time.Sleep((second + time.Minute - time.Since(time.Now().Truncate(time.Minute))) % time.Minute)
	}
	bytes := func(until time.Duration) float64 {
		m.resetBytes()
		sleepUntil(until)
		m.mu.Lock()
		defer m.mu.Unlock()
		return float64(m.bytes)
	}
	sleepUntil(clock)
	return []float64{bytes(time.Minute - clock), bytes(clock)}
}

// serveHugeText serves the demo account, in which the notes of the first service are a line of 7 MB.
func serveHugeText(t *testing.T) (address string) {
	text, err := json.Marshal(strings.Repeat("x", 7<<20))
	if err != nil {
		t.Fatal(err)
	}
	api := emulator.New(emulator.Options{Token: "demo"})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		api.ServeHTTP(recorder, r)
		answer := recorder.Body.Bytes()
		if r.URL.Path == "/v4/managed/services" {
			answer = withHugeText(serverField{r.URL.Path, "notes"}, string(text[1:len(text)-1]), r.URL.Path, answer)
		}
		w.Header().Set("Content-Type", recorder.Header().Get("Content-Type"))
		w.WriteHeader(recorder.Code)
		_, _ = w.Write(answer)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v4"
}

// serveTenMillion serves the large account, whose bucket "million" has ten times as many objects.
func serveTenMillion(t *testing.T) (address string) {
	api := emulator.New(emulator.Options{Token: "demo", Seed: "large"})
	emulator.GenerateObjects(api, "us-east-1", "million", 10_000_000)
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	return server.URL + "/v4"
}

// writeLongJournal writes n finished changes of a contact, a minute apart.
func writeLongJournal(t *testing.T, path string, n int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	defer out.Flush()
	for i := range n {
		at := time.Now().Add(time.Duration(i-n) * time.Minute).Format(time.RFC3339)
		fmt.Fprintf(out, `{"intent":{"id":"old-%d","time":%q,"change":{"op":%q,"method":"PUT",`+
			`"path":"/v4/managed/contacts/1","kind":"contact","id":"1","label":"contact %d"}}}`+"\n",
			i, at, client.OpUpdateContact, i)
		fmt.Fprintf(out, "{\"id\":\"old-%d\",\"outcome\":%q}\n", i, client.Applied)
	}
}
