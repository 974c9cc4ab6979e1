package views_test

import (
	"strings"
	"testing"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/views"
)

// paneState is a state that every pane must be able to show, and how it is reached.
type paneState struct {
	name  string
	seed  string
	opt   func(*emulator.Options)
	setup func(*emulator.Emulator)
	keys  []string
}

func paneStates() []paneState {
	return []paneState{
		{name: "full"},
		{name: "empty", seed: "empty"},
		{name: "loading", setup: func(e *emulator.Emulator) { e.HoldRequests("*") }},
		{name: "filtered", keys: []string{"/", "zzz", "<enter>"}},
		{name: "denied", opt: func(o *emulator.Options) { o.Scopes = "domains:read_only" }},
		{name: "failed", setup: func(e *emulator.Emulator) {
			e.InjectFault("*", emulator.Fault{Status: 400, Body: `{"errors":[{"reason":"No, not today"}]}`})
		}},
	}
}

// A goldenPane is a tab and the keys that go to it.
type goldenPane struct{ name, keys string }

// goldenPanes returns all tabs but the journal, which has a golden file of its own.
func goldenPanes(t *testing.T) []goldenPane {
	t.Helper()
	var panes []goldenPane
	all := views.Panes(account.New(t.Context(), account.Options{API: &client.Client{}}))
	for i, key := range tabKeys(all) {
		if name := all[i].Name(); name != "journal" {
			panes = append(panes, goldenPane{name, key})
		}
	}
	return panes
}

// TestGoldenPanes compares every pane in every state at four sizes with a golden file for each pane.
func TestGoldenPanes(t *testing.T) {
	t.Parallel()
	for _, pane := range goldenPanes(t) {
		t.Run(pane.name, func(t *testing.T) {
			var all paneGolden
			for _, s := range paneStates() {
				if pane.name == "transfers" && s.name != "empty" {
					continue // they are this run's own, and asked of nobody
				}
				if s.name == "filtered" && (pane.name == "overview" || pane.name == "stats") {
					continue // they have no rows to filter
				}
				for _, size := range goldenSizes {
					o := emulator.Options{Seed: s.seed, Service: emulator.ServiceDocument}
					if s.opt != nil {
						s.opt(&o)
					}
					startWithEmulator(t, o, size, s.setup, func(r *harness) {
						r.press(strings.Fields(strings.ReplaceAll(pane.keys, "<", " <"))...)
						r.press(s.keys...)
						all.add(r, s.name)
					})
				}
			}
			all.requireEqual(t)
		})
	}
}

// TestGoldenObjects compares an open folder in every state at four sizes with a golden file.
func TestGoldenObjects(t *testing.T) {
	t.Parallel()
	faults := map[string]emulator.Fault{
		"denied": {Status: 403, Body: `{"errors":[{"reason":"Unauthorized"}]}`},
		"failed": {Status: 400, Body: `{"errors":[{"reason":"No, not today"}]}`},
	}
	var all paneGolden
	for _, s := range paneStates() {
		for _, size := range goldenSizes {
			startProgram(t, emulator.Options{Service: emulator.ServiceDocument}, size, func(r *harness) {
				label := "cdn.acme"
				if s.name == "empty" {
					label = "scratch"
				}
				if s.name == "loading" {
					r.emu.HoldRequests("list objects")
				}
				if fault, ok := faults[s.name]; ok {
					r.emu.InjectFault("list objects", fault)
				}
				r.press("8", "/", label, "<enter>", "<enter>")
				r.press(s.keys...)
				all.add(r, s.name)
			})
		}
	}
	all.requireEqual(t)
}
