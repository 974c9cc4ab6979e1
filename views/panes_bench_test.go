package views

import (
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
)

// BenchmarkPanes draws a frame of every pane at 200x50, with 5,000 services and 10,000 contacts.
func BenchmarkPanes(b *testing.B) {
	now := time.Now()
	api, err := client.New(
		"https://api.example.test/v4", client.NewSecret("t"),
		client.WithTransport(emulator.New(emulator.Options{Token: "t", Seed: "large"})),
	)
	if err != nil {
		b.Fatal(err)
	}
	look, err := theme.New("dark", colorprofile.TrueColor, false)
	if err != nil {
		b.Fatal(err)
	}
	room := ui.Box{
		Width:   200,
		Height:  47,
		Focused: true,
		Theme:   look,
		Now:     now,
	}
	options := account.Options{
		Executor: &lists.Inline{},
		API:      api,
		Journal:  journal.NewInMemory(time.Now),
		Location: time.UTC,
	}
	for _, pane := range Panes(account.New(b.Context(), options)) {
		b.Run(pane.Name(), func(b *testing.B) {
			pane.Refresh()
			pane.View(room)
			if w, ok := pane.(interface{ LoadMissing() }); ok {
				w.LoadMissing()
			}
			b.ReportAllocs()
			for b.Loop() {
				pane.View(room)
			}
		})
	}
}
