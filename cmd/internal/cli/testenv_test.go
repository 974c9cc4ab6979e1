package cli

import (
	"flag"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/zalando/go-keyring"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/testenv"
)

type testEnv struct{ *testenv.Env }

// TestMain gives tests that run in parallel one process environment: no colours, terminal or proxy of the person who
// starts them, and an empty keyring.
func TestMain(m *testing.M) {
	// Some tests wait. The flag can still be given.
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	debug.SetGCPercent(200) // each run of a command line builds all commands and drops them
	keyring.MockInit()
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		panic(err)
	}
	for name, value := range testenv.BaseVariables(home) {
		_ = os.Setenv(name, value)
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

// newTestEnv returns an environment for a test that may run in parallel with others. It has variables of its own, but
// the process's home folder, working directory, terminal and keyring, which it must not change.
func newTestEnv(t *testing.T, o emulator.Options) *testEnv {
	t.Helper()
	return &testEnv{testenv.NewParallel(t, o, Execute)}
}

// newSerialEnv returns an environment for a test that must not run in parallel: it uses "~/" or the keyring, or changes
// the working directory or variables that belong to the process.
func newSerialEnv(t *testing.T, o emulator.Options) *testEnv {
	t.Helper()
	return &testEnv{testenv.New(t, o, Execute)}
}

// flags returns the flags of a command line without any.
func (r *testEnv) flags() *config.Flags { return &config.Flags{Env: r.Variables} }

// journalPath returns the path of the journal of the account in use.
func (r *testEnv) journalPath() string {
	r.Helper()
	s, err := config.Load(r.flags(), io.Discard)
	if err != nil {
		r.Fatal(err)
	}
	return s.JournalPath()
}

// runInto runs a command line without input, and returns its exit code.
func (r *testEnv) runInto(out, errOut io.Writer, args ...string) int {
	return Execute(r.Variables, args, strings.NewReader(""), out, errOut)
}

// runTogether runs command lines at the same time, so that their waits overlap. The results are in the same order.
func (r *testEnv) runTogether(lines ...[]string) []testenv.CommandResult {
	r.Helper()
	results := make([]testenv.CommandResult, len(lines))
	var all sync.WaitGroup
	for i, line := range lines {
		all.Go(func() { results[i] = r.Run(line...) })
	}
	all.Wait()
	return results
}
