package views_test

import (
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
)

// The row .. above the objects goes up. It is not one of them: nothing marks, deletes, downloads or counts it.
func TestObjects_parentRow(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.fillBucket(3)
		r.press("/", "many", "<enter>", "<enter>", "k")
		r.requireText("▸ ..", ".. of 3", "3 loaded")
		for _, key := range []string{"D", "w", "L", "c", "<space>", "v", "A", "Y", "y", "V"} {
			r.press(key)
			r.wait(time.Second)
			r.requireText("the row .. only goes up", ".. of 3")
			r.requireNoText("marked", "Delete", "Download", "╭─ Copy")
		}
		r.press("j", "A", "k", "D")
		r.wait(time.Second)
		r.requireText("Delete 3 objects")
		r.press("<esc>", "g", "k", "<enter>")
		r.requireText("▸ many/")
		r.requireNoText("› many")
		r.press("<enter>", "j", "j")
		r.click("..")
		r.requireText("▸ ..")
		r.press("<right>")
		r.requireText("▸ many/")
		r.press("g", "k", "<enter>")
		r.requireText("8 Buckets", "▸ scratch", "ap-south-1")
		r.requireApplied("put object", "put object", "put object")
	})
}

// In an empty folder the cursor reaches the row .. and goes up from there, but not without having been moved to it.
func TestObjects_parentRowOfNothing(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("acme-backups")
		r.press("P", "nothing-begins-so", "<ctrl+s>", "<enter>")
		r.requireText("nothing begins with this prefix")
		r.press("k", "<enter>")
		r.requireNoText("nothing begins with this prefix")
		r.requireText("▸ ")
	})
}

// z goes to the name that is typed, wherever it stands: first to one that begins with the text, then to one that
// contains it. enter stays there, esc goes back.
func TestObjects_jumpToName(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.fillBucket(300)
		r.press("/", "many", "<enter>", "<enter>", "g", "z", "2", "7")
		r.requireText("jump to 27", "▸ 270.txt")
		r.press("<backspace>", "<backspace>", "9", "9", ".", "T")
		r.requireText("▸ 099.txt")
		r.press("q")
		r.requireText("no name that is loaded has this", "▸ 099.txt")
		r.press("<esc>")
		r.requireText("▸ 000.txt")
		r.requireNoText("jump to")
		r.press("z", "1", "5", "<enter>", "j")
		r.requireText("▸ 151.txt")
		if n := strings.Count(strings.Join(r.appliedOperations(), " "), "delete"); n > 0 {
			r.Error("a typed letter was a command")
		}
	})
}

// Sizes are sorted with the largest first.
func TestObjects_largestFirst(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.fillBucket(2)
		r.writeObject("many/large", 5000)
		r.writeObject("many/empty", 0)
		r.press("/", "many", "<enter>", "<enter>", "s", "2", "g")
		r.requireText("size ▼", "▸ large")
		r.press("G")
		r.requireText("▸ empty")
	})
}
