package terminal

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// progressScreen shows progress: each key adds a percent, p panics, e ends the program.
type progressScreen struct{ percent int }

func (w *progressScreen) Init() tea.Cmd { return nil }

func (w *progressScreen) Update(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		w.percent++
		switch k.Text {
		case "p":
			panic("a crash")
		case "e":
			return Quit(0)
		}
	}
	return nil
}

func (w *progressScreen) Frame() Frame { return Frame{Content: "x", ProgressPercent: w.percent} }

// The progress bar follows the work, is written only when it changes, and is removed by every kind of exit.
func TestRun_clearsProgressBar(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(typed *io.PipeWriter, cancel func()){
		"quit":   func(typed *io.PipeWriter, _ func()) { _, _ = io.WriteString(typed, "e") },
		"panic":  func(typed *io.PipeWriter, _ func()) { _, _ = io.WriteString(typed, "p") },
		"hangup": func(typed *io.PipeWriter, _ func()) { typed.Close() },
		"cancel": func(_ *io.PipeWriter, cancel func()) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits for a first answer that does not come
			in, typed := io.Pipe()
			out := make(writeRecorder, 1000)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_, _ = Run(ctx, &progressScreen{}, Options{
					In:          in,
					Out:         out,
					Size:        func() (int, int) { return 10, 2 },
					ProgressBar: true,
				})
			}()
			for _, key := range "ab" {
				_, _ = io.WriteString(typed, string(key))
			}
			all := ""
			for !strings.Contains(all, progressSequence(2)) {
				all += out.next(t)
			}
			end(typed, cancel)
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				t.Fatal("the program does not end")
			}
			cancel()
			for len(out) > 0 {
				all += <-out
			}
			if strings.Count(all, progressSequence(1)) > 1 || strings.Count(all, progressSequence(2)) != 1 {
				t.Errorf("the bar is written again without a change: %q", all)
			}
			last := strings.LastIndex(all, "\x1b]9;4;")
			if !strings.HasPrefix(all[last:], progressSequence(0)) || !strings.HasSuffix(all, leaveSequence) {
				t.Errorf("the bar is not removed: %q", all[last:])
			}
		})
	}
}

// A bar that was removed is not removed again, and comes back with the next frame, even if the progress is the same.
func TestRenderer_clearProgressBar(t *testing.T) {
	out := make(writeRecorder, 100)
	p := newRenderer(out, func() {}, runUnprotected)
	p.hasProgressBar = true
	for range 2 {
		p.show(Frame{Content: "x", ProgressPercent: 7}, true)
		if text := out.next(t); !strings.Contains(text, progressSequence(7)) {
			t.Errorf("there is no bar: %q", text)
		}
		if first, again := p.clearProgressBar(), p.clearProgressBar(); first != progressSequence(0) || again != "" {
			t.Errorf("the bar is removed by %q, then by %q", first, again)
		}
	}
}

// A terminal without a progress bar receives no sequence for one.
func TestRun_noProgressBar(t *testing.T) {
	out := make(writeRecorder, 100)
	p := newRenderer(out, func() {}, runUnprotected)
	p.show(Frame{Content: "x", ProgressPercent: 7}, true)
	if text := out.next(t); strings.Contains(text, "9;4") || p.clearProgressBar() != "" {
		t.Errorf("%q", text)
	}
	for _, name := range []string{"TMUX", "STY", "TERM_PROGRAM", "VTE_VERSION", "WT_SESSION", "ConEmuANSI"} {
		t.Setenv(name, "")
	}
	if HasProgressBar() {
		t.Error("an unknown terminal has a progress bar")
	}
	t.Setenv("TERM_PROGRAM", "ghostty")
	if !HasProgressBar() {
		t.Error("ghostty has no progress bar")
	}
	t.Setenv("TMUX", "x")
	if HasProgressBar() {
		t.Error("tmux has a progress bar")
	}
}
