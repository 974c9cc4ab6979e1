package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"lookout/ui"
	"lookout/ui/uitest"
)

// pressWindow runs the action that has a key.
func pressWindow(t *testing.T, w *ui.LongTextView, key string) {
	t.Helper()
	for _, a := range w.Actions() {
		for _, name := range a.Key.Keys() {
			if name == key {
				a.Do()
				return
			}
		}
	}
	t.Fatalf("no action has the key %q", key)
}

// Scrolling shows every line of a text once and in order, down and up again, and stops at both ends.
func TestTextWindow_scrollsThroughTheWholeText(t *testing.T) {
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "line %d%s\n", i, strings.Repeat(" and more words", i%40))
	}
	text.WriteString(strings.Repeat("long line 日本 ", 500))
	clean := func(s string) string { return s }
	b := uitest.NewBox(t, 40, 10)
	w := ui.NewTextWindow(text.String(), clean)
	var down []string
	for before := ""; ; {
		view := w.View(b)
		if view == before {
			down = append(down, strings.Split(view, "\n")[1:]...)
			break
		}
		down, before = append(down, strings.Split(view, "\n")[0]), view
		pressWindow(t, w, "j")
	}
	words := strings.Fields(strings.Join(down, " "))
	if want := strings.Fields(text.String()); strings.Join(words, " ") != strings.Join(want, " ") {
		t.Errorf("%d words are shown of %d", len(words), len(want))
	}
	for i := len(down) - b.Height; i >= 0; i-- {
		if first, _, _ := strings.Cut(w.View(b), "\n"); first != down[i] {
			t.Fatalf("line %d on the way up is %q; want %q", i, first, down[i])
		}
		pressWindow(t, w, "k")
	}
	pressWindow(t, w, "G")
	if last := strings.Split(w.View(b), "\n"); last[b.Height-1] != down[len(down)-1] {
		t.Errorf("the last line is %q; want %q", last[b.Height-1], down[len(down)-1])
	}
	pressWindow(t, w, "g")
	if first, _, _ := strings.Cut(w.View(b), "\n"); first != down[0] {
		t.Errorf("the first line is %q; want %q", first, down[0])
	}
}

// A page is one line less than the window, so that a line stays in sight. A window without height or width is empty.
func TestTextWindow_pages(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	w := ui.NewTextWindow(text.String(), func(s string) string { return s + "!" })
	b := uitest.NewBox(t, 40, 10)
	for _, step := range []struct{ key, want string }{
		{"j", "line 1!"}, {"pgdown", "line 10!"}, {"pgdown", "line 19!"}, {"pgup", "line 10!"}, {"k", "line 9!"},
		{"pgup", "line 0!"}, {"pgup", "line 0!"},
	} {
		w.View(b)
		pressWindow(t, w, step.key)
		if first, _, _ := strings.Cut(w.View(b), "\n"); strings.TrimSpace(first) != step.want {
			t.Errorf("after %s: %q, want %q", step.key, first, step.want)
		}
	}
	for _, size := range [][2]int{{0, 10}, {40, 0}, {-1, -1}} {
		if got := w.View(uitest.NewBox(t, size[0], size[1])); got != "" {
			t.Errorf("%v: %q", size, got)
		}
	}
}
