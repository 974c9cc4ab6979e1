//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/testenv"
)

// killRounds is how often a sync is killed in each direction: 50 times with LOOKOUT_LONG, otherwise a few times.
func killRounds() int {
	if os.Getenv("LOOKOUT_LONG") != "" {
		return 50
	}
	return 3
}

// A sync that is killed at any moment loses nothing: no file has its final name before it is complete, and the next run
// brings the rest.
func TestSync_killedAtAnyMomentLosesNothing(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	source := filepath.Join(r.Home, "source")
	want := map[string]string{}
	for i := range 12 {
		name := fmt.Sprintf("d%d/file-%02d", i%3, i)
		want[name] = strings.Repeat(fmt.Sprintf("%02d ", i), 20_000*(i%4))
		r.Write(filepath.Join(source, name), want[name])
	}
	requests := killAfter(r, "objects sync "+source+" "+testenv.Bucket+"/up", 1<<30)
	r.MustRun("objects", "rm", testenv.Bucket, "up/", "-r", "--yes")
	for round := range killRounds() {
		n := 1 + rand.N(requests)
		t.Run(fmt.Sprintf("round %d, after %d requests", round, n), func(t *testing.T) {
			r := r.with(t)
			up, target := fmt.Sprintf("%s/up-%d", testenv.Bucket, round), filepath.Join(t.TempDir(), "target")
			killAfter(r, "objects sync "+source+" "+up, n)
			r.finish("objects", "sync", source, up)
			killAfter(r, "objects sync "+up+" "+target, n)
			requireWholeFiles(t, target, want, false)
			r.MustRun("objects", "sync", up, target)
			requireWholeFiles(t, target, want, true)
		})
	}
}

// killAfter runs a command line, kills it in its nth request, and returns how many requests there were.
func killAfter(r *testEnv, args string, n int) int {
	var count atomic.Int64
	started := make(chan *os.Process, 1)
	r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
		if count.Add(1) == int64(n) {
			p := <-started
			_ = p.Kill()
		}
		return false
	})
	defer r.Intercept(nil)
	c := r.startProgram(args)
	started <- c.Process
	_ = c.Wait()
	return int(count.Load())
}

// requireWholeFiles fails if a file of a folder is not what it should be; if all are there, also if one is missing or a
// partial download is left.
func requireWholeFiles(t *testing.T, folder string, want map[string]string, all bool) {
	t.Helper()
	found := 0
	for name, text := range want {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			found++
		}
		if err == nil && !bytes.Equal(data, []byte(text)) || err != nil && all {
			t.Errorf("%s: %d bytes of %d, %v", name, len(data), len(text), err)
		}
	}
	if parts, _ := filepath.Glob(filepath.Join(folder, "*", "*.part")); all && len(parts) > 0 {
		t.Errorf("%d of %d files, left behind: %q", found, len(want), parts)
	}
}
