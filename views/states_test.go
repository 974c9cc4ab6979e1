package views_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"lookout/client/emulator"
)

// A paneState is one that every pane must be able to show, and how it comes about.
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

// Every pane in every state at four widths.
func TestGoldenStates(t *testing.T) {
	panes := []struct{ name, keys string }{
		{"overview", "1"},
		{"issues", "2"},
		{"services", "3"},
		{"contacts", "4"},
		{"credentials", "5"},
		{"ssh", "6"},
		{"stats", "7"},
		{"buckets", "8"},
		{"keys", "9"},
		{"clusters", "0"},
		{"transfers", ":transfers<enter>"},
	}
	sizes := [][2]int{{40, 16}, {80, 24}, {120, 36}, {200, 50}}
	for _, pane := range panes {
		for _, s := range paneStates() {
			if pane.name == "transfers" && s.name != "empty" {
				continue // they are this run's own, and asked of nobody
			}
			if s.name == "filtered" && (pane.name == "overview" || pane.name == "stats") {
				continue // they have no rows to filter
			}
			for _, size := range sizes {
				t.Run(fmt.Sprintf("%s/%s_%d", pane.name, s.name, size[0]), func(t *testing.T) {
					o := emulator.Options{Seed: s.seed}
					if s.opt != nil {
						s.opt(&o)
					}
					startWithEmulator(t, o, size[0], size[1], s.setup, func(r *harness) {
						r.press(strings.Fields(strings.ReplaceAll(pane.keys, "<", " <"))...)
						r.press(s.keys...)
						r.requireExactFrame()
						golden.RequireEqual(r.T, r.screen())
					})
				})
			}
		}
	}
}

// An open folder in every state at four widths.
func TestGoldenObjects(t *testing.T) {
	for _, s := range paneStates() {
		for _, size := range [][2]int{{40, 16}, {80, 24}, {120, 36}, {200, 50}} {
			t.Run(fmt.Sprintf("%s_%d", s.name, size[0]), func(t *testing.T) {
				startProgram(t, emulator.Options{}, size[0], size[1], func(r *harness) {
					label := "cdn.acme"
					switch s.name {
					case "empty":
						label = "scratch"
					case "loading":
						r.emu.HoldRequests("list objects")
					case "denied":
						r.emu.InjectFault(
							"list objects",
							emulator.Fault{Status: 403, Body: `{"errors":[{"reason":"Unauthorized"}]}`},
						)
					case "failed":
						r.emu.InjectFault(
							"list objects",
							emulator.Fault{Status: 400, Body: `{"errors":[{"reason":"No, not today"}]}`},
						)
					}
					r.press("8", "/", label, "<enter>", "<enter>")
					r.press(s.keys...)
					r.requireExactFrame()
					golden.RequireEqual(r.T, r.screen())
				})
			})
		}
	}
}
