package transfer

import (
	"runtime/debug"
	"testing"

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
		if n := faulttest.OpenFiles(t, r.dir); n != 0 {
			t.Errorf("%d files are still open", n)
		}
	})
}
