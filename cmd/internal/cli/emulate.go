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
			`lookout emulate --listen 127.0.0.1:8080 --token demo --fault "GET /managed/services status=503 times=3"
lookout emulate --fault "POST /object-storage/keys late=15s" --fault "GET /managed/services stale=30s"`,
		),
		Long: "Serves the documented account API at an address on this machine, and prints the address first.\n" +
			"It reports every applied change on standard error.\n" + serviceHelp + "\n" + faultHelp,
		RunE: func(c *cobra.Command, _ []string) error { return runEmulator(c.Context(), listen, o, faults) },
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address on this machine; port 0 chooses a free port")
	c.Flags().StringVar(&o.Token, "token", "demo", "the token to accept")
	c.Flags().StringVar(&o.Seed, "seed", "demo", "the account to emulate: demo, empty or large")
	setFlagChoices(c.Flags(), "seed", "demo", "empty", "large")
	addServiceFlag(c, &o.Service)
	c.Flags().StringVar(
		&o.Scopes, "scopes", "",
		"scopes of the token, such as \"account:read_only object_storage:read_write\" (default: everything)",
	)
	c.Flags().BoolVar(
		&o.RestrictedUser,
		"restricted",
		false,
		"make the account's user restricted, with no access to Managed",
	)
	c.Flags().StringArrayVar(&faults, "fault", nil, "fault to inject; can be repeated")
	return c
}

// addServiceFlag adds --service to a command that emulates the API.
func addServiceFlag(c *cobra.Command, service *string) {
	c.Flags().StringVar(
		service, "service", emulator.ServiceDocument,
		"the API to emulate: 2021 (as documented) or now (as the real service works today)",
	)
	setFlagChoices(c.Flags(), "service", emulator.ServiceDocument, emulator.ServiceNow)
}

func checkService(name string) error {
	if !slices.Contains([]string{"", emulator.ServiceDocument, emulator.ServiceNow}, name) {
		return exit.Usage(fmt.Errorf("unknown service %q (use 2021 or now)", name))
	}
	return nil
}

// serviceHelp describes --service.
const serviceHelp = `--service now differs from the documentation where the real service does: newer buckets without ` +
	`a cluster, keys with regions, missing JSON members, {} as an object's access, a second cancellation of Object ` +
	`Storage that is rejected, enforced rate limits, and X-Filter that works only on a contact's group.`

// faultHelp describes --fault.
const faultHelp = `--fault takes a request and what should go wrong with it. ` +
	`The request is a method and a path, in which * stands for any text, or the name of an operation ` +
	`("disable service"). What goes wrong: status=503 sets the status, html sends a page instead of JSON, ` +
	`reset drops the connection, and cut=BYTES ends the response after that many bytes; delay=2s delays it; and ` +
	`retry-after=7 sets that header. If the word applied is added, a change takes effect even though the response ` +
	`is broken; with late=15s, it is applied 15 s after it arrived (with status 504 if nothing else is given). ` +
	`stale=30s answers reads with the account as it was 30 s ago; add alternate to do so only for every other read. ` +
	`times=3 affects only the first three requests.`

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
