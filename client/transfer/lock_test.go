package transfer

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lookout/client/faulttest"
)

// gatedReader blocks until its gate is open.
type gatedReader struct {
	open <-chan struct{}
	io.Reader
}

func (g *gatedReader) Read(b []byte) (int, error) {
	<-g.open
	return g.Reader.Read(b)
}

// When two programs download the same version to the same file, one succeeds and the other fails, and the second one
// does not damage what the first one has published.
func TestDownload_twoProcesses(t *testing.T) {
	data := testBytes(1 << 20)
	o := listedObject("o", 1<<20, md5Hex(data))
	begun := func(r *rig, m *Manager, folder string) ID {
		id, err := m.Download(DownloadRequest{
			Cluster: cluster,
			Bucket:  bucket,
			Object:  o,
			Folder:  folder,
		})
		if err != nil {
			r.Fatal(err)
		}
		return id
	}
	ended := func(m *Manager, id ID) Status {
		for {
			if row, _ := m.Status(id); !row.State.Unfinished() {
				return row
			}
			time.Sleep(time.Millisecond)
		}
	}
	// first lets a download reach its middle. A second request gets the object from the start once the first download
	// is done, and is interrupted.
	first := func(r *rig) (id ID, rest chan struct{}) {
		rest, begin := make(chan struct{}), make(chan struct{})
		n := 0
		r.transport.onObject = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
			if n++; n == 1 {
				close(begin)
				res, err := faulttest.Respond(200, "", "ETag", `"`+md5Hex(data)+`"`)(nil, req)
				res.ContentLength = 1 << 20
				res.Body = io.NopCloser(
					io.MultiReader(bytes.NewReader(data[:1<<19]), &gatedReader{rest, bytes.NewReader(data[1<<19:])}),
				)
				return res, err
			}
			if n > 2 {
				return respondStatus(403)(req)
			}
			close(rest)
			r.waitFor(id, Done)
			res, err := faulttest.Respond(200, string(data[:1000]), "ETag", `"`+md5Hex(data)+`"`)(nil, req)
			res.ContentLength = -1
			return res, err
		}
		id = begun(r, r.m, r.dir)
		<-begin
		r.waitForBytes(id, 1<<19)
		return id, rest
	}
	faulttest.RunCase(t, "D5", "two programs, one part", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			id, rest := first(r)
			other := New(r.Context(), r.c)
			row := ended(other, begun(r, other, r.dir))
			if row.State != Failed || !strings.Contains(row.Err.Error(), "another download") ||
				r.transport.count("GET") != 1 {
				t.Errorf("%s, %v after %d requests", row.State, row.Err, r.transport.count("GET"))
			}
			waiting := begun(r, other, r.dir)
			other.Cancel(waiting)
			ended(other, waiting)
			if r.transport.count("GET") == 1 {
				close(rest)
			}
			if row := r.waitFor(id, Done); row.Err != nil {
				t.Error(row.Err)
			}
			r.checkFile("o", data)
			if names := r.fileNames(); len(names) != 1 {
				t.Errorf("left: %q", names)
			}
		})
	})
	faulttest.RunCase(t, "D5", "one program, by a link to the folder", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "link")
		runInBubble(t, func(r *rig) {
			if err := os.Symlink(r.dir, link); err != nil {
				t.Skip(err)
			}
			id, rest := first(r)
			row := ended(r.m, begun(r, r.m, link))
			var exists *FileExistsError
			if !errors.As(row.Err, &exists) || exists.ClaimedBy != id {
				t.Errorf("%s, %v", row.State, row.Err)
			}
			if r.transport.count("GET") == 1 {
				close(rest)
			}
			r.waitFor(id, Done)
			r.checkFile("o", data)
		})
	})
	faulttest.RunCase(t, "D5", "a cancelled download leaves another program's part", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			id, rest := first(r)
			d := downloadTask{DownloadRequest: DownloadRequest{
				Cluster: cluster,
				Bucket:  bucket,
				Object:  o,
				Folder:  r.dir,
				Path:    "o",
			}}
			d.cleanUp()
			close(rest)
			if row := r.waitFor(id, Done); row.Err != nil {
				t.Error(row.Err)
			}
			r.checkFile("o", data)
		})
	})
}

// A part that its owner published between open and lock is no longer a part.
func TestLockPart_alreadyPublished(t *testing.T) {
	faulttest.RunCase(t, "D5", "published between opening and locking", func(t *testing.T) {
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		f, err := openRegular(root, "o.part")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := root.Rename("o.part", "o"); err != nil {
			t.Skip(err)
		}
		if err := root.WriteFile("o.part", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if hold, _, err := lockPart(root, "o.part", f); err == nil {
			hold.Close()
			t.Error("a published file is locked as a part")
		}
	})
}

// Another program can continue a part only when this one has closed it: what is written late is there.
func TestPartFile_closeAll_unlocksLast(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tryLock := func() error {
		f, err := root.OpenFile(partName("o", "version"), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		return lock(f)
	}
	closed := 0
	p, err := openPart(root, "o", "version", false, func(real file) file {
		return &failingFile{file: real, onClose: func() {
			closed++
			if err := tryLock(); !errors.Is(err, errPartLocked) {
				t.Errorf("another program can lock it: %v", err)
			}
		}}
	})
	if err != nil {
		t.Fatal(err)
	}
	p.closeAll()
	if err := tryLock(); err != nil || closed != 1 {
		t.Errorf("closed %d times, then: %v", closed, err)
	}
}

// A folder that was replaced by a file after it was created is reported, on every system.
func TestOpenRegular_belowAFile(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.WriteFile("sub", []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := openRegular(root, "sub/o.part"); err == nil {
		f.Close()
		t.Error("it was opened")
	}
	if data, err := root.ReadFile("sub"); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
}

// A partial file of a version that was replaced goes when the new version is fetched; that of another object, and one
// that another program writes to, stay.
func TestDownload_removesPartsOfOtherVersions(t *testing.T) {
	runInBubble(t, func(r *rig) {
		o := r.putObject("d/o", "new text")
		part := func(object, etag string) string {
			d := downloadTask{DownloadRequest: DownloadRequest{
				Cluster: cluster, Bucket: bucket, Object: listedObject(object, 99, etag),
			}}
			return partName("o", d.versionKey())
		}
		old, older, locked, other := part("d/o", "v1"), part("d/o", "v2"), part("d/o", "v3"), part("elsewhere/o", "v1")
		for _, name := range []string{old, older, locked, other} {
			r.writeFile(name, "some bytes")
		}
		f, err := os.OpenFile(filepath.Join(r.dir, locked), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := lock(f); err != nil {
			t.Fatal(err)
		}
		if row := r.download(o, "o"); row.State != Done {
			t.Fatalf("%s, %v", row.State, row.Err)
		}
		got, want := r.fileNames(), []string{"o", locked, other}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("left: %q, want %q", got, want)
		}
	})
}
