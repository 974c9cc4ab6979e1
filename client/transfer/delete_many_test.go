package transfer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/client/objectnames"
)

// manyObjects is the number of objects of a large deletion.
func manyObjects() int {
	if os.Getenv("LOOKOUT_LONG") != "" {
		return 100_000
	}
	return 2000
}

// onJournal runs a test in a bubble with a journal in a file.
func onJournal(t *testing.T, test func(r *rig, path string, notes *journal.Journal)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal")
	notes, err := journal.Open(path, "a", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer notes.Close()
	runInBubble(t, func(r *rig) { test(r, path, notes) }, client.WithRecorder(notes))
}

// deletions returns the entries of deletions of many objects, oldest first.
func deletions(t *testing.T, path string) (found []journal.Entry) {
	t.Helper()
	j, err := journal.Open(path, "a", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, e := range j.Entries(time.Time{}) {
		if client.DeletesMany(e.Change.Op) {
			found = append(found, e)
		}
	}
	return found
}

// sizeOf returns the bytes of a journal and of its older parts.
func sizeOf(t *testing.T, path string) (n int64) {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			n += info.Size()
		}
	}
	return n
}

// A deletion of many objects is one entry of the journal, which takes few bytes for each object. It runs no faster than
// the API allows, and no object is deleted twice.
func TestDelete_manyObjectsAreOneEntry(t *testing.T) {
	onJournal(t, func(r *rig, path string, notes *journal.Journal) {
		n := manyObjects()
		names := r.storeNumbered("logs/2026/11/", n)
		before, begun := sizeOf(t, path), time.Now()
		row := r.waitEnded(r.deleteObjects(names...))
		took := time.Since(begun)
		if row.State != Done || row.Done != int64(n) || r.deletedCount() != n || r.transport.count("DELETE") != n {
			t.Fatalf("%s, %d of %d, %d deleted: %v", row.State, row.Done, n, r.deletedCount(), row.Err)
		}
		if rate := float64(n) / took.Seconds(); rate > 760 || rate < 600 {
			t.Errorf("%.0f deletions a second", rate)
		}
		if _, err := notes.CatchUp(); err != nil {
			t.Error(err)
		}
		all := deletions(t, path)
		if len(all) != 1 || all[0].Outcome != client.Applied || all[0].Gone != n || all[0].Change.Objects != n {
			t.Errorf("%d entries: %+v", len(all), all)
		}
		if lines := notes.UnreadableLines(); lines != 0 {
			t.Errorf("%d lines cannot be read", lines)
		}
		bytes := sizeOf(t, path) - before
		t.Logf("%d objects: %d bytes in the journal", n, bytes)
		if bytes/int64(n) > 20 {
			t.Errorf("%d bytes for %d objects", bytes, n)
		}
	})
}

// storeNumbered stores n objects, without requests.
func (r *rig) storeNumbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%06d", prefix, i)
		emulator.StoreObject(r.e, cluster, bucket, names[i], "x")
	}
	return names
}

// at calls a function once when the n-th DELETE is about to be sent; hang makes all later ones wait for their contexts.
func (r *rig) at(n int64, do func(), hang bool) {
	var sent atomic.Int64
	r.transport.mu.Lock()
	defer r.transport.mu.Unlock()
	r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		now := sent.Add(1)
		if now == n {
			do()
		}
		if hang && now >= n {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}
		return next.RoundTrip(req)
	}
}

// A cancel stops within a second, even if the storage does not answer, and says exactly what is gone.
func TestDelete_cancelStopsWithinASecond(t *testing.T) {
	for _, kind := range []Kind{Delete, Empty} {
		t.Run(kind.String(), func(t *testing.T) {
			onJournal(t, func(r *rig, path string, _ *journal.Journal) {
				const n = 1000
				names := r.storeNumbered("o", n)
				cancelled := make(chan time.Time, 1)
				var id ID
				r.at(400, func() { cancelled <- time.Now(); go r.m.Cancel(id) }, true)
				if kind == Delete {
					id = r.deleteObjects(names...)
				} else {
					id = r.emptyBucket("")
				}
				row := r.waitEnded(id)
				gone := r.deletedCount()
				if took := time.Since(<-cancelled); took > time.Second {
					t.Errorf("stopped after %v", took)
				}
				if row.State != Cancelled || row.Done != int64(gone) || gone != 399 ||
					!strings.HasPrefix(
						row.Note,
						"399 objects are gone, ",
					) || !strings.Contains(row.Note, " may be gone, ") {
					t.Errorf("%s, %d done, %d gone: %q, %v", row.State, row.Done, gone, row.Note, row.Err)
				}
				all := deletions(t, path)
				if len(all) != 1 || all[0].Outcome != client.Unknown || all[0].Gone != gone ||
					all[0].Deletion.UnknownCount() == 0 || all[0].Deletion.UnknownCount() > maxConcurrentDeletes {
					t.Errorf("%+v", all)
				}
			})
		})
	}
}

// cancelledTask is a task that gets to run only after it was cancelled.
type cancelledTask struct{ task }

func (l cancelledTask) run(ctx context.Context, m *Manager, p *progress) error {
	<-ctx.Done()
	return l.task.run(ctx, m, p)
}

// Nothing is deleted after a cancel that came before the first request.
func TestDelete_cancelledBeforeTheFirstRequest(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.storeNumbered("o", 1)
		names := objectnames.NewSortedNamesBuilder(client.BucketID(cluster, bucket))
		names.Add(objectnames.ObjectEntry{Name: "o000000", Size: -1})
		list, consent := names.List(), r.consent(client.OpDeleteObject)
		for range 20 {
			id := r.m.add(
				Status{Kind: Delete, Total: 1},
				cancelledTask{&deleteTask{consent: consent, cluster: cluster, bucket: bucket, list: list}},
				"",
			)
			r.m.Cancel(id)
			if row := r.waitEnded(id); row.State != Cancelled || row.Done != 0 {
				t.Errorf("%s, %d of 1 done: %v", row.State, row.Done, row.Err)
			}
		}
		if sent, gone := r.transport.count("DELETE"), r.deletedCount(); sent != 0 || gone != 0 {
			t.Errorf("%d requests were sent and %d objects are gone, not 0", sent, gone)
		}
	})
}

// A pause stops within a second too. What was not sent is sent after the pause, and what may have been deleted is not.
func TestDelete_pauseAndResume(t *testing.T) {
	onJournal(t, func(r *rig, path string, _ *journal.Journal) {
		const n = 1000
		names := r.storeNumbered("o", n)
		var id ID
		r.at(400, func() { go r.m.Pause(id) }, false)
		id = r.deleteObjects(names...)
		row := r.waitFor(id, Paused)
		if gone := r.deletedCount(); row.Done != int64(gone) || gone < 400 || gone > 400+maxConcurrentDeletes {
			t.Errorf("%d done, %d gone", row.Done, gone)
		}
		r.at(100, func() { go r.m.Pause(id) }, true)
		r.m.Resume(id)
		r.waitFor(id, Paused)
		r.transport.onObject = nil
		r.m.Resume(id)
		row = r.waitEnded(id)
		var left *UndeletedError
		missing := n - r.deletedCount()
		if !errors.As(row.Err, &left) || left.Missing != missing || left.Count != missing || missing == 0 {
			t.Errorf("%s, %v, %d left", row.State, row.Err, missing)
		}
		if sent := r.transport.count("DELETE"); sent != n {
			t.Errorf("%d objects: %d requests", n, sent)
		}
		r.m.Retry(id)
		if row = r.waitEnded(id); row.State != Done || r.deletedCount() != n || row.Done != n {
			t.Errorf("after a retry: %s, %v", row.State, row.Err)
		}
	})
}

// After a kill the journal says what is gone, what is not known, and what was not deleted. What it calls gone is gone,
// and what it calls not deleted is there.
func TestDelete_journalAfterKill(t *testing.T) {
	onJournal(t, func(r *rig, path string, _ *journal.Journal) {
		const n = 2000
		names := r.storeNumbered("o", n)
		copied := path + ".killed"
		r.at(1100, func() {
			data, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(copied, data, 0o600)
			}
			if err != nil {
				t.Error(err)
			}
		}, false)
		r.waitEnded(r.deleteObjects(names...))
		all := deletions(t, copied)
		if len(all) != 1 || all[0].Outcome != client.Pending || all[0].Deletion == nil {
			t.Fatalf("%+v", all)
		}
		e, unknown := all[0], map[string]bool{}
		for _, batch := range e.Deletion.Open {
			some, err := objectnames.Decode(batch.Names)
			if err != nil || len(some) != batch.UnknownCount() {
				t.Fatalf("%d of %d names: %v", len(some), batch.UnknownCount(), err)
			}
			for _, name := range some {
				unknown[name] = true
			}
		}
		// the names are sent in their order: every one before the last that was sent is gone or not known
		for i, name := range names {
			switch {
			case i < e.Gone:
				if unknown[name] {
					t.Fatalf("%s is gone and not known", name)
				}
			case i < e.Gone+len(unknown) && !unknown[name]:
				t.Fatalf("%s is neither gone nor not known", name)
			}
		}
		want := fmt.Sprintf(
			"%s of %s gone, %d may be gone, %d not deleted",
			comma(e.Gone),
			comma(n),
			len(unknown),
			n-e.Gone-len(unknown),
		)
		if e.OutcomeDetail != want || e.Gone < 1000-2*batchNames || len(unknown) > 3*batchNames ||
			e.Gone+len(unknown) < 1099 {
			t.Errorf("%q, not %q", e.OutcomeDetail, want)
		}
	})
}

// A batchRecorder refuses the parts from a number on.
type batchRecorder struct {
	*journal.Journal
	from  int
	ended bool // only the ends
}

func (p *batchRecorder) RecordBatch(id string, batch client.BatchRecord) error {
	if batch.Number >= p.from && batch.Ended == p.ended {
		return errors.New("no space left on device")
	}
	return p.Journal.RecordBatch(id, batch)
}

// Names that the journal does not take are not sent, and nothing more is sent after an end that it does not take.
func TestDelete_stopsWithoutJournal(t *testing.T) {
	for _, ended := range []bool{false, true} {
		t.Run(fmt.Sprint(ended), func(t *testing.T) {
			notes := &batchRecorder{journal.NewInMemory(time.Now), 3, ended}
			runInBubble(t, func(r *rig) {
				names := r.storeNumbered("o", 3000)
				row := r.waitEnded(r.deleteObjects(names...))
				most := 2 * batchNames
				if ended {
					most += 3 * batchNames
				}
				if row.State != Failed || !strings.Contains(row.Err.Error(), "no space left") ||
					r.deletedCount() != int(row.Done) || r.deletedCount() < 2*batchNames || r.deletedCount() > most {
					t.Errorf("%s, %d deleted: %v", row.State, r.deletedCount(), row.Err)
				}
			}, client.WithRecorder(notes))
		})
	}
}
