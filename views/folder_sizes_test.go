package views_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
)

// S adds up every folder of the bucket with one reading, sorts them by size with the largest first, and goes back to
// the names. The sums stay while somebody goes in and out, and are read again only on demand.
func TestSizes_readOnceAndKept(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("logs-eu")
		r.press("<enter>")
		r.requireText("› 1999", "12 loaded")
		r.requireNoText("share")
		r.press("S")
		r.wait(time.Second)
		r.requireText("share", "99,000 objects", "in all · sizes read just now", "2,808", "sorted by size")
		first := regexp.MustCompile(`▸ (\d\d)/`).FindString(r.screen())
		if strings.Index(r.screen(), " 01/") < strings.Index(r.screen(), " 03/") || first == "" {
			r.Errorf("the largest is not the first, with the cursor on it:\n%s", r.screen())
		}
		read := r.emu.RequestCount("list objects")
		if read > 99_000/500+20 {
			r.Errorf("%d requests for 99,000 objects", read)
		}
		r.press("<enter>")
		r.requireText("sorted by size", "%")
		r.press("<enter>", "<esc>", "<esc>")
		r.requireText("99,000 objects", first)
		r.press("S")
		r.requireNoText("sorted by size")
		if screen := r.screen(); strings.Index(screen, " 01/") > strings.Index(screen, " 03/") {
			r.Errorf("not sorted by name:\n%s", screen)
		}
		r.press("S")
		r.requireText("sorted by size")
		if n := r.emu.RequestCount("list objects"); n > read+4 {
			r.Errorf("%d more requests for two folders", n-read)
		}
		r.wait(3 * time.Minute)
		r.requireText("sizes read 3 min ago · r reads again")
		r.press("r")
		r.wait(time.Second)
		r.requireText("sizes read just now")
		if n := r.emu.RequestCount("list objects"); n < 2*read-10 {
			r.Errorf("r sent %d requests, reading all took %d", n-read, read)
		}
	})
}

// While sizes are read, what is known so far is a lower bound, folders that were passed are final, every key works, and
// esc stops the reading.
func TestSizes_progressAndEsc(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("logs-eu")
		r.delay("list objects", 300*time.Millisecond)
		r.press("S")
		r.wait(150 * time.Millisecond)
		r.requireText("reading sizes: 0 objects", "so far · esc stops")
		r.wait(5 * time.Second)
		r.requireText("reading sizes: ", "≥ ")
		if strings.Contains(r.screen(), "%") {
			r.Errorf("a part of an unknown whole:\n%s", r.screen())
		}
		r.press("j", "<enter>")
		r.wait(time.Second)
		r.requireText("› logs-eu  eu-central-1 › 1999", "reading sizes: ", "…")
		r.press("h")
		r.requireText("reading sizes: ")
		r.press("<esc>")
		r.requireText("at least ", "not all sizes were read", "≥ ")
		before := r.emu.RequestCount("list objects")
		r.wait(time.Minute)
		if n := r.emu.RequestCount("list objects"); n > before+9 { // those that were under way
			r.Errorf("%d requests after esc", n-before)
		}
		r.emu.ClearFaults()
		r.press("S")
		r.wait(time.Second)
		r.requireText("99,000 objects", "sizes read just now")
	})
}

// S in a folder reads only that folder, and replaces its part in the sums of the bucket.
func TestSizes_oneFolder(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.fillBucket(40)
		r.press("g", "/", "many", "<enter>", "<enter>", "S")
		r.wait(time.Second)
		r.requireText("40 objects, 400 B in all")
		r.press("<esc>")
		r.requireNoText("share") // nobody has read the bucket
		r.press("S")
		r.wait(time.Second)
		r.requireText("400 B", "40")
		r.writeObject("many/more.txt", 600)
		r.press("<enter>")
		r.requireText("40 objects, 400 B in all")
		r.press("r")
		r.wait(time.Second)
		r.requireText("41 objects, 1000 B in all", "60.0 %")
		r.press("<esc>")
		r.requireText("1000 B", "41")
	})
}

// writeObject stores an object in the bucket scratch.
func (r *harness) writeObject(name string, size int) {
	r.Helper()
	object := client.ObjectRef{Cluster: "ap-south-1", Bucket: "scratch", Name: name}
	body := client.UploadBody{
		Reader:      strings.NewReader(strings.Repeat("x", size)),
		Size:        int64(size),
		ContentType: "a/b",
	}
	if err := r.writer(client.OpUploadObject, object.ID()).UploadObject(r.Context(), object, body); err != nil {
		r.Fatal(err)
	}
}

// After a deletion from here, the sums say that they are out of date, until they are read again once it has ended.
func TestSizes_afterDeleting(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.fillBucket(40)
		r.press("g", "S")
		r.wait(time.Second)
		r.press("/", "many", "<enter>", "<enter>", "g", "D")
		r.wait(time.Second)
		r.requireText("Delete 1 object")
		r.press("y")
		r.wait(5 * time.Second)
		r.requireText("40 objects, 400 B in all", "changed since · r reads again")
		r.press("r")
		r.wait(time.Second)
		r.requireText("39 objects, 390 B in all · sizes read just now · r reads again")
		r.delay("DELETE *", time.Minute)
		r.press("g", "D")
		r.wait(time.Second)
		r.press("y", "r")
		r.wait(5 * time.Second)
		r.requireText("39 objects, 390 B in all", "changed since · r reads again")
		r.wait(2 * time.Minute)
		r.press("r")
		r.wait(time.Second)
		r.requireText("38 objects, 380 B in all · sizes read just now · r reads again")
	})
}

// Sums that are read while an upload or a move from here is under way say that they are out of date, until they are
// read again once it has ended.
func TestSizes_duringUpload(t *testing.T) {
	t.Parallel()
	_, file := writeLogFile(t)
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.fillBucket(40)
		r.press("g", "S")
		r.wait(time.Second)
		r.delay("PUT *", time.Minute)
		readMeanwhile := func(then, afterwards string) {
			r.wait(2 * time.Second)
			r.press("r")
			r.wait(5 * time.Second)
			r.requireText(then, "changed since · r reads again")
			r.wait(2 * time.Minute)
			r.press("r")
			r.wait(time.Second)
			r.requireText(afterwards + " in all · sizes read just now · r reads again")
		}
		r.press("U", "<ctrl+u>", file, "<ctrl+s>")
		readMeanwhile("40 objects, 400 B in all", "41 objects, 407 B")
		r.press("G", "e")
		r.wait(time.Second)
		r.press("<tab>", "<tab>", "<ctrl+u>", "moved.log", "<ctrl+s>")
		r.wait(time.Second)
		r.requireText("Moves 1 object")
		r.press("y")
		readMeanwhile("41 objects, 407 B in all", "41 objects, 407 B")
	})
}

// If the API fails while sizes are read, the message says so, and what was read is a lower bound.
func TestSizes_failure(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("logs-eu")
		r.emu.InjectFault("list objects", emulator.Fault{Status: 403})
		r.press("S")
		r.wait(time.Second)
		r.requireText("logs-eu: not all sizes could be read", "not all sizes were read")
	})
}

// readMillion is the time in which the names of a million objects are read: the real service limits the requests.
var readMillion = byService(time.Second, 3*time.Minute)

// A million objects: the first figures are there at once, no frame and no key waits for the reading.
func TestSizes_million(t *testing.T) {
	t.Parallel()
	faulttest.SkipUnlessLong(t)
	startProgram(t, emulator.Options{Seed: "large"}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "/", "million", "<enter>", "<enter>", "S")
		r.wait(readMillion)
		r.requireText("1,000,000 objects")
		r.press("<enter>")
		r.requireText("1,000,000 objects", "10,000", "1.0 %")
		shares := regexp.MustCompile(`([\d.]+) (?:Mi|Gi)B\s+10,000`).FindAllStringSubmatch(r.screen(), -1)
		last := ""
		for _, share := range shares {
			if last != "" && fmt.Sprintf("%08s", share[1]) > fmt.Sprintf("%08s", last) {
				r.Errorf("%s after %s:\n%s", share[1], last, r.screen())
			}
			last = share[1]
		}
		if len(shares) < 20 {
			r.Errorf("%d folders:\n%s", len(shares), r.screen())
		}
	})
}

// Before a folder is deleted, its objects are counted: the message says how far, keys work, and esc asks nothing. More
// than 200,000 objects can be deleted and downloaded.
func TestCounting_progressAndEsc(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{Seed: "large"}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "/", "million", "<enter>", "<enter>")
		r.delay("list objects", 300*time.Millisecond)
		for _, key := range []string{"D", "w"} {
			r.press(key)
			r.requireText("counting the objects in data/ · esc stops")
			r.wait(10 * time.Second)
			r.requireText("counting the objects in data/: ", " objects, ", " so far · esc stops")
			r.press("s")
			r.requireText("Sort by")
			r.press("<esc>", "<esc>")
			r.wait(time.Second)
			r.requireNoText("counting the objects")
			r.wait(time.Hour)
			r.requireNoText("Delete 1", "Download data")
		}
		r.emu.ClearFaults()
		if !runsLongSeries() {
			r.press("<enter>", "D")
			r.wait(time.Minute)
			r.requireText("Delete 10,000 objects", "(4.6 GiB)", "1 to 20 of 1,001", "Type 10000")
			r.press("<esc>")
			r.requireApplied()
			return
		}
		r.press("D")
		r.wait(readMillion)
		r.requireText("Delete 1,000,000 objects", "(465 GiB)", "1 to 20 of 1,001", "Type 1000000")
		r.press("<esc>", "w")
		r.wait(readMillion)
		r.requireText("1,000,000 files, 465 GiB")
		r.press("<esc>")
		r.requireApplied()
	})
}

// Every marked object of a million is in the question, which says at once what is being counted.
func TestCounting_millionMarked(t *testing.T) {
	t.Parallel()
	faulttest.SkipUnlessLong(t)
	startProgram(t, emulator.Options{Seed: "large"}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "/", "million", "<enter>", "<enter>", "f", "G")
		r.wait(readMillion)
		r.requireText("1,000,000 loaded")
		r.press("A", "D")
		r.requireText("Delete 1,000,000 objects")
		told := r.messageTexts()
		if !strings.Contains(told, "counting the objects in 1,000,000 entries") {
			r.Errorf("the message: %s", told)
		}
	})
}

// Emptying a bucket whose sizes were read asks at once, with their age; if objects were changed from here since, they
// are counted again.
func TestCounting_emptyUsesSums(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.fillBucket(5)
		r.press("g", "S")
		r.wait(3 * time.Minute)
		r.press("<esc>")
		before := r.emu.RequestCount("list objects")
		r.press("X")
		r.wait(time.Second)
		r.requireText("Empty bucket", "objects, 50 B, read 3 min ago", "Type scratch")
		if n := r.emu.RequestCount("list objects"); n != before {
			r.Errorf("%d requests to count what is known", n-before)
		}
		r.press("<esc>", "<enter>", "/", "many", "<enter>", "<enter>", "g", "D")
		r.wait(time.Second)
		r.press("y")
		r.wait(5 * time.Second)
		r.press("<esc>", "<esc>", "<esc>", "X")
		r.wait(time.Second)
		r.requireText("objects, 40 B", "Type scratch")
		r.requireNoText("read 3 min ago")
		r.press("scratch", "<enter>")
		r.wait(2 * time.Second)
		r.requireText("scratch: emptied")
		r.press("X")
		r.wait(time.Second)
		r.requireText("scratch: there is nothing to delete")
	})
}

// Deleting a folder whose sizes were read asks at once, with their age. If something was changed from here since, or
// the sizes are only a lower bound, the objects are counted.
func TestCounting_deleteUsesSums(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.writeObject("other.txt", 7)
		r.fillBucket(40)
		r.press("g", "S")
		r.wait(3 * time.Minute)
		r.press("/", "many", "<enter>", "g")
		before := r.emu.RequestCount("list objects")
		r.press("D")
		r.wait(time.Second)
		r.requireText("Delete many/", "40 objects, 400 B, read 3 min ago", "Type scratch")
		if n := r.emu.RequestCount("list objects"); n != before {
			r.Errorf("%d requests to count what is known", n-before)
		}
		r.press("<esc>")
		r.writeObject("many/later.txt", 10)
		r.press("D")
		r.wait(time.Second)
		r.press("scratch", "<enter>")
		r.wait(5 * time.Second)
		r.requireText("scratch › many/: emptied, 41 objects", "sizes read 3 min ago, changed since")
		if _, there, _ := r.api.Objects.Find(r.Context(), "ap-south-1", "scratch", "many/later.txt"); there {
			r.Errorf("an object that was stored after the sizes were read is left")
		}
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.fillBucket(40)
		r.press("g", "S")
		r.wait(time.Second)
		r.press("/", "many", "<enter>", "<enter>", "g")
		r.emu.InjectFault("object delete", emulator.Fault{Status: 403})
		r.press("D")
		r.wait(time.Second)
		r.press("y")
		r.wait(5 * time.Second)
		r.requireText("changed since")
		r.press("<esc>", "D")
		r.wait(time.Second)
		r.requireText("Delete 40 objects", "Type 40")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("logs-eu")
		r.delay("list objects", 300*time.Millisecond)
		r.press("S")
		r.wait(5 * time.Second)
		r.press("<esc>")
		r.requireText("not all sizes were read")
		r.press("D")
		r.requireText("counting the objects in ")
		r.press("<esc>")
	})
}

// Deleting several folders counts only those whose sizes are not known, and the objects beside them. The question names
// each folder, and after it everything in them is gone and taken out of the sums.
func TestCounting_deleteMarkedUsesSums(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.writeObject("many/x", 1)
		r.writeObject("more/a", 20)
		r.writeObject("more/b", 30)
		r.writeObject("other.txt", 7)
		r.fillBucket(40)
		r.press("g", "S")
		r.wait(3 * time.Minute)
		before := r.emu.RequestCount("list objects")
		r.press("A", "D")
		r.wait(time.Second)
		r.requireText(
			"Delete 2 folders and 1 other object", "Deletes everything in 2 folders (43 objects, 451 B) and 1 other",
			"object (7 B) in ap-south-1/scratch for good.", "many/: 41 objects, 401 B, read 3 min ago",
			"more/: 2 objects, 50 B, read 3 min ago", "other.txt", "Type scratch",
		)
		if n := r.emu.RequestCount("list objects"); n != before {
			r.Errorf("%d requests to count what is known", n-before)
		}
		r.press("<esc>")
		r.writeObject("more/later", 10)
		r.press("A", "D")
		r.wait(time.Second)
		r.press("scratch", "<enter>")
		r.wait(5 * time.Second)
		r.requireText("this bucket is empty")
		r.requireObjects("ap-south-1", "scratch")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.writeObject("more/a", 20)
		r.writeObject("more/b", 30)
		r.fillBucket(40)
		r.press("g", "/", "more", "<enter>", "<enter>", "S")
		r.wait(time.Second)
		r.press("<esc>", "<esc>")
		r.delay("list objects", 3*time.Second)
		r.press("A", "D")
		r.wait(time.Second)
		r.requireText("counting the objects in 2 entries: 2 objects, 50 B so far · esc stops")
		r.wait(9 * time.Second)
		r.requireText("Delete 1 folder and 40 other objects", "more/: 2 objects, 50 B, read just now", "many/")
		r.press("scratch", "<enter>")
		r.wait(10 * time.Second)
		r.requireObjects("ap-south-1", "scratch")
	})
}

// Where all names are needed, the sizes that are known say at once how many there are.
func TestCounting_downloadShowsSums(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("logs-eu")
		r.press("S")
		r.wait(time.Second)
		r.delay("list objects", 3*time.Second)
		for _, key := range []string{"w", "e"} {
			r.press(key)
			r.requireText("counting the objects in ", ": 0 of 99,000 objects, 106 GiB · esc stops")
			r.wait(4 * time.Second)
			r.requireText(": 500 of 99,000")
			r.press("<esc>")
			r.wait(time.Second)
			r.requireNoText("counting")
		}
	})
}

// While an upload is compared with what is there, the form says how far it is, and esc stops it and keeps the form.
func TestCounting_uploadShowsProgress(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(folder, filepath.Join(filepath.Dir(folder), "1999")); err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(filepath.Dir(folder), "1999")
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("logs-eu")
		upload := func() {
			r.press("U", "<ctrl+u>", folder, "<ctrl+s>")
			r.wait(4 * time.Second)
		}
		r.delay("list objects", 3*time.Second)
		upload()
		r.requireText("comparing: 500 objects, ", " so far · esc stops")
		r.press("<esc>")
		r.wait(time.Second)
		r.requireText("Upload into eu-central-1/logs-eu", "stopped; nothing was changed", folder)
		r.requireNoText("esc stops")
		r.press("<esc>", "<esc>")
		r.emu.ClearFaults()
		r.press("S")
		r.wait(time.Second)
		r.delay("list objects", 3*time.Second)
		upload()
		r.requireText("comparing: 500 of 99,000", " objects, ", " · esc stops")
		r.emu.ClearFaults()
		r.wait(time.Minute)
		r.requireText("Upload a folder", "20 files")
		r.requireApplied()
	})
}

// A bucket and its folders remember where the cursor was when they were left.
func TestObjects_lastPlace(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("acme-backups")
		r.press("/", "db", "<enter>", "<enter>", "<enter>", "g", "j", "j")
		row := r.rowAtCursor()
		r.press("<esc>", "<esc>", "<esc>", "<esc>", "<enter>")
		r.requireText("▸ db/")
		r.press("<enter>", "<enter>")
		if got := r.rowAtCursor(); got != row {
			r.Errorf("the cursor is on %q, and was on %q:\n%s", got, row, r.screen())
		}
	})
}

// A click on a part of the place in the tab bar goes up to that folder.
func TestBreadcrumbs_click(t *testing.T) {
	t.Parallel()
	for _, width := range []int{120, 60} {
		startProgram(t, emulator.Options{}, screenSize{width, 36}, func(r *harness) {
			r.openBucket("logs-eu")
			r.press("<enter>", "<enter>")
			r.requireText(" › 1999 › 01")
			r.click("999 › 01")
			r.requireText(" › 1999 ")
			r.requireNoText("1999 › 01")
			r.press("<enter>", "g", "<enter>")
			r.requireText(" › 1999 › ")
			r.click("eu-central-1 › ")
			r.requireText("▸ 1999/")
			r.requireNoText("› 1999")
		})
	}
}

// The bar of an entry is as long as its percentage says: a part of the whole folder, not of its largest entry.
func TestSizes_barIsShareOfFolder(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("logs-eu")
		r.press("S")
		r.wait(time.Second)
		r.press("<enter>")
		rows := regexp.MustCompile(`([━╸]+) *([\d.]+) %`).FindAllStringSubmatch(r.screen(), -1)
		if len(rows) < 2 {
			r.Fatalf("no shares:\n%s", r.screen())
		}
		for _, row := range rows {
			percent, _ := strconv.ParseFloat(row[2], 64)
			cells := float64(strings.Count(row[1], "━")) + float64(strings.Count(row[1], "╸"))/2
			if whole := 14.0; math.Abs(cells/whole-percent/100) > 0.5/whole {
				r.Errorf("%v of %v cells stand for %v %%\n%s", cells, whole, percent, r.screen())
			}
		}
	})
}
