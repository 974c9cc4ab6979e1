//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/keep"
)

// keepProcess is a run of lookout keep.
type keepProcess struct {
	*testing.T
	cmd *exec.Cmd
	mu  sync.Mutex
	out bytes.Buffer
}

// Write collects what the program prints.
func (k *keepProcess) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.out.Write(p)
}

func (k *keepProcess) output() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.out.String()
}

func (r *testEnv) startKeep(t *testing.T) *keepProcess {
	t.Helper()
	k := &keepProcess{T: t, cmd: exec.Command(os.Args[0], "keep")}
	k.cmd.Env = r.environ()
	k.cmd.Stdout, k.cmd.Stderr = k, k
	if err := k.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.cmd.Process.Kill() })
	k.waitFor("watching the maintenance windows")
	return k
}

// waitFor waits until the program has printed a text.
func (k *keepProcess) waitFor(text string) {
	k.Helper()
	for range 2000 {
		if strings.Contains(k.output(), text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	k.Fatalf("timed out waiting for %q:\n%s", text, k.output())
}

// signal sends a signal; one that ends the program is waited for.
func (k *keepProcess) signal(s syscall.Signal) {
	k.Helper()
	if err := k.cmd.Process.Signal(s); err != nil {
		k.Fatal(err)
	}
	if s == syscall.SIGKILL || s == syscall.SIGTERM {
		_ = k.cmd.Wait()
	}
}

// Short windows end on time, each service is enabled once, and the program survives kill -9, a restart, and being
// stopped for longer than a window, as a machine that sleeps stops it. With LOOKOUT_LONG there are 50 windows.
func TestKeep_realWindowsThroughKillAndSleep(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	count, spread := 3, 2*time.Second
	if os.Getenv("LOOKOUT_LONG") != "" {
		count, spread = 50, 2*time.Minute
	}
	type window struct {
		id, label string
		end       time.Time
	}
	var windows []window
	for i := range count {
		label := fmt.Sprintf("night-%d", i)
		r.MustRun("services", "create", "--label", label, "--address", "https://example.com")
		windows = append(windows, window{id: r.FindID("services", label), label: label})
	}
	for i := range windows {
		w := &windows[i]
		for lead, disabled := time.Second, false; !disabled; lead *= 2 {
			w.end = time.Now().Add(lead + spread*time.Duration(i)/time.Duration(count)).Truncate(time.Second)
			disable := r.startProgram("services disable " + w.label + " --for " + w.end.Format(time.RFC3339))
			err := disable.Wait() // a process of its own waits for no other test
			if disabled = err == nil; !disabled && time.Now().Before(w.end) {
				t.Fatal(err) // it did not come too late
			}
		}
	}
	k := r.startKeep(t)
	last := slices.MaxFunc(windows, func(a, b window) int { return a.end.Compare(b.end) })
	for time.Until(last.end) > 0 {
		for !strings.Contains(k.output(), last.label+" is to be enabled on") && time.Until(last.end) > 0 {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(spread / 8)
		k.signal(syscall.SIGKILL)
		k = r.startKeep(t)
		time.Sleep(spread / 8)
		k.signal(syscall.SIGSTOP)
		time.Sleep(spread / 8)
		k.signal(syscall.SIGCONT)
	}
	for i := 0; len(enables(r)) < count && i < 4500; i++ { // a kill between record and request costs up to 35 s
		time.Sleep(10 * time.Millisecond)
	}
	done := enables(r)
	for _, w := range windows {
		times := done[w.id]
		if len(times) != 1 || times[0].Before(w.end) || times[0].Sub(w.end) > time.Minute {
			t.Errorf("%s ends at %s, enabled at %s", w.label, w.end, times)
		}
	}
	k.signal(syscall.SIGTERM)
	if code := k.cmd.ProcessState.ExitCode(); code != exit.CodeOK {
		t.Errorf("exit code %d:\n%s", code, k.output())
	}
}

// enables returns when each service was enabled.
func enables(r *testEnv) map[string][]time.Time {
	done := map[string][]time.Time{}
	for _, c := range r.API.Ledger() {
		if c.Op == "enable service" {
			id := filepath.Base(filepath.Dir(c.Path))
			done[id] = append(done[id], c.Time)
		}
	}
	return done
}

// lookout keep --detach runs on after the command has ended, and only one runs at a time.
func TestKeep_detachRunsOnce(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", "web-1", "--for", "1s")
	detach := func() string {
		cmd := exec.Command(os.Args[0], "keep", "--detach")
		cmd.Env = r.environ()
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	first := detach()
	_, rest, _ := strings.Cut(first, "as process ")
	pid, err := strconv.Atoi(strings.SplitN(rest, " ", 2)[0])
	if err != nil {
		t.Fatalf("%q: %v", first, err)
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Kill() })
	if second := detach(); !strings.Contains(second, fmt.Sprintf("already running (process %d)", pid)) {
		t.Errorf("a second one says %q", second)
	}
	for i := 0; len(enables(r)) == 0 && i < 1000; i++ {
		time.Sleep(10 * time.Millisecond)
	}
	if len(enables(r)) != 1 {
		log, _ := os.ReadFile(filepath.Join(r.Home, "state", "lookout", "keep.log"))
		t.Errorf("not enabled:\n%s", log)
	}
}

// The dashboard offers lookout keep when somebody quits while a maintenance window is open; it then looks after it.
func TestKeep_quitPromptOffersIt(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", "web-1", "--for", "1h")
	state := filepath.Join(r.Home, "state", "lookout")
	t.Cleanup(func() {
		if pid, running := keep.Running(state); running {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	quit := func() *ptyProcess {
		p := r.startPty(t, "--view services")
		p.startReading()
		p.waitFor("web-1")
		p.typeKeys("q")
		return p
	}
	p := quit()
	p.waitFor("Monitoring stays off")
	p.waitFor("in the background, which ends them on time")
	p.typeKeys("k")
	if code := p.waitExit(); code != exit.CodeOK {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	journals, _ := filepath.Glob(filepath.Join(state, "*.journal"))
	if len(journals) != 1 {
		t.Fatalf("journals: %q", journals)
	}
	for i := 0; !keep.Watches(state, journals[0]) && i < 1000; i++ {
		time.Sleep(10 * time.Millisecond)
	}
	log, _ := os.ReadFile(keep.LogPath(state))
	if !strings.Contains(string(log), "web-1 is to be enabled on") {
		t.Fatalf("the log of lookout keep:\n%s", log)
	}
	if code := quit().waitExit(); code != exit.CodeOK {
		t.Errorf("the next dashboard asked again, or ended with %d", code)
	}
}
