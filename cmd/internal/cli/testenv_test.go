package cli

import (
	"io"
	"sync"
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/testenv"
)

type testEnv struct{ *testenv.Env }

func newTestEnv(t *testing.T, o emulator.Options) *testEnv {
	t.Helper()
	return &testEnv{testenv.New(t, o, Execute)}
}

// journalPath returns the path of the journal of the account in use.
func (r *testEnv) journalPath() string {
	r.Helper()
	s, err := config.Load(&config.Flags{}, io.Discard)
	if err != nil {
		r.Fatal(err)
	}
	return s.JournalPath()
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
