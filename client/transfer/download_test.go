package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"lookout/client"
	"lookout/client/faulttest"
)

func TestManager_Download(t *testing.T) {
	t.Run("D1 a lost connection is resumed and only correct data is published", testDownloadCuts)
	t.Run("D1 a download gives up after a limited number of attempts", testDownloadAlwaysCut)
	t.Run("D2 a part is only continued with the same version", testDownloadResumes)
	t.Run("D3 the data is compared with the listing", testDownloadMismatches)
	t.Run("D4 a write error is reported and not retried", testDownloadFullDisk)
	t.Run("D5 an existing file is never touched", testDownloadNameTaken)
	t.Run("D6 no name escapes the folder", testHostileNames)
	t.Run("D7 conflicting names are reported", testPlanCollisions)
	t.Run("D8 a folder replaced by a link does not redirect a download", testDownloadSwappedFolder)
	t.Run("D16 partial downloads of an earlier session are found and continued", testPartialDownloads)
}

// testDownloadCuts interrupts downloads of six sizes at seven places. The two largest are not written to disk.
func testDownloadCuts(t *testing.T) {
	for _, size := range []int64{0, 1, 4096, 5 << 20, 1 << 30, 5_000_000_000} {
		for _, cut := range []int64{0, 1, 4095, 4096, size / 2, size - 1, size} {
			if cut < 0 || cut > size {
				continue
			}
			t.Run(fmt.Sprintf("%d of %d", cut, size), func(t *testing.T) {
				runInBubble(t, func(r *rig) {
					s := &fakeStorage{size: size, etag: "0123456789abcdef0123456789abcdef-7", cuts: []int64{cut}}
					r.m.parallel.from = math.MaxInt64
					written := &discardFile{T: t}
					if size <= 5<<20 {
						s.data = testBytes(int(size))
						s.etag = md5Hex(s.data)
					} else {
						r.m.wrapFile = func(f file) file { written.file = f; return written }
					}
					r.transport.onObject = s.answer
					row := r.download(listedObject("dir/o", size, s.etag), "")
					if row.State != Done || row.Done != size {
						t.Fatalf("%s, %d bytes: %v", row.State, row.Done, row.Err)
					}
					if s.data != nil {
						r.checkFile("o", s.data)
					} else if written.end != size {
						t.Errorf("%d bytes written", written.end)
					}
					if got := r.fileNames(); !slices.Equal(got, []string{"o"}) {
						t.Errorf("left: %q", got)
					}
					if resumed := slices.Contains(
						s.ranges, fmt.Sprintf("bytes=%d-", cut),
					); resumed != (cut > 0 && cut < size) {
						t.Errorf("ranges: %q", s.ranges)
					}
				})
			})
		}
	}
}

func testDownloadAlwaysCut(t *testing.T) {
	for _, clean := range []bool{false, true} {
		runInBubble(t, func(r *rig) { checkAlwaysCut(r, clean) })
	}
	runInBubble(t, func(r *rig) {
		data := testBytes(10_000)
		s := &fakeStorage{size: 10_000, data: data, cuts: []int64{5000, 0, 9999}}
		r.transport.onObject = s.answer
		o := listedObject("o", s.size, "")
		d := &downloadTask{DownloadRequest: DownloadRequest{Cluster: cluster, Bucket: bucket, Object: o}}
		r.writeFile(partName("o", d.versionKey()), string(testBytes(20_000)[10_000:]))
		if row := r.download(o, ""); row.State != Done || len(s.ranges) != 0 || s.served != 4 {
			t.Errorf("without an etag: %s, %v, %q", row.State, row.Err, s.ranges)
		}
		r.checkFile("o", data)
	})
}

// A storage that answers a request for the whole object with a part of it is asked again, but not for ever.
func TestDownload_partInsteadOfWhole(t *testing.T) {
	runInBubble(t, func(r *rig) {
		data := testBytes(5000)
		s := &fakeStorage{size: 5000, data: data, etag: md5Hex(data)}
		s.modify = func(res *http.Response) {
			if s.served <= 2*maxAttempts {
				res.StatusCode = http.StatusPartialContent
			}
		}
		r.transport.onObject = s.answer
		row := r.download(listedObject("o", s.size, s.etag), "")
		if row.State != Failed || !errors.Is(row.Err, errBadResponse) || s.served != maxAttempts {
			t.Errorf("%s after %d attempts: %v", row.State, s.served, row.Err)
		}
	})
}

// checkAlwaysCut: every answer ends at the seventh byte, with an error or as if that were all.
func checkAlwaysCut(r *rig, clean bool) {
	data := testBytes(10_000)
	s := &fakeStorage{
		size:     10_000,
		cleanEOF: clean,
		data:     data,
		etag:     md5Hex(data),
		cuts:     []int64{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7},
	}
	r.transport.onObject = s.answer
	row := r.download(listedObject("o", s.size, s.etag), "")
	var part *PartialDownloadError
	if row.State != Failed || !errors.As(row.Err, &part) || part.Size != 7 || !errors.Is(row.Err, errConnectionCut) {
		r.Errorf("%s: %v", row.State, row.Err)
	}
	if s.served != maxAttempts {
		r.Errorf("%d attempts", s.served)
	}
	r.checkFile("o", nil)
	s.cuts = nil
	r.m.Retry(row.ID)
	if row = r.waitFor(row.ID, Done); row.Done != s.size {
		r.Errorf("%d bytes", row.Done)
	}
	r.checkFile("o", data)
}

func testDownloadResumes(t *testing.T) {
	data := testBytes(10_000)
	for name, c := range map[string]struct {
		twist func(*http.Response)
		bad   error // nil for a successful download
		anew  bool  // the download starts again
	}{
		"206 right": {func(*http.Response) {}, nil, false},
		"206 with the unit in capitals": {
			func(r *http.Response) { r.Header.Set("Content-Range", "Bytes 5000-9999/10000") },
			nil,
			false,
		},
		"206 with another unit": {
			func(r *http.Response) { r.Header.Set("Content-Range", "items 5000-9999/10000") },
			nil,
			true,
		},
		"206 another start": {
			func(r *http.Response) { r.Header.Set("Content-Range", "bytes 4999-9999/10000") },
			nil,
			true,
		},
		"206 another end": {
			func(r *http.Response) { r.Header.Set("Content-Range", "bytes 5000-9998/10000") },
			nil,
			true,
		},
		"206 another total": {
			func(r *http.Response) { r.Header.Set("Content-Range", "bytes 5000-9999/10001") },
			nil,
			true,
		},
		"206 unknown total": {
			func(r *http.Response) { r.Header.Set("Content-Range", "bytes 5000-9999/*") },
			nil,
			true,
		},
		"206 without a range":    {func(r *http.Response) { r.Header.Del("Content-Range") }, nil, true},
		"206 without an etag":    {func(r *http.Response) { r.Header.Del("ETag") }, nil, true},
		"206 with a weak etag":   {func(r *http.Response) { r.Header.Set("ETag", `W/"`+md5Hex(data)+`"`) }, nil, true},
		"206 encoded":            {func(r *http.Response) { r.Header.Set("Content-Encoding", "gzip") }, nil, true},
		"206 of another version": {func(r *http.Response) { r.Header.Set("ETag", `"other"`) }, ErrObjectChanged, false},
		"200 with the whole": {func(r *http.Response) {
			r.StatusCode, r.ContentLength, r.Body = 200, 10_000, io.NopCloser(bytes.NewReader(data))
			r.Header.Del("Content-Range")
		}, nil, false},
		"416": {func(r *http.Response) { r.StatusCode, r.Body = 416, http.NoBody }, nil, true},
		"412": {func(r *http.Response) { r.StatusCode, r.Body = 412, http.NoBody }, ErrObjectChanged, false},
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				s := &fakeStorage{
					size: 10_000,
					data: data,
					etag: md5Hex(data),
					cuts: []int64{5000},
				}
				s.modify = func(res *http.Response) {
					if s.served == 2 {
						c.twist(res)
					}
				}
				r.transport.onObject = s.answer
				row := r.download(listedObject("o", s.size, s.etag), "")
				if c.bad != nil {
					r.checkFile("o", nil)
					if !errors.Is(row.Err, c.bad) || len(r.fileNames()) != 0 {
						t.Errorf("%s: %v, left: %q", row.State, row.Err, r.fileNames())
					}
					return
				}
				if row.State != Done {
					t.Fatalf("%s: %v", row.State, row.Err)
				}
				r.checkFile("o", data)
				if anew := s.served == 3; anew != c.anew {
					t.Errorf("%d answers were taken", s.served)
				}
			})
		})
	}
}

func testDownloadMismatches(t *testing.T) {
	data := testBytes(5000)
	for name, c := range map[string]struct {
		size  int64
		etag  string // of the listing
		store string // of the storage; "" means the same as the listing
		twist func(*http.Response)
		note  string
		bad   error
	}{
		"right":      {size: 5000, etag: md5Hex(data), note: "size and MD5 checked"},
		"upper case": {size: 5000, etag: strings.ToUpper(md5Hex(data)), note: "size and MD5 checked"},
		"in parts":   {size: 5000, etag: md5Hex([]byte("x")) + "-3", note: "size checked only"},
		"quoted in the listing": {
			size:  5000,
			etag:  `"` + md5Hex(data) + `"`,
			store: md5Hex(data),
			note:  "size and MD5 checked",
		},
		"weak in the listing": {
			size:  5000,
			etag:  `W/"` + md5Hex(data) + `"`,
			store: md5Hex(data),
			note:  "size checked only",
		},
		"no etag in the listing": {size: 5000, store: md5Hex(data), note: "size checked only"},
		"weak in the answer": {
			size:  5000,
			etag:  md5Hex(data),
			twist: func(r *http.Response) { r.Header.Set("ETag", `W/"`+md5Hex(data)+`"`) },
			note:  "size and MD5 checked",
		},
		"another version, alike": {
			size:  5000,
			etag:  md5Hex(data),
			twist: func(r *http.Response) { r.Header.Set("ETag", `"`+otherLastDigit(md5Hex(data))+`"`) },
			bad:   ErrObjectChanged,
		},
		"another version, in another case": {
			size:  5000,
			etag:  md5Hex(data),
			twist: func(r *http.Response) { r.Header.Set("ETag", `"`+strings.ToUpper(md5Hex(data))+`"`) },
			bad:   ErrObjectChanged,
		},
		"another weak version, alike": {
			size:  5000,
			etag:  md5Hex(data),
			twist: func(r *http.Response) { r.Header.Set("ETag", `W/"`+otherLastDigit(md5Hex(data))+`"`) },
			bad:   ErrObjectChanged,
		},
		"another weak version, in another case": {
			size:  5000,
			etag:  md5Hex(data),
			twist: func(r *http.Response) { r.Header.Set("ETag", `W/"`+strings.ToUpper(md5Hex(data))+`"`) },
			bad:   ErrObjectChanged,
		},
		"another MD5":           {size: 5000, etag: md5Hex([]byte("x")), bad: ErrCorrupt},
		"another last digit":    {size: 5000, etag: otherLastDigit(md5Hex(data)), bad: ErrCorrupt},
		"longer by its header":  {size: 4999, etag: md5Hex(data), bad: ErrCorrupt},
		"shorter by its header": {size: 5001, etag: md5Hex(data), bad: ErrCorrupt},
		"longer without header": {
			size:  4999,
			etag:  md5Hex(data),
			twist: func(r *http.Response) { r.ContentLength = -1 },
			bad:   ErrCorrupt,
		},
		"shorter, whole in form": {
			size:  5001,
			etag:  md5Hex(data),
			twist: func(r *http.Response) { r.ContentLength = -1 },
			bad:   errConnectionCut,
		},
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				etag := c.store
				if etag == "" {
					etag = c.etag
				}
				s := &fakeStorage{
					size:   5000,
					data:   data,
					etag:   etag,
					modify: c.twist,
				}
				r.transport.onObject = s.answer
				row := r.download(listedObject("o", c.size, c.etag), "")
				if c.bad != nil {
					r.checkFile("o", nil)
					if !errors.Is(row.Err, c.bad) &&
						!(c.bad == errConnectionCut && errors.Is(row.Err, errBadResponse)) {
						t.Errorf("%s: %v", row.State, row.Err)
					}
					if errors.Is(row.Err, ErrCorrupt) && len(r.fileNames()) != 0 {
						t.Errorf("left: %q", r.fileNames())
					}
					return
				}
				if row.State != Done || !strings.HasPrefix(row.Note, c.note) {
					t.Errorf("%s, %q: %v", row.State, row.Note, row.Err)
				}
				r.checkFile("o", data)
			})
		})
	}
}

func testDownloadFullDisk(t *testing.T) {
	data := testBytes(3*bufferSize + 5)
	for name, f := range map[string]*failingFile{
		"full":            {failingWrite: 2, err: syscall.ENOSPC},
		"full at once":    {failingWrite: 1, err: syscall.ENOSPC},
		"quota":           {failingWrite: 2, err: syscall.EDQUOT},
		"file too large":  {failingWrite: 3, err: syscall.EFBIG},
		"broken disk":     {failingWrite: 2, err: syscall.EIO},
		"broken at sync":  {syncErr: syscall.EIO},
		"broken at close": {closeErr: syscall.ENOSPC},
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				s := &fakeStorage{size: int64(len(data)), data: data, etag: md5Hex(data)}
				r.transport.onObject = s.answer
				r.m.wrapFile = func(real file) file { f.file = real; return f }
				row := r.download(listedObject("o", s.size, s.etag), "")
				want := errors.Join(f.err, f.syncErr, f.closeErr)
				var no syscall.Errno
				if row.State != Failed || !errors.As(row.Err, &no) || !errors.Is(want, no) {
					t.Errorf("%s: %v", row.State, row.Err)
				}
				if s.served != 1 {
					t.Errorf("asked %d times", s.served)
				}
				r.checkFile("o", nil)
				if kept := len(r.fileNames()); kept != 1 && name != "full at once" ||
					kept != 0 && name == "full at once" {
					t.Errorf("kept: %q", r.fileNames())
				}
				r.m.wrapFile = nil
				r.m.Retry(row.ID)
				if row := r.waitFor(row.ID, Done); row.Done != s.size {
					t.Errorf("%d bytes", row.Done)
				}
				r.checkFile("o", data)
			})
		})
	}
	t.Run("no links on the file system", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			root, err := os.OpenRoot(r.dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			r.writeFile("p", "whole")
			p := &partFile{root: root, file: &appendOnlyFile{}, name: "p", finalName: "o", size: 5, noLinks: true}
			if err := p.publish(); err != nil {
				t.Fatal(err)
			}
			r.checkFile("o", []byte("whole"))
			r.writeFile("p", "other")
			var exists *FileExistsError
			if err := p.publish(); !errors.As(err, &exists) {
				t.Errorf("a second time: %v", err)
			}
			r.checkFile("o", []byte("whole"))
			r.checkFile("p", []byte("other"))
		})
	})
	t.Run("the part disappears before it is published", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			s := &fakeStorage{size: 3, data: []byte("abc"), etag: md5Hex([]byte("abc"))}
			r.transport.onObject = s.answer
			r.m.wrapFile = func(real file) file {
				return &failingFile{file: real, onClose: func() {
					for _, name := range r.fileNames() {
						os.Remove(filepath.Join(r.dir, name))
					}
				}}
			}
			if row := r.download(listedObject("o", 3, s.etag), ""); row.State != Failed {
				t.Errorf("%s: %v", row.State, row.Err)
			}
			r.checkFile("o", nil)
		})
	})
}

func testDownloadNameTaken(t *testing.T) {
	data := []byte("new")
	for name, make := range map[string]func(r *rig, final, part string) error{
		"a file":   func(r *rig, final, _ string) error { return os.WriteFile(final, []byte("old"), 0o600) },
		"a folder": func(r *rig, final, _ string) error { return os.Mkdir(final, 0o700) },
		"a link": func(r *rig, final, _ string) error {
			return os.Symlink(r.writeFile("victim", "old"), final)
		},
		"a dangling link": func(r *rig, final, _ string) error { return os.Symlink("nowhere", final) },
		"a pipe":          func(r *rig, final, _ string) error { return mkfifo(final) },
		"a device": func(r *rig, final, _ string) error {
			return os.Symlink("/dev/full", final)
		},
		"a link for the part": func(r *rig, _, part string) error {
			return os.Symlink(r.writeFile("victim", "old"), part)
		},
		"a pipe for the part":   func(r *rig, _, part string) error { return mkfifo(part) },
		"a folder for the part": func(r *rig, _, part string) error { return os.Mkdir(part, 0o700) },
		"no folder":             func(r *rig, _, _ string) error { return os.RemoveAll(r.dir) },
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(name, "pipe") {
				t.Skip("this system has no named pipes")
			}
			runInBubble(t, func(r *rig) {
				s := &fakeStorage{size: 3, data: data, etag: md5Hex(data)}
				r.transport.onObject = s.answer
				d := &downloadTask{
					DownloadRequest: DownloadRequest{
						Cluster: cluster,
						Bucket:  bucket,
						Object:  listedObject("o", 3, s.etag),
					},
				}
				final, part := filepath.Join(r.dir, "o"), filepath.Join(r.dir, partName("o", d.versionKey()))
				if err := make(r, final, part); err != nil {
					t.Fatal(err)
				}
				row := r.download(d.Object, "")
				var exists *FileExistsError
				onFinal := name != "no folder" && !strings.HasSuffix(name, "part")
				if row.State != Failed || errors.As(row.Err, &exists) != onFinal {
					t.Errorf("%s: %v", row.State, row.Err)
				}
				if s.served != 0 {
					t.Error("it was downloaded although its name is taken")
				}
				if _, err := os.Lstat(filepath.Join(r.dir, "victim")); err == nil {
					r.checkFile("victim", []byte("old"))
				}
			})
		})
	}
	t.Run("a file created meanwhile", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			s := &fakeStorage{size: 3, data: data, etag: md5Hex(data)}
			s.modify = func(*http.Response) { r.writeFile("o", "old") }
			r.transport.onObject = s.answer
			row := r.download(listedObject("o", 3, s.etag), "")
			var exists *FileExistsError
			if !errors.As(row.Err, &exists) || exists.Size != 3 {
				t.Errorf("%s: %v", row.State, row.Err)
			}
			r.checkFile("o", []byte("old"))
		})
	})
	for name, paths := range map[string][2]string{
		"by its path":                      {"o", "o"},
		"by a link to its folder":          {"real/o", "link/o"},
		"by a link above a missing folder": {"real/new/er/o", "link/new/er/o"},
	} {
		t.Run("two transfers to one file, "+name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				if err := errors.Join(
					os.Mkdir(filepath.Join(r.dir, "real"), 0o700), os.Symlink("real", filepath.Join(r.dir, "link")),
				); err != nil {
					t.Skip(err)
				}
				release := r.e.HoldRequests("object get")
				defer release()
				o := r.putObject("o", "one")
				first := r.startDownload(o, paths[0])
				second := r.download(o, paths[1])
				var exists *FileExistsError
				if !errors.As(second.Err, &exists) || exists.ClaimedBy != first {
					t.Errorf("%s: %v", second.State, second.Err)
				}
			})
		})
	}
}

func testHostileNames(t *testing.T) {
	names := append(
		faulttest.HostileStrings(t, "D6", "object_traversal", "object_fs"),
		"../victim", "/etc/passwd", "a/../../victim",
		"..", ".", "", "a//b", "dir/", `..\victim`, "C:x", "a\x00b", "a\nb", "CON", "link/victim", "flink", "dangling",
		"-rf", ".bashrc", strings.Repeat("a", 256),
	)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "victim"), []byte("untouched"), 0o600); err != nil {
		t.Fatal(err)
	}
	made, refused := 0, 0
	runInBubble(t, func(r *rig) {
		data := []byte("owned")
		s := &fakeStorage{size: 5, data: data, etag: md5Hex(data)}
		r.transport.onObject = s.answer
		below := filepath.Join(r.dir, "below")
		for i, name := range names {
			faulttest.ReportCase(t, "D6", fmt.Sprintf("%.60q", name))
			folder := filepath.Join(below, fmt.Sprint(i))
			for _, err := range []error{
				os.MkdirAll(filepath.Join(folder, "inside"), 0o700),
				os.Symlink(outside, filepath.Join(folder, "link")),
				os.Symlink("inside", filepath.Join(folder, "insidelink")),
				os.Symlink(filepath.Join(outside, "victim"), filepath.Join(folder, "flink")),
				os.Symlink(filepath.Join(outside, "new"), filepath.Join(folder, "dangling")),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			o := listedObject(name, 5, s.etag)
			plan := planListed("", []client.Object{o}, folds)
			if plan.Files.Len()+len(plan.Skipped) != 1 {
				t.Errorf("%q is neither accepted nor refused", name)
			}
			paths := []string{name}
			if leaf, err := DefaultFileName(name); err == nil {
				paths = append(paths, leaf)
			}
			for _, path := range paths {
				id, err := r.m.Download(DownloadRequest{
					Cluster: cluster,
					Bucket:  bucket,
					Object:  o,
					Folder:  folder,
					Path:    path,
				})
				var told *LocalNameError
				if path != "" && errors.As(err, &told) != (CheckPath(path) != nil) {
					t.Errorf("%q: %v", name, err)
				}
				if err != nil {
					refused++
					continue
				}
				if row := r.waitEnded(id); row.State == Done {
					made++
				}
			}
		}
		seen := map[string]bool{}
		for _, name := range r.fileNames() {
			seen[strings.SplitN(name, "/", 2)[0]] = true
		}
		if len(seen) != 1 || !seen["below"] {
			t.Errorf("written beside the folders: %v", seen)
		}
	})
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("outside: %v, %v", entries, err)
	}
	if got, _ := os.ReadFile(filepath.Join(outside, "victim")); string(got) != "untouched" {
		t.Errorf("the victim is %q", got)
	}
	t.Logf("%d names: %d files made, %d refused", len(names), made, refused)
	for name, want := range map[string]string{
		"..":                      "outside the folder",
		"a/../b":                  "outside the folder",
		"a/./b":                   "outside the folder",
		"/a":                      "starts with a slash",
		"a//b":                    "empty folder",
		"dir/":                    "ends with a slash",
		"":                        "empty",
		"a\x00b":                  "zero byte",
		strings.Repeat("日", 86):   "258 bytes",
		"a\xff":                   "UTF-8",
		"x.0123456789abcdef.part": "partial",
	} {
		if err := CheckPath(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	testNamesOfSystems(t)
	for _, name := range []string{
		"a",
		"a/b",
		".bashrc",
		"-rf",
		"...x",
		"größe/日本.txt",
		strings.Repeat("a", 255),
		"console",
		"file.part",
		"a b",
		"~root/.profile",
		"%2e%2e%2fvictim",
	} {
		if err := CheckPath(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// testNamesOfSystems tests names that only Windows refuses.
func testNamesOfSystems(t *testing.T) {
	for name, want := range map[string]string{
		"a\nb":       "control",
		"a\u009bb":   "control",
		`a\b`:        "Windows does not allow",
		"C:x":        "Windows does not allow",
		"why?.txt":   "Windows does not allow",
		"CON":        "device",
		"aux.c":      "device",
		"a/lpt1.txt": "device",
		"COM¹":       "device",
		"x.":         "dot",
		"x ":         "dot",
	} {
		if reason := pathProblem(name, true); !strings.Contains(reason, want) {
			t.Errorf("on Windows, %q: %q", name, reason)
		}
		if reason := pathProblem(name, false); reason != "" {
			t.Errorf("on other systems, %q: %q", name, reason)
		}
	}
}

// Names that are legal on this system are legal for downloads: colons, a final dot, con, and two that differ only in
// case where the file system tells them apart.
func TestDownload_namesLegalOnThisSystem(t *testing.T) {
	if onWindows {
		t.Skip("Windows refuses these names")
	}
	runInBubble(t, func(r *rig) {
		names := []string{"12:30:00.log", "final.", "con", "aux.c", "a\nb", `back\slash`, "Folder/x", "case.txt"}
		if !FoldsCase(r.dir) {
			names = append(names, "Case.txt", "folder/x")
		}
		for _, name := range names {
			r.putObject("p/"+name, name)
		}
		q := client.ObjectQuery{Cluster: cluster, Bucket: bucket, Prefix: "p/"}
		page, err := r.c.Objects.List(r.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		plan := planListed("p/", page.Data, func() bool { return FoldsCase(r.dir) })
		ids, refused := r.downloadPlan(plan)
		if len(ids) != len(names) || len(refused) != 0 || len(plan.Skipped) != 0 {
			t.Errorf("%d downloads of %d, refused: %v, %v", len(ids), len(names), refused, plan.Skipped)
		}
		for _, id := range ids {
			r.waitFor(id, Done)
		}
		for _, name := range names {
			r.checkFile(name, []byte(name))
		}
		if left, _ := filepath.Glob(filepath.Join(r.dir, ".lookout-*")); len(left) != 0 {
			t.Errorf("left behind: %q", left)
		}
	})
}

// No path is reported that is not that of the file, after the folder was swapped during a download.
func TestDownload_reportsThePathAfterASwap(t *testing.T) {
	data := []byte("all of it")
	for name, replace := range map[string]bool{"moved": false, "replaced": true} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				folder, aside := filepath.Join(r.dir, "folder"), filepath.Join(r.dir, "aside")
				if err := os.Mkdir(folder, 0o700); err != nil {
					t.Fatal(err)
				}
				s := &fakeStorage{size: int64(len(data)), data: data, etag: md5Hex(data)}
				s.modify = func(*http.Response) {
					err := os.Rename(folder, aside)
					if replace {
						err = errors.Join(err, os.Mkdir(folder, 0o700))
					}
					if err != nil {
						t.Error(err)
					}
				}
				r.transport.onObject = s.answer
				id, err := r.m.Download(DownloadRequest{
					Cluster: cluster,
					Bucket:  bucket,
					Object:  listedObject("o", s.size, s.etag),
					Folder:  folder,
				})
				if err != nil {
					t.Fatal(err)
				}
				row := r.waitFor(id, Done)
				if row.LocalPath.Raw() != "…/o" || !strings.Contains(row.Note, "location is unknown") {
					t.Errorf("reported: %s, %s", row.LocalPath, row.Note)
				}
			})
		})
	}
}

// folds is the answer of a folder in which case makes no difference.
func folds() bool { return true }

func testPlanCollisions(t *testing.T) {
	plan := planListed(
		"p/q",
		[]client.Object{
			listedObject("p/q", 1, "e"),
			listedObject("p/qa", 1, "e"),
			listedObject("p/qa/b", 1, "e"),
			listedObject("p/qA", 1, "e"),
			listedObject("p/q/", 0, "e"),
			listedObject("p/q//y", 1, "e"),
			listedObject("p/qd/x", 1, "e"),
			listedObject("p/qD/y", 1, "e"),
			listedObject("p/qd", 1, "e"),
			listedObject("p/qſ", 1, "e"),
			listedObject("p/qs", 1, "e"),
			listedObject("p/q/big/", 9, "e"),
			listedObject("p/q.d/.x", 1, "e"),
		},
		folds,
	)
	var files, refused []string
	for _, f := range slices.Collect(plan.Files.All()) {
		files = append(files, f.Path)
	}
	for _, e := range plan.Skipped {
		refused = append(refused, e.Path)
	}
	if want := []string{"q", "qa", "qd/x", "qſ", "q.d/.x"}; !slices.Equal(files, want) {
		t.Errorf("files: %q", files)
	}
	if want := []string{"p/qa/b", "p/qA", "p/q//y", "p/qD/y", "p/qd", "p/qs", "p/q/big/"}; !slices.Equal(
		refused, want,
	) {
		t.Errorf("refused: %q", refused)
	}
	if plan.FolderMarkers != 1 || plan.Bytes != 5 {
		t.Errorf("%+v", plan)
	}
	runInBubble(t, func(r *rig) {
		r.putObject("p/one", "1")
		r.putObject("p/deep/er/two", "22")
		page, err := r.c.Objects.List(r.Context(), client.ObjectQuery{Cluster: cluster, Bucket: bucket, Prefix: "p/"})
		if err != nil {
			t.Fatal(err)
		}
		ids, bad := r.downloadPlan(planListed("p/", page.Data, folds))
		for _, id := range ids {
			r.waitFor(id, Done)
		}
		if len(ids) != 2 || len(bad) != 0 {
			t.Errorf("%d taken, refused: %v", len(ids), bad)
		}
		r.checkFile("one", []byte("1"))
		r.checkFile("deep/er/two", []byte("22"))
	})
}

// testDownloadSwappedFolder replaces a folder by a link that leaves the target folder: at every stage of a download,
// with another's files at the other end, and at any moment of 200 downloads.
func testDownloadSwappedFolder(t *testing.T) {
	stages := map[string]func(r *rig, s *fakeStorage, swap func()){
		"the part is open": func(r *rig, _ *fakeStorage, swap func()) {
			r.m.wrapFile = func(real file) file { swap(); return real }
		},
		"the data arrives": func(_ *rig, s *fakeStorage, swap func()) {
			s.modify = func(*http.Response) { swap() }
		},
		"the connection is lost": func(_ *rig, s *fakeStorage, swap func()) {
			s.cuts = []int64{3}
			s.modify = func(*http.Response) {
				if s.served > 1 {
					swap()
				}
			}
		},
		"the part is closed": func(r *rig, _ *fakeStorage, swap func()) {
			r.m.wrapFile = func(real file) file { return &failingFile{file: real, onClose: swap} }
		},
	}
	for stage, prepare := range stages {
		for target, over := range map[string]bool{"a new file": false, "a file that is replaced": true} {
			t.Run(stage+", "+target, func(t *testing.T) {
				runInBubble(t, func(r *rig) { checkSwappedFolder(r, over, prepare) })
			})
		}
	}
	t.Run("at any moment", testDownloadFlippedFolder)
}

// checkSwappedFolder downloads sub/o while prepare has sub swapped, and fails if anything happens at the other end of
// the link or the download counts as done.
func checkSwappedFolder(r *rig, over bool, prepare func(*rig, *fakeStorage, func())) {
	outside, sub, data := r.TempDir(), filepath.Join(r.dir, "sub"), []byte("owned")
	s := &fakeStorage{size: int64(len(data)), data: data, etag: md5Hex(data)}
	r.transport.onObject = s.answer
	err := os.Mkdir(sub, 0o700)
	if over {
		err = errors.Join(err, os.WriteFile(filepath.Join(sub, "o"), nil, 0o600))
	}
	if err != nil {
		r.Fatal(err)
	}
	before := map[string]string{}
	prepare(r, s, sync.OnceFunc(func() {
		parts, err := filepath.Glob(filepath.Join(sub, "*.part"))
		if err != nil || len(parts) != 1 {
			r.Errorf("%q, %v", parts, err)
			return
		}
		before[filepath.Base(parts[0])] = "another's"
		if over {
			before["o"] = "another's"
		}
		for name, text := range before {
			err = errors.Join(err, os.WriteFile(filepath.Join(outside, name), []byte(text), 0o600))
		}
		if err := errors.Join(err, os.Rename(sub, sub+"-aside"), os.Symlink(outside, sub)); err != nil {
			r.Error(err)
		}
	}))
	id, err := r.m.Download(DownloadRequest{
		Cluster:   cluster,
		Bucket:    bucket,
		Object:    listedObject("sub/o", s.size, s.etag),
		Folder:    r.dir,
		Path:      "sub/o",
		Overwrite: over,
	})
	if err != nil {
		r.Fatal(err)
	}
	if row := r.waitEnded(id); row.State != Failed {
		r.Errorf("%s, %v", row.State, row.Err)
	}
	if after := readFolder(r.T, outside); len(before) == 0 || !maps.Equal(after, before) {
		r.Errorf("outside: %q, before: %q", after, before)
	}
}

// readFolder returns the files of a folder and what they hold.
func readFolder(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Error(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}

// testDownloadFlippedFolder downloads while a folder is replaced by a link and put back, again and again.
func testDownloadFlippedFolder(t *testing.T) {
	outside, data := t.TempDir(), []byte("owned")
	r := newRig(t)
	defer r.cancel()
	r.transport.onObject = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
		return (&fakeStorage{size: int64(len(data)), data: data, etag: md5Hex(data)}).answer(req, nil)
	}
	sub, aside := filepath.Join(r.dir, "sub"), filepath.Join(r.dir, "aside")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			_ = os.Rename(sub, aside)
			_ = os.Symlink(outside, sub)
			_ = os.Remove(sub)
			_ = os.RemoveAll(sub) // a download may have created the folder again
			_ = os.Rename(aside, sub)
			select {
			case <-end:
				return
			default:
			}
		}
	}()
	failed := 0
	for i := range 200 {
		name := fmt.Sprintf("sub/%d", i)
		if r.download(listedObject(name, int64(len(data)), md5Hex(data)), name).State == Failed {
			failed++
		}
	}
	close(end)
	<-ended
	t.Logf("%d of 200 failed", failed)
	if failed == 0 {
		t.Error("no download met the link")
	}
	if after := readFolder(t, outside); len(after) != 0 {
		t.Errorf("outside: %q", after)
	}
}

func testPartialDownloads(t *testing.T) {
	runInBubble(t, func(r *rig) {
		data := testBytes(10_000)
		s := &fakeStorage{size: 10_000, data: data, etag: md5Hex(data)}
		r.transport.onObject = s.answer
		blocked := make(chan struct{})
		s.modify = func(res *http.Response) {
			res.Body = struct {
				io.Reader
				io.Closer
			}{io.MultiReader(bytes.NewReader(data[:6000]), &blockedReader{res.Request, blocked}), io.NopCloser(nil)}
		}
		id := r.startDownload(listedObject("o", s.size, s.etag), "")
		<-blocked
		if r.m.UnfinishedCount() != 1 {
			t.Errorf("%d are busy", r.m.UnfinishedCount())
		}
		r.restart()
		if sizes := partSizes(t, r.dir); !slices.Equal(sizes, []int64{6000}) {
			t.Fatalf("left: %v bytes", sizes)
		}
		r.checkFile("o", nil)
		s.modify = nil
		if row := r.download(listedObject("o", s.size, s.etag), ""); row.State != Done ||
			!slices.Contains(s.ranges, "bytes=6000-") {
			t.Errorf("%d: %s, %v, %q", id, row.State, row.Err, s.ranges)
		}
		r.checkFile("o", data)
		if sizes := partSizes(t, r.dir); len(sizes) != 0 {
			t.Errorf("left: %v bytes", sizes)
		}
	})
}

// partSizes returns the sizes of the unfinished downloads below a folder.
func partSizes(t *testing.T, folder string) (sizes []int64) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !isPartName(d.Name()) {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sizes = append(sizes, info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}

// blockedReader blocks until its request ends.
type blockedReader struct {
	req     *http.Request
	started chan struct{}
}

func (s *blockedReader) Read([]byte) (int, error) {
	if s.started != nil {
		close(s.started)
		s.started = nil
	}
	<-s.req.Context().Done()
	return 0, s.req.Context().Err()
}
