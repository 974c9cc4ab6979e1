package views_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/certtest"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/journal"
	"lookout/client/transfer"
	"lookout/ui/shell"
)

// openBucket opens a bucket of the demo account by its label.
func (r *harness) openBucket(label string) {
	r.Helper()
	r.press("8", "/", label, "<enter>", "<enter>")
	r.requireText("› "+label, "loaded")
}

// enter opens a folder; esc returns to the row where the cursor was.
func TestObjects_foldersAndBack(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("acme-backups")
		r.press("g")
		r.requireText("▸ db/") // folders are the first
		r.press("<enter>")
		r.requireText("acme-backups  us-east-1 › db", "▸ 1999/")
		r.press("<right>")
		r.requireText("acme-backups  us-east-1 › db › 1999")
		r.press("<down>")
		before := r.screen()
		r.press("<enter>", "<left>")
		if after := r.screen(); after != before {
			r.Errorf("the cursor does not stand where it stood:\n%s\n%s", before, after)
		}
		r.press("<esc>", "<esc>")
		r.requireText("› acme-backups ", "▸ db/")
	})
}

// Names with a special meaning for terminals, shells or paths are listed, opened and linked correctly.
func TestObjects_oddNames(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("cdn.acme")
		r.requireText("odd‹␊›name.txt", "straße/", "▸ /")
		r.press("/", "odd", "<enter>", "<enter>")
		r.requireText("odd‹␊›name.txt", "only this account")
		r.press("L", "<ctrl+s>")
		r.requireText("odd%0Aname.txt", "expires", "UTC")
		r.press("<esc>", "<enter>")
		r.requireText("content ·")
	})
}

// The filter of a partly loaded listing shows how many objects it covers.
func TestObjects_filterNamesItsScope(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("logs-eu")
		r.press("f")
		r.requireText("(flat)", "500 loaded, more exist")
		r.press("/", "12")
		r.requireText("in the 500 loaded")
		r.press("<esc>", "<esc>", "P")
		r.requireText("Names that begin with")
	})
}

// A listing is read to its end on demand, and the user can stop the reading.
func TestObjects_loadAll(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("logs-eu")
		r.press("f", "G")
		r.requireText("99,000 loaded ·")
		r.requireNoText("more exist")
		if n := r.emu.RequestCount("list objects"); n > 99_000/500+20 { // the parts have last pages of their own
			r.Errorf("%d requests for 99,000 objects", n)
		}
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("logs-eu")
		r.press("f")
		release := r.emu.HoldRequests("list objects")
		r.press("G")
		r.requireText("still reading: 500 so far", "esc stops")
		r.press("<esc>")
		release()
		r.requireText("500 loaded, more exist")
	})
}

// In a bucket with a million objects, the first page is shown at once, and the next page is fetched when the cursor
// comes near the end.
func TestObjects_prefetch(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "A33", "TestObjects_prefetch")
	startProgram(t, emulator.Options{Seed: "large"}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "/", "million", "<enter>", "<enter>", "f")
		r.requireText("500 loaded, more exist")
		if n := r.emu.RequestCount("list objects"); n > 3 {
			r.Errorf("%d requests for the first screen", n)
		}
		for range 20 {
			r.press("<pgdown>")
		}
		r.requireText("1,000 loaded, more exist")
	})
}

// A server that repeats its marker does not make the program loop.
func TestObjects_repeatedMarker(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "A20", "told on the screen")
	setup := func(e *emulator.Emulator) {
		e.InjectFault(
			"list objects",
			emulator.Fault{
				Status: 200,
				Body: `{"data":[{"name":"a","etag":"x","last_modified":"2026-01-01T00:00:00","owner":"o",` +
					`"size":1}],"is_truncated":true,"next_marker":"a"}`,
			},
		)
	}
	startWithEmulator(t, emulator.Options{}, screenSize{120, 36}, setup, func(r *harness) {
		r.press("8", "/", "acme-www", "<enter>", "<enter>", "G")
		r.requireText("incomplete: marker repeated")
		if n := r.emu.RequestCount("list objects"); n > 3 {
			r.Errorf("%d requests", n)
		}
	})
}

// If the listing lacks the size of an object, the size is shown as unknown, and the object is not downloaded as an
// empty file.
func TestObjects_unknownSize(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "D3", "told on the screen")
	setup := func(e *emulator.Emulator) {
		etag := strings.Repeat("a", 32) + "-2"
		e.InjectFault("list objects", emulator.Fault{
			Status: 200,
			Body: `{"data":[{"name":"big.bin","etag":"` + etag +
				`","last_modified":"2026-01-01T00:00:00","owner":"o","size":"5000"},` +
				`{"name":"c.txt","etag":"x","last_modified":"2026-01-01T00:00:00","owner":"o","size":2048}],` +
				`"is_truncated":false,"next_marker":null}`,
		})
	}
	startWithEmulator(t, emulator.Options{}, screenSize{120, 36}, setup, func(r *harness) {
		r.press("8", "/", "acme-www", "<enter>", "<enter>")
		r.requireText("big.bin", "unknown", "2.0 KiB", "2 loaded · 2.0 KiB")
		r.requireNoText(" 0 B")
		r.press("w")
		r.requireText("size unknown. The file gets its name once it is complete")
		r.press("<ctrl+s>")
		r.requireText("does not give the size of the object")
	})
}

// If one of three clusters never answers, the buckets of the other two are shown.
func TestBucketFetcher_oneClusterDown(t *testing.T) {
	t.Parallel()
	setup := func(e *emulator.Emulator) {
		e.InjectFault("GET /object-storage/buckets/eu-central-1*", emulator.Fault{Status: 503})
		e.InjectFault("list buckets", emulator.Fault{Status: 503})
	}
	startWithEmulator(t, emulator.Options{}, screenSize{120, 36}, setup, func(r *harness) {
		r.press("8")
		r.wait(time.Minute)
		r.requireText("eu-central-1 is not responding", "acme-www", "uploads", byService("8 buckets", "10 buckets"))
		r.press("/", "acme-www", "<enter>", "<enter>")
		r.requireText("index.html")
	})
}

// Members that the real service sends beyond the API document are shown.
func TestStorage_undocumentedMembers(t *testing.T) {
	t.Parallel()
	setup := func(e *emulator.Emulator) {
		e.InjectFault(
			"list clusters",
			emulator.Fault{
				Status: 200,
				Body: `{"data":[{"id":"us-ord-1","domain":"us-ord-1.example.com","region":"us-ord",` +
					`"static_site_domain":"","status":"limited"}],"page":1,"pages":1,"results":1}`,
			},
		)
		e.InjectFault(
			"GET /object-storage/buckets*",
			emulator.Fault{
				Status: 200,
				Body: `{"data":[{"label":"e3-bucket","cluster":"","region":"us-sea","hostname":"e3.example.com",` +
					`"created":"2025-01-01T01:23:45","size":null,"objects":null,"endpoint_type":"E3"}],"page":1,` +
					`"pages":1,"results":1}`,
			},
		)
		e.InjectFault(
			"list keys",
			emulator.Fault{
				Status: 200,
				Body: `{"data":[{"id":1,"label":"my-key","access_key":"AK","secret_key":"[REDACTED]",` +
					`"limited":true,"bucket_access":[{"cluster":"us-ord-1","bucket_name":"b",` +
					`"permissions":"list_only"}],"regions":[]}],"page":1,"pages":1,"results":1}`,
			},
		)
	}
	startWithEmulator(t, emulator.Options{}, screenSize{120, 36}, setup, func(r *harness) {
		r.press("8")
		r.requireText("e3-bucket", "us-sea")
		r.press("0")
		r.requireText("? limited", "us-ord-1")
		r.press("9")
		r.requireText("my-key", "list_only", "b in us-ord-1")
		r.requireNoText("REDACTED")
	})
}

// A marked folder is downloaded with everything in it.
func TestDownload_markedFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("cdn.acme")
		r.press("/", "index", "<enter>", "w")
		r.requireText("Download index.html", dir)
		r.press("<ctrl+s>")
		r.wait(2 * time.Second)
		r.requireText("index.html: downloaded to " + filepath.Join(dir, "index.html"))
		data, err := os.ReadFile(filepath.Join(dir, "index.html"))
		if err != nil || len(data) != 50 {
			r.Fatalf("%d bytes, %v", len(data), err)
		}
		r.press("w", "<ctrl+s>")
		r.requireText("a file with this name exists: choose another name")
		r.press("<esc>", "<esc>", "/", "assets", "<enter>", "w")
		r.wait(time.Second)
		r.requireText("Download assets/", "2 files", "assets//double slash.txt")
		r.press("<ctrl+s>")
		r.wait(5 * time.Second)
		if _, err := os.Stat(filepath.Join(dir, "assets")); err != nil {
			r.Errorf("%v\n%s", err, r.screen())
		}
		r.press(":", "transfers", "<enter>")
		r.requireText("✓ done", "100 %")
	})
}

// A download that does not fit on the disk is not started, and the form says how much is free.
func TestDownload_needsSpace(t *testing.T) {
	dir := t.TempDir()
	if _, known := transfer.FreeSpace(dir); !known {
		t.Skip("the system does not say how much is free")
	}
	t.Chdir(dir)
	setup := func(e *emulator.Emulator) {
		row := `{"name":"%s","etag":"x","last_modified":"2026-01-01T00:00:00","owner":"o","size":576460752303423488}`
		e.InjectFault("list objects", emulator.Fault{
			Status: 200,
			Body:   fmt.Sprintf(`{"data":[`+row+`,`+row+`],"is_truncated":false,"next_marker":null}`, "a", "b"),
		})
	}
	startWithEmulator(t, emulator.Options{}, screenSize{120, 36}, setup, func(r *harness) {
		r.openBucket("acme-www")
		r.press("A", "w")
		r.wait(time.Second)
		r.requireText("2 files, 1.0 EiB", "free.") // the folder's name may fill a line
		r.press("<ctrl+s>")
		r.wait(time.Second)
		r.requireText("needed:")
		r.requireNoText("downloading", "Transfers 1", "Activity 1")
	})
}

// Cancelling a transfer asks first and names the cost. Any answer but y leaves the transfer as it is.
func TestTransfers_cancelAsks(t *testing.T) {
	t.Chdir(t.TempDir())
	setup := func(e *emulator.Emulator) { e.HoldRequests("object get") }
	startWithEmulator(t, emulator.Options{}, screenSize{120, 36}, setup, func(r *harness) {
		r.openBucket("cdn.acme")
		r.press("/", "index", "<enter>", "w", "<ctrl+s>", ":", "transfers", "<enter>")
		r.requireText("● running")
		r.press("D")
		r.requireText("Cancel transfers", "will be cancelled.", "Pausing keeps it.")
		r.wait(time.Second)
		r.press("n")
		r.requireText("● running")
		r.press("D")
		r.wait(time.Second)
		r.press("y")
		r.wait(time.Second)
		r.requireText("cancelled")
		r.requireNoText("● running")
	})
}

// An upload asks before it overwrites an object.
func TestUpload_asksBeforeOverwriting(t *testing.T) {
	faulttest.ReportCase(t, "D13", "asked")
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("<p>new</p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("cdn.acme")
		r.press("U")
		r.requireText("Upload into us-east-1/cdn.acme.net")
		r.press("index.html", "<ctrl+s>")
		r.wait(time.Second)
		r.requireText("Overwrite index.html", "50 B")
		r.press("n")
		r.requireNoChanges()
		r.press("U", "index.html", "<ctrl+s>")
		r.wait(time.Second)
		r.press("y")
		r.wait(3 * time.Second)
		r.requireText("index.html: uploaded, 10 B")
		r.requireApplied("put object")
		r.requireText("10 B")
	})
}

// The deletion of several objects wants their number typed.
func TestObjects_delete_asksForCount(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "C6", "objects")
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("invoices")
		r.press("g", "<enter>")
		r.press("g", "D")
		r.wait(time.Second)
		screen := r.screen()
		if !strings.Contains(screen, "Delete ") || len(r.appliedOperations()) != 0 {
			r.Fatalf("no question:\n%s", screen)
		}
		r.press("<esc>", "<esc>", "<esc>")
		r.press("8", "<esc>", "/", "invoices", "<enter>", "<enter>", "g", "D")
		r.wait(time.Second)
		r.requireText("objects (", "for good", "Type ")
		r.press("y", "<enter>")
		if got := r.appliedOperations(); len(got) != 0 {
			r.Fatalf("deleted without the count: %v", got)
		}
		r.press("<backspace>")
		word := strings.Fields(strings.SplitAfter(r.screen(), "Type ")[1])[0]
		r.press(word, "<enter>")
		r.wait(time.Minute)
		if got := fmt.Sprint(len(r.appliedOperations())); got != word {
			r.Errorf("%s deleted of %s\n%s", got, word, r.screen())
		}
	})
}

// A bucket with objects is not deleted. The program offers to empty it, counts the objects, and empties it.
func TestBuckets_deleteOffersToEmpty(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "B16", "offered to be emptied")
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "/", "acme-www", "<enter>", "D")
		r.wait(time.Second)
		r.press("acme-www", "<enter>")
		r.requireText("acme-www is not empty", "count its objects")
		r.press("e")
		r.wait(time.Second)
		r.requireText("Empty bucket", "(us-east-1)", "objects, 339 B, counted just now", "Type acme-www")
		r.requireNoText("counting the objects")
		r.press("7", "<enter>")
		r.wait(2 * time.Second)
		r.requireApplied()
		r.press("<backspace>", "acme-www", "<enter>")
		r.wait(2 * time.Second)
		r.requireText("acme-www: emptied")
		r.press("r", "D")
		r.wait(time.Second)
		r.press("acme-www", "<enter>")
		r.requireText("acme-www: deleted")
	})
}

// startAfterInterruptedEmptying starts the program after a run that was ended while it emptied a bucket.
func startAfterInterruptedEmptying(t *testing.T, id string, test func(*harness)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal")
	before, err := journal.Open(path, "acme-prod", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	emptying := client.Change{Op: client.OpEmptyBucket, Resource: "bucket", ID: id, Path: "/" + id}
	_, err = before.RecordIntent(t.Context(), emptying)
	if err = errors.Join(err, before.Close()); err != nil {
		t.Fatal(err)
	}
	reopen := func(r *harness, o *shell.Options) {
		if r.journal, err = journal.Open(path, "acme-prod", time.Now); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.journal.Close() })
		r.connect()
		o.Panes, o.OnOpen, o.LeaveWarnings, o.TokenForm = r.panes, r.onOpen, r.leaveWarnings, r.tokenForm
	}
	startWithOptions(t, emulator.Options{}, screenSize{120, 36}, reopen, test)
}

// The offer after an interrupted emptying asks again: bucket, cluster, a fresh count of the rest, and the bucket's name
// typed. No single key deletes anything.
func TestEmptying_resumeAsksAgain(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]string{"bucket": "us-east-1/acme-www/", "prefix": "us-east-1/acme-www/assets/"} {
		t.Run(name, func(t *testing.T) {
			startAfterInterruptedEmptying(t, id, func(r *harness) {
				r.requireText("Emptying was interrupted", id)
				r.press("<enter>")
				r.wait(5 * time.Second)
				r.requireApplied()
			})
			startAfterInterruptedEmptying(t, id, func(r *harness) {
				r.press("1")
				r.wait(2 * time.Second)
				r.requireText("Empty bucket", "acme-www", "(us-east-1)", "objects, ", "counted", "Type acme-www")
				for _, wrong := range []string{"", "7", "y", "go on"} {
					r.press("<ctrl+u>", wrong, "<enter>")
				}
				r.wait(5 * time.Second)
				r.requireApplied()
				r.press("<ctrl+u>", "acme-www", "<enter>")
				r.wait(5 * time.Second)
				if n := len(r.appliedOperations()); n == 0 || name == "bucket" && n != 7 {
					r.Errorf("%d objects were deleted", n)
				}
			})
		})
	}
}

// The message at the end of an emptying shows a prefix with hidden characters as visible ones.
func TestEmptying_hostilePrefix(t *testing.T) {
	t.Parallel()
	startAfterInterruptedEmptying(t, "ap-south-1/scratch/a\x1b[2J\u202e/", func(r *harness) {
		emulator.StoreObject(r.emu, "ap-south-1", "scratch", "a\x1b[2J\u202e/1", "text")
		r.press("1")
		r.wait(2 * time.Second)
		r.press("scratch", "<enter>")
		r.wait(5 * time.Second)
		r.requireMessageWith("scratch › a‹␛›[2J‹U+202E›/: emptied, 1 object")
	})
}

// If nothing is left to delete, lookout says so, and offers it no more.
func TestEmptying_resumeFindsNothingLeft(t *testing.T) {
	t.Parallel()
	startAfterInterruptedEmptying(t, "ap-south-1/scratch/", func(r *harness) {
		r.press("1")
		r.wait(2 * time.Second)
		r.requireText("scratch: there is nothing to delete")
		r.requireNoText("Empty bucket")
		if left := r.journal.Unfinished(client.OpEmptyBucket); len(left) != 0 {
			r.Errorf("unfinished: %+v", left)
		}
	})
}

// A text that says what is being counted is shown as long as it is counted, and no longer.
func TestStatusMessages_countingEndsWithTheCount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		open []string
		says string
	}{
		"emptying":   {[]string{"8", "/", "acme-www", "<enter>", "X"}, "counting the objects of acme-www"},
		"cancelling": {[]string{"8", ":", "cancel", "<enter>"}, "counting what would be lost"},
		"a folder": {
			[]string{"8", "/", "acme-backups", "<enter>", "<enter>", "/", "db", "<enter>", "D"},
			"counting the objects in db/",
		},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				last := len(c.open) - 1
				r.press(c.open[:last]...)
				r.emu.InjectFault("*", emulator.Fault{Delay: 20 * time.Second, Times: 100})
				r.press(c.open[last])
				r.wait(15 * time.Second)
				r.requireText(c.says)
				r.wait(200 * time.Second)
				r.requireNoText(c.says)
			})
		})
	}
}

// The three kinds of keys send three different requests.
func TestKeys_threeKinds(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "B5", "as the form sends them")
	for name, c := range map[string]struct {
		keys []string
		says string
		sent string
	}{
		"unlimited": {[]string{"<tab>", "<left>"}, "can reach EVERYTHING", `{"label":"a key"}`},
		"nothing":   {nil, "can reach NOTHING", `{"bucket_access":[],"label":"a key"}`},
		"limited": {[]string{"<tab>", "<tab>", "<down>", "<right>", "<right>"}, "read, write and delete " +
			"in acme-backups in us-east-1",
			`{"bucket_access":[{"cluster":"us-east-1","bucket_name":"acme-backups","permissions":"read_write"}],` +
				`"label":"a key"}`},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
				r.press("9", "n", "a key")
				r.press(c.keys...)
				r.requireText(c.says)
				r.confirmForm()
				r.requireText("shown only once", "••••")
				if got := string(toJSON(r.emu.Ledger()[0].Body)); got != c.sent {
					r.Errorf("sent %s", got)
				}
			})
		})
	}
}

// The detail of a key with limits names what it reaches by permission, in lines that fit beside the list.
func TestKeys_detailNamesBuckets(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("9", "/", "backup agent", "<enter>")
		r.line("reaches (read and write)")
		r.line("acme-backups in us-east-1")
		r.line("acme-backups in eu-central-1")
		r.press("/", "<ctrl+u>", "finance", "<enter>")
		r.line("reaches (read only)")
		r.line("invoices-2026 in us-east-1")
	})
}

// A secret is visible only while the key is held, is copied and saved on demand, and is not lost by accident.
func TestSecretDialog_copyAndSave(t *testing.T) {
	faulttest.ReportCase(t, "B6", "shown once")
	dir := t.TempDir()
	t.Chdir(dir)
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("9", "n", "once key")
		r.confirmForm()
		r.requireText("shown only once")
		r.press("<enter>", "<esc>")
		r.requireText("not saved to a file")
		r.press("<enter>", "y", "<esc>", "r")
		hidden := strings.Count(r.screen(), "••••••••••••••••")
		if hidden != 0 {
			r.Errorf("not revealed while held:\n%s", r.screen())
		}
		r.wait(2 * time.Second)
		r.requireText("••••••••••••••••")
		r.press("3")
		r.requireText("Save as environment lines")
		r.press("<ctrl+s>")
		r.requireText("saved: ", "✓ saved")
		path := filepath.Join(dir, "lookout-once-key.env")
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			r.Fatalf("%v %v", info, err)
		}
		data, _ := os.ReadFile(path)
		_, secret, _ := strings.Cut(string(data), "AWS_SECRET_ACCESS_KEY=")
		secret, _, _ = strings.Cut(secret, "\n")
		if len(secret) < 20 {
			r.Fatalf("no secret in the file: %s", data)
		}
		r.press("3", "<ctrl+s>")
		r.requireText("exists")
		r.press("<esc>", "<enter>")
		r.requireText("once key")
		r.press("/", "once", "<enter>", "V")
		r.requireNoText(secret)
		for _, e := range r.journal.Entries(time.Time{}) {
			if strings.Contains(string(toJSON(e)), secret) {
				r.Error("the journal holds the secret")
			}
		}
	})
}

// If the answer to the creation of a key is lost, the program names the key and offers to revoke it.
func TestKeys_lostKeyIsRevoked(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "B4", "told, and offered for revoking")
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.emu.InjectFault("create key", emulator.Fault{ApplyFirst: true, Reset: true, Times: 1})
		r.press("9", "n", "lost key")
		r.confirmForm()
		r.wait(3 * time.Second)
		r.requireDialog(
			"It is unknown who made this key", "key 901 lost key", "its secret is lost", "leave it", "revoke key",
		)
		r.press("r")
		r.wait(time.Second)
		r.press("lost key", "<enter>")
		r.requireText(`"lost key": revoked`)
		r.requireApplied("create key", "revoke key")
	})
}

// A cancellation counts the buckets again, waits ten seconds, wants the account's name typed and accepts no paste.
func TestCancelStorage_asks(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "B15", "counted before and after")
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", ":", "cancel", "<enter>")
		r.requireText("FOR GOOD", "can be answered in 10 s", "esc back")
		r.requireText(byService("scratch in ap-south-1: 0 objects, 0 B", "archive-2019 in us-east-1: objects unknown"))
		r.requireText(byService("12 buckets", "16 buckets"), byService("9 keys", "10 keys"))
		r.press("acme-prod", "<enter>")
		r.wait(4 * time.Second)
		r.requireText("can be answered in 6 s") // it counts although nothing is typed
		r.wait(5 * time.Second)
		r.press("acme-prod", "<enter>")
		if got := r.appliedOperations(); len(got) != 0 {
			r.Fatalf("answered too early: %v", got)
		}
		r.wait(2 * time.Second)
		r.send(tea.PasteMsg{Content: "acme-prod"})
		r.press("<enter>")
		if got := r.appliedOperations(); len(got) != 0 {
			r.Fatalf("a paste answered: %v", got)
		}
		r.requireText("enter cancel Object Storage", "esc back")
		r.requireNoText("esc cancel", "cancel it")
		r.press("acme-prod", "<enter>")
		r.requireText("Object Storage is cancelled")
		r.press(":", "cancel", "<enter>")
		r.requireText("has no buckets and no keys, so this deletes")
		r.requireNoText("0 keys", "0 buckets", "FOR GOOD")
	})
}

// If buckets may be missing and none was listed, the question about cancelling does not count them.
func TestCancelStorage_bucketsNotListed(t *testing.T) {
	t.Parallel()
	setup := func(e *emulator.Emulator) {
		e.InjectFault("list buckets", emulator.Fault{Status: 503})
	}
	startWithEmulator(t, emulator.Options{Seed: "empty"}, screenSize{120, 36}, setup, func(r *harness) {
		r.press("8", ":", "cancel", "<enter>")
		r.wait(time.Minute)
		r.requireText("Not all buckets of account", "FOR GOOD", "some buckets may be missing")
		r.requireNoText("0 buckets", "0 objects", "0 keys")
	})
}

// The form reports what is wrong with a certificate before it is sent.
func TestCertificate_checkedBeforeUpload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	no := write("no.pem", "no PEM")
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "/", "cdn", "<enter>", "c")
		r.requireText("none is set")
		r.press("U", no, "<tab>", no, "<ctrl+s>")
		r.requireText("contains no PEM data")
		r.press("<ctrl+u>", "/nowhere", "<ctrl+s>")
		r.requireText("no such file or directory")
		r.requireNoChanges()
	})
}

// The certificate page shows the date of a certificate that was just uploaded, and says who knows it later.
func TestCertificate_date(t *testing.T) {
	t.Parallel()
	certificate, key := certtest.New("cdn.acme.net").Write(t)
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press(append(goTo("8", "cdn.acme"), "c")...)
		r.requireText("the audit knows the date")
		r.requireNoText("uploaded here")
		r.press("U", certificate, "<tab>", key, "<ctrl+s>")
		r.requireText("uploaded here", ", until ", "the audit knows the date")
	})
}

// The journal's detail names a bucket once: its ID ends with its label.
func TestJournal_bucketIsNamedOnce(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 40}, func(r *harness) {
		r.press(append(goTo("8", "acme-www"), "x", "<right>", "<ctrl+s>")...)
		r.wait(time.Second)
		r.press("acme-www", "<enter>")
		r.requireApplied(client.OpUpdateBucketAccess)
		r.press("J")
		r.requireText("us-east-1/acme-www")
		r.requireNoText("us-east-1/acme-www  acme-www")
	})
}

// A lifetime out of range has no time of expiry.
func TestLinkForm_lifetimeOutOfRange(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press(append(goTo("8", "acme-www"), "<enter>", "/", "index.html", "<enter>", "L", "<left>", "<left>")...)
		r.requireText("‹seconds›", "It expires at about")
		r.press("<tab>", "<ctrl+u>", "5", "<ctrl+s>")
		r.requireText("enter a number from 360 to 86400")
		r.requireNoText("It expires at about")
		r.requireNoChanges()
	})
}

// If the user creates a bucket that they already own, the program says that it existed.
func TestBuckets_createExisting(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "B17", "told")
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "n", "acme-www", "<ctrl+s>")
		r.requireText("a bucket with this label exists in the cluster")
		r.requireNoChanges()
	})
}

// A key is created only after a question, which names each bucket with its cluster. Typing a bucket's name gives access
// to none.
func TestKeys_createAsks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys []string
		says string
	}{
		"everything": {[]string{"<tab>", "<right>", "<ctrl+s>"}, "It can reach EVERYTHING"},
		"nothing":    {[]string{"<tab>", "<tab>", "acme-backups", "<ctrl+s>"}, "It can reach NOTHING"},
		"one bucket": {
			[]string{"<tab>", "acme-backups eu", "<right>", "<enter>"}, "It may read acme-backups in eu-central-1, and",
		},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				r.press("9", "n", "probe")
				for _, key := range c.keys {
					r.wait(time.Second) // no enter follows another at once
					r.press(key)
				}
				r.wait(time.Second)
				r.requireDialog("Creates key probe. " + c.says)
				r.requireNoChanges()
				r.press("y")
				r.requireText("shown only once")
				r.requireApplied(client.OpCreateKey)
			})
		})
	}
}

// The list of keys names the cluster of a bucket if the account has a bucket of that name elsewhere too, even if the
// key reaches only one of them.
func TestKeys_nameClusters(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("9")
		r.line("finance", "  invoices-2026 (read only)")
		r.elsewhere("POST", "/object-storage/keys", `{"label":"one of two",`+
			`"bucket_access":[{"cluster":"eu-central-1","bucket_name":"acme-backups","permissions":"read_only"}]}`)
		r.press("r")
		r.wait(time.Second)
		r.line("one of two", "  eu-central-1/acme-backups")
	})
}

// A new bucket may go to every cluster that the API lists, unless it is unavailable or hidden.
func TestBuckets_createOffersClusters(t *testing.T) {
	t.Parallel()
	for status, offered := range map[string]bool{
		"available": true, "limited": true, "unavailable": false, "hidden": false,
	} {
		t.Run(status, func(t *testing.T) {
			const list = `{"data":[{"id":"us-east-1"`
			first := fmt.Sprintf(`{"data":[{"id":"xx-first-1","status":%q},{"id":"us-east-1"`, status)
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				r.press("8", "n")
				r.requireText("New bucket")
				if found := strings.Contains(r.screen(), "xx-first-1"); found != offered {
					r.Errorf("offered is %v:\n%s", found, r.screen())
				}
			}, &rewritingTransport{old: list, new: []byte(first)})
		})
	}
}

// A preview shows text, indented JSON, the kind and size of an image, and bytes in hexadecimal for anything else.
func TestPreview_byContentType(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.openBucket("cdn.acme")
		r.press("/", "index", "<enter>", "<enter>", "<enter>")
		r.wait(time.Second)
		r.requireText("content ·", "html")
		r.press("<esc>", "<esc>", "/", "assets", "<enter>", "<enter>")
		r.requireText("assets")
	})
}

// A folder upload names each file that is not sent, and why: in the plan and in the list of transfers. The message at
// the end names the first and says how many there are.
func TestUploadFolder_namesWhatIsNotSent(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "site")
	err := os.Mkdir(folder, 0o700)
	for i := range 12 {
		err = errors.Join(err, os.Symlink("fine", filepath.Join(folder, fmt.Sprintf("link-%02d", i))))
	}
	if err = errors.Join(err, os.WriteFile(filepath.Join(folder, "fine"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		r.openBucket("cdn.acme")
		r.press("U", "<ctrl+u>", folder, "<ctrl+s>")
		r.requireText("NOT sent; the transfers pane will list each", "not sent: link-00: it is a link")
		r.requireText("not sent: link-11: it is a link") // all of them fit
		r.wait(time.Second)
		r.press("1", "<enter>")
		for i := 0; i < 20 && !strings.Contains(r.screen(), "uploaded to cdn.acme.net"); i++ {
			r.wait(time.Second)
		}
		r.requireText("1 of 13 files: uploaded to cdn.acme.net", "12 not sent, first site/link-00: it is a link")
		r.press(":", "transfers", "<enter>")
		r.requireText("site/link-00", "site/link-11", "it is a link")
	})
}

// The upload of a folder shows what is new, the same and different before it asks once, and replaces only by choice.
func TestUploadFolder_plansBeforeItAsks(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "site")
	texts := map[string]string{"new": "new", "same": "same", "other": "mine"}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for keys, want := range map[string]struct {
		says, answer string
		sent         int
		names        []string
	}{
		"":                {"(unchanged)", "1", 1, nil},
		"<right>":         {"(both are kept)", "2", 2, []string{"site/other (2)"}},
		"<right> <right>": {"(replaced)", "2", 2, nil},
	} {
		t.Run(want.says, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
				emulator.StoreObject(r.emu, "us-east-1", "cdn.acme.net", "site/same", "same")
				emulator.StoreObject(r.emu, "us-east-1", "cdn.acme.net", "site/other", "theirs")
				r.openBucket("cdn.acme")
				r.press("U", "<ctrl+u>", folder, "<tab>", "<tab>", "<tab>")
				r.press(strings.Fields(keys)...)
				r.press("<ctrl+s>")
				r.wait(time.Second)
				r.requireText("Upload a folder", "1 new, 1 the", "1 different", want.says)
				r.requireNoChanges()
				r.press(want.answer, "<enter>")
				r.wait(3 * time.Second)
				if n := len(r.emu.Ledger()); n != want.sent {
					r.Errorf("%d files were sent, want %d\n%s", n, want.sent, r.screen())
				}
				r.requireObjects("us-east-1", "cdn.acme.net", append(want.names, "site/new", "site/other")...)
			})
		})
	}
}

// The list of access keys says in whole words what a key reaches, in full or with a count of the rest.
func TestKeys_reachesInWholeWords(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 80, 120} {
		startProgram(t, emulator.Options{}, screenSize{width, 24}, func(r *harness) {
			r.press("9")
			r.line("finance", "invoices-2026 (read only)")
			r.line("backup agent", "us-east-1/acme-backups +1 more") // of two clusters
			r.requireNoText("…│", "…\n", "acme-backups, acme-backups")
			_, list, _ := strings.Cut(r.screen(), "reaches")
			if strings.Contains(list, "…  ") {
				t.Errorf("a text is cut:\n%s", list)
			}
		})
	}
}

// A new bucket is sent with the region of its cluster: what the API says about the region is shown at the cluster.
func TestNewBucket_rejectedRegionIsShownAtTheCluster(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.emu.InjectFault("create bucket", emulator.Fault{
			Status: 400,
			Body:   `{"errors":[{"reason":"Not open yet","field":"region"}]}`,
		})
		r.pressAll("8 n night1 <ctrl+s>")
		r.wait(2 * time.Second)
		r.requireText("Not open yet")
		r.requireNoText("region: Not open yet")
	})
}
