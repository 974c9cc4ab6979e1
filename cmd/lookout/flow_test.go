package main

import (
	"context"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/ui/terminal/termtest"
)

// program runs the dashboard on an emulated account in a virtual terminal.
func program(t *testing.T, api *emulator.Emulator, width, height int) *termtest.T {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	j := journal.Memory(time.Now)
	c, err := client.New("https://demo.invalid/v4", client.NewSecret("demo"), client.WithTransport(api), client.WithRecorder(j))
	if err != nil {
		t.Fatal(err)
	}
	s, err := assemble(ctx, &flags{noMouse: true}, settings{Account: "acme-prod", Theme: "dark"}, c, j)
	if err != nil {
		t.Fatal(err)
	}
	return termtest.New(t, width, height, s)
}

func TestStartReadQuit(t *testing.T) {
	t.Setenv("LANG", "C.UTF-8")
	v := program(t, emulator.New(emulator.Options{Token: "demo"}), 120, 36)
	v.WaitFor("Services 14")
	v.Type("3")
	v.WaitFor("edge-router")
	v.Type("q")
	if code := v.Ended(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
