package lists

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"lookout/client"
)

// versioned is a row that knows when it was changed.
type versioned struct {
	id      string
	changed time.Time
}

// absenceRig is a store whose reads a test answers, and a clock that it moves.
type absenceRig struct {
	*RowStore[*versioned]
	listed  []*versioned
	missing []string
	now     time.Time
}

func newAbsenceRig(t *testing.T) *absenceRig {
	t.Helper()
	r := &absenceRig{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	r.RowStore = NewRowStore(t.Context(), &Inline{}, RowSource[*versioned]{
		Name:    "rows",
		ID:      func(v *versioned) string { return v.id },
		Updated: func(v *versioned) time.Time { return v.changed },
		Now:     func() time.Time { return r.now },
		Fetch: func(context.Context, string) (RowPage[*versioned], error) {
			return RowPage[*versioned]{Rows: slices.Clone(r.listed), Missing: r.missing}, nil
		},
	})
	return r
}

// read answers a read some time after the one before, and returns the ids of the rows that are held then.
func (r *absenceRig) read(after time.Duration, ids ...string) (held []string) {
	r.now, r.listed = r.now.Add(after), nil
	for _, id := range ids {
		r.listed = append(r.listed, &versioned{id: id, changed: r.now})
	}
	r.Refresh()
	for _, row := range r.Rows() {
		held = append(held, row.id)
	}
	return held
}

// A row that a read lacks stays until reads 30 seconds apart have lacked it; one that appears is there at once.
func TestStore_absentRow(t *testing.T) {
	r := newAbsenceRig(t)
	r.read(0, "a", "b")
	for n, c := range []struct {
		after  time.Duration
		ids    []string
		want   []string
		absent bool // of b
	}{
		{5 * time.Second, []string{"a"}, []string{"a", "b"}, true},
		{5 * time.Second, []string{"a", "b"}, []string{"a", "b"}, false},
		{5 * time.Second, []string{"a"}, []string{"a", "b"}, true},
		{25 * time.Second, []string{"a", "c"}, []string{"a", "c", "b"}, true}, // c is new
		{5 * time.Second, []string{"a", "c"}, []string{"a", "c"}, false},
		{5 * time.Second, []string{"b"}, []string{"b", "a", "c"}, false},
	} {
		if got := r.read(c.after, c.ids...); !slices.Equal(got, c.want) || r.Absent("b") != c.absent {
			t.Errorf("read %d: %v, b is absent: %v; want %v, %v", n, got, r.Absent("b"), c.want, c.absent)
		}
	}
}

// A read of which a part is missing removes nothing, however long that lasts.
func TestStore_absentRowInPartialReads(t *testing.T) {
	r := newAbsenceRig(t)
	r.read(0, "a", "b")
	r.missing = []string{"us-east: 503"}
	for range 3 {
		if got := r.read(time.Minute, "a"); len(got) != 2 {
			t.Fatalf("a partial read removed a row: %v", got)
		}
	}
	r.missing = nil
	if got := r.read(time.Minute, "a"); len(got) != 2 {
		t.Errorf("one whole read removed a row: %v", got)
	}
	if got := r.read(time.Minute, "a"); len(got) != 1 {
		t.Errorf("two whole reads did not remove the row: %v", got)
	}
}

// notFound is the answer to a read of one row that does not exist.
type notFound struct{ error }

func (notFound) NotFound() bool   { return true }
func (notFound) NotFromAPI() bool { return false }

// An absent row whose own read says that it does not exist is gone at once.
func TestStore_absentRowIsGone(t *testing.T) {
	r := newAbsenceRig(t)
	r.read(0, "a", "b")
	r.read(time.Second, "a")
	reload := func(err error) {
		r.ReloadRow("b", func(context.Context) (*versioned, error) { return nil, err }, nil)
	}
	if reload(errors.New("502")); r.Len() != 2 {
		t.Error("a failed read removed the row")
	}
	if reload(notFound{errors.New("404")}); r.Len() != 1 || r.Absent("b") {
		t.Error("the row is still there")
	}
}

// A row that is made on this machine is gone when a read lacks it, unless a part of the read is missing.
func TestStore_absentLocalRow(t *testing.T) {
	r := newAbsenceRig(t)
	r.source.Local = true
	r.read(0, "a", "b")
	r.missing = []string{"keys: 503"}
	if got := r.read(time.Second, "a"); len(got) != 2 {
		t.Errorf("a partial read removed a row: %v", got)
	}
	r.missing = nil
	if got := r.read(time.Second, "a"); len(got) != 1 || r.AbsentCount() != 0 {
		t.Errorf("held: %v, %d of them absent", got, r.AbsentCount())
	}
}

// After the clock was set back, the time that reads have lacked a row begins again instead of lasting for ever.
func TestStore_absentRowAndClockSetBack(t *testing.T) {
	r := newAbsenceRig(t)
	r.read(0, "a", "b")
	r.read(time.Second, "a")
	r.read(-time.Hour, "a")
	if got := r.read(time.Minute, "a"); len(got) != 1 {
		t.Errorf("still held: %v", got)
	}
}

// A row never goes back to an earlier change: a replica that is behind does not undo what was read.
func TestStore_olderRow(t *testing.T) {
	r := newAbsenceRig(t)
	r.read(time.Minute, "a")
	newer := r.At(0)
	r.listed = []*versioned{{id: "a", changed: newer.changed.Add(-time.Second)}}
	if r.Refresh(); r.At(0) != newer {
		t.Error("an older row has replaced a newer one")
	}
	r.ReloadRow("a", func(context.Context) (*versioned, error) { return r.listed[0], nil }, nil)
	if r.At(0) != newer {
		t.Error("an older row, read by itself, has replaced a newer one")
	}
	r.listed = []*versioned{{id: "a", changed: newer.changed.Add(time.Second)}}
	if r.Refresh(); r.At(0) == newer {
		t.Error("a newer row has not replaced an older one")
	}
}

// readVersion answers a read some time after the one before with one row in a version, and returns the version that is
// held then and the note of its row.
func (r *absenceRig) readVersion(after time.Duration, v *versioned) (held *versioned, note string) {
	r.now, r.listed = r.now.Add(after), []*versioned{v}
	r.Refresh()
	return r.At(0), r.RowNote(r.At(0))
}

// newVersionsRig returns a store that has read the newer of two versions of a row.
func newVersionsRig(t *testing.T) (r *absenceRig, older, newer *versioned) {
	t.Helper()
	r = newAbsenceRig(t)
	older, newer = &versioned{"a", r.now.Add(-2 * time.Hour)}, &versioned{"a", r.now.Add(-time.Hour)}
	r.source.State = func(v *versioned) string {
		if v.changed.Equal(newer.changed) {
			return "ok"
		}
		return "problem"
	}
	r.readVersion(0, newer)
	return r, older, newer
}

const olderNote = "the API answers with an older version of it: problem"

// While reads show an older version of a row, the row says so. It is taken once all complete reads for 10 minutes have
// shown it: the API has gone back to an earlier state.
func TestStore_olderRowForLong(t *testing.T) {
	r, older, newer := newVersionsRig(t)
	for since := time.Duration(0); since < client.MaxReplicaLag; since += time.Minute {
		if held, note := r.readVersion(time.Minute, older); held != newer || note != olderNote {
			t.Fatalf("after %v: %v, %q", since, held, note)
		}
	}
	if held, note := r.readVersion(time.Minute, older); held != older || note != "" {
		t.Fatalf("after 10 minutes: %v, %q", held, note)
	}
	if held, note := r.readVersion(time.Minute, newer); held != newer || note != "" {
		t.Errorf("the newer version again: %v, %q", held, note)
	}
}

// A row never goes back while a replica shows the newer version now and then, in lists or in a read of the row alone.
func TestStore_olderRowOfAlternatingReplicas(t *testing.T) {
	alone := func(r *absenceRig, v *versioned) {
		r.ReloadRow("a", func(context.Context) (*versioned, error) { return v, nil }, nil)
	}
	for name, show := range map[string]func(*absenceRig, *versioned){
		"lists": func(r *absenceRig, newer *versioned) { r.readVersion(0, newer) },
		"alone": alone,
		"partial lists": func(r *absenceRig, newer *versioned) {
			r.missing = []string{"us-east: 503"}
			r.readVersion(0, newer)
			r.missing = nil
		},
	} {
		r, older, newer := newVersionsRig(t)
		for n := range 20 {
			for range 3 {
				if held, note := r.readVersion(3*time.Minute, older); held != newer || note != olderNote {
					t.Fatalf("%s %d: %v, %q", name, n, held, note)
				}
			}
			alone(r, older)
			if show(r, newer); r.RowNote(newer) != "" {
				t.Errorf("%s %d: %q although the newer version was read", name, n, r.RowNote(newer))
			}
		}
	}
}

// Reads with missing parts, reads of the row alone, and a clock that is set back do not prove that the API went back.
func TestStore_olderRowIsNotProved(t *testing.T) {
	r, older, newer := newVersionsRig(t)
	r.missing = []string{"us-east: 503"}
	for range 30 {
		held, _ := r.readVersion(time.Minute, older)
		r.ReloadRow("a", func(context.Context) (*versioned, error) { return older, nil }, nil)
		if held != newer || r.At(0) != newer {
			t.Fatal("reads with missing parts took the row back")
		}
	}
	r.missing = nil
	r.readVersion(time.Minute, older)
	r.readVersion(-24*time.Hour, older)
	if held, _ := r.readVersion(client.MaxReplicaLag-time.Minute, older); held != newer {
		t.Error("the row went back too early")
	}
	if held, _ := r.readVersion(time.Minute, older); held != older {
		t.Error("after the clock was set back, the row is kept for ever")
	}
}

// The same holds for a row that was changed from here: the list counts once it was behind for 10 minutes.
func TestStore_olderRowAfterAChange(t *testing.T) {
	r, older, newer := newVersionsRig(t)
	changed := &versioned{"a", r.now}
	r.Run(&Change[*versioned]{
		RowID:    "a",
		DoneText: "disabled",
		Shows:    r.source.State,
		Send:     func(context.Context) (ChangeResult[*versioned], error) { return ResultRow(changed, nil) },
		Search: Search[*versioned]{Judge: func(rows []*versioned) LookupResult[*versioned] {
			return foundIf(rows[0] == changed, changed)
		}},
	})
	r.now = r.now.Add(time.Hour) // the machine has slept
	for range 10 {
		held, note := r.readVersion(time.Minute, newer)
		if held != changed || !strings.Contains(note, "the list still says ok") {
			t.Fatalf("%v, %q", held, note)
		}
	}
	if held, note := r.readVersion(time.Minute, older); held != older || note != "" {
		t.Errorf("after 10 minutes: %v, %q", held, note)
	}
}

// A version that somebody made after our change is kept as well, although lists may be behind both.
func TestStore_olderRowAfterALaterVersion(t *testing.T) {
	r, _, newer := newVersionsRig(t)
	changed, later := &versioned{"a", r.now.Add(time.Minute)}, &versioned{"a", r.now.Add(2 * time.Minute)}
	r.Run(&Change[*versioned]{
		RowID: "a",
		Send:  func(context.Context) (ChangeResult[*versioned], error) { return ResultRow(changed, nil) },
		Search: Search[*versioned]{Judge: func(rows []*versioned) LookupResult[*versioned] {
			return foundIf(rows[0] != newer, rows[0])
		}},
	})
	r.readVersion(time.Second, later)
	for _, behind := range []*versioned{changed, newer, changed} {
		if held, _ := r.readVersion(time.Second, behind); held != later {
			t.Fatalf("the row went back to %v", held)
		}
	}
}

// A row that was deleted stays marked while lists that are behind show it, until lists 30 seconds apart lack it.
func TestStore_deletedRowStaysMarked(t *testing.T) {
	r := newAbsenceRig(t)
	r.read(0, "a", "b")
	r.Run(&Change[*versioned]{
		RowID:    "a",
		DoneText: "deleted",
		Send:     func(context.Context) (ChangeResult[*versioned], error) { return ResultDeleted[*versioned](nil) },
	})
	for n, c := range []struct {
		after  time.Duration
		ids    []string
		marked bool
	}{
		{time.Second, []string{"a", "b"}, true},
		{time.Second, []string{"b"}, true}, // from a replica that is not behind
		{time.Second, []string{"a", "b"}, true},
		{time.Hour, []string{"a", "b"}, true},
		{time.Second, []string{"b"}, true},
		{29 * time.Second, []string{"b"}, true},
		{2 * time.Second, []string{"b"}, false},
	} {
		r.read(c.after, c.ids...)
		if k := r.changes.confirmed["a"]; (k.kind == rowDeleted) != c.marked {
			t.Errorf("reading %d: known to be deleted: %v", n, k.kind == rowDeleted)
		}
		if note := DeletedNote(r.RowStore, "a"); (note != "") != slices.Contains(c.ids, "a") {
			t.Errorf("reading %d: %q", n, note)
		}
	}
}

// Where an identity can be used again, a row that was made later is not the one that was deleted.
func TestStore_deletedIdentityIsUsedAgain(t *testing.T) {
	r := newAbsenceRig(t)
	r.source.Created = func(v *versioned) time.Time { return v.changed }
	r.read(0, "a")
	r.Run(&Change[*versioned]{
		RowID:    "a",
		DoneText: "deleted",
		Send:     func(context.Context) (ChangeResult[*versioned], error) { return ResultDeleted[*versioned](nil) },
	})
	if r.read(time.Second, "a"); DeletedNote(r.RowStore, "a") != "" {
		t.Errorf("the new row is marked: %q", DeletedNote(r.RowStore, "a"))
	}
}
