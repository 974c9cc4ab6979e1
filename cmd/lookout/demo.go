package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
)

func demoCommand(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use: "demo", Short: "Try it on an invented account: no token, no network", Args: nothing,
		RunE: func(c *cobra.Command, _ []string) error { return demo(c.Context(), f) },
	}
	f.ofScreen(c.Flags())
	return c
}

// demo runs the dashboard on the emulator in the same process. Nothing is dialled, and no configuration of a real account is read.
func demo(ctx context.Context, f *flags) error {
	token := client.NewSecret("demo")
	api := emulator.New(emulator.Options{Token: token.Reveal(), Seed: "demo", Lively: true})
	j := journal.Memory(time.Now)
	hush(&flags{config: os.DevNull})
	options := []client.Option{client.WithTransport(api), client.WithRecorder(j), client.WithDialect(client.Provider)}
	if f.readOnly {
		options = append(options, client.ReadOnly())
	}
	c, err := client.New("https://demo.invalid/v4", token, options...)
	if err != nil {
		return err
	}
	return show(ctx, f, settings{accountBlock: accountBlock{ReadOnly: f.readOnly}, Account: "acme-prod", Theme: f.theme, ASCII: f.ascii, Refresh: f.refresh, demo: true}, c, j)
}
