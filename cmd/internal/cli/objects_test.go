package cli

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/journal"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
	"lookout/ui"
)

// sendTruncated sends the beginning of an answer with a given length, and closes the connection.
func sendTruncated(w http.ResponseWriter, head []byte, length int) {
	w.Header().Set("Content-Length", strconv.Itoa(length))
	_, _ = w.Write(head)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// If a storage answers wrongly, no file is written and standard output does not pass for the object.
func TestScriptsTakeNoWrongBytes(t *testing.T) {
	t.Parallel()
	const size = 100_000
	sum := func(data []byte) string { s := md5.Sum(data); return hex.EncodeToString(s[:]) }
	cases := map[string]struct {
		row    string
		answer func(data []byte) func(http.ResponseWriter, *http.Request)
		whole  bool // in the end it is had all the same
	}{
		"the rest is the beginning": {"D2", func(data []byte) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, req *http.Request) {
				w.Header().Set("ETag", `"`+sum(data)+`"`)
				if req.Header.Get("Range") == "" {
					sendTruncated(w, data[:size/2], size)
				}
				w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", size/2-1, size))
				w.WriteHeader(http.StatusPartialContent)
				_, _ = w.Write(data[:size/2])
			}
		}, false},
		"the rest is another version's, without etags": {"D2", func(
			data []byte,
		) func(http.ResponseWriter, *http.Request) {
			newer := bytes.ToUpper(data)
			return func(w http.ResponseWriter, req *http.Request) {
				if req.Header.Get("Range") == "" {
					sendTruncated(w, data[:size/2], size)
				}
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", size/2, size-1, size))
				w.WriteHeader(http.StatusPartialContent)
				_, _ = w.Write(newer[size/2:])
			}
		}, false},
		"the end of the connection passes for the end": {"D1", func(
			data []byte,
		) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, req *http.Request) {
				conn, _, _ := http.NewResponseController(w).Hijack()
				defer conn.Close()
				fmt.Fprintf(
					conn, "HTTP/1.1 200 OK\r\nETag: %q\r\nConnection: close\r\n\r\n%s", sum(data), data[:size/2],
				)
			}
		}, false},
		"other bytes than the etag's": {"D3", func(data []byte) func(http.ResponseWriter, *http.Request) {
			wrong := bytes.ToUpper(data)
			return func(w http.ResponseWriter, req *http.Request) {
				w.Header().Set("ETag", `"`+sum(data)+`"`)
				_, _ = w.Write(wrong)
			}
		}, false},
		"a cut answer is taken up": {"D1", func(data []byte) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, req *http.Request) {
				w.Header().Set("ETag", `"`+sum(data)+`"`)
				if req.Header.Get("Range") == "" {
					sendTruncated(w, data[:size/2], size)
				}
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", size/2, size-1, size))
				w.WriteHeader(http.StatusPartialContent)
				_, _ = w.Write(data[size/2:])
			}
		}, true},
	}
	const noRest = "no rest of this version" // of the object on standard output
	r := newTestEnv(t, emulator.Options{})
	data := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	names := append(slices.Sorted(maps.Keys(cases)), noRest)
	answers := map[string]http.HandlerFunc{} // by the number of the name, which is the name of the object
	var lines [][]string
	file := func(i int) string { return filepath.Join(r.Home, "out"+strconv.Itoa(i)) }
	for i, name := range names {
		object := strconv.Itoa(i)
		emulator.StoreObject(r.API, "us-east-1", "acme-backups", "a/"+object, string(data))
		if name == noRest {
			answers[object] = func(w http.ResponseWriter, req *http.Request) {
				if req.Header.Get("Range") == "" {
					sendTruncated(w, data[:size/2], size)
				}
				_, _ = w.Write(data)
			}
			lines = append(lines, []string{"objects", "get", testenv.Bucket, "a/" + object, "-"})
			continue
		}
		c, n := cases[name], new(atomic.Int32)
		answer := c.answer(data)
		answers[object] = func(w http.ResponseWriter, req *http.Request) {
			// the failure is permanent; the pauses between attempts take real time
			if n.Add(1) > 2 && !c.whole {
				http.Error(w, "gone", http.StatusNotFound)
				return
			}
			answer(w, req)
		}
		lines = append(lines, []string{"objects", "get", testenv.Bucket, "a/" + object, file(i)})
	}
	r.InterceptDownloads(func(w http.ResponseWriter, req *http.Request) { answers[path.Base(req.URL.Path)](w, req) })
	results := r.runTogether(lines...)
	for i, name := range names[:len(cases)] {
		c, s := cases[name], results[i]
		faulttest.RunCase(t, c.row, "objects get, "+name, func(t *testing.T) {
			got, err := os.ReadFile(file(i))
			switch {
			case c.whole && (s.Code != exit.CodeOK || !bytes.Equal(got, data)):
				t.Errorf("exit code %d, %d bytes, %v: %s", s.Code, len(got), err, s.Err)
			case !c.whole && (s.Code == exit.CodeOK || !os.IsNotExist(err)):
				t.Errorf(
					"exit code %d, a file of %d bytes, right: %t: %s", s.Code, len(got), bytes.Equal(got, data), s.Err,
				)
			}
		})
	}
	faulttest.RunCase(t, "D2", "objects get -, "+noRest, func(t *testing.T) {
		if s := results[len(cases)]; s.Code != exit.CodeFailure || !strings.Contains(s.Err, "cannot be taken back") ||
			len(s.Out) > size/2 {
			t.Errorf("exit code %d, %d bytes: %s", s.Code, len(s.Out), s.Err)
		}
	})
}

// No bytes are an object too, and on standard output the exit code tells other bytes than the object's.
func TestScriptsTakeNoWrongBytes_withoutPauses(t *testing.T) {
	t.Parallel()
	const size = 100_000
	faulttest.RunCase(t, "D3", "objects get, no bytes", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{})
		r.StoreObject("a/object", 0)
		file := filepath.Join(r.Home, "out")
		r.MustRun("objects", "get", testenv.Bucket, "a/object", file)
		if s := r.MustRun("objects", "get", testenv.Bucket, "a/object", "-"); s.Out != "" {
			t.Errorf("%q", s.Out)
		}
		if data, err := os.ReadFile(file); err != nil || len(data) != 0 {
			t.Errorf("%q, %v", data, err)
		}
	})
	faulttest.RunCase(t, "D3", "objects get -, other bytes than the etag's", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{})
		data := r.StoreObject("a/object", size)
		r.InterceptDownloads(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.ToUpper(data)) })
		r.CheckResult(testenv.CommandResult{
			Code: r.Run("objects", "get", testenv.Bucket, "a/object", "-").Code,
		}, exit.CodeFailure)
	})
}

// A file that another program creates during a download stays. --force replaces files and nothing else.
func TestScriptsOverwriteNothing(t *testing.T) {
	t.Parallel()
	for _, force := range []bool{false, true} {
		faulttest.RunCase(t, "D5", fmt.Sprintf("objects get, made meanwhile, --force=%t", force), func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			data, file := r.StoreObject("object", 3000), filepath.Join(r.Home, "out")
			r.InterceptDownloads(func(w http.ResponseWriter, req *http.Request) {
				r.Write(file, "somebody else's")
				_, _ = w.Write(data)
			})
			s := r.Run("objects", "get", testenv.Bucket, "object", file, "--force="+strconv.FormatBool(force))
			got, err := os.ReadFile(file)
			if err != nil || force != bytes.Equal(got, data) || force != (s.Code == exit.CodeOK) {
				t.Errorf("exit code %d, %d bytes, %v: %s", s.Code, len(got), err, s.Err)
			}
		})
	}
	faulttest.RunCase(t, "D5", "objects get --force, a folder", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{})
		r.StoreObject("object", 10)
		folder := t.TempDir()
		r.Write(filepath.Join(folder, "object", "mine"), "mine")
		r.CheckResult(
			r.Run("objects", "get", testenv.Bucket, "object", folder, "--force"), exit.CodeFailure,
			"a folder has this name",
		)
	})
	faulttest.RunCase(t, "D6", "objects get, a name of the user's own", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{})
		data, file := r.StoreObject("object", 10), filepath.Join(r.Home, "2026-11-21T08:00 aux.")
		if err := os.WriteFile(file, nil, 0o600); err != nil || os.Remove(file) != nil {
			t.Skip("this file system rejects such names")
		}
		r.MustRun("objects", "get", testenv.Bucket, "object", file)
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// modifyDuringUpload writes to a file once the storage has received its first bytes.
func (r *testEnv) modifyDuringUpload(file string) {
	r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPut && !strings.HasPrefix(req.URL.Path, "/v4/") {
			first := make([]byte, 1)
			_, _ = io.ReadFull(req.Body, first)
			if f, err := os.OpenFile(file, os.O_WRONLY, 0); err == nil {
				_, _ = f.WriteAt([]byte("torn"), 0)
				f.Close()
			}
			req.Body = io.NopCloser(io.MultiReader(bytes.NewReader(first), req.Body))
		}
		return false
	})
}

// A file that changes during its upload is not stored as an object, and a lost answer is looked up.
func TestScriptsReadBackWhatTheyStore(t *testing.T) {
	t.Parallel()
	faulttest.RunCase(t, "D11", "objects put, the file changes", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{})
		file := filepath.Join(r.Home, "large")
		r.Write(file, strings.Repeat("x", 20<<20))
		r.modifyDuringUpload(file)
		r.CheckResult(
			r.Run("objects", "put", testenv.Bucket, "large", file), exit.CodeFailure, "changed while it was being sent",
		)
		r.Intercept(nil)
		r.CheckResult(r.Run("objects", "get", testenv.Bucket, "large", "-"), exit.CodeNotFound)
	})
	faulttest.RunCase(t, "D12", "objects put, the answer is lost", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{})
		file := filepath.Join(r.Home, "file")
		r.Write(file, "hello")
		r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
			if req.Method == http.MethodPut && !strings.HasPrefix(req.URL.Path, "/v4/") {
				r.API.ServeHTTP(&discardResponse{http.Header{}}, req)
				panic(http.ErrAbortHandler)
			}
			return false
		})
		r.CheckResult(
			r.MustRun("objects", "put", testenv.Bucket, "new", file), exit.CodeOK, "5 bytes stored",
			"the response was lost, but the listing shows the object",
		)
		if s := r.MustRun("journal"); !strings.Contains(s.Out, "done") || strings.Contains(s.Out, "unknown") {
			t.Errorf("%s", s.Out)
		}
	})
}

// discardResponse drops an answer.
type discardResponse struct{ header http.Header }

func (u *discardResponse) Header() http.Header          { return u.header }
func (*discardResponse) Write(data []byte) (int, error) { return len(data), nil }
func (*discardResponse) WriteHeader(int)                {}

// Listings whose markers lead nowhere end, for every command that lists.
func TestScriptsEndWithMarkersThatLie(t *testing.T) {
	t.Parallel()
	circle := func(data string) func(n int, marker string) string {
		next := map[string]string{"": "tokA", "tokA": "tokB", "tokB": "tokC", "tokC": "tokA"}
		return func(_ int, marker string) string {
			return fmt.Sprintf(`{"data":[%s],"is_truncated":true,"next_marker":%q}`, data, next[marker])
		}
	}
	empty := func(n int, _ string) string {
		return fmt.Sprintf(`{"data":[],"is_truncated":true,"next_marker":"m%d"}`, n)
	}
	row := `{"name":"zz","etag":"\"0\"","last_modified":"2026-01-01T00:00:00Z","owner":"o","size":1}`
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		page func(n int, marker string) string
		args []string
	}{
		"list, a circle of three": {circle(row), []string{"list", testenv.Bucket, "-o", "json"}},
		"list, empty pages":       {empty, []string{"list", testenv.Bucket, "-o", "ndjson"}},
		"rm, a circle of three":   {circle(""), []string{"rm", testenv.Bucket, "zz", "--yes"}},
		"rm, empty pages":         {empty, []string{"rm", testenv.Bucket, "zz", "--yes"}},
		"put, empty pages":        {empty, []string{"put", testenv.Bucket, "zz", file}},
		"get, a circle of three":  {circle(""), []string{"get", testenv.Bucket, "zz", "-"}},
	} {
		faulttest.RunCase(t, "A20", "objects "+name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			var n atomic.Int64 // pages are read ahead, and some of them not waited for
			r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
				if !strings.HasSuffix(req.URL.Path, "/object-list") {
					return false
				}
				page := n.Add(1)
				if page > 300 {
					http.Error(w, "enough", http.StatusBadRequest)
					return true
				}
				_, _ = io.WriteString(w, c.page(int(page), req.URL.Query().Get("marker")))
				return true
			})
			r.CheckResult(r.Run(append([]string{"objects"}, c.args...)...), exit.CodeFailure, "incomplete")
			if n.Load() > 150 {
				t.Errorf("%d pages were asked for", n.Load())
			}
			if ledger := r.API.Ledger(); len(ledger) != 0 {
				t.Errorf("something was changed: %v", ledger)
			}
		})
	}
}

// The journal holds the name of an object once, and makes it visible once.
func TestLabelsAreMadeVisibleOnce(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	file := filepath.Join(r.Home, "a.txt")
	r.Write(file, "x")
	r.MustRun("objects", "put", testenv.Bucket, "two\nlines.txt", file)
	var entries []journalRow
	if err := json.Unmarshal([]byte(r.MustRun("journal", "-o", "json").Out), &entries); err != nil ||
		len(entries) != 1 ||
		entries[0].Label != "two\nlines.txt" {
		t.Errorf("%v, %+v", err, entries)
	}
	if s := r.MustRun("journal"); strings.Contains(s.Out, "U+240A") {
		t.Errorf("%s", s.Out)
	}
}

// put sends the files of a folder. It names each file that is not sent and why, and the exit code says so.
func TestObjects_putFolderNamesWhatIsNotSent(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	folder := filepath.Join(r.Home, "site")
	r.Write(filepath.Join(folder, "index.html"), "<h1>")
	r.Write(filepath.Join(folder, "css", "a.css"), "a")
	put := func(more ...string) testenv.CommandResult {
		return r.Run(append([]string{"objects", "put", testenv.Bucket, "www/", folder}, more...)...)
	}
	r.CheckResult(put(), exit.CodeOK, "2 of 2 files stored")
	out := r.MustRun("objects", "list", testenv.Bucket, "www/", "-r", "-o", "csv").Out
	if !strings.Contains(out, "www/index.html") || !strings.Contains(out, "www/css/a.css") {
		t.Error(out)
	}
	r.CheckResult(put(), exit.CodeOK, ": nothing to store, 2 files are the same on both sides")
	css := filepath.Join(folder, "css", "a.css")
	r.Write(css, "b")
	r.CheckResult(
		put(),
		exit.CodeFailure,
		"www/css/a.css already exists and differs; nothing was changed",
		"--force to replace",
		"--keep-both to store under another name",
		"--skip-existing to store only what is missing",
	)
	r.CheckResult(put("--force"), exit.CodeOK, "1 of 1 file stored, 1 is the same on both sides")
	huge := filepath.Join(folder, "huge.iso")
	r.Write(huge, "")
	r.Write(css, "cc")
	err := errors.Join(os.Symlink("index.html", filepath.Join(folder, "link")), os.Truncate(huge, 6<<30))
	if err != nil {
		t.Fatal(err)
	}
	r.CheckResult(
		put("--force"), exit.CodePartial, "huge.iso: it is larger than 5 GiB; it is not stored",
		"lookout objects rclone "+testenv.Bucket,
		"link: it is a link; it is not stored", "1 of 3 files stored",
	)
	r.CheckResult(
		r.Run("objects", "put", testenv.Bucket, "www", folder), exit.CodeUsage, "is a folder: NAME must end with /",
	)
	r.Write(css, "dd")
	r.API.InjectFault("object put", emulator.Fault{Status: 403, Times: 2})
	r.CheckResult(put("--force"), exit.CodePartial, "www/css/a.css was not stored")
}

// What is larger than 5 GiB is named in the plan, with the command that sets up rclone for it. That creates a key for
// this bucket only, keeps the secret in the profile and nowhere else, and notes the key to be revoked.
func TestObjects_rcloneForLargeFiles(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	huge, profile := filepath.Join(r.Home, "huge.iso"), filepath.Join(r.Home, "my profile.conf")
	r.Write(huge, "")
	if err := os.Truncate(huge, 5<<30+1); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		{"put", testenv.Bucket, "huge.iso", huge},
		{"put", testenv.Bucket, "isos/", huge, "--dry-run"},
		{"sync", r.Home, testenv.Bucket + "/isos", "--dry-run"},
	} {
		s := r.Run(append([]string{"objects"}, line...)...)
		if !strings.Contains(s.Err, "lookout objects rclone "+testenv.Bucket) ||
			!strings.Contains(s.Out+s.Err, "5 GiB") {
			t.Errorf("%q: %s%s", line, s.Out, s.Err)
		}
	}
	keys := r.MustRun("keys", "list", "-o", "csv").Out
	set := func(more ...string) testenv.CommandResult {
		return r.Run(append([]string{"objects", "rclone", testenv.Bucket, "--profile", profile}, more...)...)
	}
	for _, more := range []string{"--dry-run", "--read-only"} {
		set(more)
		if _, err := os.Lstat(profile); err == nil || r.MustRun("keys", "list", "-o", "csv").Out != keys {
			t.Fatalf("%s has created something", more)
		}
	}
	r.API.InjectFault("create key", emulator.Fault{Status: 403, Times: 1})
	r.CheckResult(set(), exit.CodeDenied)
	if _, err := os.Lstat(profile); err == nil {
		t.Error("a profile without a key is left")
	}
	s := set()
	r.CheckResult(
		s,
		exit.CodeOK,
		"rclone-acme-backups",
		"reaches only "+testenv.Bucket,
		"revoke it with lookout keys revoke",
	)
	want := "rclone --config '" + profile + "' copyto --progress FILE rclone-acme-backups:acme-backups/NAME\n"
	if s.Out != want {
		t.Errorf("%q, want %q", s.Out, want)
	}
	info, err := os.Stat(profile)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info.Mode(), err)
	}
	text, err := os.ReadFile(profile)
	for _, want := range []string{
		"[rclone-acme-backups]\ntype = s3", "emulated-secret", "endpoint = us-east-1.", "no_check_bucket",
	} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("the profile has no %q: %s", want, text)
		}
	}
	if strings.Contains(s.Out+s.Err+r.ReadTree(filepath.Join(r.Home, "state")), "emulated-secret") {
		t.Error("the secret is not only in the profile")
	}
	made := r.FindID("keys", "rclone-acme-backups")
	access := r.MustRun("keys", "get", made, "-o", "json").Out
	if !strings.Contains(access, `"permissions": "read_write"`) ||
		!strings.Contains(access, `"limited": true`) ||
		strings.Count(access, "bucket_name") != 1 {
		t.Error(access)
	}
	r.CheckResult(set(), exit.CodeFailure, "already exists, and the key in it may still work")
	found, err := filepath.Glob(filepath.Join(r.Home, "state", "*", "*.journal"))
	if err != nil || len(found) != 1 {
		t.Fatal(err, found)
	}
	open := func() []journal.Entry {
		j, err := journal.Open(found[0], "", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		if unseen := j.KeysWithUnseenSecret(); len(unseen) != 0 {
			t.Errorf("its secret counts as unseen: %+v", unseen)
		}
		return j.KeysToRevoke()
	}
	if noted := open(); len(noted) != 1 || noted[0].RevokeLater.Key != made ||
		!strings.Contains(noted[0].RevokeLater.Reason, "created for rclone in "+testenv.Bucket) {
		t.Errorf("%+v", noted)
	}
	r.MustRun("keys", "revoke", made, "--yes")
	if noted := open(); len(noted) != 0 {
		t.Errorf("after it was revoked: %+v", noted)
	}
}

// A real rclone reads the profile, and the printed command stores a file under exactly the name that is put into it.
func TestObjects_rcloneUnderstandsTheProfile(t *testing.T) {
	t.Parallel()
	rclone, err := exec.LookPath("rclone")
	if err != nil {
		t.Skip("rclone is not installed")
	}
	var mu sync.Mutex
	stored := map[string]string{}
	s3 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(q.Body)
		if q.Method == http.MethodPut {
			stored[q.URL.Path] = string(body)
		}
		text, there := stored[q.URL.Path]
		if !there {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprintf("%x", md5.Sum([]byte(text)))))
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		if q.Method == http.MethodHead {
			w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		}
	}))
	defer s3.Close()
	r := newTestEnv(t, emulator.Options{})
	profile := filepath.Join(r.Home, `it's $HOME "x" .conf`)
	command := r.MustRun("objects", "rclone", "us-east-1/cdn.acme.net", "--profile", profile, "--yes").Out
	for _, name := range []string{"plain.iso", "it's $HOME \"x\"\n`id` a:b \x1b[31m.iso", "-dash {a,b}*.iso"} {
		file := filepath.Join(r.Home, name)
		r.Write(file, "the text of "+name)
		line := strings.Replace(strings.TrimSpace(command), "FILE", ui.ShellQuote(file), 1)
		line = strings.Replace(line, "NAME", ui.ShellQuote("up load/"+name), 1)
		c := exec.Command("sh", "-c", line+" --s3-endpoint "+s3.URL+" --retries 1 --low-level-retries 1")
		c.Env = []string{"PATH=" + filepath.Dir(rclone) + ":" + os.Getenv("PATH"), "HOME=" + r.Home}
		out, err := c.CombinedOutput()
		if got := stored["/cdn.acme.net/up load/"+name]; err != nil || got != "the text of "+name {
			t.Errorf("%s: %v, stored %q:\n%s", line, err, got, out)
		}
	}
	if len(stored) != 3 {
		t.Errorf("stored %q", slices.Collect(maps.Keys(stored)))
	}
}

// A folderSum is a row of lookout objects du in JSON.
type folderSum struct {
	Name          string
	Size, Objects int64
	Depth         int
	AtLeast       bool `json:"at_least"`
}

// naiveFolders adds up objects in every folder of up to some levels below a prefix, and below the prefix itself.
func naiveFolders(objects map[string]int64, prefix string, levels int) map[string]folderSum {
	sums := map[string]folderSum{}
	for name, size := range objects {
		for end, depth := len(prefix), 0; depth <= levels && strings.HasPrefix(name, prefix); depth++ {
			folder := cmp.Or(name[:end], ".")
			sum := sums[folder]
			sums[folder] = folderSum{folder, sum.Size + size, sum.Objects + 1, depth, false}
			next := strings.IndexByte(name[end:], '/') + 1
			if end += next; next == 0 {
				break
			}
		}
	}
	return sums
}

// checkDu compares the output of lookout objects du in every format with a naive sum.
func checkDu(t *testing.T, r *testEnv, objects map[string]int64, prefix string, levels int) {
	t.Helper()
	line := []string{"objects", "du", "us-east-1/acme-backups", prefix, "-d", strconv.Itoa(levels), "-o"}
	if prefix == "" {
		line = slices.Delete(line, 3, 4)
	}
	want := naiveFolders(objects, prefix, levels)
	var rows []folderSum
	if err := json.Unmarshal([]byte(r.MustRun(append(line, "json")...).Out), &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row != want[row.Name] {
			t.Errorf("%+v, not %+v", row, want[row.Name])
		}
	}
	if len(rows) != len(want) || rows[len(rows)-1].Depth != 0 {
		t.Errorf("%d folders, not %d", len(rows), len(want))
	}
	out := r.MustRun(append(line, "table", "--columns", "name,size,objects")...).Out
	hidden := func(c rune) bool { return c != '\n' && unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) }
	if i := strings.IndexFunc(out, hidden); i >= 0 {
		t.Errorf("a table has a hidden character: %q", out[max(0, i-40):min(len(out), i+40)])
	}
	out = r.MustRun(append(line, "csv", "--columns", "name,size", "--no-headers")...).Out
	records, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(records) != len(want) {
		t.Errorf("%v, %d records", err, len(records))
	}
	for i, record := range records {
		name := strings.ReplaceAll(rows[i].Name, "\r\n", "\n") // as the reader returns line breaks
		if record[0] != name || record[1] != fmt.Sprint(rows[i].Size) {
			t.Errorf("csv holds %q, not %q", record, name)
		}
	}
}

// du adds up what list -r lists: every folder down to a level, and all objects, in every format.
func TestObjects_du(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	objects := map[string]int64{}
	for line := range strings.Lines(r.MustRun("objects", "list", "us-east-1/acme-backups", "-r", "-o", "ndjson").Out) {
		var o struct {
			Name string
			Size int64
		}
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err)
		}
		objects[o.Name] = o.Size
	}
	for _, prefix := range []string{"", "db/", "d", "db/2026/"} {
		for _, levels := range []int{0, 1, 2, 9} {
			checkDu(t, r, objects, prefix, levels)
		}
	}
	largest := r.MustRun("objects", "du", "us-east-1/acme-backups", "--sort", "-size", "-o", "csv", "--no-headers").Out
	if first, _, _ := strings.Cut(largest, "\n"); !strings.HasSuffix(first, ",.,0") {
		t.Errorf("the largest is %q", first)
	}
	r.CheckResult(r.Run("objects", "du", "us-east-1/nope"), exit.CodeNotFound, "us-east-1/nope")
	r.CheckResult(r.Run("objects", "du", "acme-backups"), exit.CodeUsage, "does not name a bucket")
	r.CheckResult(r.Run("objects", "du", "us-east-1/acme-backups", "-d", "-1"), exit.CodeUsage, "--depth -1")
	got := r.MustRun("objects", "du", "us-east-1/acme-backups", "-d", "0", "--jq", ".[0].objects").Out
	if got != fmt.Sprintln(len(objects)) {
		t.Errorf("--jq prints %q", got)
	}
}

// Whatever the names are, du adds up every object; a table prints no hidden character, and CSV each name exactly.
func TestObjects_duHostileNames(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	objects := map[string]int64{"plain": 1, "//": 2, "/x": 3, "a//b": 4, "a/": 0}
	own := []string{"\x1b[31mred", "two\nlines", "\u202eright to left", "a/../b", "\x00", "in"}
	for i, text := range append(own, faulttest.HostileStrings(t, "E11")...) {
		if text = strings.ToValidUTF8(text, "?"); text != "" && len(text) <= 500 {
			objects[text], objects["in/"+text+"/"+text] = int64(i), int64(i)*1000
		}
	}
	var rows []map[string]any
	for name, size := range objects {
		rows = append(rows, map[string]any{"name": name, "size": size, "etag": "x", "owner": "o"})
	}
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if !strings.HasSuffix(req.URL.Path, "/object-list") {
			return false
		}
		prefix, listed := req.URL.Query().Get("prefix"), []map[string]any{}
		for _, row := range rows {
			if strings.HasPrefix(row["name"].(string), prefix) {
				listed = append(listed, row)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		answer := map[string]any{"data": listed, "is_truncated": false, "next_marker": nil}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
		return true
	})
	checkDu(t, r, objects, "", 1)
	checkDu(t, r, objects, "in/", 40)
}

// If the listing is incomplete, the sums are printed as such, and the exit code says so.
func TestObjects_duIncomplete(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if !strings.HasSuffix(req.URL.Path, "/object-list") {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":[{"name":"a/b","size":7,"etag":"x","owner":"o"}],"is_truncated":true}`)
		return true
	})
	s := r.Run("objects", "du", "us-east-1/acme-backups", "-o", "ndjson")
	r.CheckResult(s, exit.CodeFailure, "the totals may be too low")
	if want := `"objects":1,"depth":0,"at_least":true`; !strings.Contains(s.Out, want) {
		t.Errorf("%q is not in %s", want, s.Out)
	}
}
