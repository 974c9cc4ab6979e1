package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/faulttest"
	"lookout/client/window"
)

// A service that was disabled again has been disabled since the first time, after a compaction too.
func TestJournal_compact_keepsSinceOfFirstDisable(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "a.journal"), testTime()
	j := openSmall(t, path, func() time.Time { return now })
	recordApplied(t, j, disableChange("7", "x"))
	now = now.Add(time.Minute)
	again := disableChange("7", "x")
	again.Replaces = []string{j.Windows()[0].ID}
	recordApplied(t, j, again)
	for range 40 {
		recordChange(t, j, client.OpEnableService, "1")
	}
	next := openSmall(t, path, func() time.Time { return now })
	if len(next.segments) == 0 {
		t.Fatal("not compacted")
	}
	for name, j := range map[string]*Journal{"this run": j, "the next run": next} {
		if w, held := j.ActiveWindow("7"); !held || !w.Since.Equal(testTime()) {
			t.Errorf("%s: %t, %+v", name, held, w)
		}
	}
}

// A service that was disabled counts as such also if that is known only after a compaction.
func TestJournal_compact_beforeTheOutcomeIsKnown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.journal")
	j := openSmall(t, path, testTime)
	id, err := j.RecordIntent(t.Context(), disableChange("7", "x"))
	if err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(id, client.Unknown, errCut)
	for range 40 {
		recordChange(t, j, client.OpEnableService, "1")
	}
	again := openSmall(t, path, testTime)
	if len(again.segments) == 0 {
		t.Fatal("not compacted")
	}
	again.RecordOutcome(id, client.Applied, nil)
	if w, held := again.ActiveWindow("7"); !held || w.ID != id {
		t.Errorf("%t, %+v", held, w)
	}
}

// The changes since a time include those of older parts of the journal, and no earlier ones.
func TestJournal_Entries_since(t *testing.T) {
	now := testTime()
	j := openSmall(t, filepath.Join(t.TempDir(), "a.journal"), func() time.Time { return now })
	for n := range 60 {
		recordChange(t, j, client.OpEnableService, fmt.Sprint(n))
		now = now.Add(time.Minute)
	}
	if len(j.segments) < 3 {
		t.Fatalf("%d segments", len(j.segments))
	}
	for _, n := range []int{0, 1, 20, 40, 59} {
		all := j.Entries(testTime().Add(time.Duration(n) * time.Minute))
		if len(all) != 60-n || all[0].Change.ID != fmt.Sprint(n) {
			t.Errorf("since change %d: %d changes", n, len(all))
		}
	}
}

// openSmall opens a journal whose segments hold a few changes.
func openSmall(t testing.TB, path string, now func() time.Time) *Journal {
	t.Helper()
	j, err := openWithSegments(path, "a", now, 2000)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// summary is what a journal says about its changes, comparable across journals: ids are replaced by labels.
func summary(j *Journal) []string {
	var all []string
	for _, e := range j.Entries(time.Time{}) {
		all = append(
			all,
			fmt.Sprint(e.Change.Op, " ", e.Change.ID, " ", e.Change.Label, " ", e.Outcome, " ", e.OutcomeDetail),
		)
	}
	for _, w := range j.Windows() {
		w.ID, w.By = "", "" // each journal has its own
		all = append(all, fmt.Sprintf("window %+v", w))
	}
	for _, e := range j.Unfinished(client.OpEmptyBucket) {
		all = append(all, "unfinished "+e.Change.Label)
	}
	for _, e := range j.UnresolvedEntries(time.Time{}) {
		all = append(all, "unresolved "+e.Change.Label)
	}
	return append(all, fmt.Sprint(j.Len(), " changes"))
}

// A randomWriter makes changes in several journals at once.
type randomWriter struct {
	rand  *rand.Rand
	now   time.Time
	made  int
	begun map[*Journal][]string
	plans map[*Journal][]string
}

func newRandomWriter(seed uint64) *randomWriter {
	return &randomWriter{
		rand:  rand.New(rand.NewPCG(seed, 1)),
		now:   testTime(),
		begun: map[*Journal][]string{},
		plans: map[*Journal][]string{},
	}
}

// step makes the same random change or outcome in each journal.
func (w *randomWriter) step(t *testing.T, journals ...*Journal) {
	t.Helper()
	w.now = w.now.Add(time.Second)
	open, plans := w.begun[journals[0]], w.plans[journals[0]]
	if service := fmt.Sprint(w.rand.IntN(4)); w.rand.IntN(10) == 0 {
		for _, j := range journals {
			if d, held := j.ActiveWindow(service); held {
				_ = endWindow(j, d.ID)
			}
		}
		return
	}
	if len(open) == 0 || w.rand.IntN(3) > 0 {
		w.made++
		ops := []string{
			client.OpDisableService, client.OpEnableService, client.OpDeleteService, client.OpEmptyBucket,
			client.OpPlanMaintenance, client.OpCancelMaintenance, client.OpDisableService,
			client.OpChangeMaintenance, client.OpChangeMaintenance,
		}
		c := disableChange(fmt.Sprint(w.rand.IntN(4)), fmt.Sprint("n", w.made))
		c.Op = ops[w.rand.IntN(len(ops))]
		if c.Op == client.OpEmptyBucket {
			c.Resource, c.Path = "bucket", "/"+c.ID
		}
		c.StartAt = w.now.Add(time.Duration(w.made%7-3) * time.Second)
		c.RevertAt = c.StartAt.Add(time.Duration(w.rand.IntN(60)) * time.Second)
		plan, replaced, refusals := w.rand.IntN(len(plans)+1), w.rand.IntN(10*len(plans)+1), 0
		for n, j := range journals {
			if c.Scheduled = ""; plan < len(plans) && c.Op != client.OpPlanMaintenance {
				c.Scheduled = w.plans[j][plan]
				if window, known := j.Window(c.Scheduled); known {
					c.ID = window.Service
				}
			}
			if c.Replaces = nil; replaced < len(plans) {
				c.Replaces = []string{w.plans[j][replaced]}
			}
			id, err := j.RecordIntent(t.Context(), c)
			overlaps := (*window.OverlapError)(nil)
			refused := errors.Is(err, ErrSuperseded) || errors.Is(err, ErrTaken) || errors.As(err, &overlaps)
			switch {
			case refused != (refusals > 0) && n > 0 || err != nil && !refused:
				t.Fatalf("journal %d: %v", n, err)
			case refused:
				refusals++
				continue
			}
			if c.Op == client.OpPlanMaintenance {
				w.plans[j] = append(w.plans[j], id)
			}
			w.begun[j] = append(w.begun[j], id)
		}
		return
	}
	i := w.rand.IntN(len(open))
	outcome := []client.Outcome{client.Applied, client.Rejected, client.Unknown}[w.rand.IntN(3)]
	answered := outcome == client.Applied && w.rand.IntN(2) == 0
	for _, j := range journals {
		if answered {
			s := &client.Service{}
			_ = s.Updated.UnmarshalJSON([]byte(w.now.UTC().Format(`"2006-01-02T15:04:05"`)))
			j.RecordService(w.begun[j][i], s)
		} else {
			j.RecordOutcome(w.begun[j][i], outcome, errors.New(string(outcome)))
		}
		if outcome != client.Unknown {
			w.begun[j] = slices.Delete(w.begun[j], i, i+1)
		}
	}
}

// Compacting changes nothing that a journal says: neither to the process that does it, nor to the next one.
func TestJournal_compact_saysTheSame(t *testing.T) {
	for seed := range uint64(5) {
		now := testTime()
		clock := func() time.Time { return now }
		path := filepath.Join(t.TempDir(), "j")
		whole, small := openJournalAt(t, filepath.Join(t.TempDir(), "whole"), clock), openSmall(t, path, clock)
		w := newRandomWriter(seed)
		for range 120 {
			w.step(t, whole, small)
			now = w.now
		}
		small.segmentBytes = 1 // with the next change
		w.step(t, whole, small)
		if small.path != path {
			t.Errorf("the journal is at %s", small.path)
		}
		if len(small.segments) < 4 || len(small.entries) > 80 {
			t.Fatalf("%d segments, %d changes held", len(small.segments), len(small.entries))
		}
		compareSummaries(t, fmt.Sprint("seed ", seed), whole, small)
		wholeAgain, smallAgain := openJournalAt(t, whole.path, clock), openSmall(t, path, clock)
		compareSummaries(t, fmt.Sprint("the next run, seed ", seed), wholeAgain, smallAgain)
	}
}

func openJournalAt(t *testing.T, path string, now func() time.Time) *Journal {
	t.Helper()
	j, err := Open(path, "a", now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func compareSummaries(t *testing.T, what string, want, got *Journal) {
	t.Helper()
	a, b := summary(want), summary(got)
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Fatalf("%s: line %d of %d and %d differs\nwant %q\ngot  %q", what, i, len(a), len(b), at(a, i), at(b, i))
		}
	}
}

func at(all []string, i int) string {
	if i < len(all) {
		return all[i]
	}
	return "(none)"
}

// The format of released journals is read: a large file becomes a file of segments as it is.
func TestOpen_compactsAReleasedJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	data, _ := writeJournal(t, path)
	j, err := openWithSegments(path, "a", testTime, 500)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	before := summary(openJournal(t, copyFile(t, path+".000001")))
	got := summary(j)
	slices.Sort(before) // the changes have the same time
	slices.Sort(got)
	if !reflect.DeepEqual(got, before) {
		t.Errorf("%q, not %q", got, before)
	}
	kept, err := os.ReadFile(path + ".000001")
	if err != nil || !bytes.Equal(kept, data) {
		t.Errorf("the file of segments differs: %v", err)
	}
}

func copyFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// Wherever a compaction is interrupted, the next run knows every change once, and goes on compacting.
func TestJournal_compact_interrupted(t *testing.T) {
	for name, interrupt := range map[string]func(*Journal) error{
		"while the next file is written": func(j *Journal) error {
			return os.WriteFile(j.path+".next", []byte(`{"segments":[{"file":1`), 0o600)
		},
		"before the second name": func(j *Journal) error {
			next, _, err := writeNext(j.path+".next", j.header())
			return errors.Join(err, next.Close())
		},
		"after the second name": func(j *Journal) error {
			next, _, err := writeNext(j.path+".next", j.header())
			return errors.Join(err, next.Close(), os.Link(j.path, segmentPath(j.path, j.lastFile+1)))
		},
	} {
		faulttest.RunCase(t, "C1", "compaction, "+name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			w := newRandomWriter(1)
			j := openSmall(t, path, func() time.Time { return w.now })
			for range 40 {
				w.step(t, j)
			}
			want := summary(openJournal(t, path))
			if err := interrupt(j); err != nil {
				t.Fatal(err)
			}
			j.Close()
			next, err := openWithSegments(path, "a", testTime, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer next.Close()
			if got := summary(next); !reflect.DeepEqual(got, want) || next.cannotCompact {
				t.Errorf("%v: %q, not %q", next.cannotCompact, got, want)
			}
		})
	}
}

// Programs that are killed while others write and compact the same journal lose no change and repeat none.
func TestJournal_compact_afterKill(t *testing.T) {
	for round := range 3 {
		faulttest.RunCase(t, "C1", fmt.Sprint("killed while compacting, round ", round+1), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			sent := make(chan []string, 3)
			for i := range 3 {
				program := exec.Command(os.Args[0])
				program.Env = append(
					os.Environ(), "LOOKOUT_JOURNAL_CHILD="+path, "LOOKOUT_JOURNAL_SEGMENT=3000",
				)
				out, err := program.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := program.Start(); err != nil {
					t.Fatal(err)
				}
				go func() {
					var ids []string
					for lines := bufio.NewScanner(out); lines.Scan(); {
						if ids = append(ids, lines.Text()); len(ids) == 60+20*i+round {
							_ = program.Process.Kill()
						}
					}
					_ = program.Wait()
					sent <- ids
				}()
			}
			want := append(append(<-sent, <-sent...), <-sent...)
			j := openSmall(t, path, testTime)
			times, unsure := map[string]int{}, 0
			for _, e := range j.Entries(time.Time{}) {
				if times[e.ID]++; e.Outcome == client.Pending {
					unsure++
				}
			}
			for _, id := range want {
				if times[id] != 1 {
					t.Errorf("change %s is there %d times", id, times[id])
				}
			}
			if unsure > 3 || len(times) > len(want)+3 || j.Len() != len(times) || len(j.segments) < 5 {
				t.Errorf(
					"%d sent, %d known, %d counted, %d unsure, %d segments", len(want), len(times), j.Len(), unsure,
					len(j.segments),
				)
			}
			if j.UnreadableLines() > 3 {
				t.Errorf("%d lines are torn", j.UnreadableLines())
			}
		})
	}
}

// A release that does not compact goes on writing to the file that it has open. Nothing of that is lost.
func TestJournal_compact_besideAnOlderRelease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := openSmall(t, path, testTime)
	older, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer older.Close()
	write := func(l record) {
		data, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := older.Write(append(data, '\n')); err != nil {
			t.Fatal(err)
		}
	}
	begin := func(id, service string) {
		write(record{Intent: &Entry{ID: id, Time: testTime(), Change: disableChange(service, "older")}})
	}
	begin("older-1", "71")
	for n := range 12 {
		recordChange(t, j, client.OpEnableService, fmt.Sprint(n))
	}
	if j.lastFile == 0 {
		t.Fatal("it was not compacted")
	}
	write(record{ID: "older-1", Outcome: client.Applied})
	begin("older-2", "72")
	write(record{ID: "older-2", Outcome: client.Applied})
	check := func(what string, j *Journal) {
		for _, id := range []string{"71", "72"} {
			if _, held := j.ActiveWindow(id); !held {
				t.Errorf("%s: service %s is not known to be disabled", what, id)
			}
		}
		applied := 0
		for _, e := range j.Entries(time.Time{}) {
			if strings.HasPrefix(e.ID, "older-") && e.Outcome == client.Applied {
				applied++
			}
		}
		if applied != 2 {
			t.Errorf("%s: %d of its changes are known as applied", what, applied)
		}
	}
	checkCatchUp(t, j, true)
	check("this run", j)
	check("the next run", openSmall(t, path, testTime))
	for n := range 12 {
		recordChange(t, j, client.OpEnableService, fmt.Sprint(n))
	}
	check("after another compaction", openSmall(t, path, testTime))
}

// A process notices that another one has compacted the journal: it reads the new file, and writes to it.
func TestJournal_CatchUp_compactedByAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	ours, theirs := openJournal(t, path), openSmall(t, path, testTime)
	pending, err := ours.RecordIntent(t.Context(), disableChange("7", "ours"))
	if err != nil {
		t.Fatal(err)
	}
	for n := range 12 {
		recordChange(t, theirs, client.OpEnableService, fmt.Sprint(n))
	}
	if theirs.lastFile == 0 {
		t.Fatal("it was not compacted")
	}
	checkCatchUp(t, ours, true)
	checkCatchUp(t, ours, false)
	ours.RecordOutcome(pending, client.Applied, nil)
	recordChange(t, ours, client.OpDisableService, "8")
	checkCatchUp(t, theirs, true)
	for _, j := range []*Journal{ours, theirs, openJournal(t, path)} {
		if all := j.Entries(time.Time{}); len(all) != 14 || len(j.ActiveWindows()) != 2 || j.Len() != 14 {
			t.Errorf("%d changes, %d counted, disabled %v", len(all), j.Len(), j.ActiveWindows())
		}
	}
	if e, found := ours.Entry(pending); !found || e.Outcome != client.Applied || !ours.FromThisRun(e) {
		t.Errorf("%+v, %v", e, found)
	}
}

// The history is read a page at a time, and a file that is missing is reported instead of left out silently.
func TestJournal_History(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := openSmall(t, path, testTime)
	for n := range 60 {
		recordChange(t, j, client.OpEnableService, fmt.Sprint(n))
	}
	h, next := j.History(), 59
	for n := 0; ; n++ {
		page, more, err := h.Page(n)
		if err != nil || len(page) > 20 {
			t.Fatalf("page %d: %d changes, %v", n, len(page), err)
		}
		for _, e := range page {
			if e.Change.ID != fmt.Sprint(next) {
				t.Fatalf("change %s, not %d", e.Change.ID, next)
			}
			next--
		}
		if !more {
			break
		}
	}
	if _, _, err := h.Page(0); next != -1 || !errors.Is(err, ErrPageOrder) {
		t.Errorf("the last is %d, %v", next, err)
	}
	if err := os.Remove(segmentPath(j.path, 1)); err != nil {
		t.Fatal(err)
	}
	if all := j.Entries(time.Time{}); len(all) >= 60 || len(all) < 40 || j.Problem() == nil ||
		!strings.Contains(j.Problem().Error(), "older changes could not be read") {
		t.Errorf("%d changes, %v", len(all), j.Problem())
	}
}

// What a frame asks does not wait for the disk.
func TestJournal_readsDoNotWaitForTheDisk(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "j"))
	disk := &stuckFile{File: j.file.(*os.File), synced: make(chan struct{}), release: make(chan struct{})}
	j.file = disk
	done := make(chan struct{})
	go func() {
		_, _ = j.RecordIntent(t.Context(), disableChange("1", "x"))
		close(done)
	}()
	select {
	case <-disk.synced:
	case <-done:
		t.Fatal("an intent was not synced")
	}
	_ = []any{j.Version(), j.UnresolvedEntries(time.Time{}), j.ActiveWindows(), j.Len(), j.UnreadableLines()}
	_, _, _ = j.History().Page(0)
	close(disk.release)
	<-done
}

// The same holds while a compaction writes the next file.
func TestJournal_compact_readsDoNotWaitForTheDisk(t *testing.T) {
	j := openSmall(t, filepath.Join(t.TempDir(), "j"), testTime)
	probe := &lockProbe{j: j}
	id, err := j.RecordIntent(t.Context(), disableChange("7", "x"))
	if err != nil {
		t.Fatal(err)
	}
	j.byID[id].Change.Before = probe
	before := probe.written
	for range 12 {
		recordChange(t, j, client.OpEnableService, "1")
	}
	if j.lastFile == 0 || probe.written == before {
		t.Fatal("the change was not copied into a new file")
	}
	if probe.waits != 0 {
		t.Error("reads have to wait while the next file is written")
	}
}

// A lockProbe is a value of a change that learns, whenever it is written, whether reads have to wait.
type lockProbe struct {
	j              *Journal
	written, waits int
}

// MarshalJSON returns a value for the file.
func (p *lockProbe) MarshalJSON() ([]byte, error) {
	p.written++
	if p.j.mu.TryLock() {
		p.j.mu.Unlock()
	} else {
		p.waits++
	}
	return []byte("1"), nil
}

// A stuckFile is on a disk that does not answer.
type stuckFile struct {
	*os.File
	synced, release chan struct{}
}

func (s *stuckFile) Sync() error {
	close(s.synced)
	<-s.release
	return nil
}

var _ io.ReaderAt = (*stuckFile)(nil)

// An outcome that becomes known when the change is no longer held in memory is shown all the same.
func TestJournal_RecordOutcome_ofAnOldChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := openSmall(t, path, testTime)
	old := recordApplied(t, j, disableChange("1", "old"))
	recordChange(t, j, client.OpEnableService, "1")
	for n := range 30 {
		recordChange(t, j, client.OpEnableService, fmt.Sprint(n))
	}
	if j.byID[old] != nil {
		t.Fatal("it is still held")
	}
	version := j.Version()
	j.RecordOutcome(old, client.Rejected, errors.New("looked up"))
	if j.Version() == version {
		t.Error("nothing has changed")
	}
	for n := range 30 {
		recordChange(t, j, client.OpEnableService, fmt.Sprint(n))
	}
	for _, j := range []*Journal{j, openSmall(t, path, testTime)} {
		if e, found := j.Entry(old); !found || e.Outcome != client.Rejected || e.OutcomeDetail != "looked up" ||
			j.UnreadableLines() != 0 {
			t.Errorf("%+v, %v", e, found)
		}
	}
}

// A journal is not compacted if the name for its older part is taken by another file: neither is lost.
func TestJournal_compact_nameIsTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	taken := segmentPath(path, 1)
	if err := os.WriteFile(taken, []byte("somebody's\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	j := openSmall(t, path, testTime)
	for n := range 12 {
		recordChange(t, j, client.OpEnableService, fmt.Sprint(n))
	}
	for _, j := range []*Journal{j, openJournal(t, path)} {
		if all := j.Entries(time.Time{}); len(all) != 12 || j.lastFile != 0 {
			t.Errorf("%d changes, %d older files", len(all), j.lastFile)
		}
	}
	if data, err := os.ReadFile(taken); string(data) != "somebody's\n" {
		t.Errorf("the other file holds %q, %v", data, err)
	}
	if _, err := os.Lstat(path + ".next"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the next file is left behind: %v", err)
	}
}

// A journal is not compacted if that made a line longer than what is read: the change would be forgotten.
func TestJournal_compact_longestLine(t *testing.T) {
	for shorter, compacts := range map[int]bool{0: false, len(`,"kept":true`) - 1: false, len(`,"kept":true`): true} {
		path := filepath.Join(t.TempDir(), "j")
		j := openSmall(t, path, testTime)
		recordLine(t, j, maxLineBytes-shorter)
		recordChange(t, j, client.OpDisableService, "8")
		again := openJournal(t, path)
		if again.Len() != 2 || len(again.Entries(time.Time{})) != 2 || again.UnreadableLines() != 0 {
			t.Errorf("%d bytes shorter: of 2 changes, %d are read; %d lines are not",
				shorter, again.Len(), again.UnreadableLines())
		}
		if compacted := j.lastFile > 0; compacted != compacts {
			t.Errorf("%d bytes shorter: compacted %t", shorter, compacted)
		}
	}
}

// After a month, memory lets go of changes without an outcome, but for the last emptying of each bucket: it can be
// resumed.
func TestJournal_compact_holdsWhatCanBeResumed(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "j"), testTime()
	clock := func() time.Time { return now }
	earlier := openJournalAt(t, path, clock)
	held := map[string]bool{}
	for _, c := range []struct {
		op, path string
		held     bool
	}{
		{client.OpEmptyBucket, "/a", false},
		{client.OpUpdateService, "/s", false},
		{client.OpEmptyBucket, "/b", true},
		{client.OpEmptyBucket, "/a", true},
	} {
		intent, err := earlier.RecordIntent(t.Context(), client.Change{Op: c.op, Path: c.path})
		if err != nil {
			t.Fatal(err)
		}
		held[intent] = c.held
	}
	for days, gone := range map[time.Duration]bool{29: false, 30: true} {
		now = testTime().Add(days * 24 * time.Hour)
		j := openSmall(t, copyFile(t, path), clock)
		for n := range 12 {
			recordChange(t, j, client.OpEnableService, fmt.Sprint(n))
		}
		for intent, want := range held {
			if e := j.byID[intent]; (e != nil) != (want || !gone) {
				t.Errorf("after %d days: %+v", days, e)
			}
		}
		if resumed := j.Unfinished(client.OpEmptyBucket); len(resumed) != 2 {
			t.Errorf("after %d days: %+v", days, resumed)
		}
	}
}

// A journal whose older part is there but cannot be read is refused: a change might be missing.
func TestOpen_unreadableSegments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.journal")
	err := errors.Join(
		os.WriteFile(path, []byte(`{"segments":[{"file":1,"from":0,"size":1,"entries":0}]}`+"\n"), 0o600),
		os.Mkdir(segmentPath(path, 1), 0o700),
	)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(segmentPath(path, 1)); err != nil || info.Size() < 2 {
		t.Skip("a folder has no size here")
	}
	if _, err := Open(path, "acme", time.Now); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("%v", err)
	}
}

// A damaged list of segments costs the changes that it names, and nothing else.
func TestOpen_damagedSegments(t *testing.T) {
	for _, segments := range []string{
		`[]`,
		`[{"file":1,"from":0,"size":-5,"entries":3}]`,
		`[{"file":1,"from":0,"size":5,"entries":-3}]`,
		`[{"file":1,"from":-7,"size":5,"entries":3}]`,
		`[{"file":1,"from":9223372036854775807,"size":5,"entries":3}]`,
		`[{"file":1,"from":0,"size":9223372036854775807,"entries":3}]`,
		`[{"file":1,"from":0,"size":5,"entries":9223372036854775807}]`,
		`[{"file":-1,"from":0,"size":5,"entries":3}]`,
		`[{"file":9223372036854775807,"from":0,"size":5,"entries":3}]`,
	} {
		t.Run(segments, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.journal")
			if err := os.WriteFile(path, []byte(`{"segments":`+segments+"}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(segmentPath(path, 1), []byte("12345\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			j, err := Open(path, "acme", time.Now)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			id, err := j.RecordIntent(t.Context(), client.Change{Op: client.OpDisableService, ID: "7"})
			if err != nil {
				t.Fatal(err)
			}
			j.RecordOutcome(id, client.Applied, nil)
			if all := j.Entries(time.Time{}); len(all) != 1 || all[0].Outcome != client.Applied {
				t.Errorf("%+v", all)
			}
			if _, held := j.Entry("nobody's"); held || j.Problem() == nil && j.UnreadableLines() == 0 {
				t.Errorf("the damage is not reported: %v, %d lines", j.Problem(), j.UnreadableLines())
			}
		})
	}
}
