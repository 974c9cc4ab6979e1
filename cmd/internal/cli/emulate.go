package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
)

func emulateCommand() *cobra.Command {
	var listen string
	var o emulator.Options
	var faults []string
	c := &cobra.Command{
		Use:   "emulate",
		Short: "Serve the emulated API on this machine for any HTTP client",
		Args:  NoArgs,
		Example: indentExamples(
			"lookout emulate --listen 127.0.0.1:8080 --token demo --fault \"GET /managed/services status=503 times=3\"",
		),
		Long: "Serves the documented account API on an address of this machine, and prints the address first.\n" +
			"It reports every applied change on standard error.\nFaults: \"GET /managed/services " +
			"status=503 times=3\", also reset, html, cut=N, delay=2s, applied, retry-after=7.",
		RunE: func(c *cobra.Command, _ []string) error { return runEmulator(c.Context(), listen, o, faults) },
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address of this machine, port 0 chooses a free one")
	c.Flags().StringVar(&o.Token, "token", "demo", "the token that is accepted")
	c.Flags().StringVar(&o.Seed, "seed", "demo", "the account: demo, empty or large")
	setFlagChoices(c.Flags(), "seed", "demo", "empty", "large")
	c.Flags().StringVar(
		&o.Scopes, "scopes", "",
		"what the token may do, as \"account:read_only object_storage:read_write\" (default: everything)",
	)
	c.Flags().BoolVar(&o.RestrictedUser, "restricted", false, "its user is restricted: no access to Managed")
	c.Flags().StringArrayVar(&faults, "fault", nil, "fault to inject; may be given several times")
	return c
}

func runEmulator(ctx context.Context, listen string, o emulator.Options, faults []string) error {
	if !slices.Contains([]string{"demo", "empty", "large"}, o.Seed) {
		return exit.Usage(fmt.Errorf("unknown seed %q (use demo, empty or large)", o.Seed))
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	o.SimulateIncidents, o.BaseURL = o.Seed == "demo", "http://"+l.Addr().String()
	e := emulator.New(o)
	for _, spec := range faults {
		match, fault, err := emulator.ParseFault(spec)
		if err != nil {
			return exit.Usage(err)
		}
		e.InjectFault(match, fault)
		fmt.Fprintf(os.Stderr, "injected fault: %s\n", spec)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	fmt.Printf("listening on http://%s/v4\n", l.Addr())
	go logChanges(ctx, e)
	return emulator.Serve(ctx, l, e)
}

// logChanges writes every applied change to standard error.
func logChanges(ctx context.Context, e *emulator.Emulator) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for told := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			ledger := e.Ledger()
			for ; told < len(ledger); told++ {
				a := ledger[told]
				fmt.Fprintf(
					os.Stderr, "%d %s %s %s %s\n", a.Seq, a.Time.UTC().Format(time.TimeOnly), a.Op, a.Method, a.Path,
				)
			}
		}
	}
}
