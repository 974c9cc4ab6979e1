//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// rows are the lines of the table. Scripts come first, while this process is small: its memory counts as that of a new
// process.
func rows() []row {
	return slices.Concat(scriptRows(), startRows(), programRows(), hardRows(), lineRows(), apiRows(), millionRows())
}

// What moveCursor and rest return.
const (
	move        = "key p50, p99 in ms; bytes per key"
	moveAndRest = move + "; MB; CPU ms/s, bytes/s at rest"
)

func scriptRows() []row {
	return []row{
		{
			"list 1,000,000 objects in a script: MB in any format; s of CSV; × that of table, JSON, NDJSON, `--jq .`",
			[]float64{40, noGoal, noGoal, 1.3},
			func(m *measurer) []float64 {
				address, figures := m.serve("large"), []float64{0}
				for _, format := range []string{"csv", "table", "json", "ndjson", "ndjson --jq ."} {
					line := "objects list us-east-1/million -r --base-url " + address + " -o " + format
					seconds, megabytes := m.runScript(strings.Fields(line)...)
					if len(figures) > 1 {
						seconds /= figures[1]
					}
					figures = append(figures, seconds)
					figures[0] = max(figures[0], megabytes)
				}
				return figures
			},
		},
		{
			"download 256 MiB at 20 MB/s for each connection, 20, 150 ms per answer: s",
			nil,
			func(m *measurer) (figures []float64) {
				for _, delay := range []time.Duration{20, 150} {
					seconds, _ := m.runScript(
						"--base-url", m.serveObject(delay*time.Millisecond), "objects", "get", "us-east-1/acme-backups",
						"large", filepath.Join(m.home, delay.String()),
					)
					figures = append(figures, seconds)
				}
				return figures
			},
		},
		{"sync 10,000 files to a bucket: s; s when nothing has changed", nil, func(m *measurer) []float64 {
			folder := filepath.Join(m.home, "files")
			m.writeFiles(folder, 10_000)
			args := []string{"--base-url", m.serve("demo"), "objects", "sync", folder, "us-east-1/acme-backups/many"}
			first, _ := m.runScript(args...)
			second, _ := m.runScript(args...)
			return []float64{first, second}
		}},
		{"size of the binary: MB", []float64{24}, func(m *measurer) []float64 {
			info, err := os.Stat(m.build)
			check(err)
			return []float64{float64(info.Size()) / 1e6}
		}},
	}
}

// runScript runs a command and returns how many seconds it took and how many megabytes of memory it needed.
func (m *measurer) runScript(args ...string) (seconds, megabytes float64) {
	c := exec.Command(m.build, args...)
	c.Env = m.env()
	begun := time.Now()
	if err := c.Run(); err != nil {
		panic(failure(fmt.Sprintf("%q: %v", args, err)))
	}
	took := time.Since(begun)
	return took.Seconds(), float64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024
}

func startRows() []row {
	return []row{
		{"start Bubble Tea alone, for comparison: ms to the first frame", nil, func(m *measurer) []float64 {
			return []float64{m.timeStart("row 049", m.floor)}
		}},
		{"start the demo: ms to the first frame, data", []float64{12}, func(m *measurer) []float64 {
			return []float64{m.timeStart("lookout", m.build, "demo"), m.timeStart("12 buckets", m.build, "demo")}
		}},
		{"start with 5,000 services: ms to the first frame, data", []float64{12}, func(m *measurer) []float64 {
			args := []string{"--base-url", m.serve("large"), "--view", "services"}
			return []float64{m.timeStart("lookout", m.build, args...), m.timeStart("service-0009", m.build, args...)}
		}},
	}
}

// timeStart returns how many milliseconds a program takes until it shows a text: a median.
func (m *measurer) timeStart(text, name string, args ...string) float64 {
	return median(7, func() time.Duration {
		p := m.start(fastTerminal(), name, args...)
		defer p.kill()
		return p.waitFor(text).Sub(p.start)
	})
}

// median returns the middle of some times in milliseconds.
func median(n int, measure func() time.Duration) float64 {
	all := make([]time.Duration, n)
	for i := range all {
		all[i] = measure()
	}
	slices.Sort(all)
	return milliseconds(all[n/2])
}

func (m *measurer) openFloor() *program {
	p := m.start(fastTerminal(), m.floor)
	p.waitFor("row 049")
	return p
}

// openDemo opens the services of the demo.
func (m *measurer) openDemo() *program {
	p := m.start(fastTerminal(), m.build, "demo")
	p.waitFor("12 buckets")
	return p.open("3", "billing-api")
}

// openPane opens a pane of an account, and waits for a text.
func (m *measurer) openPane(t terminal, address, pane, text string) *program {
	p := m.start(t, m.build, "--base-url", address, "--view", pane)
	p.waitFor(text)
	return p
}

// openServices opens a list of 5,000 services.
func (m *measurer) openServices() *program { return m.openServicesOn(fastTerminal()) }

func (m *measurer) openServicesOn(t terminal) *program {
	return m.openPane(t, m.serve("large"), "services", "service-0009")
}

// openFolders opens the bucket with a million objects or more.
func (m *measurer) openFolders(address string) *program {
	return m.openPane(fastTerminal(), address, "buckets", "million").open("/million\r\r", "   .. ")
}

// openEnd opens the last of a million objects.
func (m *measurer) openEnd() *program {
	return m.openFolders(m.serve("large")).open("f", "(flat)", "G", "object-999999")
}

// programRows are about moving the cursor, and about rest.
func programRows() (rows []row) {
	for _, c := range []struct {
		name, forth, back string
		goals             []float64
		open              func(m *measurer) *program
	}{
		{"Bubble Tea alone, for comparison", "j", "k", nil, (*measurer).openFloor},
		{"the demo, API included", "j", "k", []float64{0.8, 2, 300, 25, 0.5}, (*measurer).openDemo},
		{"5,000 services", "j", "k", []float64{0.8, 2, 300, noGoal, 0.5}, (*measurer).openServices},
		{"1,000,000 objects, at their end", "k", "j", []float64{0.8, 2, 300, 130, 0.5}, (*measurer).openEnd},
	} {
		rows = append(rows, row{c.name + ": " + moveAndRest, c.goals, func(m *measurer) []float64 {
			p := c.open(m)
			return append(p.moveCursor(c.forth, c.back), p.rest()...)
		}})
	}
	return append(rows, row{
		"journal of 100,000 changes: ms to start; " + moveAndRest,
		[]float64{50, 2, noGoal, noGoal, noGoal, 1},
		(*measurer).openLongJournal,
	}, row{
		"5,000 services at rest for a minute: bytes before; when the minute changes",
		[]float64{0, 100},
		(*measurer).restForMinute,
	})
}

// hardRows are about keys that have much to do.
func hardRows() []row {
	return []row{
		{
			"10,000,000 objects, at their end: " + move + "; memory per object in bytes",
			[]float64{0.8, 2, 300, 70},
			func(m *measurer) []float64 {
				p := m.openFolders(m.serveTenMillion()).open("f", "(flat)")
				before := p.memory()
				p.open("G", "object-999999").waitQuiet(time.Second)
				return append(p.moveCursor("k", "j"), (p.memory()-before)/10_000_000)
			},
		},
		{"type a filter over 1,000,000 objects: the slowest key in ms", []float64{16}, func(m *measurer) []float64 {
			return []float64{m.openEnd().slowestKey("/object-77777")}
		}},
		{"press 5 keys beside a text of 7 MB: the slowest in ms", []float64{16}, func(m *measurer) []float64 {
			p := m.openPane(fastTerminal(), m.serveHugeText(), "services", "billing-api")
			return []float64{p.slowestKey("jkjk\r")} // not esc, which waits for the rest of a sequence
		}},
	}
}

// lineRows depend on the terminal and the line to it.
func lineRows() (rows []row) {
	for _, c := range []struct {
		terminal
		bytes, lag float64
	}{
		{terminal{cols: 80, rows: 24, margins: true}, 300, 0.5},
		{terminal{cols: 200, rows: 50, margins: true}, 900, 0.9},
		{terminal{cols: 200, rows: 50}, 900, 0},
	} {
		rows = append(rows, row{
			fmt.Sprintf("scroll through 5,000 services, %v: bytes per key", c.terminal),
			[]float64{c.bytes},
			func(m *measurer) []float64 { return []float64{m.openServicesOn(c.terminal).scroll()} },
		})
		if c.lag > 0 {
			slow := c.terminal
			slow.bitsPerSecond, slow.roundTrip = 64_000, 150*time.Millisecond
			rows = append(rows, row{
				fmt.Sprintf("hold a key for 3 s, %v: s until the screen is complete; lost presses", slow),
				[]float64{c.lag, 0},
				func(m *measurer) []float64 { return m.openServicesOn(slow).holdKey() },
			})
		}
	}
	return rows
}

// apiRows wait for an API that needs some time for every answer.
func apiRows() (rows []row) {
	for _, c := range []struct {
		name, seed, pane string
		goal             float64
		texts            []string
	}{
		{
			"open the overview", "demo", "overview", 0.45,
			[]string{"billing-api", "Ada Wong", "12 buckets", "of 1.0 TB", "limited)", "CPU %"},
		},
		{"read 5,000 services", "large", "services", 1, []string{"500 problem"}},
		{"read 10,000 contacts", "large", "contacts", noGoal, []string{"1 of 10,000"}},
	} {
		rows = append(rows, row{"200 ms per answer: s to " + c.name, []float64{c.goal}, func(m *measurer) []float64 {
			p := m.openPane(fastTerminal(), m.serve(c.seed, "* delay=200ms"), c.pane, c.texts[0])
			var took time.Duration
			for _, text := range c.texts {
				took = max(took, p.waitFor(text).Sub(p.start))
			}
			return []float64{took.Seconds()}
		}})
	}
	preview := func(m *measurer, faults ...string) float64 {
		address := m.serve("demo", faults...)
		return median(3, func() time.Duration {
			p := m.openPane(fastTerminal(), address, "buckets", "cdn.acme.net")
			defer p.kill()
			p.open("/cdn.acme\r\r", "index.html", "G", "5 of 5")
			return p.typeUntil("k", "<h1>Acme")
		})
	}
	return append(
		rows,
		row{"200 ms per answer: s to read 99,000 objects (key `G`)", []float64{12}, func(m *measurer) []float64 {
			p := m.openPane(fastTerminal(), m.serve("demo", "* delay=200ms"), "buckets", "12 buckets").open(
				"/logs-eu\r", "1 of 1", "\r", "1 of 2", "f", "(flat)", "", "-000009.log.gz")
			return []float64{p.typeUntil("G", "-098999.log.gz").Seconds()}
		}},
		row{"0, 100 ms per answer: ms to preview an object", []float64{150, 350}, func(m *measurer) []float64 {
			const delay = " delay=100ms"
			return []float64{preview(m), preview(m, "create object URL"+delay, "object get"+delay)}
		}},
	)
}

// millionRows are keys that read or count a million objects.
func millionRows() (rows []row) {
	folders := func(m *measurer) *program { return m.openFolders(m.serve("large")) }
	flat := func(m *measurer) *program { return folders(m).open("f", "(flat)") }
	marked := func(m *measurer) *program { return m.openEnd().open("A", "1,000,000 marked") }
	for _, c := range []struct {
		name, key, first, last string
		open                   func(m *measurer) *program
	}{
		{"`S`, read the sizes of all folders", "S", "reading sizes", "in all", folders},
		{"`G`, read all names", "G", "still reading", "object-999999", flat},
		{"`D`, ask whether to delete them, marked", "D", "counting", "Delete 1,000,000", marked},
		{"`w`, ask whether to download them, marked", "w", "counting", "1,000,000 files", marked},
	} {
		rows = append(rows, row{
			"1,000,000 objects, " + c.name + ": ms to the first text; s in all; MB",
			[]float64{100},
			func(m *measurer) []float64 {
				p, at := c.open(m), time.Now()
				first := p.typeUntil(c.key, c.first)
				all := p.waitFor(c.last).Sub(at)
				return []float64{milliseconds(first), all.Seconds(), p.memory() / (1 << 20)}
			},
		})
	}
	return rows
}

func (m *measurer) openLongJournal() []float64 {
	m.writeJournal("work", 100_000)
	config := filepath.Join(m.home, "config.toml")
	text := fmt.Sprintf("[accounts.work]\nbase_url = %q\ntoken_env = \"LOOKOUT_TOKEN\"\n", m.serve("large"))
	check(os.WriteFile(config, []byte(text), 0o600))
	open := func() (*program, float64) {
		p := m.start(fastTerminal(), m.build, "--config", config, "--account", "work", "--view", "journal")
		return p, milliseconds(p.waitFor("contact 99999").Sub(p.start))
	}
	p, _ := open() // the first start writes what later ones need
	p.typeKeys("q")
	_ = p.cmd.Wait()
	p, started := open()
	p.waitQuiet(time.Second)
	return slices.Concat([]float64{started}, p.moveCursor("j", "k"), p.rest())
}

func (m *measurer) restForMinute() []float64 {
	p := m.openServices()
	time.Sleep(time.Minute) // until all ages are in minutes
	const clock = 2 * time.Second
	bytes := func(second time.Duration) float64 { // until that second of a minute
		p.count()
		time.Sleep((second + time.Minute - time.Since(time.Now().Truncate(time.Minute))) % time.Minute)
		n, _ := p.count()
		return float64(n)
	}
	bytes(clock)
	return []float64{bytes(time.Minute - clock), bytes(clock)}
}
