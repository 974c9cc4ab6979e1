//go:build linux

package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// A slowTask is something that a user waits for while every request takes 200 ms.
type slowTask struct {
	name, seed string
	args       []string
	// do plays the task in a program that has just started and returns when it began and when it was done
	do func(m *timedProgram) (began, done time.Time)
}

// slowTasks are the tasks of the table.
func slowTasks() []slowTask {
	return []slowTask{
		{"open the overview", "demo", nil, func(m *timedProgram) (time.Time, time.Time) {
			done := m.start
			for _, text := range []string{"billing-api", "Ada Wong", "12 buckets", "of 1.0 TB", "limited)", "CPU %"} {
				if at := m.waitFor(text); at.After(done) {
					done = at
				}
			}
			return m.start, done
		}},
		{"read the first 500 of 5,000 services", "large", []string{"--view", "services"}, until("service-0009")},
		{"read 5,000 services", "large", []string{"--view", "services"}, until("500 problem")},
		{"read 10,000 contacts", "large", []string{"--view", "contacts"}, until("1 of 10,000")},
		{"read 99,000 objects (key `G`)", "demo", []string{"--view", "buckets"}, pressEnd},
	}
}

// until returns a task that is done when a text is on the screen.
func until(text string) func(*timedProgram) (time.Time, time.Time) {
	return func(m *timedProgram) (time.Time, time.Time) { return m.start, m.waitFor(text) }
}

// pressEnd opens a bucket without folders and goes to its last object.
func pressEnd(m *timedProgram) (began, done time.Time) {
	m.waitFor("12 buckets")
	m.typeKeys("/logs-eu\r")
	m.waitFor("1 of 1")
	m.typeKeys("\r")
	m.waitFor("1 of 2")
	m.typeKeys("f")
	m.waitFor("(flat)")
	m.waitFor("-000009.log.gz")
	began = time.Now()
	m.typeKeys("G")
	return began, m.waitFor("-098999.log.gz")
}

// TestPerformance_slowAPI prints the table of an API that takes 200 ms for every answer: .ci/performance runs it. With
// LOOKOUT_BASELINE it measures another build too, each task in turn.
func TestPerformance_slowAPI(t *testing.T) {
	if os.Getenv("LOOKOUT_PERFORMANCE") == "" {
		t.Skip("measures only if LOOKOUT_PERFORMANCE is set, as .ci/performance does")
	}
	lookout := buildBinary(t, t.TempDir(), "lookout", ".")
	builds := []string{lookout}
	if other := os.Getenv("LOOKOUT_BASELINE"); other != "" {
		builds = append(builds, other)
	}
	home := t.TempDir()
	env := []string{
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + home,
		"XDG_STATE_HOME=" + home,
		"XDG_CACHE_HOME=" + home,
		"LOOKOUT_TOKEN=demo",
	}
	fmt.Println("| 200 ms per answer | time s | other build s |\n|---|---|---|")
	for _, task := range slowTasks() {
		t.Run(task.name, func(t *testing.T) { measureSlowTask(t, env, builds, task) })
	}
}

// measureSlowTask prints the row of a task: medians of three runs of each build.
func measureSlowTask(t *testing.T, env, builds []string, task slowTask) {
	address := serveAccount(t, builds[0], task.seed, "--fault", "* delay=200ms")
	times := make([][]time.Duration, 2)
	for range 3 {
		for n, build := range builds {
			m := startTimed(t, env, build, append([]string{"--base-url", address}, task.args...)...)
			began, done := task.do(m)
			m.kill()
			times[n] = append(times[n], done.Sub(began))
		}
	}
	row := "| " + task.name
	for _, all := range times {
		text := ""
		if slices.Sort(all); len(all) > 0 {
			text = fmt.Sprintf("%.2f", all[len(all)/2].Seconds())
		}
		row += " | " + cmp.Or(text, "–")
	}
	fmt.Println(row + " |")
}
