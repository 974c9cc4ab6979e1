package views_test

import (
	"fmt"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"lookout/client/emulator"
)

// A state is one that every pane must be able to show, and how it comes about.
type state struct {
	name  string
	seed  string
	opt   func(*emulator.Options)
	setup func(*emulator.Emulator)
	keys  []string
}

func states() []state {
	return []state{
		{name: "full"},
		{name: "empty", seed: "empty"},
		{name: "loading", setup: func(e *emulator.Emulator) { e.Hold("*") }},
		{name: "filtered", keys: []string{"/", "zzz", "<enter>"}},
		{name: "denied", opt: func(o *emulator.Options) { o.Scopes = "domains:read_only" }},
		{name: "failed", setup: func(e *emulator.Emulator) {
			e.Fail("*", emulator.Fault{Status: 400, Body: `{"errors":[{"reason":"No, not today"}]}`})
		}},
	}
}

// Every pane in every state at four widths.
func TestGoldenStates(t *testing.T) {
	panes := []struct{ name, key string }{{"overview", "1"}, {"issues", "2"}, {"services", "3"}, {"contacts", "4"}, {"credentials", "5"}, {"ssh", "6"}, {"stats", "7"}}
	sizes := [][2]int{{40, 16}, {80, 24}, {120, 36}, {200, 50}}
	for _, pane := range panes {
		for _, s := range states() {
			if s.name == "filtered" && (pane.name == "overview" || pane.name == "stats") {
				continue // they have no rows to filter
			}
			for _, size := range sizes {
				t.Run(fmt.Sprintf("%s/%s_%d", pane.name, s.name, size[0]), func(t *testing.T) {
					o := emulator.Options{Seed: s.seed}
					if s.opt != nil {
						s.opt(&o)
					}
					started(t, o, size[0], size[1], s.setup, func(r *rig) {
						r.press(pane.key)
						r.press(s.keys...)
						r.exact()
						golden.RequireEqual(r.T, r.screen())
					})
				})
			}
		}
	}
}
