package journal

import (
	"fmt"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"lookout/client"
)

// A DeletionProgress is what became of the batches of a change that deletes many objects. It is replaced, never
// changed.
type DeletionProgress struct {
	Gone  int                  `json:"gone,omitempty"`
	Begun int                  `json:"begun"`          // the last batch
	Open  []client.BatchRecord `json:"open,omitempty"` // batches with objects whose outcome is not known
	At    time.Time            `json:"at,omitzero"`    // of the last record
}

// UnknownCount returns the number of objects whose outcome is not known.
func (p *DeletionProgress) UnknownCount() (n int) {
	for _, batch := range p.Open {
		n += batch.UnknownCount()
	}
	return n
}

// Describe says what is gone, not known and left of a number of objects; 0 if that is not known.
func (p *DeletionProgress) Describe(objects int) string {
	comma := func(n int) string { return humanize.Comma(int64(n)) }
	text := comma(p.Gone)
	if objects > 0 {
		text += " of " + comma(objects)
	}
	text += " gone"
	if n := p.UnknownCount(); n > 0 {
		text += ", " + comma(n) + " may be gone"
	}
	if left := objects - p.Gone - p.UnknownCount(); left > 0 {
		text += ", " + comma(left) + " not deleted"
	}
	return text
}

// with returns the progress after a record of a batch. A record that was read before changes nothing.
func (p *DeletionProgress) with(batch client.BatchRecord, at time.Time) *DeletionProgress {
	next := DeletionProgress{}
	if p != nil {
		next = *p
		next.Open = slices.Clone(p.Open)
	}
	i := slices.IndexFunc(next.Open, func(q client.BatchRecord) bool { return q.Number == batch.Number })
	switch {
	case !batch.Ended && batch.Number > next.Begun:
		next.Open, next.Begun = append(next.Open, batch), batch.Number
	case batch.Ended && i >= 0:
		if was := next.Open[i]; was.Ended {
			next.Gone -= was.Gone
		}
		next.Gone += batch.Gone
		if next.Open[i] = batch; batch.UnknownCount() == 0 {
			next.Open = slices.Delete(next.Open, i, i+1)
		}
	default:
		return p
	}
	next.At = at
	return &next
}

// validBatch reports whether the numbers of a batch can be true.
func validBatch(p client.BatchRecord) bool {
	return p.Number > 0 && p.Count > 0 && p.Gone >= 0 && p.Left >= 0 && p.Gone <= p.Count && p.Left <= p.Count-p.Gone
}

// RecordBatch records a batch of a change that deletes many objects. Of one that begins, the record is on the disk when
// RecordBatch returns.
func (j *Journal) RecordBatch(id string, p client.BatchRecord) error {
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	l := record{ID: id, Batch: &p, At: j.now().UTC()}
	if err := j.write(l, !p.Ended, nil); err != nil {
		if p.Ended && j.outcomeError == nil {
			j.outcomeError = fmt.Errorf("the outcome of a change could not be written to the journal: %w", err)
		}
		return err
	}
	return nil
}

// applyBatch adds the record of a batch to its change.
func (s *state) applyBatch(l record) bool {
	if !validBatch(*l.Batch) {
		return false
	}
	e := s.byID[l.ID]
	if e == nil {
		return len(s.segments) > 0 && l.ID != "" // the outcome says what became of the change
	}
	if next := e.Deletion.with(*l.Batch, l.At); next != e.Deletion {
		e.setDeletion(next)
		s.version++
	}
	return true
}

// setDeletion sets the progress of a deletion. As long as there is no outcome, the detail says what is known.
func (e *Entry) setDeletion(p *DeletionProgress) {
	if e.Deletion = p; p == nil {
		return
	}
	e.Gone = p.Gone
	if e.Outcome == client.Pending {
		e.OutcomeDetail = p.Describe(e.Change.Objects)
	}
}
