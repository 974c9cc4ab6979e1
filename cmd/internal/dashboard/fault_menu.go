package dashboard

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/emulator"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
)

// A faultMenu makes things go wrong in the demo, so that somebody can see how the program behaves then.
type faultMenu struct {
	resume func() // lets the client ask at once, whatever failed before
	api    *emulator.Emulator
	active atomic.Pointer[demoFault]
}

// A demoFault is one position of the dial.
type demoFault struct {
	name, description string
	match             string
	fault             emulator.Fault
}

// demoFaults are the positions beside off.
func demoFaults() []demoFault {
	return []demoFault{
		{
			"429",
			"too many requests: every answer asks to wait 15 s",
			"*",
			emulator.Fault{Status: http.StatusTooManyRequests, RetryAfter: "15"},
		},
		{"503", "the API is down for maintenance", "*", emulator.Fault{Status: http.StatusServiceUnavailable}},
		{"401", "the token is not accepted", "*", emulator.Fault{Status: http.StatusUnauthorized}},
		{"403", "nothing is allowed", "*", emulator.Fault{Status: http.StatusForbidden}},
		{"page", "a proxy answers with a page", "*", emulator.Fault{Status: http.StatusBadGateway, HTML: true}},
		{"cut", "answers break off in the middle", "GET *", emulator.Fault{CutAfter: 10}},
		{"slow", "every answer takes 4 s", "*", emulator.Fault{Delay: 4 * time.Second}},
		{"offline", "connections break", "*", emulator.Fault{Reset: true}},
		{
			"lost",
			"changes are made, and their answers are lost",
			"POST *",
			emulator.Fault{Reset: true, ApplyFirst: true},
		},
	}
}

// banner is what stands beside the account while something is wrong on purpose.
func (d *faultMenu) banner() string {
	if t := d.active.Load(); t != nil {
		return "FAULT " + t.name
	}
	return ""
}

// commands are the palette's: one for each position, and off.
func (d *faultMenu) commands() []shell.PaletteCommand {
	all := []shell.PaletteCommand{{Name: "demo off", Kind: "demo", Do: func() tea.Cmd {
		d.api.ClearFaults()
		d.active.Store(nil)
		d.resume()
		return tea.Batch(ui.ShowNews(theme.Good, "nothing is wrong any more"), ui.Send(ui.RefreshMsg{}))
	}}}
	for _, t := range demoFaults() {
		all = append(all, shell.PaletteCommand{Name: "demo " + t.name, Kind: "demo", Do: func() tea.Cmd {
			d.api.ClearFaults()
			d.api.InjectFault(t.match, t.fault)
			d.active.Store(&t)
			d.resume()
			return tea.Batch(
				ui.ShowNews(theme.Warn, fmt.Sprintf("wrong on purpose: %s · :demo off ends it", t.description)),
				ui.Send(ui.RefreshMsg{}),
			)
		}})
	}
	return all
}

// DemoFaultNames are the positions in words.
func DemoFaultNames() string {
	var names []string
	for _, t := range demoFaults() {
		names = append(names, t.name)
	}
	return strings.Join(names, ", ")
}
