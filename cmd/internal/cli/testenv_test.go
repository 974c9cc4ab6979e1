package cli

import (
	"io"
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
