package cli

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"lookout/client/emulator"
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
		r.Run("objects", "get", "-r", testenv.Bucket, "www/", back), exit.CodeOK, "7 are the same on both sides",
	)
}

// Several names and patterns go to a folder; a pattern does not reach into folders, and an object that has a pattern as
// its name is that object.
func TestObjects_getTakesSeveralNamesAndPatterns(t *testing.T) {
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

// What exists and differs is replaced, kept or left only by the flag that says so.
func TestObjects_getReplacesOnlyByChoice(t *testing.T) {
	for flag, want := range map[string]struct {
		code int
		says string
		left map[string]string
	}{
		"":                {exit.CodeFailure, "already exists and differs", map[string]string{"a.txt": "mine!"}},
		"--skip-existing": {exit.CodeOK, "1 left as they exist", map[string]string{"a.txt": "mine!", "b.txt": "b"}},
		"--force":         {exit.CodeOK, "2 of 2 files", map[string]string{"a.txt": "0123456789", "b.txt": "b"}},
		"--keep-both": {exit.CodeOK, "2 of 2 files", map[string]string{
			"a.txt": "mine!", "a (2).txt": "0123456789", "b.txt": "b",
		}},
	} {
		t.Run(flag, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			r.StoreObject("x/a.txt", 10)
			file := filepath.Join(r.Home, "b.txt")
			r.Write(file, "b")
			r.MustRun("objects", "put", testenv.Bucket, "x/b.txt", file)
			folder := filepath.Join(r.Home, "to")
			r.Write(filepath.Join(folder, "a.txt"), "mine!")
			args := []string{"objects", "get", "-r", testenv.Bucket, "x/", folder}
			if flag != "" {
				args = append(args, flag)
			}
			r.CheckResult(r.Run(args...), want.code, want.says)
			left := map[string]string{}
			for name := range sumFiles(t, folder) {
				data, _ := os.ReadFile(filepath.Join(folder, name))
				left[name] = string(data)
			}
			if fmt.Sprint(left) != fmt.Sprint(want.left) {
				t.Errorf("left %v, want %v", left, want.left)
			}
		})
	}
	r := newTestEnv(t, emulator.Options{})
	r.CheckResult(
		r.Run("objects", "get", "-r", testenv.Bucket, "x/", r.Home, "--force", "--keep-both"), exit.CodeUsage,
		"only one of",
	)
}

// An upload never replaces an object that somebody stores between the plan and the transfer, and names it.
func TestObjects_putReplacesNothingStoredMeanwhile(t *testing.T) {
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
		r.Run("objects", "put", testenv.Bucket, "www/", folder), exit.CodePartial, "not stored: www/index.html",
		"was stored meanwhile; it is not replaced", "6 of 7 files stored",
	)
	if s := r.MustRun("objects", "get", testenv.Bucket, "www/index.html", "-"); s.Out != "somebody else's" {
		t.Errorf("%q", s.Out)
	}
}

// put - stores standard input.
func TestObjects_putTakesAPipe(t *testing.T) {
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
	r := newTestEnv(t, emulator.Options{})
	r.API.InjectFault("create object URL", emulator.Fault{Status: 429, Times: 1})
	r.CheckResult(
		r.Run("objects", "put", testenv.Bucket, "www/", r.writeSite()), exit.CodeOK, "7 of 7 files stored",
	)
}
