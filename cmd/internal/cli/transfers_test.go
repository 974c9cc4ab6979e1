package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// sumFiles returns the SHA-256 of each file below a folder, by its slash-separated path.
func sumFiles(t *testing.T, folder string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		sums[filepath.ToSlash(name)] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// requireSameFiles fails if two folders do not hold the same files with the same bytes.
func requireSameFiles(t *testing.T, got, want string) {
	t.Helper()
	if a, b := sumFiles(t, got), sumFiles(t, want); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("%s holds %v, %s holds %v", got, a, want, b)
	}
}

// ledgerCount returns how many changes of a kind the emulator has made.
func (r *testEnv) ledgerCount(op string) (n int) {
	for _, e := range r.API.Ledger() {
		if e.Op == op {
			n++
		}
	}
	return n
}

// writeSite writes a folder with some files.
func (r *testEnv) writeSite() string {
	folder := filepath.Join(r.Home, "site")
	for name, text := range map[string]string{
		"index.html": "<h1>", "css/a.css": "a", "css/b.css": "", "logs/1.gz": "one", "logs/2.gz": "two",
		"logs/old/3.gz": "three", "logs/note.txt": "n",
	} {
		r.Write(filepath.Join(folder, filepath.FromSlash(name)), text)
	}
	return folder
}

// What put -r stores, get -r fetches again, byte by byte, into a folder that it makes.
func TestObjects_getFolderBringsBackWhatPutStored(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	folder, back := r.writeSite(), filepath.Join(r.Home, "new", "back")
	r.CheckResult(
		r.Run("objects", "put", "-r", testenv.Bucket, "www/", folder), exit.CodeOK, "7 of 7 files stored",
	)
	r.CheckResult(
		r.Run("objects", "get", "-r", testenv.Bucket, "www/", back, "--dry-run"), exit.CodeOK, "7 files: ", "7 new",
		"0 left out", " free",
	)
	if _, err := os.Stat(back); err == nil {
		t.Error("a dry run has made the folder")
	}
	r.CheckResult(r.Run("objects", "get", "-r", testenv.Bucket, "www", back), exit.CodeOK, "7 of 7 files fetched")
	requireSameFiles(t, back, folder)
	r.CheckResult(
		r.Run("objects", "get", "-r", testenv.Bucket, "www/", back), exit.CodeOK, "7 files are the same on both sides",
	)
}

// Several names and patterns go to a folder; a pattern does not reach into folders, and an object that has a pattern as
// its name is that object.
func TestObjects_getTakesSeveralNamesAndPatterns(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{
		"1.gz 2.gz":                      {"www/logs/*.gz"},
		"1.gz index.html":                {"www/index.html", "www/logs/1.gz"},
		"1.gz 2.gz a.css b.css":          {"www/logs/?.gz", "www/css/*.css"},
		"css/a.css css/b.css index.html": {"www/css/", "www/index.html", "-r"},
		"logs/1.gz logs/2.gz logs/note.txt logs/old/3.gz": {"www/lo*", "-r"},
		"old/3.gz": {"www/logs/o[a-z]d/*"},
	} {
		t.Run(want, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			r.MustRun("objects", "put", testenv.Bucket, "www/", r.writeSite())
			to := filepath.Join(r.Home, "to")
			args := append(append([]string{"objects", "get", testenv.Bucket}, names...), to)
			r.CheckResult(r.Run(args...), exit.CodeOK, " fetched")
			var got []string
			for _, name := range strings.Fields(want) {
				if _, err := os.Stat(filepath.Join(to, filepath.FromSlash(name))); err == nil {
					got = append(got, name)
				}
			}
			if strings.Join(got, " ") != want || len(sumFiles(t, to)) != len(got) {
				t.Errorf("%v: %v, want %s", names, sumFiles(t, to), want)
			}
		})
	}
	r := newTestEnv(t, emulator.Options{})
	r.StoreObject("a*", 5)
	r.StoreObject("ab", 7)
	file := filepath.Join(r.Home, "out")
	r.MustRun("objects", "get", testenv.Bucket, "a*", file)
	if info, err := os.Stat(file); err != nil || info.Size() != 5 {
		t.Errorf("%v, %v", info, err)
	}
	r.CheckResult(
		r.Run("objects", "get", testenv.Bucket, "none*", r.Home), exit.CodeNotFound, "none*: there is no such object",
	)
	r.CheckResult(r.Run("objects", "get", testenv.Bucket, "a*", "ab", "-"), exit.CodeUsage, "single object")
}

// get puts one object into a folder that exists, or whose name ends with a slash, as it does with several.
func TestObjects_getPutsOneObjectIntoAFolder(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	r.StoreObject("logs/1.gz", 5)
	r.StoreObject("logs/", 3) // has no name in a folder
	t.Chdir(r.Home)
	r.Write(filepath.Join("there", "old"), "")
	r.Write(filepath.Join("deep", "link", "old"), "")
	if err := os.Symlink(filepath.Join("deep", "link"), "linked"); err != nil {
		t.Fatal(err)
	}
	for target, file := range map[string]string{
		"new/": "new/1.gz", "there": "there/1.gz", "a/b/": "a/b/1.gz", ".": "1.gz", "linked": "deep/link/1.gz",
		"file": "file", "deep/": "deep/1.gz",
	} {
		r.CheckResult(r.Run("objects", "get", testenv.Bucket, "logs/1.gz", target, "--dry-run"), exit.CodeOK, "1.gz")
		r.CheckResult(r.Run("objects", "get", testenv.Bucket, "logs/1.gz", target), exit.CodeOK, "(5 bytes) in ")
		if info, err := os.Stat(file); err != nil || info.Size() != 5 {
			t.Errorf("%s: %v", target, err)
		}
		again := r.Run("objects", "get", testenv.Bucket, "logs/1.gz", target)
		r.CheckResult(again, exit.CodeFailure, filepath.FromSlash(file[:1]), "already exists")
	}
	r.CheckResult(r.Run("objects", "get", testenv.Bucket, "logs/", "there"), exit.CodeUsage, "give FILE")
	r.CheckResult(r.Run("objects", "get", testenv.Bucket, "logs/1.gz", "file/"), exit.CodeFailure, "file")
}

// An upload never replaces an object that somebody stores between the plan and the transfer, and names it.
func TestObjects_putReplacesNothingStoredMeanwhile(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	folder := r.writeSite()
	var once sync.Once
	r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/object-url") {
			once.Do(func() {
				emulator.StoreObject(r.API, "us-east-1", "acme-backups", "www/index.html", "somebody else's")
			})
		}
		return false
	})
	r.CheckResult(
		r.Run("objects", "put", testenv.Bucket, "www/", folder), exit.CodePartial, "www/index.html was not stored",
		"was stored in the meantime; it is not replaced", "6 of 7 files stored",
	)
	if s := r.MustRun("objects", "get", testenv.Bucket, "www/index.html", "-"); s.Out != "somebody else's" {
		t.Errorf("%q", s.Out)
	}
}

// put - stores standard input.
func TestObjects_putTakesAPipe(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	text := strings.Repeat("from a pipe\n", 100_000)
	r.CheckResult(
		r.RunWithInput(text, "objects", "put", testenv.Bucket, "piped.txt", "-"), exit.CodeOK, "1200000 bytes stored",
	)
	r.CheckResult(
		r.RunWithInput("x", "objects", "put", testenv.Bucket, "piped.txt", "-"), exit.CodeFailure, "already exists",
	)
	r.CheckResult(
		r.RunWithInput("short", "objects", "put", testenv.Bucket, "piped.txt", "-", "--force"), exit.CodeOK,
	)
	if s := r.MustRun("objects", "get", testenv.Bucket, "piped.txt", "-"); s.Out != "short" {
		t.Errorf("%q", s.Out)
	}
}

// A rate limit in the middle of an upload is waited for: every file arrives.
func TestObjects_putWaitsForARateLimit(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.API.InjectFault("create object URL", emulator.Fault{Status: 429, Times: 1})
	r.CheckResult(
		r.Run("objects", "put", testenv.Bucket, "www/", r.writeSite()), exit.CodeOK, "7 of 7 files stored",
	)
}

// sync makes both sides the same, in both directions; a second run sends nothing.
func TestObjects_syncSendsOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	folder, at := r.writeSite(), testenv.Bucket+"/mirror"
	sync := func(args ...string) testenv.CommandResult {
		return r.Run(append([]string{"objects", "sync"}, args...)...)
	}
	r.CheckResult(sync(folder, at), exit.CodeOK, "7 of 7 files stored")
	r.CheckResult(sync(folder, at), exit.CodeOK, "7 files are the same on both sides")
	if n := r.ledgerCount("put object"); n != 7 {
		t.Errorf("%d files were sent, want 7", n)
	}
	r.Write(filepath.Join(folder, "css", "a.css"), "z") // of the same size
	r.Write(filepath.Join(folder, "new"), "new")
	r.CheckResult(sync(folder, at), exit.CodeFailure, "mirror/css/a.css already exists and differs")
	r.CheckResult(sync(folder, at, "--skip-existing"), exit.CodeOK, "1 of 1 file stored, 7 unchanged")
	r.CheckResult(sync(folder, at, "--force"), exit.CodeOK, "1 of 1 file stored, 7 are the same on both sides")
	if n := r.ledgerCount("put object"); n != 9 {
		t.Errorf("%d files were sent, want 9", n)
	}
	back := filepath.Join(r.Home, "back")
	r.CheckResult(sync(at, back), exit.CodeOK, "8 of 8 files fetched")
	requireSameFiles(t, back, folder)
	gets := 0
	r.InterceptDownloads(func(w http.ResponseWriter, _ *http.Request) {
		gets++
		http.Error(w, "no", http.StatusForbidden)
	})
	r.CheckResult(sync(at, back), exit.CodeOK, "8 files are the same on both sides")
	if gets != 0 {
		t.Errorf("%d objects were fetched again", gets)
	}
	for _, args := range [][]string{{folder, back}, {at, at}, {"site", at}} {
		r.CheckResult(sync(args...), exit.CodeUsage)
	}
}

// sync --delete asks, and deletes only what the source does not have; not if something failed or cannot be read.
func TestObjects_syncDeletesOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	folder, at := r.writeSite(), testenv.Bucket+"/mirror"
	r.MustRun("objects", "sync", folder, at)
	if err := os.Remove(filepath.Join(folder, "css", "b.css")); err != nil {
		t.Fatal(err)
	}
	r.CheckResult(r.Run("objects", "sync", folder, at), exit.CodeOK)
	r.CheckResult(
		r.Run("objects", "sync", folder, at, "--delete"), exit.CodeUsage,
		"deletes 1 object that the folder does not have", "add --yes",
	)
	r.API.InjectFault("object put", emulator.Fault{Status: 403, Times: 2})
	r.Write(filepath.Join(folder, "fails"), "x")
	r.CheckResult(
		r.Run("objects", "sync", folder, at, "--delete", "--yes"), exit.CodePartial, "mirror/fails was not stored",
	)
	if n := r.ledgerCount("delete object"); n != 0 {
		t.Fatalf("%d objects were deleted", n)
	}
	r.API.ClearFaults()
	r.CheckResult(
		r.Run("objects", "sync", folder, at, "--delete", "--yes"), exit.CodeOK, "1 object removed",
	)
	if n := r.ledgerCount("delete object"); n != 1 {
		t.Errorf("%d objects were deleted", n)
	}
	r.Write(filepath.Join(folder, "mine", "extra"), "x")
	r.CheckResult(
		r.Run("objects", "sync", at, folder, "--delete"), exit.CodeUsage, "this deletes 1 file in "+folder, "add --yes",
	)
	r.CheckResult(r.Run("objects", "sync", at, folder, "--delete", "--yes"), exit.CodeOK, "1 file deleted")
	if _, err := os.Stat(filepath.Join(folder, "mine")); !os.IsNotExist(err) {
		t.Error("the folder of the deleted file is left")
	}
	empty := t.TempDir()
	r.CheckResult(
		r.Run("objects", "sync", empty, at, "--delete", "--yes"), exit.CodePartial, "there is no file to store",
		"nothing is deleted: there is no file in the source",
	)
	r.CheckResult(
		r.Run("objects", "sync", testenv.Bucket+"/nothing", folder, "--delete", "--yes"), exit.CodeNotFound,
	)
	if n := len(sumFiles(t, folder)); n != 7 {
		t.Errorf("%d files are left", n)
	}
}

// What can never be transferred stops no deletion, but protects what has its name and what lies below it. What could
// not be read stops all deletions: then nothing is asked, and the plan and the result say why.
func TestObjects_syncDeletesBesideWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(t *testing.T, r *testEnv, folder string)
		down    bool
		stays   string // the target's files and objects in the end
		kept    string // why nothing is deleted
	}{
		"up, a link": {func(t *testing.T, r *testEnv, folder string) {
			if err := os.Symlink("index.html", filepath.Join(folder, "link")); err != nil {
				t.Skip(err)
			}
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "m/link", "x")
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "m/link/below", "x")
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "m/link2", "x")
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "m/gone", "x")
		}, false, "index.html link link/below", ""},
		"up, too large": {func(t *testing.T, r *testEnv, folder string) {
			r.Write(filepath.Join(folder, "large"), "")
			if err := os.Truncate(filepath.Join(folder, "large"), client.MaxPutSize+1); err != nil {
				t.Skip(err)
			}
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "m/large", "x")
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "m/gone", "x")
		}, false, "index.html large", ""},
		"up, a folder that cannot be read": {func(t *testing.T, r *testEnv, folder string) {
			locked := filepath.Join(folder, "locked")
			r.Write(filepath.Join(locked, "file"), "x")
			if os.Geteuid() == 0 || os.Chmod(locked, 0) != nil {
				t.Skip("root reads every folder")
			}
			t.Cleanup(func() { _ = os.Chmod(locked, 0o700) })
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "m/gone", "x")
		}, false, "gone index.html", "locked: it cannot be read"},
		"down, names that cannot be files": {func(_ *testing.T, r *testEnv, folder string) {
			for _, name := range []string{"a//b", "a//b/c", "up/../x", "index.html", "dir/", "clash"} {
				emulator.StoreObject(r.API, "us-east-1", "acme-backups", "m/"+name, "<h1>")
			}
			for _, name := range []string{"a/b", "a/b2", "x", "dir/below", "clash/below", "gone"} {
				r.Write(filepath.Join(folder, filepath.FromSlash(name)), "x")
			}
		}, true, "a/b clash/below dir/below index.html x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			folder, at := filepath.Join(r.Home, "site"), testenv.Bucket+"/m"
			r.Write(filepath.Join(folder, "index.html"), "<h1>")
			c.prepare(t, r, folder)
			args := []string{"objects", "sync", folder, at, "--delete"}
			if c.down {
				args = []string{"objects", "sync", at, folder, "--delete"}
			}
			if c.kept == "" {
				r.CheckResult(r.Run(args...), exit.CodeUsage, "eletes ", "add --yes")
				r.CheckResult(r.Run(append(args, "--yes")...), exit.CodePartial, "; it is not ")
			} else {
				why := "nothing is deleted: " + c.kept
				r.CheckResult(r.Run(append(args, "--dry-run")...), exit.CodePartial, "0 to delete", why)
				r.CheckResult(r.Run(args...), exit.CodePartial, why)
			}
			var left []string
			if c.down {
				for name := range sumFiles(t, folder) {
					left = append(left, name)
				}
			} else {
				s := r.MustRun("objects", "list", testenv.Bucket, "m/", "--recursive", "--columns", "name", "-o", "csv")
				for line := range strings.Lines(s.Out) {
					if name, found := strings.CutPrefix(strings.TrimSpace(line), "m/"); found {
						left = append(left, name)
					}
				}
			}
			slices.Sort(left)
			if got := strings.Join(left, " "); got != c.stays {
				t.Errorf("left: %q, want %q", got, c.stays)
			}
		})
	}
}

// A dry run of sync prints the plan and sends no change.
func TestObjects_syncDryRunPrintsThePlan(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	folder, at := r.writeSite(), testenv.Bucket+"/mirror"
	r.MustRun("objects", "sync", folder, at)
	r.Write(filepath.Join(folder, "css", "a.css"), "changed")
	r.Write(filepath.Join(folder, "new"), "new")
	if err := os.Symlink(".", filepath.Join(folder, "loop")); err != nil {
		t.Fatal(err)
	}
	emulator.StoreObject(r.API, "us-east-1", "acme-backups", "mirror/extra", "x")
	before := len(r.API.Ledger())
	r.CheckResult(
		r.Run("objects", "sync", folder, at, "--delete", "--yes", "--force", "--dry-run"), exit.CodePartial,
		"new 3 B us-east-1/acme-backups/mirror/new", "changed 7 B us-east-1/acme-backups/mirror/css/a.css (replaced)",
		"left out loop: it is a link", "delete us-east-1/acme-backups/mirror/extra",
		"2 files: 10 B, 1 new, 6 same, 1 changed, 0 unknown, 1 left out, 1 to delete",
	)
	if len(r.API.Ledger()) != before {
		t.Error("a dry run has sent changes")
	}
}

// A dry run ends as the command itself would: if it would refuse because something differs, so does the dry run, after
// the plan, and with no request that would be sent.
func TestObjects_dryRunRefusesAsTheCommandDoes(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	folder, at := r.writeSite(), testenv.Bucket+"/mirror"
	r.MustRun("objects", "sync", folder, at)
	r.MustRun("objects", "cp", "-r", at, testenv.Bucket+"/other/")
	r.Write(filepath.Join(folder, "css", "a.css"), "changed")
	emulator.StoreObject(r.API, "us-east-1", "acme-backups", "other/css/a.css", "different")
	before := len(r.API.Ledger())
	for _, line := range [][]string{
		{"sync", folder, at},
		{"sync", at, folder},
		{"put", "-r", testenv.Bucket, "mirror/", folder},
		{"get", "-r", testenv.Bucket, "mirror/", folder},
		{"cp", "-r", at, testenv.Bucket + "/other/"},
		{"mv", "-r", at, testenv.Bucket + "/other/"},
	} {
		args := append([]string{"objects"}, line...)
		refused := r.Run(args...)
		r.CheckResult(refused, exit.CodeFailure, "already exists and differs; nothing was changed", "--force")
		dry := r.Run(append(args, "--dry-run")...)
		r.CheckResult(
			dry, refused.Code, "changed ", "css/a.css (not decided)", "1 changed", strings.TrimSpace(refused.Err),
		)
		if strings.Contains(dry.Out, "curl") {
			t.Errorf("%q shows requests:\n%s", args, dry.Out)
		}
		r.CheckResult(
			r.Run(append(args, "--dry-run", "--skip-existing")...), exit.CodeOK, "css/a.css (unchanged)",
		)
	}
	same := []string{"objects", "cp", at + "/index.html", testenv.Bucket + "/other/", "--dry-run"}
	r.CheckResult(r.Run(same...), exit.CodeOK, "0 files: 0 B, 0 new, 1 same")
	file := filepath.Join(folder, "css", "a.css")
	single := r.Run("objects", "get", testenv.Bucket, "mirror/css/a.css", file, "--dry-run")
	r.CheckResult(single, exit.CodeFailure, "already exists")
	if len(r.API.Ledger()) != before {
		t.Error("changes were sent")
	}
}

// rm takes several names, patterns and folders; it asks for the number of objects, or for the bucket's name.
func TestObjects_removesSeveral(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("objects", "sync", r.writeSite(), testenv.Bucket+"/www")
	rm := func(args ...string) testenv.CommandResult {
		return r.Run(append([]string{"objects", "rm", testenv.Bucket}, args...)...)
	}
	r.CheckResult(rm("www/logs/*.gz"), exit.CodeUsage, "this removes 2 objects", "www/logs/1.gz", "add --yes")
	r.CheckResult(rm("www/logs/*.gz", "--dry-run", "--yes"), exit.CodeOK, "www/logs/1.gz", "www/logs/2.gz")
	r.CheckResult(rm("www/logs/*.gz", "--yes"), exit.CodeOK, "2 objects removed")
	r.CheckResult(rm("www/index.html", "www/css/a.css", "--yes"), exit.CodeOK, "2 objects removed")
	r.CheckResult(rm("www/", "-r"), exit.CodeUsage,
		"this removes everything below us-east-1/acme-backups/www/ for good: 3")
	r.CheckResult(rm("www/", "-r", "--yes"), exit.CodeOK, "3 objects removed")
	r.CheckResult(rm("www/", "-r", "--yes"), exit.CodeOK, "there is nothing to remove")
	if n := r.ledgerCount("delete object"); n != 7 {
		t.Errorf("%d objects were deleted", n)
	}
	r.MustRun("objects", "sync", r.writeSite(), testenv.Bucket+"/www")
	r.API.InjectFault("object delete", emulator.Fault{Status: 400, Times: 1})
	r.CheckResult(
		rm("www/css/*", "www/index.html", "--yes"), exit.CodePartial, "not removed: www/", "2 objects removed",
	)
}

// No name of an object escapes the target folder or is left out unnamed, in either direction.
func TestObjects_syncOfHostileNames(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	names := append(
		faulttest.HostileStrings(t, "D6"), "../up", "/abs", "a//b", "a/../b", ".", "..", "con", "a/./b", "nul\x00",
		"x.0123456789abcdef.part",
	)
	stored := map[string]bool{}
	for _, name := range names {
		if len(name) > 0 && len(name) <= 1000 && utf8.ValidString(name) {
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "odd/"+name, "text of "+name)
			stored["odd/"+name] = true
		}
	}
	outside := filepath.Join(r.Home, "outside")
	folder := filepath.Join(outside, "in", "target")
	s := r.Run("objects", "sync", testenv.Bucket+"/odd", folder)
	r.CheckResult(s, exit.CodePartial, "it cannot be a local file", "it is not fetched")
	fetched := sumFiles(t, folder)
	for name := range sumFiles(t, outside) {
		if !strings.HasPrefix(name, "in/target/") {
			t.Errorf("%q is outside the folder", name)
		}
	}
	for name := range stored {
		local := strings.TrimPrefix(name, "odd/")
		if _, there := fetched[local]; !there && !strings.Contains(s.Err, client.Clean(name)) {
			t.Errorf("%q is left out unnamed", name)
		}
	}
	if len(fetched) == 0 {
		t.Error("no file was fetched")
	}
	if c := strings.ToValidUTF8(s.Err, ""); c != s.Err || strings.ContainsAny(s.Err, "\x1b\x07\u009b") {
		t.Errorf("control characters reach standard error: %q", s.Err)
	}
	if os.Getenv("LOOKOUT_LONG") == "" {
		return
	}
	r.CheckResult(r.Run("objects", "sync", folder, testenv.Bucket+"/again"), exit.CodeOK, " stored")
	r.CheckResult(r.Run("objects", "sync", testenv.Bucket+"/again", folder+"2"), exit.CodeOK, " fetched")
	requireSameFiles(t, folder+"2", folder)
}

// A second sync of many unchanged files sends no PUT.
func TestObjects_secondSyncSendsNothing(t *testing.T) {
	t.Parallel()
	n := 300
	if os.Getenv("LOOKOUT_LONG") != "" {
		n = 10_000
	}
	r := newTestEnv(t, emulator.Options{})
	folder := filepath.Join(r.Home, "many")
	for i := range n {
		r.Write(filepath.Join(folder, fmt.Sprintf("d%02d/%05d", i%50, i)), fmt.Sprintf("file %d", i))
	}
	all := fmt.Sprintf("%s of %s files stored", humanize.Comma(int64(n)), humanize.Comma(int64(n)))
	r.CheckResult(r.Run("objects", "sync", folder, testenv.Bucket+"/many"), exit.CodeOK, all)
	if sent := r.ledgerCount("put object"); sent != n {
		t.Fatalf("%d files were sent, want %d", sent, n)
	}
	before := r.API.RequestCount("create object URL")
	r.CheckResult(r.Run("objects", "sync", folder, testenv.Bucket+"/many"), exit.CodeOK, "are the same on both sides")
	if sent := r.ledgerCount("put object"); sent != n || r.API.RequestCount("create object URL") != before {
		t.Errorf("%d files were sent again", sent-n)
	}
	back := filepath.Join(r.Home, "back")
	r.CheckResult(r.Run("objects", "sync", testenv.Bucket+"/many", back), exit.CodeOK, "files fetched")
	requireSameFiles(t, back, folder)
}

// What changes while a sync runs gets one clear line, and nothing else is lost.
func TestObjects_syncNamesWhatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(r *testEnv, folder string)
		up     bool
		says   string
	}{
		"the object is deleted": {func(r *testEnv, _ string) {
			emulator.DeleteObject(r.API, "us-east-1", "acme-backups", "m/index.html")
		}, false, "m/index.html was not fetched: "},
		"the object is replaced": {func(r *testEnv, _ string) {
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "m/index.html", "<h2>")
		}, false, "m/index.html was not fetched: the object has changed since it was listed"},
		"the file vanishes": {func(_ *testEnv, folder string) {
			_ = os.Remove(filepath.Join(folder, "index.html"))
		}, true, "m/index.html was not stored: "},
		"the file grows": {func(_ *testEnv, folder string) {
			_ = os.WriteFile(filepath.Join(folder, "index.html"), []byte("<h1> and more"), 0o600)
		}, true, "m/index.html was not stored: the file changed while it was being sent"},
		"the file shrinks": {func(_ *testEnv, folder string) {
			_ = os.Truncate(filepath.Join(folder, "index.html"), 1)
		}, true, "m/index.html was not stored: the file changed while it was being sent"},
		"the folder vanishes": {func(_ *testEnv, folder string) {
			_ = os.RemoveAll(folder)
		}, true, "m/index.html was not stored: "},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			folder, at := r.writeSite(), testenv.Bucket+"/m"
			args := []string{"objects", "sync", folder, at}
			if !c.up {
				r.MustRun(args...)
				args = []string{"objects", "sync", at, filepath.Join(r.Home, "to")}
			}
			var once sync.Once
			r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
				if strings.HasSuffix(req.URL.Path, "/object-url") {
					body, _ := io.ReadAll(req.Body)
					req.Body = io.NopCloser(bytes.NewReader(body))
					if strings.Contains(string(body), "index.html") {
						once.Do(func() { c.change(r, folder) })
					}
				}
				return false
			})
			s := r.Run(args...)
			if s.Code == exit.CodeOK || strings.Count(s.Err, c.says) != 1 {
				t.Errorf("exit code %d, want one line with %q:\n%s", s.Code, c.says, s.Err)
			}
			if got := sumFiles(t, filepath.Join(r.Home)); !c.up && len(got) < 6 {
				t.Errorf("left: %v", got)
			}
		})
	}
}

// --keep-both keeps both also of a single file, and makes one copy however often it runs: a copy that has the bytes
// already is not made again, and no --delete takes it away.
func TestObjects_keepBothMakesOneCopy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args func(r *testEnv, folder, at string) []string
		up   bool
	}{
		"get": {func(_ *testEnv, f, _ string) []string {
			return []string{"get", testenv.Bucket, "m/a.txt", f + "/a.txt"}
		}, false},
		"get -r": {func(_ *testEnv, f, _ string) []string {
			return []string{"get", "-r", testenv.Bucket, "m/", f}
		}, false},
		"sync down": {func(_ *testEnv, f, at string) []string {
			return []string{"sync", at, f, "--delete", "--yes"}
		}, false},
		"put": {func(_ *testEnv, f, _ string) []string {
			return []string{"put", testenv.Bucket, "m/a.txt", f + "/a.txt"}
		}, true},
		"put -r": {func(_ *testEnv, f, _ string) []string {
			return []string{"put", "-r", testenv.Bucket, "m/", f}
		}, true},
		"sync up": {func(_ *testEnv, f, at string) []string {
			return []string{"sync", f, at, "--delete", "--yes"}
		}, true},
		"cp": {func(r *testEnv, _, at string) []string {
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "other/a.txt", "mine")
			return []string{"cp", testenv.Bucket + "/other/a.txt", at + "/"}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			folder, at := filepath.Join(r.Home, "site"), testenv.Bucket+"/m"
			r.Write(filepath.Join(folder, "a.txt"), "mine")
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "m/a.txt", "theirs")
			args := append(append([]string{"objects"}, c.args(r, folder, at)...), "--keep-both")
			for range 3 {
				r.CheckResult(r.Run(args...), exit.CodeOK)
			}
			s := r.MustRun("objects", "list", testenv.Bucket, "m/", "--columns", "name,size", "-o", "csv")
			want := "name,size\nm/a.txt,6\n"
			if c.up {
				want = "name,size\nm/a (2).txt,4\nm/a.txt,6\n"
			}
			if s.Out != want {
				t.Errorf("objects: %q, want %q", s.Out, want)
			}
			files := 2
			if c.up {
				files = 1
			}
			if sums := sumFiles(t, folder); len(sums) != files {
				t.Errorf("files: %v", sums)
			}
		})
	}
}

// A download of an object whose ETag is not an MD5 makes no second copy while the object has not been stored again.
func TestObjects_keepBothWithoutAnMD5(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	emulator.GenerateObjects(r.API, "us-east-1", "acme-backups", 3)
	folder := filepath.Join(r.Home, "site")
	r.Write(filepath.Join(folder, "object-000000.bin"), strings.Repeat("x", 1_000))
	for range 4 {
		r.CheckResult(
			r.Run("objects", "sync", testenv.Bucket+"/000/data/000/000", folder, "--keep-both"), exit.CodeOK,
		)
	}
	if n := len(sumFiles(t, folder)); n != 6 {
		t.Errorf("%d files, want 3 and a copy of each", n)
	}
}

// Where nothing is to be asked, the first object is fetched before the listing has ended; a file that has the name of a
// later one by then is reported, and not replaced.
func TestObjects_getBeginsWhileListing(t *testing.T) {
	t.Parallel()
	const n = 600 // two pages
	for name, c := range map[string]struct {
		args   []string
		exists bool // the folder holds a file
		code   int
		says   string
	}{
		"into a new folder": {
			[]string{"get", "-r", testenv.Bucket, "000/", "TO"},
			false, exit.CodePartial, "599 of 600 files fetched",
		},
		"sync": {
			[]string{"sync", testenv.Bucket + "/000", "TO"},
			false, exit.CodePartial, "599 of 600 files fetched",
		},
		"with --force": {
			[]string{"get", "-r", testenv.Bucket, "000/", "TO", "--force"},
			true, exit.CodeOK, "600 of 600 files fetched",
		},
		"with --skip-existing": {
			[]string{"sync", testenv.Bucket + "/000", "TO", "--skip-existing"},
			true, exit.CodeOK, "599 of 599 files fetched, 1 unchanged",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			emulator.GenerateObjects(r.API, "us-east-1", "acme-backups", n)
			to := filepath.Join(r.Home, "to")
			late := filepath.Join(to, "data", "000", "005", "object-000599.bin")
			if c.exists {
				r.Write(late, "mine")
			}
			begun := make(chan struct{})
			var once sync.Once
			r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
				if !strings.HasPrefix(req.URL.Path, "/v4/") {
					once.Do(func() { close(begun) })
				}
				if req.URL.Query().Get("marker") == "" {
					return false
				}
				select {
				case <-begun:
				case <-time.After(20 * time.Second):
					t.Error("nothing was fetched before the second page")
				}
				if !c.exists {
					r.Write(late, "mine")
				}
				return false
			})
			args := append([]string{"objects"}, c.args...)
			for i, arg := range args {
				if arg == "TO" {
					args[i] = to
				}
			}
			r.CheckResult(r.Run(args...), c.code, c.says)
			want := "mine"
			if slices.Contains(args, "--force") {
				want = ""
			}
			if data, err := os.ReadFile(late); err != nil || want != "" && string(data) != want ||
				want == "" && len(data) != 1_000 {
				t.Errorf("%s: %d bytes, %v", late, len(data), err)
			}
		})
	}
}

// A sync whose files another one creates meanwhile says so in one line, not in one for each, in both directions.
func TestObjects_syncBesideAnotherOne(t *testing.T) {
	t.Parallel()
	for name, up := range map[string]bool{"up": true, "down": false} {
		t.Run(name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			source, target, at := filepath.Join(r.Home, "source"), filepath.Join(r.Home, "target"), testenv.Bucket+"/m"
			for i := range 40 {
				r.Write(filepath.Join(source, fmt.Sprintf("%02d", i)), "mine")
			}
			args := []string{"objects", "sync", source, at}
			if !up {
				r.MustRun(args...)
				args = []string{"objects", "sync", at, target}
			}
			var once sync.Once
			r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
				if strings.HasSuffix(req.URL.Path, "/object-url") {
					once.Do(func() {
						for i := range 40 {
							name := fmt.Sprintf("%02d", i)
							if up {
								emulator.StoreObject(r.API, "us-east-1", "acme-backups", "m/"+name, "theirs")
							} else {
								r.Write(filepath.Join(target, name), "theirs")
							}
						}
					})
				}
				return false
			})
			s := r.Run(args...)
			r.CheckResult(s, exit.CodeFailure, "39 more were not ", "for the same reason")
			if n := strings.Count(s.Err, "\n"); n > 4 {
				t.Errorf("%d lines:\n%s", n, s.Err)
			}
		})
	}
}
