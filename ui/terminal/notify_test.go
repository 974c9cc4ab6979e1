package terminal

import "testing"

// What leaves the screen ends where it should, whatever stands in it, and gets through tmux and screen.
func TestNotificationSequence(t *testing.T) {
	ways := []string{"bell", "osc9", "osc777"}
	const hostile = "a\x1b]52;c;eA==\a;b\u009d"
	if got, want := notificationSequence(ways, "lookout acme", hostile, false, false), "\a\x1b]9;lookout acme: "+
		"a]52;c;eA==;b\a\x1b]777;notify;lookout acme;a]52,c,eA==,b\a"; got != want {
		t.Errorf("%q", got)
	}
	if got, want := notificationSequence(ways[1:2], "t", "x", true, false), "\x1bPtmux;\x1b\x1b]9;t: x\a\x1b\\"; got != want {
		t.Errorf("tmux: %q", got)
	}
	if got, want := notificationSequence(ways[1:2], "t", "x", false, true), "\x1bP\x1b]9;t: x\a\x1b\\"; got != want {
		t.Errorf("screen: %q", got)
	}
	if got := notificationSequence(nil, "t", "x", false, false); got != "" {
		t.Errorf("off: %q", got)
	}
}
