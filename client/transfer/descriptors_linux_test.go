package transfer

import (
	"runtime/debug"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/faulttest"
)

// Transfers close every file and folder that they open, without help from the garbage collector.
func TestTransfers_closeTheirFiles(t *testing.T) {
	runInBubble(t, func(r *rig) {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		name := "o"
		r.writeFile(name, "text")
		id, err := r.m.Upload(UploadRequest{
			Consent: r.consent(client.OpUploadObject),
			Cluster: cluster,
			Bucket:  bucket,
			Name:    name,
			Folder:  r.dir,
			File:    name,
		})
		if err != nil {
			t.Fatal(err)
		}
		r.waitFor(id, Done)
		o, _, err := r.c.Objects.Find(r.Context(), cluster, bucket, name)
		if err != nil {
			t.Fatal(err)
		}
		if row := r.download(o, "copy-of-"+name); row.State != Done {
			t.Errorf("%s: %v", row.State, row.Err)
		}
		if plan, err := PlanUpload(r.Context(), "p/", r.dir); err != nil || len(plan.Files) != 2 {
			t.Errorf("%+v, %v", plan, err)
		}
		cut := &fakeStorage{size: 5000, etag: md5Hex(testBytes(5000)), cuts: []int64{4000}}
		r.transport.onObject = cut.answer
		id = r.startDownload(listedObject("cut", cut.size, cut.etag), "")
		for row, _ := r.m.Status(id); row.Done < 4000; row, _ = r.m.Status(id) {
			time.Sleep(time.Millisecond)
		}
		r.m.Cancel(id)
		r.waitFor(id, Cancelled)
		if names := r.fileNames(); len(names) != 2 {
			t.Errorf("left: %q", names)
		}
		if n := faulttest.OpenFiles(t, r.dir); n != 0 {
			t.Errorf("%d files are still open", n)
		}
	})
}
