package main

import (
	"io"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/adrg/xdg"

	"lookout/client/emulator"
	"lookout/cmd/internal/cli"
	"lookout/cmd/internal/testenv"
)

// testEnv is an account and the environment variables that point at it. Programs get them when they start, and command
// lines in this process one after the other, so that tests run at once.
type testEnv struct{ *testenv.Env }

// outerVariables are the environment variables that the tests were started with. outerPath is one of them.
var outerVariables, outerPath = os.Environ(), os.Getenv("PATH")

func newTestEnv(t *testing.T, o emulator.Options) *testEnv {
	t.Helper()
	return &testEnv{testenv.NewParallel(t, o, execute)}
}

// with returns the environment, with the same variables, for a subtest.
func (r *testEnv) with(t *testing.T) *testEnv { return &testEnv{r.With(t)} }

// environ returns all variables for a program.
func (r *testEnv) environ() []string {
	all := slices.Clone(outerVariables)
	for name, value := range r.Variables {
		all = append(all, name+"="+value)
	}
	return all
}

// processVariables is held while the variables of this process are those of one test.
var processVariables sync.Mutex

// execute runs a command line in this process, whose variables it sets meanwhile: some of them reach the terminal.
func execute(env map[string]string, args []string, in io.Reader, out, errOut io.Writer) int {
	processVariables.Lock()
	defer processVariables.Unlock()
	for name, value := range env {
		before, is := os.LookupEnv(name)
		_ = os.Setenv(name, value)
		defer func() {
			_ = os.Unsetenv(name)
			if is {
				_ = os.Setenv(name, before)
			}
		}()
	}
	xdg.Reload()
	return cli.Execute(nil, args, in, out, errOut)
}
