package transfer

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lookout/client/faultrig"
)

// gate is the rest of a body that comes when it is opened.
type gate struct {
	open <-chan struct{}
	io.Reader
}

func (g *gate) Read(b []byte) (int, error) {
	<-g.open
	return g.Reader.Read(b)
}

// Two programs fetch the same version to the same place: one does it, the other is told, and neither spoils what the first has published.
func TestTwoProgramsFetchToOnePlace(t *testing.T) {
	data := noise(1 << 20)
	o := object("o", 1<<20, sumOf(data))
	begun := func(r *rig, m *Manager, folder string) ID {
		id, err := m.Download(DownloadRequest{Cluster: cluster, Bucket: bucket, Object: o, Folder: folder})
		if err != nil {
			r.Fatal(err)
		}
		return id
	}
	ended := func(m *Manager, id ID) Row {
		for {
			if row, _ := m.Row(id); !row.State.Unfinished() {
				return row
			}
			time.Sleep(time.Millisecond)
		}
	}
	// first lets a download come to its half; the second request gets the object anew once the first is done, and is cut.
	first := func(r *rig) (id ID, rest chan struct{}) {
		rest, begin := make(chan struct{}), make(chan struct{})
		n := 0
		r.tap.object = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
			if n++; n == 1 {
				close(begin)
				res, err := faultrig.Answer(200, "", "ETag", `"`+sumOf(data)+`"`)(nil, req)
				res.ContentLength = 1 << 20
				res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(data[:1<<19]), &gate{rest, bytes.NewReader(data[1<<19:])}))
				return res, err
			}
			if n > 2 {
				return status(403)(req)
			}
			close(rest)
			r.settled(id, Done)
			res, err := faultrig.Answer(200, string(data[:1000]), "ETag", `"`+sumOf(data)+`"`)(nil, req)
			res.ContentLength = -1
			return res, err
		}
		id = begun(r, r.m, r.dir)
		<-begin
		for row, _ := r.m.Row(id); row.Done < 1<<19; row, _ = r.m.Row(id) {
			time.Sleep(time.Millisecond)
		}
		return id, rest
	}
	faultrig.Row(t, "D5", "two programs, one part", func(t *testing.T) {
		bubble(t, func(r *rig) {
			id, rest := first(r)
			other := New(r.Context(), r.c)
			row := ended(other, begun(r, other, r.dir))
			if row.State != Failed || !strings.Contains(row.Err.Error(), "another download") || r.tap.count("GET") != 1 {
				t.Errorf("%s, %v after %d requests", row.State, row.Err, r.tap.count("GET"))
			}
			waiting := begun(r, other, r.dir)
			other.Cancel(waiting)
			ended(other, waiting)
			if r.tap.count("GET") == 1 {
				close(rest)
			}
			if row := r.settled(id, Done); row.Err != nil {
				t.Error(row.Err)
			}
			r.has("o", data)
			if names := r.names(); len(names) != 1 {
				t.Errorf("left: %q", names)
			}
		})
	})
	faultrig.Row(t, "D5", "one program, by a link to the folder", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "link")
		bubble(t, func(r *rig) {
			if err := os.Symlink(r.dir, link); err != nil {
				t.Skip(err)
			}
			id, rest := first(r)
			row := ended(r.m, begun(r, r.m, link))
			var exists *ExistsError
			if !errors.As(row.Err, &exists) || exists.Other != id {
				t.Errorf("%s, %v", row.State, row.Err)
			}
			if r.tap.count("GET") == 1 {
				close(rest)
			}
			r.settled(id, Done)
			r.has("o", data)
		})
	})
	faultrig.Row(t, "D5", "a cancelled download leaves another program's part", func(t *testing.T) {
		bubble(t, func(r *rig) {
			id, rest := first(r)
			d := download{DownloadRequest: DownloadRequest{Cluster: cluster, Bucket: bucket, Object: o, Folder: r.dir, Path: "o"}}
			d.drop()
			close(rest)
			if row := r.settled(id, Done); row.Err != nil {
				t.Error(row.Err)
			}
			r.has("o", data)
		})
	})
}

// A part that was opened and then published by the one who had it is nobody's part any more.
func TestAPartThatWasJustPublished(t *testing.T) {
	faultrig.Row(t, "D5", "published between opening and locking", func(t *testing.T) {
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		f, err := openOwn(root, "o.part")
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
		if hold, _, err := holdPart(root, "o.part", f); err == nil {
			hold.Close()
			t.Error("a file that has its final name is held as a part")
		}
	})
}
