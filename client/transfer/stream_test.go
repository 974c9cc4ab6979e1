package transfer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lookout/client"
	"lookout/client/faulttest"
)

// limitedWriter is a writer with room for a number of bytes.
type limitedWriter struct {
	bytes.Buffer
	room int
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.room-w.Len())
	w.Buffer.Write(p[:n])
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// Stream checks data like Download. It writes nothing twice, and nothing after wrong data.
func TestManager_Stream(t *testing.T) {
	const size = 10_000
	data := testBytes(size)
	for name, c := range map[string]struct {
		row   string
		store fakeStorage
		etag  string // of the listing
		room  int
		want  error // nil for success
		out   int   // correct bytes that are written
	}{
		"whole":     {"D1", fakeStorage{}, md5Hex(data), size, nil, size},
		"cut twice": {"D1", fakeStorage{cuts: []int64{5000, 9999}}, md5Hex(data), size, nil, size},
		"an early end": {
			"D1",
			fakeStorage{cuts: []int64{5000}, cleanEOF: true},
			md5Hex(data),
			size,
			nil,
			size,
		},
		"a rest of an unknown version": {"D2", fakeStorage{cuts: []int64{5000}}, "", size, errCannotRewind, 5000},
		"a rest that is the whole": {
			"D2",
			fakeStorage{cuts: []int64{5000}, modify: func(res *http.Response) { res.StatusCode = 200 }},
			md5Hex(data),
			size,
			errCannotRewind,
			5000,
		},
		"a rest at another offset": {
			"D2",
			fakeStorage{
				cuts:   []int64{5000},
				modify: func(res *http.Response) { res.Header.Set("Content-Range", "bytes 0-4999/10000") },
			},
			md5Hex(data),
			size,
			errCannotRewind,
			5000,
		},
		"not the object": {
			"D3",
			fakeStorage{modify: func(res *http.Response) { res.Header.Del("ETag") }},
			md5Hex(data[1:]),
			size,
			ErrCorrupt,
			size,
		},
		"a pipe that nobody reads": {"D4", fakeStorage{}, md5Hex(data), 3000, io.ErrShortWrite, 3000},
	} {
		faulttest.RunCase(t, c.row, "stream, "+name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				s := c.store
				s.size, s.data, s.etag = size, data, c.etag
				r.transport.onObject = s.answer
				out := &limitedWriter{room: c.room}
				row := r.waitEnded(
					r.m.Stream(
						DownloadRequest{Cluster: cluster, Bucket: bucket, Object: listedObject("o", size, c.etag)}, out,
					),
				)
				if !errors.Is(row.Err, c.want) || (row.State == Done) != (c.want == nil) ||
					!bytes.Equal(out.Bytes(), data[:c.out]) {
					t.Errorf("%s, %v; %d bytes are out", row.State, row.Err, out.Len())
				}
				if row.State == Done && !strings.Contains(row.Note, "MD5 checked") {
					t.Errorf("%q", row.Note)
				}
			})
		})
	}
}

// A folder that cannot be created is named as the reason.
func TestDownload_folderCannotBeCreated(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.writeFile("taken", "a file")
		row := r.download(r.putObject("o", "text"), "taken/o")
		if row.State != Failed || !strings.Contains(row.Err.Error(), "cannot create the folder") {
			t.Errorf("%s: %v", row.State, row.Err)
		}
	})
}

// A folder that depends on a working folder which is gone is refused before anything else.
func TestDownload_workingFolderIsGone(t *testing.T) {
	r := newRig(t)
	defer r.cancel()
	o, here := r.putObject("o", "text"), filepath.Join(r.dir, "here")
	if err := os.Mkdir(here, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(here)
	if err := os.Remove(here); err != nil {
		t.Skipf("this system keeps a working folder: %v", err)
	}
	if _, err := os.Getwd(); err == nil {
		t.Skip("this system still names the working folder")
	}
	id, err := r.m.Download(DownloadRequest{Cluster: cluster, Bucket: bucket, Object: o, Folder: "downloads"})
	if !errors.Is(err, fs.ErrNotExist) || r.m.Snapshot().Len() != 0 {
		t.Errorf("download %d, %v; want %v and no download", id, err, fs.ErrNotExist)
	}
}

// A file name in an error of the system is shown as everywhere else, and the error stays the system's.
func TestDownload_errorsShowNamesSafely(t *testing.T) {
	runInBubble(t, func(r *rig) {
		folder := filepath.Join(r.dir, "gone\x1b[2J")
		id, err := r.m.Download(DownloadRequest{
			Cluster: cluster, Bucket: bucket, Object: r.putObject("o", "text"), Folder: folder,
		})
		if err != nil {
			t.Fatal(err)
		}
		row := r.waitEnded(id)
		if row.State != Failed || row.Err == nil {
			t.Fatalf("%s: %v", row.State, row.Err)
		}
		if text := row.Err.Error(); strings.Contains(text, "\x1b") || !strings.Contains(text, client.Clean(folder)) {
			t.Errorf("%q does not show the folder as %q", text, client.Clean(folder))
		}
		if runtime.GOOS != "windows" && !errors.Is(row.Err, fs.ErrNotExist) {
			t.Errorf("%v is not %v", row.Err, fs.ErrNotExist)
		}
	})
}

// With Overwrite, a complete download replaces a file or a link: the link itself, not its target.
func TestDownload_overwrite(t *testing.T) {
	data := testBytes(10_000)
	for name, c := range map[string]struct {
		before func(*rig, string) error
		size   int64 // as listed
		done   bool
	}{
		"nothing":   {func(*rig, string) error { return nil }, 10_000, true},
		"a file":    {func(_ *rig, f string) error { return os.WriteFile(f, []byte("old"), 0o644) }, 10_000, true},
		"a link":    {func(r *rig, f string) error { return os.Symlink(r.writeFile("other", "old"), f) }, 10_000, true},
		"a folder":  {func(_ *rig, f string) error { return os.Mkdir(f, 0o700) }, 10_000, false},
		"a pipe":    {func(_ *rig, f string) error { return mkfifo(f) }, 10_000, false},
		"not whole": {func(_ *rig, f string) error { return os.WriteFile(f, []byte("old"), 0o644) }, 9_999, false},
	} {
		faulttest.RunCase(t, "D5", "replace "+name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				file := filepath.Join(r.dir, "o")
				if err := c.before(r, file); err != nil {
					t.Skipf("this system cannot create it: %v", err)
				}
				before, _ := os.Lstat(file)
				s := &fakeStorage{size: 10_000, data: data, etag: md5Hex(data)}
				r.transport.onObject = s.answer
				id, err := r.m.Download(DownloadRequest{
					Cluster:   cluster,
					Bucket:    bucket,
					Object:    listedObject("o", c.size, s.etag),
					Folder:    r.dir,
					Path:      "o",
					Overwrite: true,
				})
				if err != nil {
					t.Fatal(err)
				}
				row := r.waitEnded(id)
				if (row.State == Done) != c.done {
					t.Fatalf("%s: %v", row.State, row.Err)
				}
				if after, err := os.Lstat(file); !c.done && (err != nil || !os.SameFile(before, after)) {
					t.Errorf("the old file is gone: %v", err)
				}
				if c.done {
					r.checkFile("o", data)
				}
				if other, err := os.ReadFile(filepath.Join(r.dir, "other")); err == nil && string(other) != "old" {
					t.Error("the target of the link was written")
				}
			})
		})
	}
	faulttest.RunCase(t, "D6", "a name that was chosen by hand", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			for _, chosen := range []bool{false, true} {
				id, err := r.m.Download(DownloadRequest{
					Cluster:    cluster,
					Bucket:     bucket,
					Object:     r.putObject("o", "x"),
					Folder:     r.dir,
					Path:       "x.0123456789abcdef.part",
					PathChosen: chosen,
				})
				if (err == nil) != chosen {
					t.Errorf("%t: %v", chosen, err)
				}
				if row, known := r.m.Status(id); known && chosen {
					r.waitEnded(row.ID)
				}
			}
			id, err := r.m.Download(DownloadRequest{
				Cluster:    cluster,
				Bucket:     bucket,
				Object:     r.putObject("o", "x"),
				Folder:     r.dir,
				Path:       "../out",
				PathChosen: true,
			})
			if err == nil && r.waitEnded(id).State == Done {
				t.Error("a chosen name leaves the folder")
			}
		})
	})
}

// The outcome of an upload that is interrupted after its last byte is unknown.
func TestUpload_interruptedIsUnknown(t *testing.T) {
	faulttest.RunCase(t, "D12", "interrupted after the last byte", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			r.transport.onObject = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
				_, _ = io.Copy(io.Discard, req.Body)
				r.cancel()
				return nil, context.Canceled
			}
			id, err := r.m.Upload(UploadRequest{
				Consent: r.consent(client.OpUploadObject),
				Cluster: cluster,
				Bucket:  bucket,
				Name:    "o",
				File:    r.writeFile("f", "hello"),
			})
			if err != nil {
				t.Fatal(err)
			}
			r.m.Wait()
			row, _ := r.m.Status(id)
			var e *client.Error
			if row.State != Cancelled || !errors.As(row.Err, &e) || !e.Unknown() {
				t.Errorf("%s: %v", row.State, row.Err)
			}
		})
	})
}
