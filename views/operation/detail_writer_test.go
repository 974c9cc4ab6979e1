package operation

import (
	"strings"
	"testing"

	"lookout/client"
	"lookout/ui/uitest"
)

// A detail shows the beginning of a long text and how much more there is; enter opens all of it.
func TestDetailWriter_shortensLongTexts(t *testing.T) {
	long := strings.Repeat("a line of notes\n", 10_000)
	service := &client.Service{Label: client.NewText("web-1")}
	service.Notes.ServerText = client.NewText(long)
	w := NewDetailWriter(uitest.NewBox(t, 60, 20))
	w.ServerText(service.Notes.Raw())
	last := w.Lines[len(w.Lines)-1]
	if len(w.Lines) != maxFieldLines+1 || !strings.Contains(last, "… 153 KiB more · enter") {
		t.Errorf("%d lines, the last one is %q", len(w.Lines), last)
	}
	texts := LongTexts(service)
	if len(texts) != 1 || texts[0].Title != "notes" || texts[0].Text != long {
		t.Errorf("%d texts are long: %.80q", len(texts), texts)
	}
	service.Notes.ServerText = client.NewText("short\r\nnotes")
	w = NewDetailWriter(uitest.NewBox(t, 60, 20))
	w.ServerText(service.Notes.Raw())
	if len(w.Lines) != 2 || len(LongTexts(service)) != 0 {
		t.Errorf("%q, %d long texts", w.Lines, len(LongTexts(service)))
	}
}
