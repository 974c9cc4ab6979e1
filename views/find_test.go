package views_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lookout/client/emulator"
)

// However far the columns of services scroll sideways, each row says which service it is.
func TestServices_scrollColumns_keepsLabel(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.press("3")
		header := func() string { return r.paneLines()[0] }
		if strings.Contains(header(), "updated") {
			t.Fatalf("every column is in sight at once:\n%s", r.screen())
		}
		for range 9 {
			r.press("<right>")
			r.requireText("billing-api", "billing-cron", "web-1")
		}
		if !strings.Contains(header(), "updated") {
			t.Fatalf("the last column does not come into sight:\n%s", r.screen())
		}
	})
}

// A filter with an unknown column says so and names the columns; it hides no row, and enter does not close it.
func TestFilter_unknownColumn(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{100, 30}, func(r *harness) {
		r.press("3", "/", "grup:web")
		r.requireText(`unknown column "grup" · columns: state, label, type, address`, "billing-api", "web-1")
		r.press("<enter>", "x")
		r.requireText("/grup:webx", `unknown column "grup"`, "billing-api")
		for range "up:webx" {
			r.press("<backspace>")
		}
		r.press("oup:web", "<enter>")
		r.requireText("/group:web", "web-1", "match")
		r.requireNoText("unknown column", "billing-api")
		r.press("d")
		r.requireText("Disable monitoring")
	})
}

// What is typed on the way to a filter never empties the list of services.
func TestFilter_unfinishedInputHidesNothing(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{100, 30}, func(r *harness) {
		r.press("3")
		for _, typed := range []string{
			"group:web", "!group:web", "state:problem|disabled", "off:>1d", "timeout:>=30", `"billing-api"`,
			"updated:<9999d",
			"updated:>2020-01-01", "issue:<1h", "web | billing", `group:""`,
		} {
			r.press("/")
			for _, letter := range typed {
				r.send(tea.KeyPressMsg{Code: letter, Text: string(letter)})
				if !strings.Contains(r.screen(), "▸") {
					t.Fatalf("%s: no row is left:\n%s", typed, r.screen())
				}
			}
			r.press("<enter>")
			r.requireText("/"+typed, " of 14 match")
			r.press("<esc>")
		}
	})
}

// Values that are compared are those of the API, not the cells'.
func TestFilter_comparesValues(t *testing.T) {
	for _, c := range []struct {
		pane, filter string
		shown, gone  []string
	}{
		{"3", "off:>1d", []string{"billing-cron"}, []string{"billing-api", "web-1"}},
		{"3", "group:", []string{"status-page"}, []string{"billing-api", "web-1"}},
		{"3", "!issue:", []string{"billing-api"}, []string{"billing-cron", "web-1"}},
		{"3", `state:problem|disabled !"billing-api"`, []string{"billing-cron"}, []string{"billing-api", "web-1"}},
		{"2", "age:<1h", []string{"48213"}, []string{"48190"}},
		{"2", "ticket:=48213", []string{"48213"}, []string{"48190"}},
		{"8", "size:>100GiB", []string{"acme-backups"}, []string{"acme-assets"}},
		{"8", "objects:<1,000 | bucket:backups", []string{"acme-backups"}, []string{"acme-assets"}},
	} {
		startProgram(t, emulator.Options{}, screenSize{100, 30}, func(r *harness) {
			r.press(c.pane, "/", c.filter, "<enter>")
			list, _, _ := strings.Cut(r.screen(), "/"+c.filter)
			for _, text := range c.shown {
				if !strings.Contains(list, text) {
					t.Errorf("%s: %s is hidden:\n%s", c.filter, text, r.screen())
				}
			}
			for _, text := range c.gone {
				if strings.Contains(list, text) {
					t.Errorf("%s: %s is shown:\n%s", c.filter, text, r.screen())
				}
			}
		})
	}
}
