package dashboard

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/cmd/internal/config"
	"lookout/ui/terminal"
)

// sessionKeys walk through all panes: lists, details, filters, sorts, marks, charts, a bucket with its folders, help,
// palette.
func sessionKeys() []string {
	down, keys := []string{"j", "j", "j", "k", "\x1b[6~", "\x1b[5~", "G", "g"}, []string{}
	for _, tab := range []string{"1", "2", "3", "4", "5", "6", "7", "9"} {
		keys = append(append(keys, tab), down...)
		keys = append(
			keys, "?", "\x1b", "/", "a", "p", "\r", "j", "\x1b", "s", "2", " ", " ", "A", "\x1b", "\r", "\x1b", "r",
		)
	}
	keys = append(
		keys, "8", "g", "\r", "j", "j", "\r", "j", "\x1b", "f", "G", "/", "1", "2", "\r", "\x1b", "s", "2", "A", "\x1b",
		"\x1b", "\x1b", "8", ":", "s", "e", "\x1b",
	)
	return keys
}

// TestProfile writes the profiles of a busy session in the demo to the folder that LOOKOUT_PROFILE names: cpu, allocs,
// block.
func TestProfile(t *testing.T) {
	dir := os.Getenv("LOOKOUT_PROFILE")
	if dir == "" {
		t.Skip("writes profiles only if LOOKOUT_PROFILE names a folder")
	}
	j := journal.NewInMemory(time.Now)
	api, err := client.New(
		"https://demo.invalid/v4", client.NewSecret("demo"),
		client.WithTransport(emulator.New(emulator.Options{Token: "demo", Seed: "demo", SimulateIncidents: true})),
		client.WithRecorder(j),
	)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	program, err := newShell(
		ctx, &config.Flags{}, config.Settings{Account: "acme-prod", Theme: "dark", Demo: true}, api, j,
	)
	if err != nil {
		t.Fatal(err)
	}
	in, typed := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, err := terminal.Run(
			ctx, program, terminal.Options{In: in, Out: io.Discard, Size: func() (int, int) { return 200, 50 }},
		)
		ended <- err
	}()
	cpu, err := os.Create(filepath.Join(dir, "cpu"))
	if err != nil {
		t.Fatal(err)
	}
	runtime.SetBlockProfileRate(10_000)
	if err := pprof.StartCPUProfile(cpu); err != nil {
		t.Fatal(err)
	}
	presses := 0
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); {
		for _, key := range sessionKeys() {
			if _, err := io.WriteString(typed, key); err != nil {
				t.Fatal(err)
			}
			presses++
			time.Sleep(8 * time.Millisecond)
			if key == "\x1b" {
				time.Sleep(60 * time.Millisecond) // what comes sooner is taken for a key with alt
			}
		}
	}
	pprof.StopCPUProfile()
	err = cpu.Close()
	for _, name := range []string{"allocs", "block"} {
		f, failed := os.Create(filepath.Join(dir, name))
		err = errors.Join(err, failed, pprof.Lookup(name).WriteTo(f, 0), f.Close())
	}
	cancel()
	if err := errors.Join(err, <-ended); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d keys", presses)
}
