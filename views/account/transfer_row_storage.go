package account

import (
	"slices"
	"strconv"

	"lookout/client/transfer"
)

// transferRowStorage stores the transfers. The row with an ID is at position ID-1, so that a hundred thousand can be
// replaced at once. Its slice is replaced, never changed.
type transferRowStorage struct{ rows []*transfer.Status }

// Len returns the number of transfers.
func (m *transferRowStorage) Len() int { return len(m.rows) }

// At returns the transfer at position i.
func (m *transferRowStorage) At(i int) *transfer.Status { return m.rows[i] }

// Index returns the position of an ID.
func (m *transferRowStorage) Index(id string) (int, bool) {
	n, err := strconv.Atoi(id)
	return n - 1, err == nil && n >= 1 && n <= len(m.rows)
}

// Append adds rows that follow those held, and drops others.
func (m *transferRowStorage) Append(rows []*transfer.Status) (dropped int) {
	for _, row := range rows {
		if int(row.ID) != len(m.rows)+1 {
			dropped++
			continue
		}
		m.rows = append(m.rows, row)
	}
	return dropped
}

// Put replaces a row. Snapshots taken before do not change.
func (m *transferRowStorage) Put(id string, row *transfer.Status) {
	if i, held := m.Index(id); held {
		m.rows = slices.Clone(m.rows)
		m.rows[i] = row
	}
}

// Drop does nothing: all transfers of a run are kept.
func (m *transferRowStorage) Drop(string) {}

// Snapshot returns the rows as they are now.
func (m *transferRowStorage) Snapshot() func(i int) *transfer.Status {
	rows := m.rows
	return func(i int) *transfer.Status { return rows[i] }
}
