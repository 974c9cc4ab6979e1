package dashboard

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/emulator"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
)

// A faultMenu injects faults into the demo, to show how lookout behaves then.
type faultMenu struct {
	resume func() // ends the client's wait after failures
	api    *emulator.Emulator
	active atomic.Pointer[demoFault]
}

// A demoFault is one entry of the menu.
type demoFault struct {
	name, description string
	match             string
	fault             emulator.Fault
}

// demoFaults returns the faults of the menu.
func demoFaults() []demoFault {
	return []demoFault{
		{
			"429",
			"too many requests: every response says to wait 15 s",
			"*",
			emulator.Fault{Status: http.StatusTooManyRequests, RetryAfter: "15"},
		},
		{"503", "the API is down for maintenance", "*", emulator.Fault{Status: http.StatusServiceUnavailable}},
		{"401", "the token is not accepted", "*", emulator.Fault{Status: http.StatusUnauthorized}},
		{"403", "nothing is allowed", "*", emulator.Fault{Status: http.StatusForbidden}},
		{"page", "a proxy responds with a web page", "*", emulator.Fault{Status: http.StatusBadGateway, HTML: true}},
		{"cut", "responses break off in the middle", "GET *", emulator.Fault{CutAfter: 10}},
		{"slow", "every response takes 4 s", "*", emulator.Fault{Delay: 4 * time.Second}},
		{"offline", "connections break", "*", emulator.Fault{Reset: true}},
		{
			"lost",
			"changes are applied, but the responses are lost",
			"POST *",
			emulator.Fault{Reset: true, ApplyFirst: true},
		},
		{
			"late",
			"changes return 504 and are applied 15 s later",
			"POST *",
			emulator.Fault{Late: 15 * time.Second},
		},
		{
			"stale",
			"every other read shows the account as it was 30 s ago",
			"GET *",
			emulator.Fault{Stale: 30 * time.Second, Alternate: true},
		},
	}
}

// banner returns the label beside the account while a fault is injected.
func (d *faultMenu) banner() string {
	if t := d.active.Load(); t != nil {
		return "FAULT " + t.name
	}
	return ""
}

// commands returns the commands of the palette: one per fault, and off.
func (d *faultMenu) commands() []shell.PaletteCommand {
	all := []shell.PaletteCommand{{Name: "demo off", Kind: "demo", Do: func() tea.Cmd {
		d.api.ClearFaults()
		d.active.Store(nil)
		d.resume()
		return tea.Batch(ui.ShowStatus(theme.Good, "fault ended"), ui.Send(ui.RefreshMsg{}))
	}}}
	for _, t := range demoFaults() {
		all = append(all, shell.PaletteCommand{Name: "demo " + t.name, Kind: "demo", Do: func() tea.Cmd {
			d.api.ClearFaults()
			d.api.InjectFault(t.match, t.fault)
			d.active.Store(&t)
			d.resume()
			return tea.Batch(
				ui.ShowStatus(theme.Warn, fmt.Sprintf("simulated fault: %s · :demo off stops it", t.description)),
				ui.Send(ui.RefreshMsg{}),
			)
		}})
	}
	return all
}

// DemoFaultHelp lists the faults and what they do, one per line.
func DemoFaultHelp() (text string) {
	for _, t := range demoFaults() {
		text += "\n    " + t.name + ": " + t.description
	}
	return text
}
