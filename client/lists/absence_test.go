package lists

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
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
