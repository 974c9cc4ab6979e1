package dashboard

import (
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/testenv"
)

type testEnv struct{ *testenv.Env }

func newTestEnv(t *testing.T, o emulator.Options) *testEnv {
	t.Helper()
	return &testEnv{testenv.New(t, o, nil)}
}
