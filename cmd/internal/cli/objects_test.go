package cli

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
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
	const size = 100_000
	sum := func(data []byte) string { s := md5.Sum(data); return hex.EncodeToString(s[:]) }
	for name, c := range map[string]struct {
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
	} {
		faulttest.RunCase(t, c.row, "objects get, "+name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			data := r.StoreObject("a/object", size)
			r.InterceptDownloads(func() func(http.ResponseWriter, *http.Request) {
				answer, n := c.answer(data), 0
				return func(w http.ResponseWriter, req *http.Request) {
					// the failure is permanent; the pauses between attempts take real time
					if n++; n > 2 && !c.whole {
						http.Error(w, "gone", http.StatusNotFound)
						return
					}
					answer(w, req)
				}
			}())
			file := filepath.Join(r.Home, "out")
			s := r.Run("objects", "get", testenv.Bucket, "a/object", file)
			got, err := os.ReadFile(file)
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
	faulttest.RunCase(t, "D2", "objects get -, no rest of this version", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{})
		data := r.StoreObject("a/object", size)
		r.InterceptDownloads(func(w http.ResponseWriter, req *http.Request) {
			if req.Header.Get("Range") == "" {
				sendTruncated(w, data[:size/2], size)
			}
			_, _ = w.Write(data)
		})
		if s := r.Run("objects", "get", testenv.Bucket, "a/object", "-"); s.Code != exit.CodeFailure ||
			!strings.Contains(s.Err, "cannot be taken back") ||
			len(s.Out) > size/2 {
			t.Errorf("exit code %d, %d bytes: %s", s.Code, len(s.Out), s.Err)
		}
	})
}

// A file that another program creates during a download stays. --force replaces files and nothing else.
func TestScriptsOverwriteNothing(t *testing.T) {
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
		r.CheckResult(
			r.Run("objects", "get", testenv.Bucket, "object", t.TempDir(), "--force"), exit.CodeFailure,
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
	r.CheckResult(put(), exit.CodeFailure, "www/css/a.css already exists")
	huge := filepath.Join(folder, "huge.iso")
	r.Write(huge, "")
	err := errors.Join(os.Symlink("index.html", filepath.Join(folder, "link")), os.Truncate(huge, 6<<30))
	if err != nil {
		t.Fatal(err)
	}
	r.CheckResult(put("--force"), exit.CodeFailure, "huge.iso: it is larger than 5 GiB; it is not sent")
	r.CheckResult(put("--force"), exit.CodeFailure, "link: it is a link; it is not sent")
	r.CheckResult(put("--force"), exit.CodeFailure, "2 of 4 files stored")
	r.CheckResult(
		r.Run("objects", "put", testenv.Bucket, "www", folder), exit.CodeUsage, "is a folder: NAME must end with /",
	)
	r.API.InjectFault("object put", emulator.Fault{Status: 403, Times: 1})
	r.CheckResult(put("--force"), exit.CodeFailure, "not stored: www/")
}
