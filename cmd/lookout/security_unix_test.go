//go:build unix

package main

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// countConnections returns a loopback address, and how many connections it received.
func countConnections(t *testing.T) (address string, came *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	came = &atomic.Int64{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			came.Add(1)
			c.Close()
		}
	}()
	return l.Addr().String(), came
}

// allowCoreDumps raises the limit of core files as far as this machine allows.
func allowCoreDumps(t *testing.T) {
	t.Helper()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &before); err != nil {
		t.Fatal(err)
	}
	raised := before
	raised.Cur = raised.Max
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &raised)
	t.Cleanup(func() { _ = unix.Setrlimit(unix.RLIMIT_CORE, &before) })
}

// Beside a real account, the demo says that it is a demo, opens no connection, reads no configuration and writes no
// file.
func TestDemoIsClosed(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	address, came := countConnections(t)
	folder := t.TempDir()
	for name, value := range map[string]string{
		"LOOKOUT_BASE_URL": "http://" + address + "/v4",
		"HTTPS_PROXY":      "http://" + address,
		"HTTP_PROXY":       "http://" + address,
		"ALL_PROXY":        "http://" + address,
		"TEA_TRACE": filepath.Join(
			folder, "trace",
		), "TEA_DEBUG": "1", "SSLKEYLOGFILE": filepath.Join(folder, "keys"), "GOTRACEBACK": "crash"} {
		r.Setenv(name, value)
	}
	r.WriteConfig("this is no TOML, and " + testenv.Canary)
	allowCoreDumps(t)
	c := r.startPty(t, "demo")
	c.startReading()
	c.waitFor("12 buckets")
	c.waitFor("DEMO")
	limits, err := os.ReadFile("/proc/" + strconv.Itoa(c.cmd.Process.Pid) + "/limits")
	_, _ = c.tty.WriteString("q")
	faulttest.RunCase(t, "H1", "nobody is dialled", func(t *testing.T) {
		if code := c.waitExit(); code != exit.CodeOK || came.Load() != 0 || r.API.RequestCount("") != 0 {
			t.Errorf("exit code %d, %d connections, %d requests", code, came.Load(), r.API.RequestCount(""))
		}
		if testenv.LeaksToken(c.output()) {
			t.Error("the real token is shown")
		}
	})
	faulttest.RunCase(t, "F6", "libraries trace nothing", func(t *testing.T) {
		if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
			t.Errorf("%v, %v", left, err)
		}
	})
	faulttest.RunCase(t, "F13", "a running program's core", func(t *testing.T) {
		if err != nil {
			t.Skip("this system does not show the limits of a process")
		}
		for line := range strings.Lines(string(limits)) {
			if fields := strings.Fields(line); strings.HasPrefix(line, "Max core file size") && fields[4] != "0" {
				t.Errorf("%s", line)
			}
		}
	})
}

func TestCoresAreOff(t *testing.T) {
	faulttest.RunCase(t, "F13", "limit", func(t *testing.T) {
		var before, after unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_CORE, &before); err != nil {
			t.Fatal(err)
		}
		allowCoreDumps(t)
		disableCoreDumps()
		if err := unix.Getrlimit(unix.RLIMIT_CORE, &after); err != nil || after.Cur != 0 || after.Max != before.Max {
			t.Errorf("%+v, %v", after, err)
		}
	})
}

// An editor that lookout starts does not get the token.
func TestEditorsGetNoToken(t *testing.T) {
	faulttest.RunCase(t, "F14", "an editor's", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{})
		kept, editor := filepath.Join(r.Home, "environment"), filepath.Join(r.Home, "editor")
		testenv.WriteProgram(t, editor, "#!/bin/sh\nenv >"+kept+"\n")
		r.WriteConfig("[accounts.a]\nbase_url = \"https://x/v4\"\ntoken_env = \"OTHER_TOKEN\"\n")
		r.Setenv("VISUAL", editor)
		r.Setenv("OTHER_TOKEN", testenv.Canary)
		c := r.startPty(t, "config edit")
		c.startReading()
		if code := c.waitExit(); code != exit.CodeOK {
			t.Errorf("exit code %d: %s", code, c.output())
		}
		if data, err := os.ReadFile(kept); err != nil || testenv.LeaksToken(string(data)) ||
			!strings.Contains(string(data), "VISUAL=") {
			t.Errorf("%v\n%s", err, data)
		}
	})
}

// If the API is down from the start, the first frame still appears soon.
func TestFirstFrameWithADeadAPI(t *testing.T) {
	silent, _ := net.Listen("tcp", "127.0.0.1:0")
	t.Cleanup(func() { silent.Close() })
	for name, base := range map[string]string{
		"refuses":      "http://127.0.0.1:1/v4",
		"says nothing": "http://" + silent.Addr().String() + "/v4",
	} {
		faulttest.RunCase(t, "I4", name, func(t *testing.T) {
			t.Parallel()
			r := newTestEnv(t, emulator.Options{})
			r.Setenv("LOOKOUT_BASE_URL", base)
			start := time.Now()
			c := r.startPty(t, "--no-mouse")
			c.startReading()
			c.waitFor("reading services")
			took := time.Since(start)
			t.Logf("first frame after %v", took)
			if took > 5*time.Second { // 300 ms of the program's own; a test's binary, and a busy machine, take longer
				t.Errorf("first frame after %v", took)
			}
			_, _ = c.tty.WriteString("\x03")
			c.waitExit()
		})
	}
}
