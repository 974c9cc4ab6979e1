package transfer

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"lookout/client"
)

// Downloads that were waiting, running or paused when the program ended are offered again at the next start, and go on
// where they stopped. What was finished or cancelled is not.
func TestInterrupted_isOfferedAgainAndContinues(t *testing.T) {
	runInBubble(t, func(r *rig) {
		path := filepath.Join(r.dir, "state", "acme.downloads")
		folder := filepath.Join(r.dir, "folder")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		r.m.KeepUnfinished(path)
		start := func(o client.Object, name string) ID {
			id, err := r.m.Download(
				DownloadRequest{Cluster: cluster, Bucket: bucket, Object: o, Folder: folder, Path: name},
			)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		r.waitFor(start(r.putObject("done", "1"), "done"), Done)
		data := testBytes(100_000)
		s := &fakeStorage{size: 100_000, data: data, etag: md5Hex(data), cuts: []int64{40_000, 40_000, 40_000}}
		r.transport.onObject = s.answer
		o := listedObject("half", s.size, s.etag)
		half := start(o, "half")
		r.waitForBytes(half, 40_000)
		r.m.Pause(half)
		r.waitFor(half, Paused)
		cancelled := start(o, "cancelled")
		r.m.Cancel(cancelled)
		r.waitFor(cancelled, Cancelled)

		other := New(r.Context(), r.c)
		other.KeepUnfinished(path)
		if found := other.Interrupted(); len(found.Downloads) != 0 {
			t.Errorf("offered while the program runs: %+v", found)
		}
		checkLinesOnce(r, path)
		s.cuts, s.ranges = nil, nil
		r.restart() // ends the manager, as quitting does
		r.m.KeepUnfinished(path)
		found := r.m.Interrupted()
		if len(found.Downloads) != 1 || found.Downloads[0].Name != "half" || found.Downloads[0].Kept != 40_000 {
			t.Fatalf("offered: %+v", found.Downloads)
		}
		ids, refused := r.m.Continue(found.Downloads)
		if len(ids) != 1 || len(refused) != 0 {
			t.Fatalf("%v, %v", ids, refused)
		}
		found.Forget()
		r.waitFor(ids[0], Done)
		r.checkFile("folder/half", data)
		if len(s.ranges) != 1 || s.ranges[0] != "bytes=40000-" {
			t.Errorf("continued with %q", s.ranges)
		}
		r.restart()
		r.m.KeepUnfinished(path)
		if again := r.m.Interrupted(); len(again.Downloads) != 0 {
			t.Errorf("offered again: %+v", again.Downloads)
		}
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

// The downloads that continue are reported as those of a plan are: together for each folder, when its last one ends.
func TestManager_Continue_reportsEachFolderOnce(t *testing.T) {
	runInBubble(t, func(r *rig) {
		o := r.putObject("o", "text")
		var downloads []InterruptedDownload
		for _, path := range []string{"x/a", "y/a", "x/b", "x/c", "x/d"} {
			folder, name, _ := strings.Cut(path, "/")
			if err := os.MkdirAll(filepath.Join(r.dir, folder), 0o700); err != nil {
				t.Fatal(err)
			}
			downloads = append(downloads, InterruptedDownload{
				Cluster: cluster,
				Bucket:  bucket,
				Name:    "o",
				ETag:    o.ETag.Raw(),
				Size:    o.Size,
				Folder:  filepath.Join(r.dir, folder),
				Path:    name,
			})
		}
		downloads[3].Size = -1
		ids, refused := r.m.Continue(downloads)
		if len(ids) != 4 || len(refused) != 1 || !errors.Is(refused[0], ErrSizeUnknown) {
			t.Errorf("%v, refused %v", ids, refused)
		}
		r.m.Wait()
		ended := map[string]Batch{}
		for _, end := range r.m.Completions(0) {
			name := filepath.Base(end.Batch.Folder)
			if _, again := ended[name]; again {
				t.Errorf("folder %q is reported again", name)
			}
			ended[name] = end.Batch
		}
		want := map[string]Batch{
			"x": {Kind: Download, Bucket: bucket, Folder: filepath.Join(r.dir, "x"), Files: 3, Done: 3, Bytes: 12},
			"y": {Kind: Download, Bucket: bucket, Folder: filepath.Join(r.dir, "y"), Files: 1, Done: 1, Bytes: 4},
		}
		if !maps.Equal(ended, want) {
			t.Errorf("reported %+v, want %+v", ended, want)
		}
	})
}

// checkLinesOnce fails if the only log at a path is empty or holds a line twice: it would grow with each line.
func checkLinesOnce(r *rig, path string) {
	r.Helper()
	synctest.Wait() // until the lines are written
	logs, err := filepath.Glob(path + ".*")
	if err != nil || len(logs) != 1 {
		r.Fatalf("%q, %v", logs, err)
	}
	data, err := os.ReadFile(logs[0])
	if err != nil {
		r.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(data)))
	slices.Sort(lines)
	if once := slices.Compact(slices.Clone(lines)); len(lines) == 0 || len(once) != len(lines) {
		r.Errorf("lines are missing or there twice: %q", lines)
	}
}

// Where no list can be kept, transfers run as ever, and nothing is offered again.
func TestInterrupted_withoutAPlaceForTheList(t *testing.T) {
	runInBubble(t, func(r *rig) {
		path := filepath.Join(r.writeFile("taken", "a file"), "acme.downloads")
		r.m.KeepUnfinished(path)
		r.waitFor(r.startDownload(r.putObject("one", "text"), ""), Done)
		paused := r.startDownload(r.putObject("two", "text"), "")
		r.m.Pause(paused)
		r.waitFor(paused, Paused, Done)
		r.restart()
		r.m.KeepUnfinished(path)
		if found := r.m.Interrupted(); len(found.Downloads) != 0 {
			t.Errorf("offered: %+v", found.Downloads)
		}
		r.checkFile("one", []byte("text"))
		r.checkFile("taken", []byte("a file"))
	})
}

// A program that was killed leaves its list behind, even if its last line is cut. Lines of another version do not
// count.
func TestInterrupted_afterAKill(t *testing.T) {
	runInBubble(t, func(r *rig) {
		path := filepath.Join(r.dir, "acme.downloads")
		lines := `{"id":1,"download":{"cluster":"c","bucket":"b","name":"one","size":5,"folder":"/tmp","path":"one"}}
{"id":2,"download":{"cluster":"c","bucket":"b","name":"two","size":5,"folder":"/tmp","path":"two"}}
{"id":1}
{"id":4,"copy":{"from":{"Cluster":"c","Bucket":"b","Name":"four"},"to":{"Cluster":"c","Bucket":"b","Name":"five"}}}
{"id":3,"download":{"cluster":"c","bucket":"b","name":"three","size":"five","folder":"/tmp","path":"three"}}
{"id":2,"downl`
		if err := os.WriteFile(path+".dead", []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("acme.downloads.dead", path+".link"); err != nil {
			t.Fatal(err)
		}
		r.m.KeepUnfinished(path)
		found := r.m.Interrupted()
		if len(found.Downloads) != 1 || found.Downloads[0].Name != "two" {
			t.Errorf("offered: %+v", found.Downloads)
		}
		found.Forget()
		if again := r.m.Interrupted(); len(again.Downloads) != 0 {
			t.Errorf("offered again: %+v", again.Downloads)
		}
	})
}
