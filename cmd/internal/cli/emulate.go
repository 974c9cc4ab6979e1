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

	"lookout/client"
	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
)

func emulateCommand() *cobra.Command {
	var listen string
	var o emulator.Options
	var faults []string
	c := &cobra.Command{
		Use:   "emulate",
		Short: "Run an emulation of the API on this machine, for any HTTP client",
		Args:  NoArgs,
		Example: indentExamples(
			`lookout emulate --listen 127.0.0.1:8080 --token demo --fault "GET /managed/services status=503 times=3"
lookout emulate --fault "POST /object-storage/keys late=15s" --fault "GET /managed/services stale=30s"`,
		),
		Long: "Prints the address of the API, then reports every applied change on standard error.\n" + serviceHelp +
			"\n" + faultHelp,
		RunE: func(c *cobra.Command, _ []string) error { return runEmulator(c.Context(), listen, o, faults) },
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address on this machine; port 0 chooses a free port")
	c.Flags().StringVar(&o.Token, "token", "demo", "the token to accept")
	c.Flags().StringVar(&o.Seed, "seed", "demo", "the account to emulate: demo, empty or large")
	config.CompleteValues(c.Flags(), "seed", "demo", "empty", "large")
	addServiceFlag(c, &o.Service)
	c.Flags().StringVar(
		&o.Scopes, "scopes", "",
		"scopes of the token, such as \"account:read_only object_storage:read_write\" (default: everything)",
	)
	c.Flags().BoolVar(
		&o.RestrictedUser,
		"restricted",
		false,
		"emulate a restricted user, who has no access to Managed monitoring",
	)
	c.Flags().StringArrayVar(&faults, "fault", nil, "fault to inject; can be repeated")
	return c
}

// addServiceFlag adds --service to a command that emulates the API.
func addServiceFlag(c *cobra.Command, service *string) {
	c.Flags().StringVar(
		service, "service", emulator.ServiceDocument,
		"API behaviour to emulate: 2021 (as in the documentation of that year) or now (as the live API behaves)",
	)
	config.CompleteValues(c.Flags(), "service", emulator.ServiceDocument, emulator.ServiceNow)
}

func checkService(name string) error {
	if !slices.Contains([]string{"", emulator.ServiceDocument, emulator.ServiceNow}, name) {
		return exit.Usage(fmt.Errorf("unknown service %q (use 2021 or now)", name))
	}
	return nil
}

// serviceHelp describes --service.
const serviceHelp = `--service now differs from the documentation where the live API does: newer buckets have no ` +
	`cluster, keys have regions, some JSON members are missing, an object's access may be {}, a second cancellation ` +
	`of Object Storage is rejected, rate limits are enforced, and X-Filter works only on a contact's group.`

// faultHelp describes --fault.
const faultHelp = `--fault takes a request and what should go wrong with it. The request is a method and a ` +
	`path, in which * stands for any text, or an operation as the journal names it, such as "disable service". What ` +
	`goes wrong:

    status=503     set the status
    html           send a web page instead of JSON
    reset          drop the connection
    cut=BYTES      end the response after that many bytes
    delay=2s       delay the response
    retry-after=7  set that header
    applied        apply the change even though the response is broken
    late=15s       apply the change 15 s later (status 504 unless another is given)
    stale=30s      answer reads with the account as it was 30 s ago
    alternate      with stale: only every other read
    old-row        answer a change with the old row; apply it only with applied or late
    times=3        affect only the first three requests`

func runEmulator(ctx context.Context, listen string, o emulator.Options, faults []string) error {
	if !slices.Contains([]string{"demo", "empty", "large"}, o.Seed) {
		return exit.Usage(fmt.Errorf("unknown seed %q (use demo, empty or large)", o.Seed))
	}
	if err := checkService(o.Service); err != nil {
		return err
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", client.Clean(listen), err)
	}
	defer l.Close()
	o.SimulateIncidents, o.BaseURL = o.Seed == "demo", "http://"+l.Addr().String()
	e := emulator.New(o)
	for _, spec := range faults {
		if err := e.InjectSpec(spec); err != nil {
			return exit.Usage(err)
		}
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
