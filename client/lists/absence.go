package lists

import (
	"errors"
	"fmt"
	"time"

	"lookout/client/wording"
)

// absentFor is how long complete reads must lack a row that an earlier one had, before it counts as gone: a replica
// that is behind lacks rows too.
const absentFor = 30 * time.Second

// keepAbsent adds the rows that a read to the end lacks, unless they have been absent for long enough. whole says that
// no part of the list is missing; otherwise the read proves nothing.
func (s *RowStore[T]) keepAbsent(list RowContainer[T], whole bool) {
	now, absent := s.Now(), map[string]time.Time{}
	var kept []T
	for i := range s.rows.Len() {
		row := s.rows.At(i)
		id := s.source.ID(row)
		if _, listed := list.Index(id); listed || s.changes.confirmed[id].kind == rowDeleted {
			continue
		}
		since := s.absent[id] // zero if only reads with missing parts have lacked it
		switch {
		case whole && s.source.Local:
			continue
		case whole && (since.IsZero() || since.After(now)): // the clock may have been set back
			since = now
		case whole && now.Sub(since) >= absentFor:
			continue
		}
		absent[id], kept = since, append(kept, row)
	}
	list.Append(kept)
	s.absent = absent
}

// Absent reports whether the last read to the end lacked a row that is still held.
func (s *RowStore[T]) Absent(id string) bool {
	_, absent := s.absent[id]
	return absent
}

// AbsentCount returns the number of such rows.
func (s *RowStore[T]) AbsentCount() int { return len(s.absent) }

// absenceNote says that the last reads lacked a row: "not in the list for 12 s"; "" for any other row.
func (s *RowStore[T]) absenceNote(id string) string {
	switch since, absent := s.absent[id]; {
	case !absent:
		return ""
	case since.IsZero():
		return "not in the part of the list that could be read"
	default:
		return fmt.Sprintf("not in the list for %s", wording.FormatAge(s.Now().Sub(since)))
	}
}

// drop removes a row that does not exist any more.
func (s *RowStore[T]) drop(id string) {
	s.rows.Drop(id)
	delete(s.absent, id)
	s.version.layout++
	s.version.rowsChanged()
}

// isGone reports whether an error means that the API has no such row.
func isGone(err error) bool {
	var e interface {
		NotFound() bool
		NotFromAPI() bool
	}
	return errors.As(err, &e) && e.NotFound() && !e.NotFromAPI()
}
