package views_test

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
)

// confirmKeys are the keys that confirm a question or send a form.
const confirmKeys = "y\r\x13"

// applyFuzzByte does what a byte of a script stands for: a key, another size, a paste or a wait.
func (r *harness) applyFuzzByte(b byte) {
	keys := map[byte]string{
		'\r': "<enter>",
		0x1b: "<esc>",
		'\t': "<tab>",
		0x13: "<ctrl+s>",
		0x01: "<up>",
		0x02: "<down>",
		0x03: "<left>",
		0x04: "<right>",
		0x08: "<backspace>",
		0x0f: "<ctrl+o>",
		0x10: "<ctrl+p>",
		0x0e: "<end>",
	}
	switch name := keys[b]; {
	case name != "":
		r.press(name)
	case b == 0x05 || b == 0x06 || b == 0x07:
		r.width, r.height = map[byte]int{0x05: 20, 0x06: 80, 0x07: 200}[b], map[byte]int{0x05: 5, 0x06: 24, 0x07: 60}[b]
		r.send(tea.WindowSizeMsg{Width: r.width, Height: r.height})
	case b == 0x0b:
		r.send(tea.PasteMsg{Content: "delete\nyes\n12"})
	case b == 0x0c:
		r.wait(15 * time.Second)
	case b == ' ':
		r.press("<space>")
	case b > ' ' && b < 0x7f:
		r.press(string(rune(b)))
	}
}

// fuzzScripts are the seeds of FuzzUpdate.
var fuzzScripts = []string{
	"", "3jjd", "3dy", "3d\x1by", "3n\x0b\x13", "4nabc\tx\x13", "8j\rD", "9jDy", "?esc\x1ba\r", ":serv\r",
	"/web\r  *d", "3\x05d\x06y", "2\r\x02\rd", "0m\x1b3e\x0c", "5jc\x0b\r", "8\r\rd\x0by", "9n\x13\x1b\x1bX\x0b\r",
	"pRr\x0cM", "3d\x13", "3jjd\x13u\x0cR", "3D\x0cbilling-api\r", "9D\x0cy", "4D\x0cy\x0c",
	"4D\x0cx", "4D\x0cY", "4D\x0cn", "9D\x0c ",
}

// Whatever the user presses, in any order and at any size, the program does not panic, every frame fits, the journal
// agrees with the emulator's ledger, and nothing changes unless something was confirmed.
func FuzzUpdate(f *testing.F) {
	faulttest.ReportCase(f, "J10", "FuzzUpdate")
	for _, script := range fuzzScripts {
		f.Add([]byte(script))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 40 {
			return
		}
		startProgram(t, emulator.Options{}, screenSize{100, 30}, func(r *harness) {
			confirmed := false
			for _, b := range script {
				confirmed = confirmed || strings.IndexByte(confirmKeys, b) >= 0
				r.applyFuzzByte(b)
				lines := strings.Split(r.screen(), "\n")
				for _, line := range lines {
					if ansi.StringWidth(line) > r.width || len(lines) > r.height {
						t.Fatalf("%q: a line of %d cells in a frame of %d lines, want at most %dx%d",
							script, ansi.StringWidth(line), len(lines), r.width, r.height)
					}
				}
			}
			r.wait(2 * time.Second)
			ledger := r.emu.Ledger()
			if !confirmed && len(ledger) != 0 {
				t.Errorf("%q changed something without an answer: %s", script, ledger[0].Op)
			}
			done := 0
			for _, e := range r.journal.Entries(time.Time{}) {
				if e.Outcome == client.Applied {
					done++
				}
			}
			if done != len(ledger) {
				t.Errorf("%q: %d changes were applied, and %d are done in the journal", script, len(ledger), done)
			}
		})
	})
}
