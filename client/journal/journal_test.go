package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/faulttest"
	"lookout/client/window"
)

func testTime() time.Time { return time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC) }

func disableChange(id, label string) client.Change {
	return client.Change{
		Op:       "disable service",
		Resource: "service",
		ID:       id,
		Label:    label,
		Reason:   "maintenance",
		RevertAt: testTime().Add(time.Hour),
	}
}

var errCut = errors.New("cut")

// Open reads the intents and outcomes of earlier runs, whatever other lines the file has.
func TestOpen_readsEarlierRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "a.journal")
	j, err := Open(path, "a", testTime)
	if err != nil {
		t.Fatal(err)
	}
	ends := []struct {
		outcome client.Outcome
		err     error
	}{{client.Applied, nil}, {client.Rejected, errors.New("no")}, {client.Unknown, errCut}}
	for i, end := range ends {
		id, err := j.RecordIntent(t.Context(), disableChange(string(rune('1'+i)), "x"))
		if err != nil {
			t.Fatal(err)
		}
		j.RecordOutcome(id, end.outcome, end.err)
	}
	if _, err := j.RecordIntent(t.Context(), disableChange("9", "x")); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.WriteString("garbage\n{\"intent\":{\"id\":\"to")
	file.Close()
	again, err := Open(path, "a", testTime)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	entries := again.Entries(time.Time{})
	if len(entries) != 4 || again.UnreadableLines() != 2 || entries[3].Outcome != client.Pending {
		t.Fatalf("%d entries, %d torn: %+v", len(entries), again.UnreadableLines(), entries)
	}
	for i, end := range ends {
		if entries[i].Outcome != end.outcome {
			t.Errorf("change %d is %s, not %s", i, entries[i].Outcome, end.outcome)
		}
	}
	if h, held := again.ActiveWindow("1"); !held || h.Reason != "maintenance" ||
		!h.End.Equal(testTime().Add(time.Hour)) ||
		len(again.ActiveWindows()) != 1 {
		t.Errorf("holds: %+v", again.ActiveWindows())
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A change is two lines of the file, and a later outcome is one more. The last one counts, however alike they are.
func TestJournal_RecordOutcome_later(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.journal")
	j := openJournal(t, path)
	id, err := j.RecordIntent(t.Context(), disableChange("7", "x"))
	if err != nil {
		t.Fatal(err)
	}
	details := []string{"not seen at 3:00", "Not seen at 3:00", "Not seen at 3:05"}
	for n, detail := range details {
		version := j.Version()
		j.RecordOutcome(id, client.Unknown, errors.New(detail))
		data, err := os.ReadFile(path)
		if lines := bytes.Count(data, []byte("\n")); err != nil || lines != 2+n {
			t.Errorf("%d lines, %v", lines, err)
		}
		for _, j := range []*Journal{j, openJournal(t, path)} {
			if e, _ := j.Entry(id); e.OutcomeDetail != detail {
				t.Errorf("%q, not %q", e.OutcomeDetail, detail)
			}
		}
		if j.Version() == version {
			t.Errorf("%q is nothing new", detail)
		}
	}
	j.RecordOutcome(id, client.Applied, nil)
	if err := endWindow(j, id); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(path); err != nil || bytes.Count(data, []byte("\n")) != 3+len(details) {
		t.Errorf("the end of the window is not one line of %q, %v", data, err)
	}
}

// The outcome of a deletion says how many objects are gone, even if the lines of its batches are damaged.
func TestJournal_RecordOutcome_goneWithoutBatches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.journal")
	j := openJournal(t, path)
	id, err := j.RecordIntent(t.Context(), client.Change{Op: client.OpDeleteObjects, ID: "us-east-1/b/", Objects: 5})
	if err != nil {
		t.Fatal(err)
	}
	batch := client.BatchRecord{Number: 1, Count: 5}
	err = j.RecordBatch(id, batch)
	batch.Ended, batch.Gone, batch.Left = true, 3, 2
	if err := errors.Join(err, j.RecordBatch(id, batch)); err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(id, client.Rejected, errCut)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.ReplaceAll(data, []byte(`"batch"`), []byte(`"bat`))
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	again := openJournal(t, path)
	if e, _ := again.Entry(id); e.Gone != 3 || again.UnreadableLines() != 2 {
		t.Errorf("%d gone, %d damaged lines", e.Gone, again.UnreadableLines())
	}
}

// A service that was enabled again is no longer among the disabled ones.
func TestJournal_ActiveWindows(t *testing.T) {
	j := NewInMemory(testTime)
	for _, op := range []string{"disable service", "enable service"} {
		c := disableChange("7", "x")
		c.Op = op
		id, err := j.RecordIntent(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		j.RecordOutcome(id, client.Applied, nil)
	}
	if len(j.ActiveWindows()) != 0 {
		t.Errorf("holds: %+v", j.ActiveWindows())
	}
}

// The next run finds unfinished changes until one of them is finished.
func TestJournal_Unfinished(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.journal")
	run := func(do func(*Journal)) []Entry {
		j, err := Open(path, "a", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		do(j)
		return j.Unfinished("empty bucket")
	}
	begin := func(j *Journal, path string) string {
		id, err := j.RecordIntent(t.Context(), client.Change{Op: "empty bucket", Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	own := run(func(j *Journal) {
		begin(j, "/open")
		j.RecordOutcome(begin(j, "/unknown"), client.Unknown, errCut)
		j.RecordOutcome(begin(j, "/given up"), client.Rejected, errors.New("cancelled"))
		j.RecordOutcome(begin(j, "/done"), client.Applied, nil)
		_, _ = j.RecordIntent(t.Context(), client.Change{Op: "delete bucket", Path: "/other"})
	})
	if len(own) != 0 {
		t.Errorf("a run finds its own: %+v", own)
	}
	if next := run(func(*Journal) {}); len(next) != 2 || next[0].Change.Path != "/open" ||
		next[1].Change.Path != "/unknown" {
		t.Errorf("the next run finds %+v", next)
	}
	if after := run(func(j *Journal) { j.RecordOutcome(begin(j, "/open"), client.Applied, nil) }); len(after) != 1 ||
		after[0].Change.Path != "/unknown" {
		t.Errorf("after one is done: %+v", after)
	}
}

// A service whose notes are larger than a line of the journal can still be disabled and deleted.
func TestJournal_RecordIntent_hugeValuesBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.journal")
	j := openJournal(t, path)
	c := disableChange("9", "x")
	c.Before = map[string]any{"status": "ok", "notes": strings.Repeat("x", 2<<20)}
	id, err := j.RecordIntent(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(id, client.Applied, nil)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	entries := openJournal(t, path).Entries(time.Time{})
	if len(entries) != 1 || entries[0].Outcome != client.Applied || entries[0].Change.Before != nil {
		t.Errorf("recorded: %+v", entries)
	}
}

// recordLine records a change whose line in an empty journal has a number of bytes.
func recordLine(t *testing.T, j *Journal, bytes int) {
	t.Helper()
	c := disableChange("9", "x")
	c.Before = ""
	e := Entry{ID: j.runID + "-1", Time: j.now(), Account: j.account, Change: c}
	line, err := encode(record{Intent: &e})
	if err != nil {
		t.Fatal(err)
	}
	c.Before = strings.Repeat("x", bytes-len(line))
	if _, err := j.RecordIntent(t.Context(), c); err != nil {
		t.Fatalf("a line of %d bytes: %v", bytes, err)
	}
}

// The longest line that can be read is written whole. Of a longer one, the values before the change are left out.
func TestJournal_RecordIntent_longestLine(t *testing.T) {
	for _, longer := range []int{0, 1} {
		path := filepath.Join(t.TempDir(), "a.journal")
		recordLine(t, openJournal(t, path), maxLineBytes+longer)
		again := openJournal(t, path)
		all := again.Entries(time.Time{})
		if len(all) != 1 || again.UnreadableLines() != 0 {
			t.Fatalf("%d changes are read, %d lines are not", len(all), again.UnreadableLines())
		}
		if whole := all[0].Change.Before != nil; whole != (longer == 0) {
			t.Errorf("%d bytes too many: the values before are there: %t", longer, whole)
		}
	}
}

// If the journal cannot be written, the change is not sent.
func TestJournal_RecordIntent_closed(t *testing.T) {
	j, err := Open(filepath.Join(t.TempDir(), "a.journal"), "a", testTime)
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	if _, err := j.RecordIntent(t.Context(), disableChange("1", "x")); err == nil {
		t.Error("an intent that was not written passes")
	}
}

// intentLines counts the lines that may hold an intent.
func intentLines(data []byte) (n int) {
	for line := range bytes.Lines(bytes.ToLower(data)) {
		if bytes.Contains(line, []byte("intent")) || bytes.Contains(line, []byte(`\u`)) {
			n++
		}
	}
	return n
}

// Damage causes no panic: the complete lines before it are read, finished changes are not reported as unfinished, and
// an outcome without an intent is no change.
func FuzzJournal(f *testing.F) {
	faulttest.ReportCase(f, "J9", "FuzzJournal")
	whole, ends := writeJournal(f, filepath.Join(f.TempDir(), "whole"))
	f.Add(0, []byte("x"))
	f.Add(len(whole), []byte("{\"intent\":{\"id\":\"1\"}}\n{\"id\":\"1\",\"outcome\":\"done\"}\nx"))
	f.Add(100, []byte("\n{\"id\":\"\",\"outcome\":\"sent\"}\n{\"intent\":{}}\n"))
	f.Add(len(whole), []byte("{\"id\":\"never begun\",\"outcome\":\"done\"}\n"))
	f.Fuzz(func(t *testing.T, at int, damage []byte) {
		at = max(0, min(at, len(whole)))
		j := NewInMemory(time.Now)
		damaged := append(append(bytes.Clone(whole[:at]), '\n'), damage...)
		if err := j.readAll(bytes.NewReader(damaged), func() func() { return func() {} }); err != nil {
			t.Fatal(err)
		}
		begun := bytes.Count(whole[:at], []byte(`{"intent"`))
		entries := j.Entries(time.Time{})
		if most := begun + intentLines(damage); len(entries) < begun-1 || len(entries) > most {
			t.Fatalf("%d changes, not %d to %d", len(entries), begun-1, most)
		}
		for i, e := range entries[:max(0, begun-1)] {
			if e.Outcome != ends[i] && i < begun-2 && !bytes.Contains(damage, []byte(e.ID)) {
				t.Errorf("change %d is %s, not %s", i, e.Outcome, ends[i])
			}
		}
		for _, e := range entries {
			switch e.Outcome {
			case client.Pending, client.Applied, client.Rejected, client.Unknown:
			default:
				t.Errorf("an outcome %q", e.Outcome)
			}
		}
	})
}

// The revert of a maintenance window is scheduled until the service is enabled, deleted or disabled again, in this
// program or in another.
func TestJournal_ScheduledChange(t *testing.T) {
	for _, supersededBy := range []string{client.OpDisableService, client.OpEnableService, client.OpDeleteService} {
		path := filepath.Join(t.TempDir(), "a.journal")
		ours, theirs := openJournal(t, path), openJournal(t, path)
		intent := recordApplied(t, ours, disableChange("7", "x"))
		if op, id, ok := ours.ScheduledChange(intent); op != client.OpEnableService || id != "7" || !ok {
			t.Errorf("scheduled: %q, %q, %v", op, id, ok)
		}
		other := disableChange("8", "y")
		other.RevertAt = time.Time{}
		if op, _, ok := ours.ScheduledChange(recordApplied(t, ours, other)); ok {
			t.Errorf("a service that is disabled without an end: %q is scheduled", op)
		}
		change := disableChange("7", "x")
		change.Op, change.Replaces = supersededBy, []string{intent}
		recordApplied(t, theirs, change)
		if op, _, ok := ours.ScheduledChange(intent); ok {
			t.Errorf("superseded by %s in another program: %q is still scheduled", supersededBy, op)
		}
	}
}

// recordApplied records a change that was applied, and returns the id of its intent.
func recordApplied(t *testing.T, j *Journal, c client.Change) string {
	t.Helper()
	id, err := j.RecordIntent(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(id, client.Applied, nil)
	return id
}

// recordCreatedKey records that a key was created and that nobody has seen its secret yet, and returns the change's ID.
func recordCreatedKey(t *testing.T, j *Journal, label, id string) string {
	t.Helper()
	intent, err := j.RecordIntent(t.Context(), client.Change{Op: client.OpCreateKey, Resource: "key", Label: label})
	if err != nil {
		t.Fatal(err)
	}
	j.RecordUnseenSecret(intent, id)
	return intent
}

// The journal remembers keys whose secret nobody has seen, for the next run, until the secret is seen or the key is
// revoked. It holds no secret.
func TestJournal_UnseenSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := openJournal(t, path)
	recordCreatedKey(t, j, "lost", "1")
	j.RecordSecretSeen(recordCreatedKey(t, j, "seen", "2"))
	recordCreatedKey(t, j, "revoked", "3")
	revoke, err := j.RecordIntent(t.Context(), client.Change{Op: client.OpRevokeKey, Resource: "key", ID: "3"})
	if err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(revoke, client.Applied, nil)
	if unseen := j.KeysWithUnseenSecret(); len(unseen) != 0 {
		t.Errorf("in the run that shows the dialogs: %+v", unseen)
	}
	again := openJournal(t, path)
	unseen := again.KeysWithUnseenSecret()
	if len(unseen) != 1 || unseen[0].Change.Label != "lost" || unseen[0].UnseenSecretOf != "1" ||
		unseen[0].Outcome != client.Applied {
		t.Fatalf("in the next run: %+v", unseen)
	}
	for range 2 {
		compacted := openSmall(t, path, testTime)
		for range 40 {
			recordChange(t, compacted, client.OpEnableService, "1")
		}
		if held := compacted.KeysWithUnseenSecret(); len(held) != 1 {
			t.Fatalf("after a compaction: %+v", held)
		}
	}
	again = openSmall(t, path, testTime)
	again.RecordSecretSeen(again.KeysWithUnseenSecret()[0].ID)
	if unseen := openSmall(t, path, testTime).KeysWithUnseenSecret(); len(unseen) != 0 {
		t.Errorf("after it was seen: %+v", unseen)
	}
}

// The journal remembers keys that are to be revoked, with the reason, for every later run until they are revoked: by
// this run or by another program. That is independent of whether the secret of a new key was seen.
func TestJournal_KeysToRevoke(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := openJournal(t, path)
	for id, replaced := range map[string]string{"11": "3", "12": "4"} {
		intent := recordCreatedKey(t, j, "new", id)
		j.RecordRevokeLater(intent, replaced, "replaced by key "+id)
		j.RecordSecretSeen(intent)
	}
	j.RecordRevokeLater(recordCreatedKey(t, j, "large", "1"), "1", "made for rclone")
	if len(j.KeysToRevoke()) != 3 {
		t.Errorf("in this run: %+v", j.KeysToRevoke())
	}
	revoke, err := j.RecordIntent(t.Context(), client.Change{Op: client.OpRevokeKey, Resource: "key", ID: "3"})
	if err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(revoke, client.Applied, nil)
	again := openJournal(t, path)
	if unseen := again.KeysWithUnseenSecret(); len(unseen) != 1 || unseen[0].UnseenSecretOf != "1" {
		t.Errorf("secrets that nobody has seen: %+v", unseen)
	}
	for range 2 {
		compacted := openSmall(t, path, testTime)
		for range 40 {
			recordChange(t, compacted, client.OpEnableService, "1")
		}
		held := compacted.KeysToRevoke()
		if len(held) != 2 || *held[1].RevokeLater != (RevokeReminder{"1", "made for rclone"}) ||
			held[1].Outcome != client.Applied {
			t.Fatalf("after a compaction: %+v", held)
		}
	}
	again = openSmall(t, path, testTime)
	again.RecordRevokeLater(again.KeysToRevoke()[1].ID, "", "")
	if held := openSmall(t, path, testTime).KeysToRevoke(); len(held) != 1 || held[0].RevokeLater.Key != "4" {
		t.Errorf("after one was ended: %+v", held)
	}
}

// An outcome that cannot be written is kept as a failure, so that the program can say so when it ends.
func TestJournal_OutcomeError(t *testing.T) {
	j, err := Open(filepath.Join(t.TempDir(), "a.journal"), "acme", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	id, err := j.RecordIntent(t.Context(), client.Change{Op: client.OpDisableService, ID: "7"})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.OutcomeError(); err != nil {
		t.Errorf("before an outcome: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.RecordBatch(id, client.BatchRecord{Number: 1, Count: 5}); err == nil {
		t.Error("a batch that was not recorded passes")
	}
	j.RecordOutcome(id, client.Applied, nil)
	if err := j.OutcomeError(); err == nil || !strings.Contains(err.Error(), "could not be written to the journal") {
		t.Errorf("the failure is %v", err)
	}
}

// An unreadableFile is a file whose disk fails when it is read.
type unreadableFile struct{ logFile }

func (unreadableFile) ReadAt([]byte, int64) (int, error) { return 0, errCut }

// A fullFile is a file whose disk takes the first line and fails to keep it.
type fullFile struct {
	logFile
	synced bool
}

func (f *fullFile) Sync() error {
	if !f.synced {
		f.synced = true
		return errCut
	}
	return f.logFile.Sync()
}

// An intent that may be on the disk although writing it failed is followed by one line that says that the change was
// not sent.
func TestJournal_RecordIntent_notKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.journal")
	j := openJournal(t, path)
	j.file = &fullFile{logFile: j.file}
	if id, err := j.RecordIntent(t.Context(), disableChange("7", "x")); !errors.Is(err, errCut) || id != "" {
		t.Errorf("recorded %q: %v", id, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := openJournal(t, path).Entries(time.Time{})
	if len(all) != 1 || all[0].Outcome != client.Rejected || bytes.Count(data, []byte("not sent")) != 1 {
		t.Errorf("%+v\n%s", all, data)
	}
}

// A file that cannot be read is not an empty journal.
func TestJournal_load_unreadable(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "a.journal"))
	recordApplied(t, j, disableChange("7", "x"))
	file := unreadableFile{j.file}
	if err := NewInMemory(testTime).load(file); !errors.Is(err, errCut) {
		t.Errorf("loaded: %v", err)
	}
}

// endWindow ends a window as it is.
func endWindow(j *Journal, id string) error {
	w, _ := j.Window(id)
	if err := j.EndWindow(w, window.EnabledElsewhere); !errors.Is(err, ErrSuperseded) {
		return err
	}
	return nil
}
