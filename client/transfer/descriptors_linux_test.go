package transfer

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"testing"

	"lookout/client"
	"lookout/client/faulttest"
)

// Transfers close every file and folder that they open, without help from the garbage collector.
func TestTransfers_closeTheirFiles(t *testing.T) {
	runInBubble(t, func(r *rig) {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		r.writeFile("o", "text")
		o := r.putObject("o", "text")
		download := DownloadRequest{Cluster: cluster, Bucket: bucket, Object: o, Folder: r.dir, Path: "o"}
		upload := UploadRequest{
			Consent: r.consent(client.OpUploadObject),
			Cluster: cluster,
			Bucket:  bucket,
			Name:    "uploaded",
			Folder:  r.dir,
			File:    "o",
		}
		checkEnd := func(id ID, err error) error {
			if err != nil {
				return err
			}
			return r.waitEnded(id).Err
		}
		for _, step := range []struct {
			name string
			do   func() error
		}{
			{"an upload from a folder", func() error { return checkEnd(r.m.Upload(upload)) }},
			{"an upload of a file", func() error {
				upload.Folder, upload.File = "", filepath.Join(r.dir, "o")
				return checkEnd(r.m.Upload(upload))
			}},
			{"a download", func() error { return r.download(o, "new").Err }},
			{"a download over a file", func() error {
				download.Overwrite = true
				return checkEnd(r.m.Download(download))
			}},
			{"a download that is cancelled", r.cancelHalfWay},
			{"a folder's idea of case", func() error { FoldsCase(r.dir); return nil }},
			{"the plan of an upload", func() error {
				plan, err := PlanUpload(r.Context(), "p/", r.dir)
				if err == nil && plan.Files.Len() != 2 {
					err = fmt.Errorf("%d files", plan.Files.Len())
				}
				return err
			}},
			{"the plan of a download", func() error {
				plan := planListed("", []client.Object{o}, folds)
				plan.Folder = r.dir
				return plan.CompareFiles(r.Context(), CompareOptions{FindExtra: true})
			}},
			{"the deletion of files", func() error {
				left, err := DeleteFiles(r.dir, []string{"new"})
				if len(left) > 0 {
					err = left[0]
				}
				return err
			}},
			{"interrupted downloads", func() error { return r.readInterrupted(o) }},
		} {
			if err := step.do(); err != nil {
				r.Errorf("%s: %v", step.name, err)
			}
			if n := faulttest.OpenFiles(t, r.dir); n != 0 {
				r.Fatalf("%s leaves %d files open", step.name, n)
			}
		}
	})
}

// cancelHalfWay cancels a download that has a partial file.
func (r *rig) cancelHalfWay() error {
	cut := &fakeStorage{size: 5000, etag: md5Hex(testBytes(5000)), cuts: []int64{4000}}
	r.transport.onObject = cut.answer
	defer func() { r.transport.onObject = nil }()
	id := r.startDownload(listedObject("cut", cut.size, cut.etag), "")
	r.waitForBytes(id, 4000)
	r.m.Cancel(id)
	r.waitFor(id, Cancelled)
	if names := r.fileNames(); len(names) != 2 {
		return fmt.Errorf("left: %q", names)
	}
	return nil
}

// readInterrupted reads the list of a program that was killed while it downloaded an object.
func (r *rig) readInterrupted(o client.Object) error {
	task := downloadTask{DownloadRequest: DownloadRequest{Cluster: cluster, Bucket: bucket, Object: o}}
	r.writeFile(partName("o", task.versionKey()), "te")
	line, err := json.Marshal(transferLogEntry{ID: 1, Download: &InterruptedDownload{
		Cluster: cluster,
		Bucket:  bucket,
		Name:    "o",
		ETag:    o.ETag.Raw(),
		Size:    o.Size,
		Folder:  r.dir,
		Path:    "o",
	}})
	if err != nil {
		return err
	}
	r.writeFile("list.dead", string(line)+"\n")
	other := New(r.Context(), r.c)
	other.KeepUnfinished(filepath.Join(r.dir, "list"))
	found := other.Interrupted()
	if len(found.Downloads) != 1 || found.Downloads[0].Kept != 2 {
		return fmt.Errorf("found: %+v", found)
	}
	return nil
}
