package cli

import (
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
)

// A fault with a typo is a usage error that names the nearest request, and nothing is served.
func TestEmulate_refusesUnknownFaults(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for _, c := range []struct{ fault, want string }{
		{"GET /manged/services status=503", `did you mean "GET /managed/services"?`},
		{"GET /managed/services status=503 rest", `unknown word "rest"`},
	} {
		r.CheckResult(r.Run("emulate", "--listen", "127.0.0.1:0", "--fault", c.fault), exit.CodeUsage, c.want)
	}
}

// An unknown service is a usage error.
func TestEmulate_refusesUnknownServices(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for _, command := range []string{"emulate", "demo"} {
		r.CheckResult(r.Run(command, "--service", "1999"), exit.CodeUsage, "use 2021 or now")
	}
}
