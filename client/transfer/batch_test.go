package transfer

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/faulttest"
)

// planFor stores n small objects and returns a plan to download them.
func (r *rig) planFor(n int) Plan {
	objects := make([]client.Object, n)
	for i := range objects {
		objects[i] = r.putObject(fmt.Sprintf("many/%03d", i), "some text")
	}
	return planListed("many/", objects, folds)
}

// downloadPlan starts the downloads of a plan.
func (r *rig) downloadPlan(p Plan) (ids []ID, refused []SkippedFile) {
	p.Cluster, p.Bucket, p.Folder = cluster, bucket, r.dir
	return r.m.Start(p, StartOptions{})
}

// A file that is refused is news as well, even if no other file of its plan is sent.
func TestManager_Start_refusedFileIsNews(t *testing.T) {
	runInBubble(t, func(r *rig) {
		skipped := []SkippedFile{{Path: "many/a", Reason: "it cannot be read"}}
		plan := newPlan(Download)
		plan.Prefix, plan.Skipped = "many/", skipped
		r.downloadPlan(plan)
		select {
		case <-r.m.Changed():
		case <-time.After(time.Minute):
			t.Errorf("no news of %+v", rowsOf(r.m))
		}
	})
}

// Nothing that a manager does keeps another call waiting. This is the first test of the package, because a call that
// never returns would stop any other.
func TestManager_nothingHangs(t *testing.T) {
	r := newRig(t)
	defer r.cancel()
	o, file := r.putObject("o", "some text"), r.writeFile("f", "some text")
	consents := []*client.Consent{
		r.consent(client.OpUploadObject), r.consent(client.OpDeleteObject), r.consent(client.OpEmptyBucket),
	}
	m := r.m
	download := DownloadRequest{Cluster: cluster, Bucket: bucket, Object: o, Folder: r.dir}
	upload := UploadRequest{Consent: consents[0], Cluster: cluster, Bucket: bucket, Name: "n", File: file}
	plan := planListed("", []client.Object{o}, folds)
	plan.Cluster, plan.Bucket, plan.Folder = cluster, bucket, r.dir
	calls := []struct {
		Name string
		Do   func()
	}{
		{"KeepUnfinished", func() { m.KeepUnfinished(filepath.Join(r.dir, "state")) }},
		{"KeepsUnfinished", func() { m.KeepsUnfinished() }},
		{"Download", func() { _, _ = m.Download(download) }},
		{"Upload", func() { _, _ = m.Upload(upload) }},
		{"Start", func() { m.Start(plan, StartOptions{}) }},
		{"Interrupted", func() { m.Continue(m.Interrupted().Downloads) }},
		{"Stream", func() { m.Stream(download, io.Discard) }},
		{"Pause", func() { m.Pause(1) }},
		{"PauseAll", m.PauseAll},
		{"Resume", func() { m.Resume(1) }},
		{"ResumeAll", m.ResumeAll},
		{"Throughput", func() { m.Throughput() }},
		{"Snapshot", func() { m.Snapshot() }},
		{"Status", func() { m.Status(1) }},
		{"Status of nothing", func() { m.Status(99) }},
		{"UnfinishedCount", func() { m.UnfinishedCount() }},
		{"Completions", func() { m.Completions(0) }},
		{"Delete", func() { m.Delete(consents[1], cluster, bucket, []string{"a", "b"}) }},
		{"Empty", func() { m.Empty(consents[2], cluster, bucket, "x/", 0) }},
		{"Cancel", func() { m.Cancel(1) }},
		{"CancelAll", m.CancelAll},
		{"Retry", func() { m.Retry(1) }},
		{"RetryAll", m.RetryAll},
		{"Wait", m.Wait},
	}
	faulttest.RequireReturns(t, calls)
}

// Every transfer has a status, the newest too, and no other ID has one.
func TestManager_Status_ofEachTransfer(t *testing.T) {
	runInBubble(t, func(r *rig) {
		for n := range 4 {
			for id := range ID(6) {
				if row, there := r.m.Status(id); there != (1 <= id && int(id) <= n) || there && row.ID != id {
					t.Errorf("of %d transfers, %d: %t, %+v", n, id, there, row)
				}
			}
			r.deleteObjects(fmt.Sprint("o", n))
		}
		if _, there := r.m.Status(-1); there {
			t.Error("-1 has a status")
		}
	})
}

// A batch reports only its first failure and its end.
func TestManager_Completions_reportsBatchOnce(t *testing.T) {
	runInBubble(t, func(r *rig) {
		plan := r.planFor(20)
		for _, taken := range []string{"003", "007"} {
			if err := os.WriteFile(filepath.Join(r.dir, taken), []byte("here before"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r.downloadPlan(plan)
		r.m.Wait()
		ends := r.m.Completions(0)
		if len(ends) != 2 {
			t.Fatalf("%d ends are reported of 20 files", len(ends))
		}
		if first := ends[0]; first.Status.State != Failed || first.Batch.Remaining == 0 {
			t.Errorf("first %+v", first)
		}
		if b := ends[1].Batch; b.Files != 20 || b.Done != 18 || b.Failed != 2 || b.Remaining != 0 || b.Bytes != 18*9 {
			t.Errorf("last %+v", b)
		}
		for _, taken := range []string{"003", "007"} {
			os.Remove(filepath.Join(r.dir, taken))
		}
		r.m.RetryAll()
		r.m.Wait()
		if again := r.m.Completions(2); len(again) != 1 || again[0].Batch.Done != 20 || again[0].Batch.Failed != 0 {
			t.Errorf("after another try: %+v", again)
		}
		if n := r.m.UnfinishedCount(); n != 0 {
			t.Errorf("%d are unfinished", n)
		}
	})
}

// A status that a caller holds stays as it was, and a transfer that has not moved keeps its status.
func TestManager_Snapshot_reusesUnchanged(t *testing.T) {
	runInBubble(t, func(r *rig) {
		plan := r.planFor(12)
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			time.Sleep(time.Minute)
			return next.RoundTrip(req)
		}
		r.downloadPlan(plan)
		time.Sleep(time.Second)
		snapshot := r.m.Snapshot()
		time.Sleep(time.Second)
		before, now, same := snapshot.rows, r.m.Snapshot().rows, 0
		for i := range now {
			if before[i] == now[i] {
				same++
			}
		}
		if same != 12-MaxRunning {
			t.Errorf("%d of 12 rows are the same while %d run", same, MaxRunning)
		}
		r.m.Wait()
		if before[0].State != Running || rowsOf(r.m)[0].State != Done {
			t.Errorf("a row that was given out is %s, the transfer %s", before[0].State, rowsOf(r.m)[0].State)
		}
	})
}

// Many small files have a combined speed, although each one ends before its own speed is known.
func TestManager_Throughput_smallFiles(t *testing.T) {
	runInBubble(t, func(r *rig) {
		plan := r.planFor(120)
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			time.Sleep(300 * time.Millisecond)
			return next.RoundTrip(req)
		}
		began := time.Now()
		r.downloadPlan(plan)
		time.Sleep(4 * time.Second)
		flow, want := r.m.Throughput(), float64(MaxRunning*9)/0.3
		if flow.Rate < want*0.8 || flow.Rate > want*1.2 || !flow.Since.Equal(began) {
			t.Errorf("%.0f bytes a second since %v, want about %.0f since %v", flow.Rate, flow.Since, want, began)
		}
		for _, row := range rowsOf(r.m) {
			if row.Rate != 0 {
				t.Errorf("transfer %d says %.0f", row.ID, row.Rate)
			}
		}
		r.m.Wait()
		time.Sleep(stallAfter)
		if rate := r.m.Throughput().Rate; rate != 0 {
			t.Errorf("%.0f bytes a second of nothing", rate)
		}
	})
}

// What an earlier run has left, and what a restart takes back, is no speed, whenever somebody looks.
func TestProgress_set_isNoSpeed(t *testing.T) {
	p := &progress{onChange: func() {}}
	var ended atomic.Bool
	go func() {
		defer ended.Store(true)
		for i := range int64(500_000) {
			p.set(i%2<<30, 1<<30)
		}
	}()
	for !ended.Load() {
		row := Status{State: Running}
		if p.fill(&row, time.Now().Add(time.Second)); row.Rate != 0 {
			t.Fatalf("%.0f bytes a second, not 0, with %d bytes done", row.Rate, row.Done)
		}
	}
}

// cleanupCounter is a task that counts its cleanups.
type cleanupCounter struct{ dropped *int }

func (l cleanupCounter) run(ctx context.Context, _ *Manager, _ *progress) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func (l cleanupCounter) cleanUp() {
	time.Sleep(time.Millisecond)
	*l.dropped++
}

// Cancelling many transfers cleans up after one at a time.
func TestManager_CancelAll_cleansUpOneByOne(t *testing.T) {
	runInBubble(t, func(r *rig) {
		const n = 10_000
		dropped := 0
		for range n {
			r.m.add(Status{Kind: Download}, cleanupCounter{&dropped}, "")
		}
		synctest.Wait()
		before := runtime.NumGoroutine()
		r.m.CancelAll()
		if more := runtime.NumGoroutine() - before; more > 10 {
			t.Errorf("%d more goroutines", more)
		}
		r.m.Wait()
		if dropped != n || r.m.UnfinishedCount() != 0 {
			t.Errorf("%d of %d are cleared away, %d are unfinished", dropped, n, r.m.UnfinishedCount())
		}
	})
}

// blockingTransport never answers.
type blockingTransport struct{}

func (blockingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c, err := client.New(
				"https://api.example.test/v4", client.NewSecret(token), client.WithTransport(blockingTransport{}),
			)
			if err != nil {
				b.Fatal(err)
			}
			ctx, end := context.WithCancel(b.Context())
			m := New(ctx, c)
			defer m.Wait()
			defer end()
			for range n {
				m.Delete(consentToAll(b, c, client.OpDeleteObject), cluster, bucket, []string{"o"})
			}
			b.ReportAllocs()
			for b.Loop() {
				m.Snapshot()
			}
		})
	}
}
