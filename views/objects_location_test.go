package views_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/emulator"
)

// writeLogFile returns a folder and the path of a file in it.
func writeLogFile(t *testing.T) (folder, file string) {
	t.Helper()
	folder = t.TempDir()
	file = filepath.Join(folder, "new.log")
	if err := os.WriteFile(file, []byte("a line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder, file
}

// requireObjects fails unless a bucket holds an object of each name.
func (r *harness) requireObjects(cluster, bucket string, names ...string) {
	r.Helper()
	for _, name := range names {
		if _, exists, err := r.api.Objects.Find(r.ctx, cluster, bucket, name); err != nil || !exists {
			r.Errorf("%s is not there (%v)\n%s", name, err, r.screen())
		}
	}
}

// While a prefix is listed, an upload goes into the open folder under its own name, also in the flat view.
func TestUpload_goesIntoOpenFolder(t *testing.T) {
	t.Parallel()
	_, file := writeLogFile(t)
	for _, c := range []struct{ prefix, view, want string }{
		{"in", "", ""},
		{"assets/lo", "", "assets/"},
		{"assets/lo", "f", "assets/"},
		{"in", "f", ""},
	} {
		t.Run(c.prefix+c.view, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				r.openBucket("cdn.acme")
				r.press("P", c.prefix, "<ctrl+s>", c.view, "U", "<ctrl+u>", file, "<ctrl+s>")
				r.wait(2 * time.Second)
				r.requireText("new.log: uploaded")
				r.press("n", "fresh", "<ctrl+s>")
				r.wait(time.Second)
				r.requireObjects("us-east-1", "cdn.acme.net", c.want+"new.log", c.want+"fresh/")
			})
		})
	}
}

// The upload of a new folder does not ask about overwriting, in either view.
func TestUpload_newFolderAsksNothing(t *testing.T) {
	t.Parallel()
	folder, _ := writeLogFile(t)
	for _, view := range []string{"", "f"} {
		startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
			r.openBucket("cdn.acme")
			r.press(view, "U", "<ctrl+u>", folder, "<ctrl+s>")
			r.wait(time.Second)
			r.requireText("Upload a folder", "in us-east-1/cdn.acme.net")
			r.requireNoText("already")
		})
	}
}

// The part of a prefix after its last slash is not shown as a folder.
func TestObjects_prefixIsNoFolder(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("cdn.acme")
		r.press("P", "assets/lo", "<ctrl+s>")
		r.requireText("us-east-1 › assets › lo… ")
		r.press("f")
		r.requireText("us-east-1 › assets › lo… › (flat)")
		r.press("<esc>", "n")
		r.requireText("New folder in cdn.acme.net  us-east-1 › assets ")
	})
}

// Wherever one of two buckets with the same label is named, its cluster is shown too.
func TestBuckets_sameLabelShowsCluster(t *testing.T) {
	t.Parallel()
	for _, cluster := range []string{"us-east-1", "eu-central-1"} {
		startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
			id := cluster + "/acme-backups"
			r.press("8", "/", "acme-backups "+cluster, "<enter>", "x")
			r.requireText("Access to " + id)
			r.press("<esc>", "c")
			r.requireText("› acme-backups  "+cluster+" › certificate", "TLS certificate of "+id)
			r.press("<esc>", "<enter>", "g", "<enter>")
			r.requireText("› acme-backups  "+cluster+" › db", "in            acme-backups")
			r.press("U")
			r.requireText("Upload into " + id)
			r.press("<esc>", "<esc>", "/", "README", "<enter>", "D")
			r.wait(time.Second)
			r.requireText("Deletes 1 object (60 B) in " + id + " for good.")
			r.press("n", "<enter>", "D")
			r.wait(time.Second)
			r.requireText("This deletes object README.txt (60 B) in " + id)
			r.press("n", "c")
			r.requireText("Access to README.txt", "In "+id)
		})
	}
}

// A whole path, typed or pasted, replaces the proposed path. A name extends it.
func TestDownload_wholePathReplacesProposal(t *testing.T) {
	folder, file := writeLogFile(t)
	t.Chdir(t.TempDir())
	for name, enter := range map[string]func(*harness){
		"typed":  func(r *harness) { r.press(file) },
		"pasted": func(r *harness) { r.send(tea.PasteMsg{Content: file}) },
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				r.openBucket("cdn.acme")
				r.press("U")
				enter(r)
				r.press("<ctrl+s>")
				r.wait(2 * time.Second)
				r.requireText("new.log: uploaded")
			})
		})
	}
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("cdn.acme")
		r.press("/", "index", "<enter>", "w")
		r.send(tea.PasteMsg{Content: folder})
		r.press("<ctrl+s>")
		r.wait(2 * time.Second)
		if _, err := os.Stat(filepath.Join(folder, "index.html")); err != nil {
			r.Errorf("%v\n%s", err, r.screen())
		}
		below := filepath.Join(folder, "below")
		if err := os.Mkdir(below, 0o700); err != nil {
			r.Fatal(err)
		}
		r.press("w", "/below", "<ctrl+s>")
		r.wait(2 * time.Second)
		if _, err := os.Stat(filepath.Join(below, "index.html")); err != nil {
			r.Errorf("%v\n%s", err, r.screen())
		}
	})
}

// The links of this run stay listed with their URLs. An expired link cannot be copied.
func TestLinks_listedUntilRunEnds(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", ":", "links", "<enter>")
		r.requireText("no links in this run")
		r.press("<esc>")
		r.openBucket("cdn.acme")
		r.press("/", "index", "<enter>", "L", "<ctrl+s>")
		r.requireText("GET index.html")
		r.press("<esc>", "L", "<right>", "<right>", "<ctrl+s>", "<esc>", ":", "links", "<enter>")
		r.requireText("› links of this run", "us-east-1/cdn.acme.net", " 1 h", " 1 d", "2 links")
		r.press("<enter>")
		r.requireText("GET index.html", "Signature=")
		r.press("<esc>", "y")
		r.requireText("link: sent to the terminal")
		r.wait(2 * time.Hour)
		r.press("G")
		r.requireText("expired")
		r.press("y")
		r.requireText("the link has expired")
		r.press("V")
		r.requireText("index.html")
		r.requireNoText("Signature=")
	})
}

// The size and the time of an object are shown in full beside its row, on its page and before it is overwritten.
func TestObjects_showSizeAndTime(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("acme-backups")
		r.press("/", "README", "<enter>")
		object, _, err := r.api.Objects.Find(r.ctx, "us-east-1", "acme-backups", "README.txt")
		if err != nil {
			r.Fatal(err)
		}
		stamp := object.Modified.Time().Format("2006-01-02 15:04:05") + " UTC"
		r.requireText("modified      "+stamp, "size          60 B")
		r.requireNoText("60 bytes")
		r.press("<enter>")
		r.requireText("modified      " + stamp)
	})
}

// The totals below a listing name what they count.
func TestObjectListing_totalsNameTheirScope(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("logs-eu")
		r.requireText("1 loaded")
		r.requireNoText("1 loaded ·", "0 B")
		r.press("f", "s", "3")
		r.requireText("sorted by modified in the 500 loaded")
		r.press("G")
		r.requireText("99,000 loaded ·")
		r.press("/", "log", "<enter>", "A")
		r.requireText("99,000 of 99,000 match", "99,000 marked")
		r.requireNoText("sorted by modified in the")
	})
}

// F shows the same objects without folders, and F again with them: it adds no level for each time, and esc leaves the
// flat view too.
func TestObjects_flatViewIsOneLevel(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("acme-backups")
		r.requireNoText("(flat)")
		before := r.screen()
		for range 3 {
			r.press("f")
			r.wait(time.Second)
			r.requireText("(flat)")
			r.press("f")
			r.wait(time.Second)
			r.requireNoText("(flat)")
		}
		tabs := func(screen string) string { return strings.Split(screen, "\n")[1] }
		if got := tabs(r.screen()); got != tabs(before) {
			t.Errorf("%q, was %q", got, tabs(before))
		}
		r.press("f", "<esc>")
		r.requireNoText("(flat)")
		r.requireText("acme-backups")
		r.press("<esc>")
		r.requireText("bucket ▲")
	})
}

// A bucket or an object that somebody else has deleted is reported as gone once, by name, and is not retried
// automatically: what was read stays in sight.
func TestObjects_deletedByAColleague(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "/", "scratch", "<enter>", "<enter>")
		r.requireText("this bucket is empty")
		w := r.writer(client.OpDeleteBucket, client.BucketID("ap-south-1", "scratch"))
		if err := w.DeleteBucket(r.Context(), "ap-south-1", "scratch"); err != nil {
			r.Fatal(err)
		}
		r.press("r")
		r.wait(time.Second)
		const gone = "the API no longer has bucket ap-south-1/scratch"
		r.requireText("▲ gone", gone)
		r.requireNoText("failing", "retry", "Not found")
		if n := strings.Count(r.screen(), "no longer has"); n != 1 {
			r.Errorf("it is said %d times:\n%s", n, r.screen())
		}
		before := r.emu.RequestCount("list objects")
		r.wait(5 * time.Minute)
		if n := r.emu.RequestCount("list objects"); n != before {
			r.Errorf("%d more requests", n-before)
		}
		r.press("<esc>", "r")
		r.wait(time.Second)
		r.requireText("not in the list for")
		r.wait(time.Minute)
		r.requireText(`rows matches "scratch"`)
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.writeObject("a.txt", 10)
		r.openBucket("scratch")
		r.press("<enter>")
		emulator.DeleteObject(r.emu, "ap-south-1", "scratch", "a.txt")
		r.press("r")
		r.wait(time.Second)
		r.requireText("▲ gone", "the API no longer has object a.txt")
		r.requireNoText("failing", "retry")
	})
	// The API fails, and the bucket is there.
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.writeObject("a.txt", 10)
		r.openBucket("scratch")
		r.emu.InjectFault("list objects", emulator.Fault{Status: 404})
		r.press("r")
		r.wait(time.Second)
		r.requireText("failing · 404", "a.txt")
		r.requireNoText("gone", "retry in")
	})
}
