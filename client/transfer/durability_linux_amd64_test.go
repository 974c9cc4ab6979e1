package transfer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lookout/client/faulttest"
)

// A download that is reported as done is on the disk, with its name, whether the name was free or is replaced.
func TestManager_Download_durable(t *testing.T) {
	for name, overwrite := range map[string]bool{"new": false, "replaced": true} {
		t.Run(name, func(t *testing.T) {
			calls := faulttest.TraceFileCalls(t, func(folder string) {
				r := newRig(t)
				r.dir = folder
				data := testBytes(5000)
				r.transport.onObject = (&fakeStorage{size: 5000, data: data, etag: md5Hex(data)}).answer
				if overwrite {
					r.writeFile("o", "before")
				}
				id, err := r.m.Download(DownloadRequest{
					Cluster:   cluster,
					Bucket:    bucket,
					Object:    listedObject("o", 5000, md5Hex(data)),
					Folder:    folder,
					Overwrite: overwrite,
				})
				if err != nil {
					t.Fatal(err)
				}
				if row := r.waitEnded(id); row.State != Done {
					t.Fatal(row.Err)
				}
			})
			named := map[bool]string{false: "link", true: "rename"}[overwrite]
			at := slices.Index(calls, named)
			if at < 1 || !strings.HasPrefix(calls[at-1], "sync ") || calls[at-1] == "sync folder" ||
				!slices.Contains(calls[at:], "sync folder") {
				t.Errorf("%q", calls)
			}
		})
	}
}

// The same holds where a file system has no hard links.
func TestPartFile_publish_durableWithoutLinks(t *testing.T) {
	calls := faulttest.TraceFileCalls(t, func(folder string) {
		root, err := os.OpenRoot(folder)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		if err := os.WriteFile(filepath.Join(folder, "p"), []byte("whole"), 0o600); err != nil {
			t.Fatal(err)
		}
		p := &partFile{root: root, file: &appendOnlyFile{}, name: "p", finalName: "o", noLinks: true}
		if err := p.publish(); err != nil {
			t.Fatal(err)
		}
	})
	if want := []string{"write p", "rename", "sync folder"}; !slices.Equal(calls, want) {
		t.Errorf("%q, want %q", calls, want)
	}
}
