package terminal

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// working is a screen with work under way: each key is a percent, p panics, e ends.
type working struct{ percent int }

func (w *working) Init() tea.Cmd { return nil }

func (w *working) Update(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		w.percent++
		switch k.Text {
		case "p":
			panic("a fault")
		case "e":
			return Quit(0)
		}
	}
	return nil
}

func (w *working) Frame() Frame { return Frame{Content: "x", Percent: w.percent} }

// The terminal's progress bar follows the work, is written only when it changes, and is taken away on every way out.
func TestProgressBarIsTakenAway(t *testing.T) {
	for name, end := range map[string]func(typed *io.PipeWriter, cancel func()){
		"quit":   func(typed *io.PipeWriter, _ func()) { _, _ = io.WriteString(typed, "e") },
		"panic":  func(typed *io.PipeWriter, _ func()) { _, _ = io.WriteString(typed, "p") },
		"hangup": func(typed *io.PipeWriter, _ func()) { typed.Close() },
		"cancel": func(_ *io.PipeWriter, cancel func()) { cancel() },
	} {
		in, typed := io.Pipe()
		out := make(written, 1000)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = Run(ctx, &working{}, Options{In: in, Out: out, Size: func() (int, int) { return 10, 2 }, Progress: true})
		}()
		for _, key := range "ab" {
			_, _ = io.WriteString(typed, string(key))
		}
		all := ""
		for !strings.Contains(all, progress(2)) {
			all += out.next(t)
		}
		end(typed, cancel)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: it does not end", name)
		}
		cancel()
		for len(out) > 0 {
			all += <-out
		}
		if strings.Count(all, progress(1)) > 1 || strings.Count(all, progress(2)) != 1 {
			t.Errorf("%s: written again without a change: %q", name, all)
		}
		last := strings.LastIndex(all, "\x1b]9;4;")
		if !strings.HasPrefix(all[last:], progress(0)) || !strings.HasSuffix(all, leave) {
			t.Errorf("%s: the bar stands: %q", name, all[last:])
		}
	}
}

// A terminal that has no such bar gets nothing, and one without work gets nothing either.
func TestNoProgressWithoutABar(t *testing.T) {
	out := make(written, 100)
	p := newPainter(out, func() {}, bare)
	p.show(Frame{Content: "x", Percent: 7}, true)
	if text := out.next(t); strings.Contains(text, "9;4") || p.unbarred() != "" {
		t.Errorf("%q", text)
	}
	for _, name := range []string{"TMUX", "STY", "TERM_PROGRAM", "VTE_VERSION", "WT_SESSION", "ConEmuANSI"} {
		t.Setenv(name, "")
	}
	if HasProgress() {
		t.Error("an unknown terminal is taken to have a bar")
	}
	t.Setenv("TERM_PROGRAM", "ghostty")
	if !HasProgress() {
		t.Error("a terminal that has a bar is not known")
	}
	t.Setenv("TMUX", "x")
	if HasProgress() {
		t.Error("within tmux it would be a notification")
	}
}
