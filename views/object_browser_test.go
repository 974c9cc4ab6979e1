package views_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/ui/shell"
	"lookout/ui/terminal"
	"lookout/views/operation"
)

// What the user chose for the object browser holds however it is opened. Of two actions with one key, the first has it.
func TestObjects_chosenKeysAndColumns(t *testing.T) {
	chosen := shell.Preferences{
		Keys:    map[string][]string{"objects.download": {"x"}, "objects.upload": {"S"}},
		Columns: map[string][]string{"objects": {"size", "name"}},
	}
	for way, keys := range map[string]string{"from the bucket": "8 g <enter>", "a bookmark": "8 ' 1"} {
		t.Run(way, func(t *testing.T) {
			configure := func(_ *harness, o *shell.Options) { o.Preferences = chosen }
			runProgram(t, programOptions{size: screenSize{200, 50}, configure: configure}, func(r *harness) {
				r.pressAll("8 g <enter> ' ' <esc>")
				r.pressAll(keys)
				r.wait(time.Second)
				r.requireText("x download", "S sizes")
				r.requireNoText("modified")
				r.press("S")
				r.wait(time.Second)
				r.requireText("share") // of each folder
			})
		})
	}
}

// The row .. above the objects goes up. It is not one of them: nothing marks, deletes, downloads or counts it.
func TestObjects_parentRow(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.fillBucket(300)
		r.press("/", "many", "<enter>", "<enter>", "g", "z", "2", "7")
		r.requireText("jump to 27", "▸ 270.txt")
		r.press("<backspace>", "<backspace>", "9", "9", ".", "T")
		r.requireText("▸ 099.txt")
		r.press("q")
		r.requireText("no loaded name matches", "▸ 099.txt")
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
	t.Parallel()
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

// previewCounter counts the requests of previews: for pre-signed URLs and to them, and those that were cancelled.
type previewCounter struct {
	next                    http.RoundTripper
	links, reads, cancelled atomic.Int64
}

func (c *previewCounter) RoundTrip(r *http.Request) (*http.Response, error) {
	link := strings.HasSuffix(r.URL.Path, "/object-url")
	read := r.Method == http.MethodGet && r.URL.Query().Has("Signature")
	if link {
		c.links.Add(1)
	}
	if read {
		c.reads.Add(1)
	}
	res, err := c.next.RoundTrip(r)
	if (link || read) && r.Context().Err() != nil {
		c.cancelled.Add(1)
	}
	return res, err
}

// require fails unless as many requests were sent for URLs and to them.
func (c *previewCounter) require(r *harness, links, reads int64) {
	r.Helper()
	if c.links.Load() != links || c.reads.Load() != reads {
		r.Fatalf("%d requests for URLs and %d to them, want %d and %d\n%s", c.links.Load(), c.reads.Load(),
			links, reads, r.screen())
	}
}

// startBrowser starts the program in a folder of nine objects, with the cursor on the first one, and counts the
// requests of previews from then on.
func startBrowser(t *testing.T, o emulator.Options, s screenSize, test func(*harness, *previewCounter)) {
	t.Helper()
	count := &previewCounter{}
	options := programOptions{emulator: o, size: s, transport: func(next http.RoundTripper) http.RoundTripper {
		count.next = next
		return count
	}}
	runProgram(t, options, func(r *harness) {
		for i := range 9 {
			r.storeObject(fmt.Sprintf("many/%03d.txt", i), "some text\n")
		}
		r.openBucket("scratch")
		r.press("/", "many", "<enter>", "<enter>", "g")
		count.links.Store(0)
		count.reads.Store(0)
		test(r, count)
	})
}

// storeObject stores an object in the bucket scratch of the emulator, whatever the token may do.
func (r *harness) storeObject(name, text string) {
	r.Helper()
	emulator.StoreObject(r.emu, "ap-south-1", "scratch", name, text)
}

// The preview of an object appears once the cursor has rested on it, for two requests: none are sent while the cursor
// moves, and none for an object that was shown before.
func TestPreview_afterRest(t *testing.T) {
	t.Parallel()
	startBrowser(t, emulator.Options{}, screenSize{120, 36}, func(r *harness, count *previewCounter) {
		r.press("j", "j")
		r.wait(140 * time.Millisecond)
		count.require(r, 0, 0)
		r.wait(20 * time.Millisecond)
		r.requireText("▸ 002.txt", "── content ─", "│ some text")
		count.require(r, 1, 1)
		r.press("j")
		r.wait(time.Second)
		r.requireText("▸ 003.txt", "│ some text")
		r.press("k")
		r.requireText("▸ 002.txt", "│ some text") // from memory
		r.wait(time.Minute)
		count.require(r, 2, 2)
		r.requireText("╭─ scratch", "▸ many/") // the folder around it
		r.requireApplied()
	})
}

// A reading under way is cancelled when the cursor moves.
func TestPreview_cancelledOnMoving(t *testing.T) {
	t.Parallel()
	startBrowser(t, emulator.Options{}, screenSize{120, 36}, func(r *harness, count *previewCounter) {
		r.delay("create object URL", 5*time.Second)
		r.wait(time.Second)
		count.require(r, 1, 0)
		r.requireText("reading the first bytes")
		r.press("j")
		r.wait(100 * time.Millisecond)
		if count.cancelled.Load() != 1 {
			t.Error("the reading was not cancelled")
		}
		r.press("k", "j", "k", "j")
		r.wait(time.Minute)
		count.require(r, 2, 1)
		r.requireText("▸ 001.txt", "│ some text")
	})
}

// There are no previews for a token that cannot make links, on a narrow screen, and once they are switched off. t
// switches them on, but not without the scope.
func TestPreview_onlyWhereItIsCheapAndAllowed(t *testing.T) {
	t.Parallel()
	wide := screenSize{120, 36}
	readOnly := emulator.Options{Scopes: "account:read_only object_storage:read_only"}
	startBrowser(t, readOnly, wide, func(r *harness, count *previewCounter) {
		r.press("j", "t")
		r.requireText("preview on: the token has")
		r.press("j")
		r.wait(time.Minute)
		count.require(r, 0, 0)
	})
	startBrowser(t, emulator.Options{}, screenSize{110, 36}, func(r *harness, count *previewCounter) {
		r.press("j", "t")
		r.requireText("previews need 120 columns")
		r.press("j")
		r.wait(time.Minute)
		count.require(r, 0, 0)
	})
	startBrowser(t, emulator.Options{}, wide, func(r *harness, count *previewCounter) {
		r.press("t", "j")
		r.wait(time.Minute)
		count.require(r, 0, 0)
		r.press("t")
		r.wait(time.Minute)
		count.require(r, 1, 1)
	})
}

// A terminal that becomes wide enough shows the preview of the object at the cursor, and the key that switches previews
// on does: neither waits for the cursor to move.
func TestPreview_appearsWithItsColumn(t *testing.T) {
	t.Parallel()
	startBrowser(t, emulator.Options{}, screenSize{110, 36}, func(r *harness, count *previewCounter) {
		r.drawn = func(terminal.Frame) {} // every frame is drawn: only a frame tells what has room
		r.wait(time.Second)
		r.send(tea.WindowSizeMsg{Width: 120, Height: 36})
		r.wait(300 * time.Millisecond)
		count.require(r, 1, 1)
		r.press("t", "j", "t")
		r.wait(300 * time.Millisecond)
		count.require(r, 2, 2)
	})
}

// A refusal switches the previews off: they are not asked for with every step of the cursor.
func TestPreview_refused(t *testing.T) {
	t.Parallel()
	startBrowser(t, emulator.Options{}, screenSize{120, 36}, func(r *harness, count *previewCounter) {
		r.emu.InjectFault("create object URL", emulator.Fault{Status: 403})
		r.wait(time.Second)
		for range 5 {
			r.press("j")
			r.wait(time.Second)
		}
		count.require(r, 1, 0)
	})
}

// Nothing is read for the screen reader unless somebody asks for it.
func TestPreview_linear(t *testing.T) {
	t.Parallel()
	startBrowser(t, emulator.Options{}, screenSize{80, 24}, func(r *harness, count *previewCounter) {
		linear := shell.NewLinearScreen(r.shell)
		linear.Frame()
		r.press("j", "j")
		r.wait(time.Second)
		count.require(r, 0, 0)
	})
}

// No name and no content of an object reaches the terminal as it is, and every object is previewed under its own name.
func TestPreview_hostile(t *testing.T) {
	t.Parallel()
	n := 0
	hostile := slices.DeleteFunc(faulttest.HostileStrings(t, "E11"), func(string) bool {
		n++
		return !faulttest.InSample(3, n)
	})
	names := append(hostile, "\x1b]0;x\a.json", "a\u202eb.gz", "\x1f\x8b.png", "a\nb")
	startBrowser(t, emulator.Options{}, screenSize{120, 36}, func(r *harness, count *previewCounter) {
		stored := 0
		for i, name := range names {
			if name == "" || len(name) > 900 || !utf8.ValidString(name) || strings.Contains(name, "/") ||
				slices.Contains(names[:i], name) {
				continue
			}
			stored++
			r.storeObject("many/"+name, names[len(names)-1-i]+"\x1b[2J\x1b]0;x\a\u202e")
		}
		r.press("r", "G")
		r.wait(time.Minute)
		for range stored {
			r.press("k")
			r.wait(200 * time.Millisecond)
			r.requireCleanFrame(nil)
		}
		if count.reads.Load() < int64(stored)*9/10 {
			r.Errorf("%d previews of %d objects", count.reads.Load(), stored)
		}
		r.requireApplied()
	})
}

// TestGoldenPreview compares the three columns with a golden file: what is around the folder, the list, the preview.
func TestGoldenPreview(t *testing.T) {
	t.Parallel()
	var boxes paneGolden
	for _, size := range []screenSize{{120, 36}, {200, 50}} {
		startProgram(t, emulator.Options{Service: emulator.ServiceDocument}, size, func(r *harness) {
			r.openBucket("cdn.acme")
			r.press("z", "assets", "<enter>", "<enter>", "z", "site", "<enter>")
			r.wait(time.Second)
			boxes.add(r, "preview of JSON")
			r.press("z", "logo", "<enter>")
			r.wait(time.Second)
			boxes.add(r, "preview of an image")
		})
	}
	boxes.requireEqual(t)
}

// Of too many bookmarks, those that were set last are kept.
func TestBookmarks_oldestAreDropped(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "acme.bookmarks")
	var list []operation.Bookmark
	for i := range 200 {
		list = append(list, operation.Bookmark{Bucket: "us-east-1/acme-backups", Prefix: fmt.Sprint(i, "/")})
	}
	if err := os.WriteFile(file, toJSON(list), 0o600); err != nil {
		t.Fatal(err)
	}
	options := programOptions{size: screenSize{120, 36}, journal: filepath.Join(folder, "acme.journal")}
	runProgram(t, options, func(r *harness) {
		r.openBucket("acme-backups")
		r.press("'", "'")
		r.requireText(": bookmarked")
	})
	var kept []operation.Bookmark
	if err := json.Unmarshal([]byte(readFile(t, file)), &kept); err != nil {
		t.Fatal(err)
	}
	if len(kept) != 200 || kept[0] != list[1] || kept[198] != list[199] || kept[199].Prefix != "" {
		t.Errorf("%d bookmarks, from %v to %v", len(kept), kept[0], kept[len(kept)-1])
	}
}

// A file of bookmarks that cannot be used is reported, with hidden characters of its path made visible.
func TestBookmarks_badFileIsReported(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a\x1b[2Jb")
	if err := os.MkdirAll(filepath.Join(folder, "acme.bookmarks"), 0o700); err != nil {
		t.Skip(err)
	}
	options := programOptions{size: screenSize{120, 36}, journal: filepath.Join(folder, "acme.journal")}
	runProgram(t, options, func(r *harness) {
		r.openBucket("acme-backups")
		r.press("'", "'")
		r.requireMessageWith("a‹␛›[2Jb")
		r.requireMessageWith("is not a regular file · bookmarks are kept until lookout ends")
	})
}

// If the file of bookmarks cannot be read or written any more, that is reported, no bookmark is called set, and the
// file stays as it is.
func TestBookmarks_failedWriteIsReported(t *testing.T) {
	t.Parallel()
	for want, damage := range map[string]func(file string) error{
		"is not a regular file": func(file string) error { return os.Mkdir(file, 0o700) },
		"unexpected end":        func(file string) error { return os.WriteFile(file, []byte(`[{"bucket":`), 0o600) },
	} {
		folder := t.TempDir()
		file := filepath.Join(folder, "acme.bookmarks")
		options := programOptions{size: screenSize{120, 36}, journal: filepath.Join(folder, "acme.journal")}
		runProgram(t, options, func(r *harness) {
			r.openBucket("acme-backups")
			r.press("'")
			if err := damage(file); err != nil {
				r.Fatal(err)
			}
			r.press("'")
			r.requireMessageWith("bookmarks: ")
			r.requireMessageWith(want)
			for _, message := range r.messages {
				if strings.Contains(message.Text, "bookmarked") {
					r.Errorf("it says %q", message.Text)
				}
			}
		})
		if data, err := os.ReadFile(file); err == nil && string(data) != `[{"bucket":` {
			t.Errorf("the file became %q", data)
		}
	}
}

// A bookmark is set with ' in a folder and survives a restart; ' and : open it from elsewhere, and .. goes up from it
// level by level.
func TestBookmarks_surviveARestart(t *testing.T) {
	t.Parallel()
	options := programOptions{size: screenSize{120, 36}, journal: filepath.Join(t.TempDir(), "acme.journal")}
	runProgram(t, options, func(r *harness) {
		r.openBucket("acme-backups")
		r.press("g", "<enter>", "<enter>", "'")
		r.requireText("Bookmarks", "add us-east-1/acme-backups/db/1999/")
		r.press("'")
		r.requireText("us-east-1/acme-backups/db/1999/: bookmarked")
		r.requireApplied()
	})
	runProgram(t, options, func(r *harness) {
		r.press("8", "'", "1")
		r.requireText("› acme-backups  us-east-1 › db › 1999", "loaded")
		r.press("g", "k", "<enter>")
		r.requireText("us-east-1 › db ", "▸ 1999/")
		r.press("h")
		r.requireText("acme-backups  us-east-1 ", "▸ db/")
		r.press("h")
		r.requireText("8 Buckets ", "▸ acme-backups      us-east-1")
		r.press("1", ":", "db/1999", "<enter>")
		r.requireText("› acme-backups  us-east-1 › db › 1999", "loaded")
		r.press("'")
		r.requireText("remove us-east-1/acme-backups/db/1999/")
		r.press("'")
		r.requireText("bookmark removed")
		r.press("<esc>", "8", "'")
		r.requireText("no bookmarks yet")
	})
}
