package terminal

import (
	"strings"
	"testing"
)

// A notification ends where it should, whatever its text contains, and is wrapped for tmux and screen.
func TestNotificationSequence(t *testing.T) {
	const hostile = "a\x1b]52;c;eA==\a;b\u009d"
	for name, c := range map[string]struct {
		methods      []string
		title, text  string
		tmux, screen bool
		want         string
	}{
		"hostile text": {
			methods: []string{"bell", "osc9", "osc777"},
			title:   "lookout acme",
			text:    hostile,
			want: "\a\x1b]9;lookout acme: a]52;c;eA==;b\a" +
				"\x1b]777;notify;lookout acme;a]52,c,eA==,b\a",
		},
		"hostile title": {
			methods: []string{"osc9", "osc777"},
			title:   hostile,
			text:    "down",
			want:    "\x1b]9;a]52;c;eA==;b: down\a\x1b]777;notify;a]52,c,eA==,b;down\a",
		},
		"long": {
			methods: []string{"osc9"},
			title:   strings.Repeat("é", 201),
			text:    strings.Repeat("x", 100_000),
			want:    "\x1b]9;" + strings.Repeat("é", 200) + ": " + strings.Repeat("x", 200) + "\a",
		},
		"tmux": {
			methods: []string{"osc9"},
			title:   "t",
			text:    "x",
			tmux:    true,
			want:    "\x1bPtmux;\x1b\x1b]9;t: x\a\x1b\\",
		},
		"screen": {
			methods: []string{"osc9"},
			title:   "t",
			text:    "x",
			screen:  true,
			want:    "\x1bP\x1b]9;t: x\a\x1b\\",
		},
		"no method": {title: "t", text: "x"},
	} {
		if got := notificationSequence(c.methods, c.title, c.text, c.tmux, c.screen); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
